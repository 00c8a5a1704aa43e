"""Sharded states as vLLM saves them for its ranks, and files that vLLM refuses although transformers reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import genuine
from tests.findings.cases import ranks_of_vllm
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy, write
from tests.sparse_models import TINY


@pytest.mark.parametrize(
    ("ranks", "code", "verdict"),
    [((0, 1), "S260", "undecided"), ((0,), "S261", "findings"), ((1,), "S261", "findings")],
)
def test_ranks_are_counted(ranks: tuple[int, ...], code: str, verdict: str) -> None:
    audited = ranks_of_vllm(*ranks)
    assert audited.verdict == verdict
    assert [one.code for one in audited.findings if one.code != "S216"] == [code]


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "qwen3"])
def test_a_state_of_one_rank_is_no_small_part_of_the_model(model_type: str, tmp_path: Path) -> None:
    """vLLM joins query, key and value, with their biases, and gate and up."""
    record = base_record(model_type, "CausalLM")
    stored = spec_of(record)
    for joint, parts in (("qkv_proj", ("q_proj", "k_proj", "v_proj")), ("gate_up_proj", ("gate_proj", "up_proj"))):
        for name, (dtype, shape) in list(stored.items()):
            if f".{parts[0]}." in name:
                rows = sum(stored.pop(name.replace(parts[0], part))[1][0] for part in parts)
                stored[name.replace(parts[0], joint)] = (dtype, (rows, *shape[1:]))
    config = {**record["config"], "architectures": [record["class"]]}
    audited = audit(str(write(healthy(stored, config, "model-rank-0-part-0.safetensors"), tmp_path)))
    assert audited.verdict == "undecided"
    assert [one.code for one in audited.findings if one.code in ("S240", "S260", "S221", "N441")] == ["S260"]


def test_files_under_other_names_are_not_counted_as_ranks() -> None:
    audited = ranks_of_vllm(0, file="model.safetensors")
    assert not {"S260", "S261"} & {one.code for one in audited.findings}


@pytest.mark.parametrize(("prefix", "outcome"), [("model.", "refuses"), ("", "complete")])
def test_vllm_does_not_read_past_a_prefix(prefix: str, outcome: str, tmp_path: Path) -> None:
    spec = {f"{prefix}{name}": entry for name, entry in genuine(TINY).items()}
    audited = audit(str(write(healthy(spec, TINY, "model.safetensors"), tmp_path)))
    assert {one.loader: one.outcome for one in audited.loads}["vllm"] == outcome
