"""CSM, Moshi, Dia and Higgs Audio 2: models of speech as several streams of codes.

modeling_csm.py: a backbone of Llama's layers, a depth decoder that reads `backbone_hidden_size` and has a head for each
codebook but the first, in one tensor stored [in, out], and Mimi; the two tables of codes are one while
`tie_codebooks_embeddings` says so.
modeling_moshi.py: tables have one row more than the vocabulary; the gated MLP's `fc1` holds gate and up; the depth
decoder has a matrix for each codebook everywhere and no final norm, and the whole sets its sizes. Its head is tied in
transformers 4 alone.
modeling_dia.py: all channels of codes share one table; the decoder's cross attention has heads and a width of its own.
modeling_higgs_audio_v2.py: an MLP and its norms a second time for audio tokens; one head for all codes. A head for text
is built only on request, and ignored on load.
"""

from inspector.architectures.audio.mimi import MIMI
from inspector.architectures.blocks import DECODER, ENDS, GATE_UP, GQA, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import linear, linear_io, scale, table

CSM_LAYERS = rows(
    part("norm", "norm.final", scale("d")),
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU, b="mlp_bias")))
CSM_DEPTH = Architecture("csm_depth_decoder_model", dims=DECODER | Dims(n="num_codebooks", w="backbone_hidden_size"),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "model.", part("codebooks_head", "head.code", linear_io("d -> V", each="n-1")),
             default=True)),
    parts=rows(
        CSM_LAYERS,
        part("embed_tokens",            "embed.code.depth", table("n*V w")),
        part("inputs_embeds_projector", "embed.project",    linear("w -> d"))))
CODES = part("embed_tokens.embed_audio_tokens", "embed.code", table("n*V d"), tied="embed.code.depth")
CSM = Architecture("csm", ties="tie_codebooks_embeddings | true",
                   dims=DECODER | Dims(n="num_codebooks", T="text_vocab_size"),
    heads=(
        head("ForConditionalGeneration", "",
            under("backbone_model", CSM_LAYERS, CODES),
            part("embed_text_tokens", "embed.token", table("T d")),
            part("lm_head",           "head.token",  linear("d -> V")),
            submodel("depth", "depth_decoder.", CSM_DEPTH, config="depth_decoder_config", head="ForCausalLM"),
            submodel("codec", "codec_model.", MIMI)),
        head("BackboneModel", "", CSM_LAYERS, CODES)))

MOSHI_DIMS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
                  kv="num_key_value_heads | h",
                  dh="head_dim | d//h", ff="ffn_dim", n="num_codebooks", A="audio_vocab_size", N="n - 1")
MOSHI_BODY = rows(
    part("norm", "norm.final", scale("d")),
    under("layers.{L}", PRE_NORMS,
        part("self_attn.q_proj.linear", "attention.query",  linear("d -> h*dh")),
        part("self_attn.k_proj.linear", "attention.key",    linear("d -> kv*dh")),
        part("self_attn.v_proj.linear", "attention.value",  linear("d -> kv*dh")),
        part("self_attn.o_proj.linear", "attention.output", linear("h*dh -> d")),
        part("mlp.fc1",                 "mlp.gate_up",      linear("d -> ff")),
        part("mlp.fc2",                 "mlp.down",         linear("ff//2 -> d"))))
MOSHI_MODEL = rows(part("embed_tokens", "embed.token", table("V+1 d")), MOSHI_BODY)
MOSHI_DEPTH = Architecture("moshi_depth", dims=MOSHI_DIMS, heads=(head("DepthDecoder", ""),),
    parts=rows(
        part("text_embed_tokens",  "embed.token",   table("V+1 d")),
        part("embed_tokens.{N}",   "embed.code",    table("A+1 d")),
        part("input_projections",  "embed.project", linear("input_size -> d", each="n")),
        part("lm_heads",           "head.code",     linear("d -> A", each="n")),
        under("layers.{L}", PRE_NORMS,
            part("self_attn.q_proj.linear", "attention.query",  linear("d -> h*dh",  each="n")),
            part("self_attn.k_proj.linear", "attention.key",    linear("d -> kv*dh", each="n")),
            part("self_attn.v_proj.linear", "attention.value",  linear("d -> kv*dh", each="n")),
            part("self_attn.o_proj.linear", "attention.output", linear("h*dh -> d",  each="n")),
            part("mlp.fc1", "mlp.gate_up", linear("d -> ff",    each="n"), when="n != 1"),
            part("mlp.fc2", "mlp.down",    linear("ff//2 -> d", each="n"), when="n != 1"),
            part("mlp.fc1", "mlp.gate_up", linear("d -> ff"),    when="n == 1"),
            part("mlp.fc2", "mlp.down",    linear("ff//2 -> d"), when="n == 1"))))
