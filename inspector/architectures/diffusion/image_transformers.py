"""Later diffusion transformers of diffusers: Qwen-Image, Flux 2, Chroma, HunyuanVideo, Lumina 2, HiDream, CogView 3+
and 4, Allegro, Z-Image, OmniGen; the control networks of SD3 and Flux; Transformer2DModel, as DiT and PixArt were first
saved.

The width is `num_attention_heads * attention_head_dim` where no key states it. transformer_flux2.py: modulations are
shared by all blocks, nothing has a bias, a single block reads attention and a gated MLP together.
transformer_lumina2.py, transformer_z_image.py: the embedding of the time is at most 1024 and 256 wide.
transformer_hidream_image.py: the routed experts and the shared one, of half their width, are rounded up to 256; every
block has a projection of the caption.
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
from inspector.architectures.diffusion.diffusion_transformer import (
    ADDED_QK_LAYER_NORM,
    ADDED_QK_NORM,
    DITTRANSFORMER2DMODEL,
    LAYER,
    OUT,
    PIXARTTRANSFORMER2DMODEL,
    QK_LAYER_NORM,
    QK_NORM,
    RMS,
    TIME_AND_TEXT,
    WIDTH,
)
from inspector.notation.definition import Architecture, Dims, opaque, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

DOUBLE = rows(                                 # a block of two streams of the width d, after its modulations
    under("attn", ATTENTION, b="true", bo="true"),
    under("attn", ADDED_ATTENTION, e="d", b="true"),
    under("attn", QK_NORM, ADDED_QK_NORM, when="normed"),
    under("attn", QK_LAYER_NORM, ADDED_QK_LAYER_NORM, when="centred"),
    part("attn.to_add_out", "cross.output", dense("d -> d")))
DOUBLE_MLP = rows(
    under("ff", FEED_FORWARD, b="true"),
    under("ff_context", FEED_FORWARD, b="true", tower="text"))
MODULATIONS = rows(
    part("norm1.linear",         "norm.modulation",      dense("d -> 6*d")),
    part("norm1_context.linear", "norm.modulation.text", dense("d -> 6*d")))
SINGLE = rows(
    part("attn.to_q", "attention.query",  dense("d -> d")),
    part("attn.to_k", "attention.key",    dense("d -> d")),
    part("attn.to_v", "attention.value",  dense("d -> d")),
    under("attn", QK_NORM, when="normed"),
    under("attn", QK_LAYER_NORM, when="centred"),
    part("proj_mlp",  "mlp.up",           dense("d -> ff")),
    part("proj_out",  "attention.output", dense("d + ff -> d")))
SINGLE_MODULATION = part("norm.linear", "norm.modulation", dense("d -> 3*d"))
STREAMS = WIDTH | Dims(N="num_single_layers", normed="true", centred="false")

QWEN_IMAGE = rows(
    under("time_text_embed.timestep_embedder", EMBEDDING, i="256"),
    part("time_text_embed.addition_t_embedding", "embed.time.added", table("2 d"), when="use_additional_t_cond"),
    part("txt_norm", "norm.text",   scale("joint_attention_dim")),
    part("img_in",   "embed.patch", dense("c -> d")),
    part("txt_in",   "embed.text",  dense("joint_attention_dim -> d")),
    under("transformer_blocks.{L}",
        part("img_mod.1", "norm.modulation",      dense("d -> 6*d")),
        part("txt_mod.1", "norm.modulation.text", dense("d -> 6*d")),
        DOUBLE,
        under("img_mlp", FEED_FORWARD, b="true"),
        under("txt_mlp", FEED_FORWARD, b="true", tower="text")))
QWENIMAGETRANSFORMER2DMODEL = Architecture("QwenImageTransformer2DModel", dims=STREAMS | Dims(o="out_channels | c"),
                                           parts=rows(QWEN_IMAGE, OUT))
QWENIMAGECONTROLNETMODEL = Architecture("QwenImageControlNetModel", dims=STREAMS,
    parts=rows(
        rows(QWEN_IMAGE, use_additional_t_cond="false"),
        part("controlnet_blocks.{L}", "head.double",     dense("d -> d")),
        part("controlnet_x_embedder", "embed.condition", dense("c + extra_condition_channels -> d"))))
FLUX2_MLP = rows(
    part("linear_in",  "mlp.gate_up", linear("d -> ff + ff", packs="gate up")),
    part("linear_out", "mlp.down",    linear("ff -> d")))
FLUX2TRANSFORMER2DMODEL = Architecture("Flux2Transformer2DModel",
    dims=STREAMS | Dims(ff="floor(d*mlp_ratio)", i="timestep_guidance_channels"),
    parts=rows(
        under("time_guidance_embed",
            part("timestep_embedder.linear_1", "embed.time.1",     linear("i -> d")),
            part("timestep_embedder.linear_2", "embed.time.2",     linear("d -> d")),
            part("guidance_embedder.linear_1", "embed.guidance.1", linear("i -> d"), when="guidance_embeds"),
            part("guidance_embedder.linear_2", "embed.guidance.2", linear("d -> d"), when="guidance_embeds")),
        part("double_stream_modulation_img.linear", "norm.modulation.image",  linear("d -> 6*d")),
        part("double_stream_modulation_txt.linear", "norm.modulation.text",   linear("d -> 6*d")),
        part("single_stream_modulation.linear",     "norm.modulation.single", linear("d -> 3*d")),
        part("x_embedder",       "embed.patch", linear("c -> d")),
        part("context_embedder", "embed.text",  linear("joint_attention_dim -> d")),
        under("transformer_blocks.{L}",
            under("attn", ATTENTION),
            under("attn", ADDED_ATTENTION, e="d"),
            under("attn", QK_NORM, ADDED_QK_NORM),
            part("attn.to_add_out", "cross.output", linear("d -> d")),
            under("ff", FLUX2_MLP),
            under("ff_context", FLUX2_MLP, tower="text")),
        under("single_transformer_blocks.{N}.attn",
            part("to_qkv_mlp_proj", "attention.qkv_mlp",
                 linear("d -> d + d + d + ff + ff", packs="q k v mlp.gate mlp.up")),
            QK_NORM,
            part("to_out",          "attention.output",  linear("d + ff -> d")), tower="single"),
        part("norm_out.linear", "norm.modulation.out", linear("d -> 2*d")),
        part("proj_out",        "head.image",          linear("d -> p*p*o"))))
CHROMATRANSFORMER2DMODEL = Architecture("ChromaTransformer2DModel",
    dims=STREAMS | Dims(x="approximator_hidden_dim", A="approximator_layers"),
    parts=rows(
        under("distilled_guidance_layer",
            part("in_proj",             "embed.modulation.in",  dense("approximator_num_channels -> x")),
            part("layers.{A}.linear_1", "mlp.up",               dense("x -> x")),
            part("layers.{A}.linear_2", "mlp.down",             dense("x -> x")),
            part("norms.{A}",           "norm.mlp",             scale("x")),
            part("out_proj",            "embed.modulation.out", dense("x -> d")), tower="approximator"),
        part("x_embedder",       "embed.patch", dense("c -> d")),
        part("context_embedder", "embed.text",  dense("joint_attention_dim -> d")),
        under("transformer_blocks.{L}", DOUBLE, DOUBLE_MLP),
        under("single_transformer_blocks.{N}", SINGLE, tower="single"),
        part("proj_out", "head.image", dense("d -> p*p*o"))))
HUNYUANVIDEOTRANSFORMER3DMODEL = Architecture("HunyuanVideoTransformer3DModel",
    dims=STREAMS | Dims(ff="floor(d*mlp_ratio)", pt="patch_size_t", x="text_embed_dim", M="num_refiner_layers",
                        fr="4*d",
                        normed=RMS, centred=LAYER),
    parts=rows(
        part("x_embedder.proj", "embed.patch", conv("c -> d, pt p p")),
        under("context_embedder",
            under("time_text_embed",
                under("timestep_embedder", EMBEDDING, i="256"),
                under("text_embedder", TEXT_EMBEDDING, i="x")),
            part("proj_in", "embed.text", dense("x -> d")),
            under("token_refiner.refiner_blocks.{M}",
                part("norm1", "norm.attention", affine("d")),
                part("norm2", "norm.mlp",       affine("d")),
                under("attn", ATTENTION, b="true", bo="true"),
                under("ff", FEED_FORWARD, b="true", ff="fr"),
                part("norm_out.linear", "norm.modulation", dense("d -> 2*d"))), tower="refiner"),
        TIME_AND_TEXT,
        under("time_text_embed.guidance_embedder", GUIDANCE_EMBEDDING, i="256", when="guidance_embeds"),
        under("transformer_blocks.{L}", MODULATIONS, DOUBLE, DOUBLE_MLP),
        under("single_transformer_blocks.{N}", SINGLE_MODULATION, SINGLE, tower="single"),
        part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out",        "head.image",          dense("d -> pt*p*p*o"))))

FLUXCONTROLNETMODEL = Architecture("FluxControlNetModel",
    dims=STREAMS | Dims(H="6", hint="conditioning_embedding_channels"),
    parts=rows(
        part("x_embedder",       "embed.patch", dense("c -> d")),
        part("context_embedder", "embed.text",  dense("joint_attention_dim -> d")),
        TIME_AND_TEXT,
        under("time_text_embed.guidance_embedder", GUIDANCE_EMBEDDING, i="256", when="guidance_embeds"),
        under("transformer_blocks.{L}", MODULATIONS, DOUBLE, DOUBLE_MLP),
        under("single_transformer_blocks.{N}", SINGLE_MODULATION, SINGLE, tower="single"),
        part("controlnet_blocks.{L}",        "head.double", dense("d -> d")),
        part("controlnet_single_blocks.{N}", "head.single", dense("d -> d")),
        part("controlnet_mode_embedder",     "embed.mode",  table("num_mode d"), when="num_mode != null"),
        under("input_hint_block",
            part("conv_in",    "embed.hint.in",  conv("3 -> 16, 3 3")),
            part("blocks.{H}", "embed.hint",     conv("16 -> 16, 3 3")),
            part("conv_out",   "embed.hint.out", conv("16 -> hint, 3 3")), when="hint != null"),
        part("controlnet_x_embedder", "embed.condition", dense("c -> d"))))
SD3CONTROLNETMODEL = Architecture("SD3ControlNetModel",
    dims=WIDTH | Dims(e="caption_projection_dim", j="joint_attention_dim",
                      J="L & dual_attention_layers when two | L[:0]", I="L - J",
                      normed=f"two and {RMS}", centred="false", two="j != null"),
    parts=rows(
        part("pos_embed.proj",      "embed.patch",    conv("c -> d, p p"), when="use_pos_embed"),
        part("pos_embed.pos_embed", "embed.position", buffer("1 pos_embed_max_size**2 d"),
             when="use_pos_embed and pos_embed_type == 'sincos' and pos_embed_max_size"),
        part("context_embedder",    "embed.text",     dense("j -> e"), when="two"),
        TIME_AND_TEXT,
        part("transformer_blocks.{I}.norm1.linear", "norm.modulation", dense("d -> 6*d")),
        part("transformer_blocks.{J}.norm1.linear", "norm.modulation", dense("d -> 9*d")),
        under("transformer_blocks.{L}",
            part("norm1_context.linear", "norm.modulation.text", dense("d -> 6*d")), DOUBLE, DOUBLE_MLP, when="two"),
        under("transformer_blocks.{L}",
            under("attn", ATTENTION, b="true", bo="true"),
            under("attn", QK_NORM, when="normed"),
            under("ff", FEED_FORWARD, b="true"), tower="alone", when="not two"),
        under("transformer_blocks.{J}.attn2", ATTENTION, b="true", bo="true", tower="second"),
        under("transformer_blocks.{J}.attn2", QK_NORM, tower="second", when="normed"),
        part("controlnet_blocks.{L}", "head.double", dense("d -> d")),
        part("pos_embed_input.proj",  "embed.condition", conv("c + extra_conditioning_channels -> d, p p"))))

SWIGLU = rows(
    part("linear_1", "mlp.gate", linear("d -> ff")),
    part("linear_3", "mlp.up",   linear("d -> ff")),
    part("linear_2", "mlp.down", linear("ff -> d")))
LUMINA_BLOCK = rows(
    part("attn.norm_q",     "norm.query",       scale("dh")),
    part("attn.norm_k",     "norm.key",         scale("dh")),
    part("attn.to_q",       "attention.query",  linear("d -> h*dh")),
    part("attn.to_k",       "attention.key",    linear("d -> kv*dh")),
    part("attn.to_v",       "attention.value",  linear("d -> kv*dh")),
    part("attn.to_out.0",   "attention.output", linear("h*dh -> d")),
    under("feed_forward", SWIGLU),
    part("norm2",     "norm.attention.out", scale("d")),
    part("ffn_norm1", "norm.mlp",           scale("d")),
    part("ffn_norm2", "norm.mlp.out",       scale("d")))
LUMINA_TIMED = rows(
    part("norm1.linear", "norm.modulation", dense("t -> 4*d")),
    part("norm1.norm",   "norm.attention",  scale("d")),
    LUMINA_BLOCK)
LUMINA2TRANSFORMER2DMODEL = Architecture("Lumina2Transformer2DModel",
    dims=Dims(d="hidden_size", h="num_attention_heads", kv="num_kv_heads | h", dh="d//h", t="min(d, 1024)",
              c="in_channels", o="out_channels | c", p="patch_size", L="num_layers", M="num_refiner_layers",
              x="cap_feat_dim",
              u="floor(ffn_dim_multiplier*(4*d)) when ffn_dim_multiplier != null | 4*d", ff="ceil(u, multiple_of)"),
    parts=rows(
        part("x_embedder", "embed.patch", dense("c*p*p -> d")),
        under("time_caption_embed",
            under("timestep_embedder", EMBEDDING, i="256"),
            part("caption_embedder.0", "norm.text",  scale("x")),
            part("caption_embedder.1", "embed.text", dense("x -> d"))),
        under("noise_refiner.{M}",   LUMINA_TIMED, tower="noise"),
        under("context_refiner.{M}", part("norm1", "norm.attention", scale("d")), LUMINA_BLOCK, tower="context"),
        under("layers.{L}", LUMINA_TIMED),
        part("norm_out.linear_1", "norm.modulation.out", dense("t -> d")),
        part("norm_out.linear_2", "head.image",          dense("d -> p*p*o"))))

Z_BLOCK = rows(
    under("attention", ATTENTION, w="d", a="h*dh"),
    under("attention", QK_NORM, when="qk_norm"),
    part("feed_forward.w1", "mlp.gate", linear("d -> ff")),
    part("feed_forward.w2", "mlp.down", linear("ff -> d")),
    part("feed_forward.w3", "mlp.up",   linear("d -> ff")),
    part("attention_norm1", "norm.attention",     scale("d")),
    part("attention_norm2", "norm.attention.out", scale("d")),
    part("ffn_norm1",       "norm.mlp",           scale("d")),
    part("ffn_norm2",       "norm.mlp.out",       scale("d")))
Z_MODULATION = part("adaLN_modulation.0", "norm.modulation", dense("t -> 4*d"))
ZIMAGETRANSFORMER2DMODEL = Architecture("ZImageTransformer2DModel",
    dims=Dims(d="dim", L="n_layers", M="n_refiner_layers", h="n_heads", dh="d//h", c="in_channels", t="min(d, 256)",
              ff="8*d//3",
              x="cap_feat_dim", y="siglip_feat_dim", P="all_patch_size", F="all_f_patch_size", patch="c*{F}*{P}*{P}"),
    parts=rows(
        part("x_pad_token",      "embed.pad",       param("1 d")),
        part("cap_pad_token",    "embed.pad.text",  param("1 d")),
        part("siglip_pad_token", "embed.pad.image", param("1 d"), when="y != null"),
        part("all_x_embedder.{P}-{F}",                     "embed.patch",         dense("patch -> d")),
        part("all_final_layer.{P}-{F}.linear",             "head.image",          dense("d -> patch")),
        part("all_final_layer.{P}-{F}.adaLN_modulation.1", "norm.modulation.out", dense("t -> d")),
        part("t_embedder.mlp.0", "embed.time.1", dense("256 -> 1024")),
        part("t_embedder.mlp.2", "embed.time.2", dense("1024 -> t")),
        part("cap_embedder.0",   "norm.text",    scale("x")),
        part("cap_embedder.1",   "embed.text",   dense("x -> d")),
        under("siglip_embedder",
            part("0", "norm.image",  scale("y")),
            part("1", "embed.image", dense("y -> d")), when="y != null"),
        under("siglip_refiner.{M}",  Z_BLOCK, tower="image", when="y != null"),
        under("noise_refiner.{M}",   Z_BLOCK, Z_MODULATION, tower="noise"),
        under("context_refiner.{M}", Z_BLOCK, tower="context"),
        under("layers.{L}",          Z_BLOCK, Z_MODULATION)))

HIDREAM_MLP = rows(
    part("w1", "mlp.gate", linear("d -> ff")),
    part("w2", "mlp.down", linear("ff -> d")),
    part("w3", "mlp.up",   linear("d -> ff")))
HIDREAM_EXPERTS = rows(
    under("ff_i", HIDREAM_MLP, when="not E"),
    under("ff_i",
        part("gate", "router", linear("d -> E")),
        under("experts.{E}", HIDREAM_MLP),
        under("shared_experts", HIDREAM_MLP, ff="fs", tower="shared"), when="E"))
HIDREAM_ATTENTION = rows(
    part("to_q",       "attention.query",  dense("d -> d")),
    part("to_k",       "attention.key",    dense("d -> d")),
    part("to_v",       "attention.value",  dense("d -> d")),
    part("to_out",     "attention.output", dense("d -> d")),
    part("q_rms_norm", "norm.query",       scale("d")),
    part("k_rms_norm", "norm.key",         scale("d")))
HIDREAM_TEXT_ATTENTION = rows(
    part("to_q_t",       "cross.query",      dense("d -> d")),
    part("to_k_t",       "cross.key",        dense("d -> d")),
    part("to_v_t",       "cross.value",      dense("d -> d")),
    part("to_out_t",     "cross.output",     dense("d -> d")),
    part("q_rms_norm_t", "norm.cross.query", scale("d")),
    part("k_rms_norm_t", "norm.cross.key",   scale("d")))
HIDREAMIMAGETRANSFORMER2DMODEL = Architecture("HiDreamImageTransformer2DModel",
    dims=WIDTH | Dims(N="num_single_layers", E="num_routed_experts", ff="ceil(2*(4*d)//3, 256)",
                      fs="ceil(2*(4*d//2)//3, 256)",
                      X="L + N + 1", x="caption_channels[0] when {X} == L + N | caption_channels[1]"),
    parts=rows(
        under("t_embedder.timestep_embedder", EMBEDDING, i="256"),
        under("p_embedder.pooled_embedder", TEXT_EMBEDDING, i="text_emb_dim"),
        part("x_embedder.proj", "embed.patch", dense("c*p*p -> d")),
        under("double_stream_blocks.{L}.block",
            part("adaLN_modulation.1", "norm.modulation", dense("d -> 12*d")),
            under("attn1", HIDREAM_ATTENTION, HIDREAM_TEXT_ATTENTION),
            HIDREAM_EXPERTS,
            under("ff_t", HIDREAM_MLP, tower="text")),
        under("single_stream_blocks.{N}.block",
            part("adaLN_modulation.1", "norm.modulation", dense("d -> 6*d")),
            under("attn1", HIDREAM_ATTENTION),
            HIDREAM_EXPERTS, tower="single"),
        part("caption_projection.{X}.linear",  "embed.text",          linear("x -> d")),
        part("final_layer.adaLN_modulation.1", "norm.modulation.out", dense("d -> 2*d")),
        part("final_layer.linear",             "head.image",          dense("d -> p*p*o"))))
COGVIEW_BODY = rows(                           # i features of the time, sizes of what else is a condition
    under("time_condition_embed",
        under("timestep_embedder", EMBEDDING),
        part("condition_embedder.linear_1", "embed.condition", dense("sizes -> t")),
        part("condition_embedder.linear_2", "embed.condition", dense("t -> t"))),
    under("transformer_blocks.{L}",
        part("norm1.linear", "norm.modulation", dense("t -> 12*d")),
        under("attn1", ATTENTION, b="true", bo="true"),
        under("ff", FEED_FORWARD, b="true")),
    part("norm_out.linear", "norm.modulation.out", dense("t -> 2*d")),
    part("proj_out",        "head.image",          dense("d -> p*p*o")))
COGVIEW = rows(
    part("patch_embed.proj",      "embed.patch", dense("c*p*p -> d")),
    part("patch_embed.text_proj", "embed.text",  dense("text_embed_dim -> d")),
    COGVIEW_BODY)
COGVIEW_DIMS = WIDTH | Dims(t="time_embed_dim", i="d", sizes="6*condition_dim")
COGVIEW3PLUSTRANSFORMER2DMODEL = Architecture("CogView3PlusTransformer2DModel", dims=COGVIEW_DIMS, parts=COGVIEW)
COGVIEW4TRANSFORMER2DMODEL = Architecture("CogView4Transformer2DModel", dims=COGVIEW_DIMS, parts=COGVIEW)
ALLEGROTRANSFORMER3DMODEL = Architecture("AllegroTransformer3DModel",
    dims=WIDTH | Dims(e="cross_attention_dim", b="attention_bias", n="norm_elementwise_affine"),
    parts=rows(
        part("pos_embed.proj", "embed.patch", conv("c -> d, p p")),
        under("caption_projection", TEXT_EMBEDDING, i="caption_channels"),
        under("adaln_single.emb.timestep_embedder", EMBEDDING, i="256"),
        part("adaln_single.linear", "norm.modulation.shared", dense("d -> 6*d")),
        under("transformer_blocks.{L}",
            part("scale_shift_table", "norm.modulation", param("6 d")),
            part("norm1", "norm.attention", affine("d"), when="n"),
            part("norm2", "norm.cross",     affine("d"), when="n"),
            part("norm3", "norm.mlp",       affine("d"), when="n"),
            under("attn1", ATTENTION, bo="true"),
            under("attn2", CROSS_ATTENTION, bo="true", when="e != null"),
            under("ff", CHOSEN_FEED_FORWARD, b="true")),
        part("scale_shift_table", "norm.modulation.out", param("2 d")),
        part("proj_out",          "head.image",          dense("d -> p*p*o"))))
OMNIGENTRANSFORMER2DMODEL = Architecture("OmniGenTransformer2DModel",
    dims=Dims(V="vocab_size", d="hidden_size", h="num_attention_heads", kv="num_key_value_heads | h", dh="d//h",
              ff="intermediate_size",
              L="num_layers", c="in_channels", p="patch_size", t="d", T="pos_embed_max_size"),
    parts=rows(
        part("patch_embedding.output_image_proj", "embed.patch",       conv("c -> d, p p")),
        part("patch_embedding.input_image_proj",  "embed.patch.input", conv("c -> d, p p")),
        part("patch_embedding.pos_embed",         "embed.position",    buffer("1 T*T d")),
        under("time_token", EMBEDDING, i="time_step_dim", tower="token"),
        under("t_embedder", EMBEDDING, i="time_step_dim"),
        part("embed_tokens", "embed.token", table("V d")),
        under("layers.{L}",
            part("input_layernorm",          "norm.attention",   scale("d")),
            part("post_attention_layernorm", "norm.mlp",         scale("d")),
            part("self_attn.to_q",           "attention.query",  linear("d -> d")),
            part("self_attn.to_k",           "attention.key",    linear("d -> kv*dh")),
            part("self_attn.to_v",           "attention.value",  linear("d -> kv*dh")),
            part("self_attn.to_out.0",       "attention.output", linear("d -> d")),
            part("mlp.gate_up_proj",         "mlp.gate_up",      linear("d -> ff + ff", packs="gate up")),
            part("mlp.down_proj",            "mlp.down",         linear("ff -> d"))),
        part("norm",            "norm.final",          scale("d")),
        part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out",        "head.image",          dense("d -> p*p*c"))))
TRANSFORMER2DMODEL = Architecture("Transformer2DModel",
    dims=WIDTH | Dims(e="cross_attention_dim", b="attention_bias", patched="in_channels != null and patch_size != null",
                      zero="patched and norm_type == 'ada_norm_zero' and e == null",
                      single="patched and norm_type == 'ada_norm_single'"),
    parts=rows(
        rows(PIXARTTRANSFORMER2DMODEL.parts, when="single"),
        rows(DITTRANSFORMER2DMODEL.parts, tower="classes", when="zero"),
        opaque("", "a transformer of another kind than DiT's and PixArt's", when="not zero and not single")))
