"""Names of parameters at the top of a model in the metadata that torchao writes.

Source: `unflatten_tensor_state_dict` of torchao 0.18, which splits each name of `tensor_names` at its last dot.
Measured with transformers 5.24 for BART (`final_logits_bias`) and SigLIP (`logit_scale`): it refuses the file ("not
enough values to unpack"), and loads it completely once these names are removed from the list. 4.57 calls the same
function (`quantizer_torchao.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import REFUSES

METHOD: Final = "torchao"
NAMES: Final = "tensor_names"


def undivided(audited: Audit) -> Recorded | None:
    """The behaviour of both versions of transformers on weights of torchao with such a name; None without one."""
    name = next(iter(undivided_names(audited)), None)
    because = f"it splits each name of {NAMES} in the metadata into module and parameter, and {name} has no module"
    return None if name is None else Recorded(REFUSES, because)


def undivided_names(audited: Audit) -> tuple[str, ...]:
    """The names without a module in the metadata of files with weights of torchao."""
    if audited.unpacked is None or audited.unpacked.settings.base.method != METHOD:
        return ()
    return tuple(dict.fromkeys(name for name in _names(audited) if "." not in name))


def _names(audited: Audit) -> Iterator[str]:
    for file in audited.checkpoint.files:
        try:
            names = json.loads((file.metadata or {}).get(NAMES, "[]"))
        except (ValueError, RecursionError):
            continue
        if isinstance(names, list):
            yield from (name for name in names if isinstance(name, str))
