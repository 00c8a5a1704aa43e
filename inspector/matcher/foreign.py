"""Names of other frameworks: recognised by a few families, read through a table of roles under a known card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from inspector.algebra.boxes import joined
from inspector.algebra.span import Span
from inspector.architectures.catalog import card_of
from inspector.architectures.writers import WRITINGS
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, Family, Stored
from inspector.matcher.reading import Reading, ranked
from inspector.matcher.spelling import WRAPPERS, best_match, keys_of_card
from inspector.notation.binding import template
from inspector.notation.definition import Architecture
from inspector.notation.scope import CardScope, Settings, bases
from inspector.notation.slots import unroll
from inspector.notation.writing import Writing, Written, covers


@dataclass(frozen=True, slots=True)
class Met:
    """A writing met in a checkpoint. prefix: the writer's own; wrapper: a stray one before it."""

    writing: Writing
    prefix: str
    wrapper: str = ""


def met(families: Families) -> Met | None:
    """Whose names these are, where a table of `inspector.architectures.writers` has them.

    Looks a few names up and walks over none: most checkpoints are in nobody else's words.
    """
    for writing in WRITINGS:
        for sign in writing.signs:
            for wrapper in ("", *WRAPPERS):
                for prefix in writing.prefixes:
                    if all(f"{wrapper}{prefix}{key}" in families for key in sign):
                        return Met(writing, prefix, wrapper)
    return None


def read_foreign(claim: Claim, families: Families) -> list[Reading]:
    """The readings that a table of another framework's names supports equally well; none where no table does.

    A claimed card comes first; where there is none, or it has other modules, the names decide: a card of which a
    whole family is not there is then a relative, and accuses nobody.
    """
    found = met(families)
    if found is None or (claim.card is None and claim.model_type is not None):
        return []
    bare = _numbered(families, found.wrapper)
    if claim.card is not None:
        one = _read(claim, claim.card, claim.model_type or claim.card.names[0], found, bare)
        if one is not None and one.fits:
            return [one]
    values = claim.settings.values if claim.card is None else {}
    tried: list[Reading] = []
    for name in found.writing.cards:
        card = card_of(name)
        if card is None:
            continue
        settings = Settings({}, known=False)
        if any(key in values for key in keys_of_card(CardScope(card, settings, card_of))):
            settings = Settings(values)
        one = _read(Claim(settings, card=card), card, name, found, bare)
        if one is not None and one.match.covered and _whole(one):
            tried.append(replace(one, by_names=True))
    return ranked(tried, len(bare))[0]


def _read(claim: Claim, card: Architecture, name: str, found: Met, families: Families) -> Reading | None:
    known = claim.settings.known
    scope = CardScope(_derived(card, found.writing, found.prefix, known), claim.settings, card_of)
    plain = CardScope(card, claim.settings, card_of)
    head = claim.head or card.default_head
    if not covers(unroll(plain, head).slots, found.writing):
        return None
    match = best_match(scope, families, claim.head)
    return Reading(card, name, scope, match, families, found.wrapper, writer=found.writing.writer)


def _whole(reading: Reading) -> bool:
    """Whether every family is there that no switch of the card and no choice of layers can take away."""
    scope = reading.scope
    for slot in unroll(scope, reading.match.head).slots:
        if slot.optional or slot.whens or slot.choices or slot.tied:
            continue
        cut = any(base in scope.symbols for hole in slot.holes for base in bases(scope.card, False, hole))
        if not cut and template(slot.path)[0] not in reading.families:
            return False
    return True


@cache
def _derived(card: Architecture, writing: Writing, prefix: str, known: bool) -> Architecture:
    """The card as a writer names it. Kept, for what was worked out of a card is found by its identity."""
    return replace(card, dialects=({},), written=Written(writing, prefix, known))


_COUNTED = re.compile(r"(.*)\.(weight|bias)(0|[1-9][0-9]{0,5})", re.ASCII)


def _numbered(families: Families, wrapper: str) -> dict[str, Family]:
    """The families without a wrapper's prefix; Transformer Engine's grouped `fc1.weight7` as `fc1.7.weight`."""
    made: dict[str, list[Stored]] = {}
    for key, family in families.items():
        key = key.removeprefix(wrapper)
        counted = _COUNTED.fullmatch(key)
        parts: Iterator[Stored] = iter(family.stored)
        if counted is not None:
            key = f"{counted[1]}.#.{counted[2]}"
            own = Span.of([int(counted[3])])
            parts = (replace(part, boxes=tuple((*box, own) for box in part.boxes)) for part in family.stored)
        made.setdefault(key, []).extend(parts)
    return {key: Family(key, tuple(_merged(parts))) for key, parts in made.items()}


def _merged(parts: list[Stored]) -> Iterator[Stored]:
    """Pieces of one layout as one piece."""
    by_layout: dict[int, list[Stored]] = {}
    for part in parts:
        by_layout.setdefault(id(part.layout) if part.packed is None else id(part), []).append(part)
    for alike in by_layout.values():
        boxes = [box for part in alike for box in part.boxes]
        tensors = sum(part.tensors for part in alike)
        yield alike[0] if len(alike) == 1 else replace(alike[0], boxes=joined(boxes), tensors=tensors)
