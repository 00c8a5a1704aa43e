"""Klear of Kuaishou (code of its own): Qwen3's attention and mixtures whose shared expert is weighed by the input.

mlx-lm's `Klear.py`: `coefficient`, with a bias, weighs routed and shared experts; `expert_bias` corrects the router.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    GQA,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SHARED,
    SWIGLU,
)
from inspector.architectures.text.qwen import SPARSE
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, dense

KLEAR = Architecture("Klear", heads=CAUSAL,
    dims=DECODER | SPARSE | Dims(dh="d//h", E="num_experts", S="n_shared_experts"),
    parts=rows(                                # no record exercises this definition
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("coefficient", "router.shared",     dense("d -> 2")),
            part("expert_bias", "router.correction", buffer("E")),
            under("shared_experts", SHARED, ff="fe*S"),
            rows(EXPERTS, ff="fe"))))
