"""The names of a checkpoint read: whose they are, how they are spelled, what is before all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import within
from inspector.algebra.names import key_of
from inspector.architectures.catalog import definition_of, likely_definitions, preference
from inspector.architectures.defaults import class_defaults, is_component
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.spelling import WRAPPERS, Match, best_match, keys_of_definition, masked_keys, masked_like
from inspector.notation.definition import Architecture
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings


class Reading(Struct, frozen=True):
    """The names under one definition.

    families: under the names the definition knows, an unexpected prefix taken off. prefix: that prefix. twins: other
    model types whose names are the same. by_names: the definition follows from the names, not from the config.
    part: how many tensors have the prefix, where not all have it.
    """

    definition: Architecture
    name: str
    scope: Scope
    match: Match
    families: Families
    prefix: str = ""
    by_names: bool = False
    twins: tuple[str, ...] = ()
    writer: str = ""
    part: int = 0

    def bare(self, name: str) -> str:
        """A tensor's name, or a family's key, without the unexpected prefix."""
        return without_prefix(name, self.prefix)

    @property
    def coverage(self) -> float:
        """The part of the observed families that the definition knows."""
        return self.match.covered / len(self.families) if self.families else 0.0

    @property
    def fits(self) -> bool:
        """Whether the names are this definition's: most of what is stored is its, or most of its is stored."""
        return self.coverage >= KNOWN or self.match.missing < self.match.covered


KNOWN = 0.5
"""From this part of the families on a claimed definition is what the names are, whatever else is stored."""
SUPPORTED = 0.75
"""From this part on names alone support a definition."""
_DIGIT = re.compile("[0-9]")
MOST_TRIED = 120
"""Definitions that are looked at when names alone decide: those with most of the names' endings."""


def read_claimed(claim: Claim, families: Families, lost: Collection[str] = ()) -> Reading | None:
    """The names under the claimed definition; None where the config claims none.

    lost: names of tensors whose absence is reported already, which show a head as well as those that are there.
    """
    definition = claim.definition
    if definition is None:
        return None
    scope = Scope(definition, claim.settings, definition_of)
    if lost and claim.head is None:
        keys = {*families, *(key_of(name)[0] for name in lost)}
        claim = replace(claim, head=best_match(scope, keys, None).head)
    return of_class(_spelled(claim, scope, claim.model_type or definition.names[0], families))


def read_by_names(families: Families, values: Mapping[str, Any]) -> tuple[list[Reading], tuple[str, float] | None]:
    """(the readings that the names support equally well; the nearest definition and its coverage as a hint).

    values: a config that names no architecture; a definition reads it where it has one of its keys.
    """
    tried: list[Reading] = []
    for name, definition in likely_definitions(families, SUPPORTED, MOST_TRIED):
        scope = Scope(definition, Settings({}, known=False), definition_of)
        if values and any(key in values for key in keys_of_definition(scope)):
            scope = Scope(definition, Settings(values), definition_of)
        reading = _spelled(Claim(scope.settings, definition=definition), scope, name, families)
        if reading.match.covered:
            tried.append(replace(reading, by_names=True))
    best, nearest = ranked(tried, len(families))
    return [of_class(reading) for reading in best], nearest


def of_class(reading: Reading) -> Reading:
    """A reading of a class of diffusers without a config, or with one that names no class, with the class's defaults.

    Without a config these are switches and words alone: numbers, lists and what is null by default are unknown.
    """
    settings = reading.scope.settings
    if reading.writer or (settings.known and not reading.by_names) or not is_component(reading.name):
        return reading
    defaults = class_defaults(reading.name)[0]
    settings = replace(settings, defaults=defaults if settings.known else switches(defaults))
    return replace(reading, scope=Scope(reading.definition, settings, definition_of))


