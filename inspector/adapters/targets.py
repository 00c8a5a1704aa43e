"""Finds the modules of a base that an adapter's config names: targets, exclusions, ranks, and modules saved as a whole.

Source: PEFT's `check_target_module_exists`, `get_pattern_key` and `_set_trainable`. A text in a list names a module by
the end of its path; a text without a list is an expression for the whole path. A setting with a meaning that depends on
the version of PEFT, or an expression that cannot be matched in bounded time, is unclear and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from inspector.adapters.peft_configs import refused_rank
from inspector.algebra.boxes import Box, boxes_of, by_digits, common, count, joined, minus
from inspector.algebra.names import Index, key_of, name_of
from inspector.algebra.patterns import PATTERNS, Pattern, is_plain, pattern_of
from inspector.algebra.span import Span
from inspector.budget import spend

STEPS_A_NAME: Final = 4
LARGEST_RANK: Final = 2**31
WITHOUT_PATTERN: Final = "HIRA"
"""The type of adapters with layers that are built with `r` whatever rank_pattern states (`dispatch_default`)."""
MODULES: Final = "the modules that the adapter names"
ALL_LINEAR: Final = "all-linear"
Boxes = tuple[Box, ...]


FIRST_NUMBER: Final = (0, 18)
"""The version of PEFT from which the first number of a path is that of the layer."""


class Unclear(Exception):
    """Raised for a setting that does not determine the modules; the reason in words."""


class Ends:
    """Texts that name modules by the end of their path. loose: the end may begin inside a segment."""

    def __init__(self, texts: Iterable[str], *, loose: bool = False) -> None:
        self._loose = loose
        wanted: dict[str, dict[Index, None]] = {}
        for text in texts:
            key, indices = key_of(text)
            spend(8, MODULES)
            wanted.setdefault(key, {})[indices] = None
        self._wanted = {key: boxes_of(list(indices)) for key, indices in wanted.items()}

    def within(self, module: str, box: Box) -> Boxes:
        """The indices at which the module's path ends with one of the texts."""
        found: list[Box] = []
        spend(len(self._wanted) // 4, MODULES)
        for key, boxes in self._wanted.items():
            whole = module == key
            if not (whole or module.endswith(key if self._loose else f".{key}")):
                continue
            inner = len(boxes[0])
            for wanted in boxes:
                full: Box = (*box[: len(box) - inner], *wanted)
                matched = common(box, full) if inner else box
                if matched is not None and (not whole or inner == len(box)):
                    found.append(matched)
        return union(found)

    def exactly(self, module: str, box: Box) -> Boxes:
        """The indices at which the path equals one of the texts."""
        boxes = self._wanted.get(module)
        if boxes is None or len(boxes[0]) != len(box):
            return ()
        return tuple(matched for one in boxes if (matched := common(box, one)) is not None)


def union(boxes: Iterable[Box]) -> Boxes:
    """The union of boxes, which may overlap."""
    found: list[Box] = []
    for box in boxes:
        found.extend(minus([box], found))
    return joined(found)


class Expressions:
    """Regular expressions from a config, each parsed once."""

    def __init__(self) -> None:
        self._parsed: dict[str, Pattern | None] = {}

    def within(self, text: str, module: str, box: Box, setting: str) -> Boxes:
        """The indices at which an expression matches the whole path of a module."""
        if text not in self._parsed:
            self._parsed[text] = pattern_of(text)
        pattern = self._parsed[text]
        if pattern is None:
            raise Unclear(f"{setting} is an unsupported regular expression")
        if pattern.blind:
            return joined(
                part
                for part in by_digits(box)
                if self._matches(pattern, name_of(module, tuple(span.first for span in part)), setting)
            )
        spend(STEPS_A_NAME * count([box]), PATTERNS)
        return boxes_of(
            [indices for indices in product(*box) if self._matches(pattern, name_of(module, indices), setting)]
        )

    def _matches(self, pattern: Pattern, name: str, setting: str) -> bool:
        hit = pattern.fullmatch(name)
        if hit is None:
            raise Unclear(f"{setting} is a regular expression that takes too long")
        return hit


def texts(value: object) -> list[str]:
    """The texts of a list; a single text is treated as a list of one."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


class Targets:
    """The settings of an adapter's config that choose modules."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._expressions = Expressions()
        self._ends = {name: Ends(texts(values.get(name))) for name in ("target_modules", "exclude_modules")}
        self._saved = Ends(texts(values.get("modules_to_save")), loose=True)
        self._kept = Ends(texts(values.get("modules_to_save")))
        self._forward = Ends(texts(values.get("feedforward_modules")), loose=True)
        self.parameters = texts(values.get("target_parameters"))
        self._parameters = Ends(self.parameters)
        pattern = values.get("rank_pattern")
        self._ranks: list[tuple[str, Ends | None, object]] = []
        if isinstance(pattern, dict) and values.get("peft_type") != WITHOUT_PATTERN:
            self._ranks = [(key, Ends([key]) if is_plain(key) else None, rank) for key, rank in pattern.items()]

    def of_parameters(self, module: str) -> bool:
        """True if an adapter changes parameters of a module, such as stacked experts, and not the module itself.

        `target_parameters` may omit the path: the module is then any module that `target_modules` does not have.
        """
        parents = {key_of(one.rpartition(".")[0])[0] for one in self.parameters}
        if any(one and f".{module}".endswith(f".{one}") for one in parents):
            return True
        listed = texts(self._values.get("target_modules"))
        return "" in parents and all(is_plain(one) and not f".{module}".endswith(f".{one}") for one in listed)

    def changed(self, parameter: str, box: Box) -> Boxes:
        """The indices at which a parameter, such as stacked experts of some layers, is changed on its own."""
        return union((*self._parameters.exactly(parameter, box), *self._parameters.within(parameter, box)))

    @property
    def every_linear(self) -> bool:
        """True if all matrices except the head's are targets."""
        chosen = self._values.get("target_modules")
        return isinstance(chosen, str) and chosen.lower() == ALL_LINEAR

    def chosen(self, module: str, box: Box) -> Boxes:
        """The indices at which a module is a target."""
        wanted = self._values.get("target_modules")
        if wanted is None:
            return ()
        if self.every_linear:
            found: Boxes = (box,)
        elif isinstance(wanted, str):
            found = self._expressions.within(wanted, module, box, "target_modules")
        else:
            ends = self._ends["target_modules"]
            found = union((*ends.exactly(module, box), *self._of_layers(module, ends.within(module, box))))
        return joined(minus(found, (*self._excluded(module, box), *self._saved_around(module, box))))

    def _excluded(self, module: str, box: Box) -> Boxes:
        wanted = self._values.get("exclude_modules")
        if isinstance(wanted, str) and wanted:
            return self._expressions.within(wanted, module, box, "exclude_modules")
        return self._ends["exclude_modules"].within(module, box)

    def _saved_around(self, module: str, box: Box) -> Boxes:
        return _below(self._kept, module, box)

    def saved(self, module: str, box: Box) -> Boxes:
        """The indices at which a module, or one around it, is trained and saved as a whole."""
        return _below(self._saved, module, box)

    def nested(self, modules: Iterable[tuple[str, Box]]) -> str:
        """A module that the config saves as a whole although it contains another named module; "" without such a
        module.

        modules: the keys and the indices of all modules with parameters.
        """
        found: dict[str, list[Box]] = {}
        for module, box in modules:
            for path, axes in around(module, box):
                found.setdefault(path, []).extend(self._saved.within(path, axes))
        saved = sorted((path, boxes) for path, boxes in found.items() if boxes)
        for number, (path, boxes) in enumerate(saved):
            for inner, others in saved[number + 1 :]:
                if not inner.startswith(f"{path}."):
                    break
                if any(common(one[: len(box)], box) is not None for one in others for box in boxes):
                    return path
        return ""

    def forward(self, module: str, box: Box) -> Boxes:
        """The indices at which IA3 scales a module's input instead of its output."""
        wanted = self._values.get("feedforward_modules")
        if isinstance(wanted, str) and not is_plain(wanted):
            return self._expressions.within(wanted, module, box, "feedforward_modules")
        return self._forward.within(module, box)

    def ranks(self, module: str, boxes: Boxes) -> list[tuple[Boxes, int | None]]:
        """A module's indices by rank: the first matching key of rank_pattern, or else `r`."""
        spend(len(self._ranks), PATTERNS)
        found: dict[int | None, list[Box]] = {}
        left = boxes
        for key, ends, rank in self._ranks:
            if not left:
                break
            hits = self._ranked(key, ends, module, left)
            found.setdefault(_number(rank), []).extend(hits)
            left = minus(left, hits)
        found.setdefault(_number(self._values.get("r")), []).extend(left)
        return [(joined(places), rank) for rank, places in found.items() if places]

    def refused_rank(self, module: str, boxes: Boxes) -> str:
        """The reason for which PEFT refuses the rank that rank_pattern has for a module; "" if it accepts it."""
        odd = any(_number(rank) is None for _, _, rank in self._ranks)
        left = boxes
        for key, ends, rank in self._ranks if odd else ():
            hits = self._ranked(key, ends, module, left)
            because = refused_rank(self._values, rank) if hits else ""
            if because:
                return f"{because}, the entry {key!r} of rank_pattern"
            left = minus(left, hits)
        return ""

    def preserved(self, module: str, boxes: Boxes) -> list[tuple[Boxes, object]]:
        """A module's indices by the setting for the directions that OSF keeps: a key of rank_pattern may match anywhere
        in its path.
        """
        found: dict[str, tuple[list[Box], object]] = {}
        left = boxes
        for key, _, value in self._ranks:
            hits = tuple(
                hit for box in left for hit in self._expressions.within(f".*({key}).*", module, box, "rank_pattern")
            )
            found.setdefault(repr(value), ([], value))[0].extend(hits)
            left = minus(left, hits)
        rest = self._values.get("effective_rank")
        found.setdefault(repr(rest), ([], rest))[0].extend(left)
        return [(joined(places), value) for places, value in found.values() if places]

    def _ranked(self, key: str, ends: Ends | None, module: str, left: Boxes) -> Boxes:
        if ends is not None:
            return tuple(hit for box in left for hit in ends.within(module, box))
        text = rf"(.*\.)?({key})"
        return tuple(hit for box in left for hit in self._expressions.within(text, module, box, "rank_pattern"))

    def layers(self, module: str, boxes: Boxes) -> Span:
        """The numbers that layers_to_transform would need for a module. Raises Unclear."""
        axis = self._layer_axis(module)
        return Span() if axis is None else Span.union(box[axis] for box in boxes)

    def _layer_axis(self, module: str) -> int | None:
        written = newer_than_rule(self._values.get("peft_version"))
        return _layer_axis(module, texts(self._values.get("layers_pattern")), first=written)

    def _of_layers(self, module: str, boxes: Boxes) -> Boxes:
        """The boxes within layers_to_transform."""
        cut = chosen_layers(self._values.get("layers_to_transform"))
        if cut is None or not boxes:
            return boxes
        axis = self._layer_axis(module)
        if axis is None:
            return ()
        return tuple((*box[:axis], matched, *box[axis + 1 :]) for box in boxes if (matched := box[axis] & cut))


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 < value < LARGEST_RANK else None


def chosen_layers(value: object) -> Span | None:
    """The layers that `layers_to_transform` chooses; None if it chooses none apart, and all layers are changed.

    PEFT compares numbers as Python does: true is 1, 1.0 is 1, and no layer has a negative number or a text.
    """
    if value is None or value == []:
        return None
    listed = value if isinstance(value, list) else [value]
    numbers = [one for one in listed if isinstance(one, int | float) and one >= 0 and float(one).is_integer()]
    return Span.of(sorted({int(one) for one in numbers}))


def newer_than_rule(version: object) -> bool:
    """True if the PEFT version that saved the adapter uses the first number of a path, as the loading version does."""
    parts = version.split(".")[:2] if isinstance(version, str) else []
    return len(parts) == 2 and all(one.isdecimal() for one in parts) and tuple(map(int, parts)) >= FIRST_NUMBER


def _layer_axis(module: str, patterns: Sequence[str], *, first: bool) -> int | None:
    """The position of the layer number among a path's numbers; None if it has none. first: it is known
    to be the first.
    """
    segments = module.split(".")
    numbered = [at for at, segment in enumerate(segments[:-1]) if segment == "#"]
    if patterns:
        if not all(is_plain(one) for one in patterns):
            raise Unclear("layers_pattern is an unsupported regular expression")
        fitting = [at for at in numbered if any(".".join(["", *segments[:at]]).endswith(f".{p}") for p in patterns)]
    else:
        fitting = [at for at in numbered if at >= 2]
    if not fitting:
        return None
    if len(fitting) > 1 and not first:  # PEFT took the last number before 0.18, and the first since
        raise Unclear("layers_to_transform counts another number of a path in each version of PEFT")
    return numbered.index(fitting[0])


def _below(ends: Ends, module: str, box: Box) -> Boxes:
    """The indices at which a module, or one around it, is named."""
    return union((*one, *box[len(axes) :]) for path, axes in around(module, box) for one in ends.within(path, axes))


def around(module: str, box: Box) -> Iterator[tuple[str, Box]]:
    """The paths of a module and its parents, each with the axes of its numbers."""
    segments = module.split(".")
    for length in range(len(segments), 0, -1):
        path = segments[:length]
        yield ".".join(path), box[: path.count("#")]
