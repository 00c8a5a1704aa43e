"""Blocks that are absent from the sequence of a UNet or a ControlNet in latent-diffusion's names.

CompVis' `openaimodel.py` and ControlNet's `cldm.py` build their blocks in one loop: the numbers have no gaps, a UNet
has as many output blocks as input blocks, a ControlNet as many convolutions after the blocks as blocks. The middle is
one residual block, or two around an attention; smaller UNets have none (ComfyUI's `transformer_depth_middle`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Final

from inspector.dialects.single_file import ComponentTensors
from inspector.findings.finding import Finding, Place

_NUMBER: Final = re.compile(r"(input_blocks|output_blocks|middle_block|zero_convs)\.(\d{1,3})\.")
INPUT: Final = "input_blocks"
PAIRED: Final = {"unet": "output_blocks", "controlnet": "zero_convs"}
"""Component -> the sequence with as many members as the input blocks."""
MIDDLE: Final = "middle_block"
MIDDLES: Final = (frozenset[int](), frozenset({0}), frozenset({0, 1, 2}))
"""The numbers that a middle may have."""


def lost_blocks(component: ComponentTensors) -> Iterator[Finding]:
    """The finding on numbers that are absent from the sequences of blocks."""
    if component.name not in PAIRED:
        return
    numbers: dict[str, set[int]] = {}
    for name in component.names.values():
        if found := _NUMBER.match(name, len(component.prefix)):
            numbers.setdefault(found[1], set()).add(int(found[2]))
    paired = PAIRED[component.name]
    if not numbers.get(INPUT) or not numbers.get(paired):
        return
    blocks = max(max(numbers[INPUT]), max(numbers[paired])) + 1
    wanted = {INPUT: range(blocks), paired: range(blocks), MIDDLE: _middle(numbers.get(MIDDLE, set()))}
    lost = [
        f"{component.prefix}{sequence}.{number}"
        for sequence, whole in wanted.items()
        for number in whole
        if number not in numbers.get(sequence, ())
    ]
    if not lost:
        return
    from inspector.findings.names.single_file import NetworkBlocksMissing

    stored = sum(len(one) for sequence, one in numbers.items() if sequence in wanted)
    yield NetworkBlocksMissing(place=Place(), network=component.name, blocks=tuple(lost), stored=stored)


def _middle(stored: Set[int]) -> range:
    """The numbers of the smallest middle that has the stored ones."""
    return range(next((len(one) for one in MIDDLES if stored <= one), 0))
