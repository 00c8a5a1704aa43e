"""LTX-2: video and audio in one transformer, and the autoencoders of both.

transformer_ltx2.py: every block has the same layers for video and audio, and two cross attentions between them, of the
audio's heads; where the cross attention to the text is modulated too there are nine modulations and two of the text.
autoencoder_kl_ltx2.py: LTX's autoencoder, whose stages widen by their downsampler. autoencoder_kl_ltx2_audio.py: an
image autoencoder for spectrograms; norms have weights only with groups.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    CHOSEN_FEED_FORWARD,
    CROSS_ATTENTION,
    EMBEDDING,
    TEXT_EMBEDDING,
)
from inspector.architectures.diffusion.diffusion_transformer import ACROSS_HEADS, CROSS_ACROSS_HEADS, WIDTH
from inspector.architectures.diffusion.video_autoencoders import LTX_DECODER, LTX_PLAIN
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, param, scale

MODULATION = rows(                             # d the width, s how many modulations
    under("emb.timestep_embedder", EMBEDDING, i="256", t="d"),
    part("linear", "norm.modulation.shared", dense("d -> s*d")))
SELF = rows(ATTENTION, ACROSS_HEADS, w="d", a="d")
GATE = part("to_gate_logits", "attention.gate", dense("d -> h"))
CROSS_GATE = part("to_gate_logits", "cross.gate", dense("w -> h"))
CROSS = rows(CROSS_ATTENTION, CROSS_ACROSS_HEADS)
# da, ha: width and heads of the audio, ea: of its text; s, sa: modulations of a block; modulated: also for the text;
# n: whether norms have weights; gates, gatesa: whether a gate follows the attention of video and audio
LTX2VIDEOTRANSFORMER3DMODEL = Architecture("LTX2VideoTransformer3DModel",
    dims=WIDTH | Dims(e="cross_attention_dim | d", ha="audio_num_attention_heads", da="ha*audio_attention_head_dim",
                      ea="audio_cross_attention_dim | da", b="attention_bias", bo="attention_out_bias",
                      n="norm_elementwise_affine", s="9 when cross_attn_mod | 6", sa="9 when audio_cross_attn_mod | 6",
                      gates="gated_attn", gatesa="audio_gated_attn", o="out_channels when out_channels | c",
                      ca="audio_in_channels", oa="audio_out_channels when audio_out_channels | ca",
                      modulated="cross_attn_mod or audio_cross_attn_mod", x="caption_channels", ffa="4*da",
                      fb="ff_bias", fba="audio_ff_bias", one="1", two="2", four="4"),
    parts=rows(
        part("proj_in",       "embed.patch", dense("c -> d")),
        part("audio_proj_in", "embed.audio", dense("ca -> da")),
        part("keyframes_abs_pos_embedding", "embed.position", param("1 d"), when="use_keyframes_abs_pos_embedding"),
        under("caption_projection",       TEXT_EMBEDDING, i="x", when="use_prompt_embeddings"),
        under("audio_caption_projection", TEXT_EMBEDDING, i="x", t="da", tower="audio", when="use_prompt_embeddings"),
        under("time_embed",       MODULATION),
        under("audio_time_embed", MODULATION, d="da", s="sa", tower="audio"),
        under("av_cross_attn_video_scale_shift", MODULATION, s="four", tower="cross"),
        under("av_cross_attn_audio_scale_shift", MODULATION, d="da", s="four", tower="audio.cross"),
        under("av_cross_attn_video_a2v_gate", MODULATION, s="one", tower="gate"),
        under("av_cross_attn_audio_v2a_gate", MODULATION, d="da", s="one", tower="audio.gate"),
        under("prompt_adaln",       MODULATION, s="two", tower="text", when="modulated and use_prompt_adaln_single"),
        under("audio_prompt_adaln", MODULATION, d="da", s="two", tower="audio.text",
              when="modulated and use_prompt_adaln_single"),
        part("scale_shift_table",       "norm.modulation.out",       param("2 d")),
        part("audio_scale_shift_table", "norm.modulation.audio.out", param("2 da")),
        under("transformer_blocks.{L}",
            part("scale_shift_table",              "norm.modulation",       param("s d")),
            part("audio_scale_shift_table",        "norm.modulation.audio", param("sa da")),
            part("prompt_scale_shift_table",       "norm.modulation.text",  param("2 d"),  when="modulated"),
            part("audio_prompt_scale_shift_table", "norm.modulation.text",  param("2 da"), when="modulated"),
            part("video_a2v_cross_attn_scale_shift_table", "norm.modulation.2", param("5 d")),
            part("audio_a2v_cross_attn_scale_shift_table", "norm.modulation.2", param("5 da")),
            rows(
                part("norm1", "norm.attention", scale("d")), part("audio_norm1", "norm.attention", scale("da")),
                part("norm2", "norm.cross",     scale("d")), part("audio_norm2", "norm.cross",     scale("da")),
                part("norm3", "norm.mlp",       scale("d")), part("audio_norm3", "norm.mlp",       scale("da")),
                part("audio_to_video_norm", "norm.cross.post", scale("d")),
                part("video_to_audio_norm", "norm.cross.post", scale("da")), when="n"),
            under("attn1", SELF),
            under("attn2", CROSS, w="d", a="d"),
            under("ff", CHOSEN_FEED_FORWARD, w="d", b="fb"),
            under("audio_attn1", SELF, d="da", tower="audio"),
            under("audio_attn2", CROSS, w="da", a="da", e="ea", tower="audio"),
            under("audio_ff", CHOSEN_FEED_FORWARD, w="da", ff="ffa", b="fba", tower="audio"),
            under("audio_to_video_attn", CROSS, w="d", a="da", e="da", tower="from.audio"),
            under("video_to_audio_attn", CROSS, w="da", a="da", e="d", tower="audio.from.video"),
            rows(
                under("attn1", GATE), under("attn2", CROSS_GATE, w="d"),
                under("audio_to_video_attn", CROSS_GATE, w="d", h="ha", tower="from.audio"), when="gates"),
            rows(
                under("audio_attn1", GATE, d="da", h="ha"), under("audio_attn2", CROSS_GATE, w="da", h="ha"),
                under("video_to_audio_attn", CROSS_GATE, w="da", h="ha", tower="audio.from.video"), tower="audio",
                when="gatesa")),
        part("proj_out",       "head.image", dense("d -> o")),
        part("audio_proj_out", "head.audio", dense("da -> oa"))))
# as in AUTOENCODERKLLTXVIDEO; v, w: channels in and out of a stage, y what its downsampler gives; k, ku: its kind
AUTOENCODERKLLTX2VIDEO = Architecture("AutoencoderKLLTX2Video",
    dims=Dims(ci="in_channels", co="out_channels", z="latent_channels", p="patch_size", ch="block_out_channels",
              S="len(ch)", d="ch[0]", m="ch[S-1]", w="ch[{S}]", v="ch[{S}-1] | z", R="layers_per_block[{S}]",
              M="layers_per_block[len(layers_per_block)-1]", k="downsample_type[{S}]", X="S[spatio_temporal_scaling]",
              plain="k == 'conv'", y="w//4 when k == 'spatial' | w//2 when k == 'temporal' | w//8",
              dc="decoder_block_out_channels", U="len(dc)", md="dc[U-1]", dl="decoder_layers_per_block",
              N="dl[len(dl)-1]", noise="decoder_inject_noise", f="upsample_factor[U-1-{U}]", u="dc[U-1-{U}]//f",
              vu="dc[U-{U}]//upsample_factor[U-{U}]//f | md//f", Q="dl[len(dl)-2-{U}]",
              timed="timestep_conditioning", last="dc[0]//upsample_factor[0]", second="true",
              ku="upsample_type[{U}]", grown="4 when ku == 'spatial' | 2 when ku == 'temporal' | 8"),
    parts=rows(
        part("latents_mean", "head.latent.mean",      buffer("z")),
        part("latents_std",  "head.latent.deviation", buffer("z")),
        under("encoder",
            part("conv_in.conv", "embed.image", conv("ci*p*p -> z, 3 3 3")),
            under("down_blocks",
                under("{S}.resnets.{R}", LTX_PLAIN, i="v", o="v"),
                part("{X}.downsamplers.0.conv",      "resnet.down",      conv("v -> v, 3 3 3"), when="plain"),
                part("{X}.downsamplers.0.conv.conv", "resnet.down.wide", conv("v -> y, 3 3 3"), when="not plain")),
            under("mid_block.resnets.{M}", LTX_PLAIN, i="m", o="m", tower="encoder.middle"),
            part("conv_out.conv", "head.latent", conv("m -> z + 1, 3 3 3")), tower="encoder"),
        under("decoder", rows(LTX_DECODER, v="vu"), tower="decoder")))

AUDIO_RESNET = rows(                           # i channels in, o out; grouped: whether norms have weights
    part("norm1", "norm.resnet.1", affine("i"), when="grouped"),
    part("conv1.conv",        "resnet.conv.1", conv("i -> o, 3 3")),
    part("norm2", "norm.resnet.2", affine("o"), when="grouped"),
    part("conv2.conv",        "resnet.conv.2", conv("o -> o, 3 3")),
    part("nin_shortcut.conv", "resnet.skip",   conv("i -> o, 1 1"), when="i != o"))
AUDIO_ATTENTION = rows(                        # o channels
    part("norm",     "norm.attention",   affine("o"), when="grouped"),
    part("q",        "attention.query",  conv("o -> o, 1 1")),
    part("k",        "attention.key",    conv("o -> o, 1 1")),
    part("v",        "attention.value",  conv("o -> o, 1 1")),
    part("proj_out", "attention.output", conv("o -> o, 1 1")))
AUDIO_MIDDLE = rows(
    under("mid.block_1", AUDIO_RESNET, i="m", o="m", tower="first"),
    under("mid.attn_1",  AUDIO_ATTENTION, o="m", tower="middle", when="mid_block_add_attention"),
    under("mid.block_2", AUDIO_RESNET, i="m", o="m", tower="last"))
# S stages; w, v, p: channels of one, of the one before and after it; X: stages that attend; D, W: that resize
AUTOENCODERKLLTX2AUDIO = Architecture("AutoencoderKLLTX2Audio",
    dims=Dims(a="base_channels", d="a", k="ch_mult", S="len(k)", w="a*k[{S}]", v="a*k[{S}-1] | a",
              m="a*k[S-1]", p="a*k[{S}+1] | w", z="latent_channels", R="num_res_blocks",
              R0="R[:1]", R1="R[1:]", y="w when R > 0 | v", n="m when R > 0 | a*k[S-2] | a", Q="R + 1",
              Q1="Q[1:]", D="S[:S-1]", W="S[1:]", grouped="norm_type == 'group'", first="a*k[0]",
              zz="2*z when double_z | z", X="S[resolution//2**{S} in attn_resolutions]",
              Y="S[resolution//2**(S-1)*2**(S-1-{S}) in attn_resolutions]"),
    parts=rows(
        part("latents_mean", "head.latent.mean",      buffer("a")),
        part("latents_std",  "head.latent.deviation", buffer("a")),
        under("encoder",
            part("conv_in.conv", "embed.audio", conv("in_channels -> a, 3 3")),
            under("down",
                under("{S}.block.{R0}", AUDIO_RESNET, i="v", o="w"),
                under("{S}.block.{R1}", AUDIO_RESNET, i="w", o="w"),
                under("{X}.attn.{R}",   AUDIO_ATTENTION, o="w"),
                part("{D}.downsample.conv", "resnet.down", conv("y -> y, 3 3"))),
            rows(AUDIO_MIDDLE, m="n"),
            part("norm_out", "norm.final", affine("n"), when="grouped"),
            part("conv_out.conv", "head.latent", conv("n -> zz, 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in.conv", "embed.latent", conv("z -> m, 3 3")),
            AUDIO_MIDDLE,
            under("up",
                under("{S}.block.0",    AUDIO_RESNET, i="p", o="w"),
                under("{S}.block.{Q1}", AUDIO_RESNET, i="w", o="w"),
                under("{Y}.attn.{Q}",   AUDIO_ATTENTION, o="w"),
                part("{W}.upsample.conv.conv", "resnet.up", conv("w -> w, 3 3"))),
            part("norm_out", "norm.final", affine("first"), when="grouped"),
            part("conv_out.conv", "head.audio", conv("first -> output_channels, 3 3")), tower="decoder")))
