"""The finding on convolutions that a file of MLX stores in torch's layout."""

from __future__ import annotations

from typing import Final

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows
from inspector.findings.words import count, listed, shape

UNTURNED: Final = "mlx-vlm up to 0.6.3, and programs built on it,"
"""Programs that take the tensors of files with the metadata `format: mlx` as they are."""
TURNING: Final = "mlx-vlm 0.6.4"


class KernelsOfTorch(ContentFinding, frozen=True, kw_only=True):
    """Convolutions in a file of MLX are stored in torch's layout.

    What it means
        MLX has the channels of a kernel last, torch has them second. The metadata of the file say that MLX wrote it
        (`format: mlx`), and these kernels have the channels second: whoever changed or copied them took them from a
        checkpoint for torch.

    Why it matters
        mlx-vlm up to 0.6.3 and other programs convert no file with this metadata, and refuse the shape; some then load
        the text model without the vision tower. mlx-vlm 0.6.4 and later turn the kernels. mlx-lm does not read the
        tower.

    Example
        warning[N746] kernels-of-torch: vision_tower.patch_embed.proj.weight has torch's
          layout in a file of MLX
          stored   [72, 3, 2, 8, 8], 1 tensor
          in MLX   [72, 2, 8, 8, 3]
          because  mlx-vlm up to 0.6.3, and programs built on it, take a file with the
                   metadata format: mlx as it is, and refuse this
          help     convert the original model again with mlx_vlm.convert, store it as
                   tensor.transpose(0, 2, 3, 4, 1), or use mlx-vlm 0.6.4 or later, which
                   turns it

    What to do
        Turn the kernels, or convert the original model again.
    """

    code = "N746"
    severity = "warning"

    tensors: int
    families: tuple[str, ...]
    stored: tuple[int, ...]
    turned: tuple[int, ...]

    def headline(self) -> str:
        return f"{self.families[0]} has torch's layout in a file of MLX"

    def rows(self) -> Rows:
        rows = [("also", listed(self.families[1:], 4))] if len(self.families) > 1 else []
        return [
            *rows,
            ("stored", f"{shape(self.stored)}, {count(self.tensors, 'tensor')}"),
            ("in MLX", shape(self.turned)),
            ("because", f"{UNTURNED} take a file with the metadata format: mlx as it is, and refuse this"),
        ]

    def remedy(self) -> Remedy:
        axes = ", ".join(map(str, (0, *range(2, len(self.stored)), 1)))
        again = "convert the original model again with mlx_vlm.convert"
        return Remedy(f"{again}, store it as tensor.transpose({axes}), or use {TURNING} or later, which turns it")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """None for a loader of torch that reads the file."""
        return None if outcome == "complete" and not loader.startswith("mlx") else self
