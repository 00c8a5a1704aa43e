"""Compares two sets of weights that the same loader could read: reports which set it reads, and how they differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.auditing.result import CLEAN, UNDECIDED, Audit, Skipped
from inspector.findings.finding import ContentFinding, Finding, Place
from inspector.loader.checkpoint import Checkpoint, load_other_set
from inspector.loader.loaders import DIFFUSERS, TRANSFORMERS

if TYPE_CHECKING:
    from inspector.findings.stored_set import StoredSet


def with_rival(audited: Audit, judge: Callable[[Checkpoint], Audit]) -> Audit:
    """Adds the finding on a second set if it differs from the audited one.

    judge: audits the other set. If only the other set fits the config, the errors of the audited set follow from the
    choice of the set, and become facts of that finding.
    """
    checkpoint = audited.checkpoint
    name = checkpoint.rival or _of_other_format(audited)
    other = load_other_set(checkpoint, name) if name and not checkpoint.alone else None
    if other is None:
        return audited
    if not other.readable:
        return _not_read(audited, other) if checkpoint.rival else audited
    only_loaded, only_instead = (
        checkpoint.tensors.keys() - other.tensors.keys(),
        other.tensors.keys() - checkpoint.tensors,
    )
    layouts = sum(layout != other.tensors.get(name, layout) for name, layout in checkpoint.tensors.items())
    if not (only_loaded or only_instead or layouts):
        return _not_compared(audited, other) if checkpoint.rival else audited
    kept, problems, aside = list(audited.findings), tuple[str, ...](), other
    wrong = [one for one in kept if one.severity != "note" and _follows_from_the_set(one, checkpoint)]
    of_other = judge(replace(other, alone=True)).findings if wrong or not checkpoint.readable else None
    if of_other is not None and not any(one.severity == "error" for one in of_other):
        remaining = {type(one) for one in of_other}
        wrong = [one for one in wrong if type(one) not in remaining]
        kept = [one for one in kept if one not in wrong]
        problems, aside = tuple(dict.fromkeys(one.code for one in wrong)), checkpoint
    if not (checkpoint.rival or problems):
        return audited
    from inspector.findings.shards.sets import SetsDiffer

    finding = SetsDiffer(
        place=Place(file=checkpoint.set_name),
        loader=(DIFFUSERS if DIFFUSERS.finds(checkpoint.set_name) else TRANSFORMERS).name,
        loaded=_stored(checkpoint),
        instead=_stored(other),
        only_loaded=len(only_loaded),
        only_instead=len(only_instead),
        layouts=layouts,
        fits=other.set_name if aside is checkpoint else "",
        aside=_files(aside),
        problems=problems,
    )
    return audited.with_findings([finding, *kept])


def _of_other_format(audited: Audit) -> str:
    """The set of PyTorch files that the loader would read without the safetensors, if the safetensors do not fit."""
    taken = audited.checkpoint.set_name
    loader = next((one for one in (TRANSFORMERS, DIFFUSERS) if one.finds(taken)), None)
    wrong = [one for one in audited.findings if one.severity == "error" or _is_without_head(one)]
    if loader is None or not wrong or not all(_follows_from_the_set(one, audited.checkpoint) for one in wrong):
        return ""
    others = {other.name for other in audited.checkpoint.other_sets}
    return next((name for name in loader.files[loader.files.index(taken) + 1 :] if name in others), "")


def _is_without_head(finding: Finding) -> bool:
    """True for the warning that nothing of the class's head is stored: a conversion of the base model loses it."""
    if finding.severity == "note":
        return False
    from inspector.findings.class_names import HeadUntrained

    return isinstance(finding, HeadUntrained)


def _follows_from_the_set(finding: Finding, checkpoint: Checkpoint) -> bool:
    """True if a finding depends on the choice of the set.

    It is on the content, no tensor or shard of the set is stored, or its tensors are empty.
    """
    from inspector.findings.reading.content import WeightsWithoutTensors
    from inspector.findings.reading.training import WeightsEmptied

    if isinstance(finding, ContentFinding | WeightsWithoutTensors | WeightsEmptied):
        return True
    return finding.incomplete and not checkpoint.files


def _not_read(audited: Audit, other: Checkpoint) -> Audit:
    """The audit with the finding on a set of which nothing can be read."""
    from inspector.findings.shards.sets import SetUnreadable

    problems = tuple(dict.fromkeys(one.code for one in other.findings if one.severity != "note"))
    place = Place(file=audited.checkpoint.rival)
    found = SetUnreadable(place=place, audited=audited.checkpoint.set_name, problems=problems)
    return audited.with_findings([found, *audited.findings])


def _not_compared(audited: Audit, other: Checkpoint) -> Audit:
    """The audit with the open question on two sets with the same tensors: headers do not show if they hold the same
    numbers.
    """
    because = f"{audited.checkpoint.set_name} is loaded, {other.set_name} has the same names and shapes"
    skipped = Skipped("which of two sets is meant", because, decisive=True)
    verdict = UNDECIDED if audited.verdict == CLEAN else audited.verdict
    return replace(audited, skipped=(*audited.skipped, skipped), verdict=verdict)


def _stored(checkpoint: Checkpoint) -> StoredSet:
    from inspector.findings.stored_set import StoredSet

    total = sum(file.bytes for file in checkpoint.files)
    kind = "safetensors" if ".safetensors" in checkpoint.set_name else "pytorch"
    return StoredSet(checkpoint.set_name, len(checkpoint.files), total, kind)


def _files(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The files of a set, the index first."""
    return tuple(dict.fromkeys((checkpoint.set_name, *(file.name for file in checkpoint.files))))
