"""Finds the tensors that an empty adapter lacks in the folders `checkpoint-N`, which the training run saved before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from inspector.adapters.names import adapter_kind, is_adapter, tuner_name
from inspector.findings.adapters.empty import AdapterEmpty
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.loader.loaders import PEFT, TRANSFORMERS

CHECKPOINT: Final = re.compile(r"checkpoint-(\d{1,9})", re.ASCII)
IN_MEMORY: Final = ".default."
"""The name that PEFT gives an adapter in memory unless the program states another."""
MOST_READ: Final = 3
"""Most folders whose files are read: the newest."""


def empty_adapter(checkpoint: Checkpoint) -> AdapterEmpty:
    """The finding on an adapter without tensors, with the newest file of the training run that has some."""
    for folder in _newest(checkpoint):
        inner = load_within(checkpoint, folder)
        if inner is None or not inner.readable or adapter_kind(inner.tensors) is None:
            continue
        if not (is_adapter(inner.tensors) or _is_tuner(inner.tensors)):
            continue
        name = str(inner.set_name)
        if PEFT.finds(name) or name in TRANSFORMERS.files:
            return AdapterEmpty(
                tensors=0, copy=f"{folder}/{name}", of_copy=len(inner.tensors), empty=str(checkpoint.set_name or ""),
                wanted=PEFT.single(name.rpartition(".")[2]),
            )  # fmt: skip
    return AdapterEmpty(tensors=0)


def _is_tuner(keys: Iterable[str]) -> bool:
    """True if all tensors are a tuner's, as a wrapped model has them in memory; PEFT 0.21 loads them (measured)."""
    found = ((key, tuner_name(key)) for key in keys)
    return all(one is not None and (not one.named or IN_MEMORY in key) for key, one in found)


def _newest(checkpoint: Checkpoint) -> Iterator[str]:
    """The newest of these folders in the local folder of an adapter."""
    source = checkpoint.reach() if checkpoint.reach is not None and checkpoint.folder else None
    if source is None or checkpoint.alone:
        return
    others = source.listing().others
    found = {name: one for name in others if (one := CHECKPOINT.fullmatch(name)) and others[name] == "directory"}
    yield from sorted(found, key=lambda name: -int(found[name][1]))[:MOST_READ]
