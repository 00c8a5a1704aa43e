"""Phi-4-multimodal: Phi-3's layers, SigLIP's tower and a Conformer for speech, and what the authors published.

modeling_phi4_multimodal.py: a step of the subsampling halves the time, so there are as many as `time_reduction` has
powers of two; each but the first is a depthwise and a pointwise convolution. Speech has two projectors, one for speech
alone and one next to a picture. The mean and deviation of the input are buffers. The tower is SigLIP's with its pooling
head. The authors' files (`phi4mm`) have the same under other names, and two LoRA layers, `speech` and `vision`, around
each linear of the text model, which are part of the model: their ranks are `speech_lora.r` and `vision_lora.r`. The
sizes of the tower are in their code alone. There the mean and the deviation are parameters.
"""

from inspector.architectures.blocks import DECODER, ENDS, LM_HEAD, PRE_NORMS
from inspector.architectures.multimodal.siglip import SIGLIP_VISION
from inspector.architectures.text.phi import PHI3
from inspector.notation.definition import Architecture, Dims, Group, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

PHI4_VISION = Architecture("phi4_multimodal_vision", dims=SIGLIP_VISION.dims, parts=SIGLIP_VISION.parts,
    heads=(head("tower VisionModel", ""),))
DERIVED = Dims(D="2 : 3*n - 1 : 3", W="3 : 3*n : 3", f="nemo_final_size | ceil(i, 2**n)//2**n",
               m="d*depthwise_multiplier")
SUBSAMPLING = rows(
    part("embed.conv.0",   "embed.audio",           conv("1 -> c, 3 3")),
    part("embed.conv.{D}", "embed.audio.depth", conv("c -> c, 3 3", groups="c")),
    part("embed.conv.{W}", "embed.audio.pointwise", conv("c -> c, 1 1")),
    part("embed.out",      "embed.audio.out",       dense("c*f -> d")),
    part("relative_attention_bias_layer.bias_values", "attention.bias", table("B h")))
CONFORMER = rows(
    part("layer_norm_att",              "norm.attention",      affine("d")),
    part("layer_norm",                  "norm.layer",          affine("d")),
    part("conv.layer_norm",             "norm.conv",           affine("d")),
    part("conv.glu.ext_pw_conv_1d",     "conv.gate",           conv("d -> 2*e, 1")),
    part("conv.glu.b1",                 "conv.gate.in",        param("1 e 1")),
    part("conv.glu.b2",                 "conv.gate.out",       param("1 e 1")),
    part("conv.dw_sep_conv_1d.dw_conv", "conv.depth",          conv("d -> m, k", groups="d")),
    part("conv.dw_sep_conv_1d.pw_conv", "conv.point",          conv("m -> s, 1")),
    part("conv.ext_pw_conv_1d",         "conv.out",            conv("d -> e, 1")))
AUDIO_MLP = rows(
    part("layer_norm",   "norm.mlp",    affine("d")),
    part("gate_up_proj", "mlp.gate_up", dense("d -> ff + ff", packs="up gate")),
    part("down_proj",    "mlp.down",    dense("ff -> d")))
PHI4_AUDIO = Architecture("phi4_multimodal_audio", heads=(head("tower AudioModel", ""),),
    dims=DERIVED | Dims(d="hidden_size", L="num_blocks", h="num_attention_heads", dh="head_dim | d//h",
                        ff="intermediate_size",
                        c="nemo_conv_channels", r="time_reduction", n="log2(r)", i="input_size", k="kernel_size",
                        e="ext_pw_out_channel", s="depthwise_separable_out_channel",
                        B="bias_max_distance when bias_symmetric | 2*bias_max_distance"),
    parts=rows(
        part("encoder_embedding.global_mean",   "embed.audio.mean",      buffer("i")),
        part("encoder_embedding.global_invstd", "embed.audio.deviation", buffer("i")),
        SUBSAMPLING,
        under("encoders.{L}", CONFORMER,
            under("feed_forward_in", AUDIO_MLP, tower="in"),
            under("feed_forward_out", AUDIO_MLP, tower="out"),
            part("self_attn.q_proj", "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj", "attention.key",    dense("d -> h*dh")),
            part("self_attn.v_proj", "attention.value",  dense("d -> h*dh")),
            part("self_attn.o_proj", "attention.output", dense("h*dh -> d")))))
HEADS = (head("ForCausalLM", "model.", LM_HEAD, default=True), head("Model", ""))
PHI4_MULTIMODAL = Architecture("phi4_multimodal", heads=HEADS,
    dims=DECODER | Dims(v="vision.d", a="audio.d*audio_config.downsample_rate"),
    parts=rows(
        PHI3.parts,
        submodel("vision", "embed_tokens_extend.image_embed.img_processor.", PHI4_VISION),
        submodel("audio",  "embed_tokens_extend.audio_embed.encoder.", PHI4_AUDIO),
        under("embed_tokens_extend",
            part("image_embed.global_img_feature_extensor", "embed.separator.global", param("1 1 v")),
            part("image_embed.sub_img_feature_extensor",    "embed.separator.part",   param("1 1 1 v")),
            part("image_embed.img_projection_up",           "bridge.vision.in",       dense("v -> d")),
            part("image_embed.img_projection_down",         "bridge.vision.out",      dense("d -> d")),
            part("audio_embed.up_proj_for_speech",          "bridge.speech.in",       dense("a -> d")),
            part("audio_embed.down_proj_for_speech",        "bridge.speech.out",      dense("d -> d")),
            part("audio_embed.up_proj_for_vision_speech",   "bridge.both.in",         dense("a -> d")),
            part("audio_embed.down_proj_for_vision_speech", "bridge.both.out",        dense("d -> d")))))


