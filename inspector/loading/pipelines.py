"""What the pipelines of diffusers take: `pipelines.json`, made by `tests/oracle/make_pipelines.py`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final


@cache
def _table() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "pipelines.json"), "rb") as file:
        table: dict[str, Any] = json.loads(file.read())
    return table


def version() -> tuple[int, int]:
    """The version of diffusers that was recorded: (0, 42)."""
    first, second, *_ = _table()["version"].split(".")
    return int(first), int(second)


def needed_by(class_name: str) -> tuple[str, ...]:
    """The components without which a pipeline cannot be built; none for a class that diffusers does not have."""
    return tuple(_table()["pipelines"].get(class_name, "").split())


def optional_in(class_name: str) -> tuple[str, ...]:
    """The components that a pipeline takes and does not need."""
    return tuple(_table()["optional"].get(class_name, "").split())


def settings_of(class_name: str) -> tuple[str, ...]:
    """What else model_index.json may state for a pipeline: values that its class is called with."""
    return tuple(_table()["settings"].get(class_name, "").split())


PROJECTED: Final = "CLIPTextModelWithProjection"
UNPROJECTED: Final = "CLIPTextModel"
"""The text encoder of CLIP with and without the projection of its pooled output."""


def projecting_in(class_name: str) -> tuple[str, ...]:
    """The components that a pipeline takes with a projection alone, by the types in its signature."""
    return tuple(_table()["projecting"].get(class_name, "").split())


def is_connected(class_name: str) -> bool:
    """Whether a pipeline loads what it lacks from the repositories that a README names."""
    return class_name in _table()["connected"].split()


def checks_images(class_name: str) -> bool:
    """Whether a pipeline refuses a safety checker without a feature extractor."""
    return class_name in _table()["checking"].split()


def animates(class_name: str) -> bool:
    """Whether a pipeline puts motion modules into a UNet for images."""
    return class_name in _table()["animating"].split()


def is_pipeline(class_name: str) -> bool:
    """Whether diffusers has a pipeline of this name."""
    return class_name in _table()["pipelines"]


def refused_sizes(class_name: str, values: Mapping[str, object]) -> tuple[str, ...]:
    """The keys of an image processor's config with a text in the place of a size, which its class refuses."""
    return tuple(
        key for key, classes in _table()["sizes"].items()
        if isinstance(values.get(key), str) and class_name in classes.split()
    )  # fmt: skip


@cache
def model_classes() -> frozenset[str]:
    """The model classes of diffusers."""
    return frozenset(_table()["models"].split())


@cache
def module_classes() -> Mapping[str, frozenset[str]]:
    """The classes of each module of diffusers' pipelines: an entry may name such a module in place of a library."""
    return {name: frozenset(classes.split()) for name, classes in _table()["modules"].items()}


@cache
def classes_in(library: str) -> frozenset[str]:
    """The classes of diffusers, or of both versions of transformers, that an entry of a pipeline may name."""
    if library == "diffusers":
        return model_classes().union(_table()["others"].split(), _table()["pipelines"])
    from inspector.loading.tables import NEWEST, OLDER, names_of

    newest, older = names_of(NEWEST), names_of(OLDER)
    return newest.classes.union(newest.inner, older.classes, _table()["processors"].split())
