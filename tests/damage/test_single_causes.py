"""Checks on several architectures that one cause is one finding with a remedy that is safe to follow."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.config import ConfigDisagrees
from inspector.findings.names.tensors import TensorMissing
from inspector.findings.shapes import ShapeDiffers, StoredReshaped
from inspector.findings.single_causes import OneRankOfSeveral, WeightsIncomplete
from tests.checkpoints import genuine, split
from tests.judged import FIXTURES, base_record, diffusers_records, judged, spec_of
from tests.mending.damages import LLAMA, store, whole
from tests.sparse_models import LLAMA8B

pytestmark = pytest.mark.thinned

Spec = dict[str, tuple[str, tuple[int, ...]]]
Config = dict[str, Any]


def record(model_type: str, suffix: str = "") -> tuple[Spec, Config]:
    """The listing and the config of a small model."""
    one = base_record(model_type, suffix)
    return spec_of(one), {"architectures": [one["class"]], **one["config"]}


def component(name: str) -> tuple[Spec, Config]:
    """The listing and the config of a component of a pipeline."""
    one = next(one for one in diffusers_records(name) if not one["variant"])
    return spec_of(one), {**one["config"], "_class_name": name}


def bad(audited: Audit) -> list[str]:
    """The codes of errors and warnings."""
    return [finding.code for finding in audited.findings if finding.severity != "note"]


def without(spec: Spec, *patterns: str) -> Spec:
    """The listing without the names that match."""
    return {name: entry for name, entry in spec.items() if not any(re.search(one, name) for one in patterns)}


def only(spec: Spec, pattern: str) -> Spec:
    """The listing of the names that match."""
    return {name: entry for name, entry in spec.items() if re.search(pattern, name)}


ABSENT = [
    ("llava", "", "vision_tower"), ("qwen2_vl", "Generation", "visual"), ("paligemma", "Generation", "vision_tower"),
    ("llava", "", "multi_modal_projector"), ("paligemma", "Generation", "multi_modal_projector"),
    ("llava", "", "language_model"), ("t5", "Generation", r"^decoder\.block"),
    ("bart", "Generation", "decoder|lm_head"), ("whisper", "Generation", "decoder|proj_out"),
    ("whisper", "Generation", "encoder"), ("clip", "CLIPModel", "vision"),
    ("clip", "CLIPModel", "text"), ("llama", "CausalLM", r"layers\.|norm"), ("mixtral", "CausalLM", r"layers\.|norm"),
    ("gpt2", "LMHeadModel", r"\.h\.|ln_f"), ("bert", "MaskedLM", "encoder"), ("llama", "CausalLM", "^model"),
    ("vit", "ImageClassification", "encoder"), ("llama", "CausalLM", r"\.mlp\."), ("llama", "CausalLM", "self_attn"),
    ("llama", "CausalLM", r"\.[12]\.|model.norm|layers.0.*norm"), ("gpt2", "LMHeadModel", r"\.[12]\.|ln_f"),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "suffix", "pattern"), ABSENT)
def test_absent_tensors_are_missing_and_do_not_change_the_config(model_type: str, suffix: str, pattern: str) -> None:
    spec, config = record(model_type, suffix)
    audited = judged(without(spec, pattern), config)
    codes = bad(audited)
    assert 1 <= len(codes) <= 2
    assert set(codes) <= {"N403", "N404", "N426", "P701"}
    assert not any(finding.remedy().steps for finding in audited.findings)


@pytest.mark.parametrize(("model_type", "suffix", "kept"), [
    ("wav2vec2-bert", "Model", 1), ("rt_detr_v2", "ObjectDetection", 260), ("zamba", "Model", 1), ("swin", "Model", 20),
])  # fmt: skip
def test_a_partial_download_is_no_evidence_against_the_config(model_type: str, suffix: str, kept: int) -> None:
    spec, config = record(model_type, suffix)
    audited = judged({name: spec[name] for name in list(spec)[:kept]}, config)
    assert set(bad(audited)) <= {"N403", "N404", "N426"} and len(bad(audited)) <= 2


@pytest.mark.parametrize(
    ("model_type", "suffix", "patterns", "errors"),
    [
        ("qwen3_moe", "CausalLM", [r"\.q_norm\.", r"\.k_norm\."], 1),
        ("llama", "", [r"input_layernorm", r"post_attention_layernorm"], 1),
        ("gpt_neox", "CausalLM", [r"input_layernorm", r"post_attention_layernorm"], 1),
        ("llama", "", [r"layers\.0\.input_layernorm", r"layers\.1\.post_attention_layernorm"], 2),
        ("llama", "", [r"input_layernorm", r"up_proj"], 2),
    ],
)
def test_two_modules_alike_that_no_layer_has_are_one_finding(
    model_type: str, suffix: str, patterns: list[str], errors: int
) -> None:
    spec, config = record(model_type, suffix)
    left = without(spec, *patterns)
    found = [one for one in judged(left, config).findings if isinstance(one, TensorMissing)]
    assert len(found) == errors
    assert sum(one.tensors for one in found) == len(spec) - len(left)


def test_a_head_that_a_switch_leaves_out_may_be_lost() -> None:
    spec, config = record("siglip", "SiglipModel")
    (finding,) = (
        one for one in judged(without(spec, r"vision_model\.head"), config).findings if one.severity == "error"
    )
    assert (finding.code, finding.steps) == ("C310", ())
    assert "weights lack vision_model.head" in finding.help


def other_size(**changes: Any) -> Config:
    return {**LLAMA8B, **changes}


BERT = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512,
        "type_vocab_size": 2}  # fmt: skip
GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12, "n_head": 12,
        "n_positions": 1024, "vocab_size": 50257}  # fmt: skip
T5 = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 512, "d_ff": 2048, "d_kv": 64,
      "num_heads": 8, "num_layers": 6, "vocab_size": 32128}  # fmt: skip
LLAMA70B = other_size(hidden_size=8192, intermediate_size=28672, num_attention_heads=64, num_hidden_layers=80)
SIZES: list[tuple[Config, Config, str]] = [
    (dict(LLAMA8B), LLAMA70B, "llama-3-8b"),
    (LLAMA70B, dict(LLAMA8B), "llama-3-70b"),
    (BERT, {**BERT, "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
            "intermediate_size": 4096}, "bert-base"),
    (GPT2, {**GPT2, "n_embd": 1600, "n_layer": 48, "n_head": 25}, "gpt2"),
    (T5, {**T5, "d_model": 768, "d_ff": 3072, "num_heads": 12, "num_layers": 12}, "t5-small"),
    (other_size(hidden_size=1024, intermediate_size=2816, num_hidden_layers=8), dict(LLAMA8B), ""),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "config", "published"), SIZES)
def test_a_config_of_another_size_is_one_finding(stored: Config, config: Config, published: str) -> None:
    audited = judged(genuine(stored), config)
    assert bad(audited) == ["C315"]
    finding = audited.findings[0]
    assert finding.facts["described"] == audited.counts.expected_parameters
    assert finding.facts["stored"] == audited.counts.unique_parameters
    assert any(name.startswith(published) for name in finding.facts["published"]) or not published


PARAMS_OF: dict[str, Config] = {
    "llama": {"dim": 1024, "n_layers": 8, "n_heads": 16, "n_kv_heads": 4, "multiple_of": 256, "norm_eps": 1e-5,
              "vocab_size": 32000},
    "mistral": {"dim": 1024, "n_layers": 8, "n_heads": 16, "n_kv_heads": 4, "head_dim": 64, "hidden_dim": 2816,
                "norm_eps": 1e-5, "vocab_size": 32000},
}  # fmt: skip


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM"])
@pytest.mark.parametrize("model_type", PARAMS_OF)
def test_a_params_json_under_the_name_of_the_config_is_one_finding(model_type: str, kind: str) -> None:
    """With a type and a class added by hand, so that loaders accept it and take their defaults for all sizes."""
    name = f"{model_type.capitalize()}{kind}"
    stored = other_size(hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16,
                        num_key_value_heads=4, vocab_size=32000)  # fmt: skip
    spec = genuine({**stored, "model_type": model_type, "architectures": [f"{model_type.capitalize()}ForCausalLM"]})
    config = {**PARAMS_OF[model_type], "model_type": model_type, "architectures": [name]}
    audited = judged(spec, config)
    assert bad(audited) == ["C315"]
    finding = audited.findings[0]
    assert finding.title == f"config.json has the keys of a params.json: {', '.join(finding.facts['of_params'])}"
    assert finding.help.startswith("use the config.json of these weights for transformers")


QWEN2 = other_size(model_type="qwen2", architectures=["Qwen2ForCausalLM"])
SMALL = {"hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "vocab_size": 151936}
UNCERTAIN: list[tuple[Config, Config]] = [
    # the weights show only products with the width of a head: with 8 kv heads they fit 56 heads, with 2 they fit 14
    ({**QWEN2, **SMALL, "num_attention_heads": 14, "num_key_value_heads": 2}, QWEN2),
    (other_size(**SMALL, num_attention_heads=14, num_key_value_heads=2), dict(LLAMA8B)),
    ({**other_size(**SMALL, num_attention_heads=14, num_key_value_heads=2), "model_type": "mistral",
      "architectures": ["MistralForCausalLM"]},
     {**LLAMA8B, "model_type": "mistral", "architectures": ["MistralForCausalLM"]}),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "config"), UNCERTAIN)
def test_of_another_size_only_what_the_weights_determine_is_certain(stored: Config, config: Config) -> None:
    audited = judged(genuine(stored), config)
    assert bad(audited) == ["C315"]
    keys = {key["key"]: key["others"] for key in audited.findings[0].facts["keys"]}
    assert keys.pop("num_attention_heads") and not any(keys.values())
    assert not audited.findings[0].remedy().steps


def rank(spec: Spec, parts: int, embeddings: bool) -> Spec:
    """The tensors of the first rank of a tensor-parallel save."""
    rows = r"(q|k|v|gate|up)_proj|query|key|value|intermediate.dense|w1|w3" + (
        "|embed_tokens|lm_head" if embeddings else ""
    )
    cut: Spec = {}
    for name, (dtype, shape) in spec.items():
        if re.search(rows, name):
            shape = (shape[0] // parts, *shape[1:])
        elif re.search(r"(o|down)_proj|output.dense.weight|w2", name):
            shape = (shape[0], shape[1] // parts)
        cut[name] = (dtype, shape)
    return cut


QWEN2 = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 3584, "intermediate_size": 18944,
         "num_attention_heads": 28, "num_key_value_heads": 4, "num_hidden_layers": 28, "vocab_size": 152064,
         "tie_word_embeddings": False}  # fmt: skip


def chunk(rows: int, ranks: int, rank: int) -> int:
    """The number of rows of one rank, as torch.chunk splits them."""
    size = -(-rows // ranks)
    return max(min(size, rows - rank * size), 0)


def chunks(spec: Spec, ranks: int, rank: int) -> Spec:
    """The tensors of one rank of a fully sharded save. rank: from 0."""
    return {
        name: (dtype, (chunk(shape[0], ranks, rank), *shape[1:]) if shape else shape)
        for name, (dtype, shape) in spec.items()
    }


@pytest.mark.parametrize("ranks", [2, 4, 7])
@pytest.mark.parametrize("model_type", ["llama", "bert", "qwen3_moe", "vit", "t5", "gpt2", "mamba"])
def test_one_rank_of_a_fully_sharded_save(model_type: str, ranks: int) -> None:
    spec, config = record(model_type)
    for rank in range(ranks):
        finding = next(iter(judged(chunks(spec, ranks, rank), config).findings))
        assert isinstance(finding, OneRankOfSeveral)
        assert finding.ranks == ranks


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("model_type", ["llama", "bert", "vit", "mixtral"])
def test_one_rank_of_a_flattened_save(model_type: str, ranks: int) -> None:
    spec, config = record(model_type)
    flat: Spec = {name: (dtype, (prod(shape),)) for name, (dtype, shape) in spec.items()}
    findings = [one for one in judged(chunks(flat, ranks, 0), config).findings if one.severity != "note"]
    assert [(one.code, one.facts["ranks"]) for one in findings] == [("D503", ranks)]


RESHAPED: dict[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    "flattened": lambda shape: (prod(shape),),
    "with a batch dim": lambda shape: (1, *shape),
    "rows split": lambda shape: (2, shape[0] // 2, *shape[1:]) if shape[0] % 2 == 0 else shape,
}


@pytest.mark.parametrize("how", RESHAPED)
@pytest.mark.parametrize("model_type", ["llama", "bert", "vit", "whisper", "mamba"])
def test_tensors_in_other_dims_are_one_finding(model_type: str, how: str) -> None:
    spec, config = record(model_type)
    stored = {name: (dtype, RESHAPED[how](shape)) for name, (dtype, shape) in spec.items()}
    changed = sum(stored[name] != spec[name] for name in spec)
    finding, *others = (one for one in judged(stored, config).findings if one.severity != "note")
    assert isinstance(finding, StoredReshaped) and not others
    assert finding.tensors == changed


def test_other_dims_of_equal_size_are_not_always_a_reshape() -> None:
    spec, config = record("vit")
    name = next(name for name in spec if name.endswith("patch_embeddings.projection.weight"))
    out, channels, height, width = spec[name][1]
    spec[name] = (spec[name][0], (channels * height, out * width))
    assert bad(judged(spec, config)) == ["D501"]


@pytest.mark.parametrize(("model_type", "tables", "more", "alike"), [
    ("pegasus", ["encoder"], 40, ["decoder"]), ("bart", ["encoder"], 64, ["decoder"]),
    ("mbart", ["decoder"], 8, ["encoder"]),
    ("bart", ["encoder"], -4, []),  # fewer rows than the key states
    ("led", ["encoder"], 40, []), ("whisper", ["encoder"], 40, []),  # a key for each
])  # fmt: skip
def test_positions_added_to_one_of_two_tables(model_type: str, tables: list[str], more: int, alike: list[str]) -> None:
    spec, config = record(model_type, "ConditionalGeneration")
    for table in tables:
        name = next(name for name in spec if name.endswith(f"{table}.embed_positions.weight"))
        dtype, (rows, width) = spec[name]
        spec[name] = (dtype, (rows + more, width))
    found = [one for one in judged(spec, config).findings if isinstance(one, ShapeDiffers)]
    assert [name.split(".")[-3] for one in found for name in one.decided_alike] == alike
    assert all(f"tensor[:{rows}]" in one.help for one in found if one.decided_alike)


@pytest.mark.parametrize("parts", [2, 4])
@pytest.mark.parametrize("embeddings", [False, True])
@pytest.mark.parametrize("config", [dict(LLAMA8B), QWEN2, BERT], ids=lambda one: str(one["model_type"]))
def test_one_rank_of_several(config: Config, embeddings: bool, parts: int) -> None:
    audited = judged(rank(genuine(config), parts, embeddings), config)
    assert bad(audited) == ["D503"]
    assert audited.findings[0].title == f"one of {parts} ranks"
    assert not audited.findings[0].remedy().steps


@pytest.mark.parametrize("model_type", ["llama", "glm_image_text"])
def test_matrices_of_keys_and_values_alone_are_not_cut_by_a_rank(model_type: str) -> None:
    spec, config = record(model_type)
    keys = ("intermediate_size", "num_key_value_heads")
    audited = judged(spec, {**config, **{key: 2 * config[key] for key in keys}})
    assert bad(audited) == ["C310", "C310"]
    assert {finding.facts["key"] for finding in audited.findings if finding.code == "C310"} == set(keys)


JOINT: list[tuple[str, str, str, dict[str, int]]] = [
    ("llama", "CausalLM", r"(q|k|v)_proj", {"qkv_proj": 3}), ("qwen2", "CausalLM", r"(q|k|v)_proj", {"qkv_proj": 6}),
    ("opt", "CausalLM", r"(q|k|v)_proj", {"qkv_proj": 6}), ("clip", "CLIPModel", r"(q|k|v)_proj", {"qkv_proj": 10}),
    ("bert", "MaskedLM", r"(query|key|value)", {"Wqkv": 6}), ("olmo2", "CausalLM", "(gate|up)_proj", {"wi": 3}),
    ("axk1", "CausalLM", "(gate|up)_proj", {"gate_up_proj": 25}),
    ("llama", "CausalLM", "(gate|up)_proj", {"gate_up_proj": 3}),
    ("bart", "ConditionalGeneration", r"(q|k|v)_proj", {"qkv_proj": 22}),
    ("mistral", "CausalLM", "(gate|up)_proj", {"gate_up_proj": 3}),
    ("whisper", "ConditionalGeneration", r"(q|k|v)_proj", {"qkv_proj": 22}),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "suffix", "parts", "joint"), JOINT)
def test_projections_in_one_matrix(model_type: str, suffix: str, parts: str, joint: dict[str, int]) -> None:
    spec, config = record(model_type, suffix)
    ((name, tensors),) = joint.items()
    joined: Spec = {}
    for key, (dtype, shape) in spec.items():
        new = re.sub(rf"\.{parts}\.", f".{name}.", key)
        joined[new] = (dtype, shape if new == key else (joined.get(new, ("", (0,)))[1][0] + shape[0], *shape[1:]))
    audited = judged(joined, config)
    assert bad(audited) == ["N441"]
    assert audited.findings[0].facts["tensors"] == tensors
    assert not audited.findings[0].remedy().steps


@pytest.mark.parametrize(("model_type", "suffix", "parts", "name"), [
    ("deberta-v2", "MaskedLM", "(query|key|value)_proj", "in_proj"),
    ("roberta", "MaskedLM", "(query|key|value)", "qkv"),
    ("beit", "ImageClassification", "(query|key|value)", "qkv"),
])  # fmt: skip
def test_projections_in_one_matrix_next_to_bare_biases(model_type: str, suffix: str, parts: str, name: str) -> None:
    spec, config = record(model_type, suffix)
    joined: Spec = {}
    for key, (dtype, shape) in spec.items():
        found = re.search(rf"\.{parts}\.(weight|bias)$", key)
        if found is None:
            joined[key] = (dtype, shape)
        elif found[2] == "weight":
            new = f"{key[: found.start()]}.{name}.weight"
            joined[new] = (dtype, (joined.get(new, ("", (0,)))[1][0] + shape[0], *shape[1:]))
        elif found[1][0] in "qv":
            joined[f"{key[: found.start()]}.{found[1][0]}_bias"] = (dtype, shape)
    whole = next(key for key in joined if key.endswith(f".{name}.weight"))
    joined[whole.replace(name, "pos_q_proj").replace("weight", "bias")] = ("F32", (joined[whole][1][1],))
    audited = judged(joined, config)
    assert [one.code for one in audited.findings if one.severity == "error"] == ["N441"]
    assert any("q_bias" in one["whole"] for one in audited.findings[0].facts["joints"])


@pytest.mark.parametrize("model_type", ["gpt_neox", "bloom", "gpt_bigcode"])
def test_a_joint_projection_that_is_stored_apart(model_type: str) -> None:
    spec, config = record(model_type, "CausalLM")
    apart: Spec = {}
    for key, (dtype, shape) in spec.items():
        joint = re.search(r"query_key_value|c_attn", key)
        sizes = [shape[0] - 2 * (shape[0] // 3), shape[0] // 3, shape[0] // 3] if joint else []
        for part, rows in zip("qkv", sizes, strict=False):
            apart[key.replace(joint[0], f"{part}_proj") if joint else key] = (dtype, (rows, *shape[1:]))
        if not joint:
            apart[key] = (dtype, shape)
    assert bad(judged(apart, config)) == ["N441"]


@pytest.mark.parametrize(("model_type", "joint", "parts"), [
    ("deepseek_v3", "kv_b_proj", "k_b_proj v_b_proj"), ("longcat_flash", "kv_b_proj", "w_uk w_uv"),
    ("lfm2_moe", "in_proj", "b_proj c_proj x_proj"), ("zamba", "in_proj", "x_proj z_proj"),
])  # fmt: skip
def test_a_matrix_with_named_parts_that_are_stored_apart(model_type: str, joint: str, parts: str) -> None:
    spec, config = record(model_type, "CausalLM")
    apart: Spec = {}
    for key, (dtype, shape) in spec.items():
        if f".{joint}.weight" not in key:
            apart[key] = (dtype, shape)
            continue
        names = parts.split()
        rows = shape[0] // len(names)
        first = shape[0] - rows * (len(names) - 1)
        for name, size in zip(names, [first] + [rows] * (len(names) - 1), strict=True):
            apart[key.replace(joint, name)] = (dtype, (size, *shape[1:]))
    assert len(apart) > len(spec)
    assert bad(judged(apart, config)) == ["N441"]


def test_two_of_three_parts_do_not_make_a_joint_matrix() -> None:
    spec, config = record("lfm2_moe", "CausalLM")
    apart = {key.replace("in_proj", "b_proj"): (dtype, (shape[0] // 3, *shape[1:])) if "in_proj" in key
             else (dtype, shape) for key, (dtype, shape) in spec.items()}  # fmt: skip
    assert "N441" not in bad(judged(apart, config))


@pytest.mark.parametrize(("stored", "claimed", "suffix"), [
    ("siglip_vision_model", "siglip2_vision_model", "VisionModel"), ("siglip", "siglip2", "Model"),
    ("siglip2_vision_model", "siglip_vision_model", "VisionModel"),
])  # fmt: skip
def test_the_type_whose_weights_have_another_rank_is_named(stored: str, claimed: str, suffix: str) -> None:
    """SigLIP's kernel over pixels has four dims, that of SigLIP 2 has two; the names are equal."""
    spec, own = record(stored, suffix)
    _, config = record(claimed, suffix)
    (found,) = (one for one in judged(spec, {**own, **{key: config[key] for key in ("model_type", "architectures")}})
                .findings if one.severity == "error")  # fmt: skip
    assert (found.code, found.facts["names"]) == ("N401", stored)
    assert judged(spec, own).verdict == "clean"


