"""Parses the header of one safetensors file into layouts and findings. Pure.

Valid headers are read in bulk, or in one plain loop if their writer orders the fields differently. At the first
irregularity the header is validated again, slowly and entry by entry, so that each fault can be reported with its
tensor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.findings.finding import Finding, Place
from inspector.loader import strict_json
from inspector.loader.compact_header import read_compact
from inspector.loader.header_record import (
    HEADER_LARGE,
    HEADER_LIMIT,
    TENSOR_LIMIT,
    Header,
    Layouts,
    layout_of,
    shared,
    unreadable,
)
from inspector.loader.layout import WORD, Layout
from inspector.loader.listed_tensors import ListedTensors


def stated_length(first: bytes, size: int | None) -> int | None:
    """Length of the JSON in bytes by the first eight bytes of a file; None if the length is impossible.

    `size` is the length of the whole file, None if unknown. No memory is allocated by this length before the check.
    """
    if len(first) < 8:
        return None
    length = int.from_bytes(first[:8], "little")
    most = HEADER_LIMIT if size is None else min(HEADER_LIMIT, size - 8)
    return length if 0 < length <= most else None


def unopened(first: bytes, size: int | None, file: str) -> Header:
    """The result for a file with an impossible header length: no header, and a finding on the content of the file."""
    from inspector.loader.header_faults import no_header

    return unreadable(file, no_header(first, size, file))


def parse_header(
    raw: bytes,
    data_bytes: int | None,
    file: str,
    layouts: Layouts | None = None,
    first: bytes = b"",
    lists: bool = False,
) -> Header:
    """Reads the JSON of a header.

    data_bytes: bytes of the file after the header; None leaves the end of the data unchecked. layouts: layouts already
    read in other files of the checkpoint. first: the beginning of the file, to recognise another format by. lists: a
    regular header may result in `ListedTensors`; the caller then has to check the names for duplicates.
    """
    known = Layouts() if layouts is None else layouts
    compact = _compact(raw, data_bytes, file, known, lists)
    if compact is not None:
        return compact
    values = strict_json.decode_quick(raw)
    if isinstance(values, dict):
        stated = "__metadata__" in values
        metadata = values.pop("__metadata__", None)
        header = _plain(values, metadata, raw, data_bytes, file, known)
        if header is not None:
            return header
        if stated:
            values["__metadata__"] = metadata
        values = strict_json.exact_again(values, raw)
    if not isinstance(values, dict):
        from inspector.loader.header_faults import not_an_object

        return unreadable(file, not_an_object(values, raw, data_bytes, file, first))
    from inspector.loader.header_faults import EntryByEntry, not_an_object

    header = EntryByEntry(values, raw, data_bytes, file, known).verdict()
    refused = any(one.severity == "error" for one in header.findings)
    beyond = None if refused else strict_json.beyond_range(raw)
    return header if beyond is None else unreadable(file, not_an_object(beyond, raw, data_bytes, file, first))


def _compact(raw: bytes, data_bytes: int | None, file: str, known: Layouts, lists: bool) -> Header | None:
    """Reads a fully regular header as the reference writer formats it; None for any other header."""

    def known_layout(dtype: str, shape: list[Any]) -> Layout | None:
        made = known.get((dtype, *shape)) or layout_of(dtype, shape)
        return None if isinstance(made, str) else shared(made, known)

    read = read_compact(raw, known_layout, known.texts)
    if read is None or not _ends_well(read.end, data_bytes) or len(read.names) > TENSOR_LIMIT:
        return None
    tensors: Mapping[str, Layout] = ListedTensors(read.names, read.layouts)
    if not lists:
        tensors = dict(zip(read.names, read.layouts, strict=True))
        if len(tensors) != len(read.names) or "__metadata__" in tensors:
            return None
    findings = (_large(raw, file),) if len(raw) > HEADER_LARGE else ()
    return Header(file, tensors, read.metadata, findings, len(raw), read.end)


def _ends_well(end: int, data_bytes: int | None) -> bool:
    return 0 <= end < WORD and (data_bytes is None or end == data_bytes)


def _plain(
    values: dict[str, Any], metadata: Any, raw: bytes, data_bytes: int | None, file: str, known: Layouts
) -> Header | None:
    """Reads a fully regular header with its fields in any order; None for any other header."""
    marks = 10 * len(values)  # a name, three fields and the dtype
    if metadata is not None:
        if type(metadata) is not dict or not all(type(text) is str for text in metadata.values()):
            return None
        marks += 2 + 4 * len(metadata)
    tensors: dict[str, Layout] = {}
    end = 0
    in_order = True
    try:
        for name, entry in values.items():
            shape = entry["shape"]
            if type(shape) is not list:
                return None
            key = (entry["dtype"], *shape)
            layout = known.get(key)
            if layout is None:
                made = layout_of(entry["dtype"], shape)
                if isinstance(made, str):
                    return None
                layout = shared(made, known)
            start, stop = entry["data_offsets"]
            if stop - start != layout.bytes:
                return None
            if start != end:
                in_order = False
            end = stop
            tensors[name] = layout
        if not in_order:
            end = _contiguous_end([entry["data_offsets"] for entry in values.values()])
    except (KeyError, TypeError, ValueError):
        return None
    if (
        not _ends_well(end, data_bytes)
        or len(tensors) > TENSOR_LIMIT
        or strict_json.string_marks(raw) != marks
        or raw[:1] != b"{"
        or not strict_json.is_plain(raw)
    ):
        return None
    findings = (_large(raw, file),) if len(raw) > HEADER_LARGE else ()
    return Header(file, tensors, metadata or {}, findings, len(raw), end)


def _contiguous_end(spans: list[list[int]]) -> int:
    """The end of spans that cover the data from 0 without gap or overlap, in any order; else -1."""
    spans.sort()
    end = 0
    for start, stop in spans:
        if start != end:
            return -1
        end = stop
    return end


def _large(raw: bytes, file: str) -> Finding:
    from inspector.findings.header.start import HeaderLarge

    return HeaderLarge(place=Place(file=file), bytes=len(raw), limit=HEADER_LARGE)
