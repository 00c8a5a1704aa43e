"""Heads and embeddings of which only one is stored: the keys that tie them, and code that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import Spec, write_file
from tests.judged import base_record, spec_of

HEAD, TABLE, TIES = "lm_head.weight", "model.embed_tokens.weight", "tie_word_embeddings"


def saved(folder: Path, spec: Spec, config: dict[str, Any]) -> str:
    """A folder with one file."""
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_file(folder / "model.safetensors", spec)
    return str(folder)


@pytest.mark.parametrize(("model_type", "suffix", "keys"), [
    ("llama", "CausalLM", [TIES]),
    ("qwen3_vl", "ConditionalGeneration", [TIES, f"text_config.{TIES}"]),
    ("mistral3", "ConditionalGeneration", [TIES, f"text_config.{TIES}"]),
    ("llava", "ConditionalGeneration", [f"text_config.{TIES}"]),
])  # fmt: skip
def test_an_absent_head_names_the_keys_that_tie_it_in_both_versions(
    model_type: str, suffix: str, keys: list[str], tmp_path: Path
) -> None:
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, "architectures": [record["class"]], **record["config"], TIES: False}
    if "text_config" in config:
        config["text_config"] = {**config["text_config"], TIES: False}
    spec = {name: entry for name, entry in spec_of(record).items() if not name.endswith(HEAD)}
    (found,) = (one for one in audit(saved(tmp_path, spec, config)).findings if one.severity == "error")
    assert (found.code, list(found.facts["keys"])) == ("P701", keys)
    assert all(f'"{key}": true' in found.help for key in keys)
    for key in keys:
        holder = config
        for part in key.split(".")[:-1]:
            holder = holder[part]
        holder[TIES] = True
    mended = audit(saved(tmp_path, spec, config))
    assert {one.outcome for one in mended.loads if one.loader == "transformers"} <= {"complete"}
    assert mended.verdict == "clean"


@pytest.mark.parametrize(("model_type", "severity"), [("llama", "note"), ("mobilellm", "error"), ("solar", "error")])
def test_a_head_without_its_table_is_an_error_for_code_of_a_repository(
    model_type: str, severity: str, tmp_path: Path
) -> None:
    record = base_record("llama", "CausalLM")
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]], TIES: True}
    spec = spec_of(record)
    found = audit(saved(tmp_path, {name: entry for name, entry in spec.items() if name != TABLE}, config))
    assert {one.code: one.severity for one in found.findings}["N569"] == severity
    whole = audit(saved(tmp_path, {name: entry for name, entry in spec.items() if name != HEAD}, config))
    assert "N569" not in {one.code for one in whole.findings}


@pytest.mark.parametrize("model_type", ["llama", "opt", "gemma2", "qwen2"])
def test_a_head_without_its_table_is_said_once_with_its_name(model_type: str, tmp_path: Path) -> None:
    record = base_record(model_type, "CausalLM")
    config = {**record["config"], "architectures": [record["class"]], "model_type": model_type, TIES: True}
    table = next(name for name in spec_of(record) if name.endswith("embed_tokens.weight"))
    spec = {
        HEAD: spec_of(record)[table],
        **{n: entry for n, entry in spec_of(record).items() if n not in (table, HEAD)},
    }
    audited = audit(saved(tmp_path, spec, config))
    (found,) = (one for one in audited.findings if one.code in ("N569", "N590"))
    assert found.code == "N569" and dict(found.rows())["all"] == f"load it if {HEAD} is renamed to {table}"
