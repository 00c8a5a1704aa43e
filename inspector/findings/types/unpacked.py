"""Quantized modules that the config excludes, plain ones that it includes, and scales without values."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import count, listed, number, shape, value


class SkippedButPacked(PackedModules, frozen=True, kw_only=True):
    """A module that the config lists as not quantised is packed.

    What it means
        A list such as `ignore` or `modules_to_not_convert` names the module, and it is stored packed.

    Why it matters
        Loaders build a plain module, do not find its weight and run it with random numbers.

    Example
        warning[T615] skipped-but-packed: "model.layers.1.mlp.down_proj" in
          quantization_config
          stored   model.layers.1.mlp.down_proj.qweight
          packing  awq
          help     take the entry out of the list, or store the module as it was

    What to do
        Take the entry out of the list, or store the module unquantised.
    """

    code = "T615"
    name = "skipped-but-packed"
    severity = "warning"
    always_one = True

    entry: str
    source: str

    def alike(self) -> tuple[object, ...]:
        return (self.entry,)

    def headline(self) -> str:
        return f"{value(self.entry)} in {self.source}"

    def rows(self) -> Rows:
        return [("stored", self.first_names()), ("packing", self.scheme)]

    def remedy(self) -> Remedy:
        return Remedy("take the entry out of the list, or store the module as it was")


class ModuleNotPacked(PackedModules, frozen=True, kw_only=True):
    """A module is not packed although its siblings are and the config does not leave it out.

    What it means
        The same module of other layers or experts is packed; no list of the config names this one.

    Why it matters
        Loaders expect packed tensors here and find none.

    Example
        warning[T616] module-not-packed: model.layers.1.mlp.down_proj.weight
          stored  [256, 768] BF16
          others  1 sibling is packed (gptq)
          help    quantise it like the others, or list it as not converted in the config

    What to do
        Quantise the module like the others, or list it in the config.
    """

    code = "T616"
    name = "module-not-packed"
    severity = "warning"

    dtype: str
    shape: tuple[int, ...]
    others: int
    method: str | None

    def rows(self) -> Rows:
        verb = "is" if self.others == 1 else "are"
        rows = [
            ("stored", f"{shape(self.shape)} {self.dtype}"),
            ("others", f"{count(self.others, 'sibling')} {verb} packed ({self.scheme})"),
        ]
        if self.modules > 1:
            rows.insert(0, ("where", self.where))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("quantise it like the others, or list it as not converted in the config")


class PackingHelperOrphaned(PackedModules, frozen=True, kw_only=True):
    """Scales or other helpers of a packing stand alone.

    What it means
        Their names are those of a packing, and no packed values belong to them. Some tools leave such tensors:
        transformers 5 writes the fused scales of experts (`experts.gate_up_proj_scale_inv`) beside fp8 weights
        that it has unfused; others keep the scales of a module that was turned back to floats.

    Why it matters
        Loaders ignore them and say so. If weights need them under other names, those weights are useless as they
        are.

    Example
        warning[T617] packing-helper-orphaned:
          model.layers.{layer}.mlp.experts.down_proj_scale_inv
          where   layers 0, 1, 2 tensors
          stored  weight_scale_inv
          help    leave them out, or rename them to the tensors they belong to

    What to do
        Leave them out, or rename them to the tensors they belong to.
    """

    code = "T617"
    name = "packing-helper-orphaned"
    severity = "warning"

    helpers: tuple[str, ...]
    beside: str | None
    serves: int | msgspec.UnsetType = msgspec.UNSET

    def rows(self) -> Rows:
        rows = [("stored", listed(self.helpers))]
        if self.modules > 1:
            rows.insert(0, ("where", f"{self.where}, {count(self.modules, 'tensor')}".removeprefix(", ")))
        if self.beside:
            rows.append(("beside", f"weight in {self.beside}, which is not packed"))
        if self.serves is not msgspec.UNSET:
            rows.append(("meant for", f"{count(self.serves, 'weight')} of single experts, stored without scales"))
        return rows

    def remedy(self) -> Remedy:
        if self.serves is not msgspec.UNSET:
            return Remedy("split them among the experts, or quantise again: as they are no loader joins the two")
        return Remedy("leave them out, or rename them to the tensors they belong to")


class BiasFromPacking(Finding, frozen=True, kw_only=True):
    """Packed modules have biases that the model does not have.

    What it means
        AutoGPTQ and its relatives give every packed module a bias, of zeros where the model has none.

    Why it matters
        They are no parameters of the model; the file is a little larger.

    Example
        note[T621] bias-from-packing: 21 tensors (likely)
          families  model.layers.{layer}.mlp.down_proj.bias,
                    model.layers.{layer}.mlp.gate_proj.bias and 5 more
          stored    11,136 elements, 22,272 bytes

    What to do
        Nothing.
    """

    code = "T621"
    name = "bias-from-packing"
    severity = "note"

    families: tuple[str, ...]
    tensors: int
    elements: int
    bytes: int

    def headline(self) -> str:
        return count(self.tensors, "tensor")

    def rows(self) -> Rows:
        return [
            ("families", listed(self.families, 2)),
            ("stored", f"{number(self.elements)} elements, {number(self.bytes)} bytes"),
        ]


class CacheScalesStored(PackedModules, frozen=True, kw_only=True):
    """Scales for a quantised cache of keys and values are stored.

    What it means
        They belong to the runtime's cache, not to the weights.

    Why it matters
        They are no parameters; without a matching setting in the config loaders ignore them.

    Example
        note[T622] cache-scales-stored: model.layers.{layer}.self_attn.k_scale
          stored  k_scale, v_scale; 2 modules
          config  states no quantised cache

    What to do
        Nothing, or state the cache's quantisation in the config.
    """

    code = "T622"
    name = "cache-scales-stored"
    severity = "note"
    always_one = True

    helpers: tuple[str, ...]
    stated: bool | None

    def rows(self) -> Rows:
        rows = [("stored", f"{listed(self.helpers)}; {count(self.modules, 'module')}")]
        if not self.stated:
            rows.append(("config", "states no quantised cache"))
        return rows
