"""The schemes by the suffix and dtype of their values, and the suffixes of quantized modules.

This table contains only names, so that only the files of a checkpoint's schemes are imported.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from inspector.quantization.module import BYTES, FLOAT8, FLOATS, INTEGERS, Scheme, Tensors
from inspector.quantization.stated import ModuleSettings

Row = tuple[str, str, str, frozenset[str]]
"""(file, name in it, suffix of the values, their dtypes)."""
_WORDS: Final = frozenset({"I32", "U32"})
_BYTE: Final = frozenset({"U8"})

TABLE: Final[tuple[Row, ...]] = (
    ("marlin", "GPTQ", "B", _WORDS),
    ("marlin", "QQQ", "B", _WORDS),
    ("fp_quant", "FP_QUANT", "qweight", _BYTE),
    ("fp_quant", "FLOATS_ONLY", "dqweight", FLOATS),
    ("awq", "LLM_AWQ", "qweight", frozenset({"I16"})),
    ("awq", "AWQ_GEMV_FAST", "qweight", frozenset({"I16"})),
    ("gptq", "GPTQ_FIRST", "qweight", _WORDS),
    ("gptq", "GPTQ", "qweight", INTEGERS),
    ("awq", "AWQ", "qweight", _WORDS),
    ("awq", "AWQ_GEMV", "qweight", _WORDS),
    ("marlin", "AWQ", "qweight", _WORDS),
    ("marlin", "SPARSE", "weight_packed", _WORDS),
    ("compressed_tensors", "WORDS", "weight_packed", _WORDS),
    ("compressed_tensors", "HALVES", "weight_packed", frozenset({"U8", "I8"})),
    ("compressed_tensors", "BITMASK", "compressed", FLOATS | FLOAT8 | INTEGERS),
    ("bitsandbytes", "FOUR", "weight", FLOATS | BYTES),
    ("bitsandbytes", "EIGHT", "weight", frozenset({"I8"})),
    ("eetq", "EETQ", "weight", frozenset({"I8"})),
    ("ascend", "ASCEND", "weight", frozenset({"I8"})),
    ("gemma", "LINEAR", "weight", frozenset({"U8", "I8"})),
    ("gemma", "EMBEDDING", "embedding_quantized", frozenset({"U8", "I8"})),
    ("mlx", "MLX", "weight", frozenset({"U32"})),
    ("higgs", "HIGGS", "weight", frozenset({"I16"})),
    ("quark", "QUARK", "weight", frozenset({"I32"})),
    ("quark", "ROWS", "weight", frozenset({"I32"})),
    ("comfy", "HALVES", "weight", _BYTE),
    ("modelopt_state", "STATE_OF_MODELOPT", "weight", FLOAT8 | {"U8", "I8"}),
    ("modelopt_state", "CALIBRATED", "weight", FLOATS),
    ("modelopt", "OUTPUTS", "weight", frozenset({"U8", "I8"})),
    ("modelopt", "HALVES", "weight", frozenset({"U8", "F4"})),
    ("modelopt", "INPUTS", "weight", frozenset({"U8"})),
    ("bitnet", "BITNET", "weight", _BYTE),
    ("comfy", "COMFY", "weight", FLOAT8),
    ("comfy", "TILES", "weight", FLOAT8),
    ("w4afp8", "W4AFP8", "weight", frozenset({"I8"})),
    ("chatglm", "CHATGLM", "weight", frozenset({"I8"})),
    ("fp8", "SCALED_BLOCK", "weight", FLOAT8 | {"I8"}),
    ("fp8", "NAMED_OTHERWISE", "weight", FLOAT8),
    ("fp8", "SCALED", "weight", FLOAT8 | {"I8"}),
    ("bitnet", "BITNET_ONLINE", "weight", FLOATS),
    ("mxfp4", "MXFP4", "blocks", _BYTE),
    ("torchao", "TILES", "_weight_qdata", frozenset({"I32"})),
    ("torchao", "PACKED", "_weight_qdata", frozenset({"I32", "U8", "I8"})),
    ("torchao", "MICROSCALED", "_weight_qdata", FLOAT8 | {"U8", "F4"}),
    ("torchao", "TORCHAO", "_weight_qdata", FLOAT8 | INTEGERS),
    ("sinq", "SINQ", "W_q", _BYTE | {"I32"}),
    ("hqq", "HQQ", "W_q", FLOATS | INTEGERS),
    ("quanto", "QUANTO_PACKED", "weight._data._data", _BYTE),
    ("quanto", "QUANTO", "weight._data", FLOAT8 | {"I8"}),
    ("aqlm", "AQLM", "codes", INTEGERS),
    ("vptq", "VPTQ", "indices", INTEGERS | {"F16"}),
    ("spqr", "SPQR", "dense_weights", frozenset({"I64"})),
    ("exl2", "EXL2", "q_weight", frozenset({"I32"})),
    ("exl3", "EXL3", "trellis", frozenset({"I16"})),
    ("quip", "QUIP", "Qidxs", INTEGERS),
)
"""The schemes, in the order in which they are tried for one module."""

PLAIN: Final = "weight"
"""The suffix of values that unquantized weights have too."""


def _by_values() -> dict[str, tuple[Row, ...]]:
    found: dict[str, tuple[Row, ...]] = {}
    for row in TABLE:
        found[row[2]] = (*found.get(row[2], ()), row)
    return found


BY_VALUES: Final = _by_values()
"""Suffix of the values -> the schemes that use it."""
KV_CACHE: Final = frozenset({"k_scale", "v_scale", "kv_scale", "q_scale", "prob_output_scale", "k_zero_point",
                             "v_zero_point", "k_cache_scale", "v_cache_scale"})  # fmt: skip
"""Scales of the key-value cache, stored with the attention's projections."""
HELPERS: Final = KV_CACHE | {
    "SCB", "SU", "SV", "Wscale", "codebook_id", "fuse_scales", "rescale_WH",
    "_weight_act_per_tensor_scale", "_weight_act_pre_scale", "_weight_act_quant_scale",
    "_weight_per_tensor_scale", "_weight_scale", "_weight_scale_and_zero", "_weight_zero_point", "act_global_scale",
    "act_scale", "activation_scale", "activation_scale_inv", "axis", "backward_hadamard_matrix", "biases", "bitmask",
    "block_scales", "centroids.weight", "channel_wise", "codebooks", "col_vals", "comfy_quant", "compute_dtype",
    "deq_scale", "embedding_scale", "encoded_state_dict", "forward_hadamard_matrix", "g_idx", "global_scale",
    "group_size", "in_perm", "input_activation_scale", "input_amax", "input_global_scale", "input_offset",
    "input_scale", "input_scale_2", "input_scale_inv", "input_scale_ub", "input_zero_point", "invert_perm", "mcg",
    "meta", "meta.scale.m", "meta.scale.s", "meta.scale.x", "meta.scale2", "meta.zero.m", "meta.zero.s", "meta.zero.x",
    "mul1", "nbits", "norm_bias", "norm_weight", "offload_meta", "optimize", "outlier_centroids.weight",
    "outlier_indices", "outlier_res_centroids.weight", "output_activation_scale", "output_scale", "packing", "perm",
    "pre_quant_scale", "q_group_map", "q_groups", "q_invperm", "q_perm", "q_scale", "q_scale_max", "qbiases",
    "quant_bias", "quant_scale", "quant_zero", "quantized", "qzeros", "res_centroids.weight", "res_indices",
    "round_zero", "row_offsets", "s", "s_channel", "s_group", "scale", "scale_input", "scale_packed", "scale_q",
    "scaled_zeros",
    "scale_weight", "scales", "shape", "smooth_scale", "stores_quant_config", "su", "suh", "sv", "svh", "tables",
    "tables2", "unpack_view_dtype", "view_as_float", "weight._scale", "weight._shift", "weight.absmax",
    "weight.nested_absmax", "weight.nested_quant_map", "weight.quant_map", "weight.quant_state.bitsandbytes__fp4",
    "weight.quant_state.bitsandbytes__nf4", "weight_bias", "weight_chan_scale", "weight_format", "weight_g_idx",
    "weight_global_scale", "weight_offset", "weight_scale", "weight_scale_2", "weight_scale_inv", "weight_scales",
    "weight_shape", "weight_zero_point", "workspace", "zero", "zero_q", "zero_scale", "zeros",
    "input_quantizer._amax", "input_quantizer._pre_quant_scale", "output_quantizer._amax", "weight_quantizer._amax",
    "weight_quantizer._double_scale", "weight_quantizer._pre_quant_scale", "weight_quantizer._scale",
    "weight_quantizer._scale_zeros",
}  # fmt: skip
"""Suffixes of helpers in any scheme, from `needs` and `may` of the schemes."""
STRANGE: Final = frozenset({"qweight", "weight_packed", "q_weight", "W_q", "B", "dqweight", "Qidxs", "SU", "SV",
                            "trellis", "tweight", "oweight", "weight_sf"})  # fmt: skip
"""Suffixes of packed values, including those of unsupported schemes."""
FOREIGN: Final = frozenset({"theta", "pairs"})
"""Helpers of unsupported schemes, recognised only together with their values."""
PACKED_DTYPES: Final = FLOAT8 | {"U32", "I32", "U8", "I8", "I16", "U16", "F4"}
"""Dtypes of packed weights."""


@cache
def scheme(row: Row) -> Scheme:
    """The scheme of a row of the table."""
    found = getattr(import_module(f"inspector.quantization.schemes.{row[0]}"), row[1])
    assert isinstance(found, Scheme)
    return found


def scheme_of(tensors: Tensors, setting: ModuleSettings) -> Scheme | None:
    """The scheme that recognises the tensors of a module; None if they are not quantized or the scheme is unknown."""
    known = [
        scheme(row)
        for values, rows in BY_VALUES.items()
        if values in tensors and tensors[values].elements and tensors[values].shape
        for row in rows
        if tensors[values].dtype in row[3]
    ]
    with_helpers = [one for one in known if any(helper in tensors for helper in one.needs)]
    for one in (*with_helpers, *known):  # the stored tensors take precedence over the settings
        if one.recognises(tensors, setting):
            return one
    return None
