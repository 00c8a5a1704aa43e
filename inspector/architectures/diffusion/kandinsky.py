"""Kandinsky 3, 5 and 6: a UNet, and transformers of a text encoder and a visual decoder.

unet_kandinsky3.py: norms are scaled by the time; the first stage does not attend; a resnet is four convolutions through
half of its width, and the width before the first stage is half of the first stage's. On the way up the flags of the
stages are read from the end of their list of four. transformer_kandinsky.py, transformer_kandinsky6.py: the head is as
wide as its axes together; version 6 has the same blocks for audio, and both attend to each other.
"""

from inspector.architectures.diffusion.diffusion_blocks import EMBEDDING, FEED_FORWARD
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, conv_t, dense, linear, param, scale, table

HALF = rows(                                   # i channels in, o out, k the kernel, t the width of the time embedding
    part("group_norm.context_mlp.1", "norm.modulation", dense("t -> 2*i")),
    part("projection",               "resnet.conv",     conv("i -> o, k k")))
NARROW_RESNET = rows(                          # i channels in, o out; n: through half of the wider
    under("resnet_blocks.0", HALF, o="n", k="one"),
    under("resnet_blocks.1", HALF, i="n", o="n", k="three"),
    under("resnet_blocks.2", HALF, i="n", o="n", k="three"),
    under("resnet_blocks.3", HALF, i="n", k="one"),
    part("shortcut_projection", "resnet.skip", conv("i -> o, 1 1"), when="i != o"))
UNET_ATTENTION = rows(                         # w channels
    part("in_norm.context_mlp.1",  "norm.attention",   dense("t -> 2*w")),
    part("attention.to_q",         "attention.query",  linear("w -> w")),
    part("attention.to_k",         "attention.key",    linear("e -> w")),
    part("attention.to_v",         "attention.value",  linear("e -> w")),
    part("attention.to_out.0",     "attention.output", linear("w -> w")),
    part("out_norm.context_mlp.1", "norm.mlp",         dense("t -> 2*w")),
    part("feed_forward.0",         "mlp.up",           conv("w -> 4*w, 1 1", bias=False)),
    part("feed_forward.2",         "mlp.down",         conv("4*w -> w, 1 1", bias=False)))
# N widths, of which S give stages down and U up; R, A: blocks of a stage and their attentions; v, w: channels in and
# out of a stage down, x of a block in it; u, q, s: in, out and of the skip of a stage up, y, z: of a block in it
KANDINSKY3UNET = Architecture("Kandinsky3UNet",
    dims=Dims(c="in_channels", ch="block_out_channels", N="len(ch)", S="min(N, 4)", U="S", d="ch[0]//2",
              t="time_embedding_dim", e="cross_attention_dim", one="1", three="3",
              n="layers_per_block", R="n", A="1 : n + 1", last="R[n-1:]", first="R[:1]",
              w="ch[{S}]", v="ch[{S}-1] | d", x="v when {R} == 0 | w", D="S[:N-1]", X="S[1:]",
              u="ch[N-1-{U}]", q="ch[N-2-{U}] | d", s="ch[S-1-{U}] when S-1-{U} != N-1 | 0", Y="U[:3]", W="U[1:]",
              y="u + s when {R} == 0 | u", z="q when {R} == n - 1 and n > 1 | u", ya="u + s when {A} == 1 | u"),
    parts=rows(
        under("time_embedding", EMBEDDING, i="d"),
        under("add_time_condition.attention",
            part("to_q",     "pool.query",  linear("e -> t")),
            part("to_k",     "pool.key",    linear("e -> t")),
            part("to_v",     "pool.value",  linear("e -> t")),
            part("to_out.0", "pool.output", linear("t -> t"))),
        part("conv_in", "embed.image", conv("c -> d, 3 3")),
        part("encoder_hid_proj.projection_linear", "embed.text", linear("encoder_hid_dim -> e")),
        part("encoder_hid_proj.projection_norm",   "norm.text",  affine("e")),
        under("down_blocks",
            under("{X}.attentions.0",   UNET_ATTENTION, w="v", e="v", tower="down.self"),
            under("{X}.attentions.{A}", UNET_ATTENTION, tower="down.cross"),
            under("{S}.resnets_in.{R}",  NARROW_RESNET, i="x", o="w", n="max(x, w)//2", tower="down.in"),
            under("{S}.resnets_out.{R}", NARROW_RESNET, i="w", o="w", n="w//2",         tower="down.out"),
            part("{D}.resnets_out.{last}.resnet_blocks.2.down_sample",   "resnet.down",
                 conv("w//2 -> w//2, 2 2")),
            part("{D}.resnets_out.{last}.shortcut_down_sample", "resnet.down.skip", conv("w -> w, 2 2"))),
        under("up_blocks",
            under("{Y}.attentions.0",   UNET_ATTENTION, w="q", e="q", tower="up.self"),
            under("{Y}.attentions.{A}", UNET_ATTENTION, w="ya", tower="up.cross"),
            under("{U}.resnets_in.{R}",  NARROW_RESNET, i="y", o="y", n="y//2",         tower="up.in"),
            under("{U}.resnets_out.{R}", NARROW_RESNET, i="y", o="z", n="max(y, z)//2", tower="up.out"),
            part("{W}.resnets_in.{first}.resnet_blocks.1.up_sample", "resnet.up",
                 conv_t("(u + s)//2 -> (u + s)//2, 2 2")),
            part("{W}.resnets_in.{first}.shortcut_up_sample", "resnet.up.skip", conv_t("u + s -> u + s, 2 2"))),
        part("conv_norm_out", "norm.final", affine("d")),
        part("conv_out",      "head.image", conv("d -> c, 3 3"))))

