"""Handles classes named in a config that have other names than the stored ones."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.findings.finding import Finding
from inspector.loader.config_file import Config
from inspector.matcher.claim import Claim


def is_undefined(claim: Claim) -> bool:
    """True if the config names a class or type that its library has and that no definition describes.

    A definition with similar names may belong to another class: its differences from the tensors prove neither wrong.
    """
    if claim.definition is not None:
        return False
    from inspector.loading.pipelines import model_classes
    from inspector.loading.tables import is_supported

    if claim.class_name in model_classes():
        return definition_of(claim.class_name) is None
    return claim.model_type is not None and is_supported(claim.model_type) and definition_of(claim.model_type) is None


def with_stated_class(finding: Finding, config: Config | None) -> Finding:
    """The note on the architecture found by names, with the class that the config states without effect.

    `from_pretrained` of a class does not read the stated class (diffusers 0.42), but AutoModel needs it.
    """
    from inspector.findings.names.architecture import ArchitectureFromNames
    from inspector.loading.pipelines import classes_in

    stated = None if config is None else config.values.get("_class_name")
    if not isinstance(finding, ArchitectureFromNames) or not isinstance(stated, str) or not stated:
        return finding
    return finding if stated in classes_in("diffusers") else replace(finding, stated=stated[:80])
