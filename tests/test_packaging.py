"""Contents of the built distributions: the wheel has the package with its pages and tables, the sdist everything."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    return folder


def files_of(*folders: str) -> set[str]:
    """Paths below folders of the project, as it is checked out."""
    listed = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return {path.relative_to(ROOT).as_posix() for path in listed if path.is_file() and path.suffix != ".pyc"}


def test_the_wheel_has_the_package_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        described = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        metadata = wheel.read(described).decode()
    assert names == files_of("inspector")
    assert "License-Expression: Apache-2.0" in metadata
    assert "License-File: LICENSE" in metadata


def test_the_sdist_has_tests_and_fixtures_too(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert names >= files_of("inspector", "tests", "fixtures", ".github")
    assert names >= {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"}


def test_the_wheel_runs_without_the_repository(built: Path, tmp_path: Path) -> None:
    """Its dependencies are those of this environment; the package itself is the wheel's."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path)
    checkpoint = ROOT / "fixtures" / "checkpoints" / "small-llama"
    for words in (
        ["--version"],
        ["audit", str(checkpoint), "--reference"],
        ["explain", "notation"],
        ["schema", "audit"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "inspector", *words], cwd=tmp_path, capture_output=True, encoding="utf-8"
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_scripts_run_and_type_check_with_the_wheel(built: Path, tmp_path: Path) -> None:
    """As users have it: the type checker sees the installed wheel, found by its py.typed."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    script = tmp_path / "script_uses.py"
    script.write_bytes((ROOT / "tests" / "script_uses.py").read_bytes())
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "MYPYPATH": ""}
    for words in (
        [str(script), str(ROOT / "fixtures" / "checkpoints")],
        ["-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"), str(script)],
    ):
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert "site" in done.stdout or "no issues" in done.stdout
