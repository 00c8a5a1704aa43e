"""Quantization blocks in components of diffusers: a method that diffusers does not know is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec
from tests.judged import spec_of
from tests.loads.component_cases import WEIGHTS, record_of
from tests.loads.damage import healthy, write

CLASSES = ("FluxTransformer2DModel", "SD3Transformer2DModel", "AutoencoderKL")
BLOCKS: dict[str, tuple[dict[str, Any], str]] = {
    "compressed-tensors": ({"quant_method": "compressed-tensors"}, "remove quantization_config from config.json"),
    "no method": ({"weights_dtype": "int8"}, 'state "quant_method" in quantization_config of config.json'),
}


def component(place: Path, name: str, spec: Spec | None = None, **block: Any) -> Audit:
    """The audit of a component with a quantization block."""
    record = record_of(name)
    config = {**record["config"], "quantization_config": block}
    return audit(str(write(healthy(spec_of(record) if spec is None else spec, config, WEIGHTS), place)))


def packed(spec: Spec) -> Spec:
    """The matrices of the layers in fp8, with a scale."""
    made: Spec = {}
    for name, (dtype, dims) in spec.items():
        chosen = "blocks" in name and name.endswith(".weight") and len(dims) == 2
        made[name] = ("F8_E4M3" if chosen else dtype, dims)
        if chosen:
            made[f"{name}_scale"] = ("F32", ())
    return made


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", CLASSES)
def test_a_method_that_diffusers_does_not_know_is_refused(name: str, block: str, tmp_path: Path) -> None:
    values, remedy = BLOCKS[block]
    (finding,) = (one for one in component(tmp_path, name, **values).findings if one.severity == "error")
    assert finding.code == "N429"
    assert finding.remedy().words.startswith(remedy)


def test_packed_weights_of_another_program(tmp_path: Path) -> None:
    name = "FluxTransformer2DModel"
    result = component(tmp_path, name, packed(spec_of(record_of(name))), quant_method="fp8")
    (finding,) = (one for one in result.findings if one.severity == "error")
    assert finding.remedy().words.startswith("load it with the program that quantized it")


@pytest.mark.parametrize("values", [
    {"quant_method": "torchao"}, {"quant_method": "bitsandbytes", "load_in_8bit": True}, {"quant_method": "sdnq"},
])  # fmt: skip
@pytest.mark.parametrize("name", CLASSES)
def test_a_method_that_diffusers_knows_is_not_refused(name: str, values: dict[str, Any], tmp_path: Path) -> None:
    assert all(one.outcome != "refuses" for one in component(tmp_path, name, **values).loads)
