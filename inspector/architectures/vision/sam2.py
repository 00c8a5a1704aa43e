"""SAM 2 for pictures and for video, and its Hiera tower.

modeling_sam2.py: the blocks of all stages are numbered through; the first block of a stage reads the width of the stage
before and has a projection where the width changes. The tower's convolutions go from the deepest stage to the first.
Random position matrices are buffers; transformers 4 stores one of the two.
modeling_sam2_video.py: memories have 64 channels where they are attended to, whatever the config says; masks grow by
the square of the stride.
"""

from inspector.architectures.vision.mask_blocks import LAYER_NORMS, PROMPTS, SMALL, TOKENS, UPSCALING
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, param, table

BLOCK = rows(                                  # i channels in, o out
    part("layer_norm1",  "norm.attention",   affine("i")),
    part("attn.qkv",     "attention.qkv",    dense("i -> o + o + o", packs="q k v")),
    part("attn.proj",    "attention.output", dense("o -> o")),
    part("layer_norm2",  "norm.mlp",         affine("o")),
    part("mlp.proj_in",  "mlp.up",           dense("o -> floor(o*mlp_ratio)")),
    part("mlp.proj_out", "mlp.down",         dense("floor(o*mlp_ratio) -> o")),
    part("proj",         "resnet.skip",      dense("i -> o"), when="i != o"))
# e0, …: width of each stage; s1, …: end of each stage; B0, B1, …: blocks of one width; F1, F2, F3: blocks that widen
SAM2_HIERA = Architecture("sam2_hiera_det_model", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", c="num_channels", e="embed_dim_per_stage", n="blocks_per_stage", e0="e[0]", e1="e[1]",
              e2="e[2]", e3="e[3]",
              s1="max(n[0], 0)", s2="s1 + max(n[1], 0) when len(n) > 1 | s1",
              s3="s2 + max(n[2], 0) when len(n) > 2 | s2", s4="s3 + max(n[3], 0) when len(n) > 3 | s3",
              B0="0 : s1", F1="s1 : min(s1 + 1, s2)", B1="min(s1 + 1, s2) : s2", F2="s2 : min(s2 + 1, s3)",
              B2="min(s2 + 1, s3) : s3", F3="s3 : min(s3 + 1, s4)", B3="min(s3 + 1, s4) : s4"),
    parts=rows(
        part("patch_embed.projection", "embed.patch", conv("c -> d, patch_kernel_size[0] patch_kernel_size[1]")),
        part("pos_embed", "embed.position",
             param("1 d window_positional_embedding_background_size[0] "
                   "window_positional_embedding_background_size[1]")),
        part("pos_embed_window", "embed.position.window",
             param("1 d window_size_per_stage[0] window_size_per_stage[0]")),
        under("blocks.{B0}", BLOCK, i="e0", o="e0"),
        under("blocks.{F1}", BLOCK, i="e0", o="e1"),
        under("blocks.{B1}", BLOCK, i="e1", o="e1"),
        under("blocks.{F2}", BLOCK, i="e1", o="e2"),
        under("blocks.{B2}", BLOCK, i="e2", o="e2"),
        under("blocks.{F3}", BLOCK, i="e2", o="e3"),
        under("blocks.{B3}", BLOCK, i="e3", o="e3")))
SAM2_VISION = Architecture("sam2_vision_model", heads=(head("tower Model", ""),),
    dims=Dims(d="fpn_hidden_size", N="len(backbone_channel_list)", k="fpn_kernel_size"),
    parts=rows(
        submodel("backbone", "backbone.", SAM2_HIERA),
        part("neck.convs.{N}", "neck.conv", conv("backbone_channel_list[{N}] -> d, k k"))))
ATTENTION = rows(                              # a the width inside
    part("q_proj", "attention.query",  dense("m -> a")),
    part("k_proj", "attention.key",    dense("m -> a")),
    part("v_proj", "attention.value",  dense("m -> a")),
    part("o_proj", "attention.output", dense("a -> m")))
SAM2_DIMS = Dims(
    d="vision.d", m="mask_decoder_config.hidden_size", Ld="mask_decoder_config.num_hidden_layers",
    fd="mask_decoder_config.mlp_dim", a="m//mask_decoder_config.attention_downsample_rate",
    M="mask_decoder_config.num_multimask_outputs + 1", q="mask_decoder_config.iou_head_hidden_dim",
    I="mask_decoder_config.iou_head_depth - 2", H="1", J="Ld - 2", e="prompt_encoder_config.hidden_size",
    r="prompt_encoder_config.mask_input_channels", P="prompt_encoder_config.num_point_embeddings", one="1")
