"""Mistral AI.

Sources: mistral_inference's transformer_layers.py and moe.py (Meta's names, and experts below
`feed_forward.experts.N`); transformers' convert_mixtral_weights_to_hf.py of 4.46 (all experts of a layer in one
matrix, a block of rows each, w2's blocks transposed); vLLM's mistral_large_3.py (latent attention, one tensor an
expert).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from inspector.dialects.language import Dialect, stored
from inspector.dialects.meta import META

TOWERS: Final[Mapping[str, str]] = {
    "mm_whisper_embeddings.": "convert_voxtral_weights_to_hf.py",
    "patch_merger.": "convert_mistral3_weights_to_hf.py",
    "vision_encoder.": "convert_pixtral_weights_to_hf.py",
}
"""Prefixes of modules around the text model -> the converter of transformers that reads them."""
_N: Final = "layers.{0}."
_EXPORTER: Final = "convert_mistral_weights_to_hf.py in the repository of transformers"
MISTRAL: Final = msgspec.structs.replace(
    META, writer="Mistral", exporter=_EXPORTER, types=("mistral",), only=("mistral", "ministral3")
)
_EXPERTS: Final = _N + "feed_forward.experts.{1}."
MIXTRAL: Final = msgspec.structs.replace(
    MISTRAL,
    names={
        **META.names,
        "router": _N + "feed_forward.gate",
        "mlp.gate{}": _EXPERTS + "w1",
        "mlp.up{}": _EXPERTS + "w3",
        "mlp.down{}": _EXPERTS + "w2",
    },
    signs=(
        ("layers.#.feed_forward.experts.#.w1.weight", "layers.#.attention.wq.weight"),
        ("layers.#.feed_forward.experts.#.w2.weight", "layers.#.attention.wk.weight"),
    ),
    types=("mixtral",),
    only=(),
)
MIXTRAL_STACKED: Final = Dialect(
    writer="Mistral",
    exporter=_EXPORTER,
    own_configs=META.own_configs,
    own_files=META.own_files,
    names={
        **META.names,
        "router": _N + "block_sparse_moe.gate",
        "mlp.gate[]": stored(_N + "block_sparse_moe.w1=", "rows of outputs"),
        "mlp.up[]": stored(_N + "block_sparse_moe.w3=", "rows of outputs"),
        "mlp.down[]": stored(_N + "block_sparse_moe.w2=", "rows of inputs"),
    },
    signs=(("layers.#.block_sparse_moe.w1", "layers.#.attention.wq.weight"),),
    types=("mixtral",),
)
LATENT: Final = Dialect(
    writer="Mistral",
    exporter=_EXPORTER,
    own_configs=META.own_configs,
    own_files=META.own_files,
    names={
        **META.names,
        "attention.query.down": _N + "attention.wq_a",
        "norm.query": _N + "attention.q_a_norm",
        "attention.query.up": _N + "attention.wq_b",
        "attention.kv.down": _N + "attention.wkv_a_with_mqa",
        "norm.kv": _N + "attention.kv_a_norm",
        "attention.kv.up": _N + "attention.wkv_b",
        "router": _N + "gate",
        "mlp.gate{}": _N + "experts.{1}.w1",
        "mlp.up{}": _N + "experts.{1}.w3",
        "mlp.down{}": _N + "experts.{1}.w2",
        "mlp.shared.gate": _N + "shared_experts.w1",
        "mlp.shared.up": _N + "shared_experts.w3",
        "mlp.shared.down": _N + "shared_experts.w2",
    },
    signs=(("layers.#.attention.wkv_a_with_mqa.weight", "layers.#.attention_norm.weight"),),
    types=("mistral4", "deepseek_v3"),
)
