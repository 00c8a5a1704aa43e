"""Loads of PEFT 0.21 with tensors that all modules share, and with targets that a method does not change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.adapters.targets import newer_than_rule
from inspector.auditing.start import audit
from tests.adapters.test_peft_names import saved
from tests.checkpoints import Spec
from tests.judged import codes
from tests.make_checkpoints import SMALL_LLAMA

PREFIX = "base_model.model."
MODULES = [f"{PREFIX}model.layers.{layer}.self_attn.q_proj" for layer in range(4)]
VERA: dict[str, Any] = {"peft_type": "VERA", "r": 4, "target_modules": ["q_proj"], "save_projection": True}
LOHA: dict[str, Any] = {"peft_type": "LOHA", "r": 4, "target_modules": ["q_proj"]}
OSF: dict[str, Any] = {"peft_type": "OSF", "target_modules": ["c_attn"]}
GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 48, "n_layer": 2, "n_head": 4,
        "vocab_size": 120, "n_positions": 64}  # fmt: skip


def vera(lost: str = "", of_model: bool = False) -> Spec:
    """VeRA on the queries. lost: a tensor to leave out. of_model: under the names in memory."""
    spec: Spec = {"base_model.vera_A": ("F32", (4, 64)), "base_model.vera_B": ("F32", (64, 4))}
    for module in MODULES:
        spec |= {f"{module}.vera_lambda_b": ("F32", (64,)), f"{module}.vera_lambda_d": ("F32", (4,))}
        if of_model:
            spec |= {f"{module}.vera_A": ("F32", (4, 64)), f"{module}.vera_B": ("F32", (64, 4))}
    return {f"{name}.default" if of_model else name: entry for name, entry in spec.items() if name != lost}


def unprojected() -> Spec:
    """VeRA without its projections, which a seed makes again."""
    return {name: entry for name, entry in vera().items() if "lambda" in name}


def loha() -> Spec:
    return {f"{module}.hada_w{number}_{end}": ("F32", shape) for module in MODULES for number in "12"
            for end, shape in (("a", (64, 4)), ("b", (4, 64)))}  # fmt: skip


CASES: dict[str, tuple[Spec, dict[str, Any], dict[str, Any], str, set[str]]] = {
    "VeRA": (vera(), VERA, SMALL_LLAMA, "complete", set()),
    "its names in memory": (vera(of_model=True), VERA, SMALL_LLAMA, "complete", set()),
    "VeRA without projections": (unprojected(), {**VERA, "save_projection": False}, SMALL_LLAMA, "complete", set()),
    "the same with null": (unprojected(), {**VERA, "save_projection": None}, SMALL_LLAMA, "complete", set()),
    "its first projection lost": (vera("base_model.vera_A"), VERA, SMALL_LLAMA, "refuses", {"A905"}),
    "a projection that a seed makes again": (vera("base_model.vera_B"), VERA, SMALL_LLAMA, "complete", {"A905"}),
    "OSF leaves GPT-2 as it is": ({}, OSF, GPT2, "complete", set()),
    "OSF of a Llama without tensors": ({}, {**OSF, "target_modules": ["q_proj"]}, SMALL_LLAMA, "random", {"A915"}),
    "a table that LoHa refuses": (
        loha(), {**LOHA, "target_modules": ["q_proj", "embed_tokens"]}, SMALL_LLAMA, "refuses", {"N429"},
    ),
    "LoHa": (loha(), LOHA, SMALL_LLAMA, "complete", set()),
    "a head saved empty by ZeRO-3": (
        {**loha(), f"{PREFIX}lm_head.weight": ("F32", (0,))}, {**LOHA, "modules_to_save": ["lm_head"]}, SMALL_LLAMA,
        "refuses", {"R042"},
    ),
    "a matrix saved empty": (
        {**loha(), f"{MODULES[0]}.hada_w1_a": ("F32", (0,))}, LOHA, SMALL_LLAMA, "refuses", {"R042"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_loads_of_peft(name: str, tmp_path: Path) -> None:
    spec, adapter, base, outcome, found = CASES[name]
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text(json.dumps(base), encoding="utf-8")
    folder = saved(tmp_path / "adapter", spec, {**adapter, "task_type": "CAUSAL_LM"})
    audited = audit(folder, base=str(tmp_path / "base"))
    assert (audited.loads[0].outcome, codes(audited)) == (outcome, found)
    assert ("R042" in codes(audit(folder))) == ("R042" in found)


@pytest.mark.parametrize(("version", "known"), [("0.21.2", True), ("0.18.0", True), ("0.17.1", False), (None, False)])
def test_the_number_of_a_layer_is_known_from_0_18(version: object, known: bool) -> None:
    assert newer_than_rule(version) is known


@pytest.mark.parametrize("model_type", ["mamba", "falcon_mamba"])
@pytest.mark.parametrize("modules", [("in_proj", "out_proj"), ("in_proj", "x_proj")])
def test_a_module_of_mamba_that_peft_refuses_is_left_out(
    model_type: str, modules: tuple[str, ...], tmp_path: Path
) -> None:
    """Measured with PEFT 0.21: out_proj raises ValueError; without it and its tensors the adapter loads."""
    sizes = {"in_proj": (64, 256), "x_proj": (128, 22), "out_proj": (128, 64)}
    base = {"model_type": model_type, "hidden_size": 64, "state_size": 8, "num_hidden_layers": 2, "vocab_size": 160,
            "expand": 2, "intermediate_size": 128, "conv_kernel": 4, "time_step_rank": 6}  # fmt: skip
    spec: Spec = {}
    for layer in range(2):
        for name in modules:
            path, (inputs, outputs) = f"{PREFIX}backbone.layers.{layer}.mixer.{name}", sizes[name]
            spec |= {f"{path}.lora_A.weight": ("F32", (4, inputs)), f"{path}.lora_B.weight": ("F32", (outputs, 4))}
    config = {"peft_type": "LORA", "r": 4, "target_modules": list(modules), "base_model_name_or_path": "org/base"}
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text(json.dumps(base), encoding="utf-8")
    found = audit(saved(tmp_path / "adapter", spec, config), base=str(tmp_path / "base"))
    refused = "out_proj" in modules
    assert codes(found) == ({"N429"} if refused else set())
    assert next(one for one in found.loads if one.loader == "peft").outcome == ("refuses" if refused else "complete")
    wanted = "remove out_proj from target_modules"
    assert any(one.help.startswith(wanted) for one in found.findings) is refused
