"""Buffers that any architecture may have: tables and counters that a model computes.

They are recognised by the last segments of the name. Sources: the modelling files of transformers 4.x, torch's
BatchNorm, ComfyUI's `comfy/sd.py`.
"""

from __future__ import annotations

GENERAL_BUFFERS = {
    "rotary_emb.inv_freq": "rotary frequencies, worked out from the config on loading",
    "rotary_pos_emb.inv_freq": "rotary frequencies, worked out from the config on loading",
    "original_inv_freq": "rotary frequencies, worked out from the config on loading",
    "inv_freq": "rotary frequencies, worked out from the config on loading",
    "rope.freqs": "rotary frequencies, worked out from the config on loading",
    "rope_freqs.weight": "rotary factors in llama.cpp's files, worked out from the config on conversion",
    "rope_factors_long.weight": "rotary factors in llama.cpp's files, worked out from the config on conversion",
    "rope_factors_short.weight": "rotary factors in llama.cpp's files, worked out from the config on conversion",
    "attn_rot_embd.weight": "rotary frequencies in llama.cpp's files",
    "position_ids": "the numbers 0, 1, 2, …",
    "token_type_ids": "zeros",
    "attn.masked_bias": "a constant for the causal mask",
    "attention.masked_bias": "a constant for the causal mask",
    "relative_position_index": "a table of window positions",
    "running_mean": "a batch norm's statistics",
    "running_var": "a batch norm's statistics",
    "num_batches_tracked": "a batch norm's step counter",
    "scaled_fp8": "ComfyUI's mark of a file with fp8 weights that have scales",
    "spiece_model": "the file of a SentencePiece tokenizer, in a text encoder of ComfyUI",
    "tekken_model": "the file of Mistral's tokenizer, in a text encoder of ComfyUI",
    "alignment_heads": "the heads for the times of words, in mlx-whisper's files",
    "_extra_state": "Transformer Engine's serialized scaling state",
}
"""Last segments of the name -> description of the tensor."""

_MASKS = ("attn.bias", "attention.bias")


def is_general_buffer(key: str, shape: tuple[int, ...]) -> bool:
    """True if a tensor of this key and shape is a buffer in any architecture. Causal masks are recognised by shape."""
    for tail in GENERAL_BUFFERS:
        if key == tail or key.endswith(f".{tail}"):
            return True
    square = len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]
    return square and key.endswith(_MASKS)
