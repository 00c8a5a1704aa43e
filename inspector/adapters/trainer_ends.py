"""LoRA in the names of diffusers with the ends or scales of sd-scripts, as OneTrainer writes it, for other classes than
FLUX.

Measured with diffusers 0.42 (`read_ways.json`): after `transformer.`, `lora_down`, `lora_up` and `alpha` are read for
FLUX, Chroma and Bria FIBO alone. For FLUX.2 no tensor is found, unless it is PEFT's with a scale; every other class
refuses them (ValueError: a name without `lora`; for Qwen-Image and Z-Image, which convert them and add `transformer.`
again, no module of that name).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from inspector.adapters.names import OF_SD_SCRIPTS, renames_of, with_ending_of_peft
from inspector.adapters.read_ways import ALPHA, OWN, REFUSED, outcome, read_way, renaming, way_of
from inspector.adapters.tools import ToolTensor
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

TRANSFORMER: Final = "transformer."
DROPPED: Final = ".dora_scale"
"""Ending of the magnitudes of a DoRA that diffusers leaves out of every file before it reads the pairs."""
OF_PEFT: Final = tuple(OF_SD_SCRIPTS.values())
FIRST: Final = (".lora_down.weight", ".lora_A.weight")
QWEN: Final = "QwenImageTransformer2DModel"
OF_CLASSES: Final[Mapping[str, str]] = {
    QWEN: r"transformer_blocks\.[\d#]+\.(?:img|txt)_(?:mlp|mod)\.",
    "ZImageTransformer2DModel": r"(?:layers|noise_refiner|context_refiner)\.[\d#]+\.attention\.to_",
    "Lumina2Transformer2DModel": r"(?:layers|noise_refiner|context_refiner)\.[\d#]+\.attn\.to_",
    "HiDreamImageTransformer2DModel": r"(?:double|single)_stream_blocks\.",
    "AuraFlowTransformer2DModel": r"joint_transformer_blocks\.",
    "WanTransformer3DModel": r"blocks\.[\d#]+\.attn[12]\.",
    "HunyuanVideoTransformer3DModel": r"context_embedder\.token_refiner\.",
    "Flux2Transformer2DModel":
        r"(?:single_)?transformer_blocks\.[\d#]+\.(?:ff(?:_context)?\.linear_(?:in|out)|attn\.to_qkv_mlp_proj)\.",
}  # fmt: skip
"""Class -> modules that only it has among the classes that were tried."""
SEVERAL: Final = re.compile(r"transformer\.transformer_blocks\.[\d#]+\.attn[12]\.")
"""Modules of CogVideoX, LTX-Video, Sana, SD 3 and others, which FLUX and its relatives do not have."""
_JOINT: Final = re.compile(r"transformer\.transformer_blocks\.#\.attn\.(?:to_[qkv]|add_[qkv]_proj)\.")
"""Attention that FLUX, SD 3, HunyuanVideo and Qwen-Image name alike."""
WIDTHS_OF_SD3: Final = frozenset({1536, 2432})
MOST_OF_OTHERS: Final = 38
"""Most of these blocks in a published model other than Qwen-Image, which has 60: those of SD 3.5 Large."""


def unread_ends(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on a LoRA whose modules show that diffusers does not read its endings."""
    scales = [key for key in found if key.endswith(ALPHA)]
    pairs = [key for key in found if key.endswith((*OF_SD_SCRIPTS, *(OF_PEFT if scales else ())))]
    firsts = [key for key in pairs if key.endswith(FIRST)]
    if not firsts or not all(key.startswith(TRANSFORMER) for key in found):
        return
    kind = _class_of(firsts, families)
    way = way_of(firsts[0], bool(scales))
    if kind is None or way is None:
        return
    from inspector.findings.adapters.unread import AdapterMethodUnread, AdapterNamesUnread

    stored = names_in(firsts[0], families[firsts[0]].stored[0].boxes, 1)[0]
    if any(key.endswith(DROPPED) for key in found):  # renaming would lose them
        yield AdapterMethodUnread(what="DoRA", such_as=stored, refused=True)
        return
    one_way = len({(key.endswith(OF_PEFT), _stem(key) + ALPHA in found) for key in firsts}) == 1
    other = read_way(kind, OWN, way) if kind and one_way and scales else None
    named = with_ending_of_peft if other is None else renaming(way, other)
    renamed = pairs if other is None else [*pairs, *scales]
    lost = bool(scales) and other is None
    yield AdapterNamesUnread(
        tensors=sum(families[key].tensors for key in (*pairs, *scales)),
        stored=stored,
        wanted=named(stored),
        renames=() if lost else renames_of(renamed, named, families),
        kind=kind if other is not None else "",
        scaled=lost,
        refused=not kind or outcome(kind, OWN, way) == REFUSED,
    )


def _stem(key: str) -> str:
    """The name of a first matrix without its end."""
    return next((key.removesuffix(end) for end in FIRST if key.endswith(end)), key)


def _class_of(keys: Sequence[str], families: Families) -> str | None:
    """The class whose modules these are, "" for one of several; None if it may be FLUX or was not tried."""
    for kind, own in OF_CLASSES.items():
        modules = re.compile(rf"transformer\.{own}")
        if any(map(modules.match, keys)):
            return kind
    if any(map(SEVERAL.match, keys)):
        return ""
    for key in filter(_JOINT.match, keys):
        if {shape[-1] for shape in families[key].shapes if shape} <= WIDTHS_OF_SD3:
            return "SD3Transformer2DModel"
        if any(box[0].runs[-1][1] > MOST_OF_OTHERS for one in families[key].stored for box in one.boxes):
            return QWEN
    return None
