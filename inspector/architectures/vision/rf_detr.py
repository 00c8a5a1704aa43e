"""RF-DETR: DINOv2 with windows, one projector of LW-DETR with layer norms, LW-DETR's decoder, and masks.

modeling_rf_detr.py: the projector reads the maps of `out_indices` side by side; the segmentation head has a block for
each layer of the decoder. The authors' files, and those that transformers 5 writes, hold q, k and v of the decoder in
one matrix, and the same names whatever the class.
"""

from inspector.architectures.vision.deformable import BOX
from inspector.architectures.vision.dinov2 import DINO_DIMS, DINO_EMBEDDINGS, NORMS
from inspector.architectures.vision.lw_detr import LW_DETR_QUERIES, LW_DETR_SELF
from inspector.architectures.vision.vision_blocks import LAYERNORM
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param

RF_DETR_DINOV2 = Architecture("rf_detr_dinov2", heads=(head("tower Backbone", ""),),
    ignores="out_features out_indices num_windows window_block_indexes",
    dims=DINO_DIMS,
    dialects=({}, {                            # the authors'
        "*.attention.q_proj.": ".attention.attention.query.", "*.attention.k_proj.": ".attention.attention.key.",
        "*.attention.v_proj.": ".attention.attention.value.", "*.attention.o_proj.": ".attention.output.dense."}),
    parts=rows(
        under("embeddings", DINO_EMBEDDINGS, part("mask_token", "embed.mask", param("1 d"), when="use_mask_token")),
        LAYERNORM,
        under("encoder.layer.{L}", NORMS,
            part("attention.q_proj", "attention.query",  linear("d -> a", bias="b")),
            part("attention.k_proj", "attention.key",    linear("d -> a", bias="b")),
            part("attention.v_proj", "attention.value",  linear("d -> a", bias="b")),
            part("attention.o_proj", "attention.output", dense("a -> d")),
            rows(
                part("mlp.fc1", "mlp.up",   dense("d -> ff")),
                part("mlp.fc2", "mlp.down", dense("ff -> d")), when="not use_swiglu_ffn"),
            rows(
                part("mlp.gate_proj", "mlp.gate",       dense("d -> fs")),
                part("mlp.up_proj",   "mlp.gated.up",   dense("d -> fs")),
                part("mlp.down_proj", "mlp.gated.down", dense("fs -> d")), when="use_swiglu_ffn"))))
CONV = rows(
    part("conv", "resnet.conv", conv("i -> o, k k", bias=False)),
    part("norm", "norm.resnet", affine("o")))


def authors(root: str) -> dict[str, str]:
    """The authors' names of a class that puts `root` before the model."""
    projector = f"{root}backbone.projector."
    return {
        f"{root}backbone.backbone.": "backbone.0.encoder.encoder.",
        f"{projector}projector_layer.conv1.": "backbone.0.projector.stages.0.0.cv1.",
        f"{projector}projector_layer.conv2.": "backbone.0.projector.stages.0.0.cv2.",
        f"{projector}projector_layer.bottlenecks.": "backbone.0.projector.stages.0.0.m.",
        f"{projector}layer_norm.": "backbone.0.projector.stages.0.1.",
        f"{root}reference_point_embed.": "refpoint_embed.", f"{root}query_feat.": "query_feat.",
        f"{root}decoder.": "transformer.decoder.", f"{root}decoder.layernorm.": "transformer.decoder.norm.",
        f"{root}enc_": "transformer.enc_",
        "model.class_embed.": "class_embed.", "model.bbox_embed.": "bbox_embed.",
        "segmentation_bias": "segmentation_head.bias", "blocks.": "segmentation_head.blocks.",
        "spatial_features_proj.": "segmentation_head.spatial_features_proj.",
        "query_features_proj.": "segmentation_head.query_features_proj.",
        "query_features_block.norm.": "segmentation_head.query_features_block.norm_in.",
        "query_features_block.mlp.fc1.": "segmentation_head.query_features_block.layers.0.",
        "query_features_block.mlp.fc2.": "segmentation_head.query_features_block.layers.2.",
        "*.m.{B}.conv1.": ".m.{B}.cv1.", "*.m.{B}.conv2.": ".m.{B}.cv2.",
        "*cv1.norm.": "cv1.bn.", "*cv2.norm.": "cv2.bn.",
        "*.self_attn_layer_norm.": ".norm1.", "*.cross_attn_layer_norm.": ".norm2.", "*.layer_norm.": ".norm3.",
        "*decoder.layers.{Ld}.mlp.fc1.": "decoder.layers.{Ld}.linear1.",
        "*decoder.layers.{Ld}.mlp.fc2.": "decoder.layers.{Ld}.linear2.", "*.self_attn.o_proj.": ".self_attn.out_proj.",
        "*.depthwise_conv.": ".dwconv.", "*.pointwise_conv.": ".pwconv1.",
        "*blocks.{Ld}.layernorm.": "blocks.{Ld}.norm."}


