"""Unpacked 8-bit weights with separate scales: fp8, int8, and the ways to share a scale.

`weight` in F8 or I8 [out, in] and one of
`weight_scale_inv` [ceil(out/B0), ceil(in/B1)] (DeepSeek, transformers' fine-grained fp8; F32, BF16, or bytes),
`weight_scale`: one number (ModelOpt, Quark, static fp8), one per row (compressed-tensors, FBGEMM; [out] or [out, 1]),
one per block, one byte for 32 values (MXFP8), or [o, 1, i, 1] (ModelOpt's fp8_pb_wo). Activation scales may
be added, and zero points for asymmetric integers.
"""

from __future__ import annotations

from inspector.findings.types.packed import OTHER_DIMS, PackingHelperMissing
from inspector.loader.layout import Layout
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.loaders import SCALE_INV_METHODS
from inspector.quantization.module import (
    BYTES,
    DEFAULT_BLOCK,
    EXACT_SHAPES,
    FLOAT8,
    ModuleReading,
    Scheme,
    Shape,
    Tensors,
    UnpackedTensor,
    ceil_div,
)
from inspector.quantization.schemes.compressed_tensors_config import BY_ITSELF, PACKED, WITHOUT_GROUPS
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

MAY = ("input_scale", "activation_scale", "weight_zero_point", "input_zero_point", "input_scale_ub", "output_scale",
       "pre_quant_scale", "smooth_scale", "weight_scale_2", "input_global_scale", "weight_g_idx",
       "input_scale_inv", "activation_scale_inv", "act_scale", "comfy_quant")  # fmt: skip
BLOCKS = (16, 32, 64, 128, 256, 512)
STATIC = "activation_scale"
"""The static scale of the inputs in transformers, for matrices with a `weight_scale_inv`."""
BLOCK_METHODS = ("fp8", "auto-round", "deepseek")
BLOCKS_OF_MODELOPT = "fp8_pb_wo"
"""The algorithm of ModelOpt with a `weight_scale` of four dims; vLLM 0.33 refuses any other (`KFp8Block128`)."""
ROW_METHODS = ("compressed-tensors", "modelopt", "quark", "fbgemm_fp8", "fp8", "auto-round", "bitnet")


