"""Damages healthy checkpoints in one place: exact codes, the cause that is named, and an unchanged expected count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.auditing.result import Audit
from tests.damage.damaging import key_set
from tests.judged import base_record, codes, judged, records, spec_of
from tests.sparse_models import DSV3, deepseek_v3

pytestmark = pytest.mark.thinned

TYPES = ["llama", "mistral", "qwen2", "qwen3", "mixtral", "gpt2", "bert"]
Spec = dict[str, tuple[str, tuple[int, ...]]]
LAYER = re.compile(r"\.(?:layers|h|layer)\.(\d+)\.")


def healthy(model_type: str) -> tuple[Spec, dict[str, Any], int]:
    """A clean listing, its config, and its count."""
    suffix = {"gpt2": "LMHeadModel", "bert": "MaskedLM"}.get(model_type, "CausalLM")
    record = base_record(model_type, suffix)
    return spec_of(record), dict(record["config"]), record["num_parameters"]


def families(spec: Spec) -> dict[str, list[str]]:
    """Names by family."""
    found: dict[str, list[str]] = {}
    for name in spec:
        found.setdefault(re.sub(r"\.\d+(?=\.)", ".#", name), []).append(name)
    return found


def checked(model_type: str, damage: Callable[[Spec], None]) -> Audit:
    """The audit of a damaged checkpoint; checks that the expected count of the config is unchanged."""
    spec, config, count = healthy(model_type)
    damage(spec)
    audited = judged(spec, config)
    assert audited.counts.expected_parameters == count
    assert audited.verdict == "findings"
    return audited


def each_family(model_type: str) -> Iterator[tuple[str, list[str]]]:
    """Every family of names, starting with the one in its middle."""
    for family, names in families(healthy(model_type)[0]).items():
        middle = len(names) // 2
        yield family, [*names[middle:], *names[:middle]]


@pytest.mark.parametrize("model_type", TYPES)
def test_a_dropped_tensor_is_missing(model_type: str) -> None:
    for _, names in each_family(model_type):
        audited = checked(model_type, lambda spec, name=names[0]: spec.pop(name))  # type: ignore[misc]
        wanted = "P701" if names[0] == "lm_head.weight" else "N403"
        assert codes(audited) == {wanted}, names[0]
        assert audited.findings[0].place.tensor == names[0]


@pytest.mark.parametrize("model_type", TYPES)
def test_a_dropped_kind_is_one_finding(model_type: str) -> None:
    for family, names in each_family(model_type):
        if re.search(r"experts|bias$", family):
            continue

        def drop(spec: Spec, names: list[str] = names) -> None:
            for name in names:
                del spec[name]

        audited = checked(model_type, drop)
        assert len([f for f in audited.findings if f.severity == "error"]) == 1, family


@pytest.mark.parametrize("model_type", TYPES)
def test_a_misshapen_tensor_is_named(model_type: str) -> None:
    for _, names in each_family(model_type):
        if len(names) == 1 and not names[0].endswith("norm.weight"):
            continue  # where one tensor alone shows a dim, the config and the tensor are equally suspect

        def grow(spec: Spec, name: str = names[0]) -> None:
            dtype, shape = spec[name]
            spec[name] = (dtype, (shape[0] + 1, *shape[1:]))

        audited = checked(model_type, grow)
        assert codes(audited) == {"D501"}, names[0]
        assert audited.findings[0].place.tensor == names[0]


@pytest.mark.parametrize("model_type", TYPES)
def test_a_transposed_matrix_is_reported_as_such(model_type: str) -> None:
    for family, names in each_family(model_type):
        spec = healthy(model_type)[0]
        shape = spec[names[0]][1]
        if len(shape) != 2 or shape[0] == shape[1]:
            continue
        for chosen in (names[:1], names):

            def transpose(spec: Spec, chosen: list[str] = chosen) -> None:
                for name in chosen:
                    dtype, (rows, columns) = spec[name]
                    spec[name] = (dtype, (columns, rows))

            audited = checked(model_type, transpose)
            assert codes(audited) == {"D502"}, (family, len(chosen))
            assert len([f for f in audited.findings if f.severity == "error"]) == 1


@pytest.mark.parametrize("model_type", TYPES)
def test_a_renamed_tensor_is_one_finding(model_type: str) -> None:
    for _, names in each_family(model_type):

        def rename(spec: Spec, name: str = names[0]) -> None:
            head, _, tail = name.rpartition(".")
            spec[f"{head}x.{tail}"] = spec.pop(name)

        assert codes(checked(model_type, rename)) == {"N407"}, names[0]


SWITCHED = [
    ("stablelm", "", "post_attention_layernorm", "post_attn_layernorm"),
    ("gpt2", "add_cross_attention-true", "ln_cross_attn", "ln_cross_attention"),
    ("llama", "attention_bias-true", "q_proj.bias", "query_proj.bias"),
]


@pytest.mark.parametrize(("model_type", "variant", "name", "other"), SWITCHED)
def test_a_renamed_part_is_not_taken_for_a_switch_turned_off(
    model_type: str, variant: str, name: str, other: str
) -> None:
    record = next(
        one for one in records(model_type) if one["variant"] == variant and any(name in k for k in one["tensors"])
    )
    spec = {key.replace(name, other): entry for key, entry in spec_of(record).items()}
    assert codes(judged(spec, record["config"])) == {"N407"}


@pytest.mark.parametrize("model_type", TYPES)
def test_a_tensor_that_does_not_belong_is_a_warning(model_type: str) -> None:
    def add(spec: Spec) -> None:
        spec["model.layers.1.memory.weight"] = ("F32", (3, 5))

    audited = checked(model_type, add)
    assert codes(audited) == {"N405"}
    assert audited.counts.unexplained == 15


@pytest.mark.parametrize("model_type", TYPES)
def test_a_lost_layer_is_one_finding(model_type: str) -> None:
    def lose(spec: Spec) -> None:
        for name in list(spec):
            match = LAYER.search(name)
            if match and match[1] == "1":
                del spec[name]

    audited = checked(model_type, lose)
    assert codes(audited) == {"N404"}
    assert "layer 1" in audited.findings[0].message


@pytest.mark.parametrize("model_type", TYPES)
def test_a_lost_last_layer_names_both_explanations(model_type: str) -> None:
    def lose(spec: Spec) -> None:
        for name in list(spec):
            match = LAYER.search(name)
            if match and match[1] == "2":
                del spec[name]

    audited = checked(model_type, lose)
    assert codes(audited) == {"C310"}
    assert "the weights lack layer 2" in audited.findings[0].message
    assert audited.findings[0].facts["weights"] == 2


def test_a_lost_expert_is_one_finding() -> None:
    def lose(spec: Spec) -> None:
        for name in list(spec):
            if ".experts.5." in name:
                del spec[name]

    audited = checked("mixtral", lose)
    assert codes(audited) == {"N404"}
    assert audited.findings[0].title == "expert 5 of layers 0-2"


def test_a_lost_last_expert_that_the_router_still_has() -> None:
    spec, config, count = healthy("mixtral")
    last = config["num_local_experts"] - 1
    for name in list(spec):
        if f".experts.{last}." in name:
            del spec[name]
    audited = judged(spec, config)
    assert codes(audited) == {"N404"}
    assert audited.counts.expected_parameters == count


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "base_model.model.", "my.own."])
def test_a_prefix_on_all_names_is_one_finding(model_type: str, prefix: str) -> None:
    spec, config, count = healthy(model_type)
    audited = judged({prefix + name: entry for name, entry in spec.items()}, config)
    assert codes(audited) == {"N402"}
    assert audited.findings[0].facts["prefix"] == prefix
    assert audited.counts.unique_parameters == count


KEYS: dict[str, list[str]] = {
    "llama": ["hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "num_key_value_heads",
              "head_dim", "vocab_size", "attention_bias", "mlp_bias"],
    "mistral": ["hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "num_key_value_heads",
                "vocab_size"],
    "qwen3": ["hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "num_key_value_heads",
              "head_dim", "vocab_size", "attention_bias"],
    "qwen2": ["hidden_size", "intermediate_size", "num_hidden_layers", "num_key_value_heads", "vocab_size"],
    "mixtral": ["hidden_size", "intermediate_size", "num_hidden_layers", "num_key_value_heads", "vocab_size",
                "num_local_experts"],
    "gpt2": ["n_embd", "n_layer", "n_positions", "vocab_size"],
    "bert": ["hidden_size", "intermediate_size", "num_hidden_layers", "max_position_embeddings", "type_vocab_size",
             "vocab_size"],
}  # fmt: skip


@pytest.mark.parametrize(("model_type", "key"), [(name, key) for name, keys in KEYS.items() for key in keys])
def test_a_wrong_config_key_is_named_with_the_right_value(model_type: str, key: str) -> None:
    spec, config, count = healthy(model_type)
    right = config[key]
    for wrong in [not right] if isinstance(right, bool) else [right * 2, right + 1]:
        audited = judged(spec, {**config, key: wrong})
        assert codes(audited) == {"C310"}, (wrong, audited.findings)
        (finding,) = [f for f in audited.findings if f.severity == "error"]
        assert finding.place.key == key
        assert finding.facts["weights"] == right
        assert finding.facts["config"] == wrong
        assert audited.counts.unique_parameters == count
        assert audited.counts.expected_parameters != count


IN_LISTS: list[tuple[str, str, str, object]] = [
    ("convnext", "ForImageClassification", "depths", [2, 3, 2, 2]),
    ("convnext", "ForImageClassification", "num_stages", 4),
    ("bit", "ForImageClassification", "depths", [2, 3, 1, 3]),
    ("swin", "ForImageClassification", "depths", [2, 2]),
    ("clap", "", "audio_config.depths", [1, 2, 2, 1]),
    ("clap", "", "audio_config.hidden_size", 96),
    ("pvt_v2", "ForImageClassification", "sr_ratios", [8, 4, 2, 2]),
    ("segformer", "ForImageClassification", "num_encoder_blocks", 5),
    ("sam_vision_model", "", "global_attn_indexes", [1, 5, 8, 11]),
    ("llama4_text", "CausalLM", "moe_layers", [0, 2]),
    ("zamba2", "CausalLM", "layers_block_type", ["mamba", "mamba", "hybrid", "hybrid", "mamba"]),
    ("zamba2", "CausalLM", "layers_block_type", [7, 7, 7, 7, 7]),
    ("zamba2", "CausalLM", "num_hidden_layers", 6),
    ("gemma4_text", "CausalLM", "attention_k_eq_v", True),
    ("gemma4_text", "CausalLM", "per_layer_config.2.head_dim", 256),
    ("tapas", "MaskedLM", "type_vocab_sizes", [3, 256, 256, 2, 256, 256, 11]),
    ("encodec", "", "num_lstm_layers", 3),
    ("encodec", "", "compress", 4),
    ("flava", "PreTraining", "image_codebook_config.num_blocks_per_group", 3),
    ("beit", "ForImageClassification", "use_mean_pooling", False),
    ("deberta", "MaskedLM", "legacy", False),
    ("speech-encoder-decoder", "", "encoder.output_hidden_size", 96),
    ("llava", "", "text_config.head_dim", 21),
]
"""Keys other than widths and counts: stages, lists of layers, lists of words, switches that rename, nested parts."""


@pytest.mark.parametrize(("model_type", "suffix", "key", "wrong"), IN_LISTS, ids=lambda one: str(one).replace(" ", ""))
def test_a_wrong_key_of_any_kind_is_one_finding(model_type: str, suffix: str, key: str, wrong: object) -> None:
    record = base_record(model_type, suffix)
    config = {"architectures": [record["class"]], **record["config"]}
    right: Any = config
    for word in key.split("."):
        right = right[word]
    assert codes(judged(spec_of(record), config)) == set()
    audited = judged(spec_of(record), key_set(config, key, wrong))
    (finding,) = [one for one in audited.findings if one.severity != "note"]
    assert finding.code == "C310"
    assert finding.place.key == key
    layers = isinstance(right, list) and all(isinstance(one, str) for one in right)
    found = finding.facts["weights"]
    assert found == right if not layers else [one == "hybrid" for one in found] == [one == "hybrid" for one in right]


@pytest.mark.parametrize("model_type", ["deberta", "deberta-v2"])
@pytest.mark.parametrize("legacy", [True, None])
@pytest.mark.parametrize("discriminator", [False, True])
def test_the_published_heads_of_deberta_need_another_setting(
    model_type: str, legacy: bool | None, discriminator: bool
) -> None:
    """The discriminator's head is not the language head under another name."""
    record = base_record(model_type, "MaskedLM")
    d, spec = record["config"]["hidden_size"], spec_of(record)
    kept = {name: entry for name, entry in spec.items() if not name.startswith("cls.")}
    for name, shape in (("dense.weight", (d, d)), ("dense.bias", (d,)), ("LayerNorm.weight", (d,)),
                        ("LayerNorm.bias", (d,))):  # fmt: skip
        kept[f"lm_predictions.lm_head.{name}"] = ("F32", shape)
        if discriminator:
            kept[f"mask_predictions.{name}"] = ("F32", shape)
    kept["lm_predictions.lm_head.bias"] = ("F32", (record["config"]["vocab_size"],))
    if discriminator:
        kept |= {
            "mask_predictions.classifier.weight": ("F32", (1, d)),
            "mask_predictions.classifier.bias": ("F32", (1,)),
        }
    stated = {"legacy": legacy} if legacy is not None else {}
    config = {**{key: one for key, one in record["config"].items() if key != "legacy"}, **stated}
    audited = judged(kept, {"architectures": [record["class"]], **config})
    assert codes(audited) == {"C310"}
    assert [one.facts["key"] for one in audited.findings if one.code == "C310"] == ["legacy"]


