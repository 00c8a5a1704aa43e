"""Reads the plain values at the top of a small YAML or JSON text without a YAML parser. Pure."""

from __future__ import annotations

from inspector.loader import strict_json


def read_values(name: str, raw: bytes) -> dict[str, object] | None:
    """The top-level keys of a text, parsed by the ending of its name; None for JSON that is not an object."""
    if name.endswith(".json"):
        values = strict_json.decode_config(raw)
        return values if isinstance(values, dict) else None
    return flat_yaml(raw.decode("utf-8", "replace"))


def flat_yaml(text: str) -> dict[str, object]:
    """The plain values at the top of a YAML text; blocks below a key and lists are ignored."""
    values: dict[str, object] = {}
    for line in text.splitlines():
        key, colon, rest = line.partition(":")
        if colon and rest.strip() and key == key.strip() and not key.startswith(("#", "-", '"', "'", "{", "[")):
            values[key] = _plain(rest.strip())
    return values


def _plain(text: str) -> object:
    if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1]
    words: dict[str, object] = {"true": True, "false": False, "null": None, "~": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text) if len(text) < 40 else text
        except ValueError:
            continue
    return text
