"""HunyuanDiT and its control network.

hunyuan_transformer_2d.py: the second half of the blocks reads a skip. controlnet_hunyuan.py: one block less than the
first half, of which each gives an addition; nothing of the output.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    CHOSEN_FEED_FORWARD,
    CROSS_ATTENTION,
    EMBEDDING,
)
from inspector.architectures.diffusion.diffusion_transformer import WIDTH
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, param, table

# t: the width of the time embedding, e, x: of the two texts, y: of the pooled one; X: the blocks that read a skip
DIT_DIMS = WIDTH | Dims(e="cross_attention_dim", x="cross_attention_dim_t5", y="pooled_projection_dim",
                        t="hidden_size", ff="floor(d*mlp_ratio)", styled="use_style_cond_and_image_meta_size",
                        i="256*6 + t + y when styled | y")
DIT_IN = rows(
    part("text_embedding_padding", "embed.pad", param("text_len+text_len_t5 e")),
    part("text_embedder.linear_1", "embed.text.1", dense("x -> 4*x")),
    part("text_embedder.linear_2", "embed.text.2", dense("4*x -> e")),
    part("pos_embed.proj", "embed.patch", conv("c -> t, p p")),
    under("time_extra_emb",
        under("timestep_embedder", EMBEDDING, i="256"),
        part("pooler.positional_embedding", "pool.position", param("text_len_t5+1 x")),
        part("pooler.k_proj", "pool.key",    dense("x -> x")),
        part("pooler.q_proj", "pool.query",  dense("x -> x")),
        part("pooler.v_proj", "pool.value",  dense("x -> x")),
        part("pooler.c_proj", "pool.output", dense("x -> y")),
        part("style_embedder", "embed.style", table("1 t"), when="styled"),
        part("extra_embedder.linear_1", "embed.extra", dense("i -> 4*t")),
        part("extra_embedder.linear_2", "embed.extra", dense("4*t -> t"))))
DIT_BLOCK = rows(
    part("norm1.linear", "norm.modulation", dense("d -> d")),
    part("norm1.norm",   "norm.attention",  affine("d")),
    under("attn1", ATTENTION, b="true", bo="true"),
    part("attn1.norm_q", "norm.query", affine("dh")),
    part("attn1.norm_k", "norm.key",   affine("dh")),
    part("norm2", "norm.cross", affine("d")),
    under("attn2", CROSS_ATTENTION, b="true", bo="true"),
    part("attn2.norm_q", "norm.cross.query", affine("dh")),
    part("attn2.norm_k", "norm.cross.key",   affine("dh")),
    part("norm3", "norm.mlp", affine("d")),
    under("ff", CHOSEN_FEED_FORWARD, b="true"))
HUNYUANDIT2DMODEL = Architecture("HunyuanDiT2DModel",
    dims=DIT_DIMS | Dims(X="L[L//2 + 1:]", o="2*c when learn_sigma | c"),
    parts=rows(
        DIT_IN,
        under("blocks.{L}", DIT_BLOCK),
        part("blocks.{X}.skip_norm",   "norm.skip",    affine("2*d")),
        part("blocks.{X}.skip_linear", "project.skip", dense("2*d -> d")),
        part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out",        "head.image",          dense("d -> p*p*o"))))
HUNYUANDIT2DCONTROLNETMODEL = Architecture("HunyuanDiT2DControlNetModel",
    dims=DIT_DIMS | Dims(L="transformer_num_layers//2 - 1"),
    parts=rows(
        DIT_IN,
        under("blocks.{L}", DIT_BLOCK),
        part("input_block",           "embed.condition", dense("t -> t")),
        part("controlnet_blocks.{L}", "head.double",     dense("t -> t"))))
