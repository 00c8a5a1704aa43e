"""Findings of `--values` for quantized weights: floats that are not finite, and packed bits, which are not checked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.auditing.start import audit
from inspector.auditing.values import with_values
from tests.quantization.stored import checkpoint
from tests.values.value_files import Arrays, bfloat16, write

STORED = {"F8_E4M3": "u1", "F32": "<f4", "BF16": "<u2", "U8": "u1"}


def quantized(name: str, value: int) -> tuple[Arrays, dict[str, Any], dict[str, str]]:
    """A quantized checkpoint in which every stored byte has a value, with its config and dtypes; scales are 1."""
    config, spec, _ = checkpoint(name)
    arrays: Arrays = {}
    for tensor, (dtype, shape) in spec.items():
        kind = np.dtype(STORED[dtype])
        ones = np.ones(shape, np.float32)
        held = np.frombuffer(bytes([value]) * (math.prod(shape) * kind.itemsize), kind).reshape(shape)
        arrays[tensor] = (ones if dtype == "F32" else held).copy()
    return arrays, config, {tensor: dtype for tensor, (dtype, _) in spec.items()}


@pytest.mark.parametrize("damaged", ["", "weight", "weight_scale_inv"])
def test_floats_of_a_quantized_weight_are_finite(tmp_path: Path, damaged: str) -> None:
    arrays, config, dtypes = quantized("fp8_finegrained", 0x38)
    module = "model.layers.1.mlp.down_proj"
    several = np.arange(0x30, 0x40, dtype=np.uint8)
    for name, array in arrays.items():
        if dtypes[name] == "F8_E4M3":
            array.reshape(-1)[: several.size] = several
    if damaged:
        arrays[f"{module}.{damaged}"][0, 1] = 0x7F if damaged == "weight" else np.nan
    audited = with_values(audit(str(write(tmp_path, arrays, config, dtypes))))
    found = [one for one in audited.findings if one.code == "V825"]
    assert [one.facts["names"] for one in found] == ([[f"{module}.{damaged}"]] if damaged else [])
    assert any("NaN, infinities" in one.because for one in audited.skipped)


@pytest.mark.parametrize(("share", "reported"), [(1, {"values-constant"}), (0.6, {"rows-zero"}), (0.1, set())])
def test_8_bit_values_of_zero_are_a_matrix_of_zeros(tmp_path: Path, share: float, reported: set[str]) -> None:
    arrays, config, dtypes = quantized("fp8_finegrained", 0x38)
    for name, array in arrays.items():
        if dtypes[name] == "F8_E4M3":
            array[:] = np.arange(0x30, 0x30 + array.size, dtype=np.int64).reshape(array.shape) % 0x40 + 0x20
        elif "proj" not in name:
            arrays[name] = bfloat16(np.random.default_rng(1).standard_normal(array.shape))
    name = "model.layers.1.mlp.down_proj.weight"
    arrays[name][: int(share * len(arrays[name]))] = 0x80  # negative zero: unwritten bytes are not searched for here
    audited = with_values(audit(str(write(tmp_path, arrays, config, dtypes))))
    found = [one for one in audited.findings if one.code.startswith("V8")]
    assert {one.name for one in found} == reported
    assert all(one.facts["names"] == [name] for one in found)
    assert audited.values is not None
    unread = {one for names in audited.values.unread.values() for one in names}
    assert (name in unread) == (not reported)


def test_packed_bits_in_float_tensors_are_not_values(tmp_path: Path) -> None:
    arrays, config, dtypes = quantized("bnb-nf4-bf16", 0xFF)  # a NaN, were they bfloat16
    plain = {name for name in arrays if dtypes[name] == "BF16" and "proj" not in name}
    for name in plain:
        arrays[name] = bfloat16(np.random.default_rng(1).standard_normal(arrays[name].shape))
    audited = with_values(audit(str(write(tmp_path, arrays, config, dtypes))))
    assert "V825" not in {one.code for one in audited.findings}