def adapted(path: str, role: str, source: str, target: str, packs: str = "") -> Group:
    """A linear with the two LoRA layers around it; rs, rv their ranks."""
    return under(path,
        part("base_layer",    role,                  linear(f"{source} -> {target}", packs=packs)),
        part("lora_A.speech", "adapter.speech.down", linear(f"{source} -> rs")),
        part("lora_B.speech", "adapter.speech.up",   linear(f"rs -> {target}")),
        part("lora_A.vision", "adapter.vision.down", linear(f"{source} -> rv")),
        part("lora_B.vision", "adapter.vision.up",   linear(f"rv -> {target}")))


AUTHORS_AUDIO_MLP = rows(
    part("layer_norm",   "norm.mlp",    affine("d")),
    part("net.0.linear", "mlp.gate_up", dense("d -> ff + ff", packs="up gate")),
    part("net.2",        "mlp.down",    dense("ff -> d")))
# rs, rv: ranks of the speech and vision adapters; da, La, ha, fa: width, layers, heads, feed-forward of the audio
# encoder; c, n, i: channels and number of its first convolutions, input; k, e, s, m: its convolution modules; B:
# distances of the attention bias; a: input of the audio projection; v, Lv, hv, fv, p, g: the vision encoder, patch
# size, positions
PHI4MM = Architecture("phi4mm", heads=HEADS,  # no record exercises this definition
    ignores="attention_bias mlp_bias lm_head_bias full_attn_mod interpolate_factor sliding_window img_processor",
    dims=DECODER | DERIVED | Dims(
        rs="speech_lora.r", rv="vision_lora.r",
        da="audio_processor.config.attention_dim", La="audio_processor.config.num_blocks",
        ha="audio_processor.config.attention_heads",
        fa="audio_processor.config.linear_units", c="audio_processor.config.nemo_conv_settings.conv_channels",
        r="audio_processor.config.time_reduction", n="log2(r)", i="audio_processor.config.input_size",
        k="audio_processor.config.kernel_size", e="audio_processor.config.ext_pw_out_channel",
        s="audio_processor.config.depthwise_seperable_out_channel", m="da*audio_processor.config.depthwise_multiplier",
        B="2*audio_processor.config.relative_attention_bias_args.t5_bias_max_distance",
        a="da*embd_layer.audio_embd_layer.downsample_rate",
        v="1152", Lv="27", hv="16", fv="4304", p="14", g="(448//p)**2"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            adapted("self_attn.qkv_proj", "attention.qkv", "d", "h*dh + kv*dh + kv*dh", packs="q k v"),
            adapted("self_attn.o_proj", "attention.output", "h*dh", "d"),
            adapted("mlp.gate_up_proj", "mlp.gate_up", "d", "ff + ff", packs="gate up"),
            adapted("mlp.down_proj", "mlp.down", "ff", "d")),
        under("embed_tokens_extend.image_embed",
            part("glb_GN",           "embed.separator.global", param("1 1 v")),
            part("sub_GN",           "embed.separator.part",   param("1 1 1 v")),
            part("img_projection.0", "bridge.vision.in",       dense("v -> d")),
            part("img_projection.2", "bridge.vision.out",      dense("d -> d"))),
        under("embed_tokens_extend.image_embed.img_processor", SIGLIP_VISION.parts,
            d="v", L="Lv", ff="fv", c="3", pw="p", pools="true", tower="vision"),
        under("embed_tokens_extend.audio_embed",
            part("audio_projection.speech.0", "bridge.speech.in",  dense("a -> d")),
            part("audio_projection.speech.2", "bridge.speech.out", dense("d -> d")),
            part("audio_projection.vision.0", "bridge.both.in",    dense("a -> d")),
            part("audio_projection.vision.2", "bridge.both.out",   dense("d -> d"))),
        under("embed_tokens_extend.audio_embed.encoder",
            part("encoder_embedding.global_mean",   "embed.audio.mean",      param("i")),
            part("encoder_embedding.global_invstd", "embed.audio.deviation", param("i")),
            SUBSAMPLING,
            under("encoders.{L}", CONFORMER,
                under("feed_forward_in", AUTHORS_AUDIO_MLP, tower="in"),
                under("feed_forward_out", AUTHORS_AUDIO_MLP, tower="out"),
                part("self_attn.linear_q",   "attention.query",  dense("d -> d")),
                part("self_attn.linear_k",   "attention.key",    dense("d -> d")),
                part("self_attn.linear_v",   "attention.value",  dense("d -> d")),
                part("self_attn.linear_out", "attention.output", dense("d -> d"))),
            d="da", L="La", h="ha", ff="fa", tower="audio")))
