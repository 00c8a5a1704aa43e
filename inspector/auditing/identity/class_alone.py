"""Models whose type the Auto classes of transformers do not have: parts saved alone, and code of the authors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.findings.finding import Finding, Place
from inspector.loading.tables import NEWEST, OLDER, has_type, is_supported, names_of, version_of

TASK: Final = "For"
"""In the names of classes with a head, which are trained and saved alone; towers are mostly read by other code."""


def class_alone(model_type: str | None, class_name: str | None) -> Iterator[Finding]:
    """The note on a type that only the newest version's Auto classes know."""
    if model_type is None or class_name is None or TASK not in class_name:
        return
    if has_type(model_type, OLDER) or not has_type(model_type, NEWEST) or class_name not in names_of(OLDER).classes:
        return
    from inspector.findings.class_alone import ClassAlone

    yield ClassAlone(
        place=Place(key="model_type"), model_type=model_type, class_name=class_name, older=version_of(OLDER),
        newer=version_of(NEWEST),
    )  # fmt: skip


def type_without_code(model_type: str | None, values: Mapping[str, Any]) -> Iterator[Finding]:
    """The note on a type that no version has, in a config that names no code for it."""
    stated = values.get("model_type")
    if model_type is None or stated != model_type or "auto_map" in values:
        return
    if is_supported(model_type):
        return
    from inspector.findings.class_alone import TypeWithoutCode

    yield TypeWithoutCode(place=Place(key="model_type"), model_type=model_type)