UNDECIDED = [
    ("phi3", "CausalLM", "num_attention_heads", 12),
    ("audio-spectrogram-transformer", "ASTModel", "num_mel_bins", 50),
]


@pytest.mark.parametrize(("model_type", "suffix", "key", "wrong"), UNDECIDED)
def test_values_that_the_weights_do_not_decide_are_listed_together(
    model_type: str, suffix: str, key: str, wrong: int
) -> None:
    record = base_record(model_type, suffix)
    config = {"architectures": [record["class"]], **record["config"]}
    (finding,) = [one for one in judged(spec_of(record), {**config, key: wrong}).findings if one.severity != "note"]
    low, high = finding.facts["interval"] or [finding.facts["weights"]] * 2
    assert finding.place.key == key
    assert low <= config[key] <= high
    assert low < high or finding.facts["rivals"]


def test_shared_layers_that_are_stored_once_are_tied() -> None:
    record = base_record("zamba", "CausalLM")
    config = {"architectures": [record["class"]], **record["config"], "tie_word_embeddings": False}
    audited = judged(spec_of(record), config)
    assert codes(audited) == {"C310"}
    assert audited.findings[0].place.key == "tie_word_embeddings"


def test_two_faults_are_two_findings() -> None:
    spec, config, _ = healthy("llama")
    audited = judged(spec, {**config, "intermediate_size": 81, "vocab_size": 99})
    assert sorted(f.place.key or "" for f in audited.findings if f.severity == "error") == [
        "intermediate_size",
        "vocab_size",
    ]
    del spec["model.layers.1.self_attn.v_proj.weight"]
    audited = judged(spec, {**config, "intermediate_size": 81})
    assert codes(audited) == {"C310", "N403"}


