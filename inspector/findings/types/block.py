"""Findings on a config that does not state that its weights are quantized."""

from __future__ import annotations

import json
from typing import Any

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.role_words import label
from inspector.findings.words import count, first, listed

OF_COMFY = "fp8-comfy"
"""The quantization scheme that only ComfyUI reads."""


READERS = {"quanto_qmap.json": "QuantizedModelForCausalLM of optimum-quanto reads it, transformers does not"}
"""File with settings -> the program that reads it, in words."""
MOST_ENTRIES = 6
"""Entries of a map for single modules that words contain; steps contain all."""


def shortened(block: dict[str, Any]) -> str:
    """A block as JSON, in which a map with an entry for each module has its first entry only."""
    maps = {key: value for key, value in block.items() if isinstance(value, dict) and len(value) > MOST_ENTRIES}
    if not any("." in name for value in maps.values() for name in value):
        return json.dumps(block)
    first = {key: dict([next(iter(value.items()))]) for key, value in maps.items()}
    entries = " and ".join(f"{len(value):,} entries in {key}" for key, value in maps.items())
    return f"{json.dumps({**block, **first})}, with {entries} of which this is the first (inspector mend writes all)"


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
        symmetry of GPTQ, for example, are not visible in the headers. Where no tensor shows a key that loaders need,
        the finding names it, and writes no block; where several blocks read the same tensors in different ways, it
        states each of them.
    """

    code = "T625"

    scheme: str
    modules: int
    bits: float | None
    group_size: int | None
    key: str
    block: dict[str, Any] | None
    others: tuple[dict[str, Any], ...] = ()
    readings: tuple[dict[str, Any], ...] = ()
    assumed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    known: dict[str, Any] | None = None
    module: str = ""
    entries: tuple[str, ...] = ()
    value: int | None = None
    """The value of a key that states a number instead of a block."""

    def rows(self) -> Rows:
        bits = "" if self.bits is None else f", {self.bits:g} bits"
        groups = "" if self.group_size is None else f", groups of {self.group_size}"
        return [("weights", f"{self.scheme}, {count(self.modules, 'module')}{bits}{groups}")]

    def remedy(self) -> Remedy:
        if self.value is not None:
            step = Step(action="set", file=self.place.file, key=(self.key,), new=self.value)
            return Remedy(f'set "{self.key}": {self.value} in {self.place.file}', (step,))
        if self.key.endswith(".json"):
            return self._in_file()
        if self.scheme == OF_COMFY:
            return Remedy("load the file with ComfyUI, whose scales others do not read, or download plain weights")
        if self.readings:
            either_way = ", or ".join(shortened(one) for one in self.readings)
            words = f'add "{self.key}" to {self.place.file} as {either_way}: no tensor shows which of them is right'
            return Remedy(f"{words}, take that of the repository that the weights come from", choice=True)
        if self.block is None:
            return Remedy(f"copy {self.key} from the config.json of the repository that the weights come from"
                          f"{self._not_in_tensors()}")  # fmt: skip
        step = Step(action="set", file=self.place.file, key=(self.key,), new=self.block)
        others = "".join(f", or, if {one['quant_method']} wrote the weights, {shortened(one)}" for one in self.others)
        defaults = f"; no tensor shows {listed(self.assumed)}, which has the loader's default" if self.assumed else ""
        defaults = defaults or self._of_inputs(self.block)
        return Remedy(f'add "{self.key}": {shortened(self.block)} to {self.place.file}{others}{defaults}', (step,))

    def _of_inputs(self, block: dict[str, Any]) -> str:
        """What is assumed of inputs that are quantized with scales of the moment."""
        groups = block.get("config_groups")
        inputs = [one.get("input_activations") or {} for one in groups.values()] if isinstance(groups, dict) else []
        if not any(one.get("dynamic") is True for one in inputs):
            return ""
        alone = ", or without it if the weights alone were quantized" if inputs[0].get("type") == "float" else ""
        return f"; no tensor shows input_activations, which is as llm-compressor writes it{alone}"

    def _not_in_tensors(self) -> str:
        """What only the lost block states, and what the tensors show of it."""
        shown = f"; they show {json.dumps(self.known)}" if self.known else ""
        return f": the headers do not show {' or '.join(self.absent)}{shown}" if self.absent else ""

    def _in_file(self) -> Remedy:
        """The remedy if the quantization is described in a separate file with one entry for each module."""
        if self.block is None or not self.module:
            return Remedy(f"copy {self.key} from the repository that the weights come from")
        entry = json.dumps({self.module: self.block})
        more = f", one entry for each of the {count(self.modules, 'module')}" if self.modules > 1 else ""
        steps = tuple(Step(action="set", file=self.key, key=(name,), new=self.block) for name in self.entries)
        reads = f"; {READERS[self.key]}" if self.key in READERS else ""
        return Remedy(f"write {self.key} next to the weights: {entry}{more}{reads}", steps)


class QuantizationBlockRenamed(ContentFinding, frozen=True, kw_only=True):
    """The config states the quantization under a key that transformers does not read.

    What it means
        The first releases of compressed-tensors and SparseML wrote the settings as `compression_config`. transformers
        reads `quantization_config` only; vLLM reads both.

    Why it matters
        transformers builds plain matrices, does not find the packed weights, and initializes all of them randomly.

    Example
        error[T669] quantization-block-renamed: compression_config
          weights  pack-quantized, 14 modules
          help     rename "compression_config" to "quantization_config" in config.json

    What to do
        Rename the key.
    """

    code = "T669"

    key: str
    block: Any
    scheme: str
    modules: int

    headline_text = "{place.key}"
    row_texts = (("weights", "{scheme}, {modules:count module}"),)

    def remedy(self) -> Remedy:
        file, old = self.place.file, str(self.place.key)
        steps = (
            Step(action="set", file=file, key=(self.key,), new=self.block),
            Step(action="remove", file=file, key=(old,), old=self.block),
        )
        return Remedy(f'rename "{old}" to "{self.key}" in {file}', steps)

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """No finding for a program that reads this key."""
        return None if loader.startswith("vllm") and outcome == "complete" else self


class QuantizedCopyLeft(ContentFinding, frozen=True, kw_only=True):
    """A quantized copy of a tied matrix is left in the files of a model that is not quantized.

    What it means
        The config ties the matrix to another one, which is stored plain like all other weights. The packed values and
        scales of its copy are those of a model that was quantized in memory and saved without its settings.

    Why it matters
        transformers leaves the copy out and uses the other matrix. Programs that expect a place for each tensor, such
        as llama.cpp's converter, stop at its scales.

    Example
        warning[T668] quantized-copy-left: lm_head, which the config ties to the
          embedding
          scheme  quanto
          stored  lm_head.weight._data, lm_head.weight._scale and 2 more
          help    remove these tensors: the embedding is stored plain

    What to do
        Remove the tensors, or save the model again without quantizing it.
    """

    code = "T668"
    severity = "warning"

    scheme: str
    tied_to: str
    names: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.tensor}, which the config ties to the {label(self.tied_to)}"

    def rows(self) -> Rows:
        return [("scheme", self.scheme), ("stored", first(self.names, len(self.names)))]

    def remedy(self) -> Remedy:
        return Remedy(f"remove these tensors: the {label(self.tied_to)} is stored plain")
