"""bitsandbytes: nf4 and fp4 in a flat column of any storage dtype, and int8 rows.

4 bit: `weight` [N, 1] in the storage dtype (bytes by default, BF16 with quant_storage), two values in a byte, so
the header determines the number of elements but not the shape; `weight.absmax` [ceil(n/blocksize)],
`weight.quant_map` [16], `weight.quant_state.bitsandbytes__nf4` or `__fp4` (JSON in bytes). With double
quantization `absmax` is bytes and `weight.nested_absmax` [ceil(blocks/256)], `weight.nested_quant_map` [256]
are stored with it.
Loaders take type and double quantization from the state (measured: transformers 5.23 with bitsandbytes 0.50).
int8: `weight` I8 [out, in], `SCB` F32 [out], `weight_format` [].
"""

from __future__ import annotations

from typing import Final

from inspector.findings.types.packed import PackingHelperDiffers
from inspector.findings.types.packing_config import SWITCHES, PackingConfigDisagrees
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import BYTES, FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor, ceil_div, word
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

STATES = ("weight.quant_state.bitsandbytes__nf4", "weight.quant_state.bitsandbytes__fp4")
NESTED = ("weight.nested_absmax", "weight.nested_quant_map")
LEAST = 4096
"""Least number of rows of a float column that counts as a quantized weight."""
BLOCKS = (64, 128, 256, 512, 1024, 2048, 4096, 32)


def _is_four(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    flat = len(values.shape) == 2 and (values.shape[1] == 1 or values.shape[0] == 1)
    if "weight.absmax" in tensors or any(state in tensors for state in STATES):
        return True
    column = flat and values.shape[1] == 1 and values.elements >= LEAST
    return setting.method == "bitsandbytes" and ((flat and values.dtype == "U8") or (column and setting.bits == 4))


def _four(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, absmax = tensors["weight"], tensors.get("weight.absmax")
    elements = values.elements * word(values) // 4
    kind = next((state[-3:] for state in STATES if state in tensors), None)
    nested = any(name in tensors for name in NESTED) or (absmax is not None and absmax.dtype in BYTES)
    reading.compare("variant", kind, read=kind is None)
    if kind is not None or absmax is not None or nested:  # without any of them it is unknown how scales are stored
        reading.compare("nested", nested, read=kind is None)
    _switched(reading, 4)
    size = _size(elements, absmax.elements if absmax is not None else None)
    counts = [(ceil_div(elements, block),) for block in ([size] if size else BLOCKS[:1])]
    reading.helper("weight.absmax", counts, f"one for {size or 64} values", BYTES if nested else FLOATS)
    reading.helper("weight.quant_map", [(16,)], "one for each code", FLOATS)
    state = STATES[1] if (kind or setting.variant) == "fp4" else STATES[0]
    reading.helper(state, [tensors[state].shape if state in tensors else ()], "JSON in bytes", frozenset({"U8"}))
    if nested:
        blocks = ceil_div(elements, size or 64)
        reading.helper(NESTED[0], [(ceil_div(blocks, 256),)], "one for 256 blocks", FLOATS)
        reading.helper(NESTED[1], [(256,)], "one for each code", FLOATS)
    return reading.result("weight", kind or setting.variant or "nf4", (elements,), 4, size, shaped=False, padding=1)


def _size(elements: int, blocks: int | None) -> int | None:
    return next((size for size in BLOCKS if ceil_div(elements, size) == blocks), None)


def only_block_size(tensors: Tensors) -> int | None:
    """The block size, if only one gives this number of blocks; else None."""
    values, absmax = tensors.get("weight"), tensors.get("weight.absmax")
    if values is None or absmax is None:
        return None
    elements = values.elements * word(values) // 4
    found = [size for size in BLOCKS if ceil_div(elements, size) == absmax.elements]
    return found[0] if len(found) == 1 else None


def state_bytes(tensors: Tensors) -> int:
    """Bytes of the state that contains the block size; 0 if its offset of nested scales varies in length."""
    states = [tensors[name].elements for name in STATES if name in tensors]
    return states[0] if states and NESTED[0] not in tensors else 0


def block_differs(tensors: Tensors, size: int) -> PackingHelperDiffers:
    """The finding on scales that do not belong to blocks of this size."""
    values, absmax = tensors["weight"], tensors["weight.absmax"]
    blocks = ceil_div(values.elements * word(values) // 4, size)
    return PackingHelperDiffers(helper="weight.absmax", stored=absmax.shape, dtype=absmax.dtype, expected=((blocks,),),
                                dtypes=(), because=f"one for {size} values, as in the other modules")  # fmt: skip


def _switched(reading: ModuleReading, bits: int) -> None:
    """Compares the bits with the active switch. If none is active, transformers 5.23 refuses 4 bits and
    casts 8 bits.
    """
    if reading.setting.bits != OFF:
        reading.compare("bits", bits)
        return
    key = f"{reading.setting.prefix}.load_in_{bits}bit"
    stated = reading.setting.shown.get(f"load_in_{bits}bit")
    reading.faults.append(PackingConfigDisagrees(key=key, what="bits", config=stated, plain=True, weights=True))


def _is_eight(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    if values.dtype != "I8" or len(values.shape) != 2:
        return False
    return "SCB" in tensors or "weight_format" in tensors or setting.method == "bitsandbytes"


def _eight(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    outputs, inputs = tensors["weight"].shape
    _switched(reading, 8)
    reading.helper("SCB", [(outputs,)], "one for each output", FLOATS)
    reading.helper("weight_format", [(), (1,)], "one number", required=False)
    return reading.result("weight", "llm-int8", (outputs, inputs), 8)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The bitsandbytes config of transformers. Of the two spellings of each switch, loaders read the first."""
    stated = {
        bits: next((block.values[key] for key in (name, f"_{name}") if key in block.values), None)
        for bits, name in SWITCHES.items()
    }
    bits = next((bits for bits, on in stated.items() if on), None)
    base = block.module_settings(
        {"bits": "load_in_4bit" if bits == 4 else "load_in_8bit", "variant": "bnb_4bit_quant_type",
         "nested": "bnb_4bit_use_double_quant"},
        bits=bits or OFF,
        variant=block.text("bnb_4bit_quant_type") if bits == 4 else None,
        nested=block.truth("bnb_4bit_use_double_quant") if bits == 4 else None,
        shown={"bits": True} if bits else {name: block.values.get(name) for name in SWITCHES.values()},
    )  # fmt: skip
    return QuantizationSettings(base, ignored=block.ignored("llm_int8_skip_modules"))


OFF: Final = 0
"""The bits of a block without an active switch."""
FOUR = Scheme("nf4", "weight", ("weight.absmax", "weight.quant_map"), (*NESTED, *STATES), _is_four, _four)
EIGHT = Scheme("llm-int8", "weight", ("SCB",), ("weight_format",), _is_eight, _eight)
