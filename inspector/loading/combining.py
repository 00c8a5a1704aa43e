"""Tensors in memory that transformers 5 computes from several tensors of a file, or cuts out of one.

Source: transformers 5.23, `core_model_loading.py` (`WeightConverter`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.algebra.boxes import Box, count, minus, within
from inspector.loading.renaming import Transform
from inspector.loading.templates import Order, projected, template
from inspector.loading.ties import IndexSets
from inspector.notation.expansion import Shape

Shapes = Mapping[str, Sequence[tuple[Box, Shape]]]
"""Key in memory -> (index set, shape)."""
Parts = Mapping[tuple[str, int], Sequence[tuple[Box, Order, Shape]]]
"""(key in memory, number of the source) -> (index set, order of its indices, shape)."""


def splits(shapes: Shapes, names: Sequence[str], boxes: Sequence[Box], shape: tuple[int, ...]) -> bool:
    """True if a tensor of a file can be cut into tensors in memory, or if a shape of theirs is not known.

    boxes: the index sets of the first of them.
    """
    listed = [shapes.get(template(name)[0], ()) for name in names]
    found = [next((wanted for box, wanted in one if within(boxes, box)), None) for one in listed]
    wanted = [one for one in found if one is not None and None not in one]
    if len(wanted) < len(names) or any(len(one) != len(shape) for one in wanted):
        return True
    alike = [{*sizes} == {whole} for whole, sizes in zip(shape, zip(*wanted, strict=True), strict=True)]
    sums = [sum(sizes) == whole for whole, sizes in zip(shape, zip(*wanted, strict=True), strict=True)]
    return any(sums[axis] and all(alike[:axis] + alike[axis + 1 :]) for axis in range(len(shape)))


def stacked(parts: Parts, key: str) -> Iterator[tuple[tuple[Box, ...], Shape]]:
    """(index sets, shape) of a tensor in memory that stacks one tensor of the file for each index.

    Its first dim is the number of tensors of a source; where there are several sources, their first dims are joined
    along the second one. Source: every `MergeModulelist` of transformers 5.23, `conversion_mapping.py`, has `dim=0`,
    and every `Concatenate` after one has `dim=1`.
    """
    sources: list[Sequence[tuple[Box, Order, Shape]]] = []
    while (key, len(sources)) in parts:
        sources.append(parts[key, len(sources)])
    for blocks in zip(*sources, strict=False) if len({len(one) for one in sources}) == 1 else ():
        axes, order, first = blocks[0]
        merged = [axis for place, axis in enumerate(axes) if all(place != kept for kept, _ in order)]
        if len(merged) != 1 or any(one[0] != axes or not one[2] or one[2][1:] != first[1:] for one in blocks):
            continue
        rows = [shape[0] for *_, shape in blocks]
        whole = None if None in rows else sum(row or 0 for row in rows)
        yield projected((axes,), order), (merged[0].size, whole, *first[1:])


def partial(parts: Parts, combined: IndexSets, stored: Mapping[tuple[str, int], int]) -> list[str]:
    """Keys in memory for which only some of their source tensors are stored.

    combined: the index sets that are made of others; a tensor stored under its name in memory needs no sources.
    """
    found: list[str] = []
    for (key, source), blocks in parts.items():
        begun = combined.get(key, ())
        wanted = 0
        for axes, order, _ in blocks:
            absent = minus(projected((axes,), order), begun)
            if not absent:
                wanted += count((axes,))
            else:
                share = count(projected((axes,), order))
                wanted += count((axes,)) * (share - count(absent)) // share
        if stored.get((key, source), 0) != wanted:
            found.append(key)
    return found


def one_sided(apart: Mapping[tuple[str, Transform], Mapping[int, Sequence[Box]]]) -> list[str]:
    """Keys for which some sources of a converter are stored and others are not. apart: the index sets
    of each source.
    """
    return [
        key
        for (key, converter), sides in apart.items()
        if len(sides) < sum(group.startswith("g") for group in converter.pattern.groupindex)
        or len({count(boxes) for boxes in sides.values()}) > 1
    ]
