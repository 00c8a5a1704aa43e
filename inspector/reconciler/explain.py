"""What a reconciliation shows, as evidence: causes first, then what no cause explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.algebra.boxes import Box, joined
from inspector.algebra.evaluation import whole
from inspector.algebra.expression import parse, show, words
from inspector.evidence import Evidence, Fact, Place
from inspector.matcher.spelling import WRAPPERS
from inspector.notation.binding import Block, scope_of
from inspector.notation.definition import PADDED
from inspector.notation.roles import DISPUTED
from inspector.notation.scope import CardScope
from inspector.reconciler import ledger
from inspector.reconciler.key_values import config_of
from inspector.reconciler.missing import absent_and_unexpected
from inspector.reconciler.place import Placed
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, indices_in_words, place_name, place_of


def judge(case: Reconciled) -> Iterator[Evidence]:
    """Everything worth telling about names, shapes, ties and parts of one reconciliation."""
    confidence = "likely" if case.solved else "certain"
    yield from _names(case)
    yield from _causes(case)
    yield from _impossible(case)
    yield from _shapes(case, confidence)
    yield from absent_and_unexpected(case, confidence)
    yield from _ties(case)
    yield from _components(case)
    yield from _declared(case)


def _names(case: Reconciled) -> Iterator[Evidence]:
    reading, claim = case.reading, case.claim
    if reading.prefix:
        inner = reading.prefix.removeprefix("*")
        whose = WRAPPERS.get(inner, "")
        tensors = sum(family.tensors for family in reading.families.values())
        most = not reading.part or 2 * reading.part > tensors
        known = case.reading.by_names and not whose and most
        yield Evidence(
            "names-below-prefix" if known else "prefix-on-names",
            Place(),
            {
                "prefix": inner,
                "inside": reading.prefix.startswith("*"),
                "from": whose,
                "tensors": reading.part or tensors,
                "without": tensors - reading.part if reading.part else 0,
            },
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
    if dialect or (reading.writer and reading.writer != claim.writer):
        writers = reading.card.writers
        writer = reading.writer or (writers[dialect] if dialect < len(writers) else "")
        yield Evidence("names-in-dialect", Place(), {"writer": writer, "example": _example(case)})
    yield from _padding(case)
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


def _padding(case: Reconciled) -> Iterator[Evidence]:
    """Rows beyond the vocabulary, where the writer rounds it up and the config says how many there are."""
    rows, vocabulary = (whole(case.corrected.scope.word((name,))) for name in (PADDED, "V"))
    if rows is None or vocabulary is None or rows <= vocabulary:
        return
    parts = [line for line in case.ledger.lines if line.role in ("embed.token", "head.token")]
    padded = [line for line in parts if line.kind == ledger.PARAMETER and line.layout.shape[:1] == (rows,)]
    if padded:
        own = sum(line.parameters for line in padded)
        facts: dict[str, Fact] = {
            "rows": rows,
            "vocabulary": vocabulary,
            "padding": rows - vocabulary,
            "parameters": own // rows * (rows - vocabulary),
        }
        yield Evidence("vocabulary-padded", Place(key="vocab_size"), facts)


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
    for scope, prefix in _scopes(case):
        told: set[tuple[str, ...]] = set()
        for fault in scope.faults:
            if fault.keys in told or caused & {prefix + key for key in fault.keys}:
                continue
            told.add(fault.keys)
            keys = [prefix + key for key in fault.keys]
            yield Evidence(
                "config-impossible",
                Place(key=keys[0] if keys else None),
                {"expression": fault.expression, "detail": fault.detail, "keys": keys, "kind": fault.kind},
            )


def _scopes(case: Reconciled) -> Iterator[tuple[CardScope, str]]:
    """The card's scope and those of the grafts that this class has, each with what its keys lie below."""
    paths = {slot.scope for slot in case.plan.unrolled.slots}
    yield case.plan.scope, ""
    for path in sorted({one[:depth] for one in paths for depth in range(1, len(one) + 1)}):
        scope, prefix = case.plan.scope, ""
        for name in path:
            scope, prefix = scope.grafts[name], f"{prefix}{config_of(scope, name)}."
        yield scope, prefix


def _shapes(case: Reconciled, confidence: str) -> Iterator[Evidence]:
    misfits = case.placement.misfits
    for turned in _turned(case, [one for one in misfits if _is_transposed(one)]):
        yield _transposed(case, turned, confidence)
    for one in misfits:
        if _is_transposed(one):
            continue
        block = one.block
        facts = _shape_facts(case, one)
        siblings = sum(other.tensors for other in case.placement.placed if other.block.key == block.key and other.fits)
        facts |= {
            "tensors": one.tensors,
            "others": siblings,
            "others_where": indices_in_words(block.key, _fitting(case, block.key)),
        }
        yield Evidence("shape-differs", place_of(block.key, one.boxes), facts, confidence)


