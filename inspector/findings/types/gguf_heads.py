"""Findings on statements of a GGUF file about its model that its own tensors or keys contradict."""

from __future__ import annotations

from typing import Final

from inspector.findings.finding import NAMES_SHOWN, ContentFinding, Remedy, Rows
from inspector.findings.words import count

MOST_NUMBERS: Final = 12
"""Most numbers of a list that are shown."""


class GgufHeadsDisagree(ContentFinding, frozen=True, kw_only=True):
    """The number of key and value heads in a GGUF file is not that of its matrices.

    What it means
        The rows of every attention matrix belong to another number of key heads than `attention.head_count_kv` states.

    Why it matters
        llama.cpp computes the shapes from this number and refuses the file. Where each head has keys of its own, both
        numbers are the same and the shapes do not show it: `attention.head_count` may be the wrong one.

    Example
        error[N446] gguf-heads-disagree: bloom.attention.head_count_kv
          stated   2
          weights  6
          help     convert the model again, or set bloom.attention.head_count and
                   bloom.attention.head_count_kv to the number of heads of the original
                   model, 6 or 2

    What to do
        Convert the model again, or correct the number with gguf_set_metadata.
    """

    code = "N446"

    key: str
    stated: int
    shown: int
    either: str = ""
    """The key of the number of heads, if this may be the wrong one."""

    headline_text = "{key}"

    def rows(self) -> Rows:
        return [("stated", str(self.stated)), ("weights", str(self.shown) if self.shown else "no whole number")]

    def remedy(self) -> Remedy:
        again = "convert the model again"
        if self.either:
            numbers = f"to the number of heads of the original model, {self.shown} or {self.stated}"
            return Remedy(f"{again}, or set {self.either} and {self.key} {numbers}", choice=True)
        return Remedy(f"{again}, or set {self.key} to {self.shown}" if self.shown else again)


class GgufSizeDisagrees(ContentFinding, frozen=True, kw_only=True):
    """A size in a GGUF file is not that of its matrices.

    What it means
        All matrices of one kind have another width than the key states, such as the width of the values of each head.

    Why it matters
        llama.cpp computes the shapes from this number and refuses the file.

    Example
        error[N516] gguf-size-disagrees: nomic-bert.attention.value_length
          stated   16
          weights  8, from 3 tensors: blk.{layer}.attn_output.weight
          help     set nomic-bert.attention.value_length to 8, or convert the model
                   again

    What to do
        Correct the number with gguf_set_metadata, or convert the model again.
    """

    code = "N516"

    key: str
    stated: int
    shown: int
    tensors: int
    family: str

    headline_text = "{key}"
    remedy_text = "set {key} to {shown}, or convert the model again"

    def rows(self) -> Rows:
        return [
            ("stated", str(self.stated)),
            ("weights", f"{self.shown}, from {count(self.tensors, 'tensor')}: {self.family}"),
        ]


