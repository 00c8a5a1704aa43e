"""Stable Cascade's UNet; the prior of Wuerstchen and the autoencoder of Paella, which came before it.

unet_stable_cascade.py: a stage's blocks are numbered through: every layer is the sequence of `block_types_per_layer`;
the first residual block of every stage but the first on the way up reads the skip too. With `switch_level` stages are
scaled by interpolation and a 1x1 convolution.
"""

from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import batchnorm, conv, conv_t, dense, param, table

RESIDUAL = rows(                               # c channels, s of a skip
    part("depthwise",           "resnet.conv",        conv("c -> c, kernel_size kernel_size", groups="c")),
    part("channelwise.0",       "mlp.up",             dense("c + s -> 4*c")),
    part("channelwise.2.gamma", "norm.response",      param("1 1 1 4*c")),
    part("channelwise.2.beta",  "norm.response.bias", param("1 1 1 4*c")),
    part("channelwise.4",       "mlp.down",           dense("4*c -> c")))
TIME = rows(
    part("mapper",     "embed.time",           dense("r -> 2*c")),
    part("mapper_sca", "embed.time.condition", dense("r -> 2*c"), when="'sca' in timestep_conditioning_type"),
    part("mapper_crp", "embed.time.crop",      dense("r -> 2*c"), when="'crp' in timestep_conditioning_type"))
ATTENTION = rows(                              # a the width of all heads
    part("kv_mapper.1",        "attention.project", dense("x -> c")),
    part("attention.to_q",     "attention.query",   dense("c -> a")),
    part("attention.to_k",     "attention.key",     dense("c -> a")),
    part("attention.to_v",     "attention.value",   dense("c -> a")),
    part("attention.to_out.0", "attention.output",  dense("a -> c")))
MAPPER = rows(                                 # i channels in
    part("0", "embed.map", conv("i -> 4*d, 1 1")),
    part("2", "embed.map", conv("4*d -> d, 1 1")))
# S, U: down and up stages; w, v, u, q: channels of a stage and of its neighbour; n, nu: kinds of blocks in a layer; N,
# M: numbered blocks, of which A, E are residual, B, F read the time step, C, G are attention; D, W: stages that
# resize; H, I: repeat mappers; x: width of the condition; skip: channels of the skip connection
STABLECASCADEUNET = Architecture("StableCascadeUNet",
    dims=Dims(ch="block_out_channels", S="len(ch)", U="len(ch)", d="ch[0]", r="timestep_ratio_embedding_dim",
              x="conditioning_dim",
              p="patch_size", w="ch[{S}]", v="ch[{S}-1] | d", D="S[1:]", u="ch[S-1-{U}]", q="ch[S-2-{U}] | d",
              W="U[:U-1]", V="U[1:]",
              n="len(block_types_per_layer[{S}])", N="down_num_layers_per_block[{S}]*n",
              A="N['SDCascadeResBlock' in block_types_per_layer[{S}][{N} % n]]",
              B="N['SDCascadeTimestepBlock' in block_types_per_layer[{S}][{N} % n]]",
              C="N['SDCascadeAttnBlock' in block_types_per_layer[{S}][{N} % n]]",
              nu="len(block_types_per_layer[S-1-{U}])", M="up_num_layers_per_block[{U}]*nu",
              E="M['SDCascadeResBlock' in block_types_per_layer[S-1-{U}][{M} % nu]]",
              F="M['SDCascadeTimestepBlock' in block_types_per_layer[S-1-{U}][{M} % nu]]",
              G="M['SDCascadeAttnBlock' in block_types_per_layer[S-1-{U}][{M} % nu]]",
              skip="u when {U} > 0 and {E} == 0 | 0", H="down_blocks_repeat_mappers[{S}] - 1",
              I="up_blocks_repeat_mappers[{U}] - 1"),
    parts=rows(
        part("embedding.1", "embed.image", conv("in_channels*p*p -> d, 1 1")),
        part("clip_txt_pooled_mapper", "embed.text.pooled", dense("clip_text_pooled_in_channels -> x*clip_seq")),
        part("clip_txt_mapper", "embed.text", dense("clip_text_in_channels -> x"),
             when="clip_text_in_channels != null"),
        part("clip_img_mapper", "embed.picture", dense("clip_image_in_channels -> x*clip_seq"),
             when="clip_image_in_channels != null"),
        under("effnet_mapper", MAPPER, i="effnet_in_channels", when="effnet_in_channels != null", tower="effnet"),
        under("pixels_mapper", MAPPER, i="pixel_mapper_in_channels", when="pixel_mapper_in_channels != null",
              tower="pixels"),
        under("down_blocks",
            under("{S}.{A}", RESIDUAL,  c="w", s="0"),
            under("{S}.{B}", TIME,      c="w"),
            under("{S}.{C}", ATTENTION, c="w", a="w"), tower="down"),
        part("down_downscalers.{D}.1", "resnet.down", conv("v -> w, 2 2"), when="switch_level == null"),
        part("down_downscalers.{D}.1.blocks.0", "resnet.down.map", conv("v -> w, 1 1"), when="switch_level != null"),
        part("down_repeat_mappers.{S}.{H}", "resnet.repeat.down", conv("w -> w, 1 1")),
        under("up_blocks",
            under("{U}.{E}", RESIDUAL,  c="u", s="skip"),
            under("{U}.{F}", TIME,      c="u"),
            under("{U}.{G}", ATTENTION, c="u", a="u"), tower="up"),
        part("up_upscalers.{W}.1", "resnet.up", conv_t("u -> q, 2 2"), when="switch_level == null"),
        part("up_upscalers.{W}.1.blocks.1", "resnet.up.map", conv("u -> q, 1 1"), when="switch_level != null"),
        part("up_repeat_mappers.{U}.{I}", "resnet.repeat.up", conv("u -> u, 1 1")),
        part("clf.1", "head.image", conv("d -> out_channels*p*p, 1 1"))))

