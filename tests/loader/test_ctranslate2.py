"""Speech models of CTranslate2: the number of mel bins that they read, and the file that has to state it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from inspector.auditing.start import audit


def written(folder: Path, bins: int, specification: str = "WhisperSpec", cut: int | None = None) -> Path:
    """A model as ctranslate2 serialises it, with two variables."""

    def text(name: str) -> bytes:
        return struct.pack("<H", len(name) + 1) + name.encode() + b"\0"

    content = struct.pack("<I", 6) + text(specification) + struct.pack("<II", 3, 2)
    for name, dims in (("decoder/embeddings/weight", (60, 4)), ("encoder/conv1/weight", (4, bins, 3))):
        size = 4 * dims[0] * dims[1] * (dims[2] if len(dims) == 3 else 1)
        content += text(name) + struct.pack(f"<B{len(dims)}I", len(dims), *dims) + struct.pack("<BI", 0, size)
        content += bytes(size)
    (folder / "model.bin").write_bytes(content[:cut] + struct.pack("<I", 0))
    (folder / "config.json").write_text('{"lang_ids": [1], "suppress_ids": [2]}')
    return folder


def codes(folder: Path) -> list[str]:
    return [one.code for one in audit(str(folder)).findings]


@pytest.mark.parametrize(("bins", "expected"), [(128, ["R052", "R005"]), (80, ["R005"])])
def test_other_mel_bins_than_those_assumed_need_a_file(bins: int, expected: list[str], tmp_path: Path) -> None:
    assert codes(written(tmp_path, bins)) == expected


def test_the_file_states_them(tmp_path: Path) -> None:
    (written(tmp_path, 128) / "preprocessor_config.json").write_text('{"feature_size": 128}')
    assert codes(tmp_path) == ["R005"]


@pytest.mark.parametrize(("specification", "cut"), [("TransformerSpec", None), ("WhisperSpec", 60)])
def test_other_models_and_damaged_files_are_left_alone(specification: str, cut: int | None, tmp_path: Path) -> None:
    assert codes(written(tmp_path, 128, specification, cut)) == ["R005"]


@pytest.mark.parametrize(("config", "wanted"), [
    ('{"lang_ids": [1], "suppress_ids": [2]}', "model.bin"),
    ('{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "layer_norm_epsilon": null}', "model.bin"),
    ('{"model": "xtts", "model_args": {}, "audio": {}}', "model.pth"),
    ('{"model_type": "whisper", "suppress_ids": [2], "lang_ids": [1]}', "model.safetensors"),
])  # fmt: skip
def test_weights_that_a_config_of_another_program_belongs_to(config: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    (finding,) = audit(str(tmp_path)).findings
    assert finding.help.startswith(f"download {wanted}, or " + ("its" if wanted.endswith("safetensors") else "save"))
