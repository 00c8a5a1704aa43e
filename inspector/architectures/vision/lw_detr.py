"""LW-DETR and its vision transformer; RADIO.

modeling_lw_detr.py: keys have no bias; for each scale of the projector the maps are resized and pass blocks with
outputs that are all concatenated; every group of queries has separate heads for the proposals. modeling_radio.py:
patches are projected flat, positions cover the largest image, the first tokens are classes and registers.
"""

from inspector.architectures.vision.backbones import MAPS
from inspector.architectures.vision.deformable import BOX, DEFORMABLE
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, conv_t, dense, linear, param, table

AS_FIRST_WRITTEN = {
    "*.attention.q_proj": ".attention.attention.query", "*.attention.k_proj": ".attention.attention.key",
    "*.attention.v_proj": ".attention.attention.value", "*.attention.o_proj": ".attention.output"}
LW_DETR_VIT = Architecture("lw_detr_vit", ignores="cae_init_values out_features out_indices",
    dialects=({}, AS_FIRST_WRITTEN),
    dims=VISION | Dims(ff="floor(d*mlp_ratio)", q="pretrain_image_size[0]//p*(pretrain_image_size[1]//pw)",
                       a="h*(head_dim | d//h)"),
    parts=rows(
        part("embeddings.projection",          "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings", "embed.position", param("1 q+1 d"),
             when="use_absolute_position_embeddings"),
        under("encoder.layer.{L}",
            part("layernorm_before", "norm.attention",   affine("d")),
            part("attention.q_proj", "attention.query",  linear("d -> a", bias="qkv_bias")),
            part("attention.k_proj", "attention.key",    linear("d -> a")),
            part("attention.v_proj", "attention.value",  linear("d -> a", bias="qkv_bias")),
            part("attention.o_proj", "attention.output", dense("a -> d")),
            part("layernorm_after",  "norm.mlp",         affine("d")),
            part("intermediate.fc1", "mlp.up",           dense("d -> ff")),
            part("intermediate.fc2", "mlp.down",         dense("ff -> d")),
            part("gamma_1",          "attention.scale",  param("d")),
            part("gamma_2",          "mlp.scale",        param("d")))),
    heads=(head("Backbone", ""),))
CONV = rows(
    part("conv", "resnet.conv", conv("i -> o, k k", bias=False)),
    part("norm", "norm.resnet", batchnorm("o")))
LW_DETR_SELF = rows(
    part("q_proj", "attention.query",  linear("d -> a", bias="b")),
    part("k_proj", "attention.key",    linear("d -> a", bias="b")),
    part("v_proj", "attention.value",  linear("d -> a", bias="b")),
    part("o_proj", "attention.output", linear("a -> d", bias="b")))
LW_DETR_QUERIES = rows(                        # all behind the projector but the self-attention
    part("reference_point_embed", "embed.point", table("N 4")),
    part("query_feat",            "embed.query", table("N d")),
    under("decoder",
        under("layers.{Ld}",
            part("self_attn_layer_norm",  "norm.attention", affine("d")),
            rows(under("cross_attn", DEFORMABLE), tower="decoder.cross"),
            part("cross_attn_layer_norm", "norm.cross",     affine("d")),
            part("mlp.fc1",               "mlp.up",         dense("d -> ff")),
            part("mlp.fc2",               "mlp.down",       dense("ff -> d")),
            part("layer_norm",            "norm.mlp",       affine("d"))),
        part("layernorm",               "norm.final",           affine("d")),
        part("ref_point_head.layers.0", "embed.position.up",    dense("2*d -> d")),
        part("ref_point_head.layers.1", "embed.position.down",  dense("d -> d")), tower="decoder"),
    part("enc_output.{G}",          "head.proposal",       dense("d -> d")),
    part("enc_output_norm.{G}",     "norm.proposal",       affine("d")),
    under("enc_out_bbox_embed.{G}", BOX, tower="proposal"),
    part("enc_out_class_embed.{G}", "head.proposal.class", dense("d -> C")))
