"""Turns the outcomes of comparing values into findings: one for each cause, or for each role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from inspector.comparing.rearranged import exchanged
from inspector.comparing.symbols import row_of
from inspector.dialects.language import JOINED
from inspector.findings.conversion.not_finite import ValuesOverflowed
from inspector.findings.conversion.order import NotConverted, RowsMisordered, ValuesComputed
from inspector.findings.conversion.quantized import ValuesQuantized
from inspector.findings.conversion.values import RowsReordered, ValuesDiffer, ValuesRounded, ValuesUnchanged
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.values.blocks import FORMATS
from inspector.values.names import place_of_names
from inspector.values.relation import SCALED
from inspector.values.result import (
    COMPUTED,
    DIFFERENT,
    EQUAL,
    MISORDERED,
    OVERFLOWED,
    QUANTIZED,
    REORDERED,
    ROUNDED,
    UNCONVERTED,
    Values,
    Verdict,
)


def value_findings(found: Values, moved: frozenset[str]) -> Iterator[Finding]:
    """One finding for each role with different values, or for all roles; one for all tensors that were rounded or
    reordered.

    moved: tensors that another finding explains.
    """
    found = _with_joined(found)
    changed = [verdict for verdict in found.verdicts if verdict.what == DIFFERENT and verdict.target not in moved]
    swapped = exchanged(changed)
    same = [verdict.target for verdict in found.verdicts if verdict.what == EQUAL and verdict.matrix]
    if swapped:
        members = [verdict for verdict in changed if verdict.target in swapped]
        yield _differing("", members, found, tuple(swapped.values())[:NAMES_SHOWN])
    left = [verdict for verdict in changed if verdict.target not in swapped]
    for members in _by_relation(left).values():
        yield _differing(members[0].role if len({one.role for one in members}) == 1 else "", members, found)
    left = [verdict for verdict in left if not verdict.relation]
    throughout = len({verdict.role for verdict in left}) >= FEWEST_ROLES and len(left) > len(same)
    roles = {"": left} if throughout else _by_role(left)
    for role, members in roles.items():
        yield _differing(role, members, found)
    if same and len(changed) > len(same):
        yield ValuesUnchanged(
            tensors=len(same),
            of=sum(verdict.matrix for verdict in found.verdicts),
            names=tuple(same[:NAMES_SHOWN]),
            where=place_of_names(same),
        )
    for what, kind in ((UNCONVERTED, NotConverted), (MISORDERED, RowsMisordered)):
        names = [verdict.target for verdict in found.verdicts if verdict.what == what]
        if names:
            yield kind(
                tensors=len(names),
                of=len(found.verdicts),
                names=tuple(names[:NAMES_SHOWN]),
                where=place_of_names(names),
            )
    yield from _overflowed(found)
    yield from _harmless(found)


def _with_joined(found: Values) -> Values:
    """The values. If some parts of a matrix have rows in an order that the loader does not expect, this holds for all
    its parts.

    A part without such rows would otherwise be DIFFERENT if its rows are reordered.
    """
    disordered = {one.target: one.what for one in found.verdicts if one.what in (UNCONVERTED, MISORDERED)}
    verdicts = [
        replace(one, what=disordered[one.target])
        if one.what == DIFFERENT and one.relation == EXCHANGED and one.target in disordered
        else one
        for one in found.verdicts
    ]
    return replace(found, verdicts=verdicts)


EXCHANGED = "rows exchanged"
FEWEST_ROLES = 4
"""From this number of roles on, differing values in most matrices are one finding: further training, not damage."""


def _overflowed(found: Values) -> Iterator[Finding]:
    """One finding for each pair of dtypes if one cannot represent values of the other."""
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in found.verdicts:
        if verdict.what == OVERFLOWED:
            finer = verdict.difference.rounding == "finer"
            wide, narrow = reversed(verdict.dtypes) if finer else verdict.dtypes
            groups.setdefault((wide, narrow, "source" if finer else "target"), []).append(verdict)
    for (wide, narrow, side), members in groups.items():
        names = [one.source if side == "source" else one.target for one in members]
        yield ValuesOverflowed(
            tensors=len(members),
            names=tuple(names[:NAMES_SHOWN]),
            where=place_of_names(names),
            infinite=sum(one.difference.overflowed for one in members),
            of=sum(one.difference.elements for one in members),
            largest=max(one.difference.limit for one in members),
            wide=wide,
            narrow=narrow,
            narrowed=side,
        )


def _differing(role: str, members: Sequence[Verdict], found: Values, holds: tuple[str, ...] = ()) -> Finding:
    """The finding on different values. role: of all members, "" for several. holds: tensors whose values they contain
    instead.
    """
    worst = max(members, key=lambda verdict: verdict.difference.largest)
    own = {verdict.role for verdict in members}
    reported = worst.difference
    return ValuesDiffer(
        place=Place(tensor=worst.target if len(members) == 1 else None),
        role=role or worst.role,
        tensors=len(members),
        of=sum(bool(not role) or verdict.role in own for verdict in found.verdicts),
        names=tuple(verdict.target for verdict in members[:NAMES_SHOWN]),
        where=place_of_names([verdict.target for verdict in members]),
        tensor=worst.target,
        differing=reported.differing,
        elements=reported.elements,
        beyond=reported.beyond,
        largest=reported.largest,
        at=reported.place,
        values=(reported.source, reported.target),
        roles=() if role else tuple(dict.fromkeys(verdict.role for verdict in members)),
        holds=holds,
        relation=members[0].relation,
        rows_exchanged=members[0].rows,
        factor=members[0].factor if len({one.factor for one in members}) == 1 else None,
        rows_of_roles=0 if role else len({row_of(verdict.role) for verdict in members}),
    )


def _by_relation(changed: Sequence[Verdict]) -> dict[tuple[str, tuple[int, ...]], list[Verdict]]:
    """The tensors with values that all follow from the source in one way, by this way.

    Tensors that several ways explain, such as a norm of ones that became twos, are grouped with the others.
    """
    found: dict[tuple[str, tuple[int, ...]], list[Verdict]] = {}
    factors = {verdict.factor for verdict in changed if verdict.relation == SCALED}
    changed = [replace(one, relation=SCALED) if one.factor in factors - {None} else one for one in changed]
    for verdict in changed:
        if verdict.relation:
            found.setdefault((verdict.relation, verdict.rows), []).append(verdict)
    return found


def _by_role(changed: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The tensors with different values by role. Parts of the same fused matrices are grouped together."""
    roles: dict[str, list[Verdict]] = {}
    for verdict in changed:
        roles.setdefault(verdict.role, []).append(verdict)
    for whole, parts in JOINED.items():
        members = [roles[part] for part in parts if part in roles]
        if len(members) > 1 and len({frozenset(one.target for one in each) for each in members}) == 1:
            roles[whole] = [verdict for part in parts for verdict in roles.pop(part, ())]
    return roles


