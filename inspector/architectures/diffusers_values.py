"""Config values with which classes of diffusers cannot be built, though no shape need depend on them.

`diffusers_values.json` has what diffusers 0.42 refused when each class was built with other values;
`tests/oracle/make_diffusers_values.py` makes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import UNSET, Struct

from inspector.algebra.values import shown
from inspector.architectures.catalog import data_file
from inspector.architectures.defaults import class_defaults
from inspector.architectures.refused_value import digits_in

MOST_NAMED: Final = 12
"""Most words that a finding lists."""
_OF_UNETS: Final = ("down_block_types", "up_block_types", "block_out_channels", "num_attention_heads")
_OF_CONDITIONED: Final = (
    *_OF_UNETS, "attention_head_dim", "cross_attention_dim", "only_cross_attention", "layers_per_block",
)  # fmt: skip
_OF_CONTROLS: Final = ("down_block_types", "block_out_channels", "only_cross_attention", "num_attention_heads")
EQUALLY_LONG: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "UNet2DConditionModel": (_OF_CONDITIONED,),
    "AudioLDM2UNet2DConditionModel": (_OF_CONDITIONED,),
    "UNetMotionModel": ((*_OF_UNETS, "cross_attention_dim", "layers_per_block"),),
    "UNet2DModel": (_OF_UNETS[:3],),
    "UNet3DConditionModel": (_OF_UNETS,),
    "UNetSpatioTemporalConditionModel": ((*_OF_UNETS, "cross_attention_dim", "layers_per_block"),),
    "ControlNetModel": (_OF_CONTROLS,),
    "ControlNetUnionModel": (_OF_CONTROLS,),
    "StableCascadeUNet": (
        ("block_out_channels", "down_num_layers_per_block", "up_num_layers_per_block", "down_blocks_repeat_mappers",
         "up_blocks_repeat_mappers", "block_types_per_layer"),
    ),
    "AutoencoderTiny": (
        ("num_encoder_blocks", "encoder_block_out_channels"), ("num_decoder_blocks", "decoder_block_out_channels"),
    ),
}  # fmt: skip
"""Class -> keys whose lists the class compares with the first of them, and refuses where the lengths differ."""


LAYERS: Final[Mapping[str, Mapping[str, str]]] = {"WanVACETransformer3DModel": {"vace_layers": "num_layers"}}
"""Class -> key of a list of layers -> key of the number of layers."""


EITHER: Final[Mapping[str, tuple[str, str]]] = dict.fromkeys(
    ("LTXLatentUpsamplerModel", "LTX2LatentUpsamplerModel"), ("spatial_upsample", "temporal_upsample")
)
"""Class -> two switches of which the class needs one."""


NEEDED_WITH: Final[Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]]] = {
    "UTransformer2DModel": {"num_embeds_ada_norm": ("norm_type", ("ada_norm", "ada_norm_zero"))}
}
"""Class -> key that may not be null -> the key beside it, and the words of that key with which it may not."""


FOR_NULL: Final[Mapping[str, Mapping[str, list[int]]]] = {"PRXTransformer2DModel": {"axes_dim": [32, 32]}}
"""Class -> key of a list -> the list that the class takes for null."""


class RefusedByClass(Struct, frozen=True):
    """A value that a class refuses. meant: the value that it states, None for a key to remove; unset if not known.

    beside: the keys that it contradicts.
    """

    key: str
    detail: str
    meant: Any = UNSET
    beside: tuple[str, ...] = ()


class ValueKind(Struct, frozen=True):
    """A kind of values, what a key should be instead, and the value that is meant."""

    applies: Callable[[Any], bool]
    wanted: str
    meant: Callable[[Any], Any]


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number, such as 2 or 2.0."""
    return _is_number(value) and float(value).is_integer()


def _has(value: Any, applies: Callable[[int], bool]) -> bool:
    """Whether a list has a number for which a condition holds."""
    return isinstance(value, list) and any(_is_int(one) and applies(one) for one in value)


WITHIN: Final = "inner_"
"""Beginning of the names of conditions on the lists within a list."""


def _of_inner(kind: ValueKind) -> ValueKind:
    """The same condition for the lists within a list."""
    return ValueKind(
        lambda value: isinstance(value, list) and any(kind.applies(one) for one in value if isinstance(one, list)),
        f"a list of which each entry is {kind.wanted}",
        lambda value: UNSET,
    )


