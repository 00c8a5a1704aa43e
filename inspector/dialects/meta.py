"""Meta's own Llama checkpoints (consolidated.00.pth).

Source: llama's `model.py` (Transformer, Attention, FeedForward); transformers' convert_llama_weights_to_hf.py.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_N: Final = "layers.{0}."
META: Final = Dialect(
    writer="Meta",
    exporter="convert_llama_weights_to_hf.py in the repository of transformers",
    own_configs=("params.json",),
    own_files=("consolidated",),
    names={
        "embed.token": "tok_embeddings",
        "norm.final": "norm",
        "head.token": "output",
        "@rope.freqs": "rope.freqs=",
        "norm.attention": _N + "attention_norm",
        "norm.mlp": _N + "ffn_norm",
        "attention.query": _N + "attention.wq",
        "attention.key": _N + "attention.wk",
        "attention.value": _N + "attention.wv",
        "attention.output": _N + "attention.wo",
        "mlp.gate": _N + "feed_forward.w1",
        "mlp.up": _N + "feed_forward.w3",
        "mlp.down": _N + "feed_forward.w2",
    },
    signs=(
        ("layers.#.attention.wq.weight", "layers.#.feed_forward.w1.weight"),
        ("layers.#.attention.wk.weight", "layers.#.feed_forward.w2.weight"),
    ),
    types=("llama", "mistral"),
    exclusive=True,
)
