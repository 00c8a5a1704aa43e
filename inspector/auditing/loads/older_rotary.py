"""Finds settings of rotary embeddings that the newest transformers reads and an older one replaces by its defaults."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.loading.older_rotary import NEWER, unread_by_older
from inspector.loading.outcome import COMPLETE
from inspector.loading.tables import NEWEST, OLDER

if TYPE_CHECKING:
    from inspector.findings.older_rotary import OlderRotaryDiffers


def older_rotary(audited: Audit) -> Iterator[OlderRotaryDiffers]:
    """A note for each config of a model that both versions load completely, if they compute other positions."""
    config = audited.checkpoint.config
    loads = {str(one.version)[:1]: one for one in audited.loads if one.loader == "transformers"}
    newest, older = loads.get(NEWEST), loads.get(OLDER)
    if config is None or newest is None or older is None:
        return
    if (newest.outcome, older.outcome) != (COMPLETE, COMPLETE):
        return
    for path, settings in groupby(unread_by_older(config.values), lambda one: one.path):
        from inspector.findings.older_rotary import OlderRotaryDiffers

        yield OlderRotaryDiffers(
            place=Place(key=".".join((*path, NEWER))),
            file=config.file,
            path=path,
            settings=tuple((one.key, one.stated, one.used) for one in settings),
            older=str(older.version),
            newest=str(newest.version),
        )
