"""Values that llama.cpp's converter computes, and the order of rows that its files must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.comparing.pieces import Piece
from inspector.comparing.tally import Carried
from inspector.dialects.gguf import WRITER
from inspector.dialects.gguf_values import DECAY, NORMS_KEPT, NORMS_PLUS_ONE, PAIRED, ROTARY
from inspector.values.decoding import Array, decoded
from inspector.values.difference import Difference, difference
from inspector.values.stored import Numbers


class Conversion:
    """What becomes of a tensor between transformers' names and llama.cpp's.

    names: the model types of its definition that the config states, else all of them. forward: whether the target is
    llama.cpp's file.
    """

    __slots__ = ("forward", "names", "role")

    def __init__(self, carried: Carried, forward: bool, model_types: frozenset[str]) -> None:
        block = (carried.source if forward else carried.target).line.block
        self.forward, self.role = forward, carried.identity.role
        names = () if block is None else block.slot.definition.names
        self.names = frozenset(model_types.intersection(names) or names)

    @property
    def expects_pairs(self) -> bool | None:
        """Whether rows must change from halves to pairs; None for what has no such rows or is of an unknown type."""
        if self.role not in ROTARY or not self.names:
            return None
        return bool(self.names & PAIRED)

    @property
    def computes(self) -> bool:
        """Whether values change."""
        return self._function() is not None

    def computed(self, source: Numbers, target: Numbers) -> Difference | None:
        """The difference after the values of transformers' side are computed; None where none are computed."""
        function = self._function()
        if function is None:
            return None
        plain, other = (source, target) if self.forward else (target, source)
        made = Numbers(function(decoded(np.asarray(plain.raw), plain.dtype)), "F32")
        if self.role == DECAY:
            made, differing = _to_the_last_bit(made, other)
            return replace(difference(*((made, other) if self.forward else (other, made))), last_bits=differing)
        return difference(made, other) if self.forward else difference(other, made)

    def _function(self) -> Callable[[Array], Array] | None:
        if self.role == DECAY:
            return lambda values: (-np.exp(values.astype(np.float64))).astype(np.float32)
        if self.role.startswith("norm") and self.names & NORMS_PLUS_ONE and self.role not in NORMS_KEPT:
            return lambda values: values + np.float32(1)
        return None


def conversion_of(carried: Carried, sides: Mapping[str, Audit]) -> Conversion | None:
    """How values change between the two sides; None unless one has transformers' names and the other llama.cpp's."""
    writers = {name: _writer(audited, piece) for (name, audited), piece in
               zip(sides.items(), (carried.source, carried.target), strict=True)}  # fmt: skip
    if sorted(map(str, writers.values())) != ["", WRITER]:
        return None
    forward = writers["target"] == WRITER
    return Conversion(carried, forward, _model_types(sides["source" if forward else "target"]))


def _model_types(audited: Audit) -> frozenset[str]:
    """The model types in a config and in those of its submodels."""
    config = audited.checkpoint.config
    values = [] if config is None else [config.values, *config.values.values()]
    stated = [one.get("model_type") for one in values if isinstance(one, dict)]
    return frozenset(one for one in stated if isinstance(one, str))


def _writer(audited: Audit, piece: Piece) -> str | None:
    first = piece.identity.component.split("/", 1)[0]
    case = audited.components.get(first, audited).case
    return None if case is None else case.reading.writer


def _to_the_last_bit(made: Numbers, other: Numbers) -> tuple[Numbers, int]:
    """The other side's values where they are next to those made, and how many: libraries round exponentials apart."""
    theirs = decoded(np.asarray(other.raw), other.dtype)
    ours = np.asarray(made.raw)
    near = (np.nextafter(ours, theirs) == theirs) if theirs.dtype == np.float32 else ours == theirs
    return Numbers(np.where(near, theirs, ours), "F32"), int((near & (ours != theirs)).sum())