def _quantized(found: Values) -> Iterator[Finding]:
    """One finding for all quantized tensors, whatever else was changed, with the largest error of each format."""
    worst: dict[str, Verdict] = {}
    members = [one for one in found.verdicts if one.difference.error and one.what in (QUANTIZED, REORDERED, COMPUTED)]
    for one in members:
        name = " and ".join(dict.fromkeys(dtype for dtype in one.dtypes if dtype in FORMATS))
        if name not in worst or worst[name].difference.error < one.difference.error:
            worst[name] = one
    if members:
        yield ValuesQuantized(
            tensors=len(members),
            names=tuple(one.target for one in members[:NAMES_SHOWN]),
            formats=tuple(worst),
            errors=tuple(one.difference.error for one in worst.values()),
            worst=tuple(one.target for one in worst.values()),
        )


def _harmless(found: Values) -> Iterator[Finding]:
    """One finding each for all tensors that were rounded, reordered, computed and quantized."""
    yield from _quantized(found)
    for what, kind in ((ROUNDED, ValuesRounded), (REORDERED, RowsReordered), (COMPUTED, ValuesComputed)):
        members = [verdict for verdict in found.verdicts if verdict.what == what]
        if members:
            ways = dict.fromkeys(verdict.difference.rounding for verdict in members if verdict.difference.rounding)
            made = kind(
                tensors=len(members),
                names=tuple(verdict.target for verdict in members[:NAMES_SHOWN]),
                ways=tuple(ways),
                largest=max(verdict.difference.largest for verdict in members),
            )
            rounded = [verdict.difference for verdict in members if verdict.difference.last_bits]
            if rounded:
                bits, values = sum(one.last_bits for one in rounded), sum(one.elements for one in rounded)
                made = replace(made, last_bits=bits, of_values=values)
            yield made
