"""Names that transformers 5 gives to the families of a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.auditing.quantized.plain_modules import Namer
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import named_class


def names_in_model(checkpoint: Checkpoint) -> Namer | None:
    """The name that transformers 5 gives to a family; None if its class was not recorded."""
    from inspector.loading.memory import memory_namer
    from inspector.loading.tables import NEWEST, rules_of

    config = checkpoint.config
    name = None if config is None or config.kind != "config" else named_class(config.values)
    rules = None if name is None else rules_of(name, NEWEST)
    if rules is None or not rules.exact:
        return None
    namer = memory_namer(rules)
    return lambda family: _name(namer.name(family).names, family)


def _name(names: Sequence[str], family: str) -> str:
    return names[0] if len(names) == 1 else family
