"""The keys of a GGUF file without which llama.cpp refuses it, and the lists that must have one number for each layer.

Source: llama.cpp of October 2026 (the build in xllamacpp 2026.10), which was given files of its converter without one
key each; it ends with "key not found in model" (`llama_cpp.json`). Each file was also given lists that are longer and
shorter than its layers: "has wrong array length".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from inspector.dialects.gguf_defaults import undecided
from inspector.dialects.gguf_layers import MOST_LAYERS
from inspector.dialects.llama_cpp import is_required, pre_tokenizers, required_keys, sizes, source
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.formats.gguf_values import ArrayOf
from inspector.loader.layout import Layout

if TYPE_CHECKING:
    from inspector.findings.types.gguf_heads import GgufListsDisagree

ALWAYS: Final = "context_length"
SHOWN: Final = frozenset({ALWAYS, "attention.q_lora_rank"})
"""Required keys that come first or may be absent. DeepSeek V2 Lite has no rank of queries: llama.cpp knows it by its
number of layers."""
HEADS: Final = "attention.head_count"
WIDTH: Final = "feed_forward_length"
"""Keys that are 0 where they are absent, so that no shape fits; experts may have a width of their own."""
WIDE: Final = "attention.value_length"
DENSE: Final = "leading_dense_block_count"
BY_HEAD: Final = ("attention.key_length_mla", "attention.value_length_mla")
"""Keys of files with the keys and values of latent attention by head."""
EXPERTS: Final = "expert_count"
USED: Final = "expert_used_count"
"""Where there are experts, how many of them a token uses must be stated."""
ROUTER: Final = ".ffn_gate_inp.weight"
"""The end of the name of a tensor that only layers with experts have."""
TOKENIZER: Final = "tokenizer.ggml."
"""The beginning of the keys of a vocabulary."""
VOCABULARY: Final = f"{TOKENIZER}model"
"""The key that llama.cpp asks for where a file has none of them. A file that lacks it and other keys that every
converter writes is a listing, which no program is to run."""
ADAPTER: Final = "adapter"
"""What `general.type` states of a LoRA, which has no vocabulary."""
LISTS: Final[Mapping[str, tuple[str, ...]]] = {
    "gpt2": ("tokens", "merges"), "llama": ("tokens",), "bert": ("tokens",), "t5": ("tokens",), "none": (),
}  # fmt: skip
"""The kind of a vocabulary -> the lists that it consists of."""


def missing_keys(metadata: Config, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on keys without which llama.cpp refuses a model; nothing for a vocabulary alone or a listing."""
    values = metadata.values
    name = values.get("general.architecture")
    if not isinstance(name, str) or not tensors or values.get("general.type") == ADAPTER:
        return
    absent = [key for key in _needed(name, values, tensors) if key not in values]
    if not absent or not required_keys(name):
        return
    if absent != [VOCABULARY] and not any(key.startswith(TOKENIZER) for key in values):
        return
    from inspector.findings.types.gguf_heads import GgufKeysMissing

    asked = any(is_required(key) or not key.startswith(f"{name}.") for key in absent)
    yield GgufKeysMissing(place=Place(file=metadata.file), keys=tuple(absent), unfit=not asked)


PRE: Final = "tokenizer.ggml.pre"
BYTE_PAIRS: Final = "gpt2"
"""The kind of vocabulary of which llama.cpp reads how texts are split."""


def pre_tokenizer(metadata: Config) -> Iterator[Finding]:
    """The finding on a way to split texts that llama.cpp does not know."""
    stated = metadata.values.get(PRE)
    if metadata.values.get(VOCABULARY) != BYTE_PAIRS or not isinstance(stated, str):
        return
    if stated in pre_tokenizers():
        return
    from inspector.findings.types.gguf_heads import GgufPreTokenizerUnknown

    yield GgufPreTokenizerUnknown(place=Place(file=metadata.file, key=PRE), stated=stated, source=source())


PER_LAYER: Final = (
    "attention.head_count", "attention.head_count_kv", "feed_forward_length", "expert_feed_forward_length",
    "expert_used_count",
)  # fmt: skip
"""Keys with a number, or a list with one for each layer that `block_count` states. Other lists may have any length."""


DOWN: Final = ".ffn_down.weight"
LAYER: Final = re.compile(r"(?:enc\.)?blk\.(\d{1,9})\.")
"""The name of the matrix whose columns are the MLP's width, and the beginning of the names of a layer's tensors."""


