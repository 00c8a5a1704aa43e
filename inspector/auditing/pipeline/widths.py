"""Compares widths that the components of a pipeline share: diffusers loads components with different widths, but each
call fails.

Read in the pipelines of diffusers 0.42, which pass the outputs of the encoders and of the denoiser on unchanged.
Pipelines of Stable Diffusion 1, XL and 3 and of FLUX were called with an encoder of another width, those of Stable
Diffusion 1 and FLUX with a VAE with other channels.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.findings.names.pipelines import ComponentWidthDiffers

Term = tuple[str, str]
"""A component and a key of its config."""
RULES: Final[tuple[tuple[str, tuple[Term, ...], Term], ...]] = (
    (
        r"StableDiffusionXL.*",
        (("text_encoder_2", "projection_dim"),),
        ("unet", "projection_class_embeddings_input_dim"),
    ),
    (r"StableDiffusion(?!3|XL).*", (("text_encoder", "hidden_size"),), ("unet", "cross_attention_dim")),
    (
        r"StableDiffusionXL.*",
        (("text_encoder", "hidden_size"), ("text_encoder_2", "hidden_size")),
        ("unet", "cross_attention_dim"),
    ),
    (r"StableDiffusion3.*", (("text_encoder_3", "d_model"),), ("transformer", "joint_attention_dim")),
    (
        r"StableDiffusion3.*",
        (("text_encoder", "projection_dim"), ("text_encoder_2", "projection_dim")),
        ("transformer", "pooled_projection_dim"),
    ),
    (r"Flux(?!2).*", (("text_encoder_2", "d_model"),), ("transformer", "joint_attention_dim")),
    (r"Flux(?!2).*", (("text_encoder", "hidden_size"),), ("transformer", "pooled_projection_dim")),
    (r"StableDiffusion(?!3|XL).*", (("text_encoder", "hidden_size"),), ("controlnet", "cross_attention_dim")),
    (
        r"StableDiffusionXL.*",
        (("text_encoder", "hidden_size"), ("text_encoder_2", "hidden_size")),
        ("controlnet", "cross_attention_dim"),
    ),
    (r"StableDiffusion3.*", (("text_encoder_3", "d_model"),), ("controlnet", "joint_attention_dim")),
    (r"Flux(?!2).*", (("text_encoder_2", "d_model"),), ("controlnet", "joint_attention_dim")),
    (r"Flux(?!2).*", (("text_encoder", "hidden_size"),), ("controlnet", "pooled_projection_dim")),
    (r"PixArt(Alpha|Sigma).*", (("text_encoder", "d_model"),), ("transformer", "caption_channels")),
    (r"Wan.*", (("text_encoder", "d_model"),), ("transformer", "text_dim")),
)
"""Pattern of a pipeline's class, terms, and a key of another component with the sum of the terms as its value."""
LATENTS: Final[tuple[tuple[str, Term, Term, int], ...]] = (
    (r"StableDiffusion(?!3|LatentUpscale).*", ("vae", "latent_channels"), ("unet", "out_channels"), 1),
    (r"StableDiffusion3.*", ("vae", "latent_channels"), ("transformer", "out_channels"), 1),
    (r"Flux(?!2).*", ("vae", "latent_channels"), ("transformer", "out_channels"), 4),
    (r"PixArt(Alpha|Sigma).*", ("vae", "latent_channels"), ("transformer", "in_channels"), 1),
    (r"Wan.*", ("vae", "z_dim"), ("transformer", "out_channels"), 1),
)
"""Pattern of a pipeline's class, the channels of the VAE, and the key with a multiple of this number as its value, and
the factor. Inputs of the denoiser other than the latents (a mask, an image) count only in its input channels; only
PixArt's output also has variances. Latent upscaling drops a channel.
"""
TAKEN: Final[tuple[tuple[str, Term, tuple[tuple[int, int], ...]], ...]] = (
    (r"StableDiffusion(XL)?(Img2Img)?Pipeline", ("unet", "in_channels"), ((1, 0),)),
    (r"StableDiffusion(XL)?InpaintPipeline", ("unet", "in_channels"), ((1, 0), (2, 1))),
    (r"StableDiffusion(XL)?InstructPix2PixPipeline", ("unet", "in_channels"), ((2, 0),)),
    (r"Flux(Img2Img)?Pipeline", ("transformer", "in_channels"), ((4, 0),)),
    (r"FluxFillPipeline", ("transformer", "in_channels"), ((8, 256),)),
    (r"FluxControl(Img2Img|Inpaint)?Pipeline", ("transformer", "in_channels"), ((8, 0),)),
)
"""Pattern of a pipeline's class, the input channels of its denoiser, and the numbers of channels that the pipeline
provides: pairs of a factor for the channels of the VAE's latents and a number of additional channels. An image to be
filled comes with a mask, which FLUX.1 Fill packs into 256 channels.
"""
FOR_INPUT: Final = (
    "StableDiffusionInpaintPipeline", "StableDiffusionXLInpaintPipeline", "StableDiffusionInstructPix2PixPipeline",
    "StableDiffusionXLInstructPix2PixPipeline", "FluxFillPipeline", "FluxControlPipeline",
)  # fmt: skip
"""Classes of pipelines with denoisers that read more than the latents; their components have the same names as those of
the pipelines that give latents only.
"""
FAMILIES: Final = ("StableDiffusionXL", "StableDiffusion", "Flux")
"""Beginnings of the classes of pipelines, the longer ones first."""
INPUT: Final = {"out_channels": "in_channels"}
"""Key -> the key that a transformer uses instead if the first one is null."""
TIMES: Final = {"projection_class_embeddings_input_dim": (5, 6)}
"""Key -> possible numbers of embedded values, of `addition_time_embed_dim` each, next to the text: sizes and crops, or
an aesthetic score.
"""
PROJECTS: Final = ("encoder_hid_dim", "encoder_hid_dim_type")
"""Keys of a UNet that projects the output of the encoder."""
UNET, MOTION = "unet", "motion_adapter"
BLOCKS: Final = ("down_block_types", "mid_block_type", "up_block_types")
"""Keys of a UNet for the classes of its blocks; blocks that read the text have `CrossAttn` in their class names."""


