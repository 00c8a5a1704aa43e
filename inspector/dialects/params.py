"""Reads params.json of Meta and Mistral: the model type that it describes, and the symbols of the type from its keys.

Sources: `llama/model.py` of Meta (`ModelArgs`: the width of the MLP follows from `dim`, `ffn_dim_multiplier` and
`multiple_of`; `vocab_size` -1 means that the tokenizer decides); `mistral_inference/args.py` (`moe`, `hidden_dim`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.notation.definition import Architecture, Dims

DECODER: Final = Dims(
    V="vocab_size when vocab_size > 0", d="dim", L="n_layers", h="n_heads", kv="n_kv_heads | h", dh="head_dim | d/h",
    ff="ceil(floor((ffn_dim_multiplier | 1)*(8*d//3)), multiple_of) when multiple_of != null | hidden_dim",
)  # fmt: skip
SYMBOLS: Final = {
    "llama": DECODER,
    "mixtral": DECODER | Dims(E="moe.num_experts"),
    "mistral4": DECODER
    | Dims(
        E="moe.num_experts",
        fe="moe.expert_hidden_dim",
        S="moe.num_shared_experts",
        k="moe.first_k_dense_replace | 0",
    ),
}
"""Model type -> symbols of its definition as expressions of the keys of a params.json."""
SIZES: Final = ("dim", "n_layers", "n_heads")
"""Keys that every params.json has."""
KEYS: Final = (*SIZES, "n_kv_heads", "hidden_dim", "multiple_of", "ffn_dim_multiplier")
"""Keys of a params.json for the sizes that a config.json states under other names."""


def type_of_params(values: Mapping[str, Any]) -> str:
    """The model type that a params.json describes. Mistral's may have experts or latent attention."""
    if values.get("kv_lora_rank"):
        return "mistral4"
    return "mixtral" if values.get("moe") else "llama"


@cache
def definition_for_params(model_type: str) -> Architecture:
    """The definition of a type in SYMBOLS that reads a params.json. Cached, since other caches use its
    identity as key.
    """
    definition = definition_of(model_type)
    assert definition is not None
    return replace(definition, dims={**definition.dims, **SYMBOLS[model_type]})
