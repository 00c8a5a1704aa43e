"""Names of a LoRA that diffusers reads for some of its classes, but not for the class of the base.

Measured with diffusers 0.42: `load_lora_weights` of a pipeline of each class, with the class's own modules under each
naming scheme. A file that is not read is refused, or nothing of it is loaded. The flat names of OneTrainer
(`lora_transformer_`) are read only for FLUX and its relatives, and in the blocks only for the attention: with a module
of the MLP or of a norm the file is refused (KeyError). sd-scripts' endings after the dotted names of diffusers are also
read only for these classes; for Qwen-Image and Z-Image, any names after `lora_unet_` or `diffusion_model.` are read;
after `lycoris_` no class reads any. `alpha` next to the names of diffusers is refused except for FLUX, which reads it
together with sd-scripts' endings: for other classes the scale has to be multiplied into a matrix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.names import PREFIX, renames_of
from inspector.adapters.read_ways import AUTHORS, OPEN, OWN, PARTLY, READ, REFUSED, outcome, read_way, renaming, way_of
from inspector.adapters.tool_base import BaseModules, component_name, plain
from inspector.adapters.trainer_ends import DROPPED
from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.misspelled import AdapterNamesMisspelled
from inspector.findings.adapters.unread import MATRIX, AdapterDimsUnread, AdapterMethodUnread, AdapterNamesUnread
from inspector.findings.adapters.wrapped import AdapterModulesWrapped
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

_FLUX: Final = frozenset({"FluxTransformer2DModel", "ChromaTransformer2DModel", "BriaFiboTransformer2DModel"})
_ANY_PREFIX: Final = frozenset({"QwenImageTransformer2DModel", "ZImageTransformer2DModel"})
_OF_COMFYUI: Final = _ANY_PREFIX | {
    "LTXVideoTransformer3DModel", "LTX2VideoTransformer3DModel", "Flux2Transformer2DModel",
    "HiDreamImageTransformer2DModel", "ErnieImageTransformer2DModel",
}  # fmt: skip
MEASURED: Final = _FLUX | _OF_COMFYUI | {
    "UNet2DConditionModel", "SD3Transformer2DModel", "WanTransformer3DModel", "CogVideoXTransformer3DModel",
    "Lumina2Transformer2DModel", "SanaTransformer2DModel", "HunyuanVideoTransformer3DModel",
    "AuraFlowTransformer2DModel", "CogView4Transformer2DModel", "MochiTransformer3DModel", "HeliosTransformer3DModel",
}  # fmt: skip
"""Classes for which each naming scheme was tried."""
NO_LORA: Final = frozenset({
    "PixArtTransformer2DModel", "StableCascadeUNet", "DiTTransformer2DModel", "HunyuanDiT2DModel",
    "LuminaNextDiT2DModel", "LatteTransformer3DModel", "AllegroTransformer3DModel",
    "StableAudioDiTModel", "UNetSpatioTemporalConditionModel",
})  # fmt: skip
"""Classes without `load_lora_adapter`; no pipeline with them has `load_lora_weights`."""


class Way(Struct, frozen=True):
    """A scheme for naming the modules of diffusers' classes. names: pattern of its names; read_for: the classes.

    refused: names of this scheme for which these classes refuse the whole file.
    """

    names: re.Pattern[str]
    read_for: frozenset[str]
    refused: re.Pattern[str] | None = None


WAYS: Final = (
    Way(re.compile(r"(?:transformer|unet)\..*\.lora_(?:down|up)\.weight"), _FLUX),
    Way(re.compile(r"diffusion_model\..*\.lora_(?:down|up)\.weight"), _ANY_PREFIX),
    Way(re.compile(r"diffusion_model\..*\.lora_[AB]\.weight"), _OF_COMFYUI),
    Way(
        re.compile(r"lora_transformer_.*\.lora_(?:down|up)\.weight"),
        _FLUX,
        re.compile(r"lora_transformer_(?:single_)?transformer_blocks_\d+_(?!attn_).*"),
    ),
    Way(re.compile(r"lora_unet_.*\.lora_(?:down|up)\.weight"), _ANY_PREFIX | {"UNet2DConditionModel"}),
    Way(re.compile(r"lycoris_.*\.lora_(?:down|up)\.weight"), frozenset()),
    Way(re.compile(r"transformer_blocks\..*\.lora_[AB]\.default\.weight"), frozenset({"QwenImageTransformer2DModel"})),
)
"""Naming schemes for modules under diffusers' names; modules under their authors' names are not covered, although their
prefix is the same.
"""
SCALE: Final = "alpha"
ENDS: Final = {"down": "lora_A.weight", "up": "lora_B.weight"}
"""The matrices of a pair under diffusers' names."""
KEPT_ENDS: Final = {"down": "lora_down.weight", "up": "lora_up.weight", SCALE: SCALE}
"""The same under sd-scripts' names, and the scale, which FLUX and its relatives read together with them."""
PAIR: Final = ENDS.keys()
MAGNITUDE: Final = "magnitude"
KNOWN: Final = PAIR | {SCALE, MAGNITUDE}
SPLITTING: Final = "ZImageTransformer2DModel"
"""The class of which diffusers reads the joined matrix of an attention where none of those that it joins is stored."""
_SPLIT: Final = re.compile(r"(.*attention[._])to[._][qkv]\.")
_JOINED: Final = re.compile(r"(.*attention[._])qkv\.")
RENAMED: Final = (AdapterNamesMisspelled, AdapterModulesWrapped)
"""Findings with the names that programs read."""
TEXT: Final = "text_encoder"
"""Part of the names of components that read the text."""