def switches(values: Mapping[str, Any]) -> dict[str, Any]:
    """The switches and words of a config, also those of its parts, without the types of these."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found[key] = switches(value)
        elif isinstance(value, bool | str) and key != "model_type":
            found[key] = value
    return found


def ranked(tried: Sequence[Reading], families: int) -> tuple[list[Reading], tuple[str, float] | None]:
    """(of some readings of these many families the best ones, where they are good enough; the nearest definition)."""
    if not tried:
        return [], None
    best = max(tried, key=_support)
    nearest = (best.name, best.coverage)
    missing = best.match.missing
    if best.coverage < SUPPORTED or missing > max(2, families // 4) or (missing and best.coverage < 1):
        return [], nearest  # with families missing and others unknown it is likelier a relative
    equal = [reading for reading in tried if _support(reading) == _support(best)]
    return sorted(equal, key=lambda reading: (preference(reading.name), reading.match.unused)), nearest


def _support(reading: Reading) -> tuple[float, int]:
    return reading.coverage, -reading.match.missing


def _spelled(claim: Claim, scope: Scope, name: str, families: Families) -> Reading:
    match = best_match(scope, families, claim.head)
    best = Reading(scope.definition, name, scope, match, families)
    if match.covered == len(families):
        return best
    for prefix in _prefixes(scope, families):
        bare = _without(families, prefix)
        other = best_match(scope, bare, claim.head)
        if other.covered > best.match.covered:
            best = Reading(scope.definition, name, scope, other, bare, prefix, part=_part(families, prefix))
    if best.match.covered < len(best.families) and not best.prefix:
        return _partly_below(best, scope, claim) or best
    return best


def _partly_below(reading: Reading, scope: Scope, claim: Claim) -> Reading | None:
    """The reading without a prefix that is before some names alone, none of which the definition knows with it.

    Without it the definition knows all of them, and none of them is stored without it as well.
    """
    families, unknown = reading.families, len(reading.families) - reading.match.covered
    counts = _before_known(scope, families)
    for prefix in sorted(counts, key=lambda one: (-counts[one], len(one), one))[:MOST_PREFIXES]:
        below = [key for key in families if key.startswith(prefix)]
        if not 1 < len(below) <= unknown or _meet(families, below, prefix):
            continue
        bare = _without(families, prefix)
        match = best_match(scope, bare, claim.head)
        if len(bare) - match.covered == unknown - len(below):
            return Reading(scope.definition, reading.name, scope, match, bare, prefix, part=_part(families, prefix))
    return None


def _part(families: Families, prefix: str) -> int:
    """How many tensors have a prefix, 0 where all have it or it may stand anywhere."""
    below = [family.tensors for key, family in families.items() if key.startswith(prefix)]
    return 0 if prefix.startswith("*") or len(below) == len(families) else sum(below)


MOST_PREFIXES = 3
"""Prefixes that are tried: those before the most names."""


def _meet(families: Families, below: Sequence[str], prefix: str) -> bool:
    """Whether a tensor is stored with and without the prefix."""
    for key in below:
        other = families.get(key.removeprefix(prefix))
        if other is None:
            continue
        boxes = [box for part in other.stored for box in part.boxes]
        if any(within(boxes, box) for part in families[key].stored for box in part.boxes):
            return True
    return False


def _without(families: Families, prefix: str) -> Families:
    """The families without an unexpected prefix."""
    return rekeyed(families, lambda key: without_prefix(key, prefix))


def without_prefix(name: str, prefix: str) -> str:
    """A name without a prefix; one that begins with `*` may be before any segment."""
    if not prefix.startswith("*"):
        return name.removeprefix(prefix)
    inner = prefix[1:]
    return name.replace(f".{inner}", ".").removeprefix(inner)


_DIGIT = re.compile(r"\d")


def _before_known(scope: Scope, families: Families) -> Counter[str]:
    """How many families bear each prefix before a name that the definition knows."""
    known = masked_keys(scope)
    tails: dict[str, list[str]] = {}
    for key in sorted(known):
        tails.setdefault(_tail(key, 2), []).append(key)
    inside = {key for key in known if _DIGIT.search(key)}
    counts: Counter[str] = Counter()
    for stored in families:
        key = masked_like(stored, inside)
        for candidate in (*tails.get(_tail(key, 2), ()), *tails.get(_tail(key, 1), ())):
            if key.endswith(candidate) and len(key) > len(candidate):
                prefix = key[: -len(candidate)]
                if prefix.endswith(".") and "#" not in prefix and stored.startswith(prefix):
                    counts[prefix] += 1
    return counts


def _tail(key: str, segments: int) -> str:
    return ".".join(key.rsplit(".", segments)[-segments:])


def _prefixes(scope: Scope, families: Families) -> Iterator[str]:
    """Prefixes that most names share and that no definition writes: known wrappers, then any other."""
    half = len(families) / 2
    around: list[str] = []  # before all names and inside them as well, as FSDP wraps layer by layer
    for wrapper in WRAPPERS:
        before = sum(1 for key in families if key.startswith(wrapper)) > half
        inside = sum(1 for key in families if f".{wrapper}" in key)
        if before:
            yield wrapper
            if inside and wrapper.startswith("_"):
                around.append(f"*{wrapper}")
        elif inside > half:
            yield f"*{wrapper}"
    counts = _before_known(scope, families)
    likeliest = sorted(counts, key=lambda prefix: (-counts[prefix], len(prefix), prefix))
    yield from (prefix for prefix in likeliest[:3] if counts[prefix] > half and prefix not in WRAPPERS)
    yield from around
