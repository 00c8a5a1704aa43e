"""Compares sizes that a GGUF file states with its matrices, if no config key of transformers checks them.

Source: llama.cpp `llama_model::load_tensors`, which creates the matrices with these sizes and refuses others; which
architectures compute shapes from them is measured (`llama_cpp.json`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from inspector.dialects.gguf_config import names_key
from inspector.dialects.llama_cpp import required_keys, sizes
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout

Own = Mapping[str, object]
Shapes = Mapping[str, tuple[int, ...]]
"""The name of a tensor in a layer, such as `attn_v.weight` -> its shape."""

VALUE: Final = "attention.value_length"
ROTARY: Final = "rope.dimension_count"
KEY_LENGTH: Final = "attention.key_length"
HEADS: Final = "attention.head_count"
KEY_HEADS: Final = "attention.head_count_kv"
KEYS: Final = "attn_k.weight"
JOINED: Final = "attn_qkv.weight"
DENSE: Final = "leading_dense_block_count"
SHARED: Final = "expert_shared_feed_forward_length"
"""A key with a default, so that files load without it."""
MAY_BE_NONE: Final = frozenset({SHARED, ROTARY})
"""Keys whose default applies if they are 0."""
COLUMNS: Final[Mapping[str, str]] = {
    "feed_forward_length": "ffn_down.weight", SHARED: "ffn_down_shexp.weight",
    "ssm.inner_size": "ssm_out.weight",
}  # fmt: skip
"""Key -> the matrix of a layer with this number of columns."""
TOKEN_TYPES: Final = "tokenizer.ggml.token_type_count"
TYPES_TABLE: Final = "token_types.weight"
"""The table with one row for each token type."""
OUTPUTS: Final = ("attn_output.weight", "attn_o.weight")
"""The output matrix of attention; the second name is T5's."""
NO_VALUES: Final = frozenset({"bailingmoe", "gpt-oss", "openelm", "seed_oss"})
"""Architectures that load with any width of values, since they compute the shapes with the width of keys."""
INTERVAL: Final = "full_attention_interval"
OTHER_WIDTHS: Final = ("attention.kv_lora_rank", "attention.key_length_swa", "attention.value_length_swa")
"""Keys of architectures in which the values of some layers have another width."""
SHARED_AS_STATED: Final = "granitemoe"
"""The architecture that takes a stated 0 of shared experts for none, where others have a default."""
SHARED_COUNT: Final = "expert_shared_count"
EXPERTS_DOWN: Final = "ffn_down_exps.weight"
ROUTER: Final = "ffn_gate_inp.weight"
STEP: Final = "interleave_moe_layer_step"
EACH_LAYER: Final = "embedding_length_per_layer_input"
EACH_INPUT: Final = "inp_gate.weight"
"""The matrix with a row for each number of the embedding that every layer has."""
FREQUENCIES: Final = "rope_freqs.weight"
ROTATED_BY_TABLE: Final = frozenset({"apertus"})
"""Architectures with one factor of a frequency for each pair of rotated rows (measured; Gemma 4 reads any number)."""
ROTATED_WITH_FACTORS: Final = frozenset({
    "arcee", "deci", "exaone4", "falcon-h1", "granite", "granitehybrid", "granitemoe", "llada", "llama", "llama4",
    "minicpm", "mistral3", "pangu-embedded", "refact",
})  # fmt: skip
"""Architectures that read factors of frequencies, one for each pair of rotated rows (measured with xllamacpp 2026.10
by a tensor of another width).
"""
LAYER: Final = re.compile(r"(blk|enc\.blk|dec\.blk)\.(\d{1,9})\.(.+)")
WHOLE_HEADS: Final = frozenset({"llama", "deci", "falcon", "llama-embed"})
"""Architectures for which llama.cpp refuses partly rotated keys (`load_hparams`: "invalid n_rot")."""


