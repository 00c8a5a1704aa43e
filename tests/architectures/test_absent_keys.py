"""Configs without a key that later versions added, and files without a config, are read as the same model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checkpoints import genuine
from tests.judged import codes, judged

SD3: dict[str, Any] = {
    "_class_name": "SD3Transformer2DModel", "patch_size": 2, "in_channels": 12, "num_layers": 5,
    "attention_head_dim": 16, "num_attention_heads": 3, "joint_attention_dim": 80, "caption_projection_dim": 48,
    "pooled_projection_dim": 40, "out_channels": 12, "pos_embed_max_size": 10,
}  # fmt: skip
DUAL: list[dict[str, Any]] = [{"dual_attention_layers": []}, {"dual_attention_layers": [0, 1, 2]}]
NORMS: list[dict[str, Any]] = [{}, {"qk_norm": "rms_norm"}]


@pytest.mark.parametrize("norms", NORMS, ids=str)
def test_an_older_config_has_no_second_attention(norms: dict[str, Any]) -> None:
    audited = judged(genuine({**SD3, **norms, **DUAL[0]}), {**SD3, **norms})
    assert codes(audited) == set(), audited.findings
    assert audited.counts.unique_parameters == audited.counts.expected_parameters


@pytest.mark.parametrize("norms", NORMS, ids=str)
@pytest.mark.parametrize("dual", DUAL, ids=str)
def test_without_a_config_the_layers_show_the_second_attention(dual: dict[str, Any], norms: dict[str, Any]) -> None:
    spec = genuine({**SD3, **norms, **dual})
    audited = judged(spec, None)
    assert codes(audited) == set(), audited.findings
    assert audited.architecture is not None
    assert audited.architecture.name == "SD3Transformer2DModel"
    assert audited.counts.expected_parameters == audited.counts.unique_parameters
    assert audited.counts == judged(spec, {**SD3, **norms, **dual}).counts


def test_a_lost_second_attention_is_missing_where_the_config_declares_it() -> None:
    config = {**SD3, **DUAL[1]}
    spec = {name: entry for name, entry in genuine(config).items() if ".1.attn2." not in name}
    audited = judged(spec, config)
    assert codes(audited) & {"N403", "N404"}
    assert audited.counts.expected_parameters == judged(genuine(config), config).counts.unique_parameters
