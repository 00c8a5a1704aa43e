"""A comparison with weights whose projections are joined, or apart: one finding, on either side."""

from __future__ import annotations

import pytest

from inspector.comparing.checkpoints import compare_audits
from inspector.report.compare_text import compare_text
from tests.checkpoints import Spec
from tests.judged import base_record, judged, spec_of

JOINS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("llama", "qkv_proj", ("q_proj", "k_proj", "v_proj")),
    ("mistral", "gate_up_proj", ("gate_proj", "up_proj")),
    ("qwen3", "qkv_proj", ("q_proj", "k_proj", "v_proj")),
)


def joined(spec: Spec, whole: str, parts: tuple[str, ...]) -> Spec:
    """The listing with one matrix in place of several."""
    changed: Spec = dict(spec)
    for name in [name for name in spec if f"{parts[0]}.weight" in name]:
        shapes = [changed.pop(name.replace(parts[0], part))[1] for part in parts]
        changed[name.replace(parts[0], whole)] = ("F32", (sum(shape[0] for shape in shapes), shapes[0][1]))
    return changed


@pytest.mark.parametrize(("model_type", "whole", "parts"), JOINS)
@pytest.mark.parametrize("back", [False, True])
def test_joined_projections_are_one_finding(model_type: str, whole: str, parts: tuple[str, ...], back: bool) -> None:
    record = base_record(model_type, "CausalLM")
    spec = spec_of(record)
    sides = [judged(spec, record["config"]), judged(joined(spec, whole, parts), record["config"])]
    found = compare_audits(*(sides[::-1] if back else sides))
    assert [one.code for one in found.findings if one.severity != "note"] == ["N441"]


@pytest.mark.parametrize(("model_type", "whole", "parts"), JOINS)
@pytest.mark.parametrize("back", [False, True])
def test_joined_parameters_are_neither_dropped_nor_added(
    model_type: str, whole: str, parts: tuple[str, ...], back: bool
) -> None:
    record = base_record(model_type, "CausalLM")
    spec = spec_of(record)
    sides = [judged(spec, record["config"]), judged(joined(spec, whole, parts), record["config"])]
    text = compare_text(compare_audits(*(sides[::-1] if back else sides)))
    first = text.partition(";")[2].partition(";")[0]
    assert first.endswith("parameters stored joined")
    assert text.count(" stored joined\n") == len(parts) + 1  # each role, and the sum below the table


@pytest.mark.parametrize(("model_type", "whole", "parts"), JOINS)
def test_what_is_lost_too_is_reported(model_type: str, whole: str, parts: tuple[str, ...]) -> None:
    record = base_record(model_type, "CausalLM")
    spec = spec_of(record)
    less = joined(spec, whole, parts)
    del less[next(name for name in less if "down_proj" in name)]
    found = compare_audits(judged(spec, record["config"]), judged(less, record["config"]))
    assert {one.code for one in found.findings if one.severity != "note"} == {"N441", "V803"}
