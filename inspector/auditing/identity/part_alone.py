"""Recognises an encoder or a decoder that was saved under its own class with the config of the whole model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box
from inspector.architectures.catalog import definition_of, letters
from inspector.findings.finding import Finding, Place
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.reading import read_claimed
from inspector.matcher.spelling import known_keys
from inspector.notation.scope import Scope
from inspector.reconciler.reconcile import reconcile
from inspector.reconciler.wording import names_in

PART_ALONE: Final = ("completeness", "the class is a part of a model that has no definition of its own")
"""The check that is then skipped, and the reason."""

MOST_PARTS: Final = 4
"""Most modules that are compared with the stored ones."""


class _Compared(Struct, frozen=True):
    """The stored tensors compared with the tensors below one module of the whole model: names without that module."""

    prefix: str
    fitting: int
    missing: tuple[str, ...]
    shapes: tuple[str, ...]
    unexpected: tuple[str, ...]
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
    if not best.differences:
        return PartAlone(place=place, model_type=model_type, class_name=config.class_name, below=below)
    return PartDiffers(
        place=place,
        model_type=model_type,
        class_name=config.class_name,
        below=below,
        missing=best.missing,
        shapes=best.shapes,
        unexpected=best.unexpected,
        tensors=best.differences,
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
    placed = reconcile(config, reading, [prefix + name for name in lost], solve=False).as_configured
    gaps = [gap for gap in placed.missing if gap.block.key.startswith(prefix)]
    missing = sum(gap.tensors for gap in gaps)
    wrong = sum(one.tensors for one in placed.mismatched)
    unknown = sum(one.tensors for one in placed.unexpected)
    return _Compared(
        prefix=prefix,
        fitting=sum(one.tensors for one in placed.placed if one.fits),
        missing=_names(prefix, ((gap.block.key, gap.boxes) for gap in gaps)),
        shapes=_names(prefix, ((one.block.key, one.boxes) for one in placed.mismatched)),
        unexpected=_names(prefix, ((one.key, one.boxes) for one in placed.unexpected)),
        differences=missing + wrong + unknown,
    )


def _names(prefix: str, parts: Iterable[tuple[str, Sequence[Box]]]) -> tuple[str, ...]:
    return tuple(name.removeprefix(prefix) for key, boxes in parts for name in names_in(key, boxes))
