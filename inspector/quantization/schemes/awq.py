"""AWQ: 4 bits in words of 32, packed along the output (gemm) or along the input (gemv, gemv_fast).

gemm: `qweight` [in, out*b/32], `qzeros` [in/g, out*b/32], `scales` [in/g, out].
gemv: `qweight` [out, in*b/32], `qzeros` [out, z], `scales` [out, 8*z], where z = ceil(ceil(in/g/8)/m)*m is padded
(m = 1 from groups of 128 on, 2 at 64, 4 at 32).
gemv_fast: `qweight` I16 [out/4, in], `qzeros` and `scales` in floats [8*z, out].
llm-awq: as gemv_fast, with `scaled_zeros` in place of `qzeros` (`WQLinear` in `awq/quantize/qmodule.py` of llm-awq,
which TinyChat runs).
"""

from __future__ import annotations

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import (
    FLOATS,
    INTEGERS,
    ModuleReading,
    Scheme,
    Tensors,
    UnpackedTensor,
    ceil_div,
    word,
)
from inspector.quantization.schemes.gptq import is_gemv, is_stated_by_auto_round
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

WIDTHS = (4, 8, 2, 3)
VERSIONS = ("gemm", "gemv", "gemv_fast")


def _is_gemm(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scales, zeros = tensors["qweight"], tensors.get("scales"), tensors.get("qzeros")
    if len(values.shape) < 2 or values.dtype not in ("I32", "U32") or "weight_global_scale" in tensors:
        return False
    if zeros is not None and len(zeros.shape) >= 2 and zeros.shape[-1] == values.shape[-1]:
        return scales is None or scales.shape[-1:] > values.shape[-1:]
    if scales is not None and len(scales.shape) >= 2:
        return any(values.shape[-1] * 32 == scales.shape[-1] * bits for bits in WIDTHS)
    return setting.method == "awq" and setting.variant not in ("gemv", "gemv_fast", "marlin")


def _gemm(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    return packed_outputs(tensors, setting, ("qweight", "scales", "qzeros"), "awq", zeros=setting.zeros is not False)


def packed_outputs(
    tensors: Tensors, setting: ModuleSettings, names: tuple[str, str, str], scheme: str, *, zeros: bool
) -> UnpackedTensor:
    """Opens a module with values packed along the outputs. names: of values, scales and zero points.

    zeros: whether zero points are required.
    """
    values, scales, points = names
    reading = ModuleReading(tensors, setting)
    *lead, inputs, columns = tensors[values].shape
    bits = _shown_bits(tensors, (values, points), scales, setting)
    outputs = columns * 32 // bits
    reading.compare("bits", bits)
    if scheme == "awq":
        _version(reading, "gemm")
    if is_stated_by_auto_round(setting):
        reading.contradicts("variant", setting.shown.get("variant"), "auto_round:auto_awq")
    groups, size = reading.grouped((scales, points), -2, inputs)
    reading.helper(scales, [(*lead, groups, outputs)], "one for each group and output")
    because = f"{bits} bits for each group and output"
    reading.helper(points, [(*lead, groups, columns)], because, INTEGERS, required=zeros)
    return reading.result(values, scheme, (*lead, outputs, inputs), bits, size)


def _shown_bits(tensors: Tensors, packed: tuple[str, str], scales: str, setting: ModuleSettings) -> int:
    """The bits with which values or zero points, packed along the outputs, have the width of the scales."""
    widths = (*((setting.bits,) if setting.bits else ()), *WIDTHS)
    if scales in tensors and tensors[scales].shape:
        columns = [tensors[name].shape[-1] * 32 for name in packed if name in tensors and tensors[name].shape]
        return next((bits for bits in widths if tensors[scales].shape[-1] * bits in columns), setting.bits or 4)
    return setting.bits or 4


def _is_gemv(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scales, zeros = tensors["qweight"], tensors.get("scales"), tensors.get("qzeros")
    if len(values.shape) != 2 or values.dtype not in ("I32", "U32") or "g_idx" in tensors:
        return False
    if is_gemv(tensors, setting):
        return True
    if scales is not None and zeros is not None:
        return (
            len(scales.shape) == len(zeros.shape) == 2
            and scales.shape[0] == zeros.shape[0] == values.shape[0]
            and scales.shape[1] == 8 * zeros.shape[1]
        )
    return setting.method == "awq" and setting.variant == "gemv"


def _gemv(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    outputs, columns = tensors["qweight"].shape
    bits = 4  # the only width of its kernels
    inputs = columns * 32 // bits
    size, words = _padded(inputs, tensors, setting, 1)
    _gemv_settings(reading, bits, size, "gemv")
    reading.helper("scales", [(outputs, 8 * words)], "groups padded to whole words")
    reading.helper("qzeros", [(outputs, words)], "groups padded to whole words", INTEGERS)
    return reading.result("qweight", "awq-gemv", (outputs, inputs), bits, size)


def _padded(inputs: int, tensors: Tensors, setting: ModuleSettings, axis: int) -> tuple[int | None, int]:
    """(group size, words of zero points per output): the stated group size if it fits, else another that fits."""
    scales, zeros = tensors.get("scales"), tensors.get("qzeros")
    reported = [one.shape[axis] if one.dtype in INTEGERS else one.shape[axis] // 8
            for one in (zeros, scales) if one is not None and len(one.shape) == 2]  # fmt: skip
    sizes = [size for size in (setting.group_size, 128, 64, 32) if size and size > 0]
    for size in sizes:
        if zero_width(inputs, size) in reported:
            return size, zero_width(inputs, size)
    return None, reported[0] if reported else zero_width(inputs, sizes[0])


def zero_width(inputs: int, size: int) -> int:
    """Words of 8 zero points for each output, padded as AutoAWQ's kernels require."""
    step = 1 if size >= 128 else 2 if size == 64 else 4
    return ceil_div(ceil_div(ceil_div(inputs, size), 8), step) * step


def _gemv_settings(reading: ModuleReading, bits: int, size: int | None, version: str) -> None:
    reading.compare("bits", bits)
    _version(reading, version)
    reading.compare("group_size", size)


def _version(reading: ModuleReading, shown: str) -> None:
    """Compares the stated layout, if it is one of AutoAWQ's, with that of the tensors."""
    if reading.setting.variant in VERSIONS:
        reading.compare("variant", shown)


def _is_llm_awq(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, zeros = tensors["qweight"], tensors.get("scaled_zeros")
    return len(values.shape) == 2 and values.dtype == "I16" and zeros is not None and "qzeros" not in tensors


def _llm_awq(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    return _of_halves(tensors, setting, "scaled_zeros", "llm-awq")


def _is_fast(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scales, zeros = tensors["qweight"], tensors.get("scales"), tensors.get("qzeros")
    if len(values.shape) != 2 or values.dtype != "I16":
        return False
    if zeros is not None:
        return zeros.dtype in FLOATS
    return setting.method in (None, "awq") and (scales is None or scales.shape[-1] == 4 * values.shape[0])


def _fast(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    return _of_halves(tensors, setting, "qzeros", "awq-gemv-fast")


def _of_halves(tensors: Tensors, setting: ModuleSettings, zeros: str, scheme: str) -> UnpackedTensor:
    """Opens a module with values in words of 16 bits. zeros: the name of its zero points."""
    reading = ModuleReading(tensors, setting)
    rows, inputs = tensors["qweight"].shape
    bits = 4
    outputs = rows * word(tensors["qweight"]) // bits
    size, words = _padded(inputs, tensors, setting, 0)
    _gemv_settings(reading, bits, size, "gemv_fast")
    for helper in ("scales", zeros):
        reading.helper(helper, [(8 * words, outputs)], "groups padded to whole words", FLOATS)
    return reading.result("qweight", scheme, (outputs, inputs), bits, size)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """AutoAWQ's config, or the older one of llm-awq with `w_bit` and `q_group_size`."""
    bits, size = ("w_bit", "q_group_size") if "w_bit" in block.values else ("bits", "group_size")
    base = block.module_settings(
        {"bits": bits, "group_size": size, "variant": "version"},
        bits=block.integer(bits),
        group_size=block.integer(size),
        variant=(block.text("version") or "gemm").casefold(),
        zeros=block.truth("zero_point"),
    )
    return QuantizationSettings(base, ignored=block.ignored())


AWQ = Scheme("awq", "qweight", ("scales", "qzeros"), (), _is_gemm, _gemm)
AWQ_GEMV = Scheme("awq-gemv", "qweight", ("scales", "qzeros"), (), _is_gemv, _gemv)
LLM_AWQ = Scheme("llm-awq", "qweight", ("scales", "scaled_zeros"), (), _is_llm_awq, _llm_awq)
AWQ_GEMV_FAST = Scheme("awq-gemv-fast", "qweight", ("scales", "qzeros"), (), _is_fast, _fast)
