"""Config keys that nothing reads although they may affect a shape, and values of a type that the config
class refuses.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from inspector.algebra.values import shown
from inspector.architectures.catalog import definition_of
from inspector.architectures.config_types import LETTERS, has_types, split_types, types_of
from inspector.architectures.defaults import NEWEST, OLDER, class_defaults, inert_keys
from inspector.architectures.refused_kinds_table import is_measured
from inspector.architectures.refused_value import RefusedValue
from inspector.architectures.value_rules import configs_within, refused_values, values_of_refused_kinds
from inspector.dialects.params import SIZES
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.matcher.spelling import keys_of_definition
from inspector.notation.parts import keys_of_extents, lists_of_extents
from inspector.notation.scope import Scope
from inspector.reconciler.inverse.solve import default_of

READ_ELSEWHERE = frozenset({
    "architectures", "auto_map", "dtype", "model_type", "quantization", "quantization_config", "quip_params",
    "torch_dtype",
})  # fmt: skip
"""Keys that the matcher, the dtype notes and the quantization schemes read."""
LABELS = frozenset({"id2label", "num_labels"})
"""The number of classes: without a classifier in the definition these keys affect no shape."""


def not_understood(scope: Scope) -> Iterator[Finding]:
    """One note on all keys that the definition does not read, the class does not have, and that are not known to be
    inert.
    """
    settings = scope.settings
    read = keys_of_definition(scope) | READ_ELSEWHERE | LABELS
    known = read | set(settings.defaults) | set(settings.aliases) | inert_keys()
    odd = [key for key in settings.values if key not in known and not key.startswith("_")]
    if odd:
        from inspector.findings.unknown_keys import KeyNotUnderstood

        yield KeyNotUnderstood(place=Place(key=odd[0]), keys=tuple(odd[:50]), count=len(odd))


FEW_ITEMS: Final = 8
"""Most items of a list that a message shows."""
_OBJECTS: Final = ("quantization_config", "rope_parameters", "rope_scaling")
"""Keys with an object as their value, whatever type the class declares."""
_NAMES: Final[Mapping[str, str]] = {
    "n": "null", "b": "true or false", "i": "an integer", "f": "a float", "s": "a text", "l": "a list",
    "o": "an object",
}  # fmt: skip
_ENTRIES: Final[Mapping[str, str]] = {
    "n": "null", "b": "true or false", "i": "integers", "f": "floats", "s": "texts", "o": "objects",
}  # fmt: skip
_INTEGER: Final = _NAMES["i"]
_TEXT_MODELS: Final = frozenset({"text_config", "decoder", "generator"})
BY_TOKENIZER: Final = -1
"""Size of the vocabulary in a params.json of Meta: the tokenizer decides."""
_METHODS: Final = ("quant_method", "load_in_4bit", "load_in_8bit")


def as_meant(checkpoint: Checkpoint) -> Config | None:
    """The config of a folder with the numbers and switches that its refused values mean: "3" and 3.0
    become 3 layers.
    """
    config = checkpoint.config
    if config is None or config.kind != "config" or not checkpoint.set_name:
        return config
    values = config.values
    changed: list[tuple[tuple[str, ...], Any]]
    if "_class_name" in values:
        changed = [((key,), new) for key, new in _of_component(values)]
    else:
        refused = _refused(values)
        changed = [(one.path, one.meant) for one in refused if one.meant is not UNSET]
        changed += _numberless(values, refused)
    for path, new in changed:
        values = _with(values, path, new)
    return replace(config, values=values) if changed else config


def _of_component(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(key, value) that a component of diffusers is compared with in the place of the stated value.

    Without a known meaning, a value of a kind that the class refuses is replaced by the default of the class: the
    weights then give the right one. True and false count as 1 and 0 where the class computes with them.
    """
    from inspector.architectures.diffusers_values import refused_by_class

    refused = list(refused_by_class(values))
    unset = class_defaults(str(values["_class_name"]))[0]
    for one in refused:
        default, stated = unset.get(one.key), values.get(one.key)
        if one.meant not in (None, UNSET):
            yield one.key, one.meant
        elif not one.beside and default is not None and (stated == [] or type(default) is not type(stated)):
            yield one.key, default
    wrong = {one.key for one in refused}
    for key, value in values.items():
        if isinstance(value, bool) and type(unset.get(key)) is int and key not in wrong:
            yield key, int(value)


def _numberless(values: Mapping[str, Any], refused: Sequence[RefusedValue]) -> Iterator[tuple[tuple[str, ...], int]]:
    """(path, replacement) of each number that is stated as null or as a text without a number, such as "three".

    The weights then give the right number, as for a wrong one. No model has 0 layers, and hardly any has a size of 1.
    """
    places = [
        one.path
        for one in refused
        if one.meant is UNSET and _INTEGER in one.wanted and value_at(values, one.path) is not UNSET
    ]
    types = {inside: kind for inside, _, kind in configs_within(values, values.get("model_type"))} if places else {}
    for path in places:
        definition = definition_of(str(types.get(path[:-1])))
        counting = keys_of_extents(definition) if definition is not None else frozenset()
        yield path, int(path[-1] not in counting)


