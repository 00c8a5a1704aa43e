"""ViTDet, EoMT, SuperPoint, SuperGlue.

modeling_vitdet.py: positions are those of the pretraining's picture and of a class token that is not there; relative
ones reach over the grid or, in the layers of `window_block_indices`, over one window; some layers end with three
convolutions. modeling_eomt.py: DINOv2's layers with register tokens, queries from the last blocks on, and transposed
convolutions before the masks. modeling_eomt_dinov3.py: the same above DINOv3's layers.
modeling_videomt.py: the same for videos, where queries are carried to the next frame.
modeling_superpoint.py: pairs of convolutions, then a decoder for points and one for their descriptors.
modeling_superglue.py: above a detector of points layers of attention within and across two pictures, each with an MLP
that reads twice the width.
"""

from inspector.architectures.vision.dinov2 import DINOV3_LAYER, NORMS
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, conv_t, dense, linear, param, table

RELATIVE = rows(
    part("rel_pos_h", "attention.bias.height", param("2*y-1 dh")),
    part("rel_pos_w", "attention.bias.width",  param("2*x-1 dh")), when="use_relative_position_embeddings")
VITDET = Architecture("vitdet", ignores="out_features out_indices",
    dims=VISION | Dims(ff="floor(d*mlp_ratio)", dh="d//h", q="pretrain_image_size[0]//p*(pretrain_image_size[1]//pw)",
                       w="window_size",
                       W="L & window_block_indices when w > 0 | L[:0]", G="L - W", R="L & residual_block_indices"),
    parts=rows(
        part("embeddings.projection",          "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings", "embed.position", param("1 q+1 d"),
             when="use_absolute_position_embeddings"),
        under("encoder.layer.{L}",
            part("norm1",          "norm.attention",   affine("d")),
            part("attention.qkv",  "attention.qkv",    linear("d -> d + d + d", bias="qkv_bias", packs="q k v")),
            part("attention.proj", "attention.output", dense("d -> d")),
            part("norm2",          "norm.mlp",         affine("d")),
            part("mlp.fc1",        "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",        "mlp.down",         dense("ff -> d"))),
        under("encoder.layer.{G}.attention", RELATIVE, y="gh", x="gw"),
        under("encoder.layer.{W}.attention", RELATIVE, y="w", x="w"),
        under("encoder.layer.{R}.residual",
            part("conv1", "resnet.conv.1", conv("d -> d//2, 1 1", bias=False)),
            part("norm1", "norm.resnet.1", affine("d//2")),
            part("conv2", "resnet.conv.2", conv("d//2 -> d//2, 3 3", bias=False)),
            part("norm2", "norm.resnet.2", affine("d//2")),
            part("conv3", "resnet.conv.3", conv("d//2 -> d, 1 1", bias=False)),
            part("norm3", "norm.resnet.3", affine("d")))),
    heads=(head("Model Backbone", ""),))
MASKS = rows(                                  # N queries, U enlargements, masks from the last B blocks on
    part("layernorm", "norm.final",  affine("d")),
    part("query",     "embed.query", table("N d")),
    part("upscale_block.block.{U}.conv1",       "head.upscale",      conv_t("d -> d, 2 2")),
    part("upscale_block.block.{U}.conv2",       "head.upscale",      conv("d -> d, 3 3", groups="d", bias=False)),
    part("upscale_block.block.{U}.layernorm2d", "norm.upscale", affine("d")),
    part("mask_head.fc1",   "head.mask.1", dense("d -> d")),
    part("mask_head.fc2",   "head.mask.2", dense("d -> d")),
    part("mask_head.fc3",   "head.mask",   dense("d -> d")),
    part("class_predictor", "head.class",  dense("d -> C + 1")),
    part("attn_mask_probs",        "head.mask.share",  buffer("B")),
    part("criterion.empty_weight", "head.loss.weight", buffer("C+1")))
