"""Stacked experts under other names are one renaming, which mend undoes; with other shapes they are not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.findings.names.renamed import TensorRenamed
from tests.judged import Spec, base_record, judged, spec_of

TYPES = ("mixtral", "qwen3_moe", "qwen3_5_moe", "olmoe")
EXPERT = re.compile(r"experts\.(\d+)\.(\w+?)(\.weight)?$")


def stacked(model_type: str) -> tuple[Spec, dict[str, Any]]:
    """A model with its experts as transformers 5 holds them."""
    record = base_record(model_type)
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    sizes: dict[tuple[str, str], tuple[int, int]] = {}
    numbers: set[str] = set()
    for name, (dtype, shape) in spec_of(record).items():
        found = EXPERT.search(name)
        if found is None:
            spec[name] = (dtype, shape)
            continue
        numbers.add(found[1])
        part = {"w1": "gate_up_proj", "gate_proj": "gate_up_proj", "w2": "down_proj", "down_proj": "down_proj"}
        if found[2] in part:
            key = name[: found.start()].replace("block_sparse_moe", "mlp"), part[found[2]]
            sizes[key] = (shape[0] * (2 if key[1] == "gate_up_proj" else 1), shape[1])
    for (before, last), size in sizes.items():
        spec[f"{before}experts.{last}"] = ("F32", (len(numbers), *size))
    spec = {name.replace("block_sparse_moe", "mlp"): one for name, one in spec.items()}
    return spec, {**record["config"], "architectures": [record["class"]]}


@pytest.mark.parametrize("model_type", TYPES)
def test_stacked_experts_under_another_name_are_one_renaming(model_type: str) -> None:
    spec, config = stacked(model_type)
    whole = judged(spec, config)
    assert not [one.code for one in whole.findings if one.severity == "error"]
    renamed = {name.replace(".experts.", ".all_experts."): one for name, one in spec.items()}
    errors = [one for one in judged(renamed, config).findings if one.severity == "error"]
    assert [one.code for one in errors] == ["N407"]
    assert isinstance(errors[0], TensorRenamed)
    assert errors[0].tensors == sum("all_experts" in name for name in renamed)
    assert all(step.old.replace("all_experts", "experts") == step.new for step in errors[0].remedy().steps)


@pytest.mark.parametrize("model_type", TYPES)
def test_stacked_experts_of_other_shapes_are_not_renamed(model_type: str) -> None:
    spec, config = stacked(model_type)
    renamed = {
        name.replace(".experts.", ".all_experts."): (
            dtype,
            (*shape[:-1], shape[-1] + 1) if ".experts." in name else shape,
        )
        for name, (dtype, shape) in spec.items()
    }
    assert "N407" not in [one.code for one in judged(renamed, config).findings]
