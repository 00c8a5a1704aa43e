"""Causes of symptoms that users see when a checkpoint does not load: verdict, findings, words of the first remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.loads.damage import MODEL
from tests.loads.test_verdicts import Row, judged

FLAT: list[Any] = [
    damage
    for name in (f"model.layers.{n}.mlp.{part}_proj.weight" for n in range(3) for part in ("gate", "up", "down"))
    for damage in (["shape", name, [4500]], ["retype", "I8", name])
]
QUERIES_ALONE = ["keep", "self_attn.q_proj"]
LORA: list[Any] = [
    ["replace", "q_proj.weight", "q_proj.lora_A.default.weight"],
    *(["add", f"model.layers.{n}.self_attn.q_proj.lora_B.default.weight", "F32", [120, 120]] for n in range(3)),
]
SCATTERED = [["lose", "k_proj", "layers.0.mlp.up", "layers.1.mlp.down"]]
PEFT_SAVED: list[Any] = [
    ["replace", "q_proj.weight", "q_proj.base_layer.weight"],
    *(["add", f"model.layers.{n}.self_attn.q_proj.lora_A.default.weight", "F32", [4, 48]] for n in range(3)),
    *(["add", f"model.layers.{n}.self_attn.q_proj.lora_B.default.weight", "F32", [120, 4]] for n in range(3)),
    ["prefix", "base_model.model."],
]
MEGATRON: list[Any] = [
    ["lose", "k_proj", "v_proj", "experts"],
    *(["replace", old, new] for old, new in [
        ("model.embed_tokens", "embedding.word_embeddings"), ("model.norm", "decoder.final_layernorm"),
        ("lm_head", "output_layer"), ("model.layers", "decoder.layers"),
        ("self_attn.o_proj", "self_attention.linear_proj"),
        ("self_attn.q_proj", "self_attention.linear_qkv"), ("post_attention_layernorm", "pre_mlp_layernorm"),
        ("block_sparse_moe.gate", "mlp.router"), ("mlp.gate.", "mlp.router.")]),
    *(["shape", f"decoder.layers.{n}.self_attention.linear_qkv.weight", [200, 48]] for n in range(3)),
    *(["add", f"decoder.layers.{n}.mlp.experts.weight{side}", "F32", dims] for n in range(3)
      for side, dims in ((1, [48, 960]), (2, [480, 48]))),
]  # fmt: skip
CASES: list[Row] = [
    # class of the damage, model type, class, damages, verdict, findings, words of the first remedy
    ("biases of norms", "t5", "Generation", [["add", f"{side}.block.0.layer.0.layer_norm.bias", "F32", [48]]
     for side in ("encoder", "decoder")], "findings", ["N540"], "load it with the code that wrote it"),
    ("bias that no class reads", "t5", "Generation", [["add",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", "F32", [9, 6]]], "clean", [], ""),
    ("bias of one module", "t5", "Generation", [["add", "encoder.final_layer_norm.bias", "F32", [48]]], "findings",
     ["N405"], "not counted as a parameter"),
    ("biases of no key", "qwen2", "CausalLM", [["add", "model.layers.0.self_attn.o_proj.bias", "F32", [48]]],
     "findings", ["N405"], "not counted as a parameter"),
    ("rows of packed numbers", "llama", "CausalLM", FLAT, "findings", ["T603"],
     "load it with the program that quantized it"),
    ("adapter, unknown name", "llama", "CausalLM", [QUERIES_ALONE, *LORA, ["file", MODEL, "additional.safetensors"]],
     "findings", ["S240"], "download the weights of the model"),
    ("saved with PEFT's layers", "llama", "CausalLM", PEFT_SAVED, "findings", ["A910"],
     "call model.merge_and_unload()"),
    ("wrapped layers", "llama", "CausalLM", [["replace", "self_attn.", "_orig_module.self_attn."],
     ["replace", "mlp.", "_orig_module.mlp."], ["replace", "input_l", "_orig_module.input_l"],
     ["replace", "post_a", "_orig_module.post_a"]], "findings", ["N402"], "save the inner model, or rename"),
    ("wrapped layers", "gemma", "CausalLM", [["replace", "self_attn.", "kept.inside.self_attn."],
     ["replace", "mlp.", "kept.inside.mlp."], ["replace", "input_l", "kept.inside.input_l"],
     ["replace", "post_a", "kept.inside.post_a"]], "findings", ["N402"],
     'save the inner model, or rename: key.replace(".kept.inside.", ".")'),
    ("experts in one matrix", "mixtral", "CausalLM", MEGATRON, "findings", ["N428", "N470"], "use the config and the"),
    ("class of other code", "bert", "MaskedLM", [["replace", "attention.self.query", "mixer.inside"], ["replace",
     "attention.self.key", "mixer.second"], ["lose", "attention.self.value"], ["config", ["architectures"],
     ["MineForMaskedLM"]]], "findings", ["N429"], "load it with the code of MineForMaskedLM"),
    ("another prefix", "mbart", "Generation", [["replace", "model.", "mine."]], "findings", ["N402"],
     'begin these names with "model." in place of "mine."'),
    ("another prefix", "led", "Generation", [["replace", "led.", "model."]], "findings", ["N402"],
     'begin these names with "led." in place of "model."'),
    ("names of a library", "sam", "SamModel", [["replace", "vision_encoder.layers", "image_encoder.blocks"], ["replace",
     "vision_encoder.patch_embed.projection", "image_encoder.patch_embed.proj"], ["replace", "neck.conv1", "neck.0"]],
     "findings", ["N462"], "load them with segment-anything"),
    ("weight norm folded", "wav2vec2", "CTC", [["lose", "parametrizations.weight.original0"],
     ["replace", "parametrizations.weight.original1", "weight"]], "findings", ["N463"], "save them again after"),
    ("names of another writer", "bert", "MaskedLM", [["replace", "self.query.", "self.asking."],
     ["replace", "intermediate.dense", "widened"], ["replace", "attention.output.LayerNorm", "attention.output.ln"]],
     "findings", ["N407"], "rename them as the architecture has them: undo each of these changes"),
    ("a part that is tied alone", "qwen3_omni_moe", "ForConditionalGeneration",
     [["config", ["thinker_config", "tie_word_embeddings"], True], ["lose", "thinker.lm_head"]], "clean", [], ""),
    ("two names of one tensor", "pixio", "PixioBackbone", [["config", ["architectures"], ["PixioModel"]]], "undecided",
     [], ""),
    ("all shards are there", "llama", "CausalLM", [*SCATTERED, ["shards", 3]], "findings", ["N426"],
     "no file contains th"),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("row", CASES, ids=[f"{number}-{row[0]}-{row[1]}" for number, row in enumerate(CASES)])
def test_the_cause_of_a_symptom(row: Row, tmp_path: Path) -> None:
    *_, verdict, codes, words = row
    audited = judged(row, tmp_path)
    found = [one for one in audited.findings if one.severity != "note"]
    assert (audited.verdict, [one.code for one in found]) == (verdict, codes)
    assert not found or words in found[0].help
