"""Pruned MLPs: one finding where the tensors of each layer agree, findings on shapes otherwise."""

from __future__ import annotations

import pytest

from tests.checkpoints import genuine
from tests.judged import base_record, judged, spec_of

TYPES = {"llama": "intermediate_size", "gpt2": "n_inner", "bert": "intermediate_size", "opt": "ffn_dim",
         "phi3": "intermediate_size"}  # fmt: skip
Widths = dict[int, int]


def pruned(model_type: str, widths: Widths, part: str = "") -> list[str]:
    """The errors of a model with MLPs of these widths by layer. part: of the names of the changed tensors."""
    record = base_record(model_type)
    config, key = record["config"], TYPES[model_type]
    wide = config.get(key) or 4 * config["n_embd"]
    spec = spec_of(record)
    for name, (dtype, shape) in spec.items():
        layer = next((int(word) for word in name.split(".") if word.isdigit()), None)
        if layer in widths and part in name and wide * (2 if "gate_up" in name else 1) in shape:
            sizes = {wide: widths[layer], 2 * wide: 2 * widths[layer]}
            spec[name] = (dtype, tuple(sizes.get(size, size) for size in shape))
    audited = judged(spec, {"architectures": [record["class"]], **config})
    return [one.code for one in audited.findings if one.severity == "error"]


@pytest.mark.parametrize("model_type", TYPES)
def test_layers_of_other_widths_are_one_finding(model_type: str) -> None:
    assert pruned(model_type, {0: 13, 1: 17}) == ["D506"]


@pytest.mark.parametrize(
    ("widths", "part"), [({1: 13}, ""), ({0: 13, 1: 17}, "down_proj"), ({0: 13, 1: 13, 2: 13}, "")]
)
def test_other_shapes_are_not_reported_as_pruned(widths: Widths, part: str) -> None:
    assert "D506" not in pruned("llama", widths, part)


