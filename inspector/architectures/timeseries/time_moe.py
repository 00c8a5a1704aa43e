"""Time-MoE: code of its own in each repository (github.com/Time-MoE/Time-MoE).

modeling_time_moe.py there: Qwen 2's layers and mixtures over numbers in place of tokens; the experts share the inner
width, the shared expert has all of it; one head for each number of steps ahead.
"""

from inspector.architectures.blocks import DECODER, EXPERTS, GQA, PRE_NORMS, ROUTER, SHARED, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, scale

TIME_MOE = Architecture("time_moe", ignores="apply_aux_loss router_aux_loss_factor",
    dims=DECODER | Dims(i="input_size", E="num_experts", fe="ff//num_experts_per_tok", H="len(horizon_lengths)"),
    heads=(
        head("Model", ""),
        head("ForPrediction", "model.",
            part("lm_heads.{H}.out_layer", "head.series", linear("d -> horizon_lengths[{H}]*i")), default=True)),
    parts=rows(
        part("embed_layer.emb_layer",  "embed.value",      linear("i -> d")),
        part("embed_layer.gate_layer", "embed.value.gate", linear("i -> d")),
        part("norm",                   "norm.final",       scale("d")),
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="true", bo="false"),
            under("ffn_layer", SWIGLU, when="use_dense"),
            under("ffn_layer", ROUTER, rows(EXPERTS, ff="fe"), when="not use_dense"),
            under("ffn_layer.shared_expert", SHARED, when="not use_dense"),
            part("ffn_layer.shared_expert_gate", "router.shared", linear("d -> 1"), when="not use_dense"))))
