"""Splits a file with a whole pipeline into components, and gives their tensors the names of their definitions. Pure.

Prefixes: CompVis' latent-diffusion (`models/diffusion/ddpm.py`), Stability's generative-models
(`conditioner.embedders`), ComfyUI (`vae.`, `text_encoders.`). The UNet and the autoencoder are renamed here
(`inspector.dialects.ldm`, `inspector.dialects.autoencoders`); text models and transformers keep their writers' names,
for which there are dialects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from inspector.dialects import autoencoders, ldm, motion, t2i_adapter
from inspector.dialects.catalog import LONE_COMPONENTS, TRANSFORMER_SIGNS
from inspector.dialects.unread_prefixes import UnreadPrefix, unread_prefixes
from inspector.loader.layout import Layout

PREFIXES: Final = {
    "model.diffusion_model.": "unet",
    "control_model.": "controlnet",
    "first_stage_model.": "vae",
    "vae.": "vae",
    "audio_vae.": "audio_vae",
    "vocoder.": "vocoder",
    "cond_stage_model.transformer.": "text_encoder",
    "cond_stage_model.model.": "text_encoder",
    "conditioner.embedders.0.transformer.": "text_encoder",
    "conditioner.embedders.0.model.": "text_encoder",
    "conditioner.embedders.1.model.": "text_encoder_2",
    "text_encoders.clip_l.transformer.": "text_encoder",
    "text_encoders.clip_g.transformer.": "text_encoder_2",
    "text_encoders.t5xxl.transformer.": "text_encoder_3",
}
"""Prefix of a component's names -> the component, as diffusers' pipelines call it."""
PROJECTED: Final = ("conditioner.embedders.0.model.", "conditioner.embedders.1.model.")
"""Text encoders of SDXL and its refiner in OpenCLIP's names, which are built with a projection."""
EMA: Final = "model_ema."
PROJECTION: Final = "text_projection"
_COPIES: Final = (f"{PROJECTION}.weight", f"transformer.{PROJECTION}.weight")
"""Names under which ComfyUI stored the projection a second time, transposed."""
_SCHEDULE: Final = re.compile(
    r"(?:betas|logvar|lvlb_weights|scale_factor|denoiser\.sigmas|model_ema\.(?:decay|num_updates)"
    r"|(?:sqrt_|log_)?(?:one_minus_|recip_|recipm1_)?alphas_cumprod(?:_prev)?"
    r"|posterior_(?:variance|log_variance_clipped|mean_coef[12])"
    r"|v_pred|ztsnr|edm_(?:mean|std|vpred\.sigma_(?:max|min)))",
    re.ASCII,
)
"""Tables of the noise schedule, which are computed from the config, and what marks its kind for ComfyUI (`model_type`
in `supported_models.py`): prediction of v, no signal in the last step, the noise of EDM.
"""
_COUNTS: Final = ("attn_mask", "model_ema.decay", "model_ema.num_updates")
"""Numbers within a component that no class reads: leftovers of averaging, as in SDXL's own autoencoder."""
DIFFERENCE: Final = "difference"
"""The tensor that marks a ControlNet of differences from the UNet (`load_controlnet` in ComfyUI's `controlnet.py`)."""
PREDICTS_V: Final = "v_pred"
NO_LAST_SIGNAL: Final = "ztsnr"
"""What marks a UNet of SDXL that predicts v, and one whose last step has no signal."""
_STATISTICS: Final = re.compile(r"per_channel_statistics\.(?:channel|mean-of-stds(?:_over_std-of-means)?)")
"""Statistics of LTX-Video's latents that its autoencoder does not read."""
_TOKENIZER: Final = re.compile(r"text_encoders\.(?:\w+\.)?(?:spiece|tekken)_model", re.ASCII)
"""The bytes of a tokenizer's file, which ComfyUI stores next to text encoders with a tokenizer of their own
(`state_dict` of the tokenizers in `comfy/text_encoders`).
"""
_TEXT_ENCODER: Final = re.compile(r"text_encoders\.\w+\.(?:transformer\.)?")
"""A text encoder in a file of ComfyUI."""


class ComponentTensors(msgspec.Struct, frozen=True):
    """A component of the file. tensors: by the names of its definition. names: such a name -> the name in the file."""

    name: str
    prefix: str
    tensors: dict[str, Layout]
    names: dict[str, str]

    def stored(self, name: str) -> str:
        """A name as in the file; for a missing tensor, derived from its nearest sibling."""
        if name in self.names:
            return self.names[name]
        segments = name.split(".")
        for cut in range(len(segments) - 1, 0, -1):
            module, tail = ".".join(segments[:cut]) + ".", ".".join(segments[cut:])
            for known, found in self.names.items():
                own = known[len(module) :]
                if known.startswith(module) and f".{found}".endswith(f".{own}"):
                    return found.removesuffix(own) + tail
        return self.prefix + name


