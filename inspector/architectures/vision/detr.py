"""DETR, Conditional DETR, DAB-DETR and Table Transformer.

modeling_detr.py: the norms of the backbone are frozen, so their weights are buffers too; the class head has a row more
than there are classes; there is no final encoder norm. Of the timm library's ResNets only the name, `backbone`,
says how deep they are.
modeling_conditional_detr.py: content and position are projected apart, the query's position of the cross attention only
in the first layer; a row for each class and no more. modeling_table_transformer.py: norms first, and a final norm in
the encoder.
modeling_dab_detr.py: queries are anchors of `query_dim` numbers; the box head is the decoder's own, too; a learned
activation has a weight.
"""

from inspector.architectures.vision.backbones import FROZEN_BACKBONE, LEARNED_POSITIONS, MAPS
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, param, table

DETR_DIMS = Dims(d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim", fd="decoder_ffn_dim",
                 N="num_queries", C="labels", m="d + encoder_attention_heads") | MAPS
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
    LEARNED_POSITIONS,
    FROZEN_BACKBONE,
    part("input_projection",          "embed.project", conv("cy -> d, 1 1")),
    part("query_position_embeddings", "embed.query",   table("N d")),
    under("encoder.layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe"), tower="encoder"),
    part("decoder.layernorm",         "norm.final",    affine("d")))
DECODER = under("decoder.layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS,
                rows(MLP, ff="fd"),
    tower="decoder")
BOX_LAYERS = rows(
    part("layers.0", "head.box.1", dense("d -> d")),
    part("layers.1", "head.box.2", dense("d -> d")),
    part("layers.2", "head.box",   dense("d -> 4")))
BOXES = under("bbox_predictor", BOX_LAYERS)
# m channels in; the last maps but one, from the deepest on, come in by adapters
MASKS = rows(
    part("bbox_attention.q_linear", "head.mask.query", dense("d -> d")),
    part("bbox_attention.k_linear", "head.mask.key",   dense("d -> d")),
    under("mask_head",
        part("lay1",     "head.mask.conv", conv("m -> m, 3 3")),
        part("gn1",      "norm.mask.1",      affine("m")),
        part("lay2",     "head.mask.conv", conv("m -> d//2, 3 3")),
        part("gn2",      "norm.mask.2",      affine("d//2")),
        part("lay3",     "head.mask.conv", conv("d//2 -> d//4, 3 3")),
        part("gn3",      "norm.mask",        affine("d//4")),
        part("lay4",     "head.mask.conv", conv("d//4 -> d//8, 3 3")),
        part("gn4",      "norm.mask",        affine("d//8")),
        part("lay5",     "head.mask.conv", conv("d//8 -> d//16, 3 3")),
        part("gn5",      "norm.mask",        affine("d//16")),
        part("out_lay",  "head.mask",        conv("d//16 -> 1, 3 3")),
        part("adapter1", "head.mask.map",    conv("c3 -> d//2, 1 1")),
        part("adapter2", "head.mask.map",    conv("c2 -> d//4, 1 1")),
        part("adapter3", "head.mask.map",    conv("c1 -> d//8, 1 1"))))
DETR_STATE_DICT = {  # names in memory under transformers 5
    "*.out_proj": ".o_proj",
    "*.fc1": ".mlp.fc1",
    "*.fc2": ".mlp.fc2",
    "*backbone.conv_encoder.model.": "backbone.model.",
    "*bbox_attention.q_linear": "bbox_attention.q_proj",
    "*bbox_attention.k_linear": "bbox_attention.k_proj",
    "*mask_head.lay1": "mask_head.conv1.conv",
    "*mask_head.gn1": "mask_head.conv1.norm",
    "*mask_head.lay2": "mask_head.conv2.conv",
    "*mask_head.gn2": "mask_head.conv2.norm",
    "*mask_head.lay3": "mask_head.fpn_stages.0.refine.conv",
    "*mask_head.gn3": "mask_head.fpn_stages.0.refine.norm",
    "*mask_head.lay4": "mask_head.fpn_stages.1.refine.conv",
    "*mask_head.gn4": "mask_head.fpn_stages.1.refine.norm",
    "*mask_head.lay5": "mask_head.fpn_stages.2.refine.conv",
    "*mask_head.gn5": "mask_head.fpn_stages.2.refine.norm",
    "*mask_head.adapter1": "mask_head.fpn_stages.0.fpn_adapter",
    "*mask_head.adapter2": "mask_head.fpn_stages.1.fpn_adapter",
    "*mask_head.adapter3": "mask_head.fpn_stages.2.fpn_adapter",
    "*mask_head.out_lay": "mask_head.output_conv",
}
DETR = Architecture("detr", dims=DETR_DIMS, parts=rows(FRONT, DECODER), dialects=({}, DETR_STATE_DICT),
    heads=(
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C + 1")), BOXES,
             default=True),
        head("ForSegmentation", "detr.model.",
            part("detr.class_labels_classifier", "head.class", dense("d -> C + 1")), under("detr", BOXES), MASKS),
        head("Model", "")))
