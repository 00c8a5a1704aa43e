"""UNets: UNet2DConditionModel (Stable Diffusion) and its ControlNetModel, UNet2DModel, UNetSpatioTemporalConditionModel (Stable
Video Diffusion), the motion adapter.

unet_2d_condition.py: an up block's resnets read what came before and the skip: the first p+u, the last u+q, those between
2*u, one more than the down block has; lists of layers, heads and transformer depths are reversed on the way up and the middle
takes their last entry. `proj_in` is a convolution without `use_linear_projection`. SDXL has `add_embedding`; with
`only_cross_attention` the first attention of a down or up block reads the text too, but never the middle's. `attention_head_dim` moves no shape.
With `attention_type` "gated" (GLIGEN) every transformer block has a second self attention, and `position_net` makes its inputs.
unet_spatio_temporal_condition.py: every resnet and transformer is a pair, in space and in time, mixed by one number.
unet_motion_model.py: both attentions of a motion module are self attentions; positions are a buffer.
"""

from inspector.architectures.diffusion_blocks import (
    ATTENTION,
    CROSS_ATTENTION,
    EMBEDDING,
    GATED_FEED_FORWARD,
    PIXEL_ATTENTION,
    RESNET,
)
from inspector.notation.card import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

FUSER_ATTENTION = rows(
    part("to_q",     "fuser.query",  linear("w -> w")),
    part("to_k",     "fuser.key",    linear("w -> w")),
    part("to_v",     "fuser.value",  linear("w -> w")),
    part("to_out.0", "fuser.output", dense("w -> w")))
CROSS_BLOCK = rows(                            # w channels, e width of the text states, f what the first attention reads
    part("norm1", "norm.attention", affine("w")),
    part("attn1.to_q",     "attention.query",  linear("w -> w")),
    part("attn1.to_k",     "attention.key",    linear("f -> w")),
    part("attn1.to_v",     "attention.value",  linear("f -> w")),
    part("attn1.to_out.0", "attention.output", dense("w -> w")),
    part("norm2", "norm.cross",     affine("w")),
    under("attn2", CROSS_ATTENTION, a="w", bo="true"),
    part("norm3", "norm.mlp",       affine("w")),
    under("ff", GATED_FEED_FORWARD, ff="4*w", b="true"),
    under("fuser",                             # GLIGEN: a self attention over the picture and what is to stand where
        part("linear",      "fuser.in",         dense("e -> w")),
        part("norm1",       "norm.fuser",       affine("w")),
        under("attn", FUSER_ATTENTION),
        part("alpha_attn",  "fuser.scale",      param("")),
        part("norm2",       "norm.fuser.mlp",   affine("w")),
        part("ff.net.0.proj", "fuser.up_gate",  dense("w -> 4*w + 4*w", packs="up gate")),
        part("ff.net.2",    "fuser.down",       dense("4*w -> w")),
        part("alpha_dense", "fuser.mlp.scale",  param("")), when="grounded"))
CROSS = rows(                                  # K blocks
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> w"),     when="use_linear_projection"),
    part("proj_in",  "attention.project.in",  conv("w -> w, 1 1"), when="not use_linear_projection"),
    part("proj_out", "attention.project.out", dense("w -> w"),     when="use_linear_projection"),
    part("proj_out", "attention.project.out", conv("w -> w, 1 1"), when="not use_linear_projection"),
    under("transformer_blocks.{K}", CROSS_BLOCK))