def test_numbers_that_do_not_divide_are_reported() -> None:
    spec, config, _ = healthy("qwen2")
    audited = judged(spec, {**config, "num_attention_heads": 7})
    assert codes(audited) & {"C310", "C311"}
    assert any("num_attention_heads" in f.message for f in audited.findings)


def test_two_transposed_matrices_are_two_findings_and_all_of_them_one() -> None:
    spec, config, _ = healthy("llama")
    matrices = [name for name, (_, shape) in spec.items() if len(shape) == 2 and shape[0] != shape[1]]
    up, down = "model.layers.0.mlp.up_proj.weight", "model.layers.2.mlp.down_proj.weight"
    for chosen, causes in (([up, down], 2), (matrices, 1), ([name for name in matrices if "_proj" in name], 1)):
        transposed = {name: (dtype, shape[::-1] if name in chosen else shape) for name, (dtype, shape) in spec.items()}
        audited = judged(transposed, config)
        found = [one for one in audited.findings if one.severity == "error"]
        assert [one.code for one in found] == ["D502"] * causes
        square = {name.replace("layers.0", "layers.{layer}") for name, (_, shape) in spec.items()
                  if causes == 1 and ".layers.0" in name and len(shape) == 2 and name not in matrices}  # fmt: skip
        assert {name for one in found for name in one.facts["square"]} == square
        assert all(("the square ones as well" in one.help) is bool(square) for one in found)
    assert {
        one.place.tensor for one in judged(_transposed(spec, [up, down]), config).findings if one.code == "D502"
    } == {
        up,
        down,
    }


