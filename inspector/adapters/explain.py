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
    findings: tuple[Finding, ...]
    expected: int | None
    unchecked: tuple[str, ...]


class _Matched(Struct, frozen=True):
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

    whole: absent tensors are missing; where a file could not be read their loss is reported already.
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
    matched = [
        one
        for key, family in families.items()
        for part in family.stored
        for one in _meet(key, part, expected.get(key, ()))
    ]
    findings = [_adapter(method, values, families)]
    if base is not None and unknown:
        findings.append(_unknown(base, unknown, families))
    known = None if alone else base
    findings.extend(_findings(values, plan, matched, known, whole=whole, named=not unknown))
    if alone and whole:
        findings.extend(_unnamed(values, families))
        findings.extend(_odd_layers(values, families))
    unchecked = () if alone else plan.unclear
    if base is not None and unknown:
        unchecked = (*unchecked, f"names that the definition of {base.name} does not have: {family_name(unknown[0])}")
    total = None if alone or unchecked else expected_parameters(plan, families)
    trained = _Trained(values)
    return Account(tuple(_line(one, alone, trained) for one in matched), tuple(findings), total, unchecked)


# --- laying side by side ---


def _meet(key: str, part: Stored, expected: Sequence[Expected]) -> Iterator[_Matched]:
    left: Boxes = part.boxes
    for one in expected:
        hit = joined(matched for box in left for want in one.boxes if (matched := _common(box, want)) is not None)
        if hit:
            yield _Matched(key, part, hit, one)
            for box in hit:
                left = less(left, box)
    if left:
        yield _Matched(key, part, left, None)


def _common(one: Box, other: Box) -> Box | None:
    return common(one, other) if len(one) == len(other) else None


class _Trained:
    """Which of the base's own tensors the config says were trained, by their names alone."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._settings = Targets(values)
        self._biases = values.get("bias") not in (None, "none")

    def holds(self, matched: _Matched) -> bool:
        """Whether a tensor of the base is the adapter's to count."""
        if self._biases and matched.key.endswith(".bias"):
            return True
        name = base_name(matched.key)
        return bool(self._settings.saved(name.rpartition(".")[0], matched.boxes[0]))


def _line(matched: _Matched, alone: bool, trained: _Trained) -> Line:
    expected, tensors, layout = matched.expected, count(matched.boxes), matched.part.layout
    kind, component, role = ledger.PARAMETER, "", "adapter"
    if expected is not None:
        kind, component, role = expected.kind, expected.component, expected.role
    elif matched.key.startswith(("base_model.vera_A", "base_model.vera_B")):
        kind, role = ledger.BUFFER, "adapter projection"
    elif tuner_name(matched.key) is None and matched.key != PROMPT and not trained.holds(matched):
        copied = alone or f"{BASE_LAYER}." in matched.key
        kind, role = (ledger.EXTRA, "base") if copied else (ledger.UNEXPLAINED, "unexplained")
        component = "base" if copied else ""
    elements = layout.elements * tensors
    counted = elements if kind in (ledger.PARAMETER, ledger.EXTRA) else 0
    return Line(matched.key, role, kind, layout, matched.boxes, tensors, elements, counted, component)


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
    values: Mapping[str, Any], plan: Plan, matched: Sequence[_Matched], base: Base | None, *, whole: bool, named: bool
) -> Iterator[Finding]:
    mismatched = [one for one in matched if one.expected is not None and one.expected.checked and not _fits(one)]
    absent = list(_absent(plan, matched)) if whole else []
    ranks = [one for one in mismatched if _only_rank(one)]
    words = [one for one in mismatched if one not in ranks and _only_vocabulary(one)]
    shapes = [one for one in mismatched if one not in ranks and one not in words and base is not None]
    unexpected = [] if base is None else [one for one in matched if one.expected is None and _is_extra(one, plan, base)]
    if base is not None and _is_of_another(matched, shapes, absent, unexpected):
        yield _strange(base, _tensors(shapes), _tensors(matched), shapes, absent[0][0] if absent else None)
        return
    yield from _ranks(values, ranks, matched)
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
    yield from _halves(absent, matched)
    if named:
        yield from _targets_missing(absent, matched, base)
    yield from _unexpected(unexpected, base)


