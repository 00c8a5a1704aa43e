"""Adapters: small tensors that change a base model. By themselves, and laid beside their base.

Source: what PEFT's `save_pretrained` writes (key prefix `base_model.model.`, `adapter_config.json`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base
from inspector.adapters.expected import Expected, Plan, expected_parameters, plan_alone, plan_with
from inspector.adapters.names import BASE_LAYER, PROMPT, adapter_kind, base_name, tuner_name
from inspector.adapters.targets import Boxes, Ends, Targets, texts
from inspector.algebra.boxes import Box, common, count, joined, less
from inspector.algebra.names import axes_of, before_index
from inspector.algebra.span import Span
from inspector.findings.adapters.tensors import (
    AdapterHalfMissing,
    AdapterLayerOdd,
    AdapterModuleUnexpected,
    AdapterRankDiffers,
    AdapterShapeDiffers,
    AdapterTargetMissing,
    AdapterVocabularyDiffers,
)
from inspector.findings.adapters.whole import (
    Adapter,
    AdapterBaseDiffers,
    AdapterNamesUnknown,
    AdapterTargetUnnamed,
    ShapeExample,
)
from inspector.findings.finding import Finding, Place
from inspector.matcher.families import Families, Stored
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name, indices_in_words, place_of

NAMES_SHOWN: Final = 20
FEWEST_LAYERS: Final = 4
"""Fewer layers than this make no pattern from which one could be odd."""
MOST_ODD: Final = 3


class Account(Struct, frozen=True):
    """What an adapter adds up to. expected: parameters that its config trains; None where that is not known.

    unchecked: settings that could not be worked out, each in words.
    """

    lines: tuple[Line, ...]
    evidence: tuple[Finding, ...]
    expected: int | None
    unchecked: tuple[str, ...]


class _Met(Struct, frozen=True):
    """Stored tensors beside what is expected of them, None where nothing is."""

    key: str
    part: Stored
    boxes: Boxes
    expected: Expected | None


def kind_of(values: Mapping[str, Any], families: Families) -> str:
    """The adapter's method in small letters: by its config, else by its names."""
    kind = values.get("peft_type")
    return kind.lower() if isinstance(kind, str) and kind else adapter_kind(families) or "adapter"


def account(values: Mapping[str, Any], families: Families, base: Base | None, *, whole: bool = True) -> Account:
    """Every tensor of an adapter beside what its config asks for, of its base where there is one.

    whole: absent tensors are missing; where a file could not be read their loss is told already.
    """
    method = kind_of(values, families)
    alone = base is None or (base.families > 0 and not base.covered)
    unknown = [] if base is None else unknown_modules(families, base)
    plan = plan_alone(method, values, families)
    if base is not None and not alone:
        strange = tuple(one for one in plan.expected if one.module in unknown)
        plan = plan_with(base, method, values, families)
        plan = replace(plan, expected=(*plan.expected, *strange))
    expected: dict[str, list[Expected]] = {}
    for one in plan.expected:
        expected.setdefault(one.key, []).append(one)
    met = [
        one
        for key, family in families.items()
        for part in family.stored
        for one in _meet(key, part, expected.get(key, ()))
    ]
    evidence = [_adapter(method, values, families)]
    if base is not None and unknown:
        evidence.append(_unknown(base, unknown, families))
    known = None if alone else base
    evidence.extend(_findings(values, plan, met, known, whole=whole, named=not unknown))
    if alone and whole:
        evidence.extend(_unnamed(values, families))
        evidence.extend(_odd_layers(values, families))
    unchecked = () if alone else plan.unclear
    if base is not None and unknown:
        unchecked = (*unchecked, f"names that the card of {base.name} does not have: {family_name(unknown[0])}")
    total = None if alone or unchecked else expected_parameters(plan, families)
    trained = _Trained(values)
    return Account(tuple(_line(one, alone, trained) for one in met), tuple(evidence), total, unchecked)


# --- laying side by side ---


