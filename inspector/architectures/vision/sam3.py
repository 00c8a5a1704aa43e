"""SAM 3: a detector of what a text names, and the tracker of pictures and videos that shares its tower.

modeling_sam3.py: a vision transformer with rotary positions and positions of the pretraining's picture; each level of
the pyramid scales the map by its factor. Prompts are CLIP's texts and boxes; a decoder of queries, masks and a score
against the text follow.
modeling_sam3_tracker.py, modeling_sam3_tracker_video.py: what SAM 2 has above another tower; on disk all is below
`tracker_model.`.
modeling_sam3_lite_text.py: the detector with a smaller encoder of texts, whose first and last layer are convolutions.
modeling_sam3_video.py: both, with the detector's tower alone and a neck of the tracker's own.
"""

from msgspec.structs import replace

from inspector.architectures.multimodal.clip import CLIP_TEXT
from inspector.architectures.vision.sam2 import MEMORY, MEMORY_DIMS, SAM2_DIMS, SAM2_REST
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, conv_t, dense, linear, param, table

ATTENTION = rows(
    part("q_proj", "attention.query",  dense("d -> d")),
    part("k_proj", "attention.key",    dense("d -> d")),
    part("v_proj", "attention.value",  dense("d -> d")),
    part("o_proj", "attention.output", dense("d -> d")))
MLP = rows(
    part("mlp.fc1", "mlp.up",   dense("d -> ff")),
    part("mlp.fc2", "mlp.down", dense("ff -> d")))
SAM3_VIT = Architecture("sam3_vit_model",
    ignores="layer_scale_init_value", dims=VISION | Dims(n="pretrain_image_size[0]//p*(pretrain_image_size[1]//pw)"),
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embeddings",         "embed.position", param("1 n d")),
        part("layer_norm",                             "norm.embed",     affine("d")),
        under("layers.{L}",
            part("layer_norm1", "norm.attention", affine("d")),
            under("attention", ATTENTION),
            part("layer_norm2", "norm.mlp",       affine("d")), MLP)),
    heads=(head("Model", ""),))
NECK = under("fpn_layers",
    part("{U}.scale_layers.0", "neck.up",    conv_t("w -> w//2, 2 2")),
    part("{A}.scale_layers.2", "neck.up",    conv_t("w//2 -> w//4, 2 2")),
    part("{N}.proj1",          "neck.map",   conv("i -> d, 1 1")),
    part("{N}.proj2",          "neck.conv",  conv("d -> d, 3 3")))
SAM3_VISION = Architecture("sam3_vision_model",
    dims=Dims(d="fpn_hidden_size", w="backbone.d", N="len(scale_factors)", A="N[scale_factors == 4]",
              B="N[scale_factors == 2]", U="N - D",
              D="N - A - B", s="scale_factors[{N}]", i="w//4 when s == 4 | w//2 when s == 2 | w"),
    parts=rows(
        submodel("backbone", "backbone.", SAM3_VIT),
        under("neck", NECK)),
    heads=(head("Model", ""),))
LAYER = rows(                                  # an encoder's, which reads a second sequence
    part("layer_norm1", "norm.attention", affine("d")),
    under("self_attn", ATTENTION),
    part("layer_norm2", "norm.cross",     affine("d")),
    rows(under("cross_attn", ATTENTION), tower="cross"),
    part("layer_norm3", "norm.mlp",       affine("d")), MLP)
TWO = rows(
    part("layer1", "mlp.small.1", dense("i -> m")),
    part("layer2", "mlp.small",   dense("m -> o")))
THREE = rows(
    part("layer1", "mlp.small.1", dense("d -> d")),
    part("layer2", "mlp.small.2", dense("d -> d")),
    part("layer3", "mlp.small",   dense("d -> o")))
DETECTOR_DIMS = Dims(
    d="detr_decoder_config.hidden_size", de="detr_encoder_config.hidden_size",
    dg="geometry_encoder_config.hidden_size",
    dm="mask_decoder_config.hidden_size", Le="detr_encoder_config.num_layers",
    Ld="detr_decoder_config.num_layers",
    Lg="geometry_encoder_config.num_layers", fe="detr_encoder_config.intermediate_size",
    fd="detr_decoder_config.intermediate_size",
    fg="geometry_encoder_config.intermediate_size", h="detr_decoder_config.num_attention_heads",
    N="detr_decoder_config.num_queries",
    r="geometry_encoder_config.roi_size", U="mask_decoder_config.num_upsampling_stages", K="3", one="1",
    two="2", four="4")
