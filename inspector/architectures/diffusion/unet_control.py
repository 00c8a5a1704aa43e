"""Networks that steer a UNet: ControlNetUnionModel and T2IAdapter (ControlNetModel is in the file of the UNet).

controlnet_union.py: a ControlNet whose conditions are weighed by a few transformer layers. adapter.py: the large
adapter of SDXL widens only in its second and third block; the light one works at a quarter of the width and has one
block more than widths.
"""

from inspector.architectures.diffusion.unet import CONTROLNETMODEL
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
    dims=Dims(ch="channels", S="len(ch)", R="num_res_blocks", c="in_channels*downscale_factor**2", d="ch[0]",
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