def _meet(key: str, part: Stored, expected: Sequence[Expected]) -> Iterator[_Met]:
    left: Boxes = part.boxes
    for one in expected:
        hit = joined(met for box in left for want in one.boxes if (met := _common(box, want)) is not None)
        if hit:
            yield _Met(key, part, hit, one)
            for box in hit:
                left = less(left, box)
    if left:
        yield _Met(key, part, left, None)


def _common(one: Box, other: Box) -> Box | None:
    return common(one, other) if len(one) == len(other) else None


class _Trained:
    """Which of the base's own tensors the config says were trained, by their names alone."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._settings = Targets(values)
        self._biases = values.get("bias") not in (None, "none")

    def holds(self, met: _Met) -> bool:
        """Whether a tensor of the base is the adapter's to count."""
        if self._biases and met.key.endswith(".bias"):
            return True
        name = base_name(met.key)
        return bool(self._settings.saved(name.rpartition(".")[0], met.boxes[0]))


def _line(met: _Met, alone: bool, trained: _Trained) -> Line:
    expected, tensors, layout = met.expected, count(met.boxes), met.part.layout
    kind, component, role = ledger.PARAMETER, "", "adapter"
    if expected is not None:
        kind, component, role = expected.kind, expected.component, expected.role
    elif met.key.startswith(("base_model.vera_A", "base_model.vera_B")):
        kind, role = ledger.BUFFER, "adapter projection"
    elif tuner_name(met.key) is None and met.key != PROMPT and not trained.holds(met):
        copied = alone or f"{BASE_LAYER}." in met.key
        kind, role = (ledger.EXTRA, "base") if copied else (ledger.UNEXPLAINED, "unexplained")
        component = "base" if copied else ""
    elements = layout.elements * tensors
    counted = elements if kind in (ledger.PARAMETER, ledger.EXTRA) else 0
    return Line(met.key, role, kind, layout, met.boxes, tensors, elements, counted, component)


# --- what is to be said ---


def _adapter(method: str, values: Mapping[str, Any], families: Families) -> Finding:
    base = values.get("base_model_name_or_path")
    return Adapter(
        type=method,
        base=base if isinstance(base, str) and base else None,
        rank=values.get("r"),
        tensors=sum(family.tensors for family in families.values()),
    )


def _findings(
    values: Mapping[str, Any], plan: Plan, met: Sequence[_Met], base: Base | None, *, whole: bool, named: bool
) -> Iterator[Finding]:
    misfits = [one for one in met if one.expected is not None and one.expected.checked and not _fits(one)]
    absent = list(_absent(plan, met)) if whole else []
    ranks = [one for one in misfits if _only_rank(one)]
    words = [one for one in misfits if one not in ranks and _only_vocabulary(one)]
    shapes = [one for one in misfits if one not in ranks and one not in words and base is not None]
    strays = [] if base is None else [one for one in met if one.expected is None and _is_stray(one, plan, base)]
    if base is not None and _is_of_another(met, shapes, absent, strays):
        yield _strange(base, _tensors(shapes), _tensors(met), shapes, absent[0][0] if absent else None)
        return
    yield from _ranks(values, ranks, met)
    yield from _vocabulary(words)
    for one in shapes:
        assert one.expected is not None and base is not None
        yield AdapterShapeDiffers(
            place=place_of(one.key, one.boxes),
            stored=one.part.layout.shape,
            expected=one.expected.shape,
            tensors=count(one.boxes),
            module=one.expected.module,
            base=base.name,
        )
    yield from _halves(absent, met)
    if named:
        yield from _targets_missing(absent, met, base)
    yield from _strays(strays, base)


def _strays(strays: Sequence[_Met], base: Base | None) -> Iterator[Finding]:
    """Tensors without a place, one finding for each module at the same indices."""
    modules: dict[tuple[str, Boxes], list[_Met]] = {}
    for one in strays:
        modules.setdefault((_module(one.key), one.boxes), []).append(one)
    for (module, boxes), members in modules.items():
        place = place_of(module, boxes) if axes_of(module) == len(boxes[0]) else place_of(members[0].key, boxes)
        yield AdapterModuleUnexpected(
            place=place,
            module=module,
            tensors=_tensors(members),
            elements=sum(one.part.layout.elements * count(one.boxes) for one in members),
            known=base is not None and any(tensor.module == module for tensor in base.tensors),
        )


