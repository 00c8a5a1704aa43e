"""Hiera, TimeSformer, PoolFormer, AIMv2.

modeling_hiera.py: the first layer of a stage reads the width before it and has a projection; positions are counted by
the stride.
modeling_timesformer.py: divided attention has a second, temporal one and a table of frames. modeling_poolformer.py:
pooling has no weights, scales exist with `use_layer_scale`. modeling_aimv2.py: RMS norms, positions only without
`is_native`, a head of one class token.
"""

from inspector.architectures.blocks import SWIGLU
from inspector.architectures.vision.vision_blocks import BACKBONE, LAYERNORM, VISION, VIT_MLP
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under, usually
from inspector.notation.kinds import affine, conv, dense, linear, param, scale, table

HIERA_LAYER = rows(                            # i channels in
    part("layernorm_before", "norm.attention",   affine("i")),
    part("attn.qkv",         "attention.qkv",    dense("i -> w + w + w", packs="q k v")),
    part("attn.proj",        "attention.output", dense("w -> w")),
    part("layernorm_after",  "norm.mlp",         affine("w")),
    part("mlp.fc1",          "mlp.up",           dense("w -> floor(w*mlp_ratio)")),
    part("mlp.fc2",          "mlp.down",         dense("floor(w*mlp_ratio) -> w")),
    part("proj",             "resnet.skip",      dense("i -> w"), when="i != w"))
HIERA = Architecture("hiera", ignores="hidden_size",
    dims=Dims(c="num_channels", e="embed_dim", S="len(depths)", B="depths[{S}]", B1="B[1:]",
              w="floor(e*embed_dim_multiplier**{S})",
              v="floor(e*embed_dim_multiplier**({S}-1)) when {S} > 0 | e", f="floor(e*embed_dim_multiplier**(S-1))",
              d="f",
              g="image_size[0]//patch_stride[0]*(image_size[1]//patch_stride[1])",
              C="labels") | BACKBONE,
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> e, patch_size[0] patch_size[1]")),
        part("embeddings.position_embeddings",         "embed.position", param("1 g e")),
        under("encoder.stages.{S}.layers.0",    HIERA_LAYER, i="v"),
        under("encoder.stages.{S}.layers.{B1}", HIERA_LAYER, i="w")),
    heads=(
        head("Model", "", usually(part("pooler.layernorm", "norm.pooler", affine("f")))),
        head("Backbone", "", part("hidden_states_norms.stage{O}", "norm.stage",
                                  affine("floor(e*embed_dim_multiplier**({O}-1))"))),
        head("ForImageClassification", "hiera.", part("hiera.pooler.layernorm", "norm.pooler", affine("f")),
            part("classifier", "head.class", dense("f -> C")), default=True)))
TIMESFORMER = Architecture("timesformer", dims=VISION | Dims(b="qkv_bias", F="num_frames"),
    parts=rows(
        part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings",         "embed.position", param("1 g+1 d")),
        part("embeddings.time_embeddings",             "embed.time",     param("1 F d"),
             when="attention_type != 'space_only'"),
        under("encoder.layer.{L}", VIT_MLP,
            part("attention.attention.qkv", "attention.qkv",    linear("d -> d + d + d", packs="q k v", bias="b")),
            part("attention.output.dense",  "attention.output", dense("d -> d"))),
        under("encoder.layer.{L}",
            part("temporal_layernorm", "norm.time", affine("d")),
            part("temporal_dense",     "attention.time.project", dense("d -> d")),
            part("temporal_attention.attention.qkv", "attention.time.qkv",
                 linear("d -> d + d + d", packs="q k v", bias="b")),
            part("temporal_attention.output.dense",  "attention.time.output", dense("d -> d")),
            when="attention_type == 'divided_space_time'"),
        LAYERNORM),
    heads=(
        head("Model", ""),
        head("ForVideoClassification", "timesformer.", part("classifier", "head.class", dense("d -> C")))))
POOLFORMER = Architecture("poolformer",
    dims=Dims(c="num_channels", S="num_encoder_blocks", B="depths[{S}]", w="hidden_sizes[{S}]",
              v="hidden_sizes[{S}-1] | c",
              k="patch_sizes[{S}]", f="hidden_sizes[len(hidden_sizes)-1]", d="f", ff="floor(w*mlp_ratio)",
              C="labels"),
    parts=rows(
        part("encoder.patch_embeddings.{S}.projection", "embed.patch", conv("v -> w, k k")),
        under("encoder.block.{S}.{B}",
            part("before_norm",   "norm.attention",  affine("w")),
            part("after_norm",    "norm.mlp",        affine("w")),
            part("output.conv1",  "mlp.up",          conv("w -> ff, 1 1")),
            part("output.conv2",  "mlp.down",        conv("ff -> w, 1 1")),
            part("layer_scale_1", "attention.scale", param("w"), when="use_layer_scale"),
            part("layer_scale_2", "mlp.scale",       param("w"), when="use_layer_scale"))),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "poolformer.", part("norm", "norm.final", affine("f")),
            part("classifier", "head.class", dense("f -> C")), default=True)))
AIMV2_LAYER = rows(
    part("rms_norm1",          "norm.attention",   scale("d")),
    part("rms_norm2",          "norm.mlp",         scale("d")),
    part("attention.q_proj",   "attention.query",  linear("d -> d", bias="qkv_bias")),
    part("attention.k_proj",   "attention.key",    linear("d -> d", bias="qkv_bias")),
    part("attention.v_proj",   "attention.value",  linear("d -> d", bias="qkv_bias")),
    part("attention.out_proj", "attention.output", linear("d -> d", bias="qkv_bias")),
    under("ffn", SWIGLU, b="mlp_bias"))
AIMV2_VISION = Architecture("aimv2_vision_model", dims=VISION, heads=(head("tower VisionModel", ""),),
    parts=rows(
        part("embeddings.patch_embed",        "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embedding", "embed.position", table("g d"), when="not is_native"),
        part("embeddings.rms_norm",           "norm.embed",     scale("d")),
        part("rms_norm",                      "norm.final",     scale("d")),
        under("encoder.layers.{L}", AIMV2_LAYER),
        under("head",
            part("cls_token",   "pooler.token",  param("1 1 d")),
            part("k_proj",      "pooler.key",    linear("d -> d", bias="qkv_bias")),
            part("v_proj",      "pooler.value",  linear("d -> d", bias="qkv_bias")),
            part("output_proj", "pooler.output", dense("d -> d")), when="use_head")))
AIMV2_TEXT = Architecture("aimv2_text_model", heads=(head("tower TextModel", ""),),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
              T="max_position_embeddings"),
    parts=rows(
        part("embeddings.token_embedding",    "embed.token",    table("V d")),
        part("embeddings.position_embedding", "embed.position", table("T d")),
        part("rms_norm",                      "norm.final",     scale("d")),
        under("encoder.layers.{L}", AIMV2_LAYER)))
AIMV2 = Architecture("aimv2", dims=Dims(d="vision.d", q="projection_dim"), heads=(head("Model", ""),),
    parts=rows(
        submodel("vision", "vision_model.", AIMV2_VISION),
        submodel("text",   "text_model.", AIMV2_TEXT),
        part("logit_scale",       "head.scale",          param("")),
        part("text_projection",   "head.project.text",   linear("text.d -> q")),
        part("visual_projection", "head.project.image", linear("vision.d -> q"))))
