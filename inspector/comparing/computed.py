"""Values that llama.cpp's converter computes, and the row order that its files must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace

from inspector.algebra.values import whole
from inspector.auditing.result import Audit
from inspector.comparing.pieces import Piece
from inspector.comparing.tally import Carried
from inspector.dialects.gguf import WRITER
from inspector.dialects.gguf_values import (
    DECAY,
    PAIRED,
    ROTARY,
    SMALLEST_MEAN,
    TERNARY,
    TILED,
    TILED_COLUMNS,
    TILED_ROWS,
    added_to_norm,
)
from inspector.notation.slots import scope_of
from inspector.reconciler.reconcile import Reconciled
from inspector.values.decoding import Array, decoded
from inspector.values.difference import Difference, difference
from inspector.values.quantized import is_quantized, values_of
from inspector.values.stored import Numbers


class Conversion:
    """How llama.cpp's converter changes a tensor of transformers.

    names: the model types of its definition that the config states, else all of them. forward: the target is
    llama.cpp's file. heads: key heads, value heads and width of a value head of linear attention; 0 without it.
    """

    __slots__ = ("forward", "heads", "names", "role")

    def __init__(
        self, carried: Carried, forward: bool, model_types: frozenset[str], heads: tuple[int, int, int]
    ) -> None:
        block = (carried.source if forward else carried.target).line.block
        self.forward, self.role, self.heads = forward, carried.identity.role, heads
        names = () if block is None else block.slot.definition.names
        self.names = frozenset(model_types.intersection(names) or names)

    @property
    def expects_pairs(self) -> bool | None:
        """True if rows must change from halves to pairs; None for tensors without such rows or of an unknown type."""
        if self.role not in ROTARY or not self.names:
            return None
        return bool(self.names & PAIRED)

    @property
    def computes(self) -> bool:
        """True if the converter changes values."""
        return self._computation() is not None or self._tiling() is not None or self.is_ternary

    @property
    def is_ternary(self) -> bool:
        """True if a matrix is rounded to -1, 0 and 1 times a number."""
        return any(self.role in TERNARY.get(name, ()) for name in self.names)

    def computed(self, source: Numbers, target: Numbers) -> Difference | None:
        """The difference after applying the computation to transformers' side; None if the converter
        computes nothing.
        """
        computed, tiled = self._computation(), self._tiling()
        plain, other = (source, target) if self.forward else (target, source)
        if self.is_ternary:
            return self._against(_ternary(plain, other), other)
        if computed is None and tiled is None:
            return None
        raw = np.asarray(plain.raw)
        raw = raw if tiled is None else tiled(raw)  # as stored: a large matrix takes twice the memory when decoded
        if computed is None:
            return self._against(Numbers(raw, plain.dtype), other)
        values = computed(decoded(raw, plain.dtype))
        found = self._against(Numbers(values, "F32"), other)
        if plain.dtype == "F16" and not (found.equal or found.rounding):  # the converter computes in float16
            return self._against(Numbers(values.astype(np.float16).astype(np.float32), "F32"), other)
        return found

    def moved(self, source: Numbers, target: Numbers) -> tuple[Numbers, Numbers] | None:
        """Both sides after moving transformers' values to the converter's positions; None if no values move."""
        tiled = self._tiling()
        plain, other = (source, target) if self.forward else (target, source)
        if self.is_ternary and not is_quantized(plain):
            made = _ternary(plain, other)
            return (made, target) if self.forward else (source, made)
        if tiled is None:
            return None
        made = Numbers(tiled(np.asarray(plain.raw)), plain.dtype)
        return (made, target) if self.forward else (source, made)

    def _against(self, made: Numbers, other: Numbers) -> Difference:
        """The difference between the computed values of transformers' side and the other side."""
        differing = 0
        if self.role == DECAY:
            made, differing = _to_the_last_bit(made, other)
        found = difference(made, other) if self.forward else difference(other, made)
        return replace(found, last_bits=differing) if self.role == DECAY else found

    def _tiling(self) -> Callable[[Array], Array] | None:
        """The reordering of value heads; None if there is one for each key head, or none at all."""
        keys, heads, width = self.heads
        if not self.names & TILED or keys < 1 or heads % keys or heads in (0, keys):
            return None
        if self.role in TILED_COLUMNS:
            return lambda values: _tiled(values, -1, keys, heads)
        if self.role not in TILED_ROWS:
            return None
        whole = self.role in ("ssm.qkv", "ssm.conv")  # queries and keys come first
        return lambda values: _tiled(values, 0, keys, heads, heads * width if whole else None)

    def _computation(self) -> Callable[[Array], Array] | None:
        if self.role == DECAY:
            return lambda values: (-np.exp(values.astype(np.float64))).astype(np.float32)
        added = np.float32(added_to_norm(self.role, self.names))
        return (lambda values: values + added) if added else None


