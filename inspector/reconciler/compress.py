"""Groups missing and extra tensors by cause: renamed families, lost and added parts, single tensors.

One pure function serves the audit of a checkpoint, the comparison of layers with each other, and the comparison of two
checkpoints. A family is a key with a `#` for each index: a state-dict key pattern, or the place of a role in a model.
All sets are boxes of index tuples (`inspector.algebra.boxes`) that are never listed, so that the cost depends on the
number of families and runs, not on the number of tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final, NamedTuple

from inspector.algebra.boxes import Box, count, minus, outer
from inspector.algebra.names import axes_of, prefixes_of
from inspector.budget import spend
from inspector.reconciler.renaming import Change, as_stored, change_between, of_like_modules, renamings

Shape = tuple[int | None, ...]
DIFFERENCES: Final = "the missing and unexpected tensors"
_KEYS_A_STEP: Final = 4

RENAMED: Final = "renamed"
WRAPPED: Final = "wrapped"
RENUMBERED: Final = "renumbered"
SUBTREE: Final = "subtree"
SINGLE: Final = "single"


class OneSided(NamedTuple):
    """Tensors of one family and shape that only one side has.

    name: the name of the first tensor. alone: always a cause of its own, whatever else is missing (an untied head).
    explained: already accounted for, unless it turns out to be a renamed or renumbered missing tensor.
    """

    key: str
    boxes: tuple[Box, ...]
    shape: Shape
    name: str = ""
    alone: bool = False
    explained: bool = False


class Portion(NamedTuple):
    """A part of a difference: its position in the input, and the indices that a cause explains."""

    position: int
    boxes: tuple[Box, ...]

    @property
    def tensors(self) -> int:
        """Number of tensors."""
        return count(self.boxes)


class Explanation(NamedTuple):
    """Why some tensors are missing or extra.

    kind: "renamed", "wrapped" (renamed at the beginning), "renumbered" (the same tensors at other indices of a
    prefix), "subtree" (everything below a prefix at some indices) or "single". where: the prefix; for a single
    cause the key. indices: of the prefix. missing, extra: what the cause explains. change: the text that a renaming
    removes from the names, and the text that it inserts.
    """

    kind: str
    where: str
    indices: tuple[Box, ...] = ()
    missing: tuple[Portion, ...] = ()
    extra: tuple[Portion, ...] = ()
    change: Change | None = None


Boxes = Mapping[str, Sequence[Box]]
"""Index sets by key."""


class Least(NamedTuple):
    """Least numbers for tensors to count as a subtree rather than as single tensors.

    families: at an index (`layers.#`). modules: missing below a name (`encoder`). unknown: families below a name
    that the other side does not have.
    """

    families: int = 2
    modules: int = 2
    unknown: int = 3


class _Side:
    """The remaining differences of one side while causes are found.

    known: the tensors that the other side has. total: all required keys if this is the side of the missing tensors;
    else empty.
    """

    __slots__ = ("given", "known", "left", "total")

    def __init__(self, given: Sequence[OneSided], known: Boxes, total: frozenset[str]) -> None:
        self.given, self.known, self.total = given, known, total
        self.left = {at: one.boxes for at, one in enumerate(given) if one.boxes}

    def take(self, position: int, boxes: tuple[Box, ...]) -> Portion:
        """Removes indices of a difference that a cause explains."""
        left = minus(self.left.pop(position), boxes)
        if left:
            self.left[position] = left
        return Portion(position, boxes)

    def rest(self) -> Iterator[Portion]:
        """Removes and returns everything that no cause has explained."""
        for position in sorted(self.left):
            if not self.given[position].explained:
                yield Portion(position, self.left[position])

    def below(self, prefix: str, explained: bool) -> list[int]:
        """Differences below a prefix that may belong to a subtree. explained: only those that are already accounted
        for.
        """
        spend(1 + len(self.left) // _KEYS_A_STEP, DIFFERENCES)
        found = (at for at in self.left if self.given[at].key.startswith(f"{prefix}."))
        return [at for at in found if not self.given[at].alone and self.given[at].explained == explained]


def compress(
    missing: Sequence[OneSided],
    extra: Sequence[OneSided],
    present: Boxes,
    known: Boxes,
    least: Least | None = None,
    *,
    renames: bool = True,
) -> list[Explanation]:
    """Assigns every missing and every extra tensor without another explanation to exactly one cause.

    present: the index sets of the stored required tensors, by key. known: those of all tensors that may be stored.
    renames: whether keys are names, so that renamings are sought; keys made of roles are not names.
    """
    least = least or Least()
    renamed = list(_renamed(missing, extra)) if renames else []
    gone = _Side(missing, present, frozenset((*present, *(one.key for one in missing))))
    new = _Side(extra, known, frozenset())
    for cause in renamed:
        for side, parts in ((gone, cause.missing), (new, cause.extra)):
            for part in parts:
                side.take(*part)
    causes = [*renamed, *_subtrees(gone, new, least)]
    causes.extend(Explanation(SINGLE, missing[part.position].key, (), missing=(part,)) for part in gone.rest())
    causes.extend(Explanation(SINGLE, extra[part.position].key, (), extra=(part,)) for part in new.rest())
    return causes


def _renamed(missing: Sequence[OneSided], extra: Sequence[OneSided]) -> Iterator[Explanation]:
    """Groups of families that the same change of their names explains."""
    alike: dict[Change, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    opens = [gap[:3] for gap in missing], [unexpected[:3] for unexpected in extra]
    found = renamings(*opens)
    for gone, new in (*found, *of_like_modules(*opens, found)):
        change = change_between(as_stored(missing[gone[0]].name, extra[new[0]].name), extra[new[0]].name)
        alike.setdefault(change, []).append((gone, new))
    for change, pairs in alike.items():
        kind = WRAPPED if change[2] and not (change[0] and change[1]) else RENAMED
        yield Explanation(
            kind,
            missing[pairs[0][0][0]].key,
            missing=tuple(Portion(at, missing[at].boxes) for gone, _ in pairs for at in gone),
            extra=tuple(Portion(at, extra[at].boxes) for _, new in pairs for at in new),
            change=change,
        )


def _subtrees(gone: _Side, new: _Side, least: Least) -> Iterator[Explanation]:
    """Whole subtrees below a prefix at some of its indices, the shortest prefixes first."""
    keys = {side.given[at].key for side in (gone, new) for at in side.left}
    prefixes = {prefix for key in keys for prefix in prefixes_of(key)}
    for prefix in sorted(prefixes, key=lambda one: (one.count("."), one)):
        lost, added = (_whole(side, prefix, least) for side in (gone, new))
        if lost or added:
            before = lost or _whole(gone, prefix, least, explained=True)
            after = added or _whole(new, prefix, least, explained=True)
            if before and after and _are_renumbered(prefix, before, after, gone, new):
                indices = _leads(prefix, before)
                yield Explanation(RENUMBERED, prefix, indices, missing=_take(gone, before), extra=_take(new, after))
                continue
        if lost:
            yield Explanation(SUBTREE, prefix, _leads(prefix, lost), missing=_take(gone, lost))
        if added:
            yield Explanation(SUBTREE, prefix, _leads(prefix, added), extra=_take(new, added))


def _take(side: _Side, parts: Sequence[Portion]) -> tuple[Portion, ...]:
    return tuple(side.take(*part) for part in parts)


def _leads(prefix: str, parts: Iterable[Portion]) -> tuple[Box, ...]:
    """The distinct indices of a prefix at which these tensors are."""
    return outer((box for part in parts for box in part.boxes), axes_of(prefix))


def _whole(side: _Side, prefix: str, least: Least, *, explained: bool = False) -> list[Portion]:
    """The tensors below a prefix at indices where the other side has none; empty if there are fewer than `Least`
    requires.
    """
    parts = [Portion(at, side.left[at]) for at in side.below(prefix, explained)]
    if not parts:
        return []
    axes = axes_of(prefix)
    spend(len(side.known) // _KEYS_A_STEP, DIFFERENCES)
    below = f"{prefix}."
    blocked = dict.fromkeys(box[:axes] for key, boxes in side.known.items() if key.startswith(below) for box in boxes)
    taken = [Portion(at, tuple(_outside(boxes, tuple(blocked), axes))) for at, boxes in parts]
    taken = [part for part in taken if part.boxes]
    keys = {side.given[part.position].key for part in taken}
    if prefix.endswith(".#") or prefix == "#":
        return taken if len(keys) >= least.families else []
    if not side.total:
        return taken if len(keys) >= least.unknown else []
    everything = all(key.startswith(below) for key in side.total)
    modules = {key.rpartition(".")[0] for key in keys}
    return taken if len(modules) >= least.modules and not everything else []


def _outside(boxes: Sequence[Box], blocked: Sequence[Box], axes: int) -> Iterator[Box]:
    """The boxes without those that begin with `blocked` leading indices."""
    spend(len(boxes), DIFFERENCES)
    for box in boxes:
        for lead in minus((box[:axes],), blocked):
            yield (*lead, *box[axes:])


def _are_renumbered(prefix: str, lost: Sequence[Portion], added: Sequence[Portion], gone: _Side, new: _Side) -> bool:
    """True if as many elements are at as many other indices of a prefix."""
    if not prefix.endswith("#") or count(_leads(prefix, lost)) != count(_leads(prefix, added)):
        return False
    one, other = (_elements(side, parts) for side, parts in ((gone, lost), (new, added)))
    return one is not None and one == other


def _elements(side: _Side, parts: Iterable[Portion]) -> int | None:
    """The total number of elements, however they are divided into tensors; None if a dim is unknown."""
    total = 0
    for part in parts:
        shape = side.given[part.position].shape
        if None in shape:
            return None
        total += prod(dim for dim in shape if dim is not None) * part.tensors
    return total