@pytest.mark.parametrize("model_type", ["marian", "bart", "pegasus"])
def test_a_table_of_the_decoder_with_more_tokens_is_not_one_that_was_resized(model_type: str) -> None:
    """Encoder and decoder share one table: where both are stored with other lengths, they are two vocabularies."""
    spec, config = record(model_type, "MTModel" if model_type == "marian" else "ForConditionalGeneration")
    width, rows = config["d_model"], config["vocab_size"]
    tables = {f"model.{tower}.embed_tokens.weight": ("F32", (rows + more, width))
              for tower, more in (("encoder", 0), ("decoder", 9))}  # fmt: skip
    others = {key: entry for key, entry in spec.items() if key not in ("model.shared.weight", "lm_head.weight")}
    assert "C324" not in bad(judged({**others, **tables}, config))


@pytest.mark.parametrize(("model_type", "suffix", "table", "key"), [
    ("llama", "CausalLM", "embed_tokens", "vocab_size"), ("mistral", "CausalLM", "lm_head", "vocab_size"),
    ("gpt_neox", "CausalLM", "embed_in", "vocab_size"), ("bert", "MaskedLM", "word_embeddings", "vocab_size"),
    ("roberta", "MaskedLM", "lm_head.bias", "vocab_size"), ("llava", "", "embed_tokens", "text_config.vocab_size"),
])  # fmt: skip
@pytest.mark.parametrize("more", [3, -3])
def test_a_vocabulary_that_was_resized_in_part(model_type: str, suffix: str, table: str, key: str, more: int) -> None:
    spec, config = record(model_type, suffix)
    name = next(name for name in spec if table in name)
    rows = spec[name][1][0]
    audited = judged({**spec, name: (spec[name][0], (rows + more, *spec[name][1][1:]))}, config)
    assert bad(audited) == ["C324"]
    facts = audited.findings[0].facts
    assert (facts["key"], facts["configured"], facts["stored_rows"]) == (key, rows, rows + more)
    assert facts["resized"] == [name] and f'"{key}": {rows + more}' in audited.findings[0].help
    if more > 0:
        assert f"cut the last {more} rows off {name}" in audited.findings[0].help


