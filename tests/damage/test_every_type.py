"""Damages the checkpoints of every model type and checks that each cause is exactly one finding."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest

from inspector.auditing.result import Audit
from tests.damage.damaging import damages, reported, required
from tests.judged import codes, judged, oracle_types, records, spec_of
from tests.sampling import sampled


def healthy(model_type: str) -> tuple[dict[str, Any], Audit]:
    """The first record of a type whose audit is clean, and the audit."""
    for record in records(model_type):
        audited = judged(spec_of(record), config_of(record))
        if audited.verdict == "clean":
            return record, audited
    raise AssertionError(f"{model_type} has no healthy record")


def config_of(record: dict[str, Any]) -> dict[str, Any]:
    """The config of a record, with its class."""
    return {"architectures": [record["class"]], **record["config"]}


EACH = [12, pytest.param(1, marks=pytest.mark.slow)]
"""Every so many damages of a type, starting at a different one for each type; `-m slow` runs all."""


@pytest.mark.thinned
@pytest.mark.parametrize("every", EACH)
@pytest.mark.parametrize("model_type", sampled(oracle_types(), 6))
def test_one_cause_is_one_finding(model_type: str, every: int) -> None:
    record, whole = healthy(model_type)
    keys = required(whole)
    each = list(damages(spec_of(record), keys, model_type)) if keys else []
    first = crc32(model_type.encode()) % min(every, max(1, len(each)))
    for damage in each[first::every]:
        audited = judged(damage.spec, config_of(record))
        found = [one for one in audited.findings if one.severity != "note"]
        assert len(found) == damage.causes, (damage.kind, damage.touched, found)
        assert all(reported(audited, name) for name in damage.touched) or codes(audited) == {"C310"}, (
            damage.kind,
            found,
        )
        assert audited.counts.expected_parameters == whole.counts.expected_parameters, (damage.kind, damage.touched)
        assert audited.architecture == whole.architecture, (damage.kind, damage.touched)
