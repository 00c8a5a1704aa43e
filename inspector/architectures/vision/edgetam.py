"""EdgeTAM: SAM 2 with a small network of the library timm in place of Hiera, for pictures and for video.

modeling_edgetam.py: of timm's networks RepViT M1 is described. modeling_edgetam_video.py: memories pass a resampler
with latents for a whole picture and for its parts, each layer of which has cross and self attention with an MLP each.
"""

from inspector.architectures.vision.repvit import REPVIT
from inspector.architectures.vision.sam2 import (
    MEMORY_ATTENTION,
    MEMORY_DIMS,
    MEMORY_ENCODER,
    MEMORY_REST,
    SAM2_DIMS,
    SAM2_REST,
)
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param

KNOWN = "backbone_config.architecture == 'repvit_m1'"
EDGETAM_VISION = Architecture("edgetam_vision_model", heads=(head("tower Model", ""),),
    ignores="backbone_feature_sizes fpn_stride fpn_padding fpn_top_down_levels num_feature_levels",
    dims=Dims(d="fpn_hidden_size", N="len(backbone_channel_list)", k="fpn_kernel_size"),
    parts=rows(
        submodel("backbone", "backbone.", REPVIT, config="backbone_config", when=KNOWN),
        opaque("backbone.", "a network of the timm library", when=f"not ({KNOWN})"),
        part("neck.convs.{N}", "neck.conv", conv("backbone_channel_list[{N}] -> d, k k"))))
EDGETAM = Architecture("edgetam", dims=SAM2_DIMS,
    parts=rows(
        part("no_memory_embedding", "embed.no_memory", param("1 1 d")),
        submodel("vision", "vision_encoder.", EDGETAM_VISION),
        SAM2_REST),
    heads=(head("Model", ""),))
RESAMPLED = rows(                              # u channels, q all heads
    part("q_proj", "attention.query",  linear("u -> q")),
    part("k_proj", "attention.key",    linear("u -> q")),
    part("v_proj", "attention.value",  linear("u -> q")),
    part("o_proj", "attention.output", linear("q -> u")))
PAIR = rows(
    part("layer_norm", "norm.mlp", affine("u")),
    part("up_proj",    "mlp.up",   linear("u -> x")),
    part("down_proj",  "mlp.down", linear("x -> u")))
PERCEIVER = under("spatial_perceiver",
    part("latents_1d", "embed.latent", param("n1 u"), when="n1 > 0"),
    part("latents_2d", "embed.latent", param("n2 u"), when="n2 > 0"),
    under("layers.{R}",
        under("cross_attention", RESAMPLED, tower="perceiver.cross"),
        under("mlp", PAIR, tower="perceiver.cross"),
        under("self_attention", RESAMPLED),
        under("self_mlp", PAIR),
        part("layer_norm_input",   "norm.context",   affine("u")),
        part("layer_norm_latents", "norm.latent",    affine("u")),
        part("layer_norm_self",    "norm.attention", affine("u"))),
    part("layer_norm", "norm.final", affine("u")), tower="perceiver")
EDGETAM_VIDEO = Architecture("edgetam_video",
    dims=MEMORY_DIMS | Dims(fm="memory_attention_mlp_hidden_size"),
    parts=rows(
        submodel("vision", "vision_encoder.", EDGETAM_VISION, by_type=True, head="tower"),
        SAM2_REST, MEMORY_REST,
        under("memory_attention",
            under("layers.{Lm}",
                under("self_attn", MEMORY_ATTENTION, i="y"),
                under("cross_attn_image", MEMORY_ATTENTION, i="64", tower="memory.cross"),
                part("mlp.up_proj",   "mlp.up",         dense("y -> fm")),
                part("mlp.down_proj", "mlp.down",       dense("fm -> y")),
                part("layer_norm1",   "norm.attention", affine("y")),
                part("layer_norm2",   "norm.cross",     affine("y")),
                part("layer_norm3",   "norm.mlp",       affine("y"))),
            part("layer_norm", "norm.final", affine("y")), tower="memory"),
        MEMORY_ENCODER,
        rows(PERCEIVER, u="perceiver_resampler_hidden_size", x="perceiver_resampler_mlp_intermediate_size",
             q="perceiver_resampler_num_attention_heads*perceiver_resampler_attention_head_dim",
             R="perceiver_resampler_num_layers", n1="perceiver_resampler_num_latents",
             n2="perceiver_resampler_num_latents_2d")),
    heads=(head("Model", ""),))