def _turned(case: Reconciled, turned: Sequence[Placed]) -> Iterator[list[Placed]]:
    """Matrices on their side by cause: whole families of several as one, each other family by itself.

    Where most of the matrices that could show it are turned, a conversion turned them, and all are one.
    """
    upright = sum(one.tensors for one in case.placement.placed if one.fits and _has_sides(one))
    if sum(one.tensors for one in turned) > upright and turned:
        yield list(turned)
        return
    standing = {one.block.key for one in case.placement.placed if one.fits}
    causes: dict[str, list[Placed]] = {}
    tensors = Counter[str]()
    for one in turned:
        tensors[one.block.key] += one.tensors
    for one in turned:
        whole = one.block.key not in standing and tensors[one.block.key] > 1
        causes.setdefault("" if whole else one.block.key, []).append(one)
    yield from causes.values()


def _has_sides(one: Placed) -> bool:
    shape = one.layout.shape
    return len(shape) == 2 and shape[0] != shape[1]


def _is_transposed(one: Placed) -> bool:
    stored, expected = one.layout.shape, one.block.shape
    return len(stored) == 2 and stored == tuple(reversed(expected))


def _transposed(case: Reconciled, turned: Sequence[Placed], confidence: str) -> Evidence:
    first = turned[0]
    boxes = joined(box for one in turned if one.block.key == first.block.key for box in one.boxes)
    return Evidence(
        "stored-transposed",
        place_of(first.block.key, boxes) if len({one.block.key for one in turned}) == 1 else Place(),
        {
            **_shape_facts(case, first),
            "families": list(dict.fromkeys(family_name(one.block.key) for one in turned))[:20],
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
            yield Evidence("copy-stored", place_of(block.key, (block.axes,)), facts)
        elif not present and target and block.required:
            yield Evidence("head-tied", place_of(block.key, (block.axes,)), facts)


def _components(case: Reconciled) -> Iterator[Evidence]:
    parts: dict[str, list[ledger.Line]] = {}
    for line in case.ledger.lines:
        if line.kind == ledger.EXTRA:
            parts.setdefault(line.component, []).append(line)
    for component, lines in parts.items():
        yield Evidence(
            "component-extra",
            place_of(lines[0].family, lines[0].boxes),
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
            place_of(buffers[0].family, buffers[0].boxes),
            {
                "elements": sum(line.elements for line in buffers),
                "bytes": sum(line.bytes for line in buffers),
                "tensors": sum(line.tensors for line in buffers),
                "families": list(dict.fromkeys(family_name(line.family) for line in buffers))[:20],
                **_disputed(case, buffers),
            },
        )


def _declared(case: Reconciled) -> Iterator[Evidence]:
    """Parts beside the model of which a key of the config itself gives the number, and nothing is stored."""
    blocks: dict[str, list[Block]] = {}
    for block in case.corrected.blocks:
        if block.slot.extra and block.tensors:
            blocks.setdefault(block.slot.extra, []).append(block)
    stored = {one.block.slot.extra for one in case.placement.placed}
    for component, absent in blocks.items():
        said = None if component in stored or case.solved else _said_extent(case, absent)
        if said is None:
            continue
        own = [block for block in absent if block.slot.tensor.counted and block.tie is None]
        sizes = [block.tensors * block.elements for block in own if block.elements is not None]
        facts: dict[str, Fact] = {
            "component": component,
            "key": said[0],
            "value": said[1],
            "tensors": sum(block.tensors for block in own),
            "parameters": sum(sizes) if len(sizes) == len(own) else None,
        }
        yield Evidence("component-absent", Place(key=said[0]), facts)


def _said_extent(case: Reconciled, blocks: Sequence[Block]) -> tuple[str, int] | None:
    """The key in the config that gives such blocks their number, and its value."""
    shared = {hole for block in case.corrected.blocks if not block.slot.extra for hole in block.slot.holes}
    for block in blocks:
        scope = scope_of(case.corrected.scope, block.slot)
        for hole in (hole for hole in block.slot.holes if hole in scope.symbols and hole not in shared):
            for path in words(parse(scope.symbols[hole])):
                value = scope.settings.values.get(path[0])
                if len(path) == 1 and path[0] not in scope.symbols and type(value) is int and value > 0:
                    return path[0], value
    return None


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
