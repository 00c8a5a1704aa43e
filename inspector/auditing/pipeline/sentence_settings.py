"""Judges the keys in the config of a module of a sentence encoder that no tensor shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.auditing.sentence_listing import OF_TRANSFORMER, Listed, config_of, folder_of, json_of
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.sentence_modules import CONFIGS
from inspector.loading.sentence_settings import (
    ACTIVATION,
    DENSE,
    OWN,
    not_taken,
    replaced_activation,
    unknown_pooling,
    without_activation,
)


def settings_of(checkpoint: Checkpoint, one: Listed) -> Iterator[Finding]:
    """The findings on a module whose config the class does not take, or for which it takes another activation.

    The classes of other packages have their own code, and are not judged.
    """
    if not one.type_name.startswith(OWN):
        return
    name = OF_TRANSFORMER if one.kind == "Transformer" else CONFIGS.get(one.kind, "config.json")
    file = f"{one.path}/{name}" if one.path else name
    values = _values(checkpoint, one, name)
    surplus, mode = not_taken(one.kind, values), unknown_pooling(one.kind, values)
    if surplus:
        yield _refused(one, file, f"{file} has keys that its class does not take: {', '.join(surplus)}", surplus)
    if mode:
        yield _refused(one, file, f'its pooling_mode "{mode}" is unknown')
    if one.kind != DENSE:
        return
    if without_activation(values):
        yield _refused(one, file, f"its {ACTIVATION} {values[ACTIVATION]!r} is no class of torch.nn.modules.activation")
    elif replaced := replaced_activation(values):
        from inspector.findings.sentence_modules import ActivationReplaced

        yield ActivationReplaced(place=Place(file=file, key=ACTIVATION), folder=one.path, stated=replaced)


def _values(checkpoint: Checkpoint, one: Listed, name: str) -> Mapping[str, Any]:
    part = folder_of(checkpoint, one.path)
    if one.kind != "Transformer":
        return config_of(part, one.kind)
    read = json_of(part, name) if part is not None and name in part.siblings else None
    return read if isinstance(read, dict) else {}


def _refused(one: Listed, file: str, problem: str, surplus: tuple[str, ...] = ()) -> Finding:
    from inspector.findings.sentence_modules import ModuleMissing

    return ModuleMissing(
        place=Place(file=file), folder=one.path or file, problem=problem, config=file, surplus=surplus, refused=True
    )
