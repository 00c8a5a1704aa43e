"""The config that names and shapes show, by what a definition says of where its keys can be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from inspector.algebra.span import Span
from inspector.matcher.families import Families
from inspector.notation.definition import Architecture
from inspector.notation.shown import Shown

MOST_STAGES = 64
"""No model of stages has more of them; indices beyond are another's."""


def shown_values(definition: Architecture, families: Families, spelled: Callable[[str], str] = str) -> dict[str, Any]:
    """Config key -> value, of the keys that the definition says can be seen and that are seen."""
    eyes = _Eyes(families, spelled)
    seen = {key: eyes.seen(shown) for key, shown in definition.shows.items()}
    return {key: value for key, value in seen.items() if value is not _NOTHING}


_NOTHING: Any = object()
"""Of a key that nothing stored shows; null is a value."""


class _Eyes:
    __slots__ = ("_families", "_spelled")

    def __init__(self, families: Families, spelled: Callable[[str], str]) -> None:
        self._families = families
        self._spelled = spelled

    def seen(self, shown: Shown) -> Any:
        found: Mapping[str, Callable[[Shown], Any]] = {
            "dim": self._dim, "dims": self._dims, "numbers": self._numbers, "indices": self._indices,
            "word": self._word, "words": self._words, "there": self._there, "flat": self._flat, "unlike": self._unlike,
            "listed": self._listed, "neutral": _neutral,
        }  # fmt: skip
        return found[shown.how](shown)

    def _lengths(self, keys: Iterable[str], axis: int) -> Iterator[tuple[tuple[Span, ...], int, int]]:
        """(box, length of the axis, tensors in the box) of what is stored on some keys."""
        for key in keys:
            family = self._families.get(self._spelled(key))
            for part in () if family is None else family.stored:
                if axis < len(part.layout.shape):
                    for box in part.boxes:
                        tensors = 1
                        for span in box[1:]:
                            tensors *= span.size
                        yield box, part.layout.shape[axis], tensors

    def _at_first(self, keys: Iterable[str], axis: int) -> dict[int, int]:
        """First index -> the commonest length of an axis."""
        votes: dict[int, Counter[int]] = {}
        for box, length, tensors in self._lengths(keys, axis):
            for index in _stages(box):
                votes.setdefault(index, Counter())[length] += tensors
        return {index: counts.most_common(1)[0][0] for index, counts in votes.items()}

    def _dim(self, shown: Shown) -> Any:
        votes: Counter[int] = Counter()
        for box, length, tensors in self._lengths(shown.keys, shown.axis):
            votes[length] += tensors * (box[0].size if box else 1)
        return votes.most_common(1)[0][0] if votes else shown.words.get("", _NOTHING)

    def _dims(self, shown: Shown) -> Any:
        found = self._at_first(shown.keys, shown.axis)
        if not found:
            return _NOTHING
        usual = Counter(found.values()).most_common(1)[0][0]
        if shown.parts:
            stages, middle = shown.parts
            last = max(index for box in self._boxes(stages.keys) for index in _stages(box))
            at_middle = self._dim(Shown("dim", middle.keys, shown.axis))
            if last not in found:
                found[last] = usual if at_middle is _NOTHING else at_middle
        every = shown.value if isinstance(shown.value, int) else 1
        turned, every = every < 0, abs(every)
        listing = [found.get(index, usual) for index in range(0, max(found) + 1, every)]
        if shown.words and len({*found.values()}) == 1:
            return usual
        return listing[::-1] if turned else listing

    def _boxes(self, keys: Iterable[str]) -> Iterator[tuple[Span, ...]]:
        for key in keys:
            family = self._families.get(self._spelled(key))
            for part in () if family is None else family.stored:
                yield from part.boxes

    def _last(self, keys: Iterable[str]) -> dict[int, dict[int, int]]:
        """First index -> second index -> one more than the greatest last index; where there are two, second is 0."""
        found: dict[int, dict[int, int]] = {}
        for box in self._boxes(keys):
            for stage in _stages(box):
                inner = found.setdefault(stage, {})
                for second in _stages(box[1:]) if len(box) > 2 else (0,):
                    inner[second] = max(inner.get(second, 0), box[-1].last + 1)
        return found

    def _counted(self, keys: Iterable[str]) -> dict[int, Any]:
        counted: dict[int, Any] = {}
        for stage, inner in self._last(keys).items():
            usual = Counter(inner.values()).most_common(1)[0][0]
            counts = [inner.get(second, usual) for second in range(max(inner) + 1)]
            counted[stage] = counts[0] if len(set(counts)) == 1 else counts
        return counted

    def _numbers(self, shown: Shown) -> Any:
        holders, turned = shown.parts
        counted = self._counted(shown.keys)
        stages = (
            max((*counted, *(index for box in self._boxes(holders.keys) for index in _stages(box))), default=-1) + 1
        )
        if turned.keys:
            other = {stages - 1 - stage: count for stage, count in self._counted(turned.keys).items()}
            if all(other.get(stage, count) == count for stage, count in counted.items()):
                return None
        listing = [counted.get(stage, 1) for stage in range(stages)]
        middle = max((box[-1].last + 1 for box in self._boxes(shown.others)), default=0)
        if middle and listing and stages - 1 not in counted:
            listing[-1] = middle
        if not counted and not middle:
            return _NOTHING
        alike = all(type(count) is int and count == listing[0] for count in listing)
        less = shown.value if isinstance(shown.value, int) else 0
        listing = [count - less if type(count) is int else count for count in listing]
        return listing[0] if alike else listing

    def _indices(self, shown: Shown) -> Any:
        return sorted({index for key in shown.keys for index in self._firsts(key)})

    def _word(self, shown: Shown) -> Any:
        return next((word for key, word in shown.words.items() if self._is_stored(key)), shown.value)

    def _is_stored(self, key: str) -> bool:
        name, _, rank = key.partition("/")
        family = self._families.get(self._spelled(name))
        return family is not None and (not rank or len(family.usual.shape) == int(rank))

    def _words(self, shown: Shown) -> Any:
        stages = {index for box in self._boxes(shown.keys) for index in _stages(box)}
        if not stages:
            return _NOTHING
        at = {index: word for key, word in [*shown.words.items()][::-1] for index in self._firsts(key)}
        listing = [at.get(index, shown.value) for index in range(max(stages) + 1)]
        return listing[::-1] if shown.axis else listing

    def _firsts(self, key: str) -> set[int]:
        """The first indices at which all of some keys are stored."""
        each = [{index for box in self._boxes((one,)) for index in _stages(box)} for one in key.split(" and ")]
        return set.intersection(*each)

    def _there(self, shown: Shown) -> bool:
        return any(self._spelled(key) in self._families for key in shown.keys)

    def _flat(self, shown: Shown) -> Any:
        ranks: Counter[int] = Counter()
        for key in shown.keys:
            family = self._families.get(self._spelled(key))
            for part in () if family is None else family.stored:
                ranks[len(part.layout.shape)] += part.tensors
        return ranks.most_common(1)[0][0] == 2 if ranks else _NOTHING

    def _unlike(self, shown: Shown) -> Any:
        lengths, others = self._at_first(shown.keys, shown.axis), self._at_first(shown.others, 0)
        both = lengths.keys() & others.keys()
        if not both:
            return _NOTHING
        differing = [
            shown.words[""] if index in both and lengths[index] != others[index] else shown.value
            for index in range(max(both) + 1)
        ]
        return differing[0] if len(set(differing)) == 1 else differing

    def _listed(self, shown: Shown) -> Any:
        found: list[Any] = []
        for part in shown.parts:
            value = self.seen(part)
            if value is not _NOTHING:
                found.extend(value if isinstance(value, list) else [value])
        return found or _NOTHING


def _neutral(shown: Shown) -> Any:
    return shown.value


def _stages(box: tuple[Span, ...]) -> Iterable[int]:
    return [index for index in box[0] if index < MOST_STAGES] if box else ()
