"""RWKV 6 and RWKV 7 as flash-linear-attention builds them; the first RWKV is in `mamba.py`.

fla/models/rwkv7: only the first layer has `pre_norm`, and only the later ones mix their values with those of the first
(`v_lora`); the four narrow projections have two layers, of which the second has a bias except in the gate. Ranks that
are null follow from the width of the model. fla/models/rwkv6: five token shifts share one narrow projection, and the
MLP has a receptance. Layers that `attn` names have attention of the usual kind instead.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, param, table

HEADS = (head("Model", ""), head("ForCausalLM", "model.", LM_HEAD))
LAYERS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", A="L & attn.layers", R="L - A",
              ha="attn.num_heads", ka="attn.num_kv_heads | ha")
NORMS = rows(
    part("embeddings",            "embed.token",    table("V d")),
    part("layers.0.pre_norm",     "norm.embed",     affine("d", bias="norm_bias | true"), when="norm_first | true"),
    part("layers.{L}.attn_norm",  "norm.attention", affine("d", bias="norm_bias | true")),
    part("layers.{L}.ffn_norm",   "norm.mlp",       affine("d", bias="norm_bias | true")),
    part("norm",                  "norm.final",     affine("d", bias="norm_bias | true")))
ATTENTION = under("layers.{A}.attn",
    part("q_proj", "attention.query",  linear("d -> d", bias="attn.qkv_bias")),
    part("k_proj", "attention.key",    linear("d -> ka*(d//ha)", bias="attn.qkv_bias")),
    part("v_proj", "attention.value",  linear("d -> ka*(d//ha)", bias="attn.qkv_bias")),
    part("o_proj", "attention.output", linear("d -> d")))
RWKV7 = Architecture("rwkv7", heads=HEADS, ties="tie_word_embeddings | false",
    ignores="num_heads fuse_norm norm_eps attn.window_size attn.rope_theta",
    dims=LAYERS | Dims(dh="head_dim | d/num_heads", h="d/dh", v="value_dim[{L}] | d", M="R[{L} > 0]",
                       ff="intermediate_size | ceil(floor((hidden_ratio | 4)*d), 32)",
                       rw="decay_low_rank_dim", rg="gate_low_rank_dim", ra="a_low_rank_dim", rv="v_low_rank_dim"),
    parts=rows(
        NORMS, ATTENTION,
        under("layers.{R}.attn",
            part("x_r",           "ssm.mix.receptance", param("1 1 d")),
            part("x_w",           "ssm.mix.decay",      param("1 1 d")),
            part("x_k",           "ssm.mix.key",        param("1 1 d")),
            part("x_v",           "ssm.mix.value",      param("1 1 d")),
            part("x_a",           "ssm.mix.rate",       param("1 1 d")),
            part("x_g",           "ssm.mix.gate",       param("1 1 d")),
            part("k_k",           "ssm.key.removed",    param("d")),
            part("k_a",           "ssm.key.added",      param("d")),
            part("r_k",           "ssm.first",          param("h dh")),
            part("r_proj",        "ssm.receptance",     linear("d -> d")),
            part("k_proj",        "ssm.key",            linear("d -> d")),
            part("v_proj",        "ssm.value",          linear("d -> v")),
            part("o_proj",        "ssm.out",            linear("v -> d")),
            part("w_lora.lora.0", "ssm.decay.down",     linear("d -> rw")),
            part("w_lora.lora.2", "ssm.decay.up",       dense("rw -> d")),
            part("a_lora.lora.0", "ssm.rate.down",      linear("d -> ra")),
            part("a_lora.lora.2", "ssm.rate.up",        dense("ra -> d")),
            part("g_lora.lora.0", "ssm.gate.down",      linear("d -> rg")),
            part("g_lora.lora.2", "ssm.gate.up",        linear("rg -> v")),
            part("g_norm",        "norm.ssm",           affine("v"))),
        under("layers.{M}.attn",
            part("v_lora.lora.0", "ssm.value.down",     linear("d -> rv")),
            part("v_lora.lora.2", "ssm.value.up",       dense("rv -> v"))),
        under("layers.{L}.ffn",
            part("x_k",           "mlp.mix.key",        param("d")),
            part("key",           "mlp.up",             linear("d -> ff")),
            part("value",         "mlp.down",           linear("ff -> d")))))
RWKV6 = Architecture("rwkv6", heads=HEADS, ties="tie_word_embeddings | false",
    ignores="fuse_norm norm_eps attn.window_size attn.rope_theta",
    dims=LAYERS | Dims(h="num_heads", k="floor(expand_k*d)", v="floor(expand_v*d)",
                       ff="intermediate_size | ceil(floor((hidden_ratio | 3.5)*d), 32)",
                       rx="proj_low_rank_dim", rw="gate_low_rank_dim"),
    parts=rows(
        NORMS, ATTENTION,
        under("layers.{R}.attn",
            part("x_proj.0.mu",            "ssm.mix",        param("d")),
            part("x_proj.0.linear",        "ssm.mix.down",   linear("d -> 5*rx")),
            part("x_proj.2",               "ssm.mix.up",     linear("5*rx -> d")),
            part("x_bias",                 "ssm.mix.bias",   param("5 d")),
            part("r_proj.linear",          "ssm.receptance", linear("d -> k")),
            part("w_proj.linear.lora.0",   "ssm.decay.down", linear("d -> rw")),
            part("w_proj.linear.lora.2",   "ssm.decay.up",   dense("rw -> k")),
            part("k_proj.linear",          "ssm.key",        linear("d -> k")),
            part("v_proj.linear",          "ssm.value",      linear("d -> v")),
            part("g_proj.linear",          "ssm.gate",       linear("d -> v")),
            part("bonus",                  "ssm.first",      param("h k/h")),
            part("g_norm",                 "norm.ssm",       affine("v")),
            part("o_proj",                 "ssm.out",        linear("v -> d"))),
        under("layers.{L}.ffn",
            part("key.mu",                 "mlp.mix.key",        param("d")),
            part("key.linear",             "mlp.up",             linear("d -> ff")),
            part("value",                  "mlp.down",           linear("ff -> d")),
            part("receptance.mu",          "mlp.mix.receptance", param("d")),
            part("receptance.linear",      "mlp.receptance",     linear("d -> d")))))
