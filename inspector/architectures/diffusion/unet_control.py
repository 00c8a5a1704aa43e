"""Networks that steer a UNet: ControlNetUnionModel, ControlNet-XS and T2IAdapter (ControlNetModel is in the file of the
UNet).

controlnet_union.py: a ControlNet whose conditions are weighed by a few transformer layers. adapter.py: the large
adapter of SDXL widens only in its second and third block; the light one works at a quarter of the width and has one
block more than widths.
controlnet_xs.py: control blocks read what the base gives, which in turn adds theirs after a convolution; two resnets
down, three up. The adapter has the control blocks alone, the UNet both.
"""

from inspector.architectures.diffusion.diffusion_blocks import EMBEDDING, RESNET
from inspector.architectures.diffusion.unet import CONDITION, CONTROLNETMODEL, CROSS
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param

CONTROLNETUNIONMODEL = Architecture("ControlNetUnionModel",
                                    dims=Dims(**CONTROLNETMODEL.dims)
    | Dims(x="num_trans_channel", B="num_trans_layer", middle="true"),
    parts=rows(
        rows(CONTROLNETMODEL.parts, mid_block_type="'UNetMidBlock2DCrossAttn'"),
        part("task_embedding", "embed.task", param("num_control_type x")),
        under("transformer_layes.{B}",                                      # sic
            part("ln_1",                "norm.attention",     affine("x")),
            part("attn.in_proj_weight", "attention.qkv",      linear("x -> x + x + x", packs="q k v", bare=True)),
            part("attn.in_proj_bias",   "attention.qkv.bias", param("3*x")),
            part("attn.out_proj",       "attention.output",   dense("x -> x")),
            part("ln_2",                "norm.mlp",           affine("x")),
            part("mlp.c_fc",            "mlp.up",             dense("x -> 4*x")),
            part("mlp.c_proj",          "mlp.down",           dense("4*x -> x")), tower="conditions"),
        part("spatial_ch_projs", "project.condition", dense("x -> num_proj_channel")),
        part("control_add_embedding.linear_1", "embed.control", dense("addition_time_embed_dim*num_control_type -> t")),
        part("control_add_embedding.linear_2", "embed.control", dense("t -> t"))))
ADAPTER_RESNETS = rows(                        # w channels
    part("resnets.{R}.block1", "resnet.conv.1", conv("w -> w, 3 3")),
    part("resnets.{R}.block2", "resnet.conv.2", conv("w -> w, k k")))
T2IADAPTER = Architecture("T2IAdapter",
    dims=Dims(ch="channels", S="len(ch)", R="num_res_blocks", c="downscale_factor**2*in_channels", d="ch[0]",
              w="ch[{S}]", v="ch[{S}-1]",
              light="adapter_type == 'light_adapter'", B="S + 1", u="ch[{B}] | ch[S-1]",
              x="c when {B} == 0 | ch[{B}-1]", k="1", three="3"),
    parts=under("adapter",
        rows(
            part("conv_in", "embed.image", conv("c -> d, 3 3")),
            part("body.{S}.in_conv", "resnet.in", conv("v -> w, 1 1"),
                 when="{S} > 0 and v != w and (adapter_type == 'full_adapter' or {S} < 3)"),
            under("body.{S}", ADAPTER_RESNETS), when="not light"),
        rows(
            part("body.{B}.in_conv",  "resnet.in",  conv("x -> u//4, 1 1")),
            part("body.{B}.out_conv", "resnet.out", conv("u//4 -> u, 1 1")),
            under("body.{B}", ADAPTER_RESNETS, w="u//4", k="three"), tower="light", when="light")))

# S stages of control (w, v channels) and base (B, Bv); X: those with attention, H: with a convolution that resizes;
# I: connections of a stage up, z channels of one, x the base's there; y, ym: widths of all heads; K: depth
XS_DIMS = Dims(S="len(ch)", U="len(ch)", a="ch[0]", d="a", w="ch[{S}]", v="ch[{S}-1] | a", m="ch[S-1]", B="bc[{S}]",
               Bv="bc[{S}-1] | bc[0]", n="bc[S-1]", t="4*bc[0]", H="S[:S-1]",
               X="S[down_block_types == 'CrossAttnDownBlock2D']", R="2", I="3",
               hc="control_heads[{S}]", y="hc*(w//hc)", hm="control_heads[S-1]", ym="hm*(m//hm)",
               e="cross_attention_dim[{S}]", em="cross_attention_dim[S-1]", depths="transformer_layers_per_block",
               K="depths[{S}][{R}]",
               km="depths[len(depths)-1][0] | depths[S-1][0]", f="y", gated="false",
               ce="conditioning_embedding_out_channels", N="len(ce) - 1", E="0 : 2*N : 2", O="1 : 2*N : 2",
               z="ch[(3*S-2-3*{U}-{I})//3] | a", u="bc[S-1-{U}]", p="bc[S-{U}] | n", x="p when {I} == 0 | u")
XS_DOWN = rows(                                # the control's half of a stage
    part("base_to_ctrl.0",     "bridge.in",    conv("Bv -> Bv, 1 1")),
    part("base_to_ctrl.1",     "bridge.in",    conv("B -> B, 1 1")),
    part("ctrl_to_base.{R}",   "bridge.out",   conv("w -> B, 1 1")))
XS_RESIZED = rows(
    part("base_to_ctrl.2", "bridge.in",  conv("B -> B, 1 1")),
    part("ctrl_to_base.2", "bridge.out", conv("w -> B, 1 1")))
XS_UP = part("ctrl_to_base.{I}", "bridge.out", conv("z -> x, 1 1"))
XS_RESNETS = rows(
    under("0", RESNET, i="v + Bv", o="w", T="w"),
    under("1", RESNET, i="w + B",  o="w", T="w"))
