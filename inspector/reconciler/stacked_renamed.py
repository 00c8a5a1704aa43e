"""Recognises stacked experts under other names, where the definition expects experts one by one unless they are stored
stacked under its own names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from inspector.budget import spend
from inspector.findings.finding import Place
from inspector.findings.names.renamed import TensorRenamed
from inspector.matcher.families import rekeyed
from inspector.matcher.spelling import best_match
from inspector.notation.slots import Slot
from inspector.notation.spelling import template
from inspector.reconciler.place import Placement, Unexpected
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.renaming import ALIKE, RENAMED, STEPS_A_LIKENESS, Change, change_between, likeness
from inspector.reconciler.wording import family_name, names_in, place_name, place_of

MOST_NAMED = 64
"""Most tensors of a family that are renamed one by one."""
MOST_CHANGES = 2
"""Most changes of names that are tried."""
MOST_COMPARED = 4_000
"""Most pairs of names that are compared."""


def stacked_renamed(case: Reconciled, again: Again) -> tuple[TensorRenamed, Placement] | None:
    """The finding, and the differences that it does not explain; None where the names, so changed, do not fit."""
    before = case.as_configured
    if not before.missing or not before.unexpected or case.reading.prefix:
        return None
    forms = _other_forms(case)
    if not forms or len(forms) * len(before.unexpected) > MOST_COMPARED:
        return None
    for renames in _renames(before, forms):
        after = _under(case, again, renames)
        new_names = set(renames.values())
        left = {one.key for one in after.unexpected} | {one.block.key for one in after.missing}
        left |= {one.block.key for one in after.mismatched}
        fewer = sum(one.tensors for one in before.missing) > sum(one.tensors for one in after.missing)
        if fewer and not left & new_names and len(after.mismatched) <= len(before.mismatched):
            renamed = sorted((one for one in before.unexpected if one.key in renames), key=lambda one: one.key)
            slots = forms | {gap.block.key: gap.block.slot for gap in before.missing}
            return _finding(renamed, renames, slots), after
    return None


def _other_forms(case: Reconciled) -> dict[str, Slot]:
    """The rows of the definition that it expects only where they are stored, instead of the missing ones."""
    missing = {(number, side) for gap in case.as_configured.missing for number, side in gap.block.slot.choices}
    bound = {block.key for block in case.plan.blocks}
    forms: dict[str, Slot] = {}
    for slot in case.plan.unrolled.slots:
        if any((number, 1 - side) in missing for number, side in slot.choices) and not slot.optional:
            key = template(case.plan.spelling.spelled(slot, case.plan.scope))[0]
            if key not in bound:
                forms.setdefault(key, slot)
    return forms


def _renames(placement: Placement, forms: Mapping[str, Slot]) -> Iterator[dict[str, str]]:
    """Unexpected keys -> expected keys under one change of names, for the changes that most of the other form shows.

    The same change is also undone in the names of other missing tensors.
    """
    extras = sorted({one.key for one in placement.unexpected})
    changes: dict[Change, dict[str, str]] = {}
    for form in forms:
        spend(STEPS_A_LIKENESS * (1 + len(extras)), RENAMED)
        alike = [(likeness(form, key), key) for key in extras if _may_be(form, key)]
        if alike and max(alike)[0] >= ALIKE:
            changes.setdefault(change_between(form, max(alike)[1]), {})[max(alike)[1]] = form
    others = {gap.block.key for gap in placement.missing}
    for change, renames in sorted(changes.items(), key=lambda one: -len(one[1]))[:MOST_CHANGES]:
        alike_others = {
            key: other for key in extras for other in others if key not in renames and _may_be(other, key)
            and change_between(other, key) == change
        }  # fmt: skip
        both = renames | alike_others
        if len(set(both.values())) == len(both):
            yield both


def _may_be(expected: str, stored: str) -> bool:
    """True if two keys have the same end and the same number of indices."""
    return expected.rpartition(".")[2] == stored.rpartition(".")[2] and expected.count("#") == stored.count("#")


def _under(case: Reconciled, again: Again, renames: Mapping[str, str]) -> Placement:
    """The differences under the expected names."""
    reading = case.reading
    families = rekeyed(reading.families, lambda key: renames.get(key, key))
    match = best_match(reading.scope, families, case.claim.head)
    return again(case.claim, replace(reading, families=families, match=match), solve=False).as_configured


def _finding(renamed: list[Unexpected], renames: Mapping[str, str], forms: Mapping[str, Slot]) -> TensorRenamed:
    first = renamed[0]
    expected = renames[first.key]
    old, new, begins = change_between(expected, first.key)
    pairs: list[tuple[str, str]] = []
    for one in renamed:
        if one.tensors > MOST_NAMED:
            pairs.append((one.key.replace("#", "*"), renames[one.key].replace("#", "*")))
            continue
        names = names_in(one.key, one.boxes, MOST_NAMED), names_in(renames[one.key], one.boxes, MOST_NAMED)
        pairs.extend(zip(*names, strict=True))
    return TensorRenamed(
        place=place_of(expected, first.boxes) if len(renames) == 1 else Place(),
        stored=place_name(first.key, first.boxes),
        expected=place_name(expected, first.boxes),
        tensors=sum(one.tensors for one in renamed),
        shape=first.layout.shape,
        role=forms[expected].role,
        families=tuple(family_name(one) for one in sorted(set(renames.values()))),
        old=old,
        new=new,
        begins=begins,
        renames=tuple(pairs),
        confidence="likely",
    )
