"""A change of design is one finding: another class, an MLP turned into experts, layers repeated or left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from inspector.comparing.result import Comparison
from tests.comparing.designs import BERT, DENSE, EXPERTS, classes, of_class, relayered, upcycled


def codes(compared: Comparison) -> list[str]:
    """The codes of errors and warnings."""
    return [one.code for one in compared.findings if one.severity != "note"]


@pytest.mark.parametrize(("source", "target", "expected"), [
    (of_class(BERT, "BertForMaskedLM"), of_class(BERT, "BertModel"), ["V851"]),
    (of_class(BERT, "BertModel"), of_class(BERT, "BertForSequenceClassification"), ["V851"]),
    (DENSE, of_class(DENSE, "LlamaForSequenceClassification"), ["V851"]),
    (of_class(DENSE, "LlamaForSequenceClassification"), DENSE, ["V851"]),
    (DENSE, DENSE, []),
    (of_class(DENSE, "LlamaModel"), DENSE, ["V851"]),
    (DENSE, {**DENSE, "tie_word_embeddings": True}, ["V803"]),
    (DENSE, {**of_class(DENSE, "LlamaForSequenceClassification"), "num_hidden_layers": 3}, ["V805", "V851"]),
])  # fmt: skip
def test_another_class_is_one_finding(source: dict[str, Any], target: dict[str, Any], expected: list[str]) -> None:
    target = {"num_labels": 3, **target}
    compared = classes(source, target)
    assert sorted(codes(compared)) == expected
    assert compared.relation == "conversion"
    dropped = sum(one.facts["dropped"] for one in compared.findings if one.code == "V851")
    if expected == ["V851"]:
        assert dropped == compared.dropped


@pytest.mark.parametrize(("source", "target", "expected"), [
    (DENSE, EXPERTS, ["V852"]),
    (DENSE, {**EXPERTS, "num_hidden_layers": 3}, ["V805", "V852"]),
    (EXPERTS, EXPERTS, []),
    (EXPERTS, {**EXPERTS, "num_local_experts": 2}, ["V805"]),
    (EXPERTS, DENSE, ["V803", "V804", "V805"]),
])  # fmt: skip
def test_an_mlp_turned_into_experts_is_one_finding(
    source: dict[str, Any], target: dict[str, Any], expected: list[str]
) -> None:
    compared = classes(source, target)
    assert sorted(codes(compared)) == expected
    for one in compared.findings:
        if one.code == "V852":
            assert (one.facts["experts"], one.facts["dropped"] * 3) == (3, one.facts["added"])
            assert one.facts["added"] + one.facts["router"] == compared.invented


@pytest.mark.parametrize(("trained", "holds"), [
    ("", "each expert has those of the MLP"),
    ("model.layers.1.block_sparse_moe.experts.2.w1.weight", "35 of 36 tensors have those of the MLP"),
])  # fmt: skip
def test_what_the_experts_hold(trained: str, holds: str) -> None:
    (finding,) = (one for one in upcycled(trained).findings if one.severity == "error")
    assert (finding.code, finding.facts["holds"]) == ("V852", holds)


KEY = "model.layers.2.self_attn.k_proj.weight"


@pytest.mark.thinned
@pytest.mark.parametrize(("layers", "changed", "expected", "holds", "unused"), [
    ([0, 1, 1, 2, 3], "", ["V853"], [([2, 4], [1, 3])], ""),
    ([0, 2, 3], "", ["V853"], [([1, 2], [2, 3])], "layer 1"),
    ([0, 1, 2, 3, 0, 1], "", ["V853"], [([4, 5], [0, 1])], ""),
    ([3, 1, 1, 3], "", ["V853"], [([0, 0], [3, 3]), ([2, 2], [1, 1])], "layers 0, 2"),
    ([0, 1, 2], "", ["V805"], [], ""),
    ([0, 1, 2, 3], "", [], [], ""),
    ([0, 1, 2, 3], KEY, ["V820"], [], ""),
    ([0, 1, 3, 2], "", ["V820"], [], ""),
])  # fmt: skip
def test_layers_of_other_numbers_are_one_finding(
    layers: Sequence[int], changed: str, expected: list[str], holds: list[Any], unused: str
) -> None:
    compared = relayered(layers, changed)
    assert codes(compared) == expected
    for one in compared.findings:
        if one.code == "V853":
            assert [(each["target"], each["source"]) for each in one.facts["holds"]] == holds
            assert one.facts["unused"] == unused