TABLE_TRANSFORMER = Architecture("table-transformer", dims=DETR_DIMS,
    parts=rows(FRONT, DECODER, part("encoder.layernorm", "norm.encoder", affine("d"))),
        heads=(
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C + 1")), BOXES,
             default=True),
        head("Model", "")))
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
    part("decoder.query_scale.layers.0",    "head.scale", dense("d -> d")),
    part("decoder.query_scale.layers.1",    "head.scale", dense("d -> d")),
    part("decoder.ref_point_head.layers.0", "head.point.1", dense("d -> d")),
    part("decoder.ref_point_head.layers.1", "head.point.2", dense("d -> 2")))
CONDITIONAL_STATE_DICT = {  # names in memory under transformers 5
    **DETR_STATE_DICT,
    "*.sa_qcontent_proj": ".self_attn.q_content_proj",
    "*.sa_kcontent_proj": ".self_attn.k_content_proj",
    "*.sa_qpos_proj": ".self_attn.q_pos_proj",
    "*.sa_kpos_proj": ".self_attn.k_pos_proj",
    "*.sa_v_proj": ".self_attn.v_proj",
    "*.ca_qcontent_proj": ".encoder_attn.q_content_proj",
    "*.ca_kcontent_proj": ".encoder_attn.k_content_proj",
    "*.ca_qpos_sine_proj": ".encoder_attn.q_pos_sine_proj",
    "*.ca_qpos_proj": ".encoder_attn.q_pos_proj",
    "*.ca_kpos_proj": ".encoder_attn.k_pos_proj",
    "*.ca_v_proj": ".encoder_attn.v_proj",
}
CONDITIONAL_DETR = Architecture("conditional_detr", dims=DETR_DIMS, parts=rows(FRONT, CONDITIONAL_DECODER),
    dialects=({}, CONDITIONAL_STATE_DICT),
    heads=(
        head("ForObjectDetection", "model.", part("class_labels_classifier", "head.class", dense("d -> C")), BOXES,
             default=True),
        head("ForSegmentation", "conditional_detr.model.",
            part("conditional_detr.class_labels_classifier", "head.class", dense("d -> C")),
            under("conditional_detr", BOXES), MASKS),
        head("Model", "")))

SMALL = rows(                                  # o numbers out of a network of two layers
    part("layers.0", "mlp.in",  dense("i -> d")),
    part("layers.1", "mlp.out", dense("d -> o")))
PRELU = part("activation_fn.weight", "mlp.activation", param("1"), when="activation_function == 'prelu'")
DAB_DETR = Architecture("dab-detr", ties="true",
                        dialects=({}, {"*backbone.conv_encoder.model.": "backbone.conv_encoder.model._backbone."}),
    dims=DETR_DIMS | Dims(d="hidden_size", q="query_dim", two="2", W="Ld[1:] when not keep_query_pos | Ld[:0]",
                          K="Ld - W"),
    parts=rows(
        FROZEN_BACKBONE,
        part("input_projection",          "embed.project", conv("cy -> d, 1 1")),
        part("query_refpoint_embeddings", "embed.query",   table("N q")),
        part("patterns",                  "embed.pattern", table("num_patterns d"), when="num_patterns > 0"),
        under("encoder",
            under("query_scale", SMALL, i="d", o="d"),
            under("layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe"), PRELU),
            part("norm", "norm.final", affine("d"), when="normalize_before"), tower="encoder"),
        under("decoder",
            under("layers.{Ld}.self_attn",
                part("self_attn_query_content_proj", "attention.query",          dense("d -> d")),
                part("self_attn_query_pos_proj",     "attention.query.position", dense("d -> d")),
                part("self_attn_key_content_proj",   "attention.key",            dense("d -> d")),
                part("self_attn_key_pos_proj",       "attention.key.position",   dense("d -> d")),
                part("self_attn_value_proj",         "attention.value",          dense("d -> d")),
                part("self_attn.output_proj",        "attention.output",         dense("d -> d")),
                part("self_attn_layer_norm",         "norm.attention",           affine("d"))),
            under("layers.{Ld}.cross_attn",
                part("cross_attn_query_content_proj",  "cross.query",      dense("d -> d")),
                part("cross_attn_key_content_proj",    "cross.key",        dense("d -> d")),
                part("cross_attn_key_pos_proj",        "cross.key.position", dense("d -> d")),
                part("cross_attn_value_proj",          "cross.value",      dense("d -> d")),
                part("cross_attn_query_pos_sine_proj", "cross.query.sine", dense("d -> d")),
                part("cross_attn.output_proj",         "cross.output",     dense("d -> d")),
                part("cross_attn_layer_norm",          "norm.cross",       affine("d"))),
            part("layers.{K}.cross_attn.cross_attn_query_pos_proj", "cross.query.position", dense("d -> d")),
            under("layers.{Ld}.mlp",
                part("fc1",              "mlp.up",   dense("d -> fd")),
                part("fc2",              "mlp.down", dense("fd -> d")),
                part("final_layer_norm", "norm.mlp", affine("d")), PRELU),
            part("layernorm", "norm.final", affine("d")),
            under("query_scale",     SMALL, i="d", o="d", tower="decoder.scale"),
            under("ref_point_head",  SMALL, i="q//2*d", o="d", tower="decoder.point"),
            under("ref_anchor_head", SMALL, i="d", o="two", tower="decoder.anchor"), tower="decoder")),
    heads=(
        head("ForObjectDetection", "model.",
            part("class_embed", "head.class", dense("d -> C")), BOXES,
            under("model.decoder.bbox_embed", BOX_LAYERS, tied="bbox_predictor", tower="refining"), default=True),
        head("Model", "")))
