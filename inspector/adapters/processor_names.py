"""Adapters with the names of XLabs' x-flux: `double_blocks.0.processor.qkv_lora1.down.weight`.

diffusers reads them (`_convert_xlabs_flux_lora_to_diffusers`), and so do XLabs' own nodes. ComfyUI converts them only
if pairs of the last block of either kind are there (`convert_lora` in `comfy/lora_convert.py`, which is for USO).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.adapters.names import renames_of
from inspector.adapters.tools import XFLUX, ToolTensor
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

CONVERTED: Final = {
    "single_blocks.#.processor.qkv_lora.up.weight": 37,
    "double_blocks.#.processor.qkv_lora2.up.weight": 18,
}
"""Family -> the block by which ComfyUI recognizes the names."""
ENDS: Final = {"down": "lora_down", "up": "lora_up"}


def _blocks(families: Families, key: str) -> set[int]:
    """The numbers of the blocks in which a family is stored."""
    return {block for box in families[key].boxes for block in box[0]} if key in families else set()


def unread_by_comfyui(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on an adapter with XLabs' names that ComfyUI does not convert."""
    own = {key: one for key, one in found.items() if one.writer == XFLUX}
    if not own or all(block in _blocks(families, key) for key, block in CONVERTED.items()):
        return
    from inspector.findings.adapters.unread import AdapterOfXlabs

    wanted = {key: f"diffusion_model.{one.module}.{ENDS[one.part]}.weight" for key, one in own.items()}
    first = next(iter(own))
    boxes = families[first].stored[0].boxes
    yield AdapterOfXlabs(
        tensors=sum(families[key].tensors for key in own),
        stored=names_in(first, boxes, 1)[0], wanted=names_in(wanted[first], boxes, 1)[0],
        renames=renames_of(own, wanted.__getitem__, families),
    )  # fmt: skip
