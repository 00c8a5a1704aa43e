"""What a reconciliation shows, as evidence: causes first, then what no cause explains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspector.algebra.boxes import Box, count, less, within
from inspector.algebra.expression import show
from inspector.evidence import Evidence, Fact, Place
from inspector.matcher.spelling import WRAPPERS
from inspector.notation.binding import Block, scope_of
from inspector.notation.roles import DISPUTED
from inspector.notation.scope import CardScope
from inspector.reconciler import ledger
from inspector.reconciler.placing import Gap, Placed, Stray
from inspector.reconciler.reconciling import Reconciled
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name


def judge(case: Reconciled) -> Iterator[Evidence]:
    """Everything worth telling about names, shapes, ties and parts of one reconciliation."""
    confidence = "likely" if case.solved else "certain"
    yield from _names(case)
    yield from _causes(case)
    yield from _impossible(case)
    yield from _shapes(case, confidence)
    yield from _absent_and_unexpected(case, confidence)
    yield from _ties(case)
    yield from _components(case)


def _names(case: Reconciled) -> Iterator[Evidence]:
    reading, claim = case.reading, case.claim
    if reading.prefix:
        inner = reading.prefix.removeprefix("*")
        whose = WRAPPERS.get(inner, "")
        known = case.reading.by_names and not whose
        tensors = sum(family.tensors for family in reading.families.values())
        yield Evidence(
            "names-below-prefix" if known else "prefix-on-names",
            Place(),
            {"prefix": inner, "inside": reading.prefix.startswith("*"), "from": whose, "tensors": tensors},
        )
    if claim.card is not None and claim.card is not reading.card:
        yield Evidence(
            "names-of-another-architecture",
            Place(key="model_type"),
            {
                "claimed": claim.model_type or claim.card.names[0],
                "names": reading.name,
                "class": claim.class_name,
                "coverage": round(reading.coverage, 3),
            },
        )
    elif reading.by_names:
        yield Evidence(
            "architecture-from-names",
            Place(),
            {"architecture": reading.name, "twins": list(reading.twins), "head": _head_name(case)},
            "likely",
        )
    dialect = case.corrected.spelling.dialect
    if dialect:
        writers = reading.card.writers
        yield Evidence(
            "names-in-dialect",
            Place(),
            {"writer": writers[dialect] if dialect < len(writers) else "", "example": _example(case)},
        )
    named = reading.match.head
    if claim.head is not None and claim.card is reading.card and named.root != claim.head.root:
        yield Evidence(
            "names-of-base-model",
            Place(),
            {
                "class": claim.class_name,
                "names": reading.name + _suffix(named.names),
                "prefix": claim.head.root,
                "stored_prefix": named.root,
            },
        )


def _head_name(case: Reconciled) -> str:
    return _suffix(case.head.names)


def _suffix(names: tuple[str, ...]) -> str:
    return names[0] if names and names[0] else ""


def _example(case: Reconciled) -> str:
    return next((place_name(one.block.key, one.boxes) for one in case.placement.placed), "")


def _causes(case: Reconciled) -> Iterator[Evidence]:
    for cause in case.causes:
        yield Evidence(
            "config-disagrees",
            Place(key=cause.key),
            {
                "key": cause.key,
                "config": cause.config,
                "weights": cause.weights,
                "default": cause.defaulted,
                "explains": cause.explains,
                "agreeing": cause.agreeing,
                "families": [family_name(key) for key in cause.families[:20]],
                "rivals": [{"key": key, "weights": value} for key, value in cause.rivals],
                "lost": indices_in_words(*cause.lost) if cause.lost else None,
            },
            "likely" if cause.defaulted else "certain",
        )


def _impossible(case: Reconciled) -> Iterator[Evidence]:
    if case.solved:
        return  # without a config nothing in it can be impossible
    caused = {cause.key for cause in case.causes}
    for scope in _scopes(case.plan.scope):
        told: set[tuple[str, ...]] = set()
        for fault in scope.faults:
            if fault.keys in told or caused & set(fault.keys):
                continue
            told.add(fault.keys)
            yield Evidence(
                "config-impossible",
                Place(key=fault.keys[0] if fault.keys else None),
                {"expression": fault.expression, "detail": fault.detail, "keys": list(fault.keys), "kind": fault.kind},
            )


def _scopes(scope: CardScope) -> Iterator[CardScope]:
    yield scope
    for below in scope.grafts.values():
        yield from _scopes(below)


def _shapes(case: Reconciled, confidence: str) -> Iterator[Evidence]:
    misfits = case.placement.misfits
    turned = [one for one in misfits if _is_transposed(one)]
    if len(turned) > 1:
        yield _transposed(case, turned, confidence)
    for one in misfits:
        if _is_transposed(one):
            if len(turned) == 1:
                yield _transposed(case, turned, confidence)
            continue
        block = one.block
        facts = _shape_facts(case, one)
        siblings = sum(other.tensors for other in case.placement.placed if other.block.key == block.key and other.fits)
        facts |= {
            "tensors": one.tensors,
            "others": siblings,
            "others_where": indices_in_words(block.key, _fitting(case, block.key)),
        }
        yield Evidence("shape-differs", _place(block.key, one.boxes), facts, confidence)


def _is_transposed(one: Placed) -> bool:
    stored, expected = one.layout.shape, one.block.shape
    return len(stored) == 2 and stored == tuple(reversed(expected))


def _transposed(case: Reconciled, turned: Sequence[Placed], confidence: str) -> Evidence:
    first = turned[0]
    return Evidence(
        "stored-transposed",
        _place(first.block.key, first.boxes) if len(turned) == 1 else Place(),
        {
            **_shape_facts(case, first),
            "families": [family_name(one.block.key) for one in turned[:20]],
            "tensors": sum(one.tensors for one in turned),
        },
        confidence,
    )


def _fitting(case: Reconciled, key: str) -> list[Box]:
    return [box for one in case.placement.placed if one.block.key == key and one.fits for box in one.boxes]


def _shape_facts(case: Reconciled, one: Placed) -> dict[str, Fact]:
    slot = one.block.slot
    scope = scope_of(case.corrected.scope, slot)
    symbols: dict[str, None] = {}
    from inspector.algebra.expression import words

    for node in slot.dims:
        for path in words(node):
            symbols[".".join(path)] = None
    return {
        "stored": list(one.layout.shape),
        "expected": list(one.block.shape),
        "dims": [show(node) for node in slot.dims],
        "because": [f"{name} = {scope.because(name)}" for name in symbols if "." not in name],
        "role": slot.role,
        "dtype": one.layout.dtype,
    }


def _place(key: str, boxes: Sequence[Box]) -> Place:
    name = place_name(key, boxes)
    single = count(boxes) == 1
    return Place(
        tensor=name if single else None,
        family=family_name(key),
        indices=indices_in_words(key, boxes) or None,
    )


@dataclass(slots=True)
class _Open:
    """A gap or stray while causes take parts of it away."""

    key: str
    boxes: tuple[Box, ...]
    block: Block | None = None
    stray: Stray | None = None

    @property
    def tensors(self) -> int:
        return count(self.boxes)


def _absent_and_unexpected(case: Reconciled, confidence: str) -> Iterator[Evidence]:
    gaps = [_Open(gap.block.key, gap.boxes, block=gap.block) for gap in case.placement.gaps]
    unexplained = {line.family for line in case.ledger.lines if line.kind == ledger.UNEXPLAINED}
    strays = [_Open(stray.key, stray.boxes, stray=stray) for stray in case.placement.strays if stray.key in unexplained]
    yield from _renamed(gaps, strays)
    yield from _head_missing(case, gaps)
    yield from _whole(case, gaps, confidence)
    yield from _missing(gaps, confidence)
    yield from _unexpected(case, strays)


def _head_missing(case: Reconciled, gaps: list[_Open]) -> Iterator[Evidence]:
    """An untied head that is not there: its own finding, for loaders run it with random numbers."""
    for gap in list(gaps):
        block = gap.block
        if block is None or not block.slot.tied or not block.slot.tied.startswith("role:embed"):
            continue
        gaps.remove(gap)
        key = case.reading.card.ties.split("|")[0].strip()
        yield Evidence(
            "head-missing",
            _place(gap.key, gap.boxes),
            {
                "shape": list(block.shape),
                "parameters": (block.elements or 0) * gap.tensors,
                "ties": case.reading.card.ties,
                "tie": case.corrected.scope.because(key) if key not in ("true", "false") else key,
                "default": key in case.corrected.scope.defaulted,
            },
            "likely" if key in case.corrected.scope.defaulted else "certain",
        )


ALIKE = 0.5
"""Names less alike than this are not taken for a renaming."""


def _renamed(gaps: list[_Open], strays: list[_Open]) -> Iterator[Evidence]:
    """A missing and an unexpected family of the same places and shapes are one renaming."""
    if not gaps or not strays:
        return
    from difflib import SequenceMatcher

    pairs: list[tuple[float, _Open, _Open]] = []
    for gap in gaps:
        for stray in strays:
            assert gap.block is not None and stray.stray is not None
            if gap.boxes == stray.boxes and gap.block.shape == stray.stray.layout.shape:
                alike = SequenceMatcher(None, gap.key, stray.key).ratio()
                if alike >= ALIKE:
                    pairs.append((alike, gap, stray))
    for _, gap, stray in sorted(pairs, key=lambda pair: -pair[0]):
        if gap not in gaps or stray not in strays:
            continue
        gaps.remove(gap)
        strays.remove(stray)
        assert gap.block is not None
        yield Evidence(
            "tensor-renamed",
            _place(gap.key, gap.boxes),
            {
                "stored": place_name(stray.key, stray.boxes),
                "expected": place_name(gap.key, gap.boxes),
                "tensors": gap.tensors,
                "shape": list(gap.block.shape),
                "role": gap.block.slot.role,
            },
            "likely",
        )


def _whole(case: Reconciled, gaps: list[_Open], confidence: str) -> Iterator[Evidence]:
    """Whole layers or experts: every family below a numbered prefix misses the same indices."""
    required = [block for block in case.corrected.blocks if block.required and block.tie is None]
    for prefix in sorted({prefix for gap in gaps for prefix in _prefixes(gap.key)}, key=len):
        axes = prefix.split(".").count("#")
        below = [block for block in required if block.key.startswith(f"{prefix}.")]
        if len(below) < 2:
            continue
        whole = _missing_everywhere(below, gaps, axes)
        if not whole:
            continue
        tensors = parameters = 0
        for gap in gaps:
            if not gap.key.startswith(f"{prefix}.") or gap.block is None:
                continue
            taken = [piece for box in whole for piece in within(gap.boxes, (*box, *gap.block.axes[axes:]))]
            tensors += count(taken)
            parameters += count(taken) * (gap.block.elements or 0)
            for piece in taken:
                gap.boxes = less(gap.boxes, piece)
        yield Evidence(
            "layers-missing",
            Place(family=family_name(prefix), indices=indices_in_words(prefix, whole)),
            {
                "what": indices_in_words(prefix, whole),
                "tensors": tensors,
                "parameters": parameters,
                "families": len(below),
                "present": indices_in_words(prefix, _present(case, prefix, axes)),
            },
            confidence,
        )
    gaps[:] = [gap for gap in gaps if gap.boxes]


def _prefixes(key: str) -> Iterator[str]:
    segments = key.split(".")
    for position, segment in enumerate(segments[:-1]):
        if segment == "#":
            yield ".".join(segments[: position + 1])


def _missing_everywhere(below: Sequence[Block], gaps: Iterable[_Open], axes: int) -> tuple[Box, ...]:
    by_block = {id(gap.block): gap for gap in gaps if gap.block is not None}
    first = next((by_block[id(block)] for block in below if id(block) in by_block), None)
    if first is None or first.block is None:
        return ()
    missing = _full(first, axes)
    for block in below:
        gap = by_block.get(id(block))
        kept: list[Box] = []
        for box in missing:
            kept.extend(less((box,), block.axes[:axes]))
            for full in _full(gap, axes) if gap is not None else ():
                kept.extend(within(within((box,), block.axes[:axes]), full))
        missing = tuple(kept)
        if not missing:
            return ()
    return missing


def _full(gap: _Open, axes: int) -> tuple[Box, ...]:
    """The leading indices at which a gap takes everything below."""
    assert gap.block is not None
    inner = gap.block.axes[axes:]
    return tuple(
        box[:axes]
        for box in gap.boxes
        if all(axis.size == whole.size for axis, whole in zip(box[axes:], inner, strict=True))
    )


def _present(case: Reconciled, prefix: str, axes: int) -> tuple[Box, ...]:
    if axes != 1:
        return ()
    from inspector.algebra.span import Span

    stored = Span()
    for one in case.placement.placed:
        if one.block.key.startswith(f"{prefix}."):
            for box in one.boxes:
                stored = stored | box[0]
    return ((stored,),) if stored else ()


def _missing(gaps: Sequence[_Open], confidence: str) -> Iterator[Evidence]:
    """What is left, a module at a time: weight and bias of one layer are one finding."""
    modules: dict[tuple[str, tuple[Box, ...]], list[_Open]] = {}
    for gap in gaps:
        assert gap.block is not None
        modules.setdefault((gap.block.slot.row, gap.boxes), []).append(gap)
    for members in modules.values():
        first = members[0]
        assert first.block is not None
        yield Evidence(
            "tensor-missing",
            _place(first.key, first.boxes),
            {
                "names": [name for gap in members for name in names_in(gap.key, gap.boxes, 5)][:20],
                "families": [family_name(gap.key) for gap in members],
                "tensors": sum(gap.tensors for gap in members),
                "parameters": sum(gap.tensors * (gap.block.elements or 0) for gap in members if gap.block),
                "shape": list(first.block.shape),
                "role": first.block.slot.role,
                "expected_tensors": first.block.tensors,
                "counted": first.block.slot.tensor.counted,
            },
            confidence,
        )


def _unexpected(case: Reconciled, strays: Sequence[_Open]) -> Iterator[Evidence]:
    """What no row expects: a whole unknown part as one finding, else a module at a time."""
    parts: dict[str, list[_Open]] = {}
    for stray in strays:
        parts.setdefault(_part_of(case, stray.key), []).append(stray)
    for prefix, members in parts.items():
        stored = [one.stray for one in members if one.stray is not None]
        elements = sum(one.layout.elements * one.tensors for one in stored)
        size = sum(one.layout.bytes * one.tensors for one in stored)
        facts: dict[str, Fact] = {
            "tensors": sum(one.tensors for one in members),
            "families": [family_name(one.key) for one in members[:20]],
            "elements": elements,
            "bytes": size,
            "shape": list(stored[0].layout.shape),
            "names": [name for one in members[:5] for name in names_in(one.key, one.boxes, 3)][:20],
        }
        if len(members) > 2 and prefix:
            yield Evidence("part-unexpected", Place(family=f"{family_name(prefix)}.*"), {**facts, "part": prefix})
        else:
            for one in members:
                assert one.stray is not None
                yield Evidence(
                    "tensor-unexpected",
                    _place(one.key, one.boxes),
                    {
                        "tensors": one.tensors,
                        "elements": one.stray.layout.elements * one.tensors,
                        "bytes": one.stray.layout.bytes * one.tensors,
                        "shape": list(one.stray.layout.shape),
                        "dtype": one.stray.layout.dtype,
                        "names": names_in(one.key, one.boxes),
                    },
                )


def _part_of(case: Reconciled, key: str) -> str:
    """The shortest prefix of a key below which the card knows nothing; '' for a lone tensor."""
    known = {block.key for block in case.corrected.blocks}
    segments = key.split(".")
    for length in range(1, len(segments)):
        prefix = ".".join(segments[:length])
        if not any(other.startswith(f"{prefix}.") for other in known):
            return prefix
    return ".".join(segments[:-1])


def _ties(case: Reconciled) -> Iterator[Evidence]:
    stored = {id(one.block.slot) for one in case.placement.placed}
    for block in case.corrected.blocks:
        if block.tie is None or block.slot.extra:
            continue
        present = id(block.slot) in stored
        target = id(block.tie) in stored
        if not block.slot.role.startswith("head") and not present:
            continue
        facts: dict[str, Fact] = {
            "role": block.slot.role,
            "with": block.tie.role,
            "shape": list(block.shape),
            "elements": block.elements,
            "solved": case.solved,
        }
        if present and target:
            yield Evidence("copy-stored", _place(block.key, (block.axes,)), facts)
        elif not present and target and block.required:
            yield Evidence("head-tied", _place(block.key, (block.axes,)), facts)


def _components(case: Reconciled) -> Iterator[Evidence]:
    parts: dict[str, list[ledger.Line]] = {}
    for line in case.ledger.lines:
        if line.kind == ledger.EXTRA:
            parts.setdefault(line.component, []).append(line)
    for component, lines in parts.items():
        yield Evidence(
            "component-extra",
            _place(lines[0].family, lines[0].boxes),
            {
                "component": component,
                "parameters": sum(line.parameters for line in lines),
                "bytes": sum(line.bytes for line in lines),
                "tensors": sum(line.tensors for line in lines),
                "families": [family_name(line.family) for line in lines[:20]],
                "class": case.claim.class_name,
            },
        )
    buffers = [line for line in case.ledger.lines if line.kind == ledger.BUFFER]
    if buffers:
        yield Evidence(
            "buffers-stored",
            _place(buffers[0].family, buffers[0].boxes),
            {
                "elements": sum(line.elements for line in buffers),
                "bytes": sum(line.bytes for line in buffers),
                "tensors": sum(line.tensors for line in buffers),
                "families": [family_name(line.family) for line in buffers[:20]],
                **_disputed(case, buffers),
            },
        )


def _disputed(case: Reconciled, buffers: Sequence[ledger.Line]) -> dict[str, Fact]:
    """Buffers that other writers count as parameters: the model's count with them."""
    own = [line for line in buffers if line.role in DISPUTED and not line.component]
    if not own:
        return {}
    elements = sum(line.elements for line in own)
    return {
        "disputed": own[0].role,
        "disputed_elements": elements,
        "with_disputed": case.ledger.counts.unique_parameters + elements,
    }


def gap_names(gap: Gap) -> list[str]:
    """The first names of a gap."""
    return names_in(gap.block.key, gap.boxes)
