"""The architecture that the config claims, before the names of the tensors are looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.architectures.catalog import definition_of, letters, modules, type_with_letters
from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import (
    NEWEST,
    OLDER,
    defaults_by,
    newest_tied_as_older,
    older_tied_as_newest,
    with_declared_types,
)
from inspector.loader.config_file import Config, named_class
from inspector.notation.definition import Architecture, Head
from inspector.notation.parts import head_for, submodels_of
from inspector.notation.settings import ClassDefaults, Settings


class Claim(Struct, frozen=True):
    """The architecture that a config states. definition: None if no definition reads its model type.

    otherwise: the settings with the defaults of the other major version of transformers, if the config does not show
    which version wrote it. head: the definition's head for the class; None if the config names no class, or a class
    without a head here. writer: the framework that named the tensors, if the file states it. is_params: whether the
    config is a params.json, which has no model type.
    """

    settings: Settings
    model_type: str | None = None
    class_name: str | None = None
    definition: Architecture | None = None
    head: Head | None = None
    otherwise: Settings | None = None
    writer: str = ""
    is_params: bool = False


NO_CONFIG = Claim(Settings({}, known=False))


def claim_of(config: Config | None, like: str | None = None) -> Claim:
    """The claim of a config.json or params.json; without a config every value is unknown.

    like: a model type to assume instead: its definition is used and every size is unknown.
    """
    if like is not None:
        return Claim(Settings({}, known=False), like, definition=definition_of(like))
    if config is None or config.kind not in ("config", "params"):
        return NO_CONFIG
    values = config.values
    if config.kind == "params":
        from inspector.dialects.mistral_towers import with_tower
        from inspector.dialects.params import definition_for_params, type_of_params

        of_params = with_tower(values) or definition_for_params(type_of_params(values))
        return Claim(Settings(values), definition=of_params, is_params=True)
    class_name = _class_name(values)
    model_type = values.get("model_type")
    if not isinstance(model_type, str) or class_name in modules():
        model_type = type_of_class(class_name)
    of_code = type_of_code(values)
    model_type = of_code or model_type
    if model_type is None:
        return Claim(Settings(values), None, class_name)
    values = with_older_parts(values)
    definition = definition_of(model_type)
    if definition is not None and _of_other_code(definition, values):
        definition = None
    values = with_declared_types(values, model_type)
    settings, otherwise = _settings(values, model_type)
    built = _class_of_code(values, class_name, definition) if of_code is not None else class_name
    head = head_for(definition, built) if definition is not None and built else None
    return Claim(settings, model_type, class_name, definition, head, otherwise, config.writer)


OF_OLDER_PARTS: Final = (
    "altclip", "chinese_clip", "clip", "clipseg", "flava", "groupvit", "metaclip_2", "xclip",
)  # fmt: skip
"""Model types that read `text_config_dict` and `vision_config_dict`; BridgeTower removes them."""


def with_older_parts(values: Mapping[str, Any]) -> dict[str, Any]:
    """The config with the values of `text_config_dict` and similar keys moved into `text_config` and so on.

    transformers completes the former with the defaults of its class, and overwrites the latter with the result.
    """
    read = values.get("model_type") in OF_OLDER_PARTS
    older = {key.removesuffix("_dict"): part for key, part in values.items()
             if read and key.endswith("_config_dict") and isinstance(part, dict)}  # fmt: skip
    if not older:
        return dict(values)
    for key, own in [(key, values.get(key)) for key in older]:
        if isinstance(own, dict) and "model_type" in own:
            older[key] = {"model_type": own["model_type"], **older[key]}
    return {**values, **older}


def _of_other_code(definition: Architecture, values: dict[str, Any]) -> bool:
    """True if a config has other submodels than the definition of its type: it is of older code than transformers'.

    The definition then has submodels, and the config states none of these but others.
    """
    parts = {submodel.config for submodel in submodels_of(definition)}
    inside = {key for key, value in values.items() if isinstance(value, dict)}
    if not parts or parts & inside:
        return False
    return any("model_type" in values[key] for key in inside)


def _settings(values: dict[str, Any], model_type: str) -> tuple[Settings, Settings | None]:
    """(the config with the defaults of the version that wrote it, the config with those of the other major version).

    Only a config of transformers 5 certainly relies on the newest defaults. Many 4.x versions wrote what the last 4.x
    version reads, and a config without a version may come from any version.
    """
    version = values.get("transformers_version")
    major = version.partition(".")[0] if isinstance(version, str) else ""
    if len(major) < 4 and major.isdecimal() and int(major) < int(NEWEST):
        return (
            _with_defaults(values, defaults_by(OLDER), model_type),
            _with_defaults(values, newest_tied_as_older, model_type),
        )
    newest = _with_defaults(values, defaults_by(NEWEST), model_type)
    ties = newest.defaults.get("tie_word_embeddings") is True and isinstance(values.get("text_config"), dict)
    if not major and ties:  # versions differ in where they read the tie
        defaults = {key: value for key, value in newest.defaults.items() if key != "tie_word_embeddings"}
        newest = replace(newest, defaults=defaults)
    return newest, None if major else _with_defaults(values, older_tied_as_newest, model_type)


def _with_defaults(values: dict[str, Any], of_type: ClassDefaults, model_type: str) -> Settings:
    defaults, aliases = of_type(model_type)
    if "id2label" in values:  # label names state the number of labels, whatever the default of the class
        defaults = {key: value for key, value in defaults.items() if key != "num_labels"}
    return Settings(values, defaults, aliases, of_type=of_type)


def _class_name(values: dict[str, Any]) -> str | None:
    named, of_diffusers = named_class(values), values.get("_class_name")
    return of_diffusers if named is None and isinstance(of_diffusers, str) else named


def type_of_code(values: Mapping[str, Any]) -> str | None:
    """The model type of the catalog whose config class `auto_map` names, if only code of a repository has this class.

    The code may state a type of transformers: "xlm-roberta" in a config of XLMRobertaFlashConfig.
    """
    named = _classes_of_code(values).get("AutoConfig", "")
    found = type_with_letters(named.removesuffix("Config")) if named.endswith("Config") else None
    return None if found is None or types_of(found) is not None else found


def _class_of_code(values: Mapping[str, Any], declared: str | None, definition: Architecture | None) -> str | None:
    """The class that is built: the declared one if it has a task, `auto_map` names it or the definition has a head of
    its whole name, else that of AutoModel.
    """
    named = _classes_of_code(values)
    whole = definition is not None and any(declared in entry.names for entry in definition.heads)
    own = whole or declared in named.values() or re.search("For[A-Z]", declared or "")
    return declared if own else named.get("AutoModel", declared)


def _classes_of_code(values: Mapping[str, Any]) -> dict[str, str]:
    """The names of `auto_map`, such as AutoConfig, with the class of each."""
    named = values.get("auto_map")
    pairs = named.items() if isinstance(named, dict) else ()
    return {str(key): place.rpartition(".")[2] for key, place in pairs if isinstance(place, str)}


_TASK = r"(?:For[A-Z]|LMHead|DoubleHeads|Model$|EncoderModel$).*"


def type_of_class(class_name: str | None) -> str | None:
    """The model type that a class name begins with: 'LlamaForCausalLM' gives llama."""
    if class_name is None:
        return None
    if class_name in modules():
        return class_name
    stem = re.sub(_TASK, "", class_name).casefold()
    return next((name for name in modules() if name.replace("_", "").replace("-", "") == stem), None)


OTHER_STEMS: Final = ("AST", "HunYuan", "Parakeet", "Speech2Text")
"""Beginnings of classes of transformers 5.23 that have other letters than their model types."""


def class_with_head(declared: str, own: Head, other: Head) -> str | None:
    """The class of the same model with another head: LlamaForCausalLM gives LlamaForSequenceClassification.

    None for a class that does not begin with a model type: the names of its other classes are unknown.
    """
    known = declared.startswith(OTHER_STEMS) or any(letters(declared).startswith(letters(name)) for name in modules())
    if not known:
        return None
    suffix = next((name for name in own.names if name and declared.endswith(name)), None)
    named = other.names[0] if other.names else ""
    return declared.removesuffix(suffix) + named if suffix and named[:1].isupper() else None
