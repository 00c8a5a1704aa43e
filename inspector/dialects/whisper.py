"""OpenAI's own code of Whisper.

Source: `whisper/model.py`; which module is which: transformers' `convert_openai_to_hf.py`. The head is the embedding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.dialects.language import Dialect

_ENDS: Final = {
    "encoder": {
        "conv1": "conv1", "conv2": "conv2", "embed_positions": "positional_embedding=", "layer_norm": "ln_post",
    },
    "decoder": {"embed_tokens": "token_embedding", "embed_positions": "positional_embedding=", "layer_norm": "ln"},
}  # fmt: skip
"""Side -> a module of it outside the layers -> its name in OpenAI's code."""
_ATTENTION: Final = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "out"}
_LAYER: Final = {
    "self_attn_layer_norm": "attn_ln", "encoder_attn_layer_norm": "cross_attn_ln", "final_layer_norm": "mlp_ln",
    "fc1": "mlp.0", "fc2": "mlp.2",
    **{f"self_attn.{own}": f"attn.{name}" for own, name in _ATTENTION.items()},
    **{f"encoder_attn.{own}": f"cross_attn.{name}" for own, name in _ATTENTION.items()},
}  # fmt: skip
"""A module of a layer -> its name in OpenAI's code."""


def _names() -> Iterator[tuple[str, str]]:
    """Paths of each class of transformers with their names."""
    for root in ("", "model."):
        for side, ends in _ENDS.items():
            for own, name in ends.items():
                yield f"@{root}{side}.{own}", f"{side}.{name}"
            for own, name in _LAYER.items():
                yield f"@{root}{side}.layers.{{}}.{own}", f"{side}.blocks.{{0}}.{name}"


WHISPER: Final = Dialect(
    writer="OpenAI's code of Whisper",
    names_alone=True,
    exporter="convert_openai_to_hf.py in the repository of transformers",
    names=dict(_names()),
    signs=(("encoder.blocks.#.mlp.#.weight", "decoder.blocks.#.cross_attn.query.weight"),),  # MLX has mlp1 and mlp2
    types=("whisper",),
    exclusive=True,
)
