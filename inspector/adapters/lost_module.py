"""Finds the only module that an adapter of another tool lacks: all other blocks of its kind change this module.

Such a file states no targets, so that only its own regularity shows a loss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from inspector.adapters.changed_modules import ChangedModule, like
from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.tensors import AdapterTargetMissing
from inspector.findings.finding import Finding, Place

_NUMBER: Final = re.compile(r"(?<=[._])\d{1,6}(?=[._]|$)")
CONTROL: Final = "controlnet"
FEWEST_BLOCKS: Final = 4
"""Fewest blocks of one kind that form a pattern from which one block can deviate."""
FEWEST_MODULES: Final = 3
"""Fewest modules of such a block."""


def lost_module(modules: Sequence[ChangedModule]) -> Iterator[Finding]:
    """The finding on the only absent module, in one inner block, if another module of the same block is stored."""
    named: dict[str, list[str]] = {}
    for module in modules:
        listed = named.setdefault(module.component, [])
        listed.extend(name_of(module.name, index) for box in module.everywhere for index in tuples(box))
    lost = [one for component, names in named.items() for one in _of_component(component, names)]
    if len(lost) == 1:
        yield AdapterTargetMissing(
            place=Place(tensor=lost[0]), modules=(), count=1, tensors=1, base=None, confidence="likely", stated=False
        )


def _of_component(component: str, names: Sequence[str]) -> list[str]:
    """The lost modules of one component: of a series of equal blocks, else of blocks within blocks of several kinds.

    A Control-LoRA has a check of its own (`lost_of_control`).
    """
    lacking, found = _of_series(names)
    return found or (_of_nested(names) if lacking and component != CONTROL else [])


def _of_series(names: Sequence[str]) -> tuple[int, list[str]]:
    """(the modules that some blocks lack, the absent module if there is only one, in one inner block).

    A series is counted by the first number of a name.
    """
    blocks: dict[tuple[str, str], set[int]] = {}
    depths: dict[tuple[str, str], set[int]] = {}
    for name in names:
        match = _NUMBER.search(name)
        if match is not None:
            before, behind = name[: match.start()], name[match.end() :]
            blocks.setdefault((before, behind), set()).add(int(match[0]))
            depths.setdefault((before, _part(behind)), set()).add(int(match[0]))
    whole: dict[str, tuple[int, int]] = {}
    for (before, _), found in depths.items():
        first, last = whole.get(before, (min(found), max(found)))
        whole[before] = min(first, *found), max(last, *found)
    lacking = [key for key, found in blocks.items() if len(found) <= whole[key[0]][1] - whole[key[0]][0]]
    if len(lacking) != 1:
        return len(lacking), []
    ((before, behind),) = lacking
    (first, last), found = whole[before], blocks[before, behind]
    number = (first + last) * (last - first + 1) // 2 - sum(found)  # where one is absent, what the sum lacks
    inner = len(found) == last - first and first < number < last
    around = (
        found for (start, part), found in depths.items() if start == before and (part == _part(behind) or not behind)
    )
    return 1, [f"{before}{number}{behind}"] if inner and any(number in found for found in around) else []


def _of_nested(names: Sequence[str]) -> list[str]:
    """The absent module of an inner block, if the blocks of each kind agree in all other modules.

    The kind of a block is its name without numbers: the transformer blocks of a UNet are of one kind in its input
    blocks and of another in its output blocks. Kinds with the same last words before the number are judged together.
    """
    kinds: dict[tuple[str, str], dict[str, set[str]]] = {}
    for name in names:
        start = 0
        for number in _NUMBER.finditer(name):
            block, behind = name[: number.end()], name[number.end() :]
            kind = name[start : number.start()], like(block)
            kinds.setdefault(kind, {}).setdefault(block, set()).add(behind)
            start = number.end()
    lost: dict[str, list[tuple[str, bool]]] = {}
    for (words, _), blocks in kinds.items():
        every = set[str]().union(*blocks.values())
        if len(blocks) < FEWEST_BLOCKS or len(every) < FEWEST_MODULES:
            continue
        ends = min(blocks, key=_numbers), max(blocks, key=_numbers)
        absent = [(block + behind, block not in ends) for block, found in blocks.items() for behind in every - found]
        lost.setdefault(words, []).extend(absent)
    return list({name for absent in lost.values() for name, inner in absent if inner and len(absent) == 1})


def _numbers(block: str) -> list[int]:
    return [int(one) for one in _NUMBER.findall(block)]


def _part(behind: str) -> str:
    """The part of a block that a module belongs to: its name without the last word."""
    return behind[: max(behind.rfind("."), behind.rfind("_"))]