def _unexpected(unexpected: Sequence[_Matched], base: Base | None) -> Iterator[Finding]:
    """Tensors without a place, one finding for each module at the same indices."""
    modules: dict[tuple[str, Boxes], list[_Matched]] = {}
    for one in unexpected:
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


def _fits(matched: _Matched) -> bool:
    return matched.expected is not None and matched.expected.fits(matched.part.layout.shape)


def _is_extra(matched: _Matched, plan: Plan, base: Base) -> bool:
    """Whether tensors are known to have no place: the base has the module, and not there or not as a target."""
    if plan.unclear or matched.key == PROMPT or matched.key.startswith("base_model.vera_"):
        return False
    return any(tensor.module == _module(matched.key) for tensor in base.tensors)


def _module(key: str) -> str:
    """The base's own name of what a tensor belongs to."""
    found = tuner_name(key)
    return found.module if found is not None else base_name(key).rpartition(".")[0]


def unknown_modules(families: Families, base: Base) -> list[str]:
    """Modules of an adapter that the definition of its base has under no such name.

    The base may have them all the same: what a model is called in memory is not always what its files say, and
    only files are known of many types.
    """
    known = {tensor.module for tensor in base.tensors}
    modules = (_module(key) for key in families if not key.startswith("base_model.vera_") and key != PROMPT)
    return [one for one in dict.fromkeys(modules) if one not in known]


def _only_rank(matched: _Matched) -> bool:
    """Whether a shape is as expected but for the rank."""
    expected, shape = matched.expected, matched.part.layout.shape
    if expected is None or expected.rank_axis is None:
        return False
    axis = expected.rank_axis
    return any(
        len(one) == len(shape)
        and all(at == axis or want in (None, have) for at, (want, have) in enumerate(zip(one, shape, strict=True)))
        for one in (expected.shape, *expected.others)
    )


def _only_vocabulary(matched: _Matched) -> bool:
    """Whether a shape is as expected but for the number of words, as after resizing the base's embeddings."""
    expected, shape = matched.expected, matched.part.layout.shape
    if expected is None or expected.vocabulary is None or len(shape) != len(expected.shape):
        return False
    return all(
        at == expected.vocabulary or want in (None, have)
        for at, (want, have) in enumerate(zip(expected.shape, shape, strict=True))
    )


def _tensors(matched: Sequence[_Matched]) -> int:
    return sum(count(one.boxes) for one in matched)


def _is_of_another(
    matched: Sequence[_Matched],
    shapes: Sequence[_Matched],
    absent: Sequence[tuple[Expected, Boxes]],
    unexpected: Sequence[_Matched],
) -> bool:
    """Whether so little fits that the base is not the adapter's: one cause for all differences.

    A matrix of the residual width fits by luck where only heads or layers differ: more mismatched tensors than fits.
    """
    paired = [one for one in matched if one.expected is not None and one.expected.kind == ledger.PARAMETER]
    fitting = _tensors(paired) - _tensors(shapes)
    return len({one.key for one in shapes}) > 1 and _tensors(shapes) > fitting


def _unknown(base: Base, modules: Sequence[str], families: Families) -> Finding:
    """That names are not the definition's: what is there is not checked against the base."""
    return AdapterNamesUnknown(
        base=base.name,
        names=tuple(family_name(one) for one in modules[:NAMES_SHOWN]),
        modules=len(modules),
        of=len({_module(key) for key in families}),
    )


def _strange(base: Base, mismatched: int, of: int, shapes: Sequence[_Matched], absent: Expected | None) -> Finding:
    example: ShapeExample | None = None
    if shapes and shapes[0].expected is not None:
        first = shapes[0].expected
        place = place_of(shapes[0].key, shapes[0].boxes)
        example = ShapeExample(place.tensor or place.family, shapes[0].part.layout.shape, first.shape)
    return AdapterBaseDiffers(base=base.name, source=base.source, tensors=mismatched, of=of, example=example)


def _absent(plan: Plan, matched: Sequence[_Matched]) -> Iterator[tuple[Expected, Boxes]]:
    """What is required and not stored, by expectation."""
    stored: dict[int, list[Box]] = {}
    for one in matched:
        if one.expected is not None:
            stored.setdefault(id(one.expected), []).extend(one.boxes)
    for expected in plan.expected:
        left = expected.boxes
        for box in stored.get(id(expected), ()):
            left = less(left, box)
        if left and expected.required:
            yield expected, left


