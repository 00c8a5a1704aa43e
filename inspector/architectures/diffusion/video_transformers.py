"""More video transformers of diffusers: Latte, Cosmos, ConsisID.

latte_transformer_3d.py: a block in space and a block in time take turns, PixArt's both. transformer_cosmos.py: nothing
of the blocks has a bias, modulations go through a narrow layer. consisid_transformer_3d.py: CogVideoX with a resampler
of faces.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    CHOSEN_FEED_FORWARD,
    CROSS_ATTENTION,
    EMBEDDING,
    FEED_FORWARD,
    TEXT_EMBEDDING,
)
from inspector.architectures.diffusion.diffusion_transformer import COGVIDEOXTRANSFORMER3DMODEL, QK_NORM, WIDTH
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

LATTE_BLOCK = rows(
    part("scale_shift_table", "norm.modulation", param("6 d"), when="single"),
    part("norm1", "norm.attention", affine("d"), when="n"),
    part("norm2", "norm.cross",     affine("d"), when="n and (single or crossed)"),
    part("norm3", "norm.mlp",       affine("d"), when="n and not single"),
    under("attn1", ATTENTION, bo="true"),
    under("ff", CHOSEN_FEED_FORWARD, b="true"))
LATTETRANSFORMER3DMODEL = Architecture("LatteTransformer3DModel",
    dims=WIDTH | Dims(e="cross_attention_dim", b="attention_bias", n="norm_elementwise_affine",
                      single="norm_type == 'ada_norm_single'"),
    parts=rows(
        part("pos_embed.proj", "embed.patch", conv("c -> d, p p")),
        under("caption_projection", TEXT_EMBEDDING, i="caption_channels"),
        under("adaln_single.emb.timestep_embedder", EMBEDDING, i="256"),
        part("adaln_single.linear", "norm.modulation.shared", dense("d -> 6*d")),
        under("transformer_blocks.{L}", LATTE_BLOCK, crossed="e != null"),
        under("transformer_blocks.{L}.attn2", CROSS_ATTENTION, bo="true", when="e != null"),
        under("temporal_transformer_blocks.{L}", LATTE_BLOCK, crossed="false", tower="time"),
        part("scale_shift_table", "norm.modulation.out", param("2 d")),
        part("proj_out",          "head.image",          dense("d -> p*p*o"))))

COSMOS_ATTENTION = rows(ATTENTION, QK_NORM)
COSMOS_CROSS = rows(                           # e the width of the text states
    CROSS_ATTENTION,
    part("norm_q", "norm.cross.query", scale("dh")),
    part("norm_k", "norm.cross.key",   scale("dh")))
COSMOS_DIMS = WIDTH | Dims(e="text_embed_dim | d", r="adaln_lora_dim", P="patch_size[0]", p="patch_size[1]",
                           q="patch_size[2]", ff="floor(d*mlp_ratio)", x="img_context_dim_in",
                           pictured="x != null and x > 0")
COSMOS_IN = rows(                              # pictured: an image is read too
    under("learnable_pos_embed",
        part("pos_emb_t", "embed.position.time",   param("max_size[0]//P d")),
        part("pos_emb_h", "embed.position.height", param("max_size[1]//p d")),
        part("pos_emb_w", "embed.position.width",  param("max_size[2]//q d")),
        when="extra_pos_embed_type == 'learnable'"),
    part("time_embed.t_embedder.linear_1", "embed.time.1", linear("d -> d")),
    part("time_embed.t_embedder.linear_2", "embed.time.2", linear("d -> 3*d")),
    part("time_embed.norm",                "norm.time",    scale("d")),
    part("crossattn_proj.0",   "embed.text",  dense("crossattn_proj_in_channels -> encoder_hidden_states_channels"),
         when="use_crossattn_projection"),
    part("img_context_proj.0", "embed.image", dense("x -> img_context_dim_out"), when="pictured"))
COSMOS_BLOCK = rows(
    part("norm1.linear_1", "norm.modulation.in",    linear("d -> r")),
    part("norm1.linear_2", "norm.modulation.1.out", linear("r -> 3*d")),
    part("norm2.linear_1", "norm.modulation.in",    linear("d -> r")),
    part("norm2.linear_2", "norm.modulation.2.out", linear("r -> 3*d")),
    part("norm3.linear_1", "norm.modulation.in",    linear("d -> r")),
    part("norm3.linear_2", "norm.modulation.3.out", linear("r -> 3*d")),
    under("attn1", COSMOS_ATTENTION),
    under("attn2", COSMOS_CROSS),
    under("attn2",
        part("q_img",      "cross.image.query",      linear("d -> d")),
        part("k_img",      "cross.image.key",        linear("d -> d")),
        part("v_img",      "cross.image.value",      linear("d -> d")),
        part("q_img_norm", "norm.cross.image.query", scale("dh")),
        part("k_img_norm", "norm.cross.image.key",   scale("dh")), when="pictured"),
    under("ff", FEED_FORWARD))
COSMOSTRANSFORMER3DMODEL = Architecture("CosmosTransformer3DModel",
    dims=COSMOS_DIMS | Dims(ci="c + 1 when concat_padding_mask | c"),
    parts=rows(
        part("patch_embed.proj", "embed.patch", linear("ci*P*p*q -> d")),
        COSMOS_IN,
        under("transformer_blocks.{L}", COSMOS_BLOCK),
        part("norm_out.linear_1", "norm.modulation.out.in", linear("d -> r")),
        part("norm_out.linear_2", "norm.modulation.out",    linear("r -> 2*d")),
        part("proj_out",          "head.image",             linear("d -> P*p*q*o"))))

MAPPING = rows(                                # i features in, o out, x between
    part("0", "embed.face", dense("i -> x")),
    part("1", "norm.face",    affine("x")),
    part("3", "embed.face", dense("x -> x")),
    part("4", "norm.face",    affine("x")),
    part("6", "embed.face", dense("x -> o")))
PERCEIVER = rows(                              # y the width of what is read, u of what asks, a of all heads
    part("norm1",  "norm.cross.key",   affine("y")),
    part("norm2",  "norm.cross.query", affine("u")),
    part("to_q",   "cross.query",      linear("u -> a")),
    part("to_kv",  "cross.kv",         linear("y -> a + a", packs="key value")),
    part("to_out", "cross.output",     linear("a -> u")))
CONSISIDTRANSFORMER3DMODEL = Architecture("ConsisIDTransformer3DModel",
    dims=Dims(**{**COGVIDEOXTRANSFORMER3DMODEL.dims, "q": "none", "none": "null"}) | Dims(
        x="LFE_vit_dim", D="LFE_depth", N="LFE_num_scale", X="L//cross_attn_interval", af="LFE_num_heads*LFE_dim_head",
        ac="cross_attn_num_heads*cross_attn_dim_head", ab="LFE_ff_mult*x"),
    parts=rows(
        COGVIDEOXTRANSFORMER3DMODEL.parts,
        under("local_facial_extractor",
            part("latents",  "embed.face.query", param("1 LFE_num_querie x")),
            part("proj_out", "embed.face.out",   param("x LFE_output_dim")),
            under("layers.{D}.0", PERCEIVER, y="x", u="x", a="af"),
            part("layers.{D}.1.0", "norm.mlp", affine("x")),
            part("layers.{D}.1.1", "mlp.up",   linear("x -> ab")),
            part("layers.{D}.1.3", "mlp.down", linear("ab -> x")),
            under("mapping_{N}", MAPPING, i="x", o="x", tower="scale"),
            under("id_embedding_mapping", MAPPING, i="LFE_id_dim", o="x*LFE_num_id_token", tower="identity"),
            tower="face", when="is_train_face"),
        under("perceiver_cross_attention.{X}", PERCEIVER, y="2*d//3", u="d", a="ac", tower="faces",
              when="is_train_face")))
