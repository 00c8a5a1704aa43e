"""Finds configs that transformers 5 refuses when it reads them, by the conditions of its config classes.

`config_rules.json` contains the conditions as expressions of config keys, by model type;
`tests/oracle/make_config_rules.py` generates it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

from msgspec import Struct

from inspector.algebra.expression import Binary, Literal, Node, Word, parse, show, words
from inspector.algebra.values import shown
from inspector.architectures.catalog import definition_of
from inspector.architectures.config_types import checks_layers_itself, layer_types, mlp_layer_types, types_of
from inspector.architectures.defaults import defaults_by
from inspector.architectures.unread_keys import unread_in_part, unread_keys
from inspector.architectures.value_rules import configs_within, refused_values, values_of_refused_kinds
from inspector.loader.config_file import named_class
from inspector.loading.layer_overrides import OVERRIDES, is_open_override, refused_override
from inspector.loading.tables import NEWEST, OLDER
from inspector.loading.written_rules import PROJECTED, REPEATED, is_activation, layers_of, with_written
from inspector.notation.definition import Architecture
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings

COMPUTED: Final = "auto"
"""A value that a config class replaces by a computed one, such as `mamba_d_head` of Bamba."""
STAGES: Final = "stages"
"""Rules on the values of each stage: major versions, number of stages, condition, classes without it."""
_PAD: Final = "pad_token_id"
"""A key whose default is in the table, where it is large."""
DEEPEST: Final = 3
"""Most levels of nested configs that are read."""
LAYERED_IN_OLDER: Final = frozenset(
    {
        "cohere2", "dots1", "exaone4", "gemma2", "gemma3_text", "gemma3n_text", "gpt_oss", "lfm2", "llama4_text",
        "minimax", "ministral", "modernbert-decoder", "olmo3", "qwen2", "qwen2_5_omni_talker", "qwen2_5_omni_text",
        "qwen2_5_vl_text", "qwen2_vl_text", "qwen3", "qwen3_next", "qwen3_omni_moe_talker_code_predictor", "smollm3",
        "t5_gemma_module", "vaultgemma",
    }
)  # fmt: skip
"""Model types of transformers 4.57 that read a list of layer types."""
LONGER_IN_OLDER: Final = frozenset({"lfm2", "ministral", "modernbert-decoder", "olmo3"})
"""Those of which the list may be longer than the number of layers (`layer_type_validation`)."""
ANY_IN_OLDER: Final = frozenset({"lfm2", "ministral", "modernbert-decoder"})
"""Those of which the list may have any words."""


@cache
def _rules() -> Mapping[str, Mapping[str, Any]]:
    with open(os.path.join(os.path.dirname(__file__), "config_rules.json"), "rb") as file:
        listed: dict[str, dict[str, Any]] = json.loads(file.read())
    return with_written(listed)


class Refused(Struct, frozen=True):
    """The reason why a config is refused, and the keys concerned."""

    because: str
    keys: tuple[str, ...]


def refused_config(
    values: Mapping[str, Any], major: str = NEWEST, builds: Callable[[str], bool] = lambda key: True
) -> Refused | None:
    """Why a config or sub-config is refused; None if no condition with only known keys holds.

    Transformers 4 has fewer checks in config classes; it fails when it builds the model. builds: True for a
    key whose part of the model the class builds.
    """
    value = next(chain(refused_values(values, major), values_of_refused_kinds(values, major)), None)
    if value is not None:
        key = ".".join(value.path)
        return Refused(f"{key} is not {value.wanted}", (key,))
    types = {id(inner): kind for _, inner, kind in configs_within(values, values.get("model_type"))}
    for part, inner in _with_parts(values):
        model_type = inner.get("model_type", "")
        model_type = types.get(id(inner)) if model_type == "" else model_type
        if isinstance(model_type, str):
            found = next(_refusals(inner, model_type, major, config=True), None)
            found = found or _refused_layers(inner, model_type, major) or _refused_repeats(inner, model_type, major)
            found = found or _refused_projection(inner, model_type)
            unlike = refused_override(inner, model_type) if major == NEWEST else ""
            found = Refused(unlike, (OVERRIDES,)) if unlike and found is None else found
            if found is not None:
                return found
            named = "" if part else named_class(values) or ""
            unread = unread_in_part(values, (part,), major) if part and inner is values[part] else unread_keys(inner)
            found = next(_refusals(inner, model_type, major, config=False, class_name=named, unread=unread), None)
            if found is not None and (not part or builds(part)):
                return found
    return None


def open_condition(values: Mapping[str, Any]) -> Refused | None:
    """A condition under which it is not known whether transformers 5 loads a model completely; None if none holds."""
    for _, inner, model_type in configs_within(values, values.get("model_type")):
        if isinstance(model_type, str) and is_open_override(inner, model_type):
            return Refused(OVERRIDES, (OVERRIDES,))
        if isinstance(model_type, str) and "open" in _rules().get(model_type, {}):
            found = next(_refusals(inner, model_type, NEWEST, config=True, kind="open"), None)
            if found is not None:
                return found
    return None


def open_number(values: Mapping[str, Any]) -> str | None:
    """The dotted path of a text, list or object that a condition for transformers 4 compares with a number; None if
    there is none.
    """
    for path, inner, model_type in configs_within(values, values.get("model_type")):
        rules = _rules().get(model_type, {}) if isinstance(model_type, str) else {}
        compared = {
            key for rule in rules.get("model", ()) if "(len(" not in rule and "[" not in rule for key in _keys(rule)
        }
        usual = defaults_by(OLDER)(model_type)[0] if compared and isinstance(model_type, str) else {}
        for key in compared & inner.keys():
            if isinstance(inner[key], str | list | dict) and type(inner[key]) is not type(usual.get(key)):
                return ".".join((*path, key))
    return None


def accepted_value(values: Mapping[str, Any], key: str) -> int | None:
    """The only value of a key with which a config is not refused, by a product that must equal another one; None if
    there is none, or several.
    """
    stated, model_type = values.get(key), values.get("model_type")
    if type(stated) is not int or not isinstance(model_type, str) or stated <= 0:
        return None
    for rule in _rules().get(model_type, {}).get("config", ()):
        node = parse(rule)
        while isinstance(node, Binary) and node.operator == "and":
            node = node.right
        if not isinstance(node, Binary) or node.operator != "!=" or key not in _keys(rule):
            continue
        sides = [_product(side, values) for side in (node.left, node.right)]
        at = [key in {path[0] for path in words(side)} for side in (node.left, node.right)]
        own, other = sides if at == [True, False] else sides[::-1]
        if all(at) or not own or not other or stated * other % own:
            continue
        solved = stated * other // own
        if refused_config({**values, key: solved}) is None:
            return solved
    return None


def _product(node: Node, values: Mapping[str, Any]) -> int | None:
    """The value of a product of keys and numbers; None for any other expression."""
    if isinstance(node, Binary):
        left, right = _product(node.left, values), _product(node.right, values)
        return left * right if node.operator == "*" and left is not None and right is not None else None
    value = node.value if isinstance(node, Literal) else values.get(node.path[0]) if isinstance(node, Word) else None
    return value if type(value) is int else None


def _with_parts(
    values: Mapping[str, Any], part: str = "", depth: int = DEEPEST
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(key in the outer config, "" for the outer config itself; config) of a config and its sub-configs."""
    yield part, values
    for key, one in values.items() if depth else ():
        if isinstance(one, dict) and (not part or isinstance(one.get("model_type"), str)):
            yield from _with_parts(one, part or key, depth - 1)


