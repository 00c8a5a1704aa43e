"""Classes that a config names, where the names show another one."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.findings.finding import Finding
from inspector.loader.config_file import Config
from inspector.matcher.claim import Claim


def is_undefined(claim: Claim) -> bool:
    """Whether the config names a class or type that its library has and that no definition describes.

    A definition with similar names is not its own: where it differs from the tensors, neither is proven wrong.
    """
    if claim.definition is not None:
        return False
    from inspector.loading.pipelines import model_classes
    from inspector.loading.tables import is_supported

    if claim.class_name in model_classes():
        return definition_of(claim.class_name) is None
    return claim.model_type is not None and is_supported(claim.model_type) and definition_of(claim.model_type) is None


def with_stated_class(finding: Finding, config: Config | None) -> Finding:
    """The note on the architecture that the names show, with the class that the config states in vain.

    `from_pretrained` of a class does not look at it (diffusers 0.42), AutoModel needs it.
    """
    from inspector.findings.names.architecture import ArchitectureFromNames
    from inspector.loading.pipelines import classes_in

    stated = None if config is None else config.values.get("_class_name")
    if not isinstance(finding, ArchitectureFromNames) or not isinstance(stated, str) or not stated:
        return finding
    return finding if stated in classes_in("diffusers") else replace(finding, stated=stated[:80])
