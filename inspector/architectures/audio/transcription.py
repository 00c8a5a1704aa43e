"""Models that write down speech: an encoder of spectrograms and a decoder, or a head of their own.

modeling_cohere_asr.py, modeling_canary.py: Parakeet's encoder and a decoder with cross attention; `attention_bias` does
not reach its MLPs, and Canary stores no positions. modeling_parakeet.py: the transducers' decoder is an LSTM, and a TDT
head also predicts `durations`. modeling_granite_speech5.py: a conformer whose middle prediction is fed back;
`attention_bias` reaches its MLPs alone, the keys are as many as the heads. modeling_moonshine_streaming.py: the first
linear reads the samples of `frame_ms`; the encoder's norms are called `gamma`, the decoder's `fc1` is gated.
modeling_fun_asr_nano.py: a depthwise convolution over the values of each layer, and a norm behind the last layer of
either part of the encoder. modeling_kyutai_speech_to_text.py: Moshi's layers over one table of text and audio tokens.
The authors of Cohere's model name its modules otherwise, and so do files that transformers 5 writes.
"""

from msgspec.structs import replace

from inspector.architectures.audio.csm import MOSHI_BODY, MOSHI_DIMS
from inspector.architectures.audio.encodec import LSTM
from inspector.architectures.audio.mimi import MIMI
from inspector.architectures.audio.sew_d import PARAKEET_ENCODER, STREAMING_ENCODER
from inspector.architectures.blocks import DECODER
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, scale, table

CROSS = rows(
    part("q_proj", "cross.query",  linear("d -> h*dh",  bias="b")),
    part("k_proj", "cross.key",    linear("d -> kv*dh", bias="b")),
    part("v_proj", "cross.value",  linear("d -> kv*dh", bias="b")),
    part("o_proj", "cross.output", linear("h*dh -> d",  bias="b")))
SELF = rows(
    part("q_proj", "attention.query",  linear("d -> h*dh",  bias="b")),
    part("k_proj", "attention.key",    linear("d -> kv*dh", bias="b")),
    part("v_proj", "attention.value",  linear("d -> kv*dh", bias="b")),
    part("o_proj", "attention.output", linear("h*dh -> d",  bias="b")))
CANARY_PARTS = rows(
    part("embed_tokens",        "embed.token", table("V d")),
    part("embedding_layernorm", "norm.embed",  affine("d")),
    part("norm",                "norm.final",  affine("d")),
    under("layers.{L}",
        under("self_attn", SELF),
        under("encoder_attn", CROSS),
        part("mlp.fc1",                  "mlp.up",         dense("d -> ff")),
        part("mlp.fc2",                  "mlp.down",       dense("ff -> d")),
        part("input_layernorm",          "norm.attention", affine("d")),
        part("post_attention_layernorm", "norm.cross",     affine("d")),
        part("final_layernorm",          "norm.mlp",       affine("d"))))
CANARY_DIMS = Dims(**DECODER) | Dims(dh="head_dim | d//h", T="max_position_embeddings", b="attention_bias")
CANARY_DECODER = Architecture("canary_decoder", dims=CANARY_DIMS, heads=(head("tower Decoder", ""),),
                              parts=CANARY_PARTS)
PROJ_OUT = rows(
    part("proj_out",      "head.token",      linear("d -> V"), tied="embed.token"),
    part("proj_out.bias", "head.token.bias", param("V")))
BODIES = (
    head("ForConditionalGeneration", "model.", PROJ_OUT, default=True),
    head("Model", ""))
CANARY = Architecture("canary", ties="tie_word_embeddings | true", heads=BODIES,
    dims=Dims(d="decoder.d", V="decoder.V"),
    parts=rows(
        submodel("encoder", "encoder.", PARAKEET_ENCODER),
        submodel("decoder", "decoder.", CANARY_DECODER)))
ENCODER_NAMES = {                              # the authors'
    "subsampling.layers.": "pre_encode.conv.", "subsampling.linear.": "pre_encode.out.",
    "*.self_attn.q_proj.": ".self_attn.linear_q.", "*.self_attn.k_proj.": ".self_attn.linear_k.",
    "*.self_attn.v_proj.": ".self_attn.linear_v.", "*.self_attn.o_proj.": ".self_attn.linear_out.",
    "*.self_attn.relative_k_proj.": ".self_attn.linear_pos.", "*.self_attn.bias_u": ".self_attn.pos_bias_u",
    "*.self_attn.bias_v": ".self_attn.pos_bias_v", "*.conv.norm.": ".conv.batch_norm."}
