"""Finds the file and the keys in which a checkpoint states a quantization setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.findings.types.formats import PackingFormatUnstated
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.loader.checkpoint import Checkpoint

COPIES: Final[Mapping[str, tuple[str, ...]]] = {"quantization": ("quantization_config",)}
"""Key of mlx-lm's quantization block -> keys of the copies that it writes."""


def with_place(finding: Finding, checkpoint: Checkpoint) -> Finding:
    """Adds the file and the keys to a finding on a setting."""
    if isinstance(finding, PackingConfigDisagrees):
        return _of_stated(finding, checkpoint)
    return _of_unstated(finding, checkpoint) if isinstance(finding, PackingFormatUnstated) else finding


def _of_stated(finding: PackingConfigDisagrees, checkpoint: Checkpoint) -> Finding:
    """The place of a setting that contradicts all modules."""
    for prefix, file, values in _stated(checkpoint):
        keys = _path(values, finding.key.removeprefix(prefix)) if finding.key.startswith(prefix) else ()
        found = _at(values, keys)
        unstated = finding.absent or finding.config is None
        if unstated and finding.plain and found is None and isinstance(_at(values, keys[:-1]), Mapping):
            return replace(finding, file=file, path=keys)
        if found is not None and found == finding.config and not finding.agreeing:
            others = [_path(values, key.removeprefix(prefix)) for key in finding.keys if key != finding.key]
            copies = _copies(values, (keys, *others), found)
            return replace(finding, file=file, path=keys, copies=(*others, *copies))
    return finding


def _copies(values: Mapping[str, object], paths: Sequence[tuple[str, ...]], stated: object) -> list[tuple[str, ...]]:
    """The paths at which copies of a block state the same value."""
    others = [(other, *path[1:]) for path in paths for other in COPIES.get(path[0], ())]
    return [other for other in others if _at(values, other) == stated]


def _path(values: Mapping[str, object], joined: str) -> tuple[str, ...]:
    """The path of keys to a setting, joined by dots; the names of entries may contain dots."""
    above, _, last = joined.rpartition(".")
    keys = _keys(values, above)
    return (*keys, last) if keys is not None else tuple(joined.split("."))


def _of_unstated(finding: PackingFormatUnstated, checkpoint: Checkpoint) -> Finding:
    """The place of a setting that is missing in an existing object."""
    for prefix, file, values in _stated(checkpoint):
        above, _, last = finding.key.removeprefix(prefix).rpartition(".")
        keys = _keys(values, above) if finding.key.startswith(prefix) else None
        if keys is not None:
            return replace(finding, file=file, path=(*keys, last))
    return finding


def _stated(checkpoint: Checkpoint) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """(prefix of the names of its settings, file, its values) of each file that states a quantization."""
    for file, values in checkpoint.side.items():
        yield f"{file}.", file, values
    config = checkpoint.config
    if config is not None and config.kind == "config":
        yield "", config.file, config.values


def _at(values: Mapping[str, object], keys: Sequence[str]) -> object:
    """The value at a path of keys; None if it does not exist."""
    found: object = values if keys else None
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _keys(values: object, joined: str) -> tuple[str, ...] | None:
    """The path of keys to an object that, joined by dots, is the given text; keys may contain dots. None without such a
    path.
    """
    if not isinstance(values, Mapping):
        return None
    if not joined:
        return ()
    for key, inner in values.items():
        if joined == key or joined.startswith(f"{key}."):
            rest = _keys(inner, joined.removeprefix(key).removeprefix("."))
            if rest is not None:
                return (key, *rest)
    return None
