"""Chameleon and Emu3: one vocabulary for words and pictures, and the VQ encoder that makes the latter.

modeling_chameleon.py: queries and keys are normed with a weight and a bias for each head; the VQ model is Janus'
without decoder, attention is where the resolution is one of `attn_resolutions`, and in the middle unless `attn_type`
says otherwise.
modeling_emu3.py: a VQ model of films; `attn_resolutions` counts stages, not pixels; attention is `hidden_size` wide
whatever the stage; the decoder's norms are scaled by the codes; time is halved as often as `temporal_downsample_factor`
has powers of two.
"""

from inspector.architectures.blocks import DECODER, ENDS, LM_HEAD, PRE_NORMS, SWIGLU
from inspector.architectures.multimodal.janus import ATTENTION, RESNET
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIES
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, table

STAGES = Dims(a="base_channels", ch="channel_multiplier", S="len(ch)", m="a*ch[S-1]", z="latent_channels",
              q="embed_dim",
              w="a*ch[{S}]", v="a*ch[{S}-1] | a", D="S[:S-1]", R="num_res_blocks",
              R0="R[:1]", R1="R[1:]", x="2*z when double_latent | z", y="w when R > 0 | v")
CHAMELEON_VQ = Architecture("chameleon_vqgan", heads=(head("tower VQVAE", ""),),
    dims=STAGES | Dims(m="a*ch[S-1] when R > 0 | a*ch[S-2] | a",
                       A="S[resolution//2**{S} in attn_resolutions] when attn_type == 'vanilla' | 0 : 0"),
    parts=rows(
        part("quantize.embedding", "embed.code",     table("num_embeddings q")),
        part("quant_conv",         "head.quantise",  conv("z -> q, 1 1")),
        part("post_quant_conv",    "embed.quantise", conv("q -> z, 1 1")),
        under("encoder",
            part("conv_in",  "embed.image", conv("in_channels -> a, 3 3")),
            part("norm_out", "norm.final",  affine("m")),
            part("conv_out", "head.latent", conv("m -> x, 3 3")),
            under("down.{S}.block.{R0}", RESNET, i="v", o="w"),
            under("down.{S}.block.{R1}", RESNET, i="w", o="w"),
            under("down.{A}.attn.{R}", rows(ATTENTION, m="w")),
            part("down.{D}.downsample.conv", "resnet.down", conv("y -> y, 3 3")),
            under("mid.block_1", RESNET, i="m", o="m", tower="middle"),
            under("mid.attn_1", ATTENTION, tower="middle", when="attn_type == 'vanilla'"),
            under("mid.block_2", RESNET, i="m", o="m", tower="middle.last"))))
CHAMELEON = Architecture("chameleon",
                         dims=DECODER | Dims(dh="d//h", b="attention_bias"),
    heads=(head("ForConditionalGeneration", "model.", LM_HEAD, default=True), head("Model", "")),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("mlp", SWIGLU, b="mlp_bias"),
            part("self_attn.q_proj",        "attention.query",  linear("d -> h*dh",  bias="b")),
            part("self_attn.k_proj",        "attention.key",    linear("d -> kv*dh", bias="b")),
            part("self_attn.v_proj",        "attention.value",  linear("d -> kv*dh", bias="b")),
            part("self_attn.o_proj",        "attention.output", linear("d -> d",     bias="b")),
            part("self_attn.q_norm.weight", "norm.query",       param("h dh")),
            part("self_attn.q_norm.bias",   "norm.query.bias",  param("h dh")),
            part("self_attn.k_norm.weight", "norm.key",         param("kv dh")),
            part("self_attn.k_norm.bias",   "norm.key.bias",    param("kv dh"))),
        submodel("vq", "vqmodel.", CHAMELEON_VQ)))

VQ_ATTENTION = rows(
    part("q_proj",   "attention.query",  dense("e -> e")),
    part("k_proj",   "attention.key",    dense("e -> e")),
    part("v_proj",   "attention.value",  dense("e -> e")),
    part("out_proj", "attention.output", dense("e -> e")))
BY_CODES = rows(                               # a norm of n channels that the codes scale
    part("norm_layer", "norm.resnet",       affine("n")),
    part("conv_y",     "norm.resnet.scale", conv("q -> n, 1 1")),
    part("conv_b",     "norm.resnet.shift", conv("q -> n, 1 1")))
