"""Faults for which an obvious remedy would leave a checkpoint that does not load, or that loads other weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.auditing.start import audit
from inspector.findings.shards.sets import SetsDiffer
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, spec_of
from tests.loads.damage import CONFIG, MODEL, damaged, healthy, write
from tests.loads.test_verdicts import Row, judged
from tests.oracle.make_loads import fill


def part(below: str, class_name: str) -> list[Any]:
    """Damages that leave only the encoder or the decoder, under its own class."""
    return [["keep", f"model.{below}."], ["strip", f"model.{below}."], ["config", ["architectures"], [class_name]]]


def letters(text: str) -> list[Any]:
    return ["config", ["hybrid_override_pattern"], text]


MISTRAL: list[Any] = [["replace", old, new] for old, new in [
    ("model.layers.", "layers."), ("self_attn.q_proj", "attention.wq"), ("self_attn.k_proj", "attention.wk"),
    ("self_attn.v_proj", "attention.wv"), ("self_attn.o_proj", "attention.wo"), ("mlp.gate_proj", "feed_forward.w1"),
    ("mlp.down_proj", "feed_forward.w2"), ("mlp.up_proj", "feed_forward.w3"), ("post_attention_layernorm", "ffn_norm"),
    ("input_layernorm", "attention_norm"), ("model.embed_tokens", "tok_embeddings"), ("model.norm", "norm"),
    ("lm_head", "output"),
]]  # fmt: skip
OWN_FILE = ["file", MODEL, "consolidated.safetensors"]
PARAMS = ["text", "params.json", {"dim": 48, "n_layers": 3, "head_dim": 20, "hidden_dim": 92, "n_heads": 6,
                                  "n_kv_heads": 2, "norm_eps": 1e-5, "vocab_size": 107}]  # fmt: skip
RANK = ["file", MODEL, "model-rank-0-part-0.safetensors"]
HALF: list[Any] = [["halve", 0, "q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"],
                   ["halve", 1, "o_proj", "down_proj"]]  # fmt: skip
CROSS = ["decoder", "add_cross_attention"]
EAGLE_3: list[Any] = [
    ["keep", "layers.0.", "model.norm", "lm_head"], ["replace", "model.layers.0.", "midlayer."],
    ["replace", "model.norm", "norm"], ["add", "midlayer.hidden_norm.weight", "F32", [48]],
    ["shape", "midlayer.self_attn.q_proj.weight", [120, 96]], ["shape", "midlayer.self_attn.k_proj.weight", [40, 96]],
    ["shape", "midlayer.self_attn.v_proj.weight", [40, 96]],
    ["add", "d2t", "I64", [107]], ["add", "t2d", "BOOL", [200]], ["config", ["num_hidden_layers"], 1],
    ["config", ["vocab_size"], 200], ["config", ["draft_vocab_size"], 107],
]  # fmt: skip
JOINS = ["add", "fc.weight", "F32", [48, 144]]
OF_SPECULATORS = [*EAGLE_3, ["replace", "midlayer.", "layers.0."]]
TIMM: list[Any] = [
    ["lose", "self.key", "self.value", "attention.key", "attention.value"],
    *(["replace", old, new] for old, new in [
        ("vit.embeddings.patch_embeddings.projection", "patch_embed.proj"), ("vit.encoder.layer.", "blocks."),
        ("attention.attention.query", "attn.qkv"), ("attention.output.dense", "attn.proj"),
        ("intermediate.dense", "mlp.fc1"), ("output.dense", "mlp.fc2"), ("layernorm_before", "norm1"),
        ("layernorm_after", "norm2"), ("vit.embeddings.", ""), ("vit.layernorm", "norm"), ("classifier", "head")]),
]  # fmt: skip
MAMBA_SSM = {"d_model": 48, "n_layer": 3, "vocab_size": 106, "ssm_cfg": {"d_state": 14}, "rms_norm": True,
             "pad_vocab_size_multiple": 107}  # fmt: skip
WHISPER_ENCODER = part("encoder", "WhisperEncoder")
OWN_CLASS = ["config", ["architectures"], ["LlamaForGating"]]
OWN_CODE = ["config", ["auto_map"], {"AutoModel": "modeling_gating.My"}]


def biases(*parts: str, layers: str = "") -> list[Any]:
    """Damages that add a bias to projections of Llama, of all layers or of those below a prefix."""
    spec = spec_of(base_record("llama", "CausalLM"))
    return [["add", name.replace("weight", "bias"), "F32", [shape[0]]] for name, (_, shape) in spec.items()
            if "_proj." in name and any(part in name for part in parts) and layers in name]  # fmt: skip


CASES: list[Row] = [
    ("names of another program", "mistral", "CausalLM", [*MISTRAL, PARAMS, OWN_FILE], "findings", ["S221"],
     "download model.safetensors, or its shards and their index: consolidated.safetensors has the tensor names of"),
    ("names of another program", "mistral", "CausalLM", [*MISTRAL, PARAMS], "findings", ["N470"], "convert it with"),
    ("names of another program", "mistral", "CausalLM", [*MISTRAL, OWN_FILE], "findings", ["N470"], "convert it with"),
    ("names of another program", "mistral", "CausalLM", [OWN_FILE, PARAMS], "findings", ["S221"],
     "rename consolidated.safetensors to model.safetensors"),
    ("one rank", "llama", "CausalLM", [*HALF, RANK], "findings", ["D503"], "merge it with the other rank"),
    ("one rank", "llama", "CausalLM", [RANK], "findings", ["S221"], "rename model-rank-0-part-0.safetensors to"),
    ("two switches", "llama", "CausalLM", biases("self_attn", "mlp"), "findings", ["C310", "C310"],
     'set "attention_bias": true in config.json'),
    ("two switches", "llama", "CausalLM", [["unset", ["attention_bias"]], ["unset", ["mlp_bias"]],
     *biases("self_attn", "mlp")], "findings", ["C316"], 'add "attention_bias": true, "mlp_bias": true'),
    ("one switch", "llama", "CausalLM", biases("mlp"), "findings", ["C310"], 'set "mlp_bias": true'),
    ("biases of one layer", "llama", "CausalLM", biases("down_proj", layers="layers.1."), "findings", ["N405"],
     "not counted as a parameter; remove it"),
    ("norms of convolutions", "wav2vec2", "ForCTC", [["add",
     "wav2vec2.feature_extractor.conv_layers.1.layer_norm.weight", "F32", [28]], ["add",
     "wav2vec2.feature_extractor.conv_layers.1.layer_norm.bias", "F32", [28]]], "findings", ["C310"],
     'set "feat_extract_norm": "layer" in config.json'),
    ("norms of convolutions", "wav2vec2", "ForCTC", [["config", ["feat_extract_norm"], "layer"]], "findings", ["C310"],
     'set "feat_extract_norm": "group" in config.json'),
    ("cross attention", "encoder-decoder", "Model", [["config", CROSS, False], ["config", ["decoder", "is_decoder"],
     False]], "findings", ["C310"],
     'set "decoder.add_cross_attention": true in config.json, and "decoder.is_decoder": true, which it needs'),
    ("draft head", "llama", "CausalLM", [*EAGLE_3, JOINS], "clean", [], ""),
    ("draft head", "llama", "CausalLM", [*OF_SPECULATORS, JOINS], "clean", [], ""),
    ("draft head", "llama", "CausalLM", [*EAGLE_3, JOINS, ["config", ["architectures"], ["LlamaForCausalLMEagle3"]]],
     "clean", [], ""),
    ("draft head", "llama", "CausalLM", [*EAGLE_3, ["add", "fc.weight", "F32", [48, 96]]], "findings",
     ["C310"], 'set "num_aux_hidden_states": 2'),
    ("draft head", "llama", "CausalLM", [*EAGLE_3, ["add", "fc.weight", "F32", [48, 300]]], "findings",
     ["C310"], 'set "target_hidden_size": 100'),
    ("draft head", "llama", "CausalLM", [*EAGLE_3, JOINS, ["config", ["draft_vocab_size"], 108]], "findings",
     ["C310"], 'set "draft_vocab_size": 107'),
    ("draft head", "llama", "CausalLM", [*EAGLE_3, JOINS, ["drop", "midlayer.self_attn.k_proj.weight"]], "findings",
     ["N403"], "no file contains th"),
    ("draft head", "llama", "CausalLM", [*OF_SPECULATORS, JOINS, ["drop", "d2t"]], "findings", ["N403"],
     "no file contains th"),
    ("draft head", "llama", "CausalLM", [["add", "fc.weight", "F32", [48, 144]]], "findings", ["N405"],
     "not counted as a parameter"),
    ("code absent", "llama", "CausalLM", [OWN_CLASS, OWN_CODE, ["replace", "mlp.", "ffn."]], "findings", ["C319"],
     "fetch modeling_gating.py and the files that it imports"),
    ("code absent", "llama", "CausalLM", [OWN_CODE], "clean", [], ""),
    ("backbone", "convnextv2", "Classification", [["config", ["architectures"], ["ConvNextV2Backbone"]]], "findings",
     ["N427"], 'set "architectures": ["ConvNextV2ForImageClassification"]'),
    ("backbone", "convnext", "Classification", [["config", ["architectures"], ["ConvNextBackbone"]]], "findings",
     ["N427"], 'set "architectures": ["ConvNextForImageClassification"]'),
    ("scales that nothing reads", "llama", "CausalLM", [["retype", "I8", "up_proj"], ["add",
     "model.layers.0.mlp.up_proj.deq_scale", "F32", [1]]], "findings", ["T603"], "restore the quantization settings"),
    ("part alone", "whisper", "Generation", WHISPER_ENCODER, "undecided", [], ""),
    ("part alone", "whisper", "Generation", part("decoder", "WhisperDecoder"), "undecided", [], ""),
    ("part alone", "bart", "Generation", part("encoder", "BartEncoder"), "findings", ["N454"], ""),
    ("part alone", "bart", "Generation", [*part("encoder", "BartEncoder"), ["add", "embed_tokens.weight", "F32",
     [107, 48]]], "undecided", [], ""),
    ("part alone", "whisper", "Generation", [*WHISPER_ENCODER, ["drop", "layers.0.fc1.weight"]], "findings", ["N454"],
     "save it again with WhisperEncoder"),
    ("part alone", "whisper", "Generation", [*WHISPER_ENCODER, ["replace", "layers.0.fc1.", "layers.0.fc."]],
     "findings", ["N454"], "save it again with WhisperEncoder"),
    ("part alone", "whisper", "Generation", [*WHISPER_ENCODER, ["shape", "layer_norm.weight", [5]]], "findings",
     ["N454"], "save it again with WhisperEncoder"),
    ("a stated sum", "informer", "Prediction", [["config", ["num_time_features"], 9]], "findings", ["C311"],
     "correct these keys in config.json"),
    ("a stated sum", "informer", "Prediction", [["unset", ["feature_size"]]], "clean", [], ""),
    ("a stated sum", "autoformer", "Model", [["config", ["feature_size"], 99]], "findings", ["C310"],
     'set "feature_size": '),
    ("names of a library", "vit", "Classification", TIMM, "findings", ["N462"], "load them with timm, or convert"),
    ("names of a library", "vit", "Classification", [["replace", "vit.", "trunk."], ["replace", "encoder", "net"],
     ["replace", "layer", "unit"], ["replace", "attention", "mix"]], "findings", ["N401"], "use the config.json"),
    ("words of mamba_ssm", "mamba", "CausalLM", [["text", "config.json", MAMBA_SSM]], "findings", ["C314"],
     'set "model_type": "mamba", "architectures": ["MambaForCausalLM"], "hidden_size": 48, "num_hidden_layers": 3, '
     '"vocab_size": 107, "tie_word'),
    ("words of mamba_ssm", "mamba", "CausalLM", [["text", "config.json", {**MAMBA_SSM, "n_layer": 9}]], "findings",
     ["C314"], 'set "model_type": "mamba", "architectures": ["MambaForCausalLM"], "hidden_size": 48, "num_hidden_'),
    ("words of mamba_ssm", "mamba", "CausalLM", [["text", "config.json", {**MAMBA_SSM, "vocab_size": 107,
     "ssm_cfg": {"layer": "Mamba2"}}]], "findings", ["C314"], 'set "model_type" in config.json to'),
    ("another way of writing", "llama", "CausalLM", [["replace", ".weight", ""]], "findings", ["N620"],
     'rename them with ".weight" at the end'),
    ("another way of writing", "t5", "Generation", [["replace", ".weight", ""]], "findings", ["N620"],
     'rename them with ".weight" at the end'),
    ("another way of writing", "llama", "CausalLM", [["upper"]], "findings", ["N620"],
     "rename them in lower-case letters"),
    ("another way of writing", "bert", "MaskedLM", [["upper"]], "findings", ["N620"],
     "rename them in lower-case letters, except in LayerNorm"),
    ("another way of writing", "bert", "MaskedLM", [["replace", ".weight", ""]], "findings", ["N407"],
     'rename them with ".weight" at the end'),
    ("another way of writing", "llama", "CausalLM", [["replace", "norm.weight", "norm"]], "findings", ["N407"],
     'rename them with ".weight" at the end'),
    ("other names", "llama", "CausalLM", [["upper"], ["replace", "LAYERS", "UNITS"], ["replace", "SELF_ATTN", "MIX"],
     ["replace", "MLP", "FFN"]], "findings", ["N401"], "use the config.json"),
    ("own head", "wav2vec2", "SequenceClassification", [["lose", "projector", "classifier"],
     ["add", "classifier.dense.weight", "F32", [48, 48]], ["add", "classifier.output.weight", "F32", [7, 48]],
     ["add", "classifier.output.bias", "F32", [7]]], "findings", ["N520"], "load it with the code that trained"),
    ("own head", "hubert", "SequenceClassification", [["lose", "projector", "classifier"],
     ["add", "classifier.dense.weight", "F32", [48, 48]], ["add", "classifier.output.weight", "F32", [7, 48]],
     ["add", "classifier.output.bias", "F32", [7]]], "findings", ["N520"], "load it with the code that trained"),
    ("joined down", "deepseek_v3", "CausalLM", [["join", "fused_qkv_a_proj_with_mqa", "q_a_proj",
     "kv_a_proj_with_mqa"]], "findings", ["N441"], "split each into its parts"),
    ("joined down", "glm4_moe_lite", "CausalLM", [["join", "fused_qkv_a_proj_with_mqa", "q_a_proj",
     "kv_a_proj_with_mqa"]], "findings", ["N441"], "split each into its parts"),
    ("of both stacks", "t5", "Generation", [["lose", "relative_attention_bias"]], "findings", ["N403"], "no file"),
    ("of both stacks", "bart", "Generation", [["lose", "embed_positions"]], "findings", ["N403"], "no file"),
    ("of both stacks", "mbart", "Generation", [["lose", "layernorm_embedding"]], "findings", ["N403"], "no file"),
    ("of two places", "bart", "Generation", [["lose", "encoder.embed_positions", "decoder.layernorm_embedding"]],
     "findings", ["N403", "N403"], "no file"),
    ("letters of layers", "nemotron_h", "CausalLM", [["unset", ["layers_block_type"]], letters("ME*-")], "clean", [],
     ""),
    ("letters of layers", "nemotron_h", "CausalLM", [["unset", ["layers_block_type"]], letters("*E*-")], "findings",
     ["C310"], 'set "hybrid_override_pattern": "ME*-" in config.json'),
    ("letters of layers", "nemotron_h", "CausalLM", [["unset", ["layers_block_type"]], letters("ME*")], "findings",
     ["C310"], 'set "hybrid_override_pattern": "ME*-" in config.json'),
    ("letters of layers", "nemotron_h", "CausalLM", [letters("*E*-")], "clean", [], ""),
    ("letters of layers", "nemotron_h", "CausalLM", [["config", ["layers_block_type", 0], "attention"],
     letters("ME*-")], "findings", ["C310"], 'set "layers_block_type": ["linear_attention", "moe", '),
    ("another module name", "smolvlm", "Generation", [["replace", "text_model.", "language_model."]], "findings",
     ["N407"], 'rename them: "text_model" in place of "language_model"'),
    ("another module name", "idefics3", "Generation", [["replace", "text_model.", "language_model."]], "findings",
     ["N407"], 'rename them: "text_model" in place of "language_model"'),
    ("usual part renamed", "speech-encoder-decoder", "Model", [["replace", "encoder.e", "encoder.wav2vec2.e"],
     ["replace", "encoder.f", "encoder.wav2vec2.f"], ["replace", "encoder.m", "encoder.wav2vec2.m"]], "findings",
     ["N407"], "rename them"),
    ("two models", "vit", "ImageClassification", [["config", ["id2label"], {"0": "normal", "1": "other"}],
     ["unset", ["label2id"]], ["config", ["image_size"], 72]], "findings", ["C310", "C310"], "are of two models"),
    ("labels that transformers names", "vit", "ImageClassification",
     [["config", ["id2label"], {"0": "LABEL_0", "1": "LABEL_1"}],
     ["unset", ["label2id"]]], "findings", ["C310"], 'set "num_labels"'),
    ("labels that transformers names", "bert", "SequenceClassification",
     [["config", ["id2label"], {"0": "LABEL_0", "1": "LABEL_1"}],
     ["unset", ["label2id"]]], "findings", ["C310"], 'set "num_labels"'),
    ("two models", "deit", "ForImageClassification", [["config", ["id2label"], {"0": "cat", "1": "dog"}],
     ["unset", ["label2id"]], ["config", ["image_size"], 72]], "findings", ["C310", "C310"], "are of two models"),
    ("made-up names", "vit", "ImageClassification",
     [["config", ["id2label"], {"0": "LABEL_0", "1": "LABEL_1"}],
     ["unset", ["label2id"]], ["config", ["image_size"], 72]], "findings", ["C310", "C310"], 'set "num_labels": 7'),
    ("names alone", "vit", "ImageClassification", [["config", ["id2label"], {"0": "normal", "1": "other"}],
     ["unset", ["label2id"]]], "findings", ["C310"], 'set "num_labels": 7'),
    ("class of another type", "llava", "LlavaModel", [["config", ["model_type"], "bert"]], "findings", ["N444"],
     'set "model_type": "llava"'),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("row", CASES, ids=[f"{number}-{row[0]}-{row[1]}" for number, row in enumerate(CASES)])
def test_a_cause_and_its_remedy(row: Row, tmp_path: Path) -> None:
    *_, verdict, codes, words = row
    audited = judged(row, tmp_path)
    found = [one for one in audited.findings if one.severity != "note"]
    assert (audited.verdict, [one.code for one in found]) == (verdict, codes)
    assert not found or words in found[0].help


TWO = {"0": "a", "1": "b"}
SEVEN = {str(number): str(number) for number in range(7)}
WRITTEN = ["config", ["transformers_version"], "5.23.0"]
LOADS = [
    # model type, class, damages, outcome of transformers 5.23, of 4.57
    ("bert", "SequenceClassification", [["config", ["num_labels"], 7], ["config", ["id2label"], TWO]], "complete",
     "refuses"),
    ("bert", "SequenceClassification", [["config", ["num_labels"], 7], ["config", ["id2label"], SEVEN]], "complete",
     "complete"),
    ("bert", "SequenceClassification", [["config", ["id2label"], SEVEN], ["config", ["num_labels"], 2]], "refuses",
     "complete"),
    ("detr", "ObjectDetection", [WRITTEN, ["config", ["dilation"], False]], "complete", "complete"),
    ("git_vision_model", "VisionModel", [WRITTEN], "complete", "complete"),
    ("siglip_text_model", "TextModel", [WRITTEN], "complete", "random"),
    ("informer", "Prediction", [["config", ["num_time_features"], 9]], "complete", "complete"),
    ("qwen3_moe", "CausalLM", [["stack", False, "gate", "up"], ["stack", False, "down"]], "complete", "random"),
    ("qwen3_moe", "CausalLM", [["stack", True, "gate", "up"], ["stack", True, "down"]], "refuses", "random"),
    ("olmoe", "CausalLM", [["stack", False, "gate", "up"], ["stack", False, "down"],
     ["config", ["intermediate_size"], 96]], "refuses", "random"),
    ("deepseek_v3", "CausalLM", [["stack", False, "gate", "up"], ["config", ["moe_intermediate_size"], 32]], "refuses",
     "refuses"),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "damages", "newest", "older"), LOADS)
def test_what_both_versions_do(
    model_type: str, suffix: str, damages: list[Any], newest: str, older: str, tmp_path: Path
) -> None:
    """As measured with transformers 5.23.0 and 4.57.6."""
    loads = judged(("", model_type, suffix, damages, "", [], ""), tmp_path).loads
    found = {one.version: one.outcome for one in loads if one.loader == "transformers"}
    assert found == {"5.23": newest, "4.57": older}


def test_buffers_of_a_submodel_of_another_type(tmp_path: Path) -> None:
    """Donut's encoder has tables of positions; the class of the whole model was recorded with others."""
    swin, whole = base_record("donut-swin", "SwinModel"), base_record("vision-encoder-decoder")
    spec = {name: entry for name, entry in spec_of(whole).items() if name.startswith("decoder.")}
    spec |= {f"encoder.{name}": entry for name, entry in spec_of(swin).items()}
    encoder = {"model_type": "donut-swin", **swin["config"]}
    width = encoder["embed_dim"] * 2 ** (len(encoder["depths"]) - 1)
    spec |= {"enc_to_dec_proj.weight": ("F32", (48, width)), "enc_to_dec_proj.bias": ("F32", (48,))}
    config = {**whole["config"], "model_type": "vision-encoder-decoder", "architectures": [whole["class"]]}
    write(healthy(spec, {**config, "encoder": encoder}), tmp_path, fill)
    audited = audit(str(tmp_path))
    assert audited.verdict == "clean"
    found = [(one.outcome, one.unexpected) for one in audited.loads if one.loader == "transformers"]
    assert found == [("complete", 0), ("complete", 0)]