_PLAIN: Final[Mapping[str, ValueKind]] = {
    "null": ValueKind(lambda value: value is None, "a value that it takes", lambda value: None),
    "zero": ValueKind(lambda value: _is_int(value) and value == 0, "a number above 0", lambda value: UNSET),
    "negative": ValueKind(lambda value: _is_int(value) and value < 0, "a number above 0", lambda value: -value),
    "float": ValueKind(
        lambda value: type(value) is float, "a whole number", lambda value: int(value) if value.is_integer() else UNSET
    ),
    "text": ValueKind(
        lambda value: isinstance(value, str), "a number", digits_in
    ),
    "single": ValueKind(_is_number, "a list", lambda value: UNSET),
    "lone": ValueKind(lambda value: isinstance(value, str) and value != "", "a list", lambda value: UNSET),
    "blank": ValueKind(lambda value: value == "", "a list", lambda value: UNSET),
    "list": ValueKind(
        lambda value: isinstance(value, list) and bool(value),
        "a single value",
        lambda value: value[0] if len(value) == 1 else UNSET,
    ),
    "number": ValueKind(lambda value: _is_number(value) or value is True, "a text", lambda value: UNSET),
    "empty": ValueKind(lambda value: value == [], "a value that it takes", lambda value: UNSET),
    "gaps": ValueKind(
        lambda value: isinstance(value, list) and None in value, "a list without null", lambda value: UNSET
    ),
    "minus": ValueKind(
        lambda value: _has(value, lambda one: one < 0), "a list of numbers above 0", lambda value: UNSET
    ),
    "noughts": ValueKind(
        lambda value: _has(value, lambda one: one == 0), "a list of numbers above 0", lambda value: UNSET
    ),
    "fractions": ValueKind(
        lambda value: isinstance(value, list) and any(type(one) is float for one in value),
        "a list of whole numbers",
        lambda value: [int(one) for one in value] if all(_is_whole(one) for one in value) else UNSET,
    ),
    "spelled": ValueKind(
        lambda value: isinstance(value, list) and any(isinstance(one, str) for one in value),
        "a list of numbers",
        lambda value: UNSET,
    ),
    "object": ValueKind(lambda value: isinstance(value, dict), "a value that it takes", lambda value: UNSET),
    "nested": ValueKind(
        lambda value: isinstance(value, list) and any(isinstance(one, list) for one in value),
        "a list without lists",
        lambda value: UNSET,
    ),
    "unnamed": ValueKind(
        lambda value: isinstance(value, list) and any(_is_number(one) for one in value),
        "a list of texts",
        lambda value: UNSET,
    ),
    "outside": ValueKind(
        lambda value: _is_number(value) and not 0 <= value <= 1, "a number from 0 to 1", lambda value: UNSET
    ),
    "switched": ValueKind(
        lambda value: isinstance(value, list) and any(isinstance(one, bool) for one in value),
        "a list without true and false",
        lambda value: UNSET,
    ),
    "keyed": ValueKind(
        lambda value: isinstance(value, list) and any(isinstance(one, dict) for one in value),
        "a list without objects",
        lambda value: UNSET,
    ),
    "numbers": ValueKind(_is_number, "a value that it takes", lambda value: UNSET),
    "truthy": ValueKind(bool, "false, all that it takes", lambda value: False),
    "falsy": ValueKind(lambda value: value is not None and not value, "true, all that it takes", lambda value: True),
    "on": ValueKind(lambda value: value is True, "a value that it takes", lambda value: UNSET),
    "off": ValueKind(lambda value: value is False, "a value that it takes", lambda value: UNSET),
    "given": ValueKind(lambda value: value is not None, "null, all that it takes", lambda value: None),
    "true": ValueKind(lambda value: value is True, "false, all that it takes", lambda value: False),
    "false": ValueKind(lambda value: value is False, "true, all that it takes", lambda value: True),
}
INNER: Final = (
    "gaps", "switched", "keyed", "nested", "minus", "noughts", "fractions", "spelled", "unnamed",
)  # fmt: skip
"""Conditions on lists that are also measured for the lists within a list."""
CONDITIONS: Final[Mapping[str, ValueKind]] = {
    **_PLAIN, **{f"{WITHIN}{name}": _of_inner(_PLAIN[name]) for name in INNER},
}  # fmt: skip
"""Name in the table -> condition."""


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads(data_file("diffusers_values.json"))
    return table


def is_measured(class_name: str) -> bool:
    """True for a class of diffusers, also one of a pipeline's own module, whose values were tried."""
    return class_name in _table()


