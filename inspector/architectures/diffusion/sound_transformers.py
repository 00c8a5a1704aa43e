"""Transformers of sound: MiniMax H3 (with video), ACE-Step, the decoder of spectrograms, and AudioLDM 2's projection.

transformer_minimax_h3.py: three kinds of tokens, with six modulations each. ace_step_transformer.py: fewer keys and
values than heads, in cross attention as well. t5_film_transformer.py: T5's decoder, whose layers are scaled and shifted
by the time; the table of positions is a parameter without a gradient.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
    ATTENTION,
    EMBEDDING,
    GATED_FEED_FORWARD,
    GATED_MLP,
    GROUPED_ATTENTION,
)
from inspector.architectures.diffusion.diffusion_transformer import QK_NORM
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import conv, conv_t, dense, linear, param, scale, table

H3_BLOCK = rows(
    part("norm1", "norm.attention", scale("d")),
    under("attn", ATTENTION, QK_NORM),
    part("norm2", "norm.mlp", scale("d")),
    under("ff", GATED_FEED_FORWARD))
# x, t: widths of the time embedding inside and out; v: channels of a patch
MINIMAXH3TRANSFORMER3DMODEL = Architecture("MiniMaxH3Transformer3DModel",
    dims=Dims(d="hidden_size", w="d", h="num_attention_heads", dh="attention_head_dim", a="h*dh",
              ff="ffn_dim | 4*d", L="num_layers", M="num_refiner_layers", x="time_embed_hidden_dim", t="time_embed_dim",
              v="in_channels*patch_size[0]*patch_size[1]*patch_size[2]", c="audio_in_channels"),
    parts=rows(
        part("proj_in",          "embed.patch", dense("v -> d")),
        part("audio_proj_in",    "embed.audio", dense("c -> d")),
        part("context_embedder", "embed.text",  dense("text_dim -> d")),
        part("time_embedder.linear_1", "embed.time.1", dense("freq_dim -> x")),
        part("time_embedder.linear_2", "embed.time.2", dense("x -> t")),
        under("token_refiner.refiner_blocks.{M}", H3_BLOCK, tower="refiner"),
        part("token_refiner.final_norm", "norm.text", scale("d")),
        under("transformer_blocks.{L}", H3_BLOCK),
        part("transformer_blocks.{L}.adaln_proj.linear", "norm.modulation", dense("t -> 3*6*d")),
        part("norm_out.norm",   "norm.final",          scale("d")),
        part("norm_out.linear", "norm.modulation.out", dense("t -> 2*d")),
        part("proj_out",        "head.image",          dense("d -> v")),
        part("audio_proj_out",  "head.audio",          dense("d -> c"))))

ACE_TIME = rows(
    rows(EMBEDDING, i="256"),
    part("time_proj", "norm.modulation.shared", dense("d -> 6*d")))
ACE_CROSS = rows(
    part("to_q",     "cross.query",      linear("d -> h*dh",  bias="b")),
    part("to_k",     "cross.key",        linear("d -> kv*dh", bias="b")),
    part("to_v",     "cross.value",      linear("d -> kv*dh", bias="b")),
    part("to_out.0", "cross.output",     linear("h*dh -> d",  bias="b")),
    part("norm_q",   "norm.cross.query", scale("dh")),
    part("norm_k",   "norm.cross.key",   scale("dh")))
ACESTEPTRANSFORMER1DMODEL = Architecture("AceStepTransformer1DModel",
    dims=Dims(d="hidden_size", t="d", h="num_attention_heads", kv="num_key_value_heads", dh="head_dim",
              ff="intermediate_size", L="num_hidden_layers", b="attention_bias", p="patch_size",
              e="encoder_hidden_size | d", o="audio_acoustic_hidden_dim"),
    parts=rows(
        part("proj_in_conv", "embed.audio", conv("in_channels -> d, p")),
        under("time_embed",   ACE_TIME),
        under("time_embed_r", ACE_TIME, tower="mean"),
        part("condition_embedder", "embed.text", dense("e -> d")),
        under("layers.{L}",
            part("scale_shift_table",    "norm.modulation",  param("1 6 d")),
            part("self_attn_norm",       "norm.attention",   scale("d")),
            under("self_attn", GROUPED_ATTENTION),
            part("cross_attn_norm",      "norm.cross",       scale("d")),
            under("cross_attn", ACE_CROSS),
            part("mlp_norm",             "norm.mlp",         scale("d")),
            under("mlp", GATED_MLP)),
        part("norm_out",          "norm.final",          scale("d")),
        part("proj_out_conv",     "head.audio",          conv_t("d -> o, p")),
        part("scale_shift_table", "norm.modulation.out", param("1 2 d"))))

T5FILMDECODER = Architecture("T5FilmDecoder",
    dims=Dims(d="d_model", w="d", a="num_heads*d_kv", ff="d_ff", c="input_dims", L="num_layers"),
    parts=rows(
        part("conditioning_emb.0", "embed.time.1", linear("d -> 4*d")),
        part("conditioning_emb.2", "embed.time.2", linear("4*d -> 4*d")),
        part("position_encoding",  "embed.position", table("targets_length d")),
        part("continuous_inputs_projection", "embed.audio", linear("c -> d")),
        under("decoders.{L}.layer",
            part("0.layer_norm",           "norm.attention",    scale("d")),
            part("0.FiLMLayer.scale_bias", "norm.modulation.1", linear("4*d -> 2*d")),
            under("0.attention", ATTENTION),
            part("1.attention.to_q",       "cross.query",       linear("d -> a")),
            part("1.attention.to_k",       "cross.key",         linear("d -> a")),
            part("1.attention.to_v",       "cross.value",       linear("d -> a")),
            part("1.attention.to_out.0",   "cross.output",      linear("a -> d")),
            part("1.layer_norm",           "norm.cross",        scale("d")),
            part("2.DenseReluDense.wi_0",  "mlp.gate",          linear("d -> ff")),
            part("2.DenseReluDense.wi_1",  "mlp.up",            linear("d -> ff")),
            part("2.DenseReluDense.wo",    "mlp.down",          linear("ff -> d")),
            part("2.film.scale_bias",      "norm.modulation.2", linear("4*d -> 2*d")),
            part("2.layer_norm",           "norm.mlp",          scale("d"))),
        part("decoder_norm", "norm.final", scale("d")),
        part("spec_out",     "head.audio", linear("d -> c"))))
AUDIOLDM2PROJECTIONMODEL = Architecture("AudioLDM2ProjectionModel",
    dims=Dims(d="langauge_model_dim", x="text_encoder_dim", y="text_encoder_1_dim"),         # sic
    parts=rows(
        part("projection",   "project.1",        dense("x -> d")),
        part("projection_1", "project.2",        dense("y -> d")),
        part("sos_embed",    "embed.text.begin", param("d")),
        part("eos_embed",    "embed.text.end",   param("d")),
        part("sos_embed_1",  "embed.text.begin", param("d")),
        part("eos_embed_1",  "embed.text.end",   param("d")),
        part("learnable_positional_embedding", "embed.position", param("1 y max_seq_length"),
             when="use_learned_position_embedding != null")))
