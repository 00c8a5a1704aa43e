"""Quantized experts that are stored one by one, and convolutions next to quantized modules, that transformers 5 merges
while it loads.

Source: `integrations/compressed_tensors.py` of transformers 5.23 (`get_experts_scheme`, `CompressedTensorsDequantize`).
Measured with compressed-tensors 0.20 for Mixtral and Qwen3-MoE: experts that are stored one by one are read where the
group that holds for them has floats of 8 bits, or where each has `weight_packed`. Plain ones and integers of 8 bits are
not found under a group of integers: "torch.cat(): expected a non-empty list of Tensors". Floats of 8 bits are
multiplied by their scale as torch multiplies tensors, which fails for a scale of each block (measured for GLM-4.5 with
transformers 5.24: "The size of tensor a must match the size of tensor b").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.result import Audit
from inspector.loader.config_file import named_class
from inspector.loading.given import Recorded
from inspector.loading.outcome import RANDOM, REFUSES, UNKNOWN
from inspector.loading.tables import NEWEST
from inspector.reconciler.ledger import Line

METHODS: Final = frozenset({"awq", "bitsandbytes", "gptq"})
OUTCOMES: Final = {"awq": RANDOM, "gptq": RANDOM, "nf4": REFUSES, "fp4": REFUSES, "llm-int8": UNKNOWN}
"""Scheme -> what version 5 does with such experts: it has quantized layers only in place of `nn.Linear`.

Measured with transformers 5.24, GPTQModel 7.7 and optimum 2.3 for Mixtral and Qwen3-MoE: `gate_up_proj` and `down_proj`
of all experts are missing, and every tensor of the experts is unexpected. Four-bit experts of bitsandbytes 0.50, as
version 4 saves them, end in an error of the conversion; of eight bits the weights are unexpected and none is missing.
"""
METHOD: Final = "compressed-tensors"
EXPERTS: Final = ".experts.#."
PATTERN: Final = "re:"
OF_EXPERTS: Final = "experts"
"""A part of a pattern by which a group is taken for that of the experts."""
SCALE: Final = "weight_scale"
BY_ITSELF: Final = frozenset({"int8", "fp8", "fp8-block"})
"""Schemes that store each value by itself."""


def unread_experts(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on experts that it merges and does not find; None without such experts."""
    config = audited.checkpoint.config
    block = None if config is None else config.values.get(QUANTIZATION)
    if audited.unpacked is not None and audited.unpacked.settings.base.method in METHODS:
        packed = next((line.packed for line in _merged(audited) if line.packed is not None), None)
        outcome = None if packed is None else OUTCOMES.get(packed.scheme)
        because = "it merges the experts, and does not read quantized ones that are stored one by one"
        return None if outcome is None else Recorded(outcome, because)
    if audited.unpacked is None or not isinstance(block, Mapping) or block.get("quant_method") != METHOD:
        return None
    weights = _weights_of_experts(block)
    if weights is None:
        return None
    if weights.get("type") == "float" and weights.get("num_bits", 8) == 8:
        return _scaled_by_blocks(audited)
    line = next(_unpacked(audited), None)
    if line is None:
        return _joined_convolutions(audited)
    kind = "plain" if line.packed is None else f"{line.packed.scheme} without weight_packed"
    return Recorded(REFUSES, f"it merges the experts by the packed weights of a group, and they are {kind}")


def _joined_convolutions(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on convolutions that it joins; None without such convolutions.

    It looks for the packed weights of all tensors that a conversion joins, unless the module of the result is packed.
    Measured with Kimi Linear in groups of 4-bit integers and floats: "torch.cat(): expected a non-empty list of
    Tensors".
    """
    line = next((one for one in _converted(audited) if one.packed is None and len(one.layout.shape) > 2), None)
    if line is None or EXPERTS in line.family:
        return None
    return Recorded(REFUSES, f"it looks for packed weights of {line.family.rpartition('.')[0]}, which it joins")


def _scaled_by_blocks(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on merged experts with a scale for each block; None without such experts."""
    assert audited.unpacked is not None
    scales = [one for one in audited.unpacked.helpers if one.of and one.key.endswith(SCALE)]
    for line in _unpacked(audited):
        shape = line.layout.shape
        for scale in scales:
            dims = zip(shape[-2:], scale.layout.shape[-2:], strict=False)
            if scale.of == line.family and any(there not in (1, dim) for dim, there in dims):
                sizes = " and ".join("x".join(map(str, one[-2:])) for one in (scale.layout.shape, shape))
                return Recorded(REFUSES, f"it multiplies each expert by its scale, whose sizes differ ({sizes})")
    return None


def _weights_of_experts(block: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The weights of the group that it takes for that of the experts."""
    stated = block.get("config_groups")
    groups = [one for one in stated.values() if isinstance(one, Mapping)] if isinstance(stated, Mapping) else []
    named = (group for group in groups if any(one.startswith(PATTERN) and OF_EXPERTS in one for one in _targets(group)))
    by_class = (group for group in groups if any(not one.startswith(PATTERN) for one in _targets(group)))
    group = next(named, None) or next(by_class, None) or next(iter(groups), {})
    weights = group.get("weights")
    return weights if isinstance(weights, Mapping) else None


def _targets(group: Mapping[str, Any]) -> list[str]:
    targets = group.get("targets")
    return [one for one in targets if isinstance(one, str)] if isinstance(targets, list) else []


def _unpacked(audited: Audit) -> Iterator[Line]:
    """The matrices of single experts that are merged and have no packed weights."""
    return (line for line in _merged(audited) if line.packed is None or line.packed.scheme in BY_ITSELF)


def _merged(audited: Audit) -> Iterator[Line]:
    """The matrices of single experts that version 5 merges."""
    return (line for line in _converted(audited) if EXPERTS in line.family)


def _converted(audited: Audit) -> Iterator[Line]:
    """The weights that version 5 joins, merges or splits."""
    from inspector.loading.memory import memory_namer
    from inspector.loading.tables import rules_of

    config = audited.checkpoint.config
    name = None if config is None else named_class(config.values)
    rules = None if name is None else rules_of(name, NEWEST)
    if rules is None or not rules.exact:
        return
    namer = memory_namer(rules)
    for line in audited.lines:
        if line.family.endswith(".weight"):
            converter = namer.name(line.family).converter
            if converter is not None and converter.kind == "convert":
                yield line