def _fits(met: _Met) -> bool:
    return met.expected is not None and met.expected.fits(met.part.layout.shape)


def _is_stray(met: _Met, plan: Plan, base: Base) -> bool:
    """Whether tensors are known to have no place: the base has the module, and not there or not as a target."""
    if plan.unclear or met.key == PROMPT or met.key.startswith("base_model.vera_"):
        return False
    return any(tensor.module == _module(met.key) for tensor in base.tensors)


def _module(key: str) -> str:
    """The base's own name of what a tensor belongs to."""
    found = tuner_name(key)
    return found.module if found is not None else base_name(key).rpartition(".")[0]


def unknown_modules(families: Families, base: Base) -> list[str]:
    """Modules of an adapter that the card of its base has under no such name.

    The base may have them all the same: what a model is called in memory is not always what its files say, and
    only files are known of many types.
    """
    known = {tensor.module for tensor in base.tensors}
    modules = (_module(key) for key in families if not key.startswith("base_model.vera_") and key != PROMPT)
    return [one for one in dict.fromkeys(modules) if one not in known]


def _only_rank(met: _Met) -> bool:
    """Whether a shape is as expected but for the rank."""
    expected, shape = met.expected, met.part.layout.shape
    if expected is None or expected.rank_axis is None:
        return False
    axis = expected.rank_axis
    return any(
        len(one) == len(shape)
        and all(at == axis or want in (None, have) for at, (want, have) in enumerate(zip(one, shape, strict=True)))
        for one in (expected.shape, *expected.others)
    )


def _only_vocabulary(met: _Met) -> bool:
    """Whether a shape is as expected but for the number of words, as after resizing the base's embeddings."""
    expected, shape = met.expected, met.part.layout.shape
    if expected is None or expected.vocabulary is None or len(shape) != len(expected.shape):
        return False
    return all(
        at == expected.vocabulary or want in (None, have)
        for at, (want, have) in enumerate(zip(expected.shape, shape, strict=True))
    )


def _tensors(met: Sequence[_Met]) -> int:
    return sum(count(one.boxes) for one in met)


def _is_of_another(
    met: Sequence[_Met], shapes: Sequence[_Met], absent: Sequence[tuple[Expected, Boxes]], strays: Sequence[_Met]
) -> bool:
    """Whether so little fits that the base is not the adapter's: one cause for all differences.

    A matrix of the residual width fits by luck where only heads or layers differ: more misfits than fits.
    """
    paired = [one for one in met if one.expected is not None and one.expected.kind == ledger.PARAMETER]
    fitting = _tensors(paired) - _tensors(shapes)
    return len({one.key for one in shapes}) > 1 and _tensors(shapes) > fitting


def _unknown(base: Base, modules: Sequence[str], families: Families) -> Finding:
    """That names are not the card's: what stands there is not checked against the base."""
    return AdapterNamesUnknown(
        base=base.name,
        names=tuple(family_name(one) for one in modules[:NAMES_SHOWN]),
        modules=len(modules),
        of=len({_module(key) for key in families}),
    )


def _strange(base: Base, misfits: int, of: int, shapes: Sequence[_Met], absent: Expected | None) -> Finding:
    example: ShapeExample | None = None
    if shapes and shapes[0].expected is not None:
        first = shapes[0].expected
        place = place_of(shapes[0].key, shapes[0].boxes)
        example = ShapeExample(place.tensor or place.family, shapes[0].part.layout.shape, first.shape)
    return AdapterBaseDiffers(base=base.name, source=base.source, tensors=misfits, of=of, example=example)


def _absent(plan: Plan, met: Sequence[_Met]) -> Iterator[tuple[Expected, Boxes]]:
    """What is required and not stored, by expectation."""
    stored: dict[int, list[Box]] = {}
    for one in met:
        if one.expected is not None:
            stored.setdefault(id(one.expected), []).extend(one.boxes)
    for expected in plan.expected:
        left = expected.boxes
        for box in stored.get(id(expected), ()):
            left = less(left, box)
        if left and expected.required:
            yield expected, left


