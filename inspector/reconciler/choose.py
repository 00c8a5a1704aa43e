"""Chooses the definition of a checkpoint: the claimed one, or the one that fits the names and shapes best."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.algebra.expression import Literal, Node
from inspector.algebra.names import key_of
from inspector.dialects.catalog import may_know
from inspector.matcher.claim import NO_CONFIG, Claim
from inspector.matcher.families import Families
from inspector.matcher.reading import Reading, read_by_names, read_claimed
from inspector.matcher.spelling import equal_matches
from inspector.notation.parts import head_for
from inspector.reconciler import ledger
from inspector.reconciler.reconcile import Reconciled, reconcile


def choose_reading(
    config: Claim, families: Families, lost: Sequence[str]
) -> tuple[Reading | None, tuple[str, float] | None]:
    """The reading under the claimed definition if that fits; else, or if none is claimed, the best reading by names."""
    if config.is_params and _has_own_names(config) and (claimed := read_claimed(config, families, lost)) is not None:
        return claimed, None
    if config.writer or may_know(families) or may_know(key_of(name)[0] for name in lost):
        from inspector.matcher.dialect_reading import read_in_dialect

        in_dialect = read_in_dialect(config, families, lost)
        if in_dialect:
            return _by_shapes(in_dialect), None
    claimed = read_claimed(config, families, lost)
    if claimed is not None and claimed.fits:
        return claimed, None
    if claimed is None and config is not NO_CONFIG and config.model_type is not None:
        return None, read_by_names(families, {}, one=True)[1]
    values = config.settings.values if claimed is None else {}
    supported, nearest = read_by_names(families, values)
    if config is NO_CONFIG and supported and _is_in_dialect_below(supported[0]):
        return None, nearest
    if claimed is not None and config.class_name is not None:
        supported = [_with_head_of(one, config.class_name) for one in supported]
    return _by_shapes(supported), nearest


def _is_in_dialect_below(reading: Reading) -> bool:
    """True if another program has all names that are below a prefix and that a definition knows in part."""
    if not reading.prefix or reading.coverage == 1:
        return False
    from inspector.matcher.dialect_reading import read_whole_in_dialect

    return bool(read_whole_in_dialect(reading.families))


def _has_own_names(config: Claim) -> bool:
    """True if the definition for a params.json has the names of the program itself, so that no dialect is needed."""
    from inspector.dialects.mistral_towers import PIXTRAL, VOXTRAL

    return config.definition is PIXTRAL or config.definition is VOXTRAL


def _with_head_of(reading: Reading, class_name: str) -> Reading:
    """A reading by names; of the heads with the stored names it has the one for the same task as a class."""
    wanted = head_for(reading.definition, class_name)
    if wanted is None or wanted is reading.match.head:
        return reading
    others = equal_matches(reading.scope, reading.families, reading.match)
    return replace(reading, match=next((one for one in others if one.head is wanted), reading.match))


def _mismatched(case: Reconciled) -> tuple[int, bool]:
    """(number of tensors that contradict the definition, True if its total is unknown). Missing layers contradict
    nothing.
    """
    stored = case.reading.families
    placement = case.placement
    against = sum(one.tensors for one in placement.mismatched) + sum(one.tensors for one in placement.unexpected)
    against += sum(gap.tensors for gap in placement.missing if gap.block.key not in stored)
    unchecked = sum(line.tensors for line in case.ledger.lines if line.kind == ledger.UNCHECKED)
    return against - unchecked, case.ledger.counts.expected_parameters is None


def _lacks_rows(case: Reconciled) -> bool:
    """True if rows are absent that the definition has with any config, such as the biases of qwen2's queries."""
    return any(
        not row.blocks and row.slot.whens and all(_is_true(condition.node) for condition in row.slot.whens)
        for row in case.plan.rows
    )


def _is_true(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is True


def _without_fit(readings: Sequence[Reading]) -> Sequence[Reading]:
    """All readings; only the closest one if the config's values fit none, since solving them for each
    takes too long.
    """
    if not all(reading.scope.settings.known for reading in readings):
        return readings
    cases = [reconcile(NO_CONFIG, reading, (), solve=False) for reading in readings]
    against = [_mismatched(case)[0] for case in cases]
    tensors = sum(family.tensors for family in readings[0].families.values())
    return readings if 2 * min(against) <= tensors else [readings[against.index(min(against))]]


def _by_shapes(readings: Sequence[Reading]) -> Reading | None:
    """Among readings that fit the names equally well, the one that fits the shapes best. It names the equally good
    ones.
    """
    if len(readings) < 2:
        return readings[0] if readings else None
    readings = _without_fit(readings)
    tried = [reconcile(NO_CONFIG, reading, (), solve=len(readings) > 1) for reading in readings]
    against = [_mismatched(case) for case in tried]
    fitting = [case for case, mismatched in zip(tried, against, strict=True) if mismatched == min(against)]
    best = fitting[0]
    same_names = tuple(case.reading.name for case in fitting[1:] if not _lacks_rows(case))
    return replace(
        best.reading, scope=best.plan.scope, same_names=same_names
    )  # reuse the values that are solved already
