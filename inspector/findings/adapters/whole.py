"""The kind of an adapter, and the base that it belongs to."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from inspector.findings.adapters.tensors import AdapterSetting
from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, first, listed, number, shape


class ShapeExample(msgspec.Struct, frozen=True):
    """A tensor with its stored shape and the shape that fits the base; None for a dim of any size."""

    tensor: str | None
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]


class RankOf(msgspec.Struct, frozen=True):
    """A rank, and the number of modules with it."""

    rank: int
    modules: int


class ModulesOf(msgspec.Struct, frozen=True):
    """The number of changed modules in a component of a pipeline; "" if the names state no component."""

    component: str
    modules: int


class Adapter(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The weights are an adapter, not a model.

    What it means
        The tensor names are an adapter's. Its parameters are counted separately. Where there is no
        adapter_config.json, the names show the method, the tool that writes such names, the ranks and the changed
        modules. `alpha` divided by the rank is the scale; files of image models store it with each module, and its
        value is not read.

    Why it matters
        It needs its base model, whose parameters are not included in this count.

    Example
        note[A901] adapter: lora of rank 16
          base  meta-llama/Meta-Llama-3-8B

    What to do
        Nothing; audit the base as well.
    """

    code = "A901"
    severity = "note"

    type: str
    base: str | None
    rank: Any
    tensors: int
    alpha: int | float | None = None
    scale: float | None = None
    writer: str = ""
    ranks: tuple[RankOf, ...] = ()
    targets: tuple[ModulesOf, ...] = ()
    scaled: int = 0
    images: int = 0
    """Width of the image vectors that an IP-Adapter reads."""
    loaded_by: str = ""
    """The call of diffusers that adds it to a pipeline of its base, for vectors and for a LoRA that diffusers saved."""

    def headline(self) -> str:
        rank = f" of rank {self.rank}" if isinstance(self.rank, int) and self.rank > 0 else ""
        return f"{self.type}{rank}"

    def rows(self) -> Rows:
        rows = [("base", self.base)] if self.base else []
        if self.writer:
            rows.append(("names", f"as {self.writer} writes them"))
        if self.targets:
            rows.append(("targets", "; ".join(map(_modules_in, self.targets))))
        if self.images:
            rows.append(("images", f"vectors of {self.images:,} numbers, which the image encoder must give"))
        if len(self.ranks) > 1:
            listed_ranks = [f"{one.rank} in {count(one.modules, 'module')}" for one in self.ranks]
            rows.append(("ranks", listed(listed_ranks, 6)))
        if self.alpha is not None and self.scale is not None:
            rows.append(("alpha", f"{self.alpha:g}, which scales by {self.scale:.4g}"))
        if self.scaled:
            rows.append(("alpha", f"stored for {count(self.scaled, 'module')}; its value is not read"))
        if self.loaded_by:
            rows.append(("loaded by", f"{self.loaded_by} of diffusers, on a pipeline of its base"))
        return rows


def _modules_in(target: ModulesOf) -> str:
    modules = count(target.modules, "module")
    return f"{target.component}: {modules}" if target.component else modules


class AdapterBaseDiffers(Finding, frozen=True, kw_only=True):
    """The adapter was not trained on this base.

    What it means
        Most of its matrices do not fit the dims of the base. The widths say what the adapter's own base has instead.

    Why it matters
        It cannot be loaded on this base.

    Example
        error[A907] adapter-base-differs: the adapter does not fit base llama
          differ    96 of 128 tensors in shape
          such as   base_model.model.model.layers.{layer}.self_attn.q_proj.lora_A.weight
          stored    [16, 4096]
          expected  [16, 8192]
          widths    4096 instead of 8192
          help      use the base that base_model_name_or_path in adapter_config.json
                    names, or, if it names this one, the base with a width of 4096 that
                    the adapter was trained on

    What to do
        Use the base that its config names.
    """

    code = "A907"

    base: str
    source: str
    tensors: int
    of: int
    example: ShapeExample | None
    named: bool = True
    widths: tuple[tuple[int, int], ...] = ()
    given: bool = False
    encoder: str = ""
    """The key of an image encoder's config with the width that the adapter reads; "" for the other parts of a base."""
    model: str = ""
    """The published model that the widths of the adapter show, if the base's show another one."""

    headline_text = "the adapter does not fit base {base}"

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
            *(
                [("widths", ", ".join(f"{own} instead of {other}" for own, other in self.widths))]
                if self.widths
                else ()
            ),
        ]

    def remedy(self) -> Remedy:
        if self.encoder:
            own = "".join(str(width) for width, _ in self.widths[:1])
            return Remedy(f"use the image encoder that the adapter was trained with: its {self.encoder} is {own}")
        if not self.named:
            return Remedy(f"use the base that the adapter was trained on{f', {self.model}' if self.model else ''}")
        if self.given:
            words = "use the base that the adapter was trained on: base_model_name_or_path in adapter_config.json names"
            return Remedy(f"{words} this one, which it does not fit")
        words = "use the base that base_model_name_or_path in adapter_config.json names"
        own = f" with a width of {self.widths[0][0]}" if self.widths else ""
        return Remedy(f"{words}, or, if it names this one, the base{own} that the adapter was trained on")


