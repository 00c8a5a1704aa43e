"""ERNIE 4.5: dense, a mixture of experts, and one with vision; PaddleOCR-VL, which has the dense one.

modeling_ernie4_5.py: `use_bias` reaches every linear of a layer. modeling_ernie4_5_moe.py: layer i is sparse where
(i+1) is a multiple of `moe_layer_interval` and i is between `moe_layer_start_index` and `moe_layer_end_index` (-1:
the last); the correction bias is a parameter [1, experts]; `use_bias` reaches the routed experts in transformers 4
only, and the head of the mixture.
modeling_ernie4_5_vl_moe.py: as many experts for images as for text, numbered after them on disk and as wide as the
second entry of `moe_intermediate_size`; the routers' weights are stored [in, out]; a resampler merges patches in space,
then in time.
modeling_paddleocr_vl.py: SigLIP's tower with rotary positions too. The Hub's files also hold the tower's pooling head
and a second table of positions, both ignored on load; the keys of the text model are at the top of the config.
The Hub's files hold an MTP block with a dense MLP, ignored on load. Tied by class default. mlx-lm's files have no
correction bias: its `sanitize` leaves it out.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS_WITH_OLD_BIAS,
    GQA,
    MLX_EXPERTS,
    PRE_NORMS,
    ROUTER,
    SHARED,
    STACKED,
    SWIGLU,
    SWITCH,
)
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, EITHER_PLACE, TIED_BY_EITHER, TIES
from inspector.architectures.multimodal.siglip import HEAD
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, linear_io, param, scale, table

ATTENTION = under("self_attn", GQA, b="use_bias", bo="use_bias")
ERNIE4_5 = Architecture("ernie4_5 paddleocr_vl_text", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | true",
                        parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU, b="use_bias"))))
BIASED_HEAD = part("lm_head", "head.token", linear("d -> V", bias="use_bias"), tied="embed.token")
ERNIE4_5_MOE = Architecture("ernie4_5_moe", dialects=({}, {"*.mlp.moe_statics.": ".mlp.gate.moe_statics."}),
    heads=(CAUSAL[0], head("ForCausalLM", "model.", BIASED_HEAD), *CAUSAL[2:]),
                            ties="tie_word_embeddings | true",
    dims=DECODER | Dims(E="moe_num_experts", fe="moe_intermediate_size", S="moe_num_shared_experts",
              first="moe_layer_start_index", last="moe_layer_end_index", step="moe_layer_interval",
              M="L[({L}+1) % step == 0 and {L} >= first and ({L} <= last or last + 1 == 0)]", D="L - M",
              X="num_nextn_predict_layers | 1"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION),
        under("layers.{D}.mlp", SWIGLU, b="use_bias"),
        under("layers.{M}.mlp",
            ROUTER,
            under("shared_experts", SHARED, ff="fe*S", b="use_bias", when="S > 0"),
            either(
                rows(
                    part("moe_statics.e_score_correction_bias", "router.correction", param("1 E")),
                    rows(EXPERTS_WITH_OLD_BIAS, ff="fe", b="use_bias")),
                under(MLX_EXPERTS, SWITCH, ff="fe"))),
        rows(                                                            # no record exercises these rows
            under("mtp_block.{X}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU, b="use_bias")),
            part("mtp_emb_norm.{X}",    "norm.mtp.embed",  scale("d")),
            part("mtp_hidden_norm.{X}", "norm.mtp.hidden", scale("d")),
            part("mtp_linear_proj.{X}", "mtp.join",        linear("d + d -> d", bias="use_bias")),
            optional=True, extra="mtp", tower="mtp")))
EXPERT = rows(                                 # w the width
    part("gate_proj", "mlp.gate", linear("d -> w")),
    part("up_proj",   "mlp.up",   linear("d -> w")),
    part("down_proj", "mlp.down", linear("w -> d")))
JOINED_MOES = rows(
    part("gate",          "router",        linear_io("d -> E")),
    part("gate.weight_1", "router.vision", linear_io("d -> E", bare=True)),
    part("moe_statics.e_score_correction_bias", "router.correction", param("2 E")),
    under("experts.{E}", EXPERT, w="fe"),
    under("experts.{X}", EXPERT, w="fx", tower="vision"))
MOE = rows(                                    # as a text model saved alone has it
    part("gate", "router", linear("d -> E")),
    part("gate.moe_statics.e_score_correction_bias", "router.correction", param("1 E")),
    under("experts", STACKED, ff="w"))
VL_MOE_TEXT = Architecture("ernie4_5_vl_moe_text", heads=CAUSAL[:2], ties="tie_word_embeddings | true",
    dims=DECODER | Dims(E="moe_num_experts", X="E : 2*E", fe="moe_intermediate_size[0]", fx="moe_intermediate_size[1]",
                        S="moe_num_shared_experts",
                        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION),
        under("layers.{D}.mlp", SWIGLU, b="use_bias"),
        under("layers.{M}.mlp",
            under("shared_experts", SHARED, ff="fe*S", b="use_bias", when="S > 0"),
            either(JOINED_MOES, rows(
                under("text_moe", MOE, w="fe"),
                under("vision_moe", MOE, w="fx", tower="vision"))))))
VL_MOE_VISION = Architecture("ernie4_5_vl_moe_vision", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="depth", h="num_heads", ff="intermediate_size", c="in_channels", p="patch_size",
              m="d*spatial_merge_size**2", n="m*temporal_merge_size"),
    parts=rows(
        part("patch_embed.proj", "embed.patch", linear("c*p*p -> d")),
        part("ln",               "norm.final",  affine("d")),
        under("blocks.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("norm2",     "norm.mlp",         affine("d")),
            part("attn.qkv",  "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
            part("attn.proj", "attention.output", dense("d -> d")),
            part("mlp.fc1",   "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",   "mlp.down",         dense("ff -> d")))))
VL_MOE_STATE_DICT = {                          # names in memory under transformers 5
    "": "language_model.", "vision_model.": "vision_tower.", "resampler_model.": "resampler_model.",
    **{f"resampler_model.{merger}_linear.{old}": f"resampler_model.{merger}_linear.{new}"
       for merger in ("spatial", "temporal") for old, new in (("0", "fc1"), ("2", "fc2"), ("3", "ln"))}}
VL_MOE = Architecture("ernie4_5_vl_moe", ties=TIES, heads=BARE_MODEL,
    dialects=({}, VL_MOE_STATE_DICT,
              {"lm_head": "lm_head",
               **{f"model.{old}": f"model.{new}" for old, new in VL_MOE_STATE_DICT.items()}}),
                      dims=Dims(d="text.d", V="text.V", m="vision.m", n="vision.n"),
    parts=rows(
        submodel("text",   "", VL_MOE_TEXT, head="Model"),
        submodel("vision", "vision_model.", VL_MOE_VISION),
        under("resampler_model",
            part("spatial_linear.0",  "merger.space.up",   dense("m -> m")),
            part("spatial_linear.2",  "merger.space.down", dense("m -> m")),
            part("spatial_linear.3",  "norm.merger.space", affine("m")),
            part("temporal_linear.0", "merger.time.up",    dense("n -> m")),
            part("temporal_linear.2", "merger.time.down",  dense("m -> m")),
            part("temporal_linear.3", "norm.merger.time",  affine("m")),
            part("mlp",               "bridge.out",        dense("m -> d")),
            part("after_norm",        "norm.bridge",       scale("d")))))
PADDLEOCR_VISION = Architecture("paddleocr_vl_vision", dims=VISION | Dims(m="d*spatial_merge_size**2"),
    heads=(head("tower VisionTransformer", ""), head("VisionModel", "vision_model.")),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p p")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))
PADDLEOCR_VL = Architecture("paddleocr_vl", heads=BARE_MODEL,
    ignores="max_position_embeddings compression_ratio rope_is_neox_style use_3d_rope",
    ties="tie_word_embeddings when not stated.text_config | " + TIED_BY_EITHER,
    dims=EITHER_PLACE | Dims(
        dh="head_dim when flat | text_config.head_dim | d/h", ub="use_bias when flat | text_config.use_bias",
        v="vision.d", vf="vision.ff", m="vision.m"),
    parts=rows(
        under("language_model", ERNIE4_5.parts, tower="text", use_bias="ub"),
        submodel("vision", "visual.", PADDLEOCR_VISION, head="VisionModel"),
        under("visual.vision_model",
            rows(HEAD, d="v", ff="vf", pools="true"),
            part("embeddings.packing_position_embedding", "embed.position.packed", table("32768 v")),
            optional=True, extra="unused", tower="unused"),
        part("projector.pre_norm", "norm.bridge", affine("v")),
        part("projector.linear_1", "bridge.in",   dense("m -> m")),
        part("projector.linear_2", "bridge.out",  dense("m -> d"))),
    dialects=({}, {"model.language_model.": "model.", "model.visual.": "visual.", "model.projector.": "mlp_AR."}))
