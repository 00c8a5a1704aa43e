"""MiniMax Music 3 and Stable Audio 3: transformers of sound, and what is around them; Anima's conditioner of the text.

transformer_stable_audio3.py: a differential attention has two queries and two keys for each head; its projections are
in one matrix. minimax_music3_vocoder.py: DAC's decoder under weight norm, in the names of the first versions of torch;
it reads half of the latent's channels. condition_embedder_anima.py: norms with a bias where they are layer norms.
"""

from inspector.architectures.diffusion.diffusion_blocks import ATTENTION, EMBEDDING
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, linear, param, scale, table, weight_norm

HEADS = rows(                                  # d the width of queries and output, x that of keys and values
    part("q_norm", "norm.query", scale("dh")),
    part("k_norm", "norm.key",   scale("dh")))
ANIMATEXTCONDITIONER = Architecture("AnimaTextConditioner",
    dims=Dims(d="model_dim", x="source_dim", e="target_dim", V="target_vocab_size", L="num_layers",
              h="num_attention_heads", dh="d//h", a="h*dh", ff="floor(d*mlp_ratio)", biased="use_layer_norm",
              own="use_self_attention"),
    parts=rows(
        part("embed",   "embed.token",    table("V e")),
        part("in_proj", "embed.token.in", dense("e -> d"), when="d != e"),
        under("blocks.{L}",
            part("norm_self_attn", "norm.attention", affine("d"), when="own and biased"),
            part("norm_self_attn", "norm.attention", scale("d"),  when="own and not biased"),
            under("self_attn",
                part("q_proj", "attention.query",  linear("d -> a")),
                part("k_proj", "attention.key",    linear("d -> a")),
                part("v_proj", "attention.value",  linear("d -> a")),
                part("o_proj", "attention.output", linear("a -> d")),
                HEADS, when="own"),
            part("norm_cross_attn", "norm.cross", affine("d"), when="biased"),
            part("norm_cross_attn", "norm.cross", scale("d"),  when="not biased"),
            under("cross_attn",
                part("q_proj", "cross.query",      linear("d -> a")),
                part("k_proj", "cross.key",        linear("x -> a")),
                part("v_proj", "cross.value",      linear("x -> a")),
                part("o_proj", "cross.output",     linear("a -> d")),
                part("q_norm", "norm.cross.query", scale("dh")),
                part("k_norm", "norm.cross.key",   scale("dh"))),
            part("norm_mlp", "norm.mlp", affine("d"), when="biased"),
            part("norm_mlp", "norm.mlp", scale("d"),  when="not biased"),
            part("mlp.0", "mlp.up",   dense("d -> ff")),
            part("mlp.2", "mlp.down", dense("ff -> d"))),
        part("out_proj", "head.text",  dense("d -> e")),
        part("norm",     "norm.final", scale("e"))))

MINIMAXMUSIC3CONDITIONENCODER = Architecture("MiniMaxMusic3ConditionEncoder",
    dims=Dims(d="condition_hidden_dim", n="num_condition_layers"),
    parts=rows(
        part("layer_weight_logits", "pool.layers",  param("n")),
        part("layer_scale",         "scale.layers", param("1")),
        part("proj",                "project",      conv("d -> out_dim, 3"))))
MINIMAXMUSIC3RVQDEPTHDECODER = Architecture("MiniMaxMusic3RVQDepthDecoder", ignores="num_attention_heads",
    dims=Dims(d="hidden_size", L="num_layers", ff="intermediate_size", V="audio_vocab_size", C="num_codebooks - 1"),
    parts=rows(
        part("audio_embeddings", "embed.audio.token", table("V*C d")),
        part("projection",       "project",           linear("d -> d")),
        part("pos_embedding",    "embed.position",    table("max_position_embeddings d")),
        under("layers.{L}",
            part("input_layernorm",          "norm.attention",   scale("d")),
            part("attn.to_q",                "attention.query",  linear("d -> d")),
            part("attn.to_k",                "attention.key",    linear("d -> d")),
            part("attn.to_v",                "attention.value",  linear("d -> d")),
            part("attn.to_out",              "attention.output", linear("d -> d")),
            part("post_attention_layernorm", "norm.mlp",         scale("d")),
            part("gate_proj",                "mlp.gate",         linear("d -> ff")),
            part("up_proj",                  "mlp.up",           linear("d -> ff")),
            part("down_proj",                "mlp.down",         linear("ff -> d"))),
        part("norm", "norm.final", scale("d")),
        part("audio_heads.{C}", "head.audio", linear("d -> V"))))
# c the channels of sound, twice beside those of the condition
MINIMAXMUSIC3TRANSFORMER1DMODEL = Architecture("MiniMaxMusic3Transformer1DModel", ignores="rotary_dim",
    dims=Dims(d="num_attention_heads*attention_head_dim", w="d", a="d", t="d", i="f", L="num_layers", ff="ff_inner_dim",
              f="fourier_embedding_dim", o="in_channels", c="2*o + condition_dim"),
    parts=rows(
        part("time_proj.weight", "embed.time.frequency", param("f//2 1")),
        under("time_embed", EMBEDDING),
        part("preprocess_conv", "embed.audio.conv", conv("c -> c, 1", bias=False)),
        part("proj_in",         "embed.audio",      linear("c -> d")),
        under("transformer_blocks.{L}",
            part("norm1",  "norm.attention", affine("d")),
            under("attn", ATTENTION),
            part("norm2",  "norm.mlp",       affine("d")),
            part("ff_in",  "mlp.gate_up",    dense("d -> ff + ff", packs="up gate")),
            part("ff_out", "mlp.down",       dense("ff -> d"))),
        part("proj_out",         "head.audio",      linear("d -> o")),
        part("postprocess_conv", "head.audio.conv", conv("o -> o, 1", bias=False))))
