"""Keys of a config that nothing reads: told, since a key that is not understood may move a shape."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.architectures.defaults import inert_keys
from inspector.findings.finding import Finding, Place
from inspector.matcher.spelling import keys_of_definition
from inspector.notation.scope import Scope

READ_ELSEWHERE = frozenset(
    {"architectures", "auto_map", "dtype", "model_type", "quantization", "quantization_config", "torch_dtype"}
)
"""Keys that the matcher, the dtype notes and packing read."""
LABELS = frozenset({"id2label", "num_labels"})
"""The number of classes: a definition that reads neither has no classifier for it to widen."""


def not_understood(scope: Scope) -> Iterator[Finding]:
    """One note with all keys that are neither read, nor in the class's defaults, nor known to be inert."""
    settings = scope.settings
    read = keys_of_definition(scope) | READ_ELSEWHERE | LABELS
    known = read | set(settings.defaults) | set(settings.aliases) | inert_keys()
    odd = [key for key in settings.values if key not in known and not key.startswith("_")]
    if odd:
        from inspector.findings.config import KeyNotUnderstood

        yield KeyNotUnderstood(place=Place(key=odd[0]), keys=tuple(odd[:50]), count=len(odd))
