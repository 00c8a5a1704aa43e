"""A class that a config of diffusers names and that diffusers does not have, where the names show another one."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loader.config_file import Config


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