@pytest.mark.parametrize("model_type", ["t5", "mt5", "longt5"])
def test_a_decoder_with_a_vocabulary_of_its_own(model_type: str) -> None:
    """The modules of the decoder were replaced: no config key has its number of tokens."""
    spec, config = record(model_type, "ForConditionalGeneration")
    width = spec["shared.weight"][1][1]
    own = {"lm_head.weight": ("F32", (7, width)), "decoder.embed_tokens.weight": ("F32", (7, width))}
    found = judged({**spec, **own}, {**config, "tie_word_embeddings": False})
    (error,) = (one for one in found.findings if one.severity == "error")
    assert error.code == "C324" and "load it with the code that replaced its table and head" in error.help


@pytest.mark.parametrize(("model_type", "suffix"), [("t5", "ForConditionalGeneration"), ("llama", "ForCausalLM")])
@pytest.mark.parametrize(("rows", "own"), [(7, True), (100, False)])
def test_a_head_with_rows_of_its_own(model_type: str, suffix: str, rows: int, own: bool) -> None:
    """A head with far fewer rows than the table was replaced by another one."""
    spec, config = record(model_type, suffix)
    width = config.get("d_model") or config["hidden_size"]
    untied = {**config, "tie_word_embeddings": False}
    found = judged({**spec, "lm_head.weight": ("F32", (rows, width))}, untied).findings
    (error,) = (one for one in found if one.severity == "error")
    words = f"a head with {rows} rows of its own needs the code that built it"
    assert error.code == "C324" and error.help.startswith(words) is own


