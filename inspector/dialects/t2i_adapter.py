"""T2I-Adapters on their own: the names of TencentARC's files and of diffusers', and the config that shapes show. Pure.

Sources: TencentARC's `ldm/modules/encoders/adapter.py` (all blocks in one sequence, two of a stage, or the blocks of a
light one below `body`), diffusers' `models/adapter.py`, ComfyUI's `load_t2i_adapter`, which reads both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count, takewhile
from typing import Final

from inspector.dialects.language import Dialect
from inspector.dialects.lone_signs import T2I_SIGNS
from inspector.loader.layout import Layout

TENCENT: Final = Dialect(
    writer="TencentARC's T2I-Adapter",
    exporter="scripts/convert_original_t2i_adapter.py of diffusers",
    names={},
    signs=(),
)
"""The program; its names cannot be described by a table."""
CLASS: Final = "T2IAdapter"
PREFIX: Final = "adapter."
"""Prefix of diffusers' names; the network inside saves the same names without it."""
OF_SDXL: Final = (256, 768)
"""Channels of an image that is folded into a sixteenth of its size: in grey, and in colour."""
_BLOCKS: Final = 2
"""Blocks of a stage, which TencentARC numbers in one sequence."""
_IN_SEQUENCE: Final = re.compile(r"body\.(\d{1,3})\.(block1|block2|in_conv)\.(.+)")
_LIGHT: Final = re.compile(r"body\.(\d{1,3})\.body\.(\d{1,3})\.(.+)")


def renaming(tensors: Mapping[str, Layout]) -> Callable[[str], str] | None:
    """The function that gives the tensors diffusers' names; None if they are not those of such a network."""
    sign = next((one for one in T2I_SIGNS if one in tensors), None)
    if sign is None:
        return None

    def rename(name: str) -> str:
        if name.startswith(PREFIX):
            return name
        if sign == T2I_SIGNS[0] and (block := _IN_SEQUENCE.fullmatch(name)):
            stage, number = divmod(int(block[1]), _BLOCKS)
            inner = f"{block[2]}.{block[3]}"
            name = f"body.{stage}.{inner}" if block[2] == "in_conv" else f"body.{stage}.resnets.{number}.{inner}"
        elif sign == T2I_SIGNS[1] and (block := _LIGHT.fullmatch(name)):
            name = f"body.{block[1]}.resnets.{block[2]}.{block[3]}"
        return PREFIX + name

    return rename


def config_of(tensors: Mapping[str, Layout]) -> dict[str, object] | None:
    """The config of the class that has these shapes, by names of diffusers; None if a stage shows no width."""
    light = f"{PREFIX}body.0.in_conv.weight" in tensors
    module = "out_conv" if light else "resnets.0.block1"
    stages = 1 + max((int(name.split(".")[2]) for name in tensors if name.startswith(f"{PREFIX}body.")), default=-1)
    found = [tensors.get(f"{PREFIX}body.{stage}.{module}.bias") for stage in range(stages)]
    widths = [one.shape[0] for one in found if one is not None and one.shape]
    first = tensors.get(f"{PREFIX}body.0.in_conv.weight" if light else f"{PREFIX}conv_in.weight")
    if first is None or len(first.shape) < 2 or not widths or len(widths) < len(found):
        return None
    blocks = takewhile(lambda block: f"{PREFIX}body.0.resnets.{block}.block1.weight" in tensors, count())
    channels = first.shape[1]
    side = next(factor for factor in (16 if channels in OF_SDXL else 8, 1) if channels % factor**2 == 0)
    return {
        "_class_name": CLASS,
        "adapter_type": "light_adapter" if light else _kind(tensors, widths),
        "channels": widths[:-1] if light else widths,  # the last block of a light one has the width of the one before
        "downscale_factor": side,
        "in_channels": channels // side**2,
        "num_res_blocks": len(list(blocks)),
    }


def _kind(tensors: Mapping[str, Layout], widths: Sequence[int]) -> str:
    """The kind of a full network: only that for SDXL has no convolution where its last stage widens."""
    joins = f"{PREFIX}body.{len(widths) - 1}.in_conv.weight" in tensors
    return "full_adapter_xl" if widths[-2:-1] != widths[-1:] and not joins and len(widths) > 3 else "full_adapter"
