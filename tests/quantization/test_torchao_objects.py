"""Pickled objects of torchao: read with the quantizer of the config, refused without it or if their class is gone."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from inspector.auditing.quantized.torchao_objects import holds_torchao_objects, with_torchao_objects
from inspector.findings.finding import Place
from inspector.findings.header.pickle import PickleHoldsObjects
from tests.judged import judged

BLOCK: dict[str, Any] = {"quantization_config": {"quant_method": "torchao"}}
PRESENT, FLOAT8 = "torchao.quantization.Int8Tensor", "torchao.quantization.Float8Tensor"
OLDER = "torchao.dtypes.affine_quantized_tensor.AffineQuantizedTensor"
SPEC = {"model.norm.weight": ("F32", (16,))}


@pytest.mark.parametrize(("names", "config", "code", "words"), [
    ((PRESENT,), {"model_type": "llama", **BLOCK}, "H162", "torchao is installed"),
    ((PRESENT, FLOAT8), {"_class_name": "FluxTransformer2DModel", **BLOCK}, "H162", "torchao is installed"),
    ((PRESENT,), {"model_type": "qwen2"}, "H141", "quantization_config"),
    ((OLDER,), {"_class_name": "WanTransformer3DModel", **BLOCK}, "H141", "version of torchao that saved it"),
    ((PRESENT, "argparse.Namespace"), {"model_type": "llama", **BLOCK}, "H141", "only the state dict"),
    (("mine.Thing",), {"model_type": "llama", **BLOCK}, "H141", "only the state dict"),
])  # fmt: skip
def test_the_class_and_the_config_decide(names: tuple[str, ...], config: Any, code: str, words: str) -> None:
    held = PickleHoldsObjects(place=Place(file="model.bin"), names=names, count=len(names), not_allowed=names)
    checkpoint = replace(judged(SPEC, config).checkpoint, kind="pytorch", findings=(held,))
    explained = with_torchao_objects(checkpoint)
    (found,) = explained.findings
    assert found.code == code
    assert words in found.remedy().words
    assert holds_torchao_objects(explained) is ("state dict" not in words)