LAYER_NAMES = {
    "*.self_attn.q_proj.": ".first_sub_layer.query_net.", "*.self_attn.k_proj.": ".first_sub_layer.key_net.",
    "*.self_attn.v_proj.": ".first_sub_layer.value_net.", "*.self_attn.o_proj.": ".first_sub_layer.out_projection.",
    "*.encoder_attn.q_proj.": ".second_sub_layer.query_net.", "*.encoder_attn.k_proj.": ".second_sub_layer.key_net.",
    "*.encoder_attn.v_proj.": ".second_sub_layer.value_net.",
    "*.encoder_attn.o_proj.": ".second_sub_layer.out_projection.",
    "*.mlp.fc1.": ".third_sub_layer.dense_in.", "*.mlp.fc2.": ".third_sub_layer.dense_out.",
    "*.input_layernorm.": ".layer_norm_1.", "*.post_attention_layernorm.": ".layer_norm_2.",
    "*.final_layernorm.": ".layer_norm_3."}
DECODER_NAMES = {
    "decoder.layers.": "transf_decoder._decoder.layers.", "decoder.norm.": "transf_decoder._decoder.final_layer_norm.",
    "decoder.embed_tokens.": "transf_decoder._embedding.token_embedding.",
    "decoder.embedding_layernorm.": "transf_decoder._embedding.layer_norm.",
    "decoder.pos_emb.weight": "transf_decoder._embedding.position_embedding.pos_enc",
    "decoder.proj.": "encoder_decoder_proj."}
HEAD_NAMES = {"proj_out.": "log_softmax.mlp.layer0."}
COHERE_ASR = Architecture("cohere_asr", heads=BODIES, dims=CANARY_DIMS | Dims(e="encoder.d"),
    dialects=({},
        {f"model.{ours}": f"model.{theirs}" for ours, theirs in DECODER_NAMES.items()} | LAYER_NAMES | HEAD_NAMES,
        {f"model.{ours}": theirs for ours, theirs in DECODER_NAMES.items()} | LAYER_NAMES | HEAD_NAMES
        | {"model.encoder.": "encoder."},
        DECODER_NAMES | LAYER_NAMES),
    parts=rows(
        submodel("encoder", "encoder.", replace(PARAKEET_ENCODER, dialects=({}, ENCODER_NAMES))),
        under("decoder", CANARY_PARTS,
            part("pos_emb", "embed.position", table("T d")),
            part("proj",    "bridge.in",      dense("e -> d")), tower="decoder")))
TRANSDUCER_REST = rows(
    part("encoder_projector",         "bridge.in",   dense("e -> d")),
    part("decoder.embedding",         "embed.token", table("V d")),
    under("decoder", LSTM, D="d"),
    part("decoder.decoder_projector", "project",     dense("d -> d")))
TRANSDUCER = rows(submodel("encoder", "encoder.", PARAKEET_ENCODER), TRANSDUCER_REST)
TRANSDUCER_DIMS = Dims(V="vocab_size", d="decoder_hidden_size", Q="num_decoder_layers", e="encoder.d")
PARAKEET_RNNT = Architecture("parakeet_rnnt", dims=TRANSDUCER_DIMS, heads=(head("ForRNNT", ""),),
    parts=rows(TRANSDUCER, part("joint.head", "head.token", dense("d -> V"))))
NEMOTRON_ASR_STREAMING = Architecture("nemotron_asr_streaming", dims=TRANSDUCER_DIMS, heads=(head("ForRNNT", ""),),
    parts=rows(submodel("encoder", "encoder.", STREAMING_ENCODER), TRANSDUCER_REST,
        part("joint.head", "head.token", dense("d -> V"))))
PARAKEET_TDT = Architecture("parakeet_tdt", dims=TRANSDUCER_DIMS | Dims(W="V + len(durations)"),
                            heads=(head("ForTDT", ""),),
    parts=rows(TRANSDUCER, part("joint.head", "head.token", dense("d -> W"))))

