"""Swin and Swin v2, and the encoders with their layers: Donut, MaskFormer.

modeling_swin.py: the width doubles from stage to stage; all but the last stage merge four patches into one.
Tables of absolute positions have a row more in transformers 4 (a class token that is not there). `num_layers` and
`hidden_size` in a config are derived. modeling_swinv2.py: a small network instead of the table of relative positions, a
scale per head, no bias on the keys; the norm of a merge follows it. The first releases stored the coordinates of a
window, which is no larger than the map of its stage.
modeling_maskformer_swin.py: every stage has a norm for its map, whichever are asked for.
modeling_swin2sr.py: one width in all stages, patches again after each; the head by `upsampler`, of 64 channels.
"""

from inspector.architectures.vision.vision_blocks import BACKBONE
from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param

SWIN_DIMS = Dims(
    c="num_channels | 3", p="patch_size[0]", pw="patch_size[1]", g="image_size[0]//p * (image_size[1]//pw)",
    e="embed_dim", S="len(depths)", B="depths[{S}]",
    w="e * 2**{S}", h="num_heads[{S}]", ff="floor(mlp_ratio*w)", k="window_size[0]", D="S[:S-1]",
    f="e * 2**(S-1)", d="f", b="qkv_bias | true", s="encoder_stride", C="labels") | BACKBONE
FINAL = part("layernorm", "norm.final", affine("f"))
EMBEDDINGS = rows(
    part("embeddings.patch_embeddings.projection", "embed.patch", conv("c -> e, p pw")),
    part("embeddings.norm",                        "norm.embed",  affine("e")))
POSITIONS = part("embeddings.position_embeddings", "embed.position", param("1 g+1 e"), when="use_absolute_embeddings")
OWN_POSITIONS = under("embeddings", either(                    # transformers 5, transformers 4
    part("position_embeddings", "embed.position", param("1 g e")),
    part("position_embeddings", "embed.position", param("1 g+1 e"))), when="use_absolute_embeddings")
REST_OF_BLOCK = rows(
    part("layernorm_before",       "norm.attention",   affine("w")),
    part("attention.output.dense", "attention.output", dense("w -> w")),
    part("layernorm_after",        "norm.mlp",         affine("w")),
    part("intermediate.dense",     "mlp.up",           dense("w -> ff")),
    part("output.dense",           "mlp.down",         dense("ff -> w")))
SWIN_PARTS = rows(
    EMBEDDINGS,
    under("encoder.layers.{S}.blocks.{B}", REST_OF_BLOCK,
        part("attention.self.query", "attention.query", linear("w -> w", bias="b")),
        part("attention.self.key",   "attention.key",   linear("w -> w", bias="b")),
        part("attention.self.value", "attention.value", linear("w -> w", bias="b")),
        part("attention.self.relative_position_bias_table", "attention.bias",       param("(2*k-1)**2 h")),
        maybe("attention.self.relative_position_index",     "attention.bias.index", buffer("k*k k*k"))),
    part("encoder.layers.{D}.downsample.norm",      "norm.merge", affine("4*w")),
    part("encoder.layers.{D}.downsample.reduction", "merge",      linear("4*w -> 2*w")))
MASK_TOKEN = part("embeddings.mask_token", "embed.mask", param("1 1 e"))
CLASSIFIER = part("classifier", "head.class", dense("f -> C"))
DECODER = part("decoder.0", "head.image", conv("f -> s*s*c, 1 1"))
STAGE_NORMS = part("hidden_states_norms.stage{O}", "norm.stage", affine("e*2**({O}-1)"))
STATE_DICT = {
    "*.attention.self.query": ".attention.q_proj",
    "*.attention.self.key": ".attention.k_proj",
    "*.attention.self.value": ".attention.v_proj",
    "*.attention.self.relative_position_bias_table":
        ".attention.relative_position_bias.relative_position_bias_table",
    "*.attention.output.dense": ".attention.o_proj",
    "*.intermediate.dense": ".mlp.fc1",
    "*.output.dense": ".mlp.fc2",
}
"""Names of the model in memory under transformers 5, which saves the older ones."""
SWIN = Architecture("swin", ignores="hidden_size num_layers", dims=SWIN_DIMS, parts=rows(SWIN_PARTS, OWN_POSITIONS),
    dialects=({}, STATE_DICT, {**STATE_DICT, "encoder.": "swin.encoder.", "embeddings.": "swin.embeddings."}),
    heads=(
        head("Model",                  "",      FINAL),
        head("ForImageClassification", "swin.", under("swin", FINAL), CLASSIFIER),
        head("ForMaskedImageModeling", "swin.", under("swin", FINAL, MASK_TOKEN), DECODER),
        head("Backbone",               "",      STAGE_NORMS,
            usually(part("swin.layernorm", "norm.final", affine("f"))))))
MASKFORMER_SWIN = Architecture("maskformer-swin", ignores="hidden_size num_layers out_indices",
    dims=SWIN_DIMS, parts=rows(SWIN_PARTS, POSITIONS), dialects=({}, STATE_DICT),
    heads=(
        head("Model",    "", FINAL),
        head("Backbone", "model.", under("model", FINAL), part("hidden_states_norms.{S}", "norm.stage", affine("w")))))
DONUT_SWIN = Architecture("donut-swin", ignores="hidden_size num_layers", dims=SWIN_DIMS,
    parts=rows(SWIN_PARTS, POSITIONS),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "donut.", CLASSIFIER)))
