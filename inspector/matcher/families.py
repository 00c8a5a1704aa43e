"""Stored tensors grouped by family: one key, and the index boxes of each layout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, boxes_of, count, joined
from inspector.algebra.names import NAMES, Index, at
from inspector.algebra.span import Span
from inspector.budget import spend
from inspector.loader.formats.ggml_types import packed_of
from inspector.loader.layout import Layout
from inspector.loader.listed_tensors import by_key
from inspector.loader.packed import Packed

STEPS_A_LAYOUT = 20


class Stored(Struct, frozen=True):
    """Tensors of one family with the same layout.

    packed: how a quantized tensor is stored. `layout` then has the shape of the logical tensor, with the stored dtype
    and bytes.
    """

    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    packed: Packed | None = None

    @property
    def elements(self) -> int:
        """Stored elements of all tensors, as the headers state them."""
        storage = self.layout if self.packed is None else self.packed.storage
        return storage.elements * self.tensors

    @property
    def bytes(self) -> int:
        """Stored bytes of all tensors."""
        return self.layout.bytes * self.tensors


class Family(Struct, frozen=True):
    """All tensors of one key, by layout; nearly always there is one layout."""

    key: str
    stored: tuple[Stored, ...]

    @property
    def tensors(self) -> int:
        """Number of tensors."""
        return sum(part.tensors for part in self.stored)

    @property
    def elements(self) -> int:
        """Stored elements."""
        return sum(part.elements for part in self.stored)

    @property
    def bytes(self) -> int:
        """Stored bytes."""
        return sum(part.bytes for part in self.stored)

    @property
    def shapes(self) -> set[tuple[int, ...]]:
        """The shapes that occur."""
        return {part.layout.shape for part in self.stored}

    @property
    def usual(self) -> Layout:
        """The most frequent layout."""
        return max(self.stored, key=lambda part: part.tensors).layout

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The index boxes of all layouts."""
        return tuple(box for part in self.stored for box in part.boxes)

    def axis(self, position: int) -> Span:
        """All indices at one `#`."""
        return Span.union(box[position] for part in self.stored for box in part.boxes)


Families = Mapping[str, Family]


def families_of(tensors: Mapping[str, Layout]) -> dict[str, Family]:
    """The families of a checkpoint's tensors, in order of first appearance."""
    found: dict[str, dict[int, tuple[Layout, list[Box]]]] = {}
    names, laid_out, listed = by_key(tensors)
    for column in listed:
        by_layout = found.setdefault(column.key, {})
        layouts = at(laid_out, column.positions)
        first = layouts[0]
        if column.box is not None and layouts.count(first) == len(layouts):
            by_layout.setdefault(id(first), (first, []))[1].append(column.box)
            continue
        apart: dict[int, tuple[Layout, list[Index]]] = {}
        for layout, indices in zip(layouts, column.values(at(names, column.positions)), strict=True):
            apart.setdefault(id(layout), (layout, []))[1].append(indices)
        spend(STEPS_A_LAYOUT * len(apart), NAMES)
        for layout, indexed in apart.values():
            by_layout.setdefault(id(layout), (layout, []))[1].extend(boxes_of(indexed))
    return {
        key: Family(key, tuple(_stored(layout, boxes) for layout, boxes in by_layout.values()))
        for key, by_layout in found.items()
    }


def _stored(layout: Layout, boxes: list[Box]) -> Stored:
    return Stored(layout, joined(boxes), count(boxes), packed_of(layout))


def rekeyed(families: Families, change: Callable[[str], str]) -> dict[str, Family]:
    """The same families under new keys; families that get the same key are joined."""
    spend(len(families) // 2, NAMES)
    changed: dict[str, Family] = {}
    for key, family in families.items():
        new = change(key)
        known = changed.get(new)
        changed[new] = Family(new, family.stored if known is None else known.stored + family.stored)
    return changed


def with_numbered_parts(families: Families) -> Families:
    """The families; if all names begin with a number, as in a list of modules, that number becomes part of the key.

    Unchanged if a family has several such numbers, as the layers of a stack have.
    """
    if not all(key.startswith("#.") for key in families):
        return families
    found: dict[str, Family] = {}
    for key, family in families.items():
        if (number := family.axis(0)).size != 1:
            return families
        stored = (replace(part, boxes=tuple(box[1:] for box in part.boxes)) for part in family.stored)
        new = f"{number.first}{key[1:]}"
        found[new] = Family(new, tuple(stored))
    return found


def by_index(families: Families, keys: Collection[str]) -> dict[str, Family]:
    """The families; each of some keys is divided into its tensors, whose keys are their names."""
    found: dict[str, Family] = {}
    for key, family in families.items():
        if key not in keys:
            found[key] = family
            continue
        spend(family.tensors, NAMES)
        for part in family.stored:
            for index in (index for box in part.boxes for index in product(*box)):
                own = ".".join(_with_numbers(key.split("."), index))
                found[own] = Family(own, (replace(part, boxes=((),), tensors=1),))
    return found


def _with_numbers(segments: Sequence[str], index: Index) -> Iterator[str]:
    numbers = iter(index)
    return (str(next(numbers)) if one == "#" else one for one in segments)
