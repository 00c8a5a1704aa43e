"""Checks the keys without which llama.cpp refuses a GGUF file, and the lists that need one number for each layer.

Source: llama.cpp of October 2026 (the build in xllamacpp 2026.10), measured on converted files without one key each,
which it refuses with "key not found in model" (`llama_cpp.json`), and on files with lists longer and shorter than the
number of layers: "has wrong array length".
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
"""Required keys that are checked elsewhere or may be absent: DeepSeek V2 Lite, which llama.cpp recognises by its number
of layers, has no rank of queries.
"""
HEADS: Final = "attention.head_count"
WIDTH: Final = "feed_forward_length"
"""A key that is 0 by default, so that no shape fits. Experts may have a separate width."""
WIDE: Final = "attention.value_length"
DENSE: Final = "leading_dense_block_count"
BY_HEAD: Final = ("attention.key_length_mla", "attention.value_length_mla")
"""Keys of files with the keys and values of latent attention by head."""
EXPERTS: Final = "expert_count"
USED: Final = "expert_used_count"
"""The number of experts that a token uses, which must be stated if there are experts."""
ROUTER: Final = ".ffn_gate_inp.weight"
"""The ending of the name of a tensor that only layers with experts have."""
TOKENIZER: Final = "tokenizer.ggml."
"""The beginning of the keys of a vocabulary."""
VOCABULARY: Final = f"{TOKENIZER}model"
"""The key that llama.cpp requests first if a file has no vocabulary. A file that lacks it and other keys that every
converter writes is only a listing, which is not meant to be loaded.
"""
ADAPTER: Final = "adapter"
"""The value of `general.type` for a LoRA, which has no vocabulary."""
LISTS: Final[Mapping[str, tuple[str, ...]]] = {
    "gpt2": ("tokens", "merges"), "llama": ("tokens",), "bert": ("tokens",), "t5": ("tokens",), "none": (),
}  # fmt: skip
"""Kind of a vocabulary -> the lists that it consists of."""


def missing_keys(metadata: Config, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on keys without which llama.cpp refuses a model; none for a mere vocabulary or listing."""
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
"""The kind of vocabulary for which llama.cpp reads how texts are split."""


def pre_tokenizer(metadata: Config) -> Iterator[Finding]:
    """The finding on a way to split texts that llama.cpp does not know, or that is not stated."""
    stated, name = metadata.values.get(PRE), metadata.values.get("general.architecture")
    if metadata.values.get(VOCABULARY) != BYTE_PAIRS:
        return
    if stated is None and TOKENS in metadata.values and isinstance(name, str) and required_keys(name):
        from inspector.findings.types.gguf_pre_tokenizer import GgufPreTokenizerAbsent

        yield GgufPreTokenizerAbsent(place=Place(file=metadata.file, key=PRE))
    if not isinstance(stated, str):
        return
    if stated in pre_tokenizers():
        return
    from inspector.findings.types.gguf_pre_tokenizer import GgufPreTokenizerUnknown

    yield GgufPreTokenizerUnknown(place=Place(file=metadata.file, key=PRE), stated=stated, source=source())


TOKENS: Final = f"{TOKENIZER}tokens"
PER_TOKEN: Final = (f"{TOKENIZER}token_type", f"{TOKENIZER}scores")
"""Lists with one entry for each token; llama.cpp refuses shorter ones (`llama_vocab::impl::load`)."""


def short_lists(metadata: Config) -> Iterator[Finding]:
    """The findings on lists with fewer entries than tokens."""
    tokens = length_of(metadata.values.get(TOKENS))
    kind = metadata.values.get(VOCABULARY)
    for key in PER_TOKEN if tokens is not None and kind in LISTS and kind != "none" else ():
        entries = length_of(metadata.values.get(key))
        if entries is not None and tokens is not None and entries < tokens:
            from inspector.findings.types.gguf_lists import GgufTokenListShort

            yield GgufTokenListShort(place=Place(file=metadata.file, key=key), key=key, entries=entries, tokens=tokens)


PER_LAYER: Final = (
    "attention.head_count", "attention.head_count_kv", "feed_forward_length", "expert_feed_forward_length",
    "expert_used_count",
)  # fmt: skip
"""Keys with one number, or a list with one number for each of `block_count` layers. Other lists may have any length."""


DOWN: Final = ".ffn_down.weight"
LAYER: Final = re.compile(r"(?:enc\.)?blk\.(\d{1,9})\.")
"""The beginning of the tensor names of a layer."""


def list_lengths(metadata: Config, tensors: Mapping[str, Layout]) -> GgufListsDisagree | None:
    """The finding on lists whose length is not the number of layers."""
    values = metadata.values
    name = values.get("general.architecture")
    blocks = values.get(f"{name}.block_count")
    lengths = {f"{name}.{key}": length_of(values.get(f"{name}.{key}")) for key in PER_LAYER}
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
    """The key-values with one number for each layer: either the number of layers or the length of the lists is
    corrected.

    Missing entries are the width of the layer's tensors, or else the last number of the list.
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
    """Layer -> the width of its MLP."""
    return {
        int(layer[1]): layout.shape[-1]
        for name, layout in tensors.items()
        if name.endswith(DOWN) and layout.shape and (layer := LAYER.match(name))
    }


def length_of(value: object) -> int | None:
    """The length of a list; None for other values."""
    return len(value) if isinstance(value, list) else value.count if isinstance(value, ArrayOf) else None


LATENT: Final = ("key_length_mla", "kv_lora_rank")
"""Keys of latent attention, in which the width of values does not follow from that of keys."""


def _has_wide_heads(name: str, values: Mapping[str, object]) -> bool:
    """True if a head width is stated that is not the default; llama.cpp then uses it for the values too."""
    words = ("attention.key_length", "attention.head_count", "embedding_length")
    numbers = [found for word in words if type(found := values.get(f"{name}.{word}")) is int]
    if len(numbers) < len(words) or any(f"{name}.attention.{word}" in values for word in LATENT):
        return False
    length, heads, width = numbers
    return heads > 0 and length * heads != width


def _of_shapes(name: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Iterator[str]:
    """Missing keys without which llama.cpp computes shapes that the tensors do not have."""
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
    """The keys that a model of an architecture needs, in the order in which llama.cpp reads them."""
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
