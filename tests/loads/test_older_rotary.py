"""Settings of rotary embeddings in the keys of transformers 5, which 4.57 replaces by its own defaults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import write_file
from tests.judged import base_record, spec_of

OF_LLAMA_3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip
LINEAR = {"rope_type": "linear", "factor": 8.0}
PLAIN = {"rope_type": "default"}
OF_GEMMA = {
    "full_attention": {"rope_theta": 1e6, **LINEAR}, "sliding_attention": {"rope_theta": 20_000.0, **PLAIN},
}  # fmt: skip
SECTIONS = {"rope_type": "default", "mrope_section": [1, 1, 2]}
BASE = {"rope_theta": 5e5}


@pytest.mark.parametrize(("model_type", "class_suffix", "path", "config", "found"), [
    ("llama", "CausalLM", [], {"rope_parameters": {**BASE, **OF_LLAMA_3}},
     [["rope_theta", 5e5, 1e4], ["rope_scaling", OF_LLAMA_3, None]]),
    ("qwen3", "CausalLM", [], {"rope_parameters": {**BASE, **PLAIN}}, [["rope_theta", 5e5, 1e4]]),
    ("glm4", "CausalLM", [], {"rope_parameters": {"rope_theta": 1e4, **PLAIN, "partial_rotary_factor": 1.0}},
     [["partial_rotary_factor", 1.0, 0.5]]),
    ("gemma3", "ConditionalGeneration", ["text_config"], {"rope_parameters": OF_GEMMA},
     [["rope_scaling", LINEAR, None], ["rope_local_base_freq", 20_000.0, 1e4]]),
    ("qwen2_vl", "ConditionalGeneration", ["text_config"], {"rope_parameters": {**BASE, **PLAIN}},
     [["rope_theta", 5e5, 1e6]]),
    ("qwen2_5_vl", "ConditionalGeneration", ["text_config"], {"rope_parameters": {"rope_theta": 1e6, **SECTIONS}},
     [["rope_scaling", SECTIONS, None]]),
    # the default of 4.57, the older keys beside, settings by kind of layer that 4.57 has no keys for, older keys alone
    ("llama", "CausalLM", [], {"rope_parameters": {"rope_theta": 1e4, **PLAIN}}, []),
    ("llama", "CausalLM", [], {"rope_parameters": {**BASE, **OF_LLAMA_3}, **BASE, "rope_scaling": OF_LLAMA_3}, []),
    ("olmo3", "CausalLM", [], {"rope_parameters": {one: {**BASE, **PLAIN} for one in OF_GEMMA}}, []),
    ("qwen3", "CausalLM", [], BASE, []),
])  # fmt: skip
def test_settings_that_the_older_version_does_not_read(
    model_type: str, class_suffix: str, path: list[str], config: dict[str, Any], found: list[Any], tmp_path: Path
) -> None:
    record = base_record(model_type, class_suffix)
    values: dict[str, Any] = {"model_type": model_type, "architectures": [record["class"]], **record["config"]}
    inner = values
    for key in path:
        inner[key] = dict(inner[key])
        inner = inner[key]
    for key in ("rope_theta", "rope_scaling", "rope_parameters", "rope_local_base_freq"):
        inner.pop(key, None)
    inner.update(config)
    (tmp_path / "config.json").write_text(json.dumps(values), encoding="utf-8")
    write_file(tmp_path / "model.safetensors", spec_of(record))
    audited = audit(str(tmp_path))
    notes = [one for one in audited.findings if one.code == "N670"]
    assert audited.verdict == "clean"
    assert [[list(one) for one in note.facts["settings"]] for note in notes] == ([found] if found else [])
    steps = [step for note in notes for step in note.remedy().steps]
    assert [(list(step.key), step.new) for step in steps] == [([*path, key], stated) for key, stated, _ in found]