# v: width of the backbone; P: scales (factor s), D enlarged, H reduced; M: maps; m, x: channels of a map, inside the
# projector; B: its blocks; F: levels; N: queries of all groups G; a: width of the self-attention
LW_DETR = Architecture("lw_detr", ignores="projector_in_channels projector_out_channels",
                       dialects=({}, AS_FIRST_WRITTEN),
    dims=MAPS | Dims(d="d_model", v="vision.d", P="len(projector_scale_factors)", s="projector_scale_factors[{P}]",
                     M="len(stages)",
                     D="P[projector_scale_factors == 2]", H="P[projector_scale_factors == 0.5]", wide="v > 512",
                     x="floor(d*hidden_expansion)",
                     m="v//4 when s == 2 and wide | v//2 when s == 2 | v", B="c2f_num_blocks", Ld="decoder_layers",
                     ff="decoder_ffn_dim",
                     h="decoder_cross_attention_heads", p="decoder_n_points", N="num_queries*group_detr",
                     G="group_detr", F="num_feature_levels when num_feature_levels > 0 | P",
                     b="attention_bias", a="decoder_self_attention_heads*(head_dim | d//decoder_self_attention_heads)",
                     C="labels"),
    parts=rows(
        submodel("vision", "backbone.backbone.", LW_DETR_VIT, config="backbone_config"),
        under("backbone.projector.scale_layers",
            under("{D}.sampling_layers.{M}.layers.0", CONV, i="v", o="v//2", k="1", tower="up", when="wide"),
            part("{D}.sampling_layers.{M}.layers.1", "neck.up", conv_t("v//2 -> v//4, 2 2"), when="wide"),
            part("{D}.sampling_layers.{M}.layers.0", "neck.up", conv_t("v -> v//2, 2 2"), when="not wide"),
            under("{H}.sampling_layers.{M}.layers.0", CONV, i="v", o="v", k="3", tower="down"),
            under("{P}.projector_layer",
                under("conv1", CONV, i="m*M", o="2*x", k="1", tower="projector.in"),
                under("conv2", CONV, i="(2 + B)*x", o="d", k="1", tower="projector.out"),
                under("bottlenecks.{B}.conv1", CONV, i="x", o="x", k="3", tower="projector.1"),
                under("bottlenecks.{B}.conv2", CONV, i="x", o="x", k="3", tower="projector.2")),
            part("{P}.layer_norm", "norm.neck", affine("d"))),
        LW_DETR_QUERIES,
        under("decoder.layers.{Ld}.self_attn", LW_DETR_SELF, tower="decoder")),
    heads=(
        head("ForObjectDetection", "model.", part("class_embed", "head.class", dense("d -> C")),
             under("bbox_embed", BOX), default=True),
        head("Model", "")))
RADIO_STATE_DICT = {                           # names in memory under transformers 5
    "radio_model.": "", "radio_model.model.patch_generator.cls_token.token": "embeddings.cls_register_token",
    "radio_model.model.patch_generator.embedder.": "embeddings.patch_projection.",
    "radio_model.model.patch_generator.video_embedder.": "embeddings.video_patch_projection.",
    "radio_model.model.patch_generator.pos_embed": "embeddings.position_embedding",
    "radio_model.model.blocks.": "encoder.layer.", "*.attn.proj.": ".attention.o_proj.", "*.attn.": ".attention."}
RADIO_NETWORK = rows(
    part("summary_idxs",                "head.index",      buffer("I")),
    part("model.patch_generator.cls_token.token", "embed.class",    param("k d")),
    part("model.patch_generator.embedder",        "embed.patch",    linear("x -> d")),
    part("model.patch_generator.video_embedder",  "embed.video",    linear("x*video_temporal_patch_size -> d"),
         when="video_temporal_patch_size != null"),
    part("model.patch_generator.pos_embed",       "embed.position", param("1 n d")),
    under("model.blocks.{L}",
        part("norm1",     "norm.attention",   affine("d")),
        either(
            part("attn.qkv", "attention.qkv", linear("d -> a + a + a", bias="qkv_bias", packs="q k v")),
            rows(                          # in transformers 5's memory
                part("attn.q_proj", "attention.query", linear("d -> a", bias="qkv_bias")),
                part("attn.k_proj", "attention.key",   linear("d -> a", bias="qkv_bias")),
                part("attn.v_proj", "attention.value", linear("d -> a", bias="qkv_bias")))),
        part("attn.proj", "attention.output", dense("a -> d")),
        part("norm2",     "norm.mlp",         affine("d")),
        part("mlp.fc1",   "mlp.up",           dense("d -> ff"), when="not use_swiglu_ffn"),
        part("mlp.fc2",   "mlp.down",         dense("ff -> d"), when="not use_swiglu_ffn"),
        rows(
            part("mlp.gate_proj", "mlp.gate",      dense("d -> fs")),
            part("mlp.up_proj",   "mlp.gated.up",  dense("d -> fs")),
            part("mlp.down_proj", "mlp.gated.down", dense("fs -> d")), when="use_swiglu_ffn"),
        part("layer_scale1.lambda1", "attention.scale", param("d")),
        part("layer_scale2.lambda1", "mlp.scale",       param("d"))))
RADIO = Architecture("radio", ignores="patch_dim video_patch_dim", dialects=({}, RADIO_STATE_DICT),
    dims=VISION | Dims(ff="floor(d*mlp_ratio)", k="num_cls_tokens + num_registers", n="(max_img_size//p)**2",
                       x="num_channels*p*pw",
                       I="len(summary_idxs)", c="len(norm_mean)",
                       a="h*(head_dim | d//h)", fs="ceil(2*ff//3, 8)"),
    parts=under("radio_model",
        part("input_conditioner.norm_mean", "norm.image.mean", buffer("c 1 1")),
        part("input_conditioner.norm_std",  "norm.image.std",  buffer("len(norm_std) 1 1")),
        RADIO_NETWORK),
    heads=(head("Model", ""),))