@pytest.mark.parametrize(("table", "rows", "vocabulary", "words"), [
    ("embed_tokens", 109, 109, "restore the 8 rows"), ("embed_tokens", 112, 109, "restore the 5 rows"),
    ("lm_head", 117, 109, "embed_tokens.weight 125 rows"), ("embed_tokens", 120, 109, "cut off the last 3 rows"),
])  # fmt: skip
def test_a_vocabulary_with_rows_for_images(table: str, rows: int, vocabulary: int, words: str) -> None:
    """The embedding of Mllama has eight rows more than the head; resizing it by tokens cuts them off."""
    spec, config = record("mllama", "Generation")
    name = next(name for name in spec if f"{table}.weight" in name)
    (found,) = (
        one
        for one in judged({**spec, name: ("F32", (rows, spec[name][1][1]))}, config).findings
        if one.severity == "error"
    )
    assert (found.code, found.facts["key"], found.facts["resized"]) == ("C324", "text_config.vocab_size", [name])
    assert config["text_config"]["vocab_size"] == vocabulary
    assert words in found.help


def test_the_vocabulary_of_a_model_with_rows_for_images() -> None:
    spec, config = record("mllama", "Generation")
    text = {**config["text_config"], "vocab_size": 111}
    (found,) = (one for one in judged(spec, {**config, "text_config": text}).findings if one.severity == "error")
    assert (found.code, found.facts["key"], found.facts["weights"]) == ("C310", "text_config.vocab_size", 109)


@pytest.mark.parametrize("model_type", ["mbart", "bart", "marian", "led"])
@pytest.mark.parametrize(("more", "words"), [(3, "else cut"), (-3, "else extend")])
def test_a_bias_of_logits_for_another_vocabulary_size(model_type: str, more: int, words: str) -> None:
    spec, config = record(model_type, "ForConditionalGeneration" if model_type != "marian" else "MTModel")
    dtype, (one, tokens) = spec["final_logits_bias"]
    audited = judged({**spec, "final_logits_bias": (dtype, (one, tokens + more))}, config)
    assert bad(audited) == ["C324"]
    facts = audited.findings[0].facts
    assert (facts["configured"], facts["stored_rows"]) == (tokens, tokens + more)
    assert (
        "remove final_logits_bias if it is all zeros" in audited.findings[0].help and words in audited.findings[0].help
    )


@pytest.mark.parametrize(("model_type", "lost", "code"), [
    ("encoder-decoder", r"crossattention", "N477"), ("vision-encoder-decoder", r"crossattention", "N477"),
    ("speech-encoder-decoder", r"crossattention", "N477"), ("vision-encoder-decoder", r"enc_to_dec_proj", "N403"),
    ("vision-encoder-decoder", r"layer\.1\.crossattention", "N404"),
])  # fmt: skip
def test_modules_that_every_forward_pass_needs_are_not_switched_off(model_type: str, lost: str, code: str) -> None:
    spec, config = record(model_type)
    if not any(re.search(lost, name) for name in spec):
        pytest.skip("not in this record")
    assert bad(judged(without(spec, lost), config)) == [code]


