"""Finds config values of kinds of which transformers refuses only some values, or of which nothing was measured though
others are refused in their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.architectures.defaults import OLDER
from inspector.architectures.refused_kinds import (
    NO_TEXT,
    OF_DRAWING,
    OTHER_THAN_OBJECT,
    ConfigPlace,
    is_config,
    is_of_list,
    is_partly_nested,
    kinds_of,
    outermost,
    refused_at,
    undecided_at,
    usual_at,
    within,
    words_at,
)
from inspector.architectures.unread_keys import is_read_in_part, unread_keys

_SWITCH: Final = "b"
"""Letter of true where only some values of a kind are refused."""
_OF_NUMBERS: Final = "dmzfhar"
"""Kinds that are refused in place of numbers and words, and not in place of objects."""
_LAYERS: Final = "layer_types"
"""End of the names of lists of words of which other rules have the words."""
_COUNTS: Final = ("depths", "num_")
"""Starts of the names of lists of numbers of layers and heads."""
_OF_SIZES: Final = frozenset("mf")
"""Kinds that are refused in place of the size of a tensor, and not both in place of other numbers."""
_OF_LAYERS: Final = ("layers", "layer", "depth")
"""Ends of the names of numbers of layers, of which true makes one."""
_SCALE: Final = "scale"
"""In the names of numbers that fill tensors."""
_PARAMETERS: Final = frozenset({"logit_scale_init_value", "temperature_init_value"})
"""Numbers of which most classes make a parameter, which torch makes of floats only (`modeling_clip.py`, 4.57)."""
_OF_IMAGES: Final = ("kernel", "stride", "padding", "patch", "image_size")
"""In the names of pairs of a height and a width."""
_DTYPES: Final = ("dtype", "torch_dtype")
_ACTIVATIONS: Final = ("act", "act_fn", "activation", "activation_fn", "activation_function")
"""Ends of the names of activation functions."""
_PADDING: Final = "pad_token_id"
"""A number that embeddings and the settings of text generation compare."""


def kinds_undecided(values: Mapping[str, Any], major: str) -> Iterator[tuple[str, ...]]:
    """The paths of values of kinds of which a version refuses only some values, or only in some classes."""
    model_type, classes = values.get("model_type"), values.get("architectures")
    if not isinstance(model_type, str) or "auto_map" in values:
        return
    for place, inner in within(values, outermost(model_type, classes, major)):
        unread = unread_keys(values) if not place.path else frozenset()
        for key, value in ((key, value) for key, value in inner.items() if key not in unread):
            letters = undecided_at(place, key)
            open_kind = bool(letters) and not set(letters).isdisjoint(_undecided_kinds(value))
            is_open = is_partly_nested(place, key, value) and "s" in refused_at(place, key)
            unmeasured = open_kind or is_open or (major == OLDER and _is_unmeasured(place, key, value))
            fills_parameter = major == OLDER and key in _PARAMETERS and type(value) in (int, bool)
            unknown = fills_parameter or (unmeasured and value != usual_at(place, key))
            if unknown and is_read_in_part(values, (*place.path, key), major):
                yield (*place.path, key)


def true_sizes(values: Mapping[str, Any], major: str) -> Iterator[tuple[str, ...]]:
    """The paths of true and false in place of sizes of tensors, in lists as well: torch makes none with them, even
    where 1 is right."""
    model_type = values.get("model_type")
    if isinstance(model_type, str):
        for place, inner in within(values, outermost(model_type, values.get("architectures"), major)):
            plain = {**inner, **dict(_inside(inner))}
            stated = (key for key, value in plain.items() if isinstance(value, bool) and not key.endswith(_OF_LAYERS))
            yield from ((*place.path, key) for key in stated if set(refused_at(place, key)) >= _OF_SIZES)
            mixed = (key for key, value in inner.items() if isinstance(value, list) and _has_switch(value))
            yield from ((*place.path, key) for key in mixed if _is_of_integers(usual_at(place, key)))


def _inside(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(path, value) of the keys of objects that are no configs."""
    for key, value in values.items():
        if isinstance(value, dict) and "model_type" not in value:
            yield from ((f"{key}.{name}", one) for name, one in value.items())


def _has_switch(listed: list[Any]) -> bool:
    return any(isinstance(one, bool) for one in listed)


def _is_of_numbers(usual: Any) -> bool:
    return isinstance(usual, list | tuple) and bool(usual) and all(isinstance(one, int | float) for one in usual)


def _is_of_integers(usual: Any) -> bool:
    return isinstance(usual, list | tuple) and bool(usual) and all(type(one) is int for one in usual)


def _is_unmeasured(place: ConfigPlace, key: str, value: Any) -> bool:
    """Whether a value is of a kind of which no refusal was measured, though others are refused in its place."""
    if key in _DTYPES:  # it replaces those of the outermost config and of most configs in it
        return bool(place.path) and isinstance(value, int | float)
    letters = refused_at(place, key)
    usual = usual_at(place, key)
    if key.startswith(OF_DRAWING) or key == _PADDING:
        is_text = isinstance(value, str | list | dict) and (key == _PADDING or type(usual) in (int, float))
        below = isinstance(value, int | float) and value < 0 and key != _PADDING
        return (is_text or below) and not set(kinds_of(value)) & set(letters)
    if isinstance(value, int | float) and isinstance(usual, str) and key.endswith(_ACTIVATIONS):
        return set(kinds_of(value)).isdisjoint(letters)  # some classes look it up, others take what is no text
    if isinstance(value, bool) and _SCALE in key and type(usual) is float:
        return True  # torch fills no tensor with it
    if isinstance(value, list) and value:
        if isinstance(usual, list | tuple) and len(usual) == 2 != len(value) and any(one in key for one in _OF_IMAGES):
            return True
        entries = {type(one) for one in value}
        of_words = "x" in letters and bool(words_at(place, key))
        below = key.startswith(_COUNTS) and any(isinstance(one, int | float) and one < 0 for one in value)
        return (below and "k" not in letters) or (dict in entries and _is_of_numbers(usual)) or (
            entries != {str} and (of_words or (key.endswith(_LAYERS) and str in entries))
        )
    if set(letters) >= OTHER_THAN_OBJECT and set(letters).isdisjoint(_OF_NUMBERS):  # the place of an object
        return not isinstance(value, dict | None) and not set(kinds_of(value)) & set(letters)
    if isinstance(value, int) and (value <= 0 or isinstance(value, bool)):
        return isinstance(usual, list | tuple) and "r" not in letters
    if value not in ([], {}) or set(letters).isdisjoint("tl") or is_config(place, key):
        return False
    return "d" not in letters and (value == {} or not (is_of_list(letters) or "e" in letters))


def _undecided_kinds(value: Any) -> str:
    """The letters of the kinds of a value, among them those of a switch and of an empty text."""
    return kinds_of(value) + (_SWITCH if value is True else NO_TEXT if value == "" else "")
