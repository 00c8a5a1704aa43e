"""Finds missing keys of a GGUF file for which llama.cpp's default is not the size of the matrices.

Source: llama.cpp `llama_model_base::load_hparams` (by default the head width is the model's width divided by the number
of heads, each query head has its own key head, and the whole key is rotated) and the `load_arch_tensors` of its models;
measured with xllamacpp 2026.10, which was given files without one key each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.dialects.gguf_sizes import (
    NO_VALUES,
    OTHER_WIDTHS,
    OUTPUTS,
    ROTARY,
    SHARED,
    VALUE,
    Layers,
    Own,
    Shapes,
    layers_of,
    of_layer,
    plain_width,
    rotary_rows,
    shown,
    value_width,
)
from inspector.dialects.llama_cpp import sizes
from inspector.loader.layout import Layout

KEY: Final = "attention.key_length"
HEADS: Final = "attention.head_count"
KV_HEADS: Final = "attention.head_count_kv"
WINDOWS: Final = "attention.sliding_window_pattern"
LABELS: Final = "classifier.output_labels"
TYPES: Final = "tokenizer.ggml.token_type_count"
EXPERT_WIDTH: Final = "expert_feed_forward_length"
WIDE_HEADS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("gemma4", "mimo2", "plm"), "attn_q.weight"), "openelm": "attn_qkv.weight",
}  # fmt: skip
"""Architectures with a head width that no config key of transformers states -> the matrix that shows it."""
SHARED_AS_EXPERT: Final = frozenset({"exaone-moe"})
"""Architectures whose shared expert has the width of the other experts by default."""
STATES: Final = ("ssm.inner_size", "ssm.state_size")
"""Keys of architectures with other matrices under the names of attention."""
ALWAYS: Final[Mapping[str, tuple[str, ...]]] = {
    "apertus": ("xielu.alpha_n", "xielu.alpha_p", "xielu.beta", "xielu.eps"),
    "kimi-linear": (f"kimi-linear.{KV_HEADS}",),
    "nemotron_h_moe": ("nemotron_h_moe.feed_forward_length",),
    **dict.fromkeys(("bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v3"), (TYPES,)),
}
"""Architecture -> keys that all its files state: numbers of its activation, or the kinds of its layers."""
ONE_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "cohere2moe": ("attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon"),
}
"""Architecture -> keys; each of its files states at least one of them."""
NOTHING: Final[Mapping[str, Mapping[str, str]]] = {
    "cohere2moe": {"expert_shared_count": "ffn_down_shexp.weight"},
    "ernie4_5-moe": {SHARED: "ffn_down_shexp.weight"},
    "gemma4": {EXPERT_WIDTH: "ffn_down_exps.weight"},
    "granitemoe": {SHARED: "ffn_down_shexp.weight"},
    "smallthinker": {EXPERT_WIDTH: "ffn_down_exps.weight"},
}
"""Architecture -> key that is 0 by default -> the matrix that such a size contradicts."""


def undecided(name: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Iterator[str]:
    """The full names of absent keys whose default does not fit the tensors."""
    own = {key.removeprefix(f"{name}."): value for key, value in values.items() if key.startswith(f"{name}.")}
    layers = layers_of(tensors)
    yield from ALWAYS.get(name, ())
    if name in ONE_OF and not any(key in own for key in ONE_OF[name]):
        yield f"{name}.{ONE_OF[name][0]}"
    head = tensors.get("cls.output.weight")
    if head is not None and head.shape and head.shape[0] > 1:
        yield f"{name}.{LABELS}"
    for key, matrix in NOTHING.get(name, {}).items():
        if any(matrix in shapes for shapes in layers.values()):
            yield f"{name}.{key}"
    for key, (default, found) in _widths(name, own, layers).items():
        if key not in own and default is not None and found and default != found:
            yield f"{name}.{key}"
    if KV_HEADS not in own and not any(key in own for key in (*OTHER_WIDTHS, *STATES)) and _shares_keys(own, layers):
        yield f"{name}.{KV_HEADS}"


def _widths(name: str, own: Own, layers: Layers) -> Mapping[str, tuple[int | None, int]]:
    """Key -> (its default, the size that the matrices show); None or 0 if there is none."""
    plain, length = _plain(own), _length(own)
    found = {ROTARY: (length, shown("attn_kv_a_mqa.weight", layers, lambda shapes, _: rotary_rows(shapes))[1])}
    if any("attn_kv_b.weight" in shapes for shapes in layers.values()):
        if VALUE in sizes(name):
            found[VALUE] = plain, shown("attn_kv_b.weight", layers, lambda shapes, at: _latent(shapes, own, at))[1]
    elif name not in NO_VALUES and not any(other in own for other in OTHER_WIDTHS):
        output = next((one for one in OUTPUTS if any(one in shapes for shapes in layers.values())), OUTPUTS[0])
        found[VALUE] = plain, shown(output, layers, lambda shapes, at: value_width(shapes, own, at, output))[1]
    if name in WIDE_HEADS:
        matrix = WIDE_HEADS[name]
        found[KEY] = plain, shown(matrix, layers, lambda shapes, at: _key(shapes[matrix], own, at, matrix))[1]
    if name in SHARED_AS_EXPERT:
        one = own.get(EXPERT_WIDTH)
        wide = shown("ffn_down_shexp.weight", layers, lambda shapes, _: shapes["ffn_down_shexp.weight"][-1])[1]
        found[SHARED] = (one if type(one) is int else None), wide
    return found


def _plain(own: Own) -> int | None:
    """The default width of a head; 0 if the first layer has no heads."""
    heads = own.get(HEADS)
    return 0 if isinstance(heads, list) and heads and heads[0] == 0 else plain_width(own)


def _length(own: Own) -> int | None:
    """The width of a head, stated or by default."""
    stated = own.get(KEY, plain_width(own))
    return stated if type(stated) is int and stated > 0 else None


def _latent(shapes: Shapes, own: Own, layer: int) -> int | None:
    """The width of values that are computed from compressed ones, without the part of the keys that is not rotated."""
    heads, length, rotary = of_layer(own.get(HEADS), layer), _length(own), own.get(ROTARY)
    if not heads or length is None or type(rotary) is not int:
        return None
    rows, rest = divmod(shapes["attn_kv_b.weight"][0], heads)
    return 0 if rest else max(0, rows - (length - rotary))


def _key(shape: tuple[int, ...], own: Own, layer: int, matrix: str) -> int | None:
    """The width of a head by the rows of the queries, or of q, k and v; None for layers with a different head width."""
    windows, heads = own.get(WINDOWS), of_layer(own.get(HEADS), layer)
    if isinstance(windows, list) and layer < len(windows) and windows[layer]:
        return None
    if matrix == "attn_qkv.weight":
        heads += 2 * of_layer(own.get(KV_HEADS, own.get(HEADS)), layer)
    rows, rest = divmod(shape[0], heads) if heads else (0, 1)
    return 0 if rest else rows


def _shares_keys(own: Own, layers: Layers) -> bool:
    """True if a layer has fewer keys than queries, which llama.cpp expects only if the number is stated."""
    length = _length(own)
    for (_, number), shapes in layers.items():
        heads = of_layer(own.get(HEADS), number)
        if length is None or not heads:
            continue
        if "attn_k.weight" in shapes and 0 < shapes["attn_k.weight"][0] < heads * length:
            return True
        if "attn_qkv.weight" in shapes and heads * length < shapes["attn_qkv.weight"][0] < 3 * heads * length:
            return True
    return False
