"""Findings on settings of mlx-lm's adapters."""

from __future__ import annotations

import json

from inspector.findings.adapters.tensors import AdapterSetting
from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import listed

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
