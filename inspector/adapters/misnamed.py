"""Finds tensors of an adapter under names that differ slightly from the names that PEFT looks for in a base.

A tensor is misnamed if its name has no place in the base and exactly one unused name fits its shape and indices and
differs from it by one segment that is misspelled, missing or added, or by the segments before the module. All layers of
an adapter may also be numbered from another number than those of the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.absent import absent_of
from inspector.adapters.base import Base
from inspector.adapters.difference import matched_with
from inspector.adapters.expected import Expected, ExpectedAdapter
from inspector.adapters.matched import Matched, module_of, of_all
from inspector.adapters.names import PREFIX, tuner_name
from inspector.adapters.targets import Boxes, union
from inspector.algebra.boxes import Box, common, count, minus
from inspector.algebra.names import NAMES, before_index, key_of, name_of
from inspector.algebra.span import Span
from inspector.budget import spend
from inspector.matcher.families import Families, Family
from inspector.reconciler.wording import names_in

MOST_BEFORE: Final = 4
"""Most superfluous segments before the module's own name."""
Segments = tuple[str, ...]
Free = dict[str, list[tuple[Expected, Boxes]]]
"""Key -> expectations on this key without a stored tensor."""


class Renumbered(Struct, frozen=True):
    """Layers that are numbered from another number than those of the base. before: the parts of the names before the
    number.

    by: the number to add to each layer number. beyond: tensors in layers that the base does not have. of: all tensors.
    stored, wanted: the first name of the last layer, and its correct name.
    """

    before: tuple[str, ...]
    by: int
    beyond: int
    of: int
    stored: str
    wanted: str


def namer_of(names: Mapping[str, str], named: Callable[[str], str] = str) -> Callable[[str], str]:
    """A function from keys or names to the ones that PEFT looks for. names: key -> key, applied after `named`."""

    def corrected(text: str) -> str:
        text = named(text)
        if text in names:
            return names[text]
        key, indices = key_of(text)
        return name_of(names[key], indices) if key in names else text

    return corrected


def misnamed(families: Families, base: Base, plan: ExpectedAdapter) -> dict[str, str]:
    """Key of a misnamed tensor -> key that PEFT looks for; empty if all have a place, or if the places are unknown.

    plan: the plan for the config and the base.
    """
    if plan.unclear or base.apart:
        return {}
    matched = matched_with(plan, families)
    placed = {one.key for one in matched if one.expected is not None}  # in other layers: not the name is wrong there
    strange = [one for one in matched if one.expected is None and one.key not in placed and not of_all(one.key)]
    if not strange:
        return {}
    free: Free = {}
    for expected, boxes in absent_of(plan, matched):
        free.setdefault(expected.key, []).append((expected, boxes))
    spend(sum(key.count(".") ** 2 for key in (*free, *(one.key for one in strange))), NAMES)
    near = _Near(free)
    modules = {one.module for one in base.tensors}
    found: dict[str, set[str]] = {}
    for one in strange:
        options = {key for key in near.of(one.key) if _takes(free[key], one) and not _is_other(one, key, modules)}
        found.setdefault(one.key, set()).update(options if len(options) == 1 else {"", *options})
    names = {key: wanted for key, options in found.items() if len(options) == 1 for wanted in options if wanted}
    return {key: wanted for key, wanted in names.items() if _is_alone(key, wanted, names, families)}


def _takes(places: Sequence[tuple[Expected, Boxes]], one: Matched) -> bool:
    """True if the shape and indices of a tensor fit places without a stored tensor."""
    same = (boxes for expected, boxes in places if expected.fits(one.shape))
    return any(len(box) == len(one.boxes[0]) for boxes in same for box in boxes) and not minus(
        one.boxes, [box for expected, boxes in places if expected.fits(one.shape) for box in boxes]
    )


def _is_other(one: Matched, wanted: str, modules: set[str]) -> bool:
    """True if the name belongs to another module of the base, which the config may have left out by mistake."""
    own, other = tuner_name(one.key), tuner_name(wanted)
    return own is not None and own.module in modules and (other is None or own.module != other.module)


def _is_alone(key: str, wanted: str, names: Mapping[str, str], families: Families) -> bool:
    """True if no other tensor would get the same name and index."""
    boxes = families[key].boxes
    others = [box for one, name in names.items() if name == wanted and one != key for box in families[one].boxes]
    return not any(common(box, other) for box in boxes for other in others)


