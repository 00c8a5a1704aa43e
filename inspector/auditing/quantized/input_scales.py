"""Scales of inputs that the quantization block calls static and that no module has.

Loaders then compute them while the model runs, if the block says so. Measured with transformers 5.23:
compressed-tensors 0.20 with `dynamic` and Quark 0.13 with `is_dynamic` load completely without them. Fine-grained fp8
builds no scale for its inputs under `activation_scheme` "dynamic" (`FP8Linear` of transformers; vLLM's `fp8.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from inspector.findings.finding import Finding
from inspector.findings.types.packed import PackingHelperMissing, Switch
from inspector.loader.checkpoint import Checkpoint
from inspector.quantization.module import ACTIVATION_SCALES
from inspector.quantization.unpacked import Unpacked

SCHEMES: Final[Mapping[str, tuple[str, str]]] = {"fp8": ("activation_scheme", "dynamic")}
"""Method -> the key of the block for all inputs, and the value with which their scales are not stored."""


def with_switches(finding: Finding, checkpoint: Checkpoint, unpacked: Unpacked) -> Finding:
    """The finding; if no scale of inputs is stored, with the keys that let loaders do without these scales."""
    config, source = checkpoint.config, unpacked.settings.source
    if not isinstance(finding, PackingHelperMissing) or finding.helper not in ACTIVATION_SCALES:
        return finding
    stored = any(one.key.endswith(tuple(f".{name}" for name in ACTIVATION_SCALES)) for one in unpacked.helpers)
    if stored or config is None or config.kind != "config":
        return finding
    *parts, last = source.split(".")
    values: Any = config.values
    for part in parts:
        values = values.get(part) if isinstance(values, Mapping) else None
    block = values.get(last) if isinstance(values, Mapping) else None
    found = _switches(block, (*parts, last), unpacked.settings.base.method) if isinstance(block, Mapping) else ()
    return msgspec.structs.replace(finding, file=config.file, switches=tuple(found))


def _switches(block: Mapping[str, Any], path: tuple[str, ...], method: str | None) -> Iterator[Switch]:
    """The keys of a block that call scales of inputs static."""
    if method is not None and method in SCHEMES:
        key, value = SCHEMES[method]
        yield _switch(block, (*path, key), value)
    elif method == "compressed-tensors":
        groups = block.get("config_groups")
        for name, group in groups.items() if isinstance(groups, Mapping) else ():
            inputs = group.get("input_activations") if isinstance(group, Mapping) else None
            if isinstance(inputs, Mapping) and inputs.get("dynamic", False) is False:
                yield _switch(inputs, (*path, "config_groups", name, "input_activations", "dynamic"), True)
    elif method == "quark":
        whole = block.get("global_quant_config")
        inputs = whole.get("input_tensors") if isinstance(whole, Mapping) else None
        special = block.get("layer_quant_config") or block.get("layer_type_quant_config")
        if isinstance(inputs, Mapping) and inputs.get("is_dynamic") is False and not special:
            yield _switch(inputs, (*path, "global_quant_config", "input_tensors", "is_dynamic"), True)


def _switch(values: Mapping[str, Any], path: tuple[str, ...], value: Any) -> Switch:
    return Switch(path, value, values.get(path[-1], msgspec.UNSET))
