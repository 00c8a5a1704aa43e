"""Files of TensorFlow's checkpoints are named as what they are: another download gives the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loader.formats.tensorflow import MAGIC

TABLE = b"\x00\x0c\x02abc" * 40


@pytest.mark.parametrize("prefix", ["bert_model.ckpt", "model.ckpt-1000000", "variables"])
@pytest.mark.parametrize("ending", [".index", ".meta", ".data-00000-of-00001"])
def test_files_of_one_prefix(tmp_path: Path, prefix: str, ending: str) -> None:
    for one in (".index", ".meta", ".data-00000-of-00001"):
        (tmp_path / f"{prefix}{one}").write_bytes(TABLE)
    (finding,) = audit(str(tmp_path / f"{prefix}{ending}")).findings
    assert (finding.code, finding.facts["what"]) == ("R005", "tensorflow")
    assert f"the prefix {prefix}," in finding.remedy().words


def test_an_index_alone_by_its_end(tmp_path: Path) -> None:
    index = tmp_path / "model.index"
    index.write_bytes(TABLE + MAGIC)
    (finding,) = audit(str(index)).findings
    assert finding.code == "R005"


@pytest.mark.parametrize(("name", "content"), [("model.index", TABLE), ("model.safetensors", TABLE + MAGIC)])
def test_other_files_keep_their_finding(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    (finding,) = audit(str(tmp_path / name)).findings
    assert finding.code == "H102"


def test_a_folder_names_the_prefix(tmp_path: Path) -> None:
    for one in (".index", ".meta", ".data-00000-of-00001"):
        (tmp_path / f"bert_model.ckpt{one}").write_bytes(TABLE)
    (finding,) = audit(str(tmp_path)).findings
    assert "the prefix bert_model.ckpt," in finding.remedy().words
