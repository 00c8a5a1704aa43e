"""auto-round writes the formats of GPTQ, AWQ, fp8 and compressed-tensors, with a separate config format."""

from __future__ import annotations

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.targets import exact, regex


def settings(block: ConfigBlock) -> QuantizationSettings:
    """Settings for all modules, and exceptions in `extra_config`, where 16 bits mean unquantized."""
    packing = block.text("packing_format") or ""
    blocks = "weight_block_size" if "weight_block_size" in block.values else "group_size"
    base = block.module_settings(
        {"block": blocks, "variant": "packing_format"},
        bits=block.integer("bits"),
        group_size=block.integer("group_size"),
        block=block.pair(blocks),
        variant=packing.rpartition(":")[2] or None,
        shown={"variant": packing},
    )
    special, ignored = [], list(block.ignored())
    for name, change in block.inner("extra_config").blocks():
        entry = regex(name, anywhere=True) if set(name) & set("*[](|\\^$+") else exact(name)
        if (change.integer("bits") or 0) >= 16:
            ignored.append(entry)
        else:
            special.append((entry, change.changing(base)))
    return QuantizationSettings(base, special=tuple(special), ignored=tuple(ignored))
