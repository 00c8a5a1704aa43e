"""Relatives of Wan and Sana, other video transformers: Wan-Animate, Helios, Sana-Video, EasyAnimate, JoyImage-Edit.

transformer_wan_animate.py: a motion encoder of convolutions halves an image until 4 pixels are left, its widths are a
table by size; a convolution with an activation has the bias in the activation. transformer_helios.py: Wan without
images; patches of the history have two and four times the size. transformer_sana_video.py: a convolution in time after
each MLP. transformer_easyanimate.py: the first blocks have a second stream of text. transformer_joyimage.py:
modulations are a table in each block.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ADDED_ATTENTION,
    ATTENTION,
    CHOSEN_FEED_FORWARD,
    EMBEDDING,
    FEED_FORWARD,
    TEXT_EMBEDDING,
)
from inspector.architectures.diffusion.diffusion_transformer import (
    SANA_BLOCK,
    SANA_DIMS,
    SANA_IN,
    WAN,
    WAN_BLOCK,
    WAN_DIMS,
    WIDTH,
)
from inspector.notation.definition import Architecture, Dims, opaque, part, rows, under
from inspector.notation.kinds import affine, conv, dense, param, scale

# size, s: of the image and at a block; B blocks, i, j channels in and out; u of the style, v of the motion, z what it
# becomes; K linear layers; f, fh: width and heads of the face encoder; X: blocks that read the face
WANANIMATETRANSFORMER3DMODEL = Architecture("WanAnimateTransformer3DModel",
    dims=WAN_DIMS | Dims(
        lc="latent_channels | (c - 4)//2", c="in_channels | 2*latent_channels + 4",
        o="out_channels when out_channels | lc",
        size="motion_encoder_size", B="log2(size) - 2", s="size//2**{B}", tabled="motion_encoder_channel_sizes",
        i="min(512, 16384//s)", j="min(512, 16384//(s//2))", first="min(512, 16384//size)",
        u="motion_style_dim", v="motion_dim", z="motion_encoder_dim", K="4",
        f="face_encoder_hidden_dim", fh="face_encoder_num_heads", X="L//inject_face_latents_blocks"),
    parts=rows(
        WAN,
        part("pose_patch_embedding", "embed.patch.pose", conv("lc -> d, P p q")),
        under("motion_encoder",
            part("motion_synthesis_weight", "head.motion", param("z v")),
            part("conv_in",             "embed.image",      conv("3 -> first, 1 1", bias=False)),
            part("conv_in.act_fn.bias", "embed.image.bias", param("first")),
            under("res_blocks.{B}",
                part("conv1",             "resnet.conv.1",      conv("i -> i, 3 3", bias=False)),
                part("conv1.act_fn.bias", "resnet.conv.1.bias", param("i")),
                part("conv2",             "resnet.conv.2",      conv("i -> j, 3 3", bias=False)),
                part("conv2.act_fn.bias", "resnet.conv.2.bias", param("j")),
                part("conv_skip",         "resnet.skip",        conv("i -> j, 1 1", bias=False))),
            part("conv_out",           "resnet.out",       conv("512 -> u, 4 4", bias=False)),
            part("motion_network.{K}", "mlp.inner",        dense("u -> u")),
            part("motion_network.4",   "mlp.out",          dense("u -> v")), tower="motion",
            when="not tabled"),
        opaque("motion_encoder.", "widths from a table", when="tabled"),
        under("face_encoder",
            part("padding_tokens", "embed.pad",   param("1 1 1 d")),
            part("conv1_local",    "conv.1",      conv("z -> f*fh, 3")),
            part("conv2",          "conv.2",      conv("f -> f, 3")),
            part("conv3",          "conv.final",  conv("f -> f, 3")),
            part("out_proj",       "project",     dense("f -> d")), tower="face"),
        under("face_adapter.{X}",
            part("to_q",   "cross.query",      dense("d -> d")),
            part("to_k",   "cross.key",        dense("d -> d")),
            part("to_v",   "cross.value",      dense("d -> d")),
            part("to_out", "cross.output",     dense("d -> d")),
            part("norm_q", "norm.cross.query", scale("dh")),
            part("norm_k", "norm.cross.key",   scale("dh")), tower="face")))
HELIOSTRANSFORMER3DMODEL = Architecture("HeliosTransformer3DModel",
    dims=WAN_DIMS | Dims(o="out_channels when out_channels | c", k="1 when history_scale_mode == 'scalar' | h"),
    parts=rows(
        part("patch_embedding", "embed.patch", conv("c -> d, P p q")),
        rows(
            part("patch_short", "embed.patch.clean",   conv("c -> d, P p q")),
            part("patch_mid",   "embed.patch.clean.2", conv("c -> d, 2*P 2*p 2*q")),
            part("patch_long",  "embed.patch.clean.4", conv("c -> d, 4*P 4*p 4*q")),
            when="has_multi_term_memory_patch"),
        under("condition_embedder",
            under("time_embedder", EMBEDDING, i="freq_dim"),
            under("text_embedder", TEXT_EMBEDDING, i="text_dim"),
            part("time_proj", "norm.modulation.shared", dense("d -> 6*d"))),
        under("blocks.{L}", WAN_BLOCK),
        part("blocks.{L}.attn1.history_key_scale", "attention.key.scale", param("k"), when="is_amplify_history"),
        part("norm_out.scale_shift_table", "norm.modulation.out", param("1 2 d")),
        part("proj_out",                   "head.image",          dense("d -> o*P*p*q"))))
SANAVIDEOTRANSFORMER3DMODEL = Architecture("SanaVideoTransformer3DModel",
    dims=SANA_DIMS | Dims(o="out_channels when out_channels | c", P="patch_size[0]", p="patch_size[1]",
                          q="patch_size[2]"),
    parts=rows(
        part("patch_embedding", "embed.patch", conv("c -> d, P p q")),
        SANA_IN,
        under("transformer_blocks.{L}", SANA_BLOCK),
        part("transformer_blocks.{L}.ff.conv_temp", "mlp.conv.time", conv("d -> d, 3 1", bias=False)),
        part("scale_shift_table", "norm.modulation.out", param("2 d")),
        part("proj_out",          "head.image",          dense("d -> P*p*q*o"))))
# M: the blocks with two streams; x, y: widths of the two texts; n: whether norms have weights
EASYANIMATETRANSFORMER3DMODEL = Architecture("EasyAnimateTransformer3DModel",
    dims=WIDTH | Dims(t="time_embed_dim", x="text_embed_dim", y="text_embed_dim_t5", n="norm_elementwise_affine",
                      M="L[:mmdit_layers]", N="L - M", normed="add_norm_text_encoder", o="out_channels"),
    parts=rows(
        under("time_embedding", EMBEDDING, i="d"),
        part("proj", "embed.patch", conv("c -> d, p p")),
        rows(
            part("text_proj",    "embed.text",   dense("x -> d")),
            part("text_proj_t5", "embed.text.2", dense("y -> d"), when="y != null"), when="not normed"),
        rows(
            part("text_proj.0",  "norm.text",    scale("x")),
            part("text_proj.1",  "embed.text",   dense("x -> d")),
            under("text_proj_t5",
                part("0", "norm.text",    scale("x")),
                part("1", "embed.text.2", dense("y -> d")), tower="second", when="y != null"), when="normed"),
        under("transformer_blocks.{L}",
            part("norm1.linear", "norm.modulation.1", dense("t -> 6*d")),
            part("norm1.norm",   "norm.attention",    affine("d"), when="n"),
            under("attn1", ATTENTION, b="true", bo="true"),
            part("attn1.norm_q", "norm.query",        affine("dh")),
            part("attn1.norm_k", "norm.key",          affine("dh")),
            part("norm2.linear", "norm.modulation.2", dense("t -> 6*d")),
            part("norm2.norm",   "norm.mlp",          affine("d"), when="n"),
            under("ff", CHOSEN_FEED_FORWARD, b="true"),
            part("norm3",        "norm.mlp.out",      affine("d"), when="after_norm and n")),
        under("transformer_blocks.{M}",
            under("attn1", ADDED_ATTENTION, e="d", b="true"),
            part("attn1.norm_added_q", "norm.cross.query", affine("dh")),
            part("attn1.norm_added_k", "norm.cross.key",   affine("dh")),
            part("attn1.to_add_out",   "cross.output",     dense("d -> d")),
            under("txt_ff", CHOSEN_FEED_FORWARD, b="true", tower="text")),
        part("norm_final",      "norm.final",          affine("d"), when="n"),
        part("norm_out.linear", "norm.modulation.out", dense("t -> 2*d")),
        part("norm_out.norm",   "norm.out",            affine("d"), when="n"),
        part("proj_out",        "head.image",          dense("d -> p*p*o"))))
JOY = rows(
    part("img_in", "embed.patch", conv("c -> d, P p q")),
    under("condition_embedder",
        under("time_embedder", EMBEDDING, i="256"),
        part("time_proj", "norm.modulation.shared", dense("d -> 6*d")),
        under("text_embedder", TEXT_EMBEDDING, i="text_dim")),
    under("double_blocks.{L}",
        part("img_mod.modulate_table", "norm.modulation",      param("1 6 d")),
        part("txt_mod.modulate_table", "norm.modulation.text", param("1 6 d")),
        under("img_mlp", FEED_FORWARD, b="true"),
        under("txt_mlp", FEED_FORWARD, b="true", tower="text"),
        part("attn.img_attn_qkv",    "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
        part("attn.img_attn_q_norm", "norm.query",       scale("dh")),
        part("attn.img_attn_k_norm", "norm.key",         scale("dh")),
        part("attn.img_attn_proj",   "attention.output", dense("d -> d")),
        part("attn.txt_attn_qkv",    "cross.qkv",        dense("d -> d + d + d", packs="q k v")),
        part("attn.txt_attn_q_norm", "norm.cross.query", scale("dh")),
        part("attn.txt_attn_k_norm", "norm.cross.key",   scale("dh")),
        part("attn.txt_attn_proj",   "cross.output",     dense("d -> d"))),
    part("proj_out", "head.image", dense("d -> o*P*p*q")))
JOY_DIMS = Dims(d="hidden_size", w="d", t="d", h="num_attention_heads", dh="d//h", ff="floor(d*mlp_width_ratio)",
                c="in_channels", o="out_channels when out_channels | c", L="num_layers", P="patch_size[0]",
                p="patch_size[1]", q="patch_size[2]")
JOYIMAGEEDITTRANSFORMER3DMODEL = Architecture("JoyImageEditTransformer3DModel", dims=JOY_DIMS, parts=JOY)
JOYIMAGEEDITPLUSTRANSFORMER3DMODEL = Architecture("JoyImageEditPlusTransformer3DModel", dims=JOY_DIMS, parts=JOY)
