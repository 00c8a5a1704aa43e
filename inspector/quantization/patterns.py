"""Patterns in a quantization config: regular expressions and globs. Each is parsed once."""

from __future__ import annotations

from functools import lru_cache

from inspector.algebra.patterns import Pattern, pattern_of


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern | None:
    """A regular expression of a config; None if it is invalid, or cannot be matched in bounded time."""
    return pattern_of(text)


def glob_pattern(text: str) -> Pattern | None:
    """A glob (`*`, `?`) as a pattern that must match a whole name, or the name of an enclosing module."""
    parts = []
    for character in text:
        if character == "*":
            parts.append(".*")
        elif character == "?":
            parts.append(".")
        else:
            parts.append(f"\\{character}" if not character.isalnum() and character != "_" else character)
    return compile_pattern("".join(parts) + r"(\..*)?$")
