"""MiniCPM 1 and 2 (code of its own in each repository).

modeling_minicpm.py there: Llama's layers; with `num_experts` every MLP is a mixture with Mixtral's w1, w3, w2. Tied
unless the config says otherwise.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, ROUTER, SWIGLU, W123
from inspector.notation.definition import Architecture, Dims, rows, under

MINICPM = Architecture("minicpm", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(E="num_experts"),      # no record exercises this definition
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU, when="not (E > 0)"),
            under("mlp", ROUTER, under("experts.{E}", W123), when="E > 0"))))
