"""Checks an adapter without its base: targets that no name contains, and layers that differ from the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.adapters.names import tuner_name
from inspector.adapters.targets import Boxes, Ends, texts, union
from inspector.algebra.boxes import Box, count, minus, tuples
from inspector.algebra.names import axes_of, before_index, name_of
from inspector.algebra.span import Span
from inspector.findings.adapters.layers import AdapterLayerOdd
from inspector.findings.adapters.tensors import (
    AdapterTargetMissing,
)
from inspector.findings.adapters.tools import AdapterPairDiffers, Pair
from inspector.findings.adapters.whole import (
    AdapterTargetUnnamed,
)
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.matcher.families import Families
from inspector.reconciler.wording import indices_in_words, place_of

FEWEST_LAYERS: Final = 4
"""Fewest layers that form a pattern from which one layer can deviate."""
MOST_ODD: Final = 3


def _modules(families: Families) -> dict[str, Boxes]:
    """The modules changed by tuners -> their indices."""
    found: dict[str, list[Box]] = {}
    for key, family in families.items():
        name = tuner_name(key)
        if name is None or not name.module or "#" in name.ending:
            continue
        found.setdefault(name.module, []).extend(family.boxes)
    return {module: union(boxes) for module, boxes in found.items()}


def unnamed_targets(values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """The finding on targets in the config's list that no tensor's name contains."""
    listed, excluded = values.get("target_modules"), values.get("exclude_modules")
    if not isinstance(listed, list) or isinstance(excluded, str):
        return
    modules = _modules(families)
    absent = [
        one
        for one in dict.fromkeys(texts(listed))
        if one not in texts(excluded)
        and not any(Ends([one]).within(module, box) for module, boxes in modules.items() for box in boxes)
    ]
    if absent and modules:
        yield AdapterTargetUnnamed(
            place=Place(file="adapter_config.json", key="target_modules"),
            targets=tuple(absent[:NAMES_SHOWN]),
            count=len(absent),
            of=len(listed),
        )


def odd_layers(values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """Findings on modules that a few inner layers lack and all others have; a module is lost if others of the same
    block are stored.
    """
    if values.get("layers_to_transform") is not None or values.get("exclude_modules"):
        return
    listed = values.get("target_modules")
    if isinstance(listed, list) and any("." in one for one in texts(listed)):
        return
    modules = {module: boxes for module, boxes in _modules(families).items() if axes_of(module) == 1}
    extents: dict[str, Span] = {}
    for module, boxes in modules.items():
        prefix = before_index(module)
        for box in boxes:
            extents[prefix] = extents.get(prefix, Span()) | box[0]
    lost = _lost(modules, extents) if isinstance(listed, list) else None
    if lost is not None:
        names = [tuner_name(key) for key in families]
        tensors = sum(one is not None and one.module == lost[0] for one in names)
        yield AdapterTargetMissing(
            place=place_of(*lost), modules=(), count=1, tensors=tensors, base=None, confidence="likely"
        )
        return
    for module, boxes in modules.items():
        whole = extents[before_index(module)]
        missing = minus(((whole,),), boxes)
        absent, there = count(missing), count(boxes)
        edges = {whole.first, whole.last}
        if not absent or there < FEWEST_LAYERS or absent > min(MOST_ODD, there // FEWEST_LAYERS):
            continue
        if any(edges & set(box[0]) for box in missing):
            continue
        yield AdapterLayerOdd(
            place=place_of(module, missing),
            module=place_of(module, missing).family,
            modules=absent,
            agreeing=there,
            siblings=whole.size,
            layers=indices_in_words(module, missing),
            confidence="likely",
        )


def _lost(modules: Mapping[str, Boxes], extents: Mapping[str, Span]) -> tuple[str, Boxes] | None:
    """The only absent module, in one inner layer, if another module of the same block is stored."""
    absent = {
        module: left for module, boxes in modules.items() if (left := minus(((extents[before_index(module)],),), boxes))
    }
    if len(absent) != 1:
        return None
    ((module, left),) = absent.items()
    whole, block = extents[before_index(module)], module.rpartition(".")[0]
    has_siblings = any(other.rpartition(".")[0] == block for other in modules if other != module)
    inner = count(left) == 1 and not {whole.first, whole.last} & set(left[0][0])
    return (module, left) if has_siblings and inner else None


RANK_AXES: Final = {"lora_A": 0, "lora_E": 0, "lora_B": -1}
"""Matrix of AdaLoRA -> the axis of its rank, which training lowers for each module separately."""


def unequal_ranks(families: Families) -> Iterator[Finding]:
    """Findings on AdaLoRA modules that have matrices of different ranks."""
    first: dict[tuple[str, tuple[int, ...]], tuple[str, tuple[int, ...], int]] = {}
    pairs: list[Pair] = []
    for key, family in families.items():
        part = next((one for one in RANK_AXES if f".{one}" in key), None)
        if part is None:
            continue
        module = key[: key.index(f".{part}")]
        for stored in family.stored:
            rank = stored.layout.shape[RANK_AXES[part]] if stored.layout.shape else 0
            for index in (index for box in stored.boxes for index in tuples(box)):
                name, shape, known = first.setdefault((module, index), (name_of(key, index), stored.layout.shape, rank))
                if rank != known:
                    pairs.append(Pair(name, shape, name_of(key, index), stored.layout.shape))
    if pairs:
        place = Place(tensor=pairs[0].second) if len(pairs) == 1 else Place()
        yield AdapterPairDiffers(place=place, pairs=tuple(pairs[:NAMES_SHOWN]), count=len(pairs))
