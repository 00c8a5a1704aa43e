"""The config of compressed-tensors: groups of modules, each with settings of its own."""

from __future__ import annotations

from inspector.quantization.config_block import MOST_ENTRIES, Block
from inspector.quantization.settings import Settings
from inspector.quantization.stated import Said
from inspector.quantization.targets import exact, regex

STRATEGIES = ("channel", "tensor", "block", "group")
WITHOUT_GROUPS = ("float-quantized", "int-quantized", "naive-quantized")
"""Formats whose scales are not of groups, whatever group size is stated."""


def settings(block: Block) -> Settings:
    """A target is the name of a class, which stands for all modules, of a module, or a pattern."""
    base, special = None, []
    for _, group in block.inner("config_groups").blocks():
        said = _group(block, group)
        targets = group.values.get("targets")
        for target in targets[:MOST_ENTRIES] if isinstance(targets, list) else ():
            if not isinstance(target, str):
                continue
            if target.startswith("re:"):
                special.append((regex(target[3:], target), said))
            elif "." in target or target.islower():
                special.append((exact(target), said))
            else:
                base = said
    base = base or block.said(variant=block.text("format"))
    return Settings(base, special=tuple(special), ignored=block.ignored())


def _group(block: Block, group: Block) -> Said:
    weights = group.inner("weights")
    strategy, symmetric = weights.text("strategy"), weights.truth("symmetric")
    variant = group.text("format") or block.text("format")
    size = -1 if strategy in ("channel", "tensor") else weights.integer("group_size")
    return weights.said(
        {"bits": "num_bits", "block": "block_structure", "zeros": "symmetric"},
        bits=weights.integer("num_bits"),
        group_size=None if variant in WITHOUT_GROUPS else size,
        block=weights.pair("block_structure"),
        strategy=strategy if strategy in STRATEGIES else None,
        zeros=None if symmetric is None or weights.text("type") == "float" else not symmetric,
        variant=variant,
        activations=activations_of(group),
    )


def activations_of(group: Block) -> str | None:
    """The helper of inputs that are quantized with a fixed scale; "local" ones have a fixed scale of their scales."""
    dynamic = group.inner("input_activations").values.get("dynamic")
    return "input_scale" if dynamic is False else "input_global_scale" if dynamic == "local" else None