class SingleFile(msgspec.Struct, frozen=True):
    """The components, and the other tensors of the file.

    ema: averages of the UNet's weights. schedule: tables. scales: single numbers next to a text model. tokenizers: the
    files of tokenizers, as bytes. others: tensors of no known component. unread: prefixes of components that programs
    do not read. copies: matrices that are stored a second time.
    """

    components: tuple[ComponentTensors, ...]
    ema: dict[str, Layout]
    schedule: dict[str, Layout]
    scales: dict[str, Layout]
    others: dict[str, Layout]
    tokenizers: dict[str, Layout] = {}
    unread: tuple[UnreadPrefix, ...] = ()
    copies: dict[str, Layout] = {}


def parts_of(tensors: Mapping[str, Layout]) -> SingleFile:
    """The components of a file."""
    parts: dict[str, dict[str, Layout]] = {}
    ema: dict[str, Layout] = {}
    schedule: dict[str, Layout] = {}
    scales: dict[str, Layout] = {}
    others: dict[str, Layout] = {}
    tokenizers: dict[str, Layout] = {}
    lone = next((component for sign, component in LONE_COMPONENTS.items() if sign in tensors), None)
    unread = unread_prefixes(tensors, TRANSFORMER_SIGNS)
    prefixes = {**{prefix: one.component for prefix, one in unread.items()}, **PREFIXES}
    for name, layout in tensors.items():
        prefix = _prefix(name, prefixes, None if lone is None else "")
        own = name.removeprefix(prefix or "")
        if name == DIFFERENCE or _SCHEDULE.fullmatch(name) or (prefix is not None and _is_computed(own)):
            schedule[name] = layout
        elif _TOKENIZER.fullmatch(name):
            tokenizers[name] = layout
        elif name.startswith(EMA):
            ema[name] = layout
        elif prefix is None:
            others[name] = layout
        elif own == "logit_scale":
            scales[name] = layout
        else:
            parts.setdefault(prefix, {})[own] = layout
    copies = {f"{prefix}{name}": parts[prefix].pop(name) for prefix, name in _copies(parts)}
    components = tuple(
        _component(prefixes.get(prefix, lone or "text_encoder"), prefix, inner) for prefix, inner in parts.items()
    )
    return SingleFile(components, ema, schedule, scales, others, tokenizers, tuple(unread.values()), copies)


def _copies(parts: Mapping[str, Mapping[str, Layout]]) -> list[tuple[str, str]]:
    """(prefix of a text encoder, name of a projection that is stored a second time)."""
    return [(prefix, name) for prefix in PROJECTED if prefix in parts for name in _COPIES
            if name in parts[prefix] and PROJECTION in parts[prefix]
            and parts[prefix][name].shape == parts[prefix][PROJECTION].shape[::-1]]  # fmt: skip


def _is_computed(name: str) -> bool:
    """True for tables and numbers within a component that no class reads."""
    return name in _COUNTS or bool(_STATISTICS.fullmatch(name) or motion.POSITIONS.fullmatch(name))


def _prefix(name: str, prefixes: Mapping[str, str], otherwise: str | None) -> str | None:
    """The prefix of a tensor's component. prefixes: prefix -> component."""
    known = next((one for one in prefixes if name.startswith(one)), None)
    if known is None and (found := _TEXT_ENCODER.match(name)):
        return found[0]
    return otherwise if known is None else known


def _component(name: str, prefix: str, tensors: Mapping[str, Layout]) -> ComponentTensors:
    if name != "controlnet" and any(sign in tensors for sign in TRANSFORMER_SIGNS):
        name = "transformer"
    writers = (autoencoders, ldm, motion, t2i_adapter)
    rename: Callable[[str], str] = next(filter(None, (one.renaming(tensors) for one in writers)), str)
    made: dict[str, Layout] = {}
    names: dict[str, str] = {}
    for stored, layout in tensors.items():
        new = rename(stored)
        new = stored if new in made else new
        made[new] = ldm.as_matrix(new, layout) if name == "vae" else layout
        names[new] = f"{prefix}{stored}"
    return ComponentTensors(name, prefix, made, names)
