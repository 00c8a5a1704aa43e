"""Stages that the config of a backbone lists, which transformers compares with each other and with its layers.

Source: transformers 5.23, `BackboneConfigMixin.verify_out_features_out_indices`, and the config classes, which name the
stages by a list or a number of layers (`stages` in `config_types.jsonl`). The classes of transformers 4 replace the
names that a config states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import class_defaults
from inspector.notation.settings import Settings

FEATURES, INDICES, NAMES = "out_features", "out_indices", "stage_names"
WITHIN: Final = "backbone_config"
"""Where another model has the config of a backbone."""
MOST_STAGES: Final = 10_000
"""Most stages that are named; no class is built with more layers."""
MOST_NAMED: Final = 8
"""Most stages that a reason lists."""


def refused_stages(values: Mapping[str, Any], model_type: str, is_backbone: bool) -> Iterator[tuple[str, str, str]]:
    """(key, what it should be, the key that numbers the stages) of the lists of stages that are refused; one where
    several contradict each other.

    is_backbone: whether the model is built as a backbone that reads the stated names of all stages as well.
    """
    known = _stages_of(values, model_type)
    if known is None:
        return
    stages, key = known
    found = _refused(values, stages) or (_refused_names(values, stages) if is_backbone else None)
    if found is not None:
        yield (*found, key)


def _refused(values: Mapping[str, Any], stages: Sequence[str]) -> tuple[str, str] | None:
    features, indices = _list_in(values.get(FEATURES)), _list_in(values.get(INDICES))
    if wanted := _of_features(features or (), stages):
        return FEATURES, wanted
    if not all(isinstance(one, int | float) for one in indices or ()):
        return INDICES, "a list of numbers of stages"
    wanted = _of_indices(indices or (), len(stages)) or _of_both(features, indices, stages)
    return (INDICES, wanted) if wanted else None


def _stages_of(values: Mapping[str, Any], model_type: str) -> tuple[Sequence[str], str] | None:
    """The names of the stages, and the key that their number follows, "" where it is always the same."""
    types = types_of(model_type)
    if types is None or not types.stages:
        return None
    stem, _, key = types.stages.rpartition(" ")
    settings = Settings(values, *class_defaults(model_type))
    stated: Any = int(key) if key.isdecimal() else settings.read((key,))[0]
    number = len(stated) if isinstance(stated, list) else stated
    if type(number) is not int or number > MOST_STAGES:
        return None
    named = [f"stage{one}" for one in range(1, number + 1)]
    return ([stem, *named] if stem else named), "" if key.isdecimal() else settings.spelled(key)


def _list_in(value: Any) -> list[Any] | None:
    return value if isinstance(value, list) else None


def _of_features(features: Sequence[Any], stages: Sequence[str]) -> str:
    if any(one not in stages for one in features):
        listed = ", ".join(stages) if len(stages) <= MOST_NAMED else f"{', '.join(stages[:2])} to {stages[-1]}"
        return f"a list of {listed}"
    return "" if list(features) == [one for one in stages if one in features] else _IN_ORDER


_IN_ORDER: Final = "a list of different stages in their order"


def _of_indices(indices: Sequence[float], number: int) -> str:
    positive = [one % number if one < 0 < number else one for one in indices]
    if any(one and one not in range(number) for one in positive):
        return f"a list of numbers below {number}, the number of stages"
    return "" if positive == sorted(set(positive)) else _IN_ORDER


def _of_both(features: Sequence[str] | None, indices: Sequence[float] | None, stages: Sequence[str]) -> str:
    if features is None or indices is None:
        return ""
    if len(features) != len(indices):
        return f"as long as {FEATURES}: {len(features)}"
    wanted = [stages.index(one) for one in features]
    return "" if wanted == [one % len(stages) for one in indices] else f"{wanted}, the stages of {FEATURES}"


def _refused_names(values: Mapping[str, Any], stages: Sequence[str]) -> tuple[str, str] | None:
    """What a backbone compares once more, with the names that are stated."""
    if NAMES in values and values[NAMES] is None:
        return NAMES, "a list of the stages"
    names, features, indices = (_list_in(values.get(key)) for key in (NAMES, FEATURES, INDICES))
    unread = [key for key, one in ((FEATURES, features), (INDICES, indices)) if one is None]
    whole = all(type(one) is int for one in indices or ())
    if names is None or not stages or not whole or any(values.get(key) is not None for key in unread):
        return None
    features, indices = _aligned(features, indices, stages)
    if any(one not in names for one in features) or any(one not in range(-len(names), len(names)) for one in indices):
        return NAMES, f"a list with the stages of {FEATURES} and {INDICES}"
    ordered = [one for one in names if one in features] == features
    alike = [names[one] for one in indices] == features
    return None if ordered and alike else (NAMES, f"a list in which {INDICES} are the stages of {FEATURES}")


def _aligned(
    features: list[str] | None, indices: list[int] | None, stages: Sequence[str]
) -> tuple[list[str], list[int]]:
    """The names and the numbers of the stages, each from the other where one is absent; the last where both are."""
    if features is None:
        indices = [len(stages) - 1] if indices is None else indices
        return [stages[one] for one in indices], indices
    return features, [stages.index(one) for one in features] if indices is None else indices
