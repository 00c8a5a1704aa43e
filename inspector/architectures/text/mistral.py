"""Mistral, Ministral and Mixtral, and the keys of Mistral's own params.json.

modeling_mistral.py, modeling_mixtral.py: no bias anywhere; `head_dim` is free of `hidden_size` and may be null.
Question answering keeps the root `model.`, but ministral's has `transformer.`. Mixtral's experts are w1 (gate), w3
(up), w2 (down) below `block_sparse_moe`, one by one on disk; transformers 5 holds them stacked in memory below `mlp`.
"""

from inspector.architectures.blocks import (
    BLOCK_SPARSE,
    CAUSAL,
    DECODER,
    ENDS,
    GQA,
    PRE_NORMS,
    SWIGLU,
)
from inspector.notation.definition import Architecture, Dims, rooted, rows, under

MISTRAL = Architecture("mistral ministral3", dims=DECODER, heads=rooted(CAUSAL, "model."),
    ties="tied_embeddings | tie_word_embeddings | false",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA),
        under("layers.{L}.mlp", SWIGLU)))
MINISTRAL = Architecture("ministral", dims=DECODER, heads=CAUSAL,
                         parts=MISTRAL.parts)
MIXTRAL = Architecture("mixtral", dims=DECODER | Dims(E="num_local_experts"), heads=rooted(CAUSAL, "model."),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA),
        under("layers.{L}", BLOCK_SPARSE)))
