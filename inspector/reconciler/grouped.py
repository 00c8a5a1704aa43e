"""Joins findings that have one cause: a part of another kind, incomplete weights, layers of another model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.notation.roles import group
from inspector.reconciler import ledger
from inspector.reconciler.alternatives import common_prefix
from inspector.reconciler.place import Gap, Placed, Unexpected
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, place_name

FEWEST_JOINED = 3
"""Least number of findings of one kind that are joined into one."""
FEWEST_WHOLE = 2
"""Least number of wholly missing parts that are joined into one finding."""
PARTS_SHOWN = 8
PARTS_KEPT = 20
FAMILIES_KEPT = 100


def joined_findings(case: Reconciled, findings: Iterable[Finding]) -> list[Finding]:
    """The findings on shapes and names of a case, with those of the same cause joined."""
    listed = list(findings)
    if len(listed) < 2 or case.solved:
        return listed  # without a config each of them is evidence against this definition
    from inspector.findings.names.renamed import TensorRenamed

    part = _part_of_another_kind(case)
    if part is not None and not all(isinstance(one, TensorRenamed) for one in listed):
        return [part]
    return list(_parts_of_one_name(_biases(case, list(_shapes_of_layers(_incomplete(case, listed))))))


def _part_of_another_kind(case: Reconciled) -> Finding | None:
    """One finding on all differences below one name, if little there is as expected. Embedding tables are left out."""
    unexplained = {line.family for line in case.ledger.lines if line.kind == ledger.UNEXPLAINED}
    placement = case.placement
    unexpected = [extra for extra in placement.unexpected if extra.key in unexplained]
    expected: list[Gap | Placed] = [*placement.missing, *placement.mismatched]
    keys = [*(one.block.key for one in expected), *(extra.key for extra in unexpected)]
    prefix = common_prefix(keys)
    if case.reading.writer:  # in the layers of another program's names a single part may have another form
        prefix = _module_in_layers(keys) or prefix
    if not prefix or not expected or not unexpected:
        return None
    if any(group(one.block.slot.role) == "embedding" for one in expected):
        return None
    below = [block for block in case.corrected.blocks if block.key.startswith(f"{prefix}.") and block.required]
    fitting = [one for one in placement.placed if one.fits and one.block.key.startswith(f"{prefix}.")]
    if 2 * len(below) > sum(block.required for block in case.corrected.blocks) or 2 * len(fitting) >= len(below):
        return None
    from inspector.findings.single_causes import PartOfAnotherKind
    from inspector.findings.words import shape

    stored: list[Placed | Unexpected] = [*placement.mismatched, *unexpected]
    return PartOfAnotherKind(
        part=family_name(prefix),
        expected=tuple(
            f"{_inner(prefix, place_name(one.block.key, one.boxes))} {shape(one.block.shape)}" for one in expected
        )[:PARTS_KEPT],
        stored=tuple(f"{_inner(prefix, place_name(_key(one), one.boxes))} {shape(one.layout.shape)}" for one in stored)[
            :PARTS_KEPT
        ],
        tensors=sum(one.tensors for one in stored),
    )


def _pairs_of_modules(findings: list[Finding]) -> list[Finding]:
    """The findings with two modules of one parent and one shape, such as the norms of queries and keys, that are
    missing in all layers, as one: the program that saved the others knows neither.
    """
    from inspector.findings.names.tensors import TensorMissing

    missing = [one for one in findings if isinstance(one, TensorMissing) and one.place.indices and one.is_everywhere]
    if len(missing) != 2:
        return findings
    first, second = missing
    parents = {family.rsplit(".", 2)[0] for one in missing for family in one.families}
    if len(parents) > 1 or first.shape != second.shape or first.place.indices != second.place.indices:
        return findings
    both = replace(
        first,
        names=(*first.names, *second.names),
        families=(*first.families, *second.families),
        tensors=first.tensors + second.tensors,
        parameters=first.parameters + second.parameters,
    )
    return [both if one is first else one for one in findings if one is not second]


def _module_in_layers(keys: Sequence[str]) -> str:
    """The common beginning of all keys, without their last segments, if it ends with a module inside layers."""
    columns = zip(*(key.split(".")[:-1] for key in keys), strict=False)
    common = [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]
    while common and common[-1] == "#":
        common.pop()
    return ".".join(common) if "#" in common else ""


def _key(one: Placed | Unexpected) -> str:
    return one.block.key if isinstance(one, Placed) else one.key


def _inner(prefix: str, key: str) -> str:
    return key.removeprefix(f"{prefix}.")


def _incomplete(case: Reconciled, findings: list[Finding]) -> list[Finding]:
    """Many findings on missing parts as one, after all other findings."""
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing
    from inspector.findings.totals import HeadMissing

    missing = [one for one in findings if isinstance(one, TensorMissing | LayersMissing | HeadMissing)]
    whole = any(isinstance(one, LayersMissing) and one.part is not None and not one.place.indices for one in missing)
    if len(missing) < (FEWEST_WHOLE if whole else FEWEST_JOINED):
        return _pairs_of_modules(findings)
    from inspector.findings.single_causes import WeightsIncomplete

    parts = sorted((one for one in missing), key=lambda one: not isinstance(one, LayersMissing))
    gaps = case.placement.missing
    numbered = any(box for one in case.placement.placed for box in one.boxes)
    counted = [gap for gap in gaps if gap.block.slot.tensor.counted]
    joined = WeightsIncomplete(
        tensors=sum(gap.tensors for gap in gaps),
        of=sum(block.tensors for block in case.corrected.blocks if block.required and block.tie is None),
        parameters=sum(gap.tensors * (gap.block.elements or 0) for gap in counted),
        parts=tuple(_headline(one) for one in parts[:PARTS_SHOWN]),
        parts_in_all=len(parts),
        layers=_layers_stored(case),
        families=tuple(dict.fromkeys(family_name(gap.block.key) for gap in gaps))[:FAMILIES_KEPT],
        from_first=_lacks_only_first(gaps),
        everywhere=numbered and all(gap.tensors == gap.block.tensors for gap in gaps),
        confidence=missing[0].confidence,
    )
    return [joined, *(one for one in findings if one not in missing)]


def _lacks_only_first(gaps: Sequence[Gap]) -> bool:
    """True if of the layers only the first ones lack tensors, and if tensors outside the layers are missing, too."""
    layers = Span.union(box[0] for gap in gaps for box in gap.boxes if box)
    outside = any(not all(gap.boxes) for gap in gaps)
    return outside and bool(layers) and layers.first == 0 and len(layers.runs) == 1


def _headline(one: Finding) -> str:
    where = one.place.indices
    return f"{one.headline()} ({where})" if where and not one.place.tensor and where not in one.headline() else (
        one.headline()
    )  # fmt: skip


def _layers_stored(case: Reconciled) -> str:
    """The numbers of the layers with any stored tensor."""
    spans = [
        box[0]
        for one in case.placement.placed
        for box in one.boxes
        if box
        and any(word in one.block.key.partition("#")[0].split(".") for word in ("layers", "layer", "h", "blocks"))
    ]
    return Span.union(spans).words() if spans else ""


def _shapes_of_layers(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, with wrong shapes of several matrices of the same layers joined into one."""
    from inspector.findings.shapes import ShapeDiffers

    groups: dict[str, list[ShapeDiffers]] = {}
    for one in findings:
        if isinstance(one, ShapeDiffers) and one.place.indices:
            groups.setdefault(one.place.indices, []).append(one)
    firsts = {id(same[0]): same for same in groups.values() if len(same) >= FEWEST_JOINED}
    others = {id(one) for same in firsts.values() for one in same[1:]}
    for finding in findings:
        same = firsts.get(id(finding))
        if same is not None:
            also = tuple(str(one.place.tensor or one.place.family) for one in same[1:])
            names = tuple(name for one in same for name in one.names)
            yield replace(same[0], also=also, names=names, tensors=sum(one.tensors for one in same))
        elif id(finding) not in others:
            yield finding


