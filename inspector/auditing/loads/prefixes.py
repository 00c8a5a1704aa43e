"""The names, or beginnings of names, where a loader looks for others than are stored."""

from __future__ import annotations

from fnmatch import fnmatchcase

from msgspec.structs import replace

from inspector.auditing.loads.strict import DROPS_HEAD
from inspector.auditing.result import Audit
from inspector.loading.given import Given
from inspector.loading.outcome import COMPLETE, NOT_IN_FILE, RANDOM, Load
from inspector.loading.tables import NEWEST, OLDER
from inspector.loading.transformers import loads


def prefixes(audited: Audit, load: Load) -> tuple[str, str] | None:
    """The stored and the wanted beginning of the names of the base model, if the loader finds none of them."""
    from inspector.findings.names.architecture import NamesOfBaseModel

    named = next((one for one in audited.findings if isinstance(one, NamesOfBaseModel)), None)
    if named is None or NOT_IN_FILE not in load.because or not (named.stored_prefix and named.prefix):
        return None
    if any(name.startswith(named.prefix) for name in audited.checkpoint.tensors):
        return None
    return named.stored_prefix, named.prefix


def renames(audited: Audit, load: Load) -> tuple[tuple[str, str], ...]:
    """Names of an older release that the loader does not know, if all that it misses is stored under them; or that of
    a tied head that is stored without the embedding, or those of a base model.
    """
    from inspector.findings.totals import HeadAloneOfTie

    alone = next((one for one in audited.findings if isinstance(one, HeadAloneOfTie)), None)
    if alone is not None and load.because == DROPS_HEAD:
        return ((alone.stored, alone.wanted),)
    from inspector.auditing.loads.base_names import renames_into_class

    if into_class := renames_into_class(audited, load):
        return into_class
    case = audited.case
    if case is None or load.outcome != RANDOM:
        return ()
    from inspector.reconciler.other_writers import renames_of_older

    found = renames_of_older(case)
    stored = [name for name in audited.checkpoint.tensors if any(fnmatchcase(name, old) for old, _ in found)]
    placed = {id(one.block.slot) for one in case.placement.placed}
    copies = sum(one.tensors for one in case.corrected.blocks if one.tie is not None and id(one.slot) not in placed)
    return found if load.missing in (len(stored), len(stored) + copies) else ()  # copies of random tensors are random


def prefix_of_both(given: Given, older: Load) -> str:
    """The beginning of all names with which both major versions of transformers load the checkpoint, where the older
    one finds no tensor without it; "" if there is none.
    """
    stored = given.checkpoint.tensors
    if older.outcome != RANDOM or NOT_IN_FILE not in older.because or older.missing != len(stored):
        return ""
    wanted = older.because.rpartition(f"{NOT_IN_FILE} ")[2]
    prefix = next((wanted.removesuffix(name) for name in stored if wanted.endswith(f".{name}")), "")
    named = replace(
        given.checkpoint, tensors={f"{prefix}{name}": layout for name, layout in stored.items()}, index=None
    )
    known = replace(given, checkpoint=named, case=None, stored=None)
    both = bool(prefix) and all(loads(known, major).outcome == COMPLETE for major in (NEWEST, OLDER))
    return prefix if both else ""
