"""GPTQ, and files of auto-round in its format: values packed along the input, zero points along the output.

`qweight` [in*b/w, out] in words of w bits (32, with GPTQModel's pack_dtype also 8, 16 or 64), `qzeros`
[G, out*b/w], `scales` [G, out], `g_idx` [in] (auto-round leaves it out). G groups of ceil(in/G) inputs, one where
the group size is -1. Zeros are stored for symmetric weights too. 3 bits are packed densely: 32 values in
3 words; GPTQModel's planar layout of 3, 5, 6 and 7 bits has the same shapes. Versions 1 and 2 differ in the values of
the zero points, which headers do not show.

The first layout, of GPTQ-for-LLaMa in March 2023: `qweight` as above, `scales` and float `zeros` (zero point times
scale) [out, 1], one for each output. Read by alpaca_lora_4bit (`Autograd4bitQuantLinear` with a group size of -1); the
loaders of AutoGPTQ, GPTQModel, vLLM and transformers register `qzeros` and scales [G, out] only.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.findings.types.obsolete import PackingObsolete
from inspector.quantization.config_block import MOST_ENTRIES, ConfigBlock
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
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import Entry, regex

WIDTHS = (2, 3, 4, 5, 6, 7, 8)


def recognises(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if `qweight` is as wide as the scales; without scales, wider than the zero points; else by the config."""
    values, scales, zeros = tensors["qweight"], tensors.get("scales"), tensors.get("qzeros")
    if len(values.shape) < 2 or values.dtype not in INTEGERS or {"weight_global_scale", "B"} & tensors.keys():
        return False
    if setting.variant == "marlin":
        return False  # AWQ's tiles without zero points
    if is_gemv(tensors, setting):
        return False  # narrow matrices fit both: 128 inputs in groups of 64 look like groups of 8 inputs
    columns = values.shape[-1]
    if scales is not None:
        return len(scales.shape) >= 2 and scales.shape[-1] == columns
    if zeros is not None and len(zeros.shape) >= 2:
        narrow = zeros.shape[-1] < columns or setting.method == "gptq"
        return narrow and zeros.shape[-1] * word(zeros) in [columns * bits for bits in WIDTHS]
    return setting.method in ("gptq", "auto-round") or "g_idx" in tensors


