"""The table of defaults: values of missing config keys, and keys that affect no shape."""

from __future__ import annotations

import json

import pytest

from inspector.architectures.defaults import (
    Defaults,
    class_defaults,
    defaults_of,
    inert_keys,
    is_component,
    known_types,
)


def known(model_type: str) -> Defaults:
    found = defaults_of(model_type)
    assert found is not None
    return found


def test_every_type_has_defaults() -> None:
    types = known_types()
    assert len(types) > 700
    assert list(types) == sorted(set(types))
    for model_type in types:
        found = known(model_type)
        json.dumps(dict(found.values), allow_nan=False)
        assert found.made_from.startswith(("transformers ", "diffusers "))


def test_an_unknown_type_has_no_defaults() -> None:
    assert defaults_of("no-such-type") is None
    assert defaults_of('llama","x":"') is None
    assert defaults_of("") is None


@pytest.mark.parametrize("name", ["UNet2DConditionModel", "AutoencoderKL"])
def test_a_class_of_diffusers(name: str) -> None:
    assert is_component(name)


@pytest.mark.parametrize("name", ["llama", "Yi", "RefinedWeb", "Emu3", "Glm4vMoe_text", "nothing"])
def test_no_class_of_diffusers(name: str) -> None:
    assert not is_component(name)


@pytest.mark.parametrize(
    ("model_type", "key", "value"),
    [
        ("llama", "tie_word_embeddings", False),
        ("llama", "vocab_size", 32000),
        ("llama", "attention_bias", False),
        ("gemma", "tie_word_embeddings", True),
        ("gemma", "head_dim", 256),
        ("gpt2", "tie_word_embeddings", True),
        ("gpt2", "n_inner", None),
        ("gpt2", "n_embd", 768),
        ("bert", "type_vocab_size", 2),
        ("bert", "is_decoder", False),
        ("bert", "tie_word_embeddings", True),
        ("qwen2_moe", "qkv_bias", True),
        ("mixtral", "num_local_experts", 8),
        ("mistral", "num_key_value_heads", 8),
        ("t5", "is_encoder_decoder", True),
        ("vit", "tie_word_embeddings", True),
    ],
)
def test_known_defaults(model_type: str, key: str, value: object) -> None:
    assert known(model_type).values[key] == value


@pytest.mark.parametrize(
    ("model_type", "key", "follows"),
    [
        ("llama", "num_key_value_heads", ("num_attention_heads",)),
        ("llama", "head_dim", ("hidden_size", "num_attention_heads")),
        ("t5", "num_decoder_layers", ("num_layers",)),
        ("swin", "hidden_size", ("depths", "embed_dim")),
    ],
)
def test_a_value_that_follows_another_key_is_not_a_default(model_type: str, key: str, follows: tuple[str, ...]) -> None:
    found = known(model_type)
    assert found.values.get(key) is None
    assert found.derived[key] == follows


def test_sub_configurations_are_objects() -> None:
    text = known("llava").values["text_config"]
    assert text["model_type"] == "llama"
    assert text["num_key_value_heads"] is None
    assert known("dbrx").values["attn_config"]["kv_n_heads"] == 1


def test_the_number_of_labels_is_the_length_of_id2label() -> None:
    assert len(known("bart").values["id2label"]) == 3
    assert "id2label" not in known("bert").values


def test_both_spellings_of_a_key() -> None:
    gpt2 = known("gpt2")
    assert gpt2.aliases["hidden_size"] == "n_embd"
    assert gpt2.spellings("n_embd") == ("n_embd", "hidden_size")
    assert gpt2.spellings("hidden_size") == ("hidden_size", "n_embd")
    assert known("mixtral").spellings("num_experts") == ("num_experts", "num_local_experts")
    assert known("llama").spellings("vocab_size") == ("vocab_size",)


def test_differences_between_versions_are_kept() -> None:
    assert known("llava").differs["tie_word_embeddings"] == {"4": True, "5": False}
    for model_type in known_types():
        for key, sides in known(model_type).differs.items():
            assert sides, key
            assert set(sides) <= {"4", "5"}


def test_each_version_has_its_own_defaults() -> None:
    assert class_defaults("deepseek_v2", "4")[0]["vocab_size"] == 32000
    assert class_defaults("deepseek_v2", "5")[0]["vocab_size"] == 102400
    assert known("llava").of_version("4")["tie_word_embeddings"] is True
    assert known("llava").of_version("5")["tie_word_embeddings"] is False
    inner = known("glm4v_moe").of_version("4")["text_config"]
    assert inner["model_type"] == "Glm4vMoe_text"
    assert inner["hidden_size"] == known("glm4v_moe").values["text_config"]["hidden_size"]


def test_defaults_of_one_version_apply_to_both() -> None:
    assert class_defaults("bert", "5")[0]["position_embedding_type"] == "absolute"
    assert class_defaults("parakeet_encoder", "4")[0]["convolution_bias"] is True


def test_a_type_is_known_by_its_letters() -> None:
    assert defaults_of("lfm2-vl") == defaults_of("lfm2_vl")
    assert defaults_of("Glm4vMoe_text") == defaults_of("glm4v_moe_text")


def test_inert_keys_are_keys() -> None:
    keys = inert_keys()
    assert {"hidden_dropout_prob", "rope_theta", "initializer_range", "bos_token_id", "torch_dtype"} <= keys
    assert not any(" " in key or not key for key in keys)


@pytest.mark.parametrize(
    "key",
    [
        "hidden_size",
        "vocab_size",
        "num_labels",
        "id2label",
        "tie_word_embeddings",
        "hidden_act",
        "pruned_heads",
        "mask_time_prob",
        "layer_scale_init_value",
        "quantization_config",
        "is_decoder",
        "add_cross_attention",
        "max_position_embeddings",
        "layer_types",
        "type_vocab_size",
        "position_embedding_type",
    ],
)
def test_keys_that_can_affect_a_shape_are_not_inert(key: str) -> None:
    assert key not in inert_keys()
