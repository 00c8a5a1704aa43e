"""Recognises an encoder or a decoder that was saved by itself with the config of the whole model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box
from inspector.architectures.catalog import definition_of, letters
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.reading import read_claimed
from inspector.matcher.spelling import known_keys
from inspector.notation.binding import Block
from inspector.notation.scope import Scope
from inspector.reconciler.reconcile import Reconciled, reconcile
from inspector.reconciler.wording import names_in

PART_ALONE: Final = ("completeness", "the class is a part of a model that has no definition of its own")
"""The check that is then skipped, and the reason."""

WRAPPER: Final = "Wrapper"
"""Ending of the classes around a decoder that is used alone: they have it below their own prefix."""

MOST_PARTS: Final = 4
"""Most modules that are compared with the stored ones."""


class _Compared(Struct, frozen=True):
    """The stored tensors compared with the tensors below one module of the whole model: names without that module.

    others: number of tensors of the whole that are not stored. parameters: of those. copies: tensors that are tied to
    one outside of the module and not stored, which the module alone lacks.
    """

    prefix: str
    others: int
    parameters: int
    fitting: int
    missing: tuple[str, ...]
    shapes: tuple[str, ...]
    unexpected: tuple[str, ...]
    copies: tuple[str, ...]
    differences: int


def part_alone(config: Claim, families: Families, lost: Sequence[str]) -> Finding | None:
    """The finding that the weights are a part of the config's model, and the config names the class of this part.

    A note if exactly the tensors that the definition has below the part are stored, with the shapes that the config
    gives; an error if some are missing or have another shape or name. None if most of them differ.
    """
    if config.class_name is None or config.definition is None or config.head is not None or config.is_params:
        return None
    if not _is_class_of_part(config.class_name, config.model_type or ""):
        return None
    compared = [_compared(config, families, lost, prefix) for prefix in _prefixes(config, families)]
    best = min((one for one in compared if one is not None), key=lambda one: one.differences, default=None)
    if best is None or best.differences >= best.fitting:
        return None
    from inspector.findings.names.part_alone import PartAlone, PartDiffers

    place, below = Place(key="architectures"), best.prefix.removesuffix(".")
    model_type = config.model_type or ""
    if not (best.differences or best.copies):
        return PartAlone(place=place, model_type=model_type, class_name=config.class_name, below=below)
    return PartDiffers(
        place=place,
        model_type=model_type,
        class_name=config.class_name,
        below=below,
        missing=(*best.missing, *best.copies),
        shapes=best.shapes,
        unexpected=best.unexpected,
        tensors=best.differences + len(best.copies),
    )


def _is_class_of_part(class_name: str, model_type: str) -> bool:
    """True if a class is in the modules of a type in transformers, but is not exported."""
    from inspector.loading.tables import NEWEST, names_of

    names = names_of(NEWEST)
    stem = names.bases.get(model_type, "").removesuffix("Model")  # not always the letters of the type: Speech2Text
    of_type = letters(class_name).startswith(letters(model_type)) or (stem and class_name.startswith(stem))
    return bool(of_type) and class_name in names.inner


def _prefixes(config: Claim, families: Families) -> list[str]:
    """The modules of the definition that contain the most stored names, more than are outside of them."""
    if config.definition is None:
        return []
    known = known_keys(Scope(config.definition, config.settings, definition_of))
    roots = {head.root for head in config.definition.heads}
    counted: Counter[str] = Counter()
    for key in known:
        parts = key.split(".")
        for length in range(1, len(parts)):
            below = ".".join(parts[:length])
            if below not in roots and ".".join(parts[length:]) in families:
                counted[f"{below}."] += 1
    most = sorted(counted, key=lambda prefix: (-counted[prefix], len(prefix), prefix))
    least = max(len(families) // 2, sum(key in known for key in families))
    return [prefix for prefix in most[:MOST_PARTS] if counted[prefix] > least]


def _compared(config: Claim, families: Families, lost: Sequence[str], prefix: str) -> _Compared | None:
    """Compares the stored tensors with the tensors below a module of the whole model."""
    reading = read_claimed(config, rekeyed(families, lambda key: prefix + key), [prefix + name for name in lost])
    if reading is None or reading.prefix:
        return None
    case = reconcile(config, reading, [prefix + name for name in lost], solve=False)
    placed = case.as_configured
    gaps = [gap for gap in placed.missing if gap.block.key.startswith(prefix)]
    missing = sum(gap.tensors for gap in gaps)
    wrong = sum(one.tensors for one in placed.mismatched)
    unknown = sum(one.tensors for one in placed.unexpected)
    return _Compared(
        prefix=prefix,
        fitting=sum(one.tensors for one in placed.placed if one.fits),
        others=sum(gap.tensors for gap in placed.missing),
        parameters=sum(gap.tensors * (gap.block.elements or 0) for gap in placed.missing),
        missing=_names(prefix, ((gap.block.key, gap.boxes) for gap in gaps)),
        shapes=_names(prefix, ((one.block.key, one.boxes) for one in placed.mismatched)),
        unexpected=_names(prefix, ((one.key, one.boxes) for one in placed.unexpected)),
        copies=_names(prefix, ((one.key, (one.axes,)) for one in _lost_copies(case, prefix))),
        differences=missing + wrong + unknown,
    )


def _lost_copies(case: Reconciled, prefix: str) -> list[Block]:
    """The tensors below a module that are tied to one outside of it and not stored."""
    below = [block for block in case.plan.blocks if block.key.startswith(prefix)]
    own, stored = {id(block.slot) for block in below}, {id(one.block.slot) for one in case.as_configured.placed}
    return [one for one in below if one.tie is not None and id(one.tie) not in own and id(one.slot) not in stored]


def part_of_whole(config: Claim, families: Families, checkpoint: Checkpoint) -> Finding | None:
    """The finding that the weights are a part of the config's model under the names that they have in this part.

    None unless exactly the tensors of one part are stored, in the shapes that the config gives.
    """
    if config.class_name is None or config.definition is None or config.head is None or config.is_params:
        return None
    compared = (_compared(config, families, (), prefix) for prefix in _prefixes(config, families))
    found = [one for one in compared if one is not None and one.fitting and not one.differences]
    own = [one for one in found if one.prefix.startswith(config.head.root)] or found
    fitting = min(own, key=lambda one: len(one.prefix), default=None)
    if fitting is None or not all(one.prefix.endswith(f".{fitting.prefix}") for one in own if one is not fitting):
        return None
    from inspector.auditing.identity.class_of_part import classes_of_parts
    from inspector.findings.names.part_alone import PartOfModel
    from inspector.loading.given import Given

    model_type, below = config.model_type or "", fitting.prefix.removesuffix(".")
    given = Given(checkpoint, config.settings.values, config.class_name, model_type)
    exported = None if fitting.copies else next(classes_of_parts(given), None)
    return PartOfModel(
        place=Place(key="architectures"),
        declared=config.class_name,
        below=below,
        stored_class=None if fitting.copies else exported or _class_of_module(model_type, below),
        exported=exported is not None,
        tensors=fitting.fitting,
        missing=fitting.others,
        parameters=fitting.parameters,
    )


def _class_of_module(model_type: str, below: str) -> str | None:
    """The class of a module in the modules of a type, by its name; None if several classes begin with this name."""
    from inspector.loading.tables import NEWEST, names_of

    names = names_of(NEWEST)
    begins = letters(names.bases.get(model_type, "").removesuffix("Model") + below.rpartition(".")[2])
    fitting = [name for name in names.inner if letters(name).startswith(begins) and not name.endswith(WRAPPER)]
    return fitting[0] if len(fitting) == 1 and letters(fitting[0]) == begins else None


def _names(prefix: str, parts: Iterable[tuple[str, Sequence[Box]]]) -> tuple[str, ...]:
    return tuple(name.removeprefix(prefix) for key, boxes in parts for name in names_in(key, boxes))
