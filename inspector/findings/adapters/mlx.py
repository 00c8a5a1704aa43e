"""Findings on settings of mlx-lm's adapters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.findings.adapters.tensors import AdapterSetting
from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import listed

SCALE = "scale in lora_parameters"
"""The setting that no tensor shows."""
NOT_STORED = "the scale is not stored"


class AdapterSettingsAbsent(Finding, frozen=True, kw_only=True):
    """The config of an adapter lacks settings that its loader reads.

    What it means
        mlx-lm builds the adapter by `num_layers` and by the rank, scale and dropout in `lora_parameters`. Its first
        versions wrote `lora_layers` in place of `num_layers`.

    Why it matters
        mlx-lm fails at the first of these that it does not find.

    Example
        error[A946] adapter-settings-absent: num_layers
          loader  mlx-lm
          help    set "num_layers": 16 in adapter_config.json

    What to do
        Set the value, or restore the adapter_config.json of the training run where the scale is lost.
    """

    code = "A946"

    settings: tuple[AdapterSetting, ...]
    unknown: tuple[str, ...]
    loader: str

    def headline(self) -> str:
        return listed([*(one.key for one in self.settings), *self.unknown], 6)

    def rows(self) -> Rows:
        return [("loader", self.loader)]

    def remedy(self) -> Remedy:
        words = ", ".join(f'"{one.key.rpartition(".")[2]}": {json.dumps(one.new)}' for one in self.settings)
        if self.unknown:
            known = f", with {words}" if words else ""
            return Remedy(f"restore the adapter_config.json of the training run{known}: {NOT_STORED}")
        steps = tuple(
            Step(action="set", file="adapter_config.json", key=tuple(one.key.split(".")), new=one.new)
            for one in self.settings
        )
        return Remedy(f"set {words} in adapter_config.json", steps)


class AdapterInArchive(Finding, frozen=True, kw_only=True):
    """The adapter is an archive of arrays, which earlier versions of mlx-lm wrote.

    What it means
        The first versions of mlx-lm saved adapters.npz alone. Since then it saves adapters.safetensors, with the
        settings in adapter_config.json.

    Why it matters
        mlx-lm looks for both files, and raises a FileNotFoundError.

    Example
        warning[A999] adapter-in-archive: adapters.npz
          loader  mlx-lm reads adapters.safetensors and adapter_config.json
          help    mx.save_safetensors("adapters.safetensors", mx.load("adapters.npz")),
                  and write adapter_config.json with "fine_tune_type": "lora",
                  "num_layers": -1, "lora_parameters": {"rank": 16, "dropout": 0.0,
                  "keys": ["self_attn.q_proj"]} and the scale in lora_parameters of the
                  training; it is 20 by default

    What to do
        Convert the file with MLX, and write the settings of the training.
    """

    code = "A999"
    severity = "warning"

    shown: Mapping[str, Any]
    """Settings that the tensors show."""

    headline_text = "{place.file}"
    row_texts = (("loader", "mlx-lm reads adapters.safetensors and adapter_config.json"),)

    def remedy(self) -> Remedy:
        stated = ", ".join(f'"{key}": {json.dumps(one)}' for key, one in self.shown.items())
        return Remedy(
            f'mx.save_safetensors("adapters.safetensors", mx.load("{self.place.file}")), and write adapter_config.json '
            f"with {stated} and the {SCALE} of the training; it is 20 by default"
        )
