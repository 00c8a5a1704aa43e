"""Compares the adapter_config.json of mlx-lm with the tensors of its adapter.

Source: `load_adapters` and `linear_to_lora_layers` of mlx-lm 0.32 (`tuner/utils.py`): it adds low-rank matrices to the
last `num_layers` layers, to all layers if the number is not positive, and refuses other tensors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.tool_base import BaseModules, plain
from inspector.adapters.tool_ranks import ranks_of
from inspector.algebra.boxes import count, tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.mlx import AdapterSettingsAbsent
from inspector.findings.adapters.tensors import AdapterSetting
from inspector.findings.adapters.whole import AdapterSettingDiffers
from inspector.findings.finding import Finding, Place
from inspector.loader.loaders import MLX_ADAPTERS, OF_MLX

PARAMETERS: Final = "lora_parameters"
LAYERS: Final = "num_layers"
OLD_LAYERS: Final = "lora_layers"
"""Key for `num_layers` in the first versions of mlx-lm."""
TYPE: Final = "fine_tune_type"
ALL_LAYERS: Final = -1
"""Value of `num_layers` for which mlx-lm changes all layers."""
MAGNITUDE: Final = "magnitude"


class StoredModule(Struct, frozen=True):
    """A module of an adapter: the text before its layer number, the number, and its name inside the layer."""

    name: str
    before: str
    layer: int | None
    inside: str


def mlx_settings(
    values: Mapping[str, Any], modules: Sequence[ChangedModule], base: BaseModules | None
) -> Iterator[Finding]:
    """Yields settings that are absent, or else settings that contradict the stored tensors."""
    stored = list(_stored(modules))
    found = values.get(PARAMETERS)
    parameters: Mapping[str, Any] = found if isinstance(found, dict) else {}
    ranks = ranks_of(modules)
    rank = next(iter(ranks)) if len(ranks) == 1 else None
    absent = list(_absent(values, parameters, rank))
    if absent:
        known = tuple(one for one in absent if one.new is not None)
        unknown = tuple(one.key for one in absent if one.new is None)
        place = Place(file=MLX_ADAPTERS.config)
        yield AdapterSettingsAbsent(place=place, settings=known, unknown=unknown, loader=OF_MLX)
        return
    tensors = sum(count(module.boxes(part)) for module in modules for part in module.parts)
    differing = (
        *_kind(values, modules),
        *_rank(parameters, rank),
        *_layers(values, stored, base),
        *_keys(parameters, stored, base),
    )
    for one in differing:
        place = Place(file=MLX_ADAPTERS.config, key=one.key)
        yield AdapterSettingDiffers(place=place, settings=(one,), tensors=tensors)


def settings_shown(modules: Sequence[ChangedModule]) -> dict[str, Any]:
    """The settings with which mlx-lm builds these modules, without the scale, which no tensor shows.

    mlx-lm leaves a module without tensors at zero, so that all layers may be named.
    """
    kind = next((one.new for one in _kind({}, modules)), "lora")
    ranks = ranks_of(modules)
    rank = {"rank": next(iter(ranks))} if len(ranks) == 1 else {}
    keys = sorted({one.inside for one in _stored(modules)})
    return {TYPE: kind, LAYERS: ALL_LAYERS, PARAMETERS: {**rank, "dropout": 0.0, "keys": keys}}


def _absent(values: Mapping[str, Any], parameters: Mapping[str, Any], rank: int | None) -> Iterator[AdapterSetting]:
    """The keys that mlx-lm reads and does not find, with their values; `new` is unknown for the scale."""
    if LAYERS not in values:
        older = values.get(OLD_LAYERS)
        yield AdapterSetting(LAYERS, None, older if type(older) is int else ALL_LAYERS)
    known = {"scale": None, "rank": rank, "dropout": 0.0}
    for key, value in known.items():
        if key not in parameters:
            yield AdapterSetting(f"{PARAMETERS}.{key}", None, value)


def _stored(modules: Iterable[ChangedModule]) -> Iterator[StoredModule]:
    for module in modules:
        for index in (index for box in module.everywhere for index in tuples(box)):
            name = name_of(module.name, index) if "#" in module.name else module.name
            number = re.search(r"(?<=\.)\d{1,6}\.", name)
            if number is None:
                yield StoredModule(name, "", None, name)
            else:
                yield StoredModule(name, name[: number.start()], int(number[0][:-1]), name[number.end() :])


def _kind(values: Mapping[str, Any], modules: Sequence[ChangedModule]) -> Iterator[AdapterSetting]:
    """The setting of the method, if it is wrong: magnitudes belong to DoRA, and all of its modules have them."""
    stated, scaled = values.get(TYPE, "lora"), [MAGNITUDE in module.parts for module in modules]
    shown = "dora" if all(scaled) else "lora" if not any(scaled) else stated
    if stated in ("lora", "dora") and shown != stated:
        yield AdapterSetting(TYPE, stated, shown)


def _rank(parameters: Mapping[str, Any], rank: int | None) -> Iterator[AdapterSetting]:
    if rank is not None and rank > 0 and parameters["rank"] != rank:
        yield AdapterSetting(f"{PARAMETERS}.rank", parameters["rank"], rank)


def _layers(
    values: Mapping[str, Any], stored: Sequence[StoredModule], base: BaseModules | None
) -> Iterator[AdapterSetting]:
    """The number of layers, if it excludes a layer with stored tensors. base: determines the total number of layers."""
    stated, named = values[LAYERS], values[PARAMETERS].get("keys")
    whole = frozenset(map(str, named)) if isinstance(named, list) else frozenset()  # changed whatever their layer
    layered = [one for one in stored if one.layer is not None and one.name not in whole]
    if type(stated) is not int or stated <= 0 or not layered:
        return
    numbers = [one.layer for one in layered if one.layer is not None]
    of_base = 0 if base is None else _last_of(base, layered[0].before)
    if stated < max(max(numbers), of_base) - min(numbers) + 1:
        yield AdapterSetting(LAYERS, stated, of_base - min(numbers) + 1 if of_base >= max(numbers) else ALL_LAYERS)


def _last_of(base: BaseModules, before: str) -> int:
    """The number of a base's last layer; 0 if the base has no layers under such names."""
    start = plain(before)
    names = (name.removeprefix(start) for part in base.modules.values() for name in part if name.startswith(start))
    return max((int(found[0]) for name in names if (found := re.match(r"\d{1,6}(?=_)", name))), default=0)


def _keys(
    parameters: Mapping[str, Any], stored: Sequence[StoredModule], base: BaseModules | None
) -> Iterator[AdapterSetting]:
    """Modules missing in a list of names, by their name inside the layer or their whole name.

    base: a module that the base lacks too has a wrong name.
    """
    keys = parameters.get("keys")
    if not isinstance(keys, list):
        return
    known = None if base is None else {name for part in base.modules.values() for name in part}
    left_out = {
        one.inside
        for one in stored
        if one.inside not in keys and one.name not in keys and (known is None or plain(one.name) in known)
    }
    if left_out:
        yield AdapterSetting(f"{PARAMETERS}.keys", keys, [*keys, *sorted(left_out)])