def list_lengths(metadata: Config, tensors: Mapping[str, Layout]) -> GgufListsDisagree | None:
    """The finding on lists with another number of entries than there are layers."""
    values = metadata.values
    name = values.get("general.architecture")
    blocks = values.get(f"{name}.block_count")
    lengths = {f"{name}.{key}": _length(values.get(f"{name}.{key}")) for key in PER_LAYER}
    wrong = {key: length for key, length in lengths.items() if length is not None and length != blocks}
    if type(blocks) is not int or not wrong:
        return None
    from inspector.findings.types.gguf_heads import GgufListsDisagree

    layers = [int(found[1]) for key in tensors if (found := LAYER.match(key))]
    return GgufListsDisagree(
        place=Place(file=metadata.file),
        keys=tuple(wrong),
        lengths=tuple(wrong.values()),
        blocks_key=f"{name}.block_count",
        blocks=blocks,
        layers=max(layers, default=-1) + 1,
    )


def with_lengths(
    values: Mapping[str, object], lists: GgufListsDisagree, tensors: Mapping[str, Layout]
) -> dict[str, object]:
    """The key-values with one number for each layer: as many layers as the lists have, or lists of that length.

    What a list lacks is the width that the tensors of the layer have, or else its last number.
    """
    if lists.lists_fit:
        return {**values, lists.blocks_key: lists.layers}
    made = dict(values)
    for key in lists.keys:
        found = values[key]
        if isinstance(found, list) and found and lists.blocks <= MOST_LAYERS:
            widths = _widths(tensors) if key.endswith(".feed_forward_length") else {}
            more = [widths.get(layer, found[-1]) for layer in range(len(found), lists.blocks)]
            made[key] = [*found[: lists.blocks], *more]
    return made


def _widths(tensors: Mapping[str, Layout]) -> dict[int, int]:
    """The width of the MLP of each layer."""
    return {
        int(layer[1]): layout.shape[-1]
        for name, layout in tensors.items()
        if name.endswith(DOWN) and layout.shape and (layer := LAYER.match(name))
    }


def _length(value: object) -> int | None:
    """The entries of a list; None of what is none."""
    return len(value) if isinstance(value, list) else value.count if isinstance(value, ArrayOf) else None


LATENT: Final = ("key_length_mla", "kv_lora_rank")
"""Keys of latent attention, whose values have a width that does not follow from that of the keys."""


def _has_wide_heads(name: str, values: Mapping[str, object]) -> bool:
    """True if the keys have a stated width that is not the default, which llama.cpp then takes for the values."""
    words = ("attention.key_length", "attention.head_count", "embedding_length")
    numbers = [found for word in words if type(found := values.get(f"{name}.{word}")) is int]
    if len(numbers) < len(words) or any(f"{name}.attention.{word}" in values for word in LATENT):
        return False
    length, heads, width = numbers
    return heads > 0 and length * heads != width


def _of_shapes(name: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Iterator[str]:
    """The keys without which llama.cpp computes other shapes than those of the tensors."""
    shown = sizes(name)
    dense = "blk.0.ffn_down.weight" in tensors
    experts = values.get(f"{name}.{EXPERTS}")
    wanted = {
        HEADS: True,
        WIDTH: dense or f"{name}.expert_{WIDTH}" not in values,
        EXPERTS: f"{name}.{USED}" in values or any(key.endswith(ROUTER) for key in tensors),
        WIDE: _has_wide_heads(name, values),
        DENSE: dense and type(experts) is int and experts > 0,
        **dict.fromkeys(BY_HEAD, "blk.0.attn_k_b.weight" in tensors),
    }
    yield from (key for key, there in wanted.items() if there and key in shown)


def _needed(name: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Iterator[str]:
    """The keys that a model of an architecture needs, in the order in which llama.cpp asks for them."""
    own = [ALWAYS, *sorted(required_keys(name) - SHOWN), *_of_shapes(name, values, tensors)]
    experts = values.get(f"{name}.{EXPERTS}")
    if (type(experts) is int and experts > 0) or (experts is None and EXPERTS in own):
        own.append(USED)
    whole = [f"{name}.{key}" for key in own]
    yield from whole
    yield from (key for key in undecided(name, values, tensors) if key not in whole)
    yield VOCABULARY
    kind = values.get(VOCABULARY)
    yield from (f"{TOKENIZER}{one}" for one in LISTS.get(kind if isinstance(kind, str) else "", ()))
