"""Decides whether a value explains only a fraction of a lost, added or renamed part, which a config key never does."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.algebra.boxes import minus
from inspector.algebra.span import Span
from inspector.reconciler.inverse.differences import Boxes, Differences, boxes_by_key, prefixes_of
from inspector.reconciler.place import Placement


def explains_in_part(differences: Differences, moved: Mapping[str, None], before: Placement, after: Placement) -> bool:
    """True if the families that a value affects are only a fraction of a part that was lost, added or renamed together.

    before, after: the placement of these families without and with the value. A value that corrects shapes is never
    partial.
    """
    if _mismatched(after) < _mismatched(before):
        return False
    gaps, unexpected = _gaps(after), _unexpected(after)
    for key, boxes in _gaps(differences.placement).items():
        if key not in moved:
            gaps[key] = boxes
    for key, boxes in _unexpected(differences.placement).items():
        if key not in moved:
            unexpected[key] = boxes
    if _splits(differences, gaps, unexpected):
        return True
    new_gaps = without(_gaps(after), _gaps(before))
    taken = _by_first_index(without(_unexpected(before), _unexpected(after)))
    if taken:
        if _holes(differences, new_gaps):
            return True
        mismatched = boxes_by_key((one.block.key, one.boxes) for one in before.mismatched)
        worse = without(boxes_by_key((one.block.key, one.boxes) for one in after.mismatched), mismatched)
        left = boxes_by_key([*unexpected.items(), *worse.items()])
        return _covers(_by_first_index(left), taken)
    if new_gaps:
        return True
    resolved = without(_gaps(before), _gaps(after))
    return _of_lost_part(differences, resolved, gaps) or _covers(_holes(differences, gaps), _by_first_index(resolved))


def _of_lost_part(differences: Differences, resolved: Boxes, gaps: Boxes) -> bool:
    """True if the tensors belong to a part that is wholly absent, while other tensors of the part stay missing."""
    lost = {prefix for key in resolved for prefix in prefixes_of(key) if prefix not in differences.prefixes}
    return any(prefix in lost for key in gaps for prefix in prefixes_of(key))


def _mismatched(placement: Placement) -> int:
    return sum(one.tensors for one in placement.mismatched)


def _gaps(placement: Placement) -> Boxes:
    return boxes_by_key((gap.block.key, gap.boxes) for gap in placement.missing)


def _unexpected(placement: Placement) -> Boxes:
    return boxes_by_key((extra.key, extra.boxes) for extra in placement.unexpected)


def _splits(differences: Differences, gaps: Boxes, unexpected: Boxes) -> bool:
    """True if half of a renaming is explained: the old name is no longer missing, but the new name is still stored."""
    return any(
        bool(without(missing, gaps)) != bool(without(stored, unexpected)) for missing, stored in differences.renamed
    )


def _holes(differences: Differences, gaps: Boxes) -> dict[str, Span]:
    """The indices below each prefix at which tensors are missing and none are stored."""
    found = _by_first_index(gaps)
    holes = {prefix: span - differences.stored.get(prefix, Span()) for prefix, span in found.items()}
    return {prefix: span for prefix, span in holes.items() if span}


def _covers(spans: Mapping[str, Span], others: Mapping[str, Span]) -> bool:
    """True if these index sets contain all of the others."""
    return all(not indices - spans.get(prefix, Span()) for prefix, indices in others.items())


def without(found: Boxes, cut: Boxes) -> Boxes:
    """The families and indices that are not in `cut`."""
    left: Boxes = {}
    for key, boxes in found.items():
        rest = minus(boxes, [box for box in cut.get(key, ()) if boxes and len(box) == len(boxes[0])])
        if rest:
            left[key] = rest
    return left


def _by_first_index(boxes: Boxes) -> dict[str, Span]:
    """The first indices of some tensors below each prefix. A tensor without indices is listed under its own name."""
    found: dict[str, list[Span]] = {}
    for key, listed in boxes.items():
        name = key.partition(".#.")[0] if "#" in key else key
        spans = [box[0] for box in listed] if "#" in key else [Span.range(0, 1)] * bool(listed)
        found.setdefault(name, []).extend(spans)
    return {name: Span.union(spans) for name, spans in found.items()}
