"""Parts of models under the class of the whole model, whole models under the class of a part, and similar cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import genuine, write_file
from tests.dialects import converters
from tests.judged import base_record, codes, diffusers_records, judged, spec_of
from tests.loads.damage import damaged, healthy, write
from tests.sparse_models import LLAMA8B

Row = tuple[str, str, list[Any], list[str], str]
VISION = ["keep", "vision_model."]


def named(class_name: str) -> list[Any]:
    return ["config", ["architectures"], [class_name]]


def narrower(model_type: str, suffix: str, *families: str, by: int) -> list[Any]:
    """Damages that leave a fraction of all heads. families: parts of names, with "-" if heads are columns."""
    damages = []
    for name, (_, dims) in spec_of(base_record(model_type, suffix)).items():
        part = next((one for one in families if one.lstrip("-") in name), None)
        if part is not None and not (part.startswith("-") and len(dims) == 1):
            axis = 1 if part.startswith("-") else 0
            damages.append(["shape", name, [size // by if at == axis else size for at, size in enumerate(dims)]])
    return damages


FAIRSEQ_POSITIONS = [
    ["replace", "pos_conv_embed.conv.parametrizations.weight.original0", "pos_conv.0.weight_g"],
    ["replace", "pos_conv_embed.conv.parametrizations.weight.original1", "pos_conv.0.weight_v"],
    ["replace", "pos_conv_embed.conv.bias", "pos_conv.0.bias"],
]
"""The convolution of positions under fairseq's names."""


