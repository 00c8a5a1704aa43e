"""Finds plain modules that the list of unquantized modules does not have under the names of transformers 5.

Measured with 5.23 and bitsandbytes 0.50: for an entry with the name of transformers before 4.52, such as
`language_model.model.layers.0.mlp` or `vision_tower`, it builds quantized layers with the plain weights, which fail in
the first forward ("assert module.weight.shape[1] == 1", "'Parameter' object has no attribute 'CB'").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from inspector.algebra.boxes import Box, minus
from inspector.auditing.quantized.plain_modules import BY_PATTERN, LISTS, Namer, among_packed, finds, path_of
from inspector.findings.types.unpacked import LayersNotPacked, ModuleNotPacked
from inspector.quantization.loaders import BY_ENDS
from inspector.quantization.missing_block import MOST_LISTED
from inspector.quantization.module import FLOATS
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

WEIGHT: Final = ".weight"
MEASURED: Final = "bitsandbytes"
"""The method with layers that load a plain weight and fail when they are used."""


def not_listed_in_model(
    cases: Sequence[ModuleProblem], settings: QuantizationSettings, namer: Namer | None
) -> tuple[ModuleProblem, ...]:
    """The cases without plain modules that the list has under their names in the model."""
    if namer is None or settings.base.method not in BY_ENDS | {BY_PATTERN}:
        return tuple(cases)
    return tuple(_remaining(cases, settings, namer))


def _remaining(cases: Iterable[ModuleProblem], settings: QuantizationSettings, namer: Namer) -> Iterator[ModuleProblem]:
    for case in cases:
        boxes = case.boxes
        if isinstance(case.finding, ModuleNotPacked):
            boxes = minus(boxes, _listed(settings, namer(case.key).removesuffix(WEIGHT), boxes))
        if boxes:
            yield case if boxes == case.boxes else replace(case, boxes=boxes)


def _listed(settings: QuantizationSettings, module: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """The boxes of a module that an entry names. module: its name in the model."""
    pieces = settings.for_family(module, boxes)
    return tuple(box for setting, inside in pieces if setting.skipped is not None for box in inside)


class Unfound(NamedTuple):
    """Modules that an entry names as the file does, and no entry names as the model does."""

    line: Line
    boxes: tuple[Box, ...]
    scheme: str
    entry: str
    module: str
    """The name of the first one in the model."""
    paths: tuple[str, ...]
    """The paths in the model that would find them."""


def unfound(settings: QuantizationSettings, lines: Sequence[Line], namer: Namer) -> Iterator[Unfound]:
    """Yields the plain modules that no entry finds in the model."""
    stated = tuple(entry.text for entry in settings.ignored)
    for line, scheme in among_packed(lines, everywhere=True):
        family, module = (name.removesuffix(WEIGHT) for name in (line.family, namer(line.family)))
        if finds(stated, module):
            continue
        for setting, boxes in settings.for_family(family, line.boxes):
            path = "" if setting.skipped is None else path_of(setting.skipped, module)
            if path:
                yield Unfound(line, boxes, scheme, str(setting.skipped), module, (path,))
            elif setting.skipped:
                yield from _under_other_names(settings, line, scheme, namer)
    for line, scheme in _beside_packed(lines):
        yield from _under_other_names(settings, line, scheme, namer)


def _beside_packed(lines: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    """Yields plain matrices of families of which other modules are quantized, with the scheme of these."""
    packed = {line.family: line.packed.scheme for line in lines if line.packed is not None}
    for line in lines if packed else ():
        plain = line.packed is None and line.family in packed and line.layout.dtype in FLOATS
        if plain and line.family.endswith(WEIGHT) and len(line.layout.shape) == 2:
            yield line, packed[line.family]


def _under_other_names(settings: QuantizationSettings, line: Line, scheme: str, namer: Namer) -> Iterator[Unfound]:
    """Yields the modules of a family that an entry names as another version does."""
    family, module = (name.removesuffix(WEIGHT) for name in (line.family, namer(line.family)))
    if family == module:
        return
    for setting, boxes in settings.for_family(family, line.boxes):
        entry = setting.skipped
        if not entry or not (left := minus(boxes, _listed(settings, module, boxes))):
            continue
        built = names_in(module, left, MOST_LISTED)
        pairs = zip(names_in(family, left, MOST_LISTED), built, strict=True)
        paths = (
            name.removesuffix(stored.removeprefix(entry) if f"{stored}.".startswith(f"{entry}.") else "")
            for stored, name in pairs
        )
        yield Unfound(line, left, scheme, entry, built[0], tuple(dict.fromkeys(paths)))


def unread_by_newest(unpacked: Unpacked, lines: Sequence[Line], namer: Namer | None) -> list[ModuleProblem]:
    """The plain modules for which transformers 5 builds quantized layers: their entries are not its names."""
    settings = unpacked.settings
    packed = any(unpacked.schemes.values())
    if namer is None or settings.base.method != MEASURED or not settings.whole or not packed:
        return []
    found = list(unfound(settings, lines, namer))
    stated = tuple(entry.text for entry in settings.ignored)
    added = dict.fromkeys(path for one in found for path in one.paths if path not in stated)
    stale = tuple(dict.fromkeys(one.entry for one in found))
    return [
        ModuleProblem(
            LayersNotPacked(
                dtype=one.line.layout.dtype,
                method=MEASURED,
                source=settings.source,
                key=LISTS[MEASURED],
                entries=(*stated, *added),
                stated=len(stated),
                stale=stale,
            ),
            one.line.family,
            one.boxes,
            one.scheme,
        )
        for one in found
    ]