def refused_by_class(values: Mapping[str, Any]) -> Iterator[RefusedByClass]:
    """The values of a component's config with which its class cannot be built."""
    class_name = values.get("_class_name")
    entry = _table().get(class_name) if isinstance(class_name, str) else None
    if entry is None:
        return
    for name, condition in CONDITIONS.items():
        for key in entry.get(name, "").split():
            if key in values and condition.applies(values[key]):
                detail = f"{shown(values[key])} is not {condition.wanted}"
                yield RefusedByClass(key, detail, condition.meant(values[key]))
    unset = class_defaults(class_name)[0]
    for key in entry.get("null", "").split():
        if key not in values and unset.get(key, UNSET) is None:
            yield RefusedByClass(key, "it is absent, and the class computes with it", beside=(key,))
    for key in entry.get("required", "").split():
        if key not in values:
            yield RefusedByClass(key, "it is absent, and the class has no default for it", beside=(key,))
    yield from _needed(values, str(class_name))
    yield from _switches(values, str(class_name))
    yield from _layers(values, str(class_name))
    yield from _words(values, entry)
    yield from _numbers(values, entry)
    yield from _sums(values, entry, str(class_name))
    yield from _divisors(values, entry, str(class_name))
    counted = {one.key: one for one in _lengths(values, str(class_name))}
    counted = {**{one.key: one for one in _of_others(values, entry, str(class_name))}, **counted}
    yield from counted.values()