ROWS: list[Row] = [
    # model type, class, damages, findings, words of the first remedy
    ("clip", "CLIPModel", [["keep", "vision_model.", "visual_projection"]], ["N530"],
     "load it with CLIPVisionModelWithProjection,"),
    ("clip", "CLIPModel", [VISION], ["N530"], "load it with CLIPVisionModel,"),
    ("clip", "CLIPModel", [["keep", "text_model.", "text_projection"]], ["N530"],
     "load it with CLIPTextModelWithProjection,"),
    ("siglip", "SiglipModel", [VISION], ["N530"], "load it with SiglipVisionModel,"),
    ("siglip", "SiglipModel", [["keep", "text_model."]], ["N530"], "load it with SiglipTextModel,"),
    ("clap", "ClapModel", [["keep", "audio_model.", "audio_projection."]], ["N530"],
     "load it with ClapAudioModelWithProjection,"),
    ("chinese_clip", "Model", [VISION], ["N530"], "load it with ChineseCLIPVisionModel,"),
    ("clip", "CLIPModel", [VISION, ["lose", "encoder.layers.0.mlp.fc1"]], ["N426"], "no file contains th"),
    ("siglip", "SiglipModel", [VISION, ["shape", "vision_model.post_layernorm.weight", [3]]], ["N426", "D501"], ""),
    ("clip", "CLIPModel", [], [], ""),
    ("gemma3", "Generation", [named("Gemma3ForCausalLM")], ["N427"],
     'set "architectures": ["Gemma3ForConditionalGeneration"]'),
    ("aria", "Generation", [named("AriaTextForCausalLM")], ["N427"],
     'set "architectures": ["AriaForConditionalGeneration"]'),
    ("glm4v", "Generation", [named("Glm4vTextModel")], ["N427"],
     'set "architectures": ["Glm4vForConditionalGeneration"]'),
    ("llama4", "Generation", [named("Llama4TextModel")], ["N427"],
     'set "architectures": ["Llama4ForConditionalGeneration"]'),
    ("mllama", "Generation", [named("MllamaForCausalLM")], [], ""),
    ("llama4", "Generation", [named("Llama4ForCausalLM")], [], ""),
    ("flava", "PreTraining", [named("FlavaTextModel")], ["N427"], 'set "architectures": ["FlavaForPreTraining"]'),
    ("clip", "Classification", [named("CLIPVisionModel")], ["N427"],
     'set "architectures": ["CLIPForImageClassification"]'),
    ("hunyuan_vl", "Generation", [named("HunYuanVLTextModel")], ["N427"],
     'set "architectures": ["HunYuanVLForConditionalGeneration"]'),
    ("gemma3", "Generation", [named("Gemma3ForConditionalGeneration")], [], ""),
    ("bert", "MaskedLM", narrower("bert", "MaskedLM", "self.query", "self.key", "self.value", "-attention.output.dense",
     by=3), ["D504"], "load it with the program that pruned it"),
    ("electra", "MaskedLM", narrower("electra", "MaskedLM", "self.query", "self.key", "self.value",
     "-attention.output.dense", by=2), ["D504"], "load it with the program that pruned it"),
    ("albert", "MaskedLM", narrower("albert", "MaskedLM", "attention.query", "attention.key", "attention.value",
     "-attention.dense", by=3), ["D504"], "load it with the program that pruned it"),
    ("llama", "CausalLM", narrower("llama", "CausalLM", "q_proj", "k_proj", "v_proj", "-o_proj", by=2), ["C310"],
     "set"),
    ("llama", "CausalLM", [["rename", "lm_head.weight", "lm_head.0.weight"]], ["N407"], "rename it to lm_head.weight"),
    ("vit", "Classification", [["rename", "classifier.weight", "classifier.0.weight"],
     ["rename", "classifier.bias", "classifier.0.bias"]], ["N407"], 'rename them without the part "0"'),
    ("bert", "SequenceClassification", [["rename", "bert.pooler.dense.weight", "bert.pooler.0.dense.weight"]],
     ["N407"], "rename it to bert.pooler.dense.weight"),
    *((kind, suffix, FAIRSEQ_POSITIONS, ["N407"], 'rename them: "pos_conv_embed.conv" in place of "pos_conv.0"')
      for kind, suffix in (("hubert", "HubertModel"), ("wav2vec2", "ForCTC"), ("wavlm", "WavLMModel"))),
    ("llama", "CausalLM", [["rename", "lm_head.weight", "lm_head.0.weight"], ["add", "lm_head.1.weight", "F32",
     [107, 48]]], ["N428"], "use the config and the class"),
    ("llava", "Generation", [["config", ["text_config", "model_type"], "qwen2"]], ["N428"],
     "set \"text_config.model_type\" to the type"),
    ("llava", "Generation", [["config", ["text_config", "model_type"], "phi3"]], ["N428"],
     "set \"text_config.model_type\" to the type"),
]  # fmt: skip


BARE = {
    ("whisper", "Generation", "model.encoder."): "load it with WhisperEncoder, and set",
    ("whisper", "Generation", "model.decoder."): "load it with WhisperDecoder, and set",
    ("speech_to_text", "Generation", "model.encoder."): "load it with Speech2TextEncoder, and set",
    ("qwen2_audio", "Generation", "audio_tower."): "load it with Qwen2AudioEncoder, for which",
    ("clip", "CLIPModel", "vision_model."): "load it with CLIPVisionModel, for which",
    ("speecht5", "ForTextToSpeech", "speecht5.encoder."): "for SpeechT5ForTextToSpeech download",
    ("t5", "Generation", "encoder."): "for T5ForConditionalGeneration download",
    ("bart", "Generation", "model.encoder."): "for BartForConditionalGeneration download",
}
"""(model type, class, prefix in the whole) -> words on one part under the names inside it. A class is named where
transformers loads every tensor with it and misses none: BART's encoder alone lacks its table.
"""


