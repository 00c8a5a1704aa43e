"""Names of the newest diffusion models' modules that their first authors use.

Sources: diffusers 0.42 (`loaders/lora_conversion_utils.py`, `scripts/convert_hunyuan_image_to_diffusers.py`), and
sd-scripts (`library/hunyuan_image_modules.py`), which stores the parts of joined matrices separately. Each entry is as
in `author_names`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Block = tuple[str, str, Mapping[str, str]]
_ATTENTION: Final = {"q": "to_q", "k": "to_k", "v": "to_v"}
_THREE: Final = "attn.to_q attn.to_k attn.to_v"


def _each(before: str, own: str, names: Mapping[str, str]) -> dict[str, str]:
    """Names with both prefixes: the authors' and diffusers'."""
    return {before + theirs: " ".join(own + one for one in ours.split()) for theirs, ours in names.items()}


_STEPS: Final = {
    f"{{}}.{one}": f"{{}}.{one}"
    for one in ("linear", "emb.timestep_embedder.linear_1", "emb.timestep_embedder.linear_2")
}
"""Modules of an adaptive norm."""


def _adaptive(**names: str) -> dict[str, str]:
    """Adaptive norms: the authors' name of each -> diffusers' name."""
    return {one.format(theirs): two.format(own) for theirs, own in names.items() for one, two in _STEPS.items()}


_LTX2: Final[tuple[Block, ...]] = (
    ("", "", {
        "patchify_proj": "proj_in", "audio_patchify_proj": "audio_proj_in",
        **_adaptive(
            adaln_single="time_embed", audio_adaln_single="audio_time_embed", prompt_adaln_single="prompt_adaln",
            audio_prompt_adaln_single="audio_prompt_adaln",
            av_ca_video_scale_shift_adaln_single="av_cross_attn_video_scale_shift",
            av_ca_audio_scale_shift_adaln_single="av_cross_attn_audio_scale_shift",
            av_ca_a2v_gate_adaln_single="av_cross_attn_video_a2v_gate",
            av_ca_v2a_gate_adaln_single="av_cross_attn_audio_v2a_gate",
        ),
    }),
)  # fmt: skip
_COSMOS: Final[tuple[Block, ...]] = (
    ("blocks.{}.", "transformer_blocks.{}.", {
        **{f"{side}_attn.{one}_proj": f"attn{number}.{own}" for side, number in (("self", 1), ("cross", 2))
           for one, own in {**_ATTENTION, "output": "to_out.0"}.items()},
        **{f"adaln_modulation_{part}.{layer}": f"norm{number}.linear_{layer}"
           for number, part in enumerate(("self_attn", "cross_attn", "mlp"), 1) for layer in (1, 2)},
        "mlp.layer1": "ff.net.0.proj", "mlp.layer2": "ff.net.2",
    }),
    ("", "", {
        "final_layer.adaln_modulation.1": "norm_out.linear_1", "final_layer.adaln_modulation.2": "norm_out.linear_2",
        "final_layer.linear": "proj_out", "x_embedder.proj.1": "patch_embed.proj",
        "t_embedder.1.linear_1": "time_embed.t_embedder.linear_1",
        "t_embedder.1.linear_2": "time_embed.t_embedder.linear_2",
    }),
)  # fmt: skip
_OF_FLUX3: Final = {
    "q_proj": "attn.to_q", "k_proj": "attn.to_k", "v_proj": "attn.to_v", "attn_out": "attn.to_out.0",
    "mlp_in": "ff.linear_in", "mlp_out": "ff.linear_out",
}  # fmt: skip
_OF_KREA2: Final = {
    "attn.wq": "attn.to_q", "attn.wk": "attn.to_k", "attn.wv": "attn.to_v", "attn.wo": "attn.to_out.0",
    "attn.gate": "attn.to_gate", "mlp.gate": "ff.gate", "mlp.up": "ff.up", "mlp.down": "ff.down",
}  # fmt: skip
_OF_MINIMAX: Final = {
    "attn.qkv_proj": _THREE, "attn.out_proj": "attn.to_out.0", "mlp.fc1": "ff.net.0.proj", "mlp.fc2": "ff.net.2",
}  # fmt: skip
_IMAGE_STREAM: Final = {
    **{f"img_attn_{one}": f"attn.{own}" for one, own in _ATTENTION.items()},
    **{f"txt_attn_{one}": f"attn.add_{one}_proj" for one in _ATTENTION},
    "img_attn_proj": "attn.to_out.0", "txt_attn_proj": "attn.to_add_out",
    "img_attn_qkv": _THREE, "txt_attn_qkv": "attn.add_q_proj attn.add_k_proj attn.add_v_proj",
}  # fmt: skip
_ENDS_OF_STREAM: Final = {
    **{f"{side}_mlp.{one}": f"{own}.{two}" for side, own in (("img", "ff"), ("txt", "ff_context"))
       for one, two in (("fc1", "net.0.proj"), ("fc2", "net.2"), ("0", "net.0.proj"), ("2", "net.2"))},
    **{f"{side}_mod.{one}": f"{own}.linear" for side, own in (("img", "norm1"), ("txt", "norm1_context"))
       for one in ("linear", "lin")},
}  # fmt: skip
_HUNYUAN_IMAGE: Final[tuple[Block, ...]] = (
    ("double_blocks.{}.", "transformer_blocks.{}.", {
        **_IMAGE_STREAM, **_ENDS_OF_STREAM,
        **{one.replace("attn_", "attn."): own for one, own in _IMAGE_STREAM.items()},
    }),
    ("single_blocks.{}.", "single_transformer_blocks.{}.", {
        **{f"linear1_{one}": f"attn.{own}" for one, own in _ATTENTION.items()}, "linear1_mlp": "proj_mlp",
        "linear1": f"{_THREE} proj_mlp", "linear2": "proj_out", "linear2.fc": "proj_out",
        "modulation.linear": "norm.linear", "modulation.lin": "norm.linear",
    }),
    ("txt_in.individual_token_refiner.blocks.{}.", "context_embedder.token_refiner.refiner_blocks.{}.", {
        "self_attn_qkv": _THREE, "self_attn_proj": "attn.to_out.0", "self_attn.qkv": _THREE,
        "self_attn.proj": "attn.to_out.0", "mlp.fc1": "ff.net.0.proj", "mlp.fc2": "ff.net.2", "mlp.0": "ff.net.0.proj",
        "mlp.2": "ff.net.2", "adaLN_modulation.1": "norm_out.linear",
    }),
    ("", "", {
        "img_in.proj": "x_embedder.proj", "final_layer.linear": "proj_out",
        "final_layer.adaLN_modulation.1": "norm_out.linear", "txt_in.input_embedder": "context_embedder.proj_in",
        **_each("byt5_in.", "context_embedder_2.", {f"fc{one}": f"linear_{one}" for one in (1, 2, 3)}),
        **{f"{theirs}.{layer}": f"{own}.linear_{number}" for theirs, own in (
            ("time_in", "time_guidance_embed.timestep_embedder"), ("time_in", "time_embed.timestep_embedder"),
            ("guidance_in", "time_guidance_embed.guidance_embedder"),
            ("time_r_in", "time_guidance_embed.timestep_embedder_r"),
            ("txt_in.t_embedder", "context_embedder.time_text_embed.timestep_embedder"),
        ) for number, layer in ((1, "mlp.0"), (2, "mlp.2"))},
        **_each("txt_in.c_embedder.", "context_embedder.time_text_embed.text_embedder.",
                {"linear_1": "linear_1", "linear_2": "linear_2"}),
    }),
)  # fmt: skip
NEWER: Final[Mapping[str, tuple[Block, ...]]] = {
    "LTX2VideoTransformer3DModel": _LTX2,
    "LTX2TextConnectors": (("", "", {"aggregate_embed": "text_proj_in"}),),
    "CosmosTransformer3DModel": _COSMOS,
    **dict.fromkeys(("HunyuanImageTransformer2DModel", "HunyuanVideo15Transformer3DModel"), _HUNYUAN_IMAGE),
    "Flux3Transformer2DModel": (
        ("content_mode_blocks.image.{}.", "mode_blocks.image.{}.", _OF_FLUX3),
        ("content_mode_blocks.image_cond.{}.", "mode_blocks.image_cond.{}.", _OF_FLUX3),
        ("txt_mode_blocks.{}.", "txt_mode_blocks.{}.", _OF_FLUX3),
        ("single_blocks.{}.", "single_transformer_blocks.{}.", _OF_FLUX3),
    ),
    "Ideogram4Transformer2DModel": (
        ("layers.{}.attention.", "layers.{}.attention.", {"qkv": "to_q to_k to_v", "o": "to_out.0"}),
    ),
    "Krea2Transformer2DModel": (
        ("blocks.{}.", "transformer_blocks.{}.", _OF_KREA2),
        ("txtfusion.layerwise_blocks.{}.", "text_fusion.layerwise_blocks.{}.", _OF_KREA2),
        ("txtfusion.refiner_blocks.{}.", "text_fusion.refiner_blocks.{}.", _OF_KREA2),
        ("", "", {
            "first": "img_in", "last.linear": "final_layer.linear", "tmlp.0": "time_embed.linear_1",
            "tmlp.2": "time_embed.linear_2", "tproj.1": "time_mod_proj", "txtmlp.1": "txt_in.linear_1",
            "txtmlp.3": "txt_in.linear_2", "txtfusion.projector": "text_fusion.projector",
        }),
    ),
    "AceStepTransformer1DModel": tuple(
        (f"layers.{{}}.{one}.", f"layers.{{}}.{one}.",
         {"q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "o_proj": "to_out.0"})
        for one in ("self_attn", "cross_attn")
    ),
    "MiniMaxH3Transformer3DModel": (
        ("blocks.{}.", "transformer_blocks.{}.", {**_OF_MINIMAX, "adaln_proj.linear": "adaln_proj.linear"}),
        ("token_refiner.blocks.{}.", "token_refiner.refiner_blocks.{}.", _OF_MINIMAX),
        ("", "", {
            "video_patch_proj": "proj_in", "audio_patch_proj": "audio_proj_in", "condition_proj": "context_embedder",
            "time_embedder.proj_in": "time_embedder.linear_1", "time_embedder.proj_out": "time_embedder.linear_2",
            "final_layer.adaln_proj.linear": "norm_out.linear", "final_layer.video_out": "proj_out",
            "final_layer.audio_out": "audio_proj_out",
        }),
    ),
}  # fmt: skip
"""Class of diffusers -> the first authors' names of its modules."""
