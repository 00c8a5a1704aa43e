"""Groups findings on quantized modules by cause: the kind of module and the layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from inspector.algebra.boxes import count
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.types.modules import PackedModules
from inspector.quantization.unpacked import ModuleProblem
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name

MOST_REPORTED = 2
"""Most cases of one kind that are reported separately."""
MOST_MODULES = 16
"""Most modules that are reported separately."""


def grouped(cases: Sequence[ModuleProblem], quantized: int) -> Iterator[list[ModuleProblem]]:
    """Groups cases of one kind that affect the same layers and experts; groups the whole kind if it has very many cases
    or affects all modules.

    quantized: the number of quantized modules.
    """
    for kind in _split(cases, _kind).values():
        groups = list(_split(kind, lambda case: tuple(case.boxes)).values())
        modules = sum(case.tensors for case in kind)
        many = modules > MOST_MODULES or 2 * modules > quantized
        alone = len({case.key for case in kind}) == 1
        if len(groups) > MOST_REPORTED or many or alone or kind[0].finding.always_one:
            yield kind
        else:
            yield from groups


def _kind(case: ModuleProblem) -> object:
    return type(case.finding).__name__, case.scheme, *case.finding.alike()


def _split(cases: Iterable[ModuleProblem], by: Callable[[ModuleProblem], object]) -> dict[str, list[ModuleProblem]]:
    found: dict[str, list[ModuleProblem]] = {}
    for case in cases:
        found.setdefault(repr(by(case)), []).append(case)
    return found


def completed(members: Sequence[ModuleProblem]) -> Finding:
    """The finding for a group of cases, with the names of all its modules."""
    finding = members[0].finding.summed([case.finding for case in members])
    return with_modules(finding, place_of_modules(members), members)


def with_modules(finding: PackedModules, place: Place, members: Sequence[ModuleProblem]) -> Finding:
    """A finding with the names of its modules."""
    names = [name for case in members[:NAMES_SHOWN] for name in names_in(case.key, case.boxes, 5)]
    return msgspec.structs.replace(
        finding,
        place=place,
        scheme=members[0].scheme,
        modules=sum(case.tensors for case in members),
        families=tuple(dict.fromkeys(family_name(case.key) for case in members))[:NAMES_SHOWN],
        names=tuple(names[:NAMES_SHOWN]),
        where=_where(members),
    )


def _where(members: Sequence[ModuleProblem]) -> str:
    words = dict.fromkeys(indices_in_words(case.key, case.boxes) for case in members)
    return "; ".join(word for word in list(words)[:3] if word)


def place_of_modules(members: Sequence[ModuleProblem]) -> Place:
    """The tensor, family or layers in which the modules of a group are."""
    first = members[0]
    if len(members) > 1:
        return Place(indices=_where(members) or None)
    single = count(first.boxes) == 1
    return Place(
        tensor=place_name(first.key, first.boxes) if single else None,
        family=family_name(first.key),
        indices=indices_in_words(first.key, first.boxes) or None,
    )
