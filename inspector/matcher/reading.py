"""Finds the definition that the names of a checkpoint match, their spelling, and any unexpected prefix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import within
from inspector.algebra.names import key_of
from inspector.architectures.catalog import definition_of, likely_definitions, preference, usual_parts
from inspector.architectures.defaults import class_defaults, is_component
from inspector.budget import spend
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.spelling import (
    WRAPPERS,
    Match,
    best_match,
    keys_of_definition,
    known_keys,
    masked_keys,
    masked_like,
)
from inspector.notation.definition import Architecture
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings


class Reading(Struct, frozen=True):
    """How the stored names map onto one definition.

    families: by the names that the definition knows, without the unexpected prefix. prefix: this prefix. same_names:
    other model types with the same names. by_names: the definition was chosen by the names, not the config. part:
    number of tensors with the prefix; 0 if all have it.
    """

    definition: Architecture
    name: str
    scope: Scope
    match: Match
    families: Families
    prefix: str = ""
    by_names: bool = False
    same_names: tuple[str, ...] = ()
    writer: str = ""
    part: int = 0

    def bare(self, name: str) -> str:
        """A tensor's name, or a family's key, without the unexpected prefix."""
        return without_prefix(name, self.prefix)

    @property
    def coverage(self) -> float:
        """The share of the stored families that the definition knows."""
        return self.match.covered / len(self.families) if self.families else 0.0

    @property
    def fits(self) -> bool:
        """True if the names fit: the definition knows at least half of the stored families, or most of its rows are
        stored.
        """
        return self.coverage >= KNOWN or self.match.missing < self.match.covered


KNOWN = 0.5
"""Least share of known families for a claimed definition to be accepted, whatever else is stored."""
SUPPORTED = 0.75
"""Least share of known families for a definition to be chosen by names alone."""
MOST_TRIED = 120
"""Number of definitions tried if names alone decide: those that share the most last segments with the names."""


def read_claimed(claim: Claim, families: Families, lost: Collection[str] = ()) -> Reading | None:
    """The reading under the claimed definition; None if the config claims none.

    lost: names of missing tensors that are reported already; they identify a head as well as stored tensors do.
    """
    definition = claim.definition
    if definition is None:
        return None
    scope = Scope(definition, claim.settings, definition_of)
    if lost and claim.head is None:
        keys = {*families, *(key_of(name)[0] for name in lost)}
        claim = replace(claim, head=best_match(scope, keys, None).head)
    return of_class(_spelled(claim, scope, claim.model_type or definition.names[0], families))


def read_by_names(
    families: Families,
    values: Mapping[str, Any],
    *,
    share: float = SUPPORTED,
    most: int = MOST_TRIED,
    prefixes: bool = True,
    one: bool = False,
) -> tuple[list[Reading], tuple[str, float] | None]:
    """(the readings that the names support equally well; the nearest definition and its coverage as a hint).

    values: a config that names no architecture. A definition uses it if it has any key that affects the definition's
    shapes. share: definitions are tried that may know at least this share of the names. most: how many are tried.
    prefixes: whether the names may have a prefix that no definition has. one: stop at the first definition with exactly
    these names.
    """
    tried: list[Reading] = []
    for name, definition in likely_definitions(families, share, most):
        if not any(definition.sign in key for key in families):
            continue
        scopes = [Scope(definition, settings, definition_of) for settings in _unknown_settings(name)]
        if values and any(
            key in values for key in keys_of_definition(scopes[0]).difference(definition.ignores.split())
        ):
            scopes = [Scope(definition, Settings(values), definition_of)]
        read, own = _spelled if prefixes else _as_stored, name if is_component(name) else definition.names[0]
        readings = (read(Claim(scope.settings, definition=definition), scope, own, families) for scope in scopes)
        reading = max(readings, key=_support)
        if reading.match.covered:
            tried.append(replace(reading, by_names=True))
            if one and reading.coverage == 1 and not reading.match.missing:
                break
    best, nearest = ranked(tried, len(families))
    return [of_class(reading) for reading in best], nearest


def _unknown_settings(name: str) -> Iterator[Settings]:
    """The settings of a model without a config: nothing, or only the types of parts that its class has by default."""
    yield Settings({}, known=False)
    if parts := usual_parts(name):
        yield Settings(parts, known=False)


def of_class(reading: Reading) -> Reading:
    """The reading with the defaults of a diffusers class, if there is no config or it names no class.

    Without a config only boolean and text defaults apply; numbers, lists and null defaults stay unknown.
    """
    settings = reading.scope.settings
    if reading.writer or (settings.known and not reading.by_names) or not is_component(reading.name):
        return reading
    defaults = class_defaults(reading.name)[0]
    settings = replace(settings, defaults=defaults if settings.known else switches(defaults))
    return replace(reading, scope=Scope(reading.definition, settings, definition_of))


def switches(values: Mapping[str, Any]) -> dict[str, Any]:
    """The boolean and text values of a config and its sub-configs, without model types."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found[key] = switches(value)
        elif isinstance(value, bool | str) and key != "model_type":
            found[key] = value
    return found


