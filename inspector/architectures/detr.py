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
                 k="2048 when timm | resnet.hidden_sizes[z - 1]", z="backbone_config.out_indices[len(backbone_config.out_indices) - 1]"
                   " | 4 when 'stage4' in backbone_config.out_features | 3 when 'stage3' in backbone_config.out_features | 4",
                 he="encoder_attention_heads", k1="256 when timm | resnet.hidden_sizes[0]",
                 k2="512 when timm | resnet.hidden_sizes[1]", k3="1024 when timm | resnet.hidden_sizes[2]", N="num_queries", C="num_labels | len(id2label) | 2", name="backbone_config.backbone | backbone | 'resnet50'",
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
    rows(
        part("backbone.position_embedding.row_embeddings",    "embed.position.row",    table("50 d//2")),
        part("backbone.position_embedding.column_embeddings", "embed.position.column", table("50 d//2")),
        when="position_embedding_type == 'learned'"),
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
MASKS = rows(                                  # from the attention to the queries up through three widths of the backbone
    part("bbox_attention.q_linear", "head.mask.query", dense("d -> d")),
    part("bbox_attention.k_linear", "head.mask.key",   dense("d -> d")),
    under("mask_head",
        part("lay1",     "head.mask.conv.1",  conv("d + he -> d + he, 3 3")),
        part("gn1",      "norm.mask.1",       affine("d + he")),
        part("lay2",     "head.mask.conv.2",  conv("d + he -> d//2, 3 3")),
        part("gn2",      "norm.mask.2",       affine("d//2")),
        part("lay3",     "head.mask.conv.3",  conv("d//2 -> d//4, 3 3")),
        part("gn3",      "norm.mask.3",       affine("d//4")),
        part("lay4",     "head.mask.conv.4",  conv("d//4 -> d//8, 3 3")),
        part("gn4",      "norm.mask.4",       affine("d//8")),
        part("lay5",     "head.mask.conv.5",  conv("d//8 -> d//16, 3 3")),
        part("gn5",      "norm.mask.5",       affine("d//16")),
        part("out_lay",  "head.mask",         conv("d//16 -> 1, 3 3")),
        part("adapter1", "head.mask.image.1", conv("k3 -> d//2, 1 1")),
        part("adapter2", "head.mask.image.2", conv("k2 -> d//4, 1 1")),
        part("adapter3", "head.mask.image.3", conv("k1 -> d//8, 1 1"))))
NEW_PLACE = {"*backbone.position_embedding.": "position_embedding."}  # transformers 5
DETR = Architecture("detr", dims=DETR_DIMS, parts=rows(FRONT, DECODER), dialects=({}, NEW_PLACE),
    heads=(
        head("ForSegmentation", "detr.model.",
            under("detr", part("class_labels_classifier", "head.class", dense("d -> C + 1")), BOXES), MASKS),
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C + 1")), BOXES, default=True),
        head("Model", "")))
TABLE_TRANSFORMER = Architecture("table-transformer", dims=DETR_DIMS,
    parts=rows(FRONT, DECODER, part("encoder.layernorm", "norm.encoder", affine("d"))),
    dialects=({}, NEW_PLACE), heads=DETR.heads[1:])
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
    dialects=({}, NEW_PLACE),
    heads=(
        head("ForSegmentation", "conditional_detr.model.",
            under("conditional_detr", part("class_labels_classifier", "head.class", dense("d -> C")), BOXES), MASKS),
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C")), BOXES, default=True),
        head("Model", "")))
