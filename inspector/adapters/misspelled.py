"""Names of an adapter's tensors that no program reads, and the names that programs read instead.

Measured with diffusers 0.42 (`FluxPipeline.lora_state_dict`); ComfyUI's `comfy/lora.py` and sd-scripts'
`networks/lora.py` compare whole names as well. PEFT 0.13 saves names without the adapter's part for adapters named
"lora" and "weight"; PEFT 0.21 does not find them when loading (measured).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from inspector.adapters.flux_names import dotted_name
from inspector.adapters.names import OF_SD_SCRIPTS, PREFIX, renames_of, tuner_name, with_ending_of_peft
from inspector.findings.finding import Finding
from inspector.reconciler.wording import names_in

if TYPE_CHECKING:
    from inspector.matcher.families import Families

_FLAT: Final = re.compile(r"((lora_(?:unet|te[1-3]?|transformer|prior_unet|prior_te))_([^.]+?))_+(\..+)")
"""A module's name in the format of Kohya's tools, with underscores for dots, and with a superfluous underscore at the
end.
"""
_DOTTED: Final = re.compile(
    r"(lora_(?:unet|te[1-3]?))\.(.+?)(\.alpha|\.dora_scale|\.lora_(?:[AB]|down|up|mid)\.weight)"
)
"""A module's name in the same format with dots between the words."""
_HALF_DOTTED: Final = re.compile(
    r"(lora_unet)_(blocks[._][\d#]+\.(?:self_attn|cross_attn|ffn)[._][\w#]+)(\.(?:alpha|lora_(?:down|up)\.weight))"
)
"""A module of Wan's blocks after Kohya's prefix, with dots inside its own name: diffusers 0.42 refuses
it (KeyError).
"""
_MAGNITUDE: Final = re.compile(r"(lora_(?:unet|te[1-3]?)_.+)\.lora_magnitude_vector(?:\.weight)?")
"""DoRA magnitudes in Kohya's names under PEFT's ending: ComfyUI and diffusers read `dora_scale`, ComfyUI as a column
(`weight_decompose` in `comfy/weight_adapter/base.py`).
"""
_FOREIGN: Final = re.compile(
    r"(?!(?:lora_(?:unet|te[1-3]?|transformer|prior_unet|prior_te)|oft_(?:unet|te[1-3]?)|lycoris|lllite_(?:unet|dit))_)\w*?"
    r"((?:(?:single_)?transformer_blocks|(?:double|single|joint|down|up|input|output)_blocks|(?:(?<=lora_)|(?<!\w))blocks)_[\d#]+_[^.]+)"
    r"(\.(?:alpha|dora_scale|lora_(?:[AB]|down|up|mid)\.weight|hada_\w+|lokr_\w+))"
)
"""A module of a diffusion network with underscores for dots, after a prefix that no program uses."""
_OUTER: Final = re.compile(
    r"(?:[A-Za-z]\w*\.)+"
    r"((?:lora_(?:unet|te[1-3]?|transformer|prior_unet|prior_te)|oft_(?:unet|te[1-3]?)|lycoris)_[^.]+\..+)"
)
"""A name in the format of Kohya's tools after the prefix of something else, such as a wrapper: programs compare whole
names (ComfyUI, sd-scripts), or take the module from the text before the first dot (diffusers).
"""
_OUTSIDE: Final = re.compile(r"(?!model\.diffusion)(?:[A-Za-z]\w*\.)+?(diffusion_model\..+)")
"""A name in ComfyUI's format after another prefix."""
_OF_IMAGE: Final = re.compile(r"((?:.*\.)?blocks\.[\d#]+\.cross_attn\.(?:norm_)?[kv])\.(img\..+)")
"""A module of Wan's attention to an image with a dot inside its name, as in a file that was converted from flat names:
diffusers 0.42 refuses it (ValueError), ComfyUI finds no module.
"""
_OF_FLUX: Final = "single_transformer_blocks_"
"""Blocks of FLUX under diffusers' names, which ComfyUI and diffusers read after `lora_transformer_` (measured)."""
_OF_LDM: Final = re.compile(
    r"unet\.((?:(?:input|output)_blocks|middle_block)\..+?)"
    r"(\.(?:alpha|dora_scale|lora_(?:[AB]|down|up|mid)\.weight|hada_\w+|lokr_\w+))"
)
"""A module of Stable Diffusion under its authors' name, after the prefix for diffusers' names: ComfyUI, Forge and
diffusers 0.42 find none.
"""
OF_DIFFUSERS: Final = ("transformer.", "unet.")
"""Prefixes of diffusers for the network that removes noise."""
ENCODERS: Final = {"lora_te": "text_encoder", "lora_te1": "text_encoder", "lora_te2": "text_encoder_2",
                   "lora_te3": "text_encoder_3"}  # fmt: skip
