"""Settings of single layers, and layer types that config classes set. Outcomes of transformers 5.23, built on the meta
device from the configs of the records.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy, write

TYPES = ("gemma4_text", "gemma4_unified_text", "embedding_gemma2_text")
"""Types with settings of their own for layers with full attention, which is the last of three."""
CASES: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "the record": ((*TYPES, "qwen3", "step3p5"), {}, "complete"),
    "a layer that is absent": ((*TYPES, "qwen3", "llama"), {"per_layer_config": {"3": {"head_dim": 8}}}, "refuses"),
    "layers of one type that differ": (TYPES, {"per_layer_config": {"0": {"rope_theta": 7.0}}}, "refuses"),
    "settings that were not measured": (("qwen3", "llama"), {"per_layer_config": {"2": {"rms_norm_eps": 1e-5}}},
                                        "unknown"),
    "a last layer that the class sets": (
        TYPES, {"layer_types": ["sliding_attention", "sliding_attention", "sliding_attention"]}, "complete",
    ),
}  # fmt: skip
"""Case -> (model types, changed keys, what transformers 5.23 does, as far as it is known)."""


@pytest.mark.thinned
@pytest.mark.parametrize(
    ("case", "model_type"), [(case, one) for case, (types, _, _) in CASES.items() for one in types]
)
def test_settings_of_layers(case: str, model_type: str, tmp_path: Path) -> None:
    record = base_record(model_type)
    config = {"model_type": model_type, "architectures": [record["class"]], **json.loads(json.dumps(record["config"]))}
    _, changes, outcome = CASES[case]
    audited = audit(str(write(healthy(spec_of(record), {**config, **changes}), tmp_path / "model")))
    newest = next(one for one in audited.loads if one.loader == "transformers" and str(one.version).startswith("5"))
    assert newest.outcome == outcome
    assert audited.verdict == {"complete": "clean", "refuses": "findings", "unknown": "undecided"}[outcome]
