"""Finds tensors of an adapter in modules that the base has and the config does not choose, and the right setting of the
config.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from inspector.adapters.absent import absent_of, together
from inspector.adapters.base import Base
from inspector.adapters.expected import PROMPTS, Expected, ExpectedAdapter, plan_alone
from inspector.adapters.expressions import as_expressions
from inspector.adapters.matched import Matched, module_of, of_all
from inspector.adapters.names import OWN_PREFIX, PREFIX, tuner_name
from inspector.adapters.parameters_unnamed import of_parameters
from inspector.adapters.plan import plan_with
from inspector.adapters.replication import replicated
from inspector.adapters.targets import Boxes, Targets, Unclear, union
from inspector.algebra.boxes import Box, count, joined, minus
from inspector.algebra.names import axes_of
from inspector.algebra.span import Span
from inspector.findings.adapters.tensors import AdapterModuleUnexpected, AdapterSetting
from inspector.findings.adapters.tools import AdapterModulesUnmatched
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.matcher.families import Families
from inspector.reconciler import ledger
from inspector.reconciler.wording import family_name, names_in, place_of

LAYERS = "layers_to_transform"
EXCLUDING = "exclude_modules"
CHOOSING = ("target_modules", LAYERS)
"""Keys that choose modules; the second key is removed by setting it to null."""
SWITCHES = ("use_dora", "lora_bias")
"""Keys that add tensors to every module."""
TOKENS = ".token_adapter."
"""Part of the names of an embedding's trained rows, which `trainable_token_indices` chooses."""
FEWEST_OF_MODEL = 3
"""Fewest families that are treated as a model's: adapters are also saved with only embeddings and a head."""


def untargeted(
    matched: Sequence[Matched], base: Base, method: str, values: Mapping[str, Any], families: Families
) -> Iterator[Finding]:
    """Findings on tensors without a place although the base has their module; a single finding if one setting is the
    cause.

    Modules of layers that the base does not have are reported in a separate finding.
    """
    known: dict[str, list[Box]] = {}
    for tensor in replicated(base, values).tensors:
        known.setdefault(tensor.module, []).append(tensor.axes)
    copied = {PREFIX + tensor.key for tensor in base.tensors}  # by a state dict of before PEFT had base_layer in names
    lost = [one for one in matched if one.expected is None and not of_all(one.key) and module_of(one.key) in known]
    lost = [one for one in lost if one.key not in copied]
    if values.get("target_parameters") is None:
        yield from of_parameters(matched, base, Targets(values))
    beyond, lost = _beyond(lost, known)
    if beyond:
        yield _unmatched(beyond, matched, base)
    if not lost:
        return
    tuned = any(tuner_name(one.key) is not None for one in lost)  # no setting asks for biases that the base lacks
    settings = _settings(base, method, values, families) if tuned else ()
    whole: dict[str, list[Matched]] = {}
    for one in lost:
        module = module_of(one.key)
        whole.setdefault(module if axes_of(module) == len(one.boxes[0]) else one.key, []).append(one)
    places = {name: union(box for one in members for box in one.boxes) for name, members in whole.items()}
    if settings and len(whole) > 1:
        (first, *_), boxes = next(iter(together(places)))
        alike = len(set(places.values())) == 1
        shared = place_of(first, boxes) if alike else Place()
        yield _finding(shared, list(whole), [one for members in whole.values() for one in members], settings)
        return
    for names, boxes in together(places):
        yield _finding(place_of(names[0], boxes), names, [one for name in names for one in whole[name]], settings)


def _beyond(lost: Sequence[Matched], known: Mapping[str, Sequence[Box]]) -> tuple[list[Matched], list[Matched]]:
    """(tensors in layers that the base does not have, all other tensors)."""
    beyond: list[Matched] = []
    others: list[Matched] = []
    for one in lost:
        places = known[module_of(one.key)]
        comparable = all(len(place) == len(one.boxes[0]) for place in places)
        outside = tuple(minus(one.boxes, places)) if comparable else ()
        inside = minus(one.boxes, outside)
        beyond.extend([replace(one, boxes=outside)] if outside else [])
        others.extend([replace(one, boxes=tuple(inside))] if inside else [])
    return beyond, others


def _unmatched(beyond: Sequence[Matched], matched: Sequence[Matched], base: Base) -> Finding:
    """The finding on modules of layers that the base does not have."""
    modules, every = _modules(beyond), _modules(one for one in matched if tuner_name(one.key) is not None)
    names = [name for module, boxes in modules.items() for name in names_in(module, boxes, NAMES_SHOWN)]
    return AdapterModulesUnmatched(
        base=base.name,
        names=tuple(names[:NAMES_SHOWN]),
        modules=sum(map(count, modules.values())),
        of=sum(map(count, every.values())),
    )


