"""Finds classes for parts of a model: a class under which the stored weights are complete, or a class of a part named
in the config.

`from_pretrained` of such a class takes the config of the part out of that of the whole model. Measured with
transformers 5.23: `CLIPVisionModelWithProjection` on a file of CLIP's image encoder and the config of CLIP.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loading.given import Given
from inspector.loading.outcome import COMPLETE, FAILURES, RANDOM, Load
from inspector.loading.tables import NEWEST, class_ending_with, classes_of_type, names_of
from inspector.loading.transformers import loads
from inspector.notation.parts import submodels_of

HEAD = re.compile(r"For[A-Z]\w*$|LMHeadModel$")
WHOLE = ("ForConditionalGeneration", "Model")
"""Endings of the classes of whole models of several parts."""


def with_class_of_part(findings: list[Finding], load: Load, given: Given) -> list[Finding]:
    """Merges the findings on missing tensors into one if the class of a part loads everything that is stored.

    load: what transformers does with the stated config.
    """
    declared = _built(given)
    if load.outcome != RANDOM or load.unexpected or load.mismatched or declared is None:
        return findings
    serious = [one for one in findings if one.severity != "note"]
    lost = _missing(serious)
    if lost is None:
        return findings
    for name, inner in _inner(given):
        if loads_all(inner):
            from inspector.findings.names.part_class import ClassOfPart

            tensors, of, parameters = lost
            place = Place(file=given.checkpoint.set_name)
            part = ClassOfPart(
                place=place, declared=declared, stored_class=name, tensors=tensors, of=of, parameters=parameters
            )
            return [part, *(one for one in findings if one.severity == "note")]
    return findings


def classes_of_parts(given: Given) -> Iterator[str]:
    """The classes of parts of a model that load every stored tensor, and that miss none."""
    yield from (name for name, inner in _inner(given) if loads_all(inner))


def class_of_part_named(findings: Sequence[Finding], given: Given) -> Finding | None:
    """The finding on a config that names the class of one part, if that class does not load everything that the class
    of the whole model loads.
    """
    named = given.class_name
    if named is None or given.model_type is None or any(one.severity != "note" for one in findings):
        return None
    part = next((inner for name, inner in _inner(given) if name == named), None)
    if part is None or loads(part, NEWEST).outcome not in FAILURES:
        return None
    whole = next((one for ending in WHOLE if (one := class_ending_with(given.model_type, (ending,)))), None)
    if whole is None or not loads_all(replace(given, class_name=whole, case=None)):
        return None
    from inspector.findings.class_names import ClassDiffers

    return ClassDiffers(
        place=Place(key="architectures"),
        declared=named,
        stored_class=whole,
        file="config.json",
        missing=(),
        stored=tuple(given.checkpoint.tensors)[:NAMES_SHOWN],
        labels=None,
    )


def with_known_classes(findings: list[Finding], model_type: str | None) -> list[Finding]:
    """Replaces class names in the findings that transformers does not have, or removes them.

    The class of a part does not exist with every head of the whole model: there is a CLIPTextModel, but no image
    classifier of the same kind.
    """
    if all(one.severity == "note" for one in findings):
        return findings
    from inspector.findings.class_names import ClassDiffers

    known = names_of(NEWEST).classes
    return [
        replace(one, stored_class=_of_type(one.stored_class, model_type))
        if isinstance(one, ClassDiffers) and one.stored_class not in known and one.declared in known
        else one
        for one in findings
    ]


def _of_type(class_name: str | None, model_type: str | None) -> str | None:
    """The class of a model type with the same head as a class that does not exist; None without such a class."""
    head = None if class_name is None else HEAD.search(class_name)
    return None if head is None or model_type is None else class_ending_with(model_type, (head.group(),))


def _missing(serious: Sequence[Finding]) -> tuple[int, int, int] | None:
    """(missing tensors, all tensors of the class, missing parameters), if nothing but whole parts is missing."""
    from inspector.findings.single_causes import WeightsIncomplete

    if len(serious) != 1 or not isinstance(serious[0], WeightsIncomplete):
        return None
    return serious[0].tensors, serious[0].of, serious[0].parameters


def _built(given: Given) -> str | None:
    """The class named in the config, or else the class that AutoModel builds."""
    return given.class_name or names_of(NEWEST).bases.get(given.model_type or "")


def loads_all(given: Given) -> bool:
    """True if the newest version of transformers loads every stored tensor, and no other is missing."""
    load = loads(given, NEWEST)
    return load.outcome == COMPLETE and not (load.missing or load.unexpected or load.mismatched)


def _inner(given: Given) -> Iterator[tuple[str, Given]]:
    """The classes of the parts of a model, each with the facts of the checkpoint as that class reads its config."""
    definition = None if given.model_type is None else definition_of(given.model_type)
    if definition is None or given.values is None:
        return
    for model_type, values in _sub_configs(given.model_type or "", given.values):
        known = definition_of(model_type)
        if known is None or all(one.name not in model_type for one in submodels_of(definition)):
            continue
        for name in classes_of_type(model_type):
            yield name, replace(given, values=values, class_name=name, model_type=model_type, case=None)


def _sub_configs(whole: str, values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Model type and config of each part: its own `model_type`, or "clip_vision_model" of `vision_config`."""
    for key, inner in values.items():
        if not key.endswith("_config") or not isinstance(inner, dict):
            continue
        part, stated = key.removesuffix("_config"), inner.get("model_type")
        own = (stated,) if isinstance(stated, str) else ()
        for model_type in dict.fromkeys((*own, f"{whole}_{part}_model", f"{whole}_{part}")):
            if model_type.startswith(f"{whole}_"):
                yield model_type, {**inner, "model_type": model_type}
