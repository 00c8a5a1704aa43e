"""What the quantization settings of a checkpoint state about each module.

Settings differ by module: ignore lists (names, `re:` patterns, globs), auto-round's extra_config, GPTQ's dynamic, MLX's
entries by module, config_groups of compressed-tensors, VPTQ's config_for_layers. The file of each scheme reads its own
config; `read_settings.py` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, minus
from inspector.quantization.stated import NOTHING_STATED, ModuleSettings
from inspector.quantization.targets import Entry

Piece = tuple[ModuleSettings, tuple[Box, ...]]
TEXT_ALONE: Final = frozenset({"llm_config", "language_config"})
"""Configs of text models whose block only programs read that quantize nothing else: lmdeploy writes it for InternVL."""


class QuantizationSettings(Struct, frozen=True, dict=True):
    """The quantization settings of a checkpoint.

    base: for all modules. special: entries with different settings; the last matching entry counts. ignored: modules
    that are not quantized. unclear: entries in an unknown form, which make the ignore list incomplete. written_for: the
    method whose keys the block has, if the stated method reads none of them. transforms: submodules of quantized
    modules that rotate their inputs or outputs.
    """

    base: ModuleSettings = NOTHING_STATED
    source: str = ""
    special: tuple[tuple[Entry, ModuleSettings], ...] = ()
    ignored: tuple[Entry, ...] = ()
    unclear: tuple[str, ...] = ()
    kv_cache: bool | None = None
    transforms: frozenset[str] = frozenset()
    written_for: str | None = None

    @property
    def whole(self) -> bool:
        """True if every entry was understood, so that a module without an entry is certainly not ignored."""
        return not self.unclear

    @property
    def of_text_alone(self) -> bool:
        """True if the block holds for the text model and for no module beside it."""
        return self.source.partition(".")[0] in TEXT_ALONE

    @property
    def known(self) -> bool:
        """True if there are any settings."""
        return self.base.method is not None

    def with_dims(self, dims: frozenset[int]) -> QuantizationSettings:
        """The settings with the known dims that decide between possible sizes."""
        special = tuple((entry, replace(setting, dims=dims)) for entry, setting in self.special)
        return replace(self, base=replace(self.base, dims=dims), special=special)

    def with_bits(self, shown: Mapping[str, int]) -> QuantizationSettings:
        """The settings with the bits that some modules have instead of the stated ones. shown: key -> bits."""

        def doubted(setting: ModuleSettings) -> ModuleSettings:
            return replace(setting, other_bits=shown.get(setting.key("bits")))

        special = tuple((entry, doubted(setting)) for entry, setting in self.special)
        return replace(self, base=doubted(self.base), special=special)

    def with_bits_as_stated(self) -> QuantizationSettings:
        """The settings changed to prefer the stated bits to the stated groups if the widths allow either."""

        def preferred(setting: ModuleSettings) -> ModuleSettings:
            return replace(setting, other_bits=setting.bits)

        special = tuple((entry, preferred(setting)) for entry, setting in self.special)
        return replace(self, base=preferred(self.base), special=special)

    def with_usual(self, bits: int) -> QuantizationSettings:
        """The settings with the bits that most modules have."""
        return replace(self, base=replace(self.base, other_bits=bits))

    def for_family(self, key: str, boxes: tuple[Box, ...]) -> list[Piece]:
        """The settings for a family of modules, piece by piece."""
        left = boxes
        pieces: list[Piece] = []
        for setting, inside in self._special(key, boxes):
            rest = minus(left, inside)
            pieces.append((setting, minus(left, rest)))
            left = rest
        pieces = [(setting, inside) for setting, inside in ((self.base, left), *pieces) if inside]
        for entry in self.ignored:
            inside = entry.within(key, boxes)
            if inside:
                pieces = [part for piece in pieces for part in _skipped(piece, inside, entry.text)]
        return pieces

    def _special(self, key: str, boxes: tuple[Box, ...]) -> list[Piece]:
        """The entries that match a part of a family, joined if their settings are equal; the last one in the config
        comes first.
        """
        found: dict[ModuleSettings, list[Box]] = {}
        for entry, setting in reversed(self.entries_for(key)):
            inside = entry.within(key, boxes)
            if inside:
                found.setdefault(setting, []).extend(inside)
        return [(setting, tuple(inside)) for setting, inside in found.items()]

    def entries_for(self, key: str) -> list[tuple[Entry, ModuleSettings]]:
        """The entries that may match a part of a family, in the order of the config."""
        return self._by_last.ending_in(key.rsplit(".", 1)[-1])

    @cached_property
    def _by_last(self) -> _Buckets:
        return _Buckets(self.special)


class _Buckets:
    """Entries by the last segment of the modules that they can match: MLX writes hundreds of them."""

    def __init__(self, special: Sequence[tuple[Entry, ModuleSettings]]) -> None:
        self.ended: dict[str, list[tuple[int, Entry, ModuleSettings]]] = {}
        self.open: list[tuple[int, Entry, ModuleSettings]] = []
        for number, (entry, setting) in enumerate(special):
            if entry.at_end and not entry.open_end and entry.segments and len(entry.segments) > 1:
                self.ended.setdefault(_digits(entry.segments[-1]), []).append((number, entry, setting))
            else:
                self.open.append((number, entry, setting))

    def ending_in(self, last: str) -> list[tuple[Entry, ModuleSettings]]:
        found = sorted([*self.ended.get(last, ()), *self.open], key=lambda one: one[0])
        return [(entry, setting) for _, entry, setting in found]


def _digits(segment: str) -> str:
    return "#" if segment.isdecimal() else segment


def _skipped(piece: Piece, inside: tuple[Box, ...], text: str) -> list[Piece]:
    """Divides a piece into the part that an ignore list does not match and the part that it matches."""
    setting, boxes = piece
    left = minus(boxes, inside)
    named = (replace(setting, skipped=text), minus(boxes, left))
    return [(stated, found) for stated, found in ((setting, left), named) if found]


NO_SETTINGS: Final = QuantizationSettings()