@pytest.mark.parametrize("model_type", ["qwen3_moe", "deepseek_v3", "glm4_moe"])
def test_gate_and_up_of_stacked_experts_stored_apart(model_type: str) -> None:
    spec, config = record(model_type, "CausalLM")
    experts = 1 + max(int(found[1]) for name in spec if (found := re.search(r"\.experts\.(\d+)\.", name)))
    stacked: Spec = {}
    for name, (dtype, shape) in spec.items():
        part = re.sub(r"\.experts\.\d+\.(\w+)\.weight$", r".experts.\1", name)
        stacked[part] = (dtype, shape if part == name else (experts, *shape))
    assert bad(judged(stacked, config)) == ["N441"]


FAMILIES = [
    ("llama", "qwen2"), ("llama", "qwen3"), ("llama", "gemma2"), ("llama", "phi3"), ("llama", "olmo2"),
    ("qwen2", "llama"), ("qwen3", "llama"), ("mixtral", "mistral"),
]  # fmt: skip


def test_another_family_is_judged_with_the_head_of_the_class() -> None:
    spec, config = record("layoutlmv2", "TokenClassification")  # its classes for whole texts have the same names
    claimed = {**config, "model_type": "layoutlm", "architectures": ["LayoutLMForTokenClassification"]}
    assert bad(judged(spec, claimed)) == ["N401"]


@pytest.mark.parametrize(("stored", "claimed", "class_name"), [
    ("t5", "umt5", "UMT5ForConditionalGeneration"), ("gemma", "gemma2", "Gemma2ForCausalLM"),
    ("olmo", "llama", "LlamaForCausalLM"),
])  # fmt: skip
def test_missing_tensors_that_the_type_of_the_weights_does_not_have(stored: str, claimed: str, class_name: str) -> None:
    spec, config = record(stored, class_name.partition("For")[2])
    config.pop("clip_qkv", None)  # would show OLMo
    first, *_ = judged(spec, {**config, "model_type": claimed, "architectures": [class_name]}).findings
    assert isinstance(first, TensorMissing | WeightsIncomplete)
    assert first.complete_as == (stored,)
    assert first.help.endswith(f"or, if these are weights of {stored}, use the config.json of that type")


@pytest.mark.parametrize(("model_type", "lost"), [("umt5", "0.layer.0.SelfAttention.k"), ("llama", "mlp.up_proj")])
def test_missing_tensors_that_every_type_has(model_type: str, lost: str) -> None:
    spec, config = record(model_type, "CausalLM" if model_type == "llama" else "ConditionalGeneration")
    found = judged({name: entry for name, entry in spec.items() if lost not in name}, config).findings
    assert not any(one.complete_as for one in found if isinstance(one, TensorMissing | WeightsIncomplete))


GATES: dict[str, tuple[dict[str, Any], str, str, bool, list[str]]] = {
    "as saved": ({"feed_forward_proj": "relu", "is_gated_act": False, "dense_act_fn": "relu"}, "relu", "gated-gelu",
                 True, ["dense_act_fn", "is_gated_act"]),
    "its activation": ({"feed_forward_proj": "relu", "is_gated_act": False, "dense_act_fn": "gelu_new"}, "relu",
                       "gated-gelu", False, ["dense_act_fn", "is_gated_act"]),
    "none": ({}, "relu", "gated-gelu", True, []),
}  # fmt: skip
"""Config -> the stated and the right value of `feed_forward_proj`, whether another fits too, and keys to remove."""


@pytest.mark.parametrize("case", GATES)
@pytest.mark.parametrize("model_type", ["t5", "longt5", "udop"])
def test_a_gate_is_set_by_the_key_that_decides_it(model_type: str, case: str) -> None:
    """transformers 4.57 and 5.23 load a stated `is_gated_act` with the activation that is stated beside it."""
    stated, own, right, others, removed = GATES[case]
    spec, config = record(model_type, "ForConditionalGeneration")
    gated: Spec = {}
    for name, entry in spec.items():
        halves = ("wi_0", "wi_1") if ".wi." in name else ("",)
        gated |= {name.replace(".wi.", f".{half}."): entry for half in halves}
    without_gate = {
        key: value for key, value in config.items() if key not in ("feed_forward_proj", *GATES["as saved"][0])
    }
    (found,) = (one for one in judged(gated, {**without_gate, **stated}).findings if one.severity == "error")
    assert isinstance(found, ConfigDisagrees)
    assert (found.key, found.stated, found.solved, list(found.derived)) == ("feed_forward_proj", own, right, removed)
    assert bool(found.rivals) is others is found.remedy().choice
    assert [step.key for step in found.remedy().steps if step.action == "remove"] == [(one,) for one in removed] * (
        not others
    )
    assert judged(gated, {**without_gate, "feed_forward_proj": right}).verdict == "clean"


@pytest.mark.parametrize("model_type", ["t5", "longt5"])
def test_a_switch_that_contradicts_its_key_is_set_alone(model_type: str) -> None:
    spec, config = record(model_type, "ForConditionalGeneration")
    gated: Spec = {name.replace(".wi.", f".{half}."): entry for name, entry in spec.items()
                   for half in (("wi_0", "wi_1") if ".wi." in name else ("",))}  # fmt: skip
    stated = {**config, "feed_forward_proj": "gated-silu", "is_gated_act": False, "dense_act_fn": "silu"}
    (found,) = (one for one in judged(gated, stated).findings if one.severity == "error")
    assert (found.code, found.facts["key"], found.facts["weights"]) == ("C310", "is_gated_act", True)


def test_an_activation_that_its_class_does_not_derive_is_kept() -> None:
    """Pop2Piano derives the gate from the key, and states the activation apart."""
    spec, config = record("pop2piano", "ForConditionalGeneration")
    stated = {**config, "feed_forward_proj": "relu", "is_gated_act": False, "dense_act_fn": "relu"}
    (found,) = (one for one in judged(spec, stated).findings if one.severity == "error")
    assert isinstance(found, ConfigDisagrees)
    assert (found.key, found.solved, found.derived) == ("feed_forward_proj", "gated-gelu", ("is_gated_act",))


VALUE_HEAD: Spec = {"value_head.weight": ("F32", (1, 48)), "value_head.bias": ("F32", (1,))}
TWO: Spec = {"planner.weight": ("F32", (9, 48)), "memory_bank": ("F32", (5, 48))}


@pytest.mark.parametrize(("more", "keys", "expected"), [
    (TWO, {"plan_steps": 3}, ["N741"]), (VALUE_HEAD, {"use_value_head": True}, ["N741"]),
    (VALUE_HEAD, {"plan_steps": 3}, None), (TWO, {}, None),
    (TWO, {"plan_steps": 3, "auto_map": {"AutoModelForCausalLM": "modeling.Own"}}, None),
])  # fmt: skip
@pytest.mark.parametrize(("model_type", "suffix"), [("mistral", "ForCausalLM"), ("roberta", "ForMaskedLM")])
def test_modules_and_keys_of_a_class_of_the_authors(
    more: Spec, keys: dict[str, Any], expected: list[str] | None, model_type: str, suffix: str
) -> None:
    spec, config = record(model_type, suffix)
    found = judged({**spec, **more}, {**config, **keys})
    assert (bad(found) == expected) if expected else "N741" not in bad(found)
    if expected:
        (one,) = (finding for finding in found.findings if finding.code == "N741")
        assert (one.facts["tensors"], one.facts["key_count"]) == (len(more), len(keys))
        lost = judged({name: entry for name, entry in {**spec, **more}.items() if "layer.0." not in name
                       and "layers.0." not in name}, {**config, **keys})  # fmt: skip
        assert "N741" not in bad(lost)