def _present(key_module: str, met: Sequence[_Met]) -> dict[str, list[Box]]:
    """Tensors of a module, by key: where they are stored."""
    found: dict[str, list[Box]] = {}
    for one in met:
        if one.expected is not None and one.expected.module == key_module and one.expected.kind == ledger.PARAMETER:
            found.setdefault(one.key, []).extend(one.boxes)
    return found


def _halves(absent: Sequence[tuple[Expected, Boxes]], met: Sequence[_Met]) -> Iterator[Finding]:
    """Tensors that are absent where another one of the same module is there."""
    for key, boxes in _by_key(absent).items():
        expected = next(one for one, _ in absent if one.key == key)
        if tuner_name(key) is None:
            continue
        for beside, places in _beside(expected, met):
            hit = joined(found for box in boxes for one in places if (found := _common(box, one)) is not None)
            if hit:
                yield AdapterHalfMissing(
                    place=place_of(key, hit),
                    present=place_of(beside, hit).family,
                    tensors=count(hit),
                    of=count(joined(places)),
                    shape=expected.shape if None not in expected.shape else None,
                )
                break


def _beside(expected: Expected, met: Sequence[_Met]) -> Iterator[tuple[str, list[Box]]]:
    """The other tensors of a module's method, at the same depth of wrapping."""
    own = tuner_name(expected.key)
    for key, places in _present(expected.module, met).items():
        found = tuner_name(key)
        if found is not None and own is not None and found.depth == own.depth and key != expected.key:
            yield key, places


def _by_key(absent: Sequence[tuple[Expected, Boxes]]) -> dict[str, Boxes]:
    found: dict[str, Boxes] = {}
    for expected, boxes in absent:
        found[expected.key] = joined((*found.get(expected.key, ()), *boxes))
    return found


def _targets_missing(
    absent: Sequence[tuple[Expected, Boxes]], met: Sequence[_Met], base: Base | None
) -> Iterator[Finding]:
    """Modules of the base that the config names and of which nothing is stored, one finding for each."""
    told: dict[str, tuple[list[Box], int]] = {}
    for expected, boxes in absent:
        left = boxes
        if tuner_name(expected.key) is not None:
            for _, places in _beside(expected, met):
                for one in places:
                    left = less(left, one)
        if left:
            name = expected.module or expected.key
            known, tensors = told.setdefault(name, ([], 0))
            for box in left:
                fresh: Boxes = (box,)
                for one in known:
                    fresh = less(fresh, one)
                known.extend(fresh)
            told[name] = (known, tensors + count(left))
    for names, where in _together({name: joined(found) for name, (found, _) in told.items()}):
        tensors = sum(told[name][1] for name in names)
        prefix = names[0] if len(names) == 1 else f"{before_index(names[0])}#"
        place = place_of(prefix, where)
        yield AdapterTargetMissing(
            place=place,
            modules=tuple(name[len(prefix) :].lstrip(".") for name in names) if len(names) > 1 else (),
            count=count(where) * len(names),
            tensors=tensors,
            base=None if base is None else base.name,
        )


def _together(modules: Mapping[str, Boxes]) -> Iterator[tuple[list[str], Boxes]]:
    """Modules that lack the same layers, as one: a layer that was lost is one cause."""
    groups: dict[tuple[str, Boxes], list[str]] = {}
    for name, boxes in modules.items():
        prefix = before_index(name) if axes_of(name) == 1 else name
        groups.setdefault((prefix, boxes), []).append(name)
    for (_, boxes), names in groups.items():
        yield names, boxes


