"""ModelOpt's state before its export is one finding, whatever the config states."""

from __future__ import annotations

import pytest

from tests.judged import judged
from tests.quantization.examples import MODELOPT_STATES, state_of_modelopt
from tests.quantization.stored import bad, checkpoint

PACKED = sorted(set(MODELOPT_STATES) - {"calibrated"})


@pytest.mark.parametrize("block", ["NVFP4", "FP8", None])
@pytest.mark.parametrize("kind", PACKED)
def test_quantizers_of_modelopt_are_one_finding(kind: str, block: str | None) -> None:
    audited = state_of_modelopt(kind, block)
    assert bad(audited) == ["T673"] and audited.counts.unexplained == 0
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    (finding,) = (one for one in audited.findings if one.code == "T673")
    assert "export_hf_checkpoint" in finding.help and "weight_quantizer._scale" in finding.facts["stored"]


def test_experts_that_the_export_did_not_know_are_one_finding() -> None:
    """The other modules are exported."""
    audited = state_of_modelopt("nvfp4", "NVFP4", only="mlp.")
    assert bad(audited) == ["T673"] and audited.counts.unexplained == 0


@pytest.mark.parametrize("block", ["NVFP4", None])
def test_calibrated_weights_are_still_plain(block: str | None) -> None:
    audited = state_of_modelopt("calibrated", block)
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert (finding.code, finding.severity, audited.counts.unexplained) == ("T674", "warning", 0)


@pytest.mark.parametrize("name", ["modelopt_nvfp4", "modelopt_fp8", "modelopt_int4_awq"])
def test_exported_weights_are_no_state(name: str) -> None:
    config, spec, _ = checkpoint(name)
    assert bad(judged(spec, config)) == []
