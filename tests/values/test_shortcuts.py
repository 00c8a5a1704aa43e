"""Results from bit patterns and several threads equal those of decoding every value in one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from inspector.values import bits, chunks, difference, scan
from inspector.values.decoding import decoded, half_values, positions, rounded
from inspector.values.narrowing import rounded_values
from inspector.values.stored import Numbers, StoredArray
from tests.values.value_files import bfloat16

Change = Callable[[NDArray[Any], np.random.Generator], None]


def _some(share: float, value: float) -> Change:
    def change(array: NDArray[Any], chance: np.random.Generator) -> None:
        array[chance.random(array.shape) < share] = value

    return change


def _times(factor: float) -> Change:
    def change(array: NDArray[Any], chance: np.random.Generator) -> None:
        array[chance.random(array.shape) < 0.3] *= np.float32(factor)

    return change


CHANGES: Final[dict[str, Change]] = {
    "random": _some(0, 0), "NaN": _some(0.01, np.nan), "infinite": _some(0.01, -np.inf), "zeros": _some(0.3, -0.0),
    "small": _times(1e-5), "subnormal": _times(1e-38), "large": _times(1e5), "constant": _some(1, 0.5),
    "zero": _some(1, 0),
}  # fmt: skip


def in_file(array: NDArray[Any]) -> StoredArray:
    """An array that several threads may read."""
    raw = array.tobytes()

    def fill(offset: int, memory: memoryview) -> None:
        memory[:] = raw[offset : offset + len(memory)]

    return StoredArray(lambda offset, length: raw[offset : offset + length], array.dtype, 0, array.shape, None, fill)


def as_dtype(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The stored elements of an array of float32."""
    if dtype == "BF16":
        return np.where(np.isnan(array), np.uint16(0x7FC0), bfloat16(array))
    with np.errstate(over="ignore"):
        return array.astype({"F16": np.float16, "F32": np.float32, "F64": np.float64}[dtype])


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32", "F64"])
def test_results_do_not_depend_on_the_number_of_threads(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared with numpy's functions over all decoded values."""
    chance = np.random.default_rng(7)
    for shape in ((40, 24), (3, 20, 8), (900,)):
        array = chance.standard_normal(shape).astype(np.float32)
        CHANGES[name](array, chance)
        if len(shape) > 1:
            array[..., 3, :] = 0
            array[..., 5:7] = 0
        raw = as_dtype(array, dtype)
        values = decoded(raw, dtype)
        found = []
        for threads in (1, 3):
            monkeypatch.setattr(scan, "THREADS", threads)
            monkeypatch.setattr(chunks, "CHUNK", 256)
            monkeypatch.setattr(chunks, "LEAST", 512)
            found.append(scan.scan(Numbers(in_file(raw), dtype)))
        one = found[0]
        assert [(each.nan, each.infinite, each.constant, each.leading, each.trailing, each.rows) for each in found] == [
            (one.nan, one.infinite, one.constant, one.leading, one.trailing, one.rows)
        ] * 2
        assert (one.nan, one.infinite) == (np.isnan(values).sum(), np.isinf(values).sum())
        assert (one.constant is not None) == bool((values == values.flat[0]).all())
        if len(shape) > 1:
            zero = (values == 0).all(axis=-2).reshape(-1)
            for each in found:
                assert each.columns is not None and list(each.columns.positions()) == list(np.flatnonzero(zero))
            assert one.rows is not None and one.rows.zero == (values == 0).all(axis=-1).sum()


@pytest.mark.thinned
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize(("source", "target"), [
    ("BF16", "F16"), ("F16", "BF16"), ("F32", "BF16"), ("F32", "F16"), ("BF16", "F32"), ("F16", "F32"), ("F64", "F32"),
])  # fmt: skip
def test_differences_are_those_of_decoded_values(
    name: str, source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with a value that no rounding explains, and over several threads and blocks."""
    chance = np.random.default_rng(3)
    array = chance.standard_normal((60, 50)).astype(np.float32) * np.float32(0.02)
    CHANGES[name](array, chance)
    for damaged in (False, True):
        raw = as_dtype(array, source)
        other = as_dtype(decoded(raw, source).astype(np.float32), target)
        if damaged:
            other[41, 7] = as_dtype(np.full(1, 3.25, np.float32), target)[0]
        one, two = (decoded(raw, source, True), decoded(other, target, True))
        same = (one == two) | (np.isnan(one) & np.isnan(two))
        found = []
        for threads, chunk, block in ((1, 1 << 22, 1 << 17), (3, 800, 64)):
            monkeypatch.setattr(difference, "THREADS", threads)
            monkeypatch.setattr(chunks, "CHUNK", chunk)
            monkeypatch.setattr(chunks, "LEAST", chunk)
            monkeypatch.setattr(difference, "BLOCK", block)
            monkeypatch.setattr(bits, "PROVEN", block)
            found.append(difference.difference(Numbers(in_file(raw), source), Numbers(in_file(other), target)))
        assert found[0] == found[1]
        assert found[0].beyond or found[0].differing == (~same).sum()
        narrowed = rounded(one.astype(np.float32), target)
        is_rounded = narrowed is not None and bool(((narrowed == two) | np.isnan(two)).all())
        assert (found[0].rounding == "rounded") == (is_rounded and not same.all())


@pytest.mark.parametrize("dtype", ["BF16", "F16"])
@pytest.mark.parametrize("name", [name for name in CHANGES if name not in ("NaN", "infinite", "large")])
def test_rounded_values_are_shown_by_bits(dtype: str, name: str) -> None:
    chance = np.random.default_rng(5)
    array = chance.standard_normal(4096).astype(np.float32)
    array[:512] = (chance.integers(0, 1 << 8, 512) + 0.5) * np.float32(2.0**-9)  # ties
    CHANGES[name](array, chance)
    narrow = as_dtype(array, dtype)
    found = rounded_values(array, narrow, dtype)
    assert found is not None and np.array_equal(found, decoded(narrow, dtype))
    for at in (0, 700, 4095):
        wrong = narrow.copy()
        wrong.view(np.uint16)[at] ^= 1
        assert rounded_values(array, wrong, dtype) is None


def test_an_overflow_is_not_rounding() -> None:
    array = np.array([1.0, 65519.0, 65520.0], np.float32)
    assert rounded_values(array[:2], as_dtype(array[:2], "F16"), "F16") is not None
    assert rounded_values(array, as_dtype(array, "F16"), "F16") is None


def test_float16_is_decoded_and_rounded_to_as_numpy_does() -> None:
    half = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    assert np.array_equal(half_values(half).view(np.uint32), half.astype(np.float32).view(np.uint32))
    finite = np.unique(half[np.isfinite(half)].astype(np.float32))
    middle = ((finite[1:].astype(np.float64) + finite[:-1]) / 2).astype(np.float32)
    limits = np.array([65519, 65519.996, 65520, 65536, 1e30, -1e30, np.inf, -0.0, 1e-40], np.float32)
    for values in (middle, np.nextafter(middle, np.float32(9e9)), np.nextafter(middle, np.float32(-9e9)), limits):
        with np.errstate(over="ignore"):
            expected = values.astype(np.float16).astype(np.float32)
        narrowed = rounded(values, "F16")
        assert narrowed is not None and np.array_equal(narrowed.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("size", [0, 7, 64, 4096])
def test_positions_of_flags(size: int) -> None:
    flags = np.random.default_rng(size).random(size) < 0.1
    assert list(positions(flags)) == [at for at, flag in enumerate(flags) if flag]
