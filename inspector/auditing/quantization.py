"""What unpacking showed, as evidence: one cause, one case, however many modules it touches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from inspector.algebra.boxes import count
from inspector.evidence import Evidence, Fact, Place
from inspector.quantization.unpacking import Case, Unpacked
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name

ROLE = "packing helper"
BIAS_ROLE = "packing bias"
MOST_TOLD = 5
"""More cases of one kind than this are told as one."""
MOST_MODULES = 16
"""And so are cases of more modules."""


def helper_lines(unpacked: Unpacked) -> Iterator[Line]:
    """The lines of scales, zero points, indices and quantization state."""
    for one in unpacked.helpers:
        elements = one.layout.elements * one.tensors
        yield Line(one.key, ROLE, ledger.HELPER, one.layout, one.boxes, one.tensors, elements, 0)


def packing_evidence(unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Evidence]:
    """Everything worth telling about packed modules. lines: the whole ledger."""
    settings = unpacked.settings
    config = [case for case in unpacked.cases if case.rule == "packing-config-disagrees"]
    others = [case for case in unpacked.cases if case.rule != "packing-config-disagrees"]
    if any(case.facts["what"] == "method" for case in config):  # the other settings are then another method's
        config = [case for case in config if case.facts["what"] == "method"]
        others = [case for case in others if case.rule not in ("module-not-packed", "skipped-but-packed")]
    told = {(case.of, case.boxes) for case in config}
    others = [case for case in others if case.rule != "packing-helper-missing" or (case.of, case.boxes) not in told]
    yield from _disagreements(unpacked, config)
    for members in _grouped(others):
        yield _evidence(members)
    yield from _undecided(lines)
    yield from _biases(lines)
    packed = sum(unpacked.schemes.values())
    if settings.known and not packed and settings.base.method not in (None, "bitnet"):
        yield Evidence(
            "nothing-packed",
            Place(key=settings.source),
            {"method": settings.base.method, "bits": settings.base.bits, "group_size": settings.base.group_size},
        )
    if settings.unclear:
        yield Evidence("packing-entry-unclear", Place(key=settings.source), {"entries": list(settings.unclear[:20])})


def _disagreements(unpacked: Unpacked, cases: Sequence[Case]) -> Iterator[Evidence]:
    """A setting beside the shapes: against most modules it is the config's fault, against few the modules'."""
    odd: dict[str, list[tuple[list[Case], int]]] = {}
    for members in _split(cases, lambda case: (case.facts["key"], case.facts["what"], case.facts["weights"])).values():
        first = members[0]
        tensors = sum(case.tensors for case in members)
        agreeing = unpacked.agreed.get((str(first.facts["key"]), str(first.facts["what"])), 0)
        if agreeing > tensors:
            places = repr([(case.key, case.boxes) for case in members])
            odd.setdefault(places, []).append((members, agreeing))
        else:
            facts = {**first.facts, **_facts(members), "agreeing": agreeing}
            yield Evidence("packing-config-disagrees", Place(key=str(first.facts["key"])), facts)
    for told in odd.values():
        members = told[0][0]
        settings: list[Fact] = [{name: one[0].facts[name] for name in ("key", "config", "weights")} for one, _ in told]
        agreeing = min(number for _, number in told)
        facts = {**_facts(members), "settings": settings, "agreeing": agreeing}
        yield Evidence("packed-otherwise", _place(members), facts)


def _grouped(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """Cases of one kind at the same layers and experts together; very many of a kind all together."""
    for kind in _split(cases, _kind).values():
        groups = list(_split(kind, lambda case: tuple(case.boxes)).values())
        modules = sum(case.tensors for case in kind)
        if len(groups) > MOST_TOLD or modules > MOST_MODULES or kind[0].rule in _ALWAYS_ONE:
            yield kind
        else:
            yield from groups


_ALWAYS_ONE = frozenset({"packing-unknown", "skipped-but-packed", "cache-scales-stored"})


def _kind(case: Case) -> object:
    facts = case.facts
    return case.rule, case.scheme, *(json.dumps(facts.get(name)) for name in ("helper", "entry", "signature", "values"))


def _split(cases: Iterable[Case], by: Callable[[Case], object]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(repr(by(case)), []).append(case)
    return found


def _evidence(members: Sequence[Case]) -> Evidence:
    facts = {**members[0].facts, **_facts(members)}
    for total in ("elements", "bytes"):
        if total in members[0].facts:
            facts[total] = sum(number for case in members if isinstance(number := case.facts[total], int))
    return Evidence(members[0].rule, _place(members), facts)


def _facts(members: Sequence[Case]) -> dict[str, Fact]:
    names = [name for case in members[:20] for name in names_in(case.key, case.boxes, 5)]
    return {
        "scheme": members[0].scheme,
        "modules": sum(case.tensors for case in members),
        "families": list(dict.fromkeys(family_name(case.key) for case in members))[:20],
        "names": names[:20],
        "where": _where(members),
    }


def _where(members: Sequence[Case]) -> str:
    words = dict.fromkeys(indices_in_words(case.key, case.boxes) for case in members)
    return "; ".join(word for word in list(words)[:3] if word)


def _place(members: Sequence[Case]) -> Place:
    first = members[0]
    if len(members) > 1:
        return Place(indices=_where(members) or None)
    single = count(first.boxes) == 1
    return Place(
        tensor=place_name(first.key, first.boxes) if single else None,
        family=family_name(first.key),
        indices=indices_in_words(first.key, first.boxes) or None,
    )


def undecided(lines: Sequence[Line]) -> bool:
    """Whether there are packed tensors whose logical size no header tells and no card decides."""
    return next(_undecided(lines), None) is not None


def _undecided(lines: Sequence[Line]) -> Iterator[Evidence]:
    """Packed tensors whose logical size no header tells and no card decides: how far it is known."""
    open_lines = [line for line in lines if _is_open(line)]
    least = sum(_least(line) * line.tensors for line in open_lines)
    most = sum(_most(line) * line.tensors for line in open_lines)
    if least == most:
        return
    yield Evidence(
        "packing-undecided",
        Place(family=family_name(open_lines[0].family)) if len(open_lines) == 1 else Place(),
        {
            "schemes": list(dict.fromkeys(line.packed.scheme for line in open_lines if line.packed is not None)),
            "least": least,
            "most": most,
            "counted": sum(line.parameters for line in open_lines),
            "families": [family_name(line.family) for line in open_lines[:20]],
            "tensors": sum(line.tensors for line in open_lines),
        },
        "likely",
    )


def _is_open(line: Line) -> bool:
    """Whether the size of a line's tensors rests on the header alone, which does not tell it."""
    packed = line.packed
    if packed is None or line.formula or not line.parameters:
        return False
    return packed.known and (bool(packed.bounds) or packed.padding > 1)


def _least(line: Line) -> int:
    assert line.packed is not None
    if not line.packed.bounds:
        return line.layout.elements - line.packed.padding
    elements = 1
    for least, _ in line.packed.bounds:
        elements *= least
    return elements


def _most(line: Line) -> int:
    assert line.packed is not None
    if not line.packed.bounds:
        return line.layout.elements
    elements = 1
    for _, most in line.packed.bounds:
        elements *= most
    return elements


def _biases(lines: Sequence[Line]) -> Iterator[Evidence]:
    """Biases that a packing tool added to modules that have none."""
    added = [line for line in lines if line.kind == ledger.HELPER and line.role == BIAS_ROLE]
    if added:
        yield Evidence(
            "bias-from-packing",
            Place(family=family_name(added[0].family)) if len(added) == 1 else Place(),
            {
                "families": [family_name(line.family) for line in added[:20]],
                "tensors": sum(line.tensors for line in added),
                "elements": sum(line.elements for line in added),
                "bytes": sum(line.bytes for line in added),
            },
            "likely",
        )
