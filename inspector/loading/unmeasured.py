"""Finds config values of which no measurement says whether a model can be built with them: odd entries of lists within
lists, odd keys and values of objects that are no configs, odd settings of rotary embeddings, odd model types, and kinds
of which only some values are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.architectures.defaults import OLDER, class_defaults, inert_keys
from inspector.architectures.nested_lists import inner_lists
from inspector.architectures.undecided_kinds import kinds_undecided
from inspector.architectures.value_rules import DTYPES, PRUNED, configs_within, is_replaced

TYPE: Final = "model_type"
DEPTH: Final = "num_hidden_layers"
OF_OTHER_RULES: Final = frozenset({"rope_parameters", "rope_scaling", "quantization_config", "id2label", "label2id"})
"""Objects of which rules have the keys."""
FEW: Final = 2
"""Fewest lists that show the types and the length of the others."""
ROTARY: Final = ("rope_parameters", "rope_scaling")
NUMBERS_OF_ROTARY: Final = frozenset(
    {"attention_factor", "beta_fast", "beta_slow", "long_mscale", "mscale", "mscale_all_dim", "short_mscale"}
)
"""Settings of rotary embeddings that no type needs, and that are numbers or null."""
DIVISORS: Final = frozenset({"high_freq_factor", "low_freq_factor", "original_max_position_embeddings"})
"""Settings of rotary embeddings by which, or by whose logarithm, some types divide."""
TOKEN: Final = "pad_token_id"
"""A key with which models compute as they are built; its list must not be empty."""
STAGES: Final = frozenset({"out_features", "out_indices", "stage_names"})
"""Lists of stages of backbones."""


def unmeasured_value(values: Mapping[str, Any], major: str) -> str | None:
    """The dotted path of the first value that was not measured; None if all were."""
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        defaults, aliases = class_defaults(model_type, major) if isinstance(model_type, str) else ({}, {})
        if path and isinstance(inner.get(TYPE), list | dict):
            return ".".join((*path, TYPE))
        if major == OLDER and _prunes_beyond(inner, defaults, aliases):
            return ".".join((*path, PRUNED))
        contradicting = next(_contradicting(inner, aliases), None)
        if contradicting is not None:
            return ".".join((*path, contradicting))
        for key, value in inner.items():
            usual = defaults.get(key)
            if major == OLDER and isinstance(model_type, str) and is_replaced(model_type, key):
                continue
            if path and key in DTYPES and isinstance(value, dict):
                return ".".join((*path, key))
            if _is_odd(key, value, usual) or _is_odd_object(key, value, usual) or _is_flat(value, usual):
                return ".".join((*path, key))
    undecided = next(kinds_undecided(values, major), None)
    return None if undecided is None else ".".join(undecided)


def _prunes_beyond(values: Mapping[str, Any], defaults: Mapping[str, Any], aliases: Mapping[str, str]) -> bool:
    """True if heads are removed from a layer that the model does not have."""
    layers, stated = aliases.get(DEPTH, DEPTH), values.get(PRUNED)
    number = values.get(layers, values.get(DEPTH, defaults.get(layers)))
    numbered = [int(one) for one in stated if one.isdecimal()] if isinstance(stated, dict) else []
    return type(number) is int and any(one >= number for one in numbered)


def _is_odd(key: str, value: Any, usual: Any) -> bool:
    """True if a value, or one in an object that is no config, is a list or has settings that were not measured."""
    if key in ROTARY:
        return _has_odd_setting(value)
    if isinstance(value, dict) and value and TYPE not in value and key not in DTYPES:
        stated = usual if isinstance(usual, Mapping) else {}
        return any(_has_odd_list(name, one, stated.get(name)) for name, one in value.items())
    of_sides = isinstance(value, list) and type(usual) is int and key not in inert_keys()  # in place of one number
    if of_sides and len(value) < FEW:
        return True
    if (value == [] and key.endswith(TOKEN)) or (value == {} and isinstance(usual, list)):
        return True
    if _mixes_words(value, usual) and key not in inert_keys():
        return True
    odd = key not in inert_keys() and (_has_odd_list(key, value, usual) or _lacks_list(value, usual))
    return odd or (key in STAGES and _names_no_stages(value))


def _mixes_words(value: Any, usual: Any) -> bool:
    """True for a list with words and numbers, true or false, where that of the default has only one of these."""
    kinds, known = ({isinstance(one, str) for one in _plain(listed)} for listed in (value, usual))
    return len(kinds) > 1 and len(known) < len(kinds)


def _plain(listed: Any) -> Iterator[Any]:
    return (one for one in listed if isinstance(one, str | int | float)) if isinstance(listed, list) else iter(())


def _names_no_stages(value: Any) -> bool:
    """True for a text in place of a list of stages, and for a list with objects, lists, true or false."""
    listed = value if isinstance(value, list) else ()
    return isinstance(value, str) or any(isinstance(one, dict | list | bool) for one in listed)


def _contradicting(values: Mapping[str, Any], aliases: Mapping[str, str]) -> Iterator[str]:
    """The other names of keys that a config states with another value than the key itself.

    Those of which one is known to decide have one value (`as_decided`).
    """
    for other, key in aliases.items():
        both = other != key and other in values and key in values
        if both and values[other] != values[key] and {other, key}.isdisjoint(inert_keys()):
            yield other


def _has_odd_setting(value: Any) -> bool:
    """True if settings of rotary embeddings, or those of a type of layers, have a text, a list or an object in place of
    a number, or divide by zero."""
    sets = (value, *value.values()) if isinstance(value, dict) else ()
    stated = ((key, one) for settings in sets if isinstance(settings, dict) for key, one in settings.items())
    return any(
        (key in NUMBERS_OF_ROTARY and isinstance(one, str | list | dict)) or (key in DIVISORS and one in (0, False))
        for key, one in stated
    )


def _lacks_list(value: Any, usual: Any) -> bool:
    """True if an entry of a list of lists is none, and those of the default are all lists where there is one."""
    if not isinstance(value, list) or (isinstance(usual, list) and not all(isinstance(one, list) for one in usual)):
        return False
    lists = sum(isinstance(one, list) for one in value)
    return 0 < lists < len(value)


def _has_odd_list(key: str, value: Any, usual: Any) -> bool:
    """True if a list within a list has another length than all others, or an entry of a type that no other has there.

    usual: the default, which counts like the others.
    """
    lists: dict[str, list[list[Any]]] = {}
    for name, _, one in (*inner_lists(key, value), *inner_lists(key, usual)):
        lists.setdefault(name, []).append(one)
    held = dict.fromkeys(name for name, _, _ in inner_lists(key, value))
    return any(_mixes(lists[name]) or (len(lists[name]) > FEW and _differs(lists[name])) for name in held)


def _mixes(lists: list[list[Any]]) -> bool:
    """True if lists have true or false where others have a number: it is no size."""
    columns = ([one[index] for one in lists if len(one) > index] for index in range(max(map(len, lists))))
    return any({bool, int} <= set(map(type, column)) for column in columns)


def _is_flat(value: Any, usual: Any) -> bool:
    """True if no entry of a list is a list, though all of the default are."""
    held = {isinstance(one, list) for one in value if one is not None} if isinstance(value, list) else set()
    listed = {isinstance(one, list) for one in usual} if isinstance(usual, list) else set()
    return held == {False} and listed == {True}


def _differs(lists: list[list[Any]]) -> bool:
    """True if one of several lists differs from all others. Only lists of numbers are compared by length."""
    lengths, kinds = [len(one) for one in lists], [_kind(entry) for one in lists for entry in one]
    if "str" not in kinds and (_stands_out(lengths) or (len(set(lengths)) > 1 and _stands_out(kinds))):
        return True
    columns = ([_kind(one[index]) for one in lists if len(one) > index] for index in range(max(lengths)))
    return any(len(column) > FEW and _stands_out(column) for column in columns)


def _stands_out(found: Sequence[int] | Sequence[str]) -> bool:
    """True if one entry differs from all others, which are alike."""
    return len(set(found)) == FEW and any(found.count(one) == 1 for one in set(found))


def _kind(value: Any) -> str:
    """The type of a value; true and false are what 1 and 0 are."""
    return "int" if isinstance(value, bool) else type(value).__name__


def _is_odd_object(key: str, value: Any, usual: Any) -> bool:
    """True if an object has other keys or types of values than the default, numbers in place of words for example."""
    plain = isinstance(value, dict) and isinstance(usual, Mapping) and bool(usual) and key not in OF_OTHER_RULES
    if not plain or TYPE in usual or TYPE in value:
        return False
    by_number = {str(one).isdecimal() for one in usual}
    if {str(one).isdecimal() for one in value} - by_number:
        return True
    return any(name in value and _kind(value[name]) != _kind(one) for name, one in usual.items())