@pytest.mark.parametrize(("class_name", "words"), [
    ("CriticModel", "the names are those of llama ForSequenceClassification"),
    ("LlamaModel", "the names are those of LlamaForSequenceClassification"),
])  # fmt: skip
def test_the_remedy_names_an_existing_class(class_name: str, words: str, tmp_path: Path) -> None:
    row: Row = ("", "llama", "SequenceClassification", [["config", ["architectures"], [class_name]]], "", [], "")
    assert any(words in finding.message for finding in judged(row, tmp_path).findings)


@pytest.mark.parametrize("model_type", ["llama", "bert", "vit"])
@pytest.mark.parametrize("stale", [True, False])
def test_pytorch_files_next_to_safetensors_that_do_not_fit(model_type: str, stale: bool, tmp_path: Path) -> None:
    """The formats are compared only where the safetensors files have a fault."""
    one = base_record(model_type)
    config = {"model_type": model_type, "architectures": [one["class"]], **one["config"]}
    spec = spec_of(one)
    lost = [["drop", *list(spec)[2:]]] if stale else []
    write(damaged(healthy(spec, config), lost), tmp_path, fill)
    (tmp_path / "pytorch_model.bin").write_bytes(torch_file(spec, []))
    audited = audit(str(tmp_path))
    found = [finding for finding in audited.findings if finding.severity != "note"]
    assert (audited.verdict, len(found)) == (("findings", 1) if stale else ("clean", 0))
    if stale:
        assert isinstance(found[0], SetsDiffer)
        assert (found[0].fits, found[0].aside) == ("pytorch_model.bin", (MODEL,))


