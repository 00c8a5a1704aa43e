"""A config.json beside a GGUF file, which programs that read the file do not read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.make_checkpoints import CHECKPOINTS, SMALL_LLAMA

OTHERS: tuple[dict[str, Any], ...] = (
    {"hidden_size": 128, "intermediate_size": 320, "num_hidden_layers": 6},
    {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 128, "num_hidden_layers": 2},
    {"vocab_size": 400},
)


def beside(name: str, changes: dict[str, Any], place: Path) -> Any:
    """The audit of a GGUF file next to a config.json."""
    shutil.copytree(CHECKPOINTS / name, place / "made")
    (place / "made" / "config.json").write_text(json.dumps({**SMALL_LLAMA, **changes}))
    return audit(str(place / "made"))


@pytest.mark.parametrize("changes", OTHERS)
def test_the_config_of_another_model_beside_a_gguf_file(changes: dict[str, Any], tmp_path: Path) -> None:
    audited = beside("llama-q8", changes, tmp_path)
    assert (audited.verdict, audited.findings) == ("clean", ())
    assert "config.json" in {one.check for one in audited.skipped}
    assert {one.outcome for one in audited.loads} == {"complete"}


@pytest.mark.parametrize("changes", [{}, OTHERS[0]])
def test_a_damaged_gguf_file_beside_a_config(changes: dict[str, Any], tmp_path: Path) -> None:
    """Only the config of another model counts as not checked."""
    audited = beside("half-converted", changes, tmp_path)
    assert audited.verdict == "findings"
    assert bool(changes) == ("config.json" in {one.check for one in audited.skipped})
    lost = [one.code for one in audited.findings if one.severity == "error"]
    assert lost == [one.code for one in audit(str(CHECKPOINTS / "half-converted")).findings if one.severity == "error"]


def test_the_right_config_beside_a_gguf_file(tmp_path: Path) -> None:
    audited = beside("llama-q8", {}, tmp_path)
    assert (audited.verdict, "config.json" in {one.check for one in audited.skipped}) == ("clean", False)


@pytest.mark.parametrize("name", ["llama-q8", "half-converted"])
@pytest.mark.parametrize("values", [{}, {"model_name": "assistant"}, {"version": 2, "type": "chat", "n_ctx": 4096}])
def test_a_config_without_a_model_does_not_hide_that_of_the_file(
    name: str, values: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copytree(CHECKPOINTS / name, tmp_path / "made")
    (tmp_path / "made" / "config.json").write_text(json.dumps(values))
    audited, alone = audit(str(tmp_path / "made")), audit(str(CHECKPOINTS / name))
    assert (audited.verdict, audited.counts) == (alone.verdict, alone.counts)
    assert [one.code for one in audited.findings] == [one.code for one in alone.findings]
    (beside,) = (one.because for one in audited.skipped if one.check == "config.json")
    assert beside == "it has no model_type, and no program reads it with a GGUF file"


def test_a_config_of_code_beside_a_gguf_file_is_one_of_a_model(tmp_path: Path) -> None:
    shutil.copytree(CHECKPOINTS / "llama-q8", tmp_path / "made")
    (tmp_path / "made" / "config.json").write_text(json.dumps({"auto_map": {"AutoConfig": "configuration.Config"}}))
    assert not any("no model_type" in one.because for one in audit(str(tmp_path / "made")).skipped)
