"""A quantized text model with an unquantized tower: the place of the block, and the modules that it excludes.

Measured with compressed-tensors 0.20: transformers 5.23 applies the block of the text model to the whole model, and
leaves modules that it does not exclude random; 4.57 does not read it there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, genuine, write
from tests.judged import codes, judged

TEXT = {
    "model_type": "llama", "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2,
    "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 320,
}  # fmt: skip
VISION = {
    "model_type": "clip_vision_model", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "image_size": 56, "patch_size": 14, "projection_dim": 64,
}  # fmt: skip
CONFIG = {
    "model_type": "llava", "architectures": ["LlavaForConditionalGeneration"], "vision_config": VISION,
    "image_token_index": 319, "vision_feature_layer": -1, "tie_word_embeddings": False,
}  # fmt: skip
TOWER = ["re:.*vision_tower.*", "re:.*multi_modal_projector.*"]


def block(*ignored: str) -> dict[str, Any]:
    """Four bits for every linear layer that is not excluded."""
    weights = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 128}
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    return {"quant_method": "compressed-tensors", "format": "pack-quantized", "quantization_status": "compressed",
            "ignore": ["lm_head", *ignored], "config_groups": groups}  # fmt: skip


def packed() -> Spec:
    """LLaVA with the linear layers of the text model in words."""
    spec: Spec = {}
    for name, (dtype, shape) in genuine({**CONFIG, "text_config": TEXT}).items():
        if "language_model" in name and name.endswith("_proj.weight"):
            module, (outputs, inputs) = name.removesuffix(".weight"), shape
            spec[f"{module}.weight_packed"] = ("I32", (outputs, inputs // 8))
            spec[f"{module}.weight_scale"] = ("BF16", (outputs, inputs // 128))
            spec[f"{module}.weight_shape"] = ("I64", (2,))
        else:
            spec[name] = (dtype, shape)
    return spec


def read(place: Path, stated: dict[str, Any], *, inside: bool) -> Audit:
    """The audit of the folder with a block at the top of the config, or in that of the text model."""
    text = {**TEXT, "quantization_config": stated} if inside else TEXT
    config = {**CONFIG, "text_config": text, **({} if inside else {"quantization_config": stated})}
    return audit(str(write(place / "model", packed(), config)))


@pytest.mark.parametrize("inside", [True, False])
def test_layers_that_the_block_does_not_leave_out_are_one_finding(inside: bool, tmp_path: Path) -> None:
    audited = read(tmp_path, block(), inside=inside)
    assert codes(audited) - {"N409"} == {"T641"}
    (step,) = next(one for one in audited.findings if one.code == "T641").remedy().steps
    place = ("text_config", "quantization_config") if inside else ("quantization_config",)
    assert (step.key, step.new) == ((*place, "ignore"), ["lm_head", *TOWER])


@pytest.mark.parametrize(("inside", "older"), [(True, "random"), (False, "complete")])
def test_an_excluded_tower_is_clean(inside: bool, older: str, tmp_path: Path) -> None:
    audited = read(tmp_path, block(*TOWER), inside=inside)
    assert (audited.verdict, codes(audited) - {"N409"}) == ("clean", set())
    outcomes = {str(one.version)[:1]: one.outcome for one in audited.loads if one.loader == "transformers"}
    assert outcomes == {"5": "complete", "4": older}


def in_awq(plain: Spec) -> Spec:
    """The linear layers of the text model in words of eight numbers."""
    spec: Spec = {}
    for name, (dtype, shape) in plain.items():
        if "language_model" in name and name.endswith("_proj.weight"):
            module, (outputs, inputs) = name.removesuffix(".weight"), shape
            spec[f"{module}.qweight"] = ("I32", (inputs, outputs // 8))
            spec[f"{module}.qzeros"] = ("I32", (inputs // 128, outputs // 8))
            spec[f"{module}.scales"] = ("F16", (inputs // 128, outputs))
        else:
            spec[name] = (dtype, shape)
    return spec


def awq(*excluded: str, width: int = 64) -> Audit:
    """LLaVA in AWQ whose tower and projector are plain. width: of the tower."""
    vision = {**VISION, "hidden_size": width, "intermediate_size": 2 * width, "projection_dim": width}
    config = {**CONFIG, "text_config": TEXT, "vision_config": vision}
    spec = in_awq(genuine(config, "F16"))
    block = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}
    listed = {"modules_to_not_convert": list(excluded)} if excluded else {}
    return judged(spec, {**config, "quantization_config": {**block, **listed}})


@pytest.mark.parametrize("width", [64, 128])
def test_awq_replaces_the_layers_of_a_tower_that_no_list_leaves_out(width: int) -> None:
    """For any width: `replace_with_awq_linear` depends only on the list."""
    (finding,) = (one for one in awq(width=width).findings if one.severity == "error")
    assert finding.code == "T641"
    (step,) = finding.remedy().steps
    assert awq(*step.new, width=width).verdict == "clean"
    assert awq("vision_tower", "multi_modal_projector", width=width).verdict == "clean"


def internvl(place: tuple[str, ...]) -> Audit:
    """InternVL as LMDeploy quantizes it: the text model alone. place: where the config has the block."""
    text = {**TEXT, "architectures": ["LlamaForCausalLM"]}
    config: dict[str, Any] = {
        "model_type": "internvl_chat", "architectures": ["InternVLChatModel"], "llm_config": text,
        "vision_config": {"model_type": "intern_vit_6b", "hidden_size": 64, "intermediate_size": 128,
                          "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 56, "patch_size": 14,
                          "qkv_bias": True, "qk_normalization": False, "norm_type": "layer_norm"},
        "downsample_ratio": 0.5, "select_layer": -1,
    }  # fmt: skip
    spec = in_awq(genuine(config, "F16"))
    block = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}
    inside = {**text, "quantization_config": block}
    return judged(spec, {**config, **({place[0]: inside} if place else {"quantization_config": block})})


def test_a_block_for_the_text_model_alone_says_nothing_on_its_tower() -> None:
    """Source: `auto_awq` of LMDeploy, which adds the block to the config of the model that it quantized."""
    audited = internvl(("llm_config",))
    assert (audited.verdict, [one.code for one in audited.findings if one.code != "P703"]) == ("clean", ["T660"])
    (note,) = (one for one in audited.findings if one.code == "T660")
    (step,) = next(one for one in internvl(()).findings if one.severity == "error").remedy().steps
    assert set(step.new) <= set(note.facts["entries"])


def test_no_entry_of_a_list_is_only_a_number() -> None:
    (finding,) = (one for one in internvl(()).findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert finding.code == "T641" and {"vision_model", "mlp1.1", "mlp1.3"} <= set(step.new)
    assert "#" not in step.new


LAYER = "encoder.layers.0.mlp.fc1"


@pytest.mark.parametrize(("listed", "stale"), [
    (["lm_head", f"model.vision_tower.vision_model.old.{LAYER}", "model.multi_modal_projector.linear_9"],
     [f"model.vision_tower.vision_model.old.{LAYER}"]),
    (["lm_head", "re:.*decoder.*", next(name[:-7] for name in packed() if f"{LAYER}.w" in name)], []),
])  # fmt: skip
def test_names_of_another_version_in_the_list(listed: list[str], stale: list[str], tmp_path: Path) -> None:
    """The remedy names what to add, and keeps the present entries."""
    audited = read(tmp_path, block(*listed[1:]), inside=False)
    finding = next(one for one in audited.findings if one.code == "T641")
    (step,) = finding.remedy().steps
    assert finding.facts["stale"] == stale
    assert step.new[: len(listed)] == listed and "re:.*vision_tower.*" in step.new
    assert finding.remedy().words.startswith("add ") and "lm_head" not in finding.remedy().words
