"""Predicts what loaders do with a config that has values of a wrong type, or lacks the code that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.files.code_files import OF_PROCESSORS
from inspector.auditing.result import Audit
from inspector.loading.outcome import REFUSES, UNKNOWN, Load
from inspector.loading.tables import NEWEST, OLDER, has_type
from inspector.loading.tokenizer_files import SETTINGS

if TYPE_CHECKING:
    from inspector.findings.config import ConfigImpossible

BESIDE: Final = (SETTINGS, *OF_PROCESSORS)
"""Files that name code without which the weights load."""


def of_strict_config(audited: Audit, load: Load, major: str) -> Load:
    """Predicts what transformers does with values of a wrong type: the config classes of version 5 refuse them, and
    version 4 builds no model if a size depends on one. A class of diffusers refuses them too.
    """
    if not audited.findings:
        return load
    from inspector.findings.config import ConfigImpossible
    from inspector.findings.declared import CodeFileMissing

    for one in audited.findings:
        by_type = _has_type(audited, major) and not _has_type(audited, NEWEST)  # else the code is needed beside it
        if type(one) is CodeFileMissing and one.place.file not in BESIDE and load.outcome == UNKNOWN and not by_type:
            return replace(load, outcome=REFUSES, because=f"{one.files[0]}, its code, is absent", source="documented")
        if isinstance(one, ConfigImpossible) and one.kind == "type":
            if major == OLDER and _older_reads(audited, one):
                continue
            empty = replace(load, outcome=REFUSES, missing=None, unexpected=None, mismatched=None)
            return replace(empty, because=f"{one.place.key}: {one.detail}", source="documented")
    return load


def _has_type(audited: Audit, major: str) -> bool:
    config = audited.checkpoint.config
    return config is not None and has_type(str(config.values.get("model_type")), major)


def _older_reads(audited: Audit, finding: ConfigImpossible) -> bool:
    """True if transformers 4 builds a model with a value of another type; for types that were measured, the refusal is
    reported elsewhere.
    """
    from inspector.architectures.refused_kinds_table import is_measured
    from inspector.matcher.spelling import keys_of_definition
    from inspector.reconciler.config_keys import older_reads

    config = audited.checkpoint.config
    if config is not None and is_measured(str(config.values.get("model_type")), OLDER):
        return True
    read = keys_of_definition(audited.case.plan.scope) if audited.case is not None else frozenset()
    return older_reads(finding.keys[-1].rpartition(".")[2], finding.stated, read, finding.detail)
