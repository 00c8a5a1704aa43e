"""CLAP. modeling_clap.py: RoBERTa next to a Swin over spectrograms (HTS-AT), the widths doubling from stage to stage;
two 0-d scales; with `enable_fusion` a second patch embedding three times as wide and a gate of four convolutions.
"""

from inspector.architectures.text.bert import LONE_LAYER
from inspector.architectures.text.roberta import ENCODER, POOLER
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, linear, param, table

TEXT = Architecture("clap_text_model", dims=ENCODER | Dims(q="projection_dim"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d")),
            part("token_type_embeddings", "embed.type",     table("y d")),
            part("LayerNorm",             "norm.embed",     affine("d")),
            maybe("position_ids",         "embed.index",    buffer("1 T")),
            maybe("token_type_ids",       "embed.types",    buffer("1 T"))),
        under("encoder.layer.{L}", LONE_LAYER)),
    heads=(
        head("tower TextModel",         "", POOLER),
        head("TextModelWithProjection", "text_model.", under("text_model", POOLER),
            part("text_projection.linear1", "project.1", dense("d -> q")),
            part("text_projection.linear2", "project.2", dense("q -> q")))))
LOCAL = rows(
    part("0", "fusion.local.down",      conv("e -> m, 1 1")),
    part("1", "norm.fusion.local.down", batchnorm("m")),
    part("3", "fusion.local.up",        conv("m -> e, 1 1")),
    part("4", "norm.fusion.local.up",   batchnorm("e")))
GLOBAL = rows(
    part("1", "fusion.global.down",      conv("e -> m, 1 1")),
    part("2", "norm.fusion.global.down", batchnorm("m")),
    part("4", "fusion.global.up",        conv("m -> e, 1 1")),
    part("5", "norm.fusion.global.up",   batchnorm("e")))
AUDIO_BODY = under("audio_encoder",
    part("batch_norm",       "norm.audio",  batchnorm("num_mel_bins")),
    part("patch_embed.proj", "embed.patch", conv("c -> e, p p")),
    part("patch_embed.norm", "norm.embed",  affine("e"), when="(enable_patch_layer_norm | true)"),
    rows(
        part("patch_embed.mel_conv2d", "embed.patch.wide", conv("patch_embed_input_channels -> e, p 3*p")),
        under("patch_embed.fusion_model.local_att",  LOCAL),
        under("patch_embed.fusion_model.global_att", GLOBAL), when="enable_fusion"),
    under("layers.{S}.blocks.{B}",
        part("layernorm_before",           "norm.attention",   affine("w")),
        part("attention.self.query",       "attention.query",  linear("w -> w", bias="qkv_bias")),
        part("attention.self.key",         "attention.key",    linear("w -> w", bias="qkv_bias")),
        part("attention.self.value",       "attention.value",  linear("w -> w", bias="qkv_bias")),
        part("attention.self.relative_position_bias_table", "attention.bias", param("(2*k-1)**2 h")),
        maybe("attention.self.relative_position_index", "attention.index", buffer("k*k k*k")),
        part("attention.output.dense",     "attention.output", dense("w -> w")),
        part("layernorm_after",            "norm.mlp",         affine("w")),
        part("intermediate.dense",         "mlp.up",           dense("w -> ff")),
        part("output.dense",               "mlp.down",         dense("ff -> w"))),
    part("layers.{D}.downsample.norm",      "norm.merge",      affine("4*w")),
    part("layers.{D}.downsample.reduction", "merge",           linear("4*w -> 2*w")),
    part("norm",                            "norm.final",      affine("z")))
AUDIO = Architecture("clap_audio_model",
    dims=Dims(d="hidden_size", e="patch_embeds_hidden_size", p="patch_size", k="window_size", S="len(depths)",
              B="depths[{S}]", D="S[:S-1]", w="e * 2**{S}", h="num_attention_heads[{S}]", ff="floor(mlp_ratio*w)",
              z="e * 2**(S-1)", m="e//aff_block_r", q="projection_dim",
              c="(4 when enable_fusion and fusion_type == 'channel_map' | 1)*patch_embed_input_channels"),
    parts=AUDIO_BODY,
    heads=(
        head("tower AudioModel",         ""),
        head("AudioModelWithProjection", "audio_model.",
            part("audio_projection.linear1", "project.1", dense("d -> q")),
            part("audio_projection.linear2", "project.2", dense("q -> q")))))
CLAP = Architecture("clap", dims=Dims(q="projection_dim"),
    heads=(
        head("Model", "", submodel("text", "text_model.", TEXT), submodel("audio", "audio_model.", AUDIO),
            part("logit_scale_a",            "scale.audio",     param("")),
            part("logit_scale_t",            "scale.text",      param("")),
            part("text_projection.linear1",  "project.text",    dense("text.d -> q")),
            part("text_projection.linear2",  "project.text",    dense("q -> q")),
            part("audio_projection.linear1", "project.audio", dense("audio.d -> q")),
            part("audio_projection.linear2", "project.audio", dense("q -> q")), default=True),))
