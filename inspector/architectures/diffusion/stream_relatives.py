"""Relatives of FLUX, HunyuanVideo, Wan and the image autoencoder: LongCat-Image, Ovis-Image, Bria, FLUX Redux,
HunyuanVideo 1.5, FramePack, ChronoEdit, the asymmetric autoencoder of inpainting.

transformer_longcat_image.py, transformer_bria.py: no pooled text. transformer_ovis_image.py: every MLP is gated and the
text is normed. transformer_hunyuan_video15.py: two text embedders, the second of a fixed width, and one of images; no
single blocks.
vae.py (MaskConditionEncoder): the mask's convolutions double the width until it is the decoder's widest.
"""

from inspector.architectures.diffusion.autoencoder import DECODER, DECODER_MIDDLE, ENCODER, ENCODER_MIDDLE, VAE_DIMS
from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    EMBEDDING,
    FEED_FORWARD,
    GATED_FEED_FORWARD,
    TEXT_EMBEDDING,
)
from inspector.architectures.diffusion.diffusion_transformer import LAYER, OUT, QK_NORM, RMS, WAN, WAN_DIMS
from inspector.architectures.diffusion.image_transformers import (
    DOUBLE,
    DOUBLE_MLP,
    HUNYUANVIDEOTRANSFORMER3DMODEL,
    MODULATIONS,
    SINGLE,
    SINGLE_MODULATION,
    STREAMS,
)
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, scale, table

IN_AND_BLOCKS = rows(
    part("x_embedder",       "embed.patch", dense("c -> d")),
    part("context_embedder", "embed.text",  dense("joint_attention_dim -> d")),
    under("transformer_blocks.{L}", MODULATIONS, DOUBLE, DOUBLE_MLP),
    under("single_transformer_blocks.{N}", SINGLE_MODULATION, SINGLE, tower="single"),
    OUT)
LONGCATIMAGETRANSFORMER2DMODEL = Architecture("LongCatImageTransformer2DModel", dims=STREAMS | Dims(o="in_channels"),
    parts=rows(
        under("time_embed.timestep_embedder", EMBEDDING, i="256"),
        IN_AND_BLOCKS))
BRIATRANSFORMER2DMODEL = Architecture("BriaTransformer2DModel", dims=STREAMS | Dims(o="in_channels"),
    parts=rows(
        under("time_embed.timestep_embedder", EMBEDDING, i="256"),
        IN_AND_BLOCKS))
OVISIMAGETRANSFORMER2DMODEL = Architecture("OvisImageTransformer2DModel", dims=STREAMS,
    parts=rows(
        under("timestep_embedder", EMBEDDING, i="256"),
        part("context_embedder_norm", "norm.text",   scale("joint_attention_dim")),
        part("context_embedder",      "embed.text",  dense("joint_attention_dim -> d")),
        part("x_embedder",            "embed.patch", dense("c -> d")),
        under("transformer_blocks.{L}", MODULATIONS, DOUBLE,
            under("ff", GATED_FEED_FORWARD, b="true"),
            under("ff_context", GATED_FEED_FORWARD, b="true", tower="text")),
        under("single_transformer_blocks.{N}",
            SINGLE_MODULATION,
            part("attn.to_q", "attention.query",  dense("d -> d")),
            part("attn.to_k", "attention.key",    dense("d -> d")),
            part("attn.to_v", "attention.value",  dense("d -> d")),
            under("attn", QK_NORM),
            part("proj_mlp",  "mlp.gate_up",      dense("d -> ff + ff", packs="up gate")),
            part("proj_out",  "attention.output", dense("d + ff -> d")), tower="single"),
        OUT))
REDUXIMAGEENCODER = Architecture("ReduxImageEncoder", dims=Dims(d="redux_dim", e="txt_in_features"),
    parts=rows(
        part("redux_up",   "mlp.up",   dense("d -> 3*e")),
        part("redux_down", "mlp.down", dense("3*e -> e"))))
CHRONOEDITTRANSFORMER3DMODEL = Architecture("ChronoEditTransformer3DModel", dims=WAN_DIMS, parts=WAN)
TEXT_REFINER = rows(                           # x the width of the text, M blocks, fr the width of their MLP
    under("time_text_embed",
        under("timestep_embedder", EMBEDDING, i="256", t="d"),
        under("text_embedder", TEXT_EMBEDDING, i="x", t="d")),
    part("proj_in", "embed.text", dense("x -> d")),
    under("token_refiner.refiner_blocks.{M}",
        part("norm1", "norm.attention", affine("d")),
        part("norm2", "norm.mlp",       affine("d")),
        under("attn", ATTENTION, b="true", bo="true"),
        under("ff", FEED_FORWARD, b="true", ff="fr"),
        part("norm_out.linear", "norm.modulation", dense("d -> 2*d"))))