@pytest.mark.parametrize(("stored", "claimed"), FAMILIES)
def test_weights_of_another_family_are_named(stored: str, claimed: str) -> None:
    spec, config = record(stored, "CausalLM")
    classes = record(claimed, "CausalLM")[1]["architectures"]
    audited = judged(spec, {**config, "model_type": claimed, "architectures": classes})
    assert bad(audited) == ["N401"]
    facts, steps = audited.findings[0].facts, audited.findings[0].remedy().steps
    assert facts["names"] == stored
    several = stored == "llama"  # Mistral and others have the same names
    assert not steps if facts["fewer"] or several else steps[0].new == stored


KINDS = [
    ("minimax", "layer_types", ["linear_attention", "full_attention", "linear_attention"]),
    ("olmo_hybrid", "layer_types", ["full_attention", "full_attention", "linear_attention"]),
    ("recurrent_gemma", "block_types", ["attention", "attention", "recurrent"]),
    ("zamba2", "layers_block_type", ["hybrid", "mamba", "hybrid", "mamba", "hybrid"]),
    ("nemotron_h", "layers_block_type", ["moe", "linear_attention", "mlp", "full_attention"]),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "key", "other"), KINDS)
def test_layers_of_another_kind_than_in_the_config(model_type: str, key: str, other: list[str]) -> None:
    spec, config = record(model_type, "CausalLM")
    audited = judged(spec, {**config, key: other})
    assert bad(audited) == ["C310"]
    assert audited.findings[0].facts["key"] == key
    assert audited.findings[0].facts["weights"] == config[key]


@pytest.mark.parametrize(
    ("stored", "claimed"),
    [("AutoencoderKL", "UNet2DConditionModel"), ("UNet2DConditionModel", "AutoencoderKL")],
)
def test_a_component_with_the_weights_of_another_one(stored: str, claimed: str) -> None:
    audited = judged(component(stored)[0], component(claimed)[1])
    assert bad(audited) == ["N401"]
    assert audited.findings[0].facts["names"] == stored


def test_a_submodel_with_the_weights_of_another_family() -> None:
    spec, config = record("llava")
    tower = record("siglip_vision_model")[0]
    prefix = next(name for name in spec if "vision_tower." in name).partition("vision_model.")[0]
    audited = judged({**without(spec, "vision_tower"), **{prefix + name: one for name, one in tower.items()}}, config)
    assert len(bad(audited)) <= 2
    assert audited.findings[0].facts["family"] == "siglip_vision_model"


@pytest.mark.parametrize("model_type", ["musicflamingo", "qwen2_audio", "llava"])
def test_a_lost_layer_is_not_a_submodel_of_another_family(model_type: str) -> None:
    """Another type that lacks the lost matrices fits the remaining tensors by coincidence."""
    spec, config = record(model_type)
    assert {*bad(judged(without(spec, r"layers\.0\."), config))} == {"N404"}


@pytest.mark.parametrize(("model_type", "layers"), [
    ("mistral3", "language_model.model.layers."), ("vision-encoder-decoder", "encoder.encoder.layer."),
    ("llava", "vision_tower.vision_model.encoder.layers."), ("gemma4_audio", "layers."),
])  # fmt: skip
def test_layers_with_other_numbers_are_not_a_submodel_of_another_family(model_type: str, layers: str) -> None:
    spec, config = record(model_type)
    number = re.compile(f"({re.escape(layers)})([0-9]+)")
    moved = {number.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", name): one for name, one in spec.items()}
    assert moved != spec and bad(judged(moved, config)) == ["N425"]


@pytest.mark.parametrize("name", ["AutoencoderKL", "UNet2DConditionModel", "AutoencoderKLMochi"])
def test_a_word_replaced_in_all_names_is_one_finding(name: str) -> None:
    spec, config = component(name)
    renamed = {re.sub(r"(norm\w*)\.weight$", r"\1.gamma", key): one for key, one in spec.items()}
    assert renamed != spec and bad(judged(renamed, config)) == ["N407"]


def test_the_reason_for_a_shape_is_that_of_its_index() -> None:
    spec, config = component("StableCascadeUNet")
    name = "up_blocks.0.4.mapper_crp.weight"
    rows, *others = spec[name][1]
    audited = judged({**spec, name: ("F32", (rows + 1, *others))}, config)
    (finding,) = [one for one in audited.findings if one.severity == "error"]
    assert f"u = ch[S - 1 - 0] = {config['block_out_channels'][-1]}" in finding.facts["because"]


CLASSES = [
    ("llama", "CausalLM", "SequenceClassification"), ("qwen2", "CausalLM", "SequenceClassification"),
    ("mistral", "CausalLM", "SequenceClassification"), ("bert", "MaskedLM", "SequenceClassification"),
    ("bert", "SequenceClassification", "MaskedLM"), ("roberta", "MaskedLM", "TokenClassification"),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "stored", "declared"), CLASSES)
def test_a_class_with_another_head_than_the_stored_one(model_type: str, stored: str, declared: str) -> None:
    spec, config = record(model_type, stored)
    right = config["architectures"]
    audited = judged(spec, {**config, "architectures": [right[0].replace(stored, declared)]})
    assert bad(audited) == ["N427"]
    (step,) = audited.findings[0].remedy().steps
    assert (step.action, step.key, step.new) == ("set", ("architectures",), right)
    assert "N410" not in {one.code for one in audited.findings}


@pytest.mark.parametrize(("model_type", "suffix", "head"), [
    ("bert", "SequenceClassification", "^classifier"), ("roberta", "SequenceClassification", "^classifier"),
    ("distilbert", "SequenceClassification", "^(pre_)?classifier"), ("vit", "ImageClassification", "^classifier"),
    ("electra", "TokenClassification", "^classifier"),
])  # fmt: skip
def test_a_head_of_which_nothing_is_stored_is_untrained(model_type: str, suffix: str, head: str) -> None:
    spec, config = record(model_type, suffix)
    audited = judged(without(spec, head), config)
    assert bad(audited) == ["N431"]
    (step,) = audited.findings[0].remedy().steps
    assert step.new == [config["architectures"][0].replace(f"For{suffix}", "Model")]


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "mistral"])
def test_a_value_head_is_one_finding(model_type: str) -> None:
    spec, config = record(model_type, "CausalLM")
    head: Spec = {"v_head.summary.weight": ("F32", (1, config["hidden_size"])), "v_head.summary.bias": ("F32", (1,))}
    assert bad(judged({**spec, **head}, config)) == ["N406"]
    assert bad(judged({**{f"pretrained_model.{name}": one for name, one in spec.items()}, **head}, config)) == [
        "N402",
        "N406",
    ]


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "gemma"])
def test_packed_bytes_are_not_a_config_of_another_size(model_type: str) -> None:
    spec, config = record(model_type, "CausalLM")
    packed: Spec = {
        name: ("U8", (entry[1][0] * entry[1][1] // 2, 1)) if "proj" in name and len(entry[1]) == 2 else entry
        for name, entry in spec.items()
    }
    assert bad(judged(packed, config)) == ["T645"]


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "mistral"])
def test_a_reward_model_gets_its_class_and_its_labels(model_type: str) -> None:
    spec, config = record(model_type, "CausalLM")
    score: Spec = {"score.weight": ("F32", (1, config["hidden_size"]))}
    audited = judged({**without(spec, "lm_head"), **score}, config)
    assert bad(audited) == ["N427"]
    steps = audited.findings[0].remedy().steps
    names = ["id2label", "label2id"] if len(config.get("id2label", {1: 1})) != 1 else []
    assert [step.key[0] for step in steps] == ["architectures", "num_labels", *names]


