"""Conversions of Llama from before the class was in transformers.

Source: huggingface/transformers, pull request 21955, whose first revisions had a `model.decoder` with the attention of
the later class and the other modules under Meta's names. The rows of queries and keys had either order.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_D: Final = "model.decoder.layers.{0}."
EARLY_LLAMA: Final = Dialect(
    writer="a conversion from before Llama was in transformers",
    names={
        "embed.token": "model.decoder.embed_tokens",
        "norm.final": "model.decoder.norm",
        "head.token": "lm_head",
        "norm.attention": _D + "attention_norm",
        "norm.mlp": _D + "ffn_norm",
        "attention.query": _D + "self_attn.q_proj",
        "attention.key": _D + "self_attn.k_proj",
        "attention.value": _D + "self_attn.v_proj",
        "attention.output": _D + "self_attn.o_proj",
        "mlp.gate": _D + "feed_forward.w1",
        "mlp.up": _D + "feed_forward.w3",
        "mlp.down": _D + "feed_forward.w2",
    },
    signs=(("model.decoder.layers.#.self_attn.q_proj.weight", "model.decoder.layers.#.feed_forward.w1.weight"),),
    types=("llama",),
)
