"""Finds modules of an adapter that the definition of its base does not have under these names."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.adapters.base import Base
from inspector.adapters.matched import module_of, of_all
from inspector.adapters.names import tuner_name, uncopied
from inspector.adapters.targets import Targets, Unclear
from inspector.algebra.boxes import Box
from inspector.matcher.families import Families


def unknown_modules(families: Families, base: Base) -> list[str]:
    """Modules of an adapter under names that the definition of its base does not have.

    The base may have them nevertheless: the names in memory may differ from those in the files, and for many types only
    the files are known.
    """
    known = {tensor.module for tensor in base.tensors}
    paths = [one.split(".") for one in known]
    known.update(".".join(path[:length]) for path in paths for length in range(len(path)))
    modules = (module_of(uncopied(key)) for key in families if not of_all(key))
    return [one for one in dict.fromkeys(modules) if one not in known]


def foreign_modules(unknown: Sequence[str], families: Families, base: Base, settings: Targets) -> list[str]:
    """Unknown modules that the base certainly does not have.

    All of them if names in memory equal the names in files; otherwise those that the config does not choose either and
    that are next to modules of the base.
    """
    blocks = {tensor.module.rpartition(".")[0] for tensor in base.tensors}
    stored: dict[str, list[Box]] = {}
    for key, family in families.items():
        if not of_all(key):
            stored.setdefault(module_of(key), []).extend(family.boxes)
    if not base.composite:
        tuned = {module_of(key) for key in families if tuner_name(key) is not None}
        return [one for one in unknown if one in tuned]
    if 2 * len(unknown) >= len(stored):
        return []
    inside = (one for one in unknown if one.rpartition(".")[0] in blocks)
    return [one for one in inside if not _chosen(one, stored[one], settings)]


def modules_not_of(base: Base, families: Families, settings: Targets) -> tuple[list[str], list[str]]:
    """(modules under names that the base's definition does not have, those that the base certainly does not have)."""
    unknown = unknown_modules(families, base)
    foreign = foreign_modules(unknown, families, base, settings)
    return [one for one in unknown if one not in foreign], foreign


def is_of_another(foreign: Sequence[str], families: Families) -> bool:
    """True if the base has none of the modules that the adapter's method changes."""
    tuned = {module_of(key) for key in families if tuner_name(key) is not None}
    return bool(foreign) and tuned.issubset(foreign)


def _chosen(module: str, boxes: Sequence[Box], settings: Targets) -> bool:
    if settings.every_linear or settings.of_parameters(module):
        return True
    try:
        return any(settings.chosen(module, box) or settings.saved(module, box) for box in boxes)
    except Unclear:
        return True
