"""Convolutions as MLX stores them: [out, kernel ..., in], where torch has [out, in, kernel ...].

Files that say `format: mlx` may have either layout: transformers loads those in torch's.

Source: mlx-vlm's `sanitize` of its vision towers; `mlx.nn.Conv2d` and `Conv3d`.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.families import Families, Family, Stored


def is_of_mlx(checkpoint: Checkpoint) -> bool:
    """Whether MLX wrote the files: by their metadata, or by a config with its quantization."""
    config = checkpoint.config
    if config is not None and isinstance(config.values.get("quantization"), dict):
        return True
    return any(file.metadata.get("format") == "mlx" for file in checkpoint.files if file.metadata)


def channels_first(families: Families) -> Families:
    """The families with convolutions in torch's layout."""
    return {key: _turned(family) if key.endswith(".weight") else family for key, family in families.items()}


def _turned(family: Family) -> Family:
    if all(len(part.layout.shape) < 4 for part in family.stored):
        return family
    return Family(family.key, tuple(map(_first, family.stored)))


def _first(part: Stored) -> Stored:
    """A tensor in torch's layout: kernels are square, so that the two equal sizes show where the kernel is."""
    shape = part.layout.shape
    if len(shape) < 4 or shape[-3] != shape[-2] or shape[-2] == shape[-1]:
        return part
    return replace(part, layout=replace(part.layout, shape=(shape[0], shape[-1], *shape[1:-1])))
