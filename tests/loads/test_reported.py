"""Failures that users report, rebuilt in folders: the verdict, the findings in order, and the first step."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.cli.verbs import mend
from tests.checkpoints import genuine, write_file
from tests.judged import base_record, diffusers_records, spec_of
from tests.loads.damage import CONFIG, INDEX, MODEL, damaged, healthy, write
from tests.readers.file_builders import Code, archive

SHARD = "model-0000{}-of-00002.safetensors"
OTHER_INDEX = ["text", INDEX, {"metadata": {}, "weight_map": {"other.weight": SHARD.format(1)}}]


def of_class(name: str) -> list[Any]:
    return [["config", ["architectures"], [name]]]


LEFT_OVER: list[Any] = [["config", ["auto_map"], {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}]]
"""The auto_map of absent code in the config of a model of transformers."""


def renamed_shards(pattern: str, index: Any = None) -> list[Any]:
    """Three shards under custom names, without an index or with a changed one."""
    names = [["file", f"model-0000{number}-of-00003.safetensors", pattern.format(number)] for number in (1, 2, 3)]
    return [["shards", 3], index or ["file", INDEX, None], *names]


def names_of_meta(model_type: str) -> list[Any]:
    """The matrices of the MLP under Meta's names."""
    names = {"mlp.gate_proj": "feed_forward.w1", "mlp.up_proj": "feed_forward.w3", "mlp.down_proj": "feed_forward.w2"}
    return [["replace", old, new] for old, new in names.items()]


def index_of(prefix: str) -> list[Any]:
    """The index of two shards, with a prefix before their names."""
    return ["paths", INDEX, prefix]


def norms_of_queries(model_type: str) -> list[Any]:
    return [
        [
            "drop",
            *(
                name
                for name in spec_of(base_record(model_type, "CausalLM"))
                if "_norm." in name and ".self_attn." in name
            ),
        ]
    ]


def as_type(model_type: str, class_name: str) -> list[Any]:
    """The type and the class of another model in the config."""
    return [["config", ["model_type"], model_type], ["config", ["architectures"], [class_name]]]


def pruned_expert(model_type: str) -> list[Any]:
    """The last expert cut off, in shards whose index still lists it."""
    spec = spec_of(base_record(model_type, "CausalLM"))
    last = max(int(name.split(".experts.")[1].split(".")[0]) for name in spec if ".experts." in name)
    gates = {name: shape for name, (_, shape) in spec.items() if name.endswith(".gate.weight")}
    routers = [["shape", name, [last, shape[1]]] for name, shape in gates.items()]
    return [["shards", 3], ["lose", f".experts.{last}."], *routers]


def mlp_biases() -> list[Any]:
    """Biases of all matrices of the MLP, which the config does not declare."""
    spec = spec_of(base_record("llama", "CausalLM"))
    weights = [name for name in spec if ".mlp." in name]
    return [["add", name.replace("weight", "bias"), "F32", [spec[name][1][0]]] for name in weights]


def one_layer_later(first: int, count: int) -> list[Any]:
    """The modules between stages one layer later than expected, as timm numbers them since 0.9."""
    layers = reversed(range(first, first + count))
    return [["replace", f"layers.{layer}.downsample", f"layers.{layer + 1}.downsample"] for layer in layers]


def of_part(key: str, model_type: str) -> list[Any]:
    return [["config", [key, "model_type"], model_type]]


def under_key(model_type: str, suffix: str, key: str, other: str) -> list[Any]:
    """The config of a part under another key."""
    return [["unset", [key]], ["config", [other], base_record(model_type, suffix)["config"][key]]]