class GgufRotaryWidth(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file rotates another part of each head than llama.cpp allows.

    What it means
        `rope.dimension_count` is not the width of the keys of a head. In models of this architecture the whole head is
        rotated.

    Why it matters
        llama.cpp refuses the file: "invalid n_rot".

    Example
        error[N517] gguf-rotary-width: llama.rope.dimension_count
          stated     40
          keys       20
          reference  llama.cpp refuses it: invalid n_rot: 40, expected 20
          help       set llama.rope.dimension_count to 20, or convert the model again

    What to do
        Correct the number with gguf_set_metadata, or convert the model again.
    """

    code = "N517"

    key: str
    stated: int
    length: int

    headline_text = "{key}"
    remedy_text = "set {key} to {length}, or convert the model again"

    def rows(self) -> Rows:
        refusal = f"llama.cpp refuses it: invalid n_rot: {self.stated}, expected {self.length}"
        return [("stated", str(self.stated)), ("keys", str(self.length)), ("reference", refusal)]


class GgufKeysContradict(ContentFinding, frozen=True, kw_only=True):
    """Two keys of a GGUF file contradict each other.

    What it means
        llama.cpp requires that the two numbers are consistent, for example that the number of experts is a
        multiple of the number of expert groups. No tensor shows which of them is wrong.

    Why it matters
        llama.cpp aborts while loading the file, with an assertion that does not name the key.

    Example
        error[N585] gguf-keys-contradict: dots1.expert_group_count
          stated  4
          must    be a divisor of the number of experts
          other   dots1.expert_count: 10
          help    set dots1.expert_group_count to the number of the original model, or
                  convert the model again

    What to do
        Correct the number with gguf_set_metadata, or convert the model again.
    """

    code = "N585"

    key: str
    stated: int
    rule: str
    other: str
    value: int | float

    headline_text = "{key}"
    remedy_text = "set {key} to the number of the original model, or convert the model again"

    def rows(self) -> Rows:
        return [("stated", str(self.stated)), ("must", f"be {self.rule}"), ("other", f"{self.other}: {self.value:g}")]


MERGES: Final = "tokenizer.ggml.merges"
OLDER_CONVERTERS: Final = "older converters leave out merges that tokenizer.json has as pairs (tokenizers 0.20)"
NOT_STATED: Final = ("tokenizer.", "clip.", "general.")
"""Beginnings of keys that no option of llama.cpp replaces."""
LISTED: Final = ("feed_forward_length", "head_count", "head_count_kv")
"""Ends of keys that llama.cpp also reads as lists, for which it ignores `--override-kv` (measured, 0.3.36 of
llama-cpp-python; it reads `attention.layer_norm_rms_epsilon` and `context_length` from it).
"""
FLOATS: Final = ("epsilon", "freq_base", "scale", "factor")


class GgufKeysMissing(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file lacks keys that llama.cpp needs.

    What it means
        The tensors are there, but the metadata does not state numbers that no tensor shows, such as the epsilon of
        the norms or the context length, or a part of the vocabulary.

    Why it matters
        llama.cpp refuses the file: "key not found in model", or takes a default of its own, with which the shapes of
        the tensors do not fit (`unfit`).

    Example
        error[N510] gguf-keys-missing: llama.context_length
          reference  llama.cpp refuses it: key not found in model
          help       convert the model again, or load it with --override-kv
                     llama.context_length=int:NUMBER, as the original model has it

    What to do
        Convert the model again with llama.cpp's converter, which writes every key. llama.cpp itself, unlike ollama,
        takes a single number from its option `--override-kv`.
    """

    code = "N510"

    keys: tuple[str, ...]
    unfit: bool = False

    def headline(self) -> str:
        more = len(self.keys) - NAMES_SHOWN
        return f"{', '.join(self.keys[:NAMES_SHOWN])}{f' and {more} more' if more > 0 else ''}"

    def rows(self) -> Rows:
        why = "its default does not fit the tensors" if self.unfit else "key not found in model"
        return [("reference", f"llama.cpp refuses it: {why}")]

    def remedy(self) -> Remedy:
        again = "convert the model again"
        if MERGES in self.keys:
            return Remedy(f"{again} with llama.cpp of October 2024 or later: {OLDER_CONVERTERS}")
        if self.unfit or len(self.keys) > 1 or self.keys[0].startswith(NOT_STATED) or self.keys[0].endswith(LISTED):
            return Remedy(again)
        kind = "float" if self.keys[0].endswith(FLOATS) else "int"
        return Remedy(
            f"{again}, or load it with --override-kv {self.keys[0]}={kind}:NUMBER, as the original model has it"
        )

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"{self.keys[0]} is absent{self.unfit * ', and its default does not fit the tensors'}"


class GgufListsDisagree(ContentFinding, frozen=True, kw_only=True):
    """A list in a GGUF file does not have one number for each layer.

    What it means
        Some sizes are stated as one number, or as a list with a number for each layer. Here a list has more or fewer
        numbers than `block_count` states layers.

    Why it matters
        llama.cpp refuses the file: "has wrong array length".

    Example
        error[N511] gguf-lists-disagree: lfm2.attention.head_count_kv
          layers     3 in lfm2.block_count
          list       2 numbers in lfm2.attention.head_count_kv
          reference  llama.cpp refuses it: key has wrong array length
          help       convert the model again

    What to do
        Convert the model again with llama.cpp's converter. If the lists have as many numbers as the file has layers,
        correct `block_count` with gguf_set_metadata.
    """

    code = "N511"

    keys: tuple[str, ...]
    lengths: tuple[int, ...]
    blocks_key: str
    blocks: int
    layers: int

    @property
    def lists_fit(self) -> bool:
        """True if all lists have a number for each stored layer, so that the stated number of layers is wrong."""
        return set(self.lengths) == {self.layers}

    def headline(self) -> str:
        return self.blocks_key if self.lists_fit else ", ".join(self.keys)

    def rows(self) -> Rows:
        lists = [
            ("list", f"{count(length, 'number')} in {key}") for key, length in zip(self.keys, self.lengths, strict=True)
        ]
        stored = [("stored", count(self.layers, "layer"))] if self.lists_fit else []
        return [
            ("layers", f"{self.blocks} in {self.blocks_key}"),
            *lists,
            *stored,
            ("reference", "llama.cpp refuses it: key has wrong array length"),
        ]

    def remedy(self) -> Remedy:
        again = "convert the model again"
        return Remedy(f"{again}, or set {self.blocks_key} to {self.layers}" if self.lists_fit else again)

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"key {self.keys[0]} has wrong array length"


class GgufLayerKindsDisagree(ContentFinding, frozen=True, kw_only=True):
    """A list in a GGUF file says that layers are of another kind than their tensors.

    What it means
        In models that mix kinds of layers a number above 0 in `attention.head_count_kv` stands for attention, and one
        in `feed_forward_length` for an MLP or experts. Here layers with such a number lack these tensors, or layers
        with 0 have them.

    Why it matters
        llama.cpp looks for the tensors of the stated kind and refuses the file.

    Example
        error[N599] gguf-layer-kinds-disagree: nemotron_h.feed_forward_length
          stated   92, 0, 92, 0
          tensors  ffn_down.weight in layers 1, 3
          layers   4 of another kind: 0-3
          help     convert the model again

    What to do
        Convert the model again with llama.cpp's converter, which takes the kinds from the config.
    """

    code = "N599"

    key: str
    stated: tuple[int, ...]
    tensor: str
    having: str
    layers: str
    differing: int

    headline_text = "{key}"
    remedy_text = "convert the model again"

    def rows(self) -> Rows:
        shown = ", ".join(map(str, self.stated[:MOST_NUMBERS])) + (", ..." if len(self.stated) > MOST_NUMBERS else "")
        return [
            ("stated", shown),
            ("tensors", f"{self.tensor} in layers {self.having}" if self.having else f"no {self.tensor}"),
            ("layers", f"{self.differing} of another kind: {self.layers}"),
        ]

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"{self.key} states other kinds of layers than the tensors are"


class GgufArchitectureDisagrees(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file states another architecture than the one that its keys belong to.

    What it means
        `general.architecture` is absent or names an architecture of which the file has no key; its keys have the name
        of another architecture in front.

    Why it matters
        llama.cpp looks up every size under the stated name, such as `qwen2.block_count`, and refuses the file.

    Example
        error[N473] gguf-architecture-disagrees: general.architecture
          stated  qwen2
          keys    llama.block_count and 11 more
          help    set general.architecture to "llama", or convert the model again

    What to do
        Convert the model again, or correct the key.
    """

    code = "N473"

    stated: str | None
    named: str
    keys: int

    headline_text = "general.architecture"
    remedy_text = 'set general.architecture to "{named}", or convert the model again'

    def rows(self) -> Rows:
        more = f" and {self.keys - 1} more" if self.keys > 1 else ""
        return [("stated", self.stated or "nothing"), ("keys", f"{self.named}.block_count{more}")]