class _Near:
    """Keys by their remaining text without one segment."""

    def __init__(self, keys: Mapping[str, Any]) -> None:
        self.whole = {tuple(key.split(".")): key for key in keys}
        self.without: dict[Segments, list[tuple[int, Segments]]] = {}
        for segments in self.whole:
            for position, rest in _without(segments):
                self.without.setdefault(rest, []).append((position, segments))

    def of(self, key: str) -> Iterator[str]:
        """The keys that differ by one segment, or by the segments before the module."""
        segments = tuple(key.split("."))
        for position, rest in _without(segments):
            if rest in self.whole:
                yield self.whole[rest]
            for at, other in self.without.get(rest, ()):
                if at == position and _is_misspelled(segments[at], other[at]):
                    yield self.whole[other]
        for _, other in self.without.get(segments, ()):
            yield self.whole[other]
        inner = key.removeprefix(PREFIX).split(".")
        for number in range(1, min(MOST_BEFORE, len(inner) - 1) + 1):
            if (found := self.whole.get(tuple((PREFIX + ".".join(inner[number:])).split(".")))) is not None:
                yield found


def _without(segments: Segments) -> Iterator[tuple[int, Segments]]:
    for position in range(len(segments)):
        yield position, segments[:position] + segments[position + 1 :]


def _is_misspelled(word: str, right: str) -> bool:
    """True if two words differ only by upper case, by letters added at one end, or by two exchanged letters."""
    one, other = word.casefold(), right.casefold()
    return bool(word) and "#" not in (word, right) and (
        one == other
        or one.startswith(other)
        or other.startswith(one)
        or one.endswith(other)
        or sorted(one) == sorted(other)
    )  # fmt: skip


def renumbered(families: Families, base: Base, plan: ExpectedAdapter) -> Renumbered | None:
    """Layers that are complete under other numbers, some of which the base does not have.

    plan: the plan for the config and the base.
    """
    if plan.unclear or base.apart:
        return None
    wanted, stored = _by_place(plan), {key: one for key, one in families.items() if tuner_name(key) and "#" in key}
    groups: dict[str, list[str]] = {}
    for key in {*wanted, *stored}:
        groups.setdefault(before_index(key), []).append(key)
    layers = {one.module: one.axes for one in base.tensors if one.axes}
    found = [
        (before, by)
        for before, keys in groups.items()
        if (by := _shift(keys, wanted, stored)) and any(_beyond(key, stored, layers) for key in keys if key in stored)
    ]
    alike = len({by for _, by in found}) == 1
    return _renumbered(tuple(before for before, _ in found), found[0][1], stored, layers) if alike else None


def _by_place(plan: ExpectedAdapter) -> dict[str, Boxes]:
    found: dict[str, list[Box]] = {}
    for one in plan.expected:
        if one.required and "#" in one.key and tuner_name(one.key) is not None:
            found.setdefault(one.key, []).extend(one.boxes)
    return {key: union(boxes) for key, boxes in found.items()}


def _shift(keys: Sequence[str], wanted: Mapping[str, Boxes], stored: Families) -> int:
    """The number to add to the first index of all tensors; 0 if no number turns them into the expected ones."""
    if any(key not in wanted or key not in stored for key in keys):
        return 0
    by = min(box[0].first for key in keys for box in wanted[key]) - min(stored[key].axis(0).first for key in keys)
    return by if all(set(union(_moved(stored[key].boxes, by))) == set(wanted[key]) for key in keys) else 0


def _moved(boxes: Boxes, by: int) -> Boxes:
    return tuple((Span(tuple((start + by, stop + by) for start, stop in first.runs)), *rest) for first, *rest in boxes)


def _beyond(key: str, stored: Families, layers: Mapping[str, Box]) -> Boxes:
    """The indices of a family in layers that the base does not have."""
    axes = layers.get(module_of(key))
    boxes = stored[key].boxes
    return tuple(minus(boxes, (axes,))) if axes is not None and len(axes) == len(boxes[0]) else ()


def _renumbered(before: tuple[str, ...], by: int, stored: Families, layers: Mapping[str, Box]) -> Renumbered:
    own = {key: one for key, one in stored.items() if key.startswith(before)}
    beyond = {key: boxes for key in own if (boxes := _beyond(key, stored, layers))}
    key, boxes = next(iter(beyond.items()))
    return Renumbered(
        before,
        by,
        sum(map(count, beyond.values())),
        sum(one.tensors for one in own.values()),
        names_in(key, boxes, 1)[0],
        names_in(key, _moved(boxes, by), 1)[0],
    )


def with_numbers(families: Families, moved: Renumbered) -> dict[str, Family]:
    """The families with the layer numbers of the base."""
    return {
        key: replace(one, stored=tuple(replace(part, boxes=_moved(part.boxes, moved.by)) for part in one.stored))
        if key.startswith(moved.before)
        else one
        for key, one in families.items()
    }
