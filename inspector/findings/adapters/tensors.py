"""The tensors of an adapter compared with its config and its base."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, first, listed, number, shape


class AdapterSetting(Struct, frozen=True):
    """A key of adapter_config.json, its stated value, and the value that the stored tensors require."""

    key: str
    old: Any
    new: Any


class AdapterHalfMissing(Finding, frozen=True, kw_only=True):
    """An adapter module is incomplete.

    What it means
        A low-rank pair has its A but not its B, or the reverse; a DoRA module lacks its magnitudes.

    Why it matters
        The adapter adds the product of both matrices; with one of them missing it adds nothing, or random
        values.

    Example
        error[A902] adapter-half-missing:
          base_model.model.model.layers.7.self_attn.v_proj.lora_B.weight
          missing   1 of 32
          has       base_model.model.model.layers.{layer}.self_attn.v_proj.lora_A.weight
          expected  [1024, 16]
          help      download or save the adapter again

    What to do
        Download the adapter again, or save it again from the trained model.
    """

    code = "A902"

    present: str | None
    tensors: int
    of: int
    shape: tuple[int | None, ...] | None
    others: tuple[str, ...] = ()
    other_families: int = 0

    headline_text = "{place.name}"
    row_texts = (
        ("where", "{place.indices}, {tensors:count tensor}", "place.where"),
        ("missing", "{tensors} of {of}"),
        ("also", "{others:first other_families}", "others"),
        ("has", "{present}"),
        ("expected", "{shape:shape}", "shape"),
    )
    remedy_text = "download or save the adapter again"


class AdapterGateMissing(AdapterHalfMissing, frozen=True, kw_only=True):
    """A layer of an adapter has prompts and no gate.

    What it means
        Adaption prompts are added to the attention of a layer times a trained number, `adaption_gate`. It is not in
        the file.

    Why it matters
        PEFT loads the adapter without a word, with a gate of 0: the prompts of these layers have no effect.

    Example
        error[A943] adapter-gate-missing:
          base_model.model.model.layers.6.self_attn.adaption_gate
          missing   1 of 30
          has       base_model.model.model.layers.{layer}.self_attn.adaption_prompt
          expected  [1]
          help      download or save the adapter again

    What to do
        Download the adapter again, or save it again from the trained model.
    """

    code = "A943"


class AdapterRankDiffers(Finding, frozen=True, kw_only=True):
    """A low-rank matrix does not have the rank that the adapter's config states.

    What it means
        The matrices have another rank than `r`, or than the rank_pattern entry for this module.

    Why it matters
        Loading fails. If both matrices of a pair agree, the config is wrong; if not, a file is damaged.

    Example
        error[A903] adapter-rank-differs: r
          config   64
          weights  16, shown by 128 tensors
          help     set "r": 16 in adapter_config.json, if these are the trained weights

    What to do
        If all modules have this rank, correct `r` in adapter_config.json; if only one differs, download or save
        the adapter again.
    """

    code = "A903"

    expected: int | None
    stored: int
    tensors: int
    of: int
    key: str | None

    def headline(self) -> str:
        return str(self.place.key or self.place.tensor or self.place.family)

    def rows(self) -> Rows:
        if self.key:
            return [
                ("config", number(self.expected)),
                ("weights", f"{number(self.stored)}, shown by {count(self.tensors, 'tensor')}"),
            ]
        rows = [("stored", f"rank {number(self.stored)}"), ("expected", f"rank {number(self.expected)}")]
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", f"{self.place.indices}, {count(self.tensors, 'tensor')}"))
        return rows

    def remedy(self) -> Remedy:
        if self.key:
            words = f'set "r": {self.stored} in adapter_config.json, if these are the trained weights'
            step = Step(action="set", file="adapter_config.json", key=(self.key,), old=self.expected, new=self.stored)
            return Remedy(words, (step,))
        return Remedy("download or save the adapter again, or add this rank to rank_pattern if it is intended")


TRAINED_ROWS = "trainable_tokens_delta"
"""Ending of the rows that an adapter trains for single tokens."""
OF_METHOD = ("base_model.", "prompt_embeddings", "prefix_task_")
"""Beginnings of the names of prompts and of what all modules share."""


def _token_ids(tokens: int) -> str:
    """What to do about a list of tokens that does not fit their trained rows."""
    ids = f"the {count(tokens, 'id')} of the tokens that were trained"
    return f'set "trainable_token_indices" in adapter_config.json to {ids}'


class AdapterShapeDiffers(Finding, frozen=True, kw_only=True):
    """An adapter tensor does not fit the base model.

    What it means
        The dims of the base's module, computed from its config, do not match the adapter's matrices. A classifier that
        the adapter stores whole has a row for each label that it was trained with.

    Why it matters
        Loading fails, or the tensor is skipped.

    Example
        error[A904] adapter-shape-differs:
          base_model.model.model.layers.7.self_attn.v_proj.lora_B.weight
          stored    [4096, 16]
          expected  [1024, 16]
          base      llama
          help      download the adapter again, or use the base that it was trained on

    What to do
        Download the adapter again; if the error remains, it belongs to another base. Where only the labels of a
        classifier differ, pass their number to `from_pretrained` of the base.
    """

    code = "A904"

    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    tensors: int
    module: str
    base: str
    others: tuple[str, ...] = ()
    labels: int | None = None

    headline_text = "{place.name}"

    def rows(self) -> Rows:
        rows = [
            ("stored", shape(self.stored)),
            ("expected", shape(["any" if dim is None else dim for dim in self.expected])),
        ]
        if self.others:
            rows.insert(0, ("also", listed(self.others)))
        if self.base:
            rows.append(("base", self.base))
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", f"{self.place.indices}, {count(self.tensors, 'tensor')}"))
        return rows

    def remedy(self) -> Remedy:
        if self.labels is not None:
            return Remedy(f"build the base with num_labels={self.labels} before loading the adapter")
        if str(self.place.name).endswith(TRAINED_ROWS) and self.stored[1:] == self.expected[1:]:
            stated = f"it lists {count(self.expected[0] or 0, 'token')}"
            return Remedy(f"{_token_ids(self.stored[0])}, in the order of training: {stated}")
        other = "use the base that it was trained on" if self.base else "restore its adapter_config.json"
        return Remedy(f"download the adapter again, or {other}")


class AdapterTargetMissing(Finding, frozen=True, kw_only=True):
    """A target module has no tensors in the adapter.

    What it means
        The base has the module and the config targets it, but the adapter stores no tensor for it. Without the
        base, the other modules of its block and the layers around it show that it is lost. `stated` is false for a file
        of another tool, which has no config: all other blocks of the same kind have the module. `task` is that of the
        adapter, if PEFT trains the module as a whole for it.

    Why it matters
        Loaders initialize it to zero: the adapter works, but without part of its training.

    Example
        error[A905] adapter-target-missing: model.layers.7.self_attn.v_proj
          missing  2 tensors
          base     llama has this module
          help     download or save the adapter again, or remove the module from
                   adapter_config.json if it was not trained

    What to do
        Download the adapter again, or save it again from the trained model; if the module was never trained,
        remove it from the config. PEFT 0.21 leaves out layers of X-LoRA's network when it saves, those whose number
        is that of one of its LoRAs: take them from the state dict of the trained model, which has the same names.
    """

    code = "A905"

    modules: tuple[str, ...]
    count: int
    tensors: int
    base: str | None
    router: bool = False
    settings: tuple[AdapterSetting, ...] = ()
    stated: bool = True
    """False if the file has no config that states its targets."""
    task: str = ""
    """Task of the adapter for which PEFT trains the module as a whole, the head; "" for any other module."""

    headline_text = "{place.name}"

    def rows(self) -> Rows:
        where = f"{self.place.indices}, " if self.place.indices and not self.place.tensor else ""
        rows = [("missing", f"{where}{count(self.tensors, 'tensor')}")]
        if self.modules:
            rows.append(("of", listed(self.modules)))
        if self.base and self._is_of_module():
            rows.append(("base", f"{self.base} has this module"))
        if self.task:
            rows.append(("because", f'task_type "{self.task}" trains it as a whole'))
        if self.router:
            rows.append(("likely", "PEFT 0.21 does not save layers of X-LoRA's network that have the number of a LoRA"))
        return rows

    def remedy(self) -> Remedy:
        if self.router:
            return Remedy("add the layer to the file from the state dict of the trained model, under the same names")
        if self.task:
            return Remedy("save the adapter again from the trained model; if that is gone, train the head again")
        if not self.stated:
            return Remedy("download or save the adapter again, unless it was trained without this module")
        if not self._is_of_module():
            return Remedy("download or save the adapter again")
        other = "remove the module from adapter_config.json if it was not trained"
        if self.settings:
            words = " and ".join(f'"{one.key}": {json.dumps(one.new)}' for one in self.settings)
            other = f"set {words} in adapter_config.json if no more was trained"
        return Remedy(f"download or save the adapter again, or {other}")

    def _is_of_module(self) -> bool:
        """True for a module of the base; a prompt and what all modules share belong to the method itself."""
        return not str(self.place.name).startswith(OF_METHOD)


class AdapterModuleUnexpected(Finding, frozen=True, kw_only=True):
    """The adapter has tensors for modules that its config does not target.

    What it means
        The base has these modules, and the adapter stores their tensors, but `target_modules`, `layers_to_transform` or
        `rank_pattern` in adapter_config.json leave them out.

    Why it matters
        Loaders ignore these tensors; where the config targets no module of the base, PEFT refuses it.

    Example
        error[A906] adapter-module-unexpected: model.layers.{layer}.self_attn.v_proj
          stored   layers 0-31, 64 tensors, 2,621,440 elements
          because  not what adapter_config.json asks for
          help     set "target_modules": ["q_proj", "v_proj"] in adapter_config.json, if
                   these are the trained weights

    What to do
        Restore the adapter_config.json of the training run, or set the modules whose tensors are stored.
    """

    code = "A906"

    module: str
    tensors: int
    elements: int
    known: bool
    modules: tuple[str, ...] = ()
    count: int = 1
    settings: tuple[AdapterSetting, ...] = ()
    rows_of_tokens: int = 0
    """The number of trained rows, if the tensors are rows of single tokens."""
    parameters: tuple[str, ...] = ()
    """The parameters of the module that a LoRA can change as such."""

    def headline(self) -> str:
        if self.count > 1 and not (self.modules and self.place.family):
            return f"{number(self.count)} modules"
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        where = f"{self.place.indices}, " if self.place.indices and not self.place.tensor else ""
        why = "not what adapter_config.json asks for" if self.known else "the base has no such module"
        if any(isinstance(one.old, list) and isinstance(one.new, str) for one in self.settings):
            why = "an expression in a list: PEFT reads the entries as ends of names, and only a text as an expression"
        stored = f"{where}{count(self.tensors, 'tensor')}, {count(self.elements, 'element')}"
        rows = [("stored", stored), ("because", why)]
        if any(one.key == "use_dora" for one in self.settings):
            rows.insert(0, ("what", "the magnitude vectors of DoRA, in addition to lora_A and lora_B"))
        if self.modules:
            rows.insert(1, ("of", first(self.modules, self.count)))
        return rows

    def remedy(self) -> Remedy:
        if self.rows_of_tokens:
            return Remedy(f"{_token_ids(self.rows_of_tokens)}: the file does not state them")
        if self.parameters:
            such = listed([json.dumps(one) for one in self.parameters])
            return Remedy(f'list the trained parameters in "target_parameters" of adapter_config.json: of {such}')
        if not self.settings:
            return Remedy("compare adapter_config.json and the base with those of the training run")
        words = " and ".join(f'set "{one.key}": {json.dumps(one.new)}' for one in self.settings)
        steps = tuple(
            Step(action="set", file="adapter_config.json", key=(one.key,), old=one.old, new=one.new)
            for one in self.settings
        )
        return Remedy(f"{words} in adapter_config.json, if these are the trained weights", steps)


class AdapterVocabularyDiffers(Finding, frozen=True, kw_only=True):
    """The adapter's vocabulary size differs from its base's.

    What it means
        Tokens were added or removed before the adapter was trained.

    Why it matters
        PEFT refuses the base until its embeddings are resized.

    Example
        error[A913] adapter-vocabulary-differs: 128,264 rows, the base has 128,256
          in    1 tensor
          help  call resize_token_embeddings(128264) on the base before loading the
                adapter

    What to do
        Call `resize_token_embeddings` on the base with this number, and use the adapter's tokenizer. If the base has
        more rows, it may not be the one of the training: resized to fewer rows, it loses the last ones in memory.
    """

    code = "A913"

    stored: tuple[int, ...]
    expected: int | None
    tensors: int

    row_texts = (("in", "{tensors:count tensor}"),)

    def headline(self) -> str:
        return f"{listed([number(size) for size in self.stored])} rows, the base has {number(self.expected)}"

    def remedy(self) -> Remedy:
        if len(self.stored) > 1:
            return Remedy("resize each table of the base to the rows that the adapter has, before loading the adapter")
        (rows,) = self.stored
        resize = f"call resize_token_embeddings({rows}) on"
        if self.expected is not None and rows < self.expected:
            lost = number(self.expected - rows)
            return Remedy(f"use the base of the training, or {resize} this one, which drops its last {lost} rows")
        return Remedy(f"{resize} the base before loading the adapter")