CASES: list[tuple[str, str, list[Any], str, list[str], str]] = [
    # model type, class, damages, verdict, findings, the first step
    ("stablelm", "CausalLM", [["shards", 2], OTHER_INDEX], "findings", ["S219"], "write"),
    ("olmoe", "CausalLM", [["shards", 2], OTHER_INDEX], "findings", ["S219"], "write"),
    ("stablelm", "CausalLM", [["file", CONFIG, None]], "findings", ["C313"], ""),
    ("cohere", "CausalLM", [["file", CONFIG, "configuration.json"]], "findings", ["C313"], ""),
    ("olmo", "CausalLM", [["file", CONFIG, None]], "findings", ["C313"], ""),
    ("bart", "ForConditionalGeneration", of_class("BartModel"), "undecided", [], ""),
    ("whisper", "ForConditionalGeneration", of_class("WhisperModel"), "clean", [], ""),
    ("t5gemma", "ForConditionalGeneration", of_class("T5GemmaModel"), "undecided", [], ""),
    ("instructblip", "ForConditionalGeneration", of_class("InstructBlipModel"), "findings", ["N429"], ""),
    ("mamba", "CausalLM", [["config", ["model_type"], "llama"]], "findings", ["N444"], "set"),
    ("dinov2", "Classification", [["config", ["model_type"], "bert"]], "findings", ["N444"], "set"),
    ("qwen2", "CausalLM", [["config", ["model_type"], "llama"]], "findings", ["N444"], "set"),
    ("phi", "CausalLM", of_class("LlamaForCausalLM"), "findings", ["C317"], "set"),
    ("gemma2", "CausalLM", [["prefix", "_orig_mod."]], "findings", ["N402"], "rename"),
    ("gemma2", "CausalLM", [["replace", "model.", "model.module."]], "findings", ["N402"], "rename"),
    ("cohere", "CausalLM", [["file", MODEL, "model (1).safetensors"]], "findings", ["S221"], "move"),
    ("cohere", "CausalLM", [["file", MODEL, "model.safetensor"]], "unreadable", ["R014"], "move"),
    ("qwen2", "CausalLM", [["file", MODEL, "model.safetensors.txt"]], "unreadable", ["R014"], "move"),
    ("bart", "ConditionalGeneration", [["file", MODEL, "weights"]], "unreadable", ["R014"], "move"),
    ("cohere", "CausalLM", [["file", MODEL, None]], "unreadable", ["R003"], ""),
    ("olmo", "CausalLM", renamed_shards("model_part_{}.safetensors"), "findings", ["S221"], "write"),
    ("t5", "Generation", renamed_shards("hf_model_000{}_0.safetensors"), "findings", ["S221"], "write"),
    ("bert", "MaskedLM", renamed_shards("model-0000{}-of-00003 (1).safetensors"), "findings", ["S221"], "write"),
    ("gemma2", "CausalLM", renamed_shards("model-00{}.safetensors"), "findings", ["S222"], "write"),
    ("llama", "CausalLM", renamed_shards("model-{}.safetensors", ["paths", INDEX, ""]), "findings", ["S222"], "write"),
    ("plbart", "ForConditionalGeneration", [["config", ["encoder_attention_heads"], 7]], "findings", ["N429"], ""),
    ("plbart", "ForCausalLM", [["config", ["encoder_attention_heads"], 7]], "clean", [], ""),
    ("siglip2", "ImageClassification", [["config", ["text_config", "num_attention_heads"], 7]], "clean", [], ""),
    ("siglip2", "Model", [["config", ["text_config", "num_attention_heads"], 7]], "findings", ["N429"], ""),
    ("blip-2", "TextModelWithProjection", [["config", ["vision_config", "num_attention_heads"], 7]], "clean", [], ""),
    ("marian", "MTModel", [["lose", "final_logits_bias"]], "findings", ["N436"], ""),
    ("marian", "MTModel", [["lose", "encoder.layers.0.fc1.bias"]], "findings", ["N403"], ""),
    ("llama", "CausalLM", LEFT_OVER, "clean", [], ""),
    ("llama", "CausalLM", [*LEFT_OVER, ["lose", "layers.1.mlp.up_proj"]], "findings", ["N403"], ""),
    ("gemma3", "ConditionalGeneration", [["config", ["model_type"], "gemma3_text"]], "findings", ["N444"], "set"),
    ("gemma3", "ConditionalGeneration", [["config", ["model_type"], "gemma3_text"], *of_class("Gemma3ForCausalLM")],
     "findings", ["N401"], ""),
    ("deberta-v2", "MaskedLM", [["replace", "LayerNorm.weight", "LayerNorm.gamma"],
     ["replace", "LayerNorm.bias", "LayerNorm.beta"]], "clean", [], ""),
    ("phi", "CausalLM", [["shards", 3], ["text", INDEX, "cut"]], "findings", ["S202"], "write"),
    ("qwen3", "CausalLM", norms_of_queries("qwen3"), "findings", ["N403"], ""),
    ("gpt2", "LMHeadModel", [["prefix", "pretrained_model."]], "findings", ["N402"], "rename"),
    ("llama", "CausalLM", names_of_meta("llama"), "findings", ["N407"], "rename"),
    ("bert", "MaskedLM", [["prefix", "student.net."], ["add", "epoch", "F32", [1]]], "findings", ["N402", "N405"], ""),
    ("olmo", "CausalLM", [["shards", 2], index_of("/root/output/")], "findings", ["S209"], "write"),
    ("qwen3", "CausalLM", [["shards", 2], index_of("shards\\")], "findings", ["S209"], "write"),
    ("qwen2", "CausalLM", [["config", ["dtype"], "torch.bfloat16"]], "findings", ["C311"], "set"),
    ("cohere", "CausalLM", [["shards", 2], index_of("./")], "clean", [], ""),
    ("hunyuan_vl", "Generation", [["config", ["vocab_size"], 600]], "clean", [], ""),
    ("qwen2_vl", "Generation", [["config", ["intermediate_size"], 600]], "clean", [], ""),
    ("phi", "CausalLM", [["config", ["torch_dtype"], "torch.bfloat16"]], "clean", [], ""),
    ("gemma2", "CausalLM", [["prefix", "model."]], "clean", [], ""),
    ("llama", "CausalLM", [["rename", "lm_head.weight", "model.lm_head.weight"]], "undecided", [], ""),
    ("mpnet", "Model", [["prefix", "0.auto_model."]], "findings", ["N402"], "rename"),
    ("gemma", "CausalLM", [["replace", ".self_attn.", "._orig_module.self_attn."],
     ["replace", ".mlp.", "._orig_module.mlp."]], "findings", ["N402"], "rename"),  # FSDP of torch_xla
    ("llama", "CausalLM", [["shape", "model.embed_tokens.weight", [111, 48]], ["shape", "lm_head.weight", [111, 48]]],
     "findings", ["C310"], "set"),
    ("llama", "CausalLM", [["shape", "lm_head.weight", [110, 48]]], "findings", ["C324"], ""),
    ("llama", "CausalLM", [["lose", ""]], "findings", ["N485"], "fetch"),
    ("bert", "MaskedLM", [["lose", ""]], "findings", ["N485"], "fetch"),
    ("t5", "Generation", [["lose", ""]], "findings", ["N485"], "fetch"),
    ("olmo2", "CausalLM", as_type("llama", "LlamaForCausalLM"), "findings", ["N401"], "set"),
    ("qwen3", "CausalLM", as_type("qwen2", "Qwen2ForCausalLM"), "findings", ["N401"], "set"),
    ("gemma2", "CausalLM", as_type("gemma", "GemmaForCausalLM"), "findings", ["N401"], "set"),
    ("phi3", "CausalLM", as_type("llama", "LlamaForCausalLM"), "findings", ["N401"], "set"),
    ("deepseek_v3", "CausalLM", [["config", ["first_k_dense_replace"], 2]], "findings", ["C310"], "set"),
    ("glm4_moe", "CausalLM", [["config", ["first_k_dense_replace"], 2]], "findings", ["C310"], "set"),
    ("dots1", "CausalLM", [["config", ["first_k_dense_replace"], 0]], "findings", ["C310"], "set"),
    *((one, "CausalLM", pruned_expert(one), "findings", ["C310", "S228"], "set") for one in ("mixtral", "olmoe")),
    ("bert", "MaskedLM", [["shape", "bert.embeddings.word_embeddings.weight", [2, 48]]], "findings", ["C324"], ""),
    ("bert", "MaskedLM", [["shape", "bert.embeddings.position_embeddings.weight", [140, 48]]], "findings", ["C310"],
     "set"),
    ("bert", "MaskedLM", [["lose", "token_type_embeddings"]], "findings", ["N403"], ""),
    ("bert", "SequenceClassification", [["prefix", "module."]], "findings", ["N402"], "rename"),
    ("bert", "MaskedLM", [["replace", "LayerNorm.weight", "LayerNorm.gamma"],
     ["replace", "LayerNorm.bias", "LayerNorm.beta"]], "clean", [], ""),
    ("bert", "MaskedLM", [["add", "optimizer.state.0.exp_avg", "F32", [4, 4]]], "findings", ["N405"], ""),
    ("vit", "Classification", [["config", ["id2label"], {"0": "a", "1": "b", "2": "c"}]], "findings", ["C310"], "set"),
    ("llama", "CausalLM", [["add", "model.layers.0.self_attn.rotary_emb.inv_freq", "F32", [10]]], "clean", [], ""),
    ("llama", "CausalLM", mlp_biases(), "findings", ["C310"], "set"),
    ("llama", "CausalLM", [["join", "W_pack", "q_proj", "k_proj", "v_proj"]], "findings", ["N441"], ""),
    ("llama", "CausalLM", [["join", "gate_up_proj", "gate_proj", "up_proj"]], "findings", ["N441"], ""),
    ("llama", "CausalLM", [["lose", ""], ["add", "_flat_param", "F32", [9000]]], "findings", ["N420"], ""),
    ("llama", "CausalLM", [["add", "medusa_head.0.0.linear.weight", "F32", [48, 48]],
     ["add", "medusa_head.0.1.weight", "F32", [107, 48]]], "findings", ["N406"], ""),
    ("llama", "CausalLM", [["add", "v_head.summary.weight", "F32", [1, 48]],
     ["add", "v_head.summary.bias", "F32", [1]]], "findings", ["N406"], ""),
    ("llama", "CausalLM", [["lose", "model.layers.1."], ["config", ["num_hidden_layers"], 2]], "findings", ["N425"],
     "rename"),
    ("llama", "CausalLM", [["config", ["intermediate_size"], 100]], "findings", ["C310"], "set"),
    ("mistral", "CausalLM", [["config", ["num_attention_heads"], 12]], "findings", ["C310"], "set"),
    ("qwen3", "CausalLM", [["unset", ["head_dim"]]], "findings", ["C310"], "set"),
    ("qwen3", "CausalLM", [["config", ["tie_word_embeddings"], False], ["lose", "lm_head"]], "findings", ["P701"], ""),
    ("t5", "Generation", [["config", ["tie_word_embeddings"], False]], "clean", [], ""),
    ("t5gemma", "Generation", [["config", ["tie_word_embeddings"], False]], "findings", ["P701"], ""),
    ("qwen2", "CausalLM", [["lose", "_proj.bias"]], "findings", ["N426"], ""),
    ("gpt2", "LMHeadModel", [["shape", "transformer.h.1.mlp.c_fc.weight", [192, 48]]], "findings", ["D502"], ""),
    ("roberta", "SequenceClassification", [["lose", "classifier."]], "findings", ["N431"], "set"),
    ("mixtral", "CausalLM", [["lose", "experts.3."]], "findings", ["N404"], ""),
    ("mixtral", "CausalLM", [["lose", ".gate.weight"]], "findings", ["N403"], ""),
    ("clip", "CLIPModel", [["keep", "text_model.", "text_projection"]], "findings", ["N530"], ""),
    ("clip", "CLIPModel", [["drop", "logit_scale"]], "findings", ["N403"], ""),
    ("wav2vec2", "CTC", [["replace", "parametrizations.weight.original0", "weight_g"],
     ["replace", "parametrizations.weight.original1", "weight_v"]], "clean", [], ""),
    ("gpt_neox", "CausalLM", [["replace", "embed_out", "lm_head"]], "clean", [], ""),
    ("whisper", "Generation", [["replace", "model.", "model.model."]], "clean", [], ""),
    ("bert", "Model", [["prefix", "0.auto_model."], ["add", "2.linear.weight", "F32", [3, 4]]], "findings",
     ["N402", "N405"], "rename"),
    ("roberta", "Model", [["prefix", "0.model."], ["add", "2.linear.weight", "F32", [3, 4]],
     ["add", "2.linear.bias", "F32", [3]]], "findings", ["N402", "N406"], "rename"),
    ("deepseek_v3", "CausalLM", [["config", ["q_lora_rank"], None]], "findings", ["C310"], "set"),
    ("qwen3_moe", "CausalLM", [["prefix", "model."]], "clean", [], ""),
    ("phi", "CausalLM", [["config", ["torch_dtype"], "float16"]], "clean", [], ""),
    ("phi", "CausalLM", [["config", ["transformers_version"], "6.1.0"]], "clean", [], ""),
    ("gemma3", "Generation", [], "clean", [], ""),
    ("llava", "Generation", [], "clean", [], ""),
    ("bert", "SequenceClassification", [["replace", "classifier.", "W."]], "findings", ["N407"], "rename"),
    ("distilbert", "SequenceClassification", [["replace", "pre_classifier.", "dense."]], "findings", ["N407"],
     "rename"),
    ("roberta", "TokenClassification", [["replace", "classifier.", "fc."]], "findings", ["N407"], "rename"),
    ("distilbert", "SequenceClassification", [["replace", "pre_classifier.", "hidden."]], "findings", ["N407"],
     "rename"),
    ("roberta", "SequenceClassification", [["replace", "classifier.dense.", "hidden."]], "findings", ["N407"],
     "rename"),
    ("distilbert", "SequenceClassification", [["drop", "pre_classifier.weight"], ["drop", "pre_classifier.bias"],
     ["add", "hidden.weight", "F32", [3, 4]]], "findings", ["N403", "N405"], ""),
    ("hubert", "CTC", as_type("wav2vec2", "Wav2Vec2ForCTC"), "findings", ["N402"], ""),
    ("bert", "TokenClassification", as_type("roberta", "RobertaForTokenClassification"), "findings", ["N402"], ""),
    ("vit", "ImageClassification", as_type("deit", "DeiTForImageClassification"), "findings", ["N401"], "set"),
    ("deit", "ImageClassification", as_type("vit", "ViTForImageClassification"), "findings", ["N401"], "set"),
    ("deepseek_v3", "CausalLM", as_type("deepseek_v2", "DeepseekV2ForCausalLM"), "findings", ["N401"], "set"),
    ("helium", "CausalLM", as_type("llama", "LlamaForCausalLM"), "findings", ["N401"], "set"),
    ("arcee", "CausalLM", as_type("llama", "LlamaForCausalLM"), "findings", ["N401"], ""),
    ("llava_next", "Generation", as_type("llava", "LlavaForConditionalGeneration"), "findings", ["N405"], ""),
    ("sam_hq", "Model", as_type("sam", "SamModel"), "findings", ["N401"], "set"),
    ("roberta", "MaskedLM", as_type("longformer", "LongformerForMaskedLM"), "findings", ["N401"], "set"),
    ("esm", "MaskedLM", [["lose", "position_embeddings"],
     ["add", "esm.encoder.layer.*.attention.self.rotary_embeddings.inv_freq", "F32", [4]]], "findings", ["C310"],
     "set"),
    ("esm", "MaskedLM", [["lose", "position_embeddings"],
     *(["add", f"esm.encoder.layer.{at}.attention.self.rotary_embeddings.inv_freq", "F32", [4]] for at in range(3))],
     "findings", ["C310"], "set"),
    ("esm", "MaskedLM", [["lose", "position_embeddings"]], "findings", ["N403"], ""),
    ("vit_mae", "PreTraining", as_type("vit", "ViTModel"), "clean", [], ""),
    ("swin", "Model", one_layer_later(0, 1), "findings", ["N425"], "rename"),
    ("swinv2", "Model", one_layer_later(0, 3), "findings", ["N425"], "rename"),
    ("donut-swin", "Model", one_layer_later(0, 3), "findings", ["N425"], "rename"),
    ("vision-encoder-decoder", "Model", of_part("encoder", "deit"), "findings", ["N401"], "set"),
    ("speech-encoder-decoder", "Model", of_part("encoder", "wavlm"), "findings", ["N401"], "set"),
    ("encoder-decoder", "Model", of_part("decoder", "gpt2"), "findings", ["N401"], "set"),
    ("speech-encoder-decoder", "Model", of_part("decoder", "roberta"), "findings", ["N401"], "set"),
    ("blip-2", "Generation", of_part("text_config", "llama"), "findings", ["N401"], "set"),
    ("llava", "Generation", of_part("text_config", "qwen2"), "findings", ["N428"], ""),
    ("siglip_vision_model", "Model", as_type("clip_vision_model", "CLIPVisionModel"), "findings", ["N401"], "set"),
    ("internvl", "Generation", under_key("internvl", "Generation", "text_config", "llm_config"), "findings", ["C335"],
     "set"),
    ("llava", "Generation", under_key("llava", "Generation", "text_config", "language_config"), "findings", ["C335"],
     "set"),
    ("gemma3", "Generation", under_key("gemma3", "Generation", "vision_config", "vision_tower"), "findings", ["C335"],
     "set"),
    ("umt5", "Generation", as_type("t5", "T5ForConditionalGeneration"), "findings", ["N401"], "set"),
    ("distilbert", "Model", [["prefix", "bert_model."], *as_type("bert", "BertModel")], "findings", ["N402", "N401"],
     "rename"),
    ("gpt2", "Model", [["prefix", "decoder_a."], *as_type("opt", "OPTModel")], "findings", ["N402", "N401"], "rename"),
    ("longformer", "MaskedLM", [["lose", "_global."]], "findings", ["N426"], ""),
    ("gpt_neox", "CausalLM", [["lose", "norm.bias"]], "findings", ["N426"], ""),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "suffix"), [("llama", "CausalLM"), ("bert", "MaskedLM"), ("t5", "Generation")])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_shard_of_another_save_is_to_be_downloaded_again(
    model_type: str, suffix: str, at: int, tmp_path: Path
) -> None:
    """The other save was split elsewhere: the shard lacks a tensor, and has some of another shard with other shapes."""
    one = base_record(model_type, suffix)
    folder = damaged(healthy(spec_of(one), one["config"]), [["shards", 3]])
    shards = [folder.weights[name].spec for name in sorted(folder.weights)]
    shards[at].popitem()
    repeated = dict(list(shards[at - 1].items())[-2:])
    shards[at].update({name: (dtype, (*shape[:-1], 3)) for name, (dtype, shape) in repeated.items()})
    (finding,) = (one for one in audit(str(write(folder, tmp_path))).findings if one.severity != "note")
    (step,) = finding.steps
    assert (finding.code, step.action, step.file) == ("N483", "fetch", sorted(folder.weights)[at])


