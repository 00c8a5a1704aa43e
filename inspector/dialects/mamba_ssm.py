"""Translates the config.json of the mamba_ssm package, which has no model type, to transformers' keys.

Source: mamba_ssm's `models/config_mamba.py`, `models/mixer_seq_simple.py` (the vocabulary is padded to a multiple) and
`modules/mamba_simple.py` and `modules/mamba2.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SIGNS: Final = frozenset({"d_model", "n_layer", "ssm_cfg"})
"""Keys that only mamba_ssm writes together."""
PROGRAM: Final = "mamba_ssm"
TABLE: Final = ("backbone.embedding.weight", "backbone.embeddings.weight")
"""The name of the embedding, and that of transformers: 5 takes the tied head for it, 4.57 leaves it without numbers."""
FIRST: Final = "Mamba1"
OF_LAYERS: Final = {"d_state": "state_size", "d_conv": "conv_kernel", "expand": "expand", "dt_rank": "time_step_rank"}
"""Keys below `ssm_cfg` -> keys of transformers, for the first kind of layers."""
OF_SECOND: Final = {
    "d_state": ("state_size", 128), "d_conv": ("conv_kernel", 4), "expand": ("expand", 2), "headdim": ("head_dim", 64),
    "ngroups": ("n_groups", 1), "chunk_size": ("chunk_size", 256),
}  # fmt: skip
"""The same for `Mamba2`, with the defaults of its code, of which those of transformers' config class differ."""


def config_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keys to set for transformers in addition to the stated ones; None for other configs and other kinds of
    layers.
    """
    layers = values.get("ssm_cfg")
    if not values.keys() >= SIGNS or not isinstance(layers, dict):
        return None
    rows, multiple = values.get("vocab_size"), values.get("pad_vocab_size_multiple", 8)
    if type(rows) is not int or type(multiple) is not int or multiple < 1:
        return None
    kind = _of_kind(values, layers)
    if kind is None:
        return None
    model_type, class_name, sizes = kind
    found = {
        "model_type": model_type,
        "architectures": [class_name],
        "hidden_size": values["d_model"],
        "num_hidden_layers": values["n_layer"],
        "vocab_size": -(-rows // multiple) * multiple,
        "tie_word_embeddings": values.get("tie_embeddings", True),
        **sizes,
    }
    return {key: value for key, value in found.items() if values.get(key) != value}


def _of_kind(values: Mapping[str, Any], layers: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """The type, the class and the sizes of the layers; None for kinds that transformers has in other models."""
    kind = layers.get("layer", FIRST)
    if kind == FIRST:
        stated = {theirs: layers[ours] for ours, theirs in OF_LAYERS.items() if ours in layers}
        return "mamba", "MambaForCausalLM", stated
    if kind != "Mamba2" or values.get("attn_layer_idx") or values.get("d_intermediate"):
        return None  # with attention, or with an MLP in each layer
    sizes = {theirs: layers.get(ours, default) for ours, (theirs, default) in OF_SECOND.items()}
    width, inner = values["d_model"], (sizes["expand"], sizes["head_dim"])
    if type(width) is not int or any(type(one) is not int or one < 1 for one in inner):
        return None
    heads = {"num_heads": width * sizes["expand"] // sizes["head_dim"]}
    return "mamba2", "Mamba2ForCausalLM", {**sizes, **heads}
