"""Findings on modules that should or should not be quantized, and on scales without values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

import msgspec

from inspector.findings.finding import Remedy, Rows, Step
from inspector.findings.types.modules import PackedModules
from inspector.findings.types.packed import dynamic_exceptions
from inspector.findings.words import count, shape, value

MOST_WRITTEN = 40
"""Most entries of a list that a remedy writes."""


class SkippedButPacked(PackedModules, frozen=True, kw_only=True):
    """A module is quantized although the config excludes it.

    What it means
        A list such as `ignore` or `modules_to_not_convert` contains the module, but it is stored quantized. Where it is
        quantized in another way than the modules in no list, the settings do not describe it either.

    Why it matters
        Loaders build an unquantized module: its weight is random, or has the quantized values without their scales.

    Example
        error[T615] skipped-but-packed: "model.layers.1.mlp.down_proj" in
          quantization_config
          stored   model.layers.1.mlp.down_proj.qweight
          packing  awq
          help     remove the entry from the list, or store the module unquantized

    What to do
        Remove the entry from the list, or store the module unquantized. A module that is quantized in another way would
        not load without its entry either.
    """

    code = "T615"
    always_one = True

    entry: str
    source: str
    otherwise: bool = False
    entries: tuple[str, ...] = ()

    def alike(self) -> tuple[object, ...]:
        return (self.otherwise, bool(self.entry))

    def summed(self, findings: Sequence[PackedModules]) -> Self:
        named = (one.entry for one in findings if isinstance(one, SkippedButPacked))
        return msgspec.structs.replace(self, entries=tuple(dict.fromkeys(entry for entry in named if entry)))

    def headline(self) -> str:
        if not self.entry:
            return f"no entry in {self.source}"
        more = len(self.entries) - 1
        return f"{value(self.entry)}{f' and {more} more' if more > 0 else ''} in {self.source}"

    def rows(self) -> Rows:
        return [("stored", self.first_names()), ("packing", self.scheme)]

    def remedy(self) -> Remedy:
        if self.otherwise:
            return Remedy("store these modules unquantized, or quantize the model again")
        if not self.entry:
            return Remedy(f"add an entry for each of these modules to {self.source}, or store them unquantized")
        which = "the entries" if len(self.entries) > 1 else "the entry"
        return Remedy(
            f"remove {which} from the list, or store {'the modules' if self.modules > 1 else 'the module'} unquantized"
        )


class SkipEntryUnread(SkippedButPacked, frozen=True, kw_only=True):
    """An entry of a list of unquantized modules is a part of their names that transformers 5 does not look for.

    What it means
        transformers 5 compares an entry with the beginning of a module's name as the model has it, which may be
        `model.vision_tower` where the file has `vision_tower`, and with its end. It quantizes the module, as stored.

    Why it matters
        transformers 4 and vLLM find the entry within the name, build an unquantized module and cannot load it.

    Example
        note[T653] skip-entry-unread: "mlp" in quantization_config
          stored   model.layers.0.mlp.down_proj.weight,
                   model.layers.1.mlp.down_proj.weight,
                   model.layers.0.mlp.gate_proj.weight and 3 more
          packing  nf4
          loader   transformers 5 reads them quantized; transformers 4 and vLLM do not
          help     no action needed for transformers 5; for the others, remove the entry
                   from the list

    What to do
        Nothing for transformers 5. For other loaders remove the entry from the list.
    """

    code = "T653"
    severity = "note"

    def rows(self) -> Rows:
        return [*super().rows(), ("loader", "transformers 5 reads them quantized; transformers 4 and vLLM do not")]

    def remedy(self) -> Remedy:
        return Remedy("no action needed for transformers 5; for the others, remove the entry from the list")


class ModuleNotPacked(PackedModules, frozen=True, kw_only=True):
    """A module is not quantized although its siblings are and the config does not exclude it.

    What it means
        The same module of other layers or experts is quantized; no list in the config excludes this one.

    Why it matters
        Loaders build a quantized module: its tensors are random, or the module fails when it is used.

    Example
        error[T616] module-not-packed: model.layers.1.mlp.down_proj.weight
          stored  [256, 768] BF16
          others  1 sibling is quantized (gptq)
          help    add "dynamic": {"-:model\\\\.layers\\\\.1\\\\.mlp\\\\.down_proj$": {}} to
                  quantization_config, which GPTQModel and vLLM read

    What to do
        Add the module to the list of the quantization block, or quantize it like the others.
    """

    code = "T616"
    always_one = True

    dtype: str
    shape: tuple[int, ...]
    others: int
    method: str | None
    source: str = ""
    key: str | None = None
    entries: tuple[str, ...] = ()
    exceptions: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)

    def remedy(self) -> Remedy:
        if self.exceptions:
            return dynamic_exceptions(self.source, self.exceptions)
        if self.key is None:
            return Remedy("quantize it like the others, or exclude it in the config")
        return _listing(self.key, self.entries, self.source, self.modules)

    def rows(self) -> Rows:
        if len(self.families) > 1:
            return [*self.packing(), ("stored", f"plain, in {self.dtype}")]
        verb = "is" if self.others == 1 else "are"
        rows = [
            ("stored", f"{shape(self.shape)} {self.dtype}"),
            ("others", f"{count(self.others, 'sibling')} {verb} quantized ({self.scheme})"),
        ]
        if self.modules > 1:
            rows.insert(0, ("where", self.where))
        return rows


class LayersNotPacked(PackedModules, frozen=True, kw_only=True):
    """Linear layers are not quantized although others are and the config excludes none of them.

    What it means
        In every layer this module is stored plain, and other linear layers next to it are quantized. The quantization
        block does not exclude it: its list of unquantized modules was lost, or belongs to another checkpoint.

    Why it matters
        Loaders build a quantized module: it lacks its scales, computes other numbers, or fails when it is used.

    Example
        error[T641] layers-not-packed: model.layers.{layer}.mlp.down_proj.weight
          where    layers 0, 1, 2 modules
          packing  fp8
          stored   plain, in BF16
          help     add "re:.*down_proj" to "ignore" in quantization_config of
                   config.json

    What to do
        Add the modules to the list of the quantization block, or quantize them like the others.
    """

    code = "T641"
    always_one = True

    dtype: str
    method: str
    source: str
    key: str | None
    entries: tuple[str, ...]
    exceptions: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    stated: int = 0
    """Number of the entries, the first ones, that the list has."""
    stale: tuple[str, ...] = ()
    """Stated entries that are no name of a module, and end like the name of one of these."""

    def rows(self) -> Rows:
        rows: Rows = [*self.packing(), ("stored", f"plain, in {self.dtype}")]
        if not self.stale:
            return rows
        more = f" and {len(self.stale) - 1} more" if len(self.stale) > 1 else ""
        return [*rows, ("listed", f"as {self.stale[0]}{more}: names of another version, which no module here has")]

    def remedy(self) -> Remedy:
        if self.exceptions:
            return dynamic_exceptions(self.source, self.exceptions)
        if self.key is None:
            return Remedy(f'quantize them like the others, or exclude them in "dynamic" of {self.source}')
        return _listing(self.key, self.entries, self.source, self.modules, self.stated)


class TiedHeadNotExcluded(PackedModules, frozen=True, kw_only=True):
    """The quantization block does not exclude the head, which is tied to the embedding.

    What it means
        The block applies to every linear layer that its list leaves in. The head is one of them, but it has no tensors
        of its own: it is the embedding, which is not quantized.

    Why it matters
        The loader builds a quantized head. It then refuses the file, or computes with a scale that was never set.

    Example
        error[T662] tied-head-not-excluded: lm_head
          packing  pack-quantized
          head     tied to the embedding, not stored
          help     set "ignore": ["lm_head"] in quantization_config of config.json

    What to do
        Add the head to the list of the quantization block.
    """

    code = "T662"
    always_one = True

    head: str
    source: str
    key: str
    entries: tuple[str, ...]

    def headline(self) -> str:
        return self.head

    def rows(self) -> Rows:
        return [("packing", self.scheme), ("head", "tied to the embedding, not stored")]

    def remedy(self) -> Remedy:
        return _listing(self.key, self.entries, self.source, 1)


class ExceptionsLost(PackedModules, frozen=True, kw_only=True):
    """Modules are quantized with other settings, or not at all, and the config has no exceptions for them.

    What it means
        GPTQModel states settings of single modules in `dynamic`; the block has none. It was rewritten without them, or
        belongs to another run.

    Why it matters
        Loaders follow the block: they allocate other shapes for these modules, or look for quantized values.

    Example
        error[T663] exceptions-lost: 8 modules such as
          model.layers.1.self_attn.q_proj.qweight
          settings  others than stated: 7 modules
          plain     1 module
          help      add "dynamic" with an exception for each to quantization_config,
                    which GPTQModel and vLLM read

    What to do
        Restore `dynamic`. The remedy has an exception for each module.
    """

    code = "T663"
    always_one = True

    source: str
    entries: dict[str, dict[str, Any]]
    otherwise: int
    plain: int

    def headline(self) -> str:
        return f"{count(self.modules, 'module')} such as {self.names[0]}" if self.modules > 1 else self.names[0]

    def rows(self) -> Rows:
        others = [("settings", f"others than stated: {count(self.otherwise, 'module')}")] if self.otherwise else []
        return [*others, *([("plain", count(self.plain, "module"))] if self.plain else [])]

    def remedy(self) -> Remedy:
        return dynamic_exceptions(self.source, self.entries)


def _listing(key: str, entries: tuple[str, ...], source: str, modules: int, stated: int = 0) -> Remedy:
    """The remedy to set the list of unquantized modules; only words if it is long or not in config.json.

    stated: number of the entries, the first ones, that the list has: the words are then on the others.
    """
    few = len(entries) - stated <= MOST_WRITTEN
    if key == "extra_config" and few:
        added = json.dumps({entry: {"bits": 16, "data_type": "float"} for entry in entries})
        return Remedy(f'add {added} to "{key}" in {source}')
    listing = json.dumps(entries) if few else f"the present entries and these {modules} modules"
    words = f'set "{key}": {listing} in {source}'
    if stated and few:
        words = f'add {", ".join(map(json.dumps, entries[stated:]))} to "{key}" in {source}'
    if not source.endswith("quantization_config") or not few:
        return Remedy(words)
    step = Step(action="set", file="config.json", key=(*source.split("."), key), new=list(entries))
    return Remedy(f"{words} of config.json", (step,))


class QuantizedWherePlainExpected(PackedModules, frozen=True, kw_only=True):
    """A norm, router, embedding or head is quantized, and loaders of this quantization expect plain weights there.

    What it means
        The loaders of this quantization replace linear layers only, and leave the output embeddings and the routers
        of experts as they are.

    Why it matters
        Loaders build an unquantized module, do not find its weight, and use random values or refuse the file.

    Example
        error[T630] quantized-where-plain-expected:
          model.layers.{layer}.block_sparse_moe.gate.weight
          where    layers 0-2, 3 modules
          packing  gptq
          role     router
          help     store it unquantized: take the weight from the original model

    What to do
        Quantize again without these modules, or replace their tensors by the weights of the original model.
    """

    code = "T630"

    role: str

    remedy_text = "store it unquantized: take the weight from the original model"

    def alike(self) -> tuple[object, ...]:
        return (self.role,)

    def rows(self) -> Rows:
        return [*self.packing(), ("role", self.role)]