@pytest.mark.parametrize("model_type", ["llama", "qwen3", "olmo2"])
@pytest.mark.parametrize("lost", [None, "model-00001-of-00002.safetensors"])
def test_the_shards_of_two_saves_are_not_indexed_together(model_type: str, lost: str | None, tmp_path: Path) -> None:
    one = base_record(model_type, "CausalLM")
    for count in (2, 4):
        saved = damaged(healthy(spec_of(one), one["config"]), [["shards", count], ["file", INDEX, None]])
        write(saved, tmp_path)
    if lost:
        (tmp_path / lost).unlink()
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity != "note")
    assert finding.code == "N486"
    assert mend(str(tmp_path), write=True, format="json").code == (0 if lost else 1)
    assert (audit(str(tmp_path)).verdict == "clean") is bool(lost)


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "mistral"])
def test_a_token_that_the_loader_refuses_is_one_finding(model_type: str, tmp_path: Path) -> None:
    one = base_record(model_type, "CausalLM")
    config = {**one["config"], "architectures": [one["class"]], "pad_token_id": one["config"]["vocab_size"]}
    (finding,) = (
        one for one in audit(str(write(healthy(spec_of(one), config), tmp_path))).findings if one.severity != "note"
    )
    assert (finding.code, finding.help) == ("N429", "correct pad_token_id in config.json")


