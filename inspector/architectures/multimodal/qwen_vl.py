"""Qwen 2, 2.5, 3 and 3.5 with vision, and GLM-4V, GLM-OCR and EXAONE 4.5, with the same names and vision encoder.

modeling_qwen2_vl.py: `embed_dim` is the vision width, `hidden_size` the output of its merger. modeling_qwen2_5_vl.py:
RMS norms, a gated MLP *with* bias, no bias on the patch convolution. modeling_qwen3_vl.py: layer norms, a patch bias,
learned positions; the main merger norms the tower's width, each of `deepstack_merger_list` the merged one, as many as
`deepstack_visual_indexes` has entries. Files of Qwen2-VL and 2.5-VL have `model.layers` and `visual.`, the class in
memory has `model.language_model` and `model.visual`.
modeling_glm4v.py: RMS norms without bias, the MLP of a block has the width `out_hidden_size`, the merger's
`intermediate_size`; `attention_bias` reaches q, k and v only. modeling_glm_ocr.py: queries and keys normed per head, no
positions, the bias reaches the MLP too, the merger is `out_hidden_size * in_channels` wide; modeling_glm5_next.py: the
same, its merger has a width of its own. modeling_exaone4_5.py: Qwen
2.5's tower with groups of keys. modeling_cohere_compass.py: Qwen 3's tower.
"""

from collections.abc import Mapping

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, EITHER_PLACE, TIED_IF_ONE_SAYS, TIES
from inspector.architectures.text.exaone import EXAONE4
from inspector.architectures.text.qwen import DENSE_MTP, QWEN2, SPARSE_MTP
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, scale, table

TOWER = Dims(d="hidden_size", L="depth | num_hidden_layers", h="num_heads", ff="intermediate_size",
             c="in_channels | in_chans",
             p="patch_size", t="temporal_patch_size", m="d*spatial_merge_size**2", o="out_hidden_size")
