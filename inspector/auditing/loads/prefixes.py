"""The names, or beginnings of names, where a loader looks for others than are stored."""

from __future__ import annotations

from fnmatch import fnmatchcase

from inspector.auditing.loads.strict import DROPS_HEAD
from inspector.auditing.result import Audit
from inspector.loading.outcome import NOT_IN_FILE, RANDOM, Load


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
