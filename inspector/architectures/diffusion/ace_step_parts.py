"""Parts of ACE-Step's pipeline beside the transformer: encoders of the condition, tokenizer of audio and its way back.

modeling_ace_step.py: five stacks of one layer, four of them with a learned token; the silence has a fixed length.
"""

from inspector.architectures.diffusion.diffusion_blocks import GATED_MLP, GROUPED_ATTENTION
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, dense, linear, param, scale

LAYER = rows(
    part("input_layernorm", "norm.attention", scale("d")),
    under("self_attn", GROUPED_ATTENTION),
    part("post_attention_layernorm", "norm.mlp", scale("d")),
    under("mlp", GATED_MLP))
STACK = rows(                                  # i features in
    part("embed_tokens", "embed.audio", dense("i -> d")),
    under("layers.{L}", LAYER),
    part("norm", "norm.final", scale("d")))
DIMS = Dims(d="hidden_size", h="num_attention_heads", kv="num_key_value_heads", dh="head_dim", ff="intermediate_size",
            b="attention_bias")
ACESTEPLYRICENCODER = Architecture("AceStepLyricEncoder",
    dims=DIMS | Dims(i="text_hidden_dim", L="num_lyric_encoder_hidden_layers"), parts=STACK)
ACESTEPTIMBREENCODER = Architecture("AceStepTimbreEncoder",
    dims=DIMS | Dims(i="timbre_hidden_dim", L="num_timbre_encoder_hidden_layers"),
    parts=rows(STACK, part("special_token", "embed.token.extra", param("1 1 d"))))
ACESTEPCONDITIONENCODER = Architecture("AceStepConditionEncoder",
    dims=DIMS | Dims(i="text_hidden_dim", y="timbre_hidden_dim", L="num_lyric_encoder_hidden_layers",
                     M="num_timbre_encoder_hidden_layers"),
    parts=rows(
        part("text_projector", "embed.text", linear("i -> d")),
        under("lyric_encoder",  STACK, tower="lyric"),
        under("timbre_encoder", STACK, i="y", L="M", tower="timbre"),
        part("timbre_encoder.special_token", "embed.token.extra", param("1 1 d")),
        part("null_condition_emb", "embed.null",  param("1 1 d")),
        part("silence_latent",     "embed.pad",   buffer("1 15000 y"))))
# n levels of the quantizer, six by default; x the width that it reads
ACESTEPAUDIOTOKENIZER = Architecture("AceStepAudioTokenizer",
    dims=DIMS | Dims(i="d", L="num_attention_pooler_hidden_layers", n="len(fsq_input_levels) | 6", x="fsq_dim"),
    parts=rows(
        part("audio_acoustic_proj", "embed.audio.in", dense("audio_acoustic_hidden_dim -> d")),
        under("attention_pooler", STACK),
        part("attention_pooler.special_token", "embed.token.extra", param("1 1 d")),
        part("quantizer.project_in",  "project.in",  dense("x -> n")),
        part("quantizer.project_out", "project.out", dense("n -> x"))))
ACESTEPAUDIOTOKENDETOKENIZER = Architecture("AceStepAudioTokenDetokenizer",
    dims=DIMS | Dims(i="d", L="num_attention_pooler_hidden_layers"),
    parts=rows(
        STACK,
        part("special_tokens", "embed.token.extra", param("1 pool_window_size d")),
        part("proj_out",       "head.audio",        dense("d -> audio_acoustic_hidden_dim"))))