ATTENTION = rows(
    part("attn.qkv",  "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
    part("attn.proj", "attention.output", dense("d -> d")))
MERGER = rows(
    part("merger.mlp.0", "merger.up",   dense("m -> m")),
    part("merger.mlp.2", "merger.down", dense("m -> o")))
FREQUENCIES = maybe("rotary_pos_emb.inv_freq", "rotary.frequency", buffer("d//h//4"))
QWEN2_VL_VISION = Architecture("qwen2_vl_vision", heads=(head("tower Model", ""),),
    dims=TOWER | Dims(d="embed_dim", ff="floor(d*mlp_ratio)", o="hidden_size"),
    parts=rows(
        FREQUENCIES,
        part("patch_embed.proj", "embed.patch", conv("c -> d, t p p", bias=False)),
        under("blocks.{L}", ATTENTION,
            part("norm1",   "norm.attention", affine("d")),
            part("norm2",   "norm.mlp",       affine("d")),
            part("mlp.fc1", "mlp.up",         dense("d -> ff")),
            part("mlp.fc2", "mlp.down",       dense("ff -> d"))),
        part("merger.ln_q", "norm.merger", affine("d")),
        MERGER))
GATED = rows(                                  # b: bias
    part("mlp.gate_proj", "mlp.gate", linear("d -> ff", bias="b")),
    part("mlp.up_proj",   "mlp.up",   linear("d -> ff", bias="b")),
    part("mlp.down_proj", "mlp.down", linear("ff -> d", bias="b")))
RMS_NORMS = rows(
    part("norm1", "norm.attention", scale("d")),
    part("norm2", "norm.mlp",       scale("d")))
QWEN2_5_VL_VISION = Architecture("qwen2_5_vl_vision", dims=TOWER, heads=(head("tower Model", ""),),
    parts=rows(
        FREQUENCIES,
        part("patch_embed.proj", "embed.patch", conv("c -> d, t p p", bias=False)),
        under("blocks.{L}", RMS_NORMS, ATTENTION, rows(GATED, b="true")),
        part("merger.ln_q", "norm.merger", scale("d")),
        MERGER))
QWEN2_5_OMNI_VISION = Architecture("qwen2_5_omni_vision_encoder", dims=TOWER, heads=(head("tower Model", ""),),
    parts=rows(
        FREQUENCIES,
        part("patch_embed.proj", "embed.patch", conv("c -> d, t p p", bias=False)),
        under("blocks.{L}", RMS_NORMS, rows(GATED, b="true"),
            part("attn.q",    "attention.query",  dense("d -> d")),
            part("attn.k",    "attention.key",    dense("d -> d")),
            part("attn.v",    "attention.value",  dense("d -> d")),
            part("attn.proj", "attention.output", dense("d -> d"))),
        part("merger.ln_q", "norm.merger", scale("d")),
        MERGER))
MERGER3 = rows(                                # n the width its norm has
    part("norm",       "norm.merger", affine("n")),
    part("linear_fc1", "merger.up",   dense("m -> m")),
    part("linear_fc2", "merger.down", dense("m -> o")))
QWEN3_BLOCKS = rows(
    FREQUENCIES,
    part("patch_embed.proj", "embed.patch",    conv("c -> d, t p p")),
    part("pos_embed",        "embed.position", table("num_position_embeddings d")),
    under("blocks.{L}", ATTENTION,
        part("norm1",          "norm.attention", affine("d")),
        part("norm2",          "norm.mlp",       affine("d")),
        part("mlp.linear_fc1", "mlp.up",         dense("d -> ff")),
        part("mlp.linear_fc2", "mlp.down",       dense("ff -> d"))))
QWEN3_VISION = rows(QWEN3_BLOCKS, under("merger", MERGER3, n="d"))
QWEN3_VL_VISION = Architecture("qwen3_vl_vision qwen3_vl_moe_vision cohere_compass_vision",
                               heads=(head("tower Model", ""),),
    dims=TOWER | Dims(N="len(deepstack_visual_indexes)"),
    parts=rows(QWEN3_VISION, under("deepstack_merger_list.{N}", MERGER3, n="m", tower="deepstack")))
MERGER3_OMNI = rows(                           # the same under Qwen 2's names
    part("ln_q",  "norm.merger", affine("n")),
    part("mlp.0", "merger.up",   dense("m -> m")),
    part("mlp.2", "merger.down", dense("m -> o")))
QWEN3_OMNI_VISION = Architecture("qwen3_omni_moe_vision_encoder", dims=QWEN3_VL_VISION.dims,
                                 heads=(head("tower Encoder", ""),),
    parts=rows(
        QWEN3_BLOCKS,
        under("merger", MERGER3_OMNI, n="d"),
        under("merger_list.{N}", MERGER3_OMNI, n="m", tower="deepstack")))
QWEN3_5_VISION = Architecture("qwen3_5_vision qwen3_5_moe_vision qwen4_exp_vision", dims=TOWER,
                              heads=(head("tower Model", ""),),
                              parts=QWEN3_VISION)
GLM4V_VISION = Architecture("glm4v_vision glm4v_moe_vision", heads=(head("tower Model", ""),),
    dims=TOWER | Dims(s="spatial_merge_size", g="(image_size//p)**2"),
    parts=rows(
        FREQUENCIES,
        part("patch_embed.proj",              "embed.patch",    conv("c -> d, t p p")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        part("post_conv_layernorm",           "norm.embed",     scale("d")),
        part("post_layernorm",                "norm.final",     scale("d")),
        part("downsample",                    "resnet.merge",   conv("d -> o, s s")),
        under("blocks.{L}", RMS_NORMS, rows(GATED, ff="o"),
            part("attn.qkv",  "attention.qkv",    linear("d -> d + d + d", packs="q k v", bias="attention_bias")),
            part("attn.proj", "attention.output", linear("d -> d"))),
        under("merger",
            part("proj",                 "merger.project", linear("o -> o")),
            part("post_projection_norm", "norm.merger",    affine("o")),
            part("gate_proj",            "merger.gate",    linear("o -> ff")),
            part("up_proj",              "merger.up",      linear("o -> ff")),
            part("down_proj",            "merger.down",    linear("ff -> o")))))
GLM_OCR_VISION = Architecture("glm_ocr_vision glm5_next_vision", heads=(head("tower Model", ""),),
    dims=TOWER | Dims(s="spatial_merge_size", b="attention_bias", w="projection_intermediate_size | o*c"),
    parts=rows(
        FREQUENCIES,
        part("patch_embed.proj", "embed.patch",  conv("c -> d, t p p")),
        part("post_layernorm",   "norm.final",   scale("d")),
        part("downsample",       "resnet.merge", conv("d -> o, s s")),
        under("blocks.{L}", RMS_NORMS, GATED,
            part("attn.qkv",    "attention.qkv",    linear("d -> d + d + d", packs="q k v", bias="b")),
            part("attn.proj",   "attention.output", linear("d -> d", bias="b")),
            part("attn.q_norm", "norm.query",       scale("d//h")),
            part("attn.k_norm", "norm.key",         scale("d//h"))),
        under("merger",
            part("proj",                 "merger.project", linear("o -> o")),
            part("post_projection_norm", "norm.merger",    affine("o")),
            part("gate_proj",            "merger.gate",    linear("o -> w")),
            part("up_proj",              "merger.up",      linear("o -> w")),
            part("down_proj",            "merger.down",    linear("w -> o")))))
EXAONE4_5_VISION = Architecture("exaone4_5_vision", heads=(head("tower Model", ""),),
    dims=TOWER | Dims(kv="num_key_value_heads", dh="d//h"),
    parts=rows(
        FREQUENCIES,
        part("patch_embed.proj", "embed.patch", conv("c -> d, t p p", bias=False)),
        under("blocks.{L}", RMS_NORMS, rows(GATED, b="true"),
            part("attn.qkv",  "attention.qkv",    dense("d -> h*dh + kv*dh + kv*dh", packs="q k v")),
            part("attn.proj", "attention.output", dense("d -> d"))),
        part("merger.ln_q", "norm.merger", scale("d")),
        MERGER))

TEXT = Dims(d="text.d", V="text.V")
MLX_NAMES = {                                  # mlx-vlm's
    "model.visual.": "vision_tower.", "model.language_model.": "language_model.model.",
    "lm_head.": "language_model.lm_head."}
OLD_NAMES: tuple[Mapping[str, str], ...] = (
    {}, {"model.language_model.": "model.", "model.visual.": "visual."}, MLX_NAMES)
EITHER_TIES = "tie_word_embeddings when not stated.text_config | " + TIED_IF_ONE_SAYS
QWEN2_VL = Architecture("qwen2_vl", ties=EITHER_TIES, dims=EITHER_PLACE, heads=BARE_MODEL, dialects=OLD_NAMES,
    parts=rows(
        under("language_model", QWEN2.parts, tower="text"),
        submodel("vision", "visual.", QWEN2_VL_VISION)))
QWEN2_5_VL = Architecture("qwen2_5_vl", ties=EITHER_TIES, dims=EITHER_PLACE, heads=BARE_MODEL, dialects=OLD_NAMES,
    parts=rows(
        under("language_model", QWEN2.parts, tower="text"),
        submodel("vision", "visual.", QWEN2_5_VL_VISION)))
QWEN3_VL = Architecture("qwen3_vl qwen3_vl_moe", ties=TIES, dims=TEXT, heads=BARE_MODEL, dialects=({}, MLX_NAMES),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "visual.", QWEN3_VL_VISION)))
COHERE_COMPASS = Architecture("cohere_compass", ties=TIES, dims=TEXT, heads=BARE_MODEL, dialects=({}, MLX_NAMES),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "visual.", QWEN3_VL_VISION)))
NEXT = Dims(X="text.X", h="text.h", kv="text.kv", dh="text.dh")  # of the layers for further tokens
LABELS = (
    head("ForSequenceClassification", "model.", part("score", "head.class", linear("d -> C"))),
    head("ForTokenClassification",    "model.", part("score", "head.class", dense("d -> C"))))
