"""Config values that change no shape and that transformers refuses: words that it looks up, settings that lack a key.

`value_rules.json` has what was measured for each model type by building models of transformers 5.23 and 4.57 from
changed configs; `tests/oracle/make_value_rules.py` makes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import isfinite
from typing import Any, Final

from msgspec import UNSET, Struct

from inspector.architectures.backbone_stages import FEATURES, WITHIN, refused_stages
from inspector.architectures.catalog import data_file
from inspector.architectures.config_types import activations, layer_types, types_of
from inspector.architectures.defaults import NEWEST, OLDER, class_defaults
from inspector.architectures.refused_kinds import kinds_refused, reads_of_config

DTYPES: Final = ("dtype", "torch_dtype")
_FLOATS: Final = frozenset({"float16", "half", "bfloat16", "float32", "float", "float64", "double"})
"""Dtypes in which a model can be built: `torch.set_default_dtype` takes no others."""
_EIGHT_BITS: Final = frozenset({"float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"})
_OTHERS: Final = frozenset({"int8", "int16", "int32", "int64", "uint8", "bool", "complex64", "complex128"})
_SHORT: Final = {"fp16": "float16", "f16": "float16", "bf16": "bfloat16", "fp32": "float32", "f32": "float32"}
"""Names of other programs for dtypes of torch."""
_NAMES_OF_LABELS: Final = "id2label"
_LABELS: Final = {NEWEST: (_NAMES_OF_LABELS,), OLDER: (_NAMES_OF_LABELS, "label2id")}
"""Keys of the names of labels that a version reads."""
_NUMBER_OF_LABELS: Final = "num_labels"
_TASK: Final = "problem_type"
_TASKS: Final = ("regression", "single_label_classification", "multi_label_classification")
_ROTARY: Final = ("rope_scaling", "rope_parameters")
"""The settings of rotary embeddings; transformers 5 takes the first of them that is stated and not empty."""
_KINDS: Final = ("rope_type", "type")
"""Keys of the type of rotary embeddings."""
_NEVER: Final = "-"
"""In place of the keys that a type needs: the config class refuses it with all of them."""
_ANY: Final = "*"
"""In place of a type: the model does not read the settings, of which the config class checks a few types."""
OWN_ROTARY: Final = frozenset({"axial", "ntk_alpha", "xdrope", "mrope", "ntk"})
"""Types of single architectures, which were not measured for the others."""
_PROBED: Final = frozenset({"linear", "dynamic", "llama3", "yarn", "proportional"})
"""Types that each model type was tried with, and all their settings."""
_LONG: Final = "longrope"
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
_WHOLLY_ROTATED: Final = 4
"""The largest width of a head that may be odd in transformers 5."""
_PART: Final = "partial_rotary_factor"
"""A key of the part of a head that is rotated."""
HEAD_DIM: Final = "head_dim"
"""A key that may be null, but not beside all types of rotary embeddings."""
QUANTIZATION: Final = "quantization_config"
PRUNED: Final = "pruned_heads"
"""A key with the heads that transformers 4 removes from the model; transformers 5 does not read it."""


class RefusedValue(Struct, frozen=True):
    """A value that a version refuses. path: of its key. wanted: what it should be.

    meant: the value that it states, None for a key to remove; unset where the value is not known. others: paths of
    further keys that are absent or wrong like it. measured: whether a class was found to refuse it, of which no type or
    word is known that it needs; meant is then only a size that the weights may confirm. follows: path of the key that
    decides what it should be, a wrong value of which is the cause.
    """

    path: tuple[str, ...]
    wanted: str
    meant: Any = UNSET
    others: tuple[tuple[str, ...], ...] = ()
    measured: bool = False
    follows: tuple[str, ...] = ()


@cache
def _rules(major: str) -> Mapping[str, Any]:
    table: dict[str, Any] = json.loads(data_file("value_rules.json"))[major]
    return table


@cache
def _looking_up(kind: str, key: str, major: str) -> frozenset[str]:
    """The model types that refuse a key with such a word, number or part."""
    return frozenset(_rules(major).get(kind, {}).get(key, "").split())


def is_replaced(model_type: str, key: str) -> bool:
    """Whether the config class of transformers 4 sets a key whatever the config says."""
    return model_type in _looking_up("replaced", key, OLDER)


@cache
def _rotary_rule(model_type: str, key: str, major: str) -> Mapping[str, str] | None:
    """Type of rotary embeddings -> the keys that it needs; None where a model type takes any."""
    groups: Sequence[tuple[Mapping[str, str], str]] = _rules(major)["rope"][key]
    return next((needs for needs, names in groups if model_type in names.split()), None)


@cache
def _rotary_types() -> frozenset[str]:
    """The types of rotary embeddings that any model type accepts in any version."""
    groups = (groups for major in (NEWEST, OLDER) for groups in _rules(major)["rope"].values())
    return frozenset(kind for listed in groups for needs, _ in listed for kind in needs) | OWN_ROTARY


def refused_values(values: Mapping[str, Any], major: str = NEWEST) -> Iterator[RefusedValue]:
    """The values that a version of transformers refuses, in a config and in those within it."""
    if major == OLDER and QUANTIZATION in values and values[QUANTIZATION] is None:
        yield RefusedValue((QUANTIZATION,), "an object", None)
    if major == OLDER:
        yield from _pruned(values)
    for path, stated, model_type in configs_within(values, values.get("model_type")):
        inner = {**stated, "model_type": model_type}
        yield from _dtypes(inner, path, major, QUANTIZATION in values)
        yield from _labels(inner, path, major)
        yield from _task(inner, path, major)
        if isinstance(model_type, str):
            yield from _words(inner, model_type, path, major)
            yield from _rotary(inner, model_type, path, major)


def _pruned(values: Mapping[str, Any]) -> Iterator[RefusedValue]:
    """Heads to remove that are not an object from numbers to lists, or of a type whose code removes none."""
    stated, model_type = values.get(PRUNED), values.get("model_type")
    if stated is None:
        return
    if not isinstance(stated, dict) or not all(map(_is_number, stated)):
        yield RefusedValue((PRUNED,), "an object from numbers of layers to lists of heads")
    elif stated and isinstance(model_type, str) and model_type in _looking_up("unpruned", PRUNED, OLDER):
        yield RefusedValue((PRUNED,), f"empty: the code of {model_type} removes no heads")


def values_of_refused_kinds(values: Mapping[str, Any], major: str = NEWEST) -> Iterator[RefusedValue]:
    """The values of kinds that the classes of a version were found to refuse (`refused_kinds.jsonl`)."""
    for one in kinds_refused(values, major):
        yield RefusedValue(one.path, one.wanted, one.meant, measured=True, follows=one.follows)
    yield from _stages(values, major)


def _stages(values: Mapping[str, Any], major: str) -> Iterator[RefusedValue]:
    """The lists of stages that contradict each other, in the configs of backbones.

    Transformers 4 compares those of fewer types: the ones of which the config class refuses what is no list.
    """
    classes = values.get("architectures")
    named = str(classes[0]) if isinstance(classes, list) and classes else ""
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        if isinstance(model_type, str) and (major == NEWEST or reads_of_config(model_type, FEATURES, major)):
            is_backbone = path[-1] == WITHIN if path else named.endswith("Backbone")
            for key, wanted, number in refused_stages(inner, model_type, is_backbone):
                follows = (*path, number) if number else ()
                yield RefusedValue((*path, key), wanted, measured=True, follows=follows)


def configs_within(
    values: Mapping[str, Any], model_type: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any], Any]]:
    """(path, values, model type) of a config and of those that its class has within it."""
    types = types_of(model_type) if isinstance(model_type, str) else None
    yield path, values, model_type
    for key, inner_type in types.inner.items() if types is not None else ():
        inner = values.get(key)
        if isinstance(inner, dict):
            default = class_defaults(model_type)[0].get(key)
            usual = default.get("model_type") if isinstance(default, Mapping) else None
            yield from configs_within(inner, inner_type or inner.get("model_type", usual), (*path, key))


def _dtypes(
    values: Mapping[str, Any], path: tuple[str, ...], major: str, quantized: bool
) -> Iterator[RefusedValue]:
    """Dtypes that torch does not have; at the top of a config for transformers 5 also those without fractions.

    What a quantized model is built in its quantization decides.
    """
    exist = _FLOATS | _EIGHT_BITS | _OTHERS
    accepted = exist if path or major == OLDER or quantized else _FLOATS
    key = next((one for one in DTYPES if values.get(one) is not None), "")  # the newer key wins
    value = values.get(key)
    if isinstance(value, str) and value not in accepted:
        stated = value.removeprefix("torch.")
        meant = None if value == "auto" else _SHORT.get(stated.lower(), stated)
        wanted = "a dtype of torch" if accepted is exist else "a floating dtype of torch"
        if accepted is _FLOATS and stated in _EIGHT_BITS:
            wanted = "a dtype that torch can have as its default, such as bfloat16"
        yield RefusedValue((*path, key), wanted, meant if meant is None or meant in accepted else UNSET)
    elif not path and isinstance(value, list if major == OLDER else int | float | list):
        yield RefusedValue((key,), "the name of a dtype", UNSET)


def _labels(values: Mapping[str, Any], path: tuple[str, ...], major: str) -> Iterator[RefusedValue]:
    """Names of labels that are not an object from numbers to names."""
    for key in _LABELS[major]:
        stated = values.get(key)
        if stated is None or (isinstance(stated, dict) and (key != _NAMES_OF_LABELS or all(map(_is_number, stated)))):
            continue
        listed = isinstance(stated, list) and bool(stated) and all(isinstance(one, str) for one in stated)
        meant = {str(number): one for number, one in enumerate(stated)} if listed else UNSET
        yield RefusedValue((*path, key), "an object from numbers to names" if key == _NAMES_OF_LABELS else "an object",
                           meant if key == _NAMES_OF_LABELS else UNSET)  # fmt: skip


def _task(values: Mapping[str, Any], path: tuple[str, ...], major: str) -> Iterator[RefusedValue]:
    """A kind of task, or a number of labels without names, that no model type takes; the types of version 5 have the
    kinds."""
    stated = values.get(_TASK)
    if major == OLDER and stated is not None and stated not in _TASKS:
        yield RefusedValue((*path, _TASK), f"one of {', '.join(_TASKS)}", None)
    if _NUMBER_OF_LABELS in values and _is_no_number(values[_NUMBER_OF_LABELS], values.get(_NAMES_OF_LABELS), major):
        yield RefusedValue((*path, _NUMBER_OF_LABELS), "an integer", _whole(values[_NUMBER_OF_LABELS]))


def _is_no_number(value: Any, names: Any, major: str) -> bool:
    """Whether no labels are made for a value: version 4 takes null for the default, and counts names where it has them;
    version 5 compares the value with their number."""
    if isinstance(value, int) or (major == OLDER and (value is None or names is not None)):
        return False
    return not (isinstance(names, dict) and value == len(names))


def _whole(value: Any) -> Any:
    """The integer that a text or a float states, None for null, and unset where it states none."""
    if value is None:
        return None
    number = _number_in(str(value)) if isinstance(value, str | float) else UNSET
    return int(number) if number is not UNSET and number.is_integer() else UNSET


def _is_number(text: str) -> bool:
    return _number_in(text) is not UNSET and float(text).is_integer() and "." not in text


def _words(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """Activations and model types of parts that do not exist, and negative numbers of heads."""
    for key, value in values.items():
        if isinstance(value, str) and value not in activations() and model_type in _looking_up(
            "activations", key, major
        ):
            yield RefusedValue((*path, key), "an activation function of transformers")
        elif value is None and model_type in _looking_up("nulls", key, major):
            looked_up = model_type in _looking_up("activations", key, major)
            wanted = "an activation function of transformers" if looked_up else "a value, which the model needs"
            usual = class_defaults(model_type, major)[0].get(key)
            yield RefusedValue((*path, key), wanted, UNSET if usual is None and not looked_up else None)
        elif _is_odd(value) and model_type in _looking_up("odd", key, major) and _rotates_all(values, major):
            yield RefusedValue((*path, key), "an even number, all of which is rotated")
        elif type(value) is int and value < 0 and model_type in _looking_up("heads", key, major):
            yield RefusedValue((*path, key), "a number above 0", -value)
        elif isinstance(value, dict) and model_type in _looking_up("parts", key, major):
            stated = value.get("model_type")
            if isinstance(stated, str) and types_of(stated) is None:
                yield RefusedValue((*path, key, "model_type"), "a model type of transformers")


def _is_odd(width: Any) -> bool:
    """Whether a width cannot be rotated as a whole; transformers 5 takes the smallest in spite of that."""
    return type(width) is int and width > _WHOLLY_ROTATED and width % 2 == 1


def _rotates_all(values: Mapping[str, Any], major: str) -> bool:
    """Whether rotary embeddings rotate the whole of a head in some layers."""
    stated = next((values[one] for one in _ROTARY if values.get(one)), None)
    usual = values.get(_PART, class_defaults(str(values.get("model_type")), major)[0].get(_PART))
    sets = [one for one in _rotary_sets(stated, major).values() if isinstance(one, dict)]
    parts = [one.get(_PART, usual) for one in sets] or [usual]
    return any(one is None or (type(one) in (int, float) and one == 1) for one in parts)


def _rotary(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """What a model type refuses in the settings of rotary embeddings, and a base of the angles that is not a number."""
    key = next((one for one in _ROTARY if values.get(one)), "")
    if not key and values.get(_ROTARY[1]) == {} and model_type in _looking_up("empty", _ROTARY[1], major):
        yield RefusedValue((*path, _ROTARY[1]), "an object with settings of rotary embeddings")
    yield from _absent_layers(values, key, model_type, path, major)
    sets = _rotary_sets(values.get(key), major)
    rule = _rotary_rule(model_type, key, major) if key else None
    if major == OLDER and rule is not None and not isinstance(values[key], dict):
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
        if major == NEWEST and THETA in settings and model_type in _looking_up("theta", key, major):
            yield from _numbers({THETA: settings[THETA]}, place)
    of_settings = major == NEWEST and any(isinstance(one, dict) and THETA in one for one in sets.values())
    if THETA in values and not of_settings and model_type in _looking_up("theta", THETA, major):
        yield from _numbers({THETA: values[THETA]}, path)


def _absent_layers(
    values: Mapping[str, Any], key: str, model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """The types of layers that a config lists, and of which it lacks the settings that they need."""
    stated = values.get(key)
    if isinstance(stated, dict):
        listed = dict.fromkeys(layer for layer in _listed_layers(values) if isinstance(layer, str))
        for layer in listed.keys() - stated.keys():
            if model_type in _looking_up("layers", layer, major):
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
    return model_type in _looking_up("untyped", _ROTARY[0], OLDER)


def _kind_of(settings: Mapping[str, Any]) -> tuple[str, Any]:
    """(key of the type of rotary embeddings, the type)."""
    spelled = _KINDS[0] if _KINDS[0] in settings else _KINDS[1]
    return spelled, settings.get(spelled, "default")


def _types_of_rotary(
    settings: Mapping[str, Any], rule: Mapping[str, str], values: Mapping[str, Any], model_type: str,
    place: tuple[str, ...], major: str,
) -> Iterator[RefusedValue]:
    """A type that does not exist, the keys that it needs, and those of them that are not numbers."""
    if major == OLDER and settings.keys().isdisjoint(_KINDS) and not _is_untyped(model_type):
        yield RefusedValue((*place, _KINDS[0]), "a type of rotary embeddings of transformers")
        return
    spelled, kind = _kind_of(settings)
    of_others = isinstance(kind, str) and kind in _rotary_types() and not _is_older_name(kind, rule)
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
    if model_type in _looking_up("texts", _ROTARY[0], major):
        numbers = {one: value for one, value in numbers.items() if not isinstance(value, str)}
    yield from _numbers(numbers, place)


def _lengths(
    settings: Mapping[str, Any], values: Mapping[str, Any], model_type: str, path: tuple[str, ...],
    place: tuple[str, ...],
) -> Iterator[RefusedValue]:
    """Lists of factors of another length than half the rotated dims of a head."""
    known = {**class_defaults(model_type)[0], **values}
    width, heads = known.get("hidden_size"), known.get("num_attention_heads")
    part = settings.get("partial_rotary_factor", known.get("partial_rotary_factor", 1.0))
    if type(width) is not int or type(heads) is not int or heads < 1 or not isinstance(part, int | float):
        return
    needed = int(width // heads * part) // 2
    stated = {name: settings[name] for name in _LISTS if isinstance(settings.get(name), list)}
    wrong = [(*place, name) for name, factors in stated.items() if len(factors) != needed]
    if wrong:
        follows = (*path, "num_attention_heads")
        yield RefusedValue(wrong[0], f"a list of {needed} numbers", others=tuple(wrong[1:]), follows=follows)


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
    if rule.get(kind) != _NEVER and model_type in _looking_up(HEAD_DIM, kind, major):
        yield RefusedValue((*path, HEAD_DIM), f"a number, which {spelled} {kind} needs")


def _numbers(stated: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[RefusedValue]:
    """Values that should be numbers and are null or texts."""
    for name, value in stated.items():
        if value is None or isinstance(value, str | list):
            yield RefusedValue((*place, name), "a number", _number_in(value))


def _number_in(value: Any) -> Any:
    """The number that a text states, unset where it states none."""
    try:
        number = float(value) if isinstance(value, str) else float("nan")
    except ValueError:
        return UNSET
    return number if isfinite(number) else UNSET
