"""AnimateDiff's own names of motion modules, which diffusers reads as a MotionAdapter or a SparseControlNetModel. Pure.

Source: diffusers' `convert_animatediff_checkpoint_to_diffusers` in `loaders/single_file_utils.py`. Its class computes
the tables of positions, of which it has one for a block, and AnimateDiff one for each attention.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from inspector.dialects.lone_signs import MOTION_SIGN
from inspector.loader.layout import Layout

POSITIONS: Final = re.compile(r".*\.temporal_transformer\..*\.attention_blocks\.[1-9]\d*\.pos_encoder\.pe")
"""A table of positions of a later attention of a block."""
_PARTS: Final = {
    ".attention_blocks.0.pos_encoder.": ".pos_embed.",
    ".temporal_transformer": "", ".attention_blocks.0": ".attn1", ".attention_blocks.1": ".attn2",
    ".norms.0": ".norm1", ".norms.1": ".norm2", ".ff_norm": ".norm3",
}  # fmt: skip


def renaming(tensors: Mapping[str, Layout]) -> Callable[[str], str] | None:
    """The function that gives the tensors diffusers' names; None if they are not AnimateDiff's."""
    if MOTION_SIGN not in tensors:
        return None

    def rename(name: str) -> str:
        for own, new in _PARTS.items():
            name = name.replace(own, new)
        return name

    return rename
