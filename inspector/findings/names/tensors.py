"""Findings on missing, unexpected and renamed tensors."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.names.own_readers import reader_of
from inspector.findings.role_words import label
from inspector.findings.words import complete_as, count, listed, number, of_other_type, restored, shape

GGUF_TABLE = "token_embd.weight"
"""The name of the table in GGUF, where no key states a tie."""
UNEXPLAINED = "unexplained"
"""The role of a tensor without a definition."""


class TensorMissing(ContentFinding, frozen=True, kw_only=True):
    """A required tensor is missing.

    What it means
        The architecture, with this config, requires a tensor that no file contains, although the rest of its
        layer is stored.

    Why it matters
        Loaders fill it with random values, most of them with only a warning in the log.

    Example
        error[N403] tensor-missing: model.layers.17.self_attn.k_proj.weight
          role      attention key
          expected  [1024, 4096]
          missing   1 tensor of 32, 4,194,304 parameters
          help      no file contains this tensor: take it from the original checkpoint,
                    or repair the conversion or the save that left it out

    What to do
        Copy the tensor from the checkpoint that was converted, trained or downloaded. The files are complete without
        it, so that the same download has it no more, and a conversion that dropped it does so again: repair it first.
    """

    code = "N403"

    names: tuple[str, ...]
    families: tuple[str, ...]
    tensors: int
    parameters: int
    shape: tuple[int | None, ...]
    role: str
    expected_tensors: int
    counted: bool
    complete_as: tuple[str, ...] = ()
    """The model types under which the same config gives the name and the shape of every stored tensor."""
    head: str = ""
    """The stored head with the shape of a missing table: of two tied matrices a writer may keep this one."""
    computed: bool = False
    """True for tables of positions that transformers computes, stored or not."""
    left_out: tuple[str, ...] = ()
    """Files that the numbers in the names of the others leave out."""

    headline_text = "{place.name}"

    @property
    def is_everywhere(self) -> bool:
        """True if no module of the model has these tensors."""
        return self.tensors == self.expected_tensors * len(self.families)

    @property
    def those(self) -> str:
        """The tensors in the remedy."""
        return "this tensor" if self.tensors == 1 else "these tensors"

    @property
    def them(self) -> str:
        """The tensors in the remedy, named before."""
        return "it" if self.tensors == 1 else "them"

    def rows(self) -> Rows:
        rows = [("role", label(self.role))] if self.role != UNEXPLAINED else []
        if self.shape or self.parameters or not self.counted:  # otherwise the reader needs it, whatever its shape
            rows.append(("expected", shape(self.shape)))
        rows.append(("missing", self._missing()))
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", self.place.indices))
        if len(self.families) > 1:
            single = len(self.names) == len(self.families) == self.tensors
            rows.append(("also", listed((self.names if single else self.families)[1:])))
        if self.head:
            rows.append(("or", f"{self.head} is this table, if the model ties both"))
        if self.computed:
            rows.append(("loader", "transformers computes the values that the original has; other programs read them"))
        return [*rows, ("or", complete_as(self.complete_as))] if self.complete_as else rows

    def remedy(self) -> Remedy:
        again = super().remedy().words or restored(self.tensors, self.left_out)
        if self.computed:
            saved = f"load it with transformers and save it again, which writes {self.them}"
            return Remedy(f"{saved}, or copy {self.them} from the original")
        if self.head:
            tied = "" if self.place.name == GGUF_TABLE else ' and set "tie_word_embeddings": true'
            return Remedy(f"if the model ties both, rename {self.head} to {self.place.name}{tied}; else {again}")
        return Remedy(f"{again}; {of_other_type(self.complete_as)}" if self.complete_as else again)

    def _missing(self) -> str:
        words = f"{count(self.tensors, 'tensor')} of {number(self.expected_tensors * len(self.families))}"
        if not self.counted:
            return f"{words}, 0 parameters: a buffer"
        return f"{words}, {number(self.parameters)} parameters" if self.parameters else words

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """Milder for a buffer that the class computes itself."""
        return BufferMissing(**self.stated_fields()) if outcome == "complete" and not self.counted else self


class BufferMissing(TensorMissing, frozen=True, kw_only=True):
    """A buffer is missing that its loader fills with the values of a new model.

    What it means
        The architecture has a buffer that no file contains. The loader that the checkpoint is made for makes it anew,
        with the values that it has before training, and reports nothing.

    Why it matters
        Marian models have a `final_logits_bias` with numbers of their own; without it they answer otherwise. In BART
        and its kin it is zero, and nothing is lost.

    Example
        warning[N436] buffer-missing: final_logits_bias
          role      head bias
          expected  [1, 107]
          missing   1 tensor of 1, 0 parameters: a buffer
          help      copy this tensor from the original, unless it had the values of a
                    new model

    What to do
        Take it from the original checkpoint if it had other values than those of a new model.
    """

    code = "N436"
    severity = "warning"

    remedy_text = "copy {those} from the original, unless {them} had the values of a new model"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return self


class BuffersMissing(ContentFinding, frozen=True, kw_only=True):
    """Every parameter is stored, and no buffer.

    What it means
        The running mean and variance of batch norms, or other buffers that training fills, are missing altogether: the
        save went over `named_parameters()`, which leaves them out.

    Why it matters
        Loaders leave them at their initial values, and the model computes other numbers.

    Example
        error[N461] buffers-missing: 58 tensors: running_mean, running_var
          such as  resnet.embedder.embedder.normalization.running_mean
          stored   118 tensors: every parameter
          help     save the whole model.state_dict() again: parameters alone do not
                   determine these values

    What to do
        Save `state_dict()` of the trained model again, or download the original.
    """

    code = "N461"

    tensors: int
    kinds: tuple[str, ...]
    example: str
    stored: int

    def headline(self) -> str:
        return f"{count(self.tensors, 'tensor')}: {listed(self.kinds, 4)}"

    def rows(self) -> Rows:
        return [("such as", self.example), ("stored", f"{count(self.stored, 'tensor')}: every parameter")]

    def remedy(self) -> Remedy:
        return Remedy("save the whole model.state_dict() again: parameters alone do not determine these values")


def of_module(module: str, name: str) -> Remedy:
    """The remedy for tensors of a further module of a sentence encoder in the file of its model. name: a stored one."""
    inner = name.removeprefix(f"{module}.")
    words = f"keep it: it is trained, and belongs to module {module} of the sentence encoder. Save {name} as {inner} in"
    return Remedy(f"{words} the weights of the folder that modules.json has for this module, in place of those there")


class TensorUnexpected(ContentFinding, frozen=True, kw_only=True):
    """Unexpected tensor: the architecture does not define it.

    What it means
        The architecture, with this config, has no tensor of this name or number.

    Why it matters
        Loaders ignore it: it takes space, and may indicate a renamed module, training state or another model.

    Example
        warning[N405] tensor-unexpected: model.layers.3.self_attn.k_norm.weight
          stored  [128] BF16, 1 tensor, 128 elements, 256 bytes
          help    not counted as a parameter; remove it if nothing reads it

    What to do
        Find out which program wrote it. If nothing reads it, remove it.
    """

    code = "N405"
    severity = "warning"

    tensors: int
    elements: int
    bytes: int
    shape: tuple[int, ...]
    dtype: str
    names: tuple[str, ...]
    present_name: str = ""
    """The name that the architecture has today for this tensor, which is not stored; "" if it has none."""
    module: str = ""
    """The number of the module of a sentence encoder that has this tensor; "" for any other tensor."""
    known_to: str = ""
    """A type that has this tensor and all others; "" without one."""

    headline_text = "{place.name}"
    row_texts = (
        ("where", "{place.indices}", "place.where"),
        ("stored", "{shape:shape} {dtype}, {tensors:count tensor}, {elements:count element}, {bytes} bytes"),
    )

    def remedy(self) -> Remedy:
        if self.present_name:
            words = f"rename it to {self.present_name}, its present name"
            return Remedy(words, (Step(action="rename", old=self.names[0], new=self.present_name),))
        if self.module:
            return of_module(self.module, self.names[0])
        if self.known_to:
            return Remedy(f"{self.known_to} has it: use the config.json that belongs to these weights")
        if (reader := reader_of(self.place.tensor)) and self.shape[:1] == (1,):
            return Remedy(f"not counted as a parameter; load it with {reader}: others leave it out")
        return Remedy("not counted as a parameter; remove it if nothing reads it")


class PartUnexpected(ContentFinding, frozen=True, kw_only=True):
    """Unexpected submodel or layers.

    What it means
        Several families share a prefix that the architecture does not define: a vision tower with a text-only
        config, optimizer state, another model; or layers or experts beyond the configured number.

    Why it matters
        Loaders ignore it, but it is downloaded.

    Example
        warning[N406] part-unexpected: vpm.*
          stored  55 tensors in 3 families, 268,420,608 elements, 536,841,216 bytes
          first   vpm.encoder.layers.0.mlp.fc1.weight
          help    not counted as parameters; use a config that describes it, or remove
                  it if nothing reads it

    What to do
        Use a config that describes it, or remove it.
    """

    code = "N406"
    severity = "warning"

    tensors: int
    families: tuple[str, ...]
    elements: int
    bytes: int
    shape: tuple[int, ...]
    names: tuple[str, ...]
    part: str
    also: tuple[str, ...] = ()
    module: str = ""
    """The number of the module of a sentence encoder that has these tensors; "" for any others."""

    headline_text = "{place.family}"

    def rows(self) -> Rows:
        rows = [("where", self.place.indices)] if self.place.indices else []
        rows += [("also", listed(self.also, 4))] if self.also else []
        rows += [("read by", reader)] if (reader := reader_of(self.place.family)) else []
        return [
            *rows,
            (
                "stored",
                f"{count(self.tensors, 'tensor')} in {len(self.families):,} families, "
                f"{number(self.elements)} elements, {number(self.bytes)} bytes",
            ),
            ("first", self.names[0]),
        ]

    def remedy(self) -> Remedy:
        if self.module:
            return of_module(self.module, self.names[0])
        if reader := reader_of(self.place.family):
            return Remedy(f"not counted as parameters; load it with {reader}: others leave this part out")
        return Remedy("not counted as parameters; use a config that describes it, or remove it if nothing reads it")


class SiblingOdd(ContentFinding, frozen=True, kw_only=True):
    """One layer differs from the others.

    What it means
        In an unsupported architecture, one layer or expert lacks a tensor that the others have, or stores it in
        another shape; or a sequence of equal blocks skips a number.

    Why it matters
        It may be intended; otherwise a tensor is missing or from another checkpoint.

    Example
        warning[N413] sibling-odd: h.{layer}.mix.weight, layer 17 (likely)
          here    absent
          others  [64, 64] in 31 of 32
          help    check whether this difference is intended

    What to do
        Check whether the difference is intended.
    """

    code = "N413"
    severity = "warning"

    here: tuple[int, ...] | None
    usual: tuple[int, ...]
    agreeing: int
    siblings: int
    families: tuple[str, ...]

    headline_text = "{place.family}, {place.indices}"
    remedy_text = "check whether this difference is intended"

    def rows(self) -> Rows:
        rows = [
            ("here", shape(self.here) if self.here is not None else "absent"),
            ("others", f"{shape(self.usual)} in {number(self.agreeing)} of {number(self.siblings)}"),
        ]
        return [*rows, ("families", listed(self.families, 3))] if len(self.families) > 1 else rows
