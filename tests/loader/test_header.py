"""Results of the header parser: layouts, counts, and the tensors behind the end of a truncated file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.findings.finding import Finding
from inspector.loader.dtype import BITS
from inspector.loader.header import parse_header, stated_length
from inspector.loader.header_record import Header, Layouts
from inspector.loader.layout import Layout, lay_out
from tests.attacks.dummies import entry


def parse(header: dict[str, Any] | str, data: int | None = None) -> Header:
    text = header if isinstance(header, str) else json.dumps(header)
    return parse_header(text.encode(), data, "f")


def only(header: Header) -> Finding:
    (findings,) = header.findings
    return findings


def test_there_are_22_dtypes() -> None:
    assert len(BITS) == 22
    assert set(BITS.values()) == {4, 6, 8, 16, 32, 64}


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        ("F32", (), Layout("F32", (), 1, 4)),
        ("F4", (2, 3), Layout("F4", (2, 3), 6, 3)),
        ("F6_E2M3", (4,), Layout("F6_E2M3", (4,), 4, 3)),
        ("BF16", (0, 7), Layout("BF16", (0, 7), 0, 0)),
        ("F4", (3,), "part-byte"),
        ("U8", (2**32, 2**32), "overflow"),
        ("F64", (2**58,), "overflow"),
        ("U8", (2**60,), Layout("U8", (2**60,), 2**60, 2**60)),
    ],
)
def test_lay_out(dtype: str, shape: tuple[int, ...], expected: Layout | str) -> None:
    assert lay_out(dtype, shape) == expected


@pytest.mark.parametrize(
    ("first", "size", "expected"),
    [
        (b"", 0, None),
        (b"\x02" + bytes(7), 10, 2),
        (b"\x03" + bytes(7), 10, None),
        (b"\x03" + bytes(7), None, 3),
        (bytes(8), 10, None),
        (b"\xff" * 8, None, None),
        ((10**8).to_bytes(8, "little"), 10**9, 10**8),
        ((10**8 + 1).to_bytes(8, "little"), 10**9, None),
    ],
)
def test_required_length(first: bytes, size: int | None, expected: int | None) -> None:
    assert stated_length(first, size) == expected


def test_equal_layouts_are_one_object() -> None:
    known = Layouts()
    raw = json.dumps({"a": entry(), "b": entry("U8", (1,), 1, 2)}).encode()
    one = parse_header(raw, 2, "f", known)
    two = parse_header(b" " + raw, 2, "g", known)
    assert len({id(layout) for header in (one, two) for layout in header.tensors.values()}) == 1


def test_tensors_behind_the_end_of_a_truncated_file() -> None:
    names = [f"model.layers.{n}.mlp.up_proj.weight" for n in range(30)]
    header = parse({name: entry("U8", (10,), 10 * n, 10 * n + 10) for n, name in enumerate(names)}, 55)
    assert header.cut == tuple(names[5:])
    facts = only(header).facts
    assert facts["tensors"] == 25
    assert facts["lost_bytes"] == 245
    assert facts["layers"] == "5-29"
    assert facts["declared"] == 8 + header.header_bytes + 300
    assert facts["stored"] == 8 + header.header_bytes + 55
    assert facts["names"] == names[5:25]
    assert len(header.tensors) == 30


def test_the_last_of_two_entries_counts() -> None:
    header = parse(
        '{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    )
    assert header.tensors["a"].dtype == "U8"


def test_a_faulty_entry_does_not_affect_others() -> None:
    header = parse({"a": entry(), "b": entry("I4", (1,), 1, 2), "c": entry("U8", (1,), 2, 3)}, 3)
    assert list(header.tensors) == ["a", "c"]
    assert header.faulty == ("b",)
    assert only(header).name == "dtype-unknown"


def test_counts_stay_exact_and_lists_short() -> None:
    header = parse({f"t{n}": {"dtype": 1, "shape": 2} for n in range(1000)})
    facts = only(header).facts
    assert facts["tensors"] == 1000
    assert isinstance(facts["cases"], list)
    assert len(facts["cases"]) == 20


@pytest.mark.parametrize(
    ("spelling", "meant"),
    [("f32", "F32"), ("F8_E4M3FN", "F8_E4M3"), ("torch.bfloat16", "BF16"), ("I4", None), ("x" * 99, None)],
)
def test_near_misses_are_named(spelling: str, meant: str | None) -> None:
    case = only(parse({"a": entry(spelling)}, 1)).facts["cases"]
    assert case == [{"tensor": "a", "dtype": spelling, "meant": meant}]


@pytest.mark.parametrize(
    "header",
    [
        '{"a":["U8",[1],[0,1]]}',
        '{"a":{"dtype":{"U8":null},"shape":[1],"data_offsets":[0,1]}}',
    ],
)
def test_quirks_of_the_reference_reader_are_refused(header: str) -> None:
    from safetensors import deserialize

    raw = len(header).to_bytes(8, "little") + header.encode() + b"x"
    deserialize(raw)  # type: ignore[no-untyped-call]
    assert only(parse(header, 1)).name == "entry-malformed"


def test_without_a_file_size_the_end_is_not_checked() -> None:
    header = parse({"a": entry("U8", (9,), 0, 9)})
    assert not header.findings
    assert header.declared_bytes == 9
