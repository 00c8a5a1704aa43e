"""GroveMoE: Qwen 3 with experts, and a narrow expert for each group of two.

modeling_qwen3_moe.py of the authors' copy of transformers: the number of experts in a group and the width of its narrow
expert are numbers in the code, 2 and 128. `expert_bias`, added to the scores that choose the experts, is a buffer.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, EXPERTS, GQA, PRE_NORMS, QK_NORM, ROUTER, SWIGLU
from inspector.architectures.text.qwen import SPARSE
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, linear

GROVE_MOE = Architecture("grove_moe", heads=CAUSAL,
    dims=DECODER | SPARSE | Dims(E="num_experts", G="E//2", fg="128"), ignores="num_experts_per_tok",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", ROUTER, rows(EXPERTS, ff="fe"),
            part("expert_bias",                 "router.correction", buffer("E")),
            part("chunk_experts.{G}.gate_proj", "mlp.group.gate",    linear("d -> fg")),
            part("chunk_experts.{G}.up_proj",   "mlp.group.up",      linear("d -> fg")),
            part("chunk_experts.{G}.down_proj", "mlp.group.down",    linear("fg -> d")))))
