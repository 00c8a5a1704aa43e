"""Config keys that nothing reads. They are reported, since an unknown key may affect a shape."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.architectures.defaults import inert_keys
from inspector.findings.finding import Finding, Place
from inspector.matcher.spelling import keys_of_definition
from inspector.notation.scope import Scope

READ_ELSEWHERE = frozenset(
    {"architectures", "auto_map", "dtype", "model_type", "quantization", "quantization_config", "torch_dtype"}
)
"""Keys that the matcher, the dtype notes and the quantization schemes read."""
LABELS = frozenset({"id2label", "num_labels"})
"""The number of classes: without a classifier in the definition these keys affect no shape."""


def not_understood(scope: Scope) -> Iterator[Finding]:
    """One note on all keys that are neither read, nor defaults of the class, nor known to have no effect."""
    settings = scope.settings
    read = keys_of_definition(scope) | READ_ELSEWHERE | LABELS
    known = read | set(settings.defaults) | set(settings.aliases) | inert_keys()
    odd = [key for key in settings.values if key not in known and not key.startswith("_")]
    if odd:
        from inspector.findings.config import KeyNotUnderstood

        yield KeyNotUnderstood(place=Place(key=odd[0]), keys=tuple(odd[:50]), count=len(odd))
