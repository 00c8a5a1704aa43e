"""Rotations of sd-scripts' OFT for FLUX: one for each of the matrices that the base joins.

Source: `networks/oft_flux.py` of sd-scripts: `oft_blocks.0`, `.1` ... are [blocks, size, size], all with the same
number of blocks; together they rotate all outputs of the joined matrix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.tools import PIECES
from inspector.algebra.boxes import Box, tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.tools import AdapterPartMissing
from inspector.findings.finding import NAMES_SHOWN
from inspector.matcher.families import Family

Shape = tuple[int, ...]


def misfit_of_pieces(family: Family, outputs: int) -> tuple[str, Shape, tuple[int | None, ...]] | None:
    """(name, shape, expected shape) of a rotation that does not fit the others and the outputs; None if all fit.

    Among several rotations: the one that differs from the others in size, or the last.
    """
    pieces = [
        (name_of(family.key, index), part.layout.shape) for part in family.stored for index in _indices(part.boxes)
    ]
    turned = next((one for one in pieces if len(one[1]) != 3 or one[1][1] != one[1][2] or not one[1][0]), None)
    if turned is not None:
        return (*turned, (turned[1][0] if turned[1] else None, None, None))
    total = sum(shape[0] * shape[1] for _, shape in pieces)
    if total == outputs:
        return None
    sizes = [shape for _, shape in pieces]
    name, shape = min(pieces, key=lambda one: (sizes.count(one[1]), one[0] != pieces[-1][0]))
    rest, blocks = outputs - total + shape[0] * shape[1], next(one[0] for one in (*sizes, shape) if one)
    fits = rest > 0 and rest % blocks == 0
    return name, shape, (blocks, rest // blocks, rest // blocks) if fits else (blocks, None, None)


def lost_pieces(modules: Sequence[ChangedModule]) -> Iterator[AdapterPartMissing]:
    """Findings on rotations that a module lacks although the same module of other blocks, or a later rotation, has
    them.
    """
    numbers = {
        (module.component, module.name): {box[-1] for box in _indices(module.parts[PIECES][1].boxes)}
        for module in modules
        if PIECES in module.parts
    }
    most: dict[tuple[str, str], int] = {}
    for (component, name), own in numbers.items():
        most[component, _of_blocks(name)] = max(max(own), most.get((component, _of_blocks(name)), 0))
    for (component, name), own in numbers.items():
        lost = [number for number in range(most[component, _of_blocks(name)] + 1) if number not in own]
        key = next(one.parts[PIECES][0] for one in modules if (one.component, one.name) == (component, name))
        stem = key.rpartition(".")[0]
        if lost:
            names = tuple(f"{stem}.{number}" for number in lost)
            yield AdapterPartMissing(method="oft", part="blocks", modules=1, of=len(numbers), names=names[:NAMES_SHOWN],
                                     present=f"{stem}.{min(own)}")  # fmt: skip


def _of_blocks(name: str) -> str:
    """A module's name without the numbers of its blocks; the number in `linear1` is part of the name."""
    return re.sub(r"(?<=[._])\d+(?=[._])", "#", name)


def _indices(boxes: Iterable[Box]) -> Iterator[tuple[int, ...]]:
    return (index for box in boxes for index in tuples(box))
