"""OpenAI's own code of Whisper, and mlx-whisper.

Source: `whisper/model.py`; which module is which: transformers' `convert_openai_to_hf.py`. The head is the embedding.
mlx-whisper (`mlx_whisper/whisper.py`, `load_models.py`, `convert.py` of 0.4) has the two layers of an MLP under names
without a dot, computes the positions of the encoder, and reads `weights.safetensors` with OpenAI's sizes in config.json
(`ModelDimensions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

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


WRITER: Final = "OpenAI's code of Whisper"
MLX_WHISPER: Final = "mlx-whisper"


def _renamed(name: str) -> str:
    return name.replace("mlp.0", "mlp1").replace("mlp.2", "mlp2")


_SIZES: Final = {
    "n_mels": ("num_mel_bins",), "n_vocab": ("vocab_size",), "n_audio_state": ("d_model",),
    "n_audio_ctx": ("max_source_positions",), "n_text_ctx": ("max_target_positions",),
    "n_audio_layer": ("encoder_layers", "num_hidden_layers"), "n_text_layer": ("decoder_layers",),
    "n_audio_head": ("encoder_attention_heads",), "n_text_head": ("decoder_attention_heads",),
}  # fmt: skip
"""Key of OpenAI's `ModelDimensions` -> keys of transformers."""
_TIMES: Final = 4
"""The width of an MLP is this many times that of the model."""


def config_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """mlx-whisper's config in transformers' keys; None if the sizes are not stated in OpenAI's."""
    if not {"n_audio_state", "n_text_state"} <= values.keys() or not all(_is_size(values[key]) for key in _WIDTHS):
        return None
    found = {new: values[key] for key, names in _SIZES.items() if key in values for new in names}
    widths = {
        f"{side}_ffn_dim": _TIMES * values[key] for side, key in zip(("encoder", "decoder"), _WIDTHS, strict=True)
    }
    kept = {key: value for key, value in values.items() if key not in _SIZES and key not in _WIDTHS}
    return {**kept, **found, **widths, "model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]}


def has_own_names(names: Iterable[str]) -> bool:
    """True if a block of OpenAI's or MLX's code is among the names; transformers calls its blocks layers."""
    return any(".blocks." in name or name.startswith("blocks.") for name in names)


def own_key(key: str) -> str | None:
    """The key of mlx-whisper's config for a key of transformers; None if it has none that gives only this one."""
    return next((own for own, names in _SIZES.items() if key in names), None)


_WIDTHS: Final = ("n_audio_state", "n_text_state")


def _is_size(value: object) -> bool:
    return type(value) is int and value > 0


WHISPER: Final = Dialect(
    writer=WRITER,
    names_alone=True,
    exporter="convert_openai_to_hf.py in the repository of transformers",
    names=dict(_names()),
    signs=(("encoder.blocks.#.mlp.#.weight", "decoder.blocks.#.cross_attn.query.weight"),),  # MLX has mlp1 and mlp2
    types=("whisper",),
    exclusive=True,
)
WHISPER_MLX: Final = Dialect(
    writer=MLX_WHISPER,
    names_alone=True,
    names={path: _renamed(name) for path, name in _names()},
    signs=(("encoder.blocks.#.mlp1.weight", "decoder.blocks.#.cross_attn.query.weight"),),
    omits=("@encoder.embed_positions",),
    types=("whisper",),
    exclusive=True,
)
