"""Finds config values of which no measurement says whether a model can be built with them: odd entries of lists within
lists, and odd keys and values of objects that are no configs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from inspector.architectures.defaults import class_defaults
from inspector.architectures.nested_lists import inner_lists
from inspector.architectures.value_rules import configs_within

OF_OTHER_RULES: Final = frozenset({"rope_parameters", "rope_scaling", "quantization_config", "id2label", "label2id"})
"""Objects of which rules have the keys."""
FEW: Final = 2
"""Fewest lists that show the types and the length of the others."""


def unmeasured_value(values: Mapping[str, Any], major: str) -> str | None:
    """The dotted path of the first value that was not measured; None if all were."""
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        defaults = class_defaults(model_type, major)[0] if isinstance(model_type, str) else {}
        for key, value in inner.items():
            usual = defaults.get(key)
            odd = _has_odd_list(key, value, usual) or _is_odd_object(key, value, usual)
            if odd:
                return ".".join((*path, key))
    return None


def _has_odd_list(key: str, value: Any, usual: Any) -> bool:
    """True if a list within a list has another length than all others, or an entry of a type that no other has there.

    usual: the default, which counts like the others.
    """
    lists: dict[str, list[list[Any]]] = {}
    for name, _, one in (*inner_lists(key, value), *inner_lists(key, usual)):
        lists.setdefault(name, []).append(one)
    held = [name for name, _, _ in inner_lists(key, value)]
    return any(_differs(lists[name]) for name in dict.fromkeys(held) if len(lists[name]) > FEW)


def _differs(lists: list[list[Any]]) -> bool:
    """True if one of several lists differs from all others. Only lists of numbers are compared by length."""
    lengths, kinds = [len(one) for one in lists], [_kind(entry) for one in lists for entry in one]
    if "str" not in kinds and (_is_odd(lengths) or (len(set(lengths)) > 1 and _is_odd(kinds))):
        return True
    columns = ([_kind(one[index]) for one in lists if len(one) > index] for index in range(max(lengths)))
    return any(len(column) > FEW and _is_odd(column) for column in columns)


def _is_odd(found: Sequence[int] | Sequence[str]) -> bool:
    """True if one entry differs from all others, which are alike."""
    return len(set(found)) == FEW and any(found.count(one) == 1 for one in set(found))


def _kind(value: Any) -> str:
    """The type of a value; true and false are what 1 and 0 are."""
    return "int" if isinstance(value, bool) else type(value).__name__


def _is_odd_object(key: str, value: Any, usual: Any) -> bool:
    """True if an object has other keys or types of values than the default, numbers in place of words for example."""
    plain = isinstance(value, dict) and isinstance(usual, Mapping) and bool(usual) and key not in OF_OTHER_RULES
    if not plain or "model_type" in usual or "model_type" in value:
        return False
    by_number = {str(one).isdecimal() for one in usual}
    if {str(one).isdecimal() for one in value} - by_number:
        return True
    return any(name in value and _kind(value[name]) != _kind(one) for name, one in usual.items())
