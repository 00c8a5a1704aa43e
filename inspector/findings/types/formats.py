"""Formats of quantized modules that the config leaves to the loader."""

from __future__ import annotations

from inspector.findings.finding import Remedy, Rows, Step
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import count


class PackingFormatUnstated(PackedModules, frozen=True, kw_only=True):
    """A group of compressed-tensors states no format, and the one that its loader infers is not that of the tensors.

    What it means
        Without `format` in the group, transformers infers how its modules are stored: integers in words
        (`weight_packed`) where only weights are quantized, integers by themselves (`weight`) where inputs are
        quantized too. The format of the whole block is not read.

    Why it matters
        transformers looks for tensors that are not stored and leaves these modules random, or fails.

    Example
        error[T647] packing-format-unstated:
          quantization_config.config_groups.group_0.format
          config   not stated
          loader   transformers takes int-quantized; it does not read the format of the
                   whole block
          weights  pack-quantized, 14 modules
          help     set quantization_config.config_groups.group_0.format to
                   "pack-quantized" in config.json

    What to do
        State the format in the group; the weights are consistent.
    """

    code = "T647"

    key: str
    inferred: str
    weights: str
    file: str = "config.json"
    path: tuple[str, ...] = ()
    """The keys of the setting in this file; () if unknown."""

    def alike(self) -> tuple[object, ...]:
        return (self.key, self.inferred, self.weights)

    def headline(self) -> str:
        return self.key

    def rows(self) -> Rows:
        return [
            ("config", "not stated"),
            ("loader", f"transformers takes {self.inferred}; it does not read the format of the whole block"),
            ("weights", f"{self.weights}, {count(self.modules, 'module')}"),
        ]

    def remedy(self) -> Remedy:
        step = Step(action="set", file=self.file, key=self.path, new=self.weights)
        return Remedy(f'set {self.key} to "{self.weights}" in {self.file}', (step,) if self.path else ())