QWEN3_5_PARTS = rows(
    submodel("text",   "language_model.", head="Model"),
    submodel("vision", "visual.", QWEN3_5_VISION))
MLX_NAMES_WITH_MTP = {**MLX_NAMES, "mtp.": "language_model.mtp."}  # kept by oMLX and mlx-vlm; mlx-lm leaves them out
QWEN3_5 = Architecture("qwen3_5", ties=TIES, dims=TEXT | NEXT | Dims(C="labels", ff="text.ff"),
                       dialects=({}, MLX_NAMES_WITH_MTP), parts=QWEN3_5_PARTS,
    heads=(head("ForConditionalGeneration", "model.", LM_HEAD, DENSE_MTP, default=True), *BARE_MODEL[1:], *LABELS))
QWEN3_5_MOE = Architecture("qwen3_5_moe", ties=TIES, dialects=({}, MLX_NAMES_WITH_MTP), parts=QWEN3_5_PARTS,
                           dims=TEXT | NEXT | Dims(C="labels", E="text.E", fe="text.fe", fs="text.fs"),
    heads=(head("ForConditionalGeneration", "model.", LM_HEAD, SPARSE_MTP, default=True), *BARE_MODEL[1:], *LABELS))
QWEN4_EXP = Architecture("qwen4_exp", ties=TIES, dims=TEXT | Dims(C="labels"), dialects=({}, MLX_NAMES),
                         heads=(*BARE_MODEL, *LABELS), parts=QWEN3_5_PARTS)
GLM4V_PARTS = rows(
    submodel("text",   "language_model.", head="Model"),
    submodel("vision", "visual.", GLM4V_VISION))
GLM4V = Architecture("glm4v glm4v_moe", ties=TIED_IF_ONE_SAYS, dims=TEXT, heads=BARE_MODEL,
                     dialects=({}, MLX_NAMES), parts=GLM4V_PARTS)
GLM46V = Architecture("glm46v glmga", ties=TIES, dims=TEXT, heads=BARE_MODEL, dialects=({}, MLX_NAMES),
                      parts=GLM4V_PARTS)
GLM_OCR_PARTS = rows(
    submodel("text",   "language_model.", head="Model"),
    submodel("vision", "visual.", GLM_OCR_VISION))
GLM_OCR = Architecture("glm_ocr", ties=TIED_IF_ONE_SAYS, dims=TEXT, heads=BARE_MODEL, dialects=({}, MLX_NAMES),
                       parts=GLM_OCR_PARTS)
GLM5_NEXT = Architecture("glm5_next", ties=TIES, dims=TEXT, heads=BARE_MODEL, parts=GLM_OCR_PARTS)
EXAONE4_5 = Architecture("exaone4_5", ties=TIES, dims=TEXT, heads=BARE_MODEL,
    parts=rows(
        submodel("text",   "language_model.", EXAONE4, head="Model"),
        submodel("vision", "visual.", EXAONE4_5_VISION)))
