"""Experts that are stored one by one: vLLM reads them where the class of transformers has them in one tensor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from inspector.loading.lists import lists_of
from inspector.loading.single_experts import VLLM
from inspector.loading.vllm_plain import is_plain
from tests.judged import records, spec_of
from tests.loads.damage import healthy, write

KINDS = [
    # model type, the experts together, the experts apart, the router
    ("gemma4", ("experts.gate_up_proj", "experts.down_proj"), "experts", "router.proj"),
    ("granitemoe", ("moe.input_linear.weight", "moe.output_linear.weight"), "moe.experts", "moe.router.layer"),
    ("granitemoehybrid", ("moe.input_linear.weight", "moe.output_linear.weight"), "moe.experts", "moe.router.layer"),
    ("granitemoeshared", ("moe.input_linear.weight", "moe.output_linear.weight"), "moe.experts", "moe.router.layer"),
    ("granitemoe_swa", ("moe.experts.gate_up_proj", "moe.experts.down_proj"), "moe.experts", "moe.router"),
    ("aria", ("experts.fc1.weight", "experts.fc2.weight"), "experts", "mlp.router"),
]
RECORDED = {"gemma4", "granitemoe", "granitemoehybrid", "granitemoeshared", "aria"}
"""Types whose names in transformers 5.23 were recorded."""
WEIGHTS = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True, "dynamic": False}
INPUTS = {"num_bits": 8, "type": "float", "strategy": "token", "symmetric": True, "dynamic": True}


def one_by_one(
    model_type: str, together: tuple[str, str], apart: str
) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]]]:
    """The config and the tensors of a model with a matrix for each expert."""
    one = next(one for one in records(model_type) if one["class"] in VLLM and _of(one, together[0]))
    joint = together[0]
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, (dtype, dims) in spec_of(one).items():
        end = next((end for end in together if name.endswith(end)), None)
        if end is None:
            spec[name] = (dtype, dims)
            continue
        rows, columns = dims[:0:-1] if model_type == "aria" else dims[1:]
        shape = (rows // 2, columns) if end == joint else (rows, columns)
        for expert in range(dims[0]):
            for part in ("gate_proj", "up_proj") if end == joint else ("down_proj",):
                spec[f"{name.removesuffix(end)}{apart}.{expert}.{part}.weight"] = (dtype, shape)
    return {**one["config"], "architectures": [one["class"]]}, spec


def _of(record: dict[str, Any], end: str) -> bool:
    return any(name.endswith(end) for name in record["tensors"])


def text(finding: Finding) -> str:
    return " ".join((finding.headline(), *(words for _, words in finding.rows())))


def outcomes(place: Path, spec: dict[str, Any], config: dict[str, Any]) -> tuple[Audit, dict[str, str]]:
    audited = audit(str(write(healthy(spec, config), place)))
    judged = {loader: judged_for(audited, loader).loads[0] for loader in ("vllm", "transformers")}
    return audited, {loader: one.outcome for loader, one in judged.items()}


@pytest.mark.parametrize(("model_type", "together", "apart", "router"), KINDS)
def test_plain_experts_one_by_one(
    model_type: str, together: tuple[str, str], apart: str, router: str, tmp_path: Path
) -> None:
    config, spec = one_by_one(model_type, together, apart)
    audited, found = outcomes(tmp_path / "0", spec, config)
    assert found["vllm"] == "complete"
    errors = [one for one in audited.findings if one.severity == "error"]
    assert {one.code for one in errors} == ({"N429"} if model_type in RECORDED else set())
    assert all("load it with vLLM" in (one.help or "") for one in errors)
    lost = {name: entry for name, entry in spec.items() if ".experts.1.up_proj" not in name}
    _, found = outcomes(tmp_path / "1", lost, config)
    assert found["vllm"] != "complete"


@pytest.mark.parametrize(("model_type", "together", "apart", "router"), KINDS)
@pytest.mark.parametrize("routed", [False, True])
def test_quantized_experts_one_by_one(
    model_type: str, together: tuple[str, str], apart: str, router: str, routed: bool, tmp_path: Path
) -> None:
    """vLLM reads them, and a router that is quantized with them is named."""
    config, plain = one_by_one(model_type, together, apart)
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, (dtype, dims) in plain.items():
        if ".experts." in name or (routed and name.endswith(f"{router}.weight")):
            spec |= {name: ("F8_E4M3", dims), f"{name}_scale": ("BF16", (dims[0], 1))}
        else:
            spec[name] = ("BF16" if dtype == "F32" else dtype, dims)
    targets = ["re:.*experts\\.[0-9]+\\..*", *([f"re:.*{router}$"] if routed else [])]
    group = {"targets": targets, "weights": WEIGHTS, "input_activations": INPUTS}
    block = {"quant_method": "compressed-tensors", "format": "float-quantized", "config_groups": {"group_0": group}}
    audited, found = outcomes(tmp_path, spec, {**config, "quantization_config": block})
    assert (found["vllm"] == "complete") != routed
    for_vllm = judged_for(audited, "vllm")
    assert any(router in text(one) for one in for_vllm.findings if one.severity == "error") == routed
    if not routed and model_type in RECORDED:
        assert found["transformers"] == "random"
        (error,) = (one for one in audited.findings if one.severity == "error")
        assert "one by one" in error.facts["because"]


def test_the_classes_are_of_vllms_list() -> None:
    assert set(lists_of("vllm")["names"]) >= VLLM


@pytest.mark.parametrize(("class_name", "method", "size", "module", "plain"), [
    ("Gemma4ForConditionalGeneration", "compressed-tensors", 1152, "model.embed_vision.embedding_projection", False),
    ("Gemma4ForConditionalGeneration", "fp8", 1152, "model.embed_vision.embedding_projection", False),
    ("Gemma4ForConditionalGeneration", "fp8", 1000, "model.embed_vision.embedding_projection", True),
    ("Gemma4ForConditionalGeneration", "fp8", 1000, "model.vision_tower.encoder.layers.0.mlp.up_proj.linear", True),
    ("Gemma4ForConditionalGeneration", "fp8", 1000, "model.embed_audio.embedding_projection", False),
    ("Gemma4ForConditionalGeneration", "fp8", 1000, "model.language_model.layers.0.mlp.up_proj", False),
    ("DiffusionGemmaForBlockDiffusion", "awq", 1000, "model.encoder.embed_vision.embedding_projection", True),
    ("Gemma4UnifiedForConditionalGeneration", "compressed-tensors", 1152, "model.embed_audio.embedding_projection",
     True),
    ("Gemma3ForConditionalGeneration", "fp8", 1000, "model.embed_vision.embedding_projection", False),
])  # fmt: skip
def test_the_towers_of_gemma4_for_vllm(class_name: str, method: str, size: int, module: str, plain: bool) -> None:
    config = {"vision_config": {"hidden_size": size, "intermediate_size": 64}, "audio_config": {"hidden_size": 1024}}
    assert is_plain(class_name, config, method, module) == plain
