"""Parts of weights that are listed in the metadata of torchao's files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector import audit
from tests.checkpoints import write_file
from tests.quantization.stored import checkpoint

PARTS = ("qdata", "scale", "zero_point")


def audited(folder: Path, lost: str, parts: object, prefix: str = "") -> list[str]:
    """The codes of errors after removing tensors by suffix, where the metadata lists parts of each weight.

    prefix: an additional prefix of the names in the metadata.
    """
    config, spec, _ = checkpoint("torchao_int8wo")
    modules = [name.removesuffix("._weight_qdata") for name in spec if name.endswith("._weight_qdata")]
    entry = json.dumps({"_type": "Int8Tensor", "_tensor_data_names": parts})
    metadata = {"format": "pt", **dict.fromkeys((f"{prefix}{module}.weight" for module in modules), entry)}
    left = {name: one for name, one in spec.items() if not (lost and name.endswith(lost))}
    write_file(folder / "model.safetensors", left, metadata)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return [one.code for one in audit(folder).findings if one.severity == "error"]


@pytest.mark.parametrize(
    ("lost", "parts", "codes"),
    [("", PARTS, []), ("._weight_zero_point", PARTS, ["T610"]), ("q_proj._weight_zero_point", PARTS, ["T610"]),
     ("._weight_zero_point", PARTS[:2], []), ("._weight_scale", PARTS, ["T610"]), ("", "qdata", []),
     ("", [1, None], [])],
)  # fmt: skip
def test_a_part_that_is_listed_and_stored_for_no_weight_is_one_error(
    tmp_path: Path, lost: str, parts: object, codes: list[str]
) -> None:
    """Recorded: transformers 5.24 with torchao 0.18 raises; without the list nothing reads the part."""
    assert audited(tmp_path, lost, parts) == codes


@pytest.mark.parametrize(("lost", "codes"), [("", []), ("._weight_zero_point", ["T610"])])
def test_the_names_in_the_metadata_may_be_those_of_the_model_in_memory(
    tmp_path: Path, lost: str, codes: list[str]
) -> None:
    """Recorded: transformers 5.23 saves LLaVA in this form and loads it completely."""
    assert audited(tmp_path, lost, PARTS, "model.") == codes