def size_findings(metadata: Config, model_type: object, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The findings on sizes that no matrix has."""
    name = metadata.values.get("general.architecture")
    start = f"{name}."
    own = {key.removeprefix(start): value for key, value in metadata.values.items() if key.startswith(start)}
    layers = layers_of(tensors)
    zeros = _zeros(name, own, layers)
    checks = {**_checks(name, model_type, own, layers), **_of_kinds_of_layers(name, model_type, layers), **zeros}
    for key, (matrix, width, count) in checks.items():
        stated = own.get(key)
        least = 1 if key in MAY_BE_NONE and key not in zeros else 0
        if type(stated) is int and stated >= least and width and width != stated:
            yield _differs(metadata, start + key, stated, width, count, f"blk.{{layer}}.{matrix}")
    for key, table, width in _around_layers(name, tensors):
        stated = metadata.values.get(key)
        if type(stated) is int and width != stated:
            yield _differs(metadata, key, stated, width, 1, table)
    own |= {HEADS: checks[HEADS][1]} if checks.get(HEADS, ("", 0))[1] else {}
    rotary, length = own.get(ROTARY), own.get(KEY_LENGTH, plain_width(own))
    if name in WHOLE_HEADS and type(rotary) is int and type(length) is int and rotary != length:
        from inspector.findings.types.gguf_heads import GgufRotaryWidth

        yield GgufRotaryWidth(
            place=Place(file=metadata.file, key=start + ROTARY), key=start + ROTARY, stated=rotary, length=length
        )


def rotary_factors(metadata: Config, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on a number of rotary factors that is not that of the rotated pairs."""
    name, factors = metadata.values.get("general.architecture"), tensors.get(FREQUENCIES)
    start = f"{name}."
    own = {key.removeprefix(start): value for key, value in metadata.values.items() if key.startswith(start)}
    stated = next((key for key in (ROTARY, KEY_LENGTH) if key in own), "")
    rotated = own[stated] if stated else plain_width(own)
    if name not in ROTATED_WITH_FACTORS or factors is None or type(rotated) is not int:
        return
    if factors.shape != (rotated // 2,):
        from inspector.findings.types.gguf_lists import GgufFactorsDiffer

        yield GgufFactorsDiffer(
            place=Place(file=metadata.file, tensor=FREQUENCIES),
            key=f"{start}{stated or 'embedding_length'}",
            rotated=rotated,
            stored=factors.elements,
        )


def _differs(metadata: Config, key: str, stated: int, width: int, count: int, family: str) -> Finding:
    from inspector.findings.types.gguf_heads import GgufSizeDisagrees

    place = Place(file=metadata.file, key=key)
    return GgufSizeDisagrees(place=place, key=key, stated=stated, shown=width, tensors=count, family=family)


def _around_layers(name: object, tensors: Mapping[str, Layout]) -> Iterator[tuple[str, str, int]]:
    """(key, tensor, the size that it shows) for tensors that are in no layer."""
    types, factors = tensors.get(TYPES_TABLE), tensors.get(FREQUENCIES)
    if types is not None and len(types.shape) == 2:
        yield TOKEN_TYPES, TYPES_TABLE, types.shape[0]
    if name in ROTATED_BY_TABLE and factors is not None and len(factors.shape) == 1:
        yield f"{name}.{ROTARY}", FREQUENCIES, 2 * factors.shape[0]


def with_sizes(values: Own, findings: list[Finding]) -> Own:
    """The key-values with the sizes that the matrices show."""
    from inspector.findings.types.gguf_heads import GgufSizeDisagrees

    return {**values, **{one.key: one.shown for one in findings if isinstance(one, GgufSizeDisagrees)}}


Shown = tuple[str, int, int]
"""(a matrix, the size that the matrices of all layers show or 0 if they disagree, number of these matrices)."""
Layers = Mapping[tuple[str, int], Shapes]


def _checks(name: object, model_type: object, own: Own, layers: Layers) -> dict[str, Shown]:
    """Key -> the size that the matrices show, for keys that determine shapes of an architecture."""
    found = {ROTARY: shown("attn_kv_a_mqa.weight", layers, lambda shapes, _: rotary_rows(shapes))}
    if name not in NO_VALUES and not _is_read(model_type, VALUE) and not any(other in own for other in OTHER_WIDTHS):
        output = next((one for one in OUTPUTS if any(one in shapes for shapes in layers.values())), OUTPUTS[0])
        found[VALUE] = shown(output, layers, lambda shapes, number: value_width(shapes, own, number, output))
    if name in WHOLE_HEADS and KEY_LENGTH not in own:
        found[HEADS] = _heads(own, layers)
    for key, matrix in COLUMNS.items():
        decides = key in sizes(name) or key in required_keys(name) or key == SHARED
        if decides and not _is_read(model_type, key):
            found[key] = shown(matrix, layers, lambda shapes, _, matrix=matrix: shapes[matrix][-1])  # type: ignore[misc]
    return found


def _heads(own: Own, layers: Layers) -> Shown:
    """The number of heads whose width is the rotary one, if the rows of the keys have that width too; else 0."""
    width, rotary, keys = (own.get(key) for key in ("embedding_length", ROTARY, KEY_HEADS))
    matrix = JOINED if any(JOINED in shapes for shapes in layers.values()) else KEYS
    if type(width) is not int or type(rotary) is not int or rotary < 1 or width % rotary:
        return matrix, 0, 0
    heads = width // rotary
    number = heads if keys is None else keys if type(keys) is int else 0
    rows = number * rotary if matrix == KEYS else (heads + 2 * number) * rotary
    return shown(matrix, layers, lambda shapes, _: heads if shapes[matrix][0] == rows else 0)


def shown(matrix: str, layers: Layers, width: Callable[[Shapes, int], int | None]) -> Shown:
    """The width of the matrices of all layers. width: of one layer, 0 if it is not whole, None if the
    layer shows none.
    """
    found = [width(shapes, number) for (_, number), shapes in sorted(layers.items()) if matrix in shapes]
    widths = {one for one in found if one is not None}
    return matrix, widths.pop() if len(widths) == 1 else 0, len(found)


def _of_kinds_of_layers(name: object, model_type: object, layers: Layers) -> dict[str, Shown]:
    """Sizes that the kinds of layers show: how many first layers are dense, and which layers attend to all tokens."""
    numbers = sorted(number for start, number in layers if start == "blk")
    sparse = [one for one in numbers if "ffn_gate_inp.weight" in layers["blk", one]]
    attending = [one for one in numbers if "attn_k.weight" in layers["blk", one]]
    found: dict[str, Shown] = {}
    if (
        DENSE in sizes(name) | required_keys(name)
        and not _is_read(model_type, DENSE)
        and sparse == numbers[len(numbers) - len(sparse) :]
    ):
        found[DENSE] = "ffn_gate_inp.weight", len(numbers) - len(sparse), len(sparse)
    interval = attending[0] + 1 if attending else 0
    if interval and attending == [one for one in numbers if not (one + 1) % interval]:
        found[INTERVAL] = "attn_k.weight", interval, len(attending)
    return found


def _zeros(name: object, own: Own, layers: Layers) -> dict[str, Shown]:
    """Keys stated as 0, for which llama.cpp expects no matrices -> the size that the stored ones show."""
    found: dict[str, Shown] = {}
    if name == SHARED_AS_STATED:
        found[SHARED] = shown(COLUMNS[SHARED], layers, lambda shapes, _: shapes[COLUMNS[SHARED]][-1])
    found[EACH_LAYER] = shown(EACH_INPUT, layers, lambda shapes, _: shapes[EACH_INPUT][0])
    matrix, experts, number = shown(COLUMNS[SHARED], layers, lambda shapes, _: shapes[COLUMNS[SHARED]][-1])
    _, width, _ = shown(EXPERTS_DOWN, layers, lambda shapes, _: shapes[EXPERTS_DOWN][-1])
    if width and not experts % width:
        found[SHARED_COUNT] = matrix, experts // width, number
    routed = sorted(number for (start, number), shapes in layers.items() if start == "blk" and ROUTER in shapes)
    step = routed[0] + 1 if routed else 0
    if step and routed == [one for start, one in sorted(layers) if start == "blk" and not (one + 1) % step]:
        found[STEP] = ROUTER, step, len(routed)
    return {key: one for key, one in found.items() if own.get(key) == 0}


def _is_read(model_type: object, key: str) -> bool:
    return isinstance(model_type, str) and names_key(model_type, key)


def rotary_rows(shapes: Shapes) -> int | None:
    """The rotary rows of the keys of latent attention: those after the compressed rows, which have a norm."""
    norm = shapes.get("attn_kv_a_norm.weight")
    return None if norm is None else max(0, shapes["attn_kv_a_mqa.weight"][0] - norm[-1])


def value_width(shapes: Shapes, own: Own, number: int, output: str) -> int | None:
    """The width of the values of a head, by the columns of the output and the rows of the values."""
    heads, keys = (of_layer(own.get(f"attention.{key}"), number) for key in ("head_count", "head_count_kv"))
    keys = keys or heads
    length = own.get("attention.key_length", plain_width(own))
    if not heads or not keys or type(length) is not int:
        return 0
    by_output, rest = divmod(shapes[output][-1], heads)
    if "attn_qkv.weight" in shapes:
        rows = shapes["attn_qkv.weight"][0] - (heads + keys) * length
    elif "attn_v.weight" in shapes:
        rows = shapes["attn_v.weight"][0]
    else:
        return None
    return by_output if not rest and rows == keys * by_output else 0


def plain_width(own: Own) -> int | None:
    """The default width of a head, by the heads of the first layer."""
    width, heads = own.get("embedding_length"), of_layer(own.get("attention.head_count"), 0)
    return width // heads if type(width) is int and heads else None


def of_layer(stated: object, layer: int) -> int:
    """The number for a layer; 0 if unknown."""
    found = stated[layer] if isinstance(stated, list) and layer < len(stated) else stated
    return found if type(found) is int and found > 0 else 0


def layers_of(tensors: Mapping[str, Layout]) -> dict[tuple[str, int], dict[str, tuple[int, ...]]]:
    """The shapes of the matrices and norms of each layer, by the prefix of its names and its number."""
    found: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {}
    for name, layout in tensors.items():
        if layout.shape and (layer := LAYER.fullmatch(name)):
            found.setdefault((layer[1], int(layer[2])), {})[layer[3]] = layout.shape
    return found
