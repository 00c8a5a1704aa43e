"""The quantization block of torchao by what it writes of each weight into the metadata of a file.

Measured: transformers 5.23 with torchao 0.18 takes the kind of each weight from the metadata and asks the block for a
config of any kind. The config named here is the one with which torchao writes such a weight.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

KINDS: Final[Mapping[tuple[str, bool], str]] = {
    ("Int8Tensor", False): "Int8WeightOnlyConfig",
    ("Int8Tensor", True): "Int8DynamicActivationInt8WeightConfig",
    ("Float8Tensor", False): "Float8WeightOnlyConfig",
    ("IntxUnpackedToInt8Tensor", False): "IntxWeightOnlyConfig",
}
"""(class of a weight, whether its inputs are quantized) -> the config that makes it."""
PLAIN: Final = "Tensor"
OF_INPUTS: Final = ("act_quant_kwargs", "activation_quantization")
VERSION: Final = 2


def torchao_block(entries: Iterable[str]) -> dict[str, Any] | None:
    """The block for weights with these entries; None if they differ or are of other kinds."""
    configs = [_config(entry) for entry in entries]
    if not configs or configs[0] is None or any(one != configs[0] for one in configs):
        return None
    return {"quant_method": "torchao", "quant_type": {"default": configs[0]}}


def is_plain(entry: str) -> bool:
    """True if an entry is that of a weight which is not quantized."""
    return _read(entry).get("_type") == PLAIN


def _config(entry: str) -> dict[str, Any] | None:
    """The config that made a weight; None if it is not known."""
    values = _read(entry)
    data = values.get("_data")
    if not isinstance(data, dict):
        return None
    name = KINDS.get((str(values.get("_type")), any(data.get(key) is not None for key in OF_INPUTS)))
    sizes = data.get("block_size")
    if name is None or not isinstance(sizes, list) or not all(isinstance(one, int) for one in sizes):
        return None
    if name != "IntxWeightOnlyConfig":
        return {"_type": name, "_version": VERSION, "_data": {}}
    group = {"_type": "PerGroup", "_version": 1, "_data": {"group_size": sizes[-1]}}
    return {"_type": name, "_version": VERSION, "_data": {"weight_dtype": data.get("target_dtype"),
                                                          "granularity": group}}  # fmt: skip


def _read(entry: str) -> dict[str, Any]:
    try:
        values = json.loads(entry)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
