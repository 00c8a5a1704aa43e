"""Which files of a save by torch.distributed.checkpoint are absent: without them no program merges the others.

Source: torch.distributed.checkpoint, `filesystem.py`. Each rank writes `__RANK_N.distcp`. The coordinating rank writes
`.metadata`, a pickle with the name of the file that has each piece; where every rank writes its own, they are
`__RANK.metadata`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from inspector.loader.sources.source import Forewarned, Refusal, Source

if TYPE_CHECKING:
    from inspector.findings.reading.training import PartitionedSave

WRITERS: Final = frozenset({"fsdp", "dcp"})
"""Kinds of partitions that are saves of torch.distributed.checkpoint."""
MODEL: Final = "pytorch_model"
"""Beginning of the folder in which accelerate saves the model; the optimizer has another."""
METADATA: Final = ".metadata"
LARGEST: Final = 1 << 25
"""Bytes of the largest .metadata that is read."""
_PIECES: Final = re.compile(r"__[0-9]+_[0-9]+\.distcp")
_NAMED: Final = re.compile(rb"__[0-9]+_[0-9]+\.distcp")


def absent_files(save: PartitionedSave, source: Source) -> tuple[str, ...]:
    """`.metadata`, or the files that it names and that are not there; () where the place does not prove it."""
    if save.what not in WRITERS or isinstance(source, Forewarned):
        return ()
    place = _folder(save, source)
    if isinstance(place, Refusal):
        return ()
    listing = place.listing()
    stored = {name for name in listing.files if _PIECES.fullmatch(name)}
    if not (stored and listing.complete) or METADATA in listing.others:
        return ()
    if METADATA not in listing.files:
        return () if any(name.endswith(METADATA) for name in listing.files) else (METADATA,)
    names = place.read_whole(METADATA, LARGEST)
    named = set() if isinstance(names, Refusal) else {one.decode() for one in _NAMED.findall(names)}
    return tuple(sorted(named - stored))


def _folder(save: PartitionedSave, source: Source) -> Source | Refusal:
    """The folder with the files of a save, whose names are those of its files or of its folders."""
    of_model = (name for name in save.names if name.rpartition("/")[2].startswith(MODEL))
    path = next(of_model, "") if save.what == "fsdp" else save.names[0].rpartition("/")[0]
    place: Source | Refusal = source
    for part in path.split("/") if path else ():
        if isinstance(place, Refusal):
            return place
        place = place.inside(part)
    return place
