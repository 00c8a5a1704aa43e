"""Whisper for llama.cpp: whisper.cpp has a converter for each of both kinds of names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from inspector.findings.other_format import FormatNotRead
from tests.checkpoints import write
from tests.judged import base_record, spec_of
from tests.test_whisper_sizes import OF_TINY, saved


def refused(path: str) -> FormatNotRead:
    (found,) = (one for one in judged_for(audit(path), "llama.cpp").findings if isinstance(one, FormatNotRead))
    return found


@pytest.mark.parametrize(("files", "lacks"), [
    (("vocab.json", "added_tokens.json"), ""), (("tokenizer.json",), "vocab.json, added_tokens.json"),
    (("vocab.json", "tokenizer.json"), "added_tokens.json"),
])  # fmt: skip
def test_a_folder_of_transformers(files: tuple[str, ...], lacks: str, tmp_path: Path) -> None:
    record = base_record("whisper", "Generation")
    config: dict[str, Any] = {**record["config"], "architectures": [record["class"]]}
    write(tmp_path, spec_of(record), config)
    for name in files:
        (tmp_path / name).write_text("{}")
    found = refused(str(tmp_path))
    assert found.help.startswith("run it with whisper.cpp: convert it with its convert-h5-to-ggml.py, not with")
    assert (f"copy {lacks} of" in found.help) == bool(lacks) == ("lacks" in dict(found.rows()))


def test_a_file_of_openai(tmp_path: Path) -> None:
    found = refused(saved(tmp_path / "tuned.pt", 2, 80, "model_state_dict", OF_TINY))
    assert found.help.startswith("run it with whisper.cpp: convert it with its convert-pt-to-ggml.py, not with")


@pytest.mark.parametrize(("model_type", "suffix"), [
    ("whisper", "ForAudioClassification"), ("bart", "ForSequenceClassification"), ("llama", "CausalLM"),
    ("speech_to_text", "Generation"),
])  # fmt: skip
def test_what_whisper_cpp_does_not_run(model_type: str, suffix: str, tmp_path: Path) -> None:
    record = base_record(model_type, suffix)
    config: dict[str, Any] = {**record["config"], "architectures": [record["class"]]}
    write(tmp_path, spec_of(record), config)
    assert "whisper.cpp" not in refused(str(tmp_path)).help