def _modules(matched: Iterable[Matched]) -> dict[str, Boxes]:
    """Module -> the indices at which it has tensors."""
    found: dict[str, list[Box]] = {}
    for one in matched:
        module = module_of(one.key)
        if axes_of(module) == len(one.boxes[0]):
            found.setdefault(module, []).extend(one.boxes)
    return {module: union(boxes) for module, boxes in found.items()}


def untargeted_alone(
    matched: Sequence[Matched], method: str, values: Mapping[str, Any], families: Families
) -> Iterator[Finding]:
    """The same findings without a base, if a list of modules or a switch in the config is the cause.

    An expression is matched with names in memory, which may differ from the stored ones.
    """
    copied = {one.key for one in matched if one.expected is not None and one.wanted.kind == ledger.COPY}
    tuned = [one for one in matched if _is_of_module(one, values) and one.key not in copied]
    listed, excluded = values.get("target_modules"), values.get("exclude_modules")
    if isinstance(listed, list) and not isinstance(excluded, str):
        yield from _not_listed(tuned, listed, values)
        yield from _of_other_layers(tuned, values)
    for key in SWITCHES:
        added = [one for one in tuned if one.expected is None] if values.get(key) is False else []
        if added:
            plan = plan_alone(method, {**values, key: True}, families)
            known = {one.key for one in plan.expected}
            if all(one.key in known for one in added):
                yield _on_modules(added, AdapterSetting(key, False, True))


def _is_of_module(one: Matched, values: Mapping[str, Any]) -> bool:
    """True if a tensor changes a module as a whole, and belongs neither to its parameters nor to another adapter."""
    name = tuner_name(one.key)
    own = name is not None and bool(name.module) and not name.depth and "#" not in name.ending
    return own and TOKENS not in one.key and not Targets(values).of_parameters(module_of(one.key))


