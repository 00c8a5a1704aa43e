"""Findings on a config that does not state that its weights are quantized."""

from __future__ import annotations

import json
from typing import Any

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import count

OF_COMFY = "fp8-comfy"
"""The quantization scheme that only ComfyUI reads."""


class QuantizationBlockMissing(ContentFinding, frozen=True, kw_only=True):
    """The weights are quantized, and the config does not say so.

    What it means
        The tensors are those of a quantization scheme, and config.json has no quantization block. Merging an adapter or
        saving the config again from the base model drops it.

    Why it matters
        Loaders build plain matrices: they do not find the packed weights and initialize all of them randomly, read the
        integers as if they were weights, or refuse the checkpoint.

    Example
        error[T625] quantization-block-missing: config.json
          weights  gptq, 14 modules, 4 bits, groups of 128
          help     add "quantization_config": {"quant_method": "gptq", "bits": 4,
                   "group_size": 128, "desc_act": true} to config.json

    What to do
        Add the block, best from the config.json of the repository that the weights come from: order of activations and
        symmetry of GPTQ, for example, are not visible in the headers.
    """

    code = "T625"

    scheme: str
    modules: int
    bits: float | None
    group_size: int | None
    key: str
    block: dict[str, Any] | None
    others: tuple[dict[str, Any], ...] = ()
    module: str = ""
    entries: tuple[str, ...] = ()

    def rows(self) -> Rows:
        bits = "" if self.bits is None else f", {self.bits:g} bits"
        groups = "" if self.group_size is None else f", groups of {self.group_size}"
        return [("weights", f"{self.scheme}, {count(self.modules, 'module')}{bits}{groups}")]

    def remedy(self) -> Remedy:
        if self.key.endswith(".json"):
            return self._in_file()
        if self.scheme == OF_COMFY:
            return Remedy("load the file with ComfyUI, whose scales others do not read, or download plain weights")
        if self.block is None:
            return Remedy(f"copy {self.key} from the config.json of the repository that the weights come from")
        step = Step(action="set", file=self.place.file, key=(self.key,), new=self.block)
        others = "".join(f", or, if {one['quant_method']} wrote the weights, {json.dumps(one)}" for one in self.others)
        return Remedy(f'add "{self.key}": {json.dumps(self.block)} to {self.place.file}{others}', (step,))

    def _in_file(self) -> Remedy:
        """The remedy if the quantization is described in a separate file with one entry for each module."""
        if self.block is None or not self.module:
            return Remedy(f"copy {self.key} from the repository that the weights come from")
        entry = json.dumps({self.module: self.block})
        more = f", one entry for each of the {count(self.modules, 'module')}" if self.modules > 1 else ""
        steps = tuple(Step(action="set", file=self.key, key=(name,), new=self.block) for name in self.entries)
        return Remedy(f"write {self.key} next to the weights: {entry}{more}", steps)
