"""The two parts of an IP-Adapter: one of them is absent, or the layers have the names of the UNet instead of numbers.

diffusers 0.42 asks for `1.to_k_ip.weight`, `3.to_k_ip.weight` and so on in the order of the UNet's attention processors
(`_convert_ip_adapter_attn_to_diffusers`), as the authors' ModuleList numbers them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from inspector.adapters.image_projection import images_beside
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.matcher.families import Families

LAYERS: Final = "ip_adapter."
PROJECTION: Final = "image_proj."
_NAMED: Final = re.compile(
    r"ip_adapter\.(?:unet\.)?(?P<layer>(?P<block>down_blocks|up_blocks|mid_block)\..*\.attn2)\.(?:processor\.)?"
    r"(?P<end>to_[kv]_ip\.weight)"
)
_NUMBERED: Final = re.compile(r"ip_adapter\.\d+\.to_[kv]_ip\.weight")
_ORDER: Final = ("down_blocks", "up_blocks", "mid_block")
ENCODER: Final = "image_encoder"
"""The folder next to an IP-Adapter from which `load_ip_adapter` takes the image encoder if none is given."""
LAYERS_OF_UNETS: Final = frozenset({16, 70})
"""Numbers of attention layers to the text in the UNets of Stable Diffusion 1 and 2, and of SDXL."""


def image_prompt_layers(names: Collection[str]) -> Iterator[Finding]:
    """The finding on an IP-Adapter with one of its two parts, or with layers that programs do not find. names: of all
    tensors.
    """
    layers = [name for name in names if name.startswith(LAYERS)]
    if not layers and all(name.startswith(PROJECTION) for name in names):
        from inspector.findings.adapters.image_prompt import AdapterWithoutAttention

        yield AdapterWithoutAttention(tensors=len(names))
        return
    if layers and len(layers) == len(names) and all(_NUMBERED.fullmatch(name) for name in layers):
        from inspector.findings.adapters.image_prompt import AdapterWithoutProjection

        yield AdapterWithoutProjection(tensors=len(names))
        return
    found = [(name, one) for name in layers if (one := _NAMED.fullmatch(name)) is not None]
    if not found or len(found) < len(layers):
        return
    from inspector.findings.adapters.image_prompt import AdapterNamedByUnet

    numbers = numbers_of(one["layer"] for _, one in found)
    renames = [(name, f"{LAYERS}{numbers[one['layer']]}.{one['end']}") for name, one in found]
    whole = len(numbers) in LAYERS_OF_UNETS and len({new for _, new in renames}) == 2 * len(numbers) == len(renames)
    first, wanted = min(renames, key=lambda pair: _place(pair[0].removeprefix(LAYERS)))
    yield AdapterNamedByUnet(tensors=len(found), such_as=first, wanted=wanted, renames=tuple(renames) if whole else ())


def numbers_of(layers: Iterable[str]) -> dict[str, int]:
    """Attention layer to the text in a UNet -> its number among the attention processors, of which every second one is
    such a layer.
    """
    return {layer: 2 * at + 1 for at, layer in enumerate(sorted(set(layers), key=_place))}


def _place(layer: str) -> tuple[int, list[int]]:
    start = next((at for at, one in enumerate(_ORDER) if layer.startswith(one)), len(_ORDER))
    return start, [int(number) for number in re.findall(r"(?<=\.)\d+(?=\.)", layer)]


def other_encoder_beside(checkpoint: Checkpoint, families: Families) -> Iterator[Finding]:
    """The finding on the image encoder in the folder of an IP-Adapter, if it is one for another adapter."""
    beside = load_within(checkpoint, ENCODER) if checkpoint.folder and not checkpoint.alone else None
    if beside is not None and beside.config is not None:
        yield from images_beside(families, beside.config.values, ENCODER)
