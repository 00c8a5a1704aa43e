"""compressed-tensors where the weight is packed: integers in words, nvfp4, mxfp4, and the sparse forms of its past.

pack-quantized: `weight_packed` I32 [out, W], `weight_scale` [out, G], `weight_shape` I64 [2] (its *values* are the
shape), asymmetric `weight_zero_point` I32 [ceil(out*b/32), G], `weight_g_idx` [in]. Two packings are about: dense
(W = ceil(in*b/32)) and, before 0.10, whole values in a word (W = ceil(in/(32//b))); they differ at 3, 5, 6 bits.
Where W and G leave an interval of inputs, the card decides.
nvfp4: `weight_packed` U8 [out, in/2], `weight_scale` F8_E4M3 [out, in/16], `weight_global_scale` F32 [1].
mxfp4: `weight_packed` U8 [out, in/2], `weight_scale` bytes [out, in/32].
sparse bitmask: `compressed` [nnz], `bitmask` U8 [out, ceil(in/8)], `row_offsets`; 2:4: `compressed` [out, in/2].
"""

from __future__ import annotations

from inspector.packing.module import BYTES, FLOAT8, Opened, Reading, Scheme, Tensors, ceil_div, word
from inspector.packing.said import Said

WIDTHS = (4, 8, 2, 3, 5, 6, 7, 1)
MAY = ("weight_shape", "weight_zero_point", "weight_g_idx", "input_scale", "input_zero_point", "input_global_scale",
       "weight_global_scale", "output_scale")  # fmt: skip


def _is_words(tensors: Tensors, said: Said) -> bool:
    values = tensors["weight_packed"]
    return values.dtype in ("I32", "U32") and len(values.shape) >= 2 and "scale_packed" not in tensors


def _words(tensors: Tensors, said: Said) -> Opened:
    reading = Reading(tensors, said)
    values, scale = tensors["weight_packed"], tensors.get("weight_scale")
    *lead, outputs, width = values.shape
    shown = scale if scale is not None else tensors.get("weight_zero_point")
    groups = shown.shape[-1] if shown is not None and len(shown.shape) >= 2 else None
    index = tensors.get("weight_g_idx")
    inputs = index.shape[-1] if index is not None and index.shape else None
    bits, size, low, high = _decided(reading, width, outputs, groups, inputs)
    if said.method not in (None, "auto-round"):
        reading.compare("method", "compressed-tensors")
    if scale is not None and groups == 1 and said.strategy in ("channel", "tensor") and outputs > 1:
        reading.compare("strategy", "tensor" if scale.elements == 1 else "channel")
    elif said.strategy == "group":
        reading.agreed.append("strategy")
    reading.helper(
        "weight_scale",
        [(*lead, outputs, groups or _groups(high, said))],
        "one for each output and group",
    )
    reading.helper("weight_shape", [(2,), (*lead, 2), (len(values.shape),)], "the dims", frozenset({"I64", "I32"}))
    if said.zeros or "weight_zero_point" in tensors:
        rows = ceil_div(outputs * bits, 32)
        expected = [(*lead, rows, groups or 1), (*lead, outputs, groups or 1)]
        reading.helper("weight_zero_point", expected, f"{bits} bits for each output and group")
    if inputs is None:
        inputs = likely(low, high, said)
    bounds = () if low == high else (*((dim, dim) for dim in (*lead, outputs)), (low, high))
    shape = (*lead, outputs, inputs)
    return reading.opened("weight_packed", "pack-quantized", shape, bits, size, bounds=bounds)


def _groups(inputs: int, said: Said) -> int:
    return ceil_div(inputs, said.group_size) if said.group_size and said.group_size > 0 else 1


def _decided(
    reading: Reading, width: int, outputs: int, groups: int | None, inputs: int | None
) -> tuple[int, int | None, int, int]:
    """(bits, group size, least inputs, most inputs) from the config where it fits, else from what does fit."""
    said = reading.said
    zeros = reading.tensors.get("weight_zero_point")
    shown = None
    if zeros is not None and len(zeros.shape) >= 2 and zeros.shape[-2] != outputs:
        shown = next((bits for bits in WIDTHS if ceil_div(outputs * bits, 32) == zeros.shape[-2]), None)
    grouped = groups is not None and groups > 1
    stated = said.group_size if said.group_size and said.group_size > 0 else None
    first = dict.fromkeys([said.bits if shown is None else shown, said.bits])
    tried: list[tuple[int, int | None]] = [(bits, stated) for bits in first if bits in WIDTHS]
    guesses = [(bits, size) for bits in WIDTHS for size in (stated, 128, 64, 32, 16, 256) if size]
    known: list[tuple[int, int | None]] = []
    if grouped and groups:
        known += [(bits, size) for bits, size in guesses if size * groups in said.dims]
    same_bits = [one for one in known if one[0] in (shown, said.bits)] + [one for one in known if one[1] == stated]
    fitting: list[int] = []
    if groups == 1:
        fitting = [bits for bits in WIDTHS if any(_inside(width, bits, dim) for dim in said.dims)]
        known += [(bits, None) for bits in fitting]
    for bits, size in [*tried, *same_bits, *known, *guesses]:
        if shown is not None and bits != shown:
            continue
        least, most = interval(width, bits)
        if inputs is not None and not least <= inputs <= most:
            continue
        if not grouped:
            if (bits, size) in tried and groups == 1 and fitting and bits not in fitting:
                continue  # no dim of the model is so wide, and with other bits one is
            if size is not None and groups == 1 and least > size and (bits, size) in tried and stated:
                continue
            reading.compare("bits", bits)
            if groups == 1 and stated is not None:
                reading.compare("group_size", -1 if least > stated else stated)
            if inputs is not None:
                return bits, None if groups == 1 else size, inputs, inputs
            return bits, None if groups == 1 else size, least, most
        assert groups is not None
        if size is not None:
            exact = size * groups
            low, high = max(least, exact - size + 1), min(most, exact)
            if low > high or (exact > most and not ((bits, size) in tried and _named(said, low, high))):
                continue  # a last group that is not full is believed of stated settings only
            _compare(reading, bits, size)
            if least <= exact <= most:
                return bits, size, exact, exact
            return bits, size, low, high
    least, most = interval(width, tried[0][0] if tried else 4)
    reading.widths(f"weight_packed is {width} words wide = {most} inputs", f"weight_scale has {groups} groups")
    return tried[0][0] if tried else 4, stated, least, most


