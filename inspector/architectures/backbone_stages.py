"""Stages that the config of a backbone lists, which transformers 5 compares with each other.

Source: transformers 5.23, `BackboneConfigMixin.verify_out_features_out_indices`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.architectures.config_types import types_of

FEATURES, INDICES, NAMES = "out_features", "out_indices", "stage_names"
_FIELD: Final = "_out_features"
"""What the config classes of backbones have."""
_STAGE: Final = re.compile(r"stem|stage([1-9]\d{0,3})")


def refused_stages(values: Mapping[str, Any], model_type: str, class_name: str) -> Iterator[tuple[str, str]]:
    """(key, what it should be) of the lists of stages that are refused; one where several contradict each other.

    class_name: of the model, "" within another config: only a model that is a backbone reads the names of all stages.
    """
    types = types_of(model_type)
    if types is None or _FIELD not in types.fields:
        return
    features = _list_of(str, values.get(FEATURES))
    indices = _list_of(int, values.get(INDICES))
    names = _list_of(str, values.get(NAMES)) or []
    for key, wanted in (
        (FEATURES, _of_features(features or ())),
        (INDICES, _of_indices(indices or ())),
        (INDICES, _of_both(features, indices, names)),
        (NAMES, _of_names(features or (), indices or (), names) if class_name.endswith("Backbone") else ""),
    ):
        if wanted:
            yield key, wanted
            return


def _list_of(kind: type, value: Any) -> list[Any] | None:
    """A list whose entries are all of one type; None for everything else."""
    return value if isinstance(value, list) and all(type(one) is kind for one in value) else None


def _numbers(features: Sequence[str]) -> list[int | None]:
    """The numbers of the stages, 0 for the stem; None for a name that no stage has."""
    found = (_STAGE.fullmatch(one) for one in features)
    return [None if one is None else int(one[1] or 0) for one in found]


def _of_features(features: Sequence[str]) -> str:
    numbers = _numbers(features)
    if None in numbers:
        return "a list of stem, stage1, stage2 and so on"
    ordered = sorted({one for one in numbers if one is not None})
    return "" if numbers == ordered else "a list of different stages in their order"


def _of_indices(indices: Sequence[int]) -> str:
    """Several from the end may be stages that are listed from the start as well, which the number of stages decides."""
    if any(one < 0 for one in indices):
        return "" if len(set(indices)) == len(indices) else "a list of different stages"
    return "" if list(indices) == sorted(set(indices)) else "a list of different stages in their order"


def _of_both(features: Sequence[str] | None, indices: Sequence[int] | None, names: Sequence[str]) -> str:
    if features is None or indices is None:
        return ""
    if len(features) != len(indices):
        return f"as long as {FEATURES}: {len(features)}"
    first = _numbers(names[:1])
    if any(one < 0 for one in indices) or first not in ([0], [1]):
        return ""
    stages = [None if one is None else one - (first[0] or 0) for one in _numbers(features)]
    return "" if stages == list(indices) else f"{stages}, the stages of {FEATURES}"


def _of_names(features: Sequence[str], indices: Sequence[int], names: Sequence[str]) -> str:
    """What a backbone compares once more, with the names that are stated."""
    known = not names or set(features) <= set(names)
    if not known or (names and any(one not in range(-len(names), len(names)) for one in indices)):
        return f"a list with the stages of {FEATURES} and {INDICES}"
    ordered = [one for one in names if one in features] == list(features)
    alike = not features or not indices or [names[one] for one in indices] == list(features)
    return "" if not names or (ordered and alike) else f"a list in which {INDICES} are the stages of {FEATURES}"
