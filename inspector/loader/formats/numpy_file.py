"""Reads NumPy files: the headers of .npy files and of .npz archives of them. Pure and bounded; no array is created.

A header is a Python dict written out; it is parsed by a small grammar and never evaluated. Source:
numpy/lib/format.py, versions 1.0 to 3.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from inspector.budget import spend
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.dtype import BITS
from inspector.loader.extents import cut_short, longer
from inspector.loader.formats import zip_directory
from inspector.loader.formats.incremental import EndOfFile, Read
from inspector.loader.formats.pickle_code import read_pickle
from inspector.loader.formats.pickle_values import BadPickle, GlobalName
from inspector.loader.formats.torch_imports import imported
from inspector.loader.formats.zip_directory import BadArchive, Member
from inspector.loader.header_record import Header
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import WORD, Layout, lay_out
from inspector.loader.signature import SNIFF_BYTES, recognise

MAGIC: Final = b"\x93NUMPY"
HEADER_LIMIT: Final = 65_536
"""Most bytes of the header of one array; only arrays of records have more than two hundred."""
ARRAYS: Final = "the arrays of the archive"
STEPS_AN_ARRAY: Final = 30
CHARACTERS_A_STEP: Final = 8
ARRAY_LIMIT: Final = 20_000
"""Most arrays that are read from one archive, since each takes a separate read."""
DIMS_LIMIT: Final = 64

DTYPES: Final[dict[str, str]] = {
    "f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8", "u8": "U64",
    "u4": "U32", "u2": "U16", "u1": "U8", "b1": "BOOL", "c8": "C64",
}  # fmt: skip
"""Letter and bytes of one element -> dtype. V2 is how NumPy stores ml_dtypes' bfloat16."""
_TOKEN: Final = re.compile(r"[ \n]*(?:('[^'\\]{0,64}'|True|False|\d{1,20})L?|([{}():,]))", re.ASCII)
"""A text, a boolean or a number; or a punctuation mark. No input can be matched in two ways."""
TOKENS_LIMIT: Final = 256
OBJECTS: Final = "it contains pickled Python objects"
NO_ARRAY: Final = "it is not a NumPy array"
"""The problem with a member that is not an array: numpy.load returns its bytes, mlx.core.load 0.32 refuses the file."""
TWICE: Final = "two arrays of the archive have this name"
"""The problem with two members such as `w` and `w.npy`: both readers return only one of them."""
OBJECTS_LIMIT: Final = 8_000_000
"""Most bytes of pickled objects that are read in one file, to report what loading them would call."""
_DESCR: Final = re.compile(r"[<>|=]?([a-zA-Z]\d{0,4})", re.ASCII)


def read_numpy(read: Read, size: int, file: str) -> Header:
    """Reads the header of a .npy or .npz file of `size` bytes. Any input gives a result; problems become findings.

    The single array of a .npy file gets the name `arr_0`, as in NumPy.
    """
    first = read(0, min(size, SNIFF_BYTES))
    if first.startswith(MAGIC):
        return _single(read, size, file)
    found: Finding
    try:
        if first.startswith(b"PK"):
            return _archive(read, size, file)
        from inspector.findings.reading.content import NotACheckpoint

        found = NotACheckpoint(place=Place(file=file), what=recognise(first, size), bytes=size)
    except BadArchive as bad:
        from inspector.findings.header.torch_archive import ArchiveMalformed

        found = ArchiveMalformed(place=Place(file=file), problem=bad.problem, cut=bad.cut, stored=size)
    return Header(file, {}, {}, (found,), readable=False)


def _malformed(file: str, problem: str, names: Sequence[str]) -> Finding:
    from inspector.findings.header.numpy import NumpyMalformed

    return NumpyMalformed(
        place=Place(file=file), problem=problem, arrays=len(names) or 1, names=tuple(names[:NAMES_SHOWN])
    )