def ranked(tried: Sequence[Reading], families: int) -> tuple[list[Reading], tuple[str, float] | None]:
    """(the best readings, if they are good enough; the nearest definition). families: the number of stored families."""
    if not tried:
        return [], None
    best = max(tried, key=_support)
    nearest = (best.name, best.coverage)
    missing = best.match.missing
    if best.coverage < SUPPORTED or missing > max(2, families // 4) or (missing and best.coverage < 1):
        return [], nearest  # with both missing and unknown families it is more likely a related model
    equal = [reading for reading in tried if _support(reading) == _support(best)]
    return sorted(equal, key=_rank), nearest


def _rank(reading: Reading) -> tuple[bool, int, int]:
    """Sort key of readings that the names support equally well: those without an unexpected prefix come first."""
    return bool(reading.prefix), preference(reading.name), reading.match.unused


def _support(reading: Reading) -> tuple[float, int]:
    return reading.coverage, -reading.match.missing


def _as_stored(claim: Claim, scope: Scope, name: str, families: Families) -> Reading:
    return Reading(scope.definition, name, scope, best_match(scope, families, claim.head), families)


def _spelled(claim: Claim, scope: Scope, name: str, families: Families) -> Reading:
    best = _as_stored(claim, scope, name, families)
    if best.match.covered == len(families):
        return best
    own = 0 if best.match.spelling.dialect else best.match.covered
    counts = _before_known(scope, families)
    for prefix in _prefixes(scope, families, counts):
        bare = _without(families, prefix)
        other = best_match(scope, bare, claim.head)
        partial = other.covered < len(bare) and _part(families, prefix)
        if partial and other.spelling.dialect and 2 * own >= len(families):
            continue  # a module with another name may make the rest look like another program's names
        if other.covered > best.match.covered:
            best = Reading(scope.definition, name, scope, other, bare, prefix, part=_part(families, prefix))
    if best.match.covered < len(best.families) and not best.prefix:
        return _partly_below(best, scope, claim, counts) or best
    return best


def _partly_below(reading: Reading, scope: Scope, claim: Claim, counts: Counter[str]) -> Reading | None:
    """The reading without a prefix that only some of the names have and that the definition does not know.

    Without the prefix the definition must know all of these names, and none may also be stored without it.
    counts: by `_before_known`.
    """
    families, unknown = reading.families, len(reading.families) - reading.match.covered
    for prefix in sorted(counts, key=lambda prefix: (-counts[prefix], len(prefix), prefix))[:MOST_PREFIXES]:
        below = [key for key in families if key.startswith(prefix)]
        if not 1 < len(below) <= unknown or _overlap(families, below, prefix):
            continue
        bare = _without(families, prefix)
        match = best_match(scope, bare, claim.head)
        if len(bare) - match.covered == unknown - len(below):
            return Reading(scope.definition, reading.name, scope, match, bare, prefix, part=_part(families, prefix))
    return None


def _part(families: Families, prefix: str) -> int:
    """Number of tensors with a prefix; 0 if all have it."""
    below = [family.tensors for key, family in families.items() if without_prefix(key, prefix) != key]
    return 0 if len(below) == len(families) else sum(below)


NAMES = "the names of the tensors"
NAMES_A_STEP = 8
MOST_PREFIXES = 3
"""Number of prefixes tried: the most frequent ones."""


def _overlap(families: Families, below: Sequence[str], prefix: str) -> bool:
    """True if any tensor is stored both with and without the prefix."""
    for key in below:
        other = families.get(key.removeprefix(prefix))
        if other is None:
            continue
        if any(within(other.boxes, box) for box in families[key].boxes):
            return True
    return False


def _without(families: Families, prefix: str) -> Families:
    """The families without an unexpected prefix."""
    return rekeyed(families, lambda key: without_prefix(key, prefix))


def without_prefix(name: str, prefix: str) -> str:
    """A name without a prefix. `*` before a prefix means that it can precede any segment; `|` separates several
    prefixes.
    """
    if not prefix.startswith("*"):
        return name.removeprefix(prefix)
    for _ in range(1 + prefix.count("|")):  # wrappers around wrappers, in any order
        for inner in prefix[1:].split("|"):
            name = name.replace(f".{inner}", ".").removeprefix(inner)
    return name


def _before_known(scope: Scope, families: Families) -> Counter[str]:
    """Counts, for each prefix, the families that have it before a name known to the definition."""
    known = masked_keys(scope)
    tails: dict[str, list[str]] = {}
    for key in sorted(known):
        tails.setdefault(_tail(key, 2), []).append(key)
    spend(len(families) + len(known), NAMES)
    inside = tuple(key for key in known if re.search("[0-9]", key))
    counts: Counter[str] = Counter()
    for stored in families:
        key = masked_like(stored, inside)
        candidates = (*tails.get(_tail(key, 2), ()), *tails.get(_tail(key, 1), ()))
        spend(1 + len(candidates) // NAMES_A_STEP, NAMES)
        for candidate in candidates:
            if key.endswith(candidate) and len(key) > len(candidate):
                prefix = key[: -len(candidate)]
                if prefix.endswith(".") and "#" not in prefix and stored.startswith(prefix):
                    counts[prefix] += 1
    return counts


def _tail(key: str, segments: int) -> str:
    return ".".join(key.rsplit(".", segments)[-segments:])


def _prefixes(scope: Scope, families: Families, counts: Counter[str]) -> Iterator[str]:
    """Prefixes that most names share and that no definition has: known wrappers first, then any other.

    counts: by `_before_known`.
    """
    half = len(families) / 2
    around: list[str] = []  # before all names and also inside them, since FSDP wraps layer by layer
    for wrapper in WRAPPERS:
        before = sum(1 for key in families if key.startswith(wrapper)) > half
        inside = sum(1 for key in families if f".{wrapper}" in key)
        if before:
            yield wrapper
            if inside and wrapper.startswith("_"):
                around.append(f"*{wrapper}")
        elif inside > half:
            yield f"*{wrapper}"
    likeliest = sorted(counts, key=lambda prefix: (-counts[prefix], len(prefix), prefix))
    for prefix in likeliest[:3]:
        if (counts[prefix] > half or _is_repeated(prefix)) and prefix not in WRAPPERS:
            yield prefix
    yield from around
    yield from _after_index(scope, families)
    nested = [one for one in WRAPPERS if one.startswith("_") and any(one in key for key in families)]
    if len(nested) > 1:
        yield f"*{'|'.join(nested)}"


def _is_repeated(prefix: str) -> bool:
    """True if a segment of a prefix occurs twice in a row, as no definition has it."""
    segments = prefix.split(".")
    return any(segment and segment == other for segment, other in pairwise(segments))


def _after_index(scope: Scope, families: Families) -> Iterator[str]:
    """The segments that most names have after their first index and that occur in no name of the definition."""
    known = {segment for key in known_keys(scope) for segment in key.split(".")}
    counts = Counter[str]()
    for key in families:
        behind = key.partition("#.")[2].split(".")[:-1]
        if unknown := ".".join(takewhile(lambda segment: segment not in known and segment != "#", behind)):
            counts[unknown] += 1
    inside, number = next(iter(counts.most_common(1)), ("", 0))
    if 2 * number > len(families) and f"{inside}." not in WRAPPERS:
        yield f"*{inside}."
