"""The result of transformers if config.json alone decides it: types, classes and values that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.architectures.catalog import definition_of
from inspector.architectures.value_rules import QUANTIZATION
from inspector.loader.checkpoint import SIBLINGS_KEPT
from inspector.loading.config_rules import open_condition, open_number, refused_config
from inspector.loading.given import Given, answer_of
from inspector.loading.key_names import as_decided
from inspector.loading.newest_config import as_newest_reads
from inspector.loading.older_config import counted
from inspector.loading.outcome import REFUSES, UNKNOWN, UNMEASURED, UNSUPPORTED, Load
from inspector.loading.tables import NEWEST, OLDER, has_type, names_of, rules_of, type_of_class
from inspector.loading.unmeasured import unmeasured_value
from inspector.notation.parts import submodels_of
from inspector.reconciler.config_keys import lacks_method, mistyped


def by_config(given: Given, major: str) -> Load | None:
    """The result if the config decides it; None if names and files do."""
    values = given.values
    if values is None:
        return answer_of(major, REFUSES, "there is no config.json")
    if "auto_map" in values and not _is_left_over(given):
        return answer_of(major, UNKNOWN, f"the code of {_repository(values['auto_map'])} decides")
    if not isinstance(values.get("model_type"), str):
        return answer_of(major, REFUSES, "config.json has no model_type")
    if not has_type(values["model_type"], major) and not _has_class_alone(values, given.class_name, major):
        return answer_of(
            major,
            UNSUPPORTED,
            f"it has no model type {values['model_type']}, and config.json names no code for it in auto_map",
        )
    if lacks_method(values, major):
        return answer_of(major, REFUSES, f"{QUANTIZATION} names no quant_method", keys=(QUANTIZATION,))
    stated = as_decided(values, major)
    values = as_newest_reads(values) if major == NEWEST else counted(stated)
    odd = next(mistyped(values), None) if major == NEWEST else None  # transformers 4 checks no types
    if odd is not None:
        key = ".".join(odd.path)
        return answer_of(major, REFUSES, f"{key} is not {odd.wanted}", keys=(key,))
    refused = refused_config(values, major, lambda key: _builds(given, key, major))
    if refused is not None:
        return answer_of(major, REFUSES, refused.because, keys=refused.keys)
    unmeasured = unmeasured_value(values if major == NEWEST else stated, major)
    unmeasured = unmeasured or (open_number(values) if major == OLDER else None)
    keys: tuple[str, ...] = () if unmeasured is None else (unmeasured,)
    condition = open_condition(values) if major == NEWEST and not keys else None
    keys = keys if condition is None else condition.keys
    if not keys:
        return None
    because = f"no measurement shows whether a model is built with such a value of {keys[0]}"
    return answer_of(major, UNKNOWN, because, keys=keys, excuse=UNMEASURED)


def _has_class_alone(values: Mapping[str, Any], class_name: str | None, major: str) -> bool:
    """True if a version has the class of an unnamed or differently named type: the class itself can load it."""
    if class_name not in names_of(major).classes:
        return False
    own, stated = type_of_class(str(class_name)), values["model_type"]
    if own is None or own == stated:
        return own is not None
    definition = definition_of(stated)
    return definition is not None and definition_of(own) is definition


def _builds(given: Given, key: str, major: str) -> bool:
    """True if the class has a tensor of the part that a config key describes, or if that is unknown."""
    rules = None if given.class_name is None else rules_of(given.class_name, major)
    if rules is None or not rules.exact or given.class_name is None or given.model_type is None:
        return True
    from inspector.loading.expected import plan_of

    plan = plan_of(given.values or {}, given.class_name, given.model_type, major, rules.dialect, rules.sides)
    if plan is None or plan.opaque:
        return True
    rows = [row for row in plan.rows if row.slot.built and not row.slot.extra]
    if key not in {one.config for one in submodels_of(plan.scope.definition)}:  # the definition has its rows itself
        return any(leaf[:1] == (key,) for row in rows for leaf in row.reads)
    paths = {row.slot.scope for row in rows}
    inside = (path[:depth] for path in paths for depth in range(1, len(path) + 1))
    return any(plan.scope.below(one).prefix[:1] == (key,) for one in inside)


def _repository(named: object) -> str:
    """The repository with the code that `auto_map` names, in words."""
    places = named.values() if isinstance(named, dict) else ()
    others = dict.fromkeys(one.partition("--")[0] for one in places if isinstance(one, str) and "--" in one)
    return " and ".join(others) or "the repository"


def _is_left_over(given: Given) -> bool:
    """True if `auto_map` names code for a type that transformers has, and the code is neither in the folder nor
    elsewhere.
    """
    named, there = (given.values or {}).get("auto_map"), given.checkpoint.siblings
    if not isinstance(named, dict) or not has_type(str(given.model_type), NEWEST) or len(there) >= SIBLINGS_KEPT:
        return False
    texts = [one for places in named.values() for one in (places if isinstance(places, list) else [places])]
    absent = (isinstance(one, str) and "--" not in one and f"{one.partition('.')[0]}.py" not in there for one in texts)
    return given.class_name in names_of(NEWEST).classes and all(absent)
