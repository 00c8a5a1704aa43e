"""Folders that mlx-lm wrote, for other loaders: what `--dequantize` leaves as MLX has it.

Measured with mlx-lm 0.32 (`load_model` and `save_model`) and transformers 5.23 and 4.57.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.layouts_of_mlx import CONV1D
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from tests.checkpoints import Spec, write_file
from tests.judged import base_record, spec_of

EXPERT = re.compile(r"(.*)\.experts\.(\d+)\.(\w+)\.weight")
OF_MIXTRAL = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}
BITS, GROUP = 4, 64


def stored_by_mlx(model_type: str) -> tuple[dict[str, Any], Spec]:
    """The config and the tensors of a type as mlx-lm has them."""
    record = base_record(model_type, "ForCausalLM")
    spec: Spec = {}
    for name, (dtype, shape) in spec_of(record).items():
        found = EXPERT.fullmatch(name)
        if found is None:
            spec[name] = (dtype, (shape[0], shape[2], shape[1]) if "conv1d.weight" in name else shape)
            continue
        key = f"{found[1]}.switch_mlp.{OF_MIXTRAL.get(found[3], found[3])}.weight"
        experts = spec[key][1][0] + 1 if key in spec else 1
        spec[key] = (dtype, (experts, *shape))
    return {**record["config"], "architectures": [record["class"]]}, spec


def packed(config: dict[str, Any], spec: Spec) -> tuple[dict[str, Any], Spec]:
    """The same with every matrix of whole groups packed in words."""
    made: Spec = {}
    for name, (dtype, shape) in spec.items():
        if len(shape) < 2 or shape[-1] % GROUP or not name.endswith(".weight") or "conv" in name:
            made[name] = (dtype, shape)
            continue
        made[name] = ("U32", (*shape[:-1], shape[-1] * BITS // 32))
        for part in ("scales", "biases"):
            made[f"{name.removesuffix('weight')}{part}"] = ("BF16", (*shape[:-1], shape[-1] // GROUP))
    return {**config, "quantization": {"group_size": GROUP, "bits": BITS}}, made


def found_for(folder: Path, config: dict[str, Any], spec: Spec, loader: str) -> list[Finding]:
    """The errors for a loader."""
    write_file(folder / "model.safetensors", spec, {"format": "mlx"})
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return [one for one in judged_for(audit(str(folder)), loader).findings if one.severity == "error"]


@pytest.mark.parametrize("loader", ["transformers", "transformers@4"])
@pytest.mark.parametrize(("model_type", "expert"), [
    ("mixtral", "experts.{expert}.w1.weight"), ("qwen3_moe", "experts.{expert}.gate_proj"),
    ("olmoe", "experts.{expert}.gate_proj"), ("glm4_moe", "experts.{expert}.gate_proj"),
])  # fmt: skip
def test_stacks_of_experts_are_named_and_may_be_divided(
    model_type: str, expert: str, loader: str, tmp_path: Path
) -> None:
    config, spec = stored_by_mlx(model_type)
    (finding,) = found_for(tmp_path, config, spec, loader)
    assert finding.code == "N429" and finding.facts["because"].startswith("MLX stacked the experts: ")
    assert "divide the stacks of experts" in finding.help and expert in finding.help
    assert "--dequantize" not in finding.help


@pytest.mark.parametrize(("model_type", "way"), [
    ("mamba", "turned convolutions"), ("dots1", "renamed tensors"), ("deepseek_v3", "renamed tensors"),
])  # fmt: skip
def test_other_changes_of_mlx_leave_the_original_weights(model_type: str, way: str, tmp_path: Path) -> None:
    config, spec = stored_by_mlx(model_type)
    if model_type == "dots1":
        spec = {name.replace("switch_mlp", "experts"): one for name, one in spec.items()}
    if model_type == "deepseek_v3":
        heads, wide, own = config["num_attention_heads"], config["kv_lora_rank"], config["qk_nope_head_dim"]
        for name in [one for one in spec if one.endswith("kv_b_proj.weight")]:
            dtype, _ = spec.pop(name)
            module = name.removesuffix("kv_b_proj.weight")
            spec[f"{module}embed_q.weight"] = (dtype, (heads, wide, own))
            spec[f"{module}unembed_out.weight"] = (dtype, (heads, config["v_head_dim"], wide))
    (finding,) = found_for(tmp_path, config, spec, "transformers")
    assert finding.code == "N429" and way in finding.facts["because"]
    assert finding.help.startswith("take the weights for transformers") and "divide" not in finding.help


WIDE: dict[str, Any] = {
    "hidden_size": 128, "intermediate_size": 192, "moe_intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 320, "head_dim": 32, "num_experts": 5,
    "num_local_experts": 5, "num_experts_per_tok": 2, "tie_word_embeddings": False, "rms_norm_eps": 1e-6,
    "decoder_sparse_step": 1, "norm_topk_prob": False, "mlp_only_layers": [],
    "max_position_embeddings": 512, "rope_theta": 10000.0,
}  # fmt: skip


@pytest.mark.parametrize(("model_type", "class_name", "experts"), [
    ("qwen3_moe", "Qwen3MoeForCausalLM", True), ("qwen3", "Qwen3ForCausalLM", False),
    ("mistral", "MistralForCausalLM", False),
])  # fmt: skip
def test_dequantizing_is_enough_for_models_without_experts(
    model_type: str, class_name: str, experts: bool, tmp_path: Path
) -> None:
    config = {**WIDE, "model_type": model_type, "architectures": [class_name]}
    wide, attention = 64 if experts else 192, {"q_proj": (128, 128), "k_proj": (64, 128), "v_proj": (64, 128),
                                               "o_proj": (128, 128)}  # fmt: skip
    spec: Spec = {"model.embed_tokens.weight": ("BF16", (320, 128)), "lm_head.weight": ("BF16", (320, 128)),
                  "model.norm.weight": ("BF16", (128,))}  # fmt: skip
    for layer in range(2):
        own = f"model.layers.{layer}."
        spec |= {f"{own}self_attn.{name}.weight": ("BF16", shape) for name, shape in attention.items()}
        spec |= {f"{own}{name}.weight": ("BF16", (128,)) for name in ("input_layernorm", "post_attention_layernorm")}
        if model_type.startswith("qwen3"):
            spec |= {f"{own}self_attn.{name}.weight": ("BF16", (32,)) for name in ("q_norm", "k_norm")}
        spec |= {f"{own}mlp.gate.weight": ("BF16", (5, 128))} if experts else {}
        stack, module = ((5,), "switch_mlp.") if experts else ((), "")
        spec |= {f"{own}mlp.{module}{name}_proj.weight": ("BF16", (*stack, wide, 128)) for name in ("gate", "up")}
        spec[f"{own}mlp.{module}down_proj.weight"] = ("BF16", (*stack, 128, wide))
    (finding,) = found_for(tmp_path, *packed(config, spec), "transformers")
    assert finding.facts["because"].startswith("MLX packed the weights and stacked" if experts else "MLX packed the")
    assert finding.help.startswith("take the weights for" if experts else "convert it with mlx_lm.convert --dequantize")
    (tmp_path / "plain").mkdir()
    plain = found_for(tmp_path / "plain", config, spec, "transformers")
    assert [one.code for one in plain] == (["N429"] if experts else [])


def turned_by_mlx(model_type: str, suffix: str) -> tuple[dict[str, Any], Spec]:
    """The config and the tensors of a type with MLX's convolutions and matrices."""
    record = base_record(model_type, suffix)
    spec: Spec = {}
    for name, (dtype, shape) in spec_of(record).items():
        turned = "conv1d.weight" in name or "conv.conv.weight" in name
        matrix = model_type == "gpt2" and name.endswith(CONV1D)
        own = name if model_type != "gpt2" or name.startswith("model.") else f"model.{name}"
        spec[own] = (dtype, (shape[0], shape[2], shape[1]) if turned else shape[::-1] if matrix else shape)
    return {**record["config"], "architectures": [record["class"]]}, spec


