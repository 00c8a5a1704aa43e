"""Dtypes without fractions, and the buffers that transformers builds in them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from inspector.notation.kinds import BATCH_NORM, COUNTER
from inspector.notation.slots import Slot

INTEGERS: Final = frozenset({"I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "BOOL"})
NUMBERS: Final = frozenset(
    {
        "attention_bias_idxs", "layer_multipliers", "ngram_heads_offsets", "ngram_heads_vocab_sizes", "position_ids",
        "relative_position_index", "token_type_ids",
    }
)  # fmt: skip
"""Last segments of buffers that transformers builds as integers; floats are rounded down in them."""


def is_of_integers(key: str, buffers: Collection[str]) -> bool:
    """True if a tensor in memory has integers: the counter of a batch norm, or a buffer with numbers of positions."""
    last = key.rpartition(".")[2]
    return last == COUNTER or (last in NUMBERS and key in buffers)


def counts(slot: Slot) -> bool:
    """True for the counter of a batch norm of torch, which every model has; a frozen one has none."""
    return slot.kind.name == BATCH_NORM and slot.tensor.suffix.endswith(COUNTER)
