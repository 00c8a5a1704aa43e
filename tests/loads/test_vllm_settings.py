"""Settings of a quantization block that vLLM refuses, by its source: each with what the remedy sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.loading.outcome import COMPLETE, Load
from inspector.loading.registries import of_safetensors
from tests.checkpoints import genuine
from tests.loads.test_quantized_programs import stored
from tests.quantization.made_by_formula import LLAMA
from tests.quantization.stored import checkpoint

ABSENT = object()
GPTQ_4, GPTQ_3 = "gptq_4bit_g128_sym", "gptq_3bit_g64"
AWQ, FP8 = "awq_gemm_4bit_g128", "fp8_finegrained"
CASES: list[tuple[str, dict[str, Any], str, object]] = [
    # recorded checkpoint, changed settings, words of the refusal ("": it loads), value of the remedy
    (GPTQ_4, {}, "", None),
    (GPTQ_4, {"sym": ABSENT}, "its block of gptq needs sym", None),
    (GPTQ_4, {"desc_act": ABSENT}, "its block of gptq needs desc_act", None),
    (GPTQ_4, {"sym": False}, "reads symmetric GPTQ of 4 or 8 bits, not bits 4 and sym false", None),
    (GPTQ_3, {"sym": True}, "reads symmetric GPTQ of 4 or 8 bits, not bits 3 and sym true", None),
    (AWQ, {}, "", None),
    (AWQ, {"zero_point": ABSENT}, "its block of awq needs zero_point", True),
    (FP8, {}, "", None),
    (FP8, {"activation_scheme": ABSENT}, "its block of fp8 needs activation_scheme", "dynamic"),
    (FP8, {"weight_block_size": ABSENT}, "without weight_block_size it builds one scale", [128, 128]),
]


@pytest.mark.parametrize(("name", "changes", "words", "value"), CASES)
def test_refused_settings(name: str, changes: dict[str, Any], words: str, value: object, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    block = {**config["quantization_config"], **changes}
    config["quantization_config"] = {key: one for key, one in block.items() if one is not ABSENT}
    result = stored(tmp_path / "damaged", spec, config)
    assert not [one for one in result.findings if one.severity == "error"]
    (load,) = (one for one in result.loads if one.loader == "vllm")
    assert (load.outcome, words in load.because) == ("refuses" if words else "complete", True)
    errors = [one for one in judged_for(result, "vllm").findings if one.severity == "error"]
    assert len(errors) == bool(words)
    if value is not None:
        (step,) = errors[0].remedy().steps
        mended = {**config["quantization_config"], step.key[-1]: step.new}
        assert step.new == value
        again = stored(tmp_path / "mended", spec, {**config, "quantization_config": mended})
        assert [one.outcome for one in again.loads if one.loader == "vllm"] == ["complete"]


@pytest.mark.parametrize(("class_name", "words"), [
    ("LlamaForCausalLM", ""), ("QWenLMHeadModel", "no class for the model since 0.23.0"),
    ("BartForConditionalGeneration", "with a plugin only"), ("OwnForCausalLM", "does not name the model"),
])  # fmt: skip
def test_models_that_vllm_has_no_more(class_name: str, words: str) -> None:
    whole = Load(loader="transformers", version="5", outcome=COMPLETE, files=("model.safetensors",))
    vllm, _ = of_safetensors(class_name, "llama", whole, whole, "", {})
    assert (vllm.outcome, words in vllm.because) == ("unknown" if words else "complete", True)


@pytest.mark.parametrize(("class_name", "settings", "refused"), [
    ("MiniCPMV", None, True), ("MiniCPMO", None, True), ("Llama_Nemotron_Nano_VL", None, True),
    ("MiniCPMV", "preprocessor_config.json", False), ("MiniCPMV", "processor_config.json", False),
    ("LlamaForCausalLM", None, False),
])  # fmt: skip
def test_settings_of_the_image_processor(class_name: str, settings: str | None, refused: bool, tmp_path: Path) -> None:
    """The class decides, not what the weights are; without a class of transformers nothing is said of the tensors."""
    code = {"AutoConfig": "configuration_x.XConfig", "AutoModel": "modeling_x.X"}
    config = {**LLAMA, "architectures": [class_name], "auto_map": code}
    side = {} if settings is None else {settings: {"image_processor": {}, "image_processor_type": "XImageProcessor"}}
    found = judged_for(stored(tmp_path, genuine(LLAMA), config, side), "vllm")
    said = [one.help for one in found.findings if one.code == "N429"]
    assert [(one or "").startswith("copy preprocessor_config.json") for one in said] == [True] * refused
    assert "whether it finds the files" not in str(found.skipped)
