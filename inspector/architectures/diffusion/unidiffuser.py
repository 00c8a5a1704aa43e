"""UniDiffuser: its transformer, alone and between the projections of image and text, and the decoder of its text.

modeling_uvit.py: a transformer like a U, whose blocks coming up first join the skip; `block_type` moves no shape.
modeling_text_decoder.py: GPT-2 between two projections of the prefix.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.diffusion.diffusion_blocks import CHOSEN_FEED_FORWARD, CROSS_ATTENTION
from inspector.architectures.text.gpt2 import GPT2
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

NORM = rows(                                   # read: of the block's own attention or of what follows
    part("emb",    "norm.modulation.table", table("num_embeds_ada_norm d")),
    part("linear", "norm.modulation",       dense("d -> 2*d")))
BLOCK = rows(
    part("norm1", "norm.attention", affine("d"), when="n and not timed"),
    under("norm1", NORM, when="timed"),
    part("attn1.to_q",     "attention.query",  linear("d -> d", bias="b")),
    part("attn1.to_k",     "attention.key",    linear("f -> d", bias="b")),
    part("attn1.to_v",     "attention.value",  linear("f -> d", bias="b")),
    part("attn1.to_out.0", "attention.output", dense("d -> d")),
    part("norm2", "norm.cross", affine("d"), when="n and not timed and e != null"),
    under("norm2", NORM, tower="cross", when="timed and e != null"),
    under("attn2", CROSS_ATTENTION, w="d", a="d", bo="true", when="e != null"),
    part("norm3", "norm.mlp", affine("d"), when="n"),
    under("ff", CHOSEN_FEED_FORWARD, w="d", b="true"))
# f: what the first attention reads; H: blocks on each side
DIMS = Dims(d="num_attention_heads*attention_head_dim", b="attention_bias", e="cross_attention_dim",
            f="e when only_cross_attention and e != null | d", n="norm_elementwise_affine", p="patch_size",
            c="in_channels", H="num_layers//2", ff="4*d", gated="activation_fn in 'geglu geglu-approximate'",
            timed="num_embeds_ada_norm != null and norm_type == 'ada_norm'")
BODY = rows(
    part("pos_embed.proj", "embed.patch", conv("c -> d, p p")),
    under("transformer_in_blocks.{H}", BLOCK),
    under("transformer_mid_block", BLOCK, tower="middle"),
    under("transformer_out_blocks.{H}",
        part("skip.skip_linear", "project.skip", dense("2*d -> d")),
        part("skip.norm",        "norm.project", affine("d")),
        under("block", BLOCK), tower="out"),
    part("norm_out", "norm.final", affine("d")))
UTRANSFORMER2DMODEL = Architecture("UTransformer2DModel", dims=DIMS, parts=BODY)
TIME = rows(
    part("linear_1", "embed.time.1", dense("d -> 4*d")),
    part("linear_2", "embed.time.2", dense("4*d -> d")))
UNIDIFFUSERMODEL = Architecture("UniDiffuserModel",
    dims=DIMS | Dims(x="text_dim", y="clip_img_dim", o="out_channels", N="num_text_tokens + 3 + (sample_size//p)**2"),
    parts=rows(
        part("vae_img_in.proj", "embed.patch.image", conv("c -> d, p p")),
        part("clip_img_in",     "embed.image",       dense("y -> d")),
        part("text_in",         "embed.text",        dense("x -> d")),
        under("timestep_img_embed",  TIME, tower="image.time", when="use_timestep_embedding"),
        under("timestep_text_embed", TIME, tower="text.time",  when="use_timestep_embedding"),
        part("pos_embed", "embed.position", param("1 N d")),
        part("data_type_token_embedding", "embed.type",          table("2 d"),     when="use_data_type_embedding"),
        part("data_type_pos_embed_token", "embed.type.position", param("1 1 d"),   when="use_data_type_embedding"),
        under("transformer", BODY),
        part("vae_img_out",  "head.image",          dense("d -> p*p*o")),
        part("clip_img_out", "head.image.features", dense("d -> y")),
        part("text_out",     "head.text",           dense("d -> x"))))

UNIDIFFUSERTEXTDECODER = Architecture("UniDiffuserTextDecoder", ignores="prefix_length",
    dims=Dims(**GPT2.dims) | Dims(x="prefix_inner_dim", y="prefix_hidden_dim"),
    parts=rows(
        part("encode_prefix", "project.1", dense("x -> y"), when="y != null"),
        part("decode_prefix", "project.2", dense("y -> d"), when="y != null"),
        under("transformer.transformer", GPT2.parts),
        under("transformer", LM_HEAD)), ties="true")
