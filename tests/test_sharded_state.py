"""Sharded states as vLLM saves them for its ranks, and files that vLLM refuses although transformers reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import genuine
from tests.findings.cases import ranks_of_vllm
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


def test_files_under_other_names_are_not_counted_as_ranks() -> None:
    audited = ranks_of_vllm(0, file="model.safetensors")
    assert not {"S260", "S261"} & {one.code for one in audited.findings}


@pytest.mark.parametrize(("prefix", "outcome"), [("model.", "refuses"), ("", "complete")])
def test_vllm_does_not_read_past_a_prefix(prefix: str, outcome: str, tmp_path: Path) -> None:
    spec = {f"{prefix}{name}": entry for name, entry in genuine(TINY).items()}
    audited = audit(str(write(healthy(spec, TINY, "model.safetensors"), tmp_path)))
    assert {one.loader: one.outcome for one in audited.loads}["vllm"] == outcome