def is_gemv(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if scales or zero points have one row for each output, as in the AWQ version that the config states."""
    if setting.method != "awq" or setting.variant != "gemv" or "g_idx" in tensors:
        return False
    helpers = [tensors[name].shape for name in ("scales", "qzeros") if name in tensors]
    return any(len(shape) == 2 and shape[0] == tensors["qweight"].shape[0] for shape in helpers)


_OF_GPTQ = "gptq"
"""Part of auto-round's packing format if values are packed along the inputs."""


def is_stated_by_auto_round(setting: ModuleSettings) -> bool:
    """True if a block of auto-round states that values are packed along the inputs."""
    return setting.method == "auto-round" and _OF_GPTQ in (setting.variant or "")


def open_module(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """Derives inputs from `g_idx` or the rows; bits from the widths of zero points and scales, else from `g_idx`."""
    reading = ModuleReading(tensors, setting)
    if is_stated_by_auto_round(setting):
        reading.agreed.append("variant")
    values, zeros, index = (tensors.get(name) for name in ("qweight", "qzeros", "g_idx"))
    assert values is not None
    *lead, rows, outputs = values.shape
    bits = _bits(tensors, setting)
    inputs = rows * word(values) // bits
    if index is not None and len(index.shape) == 1:
        needed = ceil_div(index.shape[0] * bits, word(values))
        if needed == rows:
            inputs = index.shape[0]
        elif _groups_fit(tensors, setting, index.shape[0]):
            inputs = index.shape[0]
            reading.widths(f"qweight has {rows:,} rows", f"g_idx has {inputs:,} entries, which fill {needed:,}")
        elif zeros is None:
            reading.compare("bits", bits)
    reading.compare("bits", bits)
    groups, size = reading.grouped(("scales", "qzeros"), -2, inputs)
    reading.helper("scales", [(*lead, groups, outputs)], "one for each group and output")
    words = ceil_div(outputs * bits, word(values))
    reading.helper("qzeros", [(*lead, groups, words)], f"{bits} bits for each group and output", INTEGERS)
    reading.helper("g_idx", [(inputs,), (*lead, inputs)], "one for each input",
                   required=setting.variant == "desc_act")  # fmt: skip
    return reading.result("qweight", "gptq", (*lead, outputs, inputs), bits, size)


def _groups_fit(tensors: Tensors, setting: ModuleSettings, inputs: int) -> bool:
    """True if scales and zero points have a row for each group of the inputs, with the group size of the config.

    In this case `qweight` differs.
    """
    size = setting.group_size
    if size is None or size < 1 or "qzeros" not in tensors or "scales" not in tensors:
        return False
    return all(tensors[name].shape[-2:-1] == (ceil_div(inputs, size),) for name in ("scales", "qzeros"))


def _bits(tensors: Tensors, setting: ModuleSettings) -> int:
    """The bits that zero points and `g_idx` allow; if several, the stated bits, or those with inputs of
    a known width.
    """
    values, zeros, index = tensors["qweight"], tensors.get("qzeros"), tensors.get("g_idx")
    rows, outputs = values.shape[-2:]
    allowed: list[int] = []
    if zeros is not None and len(zeros.shape) >= 2 and zeros.dtype in INTEGERS:
        allowed = [bits for bits in WIDTHS if ceil_div(outputs * bits, word(zeros)) == zeros.shape[-1]]
    if index is not None and index.elements and len(allowed) != 1:
        filling = [bits for bits in allowed or WIDTHS if ceil_div(index.elements * bits, word(values)) == rows]
        allowed = filling or allowed
    if not allowed:
        return setting.bits if setting.bits in WIDTHS else 4
    if setting.bits in allowed:
        return setting.bits
    named = [bits for bits in allowed if rows * word(values) // bits in setting.dims]
    return next((bits for bits in (4, 8) if bits in (named or allowed)), (named or allowed)[0])


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The GPTQ config. In `dynamic` the first matching pattern counts, and a pattern with a minus excludes modules."""
    base = block.module_settings(
        bits=block.integer("bits"),
        group_size=block.integer("group_size"),
        variant="desc_act" if block.truth("desc_act") else None,
        head=block.truth("lm_head"),
    )
    rules = list(block.inner("dynamic").blocks())
    special = [(regex(text.removeprefix("+:"), text), change.changing(base)) for text, change in reversed(rules)
               if not text.startswith("-:")]  # fmt: skip
    ignored = [regex(text[2:], text) for text, _ in rules if text.startswith("-:")]
    quantized = _quantized(block)
    if quantized:
        special = [*((entry, base) for entry in quantized), *special]
        base = replace(base, skipped="")
    return QuantizationSettings(base, special=tuple(special), ignored=(*block.ignored(), *ignored))


def _quantized(block: ConfigBlock) -> list[Entry]:
    """The ends of the names of the only quantized modules; empty if all are quantized.

    `GPTQQuantizer` of optimum, which transformers calls, replaces no other layer of the blocks.
    """
    groups = block.values.get("modules_in_block_to_quantize")
    listed = groups if isinstance(groups, list) else []
    flat = [name for group in listed[:MOST_ENTRIES] for name in (group if isinstance(group, list) else [group])]
    ends = [name for name in flat[:MOST_ENTRIES] if isinstance(name, str) and name]
    if ends and block.truth("lm_head"):
        ends.append("lm_head")
    return [Entry(name, tuple(name.split(".")), at_end=True, open_start=True) for name in ends]


GPTQ = Scheme("gptq", "qweight", ("scales", "qzeros"), ("g_idx",), recognises, open_module)


FIRST = "gptq-float-zeros"
"""The name of the first layout."""


def _is_first(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if float scales or zeros are a column with a row for each output, and no packed zero points are stored."""
    values, zeros = tensors["qweight"], tensors.get("zeros")
    if len(values.shape) != 2 or zeros is None or "qzeros" in tensors:
        return False
    column = (values.shape[-1], 1)
    return zeros.dtype in FLOATS and column in [tensors[name].shape for name in ("zeros", "scales") if name in tensors]


def _open_first(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """Opens the first layout. Bits come from the settings or the widths of the model, else 4: no helper depends on
    them.
    """
    reading = ModuleReading(tensors, setting)
    values = tensors["qweight"]
    rows, outputs = values.shape
    named = [bits for bits in (4, 8, 3, 2) if rows * word(values) // bits in setting.dims]
    stated = setting.bits if setting.bits in WIDTHS and (setting.bits in named or not named) else None
    bits = stated or (named or [4])[0]
    reading.compare("bits", bits)
    for helper in ("scales", "zeros"):
        reading.helper(helper, [(outputs, 1)], "one for each output", FLOATS)
    reading.faults.append(PackingObsolete())
    return reading.result("qweight", FIRST, (outputs, rows * word(values) // bits), bits, -1)


GPTQ_FIRST = Scheme(FIRST, "qweight", ("scales", "zeros"), (), _is_first, _open_first)
