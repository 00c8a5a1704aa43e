"""Settings that scale rotary embeddings without the type that says how."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import write_file
from tests.judged import base_record, spec_of

FACTOR = {"factor": 2.0}
OF_LLAMA_3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}


@pytest.mark.parametrize("writer", ["4.31.0", "5.23.0"])
@pytest.mark.parametrize(("model_type", "stated", "kinds", "keys"), [
    ("llama", {"rope_scaling": FACTOR}, ["linear", "dynamic"], ["factor"]),
    ("gpt_neox", {"rope_scaling": FACTOR}, ["linear"], ["factor"]),
    ("qwen2", {"rope_scaling": OF_LLAMA_3}, ["llama3"], ["factor", "low_freq_factor", "high_freq_factor"]),
    ("mistral", {"rope_parameters": {"rope_theta": 1e4, **FACTOR}}, ["linear", "dynamic"], ["factor"]),
    ("llama", {"rope_scaling": {"type": "linear", **FACTOR}}, None, []),
    ("llama", {"rope_scaling": {"rope_type": "default", **FACTOR}}, None, []),
    ("qwen2", {"rope_scaling": {"factor": 1.0}}, None, []),
    ("bert", {"rope_scaling": FACTOR}, None, []),  # it computes no rotary embeddings
])  # fmt: skip
def test_settings_without_a_type_are_a_warning(
    model_type: str, stated: dict[str, Any], kinds: list[str] | None, keys: list[str], writer: str, tmp_path: Path
) -> None:
    record = base_record(model_type, "MaskedLM" if model_type == "bert" else "CausalLM")
    values = {"model_type": model_type, "architectures": [record["class"]], **record["config"]}
    for key in ("rope_scaling", "rope_parameters"):
        values.pop(key, None)
    values.update(**stated, transformers_version=writer)
    (tmp_path / "config.json").write_text(json.dumps(values), encoding="utf-8")
    write_file(tmp_path / "model.safetensors", spec_of(record))
    findings = audit(str(tmp_path)).findings
    found = [one for one in findings if one.code == "C338"]
    assert [list(one.facts["kinds"]) for one in found] == ([] if kinds is None else [kinds])
    assert [[name for name, _ in one.facts["stated"]] for one in found] == ([keys] if keys else [])
    if kinds is not None:
        assert not {one.code for one in findings} & {"N590", "N560"}  # the refusal of 4.57 is said once
        assert [step.new for step in found[0].remedy().steps] == (kinds if len(keys) > 1 else [])