RESNET_BY_CODES = rows(                        # i channels in, o out
    under("norm1", BY_CODES, n="i", tower="1"),
    under("norm2", BY_CODES, n="o", tower="2"),
    part("conv1",        "resnet.conv.1", conv("i -> o, 3 3")),
    part("conv2",        "resnet.conv.2", conv("o -> o, 3 3")),
    part("nin_shortcut", "resnet.skip",   conv("i -> o, 1 1"), when="i != o"))
TIME_RESNET = rows(                            # c channels
    part("norm1",      "norm.time",          batchnorm("c")),
    part("conv1.conv", "resnet.time.conv", conv("c -> c, 3 3 3")),
    part("norm2",      "norm.time",          batchnorm("c")),
    part("conv2.conv", "resnet.time.conv", conv("c -> c, 3 3 3")))
EMU3_VQ = Architecture("emu3_vqgan", heads=(head("tower VQVAE", ""),),
    dims=STAGES | Dims(p="a*ch[{S}+1] | m", e="hidden_size", f="temporal_downsample_factor", A="S & attn_resolutions",
                       U="S[1:]", Q="R + 1", Q1="Q[1:]",
                       T="0 when f < 2 | 1 when f < 4 | 2 when f < 8 | 3 when f < 16 | 4 when f < 32"),
    parts=rows(
        part("quantize.embedding",   "embed.code",     table("codebook_size q")),
        part("quant_conv.conv",      "head.quantise",  conv("z -> q, 3 1 1")),
        part("post_quant_conv.conv", "embed.quantise", conv("q -> z, 3 1 1")),
        under("encoder",
            part("conv_in",            "embed.image", conv("in_channels -> a, 3 3")),
            part("norm_out",           "norm.final",  affine("m")),
            part("conv_out",           "head.latent", conv("m -> x, 3 3")),
            part("time_conv.{T}.conv.conv", "time.down", conv("x -> x, 4 3 3")),
            under("time_res_stack.{R}", TIME_RESNET, c="x"),
            under("down_block.down.{S}.block.{R0}", RESNET, i="v", o="w"),
            under("down_block.down.{S}.block.{R1}", RESNET, i="w", o="w"),
            under("down_block.down.{A}.attn.{R}", VQ_ATTENTION),
            part("down_block.down.{A}.attn_norms.{R}",   "norm.attention", affine("w")),
            part("down_block.down.{D}.downsample.conv",  "resnet.down",    conv("y -> y, 3 3")),
            under("middle_block.block_1", RESNET, i="m", o="m", tower="middle"),
            under("middle_block.attn_1", VQ_ATTENTION, tower="middle"),
            part("middle_block.attn_norm", "norm.attention.middle", affine("m")),
            under("middle_block.block_2", RESNET, i="m", o="m", tower="middle.last"), tower="encoder"),
        under("decoder",
            part("conv_in",  "embed.latent", conv("z -> m, 3 3")),
            under("norm_out", BY_CODES, n="a*ch[0]", tower="end"),
            part("conv_out", "head.image", conv("a*ch[0] -> out_channels, 3 3")),
            part("time_conv.{T}.conv.conv", "time.up", conv("z -> z, 3 3 3")),
            under("time_res_stack.{R}", TIME_RESNET, c="z"),
            under("up_block.up.{S}.block.0",    RESNET_BY_CODES, i="p", o="w"),
            under("up_block.up.{S}.block.{Q1}", RESNET_BY_CODES, i="w", o="w"),
            under("up_block.up.{A}.attn.{Q}", VQ_ATTENTION),
            under("up_block.up.{A}.attn_norms.{Q}", BY_CODES, n="w", tower="attention"),
            part("up_block.up.{U}.upsample.conv", "resnet.up", conv("w -> w, 3 3")),
            under("middle_block.block_1", RESNET_BY_CODES, i="m", o="m", tower="middle"),
            under("middle_block.attn_1", VQ_ATTENTION, tower="middle"),
            under("middle_block.attn_norm", BY_CODES, n="m", tower="middle.attention"),
            under("middle_block.block_2", RESNET_BY_CODES, i="m", o="m", tower="middle.last"), tower="decoder")))
EMU3 = Architecture("emu3", ties=TIES, heads=BARE_MODEL, dims=Dims(d="text.d", V="text.V"),
    parts=rows(
        submodel("text", "text_model.", head="Model"),
        submodel("vq",   "vqmodel.", EMU3_VQ)),
    dialects=({},
        {"model.text_model.": "text_model.model.", "lm_head": "text_model.lm_head", "model.vqmodel.": "vqmodel."},
        {"model.text_model.": "text_model.", "lm_head": "text_model.lm_head", "model.vqmodel.": "vqmodel."}))
