"""Packed weights of compressed-tensors: integers in words, nvfp4, mxfp4, and its older sparse formats.

pack-quantized: `weight_packed` I32 [out, W], `weight_scale` [out, G], `weight_shape` I64 [2] (its *values* are the
shape: read only where W and G leave an interval of inputs and no definition decides), asymmetric `weight_zero_point`
I32 [ceil(out*b/32), G], `weight_g_idx` [in]. Two packings exist: dense (W = ceil(in*b/32)) and, before 0.10, whole
values in a word (W = ceil(in/(32//b))); they differ at 3, 5, 6 bits.
nvfp4: `weight_packed` U8 [out, in/2], `weight_scale` F8_E4M3 [out, in/16], `weight_global_scale` F32 [1].
mxfp4: `weight_packed` U8 [out, in/2], `weight_scale` bytes [out, in/32].
sparse bitmask: `compressed` [nnz], `bitmask` U8 [out, ceil(in/8)], `row_offsets`; 2:4: `compressed` [out, in/2].
"""

from __future__ import annotations

from msgspec import Struct

from inspector.findings.types.packed import OTHER_DIMS
from inspector.loader.packed import Packed
from inspector.quantization.module import (
    BYTES,
    EXACT_SHAPES,
    FLOAT8,
    FLOATS,
    INTEGERS,
    ModuleReading,
    Scheme,
    Tensors,
    UnpackedTensor,
    ceil_div,
    word,
)
from inspector.quantization.schemes.compressed_tensors_config import PACKED, WHOLE, WITHOUT_GROUPS
from inspector.quantization.stated import ModuleSettings

WIDTHS = (4, 8, 2, 3, 5, 6, 7, 1)
SIZES = (128, 64, 32, 16, 256)
MAY = ("weight_shape", "weight_zero_point", "weight_g_idx", "input_scale", "input_zero_point", "input_global_scale",
       "weight_global_scale", "weight_chan_scale", "output_scale")  # fmt: skip