DETECTOR = rows(                               # what is above the tower and the encoder of texts
    part("text_projection", "embed.text", dense("text.d -> de")),
    under("geometry_encoder",
        part("label_embed",           "embed.label",       table("2 dg")),
        part("cls_embed",             "embed.class",       table("1 dg")),
        part("boxes_direct_project",  "embed.box",         dense("4 -> dg")),
        part("boxes_pool_project",    "embed.box.image",   conv("dg -> dg, r r")),
        part("boxes_pos_enc_project", "embed.box.position", dense("dg + 2 -> dg")),
        part("vision_layer_norm",     "norm.image",        affine("dg")),
        part("final_proj",            "project",           dense("dg -> dg")),
        part("prompt_layer_norm",     "norm.prompt",       affine("dg")),
        under("layers.{Lg}", LAYER, d="dg", ff="fg"),
        part("output_layer_norm",     "norm.final",        affine("dg")), tower="geometry"),
    under("detr_encoder.layers.{Le}", LAYER, d="de", ff="fe", tower="encoder"),
    under("detr_decoder",
        under("layers.{Ld}",
            under("self_attn", ATTENTION),
            part("self_attn_layer_norm",         "norm.attention",   affine("d")),
            under("text_cross_attn", ATTENTION, tower="decoder.text"),
            part("text_cross_attn_layer_norm",   "norm.cross.text",  affine("d")),
            under("vision_cross_attn", ATTENTION, tower="decoder.image"),
            part("vision_cross_attn_layer_norm", "norm.cross.image", affine("d")),
            rows(MLP, ff="fd"),
            part("mlp_layer_norm",               "norm.mlp",         affine("d"))),
        part("output_layer_norm",   "norm.final",     affine("d")),
        part("query_embed",         "embed.query",    table("N d")),
        part("reference_points",    "embed.point",    table("N 4")),
        part("presence_token",      "embed.presence", table("1 d")),
        part("presence_layer_norm", "norm.presence",  affine("d")),
        under("box_head",        THREE, o="four", tower="decoder.box"),
        under("presence_head",   THREE, o="one", tower="decoder.presence"),
        under("ref_point_head",  TWO, i="2*d", m="d", o="d", tower="decoder.point"),
        under("box_rpb_embed_x", TWO, i="two", m="d", o="h", tower="decoder.x"),
        under("box_rpb_embed_y", TWO, i="two", m="d", o="h", tower="decoder.y"), tower="decoder"),
    under("mask_decoder",
        part("pixel_decoder.conv_layers.{U}", "resnet.conv",   conv("dm -> dm, 3 3")),
        part("pixel_decoder.norms.{U}",       "norm.resnet",   affine("dm")),
        part("mask_embedder.layers.{K}",      "embed.mask",    dense("dm -> dm")),
        part("instance_projection",           "head.instance", conv("dm -> dm, 1 1")),
        part("semantic_projection",           "head.semantic", conv("dm -> 1, 1 1")),
        under("prompt_cross_attn", ATTENTION, d="dm"),
        part("prompt_cross_attn_norm",        "norm.cross",    affine("dm")), tower="masks"),
    under("dot_product_scoring",
        under("text_mlp", TWO, i="d", m="fd", o="d"),
        part("text_mlp_out_norm", "norm.text",   affine("d")),
        part("text_proj",         "head.score.text",  dense("d -> d")),
        part("query_proj",        "head.score.query", dense("d -> d")), tower="score"))
SAM3 = Architecture("sam3", dims=DETECTOR_DIMS,
    parts=rows(
        submodel("vision", "vision_encoder.", SAM3_VISION),
        submodel("text", "text_encoder.", CLIP_TEXT, head="TextModelWithProjection"), DETECTOR),
    heads=(head("Model", ""),))
