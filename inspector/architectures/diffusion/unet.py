"""UNets: UNet2DConditionModel (Stable Diffusion) and its ControlNetModel, UNet2DModel, UNetSpatioTemporalConditionModel
(Stable Video Diffusion).

unet_2d_condition.py: an up block's resnets read what came before and the skip: the first p+u, the last u+q, those
between 2*u, one more than the down block has; lists of layers, heads and transformer depths are reversed on the way up
and the middle takes their last entry. `proj_in` is a convolution without `use_linear_projection`. SDXL has
`add_embedding`; with `only_cross_attention` the first attention of a down or up block reads the text too, but never the
middle's. `attention_head_dim` moves no shape.
unet_2d_blocks.py: the simple blocks (DeepFloyd IF) attend to pixels and text at once and scale by resnets; the K blocks
(the latent upscaler) read the time in their norms. A dual attention is two transformers of one block, without the
switches of a single one.
unet_spatio_temporal_condition.py: every resnet and transformer is a pair, in space and in time, mixed by one number.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    CROSS_ATTENTION,
    EMBEDDING,
    GATED_FEED_FORWARD,
    PIXEL_ATTENTION,
    PIXEL_MATRICES,
    RESNET,
)
from inspector.notation.definition import Architecture, Dims, maybe, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

# w channels, e width of the text states, f what the first attention reads
CROSS_BLOCK = rows(
    part("norm1", "norm.attention", affine("w")),
    part("attn1.to_q",     "attention.query",  linear("w -> w")),
    part("attn1.to_k",     "attention.key",    linear("f -> w")),
    part("attn1.to_v",     "attention.value",  linear("f -> w")),
    part("attn1.to_out.0", "attention.output", dense("w -> w")),
    part("norm2", "norm.cross",     affine("w")),
    under("attn2", CROSS_ATTENTION, a="w", bo="true"),
    part("norm3", "norm.mlp",       affine("w")),
    under("ff", GATED_FEED_FORWARD, ff="4*w", b="true"),
    under("fuser",
        part("alpha_attn",  "scale.boxes.attention", param("")),
        part("alpha_dense", "scale.boxes.mlp",       param("")),
        part("linear",      "embed.boxes",           dense("e -> w")),
        part("norm1",       "norm.attention",        affine("w")),
        part("norm2",       "norm.mlp",              affine("w")),
        under("attn", ATTENTION, a="w", bo="true"),
        under("ff", GATED_FEED_FORWARD, ff="4*w", b="true"), tower="boxes", when="gated"))
CROSS = rows(                                  # K blocks of the width y, that of all heads
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> y"),     when="use_linear_projection"),
    part("proj_in",  "attention.project.in",  conv("w -> y, 1 1"), when="not use_linear_projection"),
    part("proj_out", "attention.project.out", dense("y -> w"),     when="use_linear_projection"),
    part("proj_out", "attention.project.out", conv("y -> w, 1 1"), when="not use_linear_projection"),
    under("transformer_blocks.{K}", CROSS_BLOCK, w="y"))
CROSSES = rows(
    rows(CROSS, when="not dual_cross_attention"),
    under("transformers.{two}", CROSS, K="one", f="y", use_linear_projection="false", gated="false", tower="dual",
          when="dual_cross_attention"))
SIMPLE = rows(                                 # y the width of all heads; only: whether pixels do not read each other
    part("group_norm", "norm.attention",   affine("w")),
    part("norm_cross", "norm.cross",       affine("w"), when="cross_attention_norm == 'layer_norm'"),
    part("norm_cross", "norm.cross",       affine("e"), when="cross_attention_norm == 'group_norm'"),
    part("to_q",       "attention.query",  dense("w -> y")),
    part("to_k",       "attention.key",    dense("w -> y"), when="not only"),
    part("to_v",       "attention.value",  dense("w -> y"), when="not only"),
    part("add_k_proj", "cross.key",        dense("e -> y")),
    part("add_v_proj", "cross.value",      dense("e -> y")),
    part("to_out.0",   "attention.output", dense("y -> w")))
BLOCK = rows(RESNET, t="tb")
K_RESNET = rows(                               # i channels in, o between, x out
    part("norm1.linear",  "norm.resnet.1", dense("tb -> 2*i")),
    part("conv1",         "resnet.conv.1", conv("i -> o, 3 3")),
    part("norm2.linear",  "norm.resnet.2", dense("tb -> 2*o")),
    part("conv2",         "resnet.conv.2", conv("o -> x, 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> x, 1 1", bias=False), when="i != x"))
K_ATTENTION = rows(                            # own: whether pixels read each other
    part("norm1.linear", "norm.attention", dense("tb -> 2*w"), when="own"),
    part("norm2.linear", "norm.cross",     dense("tb -> 2*w")),
    under("attn1", ATTENTION, a="w", b="true", bo="true", when="own"),
    under("attn2", CROSS_ATTENTION, a="w", b="true", bo="true"),
    part("attn2.norm_cross", "norm.cross.key", affine("e")))
# S down stages, U up stages (U counts from the middle); w, v: channels of a down stage and of the one before; u, p, q:
# of an up stage, of the one before, of the skip connection; m: of the middle; y, yu, ym: width of all heads there; yp,
# ypu, ypm: the same for pixel attention; n, nu: resnets of a stage; t, tb: width of the time embedding, and as resnets
# read it; X, XA, XS, XK: down stages with text, pixel, simple and K attention; Y, YA, YS, YK: the up stages; D, W:
# stages with a convolution that resizes, DR, WR: with a resnet that does; SK, UK: K blocks, SN, UN: the others; om:
# the middle attends to the text only
UNET_DIMS = Dims(
    c="in_channels", o="out_channels", ch="block_out_channels", S="len(ch)", U="len(ch)", d="a", a="ch[0]", m="ch[S-1]",
    t="time_embedding_dim | 2*a when fourier | 4*a", ti="t when fourier | a",
    fourier="time_embedding_type == 'fourier'",
    tb="2*t when class_embeddings_concat | t", gated="attention_type in 'gated gated-text-image'", one="1", two="2",
    xt="encoder_hid_dim | cross_attention_dim", j="projection_class_embeddings_input_dim", ki="conv_in_kernel | 3",
    ko="conv_out_kernel | 3",
    scaled="resnet_time_scale_shift == 'scale_shift'", heads="num_attention_heads | attention_head_dim",
    y="heads[{S}]*(w//heads[{S}]) | w", yu="heads[S-1-{U}]*(u//heads[S-1-{U}]) | u",
    ym="heads[S-1]*(m//heads[S-1]) | m",
    yp="w//hd[{S}]*hd[{S}] | w", ypu="u//hd[{U}]*hd[{U}] | u", ypm="m//hd[S-1]*hd[S-1] | m", hd="attention_head_dim",
    # going down
    w="ch[{S}]",     v="ch[{S}-1] | a", n="layers_per_block[{S}]", K="transformer_layers_per_block[{S}][{R}] | 1",
    e="cross_attention_dim[{S}]", f="e when only_cross_attention[{S}] | y", tw="2*w when scaled | w",
    X="S[down_block_types in 'CrossAttnDownBlock2D UNetResCrossAttnDownBlock2D CrossAttnDownBlockSpatioTemporal']",
    XA="S[down_block_types == 'AttnDownBlock2D']", XS="S[down_block_types == 'SimpleCrossAttnDownBlock2D']",
    DR="S[down_block_types in 'SimpleCrossAttnDownBlock2D ResnetDownsampleBlock2D'] & S[:S-1]",
    SK="S[down_block_types in 'KDownBlock2D KCrossAttnDownBlock2D']",
    XK="S[down_block_types == 'KCrossAttnDownBlock2D']", SN="S - SK",
    D="S[:S-1] - DR - SK", R="n", R0="R[:1]", R1="R[1:]",
    # coming up
    u="ch[S-1-{U}]", p="ch[S-{U}] | m",  q="ch[S-2-{U}] | a",
    nu="layers_per_block[S-1-{U}]", eu="cross_attention_dim[S-1-{U}]",
    fu="eu when only_cross_attention[S-1-{U}] | yu", tu="2*u when scaled | u",
    ku="reverse_transformer_layers_per_block[{U}][{Q}] | depths[len(depths)-1-{U}][{Q}] | depths[S-1-{U}][{Q}] | 1",
    km="depths[len(depths)-1][0] | depths[S-1][0] | 1", depths="transformer_layers_per_block",
    em="cross_attention_dim[S-1]",
    tm="2*m when scaled | m",
    Y="U[up_block_types in 'CrossAttnUpBlock2D UNetResCrossAttnUpBlock2D CrossAttnUpBlockSpatioTemporal']",
    YA="U[up_block_types == 'AttnUpBlock2D']", YS="U[up_block_types == 'SimpleCrossAttnUpBlock2D']",
    WR="U[up_block_types in 'SimpleCrossAttnUpBlock2D ResnetUpsampleBlock2D'] & U[:U-1]",
    UK="U[up_block_types == 'KUpBlock2D']", YK="U[up_block_types == 'KCrossAttnUpBlock2D']", UN="U - UK - YK",
    QK="nu", ik="2*u when {QK} == 0 | u", ok="q when {QK} == nu - 1 | u",                              # the K blocks
    iy="2*u when {QK} == 0 and not (q == u and u == tb) | u",
    W="U[:U-1] - WR - UK - YK", Q="nu + 1", mid="Q[1:nu]", last="Q[nu:]",
    middle="mid_block_type in 'UNetMidBlock2DCrossAttn UNetMidBlock2DSimpleCrossAttn'",
    om="mid_block_only_cross_attention == true or mid_block_only_cross_attention == null "
       "and only_cross_attention == true")
CLASS_EMBEDDING = rows(
    part("class_embedding", "embed.class", table("num_class_embeds t"),
         when="class_embed_type == null and num_class_embeds != null"),
    part("class_embedding.linear_1", "embed.class.1", dense("ti -> t"), when="class_embed_type == 'timestep'"),
    part("class_embedding.linear_1", "embed.class.1", dense("j -> t"), when="class_embed_type == 'projection'"),
    part("class_embedding.linear_2", "embed.class.2", dense("t -> t"),
         when="class_embed_type in 'timestep projection'"))
TEXT_IS = "addition_embed_type == 'text'"
IMAGE_IS = "addition_embed_type in 'image image_hint'"
# x the width of the text, y of the images, e of the states that attention reads
ADDED = rows(
    part("encoder_hid_proj", "embed.text", dense("y -> e"),
         when="y != null and (encoder_hid_dim_type | 'text_proj') == 'text_proj'"),
    under("encoder_hid_proj",
        part("image_embeds", "embed.text.image", dense("e -> 10*e")),
        part("text_proj",    "embed.text",       dense("y -> e")), when="encoder_hid_dim_type == 'text_image_proj'"),
    under("encoder_hid_proj",
        part("image_embeds", "embed.text.image", dense("y -> 32*e")),
        part("norm",         "norm.embed.image", affine("e")),     when="encoder_hid_dim_type == 'image_proj'"),
    under("add_embedding",
        part("norm1", "norm.added", affine("x")),
        part("pool.positional_embedding", "pool.position", param("1 x")),
        part("pool.k_proj", "pool.key",      dense("x -> x")),
        part("pool.q_proj", "pool.query",    dense("x -> x")),
        part("pool.v_proj", "pool.value",    dense("x -> x")),
        part("proj",        "embed.added", dense("x -> t")),
        part("norm2",       "norm.added",    affine("t")), when=TEXT_IS),
    under("add_embedding",
        part("text_proj",  "embed.added.text",  dense("e -> t")),
        part("text_norm",  "norm.added.text",   affine("t")),
        part("image_proj", "embed.added.image", dense("e -> t")), when="addition_embed_type == 'text_image'"),
    under("add_embedding",
        part("image_proj", "embed.added.image", dense("y -> t")),
        part("image_norm", "norm.added.image",  affine("t")), when=IMAGE_IS),
    under("add_embedding.input_hint_block",
        part("0",  "embed.hint", conv("3 -> 16, 3 3")),
        part("2",  "embed.hint", conv("16 -> 16, 3 3")),
        part("4",  "embed.hint", conv("16 -> 32, 3 3")),
        part("6",  "embed.hint", conv("32 -> 32, 3 3")),
        part("8",  "embed.hint", conv("32 -> 96, 3 3")),
        part("10", "embed.hint", conv("96 -> 96, 3 3")),
        part("12", "embed.hint", conv("96 -> 256, 3 3")),
        part("14", "embed.hint", conv("256 -> 4, 3 3")), when="addition_embed_type == 'image_hint'"))
DOWN_TO_MIDDLE = rows(
    part("conv_in", "embed.image", conv("c -> a, ki ki")),
    part("time_proj.weight", "embed.time.frequency", param("t/2"), when="fourier"),
    under("time_embedding", EMBEDDING, i="ti"),
    part("time_embedding.cond_proj", "embed.time.condition", linear("time_cond_proj_dim -> ti"),
         when="time_cond_proj_dim != null"),
    part("add_embedding.linear_1",   "embed.added", dense("j -> t"), when="addition_embed_type == 'text_time'"),
    part("add_embedding.linear_2",   "embed.added", dense("t -> t"), when="addition_embed_type == 'text_time'"),
    rows(ADDED, e="cross_attention_dim", x="xt", y="encoder_hid_dim"),
    CLASS_EMBEDDING,
    under("down_blocks",
        under("{SN}.resnets.{R0}",   BLOCK, i="v", o="w", T="tw"),
        under("{SN}.resnets.{R1}",   BLOCK, i="w", o="w", T="tw"),
        under("{X}.attentions.{R}",  CROSSES),
        under("{XA}.attentions.{R}", PIXEL_ATTENTION, y="yp", tower="down.pixels"),
        under("{XS}.attentions.{R}", SIMPLE, y="yp", only="only_cross_attention[{S}]", tower="down.simple"),
        under("{SK}.resnets.{R0}",   K_RESNET, i="v", o="w", x="w", tower="down.k"),
        under("{SK}.resnets.{R1}",   K_RESNET, i="w", o="w", x="w", tower="down.k"),
        under("{XK}.attentions.{R}", K_ATTENTION, own="{S} == S - 1", tower="down.k"),
        part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")),
        under("{DR}.downsamplers.0", BLOCK, i="w", o="w", T="tw", tower="downsampling"), tower="down"),
    under("mid_block",
        under("resnets.0",    BLOCK,   i="m", o="m", T="tm", when="mid_block_type != null"),
        under("attentions.0", CROSSES, w="m", y="ym", K="km", e="em", f="ym",
              when="mid_block_type == 'UNetMidBlock2DCrossAttn'"),
        under("attentions.0", SIMPLE,  w="m", y="ypm", e="em", only="om", tower="middle.simple",
              when="mid_block_type == 'UNetMidBlock2DSimpleCrossAttn'"),
        under("resnets.1",    BLOCK,   i="m", o="m", T="tm", tower="middle.last", when="middle"), tower="middle"))
BOXES = rows(                                  # i features of a box, e the width of the states
    part("0", "embed.box", dense("i -> 512")),
    part("2", "embed.box", dense("512 -> 512")),
    part("4", "embed.box", dense("512 -> e")))
AVERAGED = "decay inv_gamma min_decay optimization_step power update_after_step use_ema_warmup"
"""What training_utils.py's EMAModel writes into the config in addition to the keys of the class."""
UNET2DCONDITIONMODEL = Architecture("UNet2DConditionModel", ignores=AVERAGED,
                                    dims=UNET_DIMS | Dims(b0="cross_attention_dim[0]"),
    parts=rows(
        DOWN_TO_MIDDLE,
        part("class_embedding", "embed.class", dense("j -> t"), when="class_embed_type == 'simple_projection'"),
        under("up_blocks",
            under("{UN}.resnets.0",      BLOCK, i="p + u", o="u", T="tu"),
            under("{UN}.resnets.{mid}",  BLOCK, i="u + u", o="u", T="tu"),
            under("{UN}.resnets.{last}", BLOCK, i="u + q", o="u", T="tu"),
            under("{Y}.attentions.{Q}",  CROSSES, w="u", y="yu", K="ku", e="eu", f="fu"),
            under("{YA}.attentions.{Q}", PIXEL_ATTENTION, w="u", y="ypu", tower="up.pixels"),
            under("{YS}.attentions.{Q}", SIMPLE, w="u", y="ypu", e="eu", only="only_cross_attention[S-1-{U}]",
                  tower="up.simple"),
            under("{UK}.resnets.{QK}",   K_RESNET, i="ik", o="ok", x="ok", tower="up.k"),
            under("{YK}.resnets.{QK}",   K_RESNET, i="iy", o="u", x="ok", tower="up.k"),
            under("{YK}.attentions.{QK}", K_ATTENTION, w="ok", e="eu", own="q == u and u == tb", tower="up.k"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
            under("{WR}.upsamplers.0",   BLOCK, i="u", o="u", T="tu", tower="upsampling"), tower="up"),
        under("position_net",
            part("null_position_feature", "embed.box.null.position", param("64")),
            part("null_positive_feature", "embed.box.null",       param("b0"), when="attention_type == 'gated'"),
            part("null_text_feature",     "embed.box.null.text",  param("b0"), when="attention_type != 'gated'"),
            part("null_image_feature",    "embed.box.null.image", param("b0"), when="attention_type != 'gated'"),
            under("linears",       BOXES, i="b0 + 64", e="b0", when="attention_type == 'gated'"),
            under("linears_text",  BOXES, i="b0 + 64", e="b0", tower="boxes.text", when="attention_type != 'gated'"),
            under("linears_image", BOXES, i="b0 + 64", e="b0", tower="boxes.image", when="attention_type != 'gated'"),
            when="gated"),
        part("conv_norm_out", "norm.final", affine("a"), when="norm_num_groups != null"),
        part("conv_out",      "head.image", conv("a -> o, ko ko"))))

CONDITION = rows(                              # cc channels in, ce those between, a out; E, O: convolutions
    part("conv_in",    "embed.condition.in",   conv("cc -> ce[0], 3 3")),
    part("blocks.{E}", "embed.condition.even", conv("ce[{E}//2] -> ce[{E}//2], 3 3")),
    part("blocks.{O}", "embed.condition.odd",  conv("ce[({O}-1)//2] -> ce[({O}+1)//2], 3 3")),
    part("conv_out",   "embed.condition.out",  conv("ce[len(ce)-1] -> a, 3 3")))
CONTROL_DIMS = UNET_DIMS | Dims(l="layers_per_block", Z="S*(l + 1)", z="ch[({Z}-1)//(l + 1)] when {Z} > 0 | a",
                                cc="conditioning_channels | 3", ce="conditioning_embedding_out_channels",
                                N="len(ce) - 1", E="0 : 2*N : 2", O="1 : 2*N : 2")
CONTROLNETMODEL = Architecture("ControlNetModel", dims=CONTROL_DIMS,
    parts=rows(
        DOWN_TO_MIDDLE,
        under("controlnet_cond_embedding", CONDITION),
        part("controlnet_down_blocks.{Z}", "head.down",   conv("z -> z, 1 1")),
        part("controlnet_mid_block",       "head.middle", conv("m -> m, 1 1"))))
UNET2DMODEL = Architecture("UNet2DModel", ignores=AVERAGED,
    dims=UNET_DIMS | Dims(n="layers_per_block",
                          X="S[down_block_types in 'AttnDownBlock2D UNetResAttnDownBlock2D AttnSkipDownBlock2D']",
                          XF="S[down_block_types in 'SkipDownBlock2D AttnSkipDownBlock2D'] & S[:S-1]",
                          YF="U[up_block_types in 'SkipUpBlock2D AttnSkipUpBlock2D'] & U[:U-1]",
                          YG="U[up_block_types == 'AttnSkipUpBlock2D']",
                          Y="U[up_block_types in 'AttnUpBlock2D UNetResAttnUpBlock2D']", t="time_embedding_dim | 4*a",
                          DR="S[down_block_types in 'AttnDownBlock2D UNetResAttnDownBlock2D ResnetDownsampleBlock2D'] "
                             "& S[:S-1]"
                             " when downsample_type == 'resnet' "
                             "| S[down_block_types == 'ResnetDownsampleBlock2D'] & S[:S-1]",
                          WR="U[up_block_types in 'AttnUpBlock2D UNetResAttnUpBlock2D ResnetUpsampleBlock2D'] & U[:U-1]"
                             " when upsample_type == 'resnet' | U[up_block_types == 'ResnetUpsampleBlock2D'] & U[:U-1]",
                          D="S[:S-1] - DR - XF", W="U[:U-1] - WR - YF",
                          Q="n + 1", mid="Q[1:n]", last="Q[n:]", y="2*a when fourier | a"),
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        part("time_proj.weight", "embed.time.frequency", param("a"), when="fourier"),
        maybe("time_proj.W", "embed.time.frequency.copy", param("a"), tied="embed.time.frequency", ties=True,
              when="fourier"),
        part("time_proj", "embed.time.table", table("num_train_timesteps a"), when="time_embedding_type == 'learned'"),
        under("time_embedding", EMBEDDING, i="y"),
        part("class_embedding", "embed.class", table("num_class_embeds t"),
             when="class_embed_type == null and num_class_embeds != null"),
        part("class_embedding.linear_1", "embed.class.1", dense("y -> t"), when="class_embed_type == 'timestep'"),
        part("class_embedding.linear_2", "embed.class.2", dense("t -> t"), when="class_embed_type == 'timestep'"),
        under("down_blocks",
            under("{S}.resnets.{R0}",   RESNET, i="v", o="w", T="tw"),
            under("{S}.resnets.{R1}",   RESNET, i="w", o="w", T="tw"),
            under("{X}.attentions.{R}", PIXEL_ATTENTION, y="yp"),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")),
            under("{DR}.downsamplers.0", RESNET, i="w", o="w", T="tw", tower="downsampling"),
            under("{XF}.resnet_down",    RESNET, i="w", o="w", T="tw", tower="downsampling.skip"),
            part("{XF}.resnet_down.conv_shortcut", "resnet.down.skip",  conv("w -> w, 1 1")),
            part("{XF}.skip_conv",                 "embed.image.again", conv("3 -> w, 1 1")), tower="down"),
        under("mid_block",
            under("resnets.0",    RESNET, i="m", o="m", T="tm"),
            under("attentions.0", PIXEL_MATRICES, w="m", y="ypm", when="add_attention"),
            part("attentions.0.group_norm", "norm.attention", affine("m"),
                 when="add_attention and (attn_norm_num_groups != null or resnet_time_scale_shift == 'default')"),
            under("resnets.1",    RESNET, i="m", o="m", T="tm", tower="middle.last"), tower="middle",
            when="mid_block_type != null"),
        under("up_blocks",
            under("{U}.resnets.0",      RESNET, i="p + u", o="u", T="tu"),
            under("{U}.resnets.{mid}",  RESNET, i="u + u", o="u", T="tu"),
            under("{U}.resnets.{last}", RESNET, i="u + q", o="u", T="tu"),
            under("{Y}.attentions.{Q}", PIXEL_ATTENTION, w="u", y="ypu"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
            under("{WR}.upsamplers.0", RESNET, i="u", o="u", T="tu", tower="upsampling"),
            under("{YG}.attentions.0", PIXEL_ATTENTION, w="u", y="ypu", tower="up.skip"),
            under("{YF}.resnet_up",    RESNET, i="u", o="u", T="tu", tower="upsampling.skip"),
            part("{YF}.resnet_up.conv_shortcut", "resnet.up.skip",   conv("u -> u, 1 1")),
            part("{YF}.skip_norm",               "norm.skip",        affine("u")),
            part("{YF}.skip_conv",               "head.image.early", conv("u -> 3, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a")),
        part("conv_out",      "head.image", conv("a -> o, 3 3"))),
    dialects=({}, {"*.to_q.": ".query.", "*.to_k.": ".key.", "*.to_v.": ".value.", "*.to_out.0.": ".proj_attn."}))

PAIR = rows(
    under("spatial_res_block", RESNET),
    under("temporal_res_block",
        part("norm1",         "norm.resnet.time", affine("o")),
        part("conv1",         "resnet.time.conv", conv("o -> o, 3 1 1")),
        part("time_emb_proj", "resnet.time.time",   dense("t -> o")),
        part("norm2",         "norm.resnet.time", affine("o")),
        part("conv2",         "resnet.time.conv", conv("o -> o, 3 1 1"))),
    part("time_mixer.mix_factor", "resnet.mix", param("1")))
IN_TIME = rows(
    part("norm_in", "norm.time.in",        affine("w")),
    part("norm1",   "norm.time.attention", affine("w")),
    part("norm2",   "norm.time.cross",     affine("w")),
    part("norm3",   "norm.time.mlp",       affine("w")),
    under("attn1", ATTENTION, a="w", bo="true"),
    under("attn2", CROSS_ATTENTION, a="w", bo="true"),
    under("ff", GATED_FEED_FORWARD, ff="4*w", b="true"),
    part("ff_in.net.0.proj", "mlp.in.gate_up", dense("w -> 4*w + 4*w", packs="up gate")),
    part("ff_in.net.2",      "mlp.in.down",    dense("4*w -> w")))
SPACE_TIME = rows(
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> y")),
    part("proj_out", "attention.project.out", dense("y -> w")),
    part("time_pos_embed.linear_1", "embed.position.1", dense("w -> 4*w")),
    part("time_pos_embed.linear_2", "embed.position.2", dense("4*w -> w")),
    part("time_mixer.mix_factor",   "attention.mix",    param("1")),
    under("transformer_blocks.{K}", rows(CROSS_BLOCK, w="y", f="y"), tower="space"),
    under("temporal_transformer_blocks.{K}", IN_TIME, w="y", tower="time"))
UNETSPATIOTEMPORALCONDITIONMODEL = Architecture("UNetSpatioTemporalConditionModel", dims=UNET_DIMS,
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        under("time_embedding", EMBEDDING, i="a"),
        part("add_embedding.linear_1", "embed.added", dense("j -> t")),
        part("add_embedding.linear_2", "embed.added", dense("t -> t")),
        under("down_blocks",
            under("{S}.resnets.{R0}",   PAIR, i="v", o="w", T="w"),
            under("{S}.resnets.{R1}",   PAIR, i="w", o="w", T="w"),
            under("{X}.attentions.{R}", SPACE_TIME),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
        under("mid_block",
            under("resnets.0",    PAIR, i="m", o="m", T="m"),
            under("attentions.0", SPACE_TIME, w="m", y="ym", K="km", e="em"),
            under("resnets.1",    PAIR, i="m", o="m", T="m", tower="middle.last"), tower="middle"),
        under("up_blocks",
            under("{U}.resnets.0",      PAIR, i="p + u", o="u", T="u"),
            under("{U}.resnets.{mid}",  PAIR, i="u + u", o="u", T="u"),
            under("{U}.resnets.{last}", PAIR, i="u + q", o="u", T="u"),
            under("{Y}.attentions.{Q}", SPACE_TIME, w="u", y="yu", K="ku", e="eu"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a")),
        part("conv_out",      "head.image", conv("a -> o, 3 3"))))
