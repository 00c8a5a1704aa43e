"""torchtune.

Source: `torchtune/models/convert_weights.py` and the converters of Gemma 2, Phi-3, Qwen2, Qwen3.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_T: Final = "layers.{0}."
TORCHTUNE: Final = Dialect(
    writer="torchtune",
    exporter="the FullModelHFCheckpointer of torchtune",
    names={
        "embed.token": "tok_embeddings",
        "norm.final": "norm.scale=",
        "head.token": "output",
        "norm.attention": _T + "sa_norm.scale=",
        "norm.mlp": _T + "mlp_norm.scale=",
        "norm.attention.post": _T + "sa_scale.scale=",
        "norm.mlp.post": _T + "mlp_scale.scale=",
        "attention.query": _T + "attn.q_proj",
        "attention.key": _T + "attn.k_proj",
        "attention.value": _T + "attn.v_proj",
        "attention.output": _T + "attn.output_proj",
        "norm.query": _T + "attn.q_norm.scale=",
        "norm.key": _T + "attn.k_norm.scale=",
        "mlp.gate": _T + "mlp.w1",
        "mlp.up": _T + "mlp.w3",
        "mlp.down": _T + "mlp.w2",
    },
    signs=(("layers.#.attn.output_proj.weight", "layers.#.sa_norm.scale"), ("layers.#.sa_norm.scale",)),
    types=("llama", "qwen2", "qwen3", "gemma2", "gemma", "phi3"),
    prefixes=("", "model.", "decoder."),
)
