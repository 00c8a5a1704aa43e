"""The tensors that a class of a version of transformers builds from a config, under the names that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import defaults_by
from inspector.matcher.spelling import spellings
from inspector.notation.binding import Plan, bind
from inspector.notation.definition import Head
from inspector.notation.scope import Scope, head_for
from inspector.notation.settings import Settings
from inspector.notation.slots import unroll
from inspector.notation.spelling import Spelling


def plan_of(
    values: Mapping[str, Any], class_name: str, model_type: str, major: str, dialect: int = 0, sides: str = ""
) -> Plan | None:
    """The plan of a class by a config, with the defaults of a major version; None where no definition has the class.

    dialect: the number of the spelling, among all that the definition and those of its submodels know. sides: as in
    `ClassRules`; None too where the definitions of this config have another number of alternatives.
    """
    definition = definition_of(model_type)
    head = None if definition is None else head_for(definition, class_name)
    if definition is not None and class_name in definition.names:  # a class of diffusers, which has no heads
        head = definition.heads[0]
    if definition is None or head is None:
        return None
    of_type = defaults_by(major)
    defaults, aliases = of_type(model_type)
    if "id2label" in values:  # label names state the number of labels, whatever the default of the class
        defaults = {key: value for key, value in defaults.items() if key != "num_labels"}
    scope = Scope(definition, Settings(values, defaults, aliases, of_type=of_type), definition_of)
    spelling = Spelling(head.root)
    if dialect:
        options = islice(spellings(scope, head, unroll(scope, head)), dialect, None)
        spelling = next(options, spelling)
    taken = {number: int(side) for number, side in enumerate(sides, 1)}
    if sides and len(sides) != alternatives(scope, head):
        return None
    return bind(scope, head, spelling, sides=taken or None)


def alternatives(scope: Scope, head: Head) -> int:
    """The number of `either` in a definition and in those of its submodels."""
    return max((number for slot in unroll(scope, head).slots for number, _ in slot.choices), default=0)
