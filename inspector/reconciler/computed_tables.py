"""Tables of positions that a class of transformers computes itself, so that a missing one gets the values it had.

Measured with transformers 5.23 and 4.57: each table was removed from a saved model, which was loaded again. They report
the table as missing. Other programs read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.notation.binding import Block
from inspector.reconciler.reconcile import Reconciled

OF_BOTH_SIDES: Final = ("embed_positions.weight", "")
TABLES: Final[Mapping[str, tuple[str, str]]] = {
    "autoformer": OF_BOTH_SIDES,
    "distilbert": ("position_embeddings.weight", "sinusoidal_pos_embds"),
    "flaubert": ("position_embeddings.weight", "sinusoidal_embeddings"),
    "fsmt": OF_BOTH_SIDES,
    "informer": OF_BOTH_SIDES,
    "pegasus": OF_BOTH_SIDES,
    "roformer": OF_BOTH_SIDES,
    "time_series_transformer": OF_BOTH_SIDES,
    "whisper": ("encoder.embed_positions.weight", ""),
    "xlm": ("position_embeddings.weight", "sinusoidal_embeddings"),
}
"""Model type -> end of the table's name, and the key of the config that must be true; "" without one."""


def is_computed(case: Reconciled, table: Block) -> bool:
    """True if the class of the model computes a missing table."""
    ending, switch = TABLES.get(case.claim.model_type or "", ("", ""))
    if not ending or table.slot.scope or not table.key.endswith(ending):
        return False
    return not switch or case.claim.settings.read((switch,))[0] is True
