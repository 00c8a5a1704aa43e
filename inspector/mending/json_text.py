"""Changes single values of a JSON text and leaves every other character as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import JSONDecoder
from typing import Any, Final, NamedTuple

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = JSONDecoder()


class NotEditable(Exception):
    """Raised if the text is not an object that contains the path to change."""


class _Member(NamedTuple):
    key: str
    start: int
    value: int
    end: int


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the value at a path set. Objects on the path that are missing or null are created.

    Raises NotEditable if the text, or a value on the path, is not an object.
    """
    at = _opening(text, 0)
    for depth, key in enumerate(path):
        members = list(_members(text, at))
        member = next((one for one in reversed(members) if one.key == key), None)
        if member is None:
            return _inserted(text, at, members, key, _nested(path[depth + 1 :], value))
        if depth + 1 == len(path) or text[member.value : member.end] == "null":
            written = _written(_nested(path[depth + 1 :], value), text, member.start)
            return text[: member.value] + written + text[member.end :]
        at = _opening(text, member.value)
    raise NotEditable("no key was named")


def _nested(path: Sequence[str], value: Any) -> Any:
    """The value inside new objects."""
    for key in reversed(path):
        value = {key: value}
    return value


def without_key(text: str, path: Sequence[str]) -> str:
    """The text without the key at a path; unchanged if the key is absent."""
    at = _opening(text, 0)
    for depth, key in enumerate(path):
        members = list(_members(text, at))
        found = [place for place, one in enumerate(members) if one.key == key]
        if not found:
            return text
        place = found[-1]
        if depth + 1 < len(path):
            at = _opening(text, members[place].value)
        elif place:
            return text[: members[place - 1].end] + text[members[place].end :]
        elif len(members) > 1:
            return text[: members[0].start] + text[members[1].start :]
        else:
            return text[: at + 1] + text[text.index("}", members[0].end) :]
    return text


def _opening(text: str, at: int) -> int:
    """The position of the brace that opens the object at a position."""
    at = _skip(text, at)
    if text[at : at + 1] != "{":
        raise NotEditable("not an object")
    return at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _members(text: str, at: int) -> Iterator[_Member]:
    """The members of the object that opens at a position."""
    at = _skip(text, at + 1)
    try:
        while text[at] != "}":
            key, after = _DECODER.raw_decode(text, at)
            value = _skip(text, _skip(text, after) + 1)
            end = _DECODER.raw_decode(text, value)[1]
            yield _Member(key, at, value, end)
            at = _skip(text, end)
            at = _skip(text, at + 1) if text[at] == "," else at
    except (IndexError, ValueError, RecursionError) as error:
        raise NotEditable(str(error)) from None


def _inserted(text: str, at: int, members: Sequence[_Member], key: str, value: Any) -> str:
    """The text with a new last member of the object that opens at a position."""
    name = json.dumps(key, ensure_ascii=False)
    if not members:
        return f"{text[: at + 1]}{name}: {json.dumps(value, ensure_ascii=False)}{text[at + 1 :].lstrip()}"
    first, last = members[0], members[-1]
    before = text[at + 1 : first.start] if len(members) == 1 else _between(text, members)
    written = _written(value, text, last.start)
    return f"{text[: last.end]},{before}{name}: {written}{text[last.end :]}"


def _between(text: str, members: Sequence[_Member]) -> str:
    """The white space before the last member."""
    return text[text.index(",", members[-2].end) + 1 : members[-1].start]


def _written(value: Any, text: str, start: int) -> str:
    """A value as JSON; over several lines if the text itself is."""
    line = text.rfind("\n", 0, start)
    indent = text[line + 1 : start]
    if line < 0 or indent.strip() or not isinstance(value, list | dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    depth = _depth(text, start)
    step = indent[: len(indent) // depth] if depth else indent
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", f"\n{indent}")


def _depth(text: str, start: int) -> int:
    """Number of objects and lists that are open before a position."""
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text[:start])
    return sum(outside.count(one) for one in "{[") - sum(outside.count(one) for one in "}]")
