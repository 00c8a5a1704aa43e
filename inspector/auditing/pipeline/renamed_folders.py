"""Finds the folder of a missing component under another name, or one level deeper than the pipeline looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.auditing.pipeline.files import STEPS_A_COMPONENT, Open, is_there, kind_of, unnamed_folders
from inspector.budget import spend
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.loader.config_file import named_class


def renamed_folders(
    root: Checkpoint, values: Mapping[str, object], missing: Sequence[tuple[str, str]], opened: Open
) -> dict[str, str]:
    """Component -> the only folder with the content of its class that no entry of the index names.

    missing: (component, class) of the components whose folder is absent or empty.
    """
    candidates = list(_opened(unnamed_folders(root, values), opened)) if missing else []
    found: dict[str, str] = {}
    for name, class_name in missing:
        outer = opened(name)
        inner = None if outer is None else load_within(outer, name)
        deeper = [] if inner is None else [(f"{name}/{name}", inner)]
        fitting = [folder for folder, inside in (*deeper, *candidates) if _is_of(class_name, inside)]
        if len(fitting) == 1:
            found[name] = fitting[0]
    several = {folder for folder in found.values() if list(found.values()).count(folder) > 1}
    return {name: folder for name, folder in found.items() if folder not in several}


def _opened(folders: Sequence[str], opened: Open) -> Iterator[tuple[str, Checkpoint]]:
    for folder in folders:
        spend(STEPS_A_COMPONENT, "the components of the pipeline")
        inside = opened(folder)
        if inside is not None:
            yield folder, inside


def _is_of(class_name: str, folder: Checkpoint) -> bool:
    """True if a folder has what a class is loaded from: weights with a config of this class, or its own files."""
    kind = kind_of(class_name)
    if kind is not None:
        return bool(folder.siblings) and not folder.readable and is_there(kind, class_name, folder.siblings)
    if not folder.readable or folder.config is None:
        return False
    values = folder.config.values
    return class_name in (values.get("_class_name"), named_class(values))
