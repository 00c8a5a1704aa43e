"""What the training scripts of IP-Adapter save: the adapter and the whole UNet under the names of the training class.

`adapter_modules.` numbers the attention processors as `ip_adapter.` does (`tutorial_train.py` of its authors). They are
also modules of the UNet, and a safetensors file has each of them once: it may have the names in the UNet alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from inspector.auditing.adapter.image_prompt_layers import LAYERS, numbers_of
from inspector.findings.finding import Finding
from inspector.loader.layout import Layout

ADAPTER: Final = "adapter_modules."
PROJECTION: Final = "image_proj_model."
UNET: Final = "unet."
ENDS: Final = (".to_k_ip.weight", ".to_v_ip.weight")
_IN_UNET: Final = re.compile(
    r"unet\.(?P<layer>(?:down_blocks|up_blocks|mid_block)\..*\.attn2)\.processor(?P<end>\.to_[kv]_ip\.weight)"
)
_LORA: Final = re.compile(
    r"unet\.(?:down_blocks|up_blocks|mid_block)\..*\.attn[12]\.processor\.to_(?:q|k|v|out)_lora\.(?:down|up)\.weight"
)
"""LoRA that adapters for faces train in every attention layer."""


def image_prompt_training(tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on an IP-Adapter under the names of its training class."""
    adapter = [name for name in tensors if name.startswith(ADAPTER)]
    projection = [name for name in tensors if name.startswith(PROJECTION)]
    inside = {name: found for name in tensors if (found := _IN_UNET.fullmatch(name)) is not None}
    numbered = any(name.endswith(ENDS) for name in adapter)
    if not projection or not (numbered or inside):
        return
    from inspector.findings.adapters.image_prompt import AdapterInTraining

    wanted = ""
    loras = [] if numbered else [name for name in tensors if _LORA.fullmatch(name)]
    if not numbered:
        numbers = numbers_of(found["layer"] for found in inside.values())
        adapter = sorted(inside, key=lambda name: numbers[inside[name]["layer"]])
        first = inside[adapter[0]]
        wanted = f"{LAYERS}{numbers[first['layer']]}{first['end']}"
    yield AdapterInTraining(
        tensors=len(adapter) + len(projection) + len(loras),
        such_as=adapter[0],
        beside=sum(name.startswith(UNET) and name not in inside for name in tensors) - len(loras),
        loras=len(loras),
        wanted=wanted,
    )
