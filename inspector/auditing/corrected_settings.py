"""A config whose quantization settings are set to what the weights show, where they contradict it.

Under wrong settings quantized values stand for weights of other shapes, which then look like errors of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec.structs import replace

from inspector.findings.finding import Finding, Step
from inspector.findings.types.block import QuantizationBlockMissing
from inspector.findings.types.packed import PackingConfigDisagrees
from inspector.loader.config_file import QUANTIZATION_KEYS, Config


def with_weights_settings(config: Config | None, findings: Sequence[Finding]) -> Iterator[Config]:
    """The config with each setting that a finding names as the remedy says, and the one without any settings.

    None of them where no other error can follow from the settings.
    """
    named = [one for one in findings if _is_of_settings(one)]
    if config is None or not named or all(_is_of_settings(one) or one.severity == "note" for one in findings):
        return
    steps = [list(_steps(one, config.file)) for one in named]
    values = deepcopy(dict(config.values))
    if all(steps) and all(_set(values, step) for own in steps for step in own):
        yield replace(config, values=values)
    yield replace(config, values={key: value for key, value in config.values.items() if key not in QUANTIZATION_KEYS})


def explaining(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...] | None:
    """The findings on the settings and what is left with them corrected; None where they do not explain all errors."""
    left = [one for one in after if not isinstance(one, QuantizationBlockMissing)]
    if any(one.severity != "note" for one in left):
        return None
    return (*(one for one in before if _is_of_settings(one)), *left)


def _is_of_settings(finding: Finding) -> bool:
    return isinstance(finding, PackingConfigDisagrees) and finding.severity == "error"


def _steps(finding: Finding, file: str) -> Iterator[Step]:
    remedy = finding.remedy()
    return (step for step in remedy.steps if step.action == "set" and step.file == file) if remedy else iter(())


def _set(values: dict[str, Any], step: Step) -> bool:
    """Whether a step's key could be set."""
    *path, last = step.key
    inner: Any = values
    for key in path:
        inner = inner.get(key) if isinstance(inner, Mapping) else None
    if not isinstance(inner, dict):
        return False
    inner[last] = step.new
    return True
