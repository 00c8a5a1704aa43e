"""Statistics of batch norms, which PEFT saves with a norm, or with a module around one, that is trained as a whole.

Source: `get_peft_model_state_dict` of PEFT 0.21.2, which takes all entries of such a module's state dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from inspector.adapters.expected import STATISTICS, Expected
from inspector.adapters.names import base_name, tuner_name
from inspector.matcher.families import Families
from inspector.reconciler import ledger

WEIGHT = ".weight"


def saved_buffers(weights: Iterable[Expected], families: Families) -> Iterator[Expected]:
    """The statistics for weights that have at least one of them; torch creates a missing number of batches again."""
    for one in weights:
        path = one.key.removesuffix(WEIGHT)
        keys = {f"{path}.{last}": one.shape if last.startswith("running") else () for last in STATISTICS}
        if path == one.key or families.keys().isdisjoint(keys):
            continue
        for key, shape in keys.items():
            required = shape == one.shape or key in families
            yield replace(
                one, key=key, shape=shape, kind=ledger.BUFFER, role=ledger.BUFFER, required=required, component=""
            )


def buffers_alone(families: Families) -> Iterator[Expected]:
    """The statistics in modules that are trained as a whole, if no base determines their shapes."""
    weights = (
        Expected(key, family.boxes, (), ledger.PARAMETER, base_name(key).removesuffix(WEIGHT), checked=False)
        for key, family in families.items()
        if key.endswith(WEIGHT) and tuner_name(key) is None
    )
    yield from saved_buffers(weights, families)