# d the width, dh of a head, ff of the MLP, t of the time embedding
SELF = rows(
    part("to_query",   "attention.query",  dense("d -> d")),
    part("to_key",     "attention.key",    dense("d -> d")),
    part("to_value",   "attention.value",  dense("d -> d")),
    part("query_norm", "norm.query",       scale("dh")),
    part("key_norm",   "norm.key",         scale("dh")),
    part("out_layer",  "attention.output", dense("d -> d")))
CROSS = rows(                                  # e the width of what is read
    part("to_query",   "cross.query",      dense("d -> d")),
    part("to_key",     "cross.key",        dense("e -> d")),
    part("to_value",   "cross.value",      dense("e -> d")),
    part("query_norm", "norm.cross.query", scale("dh")),
    part("key_norm",   "norm.cross.key",   scale("dh")),
    part("out_layer",  "cross.output",     dense("d -> d")))
TEXT_IN = rows(
    part("in_layer", "embed.text", dense("x -> d")),
    part("norm",     "norm.text",  affine("d")))
POOLED_IN = rows(
    part("in_layer", "embed.text.pooled", dense("y -> t")),
    part("norm",     "norm.added.text",   affine("t")))
KANDINSKY_OUT = rows(                          # o what a patch gives
    part("modulation.out_layer", "norm.modulation.out", dense("t -> 2*d")),
    part("out_layer",            "head.image",          dense("d -> o")))
PLAIN_MLP = rows(
    part("in_layer",  "mlp.up",   linear("d -> ff")),
    part("out_layer", "mlp.down", linear("ff -> d")))
VISUAL = Dims(d="model_dim", t="time_dim", ff="ff_dim | 4*d",
              dh="axes_dims[0] + axes_dims[1] + axes_dims[2] + (axes_dims[3] | 0)", area="prod(patch_size)",
              c="in_visual_dim", o="area*out_visual_dim",
              ci="2*c + 1 when visual_cond | c", x="in_text_dim", y="in_text_dim2", T="num_text_blocks",
              L="num_visual_blocks", w="d", b="false")
KANDINSKY5TRANSFORMER3DMODEL = Architecture("Kandinsky5Transformer3DModel", dims=VISUAL | Dims(e="d"),
    parts=rows(
        part("time_embeddings.in_layer",   "embed.time.1", dense("d -> t")),
        part("time_embeddings.out_layer",  "embed.time.2", dense("t -> t")),
        under("text_embeddings",        TEXT_IN),
        under("pooled_text_embeddings", POOLED_IN),
        part("visual_embeddings.in_layer", "embed.patch",  dense("ci*area -> d")),
        under("text_transformer_blocks.{T}",
            part("text_modulation.out_layer", "norm.modulation.text", dense("t -> 6*d")),
            under("self_attention", SELF),
            under("feed_forward", PLAIN_MLP), tower="text"),
        under("visual_transformer_blocks.{L}",
            part("visual_modulation.out_layer", "norm.modulation", dense("t -> 9*d")),
            under("self_attention", SELF),
            under("cross_attention", CROSS),
            under("feed_forward", PLAIN_MLP)),
        under("out_layer", KANDINSKY_OUT)))
