"""Findings on quantization settings of the config that the weights contradict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from inspector.findings.finding import Remedy, Rows, Step, as_json
from inspector.findings.types.modules import PackedModules, matching
from inspector.findings.types.packed import entries_of_modules
from inspector.findings.words import count, value

SWITCHES: Final = {4: "load_in_4bit", 8: "load_in_8bit"}
"""Bits -> the switch of bitsandbytes."""


class PackingConfigDisagrees(PackedModules, frozen=True, kw_only=True):
    """A quantization setting contradicts the weights.

    What it means
        Bits, group size, block size, method or another setting follows from the shapes of quantized values and
        helpers; the config states something else. Entries of single modules with the same wrong value are one finding.

    Why it matters
        Loaders follow the config: they allocate other shapes and fail, or read wrong values.

    Example
        error[T614] packing-config-disagrees: quantization_config.group_size
          config   64
          weights  128, 14 modules
          packing  gptq
          help     set quantization_config.group_size to 128 in config.json

    What to do
        Correct the setting; the weights are consistent.
    """

    code = "T614"

    key: str
    what: str
    config: Any
    plain: bool
    weights: Any
    agreeing: int = 0
    block: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    file: str | None = None
    path: tuple[str, ...] = ()
    copies: tuple[tuple[str, ...], ...] = ()
    keys: tuple[str, ...] = ()
    """The keys of all entries that state the setting, if several entries do."""
    exceptions: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """The entries of modules that MLX needs beside the settings for all modules."""
    absent: bool = False
    """True if the config does not state the key; `config` is the loader's default, null if it needs the key."""

    def headline(self) -> str:
        return f"{self.key} and {len(self.keys) - 1} more" if self.keys else self.key

    def rows(self) -> Rows:
        rows = [
            ("config", self._in_config()),
            ("weights", f"{self._what()}{value(self.weights)}, {count(self.modules, 'module')}"),
            ("packing", self.scheme),
        ]
        if self.modules == 1 or self.agreeing or self.keys:
            rows.append(("where", self.first_names()))
        if self.agreeing:
            rows.append(("others", matching(self.agreeing)))
        return rows

    def _in_config(self) -> str:
        if not self.absent:
            return value(self.config)
        return "absent, and needed" if self.config is None else f"absent, the default is {value(self.config)}"

    def _what(self) -> str:
        return "" if self.plain else f"{self._setting()} "

    def _in_each(self, paths: Sequence[tuple[str, ...]]) -> str:
        """The remedy for several entries in words."""
        blocks = " and ".join(dict.fromkeys(".".join(path[:-2]) for path in paths))
        entries = f"the entries of these {len(self.keys)} modules in {blocks}"
        return f"set {self.path[-1]} to {value(self.weights)} in {entries} of {self.file}"

    def _of(self) -> str:
        return self.key.partition(".")[0]

    def _setting(self) -> str:
        return self.what.replace("_", " ")

    def remedy(self) -> Remedy:
        if self.block is None:
            return Remedy(f"copy {self._of()} from the config.json of the repository that the weights come from")
        if self.exceptions:
            return entries_of_modules(self._of(), self.exceptions)
        if self.block is not msgspec.UNSET:
            step = Step(action="set", file="config.json", key=(self._of(),), new=self.block)
            return Remedy(f"set {self._of()} to {json.dumps(self.block)}", (step,))
        if self.plain and self.file is not None:
            paths, new = (self.path, *self.copies), as_json(self.weights)
            old = msgspec.UNSET if self.absent else self.config
            steps = tuple(Step(action="set", file=self.file, key=path, old=old, new=new) for path in paths)
            if self.keys:
                return Remedy(self._in_each(paths), steps)
            named = " and ".join(".".join(path) for path in paths)
            return Remedy(f"set {named} to {value(self.weights)} in {self.file}", steps)
        if self.plain:
            return Remedy(f"set {self.key} to {value(self.weights)}")
        switch = SWITCHES.get(self.weights) if self.path and self.path[-1] in SWITCHES.values() else None
        if switch is not None and self.file is not None:
            *block, stated = self.path
            news = ((switch, True), (stated, False))
            steps = tuple(Step(action="set", file=self.file, key=(*block, key), new=new) for key, new in news)
            return Remedy(f"set {switch} to true and {stated} to false in {'.'.join(block)} of {self.file}", steps)
        return Remedy(f"correct {self.key}: the weights have {self._setting()} {value(self.weights)}")


class PackingConfigUnread(PackingConfigDisagrees, frozen=True, kw_only=True):
    """A quantization setting contradicts the weights, and loaders take it from the weights.

    What it means
        The quantized tensors state the setting themselves; the config states something else.

    Why it matters
        The weights are read correctly, but whoever reads the config is misled.

    Example
        warning[T642] packing-config-unread: quantization_config.bnb_4bit_quant_type
          config   "fp4"
          weights  "nf4", 14 modules
          packing  nf4
          help     set quantization_config.bnb_4bit_quant_type to "nf4" in config.json

    What to do
        Correct the setting; nothing else changes.
    """

    code = "T642"
    severity = "warning"
