"""What an adapter is, and what it belongs to."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number, shape


class ShapeExample(msgspec.Struct, frozen=True):
    """A tensor with the shape it has and the one its base asks for; None where any will do."""

    tensor: str | None
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]


class Adapter(Finding, frozen=True, kw_only=True):
    """The weights are an adapter, not a model.

    What it means
        adapter_config.json describes it, and the names are an adapter's. Its parameters are counted by
        themselves.

    Why it matters
        It does nothing without its base model, whose parameters are not in this count.

    Example
        note[A901] adapter: lora of rank 16
          base  meta-llama/Meta-Llama-3-8B

    What to do
        Nothing; audit the base as well.
    """

    code = "A901"
    name = "adapter"
    severity = "note"

    type: str
    base: str | None
    rank: Any
    tensors: int

    def headline(self) -> str:
        rank = f" of rank {self.rank}" if isinstance(self.rank, int) and self.rank > 0 else ""
        return f"{self.type}{rank}"

    def rows(self) -> Rows:
        return [("base", self.base)] if self.base else []


class AdapterBaseDiffers(Finding, frozen=True, kw_only=True):
    """The adapter was not trained on this base.

    What it means
        Most of its matrices do not fit the base's widths.

    Why it matters
        It cannot be loaded on this base.

    Example
        error[A907] adapter-base-differs: this base (llama) is not the adapter's
          differ    96 of 128 tensors in shape
          such as   base_model.model.model.layers.{layer}.self_attn.q_proj.lora_A.weight
          stored    [16, 4096]
          expected  [16, 8192]
          help      name the base that it was trained on: adapter_config.json has it as
                    base_model_name_or_path

    What to do
        Load it on the base that its config names.
    """

    code = "A907"
    name = "adapter-base-differs"

    base: str
    source: str
    tensors: int
    of: int
    example: ShapeExample | None

    def headline(self) -> str:
        return f"this base ({self.base}) is not the adapter's"

    def rows(self) -> Rows:
        rows = [
            ("differ", f"{number(self.tensors)} of {count(self.of, 'tensor')} in shape"),
        ]
        if self.example is None:
            return rows
        return [
            *rows,
            ("such as", str(self.example.tensor)),
            ("stored", shape(self.example.stored)),
            ("expected", shape(["any" if dim is None else dim for dim in self.example.expected])),
        ]

    def remedy(self) -> Remedy:
        return Remedy("name the base that it was trained on: adapter_config.json has it as base_model_name_or_path")


class AdapterTargetUnnamed(Finding, frozen=True, kw_only=True):
    """The adapter's config lists a target that no tensor is named after.

    What it means
        target_modules has a name with which no module of the adapter ends.

    Why it matters
        Either the base has no such module, which is harmless, or its tensors were lost. The base tells which.

    Example
        note[A908] adapter-target-unnamed: down_proj
          listed  1 of 3 target_modules have no tensor
          help    audit it with --base: whether the base has such a module decides

    What to do
        Audit the adapter with its base: `inspector audit ADAPTER --base BASE`.
    """

    code = "A908"
    name = "adapter-target-unnamed"
    severity = "note"

    targets: tuple[str, ...]
    count: int
    of: int

    def headline(self) -> str:
        return listed(self.targets)

    def rows(self) -> Rows:
        return [("listed", f"{number(self.count)} of {number(self.of)} target_modules have no tensor")]

    def remedy(self) -> Remedy:
        return Remedy("audit it with --base: whether the base has such a module decides")


class AdapterNotMerged(Finding, frozen=True, kw_only=True):
    """The weights are a whole model in which an adapter still hangs.

    What it means
        A model was saved while PEFT's layers were around its own: names have `base_layer` and `lora_A` in them.

    Why it matters
        Loaders of the plain model find none of the wrapped matrices and start them at random.

    Example
        error[A910] adapter-not-merged: lora around 32 modules, not merged
          base     291 tensors of the model, 8,030,261,248 elements
          adapter  64 tensors, 4,194,304 elements
          such as  model.layers.0.self_attn.q_proj.base_layer.weight
          help     call model.merge_and_unload() before save_pretrained, or save the
                   adapter by itself

    What to do
        Load the model with its adapter, call `merge_and_unload()`, and save what it returns; or save the adapter by
        itself.
    """

    code = "A910"
    name = "adapter-not-merged"

    type: str | None
    modules: int
    tensors: int
    elements: int
    base_tensors: int
    base_elements: int
    example: str

    def headline(self) -> str:
        return f"{self.type} around {count(self.modules, 'module')}, not merged"

    def rows(self) -> Rows:
        return [
            ("base", f"{count(self.base_tensors, 'tensor')} of the model, {number(self.base_elements)} elements"),
            ("adapter", f"{count(self.tensors, 'tensor')}, {number(self.elements)} elements"),
            ("such as", self.example),
        ]

    def remedy(self) -> Remedy:
        return Remedy("call model.merge_and_unload() before save_pretrained, or save the adapter by itself")


class AdapterBesideWeights(Finding, frozen=True, kw_only=True):
    """adapter_config.json is beside the weights of a whole model.

    What it means
        The weights are a model's, not an adapter's. Whether the adapter was merged into them headers cannot tell.

    Why it matters
        transformers with PEFT installed sees adapter_config.json first, loads the base that it names instead of these
        weights, and then looks for the adapter.

    Example
        note[A911] adapter-beside-weights: an adapter for meta-llama/Meta-Llama-3-8B
          weights  a whole model; headers cannot tell whether the adapter was merged
                   into it
          help     move adapter_config.json away if the weights are merged: loaders with
                   PEFT take the base it names instead

    What to do
        If the weights are merged, move adapter_config.json away; if not, keep the adapter in a folder of its own.
    """

    code = "A911"
    name = "adapter-beside-weights"
    severity = "note"

    base: str | None
    adapter_file: str | None

    def headline(self) -> str:
        return f"an adapter for {self.base}" if self.base else "an adapter's config"

    def rows(self) -> Rows:
        rows = [("weights", "a whole model; headers cannot tell whether the adapter was merged into it")]
        if self.adapter_file:
            rows.append(("adapter", f"{self.adapter_file} lies here too, and is not in these counts"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy(
            "move adapter_config.json away if the weights are merged: loaders with PEFT take the base it names instead"
        )


class AdapterBaseUnread(Finding, frozen=True, kw_only=True):
    """The base of the adapter could not be read.

    What it means
        It was asked for, and what would follow from it is not checked.

    Why it matters
        Shapes and targets of the adapter are not checked against anything.

    Example
        note[A912] adapter-base-unread: org/base
          because  repository-not-found: there is no org/base
          help     name the base with --base: a folder, a config.json or a repository

    What to do
        Name a base that can be read: a folder, a config.json, a repository.
    """

    code = "A912"
    name = "adapter-base-unread"
    severity = "note"

    source: str
    because: str

    def headline(self) -> str:
        return self.source

    def rows(self) -> Rows:
        return [("because", self.because)]

    def remedy(self) -> Remedy:
        return Remedy("name the base with --base: a folder, a config.json or a repository")


class AdapterNamesUnknown(Finding, frozen=True, kw_only=True):
    """Modules of the adapter have names that the definition of the base does not have.

    What it means
        The adapter names modules as the base was called in memory when it was trained. The definition has no
        such names: the base may have them all the same, under others, or it is another base.

    Why it matters
        What is there is not checked against the base, and nothing that seems to be missing is reported.

    Example
        note[A914] adapter-names-unknown: 1 of 2 module families are not in the
          definition of llama
          names  model.layers.{layer}.attention.query

    What to do
        Nothing if the base is the adapter's own; otherwise name the base that it was trained on.
    """

    code = "A914"
    name = "adapter-names-unknown"
    severity = "note"

    base: str
    names: tuple[str, ...]
    modules: int
    of: int

    def headline(self) -> str:
        return f"{number(self.modules)} of {number(self.of)} module families are not in the definition of {self.base}"

    def rows(self) -> Rows:
        return [("names", listed(self.names, 3))]
