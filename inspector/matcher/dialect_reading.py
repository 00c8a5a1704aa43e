"""Key names of other frameworks: recognised by a few families and mapped to a definition through a dialect."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial

import msgspec
from msgspec.structs import replace

from inspector.algebra.boxes import joined
from inspector.algebra.names import key_of
from inspector.algebra.span import Span
from inspector.architectures.catalog import definition_of
from inspector.dialects.catalog import all_dialects, may_know
from inspector.dialects.language import UNUSED, Dialect
from inspector.dialects.respelling import covers, respelled
from inspector.matcher.claim import NO_CONFIG, Claim
from inspector.matcher.families import Families, Family, Stored
from inspector.matcher.reading import Reading, ranked, without_prefix
from inspector.matcher.spelling import WRAPPERS, best_match, keys_of_definition
from inspector.notation.definition import Architecture, rows, under
from inspector.notation.holes import bases
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.slots import Slot, unroll
from inspector.notation.spelling import template


class Recognised(msgspec.Struct, frozen=True):
    """A dialect found in a checkpoint. prefix: the framework's prefix. wrapper: an unexpected prefix before it."""

    dialect: Dialect
    prefix: str = ""
    wrapper: str = ""


def recognise(claim: Claim, keys: Collection[str]) -> Recognised | None:
    """The dialect of these names: the one of the writer that the file states, else the first with a signature key here.

    Looks up a few names without iterating over all: most checkpoints use transformers' names.
    """
    applying = [one for one in all_dialects() if not one.only or claim.model_type in one.only]
    if claim.writer:
        return next((Recognised(one) for one in applying if one.writer == claim.writer), None)
    return next(_recognised(applying, keys), None) or _wrapped_inside(applying, keys)


def _wrapped_inside(dialects: Iterable[Dialect], keys: Collection[str]) -> Recognised | None:
    """The dialect of names with wrappers inside, which activation checkpointing and FSDP insert for each layer.

    They can also be around each other and around the whole model.
    """
    around = [one for one in WRAPPERS if one.startswith("_") and any(one in key for key in keys)]
    if not any(f".{one}" in key for one in around for key in keys):
        return None
    wrapper = f"*{'|'.join(around)}"
    found = next(_recognised(dialects, {without_prefix(key, wrapper) for key in keys}), None)
    return None if found is None or found.wrapper else replace(found, wrapper=wrapper)


def _recognised(dialects: Iterable[Dialect], keys: Collection[str]) -> Iterator[Recognised]:
    for dialect in dialects:
        for sign in dialect.signs:
            for wrapper in ("", *WRAPPERS):
                for prefix in dialect.prefixes:
                    if all(f"{wrapper}{prefix}{key}" in keys for key in sign):
                        yield Recognised(dialect, prefix, wrapper)


def read_in_dialect(claim: Claim, families: Families, lost: Collection[str]) -> list[Reading]:
    """The readings that a dialect supports equally well; empty if no dialect matches the names.

    The claimed definition comes first. If none is claimed, or if its modules differ, the names decide. A definition
    with a wholly missing family is then usually a related model, so it is not chosen. lost: names of tensors in missing
    files, which identify a dialect as well as stored tensors do.
    """
    lost_keys = frozenset(key_of(name)[0] for name in lost)
    found = recognise(claim, {*families, *lost_keys} if lost_keys else families)
    if found is None:
        return []
    own = claim.model_type in found.dialect.own_types  # its config has its own keys
    if claim.definition is None and claim.model_type is not None and not own:
        return []
    bare = _numbered(families, found.wrapper)
    if claim.definition is not None:
        reading = _read(claim, claim.definition, claim.model_type or claim.definition.names[0], found, bare, lost_keys)
        if reading is not None and reading.fits:
            return [reading]
    values = claim.settings.values if claim.definition is None and not own else {}
    tried: list[Reading] = []
    for name in found.dialect.types:
        definition = definition_of(name)
        if definition is None:
            continue
        settings = Settings({}, known=False)
        if any(key in values for key in keys_of_definition(Scope(definition, settings, definition_of))):
            settings = Settings(values)
        reading = _read(Claim(settings, definition=definition), definition, name, found, bare, lost_keys)
        if reading is not None and reading.match.covered and (found.dialect.exclusive or _is_whole(reading)):
            tried.append(replace(reading, by_names=True))
    return ranked(tried, len(bare))[0]


