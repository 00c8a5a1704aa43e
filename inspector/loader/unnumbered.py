"""Recognises shards without shard numbering: files of one folder with names that differ only in their digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.loader.loaders import DIFFUSERS, TRANSFORMERS
from inspector.loader.picking import Contents, Picked
from inspector.loader.set_reading import SetReading
from inspector.loader.weight_sets import SAFETENSORS, WeightSet

MOST: Final = 200
"""Most files of one model that count as shards without shard numbering."""
_DIGITS: Final = re.compile(r"\d+", re.ASCII)


def with_unnumbered(contents: Contents, picked: Picked) -> Picked:
    """The picked file together with the files of similar names, if no two of them share a tensor."""
    one = picked.weights
    if one is None or picked.index is not None or one.kind not in (SAFETENSORS, "pytorch"):
        return picked
    if one.numbered or len(one.files) != 1 or any(loader.finds(one.name) for loader in (TRANSFORMERS, DIFFUSERS)):
        return picked
    pattern = _DIGITS.sub("#", one.name)
    files = sorted(
        other.name
        for other in contents.sets
        if other.kind == one.kind and not other.numbered and _DIGITS.sub("#", other.name) == pattern
    )
    if not 1 < len(files) <= MOST:
        return picked
    for names in (files[:2], files):
        trial = SetReading(contents.source, contents.listing, replace(one, numbered=True, files=tuple(names)), None)
        trial.run()
        if trial.overlaps or len(trial.files) < len(names) or not all(file.tensors for file in trial.files):
            return picked
    stem = _starred(files).rpartition(".")[0]
    whole = WeightSet(_starred(files), stem, one.kind, True, tuple(files), sum(contents.sizes[name] for name in files))
    return replace(picked, weights=whole)


def _starred(names: Sequence[str]) -> str:
    """The common form of some names, with a star for each number that differs."""
    numbers = list(zip(*(_DIGITS.findall(name) for name in names), strict=True))
    same = iter(column[0] if len(set(column)) == 1 else "*" for column in numbers)
    return _DIGITS.sub(lambda _: next(same), names[0])


def left_out(names: Sequence[str], *, zero: bool) -> tuple[str, ...]:
    """The names that the one number in which all differ leaves out between its lowest and its highest. Empty if these
    are more than there are names.

    zero: whether numbers from 1 leave out 0, if no other is left out.
    """
    columns = list(zip(*(_DIGITS.findall(name) for name in names), strict=True))
    differing = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1:
        return ()
    numbers = sorted(int(text) for text in columns[differing[0]])
    width = len(columns[differing[0]][0])
    between = numbers[-1] - numbers[0] + 1 - len(numbers)
    if between >= len(numbers):
        return ()
    absent = sorted({*range(numbers[0], numbers[-1])}.difference(numbers)) or ([0] if zero and numbers[0] == 1 else [])
    parts = _DIGITS.split(names[0])
    texts = _DIGITS.findall(names[0])
    made: list[str] = []
    for number in absent:
        texts[differing[0]] = str(number).zfill(width)
        made.append("".join(part + text for part, text in zip(parts, [*texts, ""], strict=True)))
    return tuple(made)
