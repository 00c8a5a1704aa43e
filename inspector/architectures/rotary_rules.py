"""Settings of rotary embeddings that transformers refuses: types, keys that a type needs, layers without settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from msgspec import UNSET

from inspector.architectures.config_types import layer_types
from inspector.architectures.defaults import NEWEST, OLDER, class_defaults
from inspector.architectures.refused_value import RefusedValue, looking_up, number_in, rules_of

_ROTARY: Final = ("rope_scaling", "rope_parameters")
"""The settings of rotary embeddings; transformers 5 takes the first of them that is stated and not empty."""
_OBJECTS, _NULLS = "objects", "nulls"
KINDS: Final = ("rope_type", "type")
"""Keys of the type of rotary embeddings."""
_NEVER: Final = "-"
"""In place of the keys that a type needs: the config class refuses it with all of them."""
_ANY: Final = "*"
"""In place of a type: the model does not read the settings, of which the config class checks a few types."""
OWN_ROTARY: Final = frozenset({"axial", "ntk_alpha", "xdrope", "mrope", "ntk"})
"""Types of single architectures, which were not measured for the others."""
_READ_BY: Final[Mapping[str, tuple[str, ...]]] = {"mrope": ("qwen2_vl_text", "qwen2_5_vl_text"), "ntk": ()}
"""Of them, those that only the code of these model types reads, in both versions of transformers."""
_PROBED: Final = frozenset({"linear", "dynamic", "llama3", "yarn", "proportional"})
"""Types that each model type was tried with, and all their settings."""
_LONG: Final = "longrope"
_OLDER_READS: Final[Mapping[str, Mapping[str, str]]] = {"phi3": {"su": _LONG, "yarn": _LONG}}
"""Model type -> type of rotary embeddings -> the one that the config class of 4.57 makes of it
(`configuration_phi3.py`).
"""
_SU: Final = "su"
"""The first name of longrope, which only the config classes that check its lengths still read."""
_LISTS: Final = ("short_factor", "long_factor")
_EXACT_LISTS: Final = frozenset({"phi3", "phi4_multimodal"})
"""Model types whose config class wants a factor for each pair of rotated dims in both lists of longrope."""
_FROM_LENGTH: Final = ("yarn", "llama3", _LONG)
"""Types that compute with the whole length, which transformers 5 reads from the settings."""
_OPEN_FACTOR: Final = "yarn"
"""A type that works its factor out where it is null (transformers 5)."""
THETA: Final = "rope_theta"
"""The base of the angles: within the settings (transformers 5) or in the config itself."""
WHOLE_LENGTH: Final = "original_max_position_embeddings"
"""A key of the config from which longrope computes its factor."""
_PART: Final = "partial_rotary_factor"
"""A key of the part of a head that is rotated."""
HEAD_DIM: Final = "head_dim"
"""A key that may be null, but not beside all types of rotary embeddings."""


@cache
def _rotary_rule(model_type: str, key: str, major: str) -> Mapping[str, str] | None:
    """Type of rotary embeddings -> the keys that it needs; None where a model type takes any."""
    groups: Sequence[tuple[Mapping[str, str], str]] = rules_of(major)["rope"][key]
    return next((needs for needs, names in groups if model_type in names.split()), None)


@cache
def _rotary_types() -> frozenset[str]:
    """The types of rotary embeddings that any model type accepts in any version."""
    groups = (groups for major in (NEWEST, OLDER) for groups in rules_of(major)["rope"].values())
    return frozenset(kind for listed in groups for needs, _ in listed for kind in needs) | OWN_ROTARY


def reads_type(model_type: str, key: str, kind: str, major: str) -> bool:
    """Whether a model type computes rotary embeddings of a type from the settings under a key."""
    rule = _rotary_rule(model_type, key, major) or {}
    return _ANY not in rule and rule.get(kind, _NEVER) != _NEVER


def rotates_all(values: Mapping[str, Any], major: str) -> bool:
    """Whether rotary embeddings rotate the whole of a head in some layers."""
    stated = next((values[one] for one in _ROTARY if values.get(one)), None)
    usual = values.get(_PART, class_defaults(str(values.get("model_type")), major)[0].get(_PART))
    sets = [one for one in _rotary_sets(stated, major).values() if isinstance(one, dict)]
    parts = [one.get(_PART, usual) for one in sets] or [usual]
    return any(one is None or (type(one) in (int, float) and one == 1) for one in parts)


def refused_rotary(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """What a model type refuses in the settings of rotary embeddings, and a base of the angles that is not a number."""
    found = list(_by_rules(values, model_type, path, major))
    yield from found
    known = [place for one in found for place in (one.path, *one.others)]
    for one in _measured(values, model_type, path, major):
        if not any(one.path[: len(place)] == place for place in known):
            yield one


def _by_rules(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """What the rules of types, keys and layers refuse."""
    key = next((one for one in _ROTARY if values.get(one)), "")
    if not key:
        yield from _empty(values, model_type, path, major)
    yield from _absent_layers(values, key, model_type, path, major)
    unread, any_kind = (_unread_layers(values, model_type, major, kind) for kind in (_ROTARY[1], _OBJECTS))
    sets = {
        name: one
        for name, one in _rotary_sets(values.get(key), major).items()
        if name not in (unread if isinstance(one, dict) else any_kind)
    }
    rule = _rotary_rule(model_type, key, major) if key else None
    if rule is not None and _is_no_object(values[key], key, model_type, major):
        yield RefusedValue((*path, key), "an object")
    for name, settings in sets.items():
        if not isinstance(settings, dict):
            if rule is not None or name in _listed_layers(values):
                yield RefusedValue((*path, key, name), "an object")
            continue
        if rule is None:
            continue
        place = (*path, key, name) if name else (*path, key)
        yield from _types_of_rotary(settings, rule, values, model_type, place, major)
        if model_type in _EXACT_LISTS:
            yield from _lengths(settings, values, model_type, path, place)
        yield from _head_dims(settings, rule, values, model_type, path, major)
        if major == NEWEST and THETA in settings and model_type in looking_up("theta", key, major):
            yield from _numbers({THETA: settings[THETA]}, place)
    of_settings = major == NEWEST and any(isinstance(one, dict) and THETA in one for one in sets.values())
    if THETA in values and not of_settings and model_type in looking_up("theta", THETA, major):
        yield from _numbers({THETA: values[THETA]}, path)


def _unread_layers(
    values: Mapping[str, Any], model_type: str, major: str, kind: str = _ROTARY[1]
) -> frozenset[str]:
    """The types of layers that a config does not list, where a model type does not compute with their settings.

    kind: `objects` for the types that take a text in place of these settings, `nulls` for those that take null.
    """
    listed = _listed_layers(values)
    if not listed or model_type not in looking_up("listed", kind, major):
        return frozenset()
    return layer_types() - {one for one in listed if isinstance(one, str)}


@cache
def _settings(model_type: str, major: str) -> Mapping[str, str]:
    """Path in the settings of rotary embeddings -> letters of the kinds of values that a model type refuses there."""
    found: dict[str, str] = {}
    for text, names in rules_of(major).get("settings", {}).items():
        if model_type in names.split():
            path, letter = text.split()
            found[path] = found.get(path, "") + letter
    return found


def _measured(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """The settings, of all layers or of each type of layers, that a model type was found to refuse."""
    key = next((one for one in _ROTARY if values.get(one)), "")
    rules, stated = _settings(model_type, major), values.get(key)
    unread, texts, nulls = (
        _unread_layers(values, model_type, major, kind) for kind in (_ROTARY[1], _OBJECTS, _NULLS)
    )
    if not isinstance(stated, dict):
        return
    for dotted, letters in rules.items():
        *outer, name = dotted.split(".")
        holder = stated.get(outer[0]) if outer else stated
        if not isinstance(holder, dict) or (outer and not holder) or (outer or [""])[0] in unread:
            continue
        value, place = holder.get(name, _ABSENT), (*path, key, *outer, name)
        if f"{name}.{THETA}" in rules:
            if _kind_of_layer(value) in letters and name not in (nulls if value is None else texts):
                yield RefusedValue(place, "an object with the settings of these layers")
        elif _kind_of_setting(value, _width_of_head(values, model_type) or 1) in letters and not (
            value is _ABSENT and name in values
        ):
            is_number = type(value) in (int, float)
            yield RefusedValue(place, "a number from 0 on" if is_number else "a number", number_in(value))


_ABSENT: Final = object()
"""In place of the value of a key that is not stated."""
_UNKNOWN: Final = "?"
"""In place of the letter of a kind of values that was not measured."""


def _kind_of_setting(value: Any, width: int = 1) -> str:
    """The letter of what is no number, or is a part of a width that comes to a negative number."""
    if isinstance(value, int | float) and value * width <= -1:
        return "m"
    kinds = {type(_ABSENT): "c", type(None): "n", str: "t", list: "l", dict: "d"}
    return kinds.get(type(value), _UNKNOWN)


def _kind_of_layer(value: Any) -> str:
    """The letter of what is no object with settings; numbers and switches are what a text is."""
    if isinstance(value, dict):
        return _UNKNOWN if value else "e"
    kind = _kind_of_setting(value)
    return "t" if kind == _UNKNOWN else kind


def _empty(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """Settings of rotary embeddings without any of them, and what is none in their place (transformers 4)."""
    for key in _ROTARY:
        stated = values.get(key)
        if stated == {} and model_type in looking_up("empty", key, major):
            yield RefusedValue((*path, key), "an object with settings of rotary embeddings")
            continue
        rule = None if stated is None else _rotary_rule(model_type, key, major)
        if rule is not None and _is_no_object(stated, key, model_type, major):
            yield RefusedValue((*path, key), "an object")


def _is_no_object(stated: Any, key: str, model_type: str, major: str) -> bool:
    """Whether transformers 4 reads settings that are no object; the types of version 5 have its answer."""
    read = major == OLDER and model_type not in looking_up("unread", key, major)
    return read and not isinstance(stated, dict)


def _absent_layers(
    values: Mapping[str, Any], key: str, model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """The types of layers that a config lists, and of which it lacks the settings that they need.

    A config that lists none has layers of several types as well, where the model type needs settings of each.
    """
    stated = values.get(key)
    if isinstance(stated, dict):
        if not _listed_layers(values) and stated.keys().isdisjoint(layer_types()) and model_type in looking_up(
            "flat", key, major
        ):
            yield RefusedValue((*path, key), "an object with the settings of each type of layers")
        listed = dict.fromkeys(layer for layer in _listed_layers(values) if isinstance(layer, str))
        for layer in listed.keys() - stated.keys():
            if model_type in looking_up("layers", layer, major):
                yield RefusedValue((*path, key, layer), "an object with the settings of these layers")


def _listed_layers(values: Mapping[str, Any]) -> Sequence[Any]:
    """The layer types of a config, the settings of which transformers 5 reads one by one."""
    listed = values.get("layer_types")
    return listed if isinstance(listed, list) else ()


def _rotary_sets(stated: Any, major: str) -> Mapping[str, Any]:
    """Layer type -> its settings, in transformers 5; "" -> those of all layers. Without those that are null."""
    if not isinstance(stated, dict):
        return {}
    nested = {name: one for name, one in stated.items() if name in layer_types()} if major == NEWEST else {}
    return {name: one for name, one in (nested or {"": stated}).items() if one is not None}


def _is_untyped(model_type: str) -> bool:
    """Whether transformers 4 takes settings without a type, which transformers 5 reads as the default."""
    return model_type in looking_up("untyped", _ROTARY[0], OLDER)


def _kind_of(settings: Mapping[str, Any]) -> tuple[str, Any]:
    """(key of the type of rotary embeddings, the type)."""
    spelled = KINDS[0] if KINDS[0] in settings else KINDS[1]
    return spelled, settings.get(spelled, "default")


def _types_of_rotary(
    settings: Mapping[str, Any], rule: Mapping[str, str], values: Mapping[str, Any], model_type: str,
    place: tuple[str, ...], major: str,
) -> Iterator[RefusedValue]:
    """A type that does not exist, the keys that it needs, and those of them that are not numbers."""
    if major == OLDER and settings.keys().isdisjoint(KINDS) and not _is_untyped(model_type):
        yield RefusedValue((*place, KINDS[0]), "a type of rotary embeddings of transformers")
        return
    spelled, kind = _kind_of(settings)
    if major == OLDER and isinstance(kind, str):
        kind = _OLDER_READS.get(model_type, {}).get(kind, kind)
    of_others = isinstance(kind, str) and kind in _rotary_types() and not _is_older_name(kind, rule)
    of_others = of_others and model_type in _READ_BY.get(kind, (model_type,))
    known = _ANY in rule or (isinstance(kind, str) and kind in rule)
    if not known and (not of_others or (kind in _PROBED and "default" in rule)):
        meant = _LONG if kind == _SU and all(one in settings for one in _LISTS) else UNSET
        yield RefusedValue((*place, spelled), "a type of rotary embeddings of transformers", meant)
        return
    needed = rule.get(kind, "") if isinstance(kind, str) else ""
    if needed == _NEVER:
        yield RefusedValue((*place, spelled), f"a type that the config class of {model_type} takes")
        return
    lacking = [one for one in needed.split() if one not in settings]
    lacking = [one for one in lacking if one != "factor" or WHOLE_LENGTH not in values]
    if lacking:
        wanted = f"{spelled} {kind} needs {' and '.join(lacking)}"
        yield RefusedValue((*place, lacking[0]), wanted, others=tuple((*place, one) for one in lacking[1:]))
    if _ANY in rule:
        return
    numbers = {one: settings[one] for one in needed.split() if one in settings and one not in _LISTS}
    if kind == _OPEN_FACTOR and major == NEWEST:
        numbers = {one: value for one, value in numbers.items() if value is not None}
    if kind in _FROM_LENGTH and major == NEWEST and WHOLE_LENGTH in settings:
        numbers[WHOLE_LENGTH] = settings[WHOLE_LENGTH]
    if model_type in looking_up("texts", _ROTARY[0], major):
        numbers = {one: value for one, value in numbers.items() if not isinstance(value, str)}
    yield from _numbers(numbers, place)


def _lengths(
    settings: Mapping[str, Any], values: Mapping[str, Any], model_type: str, path: tuple[str, ...],
    place: tuple[str, ...],
) -> Iterator[RefusedValue]:
    """Lists of factors of another length than half the rotated dims of a head."""
    known = {**class_defaults(model_type)[0], **values}
    width, part = _width_of_head({**known, HEAD_DIM: None}, model_type), settings.get(_PART, known.get(_PART, 1.0))
    if not width or not isinstance(part, int | float):
        return
    needed = int(width * part) // 2
    stated = {name: settings[name] for name in _LISTS if isinstance(settings.get(name), list)}
    wrong = [(*place, name) for name, factors in stated.items() if len(factors) != needed]
    if wrong:
        follows = (*path, "num_attention_heads")
        yield RefusedValue(wrong[0], f"a list of {needed} numbers", others=tuple(wrong[1:]), follows=follows)


def _width_of_head(values: Mapping[str, Any], model_type: str) -> int:
    """The width of a head, 0 where it is not known."""
    known = {**class_defaults(model_type)[0], **values}
    stated, width, heads = (known.get(key) for key in (HEAD_DIM, "hidden_size", "num_attention_heads"))
    if type(stated) is int:
        return stated
    return width // heads if type(width) is int and type(heads) is int and heads > 0 else 0


def _is_older_name(kind: str, rule: Mapping[str, str]) -> bool:
    """Whether it is an earlier name of a type that a model type knows by its present name alone."""
    return kind == _SU and _LONG in rule and _SU not in rule


def _head_dims(
    settings: Mapping[str, Any], rule: Mapping[str, str], values: Mapping[str, Any], model_type: str,
    path: tuple[str, ...], major: str,
) -> Iterator[RefusedValue]:
    """A `head_dim` that is null beside a type that computes with it."""
    spelled, kind = _kind_of(settings)
    if not isinstance(kind, str) or values.get(HEAD_DIM, 0) is not None:
        return
    if rule.get(kind) != _NEVER and model_type in looking_up(HEAD_DIM, kind, major):
        yield RefusedValue((*path, HEAD_DIM), f"a number, which {spelled} {kind} needs")


def _numbers(stated: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[RefusedValue]:
    """Values that should be numbers and are null, texts, lists or objects."""
    for name, value in stated.items():
        if value is None or isinstance(value, str | list | dict):
            yield RefusedValue((*place, name), "a number", number_in(value))
