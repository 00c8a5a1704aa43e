"""Translates the config.json of the mamba_ssm package, which has no model type, to transformers' keys.

Source: mamba_ssm's `models/config_mamba.py`, `models/mixer_seq_simple.py` (the vocabulary is padded to a multiple) and
`modules/mamba_simple.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SIGNS: Final = frozenset({"d_model", "n_layer", "ssm_cfg"})
"""Keys that only mamba_ssm writes together."""
CLASS: Final = "MambaForCausalLM"
"""The class of its only model."""
PROGRAM: Final = "mamba_ssm"
TABLE: Final = ("backbone.embedding.weight", "backbone.embeddings.weight")
"""The name of the embedding, and that of transformers: 5 takes the tied head for it, 4.57 leaves it without numbers."""
OF_LAYERS: Final = {"d_state": "state_size", "d_conv": "conv_kernel", "expand": "expand", "dt_rank": "time_step_rank"}
"""Keys below `ssm_cfg` -> keys of transformers."""


def config_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keys to set for transformers in addition to the stated ones; None for other configs and other kinds of
    layers.
    """
    layers = values.get("ssm_cfg")
    if not values.keys() >= SIGNS or not isinstance(layers, dict) or layers.get("layer", "Mamba1") != "Mamba1":
        return None
    rows, multiple = values.get("vocab_size"), values.get("pad_vocab_size_multiple", 8)
    if type(rows) is not int or type(multiple) is not int or multiple < 1:
        return None
    found = {
        "model_type": "mamba",
        "architectures": [CLASS],
        "hidden_size": values["d_model"],
        "num_hidden_layers": values["n_layer"],
        "vocab_size": -(-rows // multiple) * multiple,
        "tie_word_embeddings": values.get("tie_embeddings", True),
        **{theirs: layers[ours] for ours, theirs in OF_LAYERS.items() if ours in layers},
    }
    return {key: value for key, value in found.items() if values.get(key) != value}