@pytest.mark.parametrize(("model_type", "suffix", "of", "part"), [
    ("t5", "Generation", "T5EncoderModel", "decoder"), ("umt5", "Generation", "UMT5EncoderModel", "decoder"),
    ("mt5", "Generation", "MT5EncoderModel", "decoder"),
])  # fmt: skip
def test_a_class_that_leaves_out_a_module_is_one_note(
    model_type: str, suffix: str, of: str, part: str, tmp_path: Path
) -> None:
    one = base_record(model_type, suffix)
    audited = audit(str(write(healthy(spec_of(one), {**one["config"], "architectures": [of]}), tmp_path)))
    extra = [one.facts["component"] for one in audited.findings if one.code == "N410"]
    assert part in extra and len(extra) <= 2


@pytest.mark.parametrize("rows", [0, 90])
@pytest.mark.parametrize("model_type", ["llama", "qwen2", "mistral"])
def test_a_truncated_copy_of_a_tied_embedding_is_removed(model_type: str, rows: int, tmp_path: Path) -> None:
    one = base_record(model_type, "CausalLM")
    cut: list[Any] = [
        ["config", ["tie_word_embeddings"], True],
        ["shape", "lm_head.weight", [rows, one["config"]["hidden_size"]]],
    ]
    folder = healthy(spec_of(one), one["config"])
    folder.weights[MODEL].spec.setdefault("lm_head.weight", ("F32", (0, 0)))
    (finding,) = (
        one for one in audit(str(write(damaged(folder, cut), tmp_path / "0"))).findings if one.severity == "error"
    )
    assert (finding.code, finding.help.partition(":")[0]) == ("C324", "remove lm_head.weight")