class BaseThatDiffers(msgspec.Struct, frozen=True):
    """A base that does not fit, with the first finding that shows it."""

    base: str
    because: str


class AdapterBasesCompared(Finding, frozen=True, kw_only=True):
    """Several bases were given, and the adapter was compared with each.

    What it means
        An adapter fits a base where the base has all its modules in the shapes that its matrices need. The report is
        that of the first base that fits, or of the one with the fewest errors.

    Why it matters
        Models of one family often share their names, and an adapter may fit the shapes of several.

    Example
        note[A929] adapter-bases-compared: fits 1 of 2 bases
          fits  llama-3-8b
          not   llama-3-70b (adapter-base-differs: the adapter does not fit base llama)

    What to do
        Use a base that fits.
    """

    code = "A929"
    severity = "note"

    fits: tuple[str, ...]
    others: tuple[BaseThatDiffers, ...]

    def headline(self) -> str:
        return f"fits {len(self.fits):,} of {count(len(self.fits) + len(self.others), 'base')}"

    def rows(self) -> Rows:
        others = [f"{one.base} ({one.because})" for one in self.others]
        fits = [("fits", first(self.fits, len(self.fits), 3))] if self.fits else []
        return [*fits, *((("not", first(others, len(others), 3)),) if others else ())]


class AdapterTargetUnnamed(Finding, frozen=True, kw_only=True):
    """A target in the adapter's config matches no tensor.

    What it means
        No module of the adapter ends with this entry of target_modules.

    Why it matters
        Either the base has no such module, which is harmless, or its tensors were lost.

    Example
        note[A908] adapter-target-unnamed: down_proj
          listed  1 of 3 target_modules have no tensor
          help    audit it with --base to see whether the base has this module

    What to do
        Audit the adapter with its base: `inspector audit ADAPTER --base BASE`.
    """

    code = "A908"
    severity = "note"

    targets: tuple[str, ...]
    count: int
    of: int

    headline_text = "{targets:listed}"
    row_texts = (("listed", "{count} of {of} target_modules have no tensor"),)
    remedy_text = "audit it with --base to see whether the base has this module"


class AdapterBaseUnread(Finding, frozen=True, kw_only=True):
    """The base of the adapter could not be read.

    What it means
        The requested base could not be read, so the adapter was audited without it.

    Why it matters
        Shapes and targets of the adapter are not checked.

    Example
        note[A912] adapter-base-unread: org/base
          because  repository-not-found: there is no org/base
          help     pass --base with a folder, a config.json or a repository

    What to do
        Pass a base that can be read: a folder, a config.json or a repository.
    """

    code = "A912"
    severity = "note"

    source: str
    because: str

    headline_text = "{source}"
    row_texts = (("because", "{because}"),)
    remedy_text = "pass --base with a folder, a config.json or a repository"


class AdapterNamesUnknown(Finding, frozen=True, kw_only=True):
    """The adapter targets modules that this base architecture does not define.

    What it means
        The adapter uses the module names of the model in memory during training. The architecture definition
        has no such names: either the base (a model with submodels, or code of its repository) uses other names, or
        this is another base.

    Why it matters
        These modules are not checked against the base, and missing ones are not reported.

    Example
        note[A914] adapter-names-unknown: 1 of 2 module families are not in the
          definition of llama
          names  model.layers.{layer}.attention.query

    What to do
        Nothing if this is the right base; otherwise pass the base that it was trained on.
    """

    code = "A914"
    severity = "note"

    base: str
    names: tuple[str, ...]
    modules: int
    of: int

    headline_text = "{modules} of {of} module families are not in the definition of {base}"
    row_texts = (("names", "{names:listed 3}"),)


class AdapterSettingDiffers(Finding, frozen=True, kw_only=True):
    """A setting in adapter_config.json does not match the stored tensors.

    What it means
        The names and shapes of the tensors fit the base if one setting has another value, and do not fit with
        the stated value.

    Why it matters
        PEFT and mlx-lm create the modules that the config describes. They refuse the adapter, or its modules
        stay randomly initialized.

    Example
        error[A942] adapter-setting-differs: peft_type
          config   "IA3"
          weights  "LORA", shown by 128 tensors
          help     restore the adapter_config.json of the training run, with
                   "peft_type": "LORA": its scale is not stored

    What to do
        Restore the adapter_config.json of the training run, or set the value.
    """

    code = "A942"

    settings: tuple[AdapterSetting, ...]
    tensors: int

    headline_text = "{place.key}"

    def rows(self) -> Rows:
        """The stated value, and the value by the tensors."""
        first = self.settings[0]
        shown = f"{json.dumps(first.new)}, shown by {count(self.tensors, 'tensor')}"
        return [("config", json.dumps(first.old)), ("weights", shown)]

    def remedy(self) -> Remedy:
        words = ", ".join(f'"{one.key}": {json.dumps(one.new)}' for one in self.settings)
        if self.settings[0].key == "peft_type":
            scaled = ": its scale is not stored" if self.settings[0].new == "LORA" else ""
            return Remedy(f"restore the adapter_config.json of the training run, with {words}{scaled}")
        steps = tuple(
            Step(action="set", file="adapter_config.json", key=tuple(one.key.split(".")), old=one.old, new=one.new)
            for one in self.settings
        )
        return Remedy(f"set {words} in adapter_config.json", steps)
