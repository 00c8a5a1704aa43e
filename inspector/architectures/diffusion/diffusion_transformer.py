"""Diffusion transformers: two streams (SD3, Flux, AuraFlow, Mochi) and one (PixArt, DiT, Sana, LTX, Wan, CogVideoX, the
Kandinsky prior).

The width is `num_attention_heads * attention_head_dim`. transformer_sd3.py: the last block's text stream only gives
keys and values; the layers of `dual_attention_layers` have a second attention and nine modulations.
transformer_flux.py: a guidance embedder only in the dev version; a single block's `proj_out` reads attention and MLP
together. auraflow_transformer_2d.py: no bias but in the embedders; the MLP's width is two thirds of 4*d, rounded up to
256. transformer_mochi.py: the text stream has a different width. pixart_transformer_2d.py: `use_additional_conditions`
is by default what `sample_size` 128 needs.
transformer_wan.py: image-to-video models have an image embedder and a second pair of keys and values.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ADDED_ATTENTION,
    ATTENTION,
    CHOSEN_FEED_FORWARD,
    CROSS_ATTENTION,
    EMBEDDING,
    FEED_FORWARD,
    GUIDANCE_EMBEDDING,
    TEXT_EMBEDDING,
)
from inspector.notation.definition import Architecture, Dims, opaque, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

WIDTH = Dims(h="num_attention_heads", dh="attention_head_dim", d="h*dh", w="d", a="d", t="d", ff="4*d", c="in_channels",
             o="out_channels | in_channels", p="patch_size", L="num_layers", last="L[L-1:]", M="L[:L-1]",
             gated="activation_fn in 'geglu geglu-approximate swiglu'")
TIME_AND_TEXT = under("time_text_embed",
    under("timestep_embedder", EMBEDDING, i="256"),
    under("text_embedder", TEXT_EMBEDDING, i="pooled_projection_dim"))
QK_NORM = rows(
    part("norm_q",       "norm.query",       scale("dh")),
    part("norm_k",       "norm.key",         scale("dh")))
ADDED_QK_NORM = rows(
    part("norm_added_q", "norm.cross.query", scale("dh")),
    part("norm_added_k", "norm.cross.key",   scale("dh")))
QK_LAYER_NORM = rows(                          # "fp32_layer_norm" has no parameters
    part("norm_q",       "norm.query",       affine("dh")),
    part("norm_k",       "norm.key",         affine("dh")))
ADDED_QK_LAYER_NORM = rows(
    part("norm_added_q", "norm.cross.query", affine("dh")),
    part("norm_added_k", "norm.cross.key",   affine("dh")))
RMS, LAYER = "qk_norm == 'rms_norm'", "qk_norm == 'layer_norm'"
OUT = rows(
    part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
    part("proj_out",        "head.image",          dense("d -> p*p*o")))

SD3TRANSFORMER2DMODEL = Architecture("SD3Transformer2DModel",
    dims=WIDTH | Dims(e="caption_projection_dim", J="L & dual_attention_layers | L[:0]", I="L - J"),
    parts=rows(
        part("pos_embed.proj",      "embed.patch",    conv("c -> d, p p")),
        part("pos_embed.pos_embed", "embed.position", buffer("1 pos_embed_max_size**2 d")),
        part("context_embedder",    "embed.text",     dense("joint_attention_dim -> e")),
        TIME_AND_TEXT,
        part("transformer_blocks.{I}.norm1.linear", "norm.modulation", dense("d -> 6*d")),
        part("transformer_blocks.{J}.norm1.linear", "norm.modulation", dense("d -> 9*d")),
        under("transformer_blocks.{L}",
            under("attn", ATTENTION, b="true", bo="true"),
            under("attn", ADDED_ATTENTION, e="d", b="true"),
            under("attn", QK_NORM, ADDED_QK_NORM, when=RMS),
            under("attn", QK_LAYER_NORM, ADDED_QK_LAYER_NORM, when=LAYER),
            under("ff", FEED_FORWARD, b="true")),
        under("transformer_blocks.{J}.attn2", ATTENTION, b="true", bo="true", tower="second"),
        under("transformer_blocks.{J}.attn2", QK_NORM, tower="second", when=RMS),
        under("transformer_blocks.{J}.attn2", QK_LAYER_NORM, tower="second", when=LAYER),
        part("transformer_blocks.{M}.norm1_context.linear",    "norm.modulation.text", dense("d -> 6*d")),
        part("transformer_blocks.{last}.norm1_context.linear", "norm.modulation.text", dense("d -> 2*d")),
        part("transformer_blocks.{M}.attn.to_add_out", "cross.output", dense("d -> d")),
        under("transformer_blocks.{M}.ff_context", FEED_FORWARD, b="true", tower="text"),
        OUT))
FLUXTRANSFORMER2DMODEL = Architecture("FluxTransformer2DModel", dims=WIDTH | Dims(N="num_single_layers"),
    parts=rows(
        part("x_embedder",       "embed.patch", dense("c -> d")),
        part("context_embedder", "embed.text",  dense("joint_attention_dim -> d")),
        TIME_AND_TEXT,
        under("time_text_embed.guidance_embedder", GUIDANCE_EMBEDDING, i="256", when="guidance_embeds"),
        under("transformer_blocks.{L}",
            part("norm1.linear",         "norm.modulation",      dense("d -> 6*d")),
            part("norm1_context.linear", "norm.modulation.text", dense("d -> 6*d")),
            under("attn", ATTENTION, b="true", bo="true"),
            under("attn", ADDED_ATTENTION, e="d", b="true"),
            under("attn", QK_NORM, ADDED_QK_NORM),
            part("attn.to_add_out", "cross.output", dense("d -> d")),
            under("ff", FEED_FORWARD, b="true"),
            under("ff_context", FEED_FORWARD, b="true", tower="text")),
        under("single_transformer_blocks.{N}",
            part("norm.linear", "norm.modulation",  dense("d -> 3*d")),
            part("attn.to_q",   "attention.query",  dense("d -> d")),
            part("attn.to_k",   "attention.key",    dense("d -> d")),
            part("attn.to_v",   "attention.value",  dense("d -> d")),
            under("attn", QK_NORM),
            part("proj_mlp",    "mlp.up",           dense("d -> ff")),
            part("proj_out",    "attention.output", dense("d + ff -> d")), tower="single"),
        OUT))
AURA_MLP = rows(
    part("linear_1",       "mlp.gate", linear("d -> ff")),
    part("linear_2",       "mlp.up",   linear("d -> ff")),
    part("out_projection", "mlp.down", linear("ff -> d")))
AURAFLOWTRANSFORMER2DMODEL = Architecture("AuraFlowTransformer2DModel",
    dims=WIDTH | Dims(L="num_mmdit_layers", N="num_single_dit_layers", ff="ceil(2*(4*d)//3, 256)"),
    parts=rows(
        part("pos_embed.proj",      "embed.patch",    dense("c*p*p -> d")),
        part("pos_embed.pos_embed", "embed.position", param("1 pos_embed_max_size d")),
        part("register_tokens",     "embed.register", param("1 8 d")),
        part("context_embedder",    "embed.text",     linear("joint_attention_dim -> caption_projection_dim")),
        under("time_step_proj", EMBEDDING, i="256"),
        under("joint_transformer_blocks.{L}",
            part("norm1.linear",         "norm.modulation",      linear("d -> 6*d")),
            part("norm1_context.linear", "norm.modulation.text", linear("d -> 6*d")),
            under("attn", ATTENTION),
            under("attn", ADDED_ATTENTION, e="d"),
            part("attn.to_add_out", "cross.output", linear("d -> d")),
            under("ff", AURA_MLP),
            under("ff_context", AURA_MLP, tower="text")),
        under("single_transformer_blocks.{N}",
            part("norm1.linear", "norm.modulation", linear("d -> 6*d")),
            under("attn", ATTENTION),
            under("ff", AURA_MLP), tower="single"),
        part("norm_out.linear", "norm.modulation.out", linear("d -> 2*d")),
        part("proj_out",        "head.image",          linear("d -> p*p*o"))))
MOCHITRANSFORMER3DMODEL = Architecture("MochiTransformer3DModel",
    dims=WIDTH | Dims(e="pooled_projection_dim", x="text_embed_dim", fm="8*d//3", fe="8*e//3"),
    parts=rows(
        part("patch_embed.proj", "embed.patch",    conv("c -> d, p p")),
        part("pos_frequencies",  "embed.position", param("3 h dh//2")),
        under("time_embed",
            under("timestep_embedder", EMBEDDING, i="time_embed_dim"),
            part("caption_proj",  "embed.text",   dense("x -> e")),
            part("pooler.to_kv",  "pooler.kv",    dense("x -> x + x", packs="key value")),
            part("pooler.to_q",   "pooler.query", dense("x -> x")),
            part("pooler.to_out", "pooler",       dense("x -> d"))),
        under("transformer_blocks.{L}",
            part("norm1.linear", "norm.modulation", dense("d -> 4*d")),
            under("attn1", ATTENTION, bo="true"),
            under("attn1", ADDED_ATTENTION),
            under("attn1", QK_NORM, ADDED_QK_NORM),
            under("ff", CHOSEN_FEED_FORWARD, ff="fm")),
        part("transformer_blocks.{last}.norm1_context.linear_1", "norm.modulation.text.last", dense("d -> e")),
        under("transformer_blocks.{M}",
            part("norm1_context.linear", "norm.modulation.text", dense("d -> 4*e")),
            part("attn1.to_add_out",     "cross.output",         dense("d -> e")),
            under("ff_context", CHOSEN_FEED_FORWARD, w="e", ff="fe", tower="text")),
        OUT))

SIZES = rows(                                  # PixArt's extra conditions
    under("resolution_embedder",   EMBEDDING, i="256", t="d//3", tower="resolution"),
    under("aspect_ratio_embedder", EMBEDDING, i="256", t="d//3", tower="aspect"))
ADAPTIVE_NORMS = rows(
    part("norm1", "norm.attention", affine("d"), when="norm_elementwise_affine"),
    part("norm2", "norm.mlp",       affine("d"), when="norm_elementwise_affine"))
PIXARTTRANSFORMER2DMODEL = Architecture("PixArtTransformer2DModel",
    dims=WIDTH | Dims(e="cross_attention_dim", b="attention_bias"),
    parts=rows(
        part("pos_embed.proj", "embed.patch", conv("c -> d, p p")),
        under("caption_projection", TEXT_EMBEDDING, i="caption_channels", when="caption_channels != null"),
        under("adaln_single",
            under("emb.timestep_embedder", EMBEDDING, i="256"),
            under("emb", SIZES, when="use_additional_conditions or use_additional_conditions == null "
                                     "and sample_size == 128"),
            part("linear", "norm.modulation.shared", dense("d -> 6*d"))),
        under("transformer_blocks.{L}",
            part("scale_shift_table", "norm.modulation", param("6 d")),
            ADAPTIVE_NORMS,
            under("attn1", ATTENTION, bo="true"),
            under("attn2", CROSS_ATTENTION, bo="true", when="e != null"),
            under("ff", CHOSEN_FEED_FORWARD, b="true")),
        opaque("transformer_blocks.", "attention to boxes", when="attention_type in 'gated gated-text-image'"),
        part("scale_shift_table", "norm.modulation.out", param("2 d")),
        part("proj_out",          "head.image",          dense("d -> p*p*o"))))
DITTRANSFORMER2DMODEL = Architecture("DiTTransformer2DModel", dims=WIDTH | Dims(b="attention_bias"),
    parts=rows(
        part("pos_embed.proj", "embed.patch", conv("c -> d, p p")),
        under("transformer_blocks.{L}",
            under("norm1.emb.timestep_embedder", EMBEDDING, i="256"),
            part("norm1.emb.class_embedder.embedding_table", "embed.class", table("num_embeds_ada_norm+1 d")),
            part("norm1.linear", "norm.modulation", dense("d -> 6*d")),
            part("norm3",        "norm.mlp",        affine("d"), when="norm_elementwise_affine"),
            under("attn1", ATTENTION, bo="true"),
            under("ff", CHOSEN_FEED_FORWARD, b="true")),
        part("proj_out_1", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out_2", "head.image",          dense("d -> p*p*o"))))
ACROSS_HEADS = rows(                           # w the width of all heads
    part("norm_q", "norm.query",       scale("d")),
    part("norm_k", "norm.key",         scale("d")))
CROSS_ACROSS_HEADS = rows(
    part("norm_q", "norm.cross.query", scale("a")),
    part("norm_k", "norm.cross.key",   scale("a")))
SANA_DIMS = WIDTH | Dims(e="cross_attention_dim", x="num_cross_attention_heads*cross_attention_head_dim",
                         b="attention_bias", f="floor(mlp_ratio*d)", guided="guidance_embeds",
                         normed="qk_norm == 'rms_norm_across_heads'")
SANA_IN = rows(                                # guided: an embedding of the guidance
    under("time_embed.emb.timestep_embedder", EMBEDDING, i="256", when="not guided"),
    under("time_embed.timestep_embedder",     EMBEDDING, i="256", when="guided", tower="guided"),
    under("time_embed.guidance_embedder",     GUIDANCE_EMBEDDING, i="256", when="guided"),
    part("time_embed.linear", "norm.modulation.shared", dense("d -> 6*d")),
    under("caption_projection", TEXT_EMBEDDING, i="caption_channels"),
    part("caption_norm", "norm.text", scale("d")))
SANA_BLOCK = rows(                             # normed: queries and keys across heads
    part("scale_shift_table", "norm.modulation", param("6 d")),
    part("norm2", "norm.cross", affine("d"), when="norm_elementwise_affine and e != null"),
    under("attn1", ATTENTION, bo="true"),
    under("attn1", ACROSS_HEADS, when="normed"),
    under("attn2", CROSS_ATTENTION, a="x", b="true", bo="true", when="e != null"),
    under("attn2", CROSS_ACROSS_HEADS, a="x", when="normed and e != null"),
    part("ff.conv_inverted", "mlp.gate_up", conv("d -> 2*f, 1 1")),
    part("ff.conv_depth",    "mlp.conv",    conv("2*f -> 2*f, 3 3", groups="2*f")),
    part("ff.conv_point",    "mlp.down",    conv("f -> d, 1 1", bias=False)))
SANATRANSFORMER2DMODEL = Architecture("SanaTransformer2DModel", dims=SANA_DIMS,
    parts=rows(
        part("patch_embed.proj", "embed.patch", conv("c -> d, p p")),
        SANA_IN,
        under("transformer_blocks.{L}", SANA_BLOCK),
        part("scale_shift_table", "norm.modulation.out", param("2 d")),
        part("proj_out",          "head.image",          dense("d -> p*p*o"))))
LTXVIDEOTRANSFORMER3DMODEL = Architecture("LTXVideoTransformer3DModel",
    dims=WIDTH | Dims(e="cross_attention_dim | d", b="attention_bias", bo="attention_out_bias | true"),
    parts=rows(
        part("proj_in", "embed.patch", dense("c -> d")),
        part("scale_shift_table", "norm.modulation.out", param("2 d")),
        under("time_embed.emb.timestep_embedder", EMBEDDING, i="256"),
        part("time_embed.linear", "norm.modulation.shared", dense("d -> 6*d")),
        under("caption_projection", TEXT_EMBEDDING, i="caption_channels"),
        under("transformer_blocks.{L}",
            part("scale_shift_table", "norm.modulation", param("6 d")),
            part("norm1", "norm.attention", scale("d"), when="norm_elementwise_affine"),
            part("norm2", "norm.mlp",       scale("d"), when="norm_elementwise_affine"),
            under("attn1", ATTENTION, ACROSS_HEADS),
            under("attn2", CROSS_ATTENTION, CROSS_ACROSS_HEADS),
            under("ff", CHOSEN_FEED_FORWARD, b="true")),
        part("proj_out", "head.image", dense("d -> o"))))
WAN_BLOCK = rows(                              # e the width of the text states, d here; y that of an image's
    part("scale_shift_table", "norm.modulation", param("1 6 d")),
    part("norm2", "norm.cross", affine("d"), when="cross_attn_norm"),
    under("attn1", ATTENTION, ACROSS_HEADS, b="true", bo="true"),
    under("attn2", CROSS_ATTENTION, CROSS_ACROSS_HEADS, b="true", bo="true"),
    under("attn2",
        part("add_k_proj",   "cross.image.key",   dense("y -> d")),
        part("add_v_proj",   "cross.image.value", dense("y -> d")),
        part("norm_added_k", "norm.cross.image",  scale("d")), when="y != null"),
    under("ffn", FEED_FORWARD, b="true"))
WAN = rows(
    part("patch_embedding", "embed.patch", conv("c -> d, P p q")),
    part("scale_shift_table", "norm.modulation.out", param("1 2 d")),
    under("condition_embedder",
        under("time_embedder", EMBEDDING, i="freq_dim"),
        under("text_embedder", TEXT_EMBEDDING, i="text_dim"),
        part("time_proj", "norm.modulation.shared", dense("d -> 6*d")),
        under("image_embedder",
            part("norm1",         "norm.image",           affine("x")),
            part("ff.net.0.proj", "embed.image.1",        dense("x -> x")),
            part("ff.net.2",      "embed.image.2",        dense("x -> d")),
            part("norm2",         "norm.image",           affine("d")),
            part("pos_embed",     "embed.image.position", param("1 pos_embed_seq_len x"),
                 when="pos_embed_seq_len != null"),
            when="x != null")),
    under("blocks.{L}", WAN_BLOCK),
    part("proj_out", "head.image", dense("d -> o*P*p*q")))
WAN_DIMS = WIDTH | Dims(e="d", ff="ffn_dim | 4*d", x="image_dim", y="added_kv_proj_dim", P="patch_size[0]",
                        p="patch_size[1]", q="patch_size[2]")
WANTRANSFORMER3DMODEL = Architecture("WanTransformer3DModel", dims=WAN_DIMS, parts=WAN)
SKYREELSV2TRANSFORMER3DMODEL = Architecture("SkyReelsV2Transformer3DModel", dims=WAN_DIMS,
    parts=rows(
        WAN,
        part("fps_embedding", "embed.rate", table("2 d"), when="inject_sample_info"),
        part("fps_projection.net.0.proj", "embed.rate.1", dense("d -> d"),   when="inject_sample_info"),
        part("fps_projection.net.2",      "embed.rate.2", dense("d -> 6*d"), when="inject_sample_info")))
WANVACETRANSFORMER3DMODEL = Architecture("WanVACETransformer3DModel", dims=WAN_DIMS | Dims(V="len(vace_layers)"),
    parts=rows(
        WAN,
        part("vace_patch_embedding",  "embed.control",     conv("vace_in_channels -> d, P p q")),
        part("vace_blocks.0.proj_in", "embed.control.in",  dense("d -> d")),
        under("vace_blocks.{V}", WAN_BLOCK, part("proj_out", "head.control", dense("d -> d")), tower="control")))
COGVIDEOXTRANSFORMER3DMODEL = Architecture("CogVideoXTransformer3DModel",
    dims=WIDTH | Dims(t="time_embed_dim", b="attention_bias", q="patch_size_t", n="norm_elementwise_affine",
                      z="p*p*q when q != null | p*p", y="ofs_embed_dim", T="max_text_seq_length"),
    parts=rows(
        part("patch_embed.proj", "embed.patch", conv("c -> d, p p", bias="patch_bias | true"), when="q == null"),
        part("patch_embed.proj", "embed.patch", dense("c*z -> d"), when="q != null"),
        part("patch_embed.text_proj", "embed.text", dense("text_embed_dim -> d")),
        part("patch_embed.pos_embedding", "embed.position",
             buffer("1 T+(sample_height//p)*(sample_width//p)*((sample_frames-1)//temporal_compression_ratio+1) d"),
             when="use_learned_positional_embeddings"),
        under("time_embedding", EMBEDDING, i="d"),
        under("ofs_embedding",  EMBEDDING, i="y", t="y", tower="offset", when="y"),
        under("transformer_blocks.{L}",
            part("norm1.linear", "norm.modulation.1", dense("t -> 6*d")),
            part("norm1.norm",   "norm.attention",    affine("d"), when="n"),
            part("norm2.linear", "norm.modulation.2", dense("t -> 6*d")),
            part("norm2.norm",   "norm.mlp",          affine("d"), when="n"),
            under("attn1", ATTENTION, bo="true"),
            part("attn1.norm_q", "norm.query", affine("dh")),
            part("attn1.norm_k", "norm.key",   affine("dh")),
            under("ff", CHOSEN_FEED_FORWARD, b="true")),
        part("norm_final",      "norm.final",          affine("d"), when="n"),
        part("norm_out.linear", "norm.modulation.out", dense("t -> 2*d")),
        part("norm_out.norm",   "norm.out",            affine("d"), when="n"),
        part("proj_out",        "head.image",          dense("d -> z*o"))))
PRIORTRANSFORMER = Architecture("PriorTransformer",
    dims=WIDTH | Dims(e="embedding_dim", t="time_embed_dim | d", x="embedding_proj_dim | e", y="clip_embed_dim | e",
                      T="num_embeddings + additional_embeddings"),
    parts=rows(
        part("proj_in", "embed.image", dense("e -> d")),
        part("time_embedding.linear_1",    "embed.time.1",    dense("d -> t")),
        part("time_embedding.linear_2",    "embed.time.2",    dense("t -> d")),
        part("embedding_proj_norm",        "norm.embed",      affine("x"), when="embedding_proj_norm_type == 'layer'"),
        part("embedding_proj",             "embed.text.pooled", dense("x -> d")),
        part("encoder_hidden_states_proj", "embed.text",      dense("e -> d"),
             when="encoder_hid_proj_type == 'linear'"),
        part("positional_embedding",       "embed.position",  param("1 T d")),
        part("prd_embedding",              "embed.query",     param("1 1 d"), when="added_emb_type == 'prd'"),
        part("norm_in",                    "norm.in",         affine("d"), when="norm_in_type == 'layer'"),
        under("transformer_blocks.{L}",
            part("norm1", "norm.attention", affine("d")),
            part("norm3", "norm.mlp",       affine("d")),
            under("attn1", ATTENTION, b="true", bo="true"),
            under("ff", FEED_FORWARD, b="true")),
        part("norm_out",                "norm.final", affine("d")),
        part("proj_to_clip_embeddings", "head.image", dense("d -> y")),
        part("clip_mean",               "head.mean",  param("1 y")),
        part("clip_std",                "head.deviation", param("1 y"))))
