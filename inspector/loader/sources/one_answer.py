"""Extracts all headers of a sharded checkpoint from a single answer of the Hub. Pure.

The answer is JSON: `{"sharded": true, "index": {...}, "headers": {file: header}}`. It loses blanks and
duplicate keys, so a header is accepted only if its file has exactly the length that follows from it
by the tree; a header in another form is longer, and that file is read by ranges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from inspector.budget import has_room
from inspector.loader.signature import SNIFF_BYTES
from inspector.loader.sources.source import Opening
from inspector.loader.strict_json import estimated_bytes

_PADDING: Final = 8
"""Writers pad a header with blanks to a multiple of this many bytes."""
_FILE: Final = re.compile(rb'[{,]"([A-Za-z0-9_./-]{1,250}\.safetensors)":\{')
_END: Final = re.compile(rb'.*"data_offsets":\[\d{1,19},(\d{1,19})\]', re.DOTALL)


def headers_of(raw: bytes, sizes: Mapping[str, int], folder: str = "") -> dict[str, Opening]:
    """File -> its beginning, for those files of `sizes` (name -> bytes) in the answer with the expected length.

    folder: names in the answer may be paths from the root of the repository.
    """
    cut = _cut_out(raw, sizes, folder)
    return cut if cut is not None else _decoded(raw, sizes, folder)


def _cut_out(raw: bytes, sizes: Mapping[str, int], folder: str) -> dict[str, Opening] | None:
    """Cuts the headers out of a compact answer without decoding it; None if one does not fit.

    Between two file names there is exactly one header. A tensor may have such a name too, or the
    text may be invalid JSON: then a part has the wrong length, and everything is decoded instead.
    """
    begin = raw.find(b'"headers":{')
    if begin < 0:
        return None
    marks = [(found[1].decode(), found.start(), found.end() - 1) for found in _FILE.finditer(raw, begin + 10)]
    given: dict[str, Opening] = {}
    for position, (path, _, start) in enumerate(marks):
        name = path.removeprefix(f"{folder}/") if folder else path
        size = sizes.get(name)
        if position + 1 < len(marks):
            stop = marks[position + 1][1]
        else:
            stop = start + raw[start:].rstrip().rfind(b"}}") if raw.rstrip().endswith(b"}}}") else -1
        header = raw[start:stop]
        end = _END.match(header, max(0, len(header) - 400))
        if size is None or name in given or end is None or not header.endswith(b"}"):
            return None
        opening = _padded(header, int(end[1]), size)
        if opening is None:
            return None
        given[name] = opening
    return given if given.keys() == sizes.keys() else None


def _decoded(raw: bytes, sizes: Mapping[str, int], folder: str) -> dict[str, Opening]:
    """The headers encoded again from the decoded answer; {} if it has another form."""
    if not has_room(estimated_bytes(raw)):
        return {}
    try:
        whole = json.loads(raw)
    except (ValueError, RecursionError, MemoryError):
        return {}
    headers = whole.get("headers") if isinstance(whole, dict) else None
    if not isinstance(headers, dict):
        return {}
    given: dict[str, Opening] = {}
    for name, size in sizes.items():
        header = headers.get(name, headers.get(f"{folder}/{name}"))
        opening = _rebuilt(header, size) if isinstance(header, dict) else None
        if opening is not None:
            given[name] = opening
    return given


def _rebuilt(header: dict[str, Any], size: int) -> Opening | None:
    try:
        raw = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        end = max((one["data_offsets"][1] for name, one in header.items() if name != "__metadata__"), default=0)
    except (KeyError, TypeError, IndexError, ValueError, RecursionError):
        return None
    return _padded(raw, end, size) if type(end) is int else None


def _padded(header: bytes, end: int, size: int) -> Opening | None:
    """The header padded for a file of `size` bytes with `end` bytes of data, if possible."""
    blanks = size - 8 - end - len(header)
    if not 0 <= blanks < _PADDING:
        return None
    whole = header + b" " * blanks
    return Opening(size, (len(whole).to_bytes(8, "little") + whole[: SNIFF_BYTES - 8]), whole)
