"""Converts convolutions from MLX's layout [out, kernel ..., in] to torch's layout [out, in, kernel ...].

Files with the metadata `format: mlx` may have either layout: transformers loads those in torch's.

Source: mlx-vlm's `sanitize` of its vision towers and mlx-lm's of its mixers; `mlx.nn.Conv1d`, `Conv2d` and `Conv3d`.
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


def channels_first(families: Families) -> Families:
    """The families with every convolution in torch's layout."""
    return {key: _turned(family) if key.endswith(".weight") else family for key, family in families.items()}


def as_stored(checkpoint: Checkpoint) -> Families | None:
    """The families as the files of MLX have them, which is how transformers compares them; None if no convolution of
    them has another layout than torch's.
    """
    if not is_of_mlx(checkpoint):
        return None
    families = families_of(checkpoint.tensors)
    return None if channels_first(families) == families else families


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