COMPONENTS: list[tuple[str, list[Any], str, list[str], str]] = [
    # class of diffusers, damages, verdict, findings, the first step
    ("AutoencoderKL", [["replace", "to_q", "query"], ["replace", "to_k", "key"], ["replace", "to_v", "value"],
     ["replace", "to_out.0", "proj_attn"]], "clean", [], ""),
    ("AutoencoderKL", [["shape", "encoder.mid_block.attentions.0.to_q.weight", [32, 32, 1, 1]],
     ["shape", "decoder.mid_block.attentions.0.to_out.0.weight", [32, 32, 1, 1]]], "findings", ["D505"], ""),
    ("AutoencoderKL", [["lose", "encoder."]], "findings", ["N404"], ""),
    ("UNet2DConditionModel", [["shape", "conv_in.weight", [24, 9, 3, 3]]], "findings", ["C310"], "set"),
    ("UNet2DConditionModel", [["config", ["cross_attention_dim"], 64]], "findings", ["C310"], "set"),
    ("UNet2DConditionModel", [["prefix", "ema_model."]], "findings", ["N402"], "rename"),
    ("UNet2DConditionModel", [["prefix", "module."]], "findings", ["N402"], "rename"),
    ("FluxTransformer2DModel", [["prefix", "_orig_mod."]], "findings", ["N402"], "rename"),
    ("FluxTransformer2DModel", [["prefix", "model.diffusion_model."]], "findings", ["N402"], "rename"),
    ("FluxTransformer2DModel", [["config", ["guidance_embeds"], True]], "findings", ["C310"], ""),  # or lost
    ("FluxTransformer2DModel", [["lose", "single_transformer_blocks."]], "findings", ["N404"], ""),
    ("FluxTransformer2DModel", [["replace", "transformer_blocks", "double_blocks"],
     ["replace", "single_double_blocks", "single_blocks"]], "findings", ["N407", "N407"], "rename"),
    ("SD3Transformer2DModel", [["config", ["qk_norm"], "rms_norm"]], "findings", ["C310"], "set"),
    ("WanTransformer3DModel", [["lose", "blocks.1."]], "findings", ["C310"], ""),
    ("AutoencoderKL", [["config", ["act_fn"], "silux"]], "findings", ["C311"], ""),
    ("AutoencoderKL", [["config", ["act_fn"], "GELU"]], "clean", [], ""),
    ("AutoencoderKL", [["config", ["act_fn"], None]], "findings", ["C311"], "remove"),
    ("AutoencoderKL", [["config", ["down_block_types"], ["DownEncoderBlock2D", "NoBlock2D"]]], "findings", ["C311"],
     ""),
    ("AutoencoderKL", [["config", ["norm_num_groups"], 0]], "findings", ["C311"], ""),
    ("UNet2DConditionModel", [["config", ["encoder_hid_dim_type"], "text_projection"]], "findings", ["C311"], ""),
    ("UNet2DConditionModel", [["config", ["mid_block_type"], None]], "findings", ["C310"], "set"),
    ("AllegroTransformer3DModel", [["config", ["num_layers"], None]], "findings", ["C310"], ""),
    ("AllegroTransformer3DModel", [["config", ["num_layers"], "2"]], "findings", ["C311"], "set"),
    ("AllegroTransformer3DModel", [["config", ["num_attention_heads"], -4]], "findings", ["C311"], "set"),
    ("SD3Transformer2DModel", [["config", ["patch_size"], 2.0]], "findings", ["C311"], "set"),
    ("LTXVideoTransformer3DModel", [["config", ["activation_fn"], "gelu"]], "clean", [], ""),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize(("name", "damages", "verdict", "codes", "action"), COMPONENTS)
def test_a_failure_of_a_component_is_reported(
    name: str, damages: list[Any], verdict: str, codes: list[str], action: str, tmp_path: Path
) -> None:
    one = next(record for record in diffusers_records(name) if not record["variant"])
    folder = healthy(spec_of(one), one["config"], "diffusion_pytorch_model.safetensors")
    audited = audit(str(write(damaged(folder, damages), tmp_path / "0")))
    assert (audited.verdict, [one.code for one in audited.findings if one.severity != "note"]) == (verdict, codes)
    steps = audited.findings[0].steps if codes else ()
    assert next((step.action for step in steps), "") == action


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "damages", "verdict", "codes", "action"), CASES)
def test_a_failure_is_reported(
    model_type: str, suffix: str, damages: list[Any], verdict: str, codes: list[str], action: str, tmp_path: Path
) -> None:
    one = base_record(model_type, suffix)
    config = {"architectures": [one["class"]], **one["config"]}
    audited = audit(str(write(damaged(healthy(spec_of(one), config), damages), tmp_path / "0")))
    assert (audited.verdict, [one.code for one in audited.findings if one.severity != "note"]) == (verdict, codes)
    steps = audited.findings[0].steps if codes else ()
    assert next((step.action for step in steps), "") == action
    assert "N409" not in {one.code for one in audited.findings}


