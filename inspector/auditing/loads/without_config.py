"""Predicts what loaders do with a folder whose config is absent or names no model, and with a class of diffusers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from inspector.auditing.loads.below_key import at_top
from inspector.auditing.loads.given_facts import unreadable
from inspector.auditing.loads.other_names import is_of_other_program
from inspector.auditing.loads.strict_config import of_strict_config
from inspector.auditing.result import Audit
from inspector.loader.loaders import DIFFUSERS, OF_MLX
from inspector.loading.given import Given
from inspector.loading.outcome import RANDOM, REFUSES, UNKNOWN, UNSUPPORTED, Load
from inspector.loading.tables import NEWEST, OLDER
from inspector.loading.transformers import loads


def loads_without_config(audited: Audit) -> tuple[Load, ...]:
    """Predictions for a folder that transformers would read if its config.json were found and named a model type."""
    if not audited.findings:
        return ()
    from inspector.findings.absent_config import ConfigMissing, ModelTypeMissing

    config = audited.checkpoint.config
    unusable = next((one for one in audited.findings if isinstance(one, ConfigMissing | ModelTypeMissing)), None)
    if unusable is None and _shows_a_class_of_diffusers(audited):
        return (of_strict_config(audited, of_diffusers(audited, {} if config is None else config.values), NEWEST),)
    if unusable is None:
        given = Given(audited.checkpoint, None, None, None)
        return (loads(given, NEWEST), loads(given, OLDER)) if is_of_other_program(audited) else ()
    if isinstance(unusable, ConfigMissing) and unusable.loader == OF_MLX:
        return ()
    if isinstance(unusable, ConfigMissing) and unusable.loader == DIFFUSERS.name:
        from inspector.loading.diffusers import without_config

        return (replace(without_config(), intended=True),)
    if isinstance(unusable, ModelTypeMissing) and unusable.place.key == "_class_name":
        from inspector.loading.diffusers import without_config

        because = f"config.json states no sizes, and those of {unusable.class_name} are others by default"
        return (replace(without_config(), intended=True, because=because),)
    given = Given(audited.checkpoint, None, None, None)
    if config is not None and config.file == "config.json":
        given = replace(given, values=config.values)
    return (replace(loads(given, NEWEST), intended=True), loads(given, OLDER))


def _shows_a_class_of_diffusers(audited: Audit) -> bool:
    """True if the tensors next to a config.json without a class have the names of a class of diffusers."""
    config, case = audited.checkpoint.config, audited.case
    if config is None or config.file != DIFFUSERS.config or case is None or not case.reading.by_names:
        return False
    from inspector.loading.diffusers import is_class

    return not case.reading.writer and is_class(case.reading.name)


def of_diffusers(audited: Audit, values: Mapping[str, Any]) -> Load:
    """What diffusers does with a folder or a file of one of its classes. values: of its config."""
    from inspector.loading.diffusers import is_for_diffusers, of_component

    load = of_component(audited.checkpoint, values, unreadable(audited), audited.case)
    load = replace(load, intended=is_for_diffusers(audited.checkpoint, values))
    if at_top(audited) is not None and load.outcome not in (REFUSES, UNKNOWN, UNSUPPORTED):
        return replace(load, outcome=RANDOM, missing=len(audited.checkpoint.tensors), unexpected=1, mismatched=0)
    return load