def of_other_widths(
    class_name: object, parts: Mapping[str, Audit], missing: Collection[str] = ()
) -> Iterator[ComponentWidthDiffers]:
    """Findings on components that are complete and do not fit each other. missing: components that are not there."""
    if not isinstance(class_name, str):
        return
    of_latents = list(_of_other_latents(class_name, parts))
    yield from of_latents or _of_other_input(class_name, parts)
    yield from _of_other_motion(parts)
    for pattern, terms, (taker, key) in RULES:
        named = [(name, its) for name, its in terms if name in parts]
        if not re.fullmatch(pattern, class_name) or not named or not _reads(parts.get(taker), key):
            continue
        if any(name in missing for name, _ in terms):
            continue
        given = [_stated(parts[name], its) for name, its in named]
        taken = _stated(parts.get(taker), key)
        widths = [width for width in given if width is not None]
        if taken is None or len(widths) != len(given):
            continue
        times = _stated(parts[taker], "addition_time_embed_dim") if key in TIMES else 0
        if times is not None and not any(sum(widths) + count * times == taken for count in TIMES.get(key, (0,))):
            yield ComponentWidthDiffers(
                place=Place(file=f"{taker}/config.json", key=key),
                component=taker,
                key=key,
                width=taken,
                encoders=tuple(f"{name}.{its}" for name, its in named),
                widths=tuple(widths),
                beside=(TIMES[key]["text_encoder" in parts], times) if key in TIMES else None,
            )


def _reads(part: Audit | None, key: str) -> bool:
    """True if the network has a layer of this width: without attention to the text it has none, for any
    stated value.
    """
    values = values_of(part)
    if key in TIMES:
        return values.get("addition_embed_type") == "text_time"
    if key != "cross_attention_dim" or any(name not in values for name in BLOCKS):
        return True
    return "CrossAttn" in str([values[name] for name in BLOCKS])


def _of_other_latents(class_name: str, parts: Mapping[str, Audit]) -> Iterator[ComponentWidthDiffers]:
    """Findings on a denoiser with latents that the VAE of the pipeline cannot decode."""
    for pattern, (vae, its), (taker, key), times in LATENTS:
        if not re.fullmatch(pattern, class_name):
            continue
        channels, values = values_of(parts.get(vae)).get(its), values_of(parts.get(taker))
        taken = values.get(key)
        if taken is None and key in values and INPUT.get(key) in values:
            key = INPUT[key]
            taken = values[key]
        if type(channels) is int and type(taken) is int and channels * times != taken:
            yield ComponentWidthDiffers(
                place=Place(file=f"{taker}/config.json", key=key),
                component=taker,
                key=key,
                width=taken,
                encoders=(f"{vae}.{its}" if times == 1 else f"{times} * {vae}.{its}",),
                widths=(channels * times,),
            )


