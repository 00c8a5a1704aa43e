"""What the quantization settings of a checkpoint state of each module.

Settings differ by module: ignore lists (names, `re:` patterns, globs), auto-round's extra_config, GPTQ's dynamic,
MLX's entries by module, config_groups of compressed-tensors, VPTQ's config_for_layers. The file of each scheme reads
its own config; `read_settings.py` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from inspector.algebra.boxes import Box, minus
from inspector.quantization.stated import NOTHING_SAID, ModuleSettings
from inspector.quantization.targets import Budget, Entry

Piece = tuple[ModuleSettings, tuple[Box, ...]]


@dataclass(frozen=True)
class QuantizationSettings:
    """What the settings state of a checkpoint's quantization.

    base: of every module. special: entries with settings of their own, the last that fits wins. ignored: modules
    left as they are. unclear: entries of a form that is not understood; with them the ignore list is not whole.
    """

    base: ModuleSettings = NOTHING_SAID
    source: str = ""
    special: tuple[tuple[Entry, ModuleSettings], ...] = ()
    ignored: tuple[Entry, ...] = ()
    unclear: tuple[str, ...] = ()
    kv_cache: bool | None = None
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)

    @property
    def whole(self) -> bool:
        """Whether every entry was understood and tried, so that a module without one is left out by none."""
        return not self.unclear and not self.budget.spent

    @property
    def known(self) -> bool:
        """Whether anything is said."""
        return self.base.method is not None

    def among(self, dims: frozenset[int]) -> QuantizationSettings:
        """The same settings, with the dims that settle what widths leave open."""
        special = tuple((entry, replace(said, dims=dims)) for entry, said in self.special)
        return replace(self, base=replace(self.base, dims=dims), special=special)

    def doubting(self, shown: Mapping[str, int]) -> QuantizationSettings:
        """The same settings, with the bits that some modules show in the place of those stated. shown: key -> bits."""

        def doubted(said: ModuleSettings) -> ModuleSettings:
            return replace(said, other_bits=shown.get(said.key("bits")))

        special = tuple((entry, doubted(said)) for entry, said in self.special)
        return replace(self, base=doubted(self.base), special=special)

    def of(self, key: str, boxes: tuple[Box, ...]) -> list[Piece]:
        """What is said of a family of modules, piece by piece."""
        left = boxes
        pieces: list[Piece] = []
        for said, inside in self._special(key, boxes):
            rest = minus(left, inside)
            pieces.append((said, minus(left, rest)))
            left = rest
        pieces = [(said, inside) for said, inside in ((self.base, left), *pieces) if inside]
        for entry in self.ignored:
            inside = entry.within(key, boxes, self.budget)
            if inside:
                pieces = [part for piece in pieces for part in _skipped(piece, inside, entry.text)]
        return pieces

    def _special(self, key: str, boxes: tuple[Box, ...]) -> list[Piece]:
        """Entries that name a part of a family, those of equal settings joined; the last in the config first."""
        found: dict[ModuleSettings, list[Box]] = {}
        last = key.rsplit(".", 1)[-1]
        for entry, said in reversed(self._by_last.of(last)):
            inside = entry.within(key, boxes, self.budget)
            if inside:
                found.setdefault(said, []).extend(inside)
        return [(said, tuple(inside)) for said, inside in found.items()]

    @cached_property
    def _by_last(self) -> _Buckets:
        return _Buckets(self.special)


class _Buckets:
    """Entries by the last segment of the modules they can name: hundreds of them are the rule for MLX."""

    def __init__(self, special: Sequence[tuple[Entry, ModuleSettings]]) -> None:
        self.ended: dict[str, list[tuple[int, Entry, ModuleSettings]]] = {}
        self.open: list[tuple[int, Entry, ModuleSettings]] = []
        for number, (entry, said) in enumerate(special):
            if entry.at_end and not entry.open_end and entry.segments and len(entry.segments) > 1:
                self.ended.setdefault(_digits(entry.segments[-1]), []).append((number, entry, said))
            else:
                self.open.append((number, entry, said))

    def of(self, last: str) -> list[tuple[Entry, ModuleSettings]]:
        found = sorted([*self.ended.get(last, ()), *self.open], key=lambda one: one[0])
        return [(entry, said) for _, entry, said in found]


def _digits(segment: str) -> str:
    return "#" if segment.isdecimal() else segment


def _skipped(piece: Piece, inside: tuple[Box, ...], text: str) -> list[Piece]:
    """A piece in two: what an ignore list does not name, and what it names."""
    said, boxes = piece
    left = minus(boxes, inside)
    named = (replace(said, skipped=text), minus(boxes, left))
    return [(stated, found) for stated, found in ((said, left), named) if found]


NO_SETTINGS: Final = QuantizationSettings()