@pytest.mark.parametrize("keys", [("added_kv_proj_dim",), ("image_dim",), ("added_kv_proj_dim", "image_dim")])
def test_a_size_that_is_absent_and_shows_in_the_weights_is_set(keys: tuple[str, ...], tmp_path: Path) -> None:
    one = next(
        record for record in diffusers_records("WanTransformer3DModel") if record["variant"].startswith("image_dim-28,")
    )
    folder = healthy(spec_of(one), one["config"], "diffusion_pytorch_model.safetensors")
    audited = audit(str(write(damaged(folder, [["unset", [key]] for key in keys]), tmp_path / "0")))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    assert {step.key[0]: step.new for step in finding.remedy().steps} == {key: one["config"][key] for key in keys}


@pytest.mark.parametrize("by", [1, 2])
def test_layers_of_a_model_that_lacks_its_prediction_layer_are_misnumbered(by: int, tmp_path: Path) -> None:
    one = base_record("deepseek_v3", "CausalLM")
    shifted: list[Any] = [["config", ["num_nextn_predict_layers"], 1], ["number", "model.layers.", by]]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), shifted), tmp_path / "0")))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    assert (finding.code, finding.facts["shift"]) == ("N425", by)


@pytest.mark.parametrize("model_type", ["mixtral", "minimax_m2"])
def test_experts_below_mlp_load_in_transformers_5(model_type: str, tmp_path: Path) -> None:
    """The names in memory with experts that are not stacked: transformers 4.57 finds neither experts nor router."""
    one = base_record(model_type, "CausalLM")
    spec = {name.replace("block_sparse_moe.", "mlp."): entry for name, entry in spec_of(one).items()}
    correction = {name: name.replace("mlp.", "block_sparse_moe.") for name in spec if "correction" in name}
    spec = {correction.get(name, name): entry for name, entry in spec.items()}
    audited = audit(str(write(healthy(spec, {**one["config"], "architectures": [one["class"]]}), tmp_path / "0")))
    assert audited.verdict == "clean"
    newest, older = audited.loads[:2]
    assert (newest.outcome, older.outcome) == ("complete", "random" if model_type == "mixtral" else older.outcome)


def test_an_unknown_type_without_its_code_is_undecided(tmp_path: Path) -> None:
    config = {**base_record("llama", "CausalLM")["config"], "model_type": "xverse"}
    config.pop("architectures", None)
    audited = audit(str(write(healthy(genuine(config), config), tmp_path / "0")))
    opened = [skip.because for skip in audited.skipped if skip.decisive]
    assert (audited.verdict, opened) == (
        "undecided",
        ["it has no model type xverse, and config.json names no code for it in auto_map"],
    )


@pytest.mark.parametrize("layers", [4, 3])
def test_the_last_layer_alone_is_lost_or_the_config_is_wrong(layers: int, tmp_path: Path) -> None:
    """Nothing shows which is right: both explanations are given, and no step is applied automatically."""
    one = base_record("llama", "CausalLM")
    spec = spec_of(one)
    more = {name.replace(".2.", f".{number}."): entry for name, entry in spec.items() for number in range(3, layers)}
    config = {**one["config"], "num_hidden_layers": layers}
    lost = [["lose", f"model.layers.{layers - 1}."]]
    audited = audit(str(write(damaged(healthy({**spec, **more}, config), lost), tmp_path / "0")))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    assert (finding.code, finding.remedy().steps) == ("C310", ())
    assert [name for name, _ in finding.rows()] == ["config", "weights", "explains", "or"]
    assert "download" in finding.remedy().words and '"num_hidden_layers": ' in finding.remedy().words


def test_numbered_files_with_overlapping_tensors_are_not_shards(tmp_path: Path) -> None:
    one = base_record("cohere", "CausalLM")
    saves: list[Any] = [["file", MODEL, "step-100.safetensors"], ["beside", "step-200.safetensors", 1]]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), saves), tmp_path / "0")))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    assert (finding.code, finding.remedy().steps[0].action) == ("S221", "move")
    assert len(audited.checkpoint.files) == 1


def test_metas_names_are_paired_by_role(tmp_path: Path) -> None:
    one = base_record("llama", "CausalLM")
    damage = names_of_meta("llama")
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), damage), tmp_path / "0")))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    steps = finding.remedy().steps
    assert len(steps) >= 3
    assert all(any(new in step.old and old in step.new for _, old, new in damage) for step in steps)


@pytest.mark.parametrize("link", [True, False])
def test_links_without_their_targets_are_one_finding(link: bool, tmp_path: Path) -> None:
    one = base_record("llama", "CausalLM")
    folder = write(damaged(healthy(spec_of(one), one["config"]), [["shards", 2]]), tmp_path / "0")
    for path in list(folder.iterdir()):
        path.rename(tmp_path / path.name)
        path.symlink_to(tmp_path / (f"gone-{path.name}" if link else path.name))
    found = [finding.code for finding in audit(str(folder)).findings if finding.severity != "note"]
    assert found == (["R015"] if link else [])


@pytest.mark.thinned
@pytest.mark.parametrize(("whole", "part"), [("llava", "llama"), ("gemma3", "gemma3_text"), ("mistral3", "mistral")])
@pytest.mark.parametrize("named", [True, False])
def test_the_config_of_the_whole_for_the_text_model_alone(whole: str, part: str, named: bool, tmp_path: Path) -> None:
    one, inner = base_record(whole, "Generation"), base_record(part, "CausalLM")
    stored = genuine({**one["config"]["text_config"], "model_type": part, "architectures": [inner["class"]]})
    config = {**one["config"], "architectures": [(inner if named else one)["class"]]}
    folder = write(healthy(stored, config), tmp_path / "0")
    (finding,) = (finding for finding in audit(str(folder)).findings if finding.severity != "note")
    assert (finding.code, finding.facts["class"]) == ("N481", inner["class"])
    assert mend(str(folder), write=True, format="json").code == 0 and audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize(("whole", "part"), [("llava", "qwen2_vl"), ("mistral3", "qwen2_vl")])
