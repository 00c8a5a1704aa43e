"""Finds modules that are stored under other numbers than expected and differ from each other: stages, and mixed stacks.

If all modules are alike, the missing and the surplus numbers show the cause (`missing.py`). Here each number means a
different module, so that tensors under wrong numbers are missing, unexpected and mismatched at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box
from inspector.algebra.names import axes_of
from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.matcher.families import Families, Family
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.wording import family_name, indices_in_words, names_in

MOST_TRIED = 4
"""Most parts of names with numbers that are tried in another way."""


class LayerNumbers(Struct, frozen=True):
    """The numbers at the last `#` of a prefix, as stored and as expected, in corresponding order."""

    prefix: str
    stored: Span
    expected: Span
    module: str = ""
    """The module within each number that has this numbering; "" for all modules."""

    @property
    def position(self) -> int:
        """The position of the number among the indices of a name."""
        return axes_of(self.prefix) - 1

    @property
    def shift(self) -> int | None:
        """By how much every stored number is too high; None if that differs."""
        by = self.stored.first - self.expected.first
        return by if self.stored == Span.of(index + by for index in self.expected) else None

    @property
    def in_order(self) -> bool:
        """True if the order shows what each number means: all are shifted, or the surplus numbers follow the expected
        ones.
        """
        surplus = self.stored - self.expected
        follows = surplus.first == self.expected.last + 1 and surplus.last + 1 - surplus.first == surplus.size
        return self.shift is not None or follows

    def changes(self) -> Mapping[int, int]:
        """Stored number -> expected number."""
        return dict(zip(self.stored, self.expected, strict=True))

    def has(self, key: str) -> bool:
        """True if a family is in the modules with these numbers, or is a parameter in a list with them."""
        whole = f"{self.prefix}.{self.module}" if self.module else self.prefix
        return key == whole or key.startswith(f"{whole}.")


def misnumbered(case: Reconciled, again: Again) -> Finding | None:
    """The finding on modules that are complete under other numbers in the same order; None if anything else differs."""
    placement = case.as_configured
    if not (placement.missing and placement.unexpected):
        return None
    for tried, numbers in enumerate(_other_numbers(case)):
        if tried == MOST_TRIED:
            return None
        changed = _changed(case.reading.families, numbers)
        other = again(case.claim, replace(case.reading, families=changed), solve=not case.claim.settings.known)
        if not (other.placement.differences or other.causes):
            return _finding(case, numbers)
    return None


def _other_numbers(case: Reconciled) -> Iterator[LayerNumbers]:
    """Prefixes with as many stored as expected numbers that are not the same numbers; the shortest prefix comes first.

    Whole layers come before single modules in them that only some layers have, such as the module between two stages.
    The expected numbers are tried with and without parts that loaders do not read, such as a layer that predicts
    further tokens.
    """
    required = [block for block in case.plan.blocks if block.required]
    built = [block for block in required if not block.slot.extra]
    sets = [_by_prefix((block.key, (block.axes,)) for block in blocks) for blocks in (required, built)]
    stored = _by_prefix((key, family.boxes) for key, family in case.reading.families.items())
    for where in sorted(stored, key=lambda one: (bool(one[1]), one[0].count("#"), one)):
        for wanted in dict.fromkeys(found[where] for found in sets if where in found):
            if wanted != stored[where] and wanted.size == stored[where].size:
                numbers = LayerNumbers(where[0], stored[where], wanted, where[1])
                if numbers.in_order:
                    yield numbers


def _by_prefix(keys: Iterator[tuple[str, Sequence[Box]]]) -> dict[tuple[str, str], Span]:
    """(prefix that ends in `#`, "" or the following module) -> all numbers there."""
    found: dict[tuple[str, str], list[Span]] = {}
    for key, boxes in keys:
        segments = key.split(".")
        marks = [at for at, segment in enumerate(segments) if segment == "#"]
        for position, at in enumerate(marks):
            prefix, spans = ".".join(segments[: at + 1]), [box[position] for box in boxes]
            for module in {"", *segments[at + 1 : at + 2]} - {"#"}:
                found.setdefault((prefix, module), []).extend(spans)
    return {where: Span.union(spans) for where, spans in found.items()}


def _changed(families: Families, numbers: LayerNumbers) -> Families:
    """The families with the expected numbers."""
    changes, position = numbers.changes(), numbers.position
    changed: dict[str, Family] = {}
    for key, family in families.items():
        if numbers.has(key):
            parts = (
                replace(part, boxes=tuple(_renumbered(box, position, changes) for box in part.boxes))
                for part in family.stored
            )
            family = replace(family, stored=tuple(parts))
        changed[key] = family
    return changed


def _renumbered(box: Box, position: int, changes: Mapping[int, int]) -> Box:
    return (*box[:position], Span.of(changes[index] for index in box[position]), *box[position + 1 :])


def _finding(case: Reconciled, numbers: LayerNumbers) -> Finding:
    from inspector.findings.names.layers import LayersMisnumbered

    prefix, single = numbers.prefix, numbers.position == 0
    inside = [one for key, one in case.reading.families.items() if numbers.has(key)]
    first = inside[0]
    missing, stored = numbers.expected - numbers.stored, numbers.stored - numbers.expected
    return LayersMisnumbered(
        place=Place(family=family_name(prefix), indices=indices_in_words(prefix, ((missing,),)) if single else None),
        missing=_in_words(prefix, missing),
        stored=_in_words(prefix, stored),
        shift=numbers.shift,
        renumbered=tuple((old, new) for old, new in numbers.changes().items() if old != new) if single else (),
        tensors=sum(one.tensors for one in inside),
        parameters=sum(one.elements for one in inside),
        families=tuple(family_name(one.key) for one in inside)[:20],
        names=tuple(names_in(first.key, first.stored[0].boxes, 5)),
        module=numbers.module,
        confidence="likely",
    )


def _in_words(prefix: str, numbers: Span) -> str:
    """Numbers at the last `#` of a prefix in words: "layers 3, 4"."""
    return indices_in_words(f"{prefix.rpartition('.')[0].replace('#', '0')}.#", ((numbers,),))
