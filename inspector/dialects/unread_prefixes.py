"""Prefixes that code puts before the names of a component by mistake, in single files of diffusion models.

diffusers 0.42 (`loaders/single_file_utils.py`) looks for `model.diffusion_model.`, and for `first_stage_model.` or
`vae.`, and removes every repeat of them. ComfyUI (`comfy/model_detection.py`, `unet_prefix_from_state_dict`) removes
`model.diffusion_model.` or `model.` once, and its loader of autoencoders removes no prefix. The text encoder of Stable
Diffusion 1 was saved without `text_model.` by old releases of transformers: ComfyUI (`supported_models.py`,
`process_clip_state_dict`) and the web UI add it, diffusers (`is_clip_model`) finds no text encoder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from inspector.loader.layout import Layout
from inspector.loader.listed_tensors import stored_of

NETWORK: Final = "model.diffusion_model."
STAGE: Final = "first_stage_model."
VAE: Final = "vae."
UNET_SIGN: Final = "input_blocks.0.0.weight"
VAE_SIGN: Final = "encoder.down.0.block.0.conv1.weight"
TEXT: Final = "cond_stage_model.transformer."
TEXT_SIGN: Final = "embeddings.position_embedding.weight"
INNER: Final = "text_model."


class UnreadPrefix(Struct, frozen=True):
    """A prefix before the names of a component. component: as diffusers' pipelines call it.

    wanted: the prefix that diffusers and ComfyUI read. repeated: diffusers removes all of its repeats. completed:
    ComfyUI and the web UI add what is absent.
    """

    prefix: str
    component: str
    wanted: str
    repeated: bool = False
    completed: bool = False


UNREAD: Final = (
    UnreadPrefix(NETWORK * 2, "unet", NETWORK, repeated=True),
    *(
        UnreadPrefix(prefix, "unet", NETWORK)
        for prefix in (f"model.{NETWORK}", f"{NETWORK}diffusion_model.", "diffusion_model.", "unet.", "model.unet.")
    ),
    *(UnreadPrefix(prefix * 2, "vae", STAGE, repeated=True) for prefix in (STAGE, VAE)),
    *(UnreadPrefix(f"model.{prefix}", "vae", STAGE) for prefix in (STAGE, VAE)),
    UnreadPrefix(TEXT, "text_encoder", TEXT + INNER, completed=True),
)
"""Prefixes with a known component below."""
SIGNS: Final[Mapping[str, str]] = {"unet": UNET_SIGN, "vae": VAE_SIGN, "text_encoder": TEXT_SIGN}
"""Component -> a tensor that shows it."""
_OF_TRANSFORMERS: Final = (NETWORK * 2, f"model.{NETWORK}", f"{NETWORK}diffusion_model.", "diffusion_model.")
"""Those of these prefixes below which transformers are searched for too."""


def unread_prefixes(tensors: Mapping[str, Layout], transformer_signs: tuple[str, ...]) -> dict[str, UnreadPrefix]:
    """Prefix -> what it should be, for those with a component below.

    transformer_signs: keys that show a transformer that replaces the UNet.
    """
    signs = {
        f"{one.prefix}{sign}": one
        for one in UNREAD
        for sign in (
            SIGNS[one.component],
            *(transformer_signs if one.prefix in _OF_TRANSFORMERS else ()),
        )
    }
    return {signs[name].prefix: signs[name] for name in stored_of(signs, tensors)}
