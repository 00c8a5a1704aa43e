"""Config keys that nothing reads, which may affect a shape, and values of a type that the config class refuses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from inspector.algebra.values import shown
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


_OBJECTS = ("quantization_config", "rope_parameters", "rope_scaling")
"""Keys that hold an object, whatever their default."""
_REFUSED: Mapping[type, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (str, float, list, dict)),
    int: ("an integer", (str, dict)),
    float: ("a number", (bool, str, list, dict)),
    str: ("a text", (bool, dict)),
}
"""Type of a default -> what it is called, and the types that the config classes of transformers 5 refuse in its place.

Source: the annotated fields of these classes. Types that some of them take as well are not listed: lists for integers,
numbers for "auto".
"""


def wrong_types(scope: Scope, reported: Collection[str]) -> Iterator[Finding]:
    """Config values of a type that the config class refuses. reported: keys with another finding."""
    for inner in (scope, *_below(scope)):
        settings, prefix = inner.settings, "".join(f"{step}." for step in inner.prefix)
        for key, value in settings.values.items():
            name, meant = prefix + key, _meant(key, settings.defaults.get(key), value)
            if meant and name not in reported:
                from inspector.findings.config import ConfigImpossible

                detail = f"{shown(value)} is not {meant}"
                yield ConfigImpossible(place=Place(key=name), expression=key, detail=detail, keys=(name,), kind="type")


def _meant(key: str, default: object, value: object) -> str:
    """What a value should be; "" where its type may be right."""
    if key in _OBJECTS:
        return "an object" if isinstance(value, str | int | float | list) and (value or key == _OBJECTS[0]) else ""
    meant, refused = _REFUSED.get(type(default), ("", ()))
    return meant if type(value) in refused else ""


def _below(scope: Scope) -> Iterator[Scope]:
    for submodel in scope.submodels.values():
        yield submodel
        yield from _below(submodel)