UNET_DIMS = Dims(
    c="in_channels", o="out_channels", ch="block_out_channels", S="len(ch)", U="len(ch)", d="a", a="ch[0]", m="ch[S-1]",
    t="time_embedding_dim | 4*a", j="projection_class_embeddings_input_dim", ki="conv_in_kernel | 3", ko="conv_out_kernel | 3",
    scaled="resnet_time_scale_shift == 'scale_shift'", heads="num_attention_heads | attention_head_dim",
    w="ch[{S}]",     v="ch[{S}-1] | a", n="layers_per_block[{S}]", K="transformer_layers_per_block[{S}] | 1",  # going down
    e="cross_attention_dim[{S}]", f="e when only_cross_attention[{S}] | w", tw="2*w when scaled | w",
    X="S[down_block_types in 'CrossAttnDownBlock2D CrossAttnDownBlockSpatioTemporal']", D="S[:S-1]", R="n", R1="R[1:]",
    u="ch[S-1-{U}]", p="ch[S-{U}] | m",  q="ch[S-2-{U}] | a",                                                  # coming up
    nu="layers_per_block[S-1-{U}]", ku="transformer_layers_per_block[S-1-{U}] | 1", eu="cross_attention_dim[S-1-{U}]",
    fu="eu when only_cross_attention[S-1-{U}] | u", tu="2*u when scaled | u",
    km="transformer_layers_per_block[S-1] | 1", em="cross_attention_dim[S-1]",
    tm="2*m when scaled | m",
    Y="U[up_block_types in 'CrossAttnUpBlock2D CrossAttnUpBlockSpatioTemporal']", W="U[:U-1]", Q="nu + 1", mid="Q[1:nu]", last="Q[nu:]",
    grounded="attention_type in 'gated gated-text-image'", ep="cross_attention_dim[0]",
    middle="(mid_block_type | 'UNetMidBlock2DCrossAttn') == 'UNetMidBlock2DCrossAttn'")
CLASS_EMBEDDING = rows(
    part("class_embedding", "embed.class", table("num_class_embeds t"), when="class_embed_type == null and num_class_embeds != null"),
    part("class_embedding.linear_1", "embed.class.1", dense("a -> t"), when="class_embed_type == 'timestep'"),
    part("class_embedding.linear_1", "embed.class.1", dense("j -> t"), when="class_embed_type == 'projection'"),
    part("class_embedding.linear_2", "embed.class.2", dense("t -> t"), when="class_embed_type in 'timestep projection'"))
POSITION_NET = rows(                           # 64: eight frequencies, sine and cosine, of four edges
    part("0", "embed.place.1", dense("ep + 64 -> 512")),
    part("2", "embed.place.2", dense("512 -> 512")),
    part("4", "embed.place.3", dense("512 -> ep")))
PLACES = rows(
    under("position_net",
        part("null_position_feature", "embed.place.none",        param("64")),
        part("null_positive_feature", "embed.place.none.phrase", param("ep"))),
    under("position_net.linears", POSITION_NET), when="attention_type == 'gated'")
PLACES_AND_PICTURES = rows(
    under("position_net",
        part("null_position_feature", "embed.place.none",       param("64")),
        part("null_text_feature",     "embed.place.none.text",  param("ep")),
        part("null_image_feature",    "embed.place.none.image", param("ep"))),
    under("position_net.linears_text",  POSITION_NET, tower="place.text"),
    under("position_net.linears_image", POSITION_NET, tower="place.image"), when="attention_type == 'gated-text-image'")
