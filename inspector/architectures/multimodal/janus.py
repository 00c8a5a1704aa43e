"""Janus: one model that reads and paints pictures.

modeling_janus.py: a tower with `mlp_ratio`, aligners of `depth` linears, a table of picture tokens with an aligner and
a head of its own, and a whole VQ autoencoder, whose last resolution has attention. The decoder's module `up.0` is the
lowest resolution.
"""

from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIES
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, table

JANUS_VISION = Architecture("janus_vision_model", heads=(head("tower VisionModel", ""),),
    dims=VISION | Dims(ff="floor(d*mlp_ratio)", b="attention_bias"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        part("post_layernorm",                "norm.final",     affine("d")),
        under("encoder.layers.{L}",
            part("layer_norm1",                "norm.attention",   affine("d")),
            part("layer_norm2",                "norm.mlp",         affine("d")),
            part("self_attn.q_proj",           "attention.query",  linear("d -> d", bias="b")),
            part("self_attn.k_proj",           "attention.key",    linear("d -> d", bias="b")),
            part("self_attn.v_proj",           "attention.value",  linear("d -> d", bias="b")),
            part("self_attn.projection_layer", "attention.output", dense("d -> d")),
            part("self_attn.q_norm",           "norm.query",       affine("d"), when="use_qk_norm"),
            part("self_attn.k_norm",           "norm.key",         affine("d"), when="use_qk_norm"),
            part("mlp.fc1",                    "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",                    "mlp.down",         dense("ff -> d")))))
RESNET = rows(                                 # i channels in, o out
    part("norm1",        "norm.resnet.1", affine("i")),
    part("conv1",        "resnet.conv.1", conv("i -> o, 3 3")),
    part("norm2",        "norm.resnet.2", affine("o")),
    part("conv2",        "resnet.conv.2", conv("o -> o, 3 3")),
    part("nin_shortcut", "resnet.skip",   conv("i -> o, 1 1"), when="i != o"))
ATTENTION = rows(
    part("norm",     "norm.attention",   affine("m")),
    part("q",        "attention.query",  conv("m -> m, 1 1")),
    part("k",        "attention.key",    conv("m -> m, 1 1")),
    part("v",        "attention.value",  conv("m -> m, 1 1")),
    part("proj_out", "attention.output", conv("m -> m, 1 1")))
MIDDLE = rows(
    under("mid.block_1", RESNET, i="m", o="m", tower="middle"),
    under("mid.attn_1", ATTENTION, tower="middle"),
    under("mid.block_2", RESNET, i="m", o="m", tower="middle.last"))
DECODER_MIDDLE = rows(
    under("mid.block_1", RESNET, i="m", o="m", tower="decoder.middle"),
    under("mid.attn_1", ATTENTION, tower="decoder.middle"),
    under("mid.block_2", RESNET, i="m", o="m", tower="decoder.middle.last"))
# S, U: stages of encoder and decoder; w, v, u, p: channels of a stage and of the one before; m: of the middle; y, n: of
# the encoder's stages and middle; R, Q: resnets; D, W: stages that resize; last, first: stages with attention;
# x: channels of the latents as encoded
JANUS_VQ = Architecture("janus_vqgan", heads=(head("tower Model VQVAE", ""),),
    dims=Dims(ch="channel_multiplier", a="base_channels", S="len(ch)", U="len(ch)", d="embed_dim", m="a*ch[S-1]",
              z="latent_channels",
              w="a*ch[{S}]", v="a*ch[{S}-1] | a", D="S[:S-1]", last="S[S-1:]", R="num_res_blocks",
              R0="R[:1]", R1="R[1:]",
              u="a*ch[S-1-{U}]", p="a*ch[S-{U}] | m", W="U[:U-1]", first="U[:1]", Q="R + 1", Q1="Q[1:]",
              x="2*z when double_latent | z", y="w when R > 0 | v", n="m when R > 0 | a*ch[S-2] | a"),
    parts=rows(
        part("quantize.embedding", "embed.code",     table("num_embeddings d")),
        part("quant_conv",         "head.quantise",  conv("z -> d, 1 1")),
        part("post_quant_conv",    "embed.quantise", conv("d -> z, 1 1")),
        under("encoder", rows(MIDDLE, m="n"),
            part("conv_in", "embed.image", conv("in_channels -> a, 3 3")),
            under("down.{S}.block.{R0}", RESNET, i="v", o="w"),
            under("down.{S}.block.{R1}", RESNET, i="w", o="w"),
            under("down.{last}.attn.{R}", ATTENTION),
            part("down.{D}.downsample.conv", "resnet.down", conv("y -> y, 3 3")),
            part("norm_out", "norm.final",  affine("n")),
            part("conv_out", "head.latent", conv("n -> x, 3 3")), tower="encoder"),
        under("decoder", DECODER_MIDDLE,
            part("conv_in", "embed.latent", conv("z -> m, 3 3")),
            under("up.{U}.block.0",    RESNET, i="p", o="u"),
            under("up.{U}.block.{Q1}", RESNET, i="u", o="u"),
            under("up.{first}.attn.{Q}", ATTENTION),
            part("up.{W}.upsample.conv", "resnet.up", conv("u -> u, 3 3")),
            part("norm_out", "norm.final", affine("a*ch[0]")),
            part("conv_out", "head.image", conv("a*ch[0] -> out_channels, 3 3")), tower="decoder")))
JANUS = Architecture("janus", ties=TIES, heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", q="vision_config.projection_dim", e="vq.d", y="vq_config.projection_dim",
              n="vq_config.num_embeddings", i="vq_config.image_token_embed_dim",
              A="vision_config.depth - 1", G="vq_config.num_hidden_layers - 1"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_model.", JANUS_VISION),
        submodel("vq",     "vqmodel.", JANUS_VQ),
        part("aligner.fc1",                "bridge.in",    dense("vision.d -> q")),
        part("aligner.hidden_layers.{A}",  "bridge.inner", dense("q -> q")),
        part("generation_embeddings",      "embed.picture", table("n e")),
        part("generation_aligner.fc1",     "bridge.image.in", dense("e -> y")),
        part("generation_aligner.hidden_layers.{G}", "bridge.image.inner", dense("y -> y")),
        part("generation_head.proj_out",   "head.image.project", dense("i -> y")),
        part("generation_head.vision_head", "head.image", dense("y -> n"))))
