"""UNet2DConditionModel: down, middle, up."""

from inspector.notation.card import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear

RESNET = rows(                                 # i channels in, o out, t the width of the time embedding
    part("norm1",         "norm.resnet",  affine("i")),
    part("conv1",         "resnet.conv",  conv("i -> o, 3 3")),
    part("time_emb_proj", "resnet.time",  dense("t -> o")),
    part("norm2",         "norm.resnet",  affine("o")),
    part("conv2",         "resnet.conv",  conv("o -> o, 3 3")),
    part("conv_shortcut", "resnet.skip",  conv("i -> o, 1 1"), when="i != o"))
CROSS = rows(                                  # w channels, K blocks, e width of the text states
    part("norm",     "norm.attention",    affine("w")),
    part("proj_in",  "attention.project", dense("w -> w"),     when="use_linear_projection"),
    part("proj_in",  "attention.project", conv("w -> w, 1 1"), when="not use_linear_projection"),
    part("proj_out", "attention.project", dense("w -> w"),     when="use_linear_projection"),
    part("proj_out", "attention.project", conv("w -> w, 1 1"), when="not use_linear_projection"),
    under("transformer_blocks.{K}",
        part("norm1",          "norm.attention",   affine("w")),
        part("attn1.to_q",     "attention.query",  linear("w -> w")),
        part("attn1.to_k",     "attention.key",    linear("w -> w")),
        part("attn1.to_v",     "attention.value",  linear("w -> w")),
        part("attn1.to_out.0", "attention.output", dense("w -> w")),
        part("norm2",          "norm.cross",       affine("w")),
        part("attn2.to_q",     "cross.query",      linear("w -> w")),
        part("attn2.to_k",     "cross.key",        linear("e -> w")),
        part("attn2.to_v",     "cross.value",      linear("e -> w")),
        part("attn2.to_out.0", "cross.output",     dense("w -> w")),
        part("norm3",          "norm.mlp",         affine("w")),
        part("ff.net.0.proj",  "mlp.up_gate",      dense("w -> 4*w + 4*w", packs="up gate")),
        part("ff.net.2",       "mlp.down",         dense("4*w -> w"))))
UNET2DCONDITIONMODEL = Architecture("UNet2DConditionModel",
    dims=Dims(c="in_channels", o="out_channels", ch="block_out_channels", S="len(ch)", U="len(ch)",
              a="ch[0]", m="ch[S-1]", t="4*a", e="cross_attention_dim", n="layers_per_block",
              j="projection_class_embeddings_input_dim",
              w="ch[{S}]",     v="ch[{S}-1] | a",  K="transformer_layers_per_block[{S}]",      # going down
              X="S[down_block_types == 'CrossAttnDownBlock2D']", D="S[:S-1]", R="n", R1="R[1:]",
              u="ch[S-1-{U}]", p="ch[S-{U}] | m",  q="ch[S-2-{U}] | a",                        # coming up
              ku="transformer_layers_per_block[S-1-{U}]", km="transformer_layers_per_block[S-1]",
              Y="U[up_block_types == 'CrossAttnUpBlock2D']", W="U[:U-1]", Q="n + 1", mid="Q[1:n]", last="Q[n:]"),
    parts=rows(
        part("conv_in",                 "embed.image", conv("c -> a, 3 3")),
        part("time_embedding.linear_1", "embed.time",  dense("a -> t")),
        part("time_embedding.linear_2", "embed.time",  dense("t -> t")),
        part("add_embedding.linear_1",  "embed.added", dense("j -> t"), when="addition_embed_type == 'text_time'"),
        part("add_embedding.linear_2",  "embed.added", dense("t -> t"), when="addition_embed_type == 'text_time'"),
        under("down_blocks.{S}.resnets.0",    RESNET, i="v", o="w"),
        under("down_blocks.{S}.resnets.{R1}", RESNET, i="w", o="w"),
        under("down_blocks.{X}.attentions.{R}", CROSS),
        part("down_blocks.{D}.downsamplers.0.conv", "resample", conv("w -> w, 3 3")),
        under("mid_block.resnets.0",          RESNET, i="m", o="m"),
        under("mid_block.attentions.0",       CROSS,  w="m", K="km"),
        under("mid_block.resnets.1",          RESNET, i="m", o="m"),
        under("up_blocks.{U}.resnets.0",      RESNET, i="p + u", o="u"),
        under("up_blocks.{U}.resnets.{mid}",  RESNET, i="u + u", o="u"),
        under("up_blocks.{U}.resnets.{last}", RESNET, i="u + q", o="u"),
        under("up_blocks.{Y}.attentions.{Q}", CROSS,  w="u", K="ku"),
        part("up_blocks.{W}.upsamplers.0.conv", "resample", conv("u -> u, 3 3")),
        part("conv_norm_out", "norm.final", affine("a")),
        part("conv_out",      "head.image", conv("a -> o, 3 3"))))
