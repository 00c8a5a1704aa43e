"""Weights that transformers 5 cuts into several. Measured with 5.23: none of another shape is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loading.outcome import COMPLETE, REFUSES
from inspector.loading.tables import NEWEST
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy, write
from tests.loads.test_loads import of_version

CUT = {
    "hrm_text": "model.H_module.layers.0.attn.gqkv_proj.weight",
    "molmo2_text": "layers.0.mlp.ff_proj.weight",
    "nomic_bert": "nomic_bert.encoder.layers.0.attn.Wqkv.weight",
}


@pytest.mark.parametrize("model_type", CUT)
@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (1, 0), (12, 0), (0, 1)])
def test_weights_that_are_cut(model_type: str, rows: int, columns: int, tmp_path: Path) -> None:
    record, name = base_record(model_type), CUT[model_type]
    spec = spec_of(record)
    dtype, (height, width) = spec[name]
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    changed = {**spec, name: (dtype, (height + rows, width + columns))}
    load = of_version(audit(str(write(healthy(changed, config), tmp_path))), NEWEST)
    assert load is not None
    assert load.outcome == (REFUSES if rows or columns else COMPLETE)
