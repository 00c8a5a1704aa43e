"""Findings on a prefix of stored names that no definition has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.findings.names.prefixes import PADDLE, NamesBelowPrefix, PrefixOnNames
from inspector.findings.names.renamed import TensorRenamed
from inspector.findings.words import listed
from inspector.matcher.spelling import WRAPPERS
from inspector.notation.spelling import template

if TYPE_CHECKING:
    from inspector.findings.finding import Finding
    from inspector.matcher.families import Families
    from inspector.reconciler.reconcile import Reconciled


PREFIX_OF_PADDLE: Final = "ernie."
OF_PADDLE: Final = "ernie4_5"
"""The beginning of the definitions whose classes in PaddlePaddle have this prefix."""


def prefix_on_names(case: Reconciled) -> tuple[Finding, bool]:
    """(the finding on the prefix of a reading, True if it replaces the prefix of the class)."""
    reading = case.reading
    wrappers = reading.prefix.removeprefix("*").split("|")
    inner, whose = " and ".join(wrappers), " and ".join(filter(None, map(_wrapped_by, wrappers)))
    whose = whose or _framework(inner, reading.name)
    tensors = sum(family.tensors for family in reading.families.values())
    most = not reading.part or 2 * reading.part > tensors
    without = tensors - reading.part if reading.part else 0
    inside, having = reading.prefix.startswith("*"), reading.part or tensors
    if reading.by_names and not whose and most and case.claim.definition is None:
        below = NamesBelowPrefix(prefix=inner, inside=inside, wrapper=whose, tensors=having, without=without)
        return below, False
    root = "" if whose else _own_prefix(case)
    found = PrefixOnNames(prefix=inner, inside=inside, wrapper=whose, tensors=having, without=without, root=root)
    return found, bool(root)


def _framework(prefix: str, definition: str) -> str:
    """The framework whose class of this model adds a prefix; "" if none is known."""
    return PADDLE if prefix == PREFIX_OF_PADDLE and definition.startswith(OF_PADDLE) else ""


def _wrapped_by(prefix: str) -> str:
    """The wrappers that add a prefix: one, or several around each other; "" if any part of the prefix is unknown."""
    for wrapper, name in WRAPPERS.items():
        if prefix == wrapper:
            return name
        if prefix.startswith(wrapper) and (inner := _wrapped_by(prefix.removeprefix(wrapper))):
            return name if inner == name else f"{name} and {inner}"
    return ""


def _own_prefix(case: Reconciled, others: int = 0) -> str:
    """The prefix of the class before its base model, if exactly this model has the other prefix; else "".

    others: the number of further tensors below that prefix which the model has under other names.
    """
    claim, scope = case.claim, case.corrected.scope
    if claim.head is None or claim.definition is not case.reading.definition:
        return ""
    root, body = claim.head.root, [one for one in case.placement.placed if one.block.slot.body]
    if not root or sum(one.tensors for one in body) + others != case.reading.part:
        return ""
    spelling = replace(case.corrected.spelling, root=root, dialect=0)
    below = (template(spelling.spelled(one.block.slot, scope))[0] == root + one.block.key for one in body)
    return root if all(below) else ""


def parts_below_prefixes(case: Reconciled, found: Sequence[Finding], families: Families) -> PrefixOnNames | None:
    """The finding if each part of the class is complete below a prefix of its own.

    found: the findings on the differences of the reading, whose prefix is before one part. The other parts are in them
    as renamed tensors; those that begin with the prefix of the class are as the class has them.
    """
    renamed = [one for one in found if isinstance(one, TensorRenamed) and one.renames]
    if not found or len(renamed) != len(found):
        return None
    prefix = case.reading.prefix
    parts = [(one, _in_file(one, prefix, families)) for one in renamed]
    root = _own_prefix(case, sum(one.tensors for one, names in parts if names[0][0].startswith(prefix)))
    before = [(one, names, names[0][0].removesuffix(names[0][1])) for one, names in parts]
    if not root or any(names[0][0] == wrong for _, names, wrong in before):
        return None
    before = [one for one in before if one[2] != root]
    placed = sum(one.tensors for one in case.placement.placed if one.block.slot.body)
    tensors = placed + sum(one.tensors for one, _, _ in before)
    return PrefixOnNames(
        prefix=prefix, inside=False, wrapper="", tensors=tensors, root=root,
        renames=tuple((stored, root + expected) for _, names, _ in before for stored, expected in names),
        without=sum(family.tensors for family in case.reading.families.values()) - tensors,
        others=tuple((wrong, listed(_parts_of(one), 4)) for one, _, wrong in before),
    )  # fmt: skip


def _in_file(finding: TensorRenamed, prefix: str, families: Families) -> tuple[tuple[str, str], ...]:
    """The renames with the stored names as in the file: those that have the prefix of the reading have it again."""
    first = finding.renames[0][0]
    whole = first.replace("*", "#") in families or key_of(first)[0] in families
    return finding.renames if whole else tuple((prefix + stored, expected) for stored, expected in finding.renames)


def _parts_of(finding: TensorRenamed) -> tuple[str, ...]:
    return tuple(dict.fromkeys(expected.partition(".")[0] for _, expected in finding.renames))


def prefix_in_place(case: Reconciled) -> PrefixOnNames | None:
    """The finding if a prefix replaces the one that all missing tensors of the class begin with."""
    reading, missing = case.reading, case.as_configured.missing
    tensors = sum(family.tensors for family in reading.families.values())
    if not reading.part or reading.prefix.startswith("*") or sum(gap.tensors for gap in missing) != reading.part:
        return None
    root = f"{missing[0].block.key.partition('.')[0]}."
    for gap in missing:
        stored = reading.families.get(gap.block.key.removeprefix(root))
        if not gap.block.key.startswith(root) or stored is None or stored.shapes != {gap.block.shape}:
            return None
    return PrefixOnNames(
        prefix=reading.prefix, inside=False, wrapper="", tensors=reading.part, without=tensors - reading.part, root=root
    )
