"""DiNAT and NAT: attention over neighbours in stages like Swin's.

modeling_dinat.py: two convolutions make the patches, one after each stage but the last halves the map; every head has a
table of relative positions over `2*kernel_size - 1` steps, `dilations` move no shape. A layer scale for both halves is
one tensor, there where `layer_scale_init_value` is positive. modeling_nat.py of transformers 4: the same without
`dilations`.
"""

from inspector.architectures.vision.swin import CLASSIFIER, FINAL, STAGE_NORMS
from inspector.architectures.vision.vision_blocks import BACKBONE
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param

DINAT = Architecture("dinat", ignores="hidden_size num_layers dilations patch_size",
    dims=Dims(c="num_channels", e="embed_dim", S="len(depths)", B="depths[{S}]", w="e * 2**{S}", h="num_heads[{S}]",
              ff="floor(mlp_ratio*w)", k="kernel_size", D="S[:S-1]", f="e * 2**(S-1)", b="qkv_bias", C="labels")
    | BACKBONE,
    parts=rows(
        part("embeddings.patch_embeddings.projection.0", "embed.patch", conv("c -> e//2, 3 3")),
        part("embeddings.patch_embeddings.projection.1", "embed.patch", conv("e//2 -> e, 3 3")),
        part("embeddings.norm",                          "norm.embed",  affine("e")),
        under("encoder.levels.{S}.layers.{B}",
            part("layernorm_before",       "norm.attention",   affine("w")),
            part("attention.self.rpb",     "attention.bias",   param("h 2*k-1 2*k-1")),
            part("attention.self.query",   "attention.query",  linear("w -> w", bias="b")),
            part("attention.self.key",     "attention.key",    linear("w -> w", bias="b")),
            part("attention.self.value",   "attention.value",  linear("w -> w", bias="b")),
            part("attention.output.dense", "attention.output", dense("w -> w")),
            part("layernorm_after",        "norm.mlp",         affine("w")),
            part("intermediate.dense",     "mlp.up",           dense("w -> ff")),
            part("output.dense",           "mlp.down",         dense("ff -> w")),
            part("layer_scale_parameters", "attention.scale",  param("2 w"), when="layer_scale_init_value > 0")),
        part("encoder.levels.{D}.downsample.reduction", "merge",      conv("w -> 2*w, 3 3", bias=False)),
        part("encoder.levels.{D}.downsample.norm",      "norm.merge", affine("2*w"))),
    heads=(
        head("Model",                  "",       FINAL),
        head("ForImageClassification", "dinat.", under("dinat", FINAL), CLASSIFIER),
        head("Backbone",               "",       STAGE_NORMS)))
NAT = Architecture("nat", ignores="hidden_size num_layers patch_size", dims=DINAT.dims, parts=DINAT.parts,
    heads=(
        head("Model",                  "",     FINAL),
        head("ForImageClassification", "nat.", under("nat", FINAL), CLASSIFIER),
        head("Backbone",               "",     STAGE_NORMS)))