NEXT_ATTENTION = rows(                         # Swin v2's
    part("attention.self.query", "attention.query", linear("w -> w", bias="b")),
    part("attention.self.key",   "attention.key",   linear("w -> w")),
    part("attention.self.value", "attention.value", linear("w -> w", bias="b")),
    part("attention.self.logit_scale", "attention.scale", param("h 1 1")),
    part("attention.self.continuous_position_bias_mlp.0", "attention.bias.up",   dense("2 -> 512")),
    part("attention.self.continuous_position_bias_mlp.2", "attention.bias.down", linear("512 -> h")))
COORDINATES = rows(
    maybe("attention.self.relative_coords_table",   "attention.bias.coordinates", buffer("1 2*m-1 2*mw-1 2")),
    maybe("attention.self.relative_position_index", "attention.bias.index",       buffer("m*mw m*mw")))
SWINV2 = Architecture("swinv2", ignores="hidden_size num_layers",
    dims=SWIN_DIMS | Dims(m="min(k, image_size[0]//p//2**{S})", mw="min(k, image_size[1]//pw//2**{S})"),
    parts=rows(
        EMBEDDINGS, POSITIONS,
        under("encoder.layers.{S}.blocks.{B}", REST_OF_BLOCK, NEXT_ATTENTION, COORDINATES),
        part("encoder.layers.{D}.downsample.reduction", "merge",      linear("4*w -> 2*w")),
        part("encoder.layers.{D}.downsample.norm",      "norm.merge", affine("2*w"))),
    heads=(
        head("Model",                  "",        FINAL),
        head("ForImageClassification", "swinv2.", under("swinv2", FINAL), CLASSIFIER, default=True),
        head("ForMaskedImageModeling", "swinv2.", under("swinv2", FINAL, MASK_TOKEN), DECODER),
        head("Backbone",               "")))
ENLARGE = rows(                                # by powers of two, or by three
    part("convolution_{U}", "head.upsample.conv",  conv("64 -> 256, 3 3")),
    part("convolution",     "head.upsample.third", conv("64 -> 576, 3 3"), when="upscale == 3"))
SWIN2SR = Architecture("swin2sr", ignores="hidden_size num_layers",
    dims=SWIN_DIMS | Dims(w="e", d="e", co="num_channels_out | c",
                          U="1 when upscale == 2 | 2 when upscale == 4 | 3 when upscale == 8 | 4 when upscale == 16 "
                            "| 0"),
    parts=rows(
        part("first_convolution",                     "embed.image", conv("c -> e, 3 3")),
        part("embeddings.patch_embeddings.projection", "embed.patch", conv("e -> e, p pw")),
        part("embeddings.patch_embeddings.layernorm", "norm.embed",  affine("e")),
        POSITIONS,
        under("encoder.stages.{S}.layers.{B}", REST_OF_BLOCK, NEXT_ATTENTION),
        under("encoder.stages.{S}",
            part("conv",                   "conv.stage.conv",   conv("e -> e, 3 3"), when="resi_connection == '1conv'"),
            part("conv.0",                 "conv.stage.conv.1", conv("e -> e//4, 3 3"),
                 when="resi_connection == '3conv'"),
            part("conv.2",                 "conv.stage.conv.2", conv("e//4 -> e//4, 1 1"),
                 when="resi_connection == '3conv'"),
            part("conv.4",                 "conv.stage.conv.3", conv("e//4 -> e, 3 3"),
                 when="resi_connection == '3conv'"),
            part("patch_embed.projection", "conv.stage.patch",  conv("e -> e, p pw"))),
        part("layernorm",       "norm.final", affine("e")),
        part("conv_after_body", "conv.final", conv("e -> e, 3 3"))),
    heads=(
        head("Model", ""),
        head("ForImageSuperResolution", "swin2sr.",
            under("upsample",
                part("conv_before_upsample", "head.upsample.in",      conv("e -> 64, 3 3")),
                part("conv_bicubic",         "head.upsample.bicubic", conv("c -> 64, 3 3"),
                     when="upsampler == 'pixelshuffle_aux'"),
                part("conv_aux",             "head.upsample.aux",     conv("64 -> c, 3 3"),
                     when="upsampler == 'pixelshuffle_aux'"),
                part("conv_after_aux.0",     "head.upsample.aux.in",  conv("3 -> 64, 3 3"),
                     when="upsampler == 'pixelshuffle_aux'"),
                part("conv_up1",             "head.upsample",         conv("64 -> 64, 3 3"),
                     when="upsampler == 'nearest+conv'"),
                part("conv_up2",             "head.upsample",         conv("64 -> 64, 3 3"),
                     when="upsampler == 'nearest+conv'"),
                part("conv_hr",              "head.upsample",         conv("64 -> 64, 3 3"),
                     when="upsampler == 'nearest+conv'"),
                under("upsample", ENLARGE, when="upsampler != 'nearest+conv'"),
                part("final_convolution",    "head.image",       conv("64 -> co, 3 3")),
                when="upsampler in 'pixelshuffle pixelshuffle_aux nearest+conv'"),
            part("upsample.conv",     "head.image", conv("e -> upscale**2*co, 3 3"),
                 when="upsampler == 'pixelshuffledirect'"),
            part("final_convolution", "head.image", conv("e -> co, 3 3"),
                 when="upsampler not in 'pixelshuffle pixelshuffle_aux nearest+conv pixelshuffledirect'"),
                 default=True)))
