"""Detectors with deformable attention and pyramids of maps: Deformable DETR, Grounding DINO, MM Grounding DINO.

modeling_deformable_detr.py: each map of the backbone is projected, further levels are made from the last one with
stride. The heads of all decoder layers are one unless `with_box_refine`; with two stages there is one more.
transformers 5 ties the class heads of the layers, where it builds them itself. modeling_grounding_dino.py: every
encoder layer enhances text and fuses it with the picture; a text layer and the fusion are half as wide as the
feed-forward; the text's BERT has no pooler. modeling_mm_grounding_dino.py: every class head has a bias of one number;
transformers 4 never shares the heads.
"""

from msgspec.structs import replace

from inspector.architectures.text.bert import BERT
from inspector.architectures.vision.backbones import FROZEN_BACKBONE, LEARNED_POSITIONS, MAPS
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, param, table

BERT_ENCODER = replace(BERT, heads=(head("tower", ""),))
TIMM_BELOW: tuple[dict[str, str], ...] = ({},
                                          {"*backbone.conv_encoder.model.": "backbone.conv_encoder.model._backbone."})
PYRAMID_DIMS = MAPS | Dims(d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim",
                           fd="decoder_ffn_dim",
    he="encoder_attention_heads", hd="decoder_attention_heads", pe="encoder_n_points", pd="decoder_n_points",
    F="num_feature_levels",
    N="num_queries", C="labels", E="X : F", G="E[:1]", U="E[1:]")
DEFORMABLE = rows(                             # h heads, p points
    part("sampling_offsets",  "attention.offsets", dense("d -> h*F*p*2")),
    part("attention_weights", "attention.weights", dense("d -> h*F*p")),
    part("value_proj",        "attention.value",   dense("d -> d")),
    part("output_proj",       "attention.output",  dense("d -> d")))
BOX = rows(
    part("layers.0", "head.box.1", dense("d -> d")),
    part("layers.1", "head.box.2", dense("d -> d")),
    part("layers.2", "head.box",   dense("d -> 4")))
# transformers 4 leaves out the one copy of the first and the other copies of the rest
BOXES = rows(
    under("bbox_embed.0",   BOX),
    under("bbox_embed.{A}", BOX, tower="later", when="own"),
    under("model.decoder.bbox_embed.0",   BOX, tied="bbox_embed.0",   tower="refining",        when="refined"),
    under("model.decoder.bbox_embed.{A}", BOX, tied="bbox_embed.{A}", tower="refining.later",  when="own"),
    under("bbox_embed.{A}",               BOX, tied="bbox_embed.0",   tower="copies",          when="not own"),
    under("model.decoder.bbox_embed.{A}", BOX, tied="bbox_embed.0",   tower="refining.copies",
          when="refined and not own"))
CLASS = rows(
    part("weight", "head.class",      param("C d")),
    part("bias",   "head.class.bias", param("C")))
ENCODER_LAYER = rows(
    under("self_attn", DEFORMABLE, h="he", p="pe"),
    part("self_attn_layer_norm", "norm.attention", affine("d")),
    part("fc1",                  "mlp.up",         dense("d -> fe")),
    part("fc2",                  "mlp.down",       dense("fe -> d")),
    part("final_layer_norm",     "norm.mlp",       affine("d")))
REST_OF_DECODER_LAYER = rows(
    rows(under("encoder_attn", DEFORMABLE, h="hd", p="pd"), tower="decoder.cross"),
    part("self_attn_layer_norm",    "norm.attention", affine("d")),
    part("encoder_attn_layer_norm", "norm.cross",     affine("d")),
    part("fc1",                     "mlp.up",         dense("d -> fd")),
    part("fc2",                     "mlp.down",       dense("fd -> d")),
    part("final_layer_norm",        "norm.mlp",       affine("d")))
LEVELS = rows(                                 # each map, then the levels made of the last one
    part("{X}.0", "embed.map",         conv("cx -> d, 1 1")),
    part("{X}.1", "norm.map",          affine("d")),
    part("{G}.0", "embed.level.first", conv("cy -> d, 3 3")),
    part("{G}.1", "norm.level.first",  affine("d")),
    part("{U}.0", "embed.level",       conv("d -> d, 3 3")),
    part("{U}.1", "norm.level",        affine("d")))