def _transposed(spec: Spec, chosen: list[str]) -> Spec:
    return {name: (dtype, shape[::-1] if name in chosen else shape) for name, (dtype, shape) in spec.items()}


@pytest.mark.parametrize(("model_type", "old", "new", "families"), [
    ("bert", "self", "own", 6), ("audio-spectrogram-transformer", "attention", "ATTENTION", 8),
    ("vit", "attention", "attn", 8), ("qwen2", "bias", "offset", 3),
])  # fmt: skip
def test_names_with_the_same_change_are_one_finding(model_type: str, old: str, new: str, families: int) -> None:
    record = base_record(model_type)
    spec = {
        ".".join(new if word == old else word for word in name.split(".")): e for name, e in spec_of(record).items()
    }
    (finding,) = [one for one in judged(spec, record["config"]).findings if one.severity != "note"]
    assert finding.code == "N407"
    assert (finding.facts["from"], finding.facts["to"], len(finding.facts["families"])) == (old, new, families)


@pytest.mark.parametrize("model_type", TYPES)
def test_a_prefix_on_a_part_of_the_names_is_one_finding(model_type: str) -> None:
    spec, config, count = healthy(model_type)
    inside = [name for name in spec if ".1." in name or name.endswith("norm.weight")]
    audited = judged({f"module.{name}" if name in inside else name: e for name, e in spec.items()}, config)
    assert codes(audited) == {"N402"}
    assert audited.findings[0].facts["tensors"] == len(inside)
    assert audited.findings[0].facts["without"] == len(spec) - len(inside)
    assert audited.counts.unique_parameters == count


