"""Reads the config.json of a timm repository, which has no model type: transformers reads the model through its
wrapper.

Source: `is_timm_config_dict` in transformers' `utils/generic.py` and `configuration_utils.py` (5.23), which
sets the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TYPE: Final = "timm_wrapper"
MARK: Final = "pretrained_cfg"
"""The key by which transformers recognises a config of timm."""


def config_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The config with the type that transformers sets; None if it has a type or is not timm's."""
    return {**values, "model_type": TYPE} if MARK in values and "model_type" not in values else None