EOMT = Architecture("eomt",
    dims=VISION | Dims(ff="floor(d*mlp_ratio)", fs="ceil(2*ff//3, 8)", r="num_register_tokens", N="num_queries",
                       U="num_upscale_blocks",
                       B="num_blocks"),
    parts=rows(
        part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
        part("embeddings.register_tokens",             "embed.register", param("1 r d")),
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings",         "embed.position", table("g d")),
        under("layers.{L}", NORMS,
            part("attention.q_proj",   "attention.query",  dense("d -> d")),
            part("attention.k_proj",   "attention.key",    dense("d -> d")),
            part("attention.v_proj",   "attention.value",  dense("d -> d")),
            part("attention.out_proj", "attention.output", dense("d -> d")),
            part("mlp.fc1",            "mlp.up",           dense("d -> ff"), when="not use_swiglu_ffn"),
            part("mlp.fc2",            "mlp.down",         dense("ff -> d"), when="not use_swiglu_ffn"),
            rows(                              # transformers 4, transformers 5
                either(
                    rows(
                        part("mlp.weights_in",  "mlp.gate_up",    dense("d -> fs + fs", packs="gate up")),
                        part("mlp.weights_out", "mlp.gated.down", dense("fs -> d"))),
                    rows(
                        part("mlp.gate_proj",   "mlp.gate",       dense("d -> fs")),
                        part("mlp.up_proj",     "mlp.gated.up",   dense("d -> fs")),
                        part("mlp.down_proj",   "mlp.gated.down", dense("fs -> d")))), when="use_swiglu_ffn")),
        MASKS),
    heads=(head("ForUniversalSegmentation", ""),))
EOMT_DINOV3 = Architecture("eomt_dinov3",
    dims=VISION | Dims(r="num_register_tokens", N="num_queries", U="num_upscale_blocks", B="num_blocks"),
    parts=rows(
        part("embeddings.cls_token",        "embed.class",    param("1 1 d")),
        part("embeddings.register_tokens",  "embed.register", param("1 r d")),
        part("embeddings.patch_embeddings", "embed.patch",    conv("c -> d, p pw")),
        under("layers.{L}", DINOV3_LAYER),
        MASKS),
    heads=(head("ForUniversalSegmentation", ""),))
VIDEOMT = Architecture("videomt", dims=EOMT.dims,
    parts=rows(
        EOMT.parts,
        part("embeddings.mask_token", "embed.mask",    param("1 1 d")),
        part("query_updater",         "embed.query.update", dense("d -> d"))),
    heads=(head("ForUniversalSegmentation", ""),))
SUPERPOINT = Architecture("superpoint",
    dims=Dims(S="len(encoder_hidden_sizes)", w="encoder_hidden_sizes[{S}]", v="encoder_hidden_sizes[{S}-1] | 1",
              f="encoder_hidden_sizes[S-1]",
              d="decoder_hidden_size"),
    parts=rows(
        part("encoder.conv_blocks.{S}.conv_a", "resnet.conv.1", conv("v -> w, 3 3")),
        part("encoder.conv_blocks.{S}.conv_b", "resnet.conv.2", conv("w -> w, 3 3")),
        part("keypoint_decoder.conv_score_a",        "head.point.1",      conv("f -> d, 3 3")),
        part("keypoint_decoder.conv_score_b",        "head.point",        conv("d -> keypoint_decoder_dim, 1 1")),
        part("descriptor_decoder.conv_descriptor_a", "head.descriptor.1", conv("f -> d, 3 3")),
        part("descriptor_decoder.conv_descriptor_b", "head.descriptor",   conv("d -> descriptor_decoder_dim, 1 1"))),
    heads=(head("ForKeypointDetection", ""),))
SUPERGLUE = Architecture("superglue",
    dims=Dims(d="hidden_size", K="len(keypoint_encoder_sizes)", w="keypoint_encoder_sizes[{K}]",
              v="keypoint_encoder_sizes[{K}-1] | 3",
              f="keypoint_encoder_sizes[K-1]", Z="K : K + 1", L="len(gnn_layers_types)"),
    parts=rows(
        submodel("detector", "keypoint_detector.", config="keypoint_detector_config"),
        part("keypoint_encoder.encoder.{K}.linear",     "embed.point",      dense("v -> w")),
        part("keypoint_encoder.encoder.{K}.batch_norm", "norm.embed",       batchnorm("w")),
        part("keypoint_encoder.encoder.{Z}",            "embed.point.last", dense("f -> d")),
        under("gnn.layers.{L}",
            part("attention.self.query",   "attention.query",  dense("d -> d")),
            part("attention.self.key",     "attention.key",    dense("d -> d")),
            part("attention.self.value",   "attention.value",  dense("d -> d")),
            part("attention.output.dense", "attention.output", dense("d -> d")),
            part("mlp.0.linear",           "mlp.up",           dense("2*d -> 2*d")),
            part("mlp.0.batch_norm",       "norm.mlp",         batchnorm("2*d")),
            part("mlp.1",                  "mlp.down",         dense("2*d -> d"))),
        part("final_projection.final_proj", "project", dense("d -> d")),
        part("bin_score",                   "head.score",   param(""))),
    heads=(head("ForKeypointMatching", ""),))