def test_the_names_of_a_model_below_another_config_are_renamed_too(whole: str, part: str, tmp_path: Path) -> None:
    """Tarsier states the type of LLaVA around the config of a Qwen2-VL, under names of its own."""
    one, inner = base_record(whole, "Generation"), base_record(part, "Generation")
    own = {"model.visual.": "vision_tower.", "visual.": "vision_tower.",
           "model.language_model.": "language_model.model.",
           "model.": "language_model.model.", "lm_head": "language_model.lm_head"}  # fmt: skip
    stored = {}
    for name, entry in spec_of(inner).items():
        begin = next(key for key in own if name.startswith(key))
        stored[own[begin] + name.removeprefix(begin)] = entry
    nested = {**inner["config"], "model_type": part}
    config = {**one["config"], "model_type": whole, "architectures": ["TarsierForConditionalGeneration"]}
    folder = write(healthy(stored, {**config, "text_config": nested}), tmp_path / "0")
    finding = next(finding for finding in audit(str(folder)).findings if finding.severity != "note")
    assert finding.code == "N481" and "rename the tensors" in finding.help
    assert mend(str(folder), write=True, format="json").code == 0 and audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize(("whole", "part"), [("llava", "llama"), ("gemma3", "gemma3_text"), ("mistral3", "mistral")])
def test_a_config_of_one_part_of_the_weights(whole: str, part: str, tmp_path: Path) -> None:
    one, inner = base_record(whole, "Generation"), base_record(part, "CausalLM")
    config = {**one["config"]["text_config"], "architectures": [inner["class"]], "model_type": part}
    audited = audit(str(write(healthy(spec_of(one), config), tmp_path / "0")))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    assert finding.code == "N448" and whole in finding.facts["of"]
    assert "vision_tower" in {one["prefix"] for one in finding.facts["submodels"]}


def test_a_shard_with_the_content_of_another_one(tmp_path: Path) -> None:
    one = base_record("qwen2", "CausalLM")
    folder = write(damaged(healthy(spec_of(one), one["config"]), [["shards", 3]]), tmp_path / "0")
    names = [folder / f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)]
    names[1].write_bytes(names[0].read_bytes())
    audited = audit(str(folder))
    (finding,) = (finding for finding in audited.findings if finding.severity != "note")
    assert (finding.code, finding.facts["holds"]) == ("S232", names[0].name)
    names[0].write_bytes(names[2].read_bytes())
    assert len({finding.code for finding in audit(str(folder)).findings}) > 1


@pytest.mark.parametrize(("class_name", "file", "codes"), [
    ("AutoencoderKL", "pytorch_model.pt", ["H157"]), ("AutoencoderKLOfItsAuthors", "pytorch_model.pt", []),
    ("AutoencoderKLOfItsAuthors", "diffusion_pytorch_model.bin", ["H157"]),
])  # fmt: skip
def test_a_file_that_its_authors_load_is_not_judged_for_diffusers(
    class_name: str, file: str, codes: list[str], tmp_path: Path
) -> None:
    one = next(record for record in diffusers_records("AutoencoderKL"))
    inner = Code().add(b"}(").text("state_dict").add(b"}(")
    for number, (name, (_, shape)) in enumerate(spec_of(one).items()):
        inner.text(name).tensor(shape, str(number))
    sizes = {str(number): 4 * prod(shape) for number, (_, shape) in enumerate(spec_of(one).values())}
    (tmp_path / file).write_bytes(archive(inner.add(b"uu").stop(), {key: bytes(size) for key, size in sizes.items()}))
    (tmp_path / "config.json").write_text(json.dumps({**one["config"], "_class_name": class_name}))
    audited = audit(str(tmp_path))
    assert [finding.code for finding in audited.findings if finding.severity == "error"] == codes
    assert any(load.intended for load in audited.loads) == bool(codes)


@pytest.mark.parametrize("file", ["pytorch_model.bin", "epoch=3.ckpt"])
def test_weights_below_a_key_stay_random(file: str, tmp_path: Path) -> None:
    one = base_record("bert", "MaskedLM")
    inner = Code().add(b"}(").text("model_state").add(b"}(")
    for number, (name, (_, shape)) in enumerate(spec_of(one).items()):
        inner.text(name).tensor(shape, str(number))
    sizes = {str(number): 4 * prod(shape) for number, (_, shape) in enumerate(spec_of(one).values())}
    raw = archive(inner.add(b"uu").stop(), {key: bytes(size) for key, size in sizes.items()})
    (tmp_path / file).write_bytes(raw)
    config = {"architectures": [one["class"]], **one["config"]}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert [finding.code for finding in audited.findings if finding.severity != "note"] == ["H157"]
    assert audited.loads[0].outcome == ("random" if file == "pytorch_model.bin" else "refuses")
    assert '["model_state"], "pytorch_model.bin")' in audited.findings[0].help


@pytest.mark.parametrize(("model_type", "suffix", "part"), [
    ("siglip", "SiglipModel", ".layers.1."), ("clip", "CLIPModel", ".layers.1."),
    ("segformer", "Classification", ".block.2."),
])  # fmt: skip
def test_a_layer_that_is_cut_out_is_missing(model_type: str, suffix: str, part: str, tmp_path: Path) -> None:
    one = base_record(model_type, suffix)
    lost = ["drop", *(name for name in one["tensors"] if part in name)]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), [lost]), tmp_path / "0")))
    assert {one.code for one in audited.findings if one.severity != "note"} == {"N404"}