def test_a_second_set_under_a_prefix_is_not_a_renamed_part() -> None:
    spec, config, count = healthy("llama")
    twice = {**spec, **{f"teacher.{name}": entry for name, entry in spec.items() if ".1." in name}}
    audited = judged(twice, config)
    assert codes(audited) == {"N406"}
    assert audited.counts.unique_parameters == count


def test_an_expert_too_many_is_one_finding() -> None:
    spec, config, count = healthy("mixtral")
    beyond = config["num_local_experts"]
    for name in list(spec):
        if ".experts.5." in name:
            spec[name.replace(".experts.5.", f".experts.{beyond}.")] = spec[name]
    audited = judged(spec, config)
    assert codes(audited) == {"N406"}
    assert audited.findings[0].place.indices == f"expert {beyond} of layers 0-2"
    assert audited.counts.expected_parameters == audited.counts.unique_parameters == count


def test_an_extra_stage_does_not_change_the_others() -> None:
    record = base_record("swin", "ForImageClassification")
    spec, config = spec_of(record), {"architectures": [record["class"]], **record["config"]}
    last = len(config["depths"]) - 1
    for name in list(spec):
        if f".layers.{last}." in name:
            spec[name.replace(f".layers.{last}.", f".layers.{last + 1}.")] = spec[name]
    audited = judged(spec, config)
    assert codes(audited) == {"N406"}
    assert audited.counts.expected_parameters == record["num_parameters"]


