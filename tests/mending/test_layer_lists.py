"""Lists that must have an entry per layer: the remedy for a wrong number of layers leaves a config that loads."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.loading.config_rules import refused_config
from tests.judged import base_record, codes, judged, oracle_types, spec_of
from tests.sampling import sampled

LAYERS, LIST = "num_hidden_layers", "layer_types"


def has_list(model_type: str) -> bool:
    config = base_record(model_type)["config"]
    listed = config.get(LIST)
    if not isinstance(listed, list) or len(listed) != config.get(LAYERS) or refused_config(config):
        return False
    return refused_config({**config, LAYERS: config[LAYERS] + 1}) is not None  # code of other repositories checks none


TYPES = [name for name in oracle_types() if has_list(name)]


def longer(config: dict[str, Any]) -> dict[str, Any]:
    """The config with one more layer, also in all lists with an entry per layer."""
    lists = {key: [*one, one[-1]] for key, one in of_layers(config).items()}
    return {**config, LAYERS: config[LAYERS] + 1, **lists}


def of_layers(config: dict[str, Any]) -> dict[str, list[Any]]:
    """The lists of a config with an entry per layer."""
    return {key: one for key, one in config.items() if isinstance(one, list) and len(one) == config[LAYERS]}


@pytest.mark.parametrize("model_type", sampled(TYPES, 12, lambda name: len(set(base_record(name)["config"][LIST]))))
def test_the_list_of_layer_types_follows_the_number_of_layers(model_type: str) -> None:
    record = base_record(model_type)
    config = longer(record["config"])
    (finding,) = (one for one in judged(spec_of(record), config).findings if one.code == "C310")
    lists = [
        key
        for key in ("layer_types", "mlp_layer_types", "num_attention_heads_per_layer")
        if key in of_layers(record["config"])
    ]
    stated = " and ".join(f'"{key}"' for key in lists)
    assert f"{stated} one entry for each layer" in finding.remedy().words
    changed = {**config, LAYERS: record["config"][LAYERS], **of_layers(record["config"])}
    assert not refused_config(changed)
    assert not codes(judged(spec_of(record), changed))


UNIFORM = [name for name in TYPES if len(set(base_record(name)["config"][LIST])) == 1
           and "linear_attention" not in base_record(name)["config"][LIST]]  # fmt: skip
"""Types with equal entries: where the entries determine the tensors of a layer, an additional layer is N406 instead."""


@pytest.mark.parametrize("model_type", sampled(UNIFORM, 8))
def test_a_list_of_equal_entries_is_repaired(model_type: str) -> None:
    record = base_record(model_type)
    kept = record["config"][LAYERS] - 1
    config = {**record["config"], LAYERS: kept, LIST: record["config"][LIST][:kept]}
    (finding,) = (one for one in judged(spec_of(record), config).findings if one.code == "C310")
    repaired = {**config, **{step.key[0]: step.new for step in finding.remedy().steps}}
    assert {LAYERS: repaired[LAYERS], LIST: repaired[LIST]} == {key: record["config"][key] for key in (LAYERS, LIST)}
