"""Names of a LoRA that diffusers reads and ComfyUI does not, and the names that both read.

Source: `model_lora_keys_unet` in ComfyUI's `comfy/lora.py`. It lists the attention of a UNet after `unet.` as
`processor.to_q` alone, and that of Z-Image in diffusers' names after `diffusion_model.`, `transformer.` and `lycoris_`,
but not after `lora_unet_`, as musubi-tuner saves it. diffusers 0.42 reads the new names (`lora_state_dict` of Stable
Diffusion, SDXL and Z-Image, measured).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from inspector.adapters.names import renames_of
from inspector.adapters.tools import ToolTensor
from inspector.algebra.boxes import Box
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

_OF_UNET: Final = re.compile(
    r"unet\.(?:(?:down|up)_blocks\.[\d#]+|mid_block)\.attentions\.[\d#]+\.transformer_blocks\.[\d#]+\.attn[12]\."
    r"to_(?:q|k|v|out\.[\d#]+)\.(?:lora\.|lora_)"
)
"""A module of a UNet's attention as diffusers names it."""
_OF_Z_IMAGE: Final = re.compile(
    r"lora_unet_(?:layers|noise_refiner|context_refiner)_[\d#]+_attention_to_(?:q|k|v|out_[\d#]+)\."
)
_BLOCK_OF_Z_IMAGE: Final = re.compile(
    r"lora_unet_(layers|noise_refiner|context_refiner)_([\d#]+)_(?:(attention|feed_forward)_)?"
    r"(to_[qkv]|to_out|w[123]|adaLN_modulation)(?:_([\d#]+))?(\..+)"
)
"""A module of Z-Image's blocks in Kohya's scheme: block, its number, network, module, number, ending."""
_NUMBER: Final = re.compile(r"(?<=[._])[\d#]+(?=[._])")
ENDS: Final = {"down": "lora_down.weight", "up": "lora_up.weight", "alpha": "alpha"}
FIRST: Final = "down"
"""The matrix that is shown."""
PREFIXES: Final = {"unet": "lora_unet_", "text_encoder": "lora_te1_", "text_encoder_2": "lora_te2_"}
"""Component -> prefix of Kohya's scheme, which ComfyUI and diffusers read."""
CONVERTER: Final = "musubi-tuner's convert_lora.py (--target other)"


def names_unread_by_comfyui(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on names of modules that ComfyUI does not list, although diffusers reads them."""
    unet = sorted((key for key in found if _OF_UNET.match(key)), key=lambda key: found[key].part != FIRST)
    if unet:
        yield _note(families, found, unet, lambda key: _of_kohya(found[key]), "")
        return
    flat = sorted((key for key in found if _OF_Z_IMAGE.match(key)), key=lambda key: found[key].part != FIRST)
    if flat:
        yield _note(families, found, flat, _with_dots, CONVERTER)


def _note(
    families: Families,
    found: Mapping[str, ToolTensor],
    unread: list[str],
    named: Callable[[str], str],
    converter: str,
) -> Finding:
    from inspector.findings.adapters.of_comfyui import AdapterUnreadByComfyui

    wanted = {key: named(key) for key in found}
    whole = all(wanted.values())
    pairs = renames_of(wanted, wanted.__getitem__, families) if whole else ()
    boxes = families[unread[0]].stored[0].boxes
    return AdapterUnreadByComfyui(
        tensors=sum(families[key].tensors for key in unread),
        of=sum(families[key].tensors for key in found),
        stored=names_in(unread[0], boxes, 1)[0],
        wanted=_first(wanted[unread[0]], boxes[0]) if whole else "",
        renames=tuple(dict.fromkeys((_starred(old), _starred(new)) for old, new in pairs)) if converter else pairs,
        converter=converter,
    )


def _of_kohya(tensor: ToolTensor) -> str:
    """The name in Kohya's scheme; "" for a part that it does not have."""
    prefix, end = PREFIXES.get(tensor.component), ENDS.get(tensor.part)
    return "" if prefix is None or end is None else f"{prefix}{tensor.module.replace('.', '_')}.{end}"


def _with_dots(key: str) -> str:
    """The name in ComfyUI's format; "" for a module of another network."""
    found = _BLOCK_OF_Z_IMAGE.fullmatch(key)
    if found is None:
        return ""
    block, number, network, module, last, end = found.groups()
    return ".".join(one for one in ("diffusion_model", block, number, network, module, last) if one) + end


def _first(name: str, box: Box) -> str:
    """A name with the first numbers of a box; # may stand between underscores."""
    numbers = (str(axis.first) for axis in box)
    return re.sub("#", lambda found: next(numbers, found[0]), name)


def _starred(pattern: str) -> str:
    """A pattern of names in Kohya's scheme, or of the new ones, for all numbers of a block."""
    return _NUMBER.sub("*", pattern)