def without_heads(model_type: str, layers: set[int], parts: tuple[str, ...], mlps: bool) -> list[str]:
    """The errors of a model with half of the attention heads in some layers, and optionally narrower MLPs there."""
    record = base_record(model_type)
    spec = spec_of(record)
    for name, (dtype, shape) in spec.items():
        layer = next((int(word) for word in name.split(".") if word.isdigit()), None)
        if layer not in layers:
            continue
        if any(part in name for part in parts):
            rows = not any(word in name for word in ("o_proj", "out_proj", "output.dense"))
            if rows or len(shape) == 2:
                spec[name] = (dtype, (shape[0] // 2, *shape[1:]) if rows else (shape[0], shape[1] // 2))
        wide = record["config"][TYPES[model_type]]
        if mlps and wide in shape and not any(part in name for part in parts):
            spec[name] = (dtype, tuple(13 if size == wide else size for size in shape))
    audited = judged(spec, {"architectures": [record["class"]], **record["config"]})
    return [one.code for one in audited.findings if one.severity == "error"]


WHOLE = {
    "llama": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "bert": ("self.query", "self.key", "self.value", "attention.output.dense"),
    "opt": ("q_proj", "k_proj", "v_proj", "out_proj"),
}


@pytest.mark.parametrize("model_type", WHOLE)
def test_layers_with_fewer_heads_and_narrower_mlps_are_one_finding(model_type: str) -> None:
    assert without_heads(model_type, {0, 1}, WHOLE[model_type], mlps=True) == ["D510"]
    assert without_heads(model_type, {0, 1}, WHOLE[model_type], mlps=False) == ["D504"]


@pytest.mark.parametrize(("layers", "parts"), [({0, 1}, ("k_proj", "v_proj")), ({0, 1, 2}, WHOLE["llama"])])
def test_widths_that_a_config_can_state_are_not_reported_as_pruned(layers: set[int], parts: tuple[str, ...]) -> None:
    assert not {"D504", "D510"}.intersection(without_heads("llama", layers, parts, mlps=True))


def test_a_part_without_layers_has_no_noun() -> None:
    record = base_record("molmo2_adapter")
    config = {**record["config"], "vision_feature_layer": [24, 18, 18]}
    audited = judged(spec_of(record), {**config, "architectures": [record["class"]]})
    assert audited.verdict == "findings"


OUTPUTS = ("o_proj", "out_proj", "attention.output.dense")
DOWN = ("down_proj", "fc2", "layer.{layer}.output.dense")
UP = ("gate_proj", "up_proj", "fc1", "intermediate.dense")


def as_cofi(model_type: str, heads: Widths, widths: Widths, hidden: int = 0) -> list[str]:
    """The errors of a model pruned as by CoFi: by layer its heads and the width of its MLP, where 0 removes the block,
    and fewer columns of all matrices.
    """
    record = base_record(model_type)
    config = record["config"]
    number, old, spec = config["num_attention_heads"], config["hidden_size"], spec_of(record)
    for name, (dtype, shape) in list(spec.items()):
        layer = next((int(word) for word in name.split(".") if word.isdigit()), -1)
        new, norm = list(shape), len(shape) == 1 and "norm" in name.lower()
        attention = any(part in name for part in WHOLE[model_type]) and not norm
        up, down = (any(part.format(layer=layer) in name for part in parts) for parts in (UP, DOWN))
        mlp = (up or down) and not norm and not attention
        if (attention and heads.get(layer) == 0) or (mlp and widths.get(layer) == 0):
            del spec[name]
            continue
        columns = [at for at, size in enumerate(shape) if size == old]
        if attention or mlp:
            across = any(part in name for part in OUTPUTS) if attention else down
            side = 1 if across else 0
            columns = [1 - side] if len(shape) == 2 else [0] if across else []
            if attention and layer in heads and side < len(shape):
                new[side] = shape[side] * heads[layer] // number
            elif mlp and layer in widths and side < len(shape):
                new[side] = widths[layer]
        for at in columns:
            new[at] -= hidden
        spec[name] = (dtype, tuple(new))
    audited = judged(spec, {"architectures": [record["class"]], **config})
    return [one.code for one in audited.findings if one.severity == "error"]


@pytest.mark.parametrize("model_type", WHOLE)
@pytest.mark.parametrize("hidden", [0, 2])
def test_blocks_that_are_absent_from_pruned_layers_belong_to_the_same_finding(model_type: str, hidden: int) -> None:
    assert as_cofi(model_type, {0: 3, 1: 0}, {0: 13, 1: 7, 2: 0}, hidden) == ["D510"]
    assert as_cofi(model_type, {1: 3}, {0: 13, 1: 7, 2: 11}, hidden) == ["D510"]


@pytest.mark.parametrize("model_type", WHOLE)
def test_lost_blocks_and_one_width_of_all_layers_are_not_pruned_layers(model_type: str) -> None:
    for heads, widths in (({1: 0}, {2: 0}), ({}, {0: 13, 1: 13, 2: 13}), ({}, {0: 13, 1: 13, 2: 0})):
        for hidden in (0, 2):
            assert "D510" not in as_cofi(model_type, heads, widths, hidden)


@pytest.mark.parametrize("model_type", ["bert", "opt", "llama"])
def test_no_remedy_states_heads_of_one_column(model_type: str) -> None:
    record = base_record(model_type)
    old = record["config"]["hidden_size"]
    spec = {name: (dtype, tuple(46 if size == old else size for size in shape))
            for name, (dtype, shape) in spec_of(record).items()}  # fmt: skip
    audited = judged(spec, {"architectures": [record["class"]], **record["config"]})
    remedies = [one.remedy() for one in audited.findings if one.severity == "error"]
    assert any("no edit of these keys loads it" in one.words for one in remedies)
    assert not any("num_attention_heads" in step.key for one in remedies for step in one.steps)


@pytest.mark.parametrize("model_type", ["gemma", "qwen3"])
def test_heads_of_a_width_of_their_own_need_not_divide_the_hidden_size(model_type: str) -> None:
    """The class has a width of heads where the config states none."""
    config = {
        "model_type": model_type, "architectures": [f"{model_type.capitalize()}ForCausalLM"], "hidden_size": 64,
        "vocab_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 6,
        "num_key_value_heads": 2,
    }  # fmt: skip
    (found,) = (
        one for one in judged(genuine(config), {**config, "num_attention_heads": 8}).findings if one.severity != "note"
    )
    assert [(step.key[-1], step.new) for step in found.steps] == [("num_attention_heads", 6)]


def test_a_number_that_the_loader_divides_is_not_set_to_be_equal() -> None:
    """transformers 5 refuses Gemma 2 whose heads do not divide the hidden size; a hidden size of 6 is no remedy."""
    config = {
        "model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "vocab_size": 64,
        "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 2,
    }  # fmt: skip
    audited = judged(genuine(config), {**config, "num_attention_heads": 8})
    (found,) = (one for one in audited.findings if one.severity != "note")
    assert not found.steps
    assert "num_attention_heads 6 does not go with hidden_size 64" in found.remedy().words
