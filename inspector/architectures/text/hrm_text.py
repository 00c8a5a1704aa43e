"""HRM-Text: two stacks of layers, each passed several times.

modeling_hrm_text.py: `num_layers_per_stack` is the number of layers of each stack; a config without it says it as
`num_hidden_layers`, which is otherwise the number of passes. No norm has a weight. Attention has a gate for its output.
On disk gate, query, key and value are one matrix, gate and up another; biases stay apart.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, SWIGLU
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import linear, param, table

LAYER = rows(
    either(
        under("self_attn",
            part("gate_proj", "attention.gate",  linear("d -> h*dh", bias="attention_bias")),
            part("q_proj",    "attention.query", linear("d -> h*dh", bias="attention_bias")),
            part("k_proj",    "attention.key",   linear("d -> h*dh", bias="attention_bias")),
            part("v_proj",    "attention.value", linear("d -> h*dh", bias="attention_bias"))),
        rows(
            part("attn.gqkv_proj", "attention.gqkv",
                 linear("d -> h*dh + h*dh + h*dh + h*dh", packs="gate query key value")),
            under("self_attn",
                part("gate_proj.bias", "attention.gate.bias",  param("h*dh")),
                part("q_proj.bias",    "attention.query.bias", param("h*dh")),
                part("k_proj.bias",    "attention.key.bias",   param("h*dh")),
                part("v_proj.bias",    "attention.value.bias", param("h*dh")), when="attention_bias"))),
    part("self_attn.o_proj", "attention.output", linear("h*dh -> d", bias="attention_bias")),
    under("mlp",
        either(
            rows(SWIGLU, b="mlp_bias"),
            rows(
                part("gate_up_proj",   "mlp.gate_up",   linear("d -> ff + ff", packs="gate up")),
                part("down_proj",      "mlp.down",      linear("ff -> d", bias="mlp_bias")),
                part("gate_proj.bias", "mlp.gate.bias", param("ff"), when="mlp_bias"),
                part("up_proj.bias",   "mlp.up.bias",   param("ff"), when="mlp_bias")))))
HRM_TEXT = Architecture("hrm_text", heads=CAUSAL,
    dialects=({}, {"*.self_attn.o_proj.": ".attn.o_proj."}), writers=("transformers in memory", "transformers"),
    dims=DECODER | Dims(K="num_layers_per_stack | num_hidden_layers"),
    parts=rows(
        part("embed_tokens", "embed.token", table("V d")),
        part("z_L_init",     "embed.state", param("d")),
        under("L_module.layers.{K}", LAYER, tower="low"),
        under("H_module.layers.{K}", LAYER, tower="high")))