def read_whole_in_dialect(families: Families) -> list[Reading]:
    """The readings without a config that know all names in the spelling of another program; empty if none does."""
    found = read_in_dialect(NO_CONFIG, families, ()) if may_know(families) else []
    return [one for one in found if one.coverage == 1]


def _read(
    claim: Claim, definition: Architecture, name: str, found: Recognised, families: Families, lost: Collection[str]
) -> Reading | None:
    plain = Scope(definition, claim.settings, definition_of)
    head = claim.head or definition.default_head
    if not _applies(found.dialect, definition, unroll(plain, head).slots):
        return None
    scope = Scope(
        in_dialect(definition, found.dialect, found.prefix, claim.settings.known), claim.settings, definition_of
    )
    claimed = best_match(scope, {*families, *lost}, None).head if lost and claim.head is None else claim.head
    match = best_match(scope, families, claimed)
    return Reading(definition, name, scope, match, families, found.wrapper, writer=found.dialect.writer)


def _applies(dialect: Dialect, definition: Architecture, slots: Sequence[Slot]) -> bool:
    """True if the dialect has names for everything that the definition requires."""
    if dialect.replaces:
        return not set(definition.names).isdisjoint(dialect.only or dialect.types)
    return covers(slots, dialect)


def _is_whole(reading: Reading) -> bool:
    """True if every module is stored that neither a switch of the definition nor a choice of layers can remove.

    A stored module may still lack one of its tensors.
    """
    scope = reading.scope
    modules = {_module_of(key) for key in reading.families}
    for slot in unroll(scope, reading.match.head).slots:
        if slot.optional or slot.whens or slot.choices or slot.tied:
            continue
        cut = any(base in scope.symbols for hole in slot.holes for base in bases(scope.definition, hole))
        if not cut and _module_of(template(slot.path)[0]) not in modules:
            return False
    return True


def _module_of(key: str) -> str:
    """The name without `.weight` or `.bias`. A parameter directly in the model counts as a module."""
    return key.rpartition(".")[0] or key


@cache
def in_dialect(definition: Architecture, dialect: Dialect, prefix: str, known: bool) -> Architecture:
    """The definition in a dialect. Cached, since everything derived from a definition is cached by its identity."""
    if dialect.replaces and dialect.only:
        return replace(definition, dialects=({}, dialect.replaces))
    definition = replace(
        definition,
        dims={**definition.dims, **dialect.dims},
        needs={**definition.needs, **dialect.needs},
        parts=rows(definition.parts, under("", *dialect.beside, extra=UNUSED)) if dialect.beside else definition.parts,
    )
    respell = partial(respelled, dialect=dialect, prefix=prefix, known=known)
    return replace(definition, dialects=({},), respell=respell)


_COUNTED = re.compile(r"(.*)\.(weight|bias)(0|[1-9][0-9]{0,5})", re.ASCII)


def _numbered(families: Families, wrapper: str) -> dict[str, Family]:
    """The families without a wrapper's prefix, and Transformer Engine's grouped `fc1.weight7` as `fc1.7.weight`."""
    made: dict[str, list[Stored]] = {}
    for key, family in families.items():
        key = without_prefix(key, wrapper)
        counted = _COUNTED.fullmatch(key)
        parts: Iterator[Stored] = iter(family.stored)
        if counted is not None:
            key = f"{counted[1]}.#.{counted[2]}"
            own = Span.of([int(counted[3])])
            parts = (replace(part, boxes=tuple((*box, own) for box in part.boxes)) for part in family.stored)
        made.setdefault(key, []).extend(parts)
    return {key: Family(key, tuple(_merged(parts))) for key, parts in made.items()}


def _merged(parts: list[Stored]) -> Iterator[Stored]:
    """Joins the parts of a family that have the same layout."""
    by_layout: dict[int, list[Stored]] = {}
    for part in parts:
        by_layout.setdefault(id(part.layout) if part.packed is None else id(part), []).append(part)
    for alike in by_layout.values():
        boxes = [box for part in alike for box in part.boxes]
        tensors = sum(part.tensors for part in alike)
        yield alike[0] if len(alike) == 1 else replace(alike[0], boxes=joined(boxes), tensors=tensors)
