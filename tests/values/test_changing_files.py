"""Files that become shorter or change while their values are read: a finding names them at any position."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.auditing.start import audit
from inspector.auditing.values import with_values
from inspector.comparing.checkpoints import compare
from inspector.comparing.values import compared_with_values
from inspector.values import chunks
from inspector.values.stored import ReusedMemory, StoredArray
from tests.attacks.dummies import file_of
from tests.judged import FIXTURES
from tests.sparse_models import TINY
from tests.values.examples import model, write_llama_gguf
from tests.values.value_files import write


def shorten(path: Path) -> None:
    """Truncate the file to 4,000 bytes."""
    os.truncate(path, 4_000)


def overwrite(path: Path) -> None:
    """Change a byte in place."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size - 1)
        file.write(b"\x01")
    os.utime(path, ns=(1, 1))


def exchange(path: Path) -> None:
    """Replace it by another file of the same size."""
    path.rename(path.with_name("before"))
    path.write_bytes(path.with_name("before").read_bytes())


def remove(path: Path) -> None:
    """Remove it."""
    path.unlink()


CHANGES = (shorten, overwrite, exchange, remove)


def after(number: int, change: Callable[[Path], None], path: Path) -> Any:
    """A progress function that changes the file before a tensor is read."""

    def progress(done: int, total: int, elements: int) -> None:
        if done == number:
            change(path)

    return progress


def saved(tmp_path: Path, kind: str) -> Path:
    """The model in one file."""
    path = tmp_path / f"model.{kind}"
    if kind == "gguf":
        write_llama_gguf(path, model())
    else:
        write(tmp_path, model(), TINY)
    return path


@pytest.mark.parametrize("kind", ["safetensors", "gguf"])
@pytest.mark.parametrize(("change", "number"), [(shorten, 1), (remove, 1), *((change, 5) for change in CHANGES)])
def test_an_audit_names_the_file(tmp_path: Path, kind: str, change: Callable[[Path], None], number: int) -> None:
    path = saved(tmp_path, kind)
    audited = with_values(audit(str(path)), progress=after(number, change, path))
    (finding,) = [one for one in audited.findings if one.name == "read-failed"]
    assert (finding.place.file, audited.verdict) == (path.name, "findings")
    assert audited.values is not None and audited.values.tensors == number - 1
    assert [one for one in audited.skipped if one.check.startswith("values of")]


@pytest.mark.parametrize("change", CHANGES)
def test_a_comparison_names_the_file(tmp_path: Path, change: Callable[[Path], None]) -> None:
    one, other = saved(tmp_path / "a", "safetensors"), saved(tmp_path / "b", "safetensors")
    compared = compared_with_values(compare(str(one), str(other)), progress=after(5, change, other))
    assert [finding.place.file for finding in compared.findings if finding.name == "read-failed"] == [other.name]
    assert compared.values is not None and compared.values.tensors == 4


def test_a_tensor_is_not_finished_where_its_file_ends_within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, "safetensors")
    monkeypatch.setattr(chunks, "CHUNK", 400)
    read, pieces = StoredArray.filled, []

    def shortened(self: StoredArray, memory: ReusedMemory, *rows: int) -> Any:
        pieces.append(self)
        if len(pieces) == 7:
            shorten(path)
        return read(self, memory, *rows)

    monkeypatch.setattr(StoredArray, "filled", shortened)
    audited = with_values(audit(str(path)))
    assert [finding.place.file for finding in audited.findings if finding.severity == "error"] == [path.name]
    assert audited.values is not None and audited.values.tensors == 0


def test_no_file_is_mapped(tmp_path: Path) -> None:
    write(tmp_path / "one", model(), TINY)
    write_llama_gguf(tmp_path / "model.gguf", model())
    code = (
        "import sys; import numpy, inspector\n"
        "def hook(event, arguments):\n"
        "    assert not event.startswith('mmap'), event\n"
        "sys.addaudithook(hook)\n"
        f"compared = inspector.compare({str(tmp_path / 'one')!r}, {str(tmp_path / 'model.gguf')!r}, values=True)\n"
        "assert compared.values.elements"
    )
    environment = {**os.environ, "PYTHONPATH": str(FIXTURES.parent)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.mark.parametrize("entry", [["U8", [1], [0, 1]], {"dtype": "U8"}, {"data_offsets": 7}, 3, None])
def test_positions_in_a_damaged_header_are_not_used(tmp_path: Path, entry: Any) -> None:
    whole = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    (tmp_path / "model.safetensors").write_bytes(file_of({"a": entry, "b": whole}, bytes(8)))
    audited = with_values(audit(str(tmp_path)))
    assert audited.values is not None


def test_stored_arrays_equal_those_of_numpy() -> None:
    array = np.arange(2 * 6 * 4, dtype=np.int32).reshape(2, 6, 4)
    raw = bytes(8) + array.tobytes()
    stored: Any = StoredArray(lambda offset, length: raw[offset : offset + length], array.dtype, 8, array.shape)
    views: tuple[Callable[[Any], Any], ...] = (
        lambda one: one,
        lambda one: one[1],
        lambda one: one[-1],
        lambda one: one[0][2:5],
        lambda one: one[1][4:9],
        lambda one: one[3:],
        lambda one: one.reshape(-1, 8),
        lambda one: one.reshape((4, 3, 4))[2],
        lambda one: one.reshape(2, 2, 3, 4)[:, 1:2],
        lambda one: one[1][::2],
        lambda one: one[..., 1],
        lambda one: np.swapaxes(one, -1, -2),
        lambda one: np.swapaxes(one[1].reshape(-1, 3, 4), 0, 1),
    )
    for view in views:
        expected = view(array)
        assert np.array_equal(np.asarray(view(stored)), expected)
        assert (view(stored).shape, view(stored).ndim, view(stored).size) == (
            expected.shape,
            expected.ndim,
            expected.size,
        )
    impossible: tuple[Callable[[Any], Any], ...] = (lambda one: one[2], lambda one: one.reshape(7, -1))
    for wrong in impossible:
        with pytest.raises((IndexError, ValueError)):
            wrong(stored)
