"""Tensors in memory that share one parameter, and the effect on a file that contains only some of them.

Sources: transformers 4.57 `PreTrainedModel.tie_weights`, `_find_missing_and_unexpected_keys`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, minus, within
from inspector.algebra.names import name_of
from inspector.loading.templates import joined_with
from inspector.notation.settings import Settings

FLAT: Final = frozenset({"glm4v", "glm4v_moe", "qwen2_5_vl", "qwen2_vl"})
"""Types whose config class in transformers 4.57 builds an absent `text_config` from all keys of the config.

Source: `elif text_config is None` in their configuration files.
"""

IndexSets = dict[str, tuple[Box, ...]]
"""Key of a tensor in memory -> its index sets."""


class Tie(Struct, frozen=True):
    """Tensors in memory that share one parameter with others.

    aligned: True if each is tied to the tensor with the same index; else all are tied to the same tensors.
    """

    key: str
    boxes: tuple[Box, ...]
    original: str
    originals: tuple[Box, ...]
    aligned: bool


def settings_of_tie(settings: Settings, tie_of: str) -> Settings:
    """The settings in which a class looks up whether the head is tied. tie_of: the path of its sub-config, or empty."""
    values = settings.values
    flat = values.get("model_type") in FLAT and not isinstance(values.get(tie_of), dict)
    stated = "tie_word_embeddings" in values  # else the default of the text model counts
    return settings if flat and stated else settings.at(tie_of)


def first_name(key: str, boxes: Sequence[Box]) -> str:
    """The first tensor of a family."""
    return name_of(key, tuple(axis.first for axis in boxes[0])) if boxes[0] else key


def overwritten(ties: Sequence[Tie], loaded: Mapping[str, Sequence[Box]]) -> tuple[str, str] | None:
    """(first copy of a tied tensor that is stored together with its original, the original); None
    without such a copy.
    """
    for tie in ties:
        both = within(loaded.get(tie.key, ()), tie.boxes[0]), within(loaded.get(tie.original, ()), tie.originals[0])
        if all(both) and (tie.key != tie.original or not tie.aligned):
            return first_name(tie.key, both[0]), first_name(tie.original, both[1])
    return None


def emptied(ties: Sequence[Tie], same: Sequence[Tie], loaded: IndexSets) -> tuple[str, str] | None:
    """(first copy of a tied tensor that is stored without its original, the original); None without such a copy.

    same: ties of tensors whose module is the same object in both positions, so that either name fills it.
    """
    there, one_module = with_ties(same, loaded), {(tie.key, tie.original) for tie in same}
    for tie in ties:
        if (tie.key, tie.original) in one_module or (tie.original, tie.key) in one_module:
            continue
        copies = [box for one in tie.boxes for box in within(there.get(tie.key, ()), one)]
        wanted = copies if tie.aligned else tie.originals
        absent = minus(wanted, there.get(tie.original, ())) if copies and tie.key != tie.original else ()
        if absent:
            return first_name(tie.key, copies), first_name(tie.original, absent)
    return None


def with_ties(ties: Sequence[Tie], loaded: IndexSets) -> IndexSets:
    """The loaded tensors, extended by tied ones: an original by any of its copies, a copy by its original."""
    there = dict(loaded)
    for back in (True, False):
        for tie in ties:
            source, sources = (tie.key, tie.boxes) if back else (tie.original, tie.originals)
            target, targets = (tie.original, tie.originals) if back else (tie.key, tie.boxes)
            begun = [box for one in sources for box in within(there.get(source, ()), one)]
            if begun:
                filled = begun if tie.aligned else targets
                there[target] = joined_with(there.get(target, ()), filled)
    return there
