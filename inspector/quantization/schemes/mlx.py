"""MLX: `weight` U32 [..., out, in*b/32] with `scales` [..., out, in/g], and `biases` in affine mode.

Bits 2, 3, 4, 5, 6, 8, all dense; modes affine (groups of 32, 64, 128), mxfp4 and mxfp8 (32, scales in bytes),
nvfp4 (16, scales in bytes). Width and groups determine only bits/group: the config decides (an entry of the
module before the default), else what fits the model's dims, else the usual 4 bits in groups of 64 and the
interval is reported. The Metal integration of transformers writes `qbiases`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import BYTES, FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact

WIDTHS = (4, 8, 6, 5, 3, 2)
SIZES = (64, 32, 128)
MODES = {"affine": 64, "mxfp4": 32, "mxfp8": 32, "nvfp4": 16}
"""Mode -> its default group size."""
OWN_MODE = "variant"
"""The setting that only the entry of a module decides: it is affine there if it is not stated, while mlx-lm takes the
mode of other modules from their tensors (`infer_quant_config` in `mlx_lm/utils.py`; loaded with mlx-lm 0.32).
"""


def _is_mlx(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scales = tensors["weight"], tensors.get("scales")
    if values.dtype != "U32" or len(values.shape) < 2:
        return False
    return scales is None or scales.shape[:-1] == values.shape[:-1]


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scales = tensors["weight"], tensors.get("scales")
    biases = next((name for name in ("biases", "qbiases") if name in tensors), "biases")
    *rows, width = values.shape
    affine = biases in tensors or scales is None or (scales.dtype not in BYTES and setting.variant in (None, "affine"))
    reported = [tensors[name].shape[-1] for name in ("scales", biases) if name in tensors and tensors[name].shape]
    groups = next(
        (number for number in reported if _choices(width, number, affine, setting)), reported[0] if reported else None
    )
    choices = _choices(width, groups, affine, setting)
    bits, size, inputs = (
        choices[0] if choices else (setting.bits or 4, setting.group_size, width * 32 // (setting.bits or 4))
    )
    agrees = setting.bits == bits and setting.group_size in (None, size)
    settled = agrees or inputs in setting.dims or len(choices) == 1
    if not choices:
        reading.widths(f"weight is {width} words wide", f"scales has {groups} groups")
    if settled and choices:
        reading.compare("bits", bits)
        if setting.bits is not None:
            reading.compare("group_size", size)
    each = (*rows, groups or inputs // (size or 64))
    reading.helper("scales", [each], "one for each output and group", FLOATS if affine else BYTES)
    if affine and setting.variant in (None, "affine"):
        reading.helper(biases, [each], "one for each output and group", FLOATS)
    bounds: tuple[tuple[int, int], ...] = ()
    if not settled and len({one[2] for one in choices}) > 1:
        found = [one[2] for one in choices]
        bounds = (*((dim, dim) for dim in rows), (min(found), max(found)))
    stored = "affine" if affine else _mode(bits, size)
    if choices and scales is not None and OWN_MODE in setting.keys:
        reading.compare("variant", stored)
    scheme = "mlx" if affine else f"mlx-{stored}"
    return reading.result("weight", scheme, (*rows, inputs), bits, size, bounds=bounds)


def _choices(
    width: int, groups: int | None, affine: bool, setting: ModuleSettings
) -> list[tuple[int, int | None, int]]:
    """(bits, group size, inputs) that fit both shapes: the stated ones first, then those of known dims."""
    if groups is None:
        bits = setting.bits or 4
        return [(bits, setting.group_size, width * 32 // bits)]
    found = dict.fromkeys(
        (bits, size, groups * size) for bits, size in _pairs(affine, setting) if width * 32 == groups * size * bits
    )
    stated = (setting.bits, setting.group_size)
    return sorted(
        found,
        key=lambda one: (
            one[:2] != stated,
            setting.other_bits is not None and one[0] != setting.other_bits,
            one[2] not in setting.dims,
            one[0] != setting.bits and one[1] != setting.group_size,  # one wrong key is likelier than two
        ),
    )


def _pairs(affine: bool, setting: ModuleSettings) -> Iterator[tuple[int, int]]:
    if setting.bits and setting.group_size:
        yield setting.bits, setting.group_size
    if affine:
        yield from ((bits, size) for size in SIZES for bits in WIDTHS)
    else:
        yield from ((4, 32), (4, 16), (8, 32))


def _mode(bits: int, size: int | None) -> str:
    return "nvfp4" if size == 16 else "mxfp8" if bits == 8 else "mxfp4"


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The MLX block: one entry for all modules, and optional entries by module name (settings, or false)."""
    special = [(exact(name), _entry(entry, own=True)) for name, entry in block.blocks()
               if isinstance(block.values.get(name), Mapping)]  # fmt: skip
    ignored = [exact(name) for name, _ in block.blocks() if block.values.get(name) is False]
    return QuantizationSettings(_entry(block), special=tuple(special), ignored=tuple(ignored))


def _entry(block: ConfigBlock, *, own: bool = False) -> ModuleSettings:
    """Settings of a block. own: it is the entry of one module."""
    mode, size = block.text("mode") or "affine", block.integer("group_size")
    if size is None and ("bits" in block.values or "mode" in block.values):
        size = MODES.get(mode, 64)
    keys = {OWN_MODE: "mode"} if own else {}
    return block.module_settings(keys, bits=block.integer("bits"), group_size=size, variant=mode)


MLX = Scheme("mlx", "weight", ("scales",), ("biases", "qbiases", "global_scale"), _is_mlx, _open)