def unread_by_class(modules: Sequence[ChangedModule], families: Families, base: BaseModules) -> Iterator[Finding]:
    """The note on a LoRA with names that diffusers does not read for the class of the base."""
    of_denoiser = [one for one in modules if TEXT not in one.component]
    pairs = [one for one in of_denoiser if one.method == "lora" and PAIR <= one.parts.keys() <= KNOWN]
    components = {component_name(one.component, base) or "" for one in pairs}
    magnitudes = [one.parts[MAGNITUDE][0] for one in pairs if MAGNITUDE in one.parts]
    if len(components) != 1 or len(pairs) < len(of_denoiser) or not all(one.endswith(DROPPED) for one in magnitudes):
        return
    component = components.pop()
    kind, own = base.kinds.get(component, ""), base.own.get(component, {})
    firsts = [_first(one) for one in pairs]
    if kind in NO_LORA and not any(first.startswith(PREFIX) for first in firsts):
        yield AdapterMethodUnread(what=f"LoRA of {kind}", such_as=firsts[0])
    yield from _of_other_dims(pairs, base.modules.get(component, {}))
    dotted = [_own_name(one, own) for one in pairs]
    if not all(dotted) and not magnitudes:
        yield from _unread_of_authors(pairs, firsts, kind, families)
    refused = [at for at, first in enumerate(firsts) if kind in _FLUX and _is_refused(first)]
    read = (_is_read(first, kind, SCALE in one.parts) for first, one in zip(firsts, pairs, strict=True))
    if kind not in MEASURED or not all(dotted) or (not refused and any(read)):
        return
    example = refused[0] if refused else 0
    if magnitudes:  # renaming would lose them
        yield AdapterMethodUnread(what="DoRA", such_as=firsts[example], refused=True)
        return
    part = "unet" if kind.startswith("UNet") else "transformer"
    scaled = any(SCALE in one.parts for one in pairs)
    other = _with_scale(pairs, firsts, kind) if scaled else None
    keeps_scale = scaled and (kind in _FLUX or other is not None)
    ends = KEPT_ENDS if keeps_scale else ENDS
    named = {
        one.parts[end][0]: f"{part}.{name}.{ends[end]}" if other is None else other(one.parts[end][0])
        for one, name in zip(pairs, dotted, strict=True)
        for end in ends.keys() & one.parts.keys()
    }
    shown = pairs[example].parts["down"][0]
    yield AdapterNamesUnread(
        tensors=sum(families[key].tensors for one in pairs for key, _ in one.parts.values()),
        stored=firsts[example],
        wanted=names_in(named[shown], families[shown].stored[0].boxes, 1)[0],
        renames=() if scaled and not keeps_scale else renames_of(named, named.__getitem__, families),
        kind=kind,
        scaled=scaled and not keeps_scale,
        refused=bool(refused)
        or all(_is_refused_of(first, kind, SCALE in one.parts) for first, one in zip(firsts, pairs, strict=True)),
    )


def _with_scale(pairs: Sequence[ChangedModule], firsts: Sequence[str], kind: str) -> Callable[[str], str] | None:
    """What gives the tensors names with which a class reads the scale, too; None if there are none."""
    ways = {way_of(first, SCALE in one.parts) for first, one in zip(firsts, pairs, strict=True)}
    way = next(iter(ways))
    if len(ways) != 1 or way is None or outcome(kind, OWN, way) == OPEN:
        return None
    other = read_way(kind, OWN, way)
    return None if other is None else renaming(way, other)


