"""TencentPretrain, and UER-py before it.

Source: `scripts/convert_llama_from_tencentpretrain_to_huggingface.py`, which takes the rows of queries and keys from
Meta's order; `tencentpretrain/layers/transformer.py`, `multi_headed_attn.py` and `position_ffn.py`.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_T: Final = "encoder.transformer.{0}."
TENCENTPRETRAIN: Final = Dialect(
    writer="TencentPretrain",
    exporter="convert_llama_from_tencentpretrain_to_huggingface.py of TencentPretrain",
    names={
        "embed.token": ("embedding.word.embedding", "embedding.word_embedding"),
        "norm.final": "encoder.layer_norm",
        "head.token": ("target.lm.output_layer", "target.output_layer"),
        "norm.attention": _T + "layer_norm_1",
        "norm.mlp": _T + "layer_norm_2",
        "attention.query": _T + "self_attn.linear_layers.0",
        "attention.key": _T + "self_attn.linear_layers.1",
        "attention.value": _T + "self_attn.linear_layers.2",
        "attention.output": _T + "self_attn.final_linear",
        "mlp.gate": _T + "feed_forward.linear_gate",
        "mlp.up": _T + "feed_forward.linear_1",
        "mlp.down": _T + "feed_forward.linear_2",
    },
    signs=(
        (
            "encoder.transformer.#.self_attn.linear_layers.#.weight",
            "encoder.transformer.#.self_attn.final_linear.weight",
        ),
    ),
    types=("llama", "mistral"),
)
