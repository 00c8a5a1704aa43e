"""Tensors of both sides that are not parameters: unexplained ones, parts beyond the class, and buffers.

They have no role, so they correspond if both sides store them under the same name. The totals of a
comparison count parameters; the values of these tensors still matter to loaders, as the running statistics of
batch norms do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.result import Skipped
from inspector.comparing.pairing import Pairs
from inspector.comparing.pieces import Identity, Piece, Side, as_stored
from inspector.comparing.tally import Carried, tally
from inspector.findings.finding import Finding, Place
from inspector.findings.words import count
from inspector.reconciler.wording import family_name

MOST_NAMED = 12
"""Most families that a finding names."""


class Uncounted(Struct, frozen=True):
    """Tensors that are not parameters. unexplained: without a definition. others: parts beyond the class and buffers
    that the model needs; both are of both sides. computed: buffers of the target that follow
    from the config, such as rotary tables.
    unmatched: further tensors of the target that the source does not have under the same name.
    """

    unexplained: tuple[Carried, ...] = ()
    others: tuple[Carried, ...] = ()
    computed: int = 0
    unmatched: int = 0

    def comparable(self) -> tuple[Carried, ...]:
        """The tensors of equal shape on both sides, which can be compared by value."""
        return tuple(one for one in (*self.unexplained, *self.others) if one.fit.whole)

    def skipped(self) -> Iterator[Skipped]:
        """The tensors that a comparison of all values omits, with the reasons."""
        if self.computed:
            yield Skipped(f"values of {count(self.computed, 'buffer')}", "they follow from the config")
        if self.unmatched:
            what = f"values of {count(self.unmatched, 'tensor')} that are not parameters"
            yield Skipped(what, "the source has none of the same names and shapes")


def uncounted(before: Side, after: Side) -> Uncounted:
    """The tensors of two sides that are not parameters."""
    needed = tuple(_needed(after))
    unexplained = _in_both(before.unexpected, after.unexpected)
    others = _in_both((*before.extra, *_needed(before)), (*after.extra, *needed))
    compared = sum(one.tensors for one in (*unexplained, *others) if one.fit.whole)
    computed = _tensors(after.buffers) - _tensors(needed)
    unmatched = max(_tensors((*after.unexpected, *after.extra, *needed)) - compared, 0)
    return Uncounted(unexplained, others, computed, unmatched)


def _tensors(pieces: Sequence[Piece]) -> int:
    return sum(piece.line.tensors for piece in pieces)


def shape_findings(unexplained: Sequence[Carried]) -> Iterator[Finding]:
    """The finding on unexplained tensors of different shapes on both sides; nothing for those of the same shape."""
    differing = [one for one in unexplained if one.source.shape != one.target.shape]
    if not differing:
        return
    from inspector.findings.conversion.shapes import UnexplainedDiffers

    families = tuple(family_name(one.source.line.family) for one in differing)
    yield UnexplainedDiffers(
        place=Place(family=families[0] if len(families) == 1 else None),
        families=families[:MOST_NAMED],
        families_differing=len(families),
        tensors=sum(one.tensors for one in differing),
        shapes=tuple((one.source.shape, one.target.shape) for one in differing[:MOST_NAMED]),
    )


def _needed(side: Side) -> Iterator[Piece]:
    """The buffers that loaders take from the file, such as running statistics."""
    return (piece for piece in side.buffers if piece.line.block is not None and piece.line.block.slot.built)


def _in_both(source: Sequence[Piece], target: Sequence[Piece]) -> tuple[Carried, ...]:
    if not (source and target):
        return ()
    return tally(Pairs(_by_name(source), _by_name(target))).carried


def _by_name(pieces: Iterable[Piece]) -> Mapping[Identity, list[Piece]]:
    found: dict[Identity, list[Piece]] = {}
    for piece in map(as_stored, pieces):
        identity = replace(piece.identity, role="")
        found.setdefault(identity, []).append(replace(piece, identity=identity))
    return found
