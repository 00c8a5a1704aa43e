"""Explains many differences at once: the weights belong to another class, or another model type, than
the config names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from inspector.architectures.defaults import defaults_of
from inspector.architectures.own_keys import is_rather_of
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.names.own_readers import PROGRAMS, reader_of
from inspector.findings.words import shape
from inspector.matcher.claim import NO_CONFIG, class_with_head
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.reading import Reading, read_by_names
from inspector.matcher.spelling import WRAPPERS, best_match
from inspector.notation.definition import Head
from inspector.notation.slots import Slot
from inspector.reconciler.own_head import head_of_own_code
from inspector.reconciler.place import Gap, Placement, Unexpected
from inspector.reconciler.reconcile import Again, Reconciled, reconcile
from inspector.reconciler.wording import place_name

LABELS = "num_labels"
SCORE = "score.weight"
"""The weight of heads that give one number for a text."""
ALONE = "EncoderModel"
"""Suffix of the classes of one part of a model that can be saved separately."""
MOST_TRIED = 40
"""Most other definitions that are tried: those with the fewest keys that are not stored."""


def explained_otherwise(case: Reconciled, families: Families, again: Again) -> Finding | None:
    """One finding that replaces all others: the weights are complete for another class or another model type."""
    claimed = case.claim.definition is case.reading.definition
    if not claimed or case.plan.scope.faults or not case.placement.differences:
        return None  # a config that contradicts itself is reported as such
    head = _head_of_another_program(case, again)
    if case.reading.prefix:  # a prefix on some of the names may be a submodel of another type
        if not case.reading.part and case.reading.prefix in WRAPPERS and head is None:
            head = _of_another_class(case, again)  # below a wrapper of the whole model, which is another cause
        own = case.reading.part or _of_another_root(case)
        return head or (_of_another_family(case, families, again) if own else None)
    other = _of_another_class(case, again) or head
    return other or _of_another_family(case, families, again) or head_of_own_code(case)


def _head_of_another_program(case: Reconciled, again: Again) -> Finding | None:
    """The finding on a value head in place of the head of the class, if the type has such a head under another name.

    The base model may be below the prefix that the program's own class gives it.
    """
    unexpected, reading = [one.key for one in case.as_configured.unexpected], case.reading
    program = PROGRAMS.get(unexpected[0]) if len(unexpected) == 1 else None
    if program is None or bool(reading.prefix) != program.below or reading.prefix.startswith("*"):
        return None
    if case.claim.head is None:
        return None
    root = case.claim.head.root if program.below else ""
    families = rekeyed(reading.families, lambda key: SCORE if key in unexpected else f"{root}{key}")
    match = best_match(reading.scope, families, case.claim.head) if program.below else reading.match
    bare = replace(reading, families=families, prefix="", part=0, match=match)
    found = _of_another_class(again(case.claim, bare), again)
    from inspector.findings.class_names import ClassDiffers, HeadOfAnotherProgram

    if not isinstance(found, ClassDiffers) or found.stored != (SCORE,):
        return None
    stated = found.stated_fields() | {"stored": tuple(unexpected)}
    return HeadOfAnotherProgram(
        **stated,
        program=program.name,
        reader=reader_of(unexpected[0]),
        renamed=SCORE,
        prefix=reading.prefix,
        root=root,
    )


def _of_another_class(case: Reconciled, again: Again) -> Finding | None:
    declared, reading = case.claim.head, case.reading
    if declared is None or case.claim.class_name is None or not case.placement.missing:
        return None
    match = best_match(reading.scope, reading.families, None)
    own = {one.block.slot.path for one in case.placement.placed if id(one.block.slot) in case.beyond}
    unexpected = [place_name(one.key, one.boxes) for one in case.as_configured.unexpected]
    gaps = case.placement.missing
    untrained = all(not gap.block.slot.body and not gap.is_head for gap in gaps)
    untrained = untrained and any(gap.block.slot.tensor.counted for gap in gaps)  # a buffer alone is no head
    base = _of_the_base(case, declared, case.claim.class_name) if untrained and not unexpected else None
    alone = ALONE in match.head.names and not unexpected
    if match.head is declared or not (own or unexpected or untrained or alone):
        return base  # if no tensor of another class is stored, a missing part of the model is no sign of another class
    other = again(replace(case.claim, head=match.head), replace(reading, match=match))
    labels = [cause for cause in other.causes if cause.key == LABELS]
    if other.placement.differences or len(labels) < len(other.causes):
        return base
    from inspector.reconciler.table_of_tie import table_under_copy

    if (table := table_under_copy(case, other)) is not None:
        return table
    from inspector.findings.class_names import ClassDiffers

    missing = [place_name(gap.block.key, gap.boxes) for gap in case.as_configured.missing]
    stored = [place_name(one.block.key, one.boxes) for one in other.placement.placed if one.block.slot.path in own]
    names = case.claim.settings.values.get("id2label")
    return ClassDiffers(
        place=Place(key="architectures"),
        declared=case.claim.class_name,
        stored_class=class_with_head(case.claim.class_name, declared, match.head),
        file="config.json",
        missing=tuple(dict.fromkeys(missing))[:NAMES_SHOWN],
        stored=tuple(dict.fromkeys([*stored, *unexpected]))[:NAMES_SHOWN],
        labels=labels[0].weights if labels and type(labels[0].weights) is int else None,
        stale_labels=bool(labels) and isinstance(names, dict) and len(names) != labels[0].weights,
        part=common_prefix([gap.block.key for gap in case.placement.missing if gap.block.slot.body]) if alone else "",
    )


def _of_the_base(case: Reconciled, declared: Head, class_name: str) -> Finding | None:
    """The finding on a base model that has the names of a class with a head, if no tensor of that head is stored."""
    base = next((head for head in case.reading.definition.heads if "Model" in head.names), None)
    missing = {gap.block.slot.path for gap in case.placement.missing}
    # a copy of a part of the head does not make it a base model
    stored = [one.block.slot for one in case.placement.placed]
    whole = all(slot.body and not _is_copy_of_head(slot) and slot.path not in missing for slot in stored)
    named = None if base is None else class_with_head(class_name, declared, base)
    if named is None or not whole or case.placement.mismatched or case.causes:
        return None
    from inspector.findings.class_names import ClassDiffers

    return ClassDiffers(
        place=Place(key="architectures"),
        declared=class_name,
        stored_class=named,
        file="config.json",
        missing=tuple(dict.fromkeys(place_name(gap.block.key, gap.boxes) for gap in case.as_configured.missing))[
            :NAMES_SHOWN
        ],
        stored=(),
        labels=None,
    )


def _is_copy_of_head(slot: Slot) -> bool:
    """True for a tied tensor that is no table of embeddings, which the halves of a model may each have."""
    return bool(slot.tied) and not slot.role.startswith("embed.")


def _of_another_family(case: Reconciled, families: Families, again: Again) -> Finding | None:
    """The finding on weights with the names of another model type. Different sizes or shortened parts
    are no evidence.
    """
    placement = case.as_configured
    reshaped = any(one.reshaped for one in placement.mismatched)
    if len(set(_differing(placement))) < 2 and not reshaped:
        return None
    if not (_of_another_root(case) or _may_be_another(case, placement.missing, placement.unexpected)):
        return None
    values = case.claim.settings.values
    fewer = not (case.as_configured.unexpected or _of_another_root(case))
    for reading in (*_known_by(families, values), *_known_by(families, {})):
        if reading.definition is case.reading.definition or (fewer and _is_less_likely(case, reading.name)):
            continue
        claim = replace(NO_CONFIG, settings=reading.scope.settings, definition=reading.definition)
        if reconcile(claim, reading, (), solve=False).placement.mismatched:
            continue  # skips the search for config keys that another type would need
        other = again(claim, reading)
        stated = reading.scope.settings.known and not other.plan.scope.trace.solved
        if _differs(other) or not (stated or reshaped or _stores_others(case) or _inside_stored_layers(case)):
            continue
        from inspector.findings.names.architecture import NamesOfAnotherArchitecture

        return NamesOfAnotherArchitecture(
            place=Place(key="model_type"),
            claimed=case.claim.model_type or case.reading.name,
            names=reading.name,
            class_name=case.claim.class_name,
            coverage=1.0,
            differing=tuple(_differing_names(case))[:NAMES_SHOWN],
            fewer=fewer and not reshaped,
        )
    return None


def _is_less_likely(case: Reconciled, other: str) -> bool:
    """True if weights of the claimed type that lost some tensors are likelier than weights of another type: of one of
    own code, or of one of which the config is not.
    """
    stated = case.claim.settings.values
    return defaults_of(other) is None or is_rather_of(case.claim.model_type or "", other, stated)


def _of_another_root(case: Reconciled) -> bool:
    """True if the names of the body begin with another root than the class's, and some tensors are missing."""
    prefix, head = case.reading.prefix, case.claim.head
    if not prefix or prefix.startswith("*") or prefix in WRAPPERS or head is None or not head.root:
        return False
    return bool(case.as_configured.missing) and not (case.as_configured.unexpected or case.as_configured.mismatched)


