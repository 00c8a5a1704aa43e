"""Finds a config key without which a loader loads a checkpoint, or in place of which it reads another name of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.algebra.values import shown
from inspector.architectures.value_rules import QUANTIZATION, configs_within
from inspector.auditing.loads.quantized import has_block_too_many, has_nothing_packed
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loading.given import Given
from inspector.loading.key_names import other_names_that_decide
from inspector.loading.outcome import COMPLETE, FAILURES, REFUSES, Load
from inspector.loading.quantizers import refused_by_diffusers
from inspector.loading.tables import NEWEST
from inspector.loading.transformers import loads
from inspector.notation.trace import with_leaf

if TYPE_CHECKING:
    from inspector.findings.loading import LoaderFails, WriterRefuses


def surplus_block(audited: Audit, load: Load) -> str:
    """The key of the config without which the loader would read the weights; "" without such a key."""
    config = audited.checkpoint.config
    if load.outcome != REFUSES or config is None:
        return ""
    if load.loader == "diffusers" and refused_by_diffusers(config.values):
        return QUANTIZATION if has_nothing_packed(audited) else ""
    return QUANTIZATION if load.loader == "vllm" and has_block_too_many(audited, config.values) else ""


def with_other_name(finding: LoaderFails | WriterRefuses, given: Callable[[], Given]) -> LoaderFails | WriterRefuses:
    """The finding, with the second name of a key as its cause if transformers 5 loads everything without it."""
    from inspector.findings.loading import LoaderFails

    if not isinstance(finding, LoaderFails) or finding.loader != "transformers" or finding.outcome not in FAILURES:
        return finding
    known = given()
    values = known.values or {}
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        for other, key in other_names_that_decide(inner, model_type):
            agreeing = with_leaf(values, {}, (*path, other), inner[key])  # as without the other name
            if loads(replace(known, values=agreeing, case=None), NEWEST).outcome == COMPLETE:
                because = f"its config class reads {other} {shown(inner[other])} in place of {key} {inner[key]}"
                return replace(finding, because=because, surplus=".".join((*path, other)), keys=())
    return finding


def with_names_that_decide(findings: Sequence[Finding], newest: Load, given: Callable[[], Given]) -> list[Finding]:
    """The findings, with a warning in place of each error on a key that transformers 5 reads under another name, if
    the value of that name is the one of the weights.
    """
    if newest.outcome != COMPLETE or all(one.severity != "error" for one in findings):
        return list(findings)
    from inspector.findings.config import ConfigDisagrees
    from inspector.findings.key_names import KeyStatedTwice

    values = given().values or {}
    others = {
        ".".join((*path, key)): (other, inner[other])
        for path, inner, model_type in configs_within(values, values.get("model_type"))
        for other, key in other_names_that_decide(inner, model_type)
    }
    loader = f"{newest.loader} {newest.version or ''}".rstrip()
    return [
        KeyStatedTwice(place=one.place, key=one.key, stated=one.stated, other=others[one.key][0], solved=one.solved,
                       loads=loader)
        if type(one) is ConfigDisagrees and one.key in others and others[one.key][1] == one.solved
        else one
        for one in findings
    ]  # fmt: skip