# M: maps; x: channels inside the projector; B: its blocks; N: queries of all groups G; a: width of the self-attention
RF_DETR = Architecture("rf_detr", dialects=({}, authors(""), authors("model."), authors("model.model.")),
    ignores="mask_downsample_ratio",
    dims=Dims(d="d_model", v="vision.d", x="floor(d*hidden_expansion)", B="c2f_num_blocks", Ld="decoder_layers",
              M="len(backbone_config.out_indices) | len(backbone_config.out_features) | 1", ff="decoder_ffn_dim",
              h="decoder_cross_attention_heads", p="decoder_n_points", F="num_feature_levels",
              N="num_queries*group_detr", G="group_detr", b="attention_bias", s="intermediate_size",
              a="decoder_self_attention_heads*(head_dim | d//decoder_self_attention_heads)", C="labels"),
    parts=rows(
        submodel("vision", "backbone.backbone.", RF_DETR_DINOV2, config="backbone_config"),
        under("backbone.projector",
            under("projector_layer",
                under("conv1", CONV, i="v*M", o="2*x", k="1", tower="projector.in"),
                under("conv2", CONV, i="(2 + B)*x", o="d", k="1", tower="projector.out"),
                under("bottlenecks.{B}.conv1", CONV, i="x", o="x", k="3", tower="projector.1"),
                under("bottlenecks.{B}.conv2", CONV, i="x", o="x", k="3", tower="projector.2")),
            part("layer_norm", "norm.neck", affine("d"))),
        LW_DETR_QUERIES,
        under("decoder.layers.{Ld}.self_attn",
            either(
                rows(LW_DETR_SELF.rows[0], LW_DETR_SELF.rows[1], LW_DETR_SELF.rows[2]),
                rows(
                    part("in_proj_weight", "attention.qkv",      param("3*a d")),
                    part("in_proj_bias",   "attention.qkv.bias", param("3*a"), when="b"))),
            LW_DETR_SELF.rows[3], tower="decoder")),
    heads=(
        head("ForObjectDetection", "model.", part("class_embed", "head.class", dense("d -> C")),
             under("bbox_embed", BOX), default=True),
        head("Model", ""),
        head("ForInstanceSegmentation", "model.model.",
            part("model.class_embed", "head.class", dense("d -> C")),
            under("model.bbox_embed", BOX),
            part("segmentation_bias",            "head.bias",         param("1")),
            part("blocks.{Ld}.layernorm",        "norm.mask",         affine("d")),
            part("blocks.{Ld}.depthwise_conv",   "head.mask.conv",    conv("d -> d, 3 3", groups="d")),
            part("blocks.{Ld}.pointwise_conv",   "head.mask.share",   dense("d -> d")),
            part("spatial_features_proj",        "head.mask.key",     conv("d -> d, 1 1")),
            part("query_features_block.norm",    "norm.mask",         affine("d")),
            part("query_features_block.mlp.fc1", "head.mask.1",       dense("d -> s")),
            part("query_features_block.mlp.fc2", "head.mask.2",       dense("s -> d")),
            part("query_features_proj",          "head.mask.query",   dense("d -> d")))))