def _single(read: Read, size: int, file: str) -> Header:
    first = read(0, min(size, HEADER_LIMIT + 12))
    found = _array(first)
    if isinstance(found, str):
        start = _header_bytes(first)
        pickles = [read(start, min(size - start, OBJECTS_LIMIT))] if found == OBJECTS else []
        return Header(file, {}, {}, (*_called(pickles, file), _malformed(file, found, ())), readable=False)
    layout, start = found
    end = start + layout.bytes
    place = Place(file=file)
    findings: tuple[Finding, ...] = ()
    if end > size:
        findings = (cut_short(place, end, size, end - size, ("arr_0",)),)
    elif end < size:
        findings = (longer(place, layout.bytes, size - start),)
    cut = ("arr_0",) if end > size else ()
    return Header(file, {"arr_0": layout}, {"format": "np"}, findings, start - 8, layout.bytes, (), cut)


def _archive(read: Read, size: int, file: str) -> Header:
    place = Place(file=file)
    arrays = list(zip_directory.read_directory(read, size, prefixed=True).values())
    if not arrays:
        raise BadArchive("the archive is empty")
    findings: list[Finding] = []
    tensors: dict[str, Layout] = {}
    faulty: list[str] = []
    cut: list[str] = []
    problems: dict[str, list[str]] = {}
    if len(arrays) > ARRAY_LIMIT:
        from inspector.findings.header.start import TooManyTensors

        findings.append(TooManyTensors(place=place, tensors=len(arrays), limit=ARRAY_LIMIT))
        return Header(file, {}, {}, tuple(findings), readable=False)
    total = 0
    for member in arrays:
        name = member.name.removesuffix(".npy")
        spend(STEPS_AN_ARRAY, ARRAYS)
        found = _member(read, member) if name not in tensors else TWICE
        if isinstance(found, str):
            faulty.append(name)
            problems.setdefault(found, []).append(name)
            continue
        layout, start = found
        tensors[name] = layout
        total += layout.bytes
        if start + layout.bytes > member.size:
            cut.append(name)
    if problems.keys() == {NO_ARRAY} and not tensors and not any(one.name.endswith(".npy") for one in arrays):
        raise BadArchive("the archive contains no NumPy array")
    objects = set(problems.get(OBJECTS, ()))
    pickled = [member for member in arrays if member.name.removesuffix(".npy") in objects]
    findings.extend(_called(_pickles(read, pickled), file))
    for problem, names in problems.items():
        if len(findings) < NAMES_SHOWN:
            findings.append(_malformed(file, problem[:300], names))
    if cut:
        from inspector.findings.header.torch import StorageMissing

        shown = tuple(cut[:NAMES_SHOWN])
        missing = StorageMissing(
            place=place, storages=len(cut), members=shown, tensors=len(cut), names=shown, layers=layers_of(cut)
        )
        findings.append(missing)
    header_bytes = max(0, size - 8 - total)
    return Header(
        file, tensors, {"format": "np"}, tuple(findings), header_bytes, total, tuple(faulty), tuple(cut),
        bool(tensors) or not faulty,
    )  # fmt: skip


def _pickles(read: Read, members: Sequence[Member]) -> Iterator[bytes]:
    """The pickles of arrays of objects, as far as the limit allows."""
    left = OBJECTS_LIMIT
    for member in members:
        left -= member.size
        if left >= 0:
            with suppress(BadArchive):
                raw = zip_directory.beginning(read, member, member.size)
                yield raw[_header_bytes(raw) :]


def _called(pickles: Iterable[bytes], file: str) -> list[Finding]:
    """The errors on what these pickles would call. NumPy itself loads them only with allow_pickle."""
    names: dict[GlobalName, int] = {}
    for pickled in pickles:
        with suppress(BadPickle, EndOfFile):
            read_pickle(pickled, 0, names)
    return [one for one in imported(names, Place(file=file)) if one.severity == "error"] if names else []