MOSHI_HEAD = part("lm_head", "head.token", linear("d -> V"), tied="embed.token")
MOSHI = Architecture("moshi", ties="tie_word_embeddings when transformers_version[0] == '4' | false",
    dims=MOSHI_DIMS | Dims(A="audio_vocab_size | audio_encoder_config.codebook_size", N="2*n"),
    heads=(
        head("Model",       "", MOSHI_MODEL),
        head("ForCausalLM", "", under("model", MOSHI_MODEL), MOSHI_HEAD),
        head("ForConditionalGeneration", "",
            under("decoder", under("model", MOSHI_MODEL), MOSHI_HEAD),
            part("embed_tokens.{N}", "embed.code", table("A+1 d")),
            submodel("audio", "audio_encoder.", MIMI, config="audio_encoder_config"),
            submodel("depth", "depth_decoder.", MOSHI_DEPTH, config="depth_decoder_config",
                audio_vocab_size="A", input_size="d", vocab_size="V", num_codebooks="n"), default=True)))

DIA_ATTENTION = rows(
    part("q_proj", "attention.query",  linear("d -> h*dh")),
    part("k_proj", "attention.key",    linear("d -> kv*dh")),
    part("v_proj", "attention.value",  linear("d -> kv*dh")),
    part("o_proj", "attention.output", linear("h*dh -> d")))
DIA_ENCODER = Architecture("dia_encoder", dims=DECODER, heads=(head("tower Encoder", ""),),
    parts=rows(
        part("embedding", "embed.token", table("V d")),
        part("norm",      "norm.final",  scale("d")),
        under("layers.{L}",
            part("pre_sa_norm",  "norm.attention", scale("d")),
            part("post_sa_norm", "norm.mlp",       scale("d")),
            under("self_attention", DIA_ATTENTION),
            under("mlp", GATE_UP))))
DIA_DECODER = Architecture("dia_decoder", heads=(head("tower Decoder", ""),),
    dims=DECODER | Dims(n="num_channels", x="cross_hidden_size", hx="cross_num_attention_heads",
                        kx="cross_num_key_value_heads | hx",
                        dx="cross_head_dim"),
    parts=rows(
        part("embeddings.embed", "embed.code", table("n*V d")),
        part("norm",             "norm.final", scale("d")),
        under("layers.{L}",
            part("pre_sa_norm",  "norm.attention", scale("d")),
            part("pre_ca_norm",  "norm.cross",     scale("d")),
            part("pre_mlp_norm", "norm.mlp",       scale("d")),
            under("self_attention", DIA_ATTENTION),
            part("cross_attention.q_proj", "cross.query",  linear("d -> hx*dx")),
            part("cross_attention.k_proj", "cross.key",    linear("x -> kx*dx")),
            part("cross_attention.v_proj", "cross.value",  linear("x -> kx*dx")),
            part("cross_attention.o_proj", "cross.output", linear("hx*dx -> d")),
            under("mlp", GATE_UP))))
DIA = Architecture("dia", dims=Dims(d="decoder.d", n="decoder.n", V="decoder.V"),
    heads=(
        head("ForConditionalGeneration", "model.", part("logits_dense", "head.code", linear("d -> n*V")), default=True),
        head("Model",                    "")),
    parts=rows(
        submodel("encoder", "encoder.", DIA_ENCODER),
        submodel("decoder", "decoder.", DIA_DECODER)))

HIGGS_AUDIO_V2 = Architecture("higgs_audio_v2", dims=DECODER | Dims(n="num_codebooks", K="codebook_size", b="mlp_bias"),
    heads=(
        head("ForConditionalGeneration", "model.",
            part("audio_lm_head", "head.code", linear("d -> n*K")),
            rows(part("text_lm_head", "head.token", linear("d -> V")), optional=True, extra="text head"), default=True),
        head("Model", "")),
    parts=rows(
        ENDS,
        part("embed_audio_tokens.embed_audio_tokens", "embed.code", table("n*K d")),
        under("layers.{L}",
            PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU),
            rows(
                part("audio_input_layernorm",          "norm.attention", scale("d")),
                part("audio_post_attention_layernorm", "norm.mlp",       scale("d")),
                under("audio_mlp", SWIGLU), tower="audio"))))