def _refused_layers(values: Mapping[str, Any], model_type: str, major: str) -> Refused | None:
    """Why a list of layer types is refused (`PreTrainedConfig.validate_layer_type`); None if no list is.

    Every config with a number of layers is checked; the types of MLPs only if there are layer types. Transformers 4
    reads such lists only for a few model types.
    """
    if major == OLDER and model_type not in LAYERED_IN_OLDER:
        return None
    defaults, aliases = defaults_by(NEWEST)(model_type)
    key, types = aliases.get("layer_types", "layer_types"), types_of(model_type)
    if types is None or not types.fields.keys() | aliases.keys() >= {"num_hidden_layers"}:
        return None
    number = Settings(values, defaults, aliases).read((aliases.get("num_hidden_layers", "num_hidden_layers"),))[0]
    of_mlps = None if checks_layers_itself(model_type) else mlp_layer_types()
    for name, known in ((key, layer_types() if key == "layer_types" else None), ("mlp_layer_types", of_mlps)):
        listed = values.get(name)
        if not isinstance(listed, list):
            continue  # the class creates the list, or its model has none
        if name != key and not isinstance(values.get(key), list) and not isinstance(defaults.get(key), list):
            return _too_few(name, listed, number)
        if major == OLDER and model_type in ANY_IN_OLDER:
            known = None
        odd = (one for one in listed if known is not None and not (isinstance(one, str) and one in known))
        first = next(odd, None)
        if first is not None:
            return Refused(f"its config class knows no layer type {shown(first)} of {name}", (name,))
        if major == OLDER and model_type in LONGER_IN_OLDER:
            return _too_few(name, listed, number)
        if type(number) is int and number != len(listed):
            because = f"{name} has {len(listed)} entries, num_hidden_layers is {number}"
            return Refused(because, (name, "num_hidden_layers"))
    return None