def test_a_lost_family_of_many_shapes_is_one_finding() -> None:
    record = base_record("bit", "ForImageClassification")
    config = {"architectures": [record["class"]], **record["config"]}
    spec = {name: entry for name, entry in spec_of(record).items() if not name.endswith("norm3.weight")}
    audited = judged(spec, config)
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N403"]
    assert audited.findings[0].facts["tensors"] == sum(config["depths"])


def test_a_tensor_of_another_dtype_is_named() -> None:
    spec, config, _ = healthy("llama")
    spec["model.layers.1.mlp.up_proj.weight"] = ("F64", spec["model.layers.1.mlp.up_proj.weight"][1])
    audited = judged(spec, config)
    assert codes(audited) == set()
    assert any("model.layers.1.mlp.up_proj.weight" in one.message for one in audited.findings if one.code == "T601")


LOST = [("bamba", ""), ("llama4_text", ""), ("parakeet_encoder", ""), ("zamba", "CausalLM"), ("nemotron_h", "CausalLM")]


@pytest.mark.parametrize(("model_type", "suffix"), LOST)
@pytest.mark.parametrize("layer", [0, 1])
def test_no_list_or_switch_explains_a_part_of_a_lost_layer(model_type: str, suffix: str, layer: int) -> None:
    record = base_record(model_type, suffix)
    config = {"architectures": [record["class"]], **record["config"]}
    lost = [name for name in spec_of(record) if f"layers.{layer}." in name]
    audited = judged({name: entry for name, entry in spec_of(record).items() if name not in lost}, config)
    assert codes(audited) == {"N404"}
    assert f"layer {layer}" in audited.findings[0].message


def test_untied_and_absent_is_an_error_and_tied_is_not() -> None:
    spec, config, count = healthy("llama")
    head = spec.pop("lm_head.weight")
    untied = judged(spec, config)
    assert codes(untied) == {"P701"}
    assert untied.counts.expected_parameters == count
    tied = judged(spec, {**config, "tie_word_embeddings": True})
    assert codes(tied) == set()
    assert tied.counts.unique_parameters == count - head[1][0] * head[1][1]
    assert any(f.code == "P703" for f in tied.findings)


def test_a_stored_copy_of_a_tied_head_is_a_note_and_counted_once() -> None:
    spec, config, count = healthy("llama")
    audited = judged(spec, {**config, "tie_word_embeddings": True})
    elements = spec["lm_head.weight"][1][0] * spec["lm_head.weight"][1][1]
    assert codes(audited) == set()
    assert audited.counts.tied_copies == elements
    assert audited.counts.unique_parameters == count - elements
    assert any(f.code == "P702" for f in audited.findings)


@pytest.mark.parametrize(("shape", "code"), [((48,), "N405"), ((7, 48), "N427")])
def test_a_tensor_with_the_name_of_another_head_needs_the_rank_of_that_head(shape: tuple[int, ...], code: str) -> None:
    spec, config, _ = healthy("llama")
    rest = {name: entry for name, entry in spec.items() if name != "lm_head.weight"} if code == "N427" else spec
    assert codes(judged({**rest, "score.weight": ("F32", shape)}, config)) == {code}