def _ranks(values: Mapping[str, Any], misfits: Sequence[_Met], met: Sequence[_Met]) -> Iterator[Finding]:
    """Ranks other than the config's: one finding where all modules share it, else one for each module."""
    pairs = {(_rank(one.expected), _stored_rank(one)) for one in misfits}
    ranked = [one for one in met if one.expected is not None and one.expected.rank_axis is not None]
    if len(pairs) == 1 and misfits and _tensors(misfits) == _tensors(ranked):
        wanted, stored = pairs.pop()
        yield AdapterRankDiffers(
            place=Place(file="adapter_config.json", key="r"),
            expected=wanted,
            stored=stored,
            tensors=_tensors(misfits),
            of=_tensors(ranked),
            key="r",
        )
        return
    modules: dict[tuple[str, Boxes, int | None, int], list[_Met]] = {}
    for one in misfits:
        modules.setdefault((_module(one.key), one.boxes, _rank(one.expected), _stored_rank(one)), []).append(one)
    for (module, boxes, wanted, stored), members in modules.items():
        keys = {one.key for one in members}
        by_module = len(members) > 1 and axes_of(module) == len(boxes[0])
        yield AdapterRankDiffers(
            place=place_of(module if by_module else members[0].key, boxes),
            expected=wanted,
            stored=stored,
            tensors=_tensors(members),
            of=_tensors([other for other in ranked if other.key in keys]),
            key=None,
        )


def _rank(expected: Expected | None) -> int | None:
    assert expected is not None and expected.rank_axis is not None
    return expected.shape[expected.rank_axis]


def _stored_rank(met: _Met) -> int:
    assert met.expected is not None and met.expected.rank_axis is not None
    return met.part.layout.shape[met.expected.rank_axis]


def _vocabulary(misfits: Sequence[_Met]) -> Iterator[Finding]:
    sizes = sorted({one.part.layout.shape[one.expected.vocabulary or 0] for one in misfits if one.expected is not None})
    if sizes:
        first = misfits[0].expected
        assert first is not None
        yield AdapterVocabularyDiffers(
            place=place_of(misfits[0].key, misfits[0].boxes),
            stored=tuple(sizes),
            expected=first.shape[first.vocabulary or 0],
            tensors=_tensors(misfits),
        )


# --- without a base ---


def _modules(families: Families) -> dict[str, Boxes]:
    """The modules that tuners changed, and where."""
    found: dict[str, list[Box]] = {}
    for key, family in families.items():
        name = tuner_name(key)
        if name is None or not name.module:
            continue
        known = found.setdefault(name.module, [])
        for part in family.stored:
            for box in part.boxes:
                fresh: Boxes = (box,)
                for one in known:
                    fresh = less(fresh, one)
                known.extend(fresh)
    return {module: joined(boxes) for module, boxes in found.items()}


def _unnamed(values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """Targets in the config's list that no tensor's name has."""
    listed, excluded = values.get("target_modules"), values.get("exclude_modules")
    if not isinstance(listed, list) or isinstance(excluded, str):
        return
    modules = _modules(families)
    absent = [
        one
        for one in dict.fromkeys(texts(listed))
        if one not in texts(excluded)
        and not any(Ends([one]).within(module, box) for module, boxes in modules.items() for box in boxes)
    ]
    if absent and modules:
        yield AdapterTargetUnnamed(
            place=Place(file="adapter_config.json", key="target_modules"),
            targets=tuple(absent[:NAMES_SHOWN]),
            count=len(absent),
            of=len(listed),
        )


def _odd_layers(values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """Modules that a few inner layers lack and all others have."""
    if values.get("layers_to_transform") is not None or values.get("exclude_modules"):
        return
    listed = values.get("target_modules")
    if isinstance(listed, list) and any("." in one for one in texts(listed)):
        return
    modules = {module: boxes for module, boxes in _modules(families).items() if axes_of(module) == 1}
    extents: dict[str, Span] = {}
    for module, boxes in modules.items():
        prefix = before_index(module)
        for box in boxes:
            extents[prefix] = extents.get(prefix, Span()) | box[0]
    for module, boxes in modules.items():
        whole = extents[before_index(module)]
        missing: Boxes = ((whole,),)
        for box in boxes:
            missing = less(missing, box)
        absent, there = count(missing), count(boxes)
        edges = {whole.first, whole.last}
        if not absent or there < FEWEST_LAYERS or absent > min(MOST_ODD, there // FEWEST_LAYERS):
            continue
        if any(edges & set(box[0]) for box in missing):
            continue
        yield AdapterLayerOdd(
            place=place_of(module, missing),
            module=place_of(module, missing).family,
            modules=absent,
            agreeing=there,
            siblings=whole.size,
            layers=indices_in_words(module, missing),
            confidence="likely",
        )
