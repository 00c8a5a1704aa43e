"""What transformers 4.57 does with models whose config lists removed heads, which few definitions read.

Measured with transformers 4.57.6.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.loading.outcome import COMPLETE, RANDOM, UNKNOWN
from inspector.loading.tables import OLDER
from tests.judged import records, spec_of
from tests.loads.damage import damaged, healthy, write
from tests.loads.test_loads import of_version

QUERY = "encoder.layer.1.attention.self.query.weight"
CASES: list[tuple[str, list[Any], str, int | None]] = [
    ("canine", [], COMPLETE, 0),
    ("vit", [], COMPLETE, 0),
    ("splinter", [], COMPLETE, 0),
    ("imagegpt", [], COMPLETE, 0),
    ("bert", [], COMPLETE, 0),
    ("canine", [["drop", QUERY]], RANDOM, 1),
    ("canine", [["drop", "encoder.layer.1.attention.output.dense.bias"]], RANDOM, 1),
    ("canine", [["shape", QUERY, [48, 48]]], UNKNOWN, None),
]


@pytest.mark.parametrize(("model_type", "damages", "outcome", "missing"), CASES)
def test_removed_heads(model_type: str, damages: list[Any], outcome: str, missing: int | None, tmp_path: Path) -> None:
    one = next(one for one in records(model_type) if (one["config"] or {}).get("pruned_heads"))
    config = {"model_type": model_type, **one["config"], "architectures": [one["class"]]}
    load = of_version(audit(str(write(damaged(healthy(spec_of(one), config), damages), tmp_path))), OLDER)
    assert load is not None
    assert (load.outcome, load.missing) == (outcome, missing)
