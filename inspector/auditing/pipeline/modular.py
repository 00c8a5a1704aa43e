"""Modular pipelines of diffusers: their index names the repository and folder of each component.

`modular_model_index.json` has name -> [library, class, place]. Source: diffusers 0.42, `ModularPipeline.__init__`,
`_is_local_component` and `load_components`: a component is taken from its folder next to the index if that contains
weights, or the files of a class without weights; otherwise from the repository named in the index. If the index names
none, nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.pipeline.files import NEEDED, STEPS_A_COMPONENT, kind_of
from inspector.budget import spend
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.sources.source import Refusal, is_plain_name

WEIGHTS: Final = (".safetensors", ".bin", ".onnx", ".pb", ".flashpack")
"""Endings of file names by which diffusers recognises a folder with weights."""


class PlacedEntry(Struct, frozen=True):
    """The place from which a component is taken. repository, folder: "" if the index names none."""

    library: str
    class_name: str
    repository: str
    folder: str


def entry_of(value: Any) -> PlacedEntry | None:
    """The entry of a component; None if it does not have the form of a modular pipeline's entry."""
    if not (isinstance(value, list) and len(value) == 3 and isinstance(value[2], dict)):
        return None
    place: Mapping[str, Any] = value[2]
    hint = place.get("type_hint")
    library, class_name = hint if isinstance(hint, list) and len(hint) == 2 else value[:2]
    if not (isinstance(library, str) and isinstance(class_name, str)):
        return None
    repository, folder = place.get("pretrained_model_name_or_path", place.get("repo")), place.get("subfolder")
    return PlacedEntry(
        library, class_name,
        repository if isinstance(repository, str) else "",
        folder if isinstance(folder, str) else "",
    )  # fmt: skip


def is_modular(index: Config) -> bool:
    """True if an index has entries of a modular pipeline."""
    return any(entry_of(value) is not None for value in index.values.values())


def unreadable_entries(index: Config | None) -> tuple[str, ...]:
    """The components with an entry that states a place but not the class of the component."""
    values = {} if index is None else index.values
    triples = {name: value[2] for name, value in values.items() if isinstance(value, list) and len(value) == 3}
    return tuple(name for name, place in triples.items() if not (isinstance(place, dict) and place.get("type_hint")))


def plain_index(root: Checkpoint, index: Config) -> tuple[Config, dict[str, str]]:
    """(index with folder: [library, class] for components in this folder, name -> place of all other components)."""
    values: dict[str, Any] = {}
    elsewhere: dict[str, str] = {}
    source = root.reach() if root.reach is not None else None
    own = None if root.origin is None else root.origin[0]
    for name, value in index.values.items():
        entry = entry_of(value)
        if entry is None:
            if not isinstance(value, list):
                values[name] = value
            continue
        spend(STEPS_A_COMPONENT, "the components of the pipeline")
        inner = source.inside(entry.folder) if source is not None and is_plain_name(entry.folder) else None
        files = {} if inner is None or isinstance(inner, Refusal) else inner.listing().files
        of_this = own is not None and entry.repository == own and is_plain_name(entry.folder)
        if of_this or any(_is_of(entry.class_name, file) for file in files):
            values[entry.folder] = [entry.library, entry.class_name]
        elif entry.repository:
            elsewhere[name] = "/".join(part for part in (entry.repository, entry.folder) if part)
    return replace(index, values=values), elsewhere


def _is_of(class_name: str, file: str) -> bool:
    """True if a folder with this file is accepted as the folder of a component."""
    kind = kind_of(class_name)
    return file.endswith(WEIGHTS) if kind is None else file == NEEDED.get(kind, file)
