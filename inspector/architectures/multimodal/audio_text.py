"""Models of an audio encoder, a projector and a text model, like Qwen2-Audio.

Voxtral and its realtime form, Audio Flamingo 3, Music Flamingo, GLM-ASR, Granite Speech. modeling_voxtral.py: Whisper's
encoder; four of its frames are merged, so the projector reads `intermediate_size`. modeling_audioflamingo3.py: the
projector has the switch `projector_bias`; the head is never tied, and neither is Voxtral's in transformers 5.
modeling_glmasr.py: rotary positions, so none are stored; keys without bias and in groups; the projector is twice as
wide as the text model inside.
modeling_voxtral_realtime.py: RMS norms and a gated MLP; only its last linear has a bias; each text layer is scaled by
the delay through two linears of width 32. modeling_granite_speech.py: a Conformer that reads its own prediction in the
middle, and a Q-Former of `window_size // downsample_rate` queries.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, SWIGLU
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, JOINED, SPELLINGS, TIES
from inspector.architectures.multimodal.qwen2_audio import AUDIO_PARTS, QWEN2_AUDIO
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, scale, table

TEXT = Dims(d="text.d", V="text.V", a="audio.d")
ENCODER = Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size",
               n="num_mel_bins")
TEXT_AND_AUDIO = rows(
    submodel("text",  "language_model.", head="Model"),
    submodel("audio", "audio_tower.", head="tower"))
WHISPER_ENCODER = Architecture("voxtral_encoder audioflamingo3_encoder musicflamingo_encoder", ignores="vocab_size",
                               heads=(head("tower Encoder", ""),),
    dims=ENCODER | Dims(S="max_source_positions"),
    parts=rows(
        AUDIO_PARTS,
        part("embed_positions", "embed.position", table("S d")),
        part("layer_norm",      "norm.final",     affine("d"))))
VOXTRAL = Architecture("voxtral", ties=QWEN2_AUDIO.ties, heads=JOINED, dialects=SPELLINGS, dims=TEXT,
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  linear("audio.ff -> d")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d"))))
AUDIO_FLAMINGO3 = Architecture("audioflamingo3 musicflamingo", heads=JOINED, ties="false", dialects=SPELLINGS,
                               dims=TEXT | Dims(b="projector_bias"),
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  linear("a -> d", bias="b")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d", bias="b"))))
GLM_ASR_ENCODER = Architecture("glmasr_encoder", heads=(head("tower Encoder", ""),),
    dims=ENCODER | Dims(kv="num_key_value_heads | h", dh="head_dim | d//h"),
    parts=rows(
        part("conv1", "embed.audio.1", conv("n -> d, 3")),
        part("conv2", "embed.audio.2", conv("d -> d, 3")),
        part("norm",  "norm.final",    affine("d")),
        under("layers.{L}",
            part("input_layernorm",          "norm.attention",   affine("d")),
            part("post_attention_layernorm", "norm.mlp",         affine("d")),
            part("self_attn.q_proj",         "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj",         "attention.key",    linear("d -> kv*dh")),
            part("self_attn.v_proj",         "attention.value",  dense("d -> kv*dh")),
            part("self_attn.o_proj",         "attention.output", dense("h*dh -> d")),
            part("mlp.fc1",                  "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",                  "mlp.down",         dense("ff -> d")))))
GLM_ASR = Architecture("glmasr", ties=TIES, heads=JOINED, dialects=SPELLINGS, dims=TEXT,
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  dense("audio.ff -> d + d")),
        part("multi_modal_projector.linear_2", "bridge.out", dense("d + d -> d"))))
VOXTRAL_REALTIME_ENCODER = Architecture("voxtral_realtime_encoder", ignores="vocab_size",
                                        heads=(head("tower Encoder", ""),),
    dims=ENCODER | Dims(dh="head_dim | d//h"),
    parts=rows(
        part("embedder.conv1", "embed.audio.1", conv("n -> d, 3")),
        part("embedder.conv2", "embed.audio.2", conv("d -> d, 3")),
        part("norm",           "norm.final",    scale("d")),
        under("layers.{L}",
            part("self_attn_layer_norm", "norm.attention",   scale("d")),
            part("final_layer_norm",     "norm.mlp",         scale("d")),
            part("self_attn.q_proj",     "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj",     "attention.key",    linear("d -> h*dh")),
            part("self_attn.v_proj",     "attention.value",  dense("d -> h*dh")),
            part("self_attn.o_proj",     "attention.output", dense("h*dh -> d")),
            part("mlp.gate_proj",        "mlp.gate",         linear("d -> ff")),
            part("mlp.up_proj",          "mlp.up",           linear("d -> ff")),
            part("mlp.down_proj",        "mlp.down",         dense("ff -> d")))))
VOXTRAL_REALTIME_TEXT = Architecture("voxtral_realtime_text", dims=DECODER, heads=CAUSAL[:2],
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA), under("mlp", SWIGLU),
            part("ada_rms_norm.linear1", "time.down",  linear("d -> 32")),
            part("ada_rms_norm.linear2", "time.up",    linear("32 -> d")))))
VOXTRAL_REALTIME = Architecture("voxtral_realtime", ties=TIES, heads=JOINED, dialects=SPELLINGS, dims=TEXT,
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  linear("a*downsample_factor -> d")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d"))))
FEED_FORWARD = rows(
    part("pre_norm",  "norm.mlp", affine("d")),
    part("up_proj",   "mlp.up",   dense("d -> ff")),
    part("down_proj", "mlp.down", dense("ff -> d")))
GRANITE_SPEECH_ENCODER = Architecture("granite_speech_encoder granite_speech_plus_encoder",
                                      heads=(head("tower Encoder", ""),),
    dims=Dims(d="hidden_dim", L="num_layers", h="num_heads", dh="dim_head | d//h", ff="d*feedforward_mult",
              n="input_dim",
              o="output_dim", i="d*conv_expansion_factor", k="conv_kernel_size", P="2*max_pos_emb + 1"),
    parts=rows(
        part("input_linear", "embed.audio", dense("n -> d")),
        part("out",          "head.middle", dense("d -> o")),
        part("out_mid",      "head.back",   dense("o -> d")),
        under("layers.{L}",
            under("ff1", FEED_FORWARD, tower="in"),
            under("ff2", FEED_FORWARD, tower="out"),
            part("post_norm",            "norm.layer",           affine("d")),
            part("attn.pre_norm",        "norm.attention",       affine("d")),
            part("attn.to_q",            "attention.query",      linear("d -> h*dh")),
            part("attn.to_kv",           "attention.kv",         linear("d -> h*dh + h*dh", packs="k v")),
            part("attn.to_out",          "attention.output",     dense("h*dh -> d")),
            part("attn.rel_pos_emb",     "attention.bias",       table("P dh")),
            part("conv.norm",            "norm.conv",            affine("d")),
            part("conv.up_conv",         "conv.gate",            conv("d -> 2*i, 1")),
            part("conv.depth_conv.conv", "conv.depth",           conv("i -> i, k", groups="i", bias=False)),
            part("conv.batch_norm",      "norm.conv.depth",      batchnorm("i")),
            part("conv.down_conv",       "conv.out",             conv("i -> d, 1")))))
GRANITE_SPEECH = Architecture("granite_speech granite_speech_plus", ties=TIES, heads=BARE_MODEL, dialects=SPELLINGS,
    dims=Dims(d="text.d", V="text.V", q="projector.d", n="window_size//downsample_rate"),
    parts=rows(
        submodel("text",      "language_model.", head="Model"),
        submodel("encoder",   "encoder.", GRANITE_SPEECH_ENCODER),
        submodel("projector", "projector.qformer.", head="tower"),
        part("projector.query",  "embed.query", param("1 n q")),
        part("projector.linear", "bridge.out",  dense("q -> d"))))
