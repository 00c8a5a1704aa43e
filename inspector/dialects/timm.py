"""The config.json of a repository of timm, which states no type: its model is read by transformers' wrapper of timm.

Source: `is_timm_config_dict` in transformers' `utils/generic.py` and `configuration_utils.py` (5.23), which
sets the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TYPE: Final = "timm_wrapper"
MARK: Final = "pretrained_cfg"
"""The key by which transformers knows a config of timm."""


def config_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The config with the type that transformers sets; None where it states one, or is not of timm."""
    return {**values, "model_type": TYPE} if MARK in values and "model_type" not in values else None