def _with(values: Mapping[str, Any], path: tuple[str, ...], new: Any) -> dict[str, Any]:
    return {**values, path[0]: new if len(path) == 1 else _with(values[path[0]], path[1:], new)}


def wrong_types(scope: Scope, values: Mapping[str, Any], reported: Collection[str], loaded: bool) -> Iterator[Finding]:
    """Config values that transformers 5 refuses as it reads the config. reported: keys with another finding."""
    found = _refused(values)
    by_older = _of_lists_that_count(tuple(_refused_by_older(values)), values) if found else ()
    older = {one.path: one for one in by_older}
    read = frozenset(
        {key for inner in (scope, *scopes_below(scope)) for key in keys_of_definition(inner)} if found else ()
    )
    for one in _of_lists_that_count(found, values):
        path, name = one.path, ".".join(one.path)
        if name in reported or ".".join(one.follows) in reported:
            continue
        from inspector.findings.config import ConfigImpossible, ConfigRefused

        old = value_at(values, path)
        if not loaded and (path[-1] not in read or type(old) is float):
            continue
        if old == BY_TOKENIZER and values.keys() >= set(SIZES):
            continue  # the config is a params.json, which says so of its vocabulary
        new = _to_set(one, old, path[-1] in read)
        if new is None and old is None and path[-1] in read and default_of(scope, path):
            new = UNSET  # without the key the class has its default, for which the weights may have no tensors
        loads_older = path not in older and (_is_measured(values, path) or older_reads(path[-1], old, read, one.wanted))
        wrote_older = str(values.get("transformers_version", "")).startswith("4.")
        kind = ConfigRefused if wrote_older and loads_older else ConfigImpossible
        if kind is ConfigRefused and not loaded:
            continue
        detail = f"it is absent: {one.wanted}" if old is UNSET else f"{_stated(old)} is not {one.wanted}"
        absent = _with_others(one, older.get(path)) if old is UNSET else _with_others(one, None)
        yield kind(
            place=Place(key=name), expression=path[-1], detail=detail, keys=absent, kind="type", stated=old, meant=new
        )


def _of_lists_that_count(found: Sequence[RefusedValue], values: Mapping[str, Any]) -> Iterator[RefusedValue]:
    """The refused values; of two lists that are not equally long the one that does not give the number of stages.

    The tensors show how many stages there are, and a wrong number of them is another finding.
    """
    wrong = {one.path for one in found}
    for one in found:
        key, of = one.path[-1], one.follows
        if not of or {key, of[-1]} & _lists_that_count(values, one.path) != {key}:
            yield one
        elif of not in wrong:
            length = f"as long as {key}: {len(value_at(values, one.path))}"
            yield RefusedValue(of, length, measured=True, follows=one.path)


def _lists_that_count(values: Mapping[str, Any], path: tuple[str, ...]) -> frozenset[str]:
    """The lists with one entry for each stage in the config that has a key."""
    types = {inside: kind for inside, _, kind in configs_within(values, values.get("model_type"))}
    definition = definition_of(str(types.get(path[:-1])))
    return lists_of_extents(definition) if definition is not None else frozenset()


def _stated(value: Any) -> str:
    if isinstance(value, list) and len(value) > FEW_ITEMS:
        return f"a list of {len(value)}"
    if isinstance(value, dict) and len(value) > FEW_ITEMS:
        return f"an object of {len(value)} keys"
    return shown(value)


def _refused(values: Mapping[str, Any]) -> list[RefusedValue]:
    """The values that transformers 5 refuses. Of two reasons for the same value the more specific one is kept."""
    found = (*values_of_refused_kinds(values), *mistyped(values), *refused_values(values), *_unnamed_method(values))
    return list({one.path: one for one in found}.values())


def _refused_by_older(values: Mapping[str, Any]) -> Iterator[RefusedValue]:
    yield from _unnamed_method(values)
    yield from values_of_refused_kinds(values, OLDER)
    yield from refused_values(values, OLDER)


def _to_set(one: RefusedValue, old: Any, is_read: bool) -> Any:
    """The value that the remedy sets; None to remove the key; UNSET if neither is known to be right.

    is_read: whether the definition reads the key.
    """
    if type(old) is int and old == BY_TOKENIZER and one.meant == -old:
        return UNSET  # programs write it for a number that they do not know
    if one.measured:
        is_guess = not is_read and not isinstance(old, str | list | float)
        return UNSET if is_guess else one.meant
    return None if old is None and not is_read else one.meant


def _with_others(one: RefusedValue, older: RefusedValue | None) -> tuple[str, ...]:
    """The keys to restore or correct together, for either version. older: the value as transformers 4 sees it."""
    paths = (one.path, *one.others, *(() if older is None else older.others))
    return tuple(dict.fromkeys(map(".".join, paths)))


