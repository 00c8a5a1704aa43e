"""The tensors that a class of a version of transformers builds from a config, under the names that this
version writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import class_defaults, defaults_by, with_declared_types
from inspector.architectures.value_rules import configs_within
from inspector.loading.tables import NEWEST, ClassRules, names_of, rules_of, version_of
from inspector.matcher.claim import with_older_parts
from inspector.matcher.families import Families, Family
from inspector.matcher.spelling import spellings
from inspector.notation.binding import Plan, bind
from inspector.notation.definition import Head
from inspector.notation.expansion import Shape
from inspector.notation.parts import head_for, submodels_of
from inspector.notation.scope import Fault, Scope
from inspector.notation.settings import Settings
from inspector.notation.slots import unroll
from inspector.notation.spelling import Spelling
from inspector.notation.trace import Leaf


def plan_of(
    values: Mapping[str, Any],
    class_name: str,
    model_type: str,
    major: str,
    dialect: int = 0,
    sides: str = "",
    written: str = "",
    rounds: bool = False,
) -> Plan | None:
    """The plan of a class by a config, with the defaults of a major version; None if no definition has the class.

    The tensors are those that this version builds, whichever version wrote the config, or those of the version
    `written`. dialect: the number of the spelling among all spellings of the definition and its submodels. rounds:
    round down quotients with a remainder. sides: as in `ClassRules`; the plan is also None if the definitions of this
    config have another number of alternatives.
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
    stated = with_declared_types(with_older_parts(values), model_type)
    read = {**stated, "transformers_version": written or version_of(major)}
    scope = Scope(definition, Settings(read, defaults, aliases, of_type=of_type), definition_of)
    scope.trace.rounds = rounds
    spelling = Spelling(head.root)
    if dialect:
        options = islice(spellings(scope, head, unroll(scope, head)), dialect, None)
        spelling = next(options, spelling)
    taken = {number: int(side) for number, side in enumerate(sides, 1)} or _sides_of_parts(scope, head, major)
    if sides and len(sides) != alternatives(scope, head):
        return None
    return bind(scope, head, spelling, sides=taken or None)


def null_key(plan: Plan | None, values: Mapping[str, Any]) -> str:
    """A key with null on which the shape of a tensor depends, "vision_config.hidden_size"; "" without one.

    A class does not replace the null by a default: the model cannot be built.
    """
    for row in () if plan is None else plan.rows:
        if row.slot.built and not row.slot.extra and any(None in shape for shape in row.shapes):
            read = [".".join(map(str, leaf)) for leaf in row.reads if _is_null(values, leaf)]
            if read:
                return min(read)
    return ""


def sizeless_key(plan: Plan, values: Mapping[str, Any], major: str, stored: Families) -> str:
    """A key with a value that cannot be the size of a tensor; "" without such a key.

    Such a value is an object, an empty list, true or false, or a number below zero.

    PyTorch accepts none of them as a size, except that `true` counts as 1 if it is multiplied first.
    """
    odd = set(_no_sizes(values, major))
    for row in plan.rows if odd else ():
        if row.slot.built and not row.slot.extra and any(None in shape for shape in row.shapes):
            read = odd.intersection(row.reads)
            if read and any(_is_of_more(row.shapes, stored.get(block.key)) for block in row.blocks):
                return min(".".join(map(str, leaf)) for leaf in read)
    return ""


def _no_sizes(values: Mapping[str, Any], major: str) -> Iterator[Leaf]:
    """Positions of such values in a config in place of non-negative numbers, by the defaults of its classes."""
    for path, inner, kind in configs_within(values, values.get("model_type")):
        defaults = class_defaults(kind, major)[0] if isinstance(kind, str) else {}
        for key, value in inner.items():
            below = type(value) in (int, float) and value < 0
            usual = defaults.get(key)
            if (usual is None or _is_size(usual)) and (below or isinstance(value, bool | dict) or value == []):
                yield *path, key