TEXT_BLOCK = rows(
    part("text_modulation.out_layer", "norm.modulation.text", dense("t -> 6*d")),
    under("attn", SELF),
    under("feed_forward", FEED_FORWARD))
VISUAL_BLOCK = rows(
    part("visual_modulation.out_layer", "norm.modulation", dense("t -> 9*d")),
    under("self_attention", SELF),
    under("cross_attention", CROSS, e="d"),
    under("feed_forward", FEED_FORWARD))
# m, td, fa, ha, da: width, time embedding, MLP, head and axes of the audio's blocks
KANDINSKY6TRANSFORMER3DMODEL = Architecture("Kandinsky6Transformer3DModel",
    dims=VISUAL | Dims(m="model_dim_a when model_dim_a | d", td="time_dim_a when time_dim_a | t",
                       fa="ff_dim_a when ff_dim_a | ff", da="axes_dims_a | axes_dims",
                       ha="da[0] + da[1] + da[2] + (da[3] | 0)",
                       kinds="visual_token_type_num_embeddings"),
    parts=rows(
        part("visual_embeddings.in_layer",   "embed.patch", dense("ci*area -> d")),
        part("visual_token_type_embeddings", "embed.type",  table("kinds d"), when="kinds > 0"),
        under("out_layer", KANDINSKY_OUT),
        part("audio_embeddings.in_layer", "embed.audio", dense("in_audio_dim -> m")),
        part("audio_embeddings.norm",     "norm.audio",  affine("m")),
        part("audio_out_layer.modulation.out_layer", "norm.modulation.audio.out", dense("td -> 2*m")),
        part("audio_out_layer.out_layer",            "head.audio",          dense("m -> out_audio_dim")),
        under("video_time_embeddings.timestep_embedder", EMBEDDING, i="d"),
        under("audio_time_embeddings.timestep_embedder", EMBEDDING, i="m", t="td", tower="audio"),
        under("video_text_embeddings", TEXT_IN),
        under("audio_text_embeddings", TEXT_IN, d="m", tower="audio"),
        under("video_pooled_text_embeddings", POOLED_IN),
        under("audio_pooled_text_embeddings", POOLED_IN, t="td", tower="audio"),
        under("video_text_transformer_blocks.{T}", TEXT_BLOCK, tower="text"),
        under("audio_text_transformer_blocks.{T}", rows(TEXT_BLOCK, w="d"), d="m", dh="ha", t="td", ff="fa",
              tower="audio.text"),
        under("visual_transformer_blocks.{L}",
            under("video_dec_block", VISUAL_BLOCK),
            under("audio_dec_block", rows(VISUAL_BLOCK, w="d"), d="m", dh="ha", t="td", ff="fa", tower="audio"),
            under("va_cross_attention", CROSS, e="m", tower="from.audio"),
            under("av_cross_attention", CROSS, d="m", dh="ha", e="d", tower="audio.from.video"),
            part("va_modulation.out_layer", "norm.modulation.audio",
                 dense("t -> (2*d + m when cross_gates | 3*d)")),
            part("av_modulation.out_layer", "norm.modulation.video",
                 dense("td -> (2*m + d when cross_gates | 3*m)")))))
KANDINSKY6SRTRANSFORMER3DMODEL = Architecture("Kandinsky6SRTransformer3DModel", dims=VISUAL,
    parts=rows(
        under("time_embeddings.timestep_embedder", EMBEDDING, i="d"),
        part("pooled_bias", "embed.time.added", param("t")),
        part("visual_embeddings.in_layer", "embed.patch", dense("(2*c + 1)*area -> d")),
        under("visual_transformer_blocks.{L}",
            part("visual_modulation.out_layer", "norm.modulation", dense("t -> 6*d")),
            under("self_attention", SELF),
            under("feed_forward", FEED_FORWARD)),
        under("out_layer", KANDINSKY_OUT)))
