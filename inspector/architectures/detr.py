"""DETR, Conditional DETR and Table Transformer.

modeling_detr.py: the norms of the backbone are frozen, so their weights are buffers too; the class head has a row more than there are
classes; there is no final encoder norm. The timm library's ResNets are told by `backbone`, only their name says how deep they are;
without timm the backbone is a ResNet of transformers, whose norms are frozen all the same.
modeling_conditional_detr.py: content and position are projected apart, the query's position of the cross attention only in the
first layer; a row for each class and no more. modeling_table_transformer.py: norms first, and a final norm in the encoder.
"""

from inspector.architectures.resnet import RESNET
from inspector.notation.card import Architecture, Dims, graft, head, part, recast, rows, under
from inspector.notation.kinds import affine, conv, dense, frozen_batchnorm, table

BOTTLENECK = rows(                             # i channels in, w inside
    part("conv1", "resnet.conv.1", conv("i -> w, 1 1", bias=False)),
    part("bn1",   "norm.resnet.1", frozen_batchnorm("w")),
    part("conv2", "resnet.conv.2", conv("w -> w, 3 3", bias=False)),
    part("bn2",   "norm.resnet.2", frozen_batchnorm("w")),
    part("conv3", "resnet.conv.3", conv("w -> 4*w, 1 1", bias=False)),
    part("bn3",   "norm.resnet.3", frozen_batchnorm("4*w")))
SKIP = rows(
    part("downsample.0", "resnet.skip",      conv("i -> 4*w, 1 1", bias=False)),
    part("downsample.1", "norm.resnet.skip", frozen_batchnorm("4*w")))
TIMM_RESNET = under("backbone.conv_encoder.model",
    part("conv1", "embed.image", conv("num_channels -> 64, 7 7", bias=False)),
    part("bn1",   "norm.embed",  frozen_batchnorm("64")),
    under("layer1.0",    BOTTLENECK, SKIP, i="64", w="64", tower="backbone.1"),
    under("layer1.{R1}", BOTTLENECK, i="256", w="64", tower="backbone.1"),
    under("layer2.0",    BOTTLENECK, SKIP, i="256", w="128", tower="backbone.2"),
    under("layer2.{R2}", BOTTLENECK, i="512", w="128", tower="backbone.2"),
    under("layer3.0",    BOTTLENECK, SKIP, i="512", w="256", tower="backbone.3"),
    under("layer3.{R3}", BOTTLENECK, i="1024", w="256", tower="backbone.3"),
    under("layer4.0",    BOTTLENECK, SKIP, i="1024", w="512", tower="backbone.4"),
    under("layer4.{R4}", BOTTLENECK, i="2048", w="512", tower="backbone.4"), tower="backbone", when="timm")
DETR_DIMS = Dims(d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim", fd="decoder_ffn_dim",
                 timm="backbone_config.model_type == 'timm_backbone' when backbone_config.model_type != null | use_timm_backbone | true",
                 k="2048 when timm | resnet.f", N="num_queries", C="num_labels | len(id2label) | 2", name="backbone_config.backbone | backbone | 'resnet50'",
                 R1="1 : 3", R2="1 : (8 when name == 'resnet152' | 4)",
                 R3="1 : (23 when name == 'resnet101' | 36 when name == 'resnet152' | 6)", R4="1 : 3")
ATTENTION = rows(
    part("q_proj",   "attention.query",  dense("d -> d")),
    part("k_proj",   "attention.key",    dense("d -> d")),
    part("v_proj",   "attention.value",  dense("d -> d")),
    part("out_proj", "attention.output", dense("d -> d")))
CROSS = rows(
    part("q_proj",   "cross.query",      dense("d -> d")),
    part("k_proj",   "cross.key",        dense("d -> d")),
    part("v_proj",   "cross.value",      dense("d -> d")),
    part("out_proj", "cross.output",     dense("d -> d")))
MLP = rows(
    part("self_attn_layer_norm", "norm.attention", affine("d")),
    part("fc1",                  "mlp.up",         dense("d -> ff")),
    part("fc2",                  "mlp.down",       dense("ff -> d")),
    part("final_layer_norm",     "norm.mlp",       affine("d")))
NORM_OF_CROSS = part("encoder_attn_layer_norm", "norm.cross", affine("d"))
FRONT = rows(
    TIMM_RESNET,
    graft("resnet", "backbone.conv_encoder.model.", recast(RESNET, "batchnorm", frozen_batchnorm), config="backbone_config",
          head="Backbone", when="not timm"),
    part("input_projection",          "embed.project", conv("k -> d, 1 1")),
    part("query_position_embeddings", "embed.query",   table("N d")),
    under("encoder.layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe"), tower="encoder"),
    part("decoder.layernorm",         "norm.final",    affine("d")))
DECODER = under("decoder.layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS, rows(MLP, ff="fd"),
    tower="decoder")
BOXES = rows(
    part("bbox_predictor.layers.0", "head.box.1", dense("d -> d")),
    part("bbox_predictor.layers.1", "head.box.2", dense("d -> d")),
    part("bbox_predictor.layers.2", "head.box",   dense("d -> 4")))
DETR = Architecture("detr", dims=DETR_DIMS, parts=rows(FRONT, DECODER),
    heads=(
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C + 1")), BOXES, default=True),
        head("Model", "")))
TABLE_TRANSFORMER = Architecture("table-transformer", dims=DETR_DIMS,
    parts=rows(FRONT, DECODER, part("encoder.layernorm", "norm.encoder", affine("d"))),
    heads=DETR.heads)
CONDITIONAL_DECODER = rows(
    under("decoder.layers.{Ld}",
        part("sa_qcontent_proj",   "attention.query",          dense("d -> d")),
        part("sa_qpos_proj",       "attention.query.position", dense("d -> d")),
        part("sa_kcontent_proj",   "attention.key",            dense("d -> d")),
        part("sa_kpos_proj",       "attention.key.position",   dense("d -> d")),
        part("sa_v_proj",          "attention.value",          dense("d -> d")),
        part("self_attn.out_proj", "attention.output",         dense("d -> d")),
        part("ca_qcontent_proj",   "cross.query",              dense("d -> d")),
        part("ca_qpos_sine_proj",  "cross.query.sine",         dense("d -> d")),
        part("ca_kcontent_proj",   "cross.key",                dense("d -> d")),
        part("ca_kpos_proj",       "cross.key.position",       dense("d -> d")),
        part("ca_v_proj",          "cross.value",              dense("d -> d")),
        part("encoder_attn.out_proj", "cross.output",          dense("d -> d")),
        NORM_OF_CROSS, rows(MLP, ff="fd"), tower="decoder"),
    part("decoder.layers.0.ca_qpos_proj", "cross.query.position", dense("d -> d")),
    part("decoder.query_scale.layers.0",    "head.scale.1", dense("d -> d")),
    part("decoder.query_scale.layers.1",    "head.scale.2", dense("d -> d")),
    part("decoder.ref_point_head.layers.0", "head.point.1", dense("d -> d")),
    part("decoder.ref_point_head.layers.1", "head.point.2", dense("d -> 2")))
CONDITIONAL_DETR = Architecture("conditional_detr", dims=DETR_DIMS, parts=rows(FRONT, CONDITIONAL_DECODER),
    heads=(
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C")), BOXES, default=True),
        head("Model", "")))
