"""The kinds of a model's layers, derived from the keys and tensors of each layer in a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.dialects.keys import Words

ATTENDING: Final = "(block_count[each.attention.head_count_kv] | layers.attention)"
"""Layers with key-value heads, by the metadata or else by the stored tensors."""
KINDS_OF_BLOCKS: Final = {"attention": "attention", "moe": "experts", "mamba": "states"}
"""Kind of a layer -> its part in `PARTS`. Layers without any of these are MLPs."""
MOST_LAYERS: Final = 10_000
"""More layers than any model has; a file may state four billion."""


def _layers(words: Words) -> range | None:
    """The numbers of the layers; None if their count is impossible."""
    layers = words.value("block_count")
    return range(layers) if type(layers) is int and layers <= MOST_LAYERS else None


def _by_attention(words: Words, attending: str, kinds: tuple[str, str]) -> list[str] | None:
    """The kind of each layer: the first kind for layers in the value of an expression, the second for all others."""
    layers, among = _layers(words), words.value(attending)
    return None if layers is None or among is None else [kinds[layer not in among] for layer in layers]


def short_conv_types(words: Words) -> list[str] | None:
    """LFM2's layers: those without key-value heads are short convolutions."""
    return _by_attention(words, ATTENDING, ("full_attention", "conv"))


def linear_types(words: Words) -> list[str] | None:
    """Qwen 3.5's layers: those without queries, keys and values have linear attention."""
    return _by_attention(words, "layers.attention", ("full_attention", "linear_attention"))


def indexer_types(words: Words) -> list[str] | None:
    """GLM-5's layers: those without an indexer share the indexer of another layer."""
    return _by_attention(words, "layers.indexer", ("full", "shared"))


def sparse_types(words: Words) -> list[str] | None:
    """Layers by their MLP: those without experts are dense."""
    return _by_attention(words, "layers.experts", ("sparse", "dense"))


def full_types(words: Words) -> list[str] | None:
    """Kimi Linear's layers: those without key-value heads have linear attention, although they have
    queries and keys.
    """
    return _by_attention(words, ATTENDING, ("full_attention", "linear_attention"))


def mixed_types(words: Words) -> list[str] | None:
    """Granite 4's layers: those without key-value heads are Mamba's."""
    return _by_attention(words, ATTENDING, ("attention", "mamba"))


def attending_layers(words: Words) -> list[int] | None:
    """Bamba's layers with key-value heads."""
    layers, among = _layers(words), words.value(ATTENDING)
    return None if layers is None or among is None else [layer for layer in layers if layer in among]


def block_types(words: Words) -> list[str] | None:
    """Nemotron-H's layers, each of a single kind."""
    layers = _layers(words)
    parts = {kind: words.value(f"layers.{part}") for kind, part in KINDS_OF_BLOCKS.items()}
    if layers is None:
        return None
    return [next((kind for kind, there in parts.items() if there and layer in there), "mlp") for layer in layers]


def block_configs(words: Words) -> list[dict[str, dict[str, object]]] | None:
    """The layers of a model from neural architecture search: query heads per key head, and the factor of the MLP's
    width.

    A layer without heads has no attention; a layer without key-value heads has a single matrix instead.
    """
    heads, groups = (words.value(f"each.attention.{name}") for name in ("head_count", "head_count_kv"))
    widths, size = words.value("each.feed_forward_length"), words.value("embedding_length")
    lists = [one for one in (heads, groups, widths) if isinstance(one, list) and all(type(n) is int for n in one)]
    if len(lists) < 3 or type(size) is not int or size < 1:
        return None
    return [
        {
            "attention": {"n_heads_in_group": own // kv if kv else None, "replace_with_linear": own > 0 and not kv},
            "ffn": {"ffn_mult": 3 * width / (2 * size) if width else None},
        }
        for own, kv, width in zip(*lists, strict=False)
    ]


def mlp_factors(words: Words) -> list[float] | None:
    """OpenELM's layers: the MLP's width divided by the stored model width, so that a wrong number is one difference."""
    widths, size = words.value("each.feed_forward_length"), words.value("rows.attn_output | embedding_length")
    if not isinstance(widths, list) or type(size) is not int or size < 1:
        return None
    return [width / size for width in widths if type(width) is int]


def _windows(words: Words) -> list[bool] | None:
    """Gemma 4's layers: True for each layer with a sliding window."""
    found = words.value("each.attention.sliding_window_pattern")
    return [bool(one) for one in found] if isinstance(found, list) else None


def window_types(words: Words) -> list[str] | None:
    windows = _windows(words)
    return None if windows is None else ["sliding_attention" if one else "full_attention" for one in windows]


def heads_of_windows(words: Words) -> object:
    """The key-value heads of layers with a sliding window: a separate number, or the number for all layers."""
    return _heads_where(words, True)


def heads_of_whole(words: Words) -> object:
    """The key-value heads of layers without a sliding window."""
    return _heads_where(words, False)


def queries_of_windows(words: Words) -> object:
    """The heads of layers with a sliding window."""
    return _heads_where(words, True, "attention.head_count")


def queries_of_whole(words: Words) -> object:
    """The heads of layers without a sliding window."""
    return _heads_where(words, False, "attention.head_count")


def _heads_where(words: Words, window: bool, key: str = "attention.head_count_kv") -> object:
    windows, heads = _windows(words), words.value(f"each.{key}")
    if windows is None or not isinstance(heads, list):
        return words.value(key)
    return next((number for number, one in zip(heads, windows, strict=False) if one == window), None)


def without_values(words: Words) -> bool | None:
    """True if layers without a window use keys as values: none of them has a value matrix."""
    windows, valued = _windows(words), words.value("layers.values")
    if windows is None or valued is None:
        return None
    return not any(not window and layer in valued for layer, window in enumerate(windows))


PARTS: Final[Mapping[str, tuple[tuple[str, ...], int]]] = {
    "attention": (("attn_q.", "attn_k.", "attn_v.", "attn_qkv.", "attn_output."), 2),
    "experts": (("ffn_gate_inp.", "ffn_down_exps."), 1),
    "correction": (("exp_probs_b.", "exp_probs_b"), 1),
    "states": (("ssm_in.", "ssm_out.", "ssm_conv1d."), 1),
    "values": (("attn_v.",), 1),
    "indexer": (("indexer.attn_q_b.", "indexer.attn_k.", "indexer.proj.", "indexer.k_norm."), 2),
    "more": (("nextn.",), 1),
    "relative": (("attn_rel_b.",), 1),
    "biases": (("attn_q.bias", "attn_k.bias", "attn_v.bias", "attn_qkv.bias"), 1),
}
"""Part of a layer -> beginnings of its tensor names, and the least number of them (a missing one changes nothing)."""