@pytest.mark.thinned
@pytest.mark.parametrize("case", BARE, ids="-".join)
def test_a_part_under_its_own_names(case: tuple[str, str, str], tmp_path: Path) -> None:
    model_type, suffix, below = case
    one = base_record(model_type, suffix)
    config = {"architectures": [one["class"]], **one["config"]}
    spec = {name.removeprefix(below): entry for name, entry in spec_of(one).items() if name.startswith(below)}
    audited = audit(str(write(healthy(spec, config), tmp_path / "0")))
    serious = [one for one in audited.findings if one.severity != "note"]
    assert [(one.code, one.help.startswith(BARE[case])) for one in serious] == [("N607", True)]
    text = {name: entry for name, entry in spec_of(one).items() if not name.startswith(below)}
    assert "N607" not in codes(judged(text, config))


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "damages", "found", "words"), ROWS)
def test_a_part_of_a_model_is_named(
    model_type: str, suffix: str, damages: list[Any], found: list[str], words: str, tmp_path: Path
) -> None:
    one = base_record(model_type, suffix)
    config = {"architectures": [one["class"]], **one["config"]}
    audited = audit(str(write(damaged(healthy(spec_of(one), config), damages), tmp_path / "0")))
    assert [one.code for one in audited.findings if one.severity != "note"] == found
    assert not words or audited.findings[0].help.startswith(words)


@pytest.mark.parametrize(("model_type", "class_name"), [
    ("gemma3", "Gemma3ForCausalLM"), ("llava", "LlamaForCausalLM"), ("mistral3", "MistralForCausalLM"),
])  # fmt: skip
def test_a_text_model_that_is_stored_alone_may_be_used_alone(model_type: str, class_name: str, tmp_path: Path) -> None:
    """Measured: with these changes both versions of transformers load every tensor and miss none."""
    one = base_record(model_type, "ForConditionalGeneration")
    config = {"architectures": [one["class"]], **one["config"]}
    text = {name: entry for name, entry in spec_of(one).items() if name.startswith("language_model.")}
    found = audit(str(write(healthy(text, config), tmp_path / "0"))).findings[0]
    assert (found.code, found.remedy().choice) == ("N426", True)
    assert found.help.endswith(
        f'or, for the text model alone, make text_config the config.json, with "architectures": ["{class_name}"], '
        'and remove "language_model." from the start of every name'
    )
    partly = {name: entry for name, entry in text.items() if ".layers.2." not in name}
    found = audit(str(write(healthy(partly, config), tmp_path / "1"))).findings[0]
    assert (found.code, found.remedy().choice) == ("N426", False)


def layers_of_torch(model_type: str, suffix: str, *parts: str) -> dict[str, Any]:
    """Write a model in which torch quantized the layers with these parts in their names."""
    spec: dict[str, Any] = {}
    for name, (dtype, dims) in spec_of(base_record(model_type, suffix)).items():
        module = name.rpartition(".")[0]
        if not any(part in name for part in parts):
            spec[name] = (dtype, dims)
        elif name.endswith(".weight"):
            spec |= {f"{module}.scale": ("F32", ()), f"{module}.zero_point": ("I64", ())}
            spec[f"{module}._packed_params._packed_params.0"] = ("I8", dims)
    return spec


