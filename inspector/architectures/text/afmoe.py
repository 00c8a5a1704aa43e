"""AFMoE (Arcee Trinity), Aria's text model and Doge.

modeling_afmoe.py: four norms a layer, a gate on the attention's output, the first `num_dense_layers` layers dense; the
routing bias is a parameter. modeling_aria.py: every layer is sparse; experts are stacked modules fc1, fc2 stored
[in, out]; the shared expert is `moe_num_shared_experts` times as wide. modeling_doge.py: a residual weight a half; with
`is_moe` the experts are two tables of single neurons, chosen by pairs of keys.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    GQA,
    PRE_NORMS,
    QK_NORM,
    SHARED,
    SWIGLU,
    SWITCH,
)
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import linear, linear_io, param, scale, table

AFMOE = Architecture("afmoe", heads=CAUSAL,
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", S="num_shared_experts", D="L[:num_dense_layers]",
              M="L - D"),
    parts=rows(
        ENDS,
        under("layers.{L}",
            part("input_layernorm",          "norm.attention",      scale("d")),
            part("post_attention_layernorm", "norm.attention.post", scale("d")),
            part("pre_mlp_layernorm",        "norm.mlp",            scale("d")),
            part("post_mlp_layernorm",       "norm.mlp.post",       scale("d")),
            under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            part("self_attn.gate_proj", "attention.gate", linear("d -> h*dh"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            part("router.gate", "router",            linear("d -> E")),
            part("expert_bias", "router.correction", param("E")),
            under("shared_experts", SHARED, ff="fe*S"),
            either(rows(EXPERTS, ff="fe"), under("experts", SWITCH, ff="fe")))))       # MLX's stacks
ARIA_TEXT = Architecture("aria_text", heads=CAUSAL,
    dialects=({}, {                            # names in memory under transformers 5
        "*.experts.fc1.weight": ".experts.gate_up_proj", "*.experts.fc2.weight": ".experts.down_proj"}),
    dims=DECODER | Dims(E="moe_num_experts", S="moe_num_shared_experts"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="attention_bias", bo="attention_bias")),
        under("layers.{L}.mlp",
            part("router", "router", linear("d -> E")),
            under("shared_experts", SHARED, ff="ff*S", b="mlp_bias"),
            either(
                rows(
                    part("experts.fc1", "mlp.gate_up", linear_io("d -> ff + ff", each="E", packs="gate up")),
                    part("experts.fc2", "mlp.down",    linear_io("ff -> d",      each="E"))),
                under("experts.{E}", SWIGLU)))))                # by quantization tools, for vLLM
DOGE = Architecture("doge", heads=CAUSAL,
    dims=DECODER | Dims(E="num_experts", keys="floor(E**0.5)"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("input_residual",          "attention.residual", param("d")),
            part("post_attention_residual", "mlp.residual",       param("d")),
            under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            part("self_attn.A",       "attention.decay", param("kv")),
            part("self_attn.dt_proj", "attention.step",  linear("kv*dh -> kv", bias="attention_bias")),
            under("mlp", SWIGLU, b="mlp_bias")),
        under("layers.{L}.mlp",
            part("router_gate", "router",       linear("d -> keys + keys")),
            part("down_embed",  "mlp.experts.down", table("E d")),
            part("up_embed",    "mlp.experts.up",   table("E d")), when="is_moe")))