DOWN_TO_MIDDLE = rows(
    part("conv_in", "embed.image", conv("c -> a, ki ki")),
    under("time_embedding", EMBEDDING, i="a"),
    part("time_embedding.cond_proj", "embed.time.condition", linear("time_cond_proj_dim -> a"), when="time_cond_proj_dim != null"),
    part("add_embedding.linear_1",   "embed.added.1", dense("j -> t"), when="addition_embed_type == 'text_time'"),
    part("add_embedding.linear_2",   "embed.added.2", dense("t -> t"), when="addition_embed_type == 'text_time'"),
    part("encoder_hid_proj",         "embed.text",    dense("encoder_hid_dim -> cross_attention_dim"),
         when="encoder_hid_dim != null and (encoder_hid_dim_type | 'text_proj') == 'text_proj'"),
    CLASS_EMBEDDING,
    under("down_blocks",
        under("{S}.resnets.0",      RESNET, i="v", o="w", T="tw"),
        under("{S}.resnets.{R1}",   RESNET, i="w", o="w", T="tw"),
        under("{X}.attentions.{R}", CROSS),
        part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
    under("mid_block",
        under("resnets.0",    RESNET, i="m", o="m", T="tm"),
        under("attentions.0", CROSS,  w="m", K="km", e="em", f="m", when="middle"),
        under("resnets.1",    RESNET, i="m", o="m", T="tm", tower="middle.last", when="middle"), tower="middle"))
UNET2DCONDITIONMODEL = Architecture("UNet2DConditionModel", dims=UNET_DIMS,
    parts=rows(
        DOWN_TO_MIDDLE, PLACES, PLACES_AND_PICTURES,
        part("class_embedding", "embed.class", dense("j -> t"), when="class_embed_type == 'simple_projection'"),
        under("up_blocks",
            under("{U}.resnets.0",      RESNET, i="p + u", o="u", T="tu"),
            under("{U}.resnets.{mid}",  RESNET, i="u + u", o="u", T="tu"),
            under("{U}.resnets.{last}", RESNET, i="u + q", o="u", T="tu"),
            under("{Y}.attentions.{Q}", CROSS,  w="u", K="ku", e="eu", f="fu"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a"), when="(norm_num_groups | 32) != null"),
        part("conv_out",      "head.image", conv("a -> o, ko ko"))))

CONTROLNETMODEL = Architecture("ControlNetModel",  # no record exercises this card
    dims=UNET_DIMS | Dims(l="layers_per_block", Z="S*(l + 1)", z="ch[({Z}-1)//(l + 1)] when {Z} > 0 | a",
                          ce="conditioning_embedding_out_channels", N="len(ce) - 1", E="0 : 2*N : 2", O="1 : 2*N : 2"),
    parts=rows(
        DOWN_TO_MIDDLE,
        under("controlnet_cond_embedding",
            part("conv_in",    "embed.condition.in",   conv("(conditioning_channels | 3) -> ce[0], 3 3")),
            part("blocks.{E}", "embed.condition.even", conv("ce[{E}//2] -> ce[{E}//2], 3 3")),
            part("blocks.{O}", "embed.condition.odd",  conv("ce[({O}-1)//2] -> ce[({O}+1)//2], 3 3")),
            part("conv_out",   "embed.condition.out",  conv("ce[len(ce)-1] -> a, 3 3"))),
        part("controlnet_down_blocks.{Z}", "head.down",   conv("z -> z, 1 1")),
        part("controlnet_mid_block",       "head.middle", conv("m -> m, 1 1"))))
UNET2DMODEL = Architecture("UNet2DModel",      # no record exercises this card
    dims=UNET_DIMS | Dims(n="layers_per_block", X="S[down_block_types == 'AttnDownBlock2D']", Y="U[up_block_types == 'AttnUpBlock2D']",
                          Q="n + 1", mid="Q[1:n]", last="Q[n:]", y="2*a when time_embedding_type == 'fourier' | a"),
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        part("time_proj.weight", "embed.time.frequency", param("a"), when="time_embedding_type == 'fourier'"),
        part("time_proj", "embed.time.table", table("num_train_timesteps a"), when="time_embedding_type == 'learned'"),
        under("time_embedding", EMBEDDING, i="y"),
        part("class_embedding", "embed.class", table("num_class_embeds t"), when="class_embed_type == null and num_class_embeds != null"),
        under("down_blocks",
            under("{S}.resnets.0",      RESNET, i="v", o="w", T="tw"),
            under("{S}.resnets.{R1}",   RESNET, i="w", o="w", T="tw"),
            under("{X}.attentions.{R}", PIXEL_ATTENTION),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
        under("mid_block",
            under("resnets.0",    RESNET, i="m", o="m", T="tm"),
            under("attentions.0", PIXEL_ATTENTION, w="m", when="add_attention | true"),
            under("resnets.1",    RESNET, i="m", o="m", T="tm", tower="middle.last"), tower="middle"),
        under("up_blocks",
            under("{U}.resnets.0",      RESNET, i="p + u", o="u", T="tu"),
            under("{U}.resnets.{mid}",  RESNET, i="u + u", o="u", T="tu"),
            under("{U}.resnets.{last}", RESNET, i="u + q", o="u", T="tu"),
            under("{Y}.attentions.{Q}", PIXEL_ATTENTION, w="u"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a")),
        part("conv_out",      "head.image", conv("a -> o, 3 3"))),
    dialects=({}, {"*.to_q.": ".query.", "*.to_k.": ".key.", "*.to_v.": ".value.", "*.to_out.0.": ".proj_attn."}))

PAIR = rows(
    under("spatial_res_block", RESNET),
    under("temporal_res_block",
        part("norm1",         "norm.resnet.time.1", affine("o")),
        part("conv1",         "resnet.time.conv.1", conv("o -> o, 3 1 1")),
        part("time_emb_proj", "resnet.time.time",   dense("t -> o")),
        part("norm2",         "norm.resnet.time.2", affine("o")),
        part("conv2",         "resnet.time.conv.2", conv("o -> o, 3 1 1"))),
    part("time_mixer.mix_factor", "resnet.mix", param("1")))
IN_TIME = rows(
    part("norm_in", "norm.time.in",        affine("w")),
    part("norm1",   "norm.time.attention", affine("w")),
    part("norm2",   "norm.time.cross",     affine("w")),
    part("norm3",   "norm.time.mlp",       affine("w")),
    under("attn1", ATTENTION, a="w", bo="true"),
    under("attn2", CROSS_ATTENTION, a="w", bo="true"),
    under("ff", GATED_FEED_FORWARD, ff="4*w", b="true"),
    part("ff_in.net.0.proj", "mlp.in.up_gate", dense("w -> 4*w + 4*w", packs="up gate")),
    part("ff_in.net.2",      "mlp.in.down",    dense("4*w -> w")))
SPACE_TIME = rows(
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> w")),
    part("proj_out", "attention.project.out", dense("w -> w")),
    part("time_pos_embed.linear_1", "embed.position.1", dense("w -> 4*w")),
    part("time_pos_embed.linear_2", "embed.position.2", dense("4*w -> w")),
    part("time_mixer.mix_factor",   "attention.mix",    param("1")),
    under("transformer_blocks.{K}", rows(CROSS_BLOCK, f="w"), tower="space"),
    under("temporal_transformer_blocks.{K}", IN_TIME, tower="time"))
UNETSPATIOTEMPORALCONDITIONMODEL = Architecture("UNetSpatioTemporalConditionModel", dims=UNET_DIMS,
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        under("time_embedding", EMBEDDING, i="a"),
        part("add_embedding.linear_1", "embed.added.1", dense("j -> t")),
        part("add_embedding.linear_2", "embed.added.2", dense("t -> t")),
        under("down_blocks",
            under("{S}.resnets.0",      PAIR, i="v", o="w", T="w"),
            under("{S}.resnets.{R1}",   PAIR, i="w", o="w", T="w"),
            under("{X}.attentions.{R}", SPACE_TIME),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
        under("mid_block",
            under("resnets.0",    PAIR, i="m", o="m", T="m"),
            under("attentions.0", SPACE_TIME, w="m", K="km", e="em"),
            under("resnets.1",    PAIR, i="m", o="m", T="m", tower="middle.last"), tower="middle"),
        under("up_blocks",
            under("{U}.resnets.0",      PAIR, i="p + u", o="u", T="u"),
            under("{U}.resnets.{mid}",  PAIR, i="u + u", o="u", T="u"),
            under("{U}.resnets.{last}", PAIR, i="u + q", o="u", T="u"),
            under("{Y}.attentions.{Q}", SPACE_TIME, w="u", K="ku", e="eu"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a")),
        part("conv_out",      "head.image", conv("a -> o, 3 3"))))

MOTION = rows(                                 # w channels, K blocks
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> w")),
    part("proj_out", "attention.project.out", dense("w -> w")),
    under("transformer_blocks.{K}",
        part("pos_embed.pe", "embed.position", buffer("1 T w")),
        part("norm1", "norm.attention", affine("w")),
        part("norm2", "norm.second",    affine("w")),
        part("norm3", "norm.mlp",       affine("w")),
        under("attn1", ATTENTION, a="w", bo="true"),
        under("attn2", CROSS_ATTENTION, a="w", e="w", bo="true"),
        under("ff", GATED_FEED_FORWARD, ff="4*w", b="true")))
MOTIONADAPTER = Architecture("MotionAdapter",
    dims=Dims(ch="block_out_channels", S="len(ch)", U="len(ch)", d="ch[0]", m="ch[S-1]", T="motion_max_seq_length",
              w="ch[{S}]", n="motion_layers_per_block[{S}]", R="n", K="motion_transformer_layers_per_block[{S}] | 1",
              u="ch[S-1-{U}]", nu="motion_layers_per_block[S-1-{U}]", Q="nu + 1",
              ku="motion_transformer_layers_per_block[S-1-{U}] | 1",
              M="motion_mid_block_layers_per_block | 1", km="motion_transformer_layers_per_mid_block | 1", c="conv_in_channels"),
    parts=rows(
        part("conv_in", "embed.image", conv("c -> d, 3 3"), when="c"),
        under("down_blocks.{S}.motion_modules.{R}", MOTION, tower="down"),
        under("mid_block.motion_modules.{M}",       MOTION, w="m", K="km", tower="middle", when="use_motion_mid_block | true"),
        under("up_blocks.{U}.motion_modules.{Q}",   MOTION, w="u", K="ku", tower="up")))
