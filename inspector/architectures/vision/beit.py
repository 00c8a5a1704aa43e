"""BEiT and Data2Vec's vision model, which has its layers.

modeling_beit.py: keys never have a bias; the scales of a layer exist where `layer_scale_init_value` is positive; one
table of relative positions for all layers or one a layer; with mean pooling the final norm moves into the pooler.
"""

from inspector.architectures.vision.vision_blocks import CLASSIFIER, HEAD_DIM, VISION, VIT_MLP, VIT_STATE_DICT
from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, conv_t, dense, linear, param

BIAS_TABLE = rows(
    part("relative_position_bias.relative_position_bias_table",  "attention.bias",       param("w h")),
    maybe("relative_position_bias.relative_position_index",      "attention.bias.index", buffer("g+1 g+1")))
POOLED = part("pooler.layernorm", "norm.pooler", affine("d"), when="use_mean_pooling")
CONV_NORM = rows(                              # i channels in, k the kernel
    part("conv", "head.conv",      conv("i -> o, k k", bias=False)),
    part("bn",   "norm.head.conv", batchnorm("o")))
PYRAMID = rows(
    part("fpn1.0", "head.pyramid", conv_t("d -> d, 2 2")),
    part("fpn1.1", "norm.pyramid",   batchnorm("d")),
    part("fpn1.3", "head.pyramid", conv_t("d -> d, 2 2")),
    part("fpn2.0", "head.pyramid", conv_t("d -> d, 2 2")))
SEGMENTATION = rows(
    PYRAMID,
    under("decode_head",
        part("classifier", "head.class", conv("d -> C, 1 1")),
        under("psp_modules.{P}.1", CONV_NORM, i="d", o="d", k="1", tower="pool"),
        under("bottleneck",        CONV_NORM, i="d + P*d", o="d", k="3", tower="bottleneck"),
        under("lateral_convs.{F}", CONV_NORM, i="d", o="d", k="1", tower="lateral"),
        under("fpn_convs.{F}",     CONV_NORM, i="d", o="d", k="3", tower="pyramid"),
        under("fpn_bottleneck",    CONV_NORM, i="4*d", o="d", k="3", tower="pyramid.join")),
    under("auxiliary_head",
        part("classifier", "head.class", conv("A -> C, 1 1")),
        under("convs.0",   CONV_NORM, i="d", o="A", k="3"),
        under("convs.{N}", CONV_NORM, i="A", o="A", k="3"),
        under("conv_cat",  CONV_NORM, i="d + A", o="A", k="3", when="auxiliary_concat_input", tower="auxiliary.join"),
        when="use_auxiliary_head", tower="auxiliary"))
BEIT_DIMS = VISION | HEAD_DIM | Dims(
    V="vocab_size", n="g + 1", w="(2*gh - 1)*(2*gw - 1) + 3", P="len(pool_scales)", F="3", A="auxiliary_channels",
    N="1 : auxiliary_num_convs")
BEIT_PARTS = rows(
    part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
    part("embeddings.mask_token",                  "embed.mask",     param("1 1 d"), when="use_mask_token"),
    part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
    part("embeddings.position_embeddings",         "embed.position", param("1 n d"),
         when="use_absolute_position_embeddings"),
    rows(                                      # transformers 5 writes a backbone's with the prefix of other classes
        either(under("encoder", BIAS_TABLE), under("beit.encoder", BIAS_TABLE)),
        when="use_shared_relative_position_bias"),
    under("encoder.layer.{L}", VIT_MLP,
        part("attention.attention.query", "attention.query",  dense("d -> a")),
        part("attention.attention.key",   "attention.key",    linear("d -> a")),
        part("attention.attention.value", "attention.value",  dense("d -> a")),
        part("attention.output.dense",    "attention.output", dense("a -> d")),
        part("lambda_1", "attention.scale", param("d"), when="layer_scale_init_value > 0"),
        part("lambda_2", "mlp.scale",       param("d"), when="layer_scale_init_value > 0"),
        under("attention.attention", BIAS_TABLE, when="use_relative_position_bias")))
NEWER_HEAD = {                                 # the segmentation head as transformers 5 spells it
    "decode_head.bottleneck.": "decode_head.psp_bottleneck.",
    "decode_head.psp_modules.": "decode_head.psp_modules.blocks.",
    "*.bn.": ".normalization.", "*.conv.": ".convolution.", "*}.1.": "}.conv."}
PYRAMID_STATE_DICT = {
    "fpn1.0.": "fpn.fpn1.conv_transpose1.", "fpn1.1.": "fpn.fpn1.normalization.",
    "fpn1.3.": "fpn.fpn1.conv_transpose2.", "fpn2.0.": "fpn.fpn2."}
FINAL = part("layernorm", "norm.final", affine("d"), when="not use_mean_pooling")
BEIT_STATE_DICT = VIT_STATE_DICT | {
    "*attention.attention.relative_position_bias": "relative_position_bias",
}
BEIT = Architecture("beit", ignores="out_features out_indices", dims=BEIT_DIMS, parts=BEIT_PARTS,
    heads=(
        head("Model",                   "",      FINAL, POOLED),
        head("ForImageClassification",  "beit.", under("beit", FINAL, POOLED), CLASSIFIER, default=True),
        head("ForMaskedImageModeling",  "beit.", under("beit", FINAL),
            part("layernorm", "norm.head",  affine("d")),
            part("lm_head",   "head.token", dense("d -> V"))),
        head("ForSemanticSegmentation", "beit.", under("beit", FINAL), SEGMENTATION),
        head("Backbone",                "",      rows(PYRAMID, when="add_fpn"),
            maybe("beit.layernorm", "norm.final", affine("d"), when="not use_mean_pooling"))),  # 4 has none
    dialects=({}, NEWER_HEAD, BEIT_STATE_DICT, BEIT_STATE_DICT | NEWER_HEAD | PYRAMID_STATE_DICT,
              {**BEIT_STATE_DICT, "embeddings.": "beit.embeddings.", "encoder.": "beit.encoder."}))
DATA2VEC_VISION = Architecture("data2vec-vision", dims=BEIT_DIMS, parts=BEIT_PARTS,
    heads=(
        head("Model",                   "",                 FINAL,
            maybe("pooler.layernorm", "norm.pooler", affine("d"), when="use_mean_pooling")),
        head("ForImageClassification",  "data2vec_vision.", under("data2vec_vision", FINAL, POOLED), CLASSIFIER,
             default=True),
        head("ForSemanticSegmentation", "data2vec_vision.", under("data2vec_vision", FINAL), SEGMENTATION)),
    dialects=({}, NEWER_HEAD))
