"""Compares tensors that are not counted as parameters: unexplained ones, parts beyond the class, running statistics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector.comparing.checkpoints import compare, compare_audits
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from inspector.report.compare_text import verdict_line
from tests.checkpoints import genuine
from tests.judged import base_record, judged, spec_of
from tests.sparse_models import TINY
from tests.values.value_files import numbers, write

ADDED = "model.adapter.proj.weight"
HEADLESS = {**TINY, "architectures": ["LlamaModel"]}


def tiny(**others: tuple[int, ...]) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {**genuine(TINY, "F32"), **{name.replace("__", "."): ("F32", shape) for name, shape in others.items()}}


def beyond_class() -> tuple[Mapping[str, Any], dict[str, tuple[str, tuple[int, ...]]], str]:
    bare = {name.removeprefix("model."): entry for name, entry in tiny().items()}
    return HEADLESS, bare, "lm_head.weight"


def running_statistics() -> tuple[Mapping[str, Any], dict[str, tuple[str, tuple[int, ...]]], str]:
    record = base_record("resnet")
    spec = dict(spec_of(record))
    return {**record["config"], "architectures": [record["class"]]}, spec, next(n for n in spec if "running_var" in n)


def unexplained() -> tuple[Mapping[str, Any], dict[str, tuple[str, tuple[int, ...]]], str]:
    return TINY, tiny(model__adapter__proj__weight=(4, 8)), ADDED


def with_values(tmp_path: Path, made: tuple[Mapping[str, Any], Any, str], change: float) -> Comparison:
    config, spec, name = made
    before, after = numbers(spec), numbers(spec)
    after[name] = after[name] * after[name].dtype.type(change)
    sides = [write(tmp_path / side, each, dict(config)) for side, each in (("before", before), ("after", after))]
    return compared_with_values(compare(*map(str, sides)))


@pytest.mark.parametrize("made", [beyond_class, running_statistics, unexplained])
def test_their_values_are_compared(made: Any, tmp_path: Path) -> None:
    changed = with_values(tmp_path / "changed", made(), 3)
    same = with_values(tmp_path / "same", made(), 1)
    (finding,) = (one for one in changed.findings if one.severity != "note")
    assert (finding.code, finding.place.tensor) == ("V820", made()[2])
    assert (same.verdict, [one.code for one in same.findings if one.severity != "note"]) == ("clean", [])


def test_identical_covers_only_compared_tensors(tmp_path: Path) -> None:
    """The counters of batch norms have no counterpart to compare with: they are listed as not checked."""
    same = with_values(tmp_path, running_statistics(), 1)
    assert any(skip.check.endswith("buffers") for skip in same.skipped)
    assert "identical values" not in verdict_line(same)
    assert "identical values" in verdict_line(with_values(tmp_path / "whole", unexplained(), 1))


def test_other_shapes_of_unexplained_tensors() -> None:
    before, same, wider = (judged(tiny(model__adapter__proj__weight=(rows, 8)), TINY) for rows in (4, 4, 6))
    (finding,) = compare_audits(before, wider).findings
    assert (finding.code, finding.severity, finding.lines) == ("V864", "warning", [("change", "[4, 8] → [6, 8]")])
    assert compare_audits(before, same).verdict == "clean"


@pytest.mark.parametrize(("source", "side"), [(True, "source"), (False, "target")])
def test_the_side_of_an_unexplained_tensor(source: bool, side: str) -> None:
    sides = judged(tiny(model__adapter__proj__weight=(4, 8)), TINY), judged(tiny(), TINY)
    (finding,) = compare_audits(*(sides if source else sides[::-1])).findings
    assert (finding.code, finding.of_side, ("side", side) in finding.lines) == ("N405", side, True)
