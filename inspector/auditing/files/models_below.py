"""Finds the models in the folders below weights that no loader looks for and that have no config."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.loader.loaders import DIFFUSERS, TRANSFORMERS
from inspector.loader.sources.source import Refusal, Source

LOADERS: Final = (TRANSFORMERS, DIFFUSERS)


def models_below(audited: Audit) -> Iterator[Finding]:
    """The finding on such folders of a local folder: each has a config.json and weights with a loader's name."""
    checkpoint = audited.checkpoint
    own = (checkpoint.config, checkpoint.adapter, checkpoint.pipeline)
    if not checkpoint.folder or checkpoint.alone or checkpoint.is_gguf or any(one is not None for one in own):
        return
    named = any(loader.finds(checkpoint.set_name) for loader in LOADERS)
    if named or checkpoint.reach is None or TRANSFORMERS.config in checkpoint.siblings:
        return
    found = list(_models(checkpoint.reach()))
    if found:
        from inspector.findings.reading.below import ModelsBelow

        yield ModelsBelow(file=checkpoint.set_name, folders=tuple(found[:NAMES_SHOWN]), count=len(found))


def _models(source: Source) -> Iterator[str]:
    """The folders of a place with a model; only the first ones are searched."""
    kinds = source.listing().others
    folders = sorted(name for name, kind in kinds.items() if kind == "directory" and not name.startswith("."))
    for name in folders[:NAMES_SHOWN]:
        inner = source.inside(name)
        names = {} if isinstance(inner, Refusal) else inner.listing().files
        if TRANSFORMERS.config in names and any(loader.finds(one) for one in names for loader in LOADERS):
            yield name
