"""Whisper: two sides, a head without encoder."""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

ATTENTION = rows(                              # no bias on k
    part("q_proj",   "attention.query",  dense("d -> d")),
    part("k_proj",   "attention.key",    linear("d -> d")),
    part("v_proj",   "attention.value",  dense("d -> d")),
    part("out_proj", "attention.output", dense("d -> d")))
WHISPER_LAYER = rows(
    under("self_attn", ATTENTION),
    part("self_attn_layer_norm", "norm.attention", affine("d")),
    part("fc1",                  "mlp.up",         dense("d -> ff")),
    part("fc2",                  "mlp.down",       dense("ff -> d")),
    part("final_layer_norm",     "norm.mlp",       affine("d")))
WHISPER_ENCODER = under("encoder",
    part("conv1",           "embed.audio",    conv("n -> d, 3")),
    part("conv2",           "embed.audio",    conv("d -> d, 3")),
    part("embed_positions", "embed.position", table("S d")),       # sinusoids, but stored and counted
    part("layer_norm",      "norm.final",     affine("d")),
    under("layers.{Le}", WHISPER_LAYER, ff="fe"))
WHISPER_DECODER = under("decoder",
    part("embed_tokens",    "embed.token",    table("V d")),
    part("embed_positions", "embed.position", table("T d")),
    part("layer_norm",      "norm.final",     affine("d")),
    under("layers.{Ld}", WHISPER_LAYER, ff="fd"),
    under("layers.{Ld}", under("encoder_attn", ATTENTION), part("encoder_attn_layer_norm", "norm.cross", affine("d"))))
PROJ_OUT = part("proj_out", "head.token", linear("d -> V"), tied="embed.token")
WHISPER = Architecture("whisper", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", Le="encoder_layers", Ld="decoder_layers",
              fe="encoder_ffn_dim", fd="decoder_ffn_dim", S="max_source_positions",
              T="max_target_positions", n="num_mel_bins", q="classifier_proj_size",
              C="labels"),
    heads=(
        head("Model",                    "", WHISPER_ENCODER, WHISPER_DECODER),
        head("ForConditionalGeneration", "model.", under("model", WHISPER_ENCODER, WHISPER_DECODER), PROJ_OUT),
        head("ForCausalLM",              "model.", under("model", WHISPER_DECODER), PROJ_OUT),
        head("ForAudioClassification",   "", WHISPER_ENCODER,
            part("layer_weights", "pool.layers", param("Le+1"), when="use_weighted_layer_sum"),
            part("projector",     "head.dense",  dense("d -> q")),
            part("classifier",    "head.class",  dense("q -> C")))))
