"""Names of diffusion models' modules that their first authors use, and that adapters of most trainers use.

Sources: diffusers 0.42 (`loaders/lora_conversion_utils.py`, `scripts/convert_*_to_diffusers.py`) and the authors' model
code; CompVis' UNet: `inspector.dialects.ldm`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from inspector.adapters.newer_author_names import NEWER
from inspector.dialects.ldm import RESIDUAL_BLOCK, UNET_ENDS

Shape = tuple[int, ...]
Block = tuple[str, str, Mapping[str, str]]
"""(authors' prefix, diffusers' prefix, authors' module -> diffusers' modules), with `{}` for the number of a block.

Several modules of diffusers may be one matrix of the authors, row after row.
"""

_IMAGE: Final = "attn.to_q attn.to_k attn.to_v"
_TEXT: Final = "attn.add_q_proj attn.add_k_proj attn.add_v_proj"
_FLUX_ATTENTION: Final = {
    "img_attn.qkv": _IMAGE, "txt_attn.qkv": _TEXT, "img_attn.proj": "attn.to_out.0", "txt_attn.proj": "attn.to_add_out",
}  # fmt: skip
_FLUX_DOUBLE: Final = {
    **_FLUX_ATTENTION, "img_mlp.0": "ff.net.0.proj", "img_mlp.2": "ff.net.2", "txt_mlp.0": "ff_context.net.0.proj",
    "txt_mlp.2": "ff_context.net.2", "img_mod.lin": "norm1.linear", "txt_mod.lin": "norm1_context.linear",
}  # fmt: skip
_FLUX_SINGLE: Final = {
    "linear1": f"{_IMAGE} proj_mlp",
    "linear1_qkv": _IMAGE,
    "linear2": "proj_out",
    "modulation.lin": "norm.linear",
}
_FLUX_ENDS: Final = {
    "img_in": "x_embedder", "txt_in": "context_embedder", "final_layer.linear": "proj_out",
    "final_layer.adaLN_modulation.1": "norm_out.linear",
}  # fmt: skip
_STREAMS: Final = (
    ("double_blocks.{}.", "transformer_blocks.{}."), ("single_blocks.{}.", "single_transformer_blocks.{}."),
)  # fmt: skip


def _embedders(stem: str, **networks: str) -> dict[str, str]:
    """Networks of two layers: the authors' name of each -> its name in diffusers and the names of both layers."""
    return {
        f"{theirs}.{layer}": f"{stem}.{words.split()[0]}_embedder.linear_{number}"
        for theirs, words in networks.items()
        for number, layer in enumerate(words.split()[1:], 1)
    }


def _flux_embedders(stem: str, time: str = "in_layer out_layer") -> dict[str, str]:
    """The networks that embed the step, the guidance and the pooled text."""
    return _embedders(
        stem, time_in=f"timestep {time}", guidance_in=f"guidance {time}", vector_in="text in_layer out_layer"
    )


def _wan_block(prefix: str) -> Block:
    attention = {"q": "to_q", "k": "to_k", "v": "to_v", "o": "to_out.0"}
    names = {f"self_attn.{one}": f"attn1.{own}" for one, own in attention.items()}
    names |= {f"cross_attn.{one}": f"attn2.{own}" for one, own in attention.items()}
    names |= {"cross_attn.k_img": "attn2.add_k_proj", "cross_attn.v_img": "attn2.add_v_proj"}
    for theirs, own in (("self_attn", "attn1"), ("cross_attn", "attn2")):
        names |= {f"{theirs}.norm_{one}": f"{own}.norm_{one}" for one in "qk"}
    names |= {"cross_attn.norm_k_img": "attn2.norm_added_k", "norm3": "norm2"}
    names |= {"ffn.0": "ffn.net.0.proj", "ffn.2": "ffn.net.2", "before_proj": "proj_in", "after_proj": "proj_out"}
    return f"{prefix}.{{}}.", f"{prefix}.{{}}.", names


