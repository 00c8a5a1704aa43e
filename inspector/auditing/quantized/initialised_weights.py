"""Linear layers of compressed-tensors without a `weight`, which transformers 5 reads where it initializes modules.

`_init_weights` of some models reads `weight` of their linear layers also for modules that are loaded, and a packed
layer has `weight_packed` instead. Measured with transformers 5.24, compressed-tensors 0.19 and files of llm-compressor:
the load ends in "AttributeError: 'Linear' object has no attribute 'weight'"; layers with a `weight` and a scale load.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import REFUSES

METHOD: Final = "compressed-tensors"
PACKED: Final = "weight_packed"


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    """The table that `tests/oracle/make_initialised_weights.py` measures with transformers 5.23."""
    with open(os.path.join(os.path.dirname(__file__), "initialised_weights.json"), "rb") as file:
        table: dict[str, dict[str, Any]] = json.loads(file.read())
    return table


def unset_weight(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on packed layers whose weights it reads to initialize them; None without such ones."""
    unpacked, config = audited.unpacked, audited.checkpoint.config
    if unpacked is None or config is None or unpacked.settings.base.method != METHOD:
        return None
    if all(config.values.get("model_type") not in entries for entries in _table().values()):
        return None
    from inspector.auditing.quantized.unfound_entries import names_in_model

    namer = names_in_model(audited.checkpoint)
    for line in audited.lines:
        if line.packed is not None and line.packed.values == PACKED:
            name = line.family if namer is None else namer(line.family)
            layer = name.removesuffix(".weight")
            if is_read(layer, config.values):
                because = f"it initializes {layer.rpartition('.')[2]}.weight, which packed layers do not have"
                return Recorded(REFUSES, because)
    return None


def is_read(layer: str, values: Mapping[str, Any]) -> bool:
    """True if a model reads the weight of a layer to initialize it.

    layer: its name in the model, with `#` for a number. values: of the config of the model; a config in it without a
    type has the type that the class of the model builds.
    """
    model_type = str(values.get("model_type"))
    for key, word, usual in _table()["parts"].get(model_type, ()):
        _, found, rest = f".{layer}".partition(f".{word}.")
        if found:
            inner = values.get(key)
            return is_read(rest, {"model_type": usual, **(inner if isinstance(inner, Mapping) else {})})
    ends = str(_table()["layers"].get(model_type, "")).split()
    return any(f".{layer}".endswith(f".{end}") for end in ends)