"""Kohya's prefix of a text encoder -> the one of diffusers."""
_OF_ENCODER: Final = re.compile(r"lora_(?:unet|transformer)_(clip_[lgh]|t5xxl)_transformer_((?:text_model|encoder)_.+)")
"""A module of a text encoder under ComfyUI's name, after the prefix of the network: no network has such a module
(ComfyUI: `lora key not loaded`; diffusers 0.42 makes it a module of the UNet).
"""
_KOHYA_ENCODERS: Final = {"clip_l": "lora_te1_", "clip_g": "lora_te2_", "clip_h": "lora_te_", "t5xxl": "lora_te3_"}
"""ComfyUI's name of a text encoder -> Kohya's prefix, as sd-scripts writes it and ComfyUI and diffusers read it."""
_MATRIX: Final = re.compile(r"\.(lora_(?:[ab]|down|up|mid))\.weight$", re.IGNORECASE)
_SPELLED: Final = {"lora_a": "lora_A", "lora_b": "lora_B"}
_TAKEN_OUT: Final = re.compile(
    rf"({re.escape(PREFIX)}.+?)(?:(_(?:[AB]\.weight|embedding_[AB]|magnitude_vector))|\.lora_[AB])"
)
"""PEFT's names from which saving removed more than the adapter's name: also `.lora` or `.weight`."""


WIDTHS: Final = {"clip_l": 768, "clip_g": 1280}
"""Vectors of a textual inversion -> the width of their encoder, as in ComfyUI's configs of the two."""


def is_of_flux(keys: Iterable[str]) -> bool:
    """True if the names are those of FLUX's modules with underscores for dots."""
    return any(_OF_FLUX in key for key in keys)


def is_of_diffusers(keys: Iterable[str]) -> bool:
    """True if the network's modules have diffusers' prefix before whole names: it then reads text encoders only with
    its own prefixes (measured: FluxPipeline ignores `lora_te1_` next to `transformer.`), which ComfyUI reads as well.
    """
    return any(key.startswith(OF_DIFFUSERS) for key in keys)


def has_one_encoder(keys: Iterable[str]) -> bool:
    """True if modules of one text encoder at most are among those of the network, as for Stable Diffusion 1."""
    return len({found[1] for key in keys if (found := _OF_ENCODER.fullmatch(key)) is not None}) < 2


def read_name(key: str, *, of_flux: bool = False, of_diffusers: bool = False, one_encoder: bool = False) -> str:
    """The name that programs read: upper case in the names of matrices, underscores only inside the module's name, and
    a known prefix for the network or text encoder, with none before it.
    """
    matrix = _MATRIX.search(key)
    if matrix is not None:
        small = matrix[1].lower()
        key = f"{key[: matrix.start()]}.{_SPELLED.get(small, small)}.weight"
    outer = _OUTER.fullmatch(key) or _OUTSIDE.fullmatch(key)
    if outer is not None:
        return read_name(outer[1], of_flux=of_flux, of_diffusers=of_diffusers, one_encoder=one_encoder)
    encoder = _OF_ENCODER.fullmatch(key)
    if encoder is not None:
        first = one_encoder and encoder[1] == "clip_l"
        return f"{'lora_te_' if first else _KOHYA_ENCODERS[encoder[1]]}{encoder[2]}"
    flat = _FLAT.fullmatch(key)
    if flat is not None:
        own = dotted_name(flat[3]) if of_flux and flat[2] == "lora_unet" else None
        return (flat[1] if own is None else f"transformer.{own}") + flat[4]
    foreign = _FOREIGN.fullmatch(key)
    if foreign is not None:
        return f"lora_{'transformer' if of_flux else 'unet'}_{foreign[1]}{foreign[2]}"
    ldm = _OF_LDM.fullmatch(key)
    if ldm is not None:
        return f"lora_unet_{ldm[1].replace('.', '_')}{ldm[2]}"
    image = _OF_IMAGE.fullmatch(key)
    if image is not None:
        return f"{image[1]}_{image[2]}"
    dotted = _DOTTED.fullmatch(key)
    if dotted is not None and of_diffusers and dotted[1] in ENCODERS and dotted[3].startswith(".lora_"):
        return f"{ENCODERS[dotted[1]]}.{dotted[2]}{dotted[3]}"
    dotted = dotted or _HALF_DOTTED.fullmatch(key)
    magnitude = _MAGNITUDE.fullmatch(key)
    if magnitude is not None:
        return f"{magnitude[1].replace('.', '_')}.dora_scale"
    return key if dotted is None else f"{dotted[1]}_{dotted[2].replace('.', '_')}{dotted[3]}"