def older_reads(key: str, value: Any, read: Collection[str], wanted: str) -> bool:
    """True if transformers 4, in which config classes check no types, builds a model from a value of another type.

    wanted: ends with the types that version 5 accepts; a null switch is off, and one that is a text is on.
    """
    if key in _OBJECTS:
        return False
    of_switch = isinstance(value, str | None) and wanted.endswith(f"not {_NAMES['b']}")
    return key not in read or isinstance(value, int | list | dict) or of_switch


def _is_measured(values: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """True if the values that transformers 4 refuses were measured for the (sub-)config that has a key."""
    types = {inside: kind for inside, _, kind in configs_within(values, values.get("model_type"))}
    return is_measured(str(types.get(path[:-1])), OLDER)


def value_at(values: Any, path: tuple[str, ...]) -> Any:
    """The value of a nested key; UNSET if it is absent."""
    for key in path:
        values = values.get(key, UNSET) if isinstance(values, Mapping) else UNSET
    return values


def mistyped(values: Mapping[str, Any]) -> Iterator[RefusedValue]:
    """The values of a type that the class of the config, or of a sub-config, does not declare."""
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        types = types_of(model_type) if isinstance(model_type, str) else None
        for key, value in inner.items() if types is not None else ():
            accepted = types.fields.get(key, "") if types is not None else ""
            if key in _OBJECTS and isinstance(value, str | int | float | list) and (value or key == _OBJECTS[0]):
                yield RefusedValue((*path, key), "an object")
            elif accepted and LETTERS.get(type(value), "") not in accepted:
                words = " or ".join(name for letter, name in _NAMES.items() if letter in accepted)
                yield RefusedValue((*path, key), words, _meant(value, accepted))
            elif types is not None and isinstance(value, list) and not _has_entries(value, types.entries.get(key, "")):
                entries = types.entries[key]
                yield RefusedValue((*path, key), _list_of(entries), _meant_list(value, entries))
            elif types is not None and isinstance(value, str) and value not in types.words.get(key, (value,)):
                yield RefusedValue((*path, key), " or ".join(map(shown, types.words[key])))


def _has_entries(value: Sequence[Any], entries: str) -> bool:
    return not entries or all(has_types(one, entries) for one in value)


def _list_of(entries: str) -> str:
    """A description of the expected list: "a list of integers"."""
    letters, inside = split_types(entries)
    words = [_ENTRIES[one] for one in letters if one != "l"]
    if "l" in letters:
        words.append(f"lists{_list_of(inside).removeprefix('a list') if inside else ''}")
    return f"a list of {' or '.join(words)}"


def _meant_list(value: Sequence[Any], entries: str) -> Any:
    """The list with entries of the accepted types that a list states; unset if one of them states none."""
    meant = [one if has_types(one, entries) else _meant(one, split_types(entries)[0]) for one in value]
    return UNSET if UNSET in meant else meant


def _unnamed_method(values: Mapping[str, Any]) -> Iterator[RefusedValue]:
    """Quantization settings without a method, which transformers refuses. MLX writes such settings next to its own."""
    if lacks_method(values) and "quantization" not in values:
        settings = values["quantization_config"]
        yield RefusedValue(("quantization_config",), "settings with a quant_method", UNSET if settings else None)


def lacks_method(values: Mapping[str, Any], major: str = NEWEST) -> bool:
    """True if a config has quantization settings without a method: transformers refuses them (ValueError).

    Version 5 replaces empty settings by those of the text model (`get_hf_quantizer`).
    """
    settings = values.get("quantization_config")
    if settings == {} and major == NEWEST and _has_text_model(values):
        return False
    return isinstance(settings, dict) and settings.keys().isdisjoint(_METHODS)


def _has_text_model(values: Mapping[str, Any]) -> bool:
    """True if a config contains the config of a text model (`PreTrainedConfig.get_text_config`)."""
    model_type = values.get("model_type")
    types = types_of(model_type) if isinstance(model_type, str) else None
    return types is not None and not _TEXT_MODELS.isdisjoint(types.inner)


LONGEST_MEANT: Final = 24
"""Characters of the longest text that is read as a number or a switch."""


def _meant(value: Any, accepted: str) -> Any:
    """The value of an accepted type that a value means, such as 3 for "3"; UNSET if there is none."""
    if isinstance(value, str) and len(value) <= LONGEST_MEANT:
        with suppress(ValueError):
            value = json.loads(value.strip().lower())
    found = value
    if isinstance(value, float) and value.is_integer() and "i" in accepted:
        found = int(value)
    elif type(value) is int and "i" not in accepted and "f" in accepted:
        found = float(value)
    elif type(value) is int and value in (0, 1) and accepted in ("b", "nb"):
        found = bool(value)
    return found if LETTERS.get(type(found), "") in accepted and not isinstance(found, str | type(None)) else UNSET


def scopes_below(scope: Scope) -> Iterator[Scope]:
    """The scopes of all submodels, the outer ones first."""
    for submodel in scope.submodels.values():
        yield submodel
        yield from scopes_below(submodel)