_WAN: Final[tuple[Block, ...]] = (
    _wan_block("blocks"), _wan_block("vace_blocks"),
    ("", "", {"head.head": "proj_out", "vace_patch_embedding": "vace_patch_embedding"}),
    ("", "condition_embedder.", {
        "text_embedding.0": "text_embedder.linear_1", "text_embedding.2": "text_embedder.linear_2",
        "time_embedding.0": "time_embedder.linear_1", "time_embedding.2": "time_embedder.linear_2",
        "time_projection.1": "time_proj", "img_emb.proj.1": "image_embedder.ff.net.0.proj",
        "img_emb.proj.3": "image_embedder.ff.net.2",
    }),
)  # fmt: skip
_HUNYUAN: Final[tuple[Block, ...]] = (
    (*_STREAMS[0], {
        "img_attn_qkv": _IMAGE, "txt_attn_qkv": _TEXT, "img_attn_proj": "attn.to_out.0",
        "txt_attn_proj": "attn.to_add_out", "img_mlp.fc1": "ff.net.0.proj", "img_mlp.fc2": "ff.net.2",
        "txt_mlp.fc1": "ff_context.net.0.proj", "txt_mlp.fc2": "ff_context.net.2", "img_mod.linear": "norm1.linear",
        "txt_mod.linear": "norm1_context.linear",
    }),
    (*_STREAMS[1], {"linear1": f"{_IMAGE} proj_mlp", "linear2": "proj_out", "modulation.linear": "norm.linear"}),
    ("txt_in.individual_token_refiner.blocks.{}.", "context_embedder.token_refiner.refiner_blocks.{}.", {
        "self_attn_qkv": _IMAGE, "self_attn_proj": "attn.to_out.0", "mlp.fc1": "ff.net.0.proj",
        "mlp.fc2": "ff.net.2", "adaLN_modulation.1": "norm_out.linear",
    }),
    ("txt_in.", "context_embedder.", {
        "input_embedder": "proj_in",
        **_embedders("time_text_embed", t_embedder="timestep mlp.0 mlp.2", c_embedder="text linear_1 linear_2"),
    }),
    ("", "", {**_FLUX_ENDS, **_flux_embedders("time_text_embed", "mlp.0 mlp.2"), "img_in.proj": "x_embedder.proj"}),
    (*_STREAMS[0], {
        **_FLUX_ATTENTION, "img_mlp.0": "ff.net.0.proj", "img_mlp.2": "ff.net.2", "txt_mlp.0": "ff_context.net.0.proj",
        "txt_mlp.2": "ff_context.net.2", "img_mod.lin": "norm1.linear", "txt_mod.lin": "norm1_context.linear",
    }),  # this and the next two as ComfyUI names them (`process_unet_state_dict` in `comfy/supported_models.py`)
    (*_STREAMS[1], {"modulation.lin": "norm.linear"}),
    ("txt_in.individual_token_refiner.blocks.{}.", "context_embedder.token_refiner.refiner_blocks.{}.", {
        "self_attn.qkv": _IMAGE, "self_attn.proj": "attn.to_out.0", "mlp.0": "ff.net.0.proj", "mlp.2": "ff.net.2",
    }),
)  # fmt: skip
_AURA_IMAGE: Final = {"q": "to_q", "k": "to_k", "v": "to_v", "o": "to_out.0"}
_AURA_TEXT: Final = {"q": "add_q_proj", "k": "add_k_proj", "v": "add_v_proj", "o": "to_add_out"}
_AURA_NETWORK: Final = {"c_fc1": "linear_1", "c_fc2": "linear_2", "c_proj": "out_projection"}
_AURA: Final[tuple[Block, ...]] = (
    ("double_layers.{}.", "joint_transformer_blocks.{}.", {
        **{f"attn.w2{one}": f"attn.{own}" for one, own in _AURA_IMAGE.items()},
        **{f"attn.w1{one}": f"attn.{own}" for one, own in _AURA_TEXT.items()},
        **{f"mlp{side}.{one}": f"{name}.{own}" for side, name in (("X", "ff"), ("C", "ff_context"))
           for one, own in _AURA_NETWORK.items()},
        "modX.1": "norm1.linear", "modC.1": "norm1_context.linear",
    }),
    ("single_layers.{}.", "single_transformer_blocks.{}.", {
        **{f"attn.w1{one}": f"attn.{own}" for one, own in _AURA_IMAGE.items()},
        **{f"mlp.{one}": f"ff.{own}" for one, own in _AURA_NETWORK.items()}, "modCX.1": "norm1.linear",
    }),
    ("", "", {
        "t_embedder.mlp.0": "time_step_proj.linear_1", "t_embedder.mlp.2": "time_step_proj.linear_2",
        "cond_seq_linear": "context_embedder", "final_linear": "proj_out", "modF.1": "norm_out.linear",
        "init_x_linear": "pos_embed.proj",
    }),
)  # fmt: skip
_REFINED: Final = ("layers", "noise_refiner", "context_refiner")
AUTHOR_NAMES: Final[Mapping[str, tuple[Block, ...]]] = {
    "FluxTransformer2DModel": (
        (*_STREAMS[0], _FLUX_DOUBLE), (*_STREAMS[1], _FLUX_SINGLE),
        ("", "", {**_FLUX_ENDS, **_flux_embedders("time_text_embed")}),
    ),
    "ChromaTransformer2DModel": (
        (*_STREAMS[0], _FLUX_DOUBLE), (*_STREAMS[1], _FLUX_SINGLE), ("", "", _FLUX_ENDS),
        ("distilled_guidance_layer.layers.{}.", "distilled_guidance_layer.layers.{}.",
         {"in_layer": "linear_1", "out_layer": "linear_2"}),
    ),
    "Flux2Transformer2DModel": (
        (*_STREAMS[0], {
            **_FLUX_ATTENTION, "img_mlp.0": "ff.linear_in", "img_mlp.2": "ff.linear_out",
            "txt_mlp.0": "ff_context.linear_in", "txt_mlp.2": "ff_context.linear_out",
        }),
        (*_STREAMS[1], {"linear1": "attn.to_qkv_mlp_proj", "linear2": "attn.to_out"}),
        ("", "", {
            **_FLUX_ENDS, **_flux_embedders("time_guidance_embed"),
            "single_stream_modulation.lin": "single_stream_modulation.linear",
            "double_stream_modulation_img.lin": "double_stream_modulation_img.linear",
            "double_stream_modulation_txt.lin": "double_stream_modulation_txt.linear",
        }),
    ),
    "SD3Transformer2DModel": (
        ("joint_blocks.{}.", "transformer_blocks.{}.", {
            "x_block.attn.qkv": _IMAGE, "context_block.attn.qkv": _TEXT, "x_block.attn.proj": "attn.to_out.0",
            "context_block.attn.proj": "attn.to_add_out", "x_block.attn2.qkv": "attn2.to_q attn2.to_k attn2.to_v",
            "x_block.attn2.proj": "attn2.to_out.0", "x_block.mlp.fc1": "ff.net.0.proj", "x_block.mlp.fc2": "ff.net.2",
            "context_block.mlp.fc1": "ff_context.net.0.proj", "context_block.mlp.fc2": "ff_context.net.2",
            "x_block.adaLN_modulation.1": "norm1.linear", "context_block.adaLN_modulation.1": "norm1_context.linear",
        }),
        ("", "", {
            "x_embedder.proj": "pos_embed.proj", "final_layer.linear": "proj_out",
            "final_layer.adaLN_modulation.1": "norm_out.linear",
            **_embedders("time_text_embed", t_embedder="timestep mlp.0 mlp.2", y_embedder="text mlp.0 mlp.2"),
        }),
    ),
    **dict.fromkeys(("WanTransformer3DModel", "WanVACETransformer3DModel", "SkyReelsV2Transformer3DModel",
                     "WanAnimateTransformer3DModel",
                     "ChronoEditTransformer3DModel"), _WAN),
    **dict.fromkeys(("HunyuanVideoTransformer3DModel", "HunyuanVideoFramepackTransformer3DModel"), _HUNYUAN),
    "Lumina2Transformer2DModel": (
        *((f"{block}.{{}}.", f"{block}.{{}}.", {
            "attention.qkv": _IMAGE, "attention.out": "attn.to_out.0", "feed_forward.w1": "feed_forward.linear_1",
            "feed_forward.w2": "feed_forward.linear_2", "feed_forward.w3": "feed_forward.linear_3",
            "adaLN_modulation.1": "norm1.linear",
        }) for block in _REFINED),
        ("", "", {
            "final_layer.linear": "norm_out.linear_2", "final_layer.adaLN_modulation.1": "norm_out.linear_1",
            "cap_embedder.1": "time_caption_embed.caption_embedder.1",
            "t_embedder.mlp.0": "time_caption_embed.timestep_embedder.linear_1",
            "t_embedder.mlp.2": "time_caption_embed.timestep_embedder.linear_2",
        }),
    ),
    "ZImageTransformer2DModel": (
        *((f"{block}.{{}}.", f"{block}.{{}}.", {
            "attention.qkv": "attention.to_q attention.to_k attention.to_v", "attention.out": "attention.to_out.0",
        }) for block in _REFINED),
        ("", "", {"x_embedder": "all_x_embedder.2-1", "final_layer.linear": "all_final_layer.2-1.linear",
                  "final_layer.adaLN_modulation.1": "all_final_layer.2-1.adaLN_modulation.1"}),
    ),
    "AuraFlowTransformer2DModel": _AURA,
    "LTXVideoTransformer3DModel": (
        ("", "", {"patchify_proj": "proj_in", "adaln_single.linear": "time_embed.linear",
                  "adaln_single.emb.timestep_embedder.linear_1": "time_embed.emb.timestep_embedder.linear_1",
                  "adaln_single.emb.timestep_embedder.linear_2": "time_embed.emb.timestep_embedder.linear_2"}),
    ),
    "QwenImageTransformer2DModel": (),
    "HiDreamImageTransformer2DModel": (),
    **NEWER,
}  # fmt: skip
"""Class of diffusers -> the first authors' names of its modules, if they differ."""


