"""AudioLDM 2's UNet, whose every resnet is followed by a transformer for each sequence of states that it reads.

modeling_audioldm2.py: where a stage lists several widths of states it has as many transformers behind each resnet; one
whose width is null attends to pixels twice.
"""

from inspector.architectures.diffusion.diffusion_blocks import EMBEDDING
from inspector.architectures.diffusion.unet import BLOCK, CLASS_EMBEDDING, CROSS, UNET_DIMS
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear

# k, ku, M: sequences of states of a stage down, up and in the middle; J, V: numbered transformers
AUDIOLDM2UNET2DCONDITIONMODEL = Architecture("AudioLDM2UNet2DConditionModel",
    dims=UNET_DIMS | Dims(
        states="cross_attention_dim", depth="transformer_layers_per_block",
        k="len(states[{S}]) | 1", J="n*k", e="states[{S}][{J} % k] | y", f="e when only_cross_attention[{S}] | y",
        K="depth[{S}]", ku="len(states[S-1-{U}]) | 1", V="(nu + 1)*ku", eu="states[S-1-{U}][{V} % ku] | yu",
        fu="eu when only_cross_attention[S-1-{U}] | yu", D="S[:S-1]", W="U[:U-1]", B="depth[S-1-{U}]",
        M="len(states[S-1]) | 1", em="states[S-1][{M}] | ym", A="depth[S-1]", gated="false"),
    parts=rows(
        part("conv_in", "embed.image", conv("c -> a, ki ki")),
        under("time_embedding", EMBEDDING, i="ti"),
        part("time_embedding.cond_proj", "embed.time.condition", linear("time_cond_proj_dim -> ti"),
             when="time_cond_proj_dim != null"),
        CLASS_EMBEDDING,
        part("class_embedding", "embed.class", dense("j -> t"), when="class_embed_type == 'simple_projection'"),
        under("down_blocks",
            under("{S}.resnets.{R0}",   BLOCK, i="v", o="w", T="tw"),
            under("{S}.resnets.{R1}",   BLOCK, i="w", o="w", T="tw"),
            under("{X}.attentions.{J}", CROSS),
            part("{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")), tower="down"),
        under("mid_block",
            under("resnets.0",      BLOCK, i="m", o="m", T="tm"),
            under("attentions.{M}", CROSS, w="m", y="ym", K="A", e="em", f="ym"),
            under("resnets.1",      BLOCK, i="m", o="m", T="tm", tower="middle.last"), tower="middle"),
        under("up_blocks",
            under("{U}.resnets.0",      BLOCK, i="p + u", o="u", T="tu"),
            under("{U}.resnets.{mid}",  BLOCK, i="u + u", o="u", T="tu"),
            under("{U}.resnets.{last}", BLOCK, i="u + q", o="u", T="tu"),
            under("{Y}.attentions.{V}", CROSS, w="u", y="yu", K="B", e="eu", f="fu"),
            part("{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")), tower="up"),
        part("conv_norm_out", "norm.final", affine("a"), when="norm_num_groups != null"),
        part("conv_out",      "head.image", conv("a -> o, ko ko"))))
