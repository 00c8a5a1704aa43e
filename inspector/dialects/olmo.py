"""The names of OLMo's training code, before its conversion for transformers.

Source: `olmo/model.py` and transformers' `convert_olmo_weights_to_hf.py`: q, k and v are one matrix, and so are the two
matrices before the activation; the head outside the blocks has the name of the MLP's last matrix.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_B: Final = "blocks.{0}."
OLMO: Final = Dialect(
    writer="OLMo's training code",
    exporter="convert_olmo_weights_to_hf.py (OLMo 2: convert_olmo2_weights_to_hf.py) in the repository of transformers",
    own_configs=("config.yaml",),
    names={
        "embed.token": "wte",
        "norm.final": "ln_f",
        "head.token": "ff_out",
        "norm.attention": _B + "attn_norm",
        "norm.mlp": _B + "ff_norm",
        "attention.qkv": _B + "att_proj",
        "attention.output": _B + "attn_out",
        "norm.query": _B + "q_norm",
        "norm.key": _B + "k_norm",
        "mlp.gate_up": _B + "ff_proj",
        "mlp.down": _B + "ff_out",
    },
    signs=(("blocks.#.att_proj.weight", "blocks.#.ff_proj.weight"), ("blocks.#.att_proj.weight",)),
    types=("olmo",),
    prefixes=("model.transformer.", "transformer.", "module.transformer.", ""),
)