def _needed(values: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """Keys without a value that the class needs because of the word of another key."""
    for key, (other, words) in NEEDED_WITH.get(class_name, {}).items():
        word = {**class_defaults(class_name)[0], **values}.get(other)
        if values.get(key) is None and word in words:
            yield RefusedByClass(key, f"it has no value, which {other} {shown(word)} needs", beside=(other,))


def _switches(values: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """The first of two switches where neither is true."""
    stated = {**class_defaults(class_name)[0], **values}
    first, *others = EITHER.get(class_name, ("",))
    if first and not any(stated.get(key) for key in (first, *others)):
        yield RefusedByClass(first, f"neither it nor {others[0]} is true", beside=tuple(others))


def _layers(values: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """Lists of the layers that a class adds something to, which have the first and none that does not exist."""
    for key, number in LAYERS.get(class_name, {}).items():
        stated = {**class_defaults(class_name)[0], **values}
        listed, layers = stated.get(key), stated.get(number)
        if not isinstance(listed, list) or not listed or not all(map(_is_int, listed)) or not _is_int(layers):
            continue
        beyond = next((one for one in listed if one >= layers), None)
        if beyond is not None:
            yield RefusedByClass(key, f"{beyond} is not a layer, {number} is {layers}", beside=(number,))
        elif 0 not in listed:
            yield RefusedByClass(key, "it lacks layer 0", beside=(number,))


def _words(values: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[RefusedByClass]:
    caseless = entry.get("caseless", "").split()
    for key, listed in entry.get("words", {}).items():
        known, word = listed.split(), values.get(key)
        if not isinstance(word, str) or word in known:
            continue
        if key not in caseless or word.casefold() not in map(str.casefold, known):
            yield RefusedByClass(key, f"{shown(values[key])} is {_none_of(known)}")
    for key, listed in entry.get("items", {}).items():
        known, value = listed.split(), values.get(key)
        lists = [value, *(one for one in value if isinstance(one, list))] if isinstance(value, list) else []
        unknown = [item for one in lists for item in one if isinstance(item, str) and item not in known]
        if unknown:
            yield RefusedByClass(key, f"{shown(unknown[0])} is {_none_of(known)}")


def _none_of(known: list[str]) -> str:
    return f"none of {', '.join(known)}" if len(known) <= MOST_NAMED else "not known to it"


def _numbers(values: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[RefusedByClass]:
    """Numbers that a class does not know or cannot divide, and lists with too few of them or too many."""
    for key, known in entry.get("only", {}).items():
        if _is_int(values.get(key)) and values[key] not in known:
            yield RefusedByClass(key, f"{values[key]} is {_none_of([str(one) for one in known])}")
    for key, step in entry.get("multiples", {}).items():
        value = values.get(key)
        odd = [one for one in value if _is_int(one) and one % step] if isinstance(value, list) else []
        if odd:
            yield RefusedByClass(key, f"{odd[0]} is not a multiple of {step}")
    for key, least in entry.get("least", {}).items():
        value = values.get(key)
        if isinstance(value, list) and 0 < len(value) < least:
            yield RefusedByClass(key, f"it has length {len(value)}, the class reads {least} entries")
    for key, number in entry.get("exact", {}).items():
        value = values.get(key)
        if isinstance(value, list) and value and len(value) != number:
            yield RefusedByClass(key, f"it has length {len(value)}, the class takes {number} entries")


def _sums(values: Mapping[str, Any], entry: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """Lists whose numbers do not add up to the width that the class has for them."""
    rules: Mapping[str, str] = entry.get("sums", {})
    stated = {**class_defaults(class_name)[0], **values} if rules else {}
    for key, expression in rules.items():
        keys = tuple(expression.split(" // "))
        listed = stated.get(key) or FOR_NULL.get(class_name, {}).get(key)
        numbers = [one for one in map(stated.get, keys) if type(one) is int]
        if not isinstance(listed, list) or not all(map(_is_int, listed)) or len(numbers) < len(keys) or not numbers[-1]:
            continue
        wanted = numbers[0] if len(numbers) == 1 else numbers[0] // numbers[1]
        if sum(listed) != wanted:
            detail = f"its numbers add up to {sum(listed)}, not to {wanted}, {expression}"
            yield RefusedByClass(key, detail, beside=keys)


def _divisors(values: Mapping[str, Any], entry: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """Numbers of groups that do not divide the channels."""
    rules: Mapping[str, str] = entry.get("divides", {})
    stated = {**class_defaults(class_name)[0], **values} if rules else {}
    for key, listed in rules.items():
        number = stated.get(key)
        for widths in listed.split() if isinstance(number, int | float) and number > 0 else ():
            channels = stated.get(widths)
            odd = [one for one in channels if _is_int(one) and one % number] if isinstance(channels, list) else []
            if odd:
                default = "" if key in values else ", its default,"
                yield RefusedByClass(key, f"{number}{default} does not divide {odd[0]} of {widths}", beside=(widths,))
                break


def _of_others(values: Mapping[str, Any], entry: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """Lists of another length than those that the class reads beside them; of two the first."""
    seen: set[str] = set()
    for kind in ("shorter", "longer"):
        for key, others in entry.get(kind, {}).items():
            stated = {**class_defaults(class_name)[0], **values}
            beside = {other: int(more or 0) for other, more in map(_with_more, others.split())}
            lengths = {_length(stated.get(other)) and _length(stated[other]) + more for other, more in beside.items()}
            if len(lengths) > 1 or 0 in lengths or not isinstance(stated.get(key), (list, str)) or not stated[key]:
                continue
            wanted, length = lengths.pop(), len(stated[key])
            if seen.isdisjoint(beside) and (length < wanted if kind == "shorter" else length > wanted):
                seen.add(key)
                first = next(iter(beside))
                if isinstance(stated[key], str):
                    yield RefusedByClass(key, f"{shown(stated[key])} is not a list")
                    continue
                detail = f"it has length {length}, {first} {_length(stated[first])}"
                yield RefusedByClass(key, detail, beside=(first,))


def _with_more(text: str) -> tuple[str, str]:
    """The key of a list, and how much longer than it another one must be: "scaling+1"."""
    return (text[:-2], text[-2:]) if text[-2:] in ("+1", "-1") else (text, "")


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def _lengths(values: Mapping[str, Any], class_name: str) -> Iterator[RefusedByClass]:
    """The lists of another length than the first; the first where all the others agree on another one."""
    groups = EQUALLY_LONG.get(class_name, ())
    stated = {**class_defaults(class_name)[0], **values} if groups else {}
    for first, *others in groups:
        lengths = {key: len(stated[key]) for key in (first, *others) if isinstance(stated.get(key), list)}
        said = {key: f"{length}{'' if key in values else ' by default'}" for key, length in lengths.items()}
        if first not in lengths:
            continue
        wanted = lengths.pop(first)
        odd = {key: length for key, length in lengths.items() if length != wanted}
        if len(odd) == len(lengths) > 1 and len(set(odd.values())) == 1:
            listed = ", ".join(f"{key} {said[key]}" for key in odd)
            yield RefusedByClass(first, f"it has length {said[first]}, {listed}", beside=tuple(odd))
            continue
        for key in odd:
            yield RefusedByClass(key, f"it has length {said[key]}, {first} {said[first]}", beside=(first,))
