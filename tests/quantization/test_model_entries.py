"""Lists of unquantized modules with names of another version, for bitsandbytes.

Measured with transformers 5.23 and bitsandbytes 0.50 on Gemma 3: with the names of transformers before 4.52 the first
forward fails, in 8 bits and in nf4; with the repaired list it runs.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from inspector.auditing.result import Audit
from tests.checkpoints import Spec, genuine
from tests.judged import judged
from tests.quantization.test_towers import CONFIG, TEXT

LLAVA: Final = {**CONFIG, "text_config": TEXT}
GEMMA: Final[dict[str, Any]] = {
    "model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"], "mm_tokens_per_image": 4,
    "text_config": {
        "model_type": "gemma3_text", "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 320,
    },
    "vision_config": {
        "model_type": "siglip_vision_model", "hidden_size": 48, "intermediate_size": 112, "num_hidden_layers": 2,
        "num_attention_heads": 4, "image_size": 56, "patch_size": 14,
    },
}  # fmt: skip
PARTS: Final = ("vision_tower", "multi_modal_projector")


def listed(config: dict[str, Any], *modules: str) -> Audit:
    """8 bits in each layer of the text model except the MLP of layer 0, in the names of the file; a list of modules."""
    spec: Spec = {}
    for built, (dtype, shape) in genuine(config).items():
        name = built.replace("model.language_model.", "language_model.model.", 1).replace("model.vision", "vision", 1)
        name = name.replace("model.multi", "multi", 1).replace("lm_head", "language_model.lm_head", 1)
        if "language_model" in name and name.endswith("_proj.weight") and "layers.0.mlp" not in name:
            module = name.removesuffix(".weight")
            spec |= {name: ("I8", shape), f"{module}.SCB": ("F32", (shape[0],)), f"{module}.weight_format": ("U8", ())}
        else:
            spec[name] = (dtype, shape)
    block = {"quant_method": "bitsandbytes", "load_in_8bit": True, "llm_int8_skip_modules": ["lm_head", *modules]}
    return judged(spec, {**config, "quantization_config": block})


@pytest.mark.parametrize("config", [LLAVA, GEMMA])
def test_names_of_transformers_5_are_read(config: dict[str, Any]) -> None:
    audited = listed(config, *(f"model.{part}" for part in PARTS), "model.language_model.layers.0.mlp")
    assert [one.code for one in audited.findings if one.severity == "error"] == []


@pytest.mark.parametrize("config", [LLAVA, GEMMA])
def test_names_of_older_versions_are_not_read(config: dict[str, Any]) -> None:
    """The remedy adds each module under its name in the model; with it the checkpoint has no error."""
    audited = listed(config, *PARTS, "language_model.model.layers.0.mlp")
    (finding,) = (one for one in audited.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (finding.code, finding.facts["stale"][-1]) == ("T641", "language_model.model.layers.0.mlp")
    assert {"model.vision_tower", "model.language_model.layers.0.mlp"} <= set(step.new)
    assert step.new[:4] == ["lm_head", *PARTS, "language_model.model.layers.0.mlp"]
    assert not [one.code for one in listed(config, *step.new[1:]).findings if one.severity == "error"]


def test_modules_that_no_entry_names_stay_reported() -> None:
    codes = {one.code for one in listed(GEMMA, *(f"model.{part}" for part in PARTS)).findings}
    assert "T616" in codes