# R: layers that mix by convolutions, the first and the last; M: those between
SAM3_LITE_TEXT_ENCODER = Architecture("sam3_lite_text_text_model", ignores="layer_scale_init_value",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size",
              k="repmixer_kernel_size", M="L[1:L-1] when use_repmixer_blocks | L", R="L - M"),
    parts=rows(
        part("embeddings.token_embedding", "embed.token", table("vocab_size d")),
        part("embeddings.position_embedding.position_embedding", "embed.position",
             param("1 1 max_position_embeddings d")),
        under("layers.{R}",
            part("token_mixer.reference_batchnorm",   "norm.conv",       batchnorm("d")),
            part("token_mixer.mixer.batchnorm_skip",  "norm.conv.skip",  batchnorm("d")),
            part("token_mixer.mixer.conv",            "conv.depth",      conv("d -> d, 1 k", groups="d", bias=False)),
            part("token_mixer.mixer.batchnorm_conv",  "norm.conv.depth", batchnorm("d")),
            part("token_mixer.layer_scale",           "conv.scale",      param("d 1 1")),
            part("conv_feed_forward.depthwise_conv",  "mlp.conv",        conv("d -> d, 1 k", groups="d", bias=False)),
            part("conv_feed_forward.depthwise_batchnorm", "norm.mlp.conv", batchnorm("d")),
            part("conv_feed_forward.mlp.fc1",         "mlp.up",          conv("d -> ff, 1 1")),
            part("conv_feed_forward.mlp.fc2",         "mlp.down",        conv("ff -> d, 1 1")),
            part("layer_scale",                       "mlp.scale",       param("d 1 1")), tower="mixer"),
        under("layers.{M}",
            part("layer_norm1",        "norm.attention",   affine("d")),
            part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
            part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
            part("self_attn.v_proj",   "attention.value",  dense("d -> d")),
            part("self_attn.out_proj", "attention.output", dense("d -> d")),
            part("layer_norm2",        "norm.mlp",         affine("d")), MLP),
        part("final_layer_norm", "norm.final",   affine("d")),
        part("projection",       "head.project", linear("d -> projection_dim"))),
    heads=(head("TextModel", "", default=True),))
SAM3_LITE_TEXT = Architecture("sam3_lite_text", dims=DETECTOR_DIMS,
    parts=rows(
        submodel("vision", "vision_encoder.", SAM3_VISION),
        submodel("text", "text_encoder.", SAM3_LITE_TEXT_ENCODER, head="TextModel"), DETECTOR),
    heads=(head("Model", ""),))
BELOW = {"": "tracker_model.", "vision_encoder.backbone.": "tracker_model.detector_model.vision_encoder.backbone.",
         "vision_encoder.neck.": "tracker_model.tracker_neck."}
SAM3_TRACKER = Architecture("sam3_tracker", dims=SAM2_DIMS, dialects=({}, BELOW),
    parts=rows(
        part("no_memory_embedding", "embed.no_memory", param("1 1 d")),
        submodel("vision", "vision_encoder.", SAM3_VISION),
        SAM2_REST),
    heads=(head("Model", ""),))
SAM3_TRACKER_VIDEO = Architecture("sam3_tracker_video", dims=MEMORY_DIMS, dialects=({}, BELOW),
    parts=rows(submodel("vision", "vision_encoder.", SAM3_VISION), SAM2_REST, MEMORY),
    heads=(head("Model", ""),))
NECK_ALONE = replace(SAM3_VISION, dims={**SAM3_VISION.dims, "w": "backbone_config.hidden_size"}, parts=NECK)
TRACKER_ALONE = replace(SAM3_TRACKER_VIDEO, dims={**MEMORY_DIMS, "d": "vision_config.fpn_hidden_size"},
    parts=rows(under("tracker_model", SAM2_REST, MEMORY),
               submodel("neck", "tracker_neck.", NECK_ALONE, config="vision_config")),
    dialects=({}, {"tracker_model.": "tracker_model.tracker_model."}))
SAM3_VIDEO = Architecture("sam3_video", dims=Dims(d="detector.d"),
    parts=rows(
        submodel("detector", "detector_model.", SAM3),
        submodel("tracker", "", TRACKER_ALONE)),
    heads=(head("Model", ""),))
