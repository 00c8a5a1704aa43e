"""Quantized linear layers without a `weight`, which transformers 5 reads where it initializes modules.

`_init_weights` of some models reads `weight` of their linear layers also for modules that are loaded, and a packed
layer has `weight_packed` or `qweight` instead. Measured with transformers 5.24, compressed-tensors 0.19 and files of
llm-compressor: the load ends in "AttributeError: 'Linear' object has no attribute 'weight'"; layers with a `weight` and
a scale load. So it does for NanoChat with GPTQModel 7.7, whose layers are of another class: only a module around such a
layer reads its weight.
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

PACKED_VALUES: Final = "weight_packed"
METHODS: Final = {"compressed-tensors": (PACKED_VALUES, "layers"), "gptq": ("qweight", "others")}
"""Method -> the name of the packed values, and the entry of the table for its layers."""


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    """The table that `tests/oracle/make_initialised_weights.py` measures with transformers 5.23."""
    with open(os.path.join(os.path.dirname(__file__), "initialised_weights.json"), "rb") as file:
        table: dict[str, dict[str, Any]] = json.loads(file.read())
    return table


def unset_weight(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on packed layers whose weights it reads to initialize them; None without such ones."""
    unpacked, config = audited.unpacked, audited.checkpoint.config
    method = METHODS.get("" if unpacked is None else unpacked.settings.base.method or "")
    if method is None or config is None:
        return None
    values, kind = method
    if all(config.values.get("model_type") not in entries for entries in _table().values()):
        return None
    from inspector.auditing.quantized.model_names import names_in_model

    namer = names_in_model(audited.checkpoint)
    for line in audited.lines:
        if line.packed is not None and line.packed.values == values:
            name = line.family if namer is None else namer(line.family)
            layer = name.removesuffix(".weight")
            if is_read(layer, config.values, kind):
                because = f"it initializes {layer.rpartition('.')[2]}.weight, which packed layers do not have"
                return Recorded(REFUSES, because)
    return None


def is_read(layer: str, values: Mapping[str, Any], kind: str = "layers") -> bool:
    """True if a model reads the weight of a layer to initialize it.

    layer: its name in the model, with `#` for a number. values: of the config of the model; a config in it without a
    type has the type that the class of the model builds. kind: as in `METHODS`.
    """
    model_type = str(values.get("model_type"))
    for key, word, usual in _table()["parts"].get(model_type, ()):
        _, found, rest = f".{layer}".partition(f".{word}.")
        if found:
            inner = values.get(key)
            return is_read(rest, {"model_type": usual, **(inner if isinstance(inner, Mapping) else {})}, kind)
    ends = str(_table()[kind].get(model_type, "")).split()
    return any(f".{layer}".endswith(f".{end}") for end in ends)
