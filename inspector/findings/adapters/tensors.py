"""The tensors of an adapter, by its config and its base."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed, number, shape


class AdapterHalfMissing(Finding, frozen=True, kw_only=True):
    """A module of an adapter has one of its tensors and not the other.

    What it means
        A low-rank pair has its A and not its B, or the reverse; a module with DoRA lacks its magnitudes.

    Why it matters
        The product of the two is what the adapter adds; with one of them it is nothing, or random.

    Example
        error[A902] adapter-half-missing:
          base_model.model.model.layers.7.self_attn.v_proj.lora_B.weight
          missing   1 of 32
          beside    base_model.model.model.layers.{layer}.self_attn.v_proj.lora_A.weight
          expected  [1024, 16]
          help      fetch or save the adapter again

    What to do
        Fetch the adapter again, or save it again from the trained model.
    """

    code = "A902"
    name = "adapter-half-missing"

    present: str | None
    tensors: int
    of: int
    shape: tuple[int | None, ...] | None

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        rows = [("missing", f"{number(self.tensors)} of {number(self.of)}"), ("beside", str(self.present))]
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", f"{self.place.indices}, {count(self.tensors, 'tensor')}"))
        if self.shape:
            rows.append(("expected", shape(self.shape)))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("fetch or save the adapter again")


class AdapterRankDiffers(Finding, frozen=True, kw_only=True):
    """A low-rank matrix has another rank than the adapter's config says.

    What it means
        `r`, or the key of rank_pattern that fits the module, is not what the matrices have.

    Why it matters
        Loading fails on the shapes; where both halves agree the config is wrong, where they differ a file is.

    Example
        error[A903] adapter-rank-differs: r
          config   64
          weights  16, shown by 128 tensors
          help     set "r": 16 in adapter_config.json, if these are the weights that
                   were trained

    What to do
        Where all modules share the rank, correct `r` in adapter_config.json; where one differs, fetch or save the
        adapter again.
    """

    code = "A903"
    name = "adapter-rank-differs"

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
            words = f'set "r": {self.stored} in adapter_config.json, if these are the weights that were trained'
            step = Step(action="set", file="adapter_config.json", key=(self.key,), old=self.expected, new=self.stored)
            return Remedy(words, (step,))
        return Remedy("fetch or save the adapter again, or name this rank in rank_pattern if it was trained so")


class AdapterShapeDiffers(Finding, frozen=True, kw_only=True):
    """A tensor of the adapter does not fit its module of the base.

    What it means
        The widths of the base's module, from its config, and the adapter's matrices do not go together.

    Why it matters
        Loading fails, or the tensor is left out.

    Example
        error[A904] adapter-shape-differs:
          base_model.model.model.layers.7.self_attn.v_proj.lora_B.weight
          stored    [4096, 16]
          expected  [1024, 16]
          base      llama
          help      fetch the adapter again, or load it on the base that it was trained
                    on

    What to do
        Fetch the adapter again; if it was trained so, it belongs to another base.
    """

    code = "A904"
    name = "adapter-shape-differs"

    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    tensors: int
    module: str
    base: str

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        rows = [
            ("stored", shape(self.stored)),
            ("expected", shape(["any" if dim is None else dim for dim in self.expected])),
            ("base", self.base),
        ]
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", f"{self.place.indices}, {count(self.tensors, 'tensor')}"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("fetch the adapter again, or load it on the base that it was trained on")


class AdapterTargetMissing(Finding, frozen=True, kw_only=True):
    """A module that the adapter's config targets has no tensor in the adapter.

    What it means
        The base has the module, the config chooses it, and nothing of it is stored.

    Why it matters
        Loaders start it at zero: the adapter works, and does less than what was trained.

    Example
        error[A905] adapter-target-missing: model.layers.7.self_attn.v_proj
          missing  2 tensors
          base     llama, which has it
          help     fetch or save the adapter again, or take the module out of
                   adapter_config.json if it was not trained

    What to do
        Fetch the adapter again, or save it again from the trained model; if the module was never trained, take it
        out of the config.
    """

    code = "A905"
    name = "adapter-target-missing"

    modules: tuple[str, ...]
    count: int
    tensors: int
    base: str | None

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        where = f"{self.place.indices}, " if self.place.indices and not self.place.tensor else ""
        rows = [("missing", f"{where}{count(self.tensors, 'tensor')}")]
        if self.modules:
            rows.append(("of", listed(self.modules)))
        if self.base:
            rows.append(("base", f"{self.base}, which has it"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy(
            "fetch or save the adapter again, or take the module out of adapter_config.json if it was not trained"
        )


class AdapterModuleUnexpected(Finding, frozen=True, kw_only=True):
    """The adapter stores tensors for a module that it has no use for.

    What it means
        The base has no such module, or the adapter's config does not target it.

    Why it matters
        Loaders leave these tensors out.

    Example
        warning[A906] adapter-module-unexpected: model.layers.{layer}.self_attn.v_proj
          stored   layers 0-31, 64 tensors, 2,621,440 elements
          because  not a target there by adapter_config.json
          help     compare adapter_config.json and the base with those of the training
                   run

    What to do
        Compare adapter_config.json and the base with those of the training run.
    """

    code = "A906"
    name = "adapter-module-unexpected"
    severity = "warning"

    module: str
    tensors: int
    elements: int
    known: bool

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        where = f"{self.place.indices}, " if self.place.indices and not self.place.tensor else ""
        why = "not a target there by adapter_config.json" if self.known else "the base has no such module"
        stored = f"{where}{count(self.tensors, 'tensor')}, {count(self.elements, 'element')}"
        return [("stored", stored), ("because", why)]

    def remedy(self) -> Remedy:
        return Remedy("compare adapter_config.json and the base with those of the training run")


class AdapterLayerOdd(Finding, frozen=True, kw_only=True):
    """A few layers lack a module that all others of the adapter have.

    What it means
        Without its base the layers of an adapter are compared with each other: some inner ones have no tensor of a
        module that the rest has.

    Why it matters
        The adapter does nothing there, and loaders do not say so.

    Example
        warning[A909] adapter-layer-odd: model.layers.7.self_attn.v_proj (likely)
          missing  layer 7
          others   31 of 32 layers have it
          help     audit it with --base; fetch or save the adapter again if the base has
                   the module there

    What to do
        Audit the adapter with its base; fetch or save it again if the base has the module there.
    """

    code = "A909"
    name = "adapter-layer-odd"
    severity = "warning"

    module: str | None
    modules: int
    agreeing: int
    siblings: int
    layers: str

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        return [
            ("missing", self.layers),
            ("others", f"{number(self.agreeing)} of {number(self.siblings)} layers have it"),
        ]

    def remedy(self) -> Remedy:
        return Remedy("audit it with --base; fetch or save the adapter again if the base has the module there")


class AdapterVocabularyDiffers(Finding, frozen=True, kw_only=True):
    """The adapter has another number of words than its base.

    What it means
        Its tables are longer or shorter than the base's: words were added before it was trained.

    Why it matters
        Loading fails until the base's embeddings are resized.

    Example
        note[A913] adapter-vocabulary-differs: 128,264 words, the base has 128,256
          shown by  1 tensor
          help      resize the base's embeddings to this number before loading the
                    adapter

    What to do
        Call `resize_token_embeddings` on the base, with the adapter's tokenizer, before loading the adapter.
    """

    code = "A913"
    name = "adapter-vocabulary-differs"
    severity = "note"

    stored: tuple[int, ...]
    expected: int | None
    tensors: int

    def headline(self) -> str:
        return f"{listed([number(size) for size in self.stored])} words, the base has {number(self.expected)}"

    def rows(self) -> Rows:
        return [("shown by", count(self.tensors, "tensor"))]

    def remedy(self) -> Remedy:
        return Remedy("resize the base's embeddings to this number before loading the adapter")