# Z the blocks in turn: a residual one, one of the time, one of attention
WUERSTCHENPRIOR = Architecture("WuerstchenPrior",
    dims=Dims(r="c_r", x="c", Z="0 : 3*depth", A="Z[{Z} % 3 == 0]", B="Z[{Z} % 3 == 1]", C="Z[{Z} % 3 == 2]",
              kernel_size="3", s="0", a="nhead*(c//nhead)", timestep_conditioning_type="null"),
    parts=rows(
        part("projection",    "embed.image",  conv("c_in -> c, 1 1")),
        part("cond_mapper.0", "embed.text.1", dense("c_cond -> c")),
        part("cond_mapper.2", "embed.text.2", dense("c -> c")),
        under("blocks.{A}", RESIDUAL),
        part("blocks.{B}.mapper", "embed.time", dense("r -> 2*c")),
        under("blocks.{C}", ATTENTION),
        part("out.1", "head.image", conv("c -> 2*c_in, 1 1"))))
MIXING = rows(                                 # c channels
    part("gammas",        "norm.modulation", param("6")),
    part("depthwise.1",   "resnet.conv",     conv("c -> c, 3 3", groups="c")),
    part("channelwise.0", "mlp.up",          dense("c -> 4*c")),
    part("channelwise.2", "mlp.down",        dense("4*c -> c")))
# L levels, B blocks of the narrowest; K, X: numbered blocks down and up, J, Y: convolutions that resize; first: the
# channels of the widest level
PAELLAVQMODEL = Architecture("PaellaVQModel",
    dims=Dims(d="embed_dim", L="levels", B="bottleneck_blocks", r="up_down_scale_factor", z="latent_channels",
              first="d//2**(L - 1)", K="0 : 2*L - 1 : 2", w="d//2**(L - 1 - {K}//2)", J="1 : 2*L - 1 : 2",
              v="d//2**(L - 1 - ({J} - 1)//2)", y="d//2**(L - 1 - ({J} + 1)//2)", Q="1 : B + 1",
              X="B + 2 : B + 2*L - 1 : 2", u="d//2**(({X} - B)//2)", Y="B + 1 : B + 2*L - 2 : 2",
              p="d//2**(({Y} - B - 1)//2)", q="d//2**(({Y} - B + 1)//2)", last="2*L - 1 : 2*L"),
    parts=rows(
        part("in_block.1", "embed.image", conv("in_channels*r*r -> first, 1 1")),
        under("down_blocks.{K}", MIXING, c="w", tower="down"),
        part("down_blocks.{J}", "resnet.down", conv("v -> y, 4 4")),
        part("down_blocks.{last}.0", "head.latent", conv("d -> z, 1 1", bias=False)),
        part("down_blocks.{last}.1", "norm.latent", batchnorm("z")),
        part("vquantizer.embedding", "embed.codebook", table("num_vq_embeddings z")),
        part("up_blocks.0.0", "embed.latent", conv("z -> d, 1 1")),
        under("up_blocks.{Q}", MIXING, c="d", tower="middle"),
        under("up_blocks.{X}", MIXING, c="u", tower="up"),
        part("up_blocks.{Y}", "resnet.up", conv_t("p -> q, 4 4")),
        part("out_block.0", "head.image", conv("first -> out_channels*r*r, 1 1"))))
