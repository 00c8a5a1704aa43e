"""An index of PyTorch shards of which none is in the folder, next to one file under a name of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import Spec, write_file
from tests.judged import codes
from tests.test_file_names import MODELS

INDEX = "pytorch_model.bin.index.json"


def beside_index(folder: Path, model: str, files: dict[str, Spec], index: str = INDEX) -> None:
    """The folder of a model with files, and with the index of shards that are absent."""
    spec, config = MODELS[model]
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    ending = "safetensors" if "safetensors" in index else "bin"
    listed = {name: f"pytorch_model-0000{1 + number % 2}-of-00002.{ending}" for number, name in enumerate(spec)}
    (folder / index).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": listed}), encoding="utf-8")
    for name, stored in files.items():
        write_file(folder / name, stored)


@pytest.mark.parametrize("model", ["llama", "bert", "t5"])
def test_the_weights_in_a_file_of_another_name_are_audited(model: str, tmp_path: Path) -> None:
    """A quantizer leaves the index of the original in its folder: the shards cannot be downloaded from there."""
    beside_index(tmp_path, model, {"own-4bit-128g.safetensors": MODELS[model][0]})
    audited = audit(str(tmp_path))
    assert codes(audited) == {"S211", "S221"}
    assert (audited.checkpoint.set_name, audited.counts.unexplained) == ("own-4bit-128g.safetensors", 0)
    (tmp_path / INDEX).unlink()
    (tmp_path / "own-4bit-128g.safetensors").rename(tmp_path / "model.safetensors")
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize(("files", "index"), [
    ({"mm_projector.safetensors": {"model.mm_projector.0.weight": ("F16", (64, 8))}}, INDEX),
    ({"a.safetensors": "part"}, INDEX), ({}, INDEX),
    ({"a.safetensors": "all", "b.safetensors": "all"}, INDEX),
])  # fmt: skip
def test_files_that_are_not_the_model_do_not_replace_the_shards(
    files: dict[str, Spec | str], index: str, tmp_path: Path
) -> None:
    spec = MODELS["llama"][0]
    parts = {"all": spec, "part": dict(list(spec.items())[: len(spec) // 2])}
    beside_index(
        tmp_path, "llama", {name: parts[one] if isinstance(one, str) else one for name, one in files.items()}, index
    )
    assert codes(audit(str(tmp_path))) == {"S201"}
