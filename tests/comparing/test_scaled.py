"""`compare --values` of 8-bit floats with scales and of the weights that were made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.comparing.checkpoints import compare
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from inspector.values.decoding import table
from tests.checkpoints import genuine
from tests.sparse_models import TINY
from tests.values.value_files import Arrays, bfloat16, numbers, write

CODES = ("F8_E4M3", "weight_scale_inv")
BLOCK = (8, 16)
FP8 = {"quant_method": "fp8", "weight_block_size": list(BLOCK), "fmt": "e4m3", "activation_scheme": "dynamic"}
ROWS = {
    "quant_method": "compressed-tensors", "format": "float-quantized", "quantization_status": "compressed",
    "ignore": ["lm_head"],
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": {
        "num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True}}},
}  # fmt: skip
"""One scale for each row."""


def quantized(arrays: Arrays, by_rows: bool) -> tuple[Arrays, Arrays]:
    """(8-bit floats with scales, the products in float32)."""
    chance, coded, plain = np.random.default_rng(1), dict(arrays), dict(arrays)
    for name, array in arrays.items():
        if not name.endswith("_proj.weight"):
            continue
        codes = chance.integers(0, 120, array.shape).astype(np.uint8)
        rows, columns = array.shape
        if by_rows:
            grid = chance.uniform(0.01, 0.02, (rows, 1)).astype(np.float32)
            spread, ending = np.repeat(grid, columns, 1), "_scale"
        else:
            grid = chance.uniform(0.01, 0.02, (-(-rows // BLOCK[0]), -(-columns // BLOCK[1]))).astype(np.float32)
            spread = np.repeat(np.repeat(grid, BLOCK[0], 0), BLOCK[1], 1)[:rows, :columns]
            ending = "_scale_inv"
        coded |= {name: codes, f"{name}{ending}": grid}
        plain[name] = table("F8_E4M3")[codes] * spread
    return coded, plain


def dequantized(tmp_path: Path, by_rows: bool, change: Any) -> Comparison:
    coded, plain = quantized(numbers(genuine(TINY, "F32")), by_rows)
    target = {name: change(name, array) for name, array in plain.items()}
    config = {**TINY, "quantization_config": ROWS if by_rows else FP8}
    dtypes = {name: "F8_E4M3" for name, array in coded.items() if array.dtype == np.uint8}
    source = write(tmp_path / "fp8", coded, config, dtypes)
    return compared_with_values(compare(str(source), str(write(tmp_path / "plain", target, TINY))))


def to_bfloat16(name: str, array: Any) -> Any:
    return bfloat16(array) if name.endswith("_proj.weight") else array


def without_scale(name: str, array: Any) -> Any:
    return array * 3 if name.endswith("1.mlp.up_proj.weight") else array


def last_bits(name: str, array: Any) -> Any:
    return array * np.float32(1 + 2**-9) if name.endswith("1.mlp.up_proj.weight") else array


@pytest.mark.thinned
@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize(("change", "codes", "open_"), [
    (lambda name, array: array, [], 0), (to_bfloat16, [], 0), (without_scale, ["V820"], 0), (last_bits, [], 1),
])  # fmt: skip
def test_value_times_scale(by_rows: bool, change: Any, codes: list[str], open_: int, tmp_path: Path) -> None:
    compared = dequantized(tmp_path, by_rows, change)
    assert [one.code for one in compared.findings if one.severity != "note"] == codes
    assert compared.values is not None and compared.values.tensors == len(genuine(TINY)) - open_
    assert sum("last bits" in skip.because for skip in compared.skipped) == open_
