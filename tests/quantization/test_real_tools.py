"""Unpacks the state dicts of real quantization tools. Needs torch, and each tool where it can be installed.

    pip install torch bitsandbytes optimum-quanto torchao
    pytest -m slow tests/quantization/test_real_tools.py

The tool packs linears of several widths; the unpacked tensors must have the number of elements (and, where headers
determine it, the shapes) of the originals.
"""

from __future__ import annotations

from typing import Any

import pytest

from inspector.loader.layout import Layout, lay_out
from inspector.matcher.families import families_of
from inspector.quantization.unpacking import unpack

pytestmark = pytest.mark.slow

SIZES = [(64, 256), (128, 384), (96, 200), (8, 640)]
DTYPES = {
    "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "float32": "F32", "float16": "F16",
    "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "bool": "BOOL",
}  # fmt: skip


def layouts(state: dict[str, Any], prefix: str) -> dict[str, Layout]:
    found: dict[str, Layout] = {}
    for name, tensor in state.items():
        made = lay_out(DTYPES[str(tensor.dtype).removeprefix("torch.")], tuple(tensor.shape))
        assert isinstance(made, Layout)
        found[f"{prefix}.{name}"] = made
    return found


def check(tensors: dict[str, Layout], sizes: list[tuple[int, int]]) -> None:
    unpacked = unpack(families_of(tensors))
    assert [case.finding.name for case in unpacked.cases] == []
    got: dict[int, tuple[tuple[int, ...], int, bool]] = {}
    for family in unpacked.families.values():
        assert family.key == "layers.#.weight"
        for part in family.stored:
            assert part.packed is not None
            for box in part.boxes:
                for index in box[0]:
                    got[index] = (part.layout.shape, part.layout.elements, part.packed.exact)
    for number, shape in enumerate(sizes):
        stored, elements, exact = got[number]
        assert elements == shape[0] * shape[1]
        assert not exact or stored == shape


@pytest.mark.parametrize("kind", ["nf4", "fp4"])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("storage", ["uint8", "bfloat16"])
def test_bitsandbytes_in_four_bits(kind: str, nested: bool, storage: str) -> None:
    torch = pytest.importorskip("torch")
    tool = pytest.importorskip("bitsandbytes")
    tensors: dict[str, Layout] = {}
    for number, (outputs, inputs) in enumerate(SIZES):
        linear = tool.nn.Linear4bit(inputs, outputs, bias=False, quant_type=kind, compress_statistics=nested,
                                    quant_storage=getattr(torch, storage))  # fmt: skip
        tensors |= layouts(linear.to("cpu").state_dict(), f"layers.{number}")
    check(tensors, SIZES)


@pytest.mark.parametrize("weights", ["qint8", "qint4", "qint2", "qfloat8"])
def test_quanto(weights: str) -> None:
    torch = pytest.importorskip("torch")
    tool = pytest.importorskip("optimum.quanto")
    sizes = [(outputs, inputs) for outputs, inputs in SIZES if inputs % 128 == 0]
    tensors: dict[str, Layout] = {}
    for number, (outputs, inputs) in enumerate(sizes):
        model = torch.nn.Sequential(torch.nn.Linear(inputs, outputs, bias=False))
        tool.quantize(model, weights=getattr(tool, weights))
        tool.freeze(model)
        tensors |= layouts({name[2:]: tensor for name, tensor in model.state_dict().items()}, f"layers.{number}")
    check(tensors, sizes)
