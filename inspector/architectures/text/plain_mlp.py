"""Llama-like decoders whose MLP has no gate: Arcee (AFM), Apertus, Nemotron, Jais 2, nanochat.

modeling_arcee.py, modeling_nemotron.py: `mlp_bias` reaches both matrices; Nemotron's norms have a bias (LayerNorm1P).
modeling_apertus.py: queries and keys are normed per head; the activation `xielu` has two parameters and two buffers a
layer. modeling_jais2.py: as Nemotron. modeling_nanochat.py: the norms have no weights.
"""

from inspector.architectures.blocks import (
    AFFINE_ENDS,
    AFFINE_PRE_NORMS,
    CAUSAL,
    DECODER,
    ENDS,
    GQA,
    PRE_NORMS,
    QK_NORM,
    UP_DOWN,
)
from inspector.notation.definition import Architecture, either, maybe, part, rows, under
from inspector.notation.kinds import buffer, linear, param, scale, table

ATTENTION = under("self_attn", GQA, b="attention_bias", bo="attention_bias")
ARCEE = Architecture("arcee", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, ATTENTION, under("mlp", UP_DOWN, b="mlp_bias"))))
NEMOTRON = Architecture("nemotron jais2", dims=DECODER, heads=CAUSAL, parts=rows(
    AFFINE_ENDS,
    under("layers.{L}", AFFINE_PRE_NORMS, ATTENTION, under("mlp", UP_DOWN, b="mlp_bias"))))
ALPHAS = rows(
    part("alpha_p", "mlp.activation.positive", param("1")),
    part("alpha_n", "mlp.activation.negative", param("1")))
APERTUS = Architecture("apertus", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}",
        part("attention_layernorm",   "norm.attention", scale("d")),
        part("feedforward_layernorm", "norm.mlp",       scale("d")),
        under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
        under("mlp", UP_DOWN)),
    under("layers.{L}.mlp.act_fn",
        either(ALPHAS, rows(                   # MLX's have no dims
            part("alpha_p", "mlp.activation.positive", param("")),
            part("alpha_n", "mlp.activation.negative", param("")))),
        maybe("beta",   "mlp.activation.beta",     buffer("")),
        maybe("eps",    "mlp.activation.epsilon",  buffer("")), when="hidden_act == 'xielu'")))
NANOCHAT = Architecture("nanochat", dims=DECODER, heads=CAUSAL, parts=rows(
    part("embed_tokens", "embed.token", table("V d")),
    under("layers.{L}", ATTENTION,
        part("mlp.fc1", "mlp.up",   linear("d -> ff")),
        part("mlp.fc2", "mlp.down", linear("ff -> d")))))