def test_a_misshapen_tensor_in_place_of_a_tied_head_is_not_a_copy() -> None:
    spec, config, _ = healthy("llama")
    audited = judged({**spec, "lm_head.weight": ("F32", (48,))}, {**config, "tie_word_embeddings": True})
    assert [one.code for one in audited.findings] == ["D501"]


def test_base_model_names_under_a_head_class_are_a_note() -> None:
    spec, config, _ = healthy("llama")
    bare = {name.removeprefix("model."): entry for name, entry in spec.items() if name != "lm_head.weight"}
    tied = judged(bare, {**config, "tie_word_embeddings": True})
    assert codes(tied) == set()
    assert [f.facts["names"] for f in tied.findings if f.code == "N408"] == ["LlamaModel"]
    untied = judged(bare, config)
    assert codes(untied) == {"P701"}
    base = judged(bare, {**config, "architectures": ["LlamaModel"]})
    assert [one.code for one in base.findings] == ["N743"]


def test_another_architectures_names_are_one_finding() -> None:
    spec, _, count = healthy("llama")
    audited = judged(spec, healthy("gpt2")[1])
    assert codes(audited) == {"N401"}
    assert audited.counts.unique_parameters == count


WITHOUT_CONFIG = ["llama", "gpt2", "bert", "mixtral"]


@pytest.mark.parametrize("model_type", WITHOUT_CONFIG)
def test_without_a_config_a_tensor_lost_from_a_middle_layer_is_an_error(model_type: str) -> None:
    spec, _, count = healthy(model_type)
    name = next(name for name in spec if LAYER.search(name) and LAYER.search(name)[1] == "1")  # type: ignore[index]
    del spec[name]
    audited = judged(spec, None)
    assert codes(audited) == {"N403"}
    assert audited.counts.expected_parameters == count
    assert audited.findings[0].confidence == "likely"


@pytest.mark.complete
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(TYPES), st.data())
def test_any_single_fault_is_one_error(model_type: str, data: st.DataObject) -> None:
    spec, config, count = healthy(model_type)
    name = data.draw(st.sampled_from(sorted(spec)))
    damage = data.draw(st.sampled_from(["drop", "widen", "rename", "rank"]))
    dtype, shape = spec[name]
    if damage == "drop":
        del spec[name]
    elif damage == "widen":
        axis = data.draw(st.integers(0, len(shape) - 1))
        by = data.draw(st.integers(1, 9))
        spec[name] = (dtype, (*shape[:axis], shape[axis] + by, *shape[axis + 1 :]))
    elif damage == "rename":
        spec[name + "_"] = spec.pop(name)
    else:
        spec[name] = (dtype, (1, *shape))
    audited = judged(spec, config)
    assert audited.verdict == "findings"
    assert audited.counts.expected_parameters == count
    errors = [f for f in audited.findings if f.severity == "error"]
    assert len(errors) == 1, errors


@pytest.mark.parametrize("tensors", [1_000, 16_000])
@pytest.mark.parametrize("misshapen", [False, True])
def test_thousands_of_damaged_tensors_are_named_by_family(misshapen: bool, tensors: int) -> None:
    spec = dict(deepseek_v3(DSV3))
    chosen = set(Random(tensors).sample(sorted(spec), tensors))
    if misshapen:
        changed = {name: (dtype, (shape[0] + 1, *shape[1:])) for name, (dtype, shape) in spec.items() if name in chosen}
        stored = {**spec, **changed}
    else:
        stored = {name: entry for name, entry in spec.items() if name not in chosen}
    errors = {one.code for one in judged(stored, DSV3).findings if one.severity == "error"}
    assert errors and "R012" not in errors