def _known_by(families: Families, values: Mapping[str, Any]) -> list[Reading]:
    """The readings under definitions that know all the names."""
    return read_by_names(families, values, share=1.0, most=MOST_TRIED, prefixes=False)[0]


def _may_be_another(case: Reconciled, missing: Sequence[Gap], unexpected: Sequence[Unexpected]) -> bool:
    """True if tensors are stored that the type does not have, or if only vectors such as biases and norms are missing.

    A matrix that is missing alone is lost; that another type lacks it too is a coincidence. Names of the type with
    other numbers are its own layers, counted in another way.
    """
    if unexpected:
        own = {block.key for block in case.plan.blocks}
        return any(one.key not in own for one in unexpected)
    return all(len(gap.block.shape) < 2 for gap in missing if not gap.is_head)


def _stores_others(case: Reconciled) -> bool:
    """True if matrices are stored that the type does not have."""
    return any(len(extra.layout.shape) > 1 for extra in case.placement.unexpected)


def _inside_stored_layers(case: Reconciled) -> bool:
    """True if every missing tensor is missing from all layers, and other tensors of these layers are stored."""
    stored = {one.block.key.partition("#")[0] for one in case.placement.placed if "#" in one.block.key}
    gaps = [gap for gap in case.placement.missing if not gap.is_head]
    return all(gap.tensors == gap.block.tensors and gap.block.key.partition("#")[0] in stored for gap in gaps)


