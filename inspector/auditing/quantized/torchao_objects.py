"""Pickled weights that are objects of torchao: what today's torchao loads, what only an older one does."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from inspector.architectures.value_rules import QUANTIZATION
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.quantization.torchao_classes import LOADED, METHOD, PACKAGE


def with_torchao_objects(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint; findings on objects in its pickles say what torchao does with them."""
    if checkpoint.kind != "pytorch" or not checkpoint.findings:
        return checkpoint
    found = tuple(_explained(one, checkpoint.config) for one in checkpoint.findings)
    return checkpoint if found == checkpoint.findings else replace(checkpoint, findings=found)


def holds_torchao_objects(checkpoint: Checkpoint) -> bool:
    """True if tensors of the pickles are objects of torchao, which hold the packed values."""
    if checkpoint.kind != "pytorch" or not checkpoint.findings:
        return False
    from inspector.findings.header.pickle import PickleHoldsObjects, PickleNeedsTorchao

    return any(
        isinstance(one, PickleNeedsTorchao) or (isinstance(one, PickleHoldsObjects) and bool(one.torchao))
        for one in checkpoint.findings
    )


def _explained(finding: Finding, config: Config | None) -> Finding:
    from inspector.findings.header.pickle import PickleHoldsObjects, PickleNeedsTorchao

    if not isinstance(finding, PickleHoldsObjects) or finding.aside:
        return finding
    own = tuple(name for name in finding.names if name.startswith(PACKAGE))
    if not own or len(finding.names) != finding.count or len(own) != finding.count:
        return finding
    if not LOADED.issuperset(own):
        return replace(finding, torchao="older")
    if not _names_torchao(config):
        return replace(finding, torchao="unstated")
    return PickleNeedsTorchao(place=finding.place, names=own)


def _names_torchao(config: Config | None) -> bool:
    """True if the config states the method, so that the loader imports torchao first."""
    block = None if config is None else config.values.get(QUANTIZATION)
    return isinstance(block, Mapping) and block.get("quant_method") == METHOD
