"""A lost quantization block is added again where the weights determine it, and no tensor changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loader.config_file import QUANTO_FILE
from tests.mending.damages import digests, whole
from tests.mending.test_mend import run
from tests.quantization.recorded import record
from tests.quantization.test_blocks import QUANTIZED, without_block


@pytest.mark.thinned
@pytest.mark.parametrize("name", [*QUANTIZED[::6], *(pytest.param(one, marks=pytest.mark.slow) for one in QUANTIZED)])
def test_a_lost_block_is_repaired_or_left_unchanged(name: str, tmp_path: Path) -> None:
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in record(name)["tensors"].items()}
    whole(tmp_path, spec, without_block(name))
    before = digests(tmp_path)
    determined = any(one.steps for one in audit(str(tmp_path)).findings if one.severity == "error")
    code, done = run(tmp_path, write=True)
    assert digests(tmp_path) == before
    if determined:
        remaining = () if done["after"] == "clean" else remaining_as_written(name, tmp_path / "as written")
        assert (code, [one["finding"] for one in done["left"]]) == (int(bool(remaining)), [*remaining])
        assert done["after"] == "clean" or remaining
        assert [step["key"][0] for step in done["steps"]] in (["quantization_config"], ["quantization"])
    else:
        of_metadata = name.startswith("torchao")  # its file has none here, which no program restores
        assert (code, done["steps"], len(done["left"])) == (1, [], 1 + of_metadata)


def remaining_as_written(name: str, folder: Path) -> list[str]:
    """The errors and warnings of a checkpoint as its tool writes it: transformers 5 does not support HQQ."""
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in record(name)["tensors"].items()}
    whole(folder, spec, record(name)["config"])
    return [one.code for one in audit(str(folder)).findings if one.severity in ("error", "warning")]


def test_most_schemes_that_loaders_read_are_repaired(tmp_path: Path) -> None:
    for name in QUANTIZED[::6]:
        spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in record(name)["tensors"].items()}
        whole(tmp_path / name, spec, without_block(name))
    assert any(one.steps for name in QUANTIZED[::6] for one in audit(str(tmp_path / name)).findings)


@pytest.mark.parametrize("name", ["quanto_int4", "quanto_float8"])
def test_the_lost_map_of_quanto_is_written_anew(name: str, tmp_path: Path) -> None:
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in record(name)["tensors"].items()}
    whole(tmp_path, spec, record(name)["config"])
    code, done = run(tmp_path, write=True)
    written = json.loads((tmp_path / QUANTO_FILE).read_text(encoding="utf-8"))
    assert (code, done["after"], written) == (0, "clean", record(name)["side"][QUANTO_FILE])