def _differs(other: Reconciled) -> bool:
    left = other.placement
    gaps = [gap for gap in left.missing if not gap.is_head]
    return bool(other.causes or left.mismatched or left.unexpected or gaps)


def _differing(placement: Placement) -> Iterator[str]:
    """Families that are missing or unexpected, except a head that may be tied."""
    yield from (gap.block.key for gap in placement.missing if not gap.is_head)
    yield from (one.key for one in placement.unexpected)


def _differing_names(case: Reconciled) -> Sequence[str]:
    placement = case.as_configured
    missing = [f"{place_name(gap.block.key, gap.boxes)} is missing" for gap in placement.missing]
    reshaped = [one for one in placement.mismatched if one.reshaped]
    missing += [f"{place_name(one.block.key, one.boxes)} is stored as {shape(one.layout.shape)}" for one in reshaped]
    return [*missing, *(f"{place_name(one.key, one.boxes)} is unexpected" for one in placement.unexpected)]


def foreign_submodel(case: Reconciled) -> tuple[Finding, str] | None:
    """(the finding on a submodel with the weights of another model type, the prefix of its names)."""
    differing = set(_differing(case.as_configured))
    prefixes: dict[tuple[str, ...], list[str]] = {}
    for block in case.plan.blocks:
        if block.slot.scope:
            prefixes.setdefault(block.slot.scope, []).append(block.key)
    for path, keys in prefixes.items():
        prefix = common_prefix(keys)
        below = f"{prefix}."
        if not prefix or len([key for key in differing if key.startswith(below)]) < FEWEST_DIFFERING:
            continue
        gaps = [gap for gap in case.as_configured.missing if gap.block.key.startswith(below)]
        extra = [one for one in case.as_configured.unexpected if one.key.startswith(below)]
        if not _may_be_another(case, gaps, extra):
            continue
        inner = {key: family for key, family in case.reading.families.items() if key.startswith(below)}
        own = scope_below(case, path)
        for reading in _known_by(rekeyed(inner, lambda key, below=below: key.removeprefix(below)), {}):  # type: ignore[misc]
            if reading.definition is own or reading.prefix or _differs(reconcile(NO_CONFIG, reading, ())):
                continue
            from inspector.findings.single_causes import PartOfAnotherKind
            from inspector.findings.words import shape

            finding = PartOfAnotherKind(
                part=prefix,
                family=reading.name,
                expected=tuple(f"{gap.block.key.removeprefix(below)} {shape(gap.block.shape)}" for gap in gaps[:20]),
                stored=tuple(f"{one.key.removeprefix(below)} {shape(one.layout.shape)}" for one in extra[:20]),
                tensors=sum(family.tensors for family in inner.values()),
            )
            return finding, below
    return None


FEWEST_DIFFERING = 2
"""Least number of missing or unexpected families of a submodel before another type is tried."""


def scope_below(case: Reconciled, path: tuple[str, ...]) -> object:
    """The definition of the submodel at a path."""
    return case.plan.scope.below(path).definition


def common_prefix(keys: Sequence[str]) -> str:
    """The segments before the first number that all keys share, without the last segment of each key."""
    paths = [key.partition("#")[0].split(".")[:-1] for key in keys]
    length = 0
    while paths and all(len(path) > length and path[length] == paths[0][length] for path in paths):
        length += 1
    return ".".join(paths[0][:length]) if paths else ""