@pytest.mark.parametrize("placeholder", [(0,), (1,)])
@pytest.mark.parametrize("make", [
    lambda: record("llama", "CausalLM"), lambda: record("bert", "MaskedLM"), lambda: record("gpt2", "LMHeadModel"),
    lambda: component("UNet2DConditionModel"),
], ids=["llama", "bert", "gpt2", "unet"])  # fmt: skip
def test_placeholders_of_a_save_that_was_not_gathered(
    make: Callable[[], tuple[Spec, Config]], placeholder: tuple[int, ...]
) -> None:
    spec, config = make()
    small = {name: (dtype, shape if len(shape) < 2 else placeholder) for name, (dtype, shape) in spec.items()}
    assert bad(judged(small, config)) == ["R042"]
    everything = {name: (dtype, placeholder) for name, (dtype, shape) in spec.items()}
    assert bad(judged(everything, config)) == ["R042"]


@pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
def test_a_config_without_the_keys_of_latent_attention(model_type: str) -> None:
    spec, config = record(model_type, "CausalLM")
    names = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    left = {key: value for key, value in config.items() if key not in (*names, "head_dim", "qk_head_dim")}
    audited = judged(spec, left)
    assert bad(audited) == ["C316"]
    steps = audited.findings[0].remedy().steps
    assert {step.key[0]: step.new for step in steps} == {name: config[name] for name in names}


@pytest.mark.parametrize(("model_type", "suffix"), [("llama", "CausalLM"), ("mixtral", "CausalLM"), ("opt", "CausalLM"),
                                                    ("bert", "MaskedLM"), ("gpt2", "LMHeadModel")])  # fmt: skip
def test_layers_that_were_cut_out_are_numbered_in_order(model_type: str, suffix: str) -> None:
    spec, config = record(model_type, suffix)
    key = next(key for key in ("num_hidden_layers", "n_layer") if key in config)
    last = config[key] - 1
    gap = {re.sub(rf"\.(layers|layer|h)\.{last}\.", rf".\1.{last + 1}.", name): one for name, one in spec.items()}
    audited = judged(gap, config)
    assert bad(audited) == ["N425"]
    (step,) = audited.findings[0].remedy().steps
    assert (step.action, step.old.count(str(last + 1)), step.new.count(str(last))) == ("rename", 1, 1)


def published() -> list[tuple[str, Config, Config]]:
    """Two published sizes of each class that has several: (their names, the stored config, the other one)."""
    text = (FIXTURES / "published.toml").read_text(encoding="utf-8")
    classes: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for model in tomllib.loads(text)["model"]:
        classes.setdefault((model["model_type"], model["class"]), []).append(model)
    found = []
    for models in classes.values():
        other = next((one for one in models if one["parameters"] != models[0]["parameters"]), None)
        if other is not None and len(models[0]["config"]) and max(models[0]["parameters"], other["parameters"]) < 2e11:
            names = f"{models[0]['name']} under {other['name']}"
            found.append((names, json.loads(models[0]["config"]), json.loads(other["config"])))
    return found


@pytest.mark.parametrize(
    ("names", "stored", "config"), published(), ids=lambda one: one if isinstance(one, str) else ""
)
def test_weights_under_the_config_of_another_published_size(names: str, stored: Config, config: Config) -> None:
    audited = judged(genuine(stored), config)
    assert 1 <= len(bad(audited)) <= 2
    assert set(bad(audited)) <= {"C310", "C315", "P701", "N402"}


def test_a_shard_of_another_size_is_not_another_config(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA, 2)
    path = tmp_path / "model-00002-of-00002.safetensors"
    part = list(split(genuine(LLAMA), 2))[1]
    store(path, {name: (dtype, tuple(2 * dim for dim in dims)) for name, (dtype, dims) in part.items()})
    (finding,) = [one for one in audit(str(tmp_path)).findings if one.severity != "note"]
    assert (finding.code, finding.help) == (
        "D501", f"download {path.name} again: these tensors come from another checkpoint",
    )  # fmt: skip
    assert ("hidden_size", f"{2 * LLAMA['hidden_size']} in this file, {LLAMA['hidden_size']} in the config") in (
        finding.rows()
    )


@pytest.mark.parametrize(
    ("key", "at"), [("hidden_size", 0), ("hidden_size", 1), ("hidden_size", 2), ("intermediate_size", 1)]
)
def test_a_shard_of_a_deeper_model_names_its_sizes(key: str, at: int, tmp_path: Path) -> None:
    """Its shards end at other tensors, and have layers that the model does not have."""
    whole(tmp_path, dict(sorted(genuine(LLAMA).items())), LLAMA, 3)
    path = tmp_path / f"model-{at + 1:05d}-of-00003.safetensors"
    other = {**LLAMA, key: 2 * LLAMA[key], "num_hidden_layers": LLAMA["num_hidden_layers"] + 3}
    store(path, list(split(dict(sorted(genuine(other).items())), 3))[at])
    (finding,) = [one for one in audit(str(tmp_path)).findings if one.severity != "note"]
    assert (finding.code, finding.place.file) == ("N483", path.name)
    assert finding.rows()[-1] == (key, f"{other[key]} in this file, {LLAMA[key]} in the config")


def test_a_shard_with_other_layers_is_one_finding(tmp_path: Path) -> None:
    """It has none of the tensors of other shards, and layers that the index does not list."""
    whole(tmp_path, dict(sorted(genuine(LLAMA).items())), LLAMA, 3)
    deeper = genuine({**LLAMA, "num_hidden_layers": LLAMA["num_hidden_layers"] + 3})
    store(tmp_path / "model-00003-of-00003.safetensors", list(split(dict(sorted(deeper.items())), 3))[2])
    assert [one.code for one in audit(str(tmp_path)).findings if one.severity != "note"] == ["N483"]


def test_a_shard_of_another_split_is_one_finding(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA, 2)
    store(tmp_path / "model-00002-of-00002.safetensors", list(split(genuine(LLAMA), 3))[1])
    assert [one.code for one in audit(str(tmp_path)).findings if one.severity != "note"] == ["N483"]


@pytest.mark.parametrize(("model_type", "suffix"), [("bert", "LMHeadModel"), ("gpt2", "LMHeadModel")])
def test_a_decoder_alone_without_cross_attention(model_type: str, suffix: str) -> None:
    """Without an encoder either the switch is wrong, or cross-attention is lost in every layer."""
    spec, config = record(model_type, suffix)
    (found,) = (
        one for one in judged(spec, {**config, "add_cross_attention": True}).findings if one.severity == "error"
    )
    assert (found.code, found.facts["key"], found.facts["weights"]) == ("C310", "add_cross_attention", False)
    assert "crossattention" in found.facts["lost"]