ONE_LEVEL = rows(
    part("0.0", "embed.map", conv("cy -> d, 1 1")),
    part("0.1", "norm.map",  affine("d")))
DETR_STATE_DICT = {
    "*.out_proj": ".o_proj",
    "*.fc1": ".mlp.fc1",
    "*.fc2": ".mlp.fc2",
    "*backbone.conv_encoder.model.": "backbone.model.",
}
"""Names in memory under transformers 5, which saves the older ones."""
DEFORMABLE_DETR = Architecture("deformable_detr", ties="true", dialects=(*TIMM_BELOW, DETR_STATE_DICT),
    dims=PYRAMID_DIMS | Dims(
        stages="backbone_kwargs.out_indices when timm | backbone_config.out_indices"
               " | Z - Z1 - Z2 - Z3 - Z4 when not timm and backbone_config.out_features != null"
               " | len(backbone_config.depths) : len(backbone_config.depths) + 1 when not timm | 2 : 5 when F > 1 "
               "| 4 : 5",
        P="Ld + 1 when two_stage | Ld", A="1 : P", five="transformers_version[0] != '4'",
        apart="with_box_refine and two_stage | with_box_refine and not five",
        c="backbone_config.num_channels | num_channels",
        num_channels="c"),
    parts=rows(
        FROZEN_BACKBONE,
        LEARNED_POSITIONS,
        under("input_proj", LEVELS, when="F > 1"),
        under("input_proj", ONE_LEVEL, when="F < 2"),
        part("query_position_embeddings", "embed.query", table("N 2*d"), when="not two_stage"),
        under("encoder.layers.{Le}", ENCODER_LAYER, tower="encoder"),
        under("decoder.layers.{Ld}",
            part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
            part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
            part("self_attn.v_proj",   "attention.value",  dense("d -> d")),
            part("self_attn.out_proj", "attention.output", dense("d -> d")), REST_OF_DECODER_LAYER, tower="decoder"),
        part("level_embed", "embed.scale", param("F d")),
        rows(
            part("enc_output",      "head.proposal.project",  dense("d -> d")),
            part("enc_output_norm", "norm.proposal",     affine("d")),
            part("pos_trans",       "head.proposal.position", dense("2*d -> 2*d")),
            part("pos_trans_norm",  "norm.position",     affine("2*d")), when="two_stage"),
        part("reference_points", "head.point", dense("d -> 2"), when="not two_stage")),
    heads=(
        head("ForObjectDetection", "model.",
            part("class_embed.{P}", "head.class", dense("d -> C"), when="apart"),
            part("class_embed.0",   "head.class", dense("d -> C"), when="not apart"),
            under("class_embed.{A}", CLASS, tied="class_embed.0", tower="copies", when="not with_box_refine"),
            maybe("class_embed.{A}", "head.class.later", dense("d -> C"), when="with_box_refine and not apart"),
            rows(BOXES, own="with_box_refine", refined="with_box_refine"),
            under("model.decoder.class_embed.{P}", CLASS, tied="class_embed.{P}", tower="proposing", when="two_stage"),
            default=True),
        head("Model", "")))

DINO_ATTENTION = rows(
    part("query",    "attention.query",  dense("d -> d")),
    part("key",      "attention.key",    dense("d -> d")),
    part("value",    "attention.value",  dense("d -> d")),
    part("out_proj", "attention.output", dense("d -> d")))
FUSION = rows(                                 # a the width inside
    part("vision_proj",        "fusion.query",        dense("d -> a")),
    part("text_proj",          "fusion.key",          dense("d -> a")),
    part("values_vision_proj", "fusion.value.image",  dense("d -> a")),
    part("values_text_proj",   "fusion.value.text",   dense("d -> a")),
    part("out_vision_proj",    "fusion.output.image", dense("a -> d")),
    part("out_text_proj",      "fusion.output.text",  dense("a -> d")))
