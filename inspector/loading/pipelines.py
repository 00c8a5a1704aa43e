"""The components and settings of diffusers' pipelines, from `pipelines.json`, which `tests/oracle/make_pipelines.py`
generates.
"""

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
    """The recorded version of diffusers: (0, 42)."""
    first, second, *_ = _table()["version"].split(".")
    return int(first), int(second)


def needed_by(class_name: str) -> tuple[str, ...]:
    """The components without which a pipeline cannot be built; empty for classes that diffusers does not have."""
    return tuple(_table()["pipelines"].get(class_name, "").split())


def optional_in(class_name: str) -> tuple[str, ...]:
    """The components that a pipeline accepts but does not require."""
    return tuple(_table()["optional"].get(class_name, "").split())


def settings_of(class_name: str) -> tuple[str, ...]:
    """Further keys that model_index.json may state for a pipeline: values that its class is called with."""
    return tuple(_table()["settings"].get(class_name, "").split())


PROJECTED: Final = "CLIPTextModelWithProjection"
UNPROJECTED: Final = "CLIPTextModel"
"""The text encoder of CLIP with and without the projection of its pooled output."""


def projecting_in(class_name: str) -> tuple[str, ...]:
    """The components that a pipeline accepts only with a projection, by the types in its signature."""
    return tuple(_table()["projecting"].get(class_name, "").split())


def accepted_in(class_name: str, component: str) -> tuple[str, ...]:
    """The classes of models that the signature of a pipeline gives for a component; empty if it gives none."""
    stated = dict(one.split("=") for one in _table()["types"].get(class_name, "").split())
    return tuple(stated.get(component, "").split("|")) if component in stated else ()


def is_connected(class_name: str) -> bool:
    """True if a pipeline loads absent components from the repositories that a README names."""
    return class_name in _table()["connected"].split()


def checks_images(class_name: str) -> bool:
    """True if a pipeline refuses a safety checker without a feature extractor."""
    return class_name in _table()["checking"].split()


def animates(class_name: str) -> bool:
    """True if a pipeline adds motion modules to a UNet for images."""
    return class_name in _table()["animating"].split()


def is_pipeline(class_name: str) -> bool:
    """True if diffusers has a pipeline with this name."""
    return class_name in _table()["pipelines"]


def pipelines() -> tuple[str, ...]:
    """The pipelines of diffusers."""
    return tuple(_table()["pipelines"])


def refused_sizes(class_name: str, values: Mapping[str, object]) -> tuple[str, ...]:
    """The keys of an image processor's config with a text instead of a size, which its class refuses."""
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
    """The classes of each module of diffusers' pipelines: an entry may name such a module instead of a library."""
    return {name: frozenset(classes.split()) for name, classes in _table()["modules"].items()}


def is_class_of_pipelines(name: str | None) -> bool:
    """True if a module of diffusers' pipelines has a class."""
    return any(name in classes for classes in module_classes().values())


@cache
def classes_in(library: str) -> frozenset[str]:
    """The classes of diffusers, or of both versions of transformers, that an entry of a pipeline may name."""
    if library == "diffusers":
        return model_classes().union(_table()["others"].split(), _table()["pipelines"])
    from inspector.loading.tables import NEWEST, OLDER, names_of

    newest, older = names_of(NEWEST), names_of(OLDER)
    return newest.classes.union(newest.inner, older.classes, _table()["processors"].split())
