"""ZAYA: attention whose queries and keys pass two convolutions, and a router with an MLP.

modeling_zaya.py: one half of the value is of the token, the other of the one before; the keys have a temperature for
each head. Each half of a layer has scales and biases for what it adds and for the residual. The router has one output
more than there are experts; from the second layer on it scales what the router before it computed. `layer_types` moves
no shape.
"""

from inspector.architectures.blocks import DECODER, ENDS, PRE_NORMS, STACKED
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import buffer, conv, dense, linear, param, scale

ATTENTION = under("self_attn",
    under("qkv_proj",
        part("q_proj",            "attention.query",         linear("d -> h*dh", bias="attention_bias")),
        part("k_proj",            "attention.key",           linear("d -> kv*dh", bias="attention_bias")),
        part("v_proj_current",    "attention.value",         linear("d -> kv*dh//2", bias="attention_bias")),
        part("v_proj_delayed",    "attention.delayed.value", linear("d -> kv*dh//2", bias="attention_bias")),
        part("conv_qk_depthwise", "attention.conv.depth",
             conv("(kv+h)*dh -> (kv+h)*dh, cca_time0", groups="(kv+h)*dh")),
        part("conv_qk_grouped",   "attention.conv",
             conv("(kv+h)*dh -> (kv+h)*dh, cca_time1", groups="kv+h"))),
    part("qk_norm.temp", "attention.key.scale", param("kv")),
    part("o_proj",       "attention.output",    linear("h*dh -> d", bias="attention_bias")))
ROUTER = under("mlp.gate",
    part("down_proj",           "router.down",       dense("d -> r")),
    part("router_mlp.norm",     "norm.router",       scale("r")),
    part("router_mlp.fc1",      "router.1",          dense("r -> r")),
    part("router_mlp.fc2",      "router.2",          dense("r -> r")),
    part("router_mlp.out_proj", "router",            linear("r -> E+1")),
    part("balancing_biases",    "router.correction", buffer("E+1")))
ATTENTION_SCALES = under("post_attention_residual_scale",
    part("hidden_states_scale", "scale.attention.sublayer",      param("d")),
    part("hidden_states_bias",  "scale.attention.sublayer.bias", param("d")),
    part("residual_scale",      "scale.attention.residual",      param("d")),
    part("residual_bias",       "scale.attention.residual.bias", param("d")))
MLP_SCALES = under("post_mlp_residual_scale",
    part("hidden_states_scale", "scale.mlp.sublayer",      param("d")),
    part("hidden_states_bias",  "scale.mlp.sublayer.bias", param("d")),
    part("residual_scale",      "scale.mlp.residual",      param("d")),
    part("residual_bias",       "scale.mlp.residual.bias", param("d")))
ZAYA = Architecture("zaya", ignores="layer_types", ties="tie_word_embeddings | true",
    heads=(
        head("ForCausalLM", "model.",
             part("lm_head", "head.token", linear("d -> V", bias="lm_head_bias"), tied="embed.token"), default=True),
        head("Model",       "")),
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", r="router_hidden_size", R="L[1:]"),
    parts=rows(
        ENDS,
        part("input_hidden_states_scale", "scale.input",      param("d")),
        part("input_hidden_states_bias",  "scale.input.bias", param("d")),
        under("layers.{L}", PRE_NORMS, ATTENTION, ATTENTION_SCALES, MLP_SCALES, ROUTER,
            under("mlp.experts", STACKED, ff="fe")),
        part("layers.{R}.mlp.gate.router_states_scale", "router.scale", param("r"))))
