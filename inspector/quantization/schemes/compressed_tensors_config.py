"""The config of compressed-tensors: groups of modules with separate settings."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.quantization.config_block import MOST_ENTRIES, ConfigBlock
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact, regex

STRATEGIES = ("channel", "tensor", "block", "group")
WHOLE = ("channel", "tensor")
"""Strategies without scales per group."""
NUMBER_TYPES = {"float": "float", "int": "integer"}
WITHOUT_GROUPS = ("float-quantized", "int-quantized", "naive-quantized")
"""Formats without scales per group, even if a group size is stated; each value is stored separately (`weight`)."""
USUAL_BITS = 8
"""The bits of a group that states none (`QuantizationArgs.num_bits` of compressed-tensors)."""
PACKED = "pack-quantized"
"""The format of integers in words (`weight_packed`).

The format of a group decides which tensors its modules have. If a group states none, the format of the block is not
used (transformers 5.23 with compressed-tensors 0.20, `infer_model_format`).
"""
BY_ITSELF = "int-quantized"
"""The format of integers that are stored separately (`weight`)."""


def settings(block: ConfigBlock) -> QuantizationSettings:
    """Reads the settings. A target is a class name (meaning all modules), a module name, or a pattern."""
    base, special = None, []
    for _, group in block.inner("config_groups").blocks():
        setting = _group(block, group)
        targets = group.values.get("targets")
        for target in targets[:MOST_ENTRIES] if isinstance(targets, list) else ():
            if not isinstance(target, str) or not group.inner("weights").values:
                continue  # an attention's group has scales of queries, keys and values, and no weights
            if target.startswith("re:"):
                special.append((regex(target[3:], target), setting))
            elif "." in target or target.islower():
                special.append((exact(target), setting))
            else:
                base = setting
    sparse = block.inner("sparsity_config").text("format") not in (None, "dense")  # applies to modules in no group too
    base = base or block.module_settings(variant=block.text("format"), skipped=None if sparse else "")
    return QuantizationSettings(
        base, special=tuple(special), ignored=block.ignored(), transforms=_transforms(block.inner("transform_config"))
    )


def _transforms(block: ConfigBlock) -> frozenset[str]:
    """The submodules that rotate activations, `NAME_LOCATION`. Rotations of weights are fused and not stored."""
    found = set()
    for name, group in block.inner("config_groups").blocks():
        places = group.values.get("apply")
        for place in places[:MOST_ENTRIES] if isinstance(places, list) else ():
            location = place.get("location") if isinstance(place, dict) else None
            if location in ("input", "output", "q_attn", "k_cache"):
                found.add(f"{name}_{location}")
    return frozenset(found)


def _group(block: ConfigBlock, group: ConfigBlock) -> ModuleSettings:
    weights = group.inner("weights")
    strategy, symmetric = weights.text("strategy"), weights.truth("symmetric")
    variant = group.text("format") or block.text("format")
    size = weights.integer("group_size")  # with it the loader refuses any strategy except groups
    above = size is not None and size > 0
    size = size if above or strategy not in WHOLE else -1
    read = weights.module_settings(
        {"bits": "num_bits", "block": "block_structure", "zeros": "symmetric", "number_type": "type"},
        bits=weights.integer("num_bits") if "num_bits" in weights.values else USUAL_BITS,
        group_size=None if variant in WITHOUT_GROUPS and strategy != "group" and not above else size,
        block=weights.pair("block_structure"),
        strategy=strategy if strategy in STRATEGIES else None,
        zeros=None if symmetric is None or weights.text("type") == "float" else not symmetric,
        variant=variant,
        number_type=NUMBER_TYPES.get(weights.text("type") or ""),
        shown={"number_type": weights.text("type")},
        activations=activations_of(group),
        format=group.text("format"),
        inferred_format=_inferred(block, group),
    )
    return replace(read, keys={**read.keys, "format": f"{group.key}.format"})


def _inferred(block: ConfigBlock, group: ConfigBlock) -> str | None:
    """The format of integers that the loader infers for a group without a format; None if the values are not integers.

    Measured with transformers 5.23 and compressed-tensors 0.20 (`infer_module_format`): integers with quantized inputs
    are stored separately, all others in words, whatever the format of the block. Weights with another status than
    "compressed" are read differently.
    """
    weights = group.inner("weights")
    if group.values.get("format") is not None or block.text("quantization_status") != "compressed":
        return None
    if (weights.text("type") or "int") != "int" or not 1 <= (weights.integer("num_bits") or 8) <= 8:
        return None
    return PACKED if group.values.get("input_activations") is None else BY_ITSELF


def activations_of(group: ConfigBlock) -> str | None:
    """The helper with the static scale of quantized inputs; for "local" scales, the static scale of the scales.

    Scales are static unless the block states otherwise (`QuantizationArgs.dynamic` of compressed-tensors).
    """
    stated = group.inner("input_activations").values
    dynamic = stated.get("dynamic", False) if stated else None
    return "input_scale" if dynamic is False else "input_global_scale" if dynamic == "local" else None
