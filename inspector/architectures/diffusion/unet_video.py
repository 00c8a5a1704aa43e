"""UNets of video: UNet3DConditionModel (ModelScope's text to video), I2VGenXLUNet, UNetMotionModel (AnimateDiff), its
motion adapter and SparseControlNetModel; TransformerTemporalModel.

unet_3d_condition.py: a convolution in time after every resnet, a transformer in time after every one in space.
unet_i2vgen_xl.py: the same, with embeddings of the first image; `num_attention_heads` is not read.
unet_motion_model.py: both attentions of a motion module are self attentions; positions are a buffer; heads on the way
up are those on the way down reversed. controlnet_sparsectrl.py: motion modules with one attention.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    CHOSEN_FEED_FORWARD,
    CROSS_ATTENTION,
    EMBEDDING,
    FEED_FORWARD,
    GATED_FEED_FORWARD,
    RESNET,
)
from inspector.architectures.diffusion.diffusion_transformer import WIDTH
from inspector.architectures.diffusion.unet import BLOCK, CONDITION, CONTROL_DIMS, CROSS, UNET_DIMS
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear

TWICE_SELF = rows(                             # w channels, K blocks of the width y, that of all heads
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> y")),
    part("proj_out", "attention.project.out", dense("y -> w")),
    under("transformer_blocks.{K}",
        part("norm1", "norm.attention", affine("y")),
        part("norm2", "norm.second",    affine("y")),
        part("norm3", "norm.mlp",       affine("y")),
        under("attn1", ATTENTION, w="y", a="y", bo="true"),
        under("attn2", CROSS_ATTENTION, w="y", a="y", e="y", bo="true"),
        under("ff", GATED_FEED_FORWARD, w="y", ff="4*y", b="true")))
MOTION = rows(TWICE_SELF, part("transformer_blocks.{K}.pos_embed.pe", "embed.position", buffer("1 T y")))
# S down stages, U up stages; w, u, m: channels there and in the middle; y, yu, ym: width of all heads; T: positions
MOTIONADAPTER = Architecture("MotionAdapter",
    dims=Dims(ch="block_out_channels", S="len(ch)", U="len(ch)", d="ch[0]", m="ch[S-1]", T="motion_max_seq_length",
              w="ch[{S}]", n="motion_layers_per_block[{S}]", R="n", K="motion_transformer_layers_per_block[{S}] | 1",
              h="motion_num_attention_heads",
              y="h[{S}]*(w//h[{S}]) | w", yu="h[S-1-{U}]*(u//h[S-1-{U}]) | u", ym="h[S-1]*(m//h[S-1]) | m",
              u="ch[S-1-{U}]", nu="motion_layers_per_block[S-1-{U}]", Q="nu + 1",
              ku="motion_transformer_layers_per_block[S-1-{U}] | 1",
              M="motion_mid_block_layers_per_block | 1", km="motion_transformer_layers_per_mid_block[{M}] | 1",
              c="conv_in_channels"),
    parts=rows(
        part("conv_in", "embed.image", conv("c -> d, 3 3"), when="c"),
        under("down_blocks.{S}.motion_modules.{R}", MOTION, tower="down"),
        under("mid_block.motion_modules.{M}",       MOTION, w="m", y="ym", K="km", tower="middle",
              when="use_motion_mid_block"),
        under("up_blocks.{U}.motion_modules.{Q}",   MOTION, w="u", y="yu", K="ku", tower="up")))

TIME_CONVOLUTIONS = rows(                      # o channels
    part("conv1.0", "norm.time", affine("o")), part("conv1.2", "resnet.time.conv", conv("o -> o, 3 1 1")),
    part("conv2.0", "norm.time", affine("o")), part("conv2.3", "resnet.time.conv", conv("o -> o, 3 1 1")),
    part("conv3.0", "norm.time", affine("o")), part("conv3.3", "resnet.time.conv", conv("o -> o, 3 1 1")),
    part("conv4.0", "norm.time", affine("o")), part("conv4.3", "resnet.time.conv", conv("o -> o, 3 1 1")))
CROSS_3D = rows(CROSS, K="one", use_linear_projection="true", gated="false")
TIME_3D = rows(TWICE_SELF, K="one")
UNET_3D = rows(                                # after the embeddings
    under("time_embedding", EMBEDDING, i="a"),
    under("transformer_in", TIME_3D, w="a", y="yi", tower="time.in"),
    under("down_blocks",
        under("{S}.resnets.{R0}",        RESNET, i="v", o="w", T="w"),
        under("{S}.resnets.{R1}",        RESNET, i="w", o="w", T="w"),
        under("{S}.temp_convs.{R}",      TIME_CONVOLUTIONS, o="w"),
        under("{X}.attentions.{R}",      CROSS_3D, f="y"),
        under("{X}.temp_attentions.{R}", TIME_3D, tower="down.time"),
        part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
    under("mid_block",
        under("resnets.0",         RESNET, i="m", o="m", T="m"),
        under("resnets.1",         RESNET, i="m", o="m", T="m", tower="middle.last"),
        under("temp_convs.0",      TIME_CONVOLUTIONS, o="m"),
        under("temp_convs.1",      TIME_CONVOLUTIONS, o="m", tower="middle.last"),
        under("attentions.0",      CROSS_3D, w="m", y="ym", f="ym", e="em"),
        under("temp_attentions.0", TIME_3D, w="m", y="ym", tower="middle.time"), tower="middle"),
    under("up_blocks",
        under("{U}.resnets.0",           RESNET, i="p + u", o="u", T="u"),
        under("{U}.resnets.{mid}",       RESNET, i="u + u", o="u", T="u"),
        under("{U}.resnets.{last}",      RESNET, i="u + q", o="u", T="u"),
        under("{U}.temp_convs.{Q}",      TIME_CONVOLUTIONS, o="u"),
        under("{Y}.attentions.{Q}",      CROSS_3D, w="u", y="yu", f="yu", e="eu"),
        under("{Y}.temp_attentions.{Q}", TIME_3D, w="u", y="yu", tower="up.time"),
        part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
    part("conv_norm_out", "norm.final", affine("a"), when="norm_num_groups != null"),
    part("conv_out",      "head.image", conv("a -> o, 3 3")))
DIMS_3D = UNET_DIMS | Dims(X="S[down_block_types == 'CrossAttnDownBlock3D']",
                           Y="U[up_block_types == 'CrossAttnUpBlock3D']", D="S[:S-1]", W="U[:U-1]",
                           n="layers_per_block", nu="n", t="4*a", yi="8*attention_head_dim")
UNET3DCONDITIONMODEL = Architecture("UNet3DConditionModel", dims=DIMS_3D,
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        part("time_embedding.cond_proj", "embed.time.condition", linear("time_cond_proj_dim -> a"),
             when="time_cond_proj_dim != null"),
        UNET_3D))
I2VGENXLUNET = Architecture("I2VGenXLUNet", dims=DIMS_3D | Dims(heads="attention_head_dim", x="cross_attention_dim"),
    parts=rows(
        part("conv_in", "embed.image", conv("2*c -> a, 3 3")),
        under("image_latents_proj_in",
            part("0", "embed.image.1",       conv("4 -> 4*c, 3 3")),
            part("2", "embed.image.between", conv("4*c -> 4*c, 3 3")),
            part("4", "embed.image.2",       conv("4*c -> c, 3 3"))),
        under("image_latents_temporal_encoder",
            part("norm1", "norm.attention", affine("c")),
            under("attn1", ATTENTION, w="c", a="2*c", bo="true"),
            under("ff", FEED_FORWARD, w="c", ff="4*c", b="true"), tower="first"),
        under("image_latents_context_embedding",
            part("0", "embed.picture", conv("4 -> 8*c, 3 3")),
            part("3", "embed.picture", conv("8*c -> 16*c, 3 3")),
            part("5", "embed.picture", conv("16*c -> x, 3 3"))),
        part("context_embedding.0", "embed.text.1", dense("x -> t")),
        part("context_embedding.2", "embed.text.2", dense("t -> x*c")),
        part("fps_embedding.0",     "embed.rate.1", dense("a -> t")),
        part("fps_embedding.2",     "embed.rate.2", dense("t -> t")),
        UNET_3D))

# as in UNET_DIMS; hm: heads in time; g, gu, gm: their width in stages down, up and in the middle, kt, ktu, ktm: blocks
# of a motion module there; M: transformers of the middle, MR: its resnets
MOTION_DIMS = UNET_DIMS | Dims(
    X="S[down_block_types == 'CrossAttnDownBlockMotion']", Y="U[up_block_types == 'CrossAttnUpBlockMotion']",
    D="S[:S-1]", W="U[:U-1]", t="4*a", tb="t", gated="false", scaled="false", heads="num_attention_heads", f="y",
    fu="yu", T="motion_max_seq_length", hm="motion_num_attention_heads",
    temporal="temporal_transformer_layers_per_block",
    g="hm[{S}][{R}]*(w//hm[{S}][{R}])", gu="hm[S-1-{U}][{Q}]*(u//hm[S-1-{U}][{Q}])", gm="hm[S-1]*(m//hm[S-1])",
    kt="temporal[{S}][{R}]",
    ktu="reverse_temporal_transformer_layers_per_block[{U}][{Q}] | temporal[len(temporal)-1-{U}][{Q}] "
        "| temporal[S-1-{U}][{Q}]",
    M="mid_block_layers", MR="M + 1",
    km="transformer_layers_per_mid_block[{M}] | number(depths[len(depths)-1]) | number(depths[S-1]) | 1",
    ktm="temporal_transformer_layers_per_mid_block[{M}]")
UNETMOTIONMODEL = Architecture("UNetMotionModel", dims=MOTION_DIMS,
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        under("time_embedding", EMBEDDING, i="a"),
        part("time_embedding.cond_proj", "embed.time.condition", linear("time_cond_proj_dim -> a"),
             when="time_cond_proj_dim != null"),
        part("add_embedding.linear_1", "embed.added", dense("j -> t"), when="addition_embed_type == 'text_time'"),
        part("add_embedding.linear_2", "embed.added", dense("t -> t"), when="addition_embed_type == 'text_time'"),
        under("down_blocks",
            under("{S}.resnets.{R0}",       BLOCK, i="v", o="w", T="w"),
            under("{S}.resnets.{R1}",       BLOCK, i="w", o="w", T="w"),
            under("{X}.attentions.{R}",     CROSS),
            under("{S}.motion_modules.{R}", MOTION, y="g", K="kt", tower="down.motion"),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
        under("mid_block",
            under("resnets.{MR}",       BLOCK,  i="m", o="m", T="m"),
            under("attentions.{M}",     CROSS,  w="m", y="ym", K="km", e="em", f="ym"),
            under("motion_modules.{M}", MOTION, w="m", y="gm", K="ktm", tower="middle.motion",
                  when="use_motion_mid_block"), tower="middle"),
        under("up_blocks",
            under("{U}.resnets.0",          BLOCK, i="p + u", o="u", T="u"),
            under("{U}.resnets.{mid}",      BLOCK, i="u + u", o="u", T="u"),
            under("{U}.resnets.{last}",     BLOCK, i="u + q", o="u", T="u"),
            under("{Y}.attentions.{Q}",     CROSS, w="u", y="yu", K="ku", e="eu", f="fu"),
            under("{U}.motion_modules.{Q}", MOTION, w="u", y="gu", K="ktu", tower="up.motion"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a"), when="norm_num_groups != null"),
        part("conv_out",      "head.image", conv("a -> o, 3 3"))))
ONCE_SELF = rows(                              # w channels, K blocks of the width y, T positions
    part("norm",     "norm.group",            affine("w")),
    part("proj_in",  "attention.project.in",  dense("w -> y")),
    part("proj_out", "attention.project.out", dense("y -> w")),
    under("transformer_blocks.{K}",
        part("norm1", "norm.attention", affine("y")),
        part("norm3", "norm.mlp",       affine("y")),
        part("pos_embed.pe", "embed.position", buffer("1 T y")),
        under("attn1", ATTENTION, w="y", a="y", bo="true"),
        under("ff", GATED_FEED_FORWARD, w="y", ff="4*y", b="true")))
SPARSECONTROLNETMODEL = Architecture("SparseControlNetModel",
    dims=CONTROL_DIMS | Dims(X="S[down_block_types == 'CrossAttnDownBlockMotion']", D="S[:S-1]", t="4*a", tb="t",
                             gated="false", n="layers_per_block", T="motion_max_seq_length",
                             hm="motion_num_attention_heads", g="hm[{S}][{R}]*(w//hm[{S}][{R}])",
                             kt="temporal_transformer_layers_per_block[{S}][{R}]",
                             km="transformer_layers_per_mid_block[0] | number(depths[len(depths)-1]) "
                                "| number(depths[S-1]) | 1",
                             cc="conditioning_channels + 1 when concat_conditioning_mask | conditioning_channels"),
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, 3 3")),
        part("controlnet_cond_embedding", "embed.condition", conv("cc -> a, 3 3"),
             when="use_simplified_condition_embedding"),
        under("controlnet_cond_embedding", CONDITION, when="not use_simplified_condition_embedding"),
        under("time_embedding", EMBEDDING, i="a"),
        under("down_blocks",
            under("{S}.resnets.{R0}",       BLOCK, i="v", o="w", T="tw"),
            under("{S}.resnets.{R1}",       BLOCK, i="w", o="w", T="tw"),
            under("{X}.attentions.{R}",     CROSS),
            under("{S}.motion_modules.{R}", ONCE_SELF, y="g", K="kt", tower="down.motion"),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
        under("mid_block",
            under("resnets.0",    BLOCK, i="m", o="m", T="tm"),
            under("attentions.0", CROSS, w="m", y="ym", K="km", e="em", f="ym"),
            under("resnets.1",    BLOCK, i="m", o="m", T="tm", tower="middle.last"), tower="middle"),
        part("controlnet_down_blocks.{Z}", "head.down",   conv("z -> z, 1 1")),
        part("controlnet_mid_block",       "head.middle", conv("m -> m, 1 1"))))
# e what the second attention reads, where there is one; n: whether norms have weights
TRANSFORMERTEMPORALMODEL = Architecture("TransformerTemporalModel",
    dims=WIDTH | Dims(b="attention_bias", n="norm_elementwise_affine", x="cross_attention_dim",
                      e="d when double_self_attention | x", T="num_positional_embeddings"),
    parts=rows(
        part("norm",     "norm.group",            affine("c")),
        part("proj_in",  "attention.project.in",  dense("c -> d")),
        part("proj_out", "attention.project.out", dense("d -> c")),
        under("transformer_blocks.{L}",
            part("norm1", "norm.attention", affine("d"), when="n"),
            part("norm2", "norm.second",    affine("d"), when="n and e != null"),
            part("norm3", "norm.mlp",       affine("d"), when="n"),
            part("pos_embed.pe", "embed.position", buffer("1 T d"), when="positional_embeddings == 'sinusoidal'"),
            under("attn1", ATTENTION, bo="true"),
            under("attn2", CROSS_ATTENTION, bo="true", when="e != null"),
            under("ff", CHOSEN_FEED_FORWARD, b="true"))))
