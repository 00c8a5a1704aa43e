"""Image transformers of 2025 and 2026: HunyuanImage, Bria FIBO, GLM-Image, PRX, Krea 2, Qwen-Image 2.1, ERNIE-Image,
Ideogram 4, Nucleus-MoE, Flux 3; and Lumina-Next.

transformer_hunyuanimage.py: HunyuanVideo's blocks, two text embedders, one embedding of time and guidance.
transformer_bria_fibo.py: every block has a projection of another layer of the text encoder. transformer_glm_image.py:
one stream, whose norms have no weights. transformer_prx.py: keys and values of the text come from one matrix of each
block. transformer_krea2.py: layers of the text encoder are fused by a small transformer; modulations are a table.
transformer_qwenimage21.py: one modulation for all blocks, nothing has a bias but the second half of the time's.
transformer_ernie_image.py: a projection of the text only where its width is another one.
transformer_nucleusmoe_image.py: experts are stored [in, out]; the first and last blocks may have none; the router reads
the time too. transformer_flux3.py: each mode has blocks of its own before the single ones. lumina_nextdit2d.py: text is
attended to through a gate of each head; the output matrix serves both attentions.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    EMBEDDING,
    GATED_FEED_FORWARD,
    GUIDANCE_EMBEDDING,
    TEXT_EMBEDDING,
)
from inspector.architectures.diffusion.diffusion_transformer import ADDED_QK_NORM, LAYER, QK_NORM, RMS, WIDTH
from inspector.architectures.diffusion.image_transformers import (
    COGVIEW_BODY,
    DOUBLE,
    DOUBLE_MLP,
    FLUX2_MLP,
    MODULATIONS,
    SINGLE,
    SINGLE_MODULATION,
    STREAMS,
    SWIGLU,
)
from inspector.architectures.diffusion.stream_relatives import (
    IN_AND_BLOCKS,
    TEXT_REFINER,
    WIDE_TEXT_EMBEDDING,
)
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, linear_io, param, scale, table

# x, y: widths of the two texts; P, p: size of a patch, q its third number where there is time
HUNYUANIMAGETRANSFORMER2DMODEL = Architecture("HunyuanImageTransformer2DModel",
    dims=STREAMS | Dims(ff="floor(d*mlp_ratio)", x="text_embed_dim", y="text_embed_2_dim", P="patch_size[0]",
                        p="patch_size[1]", q="patch_size[2]", area="P*p*q when q != null | P*p",
                        M="num_refiner_layers", fr="4*d", normed=RMS, centred=LAYER),
    parts=rows(
        part("x_embedder.proj", "embed.patch", conv("c -> d, P p"),   when="q == null"),
        part("x_embedder.proj", "embed.patch", conv("c -> d, P p q"), when="q != null"),
        under("context_embedder", TEXT_REFINER, tower="refiner"),
        under("context_embedder_2", WIDE_TEXT_EMBEDDING, when="y != null"),
        under("time_guidance_embed",
            under("timestep_embedder",   EMBEDDING, i="256"),
            under("timestep_embedder_r", EMBEDDING, i="256", tower="mean", when="use_meanflow"),
            under("guidance_embedder",   GUIDANCE_EMBEDDING, i="256", when="guidance_embeds")),
        under("transformer_blocks.{L}", MODULATIONS, DOUBLE, DOUBLE_MLP),
        under("single_transformer_blocks.{N}", SINGLE_MODULATION, SINGLE, tower="single"),
        part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out",        "head.image",          dense("d -> area*o"))))
BRIAFIBOTRANSFORMER2DMODEL = Architecture("BriaFiboTransformer2DModel",
    dims=STREAMS | Dims(o="in_channels", X="L + N"),
    parts=rows(
        under("time_embed.timestep_embedder",     EMBEDDING, i="256"),
        under("guidance_embed.timestep_embedder", GUIDANCE_EMBEDDING, i="256", when="guidance_embeds"),
        IN_AND_BLOCKS,
        part("caption_projection.{X}.linear", "embed.text.layer", linear("text_encoder_dim -> d//2"))))
GLMIMAGETRANSFORMER2DMODEL = Architecture("GlmImageTransformer2DModel",
    dims=WIDTH | Dims(t="time_embed_dim", i="t", sizes="4*condition_dim", V="prior_vq_quantizer_codebook_size",
                      o="out_channels"),
    parts=rows(
        part("image_projector.proj",  "embed.patch", dense("c*p*p -> d")),
        part("glyph_projector.net.0.proj", "embed.text.1",  dense("text_embed_dim -> d")),
        part("glyph_projector.net.2",      "embed.text.2",  dense("d -> d")),
        part("prior_token_embedding",      "embed.token",   table("V d")),
        part("prior_projector.net.0.proj", "embed.image.1", dense("d -> d")),
        part("prior_projector.net.2",      "embed.image.2", dense("d -> d")),
        COGVIEW_BODY))

PRX_EMBEDDING = rows(                          # a sine of 256 numbers in
    part("in_layer",  "embed.time.1", dense("256 -> d")),
    part("out_layer", "embed.time.2", dense("d -> d")))
PRXTRANSFORMER2DMODEL = Architecture("PRXTransformer2DModel",
    dims=Dims(d="hidden_size", dh="d//num_heads", L="depth", ff="floor(d*mlp_ratio)", o="in_channels*patch_size**2",
              x="bottleneck_size"),
    parts=rows(
        part("img_in",   "embed.patch",   dense("o -> d"), when="x == null"),
        part("img_in.0", "embed.image.1", dense("o -> x"), when="x != null"),
        part("img_in.1", "embed.image.2", dense("x -> d"), when="x != null"),
        under("time_in", PRX_EMBEDDING),
        part("txt_in", "embed.text", dense("context_in_dim -> d")),
        under("resolution_embedder.mlp", PRX_EMBEDDING, tower="resolution", when="resolution_embeds"),
        under("blocks.{L}",
            part("attention.img_qkv_proj", "attention.qkv",    linear("d -> d + d + d", packs="q k v")),
            part("attention.norm_q",       "norm.query",       scale("dh")),
            part("attention.norm_k",       "norm.key",         scale("dh")),
            part("attention.txt_kv_proj",  "cross.kv",         linear("d -> d + d", packs="key value")),
            part("attention.norm_added_k", "norm.cross.key",   scale("dh")),
            part("attention.to_out.0",     "attention.output", linear("d -> d")),
            part("gate_proj",      "mlp.gate",        linear("d -> ff")),
            part("up_proj",        "mlp.up",          linear("d -> ff")),
            part("down_proj",      "mlp.down",        linear("ff -> d")),
            part("modulation.lin", "norm.modulation", dense("d -> 6*d"))),
        part("final_layer.linear",             "head.image",          dense("d -> o")),
        part("final_layer.adaLN_modulation.1", "norm.modulation.out", dense("d -> 2*d"))))

KREA_BLOCK = rows(                             # d the width, h heads, kv those of keys and values, dh of a head
    part("norm1",         "norm.attention",   scale("d")),
    part("norm2",         "norm.mlp",         scale("d")),
    part("attn.to_q",     "attention.query",  linear("d -> h*dh")),
    part("attn.to_k",     "attention.key",    linear("d -> kv*dh")),
    part("attn.to_v",     "attention.value",  linear("d -> kv*dh")),
    part("attn.to_gate",  "attention.gate",   linear("d -> d")),
    part("attn.norm_q",   "norm.query",       scale("dh")),
    part("attn.norm_k",   "norm.key",         scale("dh")),
    part("attn.to_out.0", "attention.output", linear("d -> d")),
    part("ff.gate",       "mlp.gate",         linear("d -> ff")),
    part("ff.up",         "mlp.up",           linear("d -> ff")),
    part("ff.down",       "mlp.down",         linear("ff -> d")))
KREA_TEXT_BLOCK = rows(KREA_BLOCK, d="x", h="hx", kv="kvx", dh="x//hx", ff="fx")
# x, hx, kvx, fx: width, heads and MLP of the text's blocks, X and Y their numbers
KREA2TRANSFORMER2DMODEL = Architecture("Krea2Transformer2DModel",
    dims=WIDTH | Dims(kv="num_key_value_heads | h", ff="intermediate_size", x="text_hidden_dim",
                      hx="text_num_attention_heads", kvx="text_num_key_value_heads | hx",
                      fx="text_intermediate_size", X="num_layerwise_text_blocks", Y="num_refiner_text_blocks"),
    parts=rows(
        part("img_in", "embed.patch", dense("c -> d")),
        under("time_embed", EMBEDDING, i="timestep_embed_dim"),
        part("time_mod_proj", "norm.modulation.shared", dense("d -> 6*d")),
        under("text_fusion",
            under("layerwise_blocks.{X}", KREA_TEXT_BLOCK, tower="layers"),
            part("projector", "pool.layers", linear("num_text_layers -> 1")),
            under("refiner_blocks.{Y}", KREA_TEXT_BLOCK, tower="refiner")),
        part("txt_in.norm", "norm.text", scale("x")),
        under("txt_in", TEXT_EMBEDDING, i="x"),
        part("transformer_blocks.{L}.scale_shift_table", "norm.modulation", param("6 d")),
        under("transformer_blocks.{L}", KREA_BLOCK),
        part("final_layer.scale_shift_table", "norm.modulation.out", param("2 d")),
        part("final_layer.norm",              "norm.final",          scale("d")),
        part("final_layer.linear",            "head.image",          dense("d -> c"))))
QWENIMAGE21TRANSFORMER2DMODEL = Architecture("QwenImage21Transformer2DModel",
    dims=WIDTH | Dims(ff="d*mlp_ratio", x="context_in_dim"),
    parts=rows(
        part("time_text_embed.timestep_embedder.linear_1", "embed.time.1", linear("256 -> d")),
        part("time_text_embed.timestep_embedder.linear_2", "embed.time.2", linear("d -> d")),
        part("txt_in.text_norm", "norm.text",    scale("x")),
        part("txt_in.in_layer",  "embed.text.1", linear("x -> d")),
        part("txt_in.out_layer", "embed.text.2", linear("d -> d")),
        part("img_in",       "embed.patch",            linear("c*p*p -> d")),
        part("modulation.1", "norm.modulation.shared", linear("d -> 4*d")),
        under("transformer_blocks.{L}",
            under("attn", ATTENTION, QK_NORM),
            part("img_mlp.proj",       "mlp.up",   linear("d -> ff")),
            part("img_mlp.out",        "mlp.down", linear("ff -> d")),
            part("img_mlp.gate_layer", "mlp.gate", linear("d -> ff"))),
        part("norm_out.linear", "norm.modulation.out", linear("d -> d")),
        part("proj_out",        "head.image",          linear("d -> p*p*o"))))
ERNIEIMAGETRANSFORMER2DMODEL = Architecture("ErnieImageTransformer2DModel",
    dims=Dims(d="hidden_size", w="d", a="h*dh", t="d", h="num_attention_heads", dh="d//h", ff="ffn_hidden_size",
              c="in_channels", o="out_channels", p="patch_size", x="text_in_dim", L="num_layers"),
    parts=rows(
        part("x_embedder.proj", "embed.patch", conv("c -> d, p p")),
        part("text_proj",       "embed.text",  linear("x -> d"), when="x != d"),
        under("time_embedding", EMBEDDING, i="d"),
        part("adaLN_modulation.1", "norm.modulation.shared", dense("d -> 6*d")),
        under("layers.{L}",
            part("adaLN_sa_ln",  "norm.attention", scale("d")),
            under("self_attention", ATTENTION, QK_NORM),
            part("adaLN_mlp_ln", "norm.mlp",       scale("d")),
            part("mlp.gate_proj",  "mlp.gate", linear("d -> ff")),
            part("mlp.up_proj",    "mlp.up",   linear("d -> ff")),
            part("mlp.linear_fc2", "mlp.down", linear("ff -> d"))),
        part("final_norm.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("final_linear",      "head.image",          dense("d -> p*p*o"))))

IDEOGRAM4TRANSFORMER2DMODEL = Architecture("Ideogram4Transformer2DModel",
    dims=WIDTH | Dims(t="adaln_dim", ff="intermediate_size", x="llm_features_dim"),
    parts=rows(
        part("input_proj",    "embed.patch", dense("c -> d")),
        part("llm_cond_norm", "norm.text",   scale("x")),
        part("llm_cond_proj", "embed.text",  dense("x -> d")),
        part("t_embedding.mlp_in",    "embed.time.1", dense("d -> d")),
        part("t_embedding.mlp_out",   "embed.time.2", dense("d -> d")),
        part("adaln_proj",            "norm.modulation.shared", dense("d -> t")),
        part("embed_image_indicator", "embed.type",             table("2 d")),
        under("layers.{L}",
            under("attention", ATTENTION, QK_NORM),
            part("feed_forward.w1", "mlp.gate", linear("d -> ff")),
            part("feed_forward.w2", "mlp.down", linear("ff -> d")),
            part("feed_forward.w3", "mlp.up",   linear("d -> ff")),
            part("attention_norm1",  "norm.attention",     scale("d")),
            part("attention_norm2",  "norm.attention.out", scale("d")),
            part("ffn_norm1",        "norm.mlp",           scale("d")),
            part("ffn_norm2",        "norm.mlp.out",       scale("d")),
            part("adaln_modulation", "norm.modulation",    dense("t -> 4*d"))),
        part("final_layer.linear",           "head.image",          dense("d -> c")),
        part("final_layer.adaln_modulation", "norm.modulation.out", dense("t -> d"))))
# L blocks, of which E have experts and D not; X experts, fe the width of one, ff that of a dense MLP
NUCLEUSMOEIMAGETRANSFORMER2DMODEL = Architecture("NucleusMoEImageTransformer2DModel",
    dims=WIDTH | Dims(kv="num_key_value_heads | h", x="joint_attention_dim", X="num_experts", fe="moe_intermediate_dim",
                      ff="floor(d*mlp_ratio*2/3)//128*128", plan="dense_moe_strategy",
                      E="L[:0] when not moe_enabled or plan == 'all_dense' "
                        "| L[3:L-1] when plan == 'leave_first_three_and_last_block_dense' "
                        "| L[3:] when plan == 'leave_first_three_blocks_dense' "
                        "| L[1:] when plan == 'leave_first_block_dense' | L", D="L - E"),
    parts=rows(
        part("time_text_embed.timestep_embedder.linear_1", "embed.time.1", dense("d -> 4*d")),
        part("time_text_embed.timestep_embedder.linear_2", "embed.time.2", dense("4*d -> d")),
        part("time_text_embed.norm", "norm.time",   scale("d")),
        part("txt_norm",             "norm.text",   scale("x")),
        part("img_in",               "embed.patch", dense("c -> d")),
        under("transformer_blocks.{L}",
            part("img_mod.1",         "norm.modulation",  dense("d -> 4*d")),
            part("encoder_proj",      "embed.text",       dense("x -> d")),
            part("attn.to_q",         "attention.query",  linear("d -> d")),
            part("attn.to_k",         "attention.key",    linear("d -> kv*dh")),
            part("attn.to_v",         "attention.value",  linear("d -> kv*dh")),
            part("attn.add_k_proj",   "cross.key",        linear("d -> kv*dh")),
            part("attn.add_v_proj",   "cross.value",      linear("d -> kv*dh")),
            part("attn.to_out.0",     "attention.output", linear("d -> d")),
            under("attn", QK_NORM, ADDED_QK_NORM)),
        under("transformer_blocks.{D}.img_mlp", GATED_FEED_FORWARD),
        under("transformer_blocks.{E}.img_mlp",
            part("gate", "router", linear("2*d -> X")),
            part("experts.gate_up_proj", "mlp.gate_up",
                 linear_io("d -> fe + fe", each="X", bare=True, packs="gate up")),
            part("experts.down_proj",    "mlp.down", linear_io("fe -> d", each="X", bare=True)),
            under("shared_expert", GATED_FEED_FORWARD, ff="fe", tower="shared")),
        part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out",        "head.image",          linear("d -> p*p*o"))))
FLUX3_BLOCK = rows(
    under("attn", ATTENTION, QK_NORM),
    under("ff", FLUX2_MLP))
FLUX3_MODULATIONS = rows(
    part("image.linear",      "norm.modulation.image", linear("d -> 3*d")),
    part("image_cond.linear", "norm.modulation.condition", linear("d -> 3*d")),
    part("txt.linear",        "norm.modulation.text",  linear("d -> 3*d")))
FLUX3_TIME = rows(
    part("linear_1", "embed.time.1", linear("timestep_channels -> d")),
    part("linear_2", "embed.time.2", linear("d -> d")))
FLUX3TRANSFORMER2DMODEL = Architecture("Flux3Transformer2DModel",
    dims=STREAMS | Dims(ff="floor(d*mlp_ratio)"),
    parts=rows(
        under("timestep_embedder",        FLUX3_TIME),
        under("target_timestep_embedder", FLUX3_TIME, tower="target", when="flow_map"),
        under("early_stream_modulations",  FLUX3_MODULATIONS, tower="early"),
        under("single_stream_modulations", FLUX3_MODULATIONS, tower="single"),
        part("x_embedders.image",      "embed.patch",     linear("c -> d")),
        part("x_embedders.image_cond", "embed.condition", linear("cond_in_channels -> d")),
        part("context_embedder",       "embed.text",      linear("joint_attention_dim -> d")),
        under("mode_blocks.image.{L}",      FLUX3_BLOCK, tower="image"),
        under("mode_blocks.image_cond.{L}", FLUX3_BLOCK, tower="condition"),
        under("txt_mode_blocks.{L}",        FLUX3_BLOCK, tower="text"),
        under("single_transformer_blocks.{N}", FLUX3_BLOCK, tower="single"),
        part("norm_out.linear", "norm.modulation.out", linear("d -> 2*d")),
        part("proj_out",        "head.image",          linear("d -> c"))))
NEXT_CROSS = rows(                             # normed: queries and keys across heads
    part("to_q",   "cross.query",      linear("d -> h*dh")),
    part("to_k",   "cross.key",        linear("e -> kv*dh")),
    part("to_v",   "cross.value",      linear("e -> kv*dh")),
    part("norm_q", "norm.cross.query", affine("h*dh"),  when="normed"),
    part("norm_k", "norm.cross.key",   affine("kv*dh"), when="normed"),
    part("to_out.0", "cross.output",   linear("h*dh -> d")))
LUMINANEXTDIT2DMODEL = Architecture("LuminaNextDiT2DModel",
    dims=Dims(d="hidden_size", h="num_attention_heads", kv="num_kv_heads | h", dh="d//h", t="min(d, 1024)",
              c="in_channels", o="2*c when learn_sigma | c", p="patch_size", L="num_layers", e="cross_attention_dim",
              u="floor(8*d/3)", normed="qk_norm",
              ff="ceil((floor(ffn_dim_multiplier*u) when ffn_dim_multiplier != null | u), multiple_of)"),
    parts=rows(
        part("patch_embedder.proj", "embed.patch", dense("c*p*p -> d")),
        part("pad_token",           "embed.pad",   param("d")),
        under("time_caption_embed",
            under("timestep_embedder", EMBEDDING, i="256"),
            part("caption_embedder.0", "norm.text",  affine("e")),
            part("caption_embedder.1", "embed.text", dense("e -> t"))),
        under("layers.{L}",
            part("gate",         "cross.gate",       param("h")),
            part("attn1.to_q",   "attention.query",  linear("d -> h*dh")),
            part("attn1.to_k",   "attention.key",    linear("d -> kv*dh")),
            part("attn1.to_v",   "attention.value",  linear("d -> kv*dh")),
            part("attn1.norm_q", "norm.query",       affine("h*dh"),  when="normed"),
            part("attn1.norm_k", "norm.key",         affine("kv*dh"), when="normed"),
            under("attn2", NEXT_CROSS),
            under("feed_forward", SWIGLU),
            part("norm1.linear",  "norm.modulation",    dense("t -> 4*d")),
            part("norm1.norm",    "norm.attention",     scale("d")),
            part("ffn_norm1",     "norm.mlp",           scale("d")),
            part("norm2",         "norm.attention.out", scale("d")),
            part("ffn_norm2",     "norm.mlp.out",       scale("d")),
            part("norm1_context", "norm.cross",         scale("e"))),
        part("norm_out.linear_1", "norm.modulation.out", dense("t -> d")),
        part("norm_out.linear_2", "head.image",          dense("d -> p*p*o"))))
