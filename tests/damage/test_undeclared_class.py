"""Configs without `architectures`: AutoModel builds the base model, whatever head the names would allow."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from tests.checkpoints import Spec
from tests.judged import codes, judged, records, spec_of

TYPES = [("bert", "BertForMaskedLM", "cls."), ("deberta-v2", "DebertaV2ForMaskedLM", "cls."),
         ("roberta", "RobertaForSequenceClassification", "classifier."),
         ("vit", "ViTForImageClassification", "classifier.")]  # fmt: skip


def _stored(model_type: str, name: str) -> tuple[Spec, dict[str, Any]]:
    record = next(one for one in records(model_type) if one["class"] == name and not one["variant"])
    config = {key: value for key, value in record["config"].items() if key != "architectures"}
    return spec_of(record), config


@pytest.mark.parametrize(("model_type", "name", "head"), TYPES)
def test_a_base_model_with_the_prefix_of_a_head_is_complete(model_type: str, name: str, head: str) -> None:
    spec, config = _stored(model_type, name)
    base = {key: entry for key, entry in spec.items() if not key.startswith(head)}
    assert len(base) < len(spec)
    found = judged(base, config)
    assert found.verdict == "clean", codes(found)
    assert codes(judged(base, config | {"architectures": [name]}))


@pytest.mark.parametrize(("model_type", "name", "head"), TYPES)
def test_a_lost_tensor_of_the_base_model_is_an_error(model_type: str, name: str, head: str) -> None:
    spec, config = _stored(model_type, name)
    base = {key: entry for key, entry in spec.items() if not key.startswith(head)}
    lost = next(key for key in base if ".1." in key and key.endswith("weight"))
    assert _errors(judged({key: entry for key, entry in base.items() if key != lost}, config))


@pytest.mark.parametrize(("model_type", "name"), [("deberta", "Deberta"), ("deberta-v2", "DebertaV2")])
def test_a_key_of_a_head_is_a_warning(model_type: str, name: str) -> None:
    untied = [one for one in records(model_type) if one["variant"] == "legacy-false" and " 5" in one["writer"]]
    record = next(one for one in untied if one["class"] == f"{name}ForMaskedLM")
    config = {key: value for key, value in record["config"].items() if key not in ("architectures", "legacy")}
    found = judged(spec_of(record), config)
    assert codes(found) == {"C336"}
    assert found.findings[0].facts["key"] == "legacy"
    declared = judged(spec_of(record), config | {"architectures": [f"{name}ForMaskedLM"]})
    assert codes(declared) == {"C310"}


def _errors(found: Audit) -> list[str]:
    return [one.code for one in found.findings if one.severity == "error"]
