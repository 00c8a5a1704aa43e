"""Converts convolutions from MLX's layout [out, kernel ..., in] to torch's layout [out, in, kernel ...], and GPT-2's
matrices from MLX's [out, in] to those of transformers' `Conv1D`, [in, out].

Files with the metadata `format: mlx` may have either layout: transformers loads those in torch's.

Source: mlx-vlm's `sanitize` of its vision towers and mlx-lm's of its mixers and of GPT-2; `mlx.nn.Conv1d`, `Conv2d` and
`Conv3d`.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from inspector.dialects.whisper import MLX_WHISPER
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.families import Families, Family, Stored, families_of


def is_of_mlx(checkpoint: Checkpoint) -> bool:
    """True if MLX wrote the files: by their metadata, or by a config with its quantization."""
    config = checkpoint.config
    if config is not None and (config.writer == MLX_WHISPER or isinstance(config.values.get("quantization"), dict)):
        return True
    return any(file.metadata.get("format") == "mlx" for file in checkpoint.files if file.metadata)


def in_torch_layout(families: Families, checkpoint: Checkpoint) -> Families:
    """The families with every convolution, and every matrix of GPT-2, in the layout of torch's model."""
    config = checkpoint.config
    swaps = config is not None and config.values.get("model_type") == "gpt2" and _are_linear(families)
    return {key: _in_torch_layout(family, swaps=swaps) for key, family in families.items()}


def _in_torch_layout(family: Family, *, swaps: bool) -> Family:
    if swaps and family.key.endswith(CONV1D):
        return _swapped(family)
    return _turned(family) if family.key.endswith(".weight") else family


CONV1D: Final = (".attn.c_attn.weight", ".attn.c_proj.weight", ".mlp.c_fc.weight", ".mlp.c_proj.weight")
"""Endings of the names of GPT-2's matrices."""
JOINED: Final = 3
"""Queries, keys and values in one matrix."""


def _are_linear(families: Families) -> bool:
    """True if the joined matrices of attention have the outputs first."""
    shapes = (shape for key, family in families.items() if key.endswith(CONV1D[0]) for shape in family.shapes)
    return all(len(shape) > 1 and shape[0] == JOINED * shape[1] for shape in shapes)


def _swapped(family: Family) -> Family:
    return Family(family.key, tuple(map(_transposed, family.stored)))


def _transposed(part: Stored) -> Stored:
    shape = part.layout.shape
    return replace(part, layout=replace(part.layout, shape=shape[::-1])) if len(shape) > 1 else part


def as_stored(checkpoint: Checkpoint) -> Families | None:
    """The families as the files of MLX have them, which is how transformers compares them; None if none of them has
    another layout than torch's.
    """
    if not is_of_mlx(checkpoint):
        return None
    families = families_of(checkpoint.tensors)
    return None if in_torch_layout(families, checkpoint) == families else families


LONGEST: Final = 32
"""Kernels along time are shorter than this number, and channel dims are not."""


def _turned(family: Family) -> Family:
    deep = max((len(part.layout.shape) for part in family.stored), default=0)
    if deep < 3 or (deep == 3 and "conv" not in family.key):
        return family
    return Family(family.key, tuple(map(_first, family.stored)))


def _first(part: Stored) -> Stored:
    """A tensor in torch's layout, if its sizes show that the channels are at the end."""
    shape = part.layout.shape
    if not (_is_square(shape) if len(shape) > 3 else _is_along_time(shape)):
        return part
    return replace(part, layout=replace(part.layout, shape=(shape[0], shape[-1], *shape[1:-1])))


def _is_square(shape: tuple[int, ...]) -> bool:
    """True if a shape has a square kernel: the two equal sizes show the position of the kernel."""
    return shape[-3] == shape[-2] != shape[-1]


def _is_along_time(shape: tuple[int, ...]) -> bool:
    """True for a short kernel along time before one channel, as in state-space mixers, or before many channels."""
    return len(shape) == 3 and 1 < shape[1] < LONGEST and (shape[2] == 1 or shape[2] >= LONGEST)
