"""PP-DocLayout v2 and v3, PaddleOCR's detectors of the parts of a page, above HGNetV2.

modeling_pp_doclayout_v2.py: RT-DETR with the heads of its layers below the decoder alone, and a small encoder of boxes
like LayoutLMv3's that orders what was found; two of its tables of positions are never read.
modeling_pp_doclayout_v3.py: one head for all layers, which is that of the proposals; masks from the pyramid and the map
of stride four, and the order from the decoder. Detectors have no class of their own for noise, the bare v3 has one.
"""

from inspector.architectures.vision.backbones import width_of
from inspector.architectures.vision.d_fine import HGNET_BACKBONE
from inspector.architectures.vision.deformable import BOX, CLASS
from inspector.architectures.vision.rt_detr import HYBRID_ENCODER, NOISE, PYRAMIDS, RT_DIMS, STATE_DICT, WITHOUT_NOISE
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under, usually
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, table

READING_ORDER = Architecture("pp_doclayout_v2_reading_order", ties="false",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size",
              T="max_position_embeddings", M="max_2d_position_embeddings", c="coordinate_size", s="shape_size"),
    heads=(head("Model", ""),),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",      table("vocab_size d")),
            part("token_type_embeddings", "embed.type",       table("type_vocab_size d")),
            part("position_embeddings",   "embed.position",   table("T d")),
            part("x_position_embeddings", "embed.position.x", table("M c")),
            part("y_position_embeddings", "embed.position.y", table("M c")),
            part("h_position_embeddings", "embed.height",     table("M s")),
            part("w_position_embeddings", "embed.width",      table("M s")),
            part("norm",                  "norm.embed",       affine("d")),
            part("spatial_proj",          "embed.project",    dense("4*c + 2*s -> d"))),
        part("label_embeddings",          "embed.label",      table("num_classes d")),
        part("label_features_projection", "project",          dense("d -> d")),
        under("encoder",
            under("layer.{L}",
                part("attention.self.query",   "attention.query",  dense("d -> d")),
                part("attention.self.key",     "attention.key",    dense("d -> d")),
                part("attention.self.value",   "attention.value",  dense("d -> d")),
                part("attention.output.dense", "attention.output", dense("d -> d")),
                part("attention.output.norm",  "norm.attention",   affine("d")),
                part("intermediate.dense",     "mlp.up",           dense("d -> ff")),
                part("output.dense",           "mlp.down",         dense("ff -> d")),
                part("output.norm",            "norm.mlp",         affine("d"))),
            part("rel_pos_bias", "attention.bias", linear("rel_pos_bins -> h"), when="has_relative_attention_bias"),
            rows(usually(
                part("rel_pos_x_bias", "attention.bias.x", linear("rel_2d_pos_bins -> h")),
                part("rel_pos_y_bias", "attention.bias.y", linear("rel_2d_pos_bins -> h"))),
                when="has_spatial_attention_bias"),
            part("rel_bias_module.pos_proj", "attention.relative", conv("4*relation_bias_embed_dim -> h, 1 1"))),
        part("relative_head.dense", "head.order", dense("d -> 2*global_pointer_head_size"))))
PP_DOCLAYOUT_V2 = Architecture("pp_doclayout_v2", ties="false", dialects=({}, STATE_DICT), dims=RT_DIMS | Dims(K="Ld"),
    parts=rows(HGNET_BACKBONE, HYBRID_ENCODER, rows(WITHOUT_NOISE, u="F"),
        part("denoising_class_embed", "embed.noise", table("C d"))),
    heads=(
        head("ForObjectDetection", "model.",
            under("model.decoder.bbox_embed.{K}", BOX),
            part("model.decoder.class_embed.{K}", "head.class", dense("d -> C")),
            submodel("order", "reading_order.", READING_ORDER, config="reading_order_config", head="Model"),
            default=True),
        head("Model", "")))

CONV = rows(
    part("convolution",   "resnet.conv", conv("i -> o, 3 3", bias=False)),
    part("normalization", "norm.resnet", batchnorm("o")))
# S: levels, H: convolutions of one behind the first, every second place; a, z: channels of the masks' maps, in and out
MASKS = rows(
    under("encoder.mask_feature_head.scale_heads.{S}.layers.0",   CONV, i="eh", o="a", tower="mask.level"),
    under("encoder.mask_feature_head.scale_heads.{S}.layers.{H}", CONV, i="a", o="a", tower="mask.level"),
    under("encoder.mask_feature_head.output_conv", CONV, i="a", o="z", tower="mask.join"),
    under("encoder.encoder_mask_lateral",          CONV, i="x4_feat_dim", o="z", tower="mask.lateral"),
    under("encoder.encoder_mask_output.base_conv", CONV, i="z", o="z", tower="mask.out"),
    part("encoder.encoder_mask_output.conv", "head.mask.conv", conv("z -> num_prototypes, 1 1")),
    part("decoder_order_head.{Ld}",     "head.order.1", dense("d -> d")),
    part("decoder_global_pointer.dense", "head.order",  dense("d -> 2*global_pointer_head_size")),
    part("decoder_norm",                "norm.final",   affine("d")),
    part("mask_query_head.layers.0",    "head.mask.1",  dense("d -> d")),
    part("mask_query_head.layers.1",    "head.mask.2",  dense("d -> d")),
    part("mask_query_head.layers.2",    "head.mask",    dense("d -> num_prototypes")))
COPIES = rows(                                 # the one head of the decoder
    under("decoder.bbox_embed", BOX, tied="enc_bbox_head", tower="copies"),
    under("decoder.class_embed", CLASS, tied="enc_score_head", tower="copies"))
PP_DOCLAYOUT_V3 = Architecture("pp_doclayout_v3", ties="tie_word_embeddings | true", dialects=({}, STATE_DICT),
    dims=RT_DIMS | Dims(S="len(feat_strides)", a="mask_feature_channels[0]", z="mask_feature_channels[1]",
                        Y="len(stages) - 1", v="stages[{Y}+1]", cv=width_of("v"),
                        H="2 : 2*log2(feat_strides[{S}]//feat_strides[0]) : 2"),
    parts=rows(
        HGNET_BACKBONE, COPIES,
        part("encoder_input_proj.{Y}.0", "embed.map", conv("cv -> eh, 1 1", bias=False)),
        part("encoder_input_proj.{Y}.1", "norm.map",  batchnorm("eh")),
        PYRAMIDS, rows(WITHOUT_NOISE, u="F"), MASKS),
    heads=(
        head("ForObjectDetection", "model.",
             part("model.denoising_class_embed", "embed.noise", table("C d")), default=True),
        head("Model", "", NOISE)))