def _not_listed(tuned: Sequence[Matched], listed: Sequence[Any], values: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings on tensors of modules that the list excludes although the layers of the config include them."""
    settings = Targets({**values, LAYERS: None})
    lost = [one for one in tuned if not all(settings.chosen(module_of(one.key), box) for box in one.boxes)]
    if lost and (expression := _expression(tuned, listed, values)):
        yield _on_modules(lost, AdapterSetting("target_modules", listed, expression))
        return
    names = list(dict.fromkeys(module_of(one.key).rpartition(".")[2] for one in tuned))
    if not lost or not all(name and name != "#" for name in names):
        return
    yield _on_modules(lost, AdapterSetting("target_modules", listed, names))


def _expression(tuned: Sequence[Matched], listed: Sequence[Any], values: Mapping[str, Any]) -> str:
    """The expression that a list holds, if it matches each stored module; "" otherwise."""
    if values.get(LAYERS) is not None:  # PEFT refuses layers next to an expression
        return ""
    for text in as_expressions(listed):
        settings = Targets({**values, "target_modules": text})
        try:
            if not any(minus([box], settings.chosen(module_of(one.key), box)) for one in tuned for box in one.boxes):
                return text
        except Unclear:
            continue
    return ""


def _of_other_layers(tuned: Sequence[Matched], values: Mapping[str, Any]) -> Iterator[Finding]:
    """The finding on tensors of listed modules in layers that the config excludes, with the layers that are stored."""
    settings, of_all_layers = Targets(values), Targets({**values, LAYERS: None})
    lost: list[Matched] = []
    stored: list[Span] = []
    try:
        for one in tuned:
            module = module_of(one.key)
            listed = union(hit for box in one.boxes for hit in of_all_layers.chosen(module, box))
            outside = minus(listed, [hit for box in listed for hit in settings.chosen(module, box)])
            stored.append(settings.layers(module, listed))
            lost.extend([replace(one, boxes=tuple(outside))] if outside else [])
    except Unclear:  # which layers they are depends on the version of PEFT
        return
    if lost:
        yield _on_modules(lost, AdapterSetting(LAYERS, values[LAYERS], list(Span.union(stored))))


def _on_modules(lost: Sequence[Matched], setting: AdapterSetting) -> Finding:
    """The finding on tensors of whole modules that one setting explains."""
    modules = list(dict.fromkeys(module_of(one.key) for one in lost))
    alike = len({one.boxes for one in lost}) == 1
    return _finding(place_of(modules[0], lost[0].boxes) if alike else Place(), modules, lost, (setting,))


def _finding(
    place: Place, names: Sequence[str], members: Sequence[Matched], settings: tuple[AdapterSetting, ...]
) -> Finding:
    return AdapterModuleUnexpected(
        place=place,
        module=names[0],
        tensors=sum(count(one.boxes) for one in members),
        elements=sum(one.part.layout.elements * count(one.boxes) for one in members),
        known=True,
        modules=tuple(map(family_name, names[:NAMES_SHOWN])) if len(names) > 1 else (),
        count=len(names),
        settings=settings,
        rows_of_tokens=_rows_of_tokens(members),
    )


def _rows_of_tokens(members: Sequence[Matched]) -> int:
    """The number of rows, if the tensors are the trained rows of the tokens of one table; 0 otherwise."""
    rows = {one.shape[0] for one in members if one.shape}
    return rows.pop() if len(rows) == 1 and all(TOKENS in one.key for one in members) else 0


def _settings(base: Base, method: str, values: Mapping[str, Any], families: Families) -> tuple[AdapterSetting, ...]:
    """The fewest keys of the config that, set to the stored values, choose exactly the stored modules."""
    tuned = dict.fromkeys(module_of(key) for key in families if tuner_name(key) is not None)
    names = list(dict.fromkeys(module.rpartition(".")[2] for module in tuned if module))
    wanted = {"target_modules": names, LAYERS: None, EXCLUDING: None, **dict.fromkeys(SWITCHES, True)}
    held = [key for key in CHOOSING if values.get(key) is not None]
    held = held if "target_modules" in held or values.get("target_parameters") else ["target_modules", *held]
    held += [EXCLUDING] if values.get(EXCLUDING) else []
    off = [key for key in SWITCHES if values.get(key) is False]
    for text in as_expressions(values.get("target_modules")) if values.get(LAYERS) is None else ():
        if _agrees(base, method, {**values, "target_modules": text}, families):
            return (AdapterSetting("target_modules", values["target_modules"], text),)
    for keys in (*((key,) for key in (*off, *held)), *([CHOOSING] if set(CHOOSING) <= set(held) else ())):
        if (
            names
            and all(name and name != "#" for name in names)
            and _agrees(base, method, {**values, **{key: wanted[key] for key in keys}}, families)
        ):
            return tuple(AdapterSetting(key, values.get(key), wanted[key]) for key in keys)
    return ()


def _agrees(base: Base, method: str, values: Mapping[str, Any], families: Families) -> bool:
    """True if these settings require exactly the stored tensors of the method."""
    plan = plan_with(base, method, values, families)
    if plan.unclear:
        return False
    expected: dict[str, list[Expected]] = {}
    for one in plan.expected:
        expected.setdefault(one.key, []).append(one)
    for key, family in families.items():
        if tuner_name(key) is None:
            continue
        boxes: Boxes = joined(family.boxes)
        if minus(boxes, [box for one in expected.get(key, ()) for box in one.boxes]):
            return False
    return not any(absent_boxes(plan, families))


def of_whole_model(method: str, values: Mapping[str, Any], families: Families) -> Finding | None:
    """The finding on weights of a model in an adapter's file that has no tensor of its method."""
    if method in PROMPTS or not values or any(tuner_name(key) is not None for key in families):
        return None
    settings = Targets(values)
    kept = [
        key for key, family in families.items() if not any(settings.saved(module_of(key), box) for box in family.boxes)
    ]
    if values.get("bias", "none") != "none":
        kept = [key for key in kept if not key.endswith(".bias")]
    if 2 * len(kept) <= len(families) or len(kept) < FEWEST_OF_MODEL:
        return None
    from inspector.findings.adapters.tools import AdapterHoldsModel

    own = all(key.startswith(OWN_PREFIX) for key in families)
    return AdapterHoldsModel(
        method=method, tensors=sum(one.tensors for one in families.values()),
        such_as=family_name(kept[0]), prefix=PREFIX if own else "",
    )  # fmt: skip


def absent_boxes(plan: ExpectedAdapter, families: Families) -> Iterator[Boxes]:
    """The indices of required tensors of a plan that no family has."""
    matched = [
        Matched(one.key, part, part.boxes, one)
        for one in plan.expected
        for part in (families[one.key].stored if one.key in families else ())
    ]
    yield from (boxes for _, boxes in absent_of(plan, matched))
