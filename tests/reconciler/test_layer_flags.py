"""Lists of one flag for each layer: solved from the widths of the layers, as a whole list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checkpoints import genuine
from tests.judged import base_record, judged, spec_of

LISTS = ([1, 0, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0])
STATED = (None, [1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1])


def config_of(model_type: str, flags: list[int] | None) -> dict[str, Any]:
    record = base_record(model_type)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    text = dict(config["text_config"]) if "text_config" in config else config
    text.pop("no_rope_layers")
    if flags is not None:
        text["no_rope_layers"] = flags
    return {**config, "text_config": text} if text is not config else config


@pytest.mark.parametrize("model_type", ["mistral_large4_text", "mistral_large4"])
@pytest.mark.parametrize("right", LISTS, ids=str)
def test_flags_are_named_as_a_list(model_type: str, right: list[int]) -> None:
    spec = genuine(config_of(model_type, right))
    assert judged(spec, config_of(model_type, right)).verdict == "clean"
    for stated in STATED:
        if stated == right:
            continue
        found = [one for one in judged(spec, config_of(model_type, stated)).findings if one.severity != "note"]
        assert [one.code for one in found] == ["C310"], stated
        assert found[0].facts["weights"] == right, stated


@pytest.mark.parametrize("model_type", ["resnet", "regnet"])
def test_absent_depths_are_no_flags(model_type: str) -> None:
    record = base_record(model_type)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    depths = config.pop("depths")
    found = [one for one in judged(spec_of(record), config).findings if one.severity != "note"]
    assert [one.facts["weights"] for one in found] == [depths]
