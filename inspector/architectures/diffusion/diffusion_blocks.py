"""Blocks used by several definitions of diffusers' components.

attention.py: `ff.net.0.proj` holds two matrices for a gated activation and one otherwise; norms without
`norm_elementwise_affine` have no weights. embeddings.py: a time embedding is two linears.
"""

from inspector.notation.definition import part, rows
from inspector.notation.kinds import affine, conv, dense, linear, scale

EMBEDDING = rows(                              # i channels in, t the width of the embedding
    part("linear_1", "embed.time.1", dense("i -> t")),
    part("linear_2", "embed.time.2", dense("t -> t")))
TEXT_EMBEDDING = rows(
    part("linear_1", "embed.text.1", dense("i -> t")),
    part("linear_2", "embed.text.2", dense("t -> t")))
GUIDANCE_EMBEDDING = rows(
    part("linear_1", "embed.guidance.1", dense("i -> t")),
    part("linear_2", "embed.guidance.2", dense("t -> t")))
ATTENTION = rows(                              # w channels, a the width inside; b, bo biases
    part("to_q",     "attention.query",  linear("w -> a", bias="b")),
    part("to_k",     "attention.key",    linear("w -> a", bias="b")),
    part("to_v",     "attention.value",  linear("w -> a", bias="b")),
    part("to_out.0", "attention.output", linear("a -> w", bias="bo")))
CROSS_ATTENTION = rows(                        # e the width of what keys and values read
    part("to_q",     "cross.query",      linear("w -> a", bias="b")),
    part("to_k",     "cross.key",        linear("e -> a", bias="b")),
    part("to_v",     "cross.value",      linear("e -> a", bias="b")),
    part("to_out.0", "cross.output",     linear("a -> w", bias="bo")))
ADDED_ATTENTION = rows(                        # a second stream's projections, of the width e
    part("add_q_proj", "cross.query",    linear("e -> a", bias="b")),
    part("add_k_proj", "cross.key",      linear("e -> a", bias="b")),
    part("add_v_proj", "cross.value",    linear("e -> a", bias="b")))
GROUPED_ATTENTION = rows(                      # h heads of the width dh, kv of keys and values
    part("to_q",     "attention.query",  linear("d -> h*dh",  bias="b")),
    part("to_k",     "attention.key",    linear("d -> kv*dh", bias="b")),
    part("to_v",     "attention.value",  linear("d -> kv*dh", bias="b")),
    part("to_out.0", "attention.output", linear("h*dh -> d",  bias="b")),
    part("norm_q",   "norm.query",       scale("dh")),
    part("norm_k",   "norm.key",         scale("dh")))
GATED_MLP = rows(
    part("gate_proj", "mlp.gate", linear("d -> ff")),
    part("up_proj",   "mlp.up",   linear("d -> ff")),
    part("down_proj", "mlp.down", linear("ff -> d")))
FEED_FORWARD = rows(
    part("net.0.proj", "mlp.up",         linear("w -> ff", bias="b")),
    part("net.2",      "mlp.down",       linear("ff -> w", bias="b")))
GATED_FEED_FORWARD = rows(
    part("net.0.proj", "mlp.gate_up",    linear("w -> ff + ff", packs="up gate", bias="b")),
    part("net.2",      "mlp.down",       linear("ff -> w", bias="b")))
CHOSEN_FEED_FORWARD = rows(                    # gated: whether the activation is
    rows(FEED_FORWARD, when="not gated"),
    rows(GATED_FEED_FORWARD, when="gated"))
RESNET = rows(                                 # i channels in, o out, t the width of the time embedding
    part("norm1",         "norm.resnet.1", affine("i")),
    part("conv1",         "resnet.conv.1", conv("i -> o, 3 3")),
    part("time_emb_proj", "resnet.time",   dense("t -> T")),
    part("norm2",         "norm.resnet.2", affine("o")),
    part("conv2",         "resnet.conv.2", conv("o -> o, 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1"), when="i != o"))
TIMELESS_RESNET = rows(
    part("norm1",         "norm.resnet.1", affine("i")),
    part("conv1",         "resnet.conv.1", conv("i -> o, 3 3")),
    part("norm2",         "norm.resnet.2", affine("o")),
    part("conv2",         "resnet.conv.2", conv("o -> o, 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1"), when="i != o"))
PIXEL_MATRICES = rows(                         # w channels, y the width of all heads
    part("to_q",       "attention.query",  dense("w -> y")),
    part("to_k",       "attention.key",    dense("w -> y")),
    part("to_v",       "attention.value",  dense("w -> y")),
    part("to_out.0",   "attention.output", dense("y -> w")))
PIXEL_ATTENTION = rows(part("group_norm", "norm.attention", affine("w")), PIXEL_MATRICES)
OLD_ATTENTION = {                              # files of the first versions
    "*.attentions.0.to_q.": ".attentions.0.query.", "*.attentions.0.to_k.": ".attentions.0.key.",
    "*.attentions.0.to_v.": ".attentions.0.value.", "*.attentions.0.to_out.0.": ".attentions.0.proj_attn."}
