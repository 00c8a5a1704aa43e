"""What classes of one tower read in another place than the joint class, and parts that only newer versions know."""

from __future__ import annotations

import pytest

from tests.judged import judged, records, spec_of

TOWERS = ("vision_config", "text_config")


@pytest.mark.parametrize(("model_type", "class_name"), [("clip", "CLIPModel"), ("metaclip_2", "MetaClip2Model")])
@pytest.mark.parametrize("more", [0, 1])
def test_the_width_that_the_class_of_a_tower_reads(model_type: str, class_name: str, more: int) -> None:
    record = next(one for one in records(model_type) if one["class"] == class_name)
    config, width = record["config"], record["config"]["projection_dim"]
    towers = {key: {**config[key], "projection_dim": width + more} for key in TOWERS}
    found = judged(spec_of(record), {**config, **towers})
    assert found.verdict == "clean"
    keys = [one.facts["key"] for one in found.findings if one.code == "C337"]
    assert keys == [f"{key}.projection_dim" for key in TOWERS if more]


def test_a_tower_without_the_key_has_the_default_of_its_class() -> None:
    record = next(one for one in records("clip") if one["class"] == "CLIPModel")
    towers = {
        key: {inner: value for inner, value in record["config"][key].items() if inner != "projection_dim"}
        for key in TOWERS
    }
    found = judged(spec_of(record), {**record["config"], **towers})
    assert [one.facts["stated"] for one in found.findings if one.code == "C337"] == [512, 512]


@pytest.mark.parametrize(("model_type", "named"), [
    ("qwen2_5_omni_thinker", True), ("qwen3_omni_moe_thinker", True), ("qwen2_5_omni", False), ("clip", False),
])  # fmt: skip
def test_a_type_that_older_auto_classes_do_not_know(model_type: str, named: bool) -> None:
    record = records(model_type)[0]
    found = judged(spec_of(record), record["config"])
    assert any(one.code == "N645" for one in found.findings) is named
