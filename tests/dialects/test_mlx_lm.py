"""Files that mlx-lm's own classes saved (`tests/oracle/make_mlx_models.py`), plain and quantized."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.loader.set_reading import WeightFile
from tests.adapters.records import Spec, checkpoint

FILE = Path(__file__).parents[2] / "fixtures" / "dialects" / "mlx_lm.json.gz"
SETTINGS = {"group_size": 32, "bits": 4}
FEWEST = 60


@cache
def models() -> dict[str, dict[str, Any]]:
    return {one["config"]["model_type"]: one for one in json.loads(gzip.decompress(FILE.read_bytes()))}


def audited(spec: Spec, config: dict[str, Any]) -> Audit:
    file = WeightFile("model.safetensors", 0, 0, len(spec), 0, {"format": "mlx"}, True)
    return audit_loaded(replace(checkpoint(spec, None, config), files=(file,)))


@pytest.mark.thinned
@pytest.mark.parametrize("way", ["plain", "quantized"])
@pytest.mark.parametrize("model_type", models())
def test_files_of_mlx_lm(model_type: str, way: str) -> None:
    record = models()[model_type]
    config = record["config"] if way == "plain" else {**record["config"], "quantization": SETTINGS}
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in record[way].items()}
    found = audited(spec, config)
    assert found.verdict == "clean"
    assert found.counts.unique_parameters == found.counts.expected_parameters
    lost = next(name for name in spec if ".1." in name and name.endswith(".weight"))
    assert audited({name: entry for name, entry in spec.items() if name != lost}, config).verdict == "findings"


def test_most_models_of_mlx_lm_are_recorded() -> None:
    assert len(models()) >= FEWEST
