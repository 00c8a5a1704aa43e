"""Kohya's names of Wan's blocks, which diffusers reads only if every block is complete.

Measured with diffusers 0.42 (`WanLoraLoaderMixin.lora_state_dict`): with the prefix `lora_unet_`, the first module that
a block lacks raises a KeyError, from block 0 to the last; with `diffusion_model.` and the authors' names each module is
read on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from inspector.adapters.names import renames_of
from inspector.adapters.tools import ToolTensor
from inspector.findings.finding import Finding
from inspector.matcher.families import Families

MODULES: Final = (*(f"{kind}_attn_{part}" for kind in ("self", "cross") for part in "qkvo"), "ffn_0", "ffn_2")
"""The modules that every block must have."""
_NAME: Final = re.compile(
    r"lora_unet_blocks_(?P<block>\d{1,3})_(?P<module>(?:self|cross)_attn_(?:[qkvo]|[kv]_img)|ffn_[02])"
    r"\.(?P<end>alpha|lora_(?:down|up)\.weight)"
)


def partial_blocks(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on blocks of Wan that diffusers refuses."""
    own = {key: match for key in found if (match := _NAME.fullmatch(key)) is not None}
    stored = {(int(match["block"]), match["module"]) for match in own.values() if match["end"] != "alpha"}
    if not stored:
        return
    last = max(block for block, _ in stored)
    absent = [(block, module) for block in range(last + 1) for module in MODULES if (block, module) not in stored]
    if not absent:
        return
    from inspector.findings.adapters.unread import AdapterBlocksPartial

    block, module = absent[0]
    yield AdapterBlocksPartial(
        such_as=next(key for key in own if key.endswith("lora_down.weight")),
        absent=f"lora_unet_blocks_{block}_{module}",
        modules=len(absent),
        renames=renames_of(own, _of_author, families) if len(own) == len(families) else (),
    )


def _of_author(key: str) -> str:
    """The name of Wan's authors, after `diffusion_model.`."""
    found = _NAME.fullmatch(key)
    if found is None:
        return key
    module = re.sub(r"^((?:self|cross)_attn|ffn)_", r"\1.", found["module"])
    return f"diffusion_model.blocks.{found['block']}.{module}.{found['end']}"