GRANITE_SPEECH5_ENCODER = Architecture("granite_speech5_encoder", heads=(head("tower Encoder", ""),),
    ignores="num_key_value_heads subsample_layers context_size",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="head_dim | d//h",
              ff="intermediate_size", n="num_mel_bins", i="d*conv_expansion_factor", k="conv_kernel_size",
              P="2*max_position_embeddings + 1", b="attention_bias"),
    parts=rows(
        part("input_linear", "embed.audio",      dense("4*n -> d")),
        part("out",          "head.middle",      linear("d -> V")),
        part("out.bias",     "head.middle.bias", param("V")),
        part("out_mid",      "head.back",        dense("V -> d")),
        under("layers.{L}",
            part("norm_feed_forward1",    "norm.mlp.first",   affine("d")),
            part("feed_forward1.linear1", "mlp.first.up",     linear("d -> ff", bias="b")),
            part("feed_forward1.linear2", "mlp.first.down",   linear("ff -> d", bias="b")),
            part("norm_self_att",         "norm.attention",   affine("d")),
            part("self_attn.q_proj",      "attention.query",  linear("d -> h*dh")),
            part("self_attn.k_proj",      "attention.key",    linear("d -> h*dh")),
            part("self_attn.v_proj",      "attention.value",  linear("d -> h*dh")),
            part("self_attn.o_proj",      "attention.output", dense("h*dh -> d")),
            part("self_attn.rel_pos_emb", "attention.bias",   table("P dh")),
            part("norm_conv",             "norm.conv",        affine("d")),
            part("conv.pointwise_lin1",   "conv.in",          dense("d -> i + i")),
            part("conv.depthwise_conv",   "conv.depth",       conv("i -> i, k", groups="i", bias=False)),
            part("conv.norm",             "norm.conv.batch",  batchnorm("i")),
            part("conv.pointwise_lin2",   "conv.out",         dense("i -> d")),
            part("norm_feed_forward2",    "norm.mlp.second",  affine("d")),
            part("feed_forward2.linear1", "mlp.second.up",    linear("d -> ff", bias="b")),
            part("feed_forward2.linear2", "mlp.second.down",  linear("ff -> d", bias="b")),
            part("norm_out",              "norm.layer",       affine("d")))))
GRANITE_SPEECH5_CTC = Architecture("granite_speech5_ctc", ties="tie_word_embeddings | true",
                                   dims=Dims(V="vocab_size", d="encoder.d"), heads=(head("ForCTC", ""),),
    parts=rows(
        submodel("encoder", "encoder.", GRANITE_SPEECH5_ENCODER),
        part("ctc_head",      "head.token",      linear("d -> V"), tied="head.middle"),
        part("ctc_head.bias", "head.token.bias", param("V"),       tied="head.middle.bias")))

MOONSHINE_STREAMING_ENCODER = Architecture("moonshine_streaming_encoder", heads=(head("tower Encoder", ""),),
    ignores="sliding_windows max_position_embeddings",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", ff="intermediate_size", b="attention_bias",
              s="floor((2*sample_rate*frame_ms + 1000)//2000)"),
    parts=rows(
        part("embedder.comp.log_k", "embed.scale", param("")),
        part("embedder.linear",     "embed.audio",           linear("s -> d")),
        part("embedder.conv1",      "embed.audio.1",         conv("d -> 2*d, 5")),
        part("embedder.conv2",      "embed.audio.2",         conv("2*d -> d, 5")),
        part("final_norm.gamma",    "norm.final",            param("d")),
        under("layers.{L}",
            under("self_attn", SELF),
            part("mlp.fc1",                        "mlp.up",         dense("d -> ff")),
            part("mlp.fc2",                        "mlp.down",       dense("ff -> d")),
            part("input_layernorm.gamma",          "norm.attention", param("d")),
            part("post_attention_layernorm.gamma", "norm.mlp",       param("d")))))