WIDE_TEXT_EMBEDDING = rows(                    # y the width of the second text
    part("norm",     "norm.text",    affine("y")),
    part("linear_1", "embed.text.1", dense("y -> 2048")),
    part("linear_2", "embed.text.2", dense("2048 -> 2048")),
    part("linear_3", "embed.text.3", dense("2048 -> d")))
HUNYUANVIDEO15TRANSFORMER3DMODEL = Architecture("HunyuanVideo15Transformer3DModel",
    dims=STREAMS | Dims(ff="floor(d*mlp_ratio)", pt="patch_size_t", x="text_embed_dim", y="text_embed_2_dim",
                        z="image_embed_dim",
                        M="num_refiner_layers", fr="4*d", normed=RMS, centred=LAYER),
    parts=rows(
        part("x_embedder.proj", "embed.patch", conv("c -> d, pt p p")),
        under("image_embedder",
            part("norm_in",  "norm.image.in",  affine("z")),
            part("linear_1", "embed.image.1",  dense("z -> z")),
            part("linear_2", "embed.image.2",  dense("z -> d")),
            part("norm_out", "norm.image.out", affine("d"))),
        under("context_embedder", TEXT_REFINER, tower="refiner"),
        under("context_embedder_2", WIDE_TEXT_EMBEDDING),
        under("time_embed.timestep_embedder",   EMBEDDING, i="256"),
        under("time_embed.timestep_embedder_r", EMBEDDING, i="256", tower="mean", when="use_meanflow"),
        part("cond_type_embed", "embed.condition", table("3 d")),
        under("transformer_blocks.{L}", MODULATIONS, DOUBLE, DOUBLE_MLP),
        part("norm_out.linear", "norm.modulation.out", dense("d -> 2*d")),
        part("proj_out",        "head.image",          dense("d -> pt*p*p*o"))))
HUNYUANVIDEOFRAMEPACKTRANSFORMER3DMODEL = Architecture("HunyuanVideoFramepackTransformer3DModel",
    dims=Dims(**HUNYUANVIDEOTRANSFORMER3DMODEL.dims) | Dims(u="image_proj_dim"),
    parts=rows(
        HUNYUANVIDEOTRANSFORMER3DMODEL.parts,
        part("image_projection.up",      "embed.image.1",       dense("u -> 3*d"),     when="has_image_proj"),
        part("image_projection.down",    "embed.image.2",       dense("3*d -> d"),     when="has_image_proj"),
        part("clean_x_embedder.proj",    "embed.patch.clean",   conv("c -> d, 1 2 2"), when="has_clean_x_embedder"),
        part("clean_x_embedder.proj_2x", "embed.patch.clean.2", conv("c -> d, 2 4 4"), when="has_clean_x_embedder"),
        part("clean_x_embedder.proj_4x", "embed.patch.clean.4", conv("c -> d, 4 8 8"), when="has_clean_x_embedder")))
# as in VAE_DIMS; uc, B, ud, pd, md, ad: channels of the decoder: list, length, a stage, the one before, middle, last;
# N: convolutions of the mask encoder (J, K: by kernel), before, wide: channels in and out
ASYMMETRICAUTOENCODERKL = Architecture("AsymmetricAutoencoderKL", ignores="block_out_channels force_upcast",
    dims=VAE_DIMS | Dims(
        ch="down_block_out_channels", S="len(down_block_types)", C="len(ch)", m="ch[C-1]", D="S[:C-1]",
        R="layers_per_down_block",
        uc="up_block_out_channels", U="len(up_block_types)", B="len(uc)", W="U[:B-1]", Q="layers_per_up_block + 1",
        md="uc[B-1]", ad="uc[0]",
        ud="uc[B-1-{U}]", pd="uc[B-{U}] | md", N="4", wide="min(ad*2**{N}, md)", J="N[1:2]", K="N[2:]",
        before="min(ad*2**({N}-1), md)"),
    parts=rows(
        under("encoder", ENCODER, x="2*z", tower="encoder"), ENCODER_MIDDLE,
        rows(under("decoder", DECODER, tower="decoder"), DECODER_MIDDLE, grouped="true", m="md", a="ad", u="ud",
             p="pd"),
        under("decoder.condition_encoder.layers",
            part("0",   "embed.mask.in",  conv("co -> ad, 3 3")),
            part("{J}", "embed.mask.1",   conv("before -> wide, 3 3")),
            part("{K}", "embed.mask",     conv("before -> wide, 4 4")),
            part("4",   "embed.mask.out", conv("min(ad*8, md) -> md, 4 4")), tower="mask"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1")),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1"))))
