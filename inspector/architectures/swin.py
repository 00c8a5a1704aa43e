"""Swin: stages."""

from inspector.notation.card import Architecture, Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param

FINAL = part("layernorm", "norm.final", affine("f"))
SWIN = Architecture("swin",
    dims=Dims(c="num_channels | 3", p="patch_size", g="image_size[0]//p", e="embed_dim", S="len(depths)", B="depths[{S}]",
              w="e * 2**{S}", h="num_heads[{S}]", ff="floor(mlp_ratio*w)", k="window_size[0]", D="S[:S-1]",
              f="e * 2**(S-1)", O="out_indices | S : S+1", b="qkv_bias | true", s="encoder_stride",
              C="num_labels | len(id2label) | 2"),
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch", conv("c -> e, p p")),
        part("embeddings.norm",                        "norm.embed",  affine("e")),
        under("embeddings", either(                                # transformers 5, transformers 4
            part("position_embeddings", "embed.position", param("1 g*g e")),
            part("position_embeddings", "embed.position", param("1 g*g+1 e"))), when="use_absolute_embeddings"),
        under("encoder.layers.{S}.blocks.{B}",
            part("layernorm_before",       "norm.attention",   affine("w")),
            part("attention.self.query",   "attention.query",  linear("w -> w", bias="b")),
            part("attention.self.key",     "attention.key",    linear("w -> w", bias="b")),
            part("attention.self.value",   "attention.value",  linear("w -> w", bias="b")),
            part("attention.self.relative_position_bias_table", "attention.bias", param("(2*k-1)**2 h")),
            maybe("attention.self.relative_position_index",     "attention.bias", buffer("k*k k*k")),
            part("attention.output.dense", "attention.output", dense("w -> w")),
            part("layernorm_after",        "norm.mlp",         affine("w")),
            part("intermediate.dense",     "mlp.up",           dense("w -> ff")),
            part("output.dense",           "mlp.down",         dense("ff -> w"))),
        part("encoder.layers.{D}.downsample.norm",      "norm.merge", affine("4*w")),
        part("encoder.layers.{D}.downsample.reduction", "merge",      linear("4*w -> 2*w"))),
    heads=(
        head("Model",                  "",      FINAL),
        head("ForImageClassification", "swin.", under("swin", FINAL), part("classifier", "head.class", dense("f -> C"))),
        head("ForMaskedImageModeling", "swin.", under("swin", FINAL),
            part("swin.embeddings.mask_token", "embed.mask", param("1 1 e")),
            part("decoder.0", "head.image", conv("f -> s*s*c, 1 1"))),
        head("Backbone", "", part("hidden_states_norms.stage{O}", "norm.stage", affine("e*2**({O}-1)")),
            maybe("swin.layernorm", "norm.final", affine("f")))))
