"""Finds settings that scale rotary embeddings and name no type, in models that transformers loads completely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.loading.outcome import REFUSES
from inspector.loading.tables import NEWEST, OLDER, version_of

if TYPE_CHECKING:
    from inspector.findings.untyped_rotary import RotaryTypeMissing


def untyped_rotary(audited: Audit) -> Iterator[RotaryTypeMissing]:
    """A warning for each object with such settings."""
    config = audited.checkpoint.config
    if config is None or config.kind != "config" or not any(key.startswith("rope_") for key in _keys(config.values)):
        return
    from inspector.loading.untyped_rotary import untyped_settings

    loads = {str(one.version)[:1]: one for one in audited.loads if one.loader == "transformers"}
    for found in untyped_settings(config.values):
        from inspector.findings.untyped_rotary import RotaryTypeMissing

        holder: Any = config.values
        for key in found.path:
            holder = holder[key]
        place = Place(file=config.file, key=".".join((*found.path, "rope_type")))
        older = loads.get(OLDER)
        yield RotaryTypeMissing(
            place=place,
            file=config.file,
            path=found.path,
            stated=tuple((key, holder[key]) for key in found.keys),
            kinds=found.kinds,
            newest=str(version_of(NEWEST)),
            older=str(older.version)
            if older is not None and older.outcome == REFUSES and place.key in older.keys
            else "",
        )


def _keys(values: object) -> Iterator[str]:
    """The keys of a config and of its parts."""
    for key, one in values.items() if isinstance(values, dict) else ():
        yield str(key)
        if isinstance(one, dict):
            yield from map(str, one)