def _is_words(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight_packed"]
    return values.dtype in ("I32", "U32") and len(values.shape) >= 2 and not {"scale_packed", "meta"} & tensors.keys()


def _words(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    if setting.format in (*WITHOUT_GROUPS, PACKED):
        reading.compare("format", PACKED)
    reading.format_inferred(PACKED)
    values, scale = tensors["weight_packed"], tensors.get("weight_scale")
    *lead, outputs, width = values.shape
    groups = _groups(tensors, width, setting)
    found = _decided(reading, width, outputs, groups)
    bits, size, low, high = found.bits, found.size, found.low, found.high
    if groups is None or not found.has(groups):
        stated = setting.group_size if setting.group_size and setting.group_size > 0 else None
        groups = ceil_div(likely(low, high, setting), stated) if stated else 1
    if scale is not None and groups == 1 and setting.strategy in ("channel", "tensor") and outputs > 1:
        reading.compare("strategy", "tensor" if scale.elements == 1 else "channel")
    elif setting.strategy == "group":
        reading.agreed.append("strategy")
    of_tensor = setting.strategy == "tensor" or setting.method is None  # no settings state otherwise
    single = scale is not None and scale.elements == 1 and of_tensor and not lead
    exact = setting.method == EXACT_SHAPES
    scales = ([(1,)] if exact else [(1,), ()]) if single else [(*lead, outputs, groups)]
    reading.helper("weight_scale", scales, OTHER_DIMS if single and exact else "one for each output and group")
    reading.helper("weight_shape", [(2,), (*lead, 2), (len(values.shape),)], "the dims", frozenset({"I64", "I32"}))
    reading.helper("weight_chan_scale", [(*lead, outputs, 1), (*lead, outputs)], "one for each output", required=False)
    if setting.zeros is False and "weight_zero_point" in tensors:  # loaders then do not read the zero points
        reading.contradicts("zeros", True, False)
    if setting.zeros or "weight_zero_point" in tensors:
        rows = ceil_div(outputs * bits, 32)
        expected = [(1,)] if single else [(*lead, rows, groups), (*lead, outputs, groups)]
        because = OTHER_DIMS if single and exact else f"{bits} bits for each output and group"
        reading.helper("weight_zero_point", expected, because, INTEGERS)
    kept = _kept(reading, outputs, low, high)
    inputs = likely(low, high, setting) if kept is None else kept
    bounds = () if low == high or kept is not None else (*((dim, dim) for dim in (*lead, outputs)), (low, high))
    shape = (*lead, outputs, inputs)
    return reading.result("weight_packed", "pack-quantized", shape, bits, size, bounds=bounds)


def _kept(reading: ModuleReading, outputs: int, low: int, high: int) -> int | None:
    """The inputs by the values of `weight_shape`, if they were read and the packed width allows them."""
    layout = reading.tensors.get("weight_shape")
    if layout is None or len(layout.values) < 2:
        return None
    *_, rows, inputs = layout.values
    if rows == outputs and low <= inputs <= high:
        return inputs
    reading.widths(
        f"weight_shape holds {rows:,} x {inputs:,}", f"weight_packed holds {outputs:,} x {low:,} to {high:,}"
    )
    return None


def _groups(tensors: Tensors, width: int, setting: ModuleSettings) -> int | None:
    """Number of groups by the scales and zero points; if they differ, the number by the settings."""
    reported = [tensors[name].shape[-1] for name in ("weight_scale", "weight_zero_point")
            if name in tensors and len(tensors[name].shape) >= 2]  # fmt: skip
    if setting.strategy in ("channel", "tensor") and 1 in reported:
        return 1
    if setting.bits in WIDTHS and setting.group_size and setting.group_size > 0 and len(set(reported)) > 1:
        ranges = intervals(width, setting.bits)
        whole = [groups for groups in reported if any(a <= groups * setting.group_size <= b for a, b in ranges)]
        return (*whole, reported[0])[0]
    return reported[0] if reported else None


class _Size(Struct, frozen=True):
    """Bits, group size (None: one scale per row), and the (least, most) inputs that both widths allow.

    If the dense and the old packing differ, there may be two ranges.
    """

    bits: int
    size: int | None
    ranges: tuple[tuple[int, int], ...]

    @property
    def low(self) -> int:
        return min(low for low, _ in self.ranges)

    @property
    def high(self) -> int:
        return max(high for _, high in self.ranges)

    def has(self, groups: int) -> bool:
        """True if this number of groups can contain the inputs."""
        if self.size is None:
            return groups == 1
        return ceil_div(self.low, self.size) <= groups <= ceil_div(self.high, self.size)

    def named(self, setting: ModuleSettings) -> bool:
        """True if a known width of the model is among the inputs, or if no width is known."""
        return not setting.dims or any(low <= dim <= high for low, high in self.ranges for dim in setting.dims)


def _decided(reading: ModuleReading, width: int, outputs: int, groups: int | None) -> _Size:
    """The size that fits both widths: as stated, else with one setting changed, a wrong scale, or any known dim."""
    setting = reading.setting
    stated = setting.group_size if setting.group_size is not None and setting.group_size > 0 else None
    shown = _shown_bits(reading.tensors, outputs)
    widths = WIDTHS if shown is None else (shown,)
    index = reading.tensors.get("weight_g_idx")
    inputs = index.shape[-1] if index is not None and index.shape else None
    sizes = (None,) if groups == 1 or groups is None else SIZES
    fits = [one for bits in widths for size in sizes if (one := _fit(width, bits, size, groups, inputs)) is not None]
    named = [one for one in fits if one.named(setting)]
    likeliest = [one for one in named if one.bits == setting.other_bits]
    own = alone = None
    if setting.bits is not None and setting.bits in widths:
        own = _fit(width, setting.bits, stated, groups, inputs, partly=True)
        alone = _fit(width, setting.bits, None, None, inputs)
        likeliest += [own] if own is not None and own.named(setting) else []
        likeliest += [one for one in named if one.bits == setting.bits]
        likeliest += [one for one in named if stated is not None and one.size == stated]
    if setting.bits is not None and alone is not None and setting.dims and alone.named(setting) and not likeliest:
        inputs = likely(alone.low, alone.high, setting)
        return _Size(setting.bits, stated, ((inputs, inputs),))  # the shape of the scale is then wrong and reported
    for one in (*likeliest, *named, *([own] if own is not None else []), *fits):
        reading.compare("bits", one.bits)
        if groups == 1 and setting.group_size is not None and setting.group_size > 0:
            reading.compare("group_size", setting.group_size if one.low <= setting.group_size else -1)
        elif groups is not None and groups > 1:
            reading.compare("group_size", one.size)
            if setting.strategy in WHOLE:
                reading.compare("strategy", "group")
        return one
    bits = setting.bits if setting.bits in WIDTHS and setting.bits is not None else 4
    low, high = intervals(width, bits)[0]
    reading.widths(f"weight_packed is {width} words wide = {high} inputs", f"weight_scale has {groups} groups")
    return _Size(bits, stated, ((low, high),))


def _shown_bits(tensors: Tensors, outputs: int) -> int | None:
    """The bits by the packed zero points."""
    zeros = tensors.get("weight_zero_point")
    if zeros is None or len(zeros.shape) < 2 or zeros.shape[-2] == outputs:
        return None
    return next((bits for bits in WIDTHS if ceil_div(outputs * bits, 32) == zeros.shape[-2]), None)


def _fit(
    width: int, bits: int, size: int | None, groups: int | None, inputs: int | None, partly: bool = False
) -> _Size | None:
    """The inputs that a width and a number of groups allow. partly: the last group may be partly filled."""
    if groups is not None and groups > 1 and size is None:
        return None
    fits = []
    for low, high in intervals(width, bits):
        if groups is not None and groups > 1 and size is not None:
            whole = size * groups
            if low <= whole <= high:
                low = high = whole
            elif partly:
                low, high = max(low, whole - size + 1), min(high, whole)
            else:
                continue
        elif groups == 1 and size is not None:
            high = min(high, size)
        if inputs is not None:
            low, high = max(low, inputs), min(high, inputs)
        if low <= high:
            fits.append((low, high))
    return _Size(bits, None if groups == 1 else size, tuple(fits)) if fits else None


def intervals(width: int, bits: int) -> tuple[tuple[int, int], ...]:
    """(least, most) inputs that fill this number of 32-bit words, in the dense and in the old packing."""
    dense = ((width - 1) * 32 // bits + 1, width * 32 // bits)
    if 32 % bits == 0:
        return (dense,)
    each = 32 // bits
    return dense, ((width - 1) * each + 1, width * each)


def likely(low: int, high: int, setting: ModuleSettings) -> int:
    """The number of inputs in an interval that is a known dim of the model, else the roundest number."""
    known = [dim for dim in setting.dims if low <= dim <= high]
    if len(known) == 1:
        return known[0]
    return next((step * (high // step) for step in (128, 64, 32, 16, 8, 4, 2) if step * (high // step) >= low), high)


def _is_halves(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight_packed"]
    return values.dtype in ("U8", "I8") and len(values.shape) >= 2


def _halves(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """Two values of 4 bits in a byte; the dtype of the scales distinguishes nvfp4 from mxfp4."""
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["weight_packed"], tensors.get("weight_scale")
    *rows, columns = values.shape
    known = scale is not None and scale.dtype in FLOAT8 | BYTES
    nvfp4 = scale.dtype in FLOAT8 if known and scale is not None else "weight_global_scale" in tensors
    if not known and setting.variant:
        nvfp4 = "nvfp4" in setting.variant
    size = 16 if nvfp4 else 32
    inputs = 2 * columns
    reading.compare("bits", 4)
    reading.compare("group_size", size)
    if setting.strategy in WHOLE:
        reading.compare("strategy", "tensor_group" if nvfp4 else "group")
    dtypes = FLOAT8 if nvfp4 else BYTES
    reading.helper("weight_scale", [(*rows, ceil_div(inputs, size))], f"one for {size} values", dtypes)
    if nvfp4:
        exact = setting.method == EXACT_SHAPES and len(rows) == 1
        whole = [(1,)] if exact else [(1,), (), (*rows[:-1], 1), tuple(rows[:-1])]
        reading.helper("weight_global_scale", whole, OTHER_DIMS if exact else "one number")
    if len(rows) == 1:
        reading.activations()
    return reading.result("weight_packed", "nvfp4" if nvfp4 else "mxfp4", (*rows, inputs), 4, size)


def _is_bitmask(tensors: Tensors, setting: ModuleSettings) -> bool:
    mask = tensors.get("bitmask")
    if mask is None:
        return setting.method == "compressed-tensors"
    return len(mask.shape) == 2 and mask.dtype == "U8"


def _bitmask(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """Opens non-zero values with one bit per position. Pruned zeros count as parameters, as in the dense model."""
    reading = ModuleReading(tensors, setting)
    values, mask = tensors["compressed"], tensors.get("bitmask")
    if "weight_scale" not in tensors and setting.number_type is None:
        reading.stored_as("compressed", FLOATS)
    if len(values.shape) == 2:
        inputs = 2 * values.shape[1]
        reading.helper("bitmask", [(values.shape[0], ceil_div(inputs, 8))], "one bit for each value")
        reading.helper("shape", [(2, 1), (2,)], "the dims", frozenset({"I64", "I32"}))
        scales = [(values.shape[0], 1), (values.shape[0],), (1,), ()]
        reading.helper("weight_scale", scales, required=setting.number_type is not None)
        return reading.result("compressed", "sparse-24", (values.shape[0], inputs), word(values) / 2)
    if mask is None or len(mask.shape) != 2:
        reading.helper("bitmask", [()])
        packed = Packed("sparse-bitmask", word(values), None, values, known=False)
        return UnpackedTensor(values, packed, reading.others("compressed"), tuple(reading.faults))
    outputs, eighths = mask.shape
    reading.helper("row_offsets", [(outputs,)], "one for each row")
    reading.helper("shape", [(2,)], "the dims", frozenset({"I64", "I32"}))
    inputs = likely(8 * eighths - 7, 8 * eighths, setting)
    bounds = ((outputs, outputs), (8 * eighths - 7, 8 * eighths))
    return reading.result("compressed", "sparse-bitmask", (outputs, inputs), word(values), bounds=bounds)


WORDS = Scheme("pack-quantized", "weight_packed", ("weight_scale", "weight_shape"), MAY, _is_words, _words)
HALVES = Scheme("nvfp4", "weight_packed", ("weight_scale",), MAY, _is_halves, _halves)
BITMASK = Scheme("sparse-bitmask", "compressed", ("bitmask",), ("shape", "row_offsets", "weight_scale", "input_scale"),
                 _is_bitmask, _bitmask)  # fmt: skip
