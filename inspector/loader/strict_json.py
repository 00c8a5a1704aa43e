"""Decodes all JSON of checkpoints: bounded, strict, without exceptions.

Python's decoder accepts much that JSON forbids or that readers interpret differently: NaN, duplicate keys, -0 as an
integer, lone surrogates, any depth. It is still the fastest available, so this module uses it and adds cheap checks;
suspicious texts are decoded again, slowly and exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import Any, Final, NoReturn

from msgspec import Struct

from inspector.budget import hold, spend_at_once

DEPTH_LIMIT: Final = 128
"""Most nested lists and objects; the limit of serde_json, so that verdicts agree with the reference reader."""
DIGITS_LIMIT: Final = 20
"""Most digits of an integer: 2^64 - 1 has twenty."""
MEMORY_LIMIT: Final = 80_000_000
"""Estimated bytes of Python objects above which a text of many tiny values is refused."""
_DENSITY_LIMIT: Final = 24
"""Bytes of objects per byte of a header: real headers need about 9, the shortest possible entry 21."""
_BYTES_A_STEP, _VALUES_A_STEP = 128, 4
_TOO_DEEP: Final = f"is nested deeper than {DEPTH_LIMIT}"
_SMALL: Final = 4_000_000
"""Texts up to this number of bytes cannot exceed MEMORY_LIMIT by much and are not estimated."""


class JsonFault(Struct, frozen=True):
    """Why a text is rejected: a short reason in words, and the byte or character if known.

    encoding: "utf-16" or "byte-order-mark", if the encoding is the only fault. line: the line of the position, counted
    from 1. hole: zeros stand where the text should be, as a file has that was not written in full.
    """

    reason: str
    position: int | None = None
    encoding: str = ""
    line: int | None = None
    hole: bool = False


_UTF_16: Final = "is UTF-16, not UTF-8"
_ZEROS: Final = "is filled with zeros"
_HOLE: Final = "has zeros in place of text"
_HOLE_FROM: Final = 16
"""Least number of zero bytes in a row that are a hole."""
_MARKED: Final = "begins with a byte order mark"
_ENCODINGS: Final = {_UTF_16: "utf-16", _MARKED: "byte-order-mark"}


class OddNumber(Struct, frozen=True):
    """A number that is not a plain integer: a fraction, an exponent, -0, or more digits than any size has."""

    text: str


class DuplicateKeys(dict[str, Any]):
    """An object with duplicate keys: the last value of each as usual, and the list of duplicate keys."""

    __slots__ = ("keys_twice",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        seen: set[str] = set()
        twice: dict[str, None] = {}
        for key, _ in pairs:
            if key in seen:
                twice[key] = None
            seen.add(key)
        self.keys_twice = tuple(twice)


class _NotTaken(ValueError):
    """Raised inside the decoder for a literal that is not JSON."""


def _refuse_constant(name: str) -> NoReturn:
    raise _NotTaken(f"{name} is not JSON")


def _plain_integer(text: str) -> int | OddNumber:
    if len(text) > DIGITS_LIMIT + 1 or text == "-0":
        return OddNumber(text[: 2 * DIGITS_LIMIT])
    return int(text)


MOST_DIGITS = 40
"""Most digits of an integer in computations: a size has at most twenty, and products of several must stay printable."""


def _bounded_integer(text: str) -> int | float:
    return int(text) if len(text) <= MOST_DIGITS else float("inf")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else DuplicateKeys(pairs)


_FRACTION: Final = OddNumber("a number with a fraction or an exponent")


def _fraction(text: str) -> OddNumber:
    return _FRACTION


_LARGE_NUMBER: Final = re.compile(rb"[0-9]{309}|[0-9][eE]\+?[0-9]{3}")
"""Matches part of every number that is larger than any float."""


def _in_range(text: str) -> float:
    if isinf(found := float(text)):
        raise _NotTaken(f"{text[: 2 * DIGITS_LIMIT]} is out of the range of numbers")
    return found


_RANGES = JSONDecoder(parse_float=_in_range, parse_int=_in_range).decode
_QUICK = JSONDecoder(parse_constant=_refuse_constant, parse_float=_fraction).decode
_EXACT = JSONDecoder(
    parse_constant=_refuse_constant,
    parse_float=_fraction,
    parse_int=_plain_integer,
    object_pairs_hook=_object,
).decode
_INDEX = JSONDecoder(parse_constant=_refuse_constant).decode
_INDEX_EXACT = JSONDecoder(
    parse_constant=_refuse_constant, parse_int=_bounded_integer, object_pairs_hook=_object
).decode
_CONFIG = JSONDecoder(parse_int=_bounded_integer, object_pairs_hook=_object).decode


def decode_quick(raw: bytes) -> object:
    """Decodes a header with the fast decoder: fractions become `OddNumber`, NaN and broken text a `JsonFault`.

    Duplicate keys, -0, true for 1, too much depth and surrogates are not detected here, but by `is_plain`,
    `exact_again` and checks of types.
    """
    return header_too_dense(raw) or _decode(raw, _QUICK)


def exact_again(values: dict[str, Any], raw: bytes) -> object:
    """The exact form of a result of `decode_quick`: objects with duplicate keys are `DuplicateKeys`, -0 is `OddNumber`.

    The text is decoded a second time only if it contains one of these.
    """
    strings = strings_within(values)
    if strings is None:
        return JsonFault(_TOO_DEEP)
    if string_marks(raw) == 2 * strings and not (b"-" in raw and b"-0" in raw):
        return _whole_text(values, raw)
    return _whole_text(_decode(raw, _EXACT), raw)


def decode_index(raw: bytes) -> object:
    """Decodes an index with the fast decoder. Fractions become floats, since some writers store totals as floats."""
    return too_dense(raw) or _decode(raw, _INDEX)


def decode_index_exact(raw: bytes) -> object:
    """Decodes an index with the exact decoder: objects with duplicate keys are `DuplicateKeys`."""
    return _shallow(_whole_text(_decode(raw, _INDEX_EXACT), raw))


def decode_config(raw: bytes) -> object:
    """Decodes a config: NaN and Infinity are accepted (Python writes both), duplicate keys give `DuplicateKeys`."""
    return too_dense(raw) or _shallow(_whole_text(_decode(raw, _CONFIG), raw))


def beyond_range(raw: bytes) -> JsonFault | None:
    """The fault of JSON with a number larger than any float, which the reference reader refuses anywhere."""
    if _LARGE_NUMBER.search(raw) is None:
        return None
    found = _decode(raw, _RANGES)
    return found if isinstance(found, JsonFault) else None


def is_plain(raw: bytes) -> bool:
    """True if the text contains nothing that Python accepts as an integer and JSON or Rust do not."""
    if b"-" in raw and b"-0" in raw:
        return False
    return not (b"true" in raw or b"false" in raw or has_surrogates(raw))


def string_marks(raw: bytes) -> int:
    """Number of quotation marks that begin or end a string: two for each string of a decoded text.

    A duplicate key leaves fewer object members than strings in the text, however it is escaped, so
    this count proves that there is none without comparing keys.
    """
    marks = raw.count(b'"')
    return marks - raw.replace(b"\\\\", b"").count(b'\\"') if b"\\" in raw else marks


def strings_within(value: object) -> int | None:
    """Number of strings in a decoded value, including keys; None if it is nested beyond the limit."""
    if not isinstance(value, dict | list):
        return int(isinstance(value, str))
    found, level = 0, [value]
    for _ in range(DEPTH_LIMIT):
        deeper: list[dict[str, object] | list[object]] = []
        for container in level:
            items: Iterable[object] = container
            if isinstance(container, dict):
                found += len(container)
                items = container.values()
            for item in items:
                if type(item) is str:
                    found += 1
                elif isinstance(item, dict | list):
                    deeper.append(item)
        if not deeper:
            return found
        level = deeper
    return None


def too_dense(raw: bytes, density: int = 0) -> JsonFault | None:
    """The fault of a text that would need more memory for decoding than the limit and its length allow; else None."""
    if len(raw) <= _SMALL:
        return None
    allowed = max(MEMORY_LIMIT, density * len(raw))
    objects, lists, commas = raw.count(b"{"), raw.count(b"["), raw.count(b",")
    if 350 * objects + 64 * lists + 190 * commas <= allowed:
        return None  # an object has at most one colon more than commas, so colons need not be counted
    if estimated_bytes(raw) > allowed:
        return JsonFault("needs more memory than allowed")
    return None


def estimated_bytes(raw: bytes) -> int:
    """Estimated bytes of the Python objects that a text becomes."""
    return 200 * raw.count(b"{") + 64 * raw.count(b"[") + 40 * raw.count(b",") + 150 * raw.count(b":")


def header_too_dense(raw: bytes) -> JsonFault | None:
    """`too_dense` with the limit for a header."""
    return too_dense(raw, _DENSITY_LIMIT)


_BEYOND_LATIN: Final = bytes(range(0xC4, 256))
_BEYOND_BASIC: Final = bytes(range(0xF0, 256))
"""First bytes of characters that make each character of a text take two bytes, and four bytes."""


def decoded_bytes(raw: bytes) -> int:
    """Most bytes that a text takes together with its decoded form and its values."""
    width = 1
    if not raw.isascii() and len(raw.translate(None, _BEYOND_LATIN)) < len(raw):
        width = 4 if len(raw.translate(None, _BEYOND_BASIC)) < len(raw) else 2
    return len(raw) * (1 + 2 * width)


def has_surrogates(raw: bytes) -> bool:
    """True if the text has an escaped surrogate, alone or in a pair."""
    return b"\\" in raw and re.search(rb"\\u[dD][89a-fA-F]", raw) is not None


def _shallow(value: object) -> object:
    return JsonFault(_TOO_DEEP) if strings_within(value) is None else value


def _whole_text(value: object, raw: bytes) -> object:
    """The value, or a fault if one of its strings contains a lone surrogate."""
    if isinstance(value, JsonFault) or not has_surrogates(raw):
        return value
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if not _encodable(item):
                return JsonFault("contains a lone surrogate")
        elif isinstance(item, dict):
            if not all(map(_encodable, item)):
                return JsonFault("contains a lone surrogate")
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _decode(raw: bytes, decoder: Callable[[str], Any]) -> object:
    hold(decoded_bytes(raw), "the text of a JSON file")
    spend_at_once(len(raw) // _BYTES_A_STEP + raw.count(b",") // _VALUES_A_STEP, "the text of a JSON file")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return _fault(_encoding(raw), error.start, raw.count(b"\n", 0, error.start) + 1)
    if text.startswith("\ufeff"):
        return _fault(_MARKED, 0, 1)
    try:
        return decoder(text)
    except JSONDecodeError as error:
        return _fault(_syntax(raw, error), error.pos, error.lineno)
    except _NotTaken as error:
        return JsonFault(str(error))
    except RecursionError:
        return JsonFault(_TOO_DEEP)
    except MemoryError:
        return JsonFault("needs more memory than available")
    except ValueError:
        # the only other case: an integer beyond Python's limit of digits
        return JsonFault("contains a number with thousands of digits")


def _fault(reason: str, position: int, line: int) -> JsonFault:
    return JsonFault(reason, position, _ENCODINGS.get(reason, ""), line, reason in (_ZEROS, _HOLE))


def _encoding(raw: bytes) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _UTF_16
    return "is not UTF-8"


def _syntax(raw: bytes, error: JSONDecodeError) -> str:
    if b"\n=======" in raw or b"\n<<<<<<<" in raw or raw.startswith(b"<<<<<<<"):
        return "contains unresolved git merge conflicts"
    if error.msg == "Extra data":
        rest = raw.rstrip(b"\0")
        if len(rest) < len(raw) and len(rest.decode(errors="ignore").rstrip()) <= error.pos:
            return "is padded with NUL"
        return "has text after its end"
    if error.doc.startswith("\0" * _HOLE_FROM, error.pos):
        return _HOLE if raw.strip(b"\0") else _ZEROS
    if any(raw[start::2][:20].count(0) > 8 for start in (0, 1)):  # of either order of bytes
        return _UTF_16
    if error.pos >= len(error.doc.rstrip()):
        return "is truncated"
    if error.msg.startswith("Unterminated string"):
        return "ends inside a string"
    what = error.msg.removesuffix(" at")  # the position is a fact of its own
    return _slip(error) or f"is not JSON ({what[0].lower()}{what[1:]})"


_SLIPS: Final = (
    (("//", "/*", "#"), "has a comment, which JSON does not allow"),
    (("'",), "has single quotes where JSON has double quotes"),
    (("True", "False", "None"), "has Python's words where JSON has true, false and null"),
)
"""The beginning of the text at which the JSON decoder stops -> the fault of the file."""
_NEARBY: Final = 200
"""Most characters of white space around a mistake that are examined."""


def _slip(error: JSONDecodeError) -> str:
    """A mistake that people and other programs commonly make in JSON; "" if it is none of these."""
    before, after = error.doc[max(0, error.pos - _NEARBY) : error.pos], error.doc[error.pos : error.pos + _NEARBY]
    around = (before.rstrip()[-1:] + after.lstrip()).lstrip()  # the position is that of the comma since Python 3.13
    if re.match(r",\s*[}\]]", around) or re.match(r",\s*[}\]]", after):
        return "has a comma before a closing bracket"
    if re.match(r",\s*,", around) or re.match(r",\s*,", after):
        return "has two commas in a row"
    return next((words for begins, words in _SLIPS if after.startswith(begins)), "")