def _biases(case: Reconciled, findings: list[Finding]) -> list[Finding]:
    """The findings, with those on biases of modules that have no bias in the definition joined into one."""
    from inspector.findings.names.tensors import TensorUnexpected

    weights = {family_name(one.block.key) for one in case.placement.placed if one.fits}
    biases = [
        one
        for one in findings
        if isinstance(one, TensorUnexpected)
        and (name := one.place.family or "").endswith(".bias")
        and f"{name.removesuffix('bias')}weight" in weights
    ]
    if len(biases) < FEWEST_WHOLE:
        return findings
    from inspector.findings.names.biases import BiasesUnexpected
    from inspector.reconciler.norm_switches import switch_of_norms

    joined = BiasesUnexpected(
        place=Place(family=biases[0].place.family),
        architecture=case.reading.name,
        families=tuple(str(one.place.family) for one in biases)[:FAMILIES_KEPT],
        tensors=sum(one.tensors for one in biases),
        elements=sum(one.elements for one in biases),
        bytes=sum(one.bytes for one in biases),
        switch=switch_of_norms((str(one.place.family) for one in biases), case.plan.scope.settings.values),
    )
    return [joined if one is biases[0] else one for one in findings if one is biases[0] or one not in biases]


def _parts_of_one_name(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, with those on unexpected parts of the same name in several places joined into one."""
    from inspector.findings.names.tensors import PartUnexpected

    groups: dict[str, list[PartUnexpected]] = {}
    for one in findings:
        if isinstance(one, PartUnexpected):
            groups.setdefault(_last_name(one.part), []).append(one)
    for finding in findings:
        same = groups[_last_name(finding.part)] if isinstance(finding, PartUnexpected) else []
        if len(same) < FEWEST_WHOLE or not isinstance(finding, PartUnexpected):
            yield finding
        elif finding is same[0]:
            yield replace(
                finding,
                tensors=sum(one.tensors for one in same),
                elements=sum(one.elements for one in same),
                bytes=sum(one.bytes for one in same),
                families=tuple(name for one in same for name in one.families)[:FAMILIES_KEPT],
                also=tuple(str(one.place.family) for one in same[1:]),
            )


def _last_name(part: str) -> str:
    """The last segment of a key that is not an index."""
    return next((one for one in reversed(part.split(".")) if one != "#"), part)