UNIT = rows(                                   # w channels
    part("snake1.alpha", "scale.frequency", param("1 w 1")),
    part("conv1",        "resnet.conv.1",   weight_norm(conv("w -> w, 7"), axis=0)),
    part("snake2.alpha", "scale.frequency", param("1 w 1")),
    part("conv2",        "resnet.conv.2",   weight_norm(conv("w -> w, 1"), axis=0)))
MINIMAXMUSIC3VOCODER = Architecture("MiniMaxMusic3Vocoder",
    dialects=({}, {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}),
    dims=Dims(z="latent_channels//2", i="decoder_input_dim", d="decoder_hidden_dim", r="upsampling_ratios",
              S="len(r)", v="d//2**{S}", w="d//2**({S} + 1)", m="d//2**S"),
    parts=rows(
        part("dec_in_proj", "embed.latent",      conv("z -> i, 1")),
        part("conv_in",     "embed.latent.conv", weight_norm(conv("i -> d, 7"), axis=0)),
        under("blocks.{S}",
            part("snake1.alpha", "slope.up",  param("1 v 1")),
            part("conv_t1",      "resnet.up", weight_norm(conv_t("v -> w, 2*r[{S}]"), axis=0)),
            under("res_unit1", UNIT, tower="unit.1"),
            under("res_unit2", UNIT, tower="unit.2"),
            under("res_unit3", UNIT, tower="unit.3")),
        part("snake_out.alpha", "slope.out",  param("1 m 1")),
        part("conv_out",        "head.audio", weight_norm(conv("m -> 1, 7"), axis=0))))

NETWORK = rows(                                # i features in
    part("0", "embed.condition.1", linear("i -> d", bias="b")),
    part("2", "embed.condition.2", linear("d -> d", bias="b")))
# two: whether attention is differential, with two queries and keys; c the channels of a patch
STABLEAUDIO3DITMODEL = Architecture("StableAudio3DiTModel",
    dims=Dims(d="embed_dim", L="depth", h="num_heads", dh="d//h", c="io_channels*patch_size", o="io_channels",
              x="cond_token_dim", g="global_cond_dim", l="local_add_cond_dim", f="timestep_features_dim",
              ff="floor(d*ff_mult)", N="num_memory_tokens", two="use_differential_attention", b="false", yes="true"),
    parts=rows(
        part("prompt_padding_embedding", "embed.pad.text", param("x")),
        part("memory_tokens", "embed.register", param("N d"), when="N > 0"),
        under("to_timestep_embed", NETWORK, i="f", b="yes", tower="time"),
        under("to_cond_embed",     NETWORK, i="x", tower="text"),
        under("to_global_embed",   NETWORK, i="g", tower="global"),
        part("global_cond_embedder.0", "norm.modulation.in",     dense("d -> d")),
        part("global_cond_embedder.2", "norm.modulation.shared", dense("d -> 6*d")),
        part("preprocess_conv",  "embed.audio.conv", conv("o -> o, 1", bias=False)),
        part("postprocess_conv", "head.audio.conv",  conv("o -> o, 1", bias=False)),
        part("proj_in",  "embed.audio", linear("c -> d")),
        part("proj_out", "head.audio",  linear("d -> c")),
        part("rotary_pos_emb.inv_freq", "rotary.frequency", buffer("(dh//2+1)//2")),
        under("transformer_blocks.{L}",
            part("to_scale_shift_gate", "norm.modulation",  param("6*d")),
            part("pre_norm.gamma",      "norm.attention",   param("d")),
            part("self_attn.to_qkv",    "attention.qkv",    linear("d -> 5*d"), when="two"),
            part("self_attn.to_qkv",    "attention.qkv",    linear("d -> d + d + d", packs="q k v"), when="not two"),
            part("self_attn.to_out",    "attention.output", linear("d -> d")),
            part("self_attn.q_norm.gamma", "norm.query",    param("dh")),
            part("self_attn.k_norm.gamma", "norm.key",      param("dh")),
            part("cross_attend_norm.gamma", "norm.cross",   param("d")),
            part("cross_attn.to_q",     "cross.query",      linear("d -> 2*d"), when="two"),
            part("cross_attn.to_q",     "cross.query",      linear("d -> d"),   when="not two"),
            part("cross_attn.to_kv",    "cross.kv",         linear("d -> 3*d"), when="two"),
            part("cross_attn.to_kv",    "cross.kv",         linear("d -> d + d", packs="k v"), when="not two"),
            part("cross_attn.to_out",   "cross.output",     linear("d -> d")),
            part("cross_attn.q_norm.gamma", "norm.cross.query", param("dh")),
            part("cross_attn.k_norm.gamma", "norm.cross.key",   param("dh")),
            part("ff_norm.gamma",       "norm.mlp",         param("d")),
            part("ff.proj_in",          "mlp.gate_up",      dense("d -> ff + ff", packs="up gate")),
            part("ff.proj_out",         "mlp.down",         dense("ff -> d")),
            part("to_local_embed.0",    "embed.local.1",    dense("l -> d")),
            part("to_local_embed.2",    "embed.local.2",    dense("d -> d")))))