@pytest.mark.parametrize(("model_type", "suffix", "lost", "of", "class_name"), [
    ("axk1", "CausalLM", r"post_mlp_layernorm", "glm4_moe_lite", "Glm4MoeLiteForCausalLM"),
])  # fmt: skip
def test_vectors_that_another_type_of_the_same_layout_does_not_have(
    model_type: str, suffix: str, lost: str, of: str, class_name: str
) -> None:
    spec, config = record(model_type, suffix)
    (found,) = (one for one in judged(without(spec, lost), config).findings if one.severity == "error")
    assert (found.code, found.facts["model_type"], found.facts["stored_class"]) == ("N401", of, class_name)
    assert f"if the weights are {model_type}'s" in found.help and not found.steps
    stated = {**config, "model_type": of, "architectures": [class_name]}
    assert judged(without(spec, lost), stated).verdict == "clean"


@pytest.mark.parametrize(("model_type", "suffix", "lost"), [
    ("beit", "BeitModel", r"pooler\.layernorm\.bias"), ("llama", "CausalLM", r"^model\.norm\.weight"),
    ("llava_next", "Generation", r"image_newline"),
])  # fmt: skip
def test_vectors_that_are_lost(model_type: str, suffix: str, lost: str) -> None:
    spec, config = record(model_type, suffix)
    assert bad(judged(without(spec, lost), config)) == ["N403"]


@pytest.mark.parametrize("model_type", ["t5", "mt5", "umt5"])
def test_a_head_of_its_own_does_not_follow_the_embedding(model_type: str) -> None:
    """T5's halves share one table whether the head is tied or not."""
    one = base_record(model_type, "ForConditionalGeneration")
    spec = spec_of(one)
    rows, width = spec["shared.weight"][1]
    spec |= dict.fromkeys(("decoder.embed_tokens.weight", "lm_head.weight"), ("F32", (rows - 20, width)))
    (found,) = (
        each for each in judged(spec, {**one["config"], "tie_word_embeddings": False}).findings
        if each.severity != "note"
    )  # fmt: skip
    assert found.code == "C324" and "the head is tied" not in found.help


@pytest.mark.parametrize(
    ("model_type", "lost"),
    [("olmoe", r"\.[qk]_norm\."), ("qwen3_moe", r"\.[qk]_norm\."), ("olmo2", r"\.[qk]_norm\."),
     ("qwen3", r"\.[qk]_norm\."), ("gemma2", r"feedforward_layernorm"), ("gemma3_text", r"feedforward_layernorm")],
)  # fmt: skip
def test_weights_that_lack_norms_are_those_of_the_config(model_type: str, lost: str) -> None:
    """Without these norms the names are those of a type that only own code builds, or that lacks keys of the config."""
    spec, config = record(model_type, "CausalLM")
    found = [one for one in judged(without(spec, lost), config).findings if one.severity == "error"]
    assert {one.code for one in found} == {"N403"} and len(found) <= 3


@pytest.mark.parametrize(
    ("claimed", "names", "own_code"),
    [("phi", "phi-msft", True), ("distilbert", "bert", False), ("llama", "gpt2", False)],
)
def test_names_that_only_own_code_builds_need_its_code(claimed: str, names: str, own_code: bool) -> None:
    spec, _ = original_phi() if names == "phi-msft" else record(names)
    found = next(one for one in judged(spec, record(claimed)[1]).findings if one.code == "N401")
    assert (found.facts["names"], found.facts["own_code"]) == (names, own_code)
    assert ("code of their repository" in found.help) == own_code


def original_phi() -> tuple[Spec, Config]:
    """Phi under the names of its repository's first code, which joined query, key and value."""
    spec, config = record("phi", "CausalLM")
    named: Spec = {}
    for name, (dtype, shape) in spec.items():
        name = name.replace("model.layers.", "transformer.h.").replace(".self_attn.q_proj.", ".mixer.Wqkv.")
        name = name.replace(".self_attn.dense.", ".mixer.out_proj.").replace(".input_layernorm.", ".ln.")
        name = name.replace("model.embed_tokens.", "transformer.embd.wte.")
        name = name.replace("lm_head.", "lm_head.linear.").replace("model.final_layernorm.", "lm_head.ln.")
        if "k_proj" not in name and "v_proj" not in name:
            named[name] = (dtype, (3 * shape[0], *shape[1:]) if ".Wqkv." in name else shape)
    return named, config


@pytest.mark.parametrize("model_type", ["llama", "qwen3", "olmo2"])
def test_another_module_in_place_of_attention_is_neither_joined_nor_renamed(model_type: str) -> None:
    """A hybrid of own code: its output matrix has the shape of attention's, or of key and value together."""
    spec, config = record(model_type, "CausalLM")
    width, at = config["hidden_size"], "model.layers.0.mamba."
    mixed = without(spec, r"layers\.0\.self_attn\.")
    mixed |= {f"{at}{name}": ("F32", (4,)) for name in ("dt_bias", "A_log", "D")}
    mixed |= {f"{at}out_proj.weight": ("F32", (width, width)), f"{at}in_proj.weight": ("F32", (3 * width + 8, width))}
    mixed |= {f"{at}conv1d.weight": ("F32", (width, 1, 4)), f"{at}conv1d.bias": ("F32", (width,))}
    found, part = (one for one in judged(mixed, config).findings if one.severity != "note")
    assert (found.code, found.facts["instead"], part.code) == ("N404", "mamba", "N406")
    assert found.help.startswith("load it with the code that builds mamba")
    (lost,) = (one for one in judged(without(spec, r"layers\.0\.self_attn\."), config).findings if one.code == "N404")
    assert not lost.facts["instead"] and lost.help.startswith("no file contains")


@pytest.mark.parametrize("ranks", [24, 7])
@pytest.mark.parametrize("model_type", ["llama", "qwen2", "bert", "qwen3_moe"])
def test_padding_of_ranks_is_no_other_size(model_type: str, ranks: int) -> None:
    spec, config = record(model_type)
    padded: Spec = {
        name: (dtype, (-(-shape[0] // ranks) * ranks, *shape[1:]) if shape else shape)
        for name, (dtype, shape) in spec.items()
    }
    found = [one for one in judged(padded, config).findings if one.severity != "note"]
    assert [(one.code, one.facts["ranks"], one.facts["copied"]) for one in found] == [("D517", ranks, False)]


@pytest.mark.parametrize("model_type", ["nemotron_h", "deepseek_v3", "glm4_moe"])
def test_copies_of_a_buffer_from_each_rank(model_type: str) -> None:
    spec, config = record(model_type)
    buffers = [name for name in spec if name.endswith("e_score_correction_bias")]
    for copies, codes in ((8, ["D517"]), (1, [])):
        changed = {**spec, **{name: (spec[name][0], (copies * spec[name][1][0],)) for name in buffers}}
        assert bad(judged(changed, config)) == codes
    norm = next(name for name in spec if name.endswith("norm.weight"))
    assert bad(judged({**spec, norm: (spec[norm][0], (2 * spec[norm][1][0],))}, config)) == ["D501"]


@pytest.mark.parametrize("times", [2, 3])
def test_a_buffer_of_another_size_is_no_copy_if_its_module_has_that_size_too(times: int) -> None:
    """The config of a smaller decoder: batch norm's mean is longer by a factor, and so is its weight."""
    _, config = record("segformer", "SemanticSegmentation")
    larger = {**config, "decoder_hidden_size": times * config["decoder_hidden_size"]}
    found = judged(genuine(larger), config).findings
    assert [(one.code, one.facts["key"]) for one in found if one.severity == "error"] == [
        ("C310", "decoder_hidden_size")
    ]