def _named(said: Said, low: int, high: int) -> bool:
    return not said.dims or any(low <= dim <= high for dim in said.dims)


def _inside(width: int, bits: int, dim: int) -> bool:
    least, most = interval(width, bits)
    return least <= dim <= most


def _compare(reading: Reading, bits: int, size: int | None) -> None:
    reading.compare("bits", bits)
    if size is not None:
        reading.compare("group_size", size)


def interval(width: int, bits: int) -> tuple[int, int]:
    """(least, most) inputs that fill so many words of 32 bits, in the dense packing or in the old one."""
    dense = ((width - 1) * 32 // bits + 1, width * 32 // bits)
    if 32 % bits == 0:
        return dense
    each = 32 // bits
    return min(dense[0], (width - 1) * each + 1), max(dense[1], width * each)


def likely(low: int, high: int, said: Said) -> int:
    """The inputs of an interval that the model's config names, else the roundest."""
    known = [dim for dim in said.dims if low <= dim <= high]
    if len(known) == 1:
        return known[0]
    return next((step * (high // step) for step in (128, 64, 32, 16, 8, 4, 2) if step * (high // step) >= low), high)


def _is_halves(tensors: Tensors, said: Said) -> bool:
    values = tensors["weight_packed"]
    return values.dtype in ("U8", "I8") and len(values.shape) >= 2


def _halves(tensors: Tensors, said: Said) -> Opened:
    """Two values of 4 bits in a byte; the dtype of the scales tells nvfp4 from mxfp4."""
    reading = Reading(tensors, said)
    values, scale = tensors["weight_packed"], tensors.get("weight_scale")
    *rows, columns = values.shape
    nvfp4 = scale.dtype in FLOAT8 if scale is not None else "weight_global_scale" in tensors
    if scale is None and said.variant:
        nvfp4 = "nvfp4" in said.variant
    size = 16 if nvfp4 else 32
    inputs = 2 * columns
    reading.compare("bits", 4)
    reading.compare("group_size", size)
    dtypes = FLOAT8 if nvfp4 else BYTES
    reading.helper("weight_scale", [(*rows, ceil_div(inputs, size))], f"one for {size} values", dtypes)
    if nvfp4:
        reading.helper("weight_global_scale", [(1,), (), (*rows[:-1], 1), tuple(rows[:-1])], "one number")
    return reading.opened("weight_packed", "nvfp4" if nvfp4 else "mxfp4", (*rows, inputs), 4, size)


def _is_bitmask(tensors: Tensors, said: Said) -> bool:
    mask = tensors.get("bitmask")
    return mask is not None and len(mask.shape) == 2 and mask.dtype == "U8"


def _bitmask(tensors: Tensors, said: Said) -> Opened:
    """Non-zero values and a bit for each place; pruned zeros count as parameters, as in the dense model."""
    reading = Reading(tensors, said)
    values, mask = tensors["compressed"], tensors["bitmask"]
    outputs, eighths = mask.shape
    bits = word(values) / 2
    if len(values.shape) == 2:
        inputs = 2 * values.shape[1]
        reading.helper("bitmask", [(values.shape[0], ceil_div(inputs, 8))], "one bit for each value")
        return reading.opened("compressed", "sparse-24", (values.shape[0], inputs), bits)
    reading.helper("row_offsets", [(outputs,)], "one for each row", required=False)
    inputs = likely(8 * eighths - 7, 8 * eighths, said)
    bounds = ((outputs, outputs), (8 * eighths - 7, 8 * eighths))
    return reading.opened("compressed", "sparse-bitmask", (outputs, inputs), word(values), bounds=bounds)


WORDS = Scheme("pack-quantized", "weight_packed", ("weight_scale", "weight_shape"), MAY, _is_words, _words)
HALVES = Scheme("nvfp4", "weight_packed", ("weight_scale",), MAY, _is_halves, _halves)
BITMASK = Scheme("sparse-bitmask", "compressed", ("bitmask",), ("shape", "row_offsets"), _is_bitmask, _bitmask)
