"""Decides which files mend does not change, and why."""

from __future__ import annotations

from typing import Final

from inspector.loader.sources.source import is_plain_name

JSON: Final = (".json",)
INDEXES: Final = (".safetensors.index.json", ".bin.index.json")
CONFIGS: Final = ("config.json", "model_index.json", "modular_model_index.json")
HEADERS: Final = (".safetensors",)


def refusal_of(action: str, file: str, new: object = "") -> str | None:
    """Why an action on a file is not carried out; None if it is. Any file of the folder may be moved."""
    names = [file, new] if isinstance(new, str) and new and action == "move" else [file]
    if not all(_is_inside(name) for name in names):
        return "the name is not that of a file in this folder"
    if action == "move":
        return None
    if file.endswith(".gguf"):
        return f"{file} is a GGUF file: mend does not write these"
    if action == "write" and not file.endswith(INDEXES + CONFIGS):
        return f"{file} is neither the index of weight files nor a config"
    wanted = JSON if action in ("remove", "write") else HEADERS if action in ("rename", "truncate") else JSON + HEADERS
    if not file.endswith(wanted):
        return f"{file or 'the file'} is neither a safetensors nor a JSON file: mend does not write it"
    return None


def _is_inside(name: str) -> bool:
    """True if a name is that of a file in the folder, or in the folder of a component of a pipeline."""
    return name.count("/") <= 1 and all(map(is_plain_name, name.split("/")))
