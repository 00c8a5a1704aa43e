"""NumPy files built by hand are read to their arrays."""

from __future__ import annotations

import io
import zipfile

import pytest

from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.header_record import Header
from tests.readers.file_builders import Code, array, arrays, plain_array, reading


def read(data: bytes) -> Header:
    return read_numpy(reading(data), len(data), "weights.npz")


def rules(header: Header) -> list[str]:
    return [one.name for one in header.findings]


@pytest.mark.parametrize(
    ("descr", "dtype", "size"),
    [("<f4", "F32", 4), (">f8", "F64", 8), ("|b1", "BOOL", 1), ("<i8", "I64", 8), ("<f2", "F16", 2), ("|u1", "U8", 1),
     ("<V2", "BF16", 2), ("<c8", "C64", 8)],
)  # fmt: skip
def test_dtypes(descr: str, dtype: str, size: int) -> None:
    found = read(plain_array(descr, "(2, 3)", bytes(6 * size)))
    layout = found.tensors["arr_0"]
    assert (layout.dtype, layout.shape, layout.bytes, rules(found)) == (dtype, (2, 3), 6 * size, [])


@pytest.mark.parametrize(
    ("text", "shape"), [("()", ()), ("(3,)", (3,)), ("(0, 5)", (0, 5)), ("(1, 2, 3, 4)", (1, 2, 3, 4))]
)
def test_shapes(text: str, shape: tuple[int, ...]) -> None:
    elements = 1
    for dim in shape:
        elements *= dim
    assert read(plain_array("<f4", text, bytes(4 * elements))).tensors["arr_0"].shape == shape


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives(method: int) -> None:
    found = read(
        arrays(method, a=plain_array("<f4", "(2,)", bytes(8)), **{"b.c": plain_array("<f2", "(3,)", bytes(6))})
    )
    assert {name: layout.shape for name, layout in found.tensors.items()} == {"a": (2,), "b.c": (3,)}
    assert (rules(found), found.declared_bytes) == ([], 14)


@pytest.mark.parametrize(
    ("member", "problem"),
    [("README.md", "it is not a NumPy array"), ("data.pkl", "it is not a NumPy array"),
     ("b.npy", "it is not a NumPy array"), ("a", "two arrays of the archive have this name"), ("b", "")],
)  # fmt: skip
def test_each_member_is_an_array_or_a_fault(member: str, problem: str) -> None:
    made = io.BytesIO(arrays(a=plain_array("<f4", "(2,)", bytes(8))))
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(member, plain_array("<f2", "(3,)", bytes(6)) if member in ("a", "b") else b"no array")
    found = read(made.getvalue())
    assert [one.facts["problem"] for one in found.findings] == [problem][: bool(problem)]
    assert set(found.tensors) == ({"a"} if problem else {"a", "b"})


def test_truncated_files_and_extra_bytes() -> None:
    whole = plain_array("<f4", "(4,)", bytes(16))
    assert rules(read(whole[:-1])) == ["shard-cut"]
    assert rules(read(whole + b"x")) == ["data-behind-end"]
    found = read(arrays(a=plain_array("<f4", "(4,)", bytes(8))))
    assert (rules(found), found.cut) == (["storage-missing"], ("a",))


def objects(pickled: bytes) -> bytes:
    """An array of objects, which NumPy pickles."""
    return plain_array("|O", "(1,)", pickled)


def test_calls_in_pickled_objects_are_named() -> None:
    code = Code().name("posix", "system").add(b"(").text("id").add(b"tR").stop()
    for found in (read(objects(code)), read(arrays(zipfile.ZIP_DEFLATED, a=objects(code)))):
        assert rules(found) == ["pickle-runs-code", "numpy-malformed"]
        assert found.findings[0].facts["names"] == ["posix.system"]
    assert rules(read(objects(b"}."))) == rules(read(objects(b"\xff"))) == ["numpy-malformed"]


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<U7', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os').system('id'),), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % ("9" * 30),
        "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2), }",
        "{'descr': '<f4', 'shape': (1,), 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': True}",
        "{" * 60_000,
        "{'shape':(" + "1, " * 19_000,
        "{'shape':(" + "1" * 60_000,
        "(" * 60_000,
    ],
)  # fmt: skip
def test_invalid_headers(header: str) -> None:
    found = read(array(header, bytes(16)))
    assert (rules(found), found.tensors, found.readable) == (["numpy-malformed"], {}, False)