@pytest.mark.parametrize(("model_type", "suffix", "words"), [
    ("qwen3_5", "Generation", "added 1 to the norms"), ("qwen3_5_text", "ForCausalLM", "added 1 to the norms"),
    ("qwen3_next", "ForCausalLM", "added 1 to the norms"), ("falcon_h1", "ForCausalLM", "multiplied the multipliers"),
    ("gpt2", "LMHeadModel", "transposed the matrices"),
    ("mamba2", "ForCausalLM", ""), ("gemma2", "ForCausalLM", ""), ("llama", "ForCausalLM", ""),
])  # fmt: skip
def test_copies_that_the_converter_of_llama_cpp_would_change_again(
    model_type: str, suffix: str, words: str, tmp_path: Path
) -> None:
    """Mamba's convolutions are squeezed to the same values, and MLX stores Gemma's norms as they are."""
    config, spec = turned_by_mlx(model_type, suffix)
    (error,) = (one for one in found_for(tmp_path, config, spec, "llama.cpp") if one.code == "N598")
    assert words in dict(error.rows()).get("this copy", "") and ("this copy" in dict(error.rows())) == bool(words)
    assert error.help.startswith("convert the original model") == bool(words)


def test_originals_of_these_types_are_converted(tmp_path: Path) -> None:
    record = base_record("qwen3_next", "ForCausalLM")
    config = {**record["config"], "architectures": [record["class"]]}
    (error,) = (one for one in found_for(tmp_path, config, spec_of(record), "llama.cpp") if one.code == "N598")
    assert "this copy" not in dict(error.rows())


def test_packed_copies_are_not_dequantized_for_it(tmp_path: Path) -> None:
    config, spec = packed(*stored_by_mlx("mixtral"))
    (error,) = (one for one in found_for(tmp_path, config, spec, "llama.cpp") if one.code == "N598")
    assert "switch_mlp" in dict(error.rows())["this copy"] and error.help.startswith("convert the original model")
