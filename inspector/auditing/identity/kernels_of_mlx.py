"""Finds convolutions that a file of MLX stores in torch's layout.

Source: `load_model` in `utils.py` of mlx-vlm. Up to 0.6.3 it calls no `sanitize` for a file with the metadata
`format: mlx`; since 0.6.4 it always does, and each tower turns kernels whose shape is torch's (`check_array_shape`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.families import families_of
from inspector.reconciler.wording import family_name

PARTS: Final = ("vision_config", "audio_config")
"""Keys of the configs of models that mlx-vlm loads."""
OF_MLX: Final = "language_model."
"""Beginning of the names of the text model in mlx-vlm."""
KERNEL: Final = 4
"""Least number of dims of a kernel in two directions."""


def kernels_of_torch(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Yields the finding on kernels that MLX would have stored with the channels at the end."""
    config = checkpoint.config
    if config is None or not any(isinstance(config.values.get(part), dict) for part in PARTS):
        return
    if not any((file.metadata or {}).get("format") == "mlx" for file in checkpoint.files):
        return
    if not any(name.startswith(OF_MLX) for name in checkpoint.tensors):
        return
    deep = [name for name, one in checkpoint.tensors.items() if len(one.shape) >= KERNEL and name.endswith(".weight")]
    kernels = {name: checkpoint.tensors[name] for name in deep if _is_of_torch(checkpoint.tensors[name].shape)}
    found = families_of(kernels)
    if not found:
        return
    from inspector.findings.names.mlx_kernels import KernelsOfTorch

    families = tuple(map(family_name, found))
    stored = next(iter(found.values())).stored[0].layout.shape
    yield KernelsOfTorch(
        place=Place(family=families[0]),
        tensors=sum(family.tensors for family in found.values()),
        families=families,
        stored=stored,
        turned=(stored[0], *stored[2:], stored[1]),
    )


def _is_of_torch(shape: tuple[int, ...]) -> bool:
    """True if the two equal sizes of a square kernel are the last ones."""
    return shape[-1] == shape[-2] != shape[1]
