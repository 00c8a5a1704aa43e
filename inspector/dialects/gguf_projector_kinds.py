"""llama.cpp: which kind of projector in an mmproj file has vision blocks of which sort, and needs which keys.

`clip.cpp` chooses the norm of the blocks by the kind alone and reads the gate and the biases where they are stored, so
that blocks of the other sort load and give wrong vectors. Measured with llama-cpp-python 0.3.36 on converted files of
small models, with `clip.projector_type` exchanged and with each key left out; the sorts are those of these files.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from typing import Final

BIAS: Final = "v.blk.#.ln1.bias"
"""A tensor of blocks with layer norms."""
GATE: Final = "v.blk.#.ffn_gate.weight"
"""A tensor of blocks with RMS norms."""
WITH_BIAS: Final = frozenset({"qwen2vl_merger", "qwen3vl_merger", "hunyuanvl", "janus_pro", "llama4"})
WITH_GATE: Final = frozenset({"qwen2.5vl_merger", "exaone4_5", "glm4v"})
POSITIONS: Final = "v.position_embd.weight"
"""The positions of Qwen 3 VL, which Qwen 2 VL computes."""


def other_kind(kind: object, families: Collection[str]) -> tuple[str, str, str] | None:
    """(tensor of the other sort of blocks, tensor of the sort of a stated kind, the kind that the blocks are of).

    None if the blocks are of the sort of their kind, or show none. The last is empty if it is not known.
    """
    has_bias, has_gate = BIAS in families, GATE in families
    if kind in WITH_BIAS and has_gate and not has_bias:
        return GATE, BIAS, "qwen2.5vl_merger" if kind == "qwen2vl_merger" else ""
    if kind in WITH_GATE and has_bias and not has_gate:
        qwen = "qwen3vl_merger" if POSITIONS in families else "qwen2vl_merger"
        return BIAS, GATE, qwen if kind == "qwen2.5vl_merger" else ""
    return None


OF_IMAGES: Final = (
    "has_vision_encoder", "vision.projection_dim", "vision.image_size", "vision.patch_size", "vision.embedding_length",
    "vision.feed_forward_length", "vision.block_count", "vision.attention.head_count", "vision.image_mean",
    "vision.image_std", "vision.attention.layer_norm_epsilon",
)  # fmt: skip
OF_SOUND: Final = (
    "has_audio_encoder", "audio.projection_dim", "audio.embedding_length", "audio.feed_forward_length",
    "audio.block_count", "audio.attention.head_count", "audio.num_mel_bins", "audio.attention.layer_norm_epsilon",
)  # fmt: skip
REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(WITH_BIAS | WITH_GATE, OF_IMAGES),
    "qwen2.5vl_merger": (*OF_IMAGES, "vision.n_wa_pattern"),
    "exaone4_5": (*OF_IMAGES, "vision.image_min_pixels", "vision.image_max_pixels", "vision.attention.head_count_kv"),
    "musicflamingo": OF_SOUND,
}
"""Kind -> the keys after `clip.` without which the recorded file of its kind is refused, each left out alone (measured
with llama-cpp-python 0.3.36).
"""


def keys_lacking(kind: object, values: Container[str]) -> tuple[str, ...]:
    """The keys that a file of this kind lacks; none for a kind that was not measured."""
    keys = (f"clip.{key}" for key in (REQUIRED.get(kind, ()) if isinstance(kind, str) else ()))
    return tuple(key for key in keys if key not in values)
