"""Llama, models with exactly its layers, and the names and keys of Meta's own releases.

SmolLM 3 (modeling_smollm3.py) and, by code of their own, Aquila, XVERSE and Skywork have Llama's layers.
modeling_llama.py: `attention_bias` reaches q, k, v and o, `mlp_bias` all three of the MLP; `head_dim` is free
of `hidden_size`. Files older than transformers 4.32 hold `rotary_emb.inv_freq` in every layer.
Meta's model.py (params.json beside consolidated.*): the MLP's width is not written down but follows from
`dim`, `ffn_dim_multiplier` and `multiple_of`; `vocab_size` -1 means that the tokenizer knows; one `rope.freqs`.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, META_DECODER, META_NAMES, PRE_NORMS, SWIGLU
from inspector.notation.card import Architecture, maybe, rows, under
from inspector.notation.kinds import buffer

LLAMA = Architecture("llama smollm3 aquila xverse skywork", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | false",
    native=META_DECODER, dialects=({}, META_NAMES),
    parts=rows(
        ENDS,
        maybe("rope.freqs", "rotary.frequency", buffer("dh/2")),                 # Meta's files only
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("layers.{L}.mlp", SWIGLU, b="mlp_bias")))
