"""What a loader does with files that it never opens, or that are of no model that it runs."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from inspector.auditing.gguf.findings import OF_COMFYUI
from inspector.auditing.loads.of_other_programs import NotRead
from inspector.dialects.llama_cpp import source
from inspector.findings.finding import NO_FILE
from inspector.loader.loaders import MLX_ADAPTERS
from inspector.loading.lists import lists_of
from inspector.loading.outcome import REFUSES, Load

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

LLAMA_CPP: Final = "llama.cpp"
OF_IMAGES: Final = "ComfyUI with the nodes of ComfyUI-GGUF"
"""What loads image and video models in GGUF files."""
OTHERS: Final = ("numpy", "pytorch")
"""Kinds of files that mlx-lm does not open."""
PATTERN: Final = "model*.safetensors"
"""Which files mlx-lm reads (`load_model` in `mlx_lm/utils.py` 0.32.2: "No safetensors found")."""


def unread_files(audited: Audit, loader: str) -> NotRead | None:
    """What a loader does with files that it does not read; None if it may read them."""
    if loader == LLAMA_CPP and (image := _architecture_of_images(audited)):
        because = f"unknown model architecture: '{image}' is an image or video model ({source()})"
        return NotRead(_refused(loader, None, because), OF_IMAGES)
    if loader == MLX_ADAPTERS.name and _without_safetensors(audited):
        return NotRead(_refused(loader, lists_of(loader)["version"], f"{NO_FILE} {PATTERN}"), "")
    return None


def _refused(loader: str, version: str | None, because: str) -> Load:
    return Load(loader=loader, version=version, outcome=REFUSES, because=because, source="documented")


def _architecture_of_images(audited: Audit) -> str:
    """The architecture of an image model that a GGUF file states; "" for any other file."""
    metadata = audited.checkpoint.metadata
    if metadata is None or not audited.checkpoint.is_gguf:
        return ""
    stated = metadata.values.get("general.architecture")
    return stated if isinstance(stated, str) and stated in OF_COMFYUI else ""


def _without_safetensors(audited: Audit) -> bool:
    """True for a folder of a text model that mlx-lm knows, with no file that it opens."""
    checkpoint = audited.checkpoint
    if checkpoint.kind not in OTHERS or checkpoint.alone or checkpoint.adapter is not None:
        return False
    if not any(one.loader == MLX_ADAPTERS.name for one in audited.loads):
        return False
    names = [*checkpoint.siblings, *(one.name for one in checkpoint.other_sets)]
    return not any(fnmatchcase(name, PATTERN) or name.endswith(".index.json") for name in names)