NUMBER = part("bias", "head.class.bias", param(""))
GROUNDING = rows(
    FROZEN_BACKBONE,
    LEARNED_POSITIONS,
    submodel("text", "text_backbone.", BERT_ENCODER),
    part("text_projection", "embed.text", dense("text.d -> d")),
    part("query_position_embeddings", "embed.query", table("N d"), when="embedding_init_target or not two_stage"),
    under("encoder.layers.{Le}",
        under("text_enhancer_layer",
            under("self_attn", DINO_ATTENTION),
            part("fc1",               "mlp.up",         dense("d -> fe//2")),
            part("fc2",               "mlp.down",       dense("fe//2 -> d")),
            part("layer_norm_before", "norm.attention", affine("d")),
            part("layer_norm_after",  "norm.mlp",       affine("d")), tower="encoder.text"),
        under("fusion_layer",
            under("attn", FUSION, a="fe//2"),
            part("layer_norm_vision", "norm.fuse.image",  affine("d")),
            part("layer_norm_text",   "norm.fuse.text",   affine("d")),
            part("vision_param",      "fusion.scale.image", param("d")),
            part("text_param",        "fusion.scale.text",  param("d"))),
        under("deformable_layer", ENCODER_LAYER), tower="encoder"),
    under("decoder",
        under("layers.{Ld}",
            under("self_attn", DINO_ATTENTION),
            under("encoder_attn_text", DINO_ATTENTION, tower="decoder.text"),
            part("encoder_attn_text_layer_norm", "norm.text", affine("d")), REST_OF_DECODER_LAYER),
        part("layer_norm", "norm.final", affine("d")),
        part("reference_points_head.layers.0", "head.point.1", dense("query_dim//2*d -> d")),
        part("reference_points_head.layers.1", "head.point.2", dense("d -> d")), tower="decoder"),
    part("level_embed", "embed.scale", param("F d")))
PROPOSALS = rows(
    part("enc_output",      "head.proposal.project", dense("d -> d")),
    part("enc_output_norm", "norm.proposal",    affine("d")),
    under("encoder_output_bbox_embed", BOX, tower="proposal"))
DINO_DIMS = PYRAMID_DIMS | Dims(A="1 : Ld", share="decoder_bbox_embed_share",
                                five="transformers_version[0] != '4'")
GROUNDING_DINO = Architecture("grounding-dino", ties="true", dialects=TIMM_BELOW, dims=DINO_DIMS,
    parts=rows(
        GROUNDING,
        under("input_proj_vision", LEVELS, when="F > 1"),
        under("input_proj_vision", ONE_LEVEL, when="F < 2"),
        rows(PROPOSALS, when="two_stage"),
        part("reference_points", "head.point", table("N 4"), when="not two_stage")),
    heads=(
        head("ForObjectDetection", "model.",
            rows(BOXES, own="not share", refined="true"), default=True),
        head("Model", "")))
MM_GROUNDING_DINO = Architecture("mm-grounding-dino", ties="true", dialects=TIMM_BELOW, dims=DINO_DIMS,
    parts=rows(
        GROUNDING,
        under("input_proj_vision", LEVELS),
        PROPOSALS,
        part("encoder_output_class_embed.bias", "head.proposal.class.bias", param(""))),
    heads=(
        head("ForObjectDetection", "model.",
            rows(BOXES, own="not (share and five)", refined="true"),
            part("class_embed.0.bias",   "head.class.bias", param("")),
            part("class_embed.{A}.bias", "head.class.bias.later", param(""),
                 when="not (decoder_cls_embed_share and five)"),
            under("model.decoder.class_embed.0",   NUMBER, tied="class_embed.0", tower="refining"),
            under("model.decoder.class_embed.{A}", NUMBER, tied="class_embed.{A}", tower="refining.later",
                  when="not (decoder_cls_embed_share and five)"),
            rows(
                under("class_embed.{A}",               NUMBER, tied="class_embed.0", tower="copies"),
                under("model.decoder.class_embed.{A}", NUMBER, tied="class_embed.0", tower="refining.shared"),
                when="decoder_cls_embed_share and five"), default=True),
        head("Model", "")))