def misspelled(families: Families, keys: Iterable[str]) -> Iterator[Finding]:
    """The finding on tensors of an adapter under names that no program reads. keys: those of the adapter."""
    listed = list(keys)
    named = partial(
        read_name,
        of_flux=is_of_flux(listed),
        of_diffusers=is_of_diffusers(listed),
        one_encoder=has_one_encoder(listed),
    )
    wrong = [key for key in listed if named(key) != key]
    if wrong:
        yield _finding(families, wrong, listed, named)


def exchanged_vectors(families: Families) -> Iterator[Finding]:
    """The finding on vectors of a textual inversion that have the width of the other CLIP encoder of SDXL."""
    widths = [families[name].usual.shape[-1:] if name in families else () for name in WIDTHS]
    if widths == [(width,) for width in reversed(WIDTHS.values())]:
        from inspector.findings.adapters.misspelled import VectorsExchanged

        yield VectorsExchanged(first=widths[0][0], second=widths[1][0])


def peft_name(key: str) -> str:
    """The name that PEFT reads, for one from which saving removed too much, or with the ending of another program.

    PEFT 0.21 finds no pair under the endings of sd-scripts (measured), with its prefix or without.
    """
    if not key.startswith("lora_") and (own := with_ending_of_peft(key)) != key:
        return own if own.startswith(PREFIX) else f"{PREFIX}{own}"
    found = _TAKEN_OUT.fullmatch(key)
    if found is None or (found[2] and tuner_name(key) is not None):
        return key
    return f"{found[1]}.lora{found[2]}" if found[2] else f"{key}.weight"


def taken_out(method: str, families: Families) -> Finding | None:
    """The finding on pairs of a LoRA that contain the adapter's name in their own names, so that saving removed it
    there too, or that have the endings of another program.
    """
    if method != "lora":
        return None
    tuned = any(tuner_name(key) is not None for key in families)
    others = [key for key in families if peft_name(key) != key]
    wrong = [key for key in others if key.endswith(tuple(OF_SD_SCRIPTS)) or tuned == (tuner_name(key) is not None)]
    pairs = {peft_name(key) for key in wrong}
    if not wrong or any(_other(key) not in pairs for key in pairs):
        return None
    return _finding(families, wrong, list(families), peft_name)


def _other(key: str) -> str:
    """The name of the other matrix of a pair."""
    swapped = {"A": "B", "B": "A"}
    return re.sub(r"(?<=_)[AB](?=$|\.weight$)", lambda found: swapped[found[0]], key)


def _finding(families: Families, wrong: list[str], listed: list[str], named: Callable[[str], str]) -> Finding:
    from inspector.findings.adapters.misspelled import AdapterNamesMisspelled

    stored = names_in(wrong[0], families[wrong[0]].stored[0].boxes, 1)[0]
    return AdapterNamesMisspelled(
        tensors=sum(families[key].tensors for key in wrong),
        of=sum(families[key].tensors for key in listed),
        stored=stored,
        wanted=named(stored),
        renames=renames_of(wrong, named, families),
        flat=any(len(families[key].usual.shape) == 1 for key in wrong if _MAGNITUDE.fullmatch(key)),
    )
