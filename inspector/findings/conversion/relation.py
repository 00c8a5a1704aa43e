"""Findings on how two compared checkpoints relate."""

from __future__ import annotations

from inspector.findings.finding import Finding, Rows
from inspector.findings.words import count, listed


class DifferentModels(Finding, frozen=True, kw_only=True):
    """Parameters of both checkpoints, and the symbols with different values."""

    source: int
    target: int
    symbols: tuple[str, ...]
    architectures: tuple[str | None, ...]

    headline_text = "{source} and {target} parameters"

    def rows(self) -> Rows:
        return [("symbols", listed(self.symbols, 6).replace(" -> ", " → "))] if self.symbols else []


class ModelsDiffer(DifferentModels, frozen=True, kw_only=True):
    """The checkpoints are different models, not a conversion.

    What it means
        They have different architectures or dims, so that one cannot be a conversion of the other.

    Why it matters
        The table shows where they differ; no conversion was checked.

    Example
        note[V801] models-differ: 8,030,261,248 and 7,526,944,768 parameters
          symbols  kv 8 → 32, ff 14,336 → 11,008

    What to do
        Nothing; pass --expect conversion if it should be one.
    """

    code = "V801"
    severity = "note"


class NotAConversion(DifferentModels, frozen=True, kw_only=True):
    """A conversion was expected, but the models are different.

    What it means
        They have different architectures or dims.

    Why it matters
        The target is not a converted copy of the source.

    Example
        error[V802] not-a-conversion: 8,030,261,248 and 7,526,944,768 parameters
          symbols  kv 8 → 32, ff 14,336 → 11,008
          help     compare with the checkpoint that was converted

    What to do
        Compare with the checkpoint that was converted, or repeat the conversion.
    """

    code = "V802"
    remedy_text = "compare with the checkpoint that was converted"


class PrecisionReduced(Finding, frozen=True, kw_only=True):
    """Values are stored in fewer bits than before.

    What it means
        All parameters are present, in a dtype or quantization with fewer bits.

    Why it matters
        The values are rounded: the source cannot be restored from the target.

    Example
        note[V811] precision-reduced: 8,030,261,248 of 8,030,261,248 parameters
          F32 → BF16  8,030,261,248 parameters

    What to do
        Nothing, if this is intended.
    """

    code = "V811"
    severity = "note"

    changes: dict[str, int]
    parameters: int
    carried: int

    headline_text = "{parameters} of {carried} parameters"

    def rows(self) -> Rows:
        return [(change, count(parameters, "parameter")) for change, parameters in list(self.changes.items())[:6]]


class BuffersDiffer(Finding, frozen=True, kw_only=True):
    """One side stores buffers that the other omits.

    What it means
        Rotary tables, masks and running statistics are not parameters; some programs store them, others compute
        them.

    Why it matters
        It explains a difference in stored elements that is not a difference in parameters.

    Example
        note[V812] buffers-differ: left out rotary frequencies, 2,048 elements

    What to do
        Nothing.
    """

    code = "V812"
    severity = "note"

    left: dict[str, int]
    added: dict[str, int]

    def headline(self) -> str:
        words = [_buffers(self.left, "left out"), _buffers(self.added, "added")]
        return "; ".join(word for word in words if word)


class TakenAsTied(Finding, frozen=True, kw_only=True):
    """A tensor stored on one side only was treated as tied.

    What it means
        One side stores a tensor that may be a copy of another one, such as a head tied to the embedding.
        Neither a config nor the format says that it is separate.

    Why it matters
        It is counted once. If it is not a copy, it was dropped or added.

    Example
        note[V813] taken-as-tied: head, only in the source, treated as tied to the
          embedding (likely)
          copy  10,752 parameters; no config says whether it is tied
          help  add config.json to the folder: tie_word_embeddings decides

    What to do
        Compare with the config of the original: tie_word_embeddings decides.
    """

    code = "V813"
    severity = "note"

    role: str
    of: str
    parameters: int
    side: str

    headline_text = "{role}, only in the {side}, treated as tied to the {of}"
    row_texts = (("copy", "{parameters:count parameter}; no config says whether it is tied"),)
    remedy_text = "add config.json to the folder: tie_word_embeddings decides"


class ComponentDiffers(Finding, frozen=True, kw_only=True):
    """An extra component differs between the two checkpoints.

    What it means
        The source or the target stores recognized parameters beyond the model of the config's class: layers for
        multi-token prediction, a tower or a head.

    Why it matters
        They are not included in the totals; features that use them (speculative decoding, images) work with one
        of the two only.

    Example
        warning[V814] component-differs: mtp
          source  11,610,067,968 parameters
          target  0 parameters
          help    if the component is used, convert with a program that supports it

    What to do
        Nothing if the component is not used; otherwise use a converter that supports it.
    """

    code = "V814"
    severity = "warning"

    component: str
    source: int
    target: int

    headline_text = "{component}"
    row_texts = (("source", "{source:count parameter}"), ("target", "{target:count parameter}"))
    remedy_text = "if the component is used, convert with a program that supports it"


def _buffers(buffers: dict[str, int], change: str) -> str:
    if not buffers:
        return ""
    return f"{change} {listed(list(buffers), 4)}, {count(sum(buffers.values()), 'element')}"


class LeftOut(Finding, frozen=True, kw_only=True):
    """The target's format has no place for a part of the source.

    What it means
        The program that the target is for does not store these tensors in a file of this architecture: the heads and
        poolers of encoders, and the towers for images and sound, which llama.cpp stores in an mmproj file and mlx-lm
        leaves out.

    Why it matters
        Nothing of the text model is lost. A model for images needs the mmproj file too, or a conversion by mlx-vlm.

    Example
        note[V843] left-out: 2 tensors that llama.cpp does not store here
          roles       pooler
          parameters  2,352

    What to do
        Nothing. For a model of images or sound, keep its mmproj file with the target, or convert with mlx-vlm.
    """

    code = "V843"
    severity = "note"

    roles: tuple[str, ...]
    tensors: int
    parameters: int
    towers: tuple[str, ...]
    writer: str

    headline_text = "{tensors:count tensor} that {writer} does not store here"
    row_texts = (
        ("towers", "{towers:joined}: in the mmproj file", "towers"),
        ("roles", "{roles:listed 4}"),
        ("parameters", "{parameters}"),
    )
