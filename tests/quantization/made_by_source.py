"""Listings of formats whose writers need a GPU, with the shapes from the sources of these tools.

GPTQModel 6 (`qlinear`, planar layouts, fp8 rows, QQQ), vLLM's Marlin checkpoints, AutoAWQ's `linear/marlin.py`,
fp_quant 0.3, torchao 0.18 (`quantize_/workflows`, `prototype/mx_formats`), amd-quark 0.13 (`utils/pack.py`),
compressed-tensors 0.19 (`transform`, `quantization/lifecycle`), vptq 0.0.5 (`layers/vqlinear.py`), SpQR's config.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.quantization.made_by_formula import (
    LLAMA,
    SCALAR,
    Simple,
    Tensors,
    Writer,
    count,
    ct,
    floats,
    gptq,
    gptq_config,
    integers,
    linears,
    quark,
    scaled,
    simple,
    spqr,
    up,
    words,
)

WIDE: dict[str, Any] = {**LLAMA, "hidden_size": 512, "intermediate_size": 1408, "num_attention_heads": 8}
"""Widths that tiles of 64 outputs divide."""


def marlin(values: str, scales: str, group: int, tile: int = 16) -> Writer:
    """Four bits in tiles of 16 inputs, or 32 where half of them are zero."""

    def write(outputs: int, inputs: int) -> Tensors:
        found: Tensors = {
            values: ("I32", [inputs // tile, 2 * outputs]),
            scales: ("F16", [1 if group < 0 else inputs // group, outputs]),
        }
        return found | {"meta": ("I16", [inputs // 32, 2 * outputs])} if tile == 32 else found

    return write


def qqq(group: int) -> Writer:
    """Marlin's tiles with a scale per output, and an empty tensor where there are no groups."""
    return lambda outputs, inputs: {
        "B": ("I32", [inputs // 16, 2 * outputs]), "s_channel": ("F32", [1, outputs]),
        "s_group": ("F16", [0] if group < 0 else [inputs // group, outputs]),
    }  # fmt: skip


def fp_quant(size: int, *, floats_only: bool = False) -> Writer:
    one: tuple[str, list[int]] = ("BF16", [1])
    rotations: Tensors = {f"{way}_hadamard_matrix": ("BF16", [size, size]) for way in ("forward", "backward")}
    more: Tensors = {"weight_global_scale": one, "act_global_scale": one, **rotations}
    if floats_only:
        return lambda outputs, inputs: {"dqweight": ("BF16", [outputs, inputs]), **more}
    return lambda outputs, inputs: {
        "qweight": ("U8", [outputs, inputs // 2]), "scales": ("U8", [outputs, inputs // size]), **more
    }  # fmt: skip


def tiles(group: int) -> Writer:
    """Inputs padded to 1024, in tiles of 8 outputs and 128 inputs."""

    def write(outputs: int, inputs: int) -> Tensors:
        padded = 1024 * up(inputs, 1024)
        return {"_weight_qdata": ("I32", [up(outputs, 8), padded // 128, 32, 4]),
                "_weight_scale_and_zero": ("BF16", [padded // group, outputs, 2])}  # fmt: skip

    return write


def int4(dtype: str, group: int) -> Writer:
    each = 8 if dtype == "I32" else 2

    def write(outputs: int, inputs: int) -> Tensors:
        scale: tuple[str, list[int]] = ("BF16", [inputs // group, outputs])
        return {"_weight_qdata": (dtype, [outputs, inputs // each]), "_weight_scale": scale,
                "_weight_zero_point": scale}  # fmt: skip

    return write


def fp4(outputs: int, inputs: int) -> Tensors:
    return {"_weight_qdata": ("U8", [outputs, inputs // 2]), "_weight_scale": ("F8_E4M3", [outputs, inputs // 16]),
            "_weight_per_tensor_scale": SCALAR}  # fmt: skip


def mx8(outputs: int, inputs: int) -> Tensors:
    return {"_weight_qdata": ("F8_E4M3", [outputs, inputs]), "_weight_scale": ("F8_E8M0", [outputs, inputs // 32])}


def quark_rows(outputs: int, inputs: int) -> Tensors:
    return {"weight": ("I32", [outputs, inputs // 8]), "weight_scale": ("BF16", [outputs])}


def torchao_config(name: str, **data: Any) -> dict[str, Any]:
    return {"quant_method": "torchao", "quant_type": {"default": {"_type": name, "_data": data}}}


FROM_SOURCE: dict[str, Simple] = {
    **{f"gptq-{bits}-planar": (LLAMA, gptq(bits, 128), gptq_config(bits, 128, checkpoint_format="gptq_p"))
       for bits in (5, 6, 7)},
    "gptq-fp8-rows": (
        LLAMA, scaled("F8_E4M3", lambda o, i: ("F32", [o]), suffix="weight_scale_inv"),
        {"quant_method": "fp8", "weight_scale_method": "row", "checkpoint_format": "fp8"},
    ),
    "gptq-marlin": (WIDE, marlin("B", "s", 128), gptq_config(4, 128, is_marlin_format=True)),
    "gptq-qqq": (WIDE, qqq(128), {"quant_method": "qqq", "bits": 4, "group_size": 128}),
    "gptq-qqq-rows": (WIDE, qqq(-1), {"quant_method": "qqq", "bits": 4, "group_size": -1}),
    "awq-marlin": (WIDE, marlin("qweight", "scales", 128), {
        "quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": False, "version": "marlin"}),
    "ct-marlin-24": (WIDE, marlin("weight_packed", "scale_packed", 128, 32), ct(integers(4, 128), "marlin-24")),
    "fpquant-mx": (LLAMA, fp_quant(32), {"quant_method": "fp_quant", "forward_dtype": "mxfp4"}),
    "fpquant-nv": (LLAMA, fp_quant(16), {"quant_method": "fp_quant", "forward_dtype": "nvfp4"}),
    "fpquant-pseudo": (LLAMA, fp_quant(32, floats_only=True), {
        "quant_method": "fp_quant", "forward_dtype": "mxfp4", "pseudoquantization": True}),
    "torchao-tiles": (WIDE, tiles(128), torchao_config("Int4WeightOnlyConfig", group_size=128)),
    "torchao-int4": (LLAMA, int4("I8", 128), torchao_config("Int4WeightOnlyConfig", group_size=128)),
    "torchao-int4-words": (LLAMA, int4("I32", 128), torchao_config("Int4WeightOnlyConfig", group_size=128)),
    "torchao-nvfp4": (LLAMA, fp4, torchao_config("NVFP4WeightOnlyConfig")),
    "torchao-mxfp8": (LLAMA, mx8, torchao_config("MXDynamicActivationMXWeightConfig")),
    "quark-int4-rows": (LLAMA, quark_rows, quark("int4", None, "per_channel")),
    "quark-fp6": (
        LLAMA, lambda o, i: {"weight": ("U8", [o, i * 3 // 4]), "weight_scale": ("U8", [o, i // 32])},
        quark("fp6_e3m2", 32, "per_group"),
    ),
    "ct-attention": (
        LLAMA, scaled("F8_E4M3", lambda o, i: ("BF16", [o, 1])),
        {**ct(floats(8, "channel"), "float-quantized"), "config_groups": {
            "group_0": {"targets": ["Linear"], "weights": floats(8, "channel"), "format": "float-quantized"},
            "group_1": {"targets": ["LlamaAttention"], "input_activations": {"dynamic": False, "num_bits": 8}}}},
    ),
}  # fmt: skip


def rotated() -> tuple[dict[str, Any], Tensors]:
    """compressed-tensors with rotated inputs of each down projection; the rotation of its weight is merged."""
    settings = ct(integers(4, 128), "pack-quantized")
    places = [{"targets": ["re:.*down_proj$"], "location": location} for location in ("input", "weight_input")]
    settings["transform_config"] = {"config_groups": {"R4": {"type": "hadamard", "apply": places}}}
    config, tensors = simple(LLAMA, words(4, 128), settings)
    for module, _, inputs in linears(LLAMA):
        if module.endswith("down_proj"):
            tensors[f"{module}.R4_input.weight"] = ("F32", [inputs, inputs])
    return config, tensors


def scales_of_heads() -> tuple[dict[str, Any], Tensors]:
    """compressed-tensors with a KV-cache scale per head."""
    cache = {"num_bits": 8, "type": "float", "strategy": "attn_head", "dynamic": False, "symmetric": True}
    settings = {**ct(floats(8, "channel"), "float-quantized"), "kv_cache_scheme": cache}
    config, tensors = simple(LLAMA, scaled("F8_E4M3", lambda o, i: ("BF16", [o, 1])), settings)
    for layer in range(LLAMA["num_hidden_layers"]):
        for name in ("k_scale", "v_scale"):
            tensors[f"model.layers.{layer}.self_attn.{name}"] = ("BF16", [LLAMA["num_key_value_heads"], 1, 1])
    return config, tensors


def vptq_stated(length: int, size: int, residuals: int, *, packed: bool, outliers: int = 0) -> Any:
    """VPTQ with the sizes of every module in the config. outliers: inputs in a codebook of 4096 vectors of 4."""
    entries: dict[str, Any] = {}
    both = size.bit_length() - 1 + (residuals.bit_length() - 1 if residuals > 0 else 0)

    def write(outputs: int, inputs: int) -> Tensors:
        left, rows = inputs - outliers, up(outputs, length)
        found: Tensors = {
            "indices": ("I32", [1, rows, up(left * both, 32)]) if packed else ("I16", [1, rows, left]),
            "centroids.weight": ("BF16", [1, size * length]), "perm": ("I16" if packed else "I64", [inputs]),
            "weight_scale": ("BF16", [inputs]), "weight_bias": ("BF16", [inputs]),
        }  # fmt: skip
        if residuals > 0:
            found["res_centroids.weight"] = ("BF16", [1, residuals * length])
            found |= {} if packed else {"res_indices": ("I16", [1, rows, left])}
        if outliers:
            found["outlier_centroids.weight"] = ("BF16", [1, 4096 * 4])
            found["outlier_indices"] = ("I16", [1, up(outputs, 4), outliers])
        return found

    for module, outputs, inputs in linears(LLAMA):
        entries[module] = {
            "in_features": inputs, "out_features": outputs, "group_num": 1, "group_size": inputs - outliers,
            "vector_lens": [4 if outliers else -1, length], "num_centroids": [4096 if outliers else -1, size],
            "num_res_centroids": [-1, residuals], "outlier_size": outliers, "is_indice_packed": packed,
            "indices_as_float": False, "enable_norm": True, "enable_perm": True,
        }  # fmt: skip
    return simple(LLAMA, write, {"quant_method": "vptq", "config_for_layers": entries})


def spqr_stated() -> tuple[dict[str, Any], Tensors]:
    """SpQR with the lengths of the tensors in the config."""
    config, tensors = simple(LLAMA, spqr, {"quant_method": "spqr", "bits": 3, "beta1": 16, "beta2": 16})
    ends = ("dense_weights", "row_offsets", "col_vals", "in_perm")
    config["quantization_config"]["shapes"] = {
        f"{name}.shape": shape[0] for name, (_, shape) in tensors.items() if name.endswith(ends)
    }
    return config, tensors


def from_source() -> Iterator[tuple[str, dict[str, Any], Tensors, int]]:
    """(name, config, tensors, parameters of the model)."""
    for name, (config, writer, settings) in FROM_SOURCE.items():
        yield name, *simple(config, writer, settings), count(config)
    yield "ct-rotated", *rotated(), count(LLAMA)
    yield "ct-scales-of-heads", *scales_of_heads(), count(LLAMA)
    yield "vptq-stated", *vptq_stated(8, 65536, 256, packed=True), count(LLAMA)
    yield "vptq-stated-unpacked", *vptq_stated(8, 4096, 4096, packed=False), count(LLAMA)
    yield "vptq-stated-outliers", *vptq_stated(6, 4096, -1, packed=True, outliers=16), count(LLAMA)
    yield "spqr-stated", *spqr_stated(), count(LLAMA)