SAM2_REST = rows(                              # what follows the vision tower
    part("shared_image_embedding.positional_embedding", "embed.position.shared", buffer("2 e//2")),
    maybe("prompt_encoder.shared_embedding.positional_embedding", "embed.position.prompt", buffer("2 e//2")),
    under("prompt_encoder",
        part("point_embed",             "embed.point",      table("P e")),
        PROMPTS, tower="prompt"),
    under("mask_decoder",
        TOKENS,
        part("obj_score_token",         "embed.object",     table("1 m")),
        under("transformer.layers.{Ld}",
            rows(under("self_attn", ATTENTION), a="m"),
            under("cross_attn_token_to_image", ATTENTION, tower="decoder.token_to_image"),
            under("cross_attn_image_to_token", ATTENTION, tower="decoder.image_to_token"),
            LAYER_NORMS,
            under("mlp", SMALL, w="fd", o="m", K="J")),
        under("transformer.final_attn_token_to_image", ATTENTION, tower="decoder.final"),
        UPSCALING,
        part("conv_s0",                 "head.skip",        conv("m -> m//8, 1 1")),
        part("conv_s1",                 "head.skip",        conv("m -> m//4, 1 1")),
        under("output_hypernetworks_mlps.{M}", SMALL, w="m", o="m//8", K="H", tower="decoder.masks"),
        under("iou_prediction_head",           SMALL, w="q", o="M", K="I", tower="decoder.iou"),
        under("pred_obj_score_head",           SMALL, w="m", o="one", K="H", tower="decoder.object"), tower="decoder"))
SAM2 = Architecture("sam2", dims=SAM2_DIMS,
    parts=rows(
        part("no_memory_embedding", "embed.no_memory", param("1 1 d")),
        submodel("vision", "vision_encoder.", SAM2_VISION),
        SAM2_REST),
    heads=(head("Model", ""),))
MEMORY_DIMS = SAM2_DIMS | Dims(
    y="memory_attention_hidden_size", b="y//memory_attention_downsample_rate", Lm="memory_attention_num_layers",
    fm="memory_attention_feed_forward_hidden_size", c="memory_encoder_hidden_size", u="memory_encoder_output_channels",
    z="memory_fuser_embed_dim", g="memory_fuser_intermediate_dim", G="memory_fuser_num_layers",
    k="memory_fuser_kernel_size",
    s="mask_downsampler_stride", t="mask_downsampler_total_stride", w="mask_downsampler_kernel_size",
    v="mask_downsampler_embed_dim",
    S="6 when t >= s**6 | 5 when t >= s**5 | 4 when t >= s**4 | 3 when t >= s**3 | 2 when t >= s**2 | 1 when t >= s "
      "| 0", F="num_maskmem")
MEMORY_ATTENTION = rows(                       # i channels of what is attended to
    part("q_proj", "attention.query",  dense("y -> b")),
    part("k_proj", "attention.key",    dense("i -> b")),
    part("v_proj", "attention.value",  dense("i -> b")),
    part("o_proj", "attention.output", dense("b -> y")))
MEMORY_REST = rows(
    part("no_memory_embedding",                "embed.no_memory",          param("1 1 d")),
    part("no_memory_positional_encoding",      "embed.position.no_memory", param("1 1 d")),
    part("memory_temporal_positional_encoding", "embed.time",              param("F 1 1 u")),
    part("no_object_pointer",                  "embed.no_object",          param("1 d")),
    part("occlusion_spatial_embedding_parameter", "embed.occlusion",       param("1 u"),
         when="enable_occlusion_spatial_embedding"),
    part("mask_downsample",                    "embed.mask.first",         conv("1 -> 1, 4 4")),
    part("temporal_positional_encoding_projection_layer", "embed.time.project", dense("d -> u"),
         when="enable_temporal_pos_encoding_for_object_pointers"),
    under("object_pointer_proj", SMALL, m="d", w="d", o="d", K="H", tower="pointer"))
MEMORY_ENCODER = under("memory_encoder",
    part("mask_downsampler.layers.{S}.conv",       "resnet.mask",      conv("s**(2*{S}) -> s**(2*{S} + 2), w w")),
    part("mask_downsampler.layers.{S}.layer_norm", "norm.mask",        affine("s**(2*{S} + 2)")),
    part("mask_downsampler.final_conv",            "resnet.mask.last", conv("s**(2*S) -> v, 1 1")),
    part("feature_projection",                     "embed.map",        conv("c -> c, 1 1")),
    under("memory_fuser.layers.{G}",
        part("depthwise_conv",  "resnet.depth", conv("z -> z, k k", groups="z")),
        part("layer_norm",      "norm.fuse",    affine("z")),
        part("pointwise_conv1", "mlp.up",       dense("z -> g")),
        part("pointwise_conv2", "mlp.down",     dense("g -> z")),
        part("scale",           "mlp.scale",    param("z"))),
    part("projection", "embed.memory", conv("c -> u, 1 1")), tower="memory.encoder")
MEMORY = rows(
    MEMORY_REST,
    under("memory_attention",
        under("layers.{Lm}",
            under("self_attn", MEMORY_ATTENTION, i="y"),
            under("cross_attn_image", MEMORY_ATTENTION, i="64", tower="memory.cross"),
            part("linear1",     "mlp.up",         dense("y -> fm")),
            part("linear2",     "mlp.down",       dense("fm -> y")),
            part("layer_norm1", "norm.attention", affine("y")),
            part("layer_norm2", "norm.cross",     affine("y")),
            part("layer_norm3", "norm.mlp",       affine("y"))),
        part("layer_norm", "norm.final", affine("y")), tower="memory"),
    MEMORY_ENCODER)
SAM2_VIDEO = Architecture("sam2_video", dims=MEMORY_DIMS,
    parts=rows(submodel("vision", "vision_encoder.", SAM2_VISION), SAM2_REST, MEMORY),
    heads=(head("Model", ""),))