def _is_size(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_of_more(shapes: Sequence[Shape], family: Family | None) -> bool:
    """True if tensors of another size than 1 are stored although the config gives no size."""
    stored = () if family is None else (one.layout.shape for one in family.stored)
    return any(
        wanted is None and size != 1
        for shape, found in product(shapes, stored)
        if len(shape) == len(found)
        for wanted, size in zip(shape, found, strict=True)
    )


def _is_null(values: Any, leaf: Sequence[str | int]) -> bool:
    """True if a config has null at the position of a leaf."""
    return _at(values, leaf) is None


def _at(values: Any, leaf: Sequence[str | int]) -> Any:
    """The value at the position of a leaf; an empty text where the config has none."""
    for segment in leaf:
        if isinstance(values, Mapping) and segment in values:
            values = values[str(segment)]
        elif isinstance(values, list) and type(segment) is int and 0 <= segment < len(values):
            values = values[segment]
        else:
            return ""
    return values


def fault_of(plan: Plan) -> Fault | None:
    """The first fault in the values of a plan, by its own config or that of a submodel; None without a fault."""
    paths = {row.slot.scope for row in plan.rows}
    scopes = {path[:depth] for path in paths for depth in range(len(path) + 1)}
    faults = (fault for path in sorted(scopes) for fault in plan.scope.below(path).faults)
    return next((fault for fault in faults if fault.kind != "differs"), None)


def alternatives(scope: Scope, head: Head) -> int:
    """The number of `either` in a definition and in those of its submodels."""
    return max((number for slot in unroll(scope, head).slots for number, _ in slot.choices), default=0)


def _sides_of_parts(scope: Scope, head: Head, major: str) -> dict[int, int]:
    """Number of an `either` -> its side, by the recorded classes of the submodels that the config chooses."""
    numbers: dict[tuple[str, ...], set[int]] = {}
    for slot in unroll(scope, head).slots:
        numbers.setdefault(slot.scope, set()).update(number for number, _ in slot.choices)
    taken: dict[int, int] = {}
    for path, own in numbers.items():
        sides = _rules_of_part(scope, path, major).sides if path and own else ""
        if len(sides) == len(own):
            taken |= {number: int(side) for number, side in zip(sorted(own), sides, strict=True)}
    return taken


def with_parts(rules: ClassRules, plan: Plan, major: str) -> ClassRules:
    """The rules of a class, extended by the tensors that the classes of its submodels have and lack by their own rules.

    The rules of a class were recorded with certain submodel types; the config may choose others.
    """
    stored, lacks = list(rules.stored), list(rules.lacks)
    parts: dict[tuple[str, ...], ClassRules] = {}
    for block in plan.blocks:
        slot = block.slot
        if slot.scope and not (slot.optional and slot.tensor.counted):
            of_part = parts.get(slot.scope) or _rules_of_part(plan.scope, slot.scope, major)
            parts[slot.scope] = of_part
            if slot.optional and _ends_with_any(block.key, of_part.stored):
                stored.append(block.key)
            elif not slot.optional and _ends_with_any(block.key, of_part.lacks):
                lacks.append(block.key)
    if len(stored) == len(rules.stored) and len(lacks) == len(rules.lacks):
        return rules
    return replace(rules, stored=tuple(stored), lacks=tuple(lacks))


def _ends_with_any(key: str, endings: tuple[str, ...]) -> bool:
    return any(key.endswith(f".{ending}") for ending in endings)


def _rules_of_part(scope: Scope, path: tuple[str, ...], major: str) -> ClassRules:
    """The rules of the class that a library builds for a submodel; empty if the definition itself determines the
    submodel.
    """
    part = scope.below(path)
    entry = next(one for one in submodels_of(scope.below(path[:-1]).definition) if one.name == path[-1])
    model_type = part.settings.read(("model_type",))[0]
    if (entry.definition is not None and not entry.by_type) or not isinstance(model_type, str):
        return ClassRules()
    base = names_of(major).bases.get(model_type) or names_of(NEWEST).bases.get(model_type)
    if base is None:
        return ClassRules()
    of_heads = (rules_of(base.removesuffix("Model") + head, major) for head in entry.head.split())
    return next((rules for rules in of_heads if rules is not None), None) or rules_of(base, major) or ClassRules()
