"""Missing layers may have been removed on purpose: the finding then says how the smaller model is stored."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.findings.names.layers import FewerLayers, LayersMissing
from tests.judged import base_record, codes, judged, spec_of


def fewer(model_type: str, lost: str, changed: dict[str, Any], class_suffix: str = "") -> list[FewerLayers]:
    """The smaller models for which the weights without some tensors are complete. lost: pattern of their names."""
    record = base_record(model_type, class_suffix)
    spec = {name: entry for name, entry in spec_of(record).items() if not re.search(lost, name)}
    audited = judged(spec, {"architectures": [record["class"]], **record["config"], **changed})
    return [one for finding in audited.findings if isinstance(finding, LayersMissing) for one in finding.fewer]


@pytest.mark.parametrize(
    ("model_type", "class_suffix", "lost", "key", "layers", "lists", "renumbered"),
    [
        ("qwen3", "ForCausalLM", r"layers\.1\.", "num_hidden_layers", 2, ("layer_types",), ((2, 1),)),
        ("roberta", "ForMaskedLM", r"layer\.0\.", "num_hidden_layers", 2, (), ((1, 0), (2, 1))),
        ("superglue", "", r"gnn\.layers\.1\.", "gnn_layers_types", ["self", "self"], (), ((2, 1),)),
        ("llava", "ForConditionalGeneration", r"language_model\.model\.layers\.0\.", "text_config.num_hidden_layers",
         2, (), ((1, 0), (2, 1))),
    ],
)  # fmt: skip
def test_the_others_are_renumbered_where_layers_were_removed(
    model_type: str, class_suffix: str, lost: str, key: str, layers: Any, lists: tuple[str, ...], renumbered: Any
) -> None:
    (one,) = fewer(model_type, lost, {}, class_suffix)
    assert (one.key, one.layers, one.lists, one.renumbered) == (key, layers, lists, renumbered)


def test_too_large_a_number_is_named_although_another_tensor_is_lost() -> None:
    (one,) = fewer("llama", r"layers\.1\.mlp\.up_proj", {"num_hidden_layers": 5}, "ForCausalLM")
    assert (one.key, one.layers, one.renumbered) == ("num_hidden_layers", 3, ())
    (one,) = fewer("llama", r"layers\.1\.", {"num_hidden_layers": 5}, "ForCausalLM")
    assert (one.layers, one.renumbered) == (2, ((2, 1),))
    assert not fewer("llama", r"layers\.1\.|model\.norm", {"num_hidden_layers": 5}, "ForCausalLM")


@pytest.mark.parametrize(
    ("model_type", "lost"),
    [
        ("deepseek_v3", r"layers\.0\."),  # the first layer is of another kind than those behind it
        ("qwen2", r"layers\.1\.|embed_tokens"),  # an incomplete save
        ("mixtral", r"experts\.1\."),
    ],
)
def test_no_smaller_model_is_stated_where_it_is_none(model_type: str, lost: str) -> None:
    assert not fewer(model_type, lost, {}, "ForCausalLM")


@pytest.mark.parametrize("stated", [10**6, 10**9])
def test_a_config_may_state_any_number_of_layers(stated: int) -> None:
    record = base_record("llama", "CausalLM")
    spec = {name: entry for name, entry in spec_of(record).items() if ".1." not in name}
    config = {**record["config"], "model_type": "llama", "architectures": [record["class"]]}
    assert codes(judged(spec, {**config, "num_hidden_layers": stated})) == {"N404"}
