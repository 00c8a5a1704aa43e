"""JetMoE: experts in the MLP and in the attention.

modeling_jetmoe.py: queries and outputs of the attention are experts, stacked; keys and values are one matrix of all
tokens. Both mixtures add one bias of the model's width.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS
from inspector.notation.definition import Architecture, Dims, part, rooted, rows, under
from inspector.notation.kinds import linear, param

JETMOE = Architecture("jetmoe", heads=rooted(CAUSAL, "model."), ties="tie_word_embeddings | true",
    dims=DECODER | Dims(E="num_local_experts", kv="num_key_value_heads", dh="kv_channels"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attention",
            part("kv_proj", "attention.kv", linear("d -> kv*dh + kv*dh", packs="k v")),
            part("experts.router.layer",  "attention.router",      linear("d -> E")),
            part("experts.input_linear",  "attention.query",       linear("d -> kv*dh", each="E")),
            part("experts.output_linear", "attention.output",      linear("kv*dh -> d", each="E")),
            part("experts.bias",          "attention.output.bias", param("d"))),
        under("layers.{L}.mlp",
            part("router.layer",  "router",        linear("d -> E")),
            part("input_linear",  "mlp.gate_up",   linear("d -> ff + ff", each="E", packs="gate up")),
            part("output_linear", "mlp.down",      linear("ff -> d", each="E")),
            part("bias",          "mlp.down.bias", param("d")))))