XS_MIDDLE = rows(
    under("resnets.0",    RESNET, i="m + n", o="m", T="m"),
    under("attentions.0", CROSS,  w="m", y="ym", K="km", e="em", f="ym"),
    under("resnets.1",    RESNET, i="m", o="m", T="m", tower="last"))
XS_BRIDGES = rows(
    part("base_to_ctrl", "bridge.in",  conv("n -> n, 1 1")),
    part("ctrl_to_base", "bridge.out", conv("m -> n, 1 1")))
CONTROLNETXSADAPTER = Architecture("ControlNetXSAdapter",
    dims=XS_DIMS | Dims(ch="block_out_channels", bc="base_block_out_channels", control_heads="num_attention_heads",
                        cc="conditioning_channels"),
    parts=rows(
        under("controlnet_cond_embedding", CONDITION),
        under("time_embedding", EMBEDDING, i="bc[0]", when="learn_time_embedding"),
        part("conv_in",                     "embed.image", conv("4 -> a, 3 3")),
        part("control_to_base_for_conv_in", "bridge.out",  conv("a -> bc[0], 1 1")),
        under("down_blocks.{S}", XS_DOWN),
        under("down_blocks.{H}", XS_RESIZED),
        under("down_blocks.{S}.resnets", XS_RESNETS),
        under("down_blocks.{X}.attentions.{R}", CROSS),
        part("down_blocks.{H}.downsamplers.conv", "resnet.down", conv("w + B -> w, 3 3")),
        under("mid_block", XS_BRIDGES),
        under("mid_block.midblock", XS_MIDDLE, tower="middle"),
        under("up_connections.{U}", XS_UP)))
# q: channels of a skip of the base; Q: resnets of a stage up; bb: the base's first; yb, yn, yu: widths of its heads
UNETCONTROLNETXSMODEL = Architecture("UNetControlNetXSModel",
    dims=XS_DIMS | Dims(ch="ctrl_block_out_channels", bc="block_out_channels",
                        control_heads="ctrl_num_attention_heads", ce="ctrl_conditioning_embedding_out_channels",
                        cc="ctrl_conditioning_channels", bb="bc[0]", q="bc[S-2-{U}] | bb", heads="num_attention_heads",
                        yb="heads[{S}]*(B//heads[{S}])", yn="heads[S-1]*(n//heads[S-1])",
                        yu="heads[S-1-{U}]*(u//heads[S-1-{U}])", eu="cross_attention_dim[S-1-{U}]",
                        Q="3", mid="Q[1:2]", last="Q[2:]", W="U[:U-1]",
                        Y="U[up_block_types == 'CrossAttnUpBlock2D']",
                        ku="depths[len(depths)-1-{U}][{Q}] | depths[S-1-{U}][{Q}]",
                        j="projection_class_embeddings_input_dim"),
    parts=rows(
        part("base_conv_in", "embed.image", conv("4 -> bb, 3 3")),
        under("controlnet_cond_embedding", CONDITION),
        part("ctrl_conv_in",                "embed.image", conv("4 -> a, 3 3")),
        part("control_to_base_for_conv_in", "bridge.out",  conv("a -> bb, 1 1")),
        under("base_time_embedding", EMBEDDING, i="bb"),
        part("base_time_embedding.cond_proj", "embed.time.condition", linear("time_cond_proj_dim -> bb"),
             when="time_cond_proj_dim != null"),
        under("ctrl_time_embedding", EMBEDDING, i="bb", tower="control", when="ctrl_learn_time_embedding"),
        part("base_add_embedding.linear_1", "embed.added", dense("j -> t"), when="addition_embed_type != null"),
        part("base_add_embedding.linear_2", "embed.added", dense("t -> t"), when="addition_embed_type != null"),
        under("down_blocks.{S}", XS_DOWN),
        under("down_blocks.{H}", XS_RESIZED),
        under("down_blocks.{S}.ctrl_resnets", XS_RESNETS, tower="control"),
        under("down_blocks.{X}.ctrl_attentions.{R}", CROSS, tower="control"),
        part("down_blocks.{H}.ctrl_downsamplers.conv", "resnet.down", conv("w + B -> w, 3 3")),
        under("down_blocks",
            under("{S}.base_resnets.0", RESNET, i="Bv", o="B", T="B"),
            under("{S}.base_resnets.1", RESNET, i="B",  o="B", T="B"),
            under("{X}.base_attentions.{R}", CROSS, w="B", y="yb", f="yb"),
            part("{H}.base_downsamplers.conv", "resnet.down", conv("B -> B, 3 3"))),
        under("mid_block", XS_BRIDGES),
        under("mid_block.ctrl_midblock", XS_MIDDLE, tower="control.middle"),
        under("mid_block.base_midblock",
            under("resnets.0",    RESNET, i="n", o="n", T="n"),
            under("attentions.0", CROSS,  w="n", y="yn", K="km", e="em", f="yn"),
            under("resnets.1",    RESNET, i="n", o="n", T="n", tower="last"), tower="middle"),
        under("up_blocks",
            under("{U}", XS_UP),
            under("{U}.resnets.0",      RESNET, i="p + u", o="u", T="u"),
            under("{U}.resnets.{mid}",  RESNET, i="u + u", o="u", T="u"),
            under("{U}.resnets.{last}", RESNET, i="u + q", o="u", T="u"),
            under("{Y}.attentions.{Q}", CROSS, w="u", y="yu", K="ku", e="eu", f="yu"),
            part("{W}.upsamplers.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("base_conv_norm_out", "norm.final", affine("bb")),
        part("base_conv_out",      "head.image", conv("bb -> 4, 3 3"))))