def test_a_pytorch_file_that_does_not_fit_either(tmp_path: Path) -> None:
    one = base_record("llama", "CausalLM")
    config = {"model_type": "llama", "architectures": [one["class"]], **one["config"], "vocab_size": 110}
    write(healthy(spec_of(one), config), tmp_path, fill)
    (tmp_path / "pytorch_model.bin").write_bytes(torch_file(spec_of(one) | {"lm_head.weight": ("F32", (105, 48))}, []))
    assert [finding.code for finding in audit(str(tmp_path)).findings if finding.severity != "note"] == ["C310"]


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "gemma2"])
def test_arrays_of_numpy_are_stored_in_a_file_that_is_looked_for(model_type: str, tmp_path: Path) -> None:
    """As the first releases of MLX saved a model."""
    one = base_record(model_type, "CausalLM")
    config = {"model_type": model_type, "architectures": [one["class"]], **one["config"]}
    (tmp_path / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    np.savez(
        tmp_path / "weights.npz",
        allow_pickle=True,
        **{name: np.zeros(dims, np.float32) for name, (_, dims) in spec_of(one).items()},
    )
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity == "error")
    assert finding.code == "N429" and 'mx.load("weights.npz")' in finding.help


@pytest.mark.parametrize(("names", "words"), [
    (("model.safetensors.partaa", "model.safetensors.partab"),
     "cat model.safetensors.part* > model.safetensors"),
    (("model.safetensors.aa", "model.safetensors.ab"), "cat model.safetensors.* > model.safetensors"),
    (("model.safetensors.part-001", "model.safetensors.part-002"),
     "cat model.safetensors.part-* > model.safetensors"),
    (("model.safetensors.part9", "model.safetensors.part10"), "cat model.safetensors.part10 ..."),
    (("model.safetensors-split-a", "model.safetensors-split-b"),
     "cat model.safetensors-split-* > model.safetensors"),
    (("model.safetensors.old", "notes.txt"), "rename model.safetensors.old to model.safetensors"),
    (("model.safetensors.bak", "notes.txt"), "rename model.safetensors.bak to model.safetensors"),
])  # fmt: skip
def test_pieces_of_a_file_are_joined(names: tuple[str, str], words: str, tmp_path: Path) -> None:
    one = base_record("llama", "CausalLM")
    write(healthy(spec_of(one), {"model_type": "llama", "architectures": [one["class"]], **one["config"]}), tmp_path)
    raw = (tmp_path / MODEL).read_bytes()
    (tmp_path / MODEL).unlink()
    cut = len(raw) if names[1] == "notes.txt" else len(raw) // 2
    (tmp_path / names[0]).write_bytes(raw[:cut])
    (tmp_path / names[1]).write_bytes(raw[cut:])
    (finding,) = audit(str(tmp_path)).findings
    assert words in finding.help
    assert json.loads((tmp_path / CONFIG).read_text(encoding="utf-8"))
