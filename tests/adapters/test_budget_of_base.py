"""What reading a base and comparing with it take is not taken from the adapter, which stays what it is without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.adapter import base_read, several_bases
from inspector.auditing.start import audit
from inspector.budget import Budget
from tests.checkpoints import Spec, write_file
from tests.judged import codes
from tests.test_pipelines import PARTS, pipeline

MODULES = {
    "lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn1_to_q": 32,
    "lora_te_text_model_encoder_layers_0_self_attn_q_proj": 24,
}


def saved(path: Path) -> Path:
    """A LoRA of a UNet and of a text encoder in Kohya's names."""
    shapes: Spec = {}
    for stem, width in MODULES.items():
        shapes[f"{stem}.lora_down.weight"] = ("F16", (4, width))
        shapes[f"{stem}.lora_up.weight"] = ("F16", (width, 4))
        shapes[f"{stem}.alpha"] = ("F16", ())
    write_file(path, shapes)
    return path


@pytest.mark.parametrize("module", [base_read, several_bases])
def test_a_spent_budget_leaves_the_adapter_as_it_is(
    module: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter, base = saved(tmp_path / "style.safetensors"), pipeline(tmp_path / "base", PARTS)
    alone, compared = audit(str(adapter)), audit(str(adapter), base=str(base))
    assert codes(compared)
    budgets = iter([Budget(steps=-100_000)])
    monkeypatch.setattr(module, "Budget", lambda: next(budgets, Budget()))
    spent = audit(str(adapter), base=str(base))
    assert (spent.architecture, spent.counts) == (alone.architecture, alone.counts)
    assert spent.verdict == "undecided"
    assert not {"A928", "R012"} & {one.code for one in spent.findings}
    assert any(one.check == "the base" for one in spent.skipped)