def _of_other_input(class_name: str, parts: Mapping[str, Audit]) -> Iterator[ComponentWidthDiffers]:
    """Findings on a denoiser that reads other channels than the pipeline provides: a denoiser for filling, or for an
    additional image.
    """
    channels = values_of(parts.get("vae")).get("latent_channels")
    for pattern, (taker, key), ways in TAKEN:
        taken = values_of(parts.get(taker)).get(key)
        if not re.fullmatch(pattern, class_name) or type(channels) is not int or type(taken) is not int:
            continue
        if any(times * channels + more == taken for times, more in ways):
            continue
        (times, more), *_ = ways
        shown = "vae.latent_channels" if times == 1 else f"{times} * vae.latent_channels"
        yield ComponentWidthDiffers(
            place=Place(file=f"{taker}/config.json", key=key),
            component=taker,
            key=key,
            width=taken,
            encoders=(f"{shown} + {more}" if more else shown,),
            widths=(times * channels + more,),
            class_name=class_name,
            class_of_input=next(classes_of_input(taker, key, taken, channels, class_name), ""),
        )


def classes_of_input(taker: str, key: str, taken: int, channels: object, class_name: object) -> Iterator[str]:
    """Classes of pipelines of the same family whose denoiser reads more than the latents: this number of channels."""
    family = next((one for one in FAMILIES if str(class_name).startswith(one)), "")
    if type(channels) is not int or not family:
        return
    for name in FOR_INPUT:
        if next(one for one in FAMILIES if name.startswith(one)) != family:
            continue
        for pattern, term, ways in TAKEN:
            given = {times * channels + more for times, more in ways if (times, more) != (1, 0)}
            if term == (taker, key) and taken in given and re.fullmatch(pattern, name):
                yield name


def _of_other_motion(parts: Mapping[str, Audit]) -> Iterator[ComponentWidthDiffers]:
    """Findings on a motion adapter that cannot be put into the UNet, as `UNetMotionModel.from_unet2d` does before its
    first use.

    An adapter of another class is ignored, and so is a UNet that already has motion modules.
    """
    unet, adapter = values_of(parts.get(UNET)), values_of(parts.get(MOTION))
    if (unet.get("_class_name"), adapter.get("_class_name")) != ("UNet2DConditionModel", "MotionAdapter"):
        return
    for key, its in (("block_out_channels", "block_out_channels"), ("motion_layers_per_block", "layers_per_block")):
        taken = _for_each(adapter.get(key), adapter.get("block_out_channels"))
        given = _for_each(unet.get(its), unet.get("down_block_types"))
        if not taken or not given or taken == given:
            continue
        names, sizes = (f"len({key})", f"len({UNET}.{its})"), (len(taken), len(given))
        if len(taken) == len(given):
            at = next(at for at, one in enumerate(taken) if one != given[at])
            names, sizes = (f"{key}[{at}]", f"{UNET}.{its}[{at}]"), (taken[at], given[at])
        yield ComponentWidthDiffers(
            place=Place(file=f"{MOTION}/config.json", key=key),
            component=MOTION,
            key=names[0],
            width=sizes[0],
            encoders=(names[1],),
            widths=(sizes[1],),
        )
        return


def _for_each(value: object, blocks: object) -> list[int]:
    """The number for each block; empty if a config states none. blocks: the config's list of blocks."""
    listed = value if isinstance(value, list) else [value] * (len(blocks) if isinstance(blocks, list) else 0)
    numbers = [one for one in listed if type(one) is int]
    return numbers if len(numbers) == len(listed) else []


def _stated(part: Audit | None, key: str) -> int | None:
    """The width stated in the config of a component, if its weights have it."""
    values = values_of(part)
    if any(values.get(one) is not None for one in PROJECTS):
        return None
    width = values.get(key)
    return width if type(width) is int else None


def values_of(part: Audit | None) -> Mapping[str, Any]:
    """The config of a component; empty if its weights may disagree with it."""
    config = None if part is None else part.checkpoint.config
    if part is None or config is None or any(one.severity == "error" for one in part.findings):
        return {}
    return config.values