@pytest.mark.parametrize(("name", "raw", "renamed"), [
    ("model.safetensors", b"PK\x03\x04" + bytes(22) + b"\x10\0\0\0archive/data.pkl" + bytes(60), "pytorch_model.bin"),
    ("model.safetensors", b"GGUF\x03" + bytes(60), "model.gguf"),
    ("pytorch_model.bin", b"\x80\x02" + bytes(6) + b'{"a":{"dtype":"F32"' + bytes(60), "model.safetensors"),
], ids=["torch", "gguf", "safetensors"])  # fmt: skip
def test_a_file_with_the_name_of_another_format_is_renamed(name: str, raw: bytes, renamed: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(raw)
    finding = next(one for one in audit(str(tmp_path)).findings if one.code == "R005")
    (step,) = finding.remedy().steps
    assert (step.action, step.file, step.new) == ("move", name, renamed)


@pytest.mark.parametrize("name", ["model-00001-of-00002.safetensors", "pytorch_model-00002-of-00002.bin"])
def test_a_shard_of_another_format_is_not_renamed(name: str, tmp_path: Path) -> None:
    """The other shards have the format that the names state; a set of both is not read."""
    torch = b"PK\x03\x04" + bytes(22) + b"\x10\0\0\0archive/data.pkl" + bytes(60)
    own = b"\x80\x02" + bytes(6) + b'{"a":{"dtype":"F32"' + bytes(60)
    (tmp_path / name).write_bytes(torch if name.endswith(".safetensors") else own)
    finding = next(one for one in audit(str(tmp_path)).findings if one.code == "R005")
    assert [step.action for step in finding.remedy().steps] == ["fetch"]
    assert finding.help == "convert it to the format of the other shards, or download this file again"


@pytest.mark.parametrize("name", ["m.gguf.part", "m.gguf.crdownload", "m.incomplete", "m.gguf_part", "m.gguf.!qB"])
def test_a_file_that_is_being_downloaded_is_not_renamed(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"GGUF\x03" + bytes(60))
    finding = next(one for one in audit(str(tmp_path / name)).findings if one.code == "R005")
    assert not finding.remedy().steps
    assert finding.help == "finish the download; the program that began it renames the file to m.gguf"


@pytest.mark.parametrize(("model_type", "key", "path"), [
    ("qwen3_moe", "num_experts", ()), ("llama", "num_hidden_layers", ()),
    ("llava", "num_hidden_layers", ("text_config",)),
])  # fmt: skip
def test_a_wrong_key_is_named_as_the_config_spells_it(
    model_type: str, key: str, path: tuple[str, ...], tmp_path: Path
) -> None:
    one = base_record(model_type, "Generation" if path else "CausalLM")
    values = one["config"][path[0]] if path else one["config"]
    damage = ["config", [*path, key], values[key] + 1]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), [damage]), tmp_path / "0")))
    keys = [finding.place.key for finding in audited.findings if finding.code == "C310"]
    assert keys == [".".join((*path, key))] or "layer_types" in values


def test_an_unmerged_adapter_is_recognized_by_the_stored_names(tmp_path: Path) -> None:
    one = base_record("qwen2", "CausalLM")
    query = "model.layers.0.self_attn.q_proj"
    wrapped: list[Any] = [["rename", f"{query}.weight", f"{query}.base_layer.weight"],
               ["add", f"{query}.lora_A.default.weight", "F32", [4, 48]],
               ["add", f"{query}.lora_B.default.weight", "F32", [48, 4]]]  # fmt: skip
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), wrapped), tmp_path / "0")))
    newest = audited.loads[0]
    assert "A910" in {finding.code for finding in audited.findings}
    assert (newest.outcome, newest.missing, newest.unexpected) == ("random", 1, 3)


@pytest.mark.parametrize("model_type", ["llama", "mistral", "qwen3"])
def test_a_head_that_was_trained_whole_and_not_merged(model_type: str, tmp_path: Path) -> None:
    one = base_record(model_type, "CausalLM")
    spec = spec_of(one)
    saved: list[Any] = [["rename", "lm_head.weight", "lm_head.original_module.weight"],
             ["add", "lm_head.modules_to_save.default.weight", *spec["lm_head.weight"]]]  # fmt: skip
    audited = audit(str(write(damaged(healthy(spec, one["config"]), saved), tmp_path / "0")))
    assert [finding.code for finding in audited.findings if finding.severity != "note"] == ["A910"]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters


IGNORED = [("deepseek_v4", "mtp.0.adapter.weight"), ("mistral_large4", "mtp_dspark.layers.0.x.weight"),
           ("hy_v4", "model.mtp_layers.0.x.weight")]  # fmt: skip


@pytest.mark.parametrize(("model_type", "name"), IGNORED)
def test_tensors_that_the_class_ignores_on_purpose(model_type: str, name: str, tmp_path: Path) -> None:
    record = base_record(model_type)
    for extra, code in ((name, "N534"), (f"other.{name.rpartition('.')[0][-1]}.weight", "N405")):
        folder = tmp_path / code
        folder.mkdir()
        write_file(folder / "model.safetensors", {**spec_of(record), extra: ("F32", (8, 8))})
        config = {**record["config"], "architectures": [record["class"]]}
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        audited = audit(str(folder))
        assert code in {one.code for one in audited.findings}
        assert audited.verdict == ("undecided" if code == "N534" else "findings")
        assert audited.counts.unexplained == 64


@pytest.mark.parametrize(
    ("model_type", "entries", "steps"),
    [
        ("gemma3_text", ["sliding_attention"] * 4, [["sliding_attention"] * 3]),
        ("qwen3", ["full_attention"] * 2, [["full_attention"] * 3]),
        ("smollm3", ["sliding_attention", "full_attention", "full_attention", "full_attention"], []),
    ],
)
def test_a_list_of_layers_gets_as_many_entries_as_there_are_layers(
    model_type: str, entries: list[str], steps: list[Any], tmp_path: Path
) -> None:
    one = base_record(model_type, "CausalLM")
    wrong: list[Any] = [["config", ["layer_types"], entries], ["config", ["num_hidden_layers"], 3]]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), wrong), tmp_path / "0")))
    (finding,) = [finding for finding in audited.findings if finding.severity == "error"]
    assert finding.help == 'give "layer_types" one entry for each of the 3 layers in config.json'
    assert [step.new for step in finding.remedy().steps] == steps


@pytest.mark.parametrize(("model_type", "part"), [("clip", "vision_config"), ("siglip", "text_config"),
                                                  ("blip", "vision_config")])  # fmt: skip
@pytest.mark.parametrize("stated", [True, False])
def test_a_part_without_a_model_type_has_that_of_its_class(
    model_type: str, part: str, stated: bool, tmp_path: Path
) -> None:
    one = base_record(model_type, "Model")
    inner = {**one["config"][part], "num_attention_heads": 7}
    inner = {key: value for key, value in inner.items() if stated or key != "model_type"}
    wrong: list[Any] = [["config", [part], inner]]
    audited = audit(str(write(damaged(healthy(spec_of(one), one["config"]), wrong), tmp_path / "0")))
    assert [load.outcome for load in audited.loads[:1]] == ["refuses"]
    assert [finding.help for finding in audited.findings if finding.severity == "error"] == [
        "correct num_attention_heads in config.json"
    ]
