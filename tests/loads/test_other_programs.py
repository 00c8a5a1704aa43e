"""Weights under the names of another program: one finding names the program and its conversion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from inspector.mending.patterns import renamed
from tests.checkpoints import genuine, write
from tests.judged import base_record, spec_of
from tests.loads.test_verdicts import Row, judged


def replaced(*pairs: tuple[str, str]) -> list[Any]:
    """Damages that replace a part of every name, in this order."""
    return [["replace", old, new] for old, new in pairs]


WHISPER = replaced(
    ("model.", ""), ("layers.", "blocks."), ("self_attn_layer_norm", "attn_ln"), ("encoder_attn.", "cross_attn."),
    ("encoder_attn_layer_norm", "cross_attn_ln"), ("final_layer_norm", "mlp_ln"), ("self_attn.", "attn."),
    ("q_proj", "query"), ("k_proj", "key"), ("v_proj", "value"), ("out_proj", "out"), ("fc1", "mlp.0"),
    ("fc2", "mlp.2"), ("encoder.layer_norm", "encoder.ln_post"), ("decoder.layer_norm", "decoder.ln"),
    ("embed_tokens", "token_embedding"), ("embed_positions.weight", "positional_embedding"),
)  # fmt: skip
LLAVA = replaced(
    ("vision_tower.", "model.vision_tower.vision_tower."), ("language_model.model.", "model."),
    ("language_model.", ""), ("multi_modal_projector.linear_1", "model.mm_projector.0"),
    ("multi_modal_projector.linear_2", "model.mm_projector.2"), ("image_newline", "model.image_newline"),
)  # fmt: skip
GPT2 = spec_of(base_record("gpt2", "LMHeadModel"))
TRANSPOSED: list[Any] = [["shape", name, shape[::-1]] for name, (_, shape) in GPT2.items() if ".c_" in name]
BIASES = [name for name in GPT2 if name.endswith(".bias")]
VALUE_HEAD = ["add", "value_head.weight", "F32", [1, 48]]
CRITIC: list[Any] = [["drop", "lm_head.weight"], VALUE_HEAD]
DEEPSPEED_CRITIC: list[Any] = [
    ["drop", "lm_head.weight"], ["replace", "model.", "rwtransformer."], ["add", "v_head.weight", "F32", [1, 48]]
]  # fmt: skip
OWN_HEAD: list[Any] = [
    ["drop", "projector.weight", "projector.bias", "classifier.weight", "classifier.bias"],
    ["add", "classifier.dense.weight", "F32", [48, 48]], ["add", "classifier.dense.bias", "F32", [48]],
    ["add", "classifier.output.weight", "F32", [4, 48]], ["add", "classifier.output.bias", "F32", [4]],
]  # fmt: skip
"""A head of two layers after the mean over all frames, as in many fine-tuned models of speech emotions."""
TEXT_ALONE: list[Any] = [["lose", "vision_tower", "mm_projector"]]
OWN_CONFIG = {"model_type": "llava", "architectures": ["LlavaLlamaForCausalLM"], "hidden_size": 48, "vocab_size": 107,
              "num_hidden_layers": 3, "mm_hidden_size": 72, "mm_projector_type": "mlp2x_gelu"}  # fmt: skip
CASES: list[Row] = [
    ("whisper", "whisper", "Generation", WHISPER, "findings", ["N470"],
     "such as decoder.positional_embedding to model.decoder.embed_positions.weight, or convert it with convert_o"),
    ("llava", "llava", "Generation", LLAVA, "findings", ["N470"],
     "such as model.embed_tokens.weight to model.language_model.embed_tokens.weight, or convert it with the converter"),
    ("llava", "llava_next", "Generation", LLAVA, "findings", ["N470"], "with convert_llava_next_weights_to_hf.py"),
    ("llava", "llava_onevision", "Generation", LLAVA, "findings", ["N470"],
     "with convert_llava_onevision_weights_to_hf.py"),
    ("llava, a tensor lost", "llava", "Generation", [*LLAVA, ["drop", "model.mm_projector.2.bias"]], "findings",
     ["N403", "N470"], "no file contains th"),
    ("llava, its config", "llava", "Generation", [*LLAVA, ["lose", "vision_tower"],
     ["text", "config.json", OWN_CONFIG]], "findings", ["N470"], "convert it with the converter of its version"),
    ("llava, its tower in another repository", "llava", "Generation", [*LLAVA, ["lose", "vision_tower"],
     ["config", ["mm_vision_tower"], "openai/clip-vit-large-patch14-336"]], "findings", ["N470"],
     "which adds what is not stored"),
    ("llava, its tower lost", "llava", "Generation", [*LLAVA, ["lose", "vision_tower"]], "findings", ["N404", "N470"],
     "no file contains th"),
    ("nanogpt", "gpt2", "LMHeadModel", [*TRANSPOSED, ["drop", *BIASES]], "findings", ["N471"],
     "transpose each of these matrices and the square ones"),
    ("nanogpt with biases", "gpt2", "LMHeadModel", TRANSPOSED, "findings", ["D502"], "transpose each"),
    ("a bias left", "gpt2", "LMHeadModel", [*TRANSPOSED, ["drop", *BIASES[1:]]], "findings", ["N426", "D502"],
     "no file contains th"),
    ("critic", "llama", "CausalLM", CRITIC, "findings", ["N472"],
     'rename value_head.weight to score.weight and set "architectures": ["LlamaForSequenceClassification"] and "num_l'),
    ("critic with a head", "llama", "CausalLM", [VALUE_HEAD], "findings", ["N405"], "load it with OpenRLHF's"),
    ("critic's class", "llama", "CausalLM", [*CRITIC, ["config", ["architectures"], ["CriticModel"]]], "findings",
     ["N405"], "load it with OpenRLHF's"),
    ("critic below a name", "llama", "CausalLM", DEEPSPEED_CRITIC, "findings", ["N472"],
     'begin the others with "model." instead of "rwtransformer." and set "architectures": ["LlamaForSequence'),
    ("critic's labels", "llama", "CausalLM", [*DEEPSPEED_CRITIC, ["config", ["id2label"], {"0": "a", "1": "b"}]],
     "findings", ["N472"], '"num_labels": 1 and remove "id2label" and "label2id"'),
    ("own head", "wav2vec2", "SequenceClassification", OWN_HEAD, "findings", ["N520"],
     "load it with the code that trained this head: no class of wav2vec2 has it"),
    ("own head below the body", "wav2vec2", "SequenceClassification",
     [*OWN_HEAD, ["add", "wav2vec2.pooled.weight", "F32", [9, 9]]], "findings",
     ["N403", "N403", "N406", "N406", "N405"], "no file contains th"),
    ("further head", "bert", "TokenClassification", [["add", "crf.transitions", "F32", [7, 7]]], "findings", ["N405"],
     "remove it if nothing reads it"),
    ("head renamed", "bert", "TokenClassification", [["replace", "classifier.", "tagger."]], "findings", ["N407"],
     "rename"),
    ("part of the head lost", "wav2vec2", "SequenceClassification",
     [["drop", "projector.weight"], ["add", "extra.weight", "F32", [9, 9]]], "findings", ["N403", "N405"], "no file"),
    ("other values", "llama", "CausalLM", [["add", "value_head.weight", "F32", [5, 48]]], "findings", ["N405"],
     "remove it if nothing reads it"),
    ("score", "llama", "CausalLM", [["drop", "lm_head.weight"], ["add", "score.weight", "F32", [1, 48]]], "findings",
     ["N427"], '"num_labels": 1'),
    ("head lost", "llama", "CausalLM", [["drop", "lm_head.weight"]], "findings", ["P701"],
     "save the model again with its head"),
    ("question encoder", "dpr", "ContextEncoder", [["config", ["architectures"], ["DPRQuestionEncoder"]]], "findings",
     ["N427"], 'set "architectures": ["DPRContextEncoder"] in config.json'),
    ("question encoder", "dpr", "QuestionEncoder", [["config", ["architectures"], ["DPRContextEncoder"]]], "findings",
     ["N427"], 'set "architectures": ["DPRQuestionEncoder"] in config.json'),
    ("question encoder", "dpr", "QuestionEncoder", [], "clean", [], ""),
    ("own attribute", "bert", "SequenceClassification", [["replace", "bert.", "encoder_model."]], "findings", ["N402"],
     'begin these names with "bert." in place of "encoder_model.", as the class does'),
    ("own attribute", "llama", "CausalLM", [["replace", "model.", "backbone."]], "findings", ["N402"],
     'begin these names with "model." in place of "backbone."'),
    ("own attribute", "bert", "BertModel", [["prefix", "enc."]], "findings", ["N402"], 'key.removeprefix("enc.")'),
    ("text of llava", "llava", "Generation", [*LLAVA, *TEXT_ALONE], "findings", ["N481"], "make text_config the"),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("row", CASES, ids=[f"{number}-{row[0]}-{row[1]}" for number, row in enumerate(CASES)])
def test_the_program_and_its_conversion_are_named(row: Row, tmp_path: Path) -> None:
    *_, verdict, codes, words = row
    audited = judged(row, tmp_path)
    found = [one for one in audited.findings if one.severity != "note"]
    assert (audited.verdict, [one.code for one in found]) == (verdict, codes)
    assert not found or words in found[0].help


@pytest.mark.parametrize(
    ("model_type", "damages"),
    [("whisper", WHISPER), ("llava", LLAVA), ("llava_next", LLAVA), ("llava_onevision", LLAVA)],
)
def test_the_names_are_changed_to_those_of_the_class(model_type: str, damages: list[Any], tmp_path: Path) -> None:
    audited = judged(("names", model_type, "Generation", damages, "findings", ["N470"], ""), tmp_path / "before")
    patterns = [(step.old, step.new) for step in audited.findings[0].remedy().steps]
    changes = [["rename", name, renamed(name, patterns)] for name in audited.checkpoint.tensors]
    after = judged(("names", model_type, "Generation", [*damages, *changes], "clean", [], ""), tmp_path / "after")
    assert after.verdict == "clean"
    outcomes = {one.outcome for one in after.loads if one.loader == "transformers"}
    assert outcomes == {"complete"}


def test_names_alone_do_not_help_under_the_config_of_the_program(tmp_path: Path) -> None:
    own = [*LLAVA, ["lose", "vision_tower"], ["text", "config.json", OWN_CONFIG]]
    audited = judged(("own config", "llava", "Generation", own, "findings", ["N470"], ""), tmp_path)
    assert not audited.findings[0].remedy().steps


def test_a_type_of_another_program_is_named(tmp_path: Path) -> None:
    own: Any = ["text", "config.json", {**OWN_CONFIG, "model_type": "llava_llama"}]
    audited = judged(("own type", "llava", "Generation", [*LLAVA, own], "undecided", [], ""), tmp_path)
    found = next(one for one in audited.findings if one.code == "N412")
    assert audited.verdict == "undecided" and found.facts["writer"] == "LLaVA's own code"
    other = judged(("own type", "llava", "Generation", [own], "undecided", [], ""), tmp_path / "other")
    note = next(one for one in other.findings if one.code == "N412")
    assert note.facts["writer"] == ""
    assert note.help.endswith("that has the type llava_llama")
    code = {**OWN_CONFIG, "model_type": "llava_llama", "auto_map": {"AutoModel": "modeling_own.Own"}}
    with_code = [["text", "config.json", code]]
    mapped = judged(("own type", "llava", "Generation", with_code, "findings", [], ""), tmp_path / "mapped")
    assert not any(one.help for one in mapped.findings if one.code == "N412")


BLOCK = {"group_size": 64, "bits": 8}


@pytest.mark.parametrize(("model_type", "own"), [("llava_qwen2", OWN_CONFIG), ("my_llama", {"hidden_size": 48})])
def test_an_export_for_mlx_of_a_type_of_other_code(model_type: str, own: dict[str, Any], tmp_path: Path) -> None:
    """The projector has another name there; it is not missing."""
    config = {**own, "model_type": model_type}
    renames = replaced(("language_model.", "language_model.model."))
    for block in ({}, {"quantization": BLOCK}):
        change: Any = ["text", "config.json", {**config, **block}]
        row: Any = ("mlx", "llava", "Generation", [*renames, change], "undecided", [], "")
        audited = judged(row, tmp_path / str(len(block)))
        found = next(one for one in audited.findings if one.code == "N412")
        assert not any(one.code == "N543" for one in audited.findings)
        assert (found.facts["library"], "load it with MLX" in found.help) == (("MLX", True) if block else ("", False))


FIRST = {
    "architectures": ["RWForCausalLM"],
    "hidden_size": 48,
    "n_layer": 2,
    "n_head": 4,
    "vocab_size": 70,
    "bias": False,
}
ONE_HEAD = {"multi_query": True, "parallel_attn": True}
FALCONS = [
    # model type, other keys, codes, keys and values to set in addition to the type
    ("RefinedWebModel", ONE_HEAD, ["C327"], {"new_decoder_architecture": False, "num_hidden_layers": 2}),
    ("RefinedWebModel", {}, ["C327"], {"multi_query": False, "parallel_attn": False, "num_attention_heads": 4}),
    ("RefinedWeb", {"n_head_kv": 2}, ["C327"], {"new_decoder_architecture": True, "num_kv_heads": 2}),
    ("RefinedWeb", {}, ["C327"], {"num_kv_heads": 4}),
    ("RefinedWebModel", {"apply_residual_connection_post_layernorm": True}, [], {}),
    ("RefinedWebModel", {"auto_map": {"AutoModelForCausalLM": "modelling_RW.RWForCausalLM"}}, ["C319"], {}),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "more", "expected", "values"), FALCONS)
def test_an_earlier_type_is_stated_in_the_words_of_transformers(
    model_type: str, more: dict[str, Any], expected: list[str], values: dict[str, Any], tmp_path: Path
) -> None:
    config = {**FIRST, "model_type": model_type, **more}
    audited = audit(str(write(tmp_path, genuine(config), config)))
    found = [one for one in audited.findings if one.severity != "note"]
    assert [one.code for one in found] == expected
    if values:
        stated = found[0].facts["values"]
        assert stated["model_type"] == "falcon" and stated["architectures"] == ["FalconForCausalLM"]
        assert stated.items() >= values.items()
        assert {step.key[0]: step.new for step in found[0].remedy().steps} == stated


@pytest.mark.parametrize("model_type", ["llama", "mistral", "qwen2"])
@pytest.mark.parametrize("loader", [None, "vllm"])
def test_names_below_the_prefix_of_another_head(model_type: str, loader: str | None, tmp_path: Path) -> None:
    """Only the class for questions has its base model in `transformer`; no loader finds the names for this class."""
    record = base_record(model_type, "CausalLM")
    spec = {name.replace("model.", "transformer."): entry for name, entry in spec_of(record).items()}
    audited = audit(str(write(tmp_path, spec, record["config"])))
    audited = audited if loader is None else judged_for(audited, loader)
    (finding,) = (one for one in audited.findings if one.severity == "error")
    (step,) = finding.steps
    assert (finding.code in ("N402", "N429"), step.old, step.new) == (True, "transformer.*", "model.*")
