"""Files of several components that are lost for the same reason are one finding; those of one component are another."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from tests.loader.test_lost_files import POINTER
from tests.test_pipelines import PARTS, pipeline

CONFLICT = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n"


def errors(folder: Path) -> list[Finding]:
    """The errors of the audit of a pipeline."""
    return [one for one in audit(str(folder)).findings if one.severity == "error"]


def with_text(folder: Path, names: tuple[str, ...], text: str | None) -> Path:
    """Replace these files of each component by a text, or remove them where it is None."""
    for path in [one for name in names for one in folder.glob(name)]:
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("names", "files"), [
    (("*/*.safetensors",), 3), (("*/*.safetensors", "*/config.json"), 6),
    (("unet/*.safetensors", "vae/*.safetensors"), 2),
])  # fmt: skip
def test_pointers_of_several_components(names: tuple[str, ...], files: int, tmp_path: Path) -> None:
    (found,) = errors(with_text(pipeline(tmp_path, PARTS), names, POINTER))
    assert (found.code, found.facts["files"], found.place.file) == ("R005", files, None)
    assert any(name.startswith("unet/") for name in found.facts["names"])
    assert "git lfs pull" in found.help


def test_a_pointer_of_one_component_names_it(tmp_path: Path) -> None:
    (found,) = errors(with_text(pipeline(tmp_path, PARTS), ("unet/*.safetensors",), POINTER))
    assert found.title.startswith("unet: ")


def test_conflicts_in_several_configs(tmp_path: Path) -> None:
    found = [
        one for one in errors(with_text(pipeline(tmp_path, PARTS), ("*/config.json",), CONFLICT)) if one.code == "R006"
    ]
    (one,) = found
    assert (one.place.file, len(one.same_fault_in)) == ("unet/config.json", 2)
    assert one.help == "repair the files, or download them again"


def test_components_without_weights(tmp_path: Path) -> None:
    """One finding for each library, whose files have different names."""
    found = errors(with_text(pipeline(tmp_path, PARTS), ("*/*.safetensors",), None))
    assert [(one.code, one.title.partition(":")[0], one.same_fault_in) for one in found] == [
        ("R003", "unet", ("vae/",)), ("R003", "text_encoder", ()),
    ]  # fmt: skip


def test_components_without_weights_and_with_unreadable_configs(tmp_path: Path) -> None:
    folder = with_text(pipeline(tmp_path, PARTS), ("*/config.json",), CONFLICT)
    found = [one for one in errors(with_text(folder, ("*/*.safetensors",), None)) if one.code == "R003"]
    assert [one.help for one in found] == ["download the weights of these components"]