def _is_block(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    if values.dtype not in FLOAT8 and not (values.dtype == "I8" and "weight_scale_inv" in tensors):
        return False
    if "weight_scale_inv" in tensors:
        return True
    shared = setting.block is not None or setting.activations == STATIC or setting.strategy == "channel"
    stated = shared and setting.method in BLOCK_METHODS
    return stated and "weight_scale" not in tensors and len(values.shape) >= 2


def _block(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values = tensors["weight"]
    reading.compare("bits", 8)
    reading.number_type(values)
    _blocks(reading, "weight_scale_inv", values.shape)
    if setting.method == EXACT_SHAPES and setting.strategy == "block":
        # measured: transformers 5.23 with compressed-tensors 0.20 reports each weight_scale as missing and ignores
        # these
        shapes = (blocked(values.shape, setting.block or DEFAULT_BLOCK),)
        missing = PackingHelperMissing(helper="weight_scale", expected=shapes, stored_as="weight_scale_inv")
        reading.faults.append(missing)
    if len(values.shape) == 2:
        reading.activations()
    scheme = "fp8-block" if values.dtype != "I8" else "int8-block"
    return reading.result("weight", scheme, values.shape, 8)


def _blocks(reading: ModuleReading, suffix: str, shape: Shape) -> None:
    """Checks block scales: by the stated block if it fits, else by the block that all shapes have."""
    stated, scale = reading.setting.block, reading.tensors.get(suffix)
    size = stated or DEFAULT_BLOCK
    whole = stated is None and reading.setting.activations == STATIC
    allowed = [(), (1,)] if whole else [blocked(shape, size), (), (1,)]
    if reading.setting.strategy == "channel":
        allowed = [shape[:-1]]
    elif stated is None and len(shape) == 2:
        allowed.append(shape[:-1])  # one for each row, as in GPTQModel
    if scale is not None and scale.shape not in allowed:
        shown = _shown_block(shape, scale.shape)
        reading.compare("block", shown)
        allowed = [scale.shape] if shown is not None else allowed
    elif scale is not None and stated is not None and scale.shape == allowed[0]:
        reading.agreed.append("block")
    reading.helper(suffix, allowed, "one for the matrix" if whole else f"one for each block of {size[0]} × {size[1]}")


def blocked(shape: Shape, block: tuple[int, int]) -> Shape:
    """Shape of the block scales of a weight; a one-dimensional weight is divided along its dim."""
    if len(shape) < 2:
        return tuple(ceil_div(dim, block[1]) for dim in shape)
    return (*shape[:-2], ceil_div(shape[-2], block[0]), ceil_div(shape[-1], block[1]))


def four_dims(shape: Shape) -> Shape:
    """Shape of the scale for each block of 128 rows and 128 inputs of a matrix, as ModelOpt keeps it."""
    rows, inputs = blocked(shape[-2:], DEFAULT_BLOCK)
    return (rows, 1, inputs, 1)


def _shown_block(shape: Shape, scale: Shape) -> tuple[int, int] | None:
    if len(shape) < 2 or len(scale) != len(shape):
        return None
    rows = [size for size in (128, *BLOCKS, 1) if ceil_div(shape[-2], size) == scale[-2]]
    columns = [size for size in (128, *BLOCKS) if ceil_div(shape[-1], size) == scale[-1]]
    same = [size for size in rows if size in columns]
    if same:
        return same[0], same[0]
    return (rows[0], columns[0]) if rows and columns and scale[:-2] == shape[:-2] else None


def _is_named_otherwise(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if the scales of the stated blocks are stored as `weight_scale`, which the loaders of the method ignore.

    Quark writes them in this way if it keeps modules that were fp8 before (`file2file_quantization`).
    """
    values, scale = tensors["weight"], tensors.get("weight_scale")
    stated = setting.block is not None and setting.method in SCALE_INV_METHODS and setting.skipped is None
    if scale is None or not stated or setting.block is None or values.dtype not in FLOAT8 or len(values.shape) != 2:
        return False
    return "weight_scale_inv" not in tensors and scale.shape == blocked(values.shape, setting.block)


def _named_otherwise(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["weight"], tensors["weight_scale"]
    missing = PackingHelperMissing(helper="weight_scale_inv", expected=(scale.shape,), stored_as="weight_scale")
    reading.faults.append(missing)
    reading.agreed.append("block")
    return reading.result("weight", "fp8-block", values.shape, 8)


def _is_scaled(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    if values.dtype not in FLOAT8 and values.dtype != "I8":
        return False
    if "weight_scale" in tensors:
        return True
    return setting.method in ROW_METHODS and setting.skipped is None and len(values.shape) >= 2


def _scaled(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["weight"], tensors.get("weight_scale")
    shape = values.shape
    shared = _shared(setting, shape, scale) if scale is not None else None
    scales = [scale.shape] if scale is not None and shared is not None else _expected(setting, shape)
    if shared == "group" and scale is not None:
        groups, _ = reading.grouped(("weight_scale",), -1, shape[-1])
        scales = [(*shape[:-1], groups)]
    loaded = _as_loaded(setting, shared, shape, scales[0])
    reading.helper("weight_scale", loaded or scales, OTHER_DIMS if loaded else "")
    if shared == "mx":
        reading.compare("group_size", 32)
    _strategy(reading, shared)
    if setting.format == PACKED:
        reading.compare("format", "int-quantized" if values.dtype == "I8" else "float-quantized")
    elif setting.format in WITHOUT_GROUPS:
        reading.agreed.append("format")
    elif values.dtype == "I8":
        reading.format_inferred(BY_ITSELF)
    if len(shape) == 2:
        reading.activations()
    fewer = setting.strategy == "group" and values.dtype == "I8" and setting.bits is not None and setting.bits < 8
    if not fewer:  # integers of fewer bits may be stored in bytes
        reading.compare("bits", 8)
        reading.number_type(values)
    if "weight_zero_point" in tensors or (setting.zeros and setting.method == "compressed-tensors"):
        sizes = [scale.shape] if scale is not None else scales
        reading.helper("weight_zero_point", [*sizes, shape[:-1], (*shape[:-1], 1), ()], "as many as scales")
    scheme = "mxfp8" if shared == "mx" else "int8" if values.dtype == "I8" else "fp8"
    bits = setting.bits if fewer and setting.bits is not None else 8
    size = 32 if shared == "mx" else setting.group_size if shared == "group" else None
    return reading.result("weight", scheme, shape, bits, size)


def _as_loaded(setting: ModuleSettings, shared: str | None, shape: Shape, scale: Shape) -> list[Shape]:
    """The only shape of scales that compressed-tensors, or vLLM for blocks of ModelOpt, accepts; empty for others.

    Measured with transformers 5.23 and compressed-tensors 0.20, 4.57 and 0.13: scales of rows with one dim, and a
    single scale with no dim or two dims, are refused.
    """
    of_modelopt = setting.variant == BLOCKS_OF_MODELOPT and setting.method == "modelopt"
    if of_modelopt and shared == "block" and len(shape) == len(scale) == 2:
        return [four_dims(shape)]
    if setting.method != EXACT_SHAPES or len(shape) != 2 or min(shape) < 2 or setting.strategy != shared:
        return []
    if shared == "tensor":
        return [(1,)]
    return [(shape[0], 1)] if shared == "channel" else []


def _shared(setting: ModuleSettings, shape: Shape, scale: Layout) -> str | None:
    """What shares a scale. If one scale or one column may mean several things, the settings decide."""
    found = shared_by(shape, scale.shape, scale.dtype, setting.block)
    size = setting.group_size or 0
    if setting.strategy == "group" and size > 0 and scale.dtype not in BYTES and scale.shape[:-1] == shape[:-1]:
        return "group"
    whole = found == "tensor" and len(shape) == len(scale.shape) == 2  # one block contains the whole matrix
    fits = setting.strategy == "block" and blocked(shape, setting.block or DEFAULT_BLOCK) == scale.shape
    return "block" if whole and fits else found


def shared_by(shape: Shape, scale: Shape, dtype: str, block: tuple[int, int] | None) -> str | None:
    """What shares a scale: "tensor", "channel", "block" or "mx"; None if the shape fits none of these."""
    if scale in ((), (1,), (1, 1)) or (len(shape) > 2 and scale in (shape[:-2], (*shape[:-2], 1), (*shape[:-2], 1, 1))):
        return "tensor"
    rows = shape[:-1]
    if scale in (rows, (*rows, 1)) or (
        len(shape) > 2 and scale in ((*shape[:-2], 1, shape[-1]), (*shape[:-2], shape[-1], 1))
    ):
        return "channel"
    if dtype in BYTES and len(shape) >= 1 and scale == (*rows, ceil_div(shape[-1], 32)):
        return "mx"
    if len(shape) >= 2 and (
        (block is not None and scale == blocked(shape, block)) or _shown_block(shape, scale) is not None
    ):
        return "block"
    if len(shape) == 2 and len(scale) == 4 and scale[1] == scale[3] == 1:
        return "block" if _shown_block(shape, (scale[0], scale[2])) is not None else None
    return None


def _expected(setting: ModuleSettings, shape: Shape) -> list[Shape]:
    by_strategy: dict[str | None, list[Shape]] = {
        "tensor": [(1,), ()],
        "channel": [(*shape[:-1], 1), shape[:-1]],
        "block": [blocked(shape, setting.block or DEFAULT_BLOCK)],
    }
    return by_strategy.get(setting.strategy) or [(*shape[:-1], 1), shape[:-1], (), (1,)]


def _strategy(reading: ModuleReading, found: str | None) -> None:
    setting = reading.setting
    if found is None:
        return
    single = reading.tensors["weight"].shape[:1] == (1,)  # one row: a scale per tensor is a scale per channel
    if setting.strategy is not None and not single:
        reading.compare("strategy", "group" if found == "mx" else found)
    if found == "block" and setting.block is not None:
        scale = reading.tensors["weight_scale"].shape
        scale = (scale[0], scale[2]) if len(scale) == 4 else scale
        shape = reading.tensors["weight"].shape
        shown = setting.block if scale == blocked(shape, setting.block) else _shown_block(shape, scale)
        reading.compare("block", shown)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The configs of fine-grained fp8 in transformers, of DeepSeek, FBGEMM and GPTQModel."""
    static = STATIC if "weight_block_size" in block.values else "input_scale"
    rows = block.method == "fbgemm_fp8" or block.text("weight_scale_method") == "row"
    base = block.module_settings(
        {"block": "weight_block_size", "number_type": "quant_method"},
        number_type="float",
        shown={"number_type": block.method},
        block=block.pair("weight_block_size"),
        strategy="channel" if rows else None,
        activations=static if block.text("activation_scheme") == "static" else None,
    )
    return QuantizationSettings(base, ignored=block.ignored())


SCALED_BLOCK = Scheme("fp8-block", "weight", ("weight_scale_inv",), MAY, _is_block, _block)
NAMED_OTHERWISE = Scheme("fp8-block", "weight", ("weight_scale",), MAY, _is_named_otherwise, _named_otherwise)
SCALED = Scheme("fp8", "weight", ("weight_scale",), MAY, _is_scaled, _scaled)