def _present(key_module: str, matched: Sequence[_Matched]) -> dict[str, list[Box]]:
    """Tensors of a module, by key: where they are stored."""
    found: dict[str, list[Box]] = {}
    for one in matched:
        if one.expected is not None and one.expected.module == key_module and one.expected.kind == ledger.PARAMETER:
            found.setdefault(one.key, []).extend(one.boxes)
    return found


def _halves(absent: Sequence[tuple[Expected, Boxes]], matched: Sequence[_Matched]) -> Iterator[Finding]:
    """Tensors that are absent where another one of the same module is there."""
    for key, boxes in _by_key(absent).items():
        expected = next(one for one, _ in absent if one.key == key)
        if tuner_name(key) is None:
            continue
        for beside, places in _beside(expected, matched):
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


def _beside(expected: Expected, matched: Sequence[_Matched]) -> Iterator[tuple[str, list[Box]]]:
    """The other tensors of a module's method, at the same depth of wrapping."""
    own = tuner_name(expected.key)
    for key, places in _present(expected.module, matched).items():
        found = tuner_name(key)
        if found is not None and own is not None and found.depth == own.depth and key != expected.key:
            yield key, places


def _by_key(absent: Sequence[tuple[Expected, Boxes]]) -> dict[str, Boxes]:
    found: dict[str, Boxes] = {}
    for expected, boxes in absent:
        found[expected.key] = joined((*found.get(expected.key, ()), *boxes))
    return found


def _targets_missing(
    absent: Sequence[tuple[Expected, Boxes]], matched: Sequence[_Matched], base: Base | None
) -> Iterator[Finding]:
    """Modules of the base that the config names and of which nothing is stored, one finding for each."""
    reported: dict[str, tuple[list[Box], int]] = {}
    for expected, boxes in absent:
        left = boxes
        if tuner_name(expected.key) is not None:
            for _, places in _beside(expected, matched):
                for one in places:
                    left = less(left, one)
        if left:
            name = expected.module or expected.key
            known, tensors = reported.setdefault(name, ([], 0))
            for box in left:
                fresh: Boxes = (box,)
                for one in known:
                    fresh = less(fresh, one)
                known.extend(fresh)
            reported[name] = (known, tensors + count(left))
    for names, where in _together({name: joined(found) for name, (found, _) in reported.items()}):
        tensors = sum(reported[name][1] for name in names)
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


def _ranks(values: Mapping[str, Any], mismatched: Sequence[_Matched], matched: Sequence[_Matched]) -> Iterator[Finding]:
    """Ranks other than the config's: one finding where all modules share it, else one for each module."""
    pairs = {(_rank(one.expected), _stored_rank(one)) for one in mismatched}
    ranked = [one for one in matched if one.expected is not None and one.expected.rank_axis is not None]
    if len(pairs) == 1 and mismatched and _tensors(mismatched) == _tensors(ranked):
        wanted, stored = pairs.pop()
        yield AdapterRankDiffers(
            place=Place(file="adapter_config.json", key="r"),
            expected=wanted,
            stored=stored,
            tensors=_tensors(mismatched),
            of=_tensors(ranked),
            key="r",
        )
        return
    modules: dict[tuple[str, Boxes, int | None, int], list[_Matched]] = {}
    for one in mismatched:
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


def _stored_rank(matched: _Matched) -> int:
    assert matched.expected is not None and matched.expected.rank_axis is not None
    return matched.part.layout.shape[matched.expected.rank_axis]


def _vocabulary(mismatched: Sequence[_Matched]) -> Iterator[Finding]:
    sizes = sorted(
        {one.part.layout.shape[one.expected.vocabulary or 0] for one in mismatched if one.expected is not None}
    )
    if sizes:
        first = mismatched[0].expected
        assert first is not None
        yield AdapterVocabularyDiffers(
            place=place_of(mismatched[0].key, mismatched[0].boxes),
            stored=tuple(sizes),
            expected=first.shape[first.vocabulary or 0],
            tensors=_tensors(mismatched),
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
