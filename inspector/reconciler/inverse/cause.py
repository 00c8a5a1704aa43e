"""A wrong config key as the cause of differences, and what several of them mean together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from inspector.algebra.boxes import Box

MOST_CAUSES = 4
"""Most wrong keys that are named. A config with more wrong keys belongs to another model."""


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """A wrong config key. config: its value there; weights: the value that the weights agree on.

    interval: first and last of the values that fit equally well; `weights` is one of them. element: the index of the
    differing element of a list. explains: number of differing tensors that the value explains. agreeing: number of
    stored tensors that have the value. dissenting: number that still contradict the key. families: some of the
    explained families. rivals: other values of the key, and values of other keys, that explain exactly as much.
    together: values of several other keys that only together explain as much. beside: an absent key that must then
    state the value that followed from this key. defaulted: the config leaves the key to the default of the class.
    searched: whether the search for `together` was completed. lost, misshaped: (family, boxes) that would be missing,
    or of the wrong shape, if the config were right.
    """

    key: str
    config: Any
    weights: Any
    interval: tuple[int, int] | None = None
    element: int | None = None
    explains: int = 0
    agreeing: int = 0
    dissenting: int = 0
    families: tuple[str, ...] = ()
    rivals: tuple[tuple[str, Any], ...] = ()
    together: tuple[tuple[str, Any], ...] = ()
    beside: tuple[str, Any] | None = None
    defaulted: bool = False
    searched: bool = True
    lost: tuple[str, tuple[Box, ...]] | None = None
    misshaped: tuple[str, tuple[Box, ...]] | None = None


def with_what_follows(causes: Sequence[Cause]) -> Cause | None:
    """A wrong key together with an absent key that takes its default from it; None for other causes."""
    stated = [cause for cause in causes if cause.config is not None and not cause.defaulted]
    absent = [cause for cause in causes if cause not in stated]
    if len(stated) != 1 or len(absent) != 1 or "." in absent[0].key + stated[0].key:
        return None
    return msgspec.structs.replace(stated[0], beside=(absent[0].key, absent[0].weights))


def are_stated(causes: Sequence[Cause]) -> bool:
    """True for a few numbers or words of the config that are wrong together. A single one would explain them alone."""
    return 1 < len(causes) <= MOST_CAUSES and all(
        isinstance(cause.config, int | str) and not cause.defaulted and type(cause.config) is type(cause.weights)
        for cause in causes
    )


def leaves_out(cause: Cause) -> bool:
    """True if the value only lowers a number of parts, or shortens or lowers a list with one entry for each part.

    If more is missing than these parts, the weights are incomplete and the config may be right.
    """
    stated, found = cause.config, cause.weights
    if isinstance(stated, list | tuple) and isinstance(found, list | tuple):
        return len(found) <= len(stated) and all(map(_is_less, found, stated))
    return cause.lost is not None and type(found) is type(stated) is int and found < stated


def _is_less(found: Any, stated: Any) -> bool:
    """True if an entry of a list is unchanged, a lower number, or a switch that is off instead of on."""
    return found == stated or (type(found) is type(stated) in (int, bool) and found < stated)


def without_each_other(causes: Sequence[Cause]) -> list[Cause]:
    """The causes without rivals that are causes themselves: each of these explains more than the other, so both are
    wrong.
    """
    found = [(cause.key, cause.weights) for cause in causes]
    return [
        msgspec.structs.replace(cause, rivals=tuple(rival for rival in cause.rivals if rival not in found))
        for cause in causes
    ]


def added(causes: Sequence[Cause], cause: Cause) -> Cause:
    """Joins causes on the same key into one: from the value in the config to the last corrected value."""
    for earlier in causes:
        if earlier.key == cause.key:
            return msgspec.structs.replace(
                cause,
                config=earlier.config,
                defaulted=earlier.defaulted,
                explains=earlier.explains + cause.explains,
                families=tuple(dict.fromkeys((*earlier.families, *cause.families))),
            )
    return cause
