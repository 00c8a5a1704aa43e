"""What two compared checkpoints are to each other."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number


class DifferentModels(Finding, frozen=True, kw_only=True):
    """Parameters of both checkpoints, and the symbols with different values."""

    source: int
    target: int
    symbols: tuple[str, ...]
    architectures: tuple[str | None, ...]

    def headline(self) -> str:
        return f"{number(self.source)} and {number(self.target)} parameters"

    def rows(self) -> Rows:
        return [("symbols", listed(self.symbols, 6))] if self.symbols else []


class ModelsDiffer(DifferentModels, frozen=True, kw_only=True):
    """The two checkpoints are two models.

    What it means
        They are of different architectures, or of other widths, so that one is no conversion of the
        other.

    Why it matters
        The table shows where they differ; nothing is proven of one by the other.

    Example
        note[V801] models-differ: 8,030,261,248 and 7,526,944,768 parameters
          symbols  kv 8 -> 32, ff 14,336 -> 11,008

    What to do
        Nothing; ask with --expect conversion where it should have been one.
    """

    code = "V801"
    name = "models-differ"
    severity = "note"


class NotAConversion(DifferentModels, frozen=True, kw_only=True):
    """A conversion was expected and the two are different models.

    What it means
        They are of different architectures, or of other widths.

    Why it matters
        What was delivered is not the model that went in.

    Example
        error[V802] not-a-conversion: 8,030,261,248 and 7,526,944,768 parameters
          symbols  kv 8 -> 32, ff 14,336 -> 11,008
          help     compare with the checkpoint that was converted

    What to do
        Compare with the checkpoint that was converted, or repeat the conversion.
    """

    code = "V802"
    name = "not-a-conversion"

    def remedy(self) -> Remedy:
        return Remedy("compare with the checkpoint that was converted")


class PrecisionReduced(Finding, frozen=True, kw_only=True):
    """Values are stored in fewer bits than before.

    What it means
        The parameters are all there, in a dtype or packing with fewer bits.

    Why it matters
        The values are rounded: the target cannot be turned back into the source.

    Example
        note[V811] precision-reduced: 8,030,261,248 of 8,030,261,248 parameters
          F32 → BF16  8,030,261,248 parameters

    What to do
        Nothing, where that was meant.
    """

    code = "V811"
    name = "precision-reduced"
    severity = "note"

    changes: dict[str, int]
    parameters: int
    carried: int

    def headline(self) -> str:
        return f"{number(self.parameters)} of {number(self.carried)} parameters"

    def rows(self) -> Rows:
        return [(change, count(parameters, "parameter")) for change, parameters in list(self.changes.items())[:6]]


class BuffersDiffer(Finding, frozen=True, kw_only=True):
    """One side stores buffers that the other leaves out.

    What it means
        Rotary tables, masks and running statistics are no parameters; writers store them or work them
        out.

    Why it matters
        It explains a difference of stored elements that is none of parameters.

    Example
        note[V812] buffers-differ: left out rotary frequencies, 2,048 elements

    What to do
        Nothing.
    """

    code = "V812"
    name = "buffers-differ"
    severity = "note"

    left: dict[str, int]
    added: dict[str, int]

    def headline(self) -> str:
        words = [_buffers(self.left, "left out"), _buffers(self.added, "added")]
        return "; ".join(word for word in words if word)


class TakenAsTied(Finding, frozen=True, kw_only=True):
    """A tensor of one side alone is taken for a tied copy.

    What it means
        One side stores a tensor that may be a copy, a head of the embedding; the other does not, and
        neither a config nor the format says that it is one of its own.

    Why it matters
        It counts once. If it was no copy, it was lost, or added.

    Example
        note[V813] taken-as-tied: head, in the source alone, counts as the embedding
          (likely)
          copy  10,752 parameters; no config says whether it is one
          help  put the config beside the weights: tie_word_embeddings says which it is

    What to do
        Compare with the config of the original: tie_word_embeddings says which it is.
    """

    code = "V813"
    name = "taken-as-tied"
    severity = "note"

    role: str
    of: str
    parameters: int
    side: str

    def headline(self) -> str:
        return f"{self.role}, in the {self.side} alone, counts as the {self.of}"

    def rows(self) -> Rows:
        return [("copy", f"{count(self.parameters, 'parameter')}; no config says whether it is one")]

    def remedy(self) -> Remedy:
        return Remedy("put the config beside the weights: tie_word_embeddings says which it is")


class ComponentDiffers(Finding, frozen=True, kw_only=True):
    """A part beyond the model is in one side alone, or in part.

    What it means
        The source or the target stores recognised parameters beyond the model that the config's class
        builds: layers for the prediction of several tokens, a tower or a head.

    Why it matters
        They are not in the ledger; what uses them (speculative decoding, images) works with one of the
        two only.

    Example
        warning[V814] component-differs: mtp
          source  11,610,067,968 parameters
          target  0 parameters

    What to do
        Nothing where the part is not used; otherwise convert with a tool that knows it.
    """

    code = "V814"
    name = "component-differs"
    severity = "warning"

    component: str
    source: int
    target: int

    def headline(self) -> str:
        return self.component

    def rows(self) -> Rows:
        return [("source", count(self.source, "parameter")), ("target", count(self.target, "parameter"))]


def _buffers(buffers: dict[str, int], change: str) -> str:
    if not buffers:
        return ""
    return f"{change} {listed(list(buffers), 4)}, {count(sum(buffers.values()), 'element')}"