@pytest.mark.parametrize(
    ("model_type", "suffix", "parts"),
    [
        ("bert", "SequenceClassification", ("query", "key.", "value", "dense", "classifier")),
        ("distilbert", "SequenceClassification", ("_lin", "ffn", "classifier")),
        ("llama", "CausalLM", ("_proj", "lm_head")),
    ],
)
def test_layers_that_torch_quantized_are_one_finding(
    model_type: str, suffix: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    config = base_record(model_type, suffix)["config"]
    audited = audit(str(write(healthy(layers_of_torch(model_type, suffix, *parts), config), tmp_path / "0")))
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N531"]
    whole = audit(str(write(healthy(layers_of_torch(model_type, suffix), config), tmp_path / "1")))
    assert whole.verdict == "clean"
    assert audited.ledger.counts.parameters <= whole.ledger.counts.parameters


@pytest.mark.parametrize(
    ("config", "spec", "codes"),
    [
        ({"model_type": "chatglm", "auto_map": {"AutoModel": "modeling_chatglm.ChatGLM"}},
         {"transformer.prefix_encoder.embedding.weight": ("F16", (128, 512))}, ["N532"]),
        ({"model_type": "chatglm", "auto_map": {"AutoModel": "modeling_chatglm.ChatGLM"}},
         {f"transformer.prefix_encoder.{name}.weight": ("F16", (64, 64))
          for name in ("embedding", "trans.0", "trans.2")}, ["N532"]),
        ({"model_type": "medusa", "medusa_num_heads": 2},
         {f"{head}.{name}.weight": ("F16", (64, 64)) for head in (0, 1) for name in ("0.linear", "1")}, ["N532"]),
        ({"model_type": "llava_llama"},
         {f"model.mm_projector.{name}": ("F16", (64, 64)) for name in ("0.weight", "2.weight")}, ["N532"]),
        ({"model_type": "llava"},
         {"model.mm_projector.weight": ("F16", (64, 64)), "model.mm_projector.bias": ("F16", (64,))}, ["N532"]),
        ({"model_type": "llava_llama"},
         {f"base_model.model.model.mm_projector.{name}": ("F16", (64, 64)) for name in ("0.weight", "2.weight")},
         ["N532"]),
        ({"model_type": "llava_mistral"},
         {"base_model.model.mm_projector.weight": ("F16", (64, 64))}, ["N532"]),
        ({"model_type": "medusa"}, {"0.0.linear.weight": ("F16", (64, 64)), "norm.weight": ("F16", (64,))}, []),
        ({"model_type": "llama"},
         {f"transformer.h.{layer}.attn.{name}": ("F16", (10, 64)) for layer in (0, 1)
          for name in ("adapter_wte.weight", "gating_factor")}, ["N532"]),
        ({"model_type": "llama"},
         {f"transformer.h.0.{name}": ("F16", (64,)) for name in ("attn.gating_factor", "attn.adapter_wte.weight",
          "attn.attn.adapter_bias", "mlp.proj.adapter_scale", "norm_1.weight")}, ["N532"]),
        ({"model_type": "llama"},
         dict.fromkeys(("adapter_query.weight", "layers.3.attention.gate"), ("F16", (64, 64))), ["N532"]),
        ({"model_type": "llama"},
         dict.fromkeys(("adapter_query.weight", "layers.3.attention.wq.weight"), ("F16", (64, 64))), ["N401"]),
    ],
)  # fmt: skip
def test_a_module_added_to_a_model_is_not_a_model(
    config: dict[str, Any], spec: dict[str, Any], codes: list[str], tmp_path: Path
) -> None:
    audited = audit(str(write(healthy(spec, config), tmp_path / "0")))
    assert [one.code for one in audited.findings if one.severity != "note"] == codes


@pytest.mark.parametrize(("stated", "steps"), [(128, [("pre_seq_len", 256)]), (256, []), (None, [])])
def test_rows_of_an_added_module_that_the_config_states(stated: int | None, steps: list[Any], tmp_path: Path) -> None:
    spec: dict[str, Any] = {"transformer.prefix_encoder.embedding.weight": ("F16", (256, 512))}
    audited = audit(str(write(healthy(spec, {"model_type": "chatglm", "pre_seq_len": stated}), tmp_path)))
    (found,) = (one for one in audited.findings if one.severity != "note")
    assert [(*step.key, step.new) for step in found.remedy().steps] == steps


@pytest.mark.parametrize(("stated", "trans", "new"), [
    (True, False, False), (False, True, True), (None, True, True), (True, True, None), (False, False, None),
    (None, False, None),
])  # fmt: skip
def test_the_switch_of_an_added_module(stated: bool | None, trans: bool, new: bool | None, tmp_path: Path) -> None:
    """A block of quantization in the config is about the model, which is elsewhere."""
    names = ("embedding", *(("trans.0", "trans.2") if trans else ()))
    spec: dict[str, Any] = {f"transformer.prefix_encoder.{name}.weight": ("F16", (64, 64)) for name in names}
    config = {"model_type": "chatglm", "quantization_bit": 4}
    config |= {} if stated is None else {"prefix_projection": stated}
    audited = audit(str(write(healthy(spec, config), tmp_path)))
    (found,) = (one for one in audited.findings if one.severity != "note")
    assert [(*step.key, step.new) for step in found.remedy().steps] == (
        [] if new is None else [("prefix_projection", new)]
    )


def with_experts_apart(model_type: str, joint: str, down: str, axis: int, lost: str = "") -> dict[str, Any]:
    """A model with a matrix for each expert. joint, down: suffixes of names; axis: of gate and up in `joint`."""
    spec: dict[str, Any] = {}
    for name, (dtype, dims) in spec_of(base_record(model_type, "")).items():
        end = next((one for one in (joint, down) if name.endswith(one)), None)
        if end is None:
            spec[name] = (dtype, dims)
            continue
        sizes = [size // 2 if end == joint and at == axis else size for at, size in enumerate(dims)]
        for expert in range(dims[0]):
            for part in ("gate_proj", "up_proj") if end == joint else ("down_proj",):
                spec[f"{name.removesuffix(end)}experts.{expert}.{part}.weight"] = (dtype, tuple(sizes[1:]))
    return {name: entry for name, entry in spec.items() if not lost or lost not in name}


@pytest.mark.parametrize(
    ("model_type", "joint", "down", "axis"),
    [
        ("zaya", "experts.gate_up_proj", "experts.down_proj", 1),
        ("hy_v4", "experts.gate_up_proj", "experts.down_proj", 1),
        ("jetmoe", "mlp.input_linear.weight", "mlp.output_linear.weight", 1),
    ],
)
def test_experts_that_are_stored_one_by_one(model_type: str, joint: str, down: str, axis: int, tmp_path: Path) -> None:
    config = base_record(model_type, "")["config"]

    def codes(place: str, spec: dict[str, Any]) -> list[str]:
        audited = audit(str(write(healthy(spec, config), tmp_path / place)))
        return [one.code for one in audited.findings if one.severity != "note"]

    assert codes("0", with_experts_apart(model_type, joint, down, axis)) == ["N533"]
    assert codes("1", with_experts_apart(model_type, "nothing", "nothing", axis)) == []
    assert "N533" not in codes("2", with_experts_apart(model_type, joint, down, axis, "experts.1."))


def test_experts_with_biases_apart_where_all_are_transposed(tmp_path: Path) -> None:
    """As quantization tools unpack those of gpt_oss; the matrices and their biases are one finding."""
    config = base_record("gpt_oss", "")["config"]
    parts = {"gate_up_proj": ("gate_proj", "up_proj"), "down_proj": ("down_proj",)}
    spec: dict[str, Any] = {}
    for name, (dtype, dims) in spec_of(base_record("gpt_oss", "")).items():
        stem, _, end = name.partition("experts.")
        if not end:
            spec[name] = (dtype, dims)
            continue
        each = parts[end.removesuffix("_bias")]
        shape = (dims[-1] // len(each), *dims[1:-1])
        kind = "bias" if end.endswith("_bias") else "weight"
        spec |= {f"{stem}experts.{number}.{part}.{kind}": (dtype, shape) for number in range(dims[0]) for part in each}
    audited = audit(str(write(healthy(spec, config), tmp_path)))
    (finding,) = (one for one in audited.findings if one.severity != "note")
    number = config["num_local_experts"] * config["num_hidden_layers"]
    assert (finding.code, finding.facts["tensors"]) == ("N533", 6 * number)


@pytest.mark.parametrize("writer", [converters.mistral, converters.torchtune, converters.megatron])
def test_what_transformers_does_with_the_folder_of_another_program_is_stated(writer: Any, tmp_path: Path) -> None:
    small = {**LLAMA8B, "num_hidden_layers": 2, "vocab_size": 1000}
    write_file(tmp_path / "consolidated.safetensors", writer(genuine(small)))
    (tmp_path / "params.json").write_text('{"dim": 4096, "n_layers": 2, "n_heads": 32, "n_kv_heads": 8}')
    found = [(one.loader, one.outcome, one.intended) for one in audit(str(tmp_path)).loads]
    assert found == 2 * [("transformers", "refuses", False)]


@pytest.mark.parametrize(
    ("name", "at"),
    [("AutoencoderKL", 0), ("AutoencoderKL", 1), ("AutoencoderKLTemporalDecoder", 0), ("AsymmetricAutoencoderKL", 1)],
)
def test_a_config_with_one_block_more_is_of_another_model(name: str, at: int, tmp_path: Path) -> None:
    one = next(record for record in diffusers_records(name) if not record["variant"])
    lists = [key for key in one["config"] if key.endswith(("block_out_channels", "block_types"))]
    longer = {key: [*one["config"][key][:at], one["config"][key][-at], *one["config"][key][at:]] for key in lists}
    folder = healthy(spec_of(one), {**one["config"], **longer}, "diffusion_pytorch_model.safetensors")
    audited = audit(str(write(folder, tmp_path / "0")))
    assert [one.code for one in audited.findings if one.severity != "note"] in (["C315"], ["C310"])


def test_a_table_that_the_class_does_not_build_is_extra(tmp_path: Path) -> None:
    one = base_record("esm", "MaskedLM")
    config = {"architectures": [one["class"]], **one["config"], "position_embedding_type": "rotary"}
    spec = {name: entry for name, entry in spec_of(one).items() if "position_embeddings" not in name}
    tables = {"esm.embeddings.position_embeddings.weight": ("F32", (config["max_position_embeddings"], 48))}
    codes = [
        {one.code for one in audit(str(write(healthy(held, config), tmp_path / str(at)))).findings} - {"P703"}
        for at, held in enumerate((spec, spec | tables))
    ]
    assert codes == [set(), {"N410"}]


@pytest.mark.parametrize("name", ["ControlNetModel", "ControlNetUnionModel", "UNet2DConditionModel"])
def test_two_wrong_keys_are_not_alternatives(name: str, tmp_path: Path) -> None:
    one = next(record for record in diffusers_records(name) if not record["variant"])
    linear, width = one["config"].get("use_linear_projection", False), one["config"]["cross_attention_dim"]
    changed = {**one["config"], "use_linear_projection": not linear, "cross_attention_dim": width * 2}
    folder = healthy(spec_of(one), changed, "diffusion_pytorch_model.safetensors")
    found = [
        (finding.code, finding.facts["weights"], finding.facts["rivals"])
        for finding in audit(str(write(folder, tmp_path / "0"))).findings
        if finding.severity != "note"
    ]
    assert sorted(found, key=str) == sorted([("C310", linear, []), ("C310", width, [])], key=str)


@pytest.mark.thinned
@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("model_type", ["clip", "altclip", "chinese_clip", "groupvit", "flava", "xclip", "bridgetower"])
def test_configs_of_parts_under_their_older_keys(model_type: str, both: bool, tmp_path: Path) -> None:
    """Measured with transformers 5.23 and 4.57.6: only BridgeTower does not read them."""
    one = base_record(model_type, "Model")
    config = {"architectures": [one["class"]], **one["config"]}
    parts = {key: value for key, value in config.items() if key.endswith("_config") and isinstance(value, dict)}
    older = {f"{key}_dict": value for key, value in parts.items()}
    kept = parts if both else dict.fromkeys(parts)
    audited = audit(str(write(healthy(spec_of(one), {**config, **kept, **older}), tmp_path)))
    read = both or model_type != "bridgetower"
    assert [load.outcome for load in audited.loads[:2]] == (["complete"] * 2 if read else ["refuses"] * 2)
    assert codes(audited) == (set() if read else {"N429"})
