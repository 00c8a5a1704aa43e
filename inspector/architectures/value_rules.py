"""Config values that change no shape and that transformers refuses: words that it looks up, dtypes, names of labels.

The settings of rotary embeddings are compared in `rotary_rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, Final

from msgspec import UNSET

from inspector.architectures.backbone_stages import FEATURES, WITHIN, refused_stages
from inspector.architectures.config_types import activations, types_of
from inspector.architectures.defaults import NEWEST, OLDER, class_defaults
from inspector.architectures.refused_kinds import kinds_refused
from inspector.architectures.refused_kinds_table import reads_of_config
from inspector.architectures.refused_value import RefusedValue, looking_up, number_in, rules_of
from inspector.architectures.rotary_rules import refused_rotary, rotates_all
from inspector.architectures.unread_keys import is_unbuilt, unread_keys

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
_WHOLLY_ROTATED: Final = 4
"""The largest width of a head that may be odd in transformers 5."""
_LATER: Final = frozenset({"hardswish", "sqrtsoftplus"})
"""Activation functions that transformers 4.57 does not have (`ACT2FN`)."""
QUANTIZATION: Final = "quantization_config"
_BACKBONE: Final = "backbone_config"
_NAMED_BACKBONE: Final = "backbone"
"""The only other choice that counts even if it is an empty text."""
PRUNED: Final = "pruned_heads"
"""A key with the heads that transformers 4 removes from the model; transformers 5 does not read it."""


def is_replaced(model_type: str, key: str) -> bool:
    """Whether the config class of transformers 4 sets a key whatever the config says."""
    return model_type in looking_up("replaced", key, OLDER)


def refused_values(
    values: Mapping[str, Any], major: str = NEWEST, every: bool = False
) -> Iterator[RefusedValue]:
    """The values that a version of transformers refuses, in a config and in those within it.

    every: with nulls that most classes of a type refuse, and that of the config takes.
    """
    if major == OLDER and QUANTIZATION in values and values[QUANTIZATION] is None:
        yield RefusedValue((QUANTIZATION,), "an object", None)
    for path, stated, model_type in configs_within(values, values.get("model_type")):
        inner = {**stated, "model_type": model_type}
        yield from _dtypes(inner, path, major, QUANTIZATION in values)
        yield from _labels(inner, path, major)
        yield from (one for one in _task(inner, path, major) if not _takes_null(values, one.path, major))
        if major == OLDER:
            yield from _pruned(inner, path)
            yield from _beside_backbone(inner, path)
        if isinstance(model_type, str) and not is_unbuilt(values, path):
            for one in chain(_words(inner, model_type, path, major), _absent(inner, model_type, path, major)):
                is_null = inner.get(one.path[-1]) is None
                if not path and one.path[-1] in unread_keys(values):
                    continue
                if every or not is_null or not _takes_null(values, one.path, major):
                    yield one
            yield from refused_rotary(inner, model_type, path, major)
            if path:
                yield from _words_of_part(values, inner, path, major)


def _words_of_part(
    values: Mapping[str, Any], inner: Mapping[str, Any], path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """Activations that do not exist, in a config of which the class of the outer one looks them up."""
    for key, value in inner.items():
        dotted = ".".join((*path, key))
        if isinstance(value, str) and value not in _activations(major) and str(values.get("model_type")) in looking_up(
            "activations", dotted, major
        ):
            yield _no_activation((*path, key), value, major)


def _no_activation(path: tuple[str, ...], name: str, major: str) -> RefusedValue:
    """A name that transformers does not look up, with the one for a class of torch, such as "nn.LeakyReLU"."""
    plain = _plain(name.rpartition(".")[2])
    meant = next((one for one in sorted(_activations(major)) if _plain(one) == plain), UNSET)
    return RefusedValue(path, "an activation function of transformers", meant)


@cache
def _activations(major: str) -> frozenset[str]:
    """The names of activation functions that a version knows."""
    return activations() if major == NEWEST else activations() - _LATER


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _takes_null(values: Mapping[str, Any], path: tuple[str, ...], major: str) -> bool:
    """Whether the class of a config was found to take null or any value at a path, though others refuse it."""
    classes, model_type = values.get("architectures"), values.get("model_type")
    class_name = classes[0] if isinstance(classes, list) and classes else ""
    return not looking_up("taken", ".".join(path), major).isdisjoint((model_type, f"{model_type}/{class_name}"))


def _beside_backbone(values: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[RefusedValue]:
    """Another choice of a backbone than the config that it has (`verify_backbone_config_arguments`)."""
    listed = rules_of(OLDER).get("beside", {}) if values.get(_BACKBONE) is not None else ()
    for key in [one for one in listed if values.get(one) or (one == _NAMED_BACKBONE and values.get(one) is not None)]:
        if str(values.get("model_type")) in looking_up("beside", key, OLDER):
            yield RefusedValue((*path, key), f"absent next to {_BACKBONE}", None)


def _pruned(values: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[RefusedValue]:
    """Heads to remove that are not an object from numbers to lists, or of a type whose code removes none."""
    stated, model_type = values.get(PRUNED), values.get("model_type")
    if stated is None:
        return
    heads = stated.values() if isinstance(stated, dict) else ()
    if not isinstance(stated, dict) or not all(map(_is_number, stated)) or any(_is_single(one) for one in heads):
        yield RefusedValue((*path, PRUNED), "an object from numbers of layers to lists of heads")
    elif stated and not path and isinstance(model_type, str) and model_type in looking_up("unpruned", PRUNED, OLDER):
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
            is_backbone = major == NEWEST and (path[-1] == WITHIN if path else named.endswith("Backbone"))
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
    elif major == NEWEST and not path and isinstance(value, int | float | list):
        yield RefusedValue((key,), "the name of a dtype", UNSET)
    elif isinstance(value, list) and not (path and "." in str(value)):  # it reads what follows a dot
        yield RefusedValue((*path, key), "the name of a dtype", UNSET)


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
    number = number_in(str(value)) if isinstance(value, str | float) else UNSET
    return int(number) if number is not UNSET and number.is_integer() else UNSET


def _is_number(text: str) -> bool:
    return number_in(text) is not UNSET and float(text).is_integer() and "." not in text


def _absent(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """Keys that are absent, and whose default is the null that is refused."""
    for key in _never_null(model_type, major):
        defaults, aliases = class_defaults(model_type, major)
        if key in defaults and defaults[key] is None and not {key, aliases.get(key, key)} & values.keys():
            yield RefusedValue((*path, key), "a value, which the model needs")


def _is_single(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


@cache
def _never_null(model_type: str, major: str) -> tuple[str, ...]:
    """The keys that a model type refuses with null."""
    return tuple(key for key, names in rules_of(major)["nulls"].items() if model_type in names.split())


def _words(
    values: Mapping[str, Any], model_type: str, path: tuple[str, ...], major: str
) -> Iterator[RefusedValue]:
    """Activations and model types of parts that do not exist, and negative numbers of heads."""
    for key, value in values.items():
        if isinstance(value, str) and value not in _activations(major) and model_type in looking_up(
            "activations", key, major
        ):
            yield _no_activation((*path, key), value, major)
        elif value is None and model_type in looking_up("nulls", key, major):
            looked_up = model_type in looking_up("activations", key, major)
            wanted = "an activation function of transformers" if looked_up else "a value, which the model needs"
            usual = class_defaults(model_type, major)[0].get(key)
            yield RefusedValue((*path, key), wanted, UNSET if usual is None and not looked_up else None)
        elif _has_odd(value) and model_type in looking_up("even", key, major):
            yield RefusedValue((*path, key), "a list of even numbers")
        elif _is_odd(value) and model_type in looking_up("odd", key, major) and rotates_all(values, major):
            yield RefusedValue((*path, key), "an even number, all of which is rotated")
        elif type(value) is int and value < 0 and model_type in looking_up("heads", key, major):
            yield RefusedValue((*path, key), "a number above 0", -value)
        elif isinstance(value, dict) and _is_of_refused_type(value, model_type, key, major):
            yield RefusedValue((*path, key, "model_type"), "a model type of transformers")


def _is_of_refused_type(part: Mapping[str, Any], model_type: str, key: str, major: str) -> bool:
    """Whether a config of a part has a model type that does not exist, or lacks one where it must state it."""
    stated = part.get("model_type")
    if isinstance(stated, str):
        return types_of(stated) is None and model_type in looking_up("parts", key, major)
    if "model_type" not in part or (stated is None and major == OLDER):
        return model_type in looking_up("typed" if "model_type" not in part else "null_types", key, major)
    return model_type in looking_up("parts", key, major)


def _has_odd(value: Any) -> bool:
    """Whether a number, or one of a list, is odd."""
    return any(type(one) is int and one % 2 == 1 for one in (value if isinstance(value, list) else [value]))


def _is_odd(width: Any) -> bool:
    """Whether a width cannot be rotated as a whole; transformers 5 takes the smallest in spite of that."""
    return type(width) is int and width > _WHOLLY_ROTATED and width % 2 == 1
