"""Weights in the layout of a model's authors under a config for the class of transformers."""

from __future__ import annotations

import pytest

from tests.checkpoints import Spec
from tests.findings.cases import INTERN_VL, config_of
from tests.judged import base_record, judged, spec_of

OVIS2: Spec = {
    "vte.weight": ("F32", (64, 32)), "llm.model.norm.weight": ("F32", (32,)), "llm.lm_head.weight": ("F32", (99, 32)),
    **{f"visual_tokenizer.backbone.trunk.blocks.{n}.attn.qkv.weight": ("F32", (96, 32)) for n in range(2)},
}  # fmt: skip


@pytest.mark.parametrize(("model_type", "spec", "script"), [
    ("internvl", INTERN_VL, "convert_internvl_weights_to_hf.py"), ("ovis2", OVIS2, "convert_ovis2_weights_to_hf.py"),
])  # fmt: skip
def test_the_layout_of_the_authors_is_named(model_type: str, spec: Spec, script: str) -> None:
    audited = judged(spec, config_of(model_type))
    (found,) = [one for one in audited.findings if one.severity == "error"]
    assert (found.code, audited.verdict) == ("N759", "findings")
    assert script in found.help


@pytest.mark.parametrize("model_type", ["internvl", "ovis2", "llava"])
def test_the_layout_of_transformers_is_not(model_type: str) -> None:
    own = judged(spec_of(base_record(model_type, "Generation")), config_of(model_type))
    assert all(one.code != "N759" for one in own.findings)


def test_other_types_and_partial_names_are_not() -> None:
    assert all(one.code != "N759" for one in judged(INTERN_VL, config_of("llava")).findings)
    less = {name: one for name, one in INTERN_VL.items() if not name.startswith("mlp1.")}
    assert all(one.code != "N759" for one in judged(less, config_of("internvl")).findings)
