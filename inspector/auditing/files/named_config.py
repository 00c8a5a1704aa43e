"""Finds the config of a model under a name that only its own program looks for, such as `bert_config.json`."""

from __future__ import annotations

import re
from typing import Any, Final

from inspector.auditing.identity.restated import restated
from inspector.auditing.result import Audit
from inspector.loader.config_file import Config, read_config

_NAME: Final = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*[-_]config\.json|config[-_][a-z0-9]+(?:[-_][a-z0-9]+)*\.json")
"""Names with a word before or after `config`, as BERT's first releases and their successors have them."""
MOST_READ: Final = 4
"""Most files that are read."""
FEWEST_KEYS: Final = 3
"""Fewest keys of the model that such a file states."""


def config_of_other_name(audited: Audit) -> tuple[str, dict[str, Any]] | None:
    """(the only file that states the sizes of the weights, the keys to set in it for transformers)."""
    found = [
        (one.file, values)
        for one in _candidates(audited)
        if (values := _completed(audited, one)) is not None
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _candidates(audited: Audit) -> list[Config]:
    """The readable JSON objects with such a name."""
    checkpoint = audited.checkpoint
    names = [name for name in sorted(checkpoint.siblings) if _NAME.fullmatch(name)]
    source = checkpoint.reach() if names and checkpoint.reach is not None else None
    if source is None:
        return []
    read = (read_config(source, name, "config")[0] for name in names[:MOST_READ])
    return [one for one in read if one is not None]


def _completed(audited: Audit, config: Config) -> dict[str, Any] | None:
    """The keys with which a config gives the shape of every tensor; None if it contradicts one, or states too little.

    Only keys that it lacks may be added: the type, and numbers such as that of the labels.
    """
    from inspector.matcher.spelling import keys_of_definition

    if audited.case is None or audited.architecture is None:
        return None
    known = keys_of_definition(audited.case.plan.scope) & config.values.keys()
    if len(known) < FEWEST_KEYS:
        return None
    stated = config.values.get("model_type")
    of_weights = (audited.architecture.name, *audited.case.reading.same_names)
    if isinstance(stated, str) and stated not in of_weights:
        return None
    kind = stated if isinstance(stated, str) else _type_in_name(config.file, of_weights)
    values = restated(audited, config, {"model_type": kind})
    added = {key: new for key, new in values.items() if key not in config.values}
    changed = any(key in config.values and config.values[key] != new for key, new in values.items())
    return None if not values or changed else added


def _type_in_name(file: str, types: tuple[str, ...]) -> str:
    """The type that a file's name begins or ends with, or else the first one."""
    words = re.split(r"[-_.]", file)
    return next((one for one in types if one in words), types[0])
