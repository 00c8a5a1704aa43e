"""Corrects quantization settings in a config that contradict the weights.

Wrong settings give quantized values wrong logical shapes, which then look like errors of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from msgspec.structs import replace

from inspector.findings.finding import Finding, Step
from inspector.findings.types.block import QuantizationBlockMissing
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.findings.types.unpacked import LayersNotPacked, ModuleNotPacked, SkippedButPacked
from inspector.loader.config_file import QUANTIZATION_KEYS, Config


def with_weights_settings(config: Config | None, findings: Sequence[Finding]) -> Iterator[Config]:
    """Yields the config with each setting replaced by the value from the finding's remedy, and the config without any
    settings.

    Yields nothing if no other error can follow from the settings.
    """
    named = [one for one in findings if _is_of_settings(one)]
    if config is None or not named or all(_is_of_settings(one) or one.severity == "note" for one in findings):
        return
    steps = [list(_steps(one, config.file)) for one in named]
    values = deepcopy(dict(config.values))
    if all(steps) and all(_set(values, step) for own in steps for step in own):
        yield replace(config, values=values)
    yield replace(config, values={key: value for key, value in config.values.items() if key not in QUANTIZATION_KEYS})


WORDS: Final = "pack-quantized"
BITS: Final = (8, 4, 2, 3, 5, 6)
"""Bits that words may hold, the usual ones first."""


def with_assumed_bits(config: Config | None, findings: Sequence[Finding]) -> Iterator[tuple[int, Config]]:
    """Yields the config with a quantization block for each number of bits, if the block is lost, the weights leave the
    bits open and other errors may follow from this.
    """
    if config is None or not _lost(findings) or all(one.severity == "note" or _is_lost(one) for one in findings):
        return
    for bits in BITS:
        group = {"targets": ["Linear"], "weights": {"num_bits": bits, "type": "int"}}
        block = {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}
        yield bits, replace(config, values={**config.values, "quantization_config": block})


def with_lost_block(before: Sequence[Finding], after: Sequence[Finding], bits: int) -> tuple[Finding, ...] | None:
    """The finding on the lost block and the findings that remain with an assumed block; None if other errors remain.

    Statements of the assumed block about plain modules are ignored.
    """
    left = [one for one in after if not isinstance(one, LayersNotPacked | ModuleNotPacked | SkippedButPacked)]
    if any(one.severity != "note" for one in left):
        return None
    return (*(replace(one, bits=float(bits), block=None) for one in _lost(before)), *left)


def _lost(findings: Sequence[Finding]) -> list[QuantizationBlockMissing]:
    return [one for one in findings if isinstance(one, QuantizationBlockMissing) and one.scheme == WORDS]


def _is_lost(finding: Finding) -> bool:
    return isinstance(finding, QuantizationBlockMissing)


def explaining(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...] | None:
    """The findings on the settings and the findings that remain with corrected settings; None if these do not explain
    all errors.
    """
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
    """True if the key of a step could be set."""
    *path, last = step.key
    inner: Any = values
    for key in path:
        inner = inner.get(key) if isinstance(inner, Mapping) else None
    if not isinstance(inner, dict):
        return False
    inner[last] = step.new
    return True