def _of_other_dims(pairs: Sequence[ChangedModule], shapes: Mapping[str, Sequence[int]]) -> Iterator[Finding]:
    """The note on pairs for a layer of the other kind, a convolution of one point or a linear layer.

    Measured with 0.42: `load_lora_weights` for the UNet of Stable Diffusion with and without `use_linear_projection`.
    """
    found: list[tuple[ChangedModule, int]] = []
    for one in pairs:
        weight = shapes.get(plain(one.name))
        stored = [part.layout.shape for part in one.parts["down"][1].stored]
        if weight is not None and any(_is_of_other_kind(shape, weight) for shape in stored):
            found.append((one, len(weight)))
    if found:
        first, wanted = found[0]
        shape = first.parts["down"][1].stored[0].layout.shape
        yield AdapterDimsUnread(stored=_first(first), shape=tuple(shape), wanted=wanted, modules=len(found))


def _is_of_other_kind(stored: Sequence[int], weight: Sequence[int]) -> bool:
    """True if one of both is of a linear layer and the other one of a convolution of one point."""
    few, more = sorted((stored, weight), key=len)
    return len(few) == len(MATRIX) < len(more) and all(one == 1 for one in more[len(MATRIX) :])


def _unread_of_authors(
    pairs: Sequence[ChangedModule], firsts: Sequence[str], kind: str, families: Families
) -> Iterator[Finding]:
    """The note on modules in the names of the first authors, where diffusers reads these in other ways or in none."""
    vain = _joined_in_vain(firsts) if kind == SPLITTING else None
    if vain is not None:
        yield AdapterMethodUnread(what="qkv of blocks that have to_q, to_k or to_v", such_as=vain)
        return
    ways = {way_of(first, SCALE in one.parts) for first, one in zip(firsts, pairs, strict=True)}
    way = next(iter(ways))
    if len(ways) != 1 or way is None or outcome(kind, AUTHORS, way) in (READ, OPEN):
        return
    other = read_way(kind, AUTHORS, way)
    if other is None:
        yield AdapterMethodUnread(what=f"LoRA of {kind} in its authors' names", such_as=firsts[0])
        return
    renamed = renaming(way, other)
    keys = [key for one in pairs for key, _ in one.parts.values()]
    yield AdapterNamesUnread(
        tensors=sum(families[key].tensors for key in keys),
        stored=firsts[0],
        wanted=renamed(firsts[0]),
        renames=renames_of(keys, renamed, families),
        kind=kind,
        refused=outcome(kind, AUTHORS, way) == REFUSED,
        partly=outcome(kind, AUTHORS, way) == PARTLY,
    )


def _joined_in_vain(firsts: Sequence[str]) -> str | None:
    """A joined matrix next to one of those that it joins, which diffusers leaves out; None without one."""
    split = {found[1] for one in firsts if (found := _SPLIT.match(one))}
    return next((one for one in firsts if (found := _JOINED.match(one)) and found[1] in split), None)


def _is_read(name: str, kind: str, scaled: bool) -> bool:
    """True if the names are read for a class, or follow none of the measured schemes."""
    way = way_of(name, scaled)
    if way is not None and outcome(kind, OWN, way) != OPEN:
        return outcome(kind, OWN, way) == READ
    return next((kind in way.read_for for way in WAYS if way.names.fullmatch(name)), True)


def _is_refused_of(name: str, kind: str, scaled: bool) -> bool:
    """True if `load_lora_weights` was measured to raise for a class."""
    way = way_of(name, scaled)
    return way is not None and outcome(kind, OWN, way) == REFUSED


def _is_refused(name: str) -> bool:
    """True if the classes that read this scheme refuse a file with this name."""
    way = next((way for way in WAYS if way.names.fullmatch(name)), None)
    return way is not None and way.refused is not None and way.refused.fullmatch(name) is not None


def _first(module: ChangedModule) -> str:
    """The first name of a module's first matrix."""
    key, family = module.parts["down"]
    return names_in(key, family.stored[0].boxes, 1)[0]


def _own_name(module: ChangedModule, own: Mapping[str, str]) -> str | None:
    """The name that a class gives a module in all blocks, with # for the adapter's indices; None if it differs between
    them.
    """
    if "#" not in module.name:
        return own.get(plain(module.name))
    names = (name_of(module.name, index) for box in module.everywhere for index in tuples(box))
    return module.name if all(own.get(plain(name)) == name for name in names) else None


def with_class_of_base(findings: Sequence[Finding], of_class: Iterator[Finding]) -> list[Finding]:
    """All findings, without the note on the names alone if there is one for the class of the base.

    No note on names for which a finding has other ones already.
    """
    renamed = any(isinstance(one, RENAMED) for one in findings)
    added = [one for one in of_class if one not in findings and not (renamed and isinstance(one, AdapterNamesUnread))]
    named = any(isinstance(one, AdapterNamesUnread) and one.kind for one in added)
    return [*(one for one in findings if not (named and isinstance(one, AdapterNamesUnread))), *added]