def in_authors_names(kind: str, modules: Mapping[str, Shape]) -> Iterator[tuple[str, Shape]]:
    """The weights of a diffusers class under the names of its first authors, including matrices that the authors join.

    modules: diffusers' name -> shape of the weight.
    """
    for theirs, own in _pairs(kind, modules):
        shapes = [modules[part] for part in own if part in modules]
        if len(shapes) == len(own):
            yield theirs, (sum(shape[0] for shape in shapes), *shapes[0][1:])


def in_own_names(kind: str, modules: Mapping[str, Shape]) -> Iterator[tuple[str, Shape]]:
    """The weights in a file of the first authors under diffusers' names, except the parts of joined matrices."""
    for theirs, own in _pairs(kind, modules):
        if len(own) == 1 and theirs in modules:
            yield own[0], modules[theirs]


def _pairs(kind: str, modules: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """(the authors' name, diffusers' names) of each module of a class with as many blocks as the modules have."""
    for theirs, own, names in AUTHOR_NAMES.get(kind, ()):
        numbers: Mapping[str, None] = {"": None}
        if "{}" in own:
            pattern = re.compile(re.escape(own).replace(r"\{\}", r"(\d+)"))
            numbers = dict.fromkeys(found[1] for name in modules if (found := pattern.match(name)))
        for number in numbers:
            prefix, stem = theirs.format(number), own.format(number)
            yield from ((prefix + name, [stem + part for part in parts.split()]) for name, parts in names.items())


_STAGE: Final = re.compile(r"(down|up)_blocks\.(\d+)\.(attentions|resnets|downsamplers|upsamplers)\.(\d+)\.(.+)")
_MIDDLE: Final = re.compile(r"mid_block\.(attentions|resnets)\.([0-9]+)\.(.+)")
_RESIDUAL: Final = {own: theirs for theirs, own in RESIDUAL_BLOCK.items()}
_ENDS: Final = {own: theirs for theirs, own in UNET_ENDS.items()}


def in_names_of_ldm(modules: Mapping[str, Shape], layers: int) -> Iterator[tuple[str, Shape]]:
    """The weights of a UNet under the names of CompVis' latent-diffusion. layers: the number in each of its blocks."""
    attended = {found[2] for name in modules if (found := _STAGE.match(name)) and found[1] + found[3] == "upattentions"}
    for name, shape in modules.items():
        other = _of_ldm(name, layers + 1, attended)
        if other:
            yield other, shape


def _of_ldm(name: str, length: int, attended: set[str]) -> str | None:
    """CompVis' name of a module; `inspector.dialects.ldm` converts in the other direction. attended: up blocks with
    attention.
    """
    if name in _ENDS:
        return _ENDS[name]
    middle = _MIDDLE.fullmatch(name)
    if middle is not None:
        inner = middle[3] if middle[1] == "attentions" else _RESIDUAL.get(middle[3], middle[3])
        return f"middle_block.{1 if middle[1] == 'attentions' else 2 * int(middle[2])}.{inner}"
    found = _STAGE.fullmatch(name)
    if found is None:
        return None
    side, stage, kind, layer, rest = found[1], int(found[2]), found[3], int(found[4]), found[5]
    if kind == "downsamplers":
        return f"input_blocks.{(stage + 1) * length}.0.op"
    if kind == "upsamplers":
        return f"output_blocks.{(stage + 1) * length - 1}.{2 if found[2] in attended else 1}.conv"
    at = stage * length + layer
    block = f"input_blocks.{at + 1}" if side == "down" else f"output_blocks.{at}"
    return f"{block}.1.{rest}" if kind == "attentions" else f"{block}.0.{_RESIDUAL.get(rest, rest)}"