def _member(read: Read, member: Member) -> tuple[Layout, int] | str:
    """The layout of an array in an archive and the position of its data; or a text with the problem."""
    try:
        raw = zip_directory.beginning(read, member, 512)
        if _header_bytes(raw) > len(raw):
            raw = zip_directory.beginning(read, member, HEADER_LIMIT + 12)
    except BadArchive as bad:
        return bad.problem
    return _array(raw)


def _header_bytes(raw: bytes) -> int:
    """The position of the data of an array, by its first twelve bytes."""
    if len(raw) < 12 or not raw.startswith(MAGIC):
        return 0
    wide = raw[6] > 1
    return (12 if wide else 10) + int.from_bytes(raw[8 : 12 if wide else 10], "little")


def _array(raw: bytes) -> tuple[Layout, int] | str:
    """The layout of an array and the position of its data; or a text with the problem."""
    if len(raw) < 10 or not raw.startswith(MAGIC):
        return NO_ARRAY
    if raw[6] not in (1, 2, 3):
        return f"the version is {raw[6]}.{raw[7]}"
    stop = _header_bytes(raw)
    if stop > HEADER_LIMIT + 12:
        return f"the header has {stop:,} bytes, the limit is {HEADER_LIMIT:,}"
    start = 12 if raw[6] > 1 else 10
    if stop > len(raw) or stop == 0:
        return "the header is truncated"
    text = raw[start:stop].decode("latin-1")
    spend(len(text) // CHARACTERS_A_STEP, ARRAYS)
    fields = _fields(text)
    if fields is None:
        return (
            "it is an array of records" if "[(" in text[:200] else "the header is not a dict of descr, order and shape"
        )
    descr, shape = fields
    if any(dim >= WORD for dim in shape) or len(shape) > DIMS_LIMIT:
        return "the shape exceeds 64 bits"
    return _laid_out(descr, shape, stop)


def _fields(text: str) -> tuple[str, tuple[int, ...]] | None:
    """descr and shape of the dict in a header; None if the dict does not have exactly the three keys of the format."""
    values: list[str] = []
    at, text = 0, text.rstrip(" \n")
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or len(values) >= TOKENS_LIMIT:
            return None
        values.append(found[1] or found[2])
        at = found.end()
    if values[:1] != ["{"] or values[-1:] != ["}"]:
        return None
    fields: dict[str, list[str]] = {}
    rest = values[1:-1]
    while rest:
        if len(rest) < 3 or rest[1] != ":" or rest[0] in fields:
            return None
        stop = rest.index(")") + 1 if rest[2] == "(" and ")" in rest else 3
        fields[rest[0]] = rest[2:stop]
        if len(rest) > stop and rest[stop] != ",":
            return None
        rest = rest[stop + 1 :]
    if fields.keys() != {"'descr'", "'fortran_order'", "'shape'"}:
        return None
    descr, order, shape = fields["'descr'"][0], fields["'fortran_order'"][0], fields["'shape'"]
    dims = shape[1:-1]
    plain = all(value.isdecimal() if place % 2 == 0 else value == "," for place, value in enumerate(dims))
    if descr[:1] != "'" or order not in ("True", "False") or shape[0] != "(" or shape[-1] != ")" or not plain:
        return None
    return descr[1:-1], tuple(int(dim) for dim in dims[::2])


def _laid_out(descr: str, shape: tuple[int, ...], start: int) -> tuple[Layout, int] | str:
    found = _DESCR.fullmatch(descr)
    if found is not None and found[1].startswith("O"):
        return OBJECTS
    dtype = "BF16" if found and found[1] in ("V2", "bfloat16") else DTYPES.get(found[1], "") if found else ""
    if dtype not in BITS:
        return f"dtype {descr!r} is not a numeric dtype"
    layout = lay_out(dtype, shape)
    return (layout, start) if isinstance(layout, Layout) else "the shape exceeds 64 bits"
