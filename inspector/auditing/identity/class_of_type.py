"""Checks the class and the model type that a config states: whether they exist and belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of, letters, modules
from inspector.auditing.identity.own_code import is_foreign
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config, named_class
from inspector.loading.pipelines import is_class_of_pipelines
from inspector.loading.tables import (
    NEWEST,
    classes_of_type,
    has_type,
    names_of,
    other_type_of_class,
    spelled,
    type_of_class,
    without_wrapper,
)
from inspector.matcher.claim import Claim
from inspector.notation.parts import head_for, submodels_of

LONGEST_CLASS: Final = 100
"""Most letters of a name that is compared with class names, which have at most 60."""
ABSTRACT: Final = "PreTrainedModel"
"""End of the names of classes that only others inherit from."""
EARLIER_TYPES: Final = ("RefinedWeb", "RefinedWebModel")
"""Model types used by the code of repositories before transformers added the model."""


def findings_on_class(audited: Audit) -> Iterator[Finding]:
    """The finding on the class in `architectures`, of another model type or unknown to transformers, or on the type."""
    config = audited.checkpoint.config
    if config is None or config.kind != "config" or audited.case is None or "auto_map" in config.values:
        return
    named, model_type = named_class(config.values), config.values.get("model_type")
    if isinstance(model_type, str) and (known := spelled(model_type)) is not None:
        from inspector.findings.declared import ModelTypeMisspelled

        place = Place(file=config.file, key="model_type")
        yield ModelTypeMisspelled(place=place, file=config.file, model_type=model_type, known=known)
        return
    if isinstance(model_type, str) and model_type in EARLIER_TYPES:
        yield from _of_earlier_type(audited, config, model_type)
        return
    if any(one.of_another_type for one in audited.findings):
        return  # the whole config is of another model, or its type is wrong
    if named is None or not isinstance(model_type, str) or not has_type(model_type, NEWEST):
        return
    if named in modules():
        return  # one of a program that has a definition under the name of its class
    if type_of_class(named) is None and is_foreign(named) and not is_class_of_pipelines(named):
        yield _unknown(named, model_type)
    of = foreign_type(config.values)
    if of is None:
        return
    from inspector.findings.declared import ClassOfAnotherType

    yield ClassOfAnotherType(
        place=Place(file=config.file, key="architectures"),
        file=config.file,
        class_name=named,
        of=of,
        model_type=model_type,
        wanted=_wanted(audited, named, of, model_type),
    )


def foreign_type(values: Mapping[str, Any]) -> str | None:
    """The model type of the class in `architectures` if the config states another type; None for classes of the
    repository's own code.

    The class of a type whose name begins the stated type is foreign too, as Qwen2ForCausalLM under `qwen2_vl`, unless
    the stated type may be a part of it. The class of a part is not foreign: Glm4vTextModel under `glm4v`.
    """
    named, model_type = named_class(values), values.get("model_type")
    if "auto_map" in values or named is None or not isinstance(model_type, str) or not has_type(model_type, NEWEST):
        return None
    if (of := other_type_of_class(named, model_type)) is not None:
        return of
    begins, whole = type_of_class(named), definition_of(model_type)
    if begins in (None, model_type) or not letters(model_type).startswith(letters(str(begins))):
        return None
    other = definition_of(str(begins))
    return None if other is None or other is whole or submodels_of(other) else begins


def with_stored_head(claim: Claim) -> Claim:
    """The claim without the head of a class that belongs to another model type: the names then decide on the head."""
    foreign = claim.head is not None and foreign_type(claim.settings.values) is not None
    return replace(claim, head=None) if foreign else claim


def _of_earlier_type(audited: Audit, config: Config, model_type: str) -> Iterator[Finding]:
    """The finding on a model type that was renamed, if the weights are complete under the new name."""
    from inspector.auditing.identity.restated import restated
    from inspector.dialects.refined_web import TYPE, config_of

    if values := restated(audited, config, config_of(config.values)):
        from inspector.findings.declared import ModelTypeEarlier

        place = Place(file=config.file, key="model_type")
        yield ModelTypeEarlier(place=place, file=config.file, model_type=model_type, known=TYPE, values=values)


def _unknown(named: str, model_type: str) -> Finding:
    from inspector.findings.declared import ClassUnknown

    inner = without_wrapper(named)
    wrapper = named.removesuffix(str(inner)) if inner != named else ""
    similar = inner if wrapper else _similar(named, model_type)
    return ClassUnknown(place=Place(key="architectures"), class_name=named, similar=similar, wrapper=wrapper)


def _similar(named: str, model_type: str) -> str | None:
    """The class of the type with which the name ends, as libraries put a word before it; or a class spelled like it."""
    from difflib import get_close_matches

    if len(named) > LONGEST_CLASS:
        return None
    within = [one for one in classes_of_type(model_type) if named.endswith(one)]
    return within[-1] if within else next(iter(get_close_matches(named, names_of(NEWEST).classes, 1, 0.9)), None)


def _wanted(audited: Audit, named: str, of: str, model_type: str) -> str | None:
    """The class to name in the config: of the classes with the stored head the one for the same task, or the first."""
    fitting = classes_with_head(audited, model_type)
    same = _same_task(named, of, model_type)
    return same if same in fitting else next(iter(fitting), None)


def classes_with_head(audited: Audit, model_type: str) -> list[str]:
    """The classes of a model type with the stored head; the base class if no head is stored, or the only class."""
    if audited.case is None:
        return []
    if any(one.block.slot.role.startswith("head.") for one in audited.case.placement.missing):
        base = names_of(NEWEST).bases.get(model_type)
        return [] if base is None else [base]
    case, known = audited.case, [one for one in classes_of_type(model_type) if not one.endswith(ABSTRACT)]
    if len(known) == 1:
        return known
    found = dict.fromkeys(one for head in case.reading.match.head.names for one in known if one.endswith(head))
    return [one for one in found if head_for(case.reading.definition, one) in (None, case.head)]


def _same_task(named: str, of: str, model_type: str) -> str | None:
    """The class of a model type for the same task: what LlamaForCausalLM is for Qwen2ForCausalLM."""
    names = names_of(NEWEST)
    stems = [names.bases[one].removesuffix("Model") for one in (of, model_type) if one in names.bases]
    wanted = stems[1] + named.removeprefix(stems[0]) if len(stems) == 2 and named.startswith(stems[0]) else ""
    return wanted if wanted in names.classes else None
