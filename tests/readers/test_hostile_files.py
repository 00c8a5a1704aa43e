"""Every hostile file gives exactly its findings, within a bounded number of calls and little memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.findings.finding import Finding, merged
from inspector.loader.formats.gguf import read_gguf
from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.formats.torch_file import read_torch
from inspector.loader.header_record import Header
from tests.readers.file_builders import archive, legacy, plain_array, reading, small_llama
from tests.readers.hostile_files import GGUF, LIMIT_DIVISOR, LIMITS, NUMPY, PLAIN, TORCH, Build
from tests.steps import at_most

Reader = Callable[[bytes], Header]
CALLS = 40_000_000
"""Calls that reading a hostile file may make: three times those for a tuple that doubles up to the reader's limit."""
CALLS_A_BYTE = 3
"""Calls allowed per byte of a file: an opcode of a pickle is one byte and takes a few calls."""
READERS: dict[str, Reader] = {
    "gguf": lambda data: read_gguf(reading(data), len(data), "model-00001-of-00002.gguf").header,
    "torch": lambda data: read_torch(reading(data), len(data), "pytorch_model.bin").header,
    "numpy": lambda data: read_numpy(reading(data), len(data), "weights.npz"),
}
CASES = [
    pytest.param(kind, build, rules, id=f"{kind}-{name}")
    for kind, cases in (("gguf", GGUF), ("torch", TORCH), ("numpy", NUMPY))
    for name, build, rules in cases
]


def test_the_collection_is_large() -> None:
    assert len(CASES) >= 120
    assert len({case.id for case in CASES}) == len(CASES)


UP_TO_A_LIMIT = [
    case
    for case in CASES
    if case.id in ("torch-opcodes", "torch-containers", "torch-memo", "torch-doubling", "torch-doubling-duplicates")
]


@pytest.mark.thinned
@pytest.mark.parametrize(("kind", "build", "rules"), CASES)
def test_hostile_file(kind: str, build: Build, rules: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _lower_limits(monkeypatch)
    _check_hostile(kind, build, rules, CALLS // 10)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "build", "rules"), UP_TO_A_LIMIT)
def test_hostile_up_to_the_limit(kind: str, build: Build, rules: set[str]) -> None:
    _check_hostile(kind, build, rules, CALLS)


def _lower_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in LIMITS:
        monkeypatch.setattr(module, name, getattr(module, name) // LIMIT_DIVISOR)


def _check_hostile(kind: str, build: Build, rules: set[str], calls: int) -> None:
    data = build()
    with at_most(calls + CALLS_A_BYTE * len(data)):
        header = READERS[kind](data)
    assert {one.name for one in header.findings} == rules
    _check_messages(header.findings)


def _check_messages(findings: tuple[Finding, ...]) -> None:
    for one in findings:
        lists = [value for value in one.facts.values() if isinstance(value, list)]
        assert all(len(value) <= 20 for value in lists)
    assert len(json.dumps([one.facts for one in findings], allow_nan=False)) < 100_000
    for finding in merged(findings):
        assert len(finding.message) < 5_000
        assert "None" not in finding.message


@pytest.mark.parametrize("name", ["stack", "containers", "zip-bomb"])
def test_memory_stays_small(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _lower_limits(monkeypatch)
    build = next(build for case, build, _ in TORCH if case == name)
    data = build()
    tracemalloc.start()
    try:
        READERS["torch"](data)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


HEALTHY = {
    "gguf": [small_llama(1)],
    "torch": [archive(PLAIN, {"0": bytes(16)}), legacy(PLAIN, {"0": (4, bytes(16))})],
    "numpy": [plain_array("<f4", "(3,)", bytes(12))],
}


@pytest.mark.parametrize("kind", HEALTHY)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_any_bytes_give_a_reading_or_a_finding(kind: str, data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from(HEALTHY[kind])))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(whole), 3_000) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    short = bytes(whole[: data.draw(st.integers(0, len(whole)))]) if data.draw(st.booleans()) else bytes(whole)
    header = READERS[kind](short)
    assert header.readable or header.findings
    _check_messages(header.findings)


@pytest.mark.parametrize("kind", READERS)
@given(raw=st.binary(max_size=300))
@settings(max_examples=80, deadline=None)
def test_random_bytes(kind: str, raw: bytes) -> None:
    for start in (b"", b"GGUF\3\0\0\0", b"\x80\x02", b"PK\3\4", b"\x93NUMPY\1\0"):
        header = READERS[kind](start + raw)
        assert header.readable or header.findings
