"""Compares the values of towers and projectors with llama.cpp's mmproj file."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np

from inspector.auditing.result import Audit
from inspector.auditing.values import open_store
from inspector.comparing.judging import judged
from inspector.comparing.projector import Outside, projected
from inspector.comparing.quantized import proven_or_not
from inspector.values.abnormal import Scanned
from inspector.values.difference import Difference
from inspector.values.quantized import is_quantized, shape_of
from inspector.values.reading import Store
from inspector.values.result import Values, Verdict
from inspector.values.scan import Scan, Scanner, axes
from inspector.values.stored import Elements, Numbers, ReadStopped

ROTARY_PARTS: Final = {"attention.query": "attn_q", "attention.key": "attn_k"}
"""Roles with rows that llama.cpp may store in pairs, and their names in its files."""


def is_converted(outside: Outside) -> bool:
    """True if the file has the values of the source: the converter changes only those of Gemma's projectors."""
    return ".mm_" not in f".{outside.name}"


def part_of(source: Elements, part: tuple[int, ...], outside: Outside, at: int) -> Elements | None:
    """The elements of a source tensor that one part of a given shape contains; None if the split is not understood."""
    if len(outside.parts) == 1:
        return source[outside.rows :] if outside.rows else source
    if source.ndim == 5 and source.shape[2] == len(outside.parts):  # kernels over two images in time
        return np.asarray(source)[:, :, at]
    if source.shape[1:] != part[1:] or source.shape[0] != len(outside.parts) * part[0]:
        return None
    return source[at * part[0] : (at + 1) * part[0]]


def compare_projector(
    source: Audit, projector: Audit, before: Store | None, wanted: Sequence[str], found: Values
) -> None:
    """Compares the values of the towers and the projector with llama.cpp's mmproj file."""
    sides = before, open_store(projector, projector, wanted)
    for outside in projected(source, projector).carried:
        for at, part in enumerate(outside.parts):
            if not found.is_requested(outside.name, part):
                continue
            if None in sides or not is_converted(outside):
                found.skip("how the converter changes it is not known", part)
                continue
            try:
                one, other = (
                    side.numbers(name) for side, name in zip(sides, (outside.name, part), strict=True) if side
                )
                _part(outside, at, one, other, found)
            except ReadStopped as problem:
                found.stop(problem, part)


def _part(outside: Outside, at: int, one: Numbers | str, other: Numbers | str, found: Values) -> None:
    part = outside.parts[at]
    if isinstance(one, str) or isinstance(other, str):
        found.skip(one if isinstance(one, str) else str(other), part)
        return
    role = next((role for role, word in ROTARY_PARTS.items() if f".{word}." in part), "")
    judgement = _judged(role, outside, at, one, other)
    if isinstance(judgement, str):
        found.skip(judgement, part)
        return
    what, reported, scanned = judgement
    found.scanned.append(Scanned(part, scanned, dims=axes(other.raw)))
    found.tensors += 1
    found.elements += reported.elements
    steps = ("same",) if len(outside.parts) == 1 else ("split",)
    found.verdicts.append(
        Verdict(
            role or "tower", outside.name, part, what, reported, steps, other.raw.ndim > 1,
            dtypes=(one.dtype, other.dtype),
        )
    )  # fmt: skip


def _judged(role: str, outside: Outside, at: int, one: Numbers, other: Numbers) -> tuple[str, Difference, Scan] | str:
    """The outcome, the difference and the scan of the file's values; or why they are not compared."""
    quantized = is_quantized(other)
    shape = shape_of(other)
    if is_quantized(one):
        return "it is quantized"
    raw = part_of(one.raw, shape, outside, at)
    if raw is None or raw.size != prod(shape):
        return "its shape cannot be transformed into the other's"
    if quantized:
        found = proven_or_not(role, (Numbers(raw.reshape(shape), one.dtype), other), None)
        return found if isinstance(found, str) else (found.what, found.difference, found.scan)
    scanner = Scanner(other.dtype)
    same = Numbers(other.raw.reshape(raw.shape), other.dtype)
    return *judged(role, Numbers(raw, one.dtype), same, scanner, None), scanner.result()