def _refused_repeats(values: Mapping[str, Any], model_type: str, major: str) -> Refused | None:
    """Why a list of repeated layer types is refused by transformers 4; None if it is as long as the model is deep."""
    if major != OLDER or model_type not in REPEATED:
        return None
    key, number = REPEATED[model_type]
    settings = Settings(values, *defaults_by(major)(model_type))
    stated, layers = (settings.read((one,))[0] for one in (key, number))
    given = layers_of(stated)
    if given is None or type(layers) is not int or given == layers:
        return None
    spelled = settings.spelled(number)
    return Refused(f"{key} gives {given} layers, {spelled} is {layers}", (key, spelled))


def _refused_projection(values: Mapping[str, Any], model_type: str) -> Refused | None:
    """Why the text that names an activation function is refused; None if it has the form of one."""
    stated = values.get("feed_forward_proj") if model_type in PROJECTED else None
    if not isinstance(stated, str) or is_activation(stated):
        return None
    return Refused(f"feed_forward_proj is {shown(stated)}, no activation function", ("feed_forward_proj",))


def _too_few(name: str, listed: Sequence[Any], number: Any) -> Refused | None:
    """Why a model cannot be built with a list of layer types that is shorter than its number of layers."""
    if type(number) is not int or len(listed) >= number:
        return None
    return Refused(f"{name} has {len(listed)} entries, num_hidden_layers is {number}", (name, "num_hidden_layers"))


def _refusals(
    values: Mapping[str, Any],
    model_type: str,
    major: str,
    *,
    config: bool,
    class_name: str = "",
    kind: str = "",
    unread: frozenset[str] = frozenset(),
) -> Iterator[Refused]:
    """Why the config class refuses a config, or why the model class refuses it. kind: of other rules. unread: keys that
    the model class does not read.
    """
    kinds = _rules().get(model_type, {})
    rules: tuple[str, ...] = ()
    if not config:
        rules = (*kinds.get("model", ()), *kinds.get("classes", {}).get(class_name, ()))
    else:
        rules = kinds.get(kind or ("config" if major == NEWEST else "older"), ())
    if not rules and (config or STAGES not in kinds):
        return
    of_type = defaults_by(major if config else NEWEST)
    defaults, aliases = of_type(model_type)
    if "pad" in kinds:
        defaults = {**defaults, _PAD: kinds["pad"]}
    settings = Settings(values, defaults, aliases, of_type=of_type)
    definition = definition_of(model_type) or Architecture(model_type, {})  # a part of a model may have none
    scope = Scope(definition, settings, definition_of)
    computed = kinds.get("stated", ())  # keys that the class computes if they are absent
    for rule in rules:
        if not unread.isdisjoint(_keys(rule)):
            continue
        known = all(_is_known(settings, key, key in computed) for key in _keys(rule))
        if known and scope.evaluate(parse(rule)) is True:
            yield _refused_by(rule, settings, config=config)
    for majors, number, rule, without in () if config else kinds.get(STAGES, ()):
        keys = (one for one in (*_keys(number), *_keys(rule)) if one not in definition.dims)
        known = all(_is_known(settings, key) for key in keys)
        if known and major in majors and class_name not in without:
            stage = _stage_against(scope, number, rule)
            if stage is not None:
                yield _refused_by(rule.replace("{S}", str(stage)), settings, config=False)


def _stage_against(scope: Scope, number: str, rule: str) -> int | None:
    """The first stage with values that a condition on each stage {S} refuses; None if all have others."""
    stages, node = scope.evaluate(parse(number)), parse(rule)
    for stage in range(stages if type(stages) is int else 0):
        with scope.at([("S", stage)]):
            if scope.evaluate(node) is True:
                return stage
    return None


def _refused_by(rule: str, settings: Settings, *, config: bool) -> Refused:
    """The refusal by a condition. config: by the config class, not by that of the model."""
    read = {settings.spelled(key): settings.read(tuple(key.split(".")))[0] for key in _keys(rule)}
    spelled = {key: value for key, value in read.items() if value is not None or key in settings.values} or read
    stated = ", ".join(f"{key} {value}" for key, value in spelled.items())
    because = f"its {'config class' if config else 'model'} refuses {show(parse(rule))}: {stated}"
    return Refused(because, tuple(spelled))


@cache
def _keys(rule: str) -> tuple[str, ...]:
    """The keys of a condition, dotted for those of configs within the config. Cached, since there are only as many
    conditions as in the table."""
    return tuple(dict.fromkeys(".".join(path) for path in words(parse(rule))))


def _is_known(settings: Settings, key: str, stated: bool = False) -> bool:
    """True if a config or, unless `stated`, its defaults have a key. Null counts only in the config itself."""
    value = settings.read(tuple(key.split(".")))[0]
    if value == COMPUTED:
        return False
    return settings.spelled(key) in settings.values or not (stated or value is None)
