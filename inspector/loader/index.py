"""The index of a set of shards: which tensor is in which file. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct

from inspector.budget import Exceeded
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader import strict_json
from inspector.loader.loaders import DIFFUSERS
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import NOT_REFUSED, Refusal
from inspector.loader.strict_json import DuplicateKeys, JsonFault

INDEX_LIMIT: Final = 64_000_000
"""Largest index, in bytes; the largest known ones have 10 million."""

OF_DIFFUSERS: Final = tuple(DIFFUSERS.stems.values())
"""Beginnings of the names of indexes that diffusers reads."""


class Index(Struct, frozen=True):
    """A parsed index.

    promised: file -> the tensors that the map assigns to it. metadata: as in the file, unchecked except
    for the types of its totals.
    """

    file: str
    weight_map: Mapping[str, str]
    promised: Mapping[str, Sequence[str]]
    metadata: dict[str, object]
    findings: tuple[Finding, ...]
    without_metadata: bool = False

    @property
    def files(self) -> Collection[str]:
        """The files that the index names."""
        return self.promised.keys()


def parse_index(raw: bytes, file: str) -> Index | Finding:
    """Parses an index; for invalid content, returns the finding."""
    doubled: list[str] = []
    try:
        values = strict_json.decode_index(raw)
        plain = isinstance(values, dict) and not _has_doubled(values, raw)
        if isinstance(values, dict) and not plain:
            values = strict_json.decode_index_exact(raw)
            doubled = _doubled_keys(values)
    except Exceeded:
        return unreadable_index(file, JsonFault("needs more memory than an audit may take"), raw)
    if isinstance(values, JsonFault):
        return unreadable_index(file, values, raw)
    if not isinstance(values, dict):
        return unreadable_index(file, JsonFault("is not a JSON object", 0), raw)
    weight_map = values.get("weight_map")
    if not isinstance(weight_map, dict):
        problem = "has no weight_map" if weight_map is None else "has a weight_map that is not an object"
        return unreadable_index(file, JsonFault(problem), raw)
    findings: list[Finding] = []
    if doubled:
        from inspector.findings.shards.index_content import IndexKeyDoubled

        findings.append(IndexKeyDoubled(place=Place(file=file), keys=tuple(doubled[:NAMES_SHOWN]), count=len(doubled)))
    if not plain and set(map(type, weight_map.values())) - {str}:
        bad = [name for name, value in weight_map.items() if type(value) is not str]
        from inspector.findings.shards.index_content import IndexEntryMalformed

        findings.append(IndexEntryMalformed(place=Place(file=file), names=tuple(bad[:NAMES_SHOWN]), tensors=len(bad)))
        weight_map = {name: value for name, value in weight_map.items() if type(value) is str}
    if not file.rpartition("/")[2].startswith(OF_DIFFUSERS):  # diffusers refuses every name with a separator
        weight_map = _in_this_folder(weight_map)
    metadata = values.get("metadata")
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        from inspector.findings.shards.index_content import IndexTotalType

        findings.append(
            IndexTotalType(
                place=Place(file=file, key="metadata"),
                key="metadata",
                value=_shown(metadata),
                type=_type(metadata),
                wanted="an object",
            )
        )
        metadata = {}
    findings.extend(_totals(metadata, file))
    absent = "metadata" not in values
    return Index(file, weight_map, _by_file(weight_map), metadata, tuple(findings), absent)


def _in_this_folder(weight_map: dict[str, str]) -> dict[str, str]:
    """The map with the names of files in the folder itself: `./model.safetensors` is `model.safetensors`."""
    if "./" not in {file[:2] for file in set(weight_map.values())}:
        return weight_map
    return {name: file.removeprefix("./") for name, file in weight_map.items()}


def _by_file(weight_map: dict[str, str]) -> dict[str, list[str]]:
    """The tensors of each file; collected in runs, since consecutive tensors are mostly in one file."""
    names, start = list(weight_map), 0
    found: dict[str, list[str]] = {}
    for file, run in groupby(weight_map.values()):
        stop = start + len(tuple(run))
        found.setdefault(file, []).extend(names[start:stop])
        start = stop
    return found


def unreadable_index(file: str, fault: JsonFault, raw: bytes = b"", refusal: Refusal = NOT_REFUSED) -> Finding:
    """The finding on an unusable index, with its actual format if the first bytes show it."""
    what = recognise(raw[:SNIFF_BYTES], len(raw)) if raw or fault.reason == "is truncated" else ""
    if what in ("json", "unknown", "text"):
        what = ""
    from inspector.findings.shards.index import IndexUnreadable

    return IndexUnreadable(
        place=Place(file=file), problem=fault.reason, position=fault.position, line=fault.line, what=what,
        bytes=len(raw), reason=refusal.reason, detail=refusal.detail,
    )  # fmt: skip


def _has_doubled(values: dict[str, Any], raw: bytes) -> bool:
    """True if an object has a duplicate key, derived from the number of strings; also if it is nested too deeply."""
    weight_map = values.get("weight_map")
    strings = len(values)
    for key, value in values.items():
        if key == "weight_map" and isinstance(weight_map, dict):
            if set(map(type, weight_map.values())) - {str}:
                return True
            strings += 2 * len(weight_map)
            continue
        within = strict_json.strings_within(value)
        if within is None:
            return True
        strings += within
    return strict_json.string_marks(raw) != 2 * strings or strict_json.has_surrogates(raw)


def _doubled_keys(values: object) -> list[str]:
    keys: list[str] = []
    stack = [values]
    while stack:
        item = stack.pop()
        if isinstance(item, DuplicateKeys):
            keys.extend(item.keys_twice)
        if isinstance(item, dict):
            stack.extend(value for value in item.values() if isinstance(value, dict | list))
        elif isinstance(item, list):
            stack.extend(value for value in item if isinstance(value, dict | list))
    return keys


def _totals(metadata: dict[str, object], file: str) -> list[Finding]:
    reported: list[Finding] = []
    for key in ("total_size", "total_parameters"):
        total = metadata.get(key, 0)
        if type(total) is not int:
            from inspector.findings.shards.index_content import IndexTotalType

            reported.append(
                IndexTotalType(
                    place=Place(file=file, key=key),
                    key=key,
                    value=_shown(total),
                    type=_type(total),
                    wanted="an integer",
                )
            )
    return reported


def _shown(value: object) -> str:
    if isinstance(value, list | dict):
        return "[...]" if isinstance(value, list) else "{...}"
    return json.dumps(value[:60] if isinstance(value, str) else value)


def _type(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "a boolean"
    if isinstance(value, float):
        return "a float"
    return "a string" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"