def conversion_of(carried: Carried, sides: Mapping[str, Audit]) -> Conversion | None:
    """The change of values between the two sides; None unless one has transformers' names and the other llama.cpp's."""
    cases = {name: _case(audited, piece) for (name, audited), piece in
             zip(sides.items(), (carried.source, carried.target), strict=True)}  # fmt: skip
    writers = {name: case.reading.writer for name, case in cases.items() if case is not None}
    if sorted(writers.values()) != ["", WRITER]:
        return None
    forward = writers["target"] == WRITER
    plain = "source" if forward else "target"
    return Conversion(
        carried, forward, _model_types(sides[plain]), _linear_heads(getattr(carried, plain), cases[plain])
    )


def have_one_order(carried: Carried, source: Audit, target: Audit) -> bool:
    """True if both sides have transformers' names for one model type: its code expects one order of rotary rows."""
    cases = (_case(source, carried.source), _case(target, carried.target))
    own = all(case is not None and not case.reading.writer for case in cases)
    return own and _model_types(source) == _model_types(target)


def _linear_heads(piece: Piece, case: Reconciled | None) -> tuple[int, int, int]:
    """Key heads, value heads and width of a value head of linear attention, by the config as corrected
    by the weights.
    """
    block = piece.line.block
    if block is None or case is None:
        return 0, 0, 0
    scope = scope_of(case.corrected.scope, block.slot)
    words = (f"linear_{name}" for name in ("num_key_heads", "num_value_heads", "value_head_dim"))
    keys, heads, width = (whole(scope.word((word,))) or 0 for word in words)
    return (keys, heads, width) if 0 < keys < heads and width > 0 and not heads % keys else (0, 0, 0)


def _model_types(audited: Audit) -> frozenset[str]:
    """The model types of a config and of its sub-configs."""
    config = audited.checkpoint.config
    values = [] if config is None else [config.values, *config.values.values()]
    found = (one.get("model_type") for one in values if isinstance(one, dict))
    return frozenset(one for one in found if isinstance(one, str))


def _tiled(values: Array, axis: int, keys: int, heads: int, last: int | None = None) -> Array:
    """The array with the value heads of each key head taken in turn. last: number of rows at the end
    that contain them.
    """
    if not values.size or values.ndim <= axis:
        return values
    moved = np.moveaxis(values, axis, 0)
    start = 0 if last is None else len(moved) - last
    if start < 0 or (len(moved) - start) % heads:
        return values
    parts = moved[start:].reshape(keys, heads // keys, -1, *moved.shape[1:]).swapaxes(0, 1)
    return np.moveaxis(np.concatenate((moved[:start], parts.reshape(moved[start:].shape))), 0, axis)


def _ternary(plain: Numbers, other: Numbers) -> Numbers:
    """The numbers as BitNet rounds them: to the nearest of -1, 0 and 1 times their mean magnitude, as on the other
    side.

    The mean depends on the order of summation. Its last bits, and numbers half way between two values, are therefore
    taken from the other side.
    """
    values = decoded(np.asarray(plain.raw), plain.dtype)
    theirs = values_of(other.raw, other.dtype)
    mean = max(float(np.abs(values).mean(dtype=np.float64)), SMALLEST_MEAN) if values.size else SMALLEST_MEAN
    size = float(np.abs(theirs).max(initial=0.0))
    size = size if abs(size - mean) <= MEANS_APART * mean else mean
    shares = np.abs(values) / np.float32(mean)
    made = np.where(shares > HALF, np.sign(values), 0).astype(np.float32) * np.float32(size)
    near = (np.abs(shares - HALF) < HALF_WAY) & ((theirs == 0) | (theirs == np.sign(values) * np.float32(size)))
    return Numbers(np.where(near, theirs, made).astype(np.float32), "F32")


HALF = 0.5
HALF_WAY = 1e-5
"""Numbers this near to one half may be rounded differently after another order of summation."""
MEANS_APART = 2.0**-8
"""The relative rounding error of bfloat16."""


def _case(audited: Audit, piece: Piece) -> Reconciled | None:
    first = piece.identity.component.split("/", 1)[0]
    return audited.components.get(first, audited).case


def _to_the_last_bit(made: Numbers, other: Numbers) -> tuple[Numbers, int]:
    """The other side's values if they are adjacent to the computed ones, and their number: libraries round exp
    differently.
    """
    theirs = decoded(np.asarray(other.raw), other.dtype)
    ours = np.asarray(made.raw)
    near = (np.nextafter(ours, theirs) == theirs) if theirs.dtype == np.float32 else ours == theirs
    return Numbers(np.where(near, theirs, ours), "F32"), int((near & (ours != theirs)).sum())