MOONSHINE_STREAMING = Architecture("moonshine_streaming", ignores="pad_head_dim_to_multiple_of",
    dims=CANARY_DIMS | Dims(e="encoder.d"),
    heads=(
        head("ForConditionalGeneration", "model.",
            part("proj_out", "head.token", linear("d -> V"), tied="embed.token"), default=True),
        head("Model", "")),
    parts=rows(
        submodel("encoder", "encoder.", MOONSHINE_STREAMING_ENCODER),
        under("decoder",
            part("embed_tokens", "embed.token",    table("V d")),
            part("pos_emb",      "embed.position", table("T e")),
            part("proj",         "bridge.in",      linear("e -> d"), when="e != d"),
            part("norm",         "norm.final",     scale("d")),
            under("layers.{L}",
                part("self_attn.q_proj",         "attention.query",  linear("d -> h*dh",  bias="b")),
                part("self_attn.k_proj",         "attention.key",    linear("d -> kv*dh", bias="b")),
                part("self_attn.v_proj",         "attention.value",  linear("d -> kv*dh", bias="b")),
                part("self_attn.o_proj",         "attention.output", linear("h*dh -> d")),
                part("encoder_attn.q_proj",      "cross.query",      linear("d -> h*dh",  bias="b")),
                part("encoder_attn.k_proj",      "cross.key",        linear("d -> kv*dh", bias="b")),
                part("encoder_attn.v_proj",      "cross.value",      linear("d -> kv*dh", bias="b")),
                part("encoder_attn.o_proj",      "cross.output",     linear("h*dh -> d")),
                part("mlp.fc1",                  "mlp.gate_up",      dense("d -> ff + ff", packs="up gate")),
                part("mlp.fc2",                  "mlp.down",         dense("ff -> d")),
                part("input_layernorm",          "norm.attention",   scale("d")),
                part("post_attention_layernorm", "norm.cross",       scale("d")),
                part("final_layernorm",          "norm.mlp",         scale("d"))), tower="decoder")))

FUN_ASR_LAYER = rows(                          # i the width before it
    part("self_attn.q_proj",         "attention.query",  dense("i -> d")),
    part("self_attn.k_proj",         "attention.key",    dense("i -> d")),
    part("self_attn.v_proj",         "attention.value",  dense("i -> d")),
    part("self_attn.o_proj",         "attention.output", dense("d -> d")),
    part("mlp.fc1",                  "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",                  "mlp.down",         dense("ff -> d")),
    part("input_layernorm",          "norm.attention",   affine("i")),
    part("post_attention_layernorm", "norm.mlp",         affine("d")))
FUN_ASR_NANO_ENCODER = Architecture("fun_asr_nano_encoder", heads=(head("tower Encoder", ""),),
    ignores="max_position_embeddings",
    dims=Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size", w="num_mel_bins*num_stacked_frames",
              k="fsmn_kernel_size", A="L[:1]", B="L[1:]", t="num_hidden_layers - num_timestamp_prediction_layers - 1",
              E="L[{L} == t or {L} == num_hidden_layers - 1]"),
    parts=rows(
        under("layers.{A}", FUN_ASR_LAYER, i="w"),
        under("layers.{B}", FUN_ASR_LAYER, i="d"),
        part("layers.{L}.self_attn.fsmn.conv", "attention.conv.depth", conv("d -> d, k", groups="d", bias=False)),
        part("layers.{E}.final_layernorm",     "norm.layer",           affine("d"))))
FUN_ASR_NANO = Architecture("fun_asr_nano", heads=BARE_MODEL, ties="tie_word_embeddings | true",
    dims=Dims(d="text.d", V="text.V", a="audio.d", q="adaptor_config.projector_hidden_size",
              m="adaptor_config.hidden_size", L="adaptor_config.num_hidden_layers",
              ff="adaptor_config.intermediate_size"),
    parts=rows(
        submodel("text",  "language_model.", head="Model"),
        submodel("audio", "audio_tower.", FUN_ASR_NANO_ENCODER),
        under("multi_modal_projector",
            part("linear_1", "bridge.in",  dense("a -> q")),
            part("linear_2", "bridge.out", dense("q -> m")),
            under("layers.{L}", FUN_ASR_LAYER, d="m", i="m"), tower="projector")))

KYUTAI_SPEECH_TO_TEXT = Architecture("kyutai_speech_to_text",
    dims=MOSHI_DIMS | Dims(W="V + n*codebook_vocab_size + 1"),
    heads=(
        head("ForConditionalGeneration", "model.",
            part("lm_head", "head.token", linear("d -> V"), tied="embed.token"),
            submodel("codec", "codec_model.", MIMI), default=True),
        head("Model", "")),
    parts=rows(
        part("embed_tokens.embed_tokens", "embed.token", table("W d")),
        MOSHI_BODY))
