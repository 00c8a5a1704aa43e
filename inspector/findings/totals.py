"""Findings on ties, buffers and stated totals."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import NOTHING_TO_DO, ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.role_words import label
from inspector.findings.severity import SeverityIf
from inspector.findings.words import listed, number, shape

TIED = "the head is the embedding"


class TiedHead(ContentFinding, frozen=True, kw_only=True):
    """A tensor that is tied to another one. solved: no config states the tie."""

    role: str
    tied_to: str = msgspec.field(name="with")
    shape: tuple[int | None, ...]
    elements: int | None
    solved: bool


class HeadMissing(ContentFinding, frozen=True, kw_only=True):
    """The output head is neither stored nor tied.

    What it means
        The config says that the head is a separate matrix, but no file contains it.

    Why it matters
        Loaders fill it with random values: the model runs but produces garbage.

    Example
        error[P701] head-missing: lm_head.weight
          expected  [128256, 4096], 525,336,576 parameters
          because   tie_word_embeddings = false
          help      no file has it: save the model again with its head, or set
                    "tie_word_embeddings": true if the head is the embedding

    What to do
        If the model was trained with a tied head, correct the config. Otherwise save it again with its head: the
        embedding of an untied model is not its head. A GGUF file states no tie: llama.cpp ties the head in some
        architectures, and needs it in others.
    """

    code = "P701"

    shape: tuple[int | None, ...]
    parameters: int
    also: tuple[str, ...]
    ties: str
    tie: str
    default: bool
    of_gguf: bool = False
    keys: tuple[str, ...] = ("tie_word_embeddings",)
    """The keys that tie the head in the supported versions of transformers; empty if its class ties nothing."""

    headline_text = "{place.name}"
    row_texts = (
        ("expected", "{shape:shape}, {parameters} parameters"),
        ("also", "{also:listed}", "also"),
    )

    def rows(self) -> Rows:
        because = "llama.cpp does not tie the head in this architecture" if self.of_gguf else self.tie
        return [*super().rows(), ("because", because)]

    def remedy(self) -> Remedy:
        if not self.of_gguf and self.keys:
            set_keys = " and ".join(f'"{key}": true' for key in self.keys)
            return Remedy(f"no file has it: save the model again with its head, or set {set_keys} if {TIED}")
        copied = f"if {TIED}, store the embedding a second time as {self.place.name}"
        return Remedy(f"download or convert the model again; {copied}")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """A note if the class ties the head whatever the config states."""
        if outcome != "complete":
            return msgspec.structs.replace(self, of_gguf=True) if loader.startswith("llama.cpp") else self
        return HeadTiedByClass(place=self.place, parameters=self.parameters, tie=self.tie, loader=loader)


class HeadTiedByClass(ContentFinding, frozen=True, kw_only=True):
    """The head is not stored; the class ties it although the config says no.

    What it means
        The config says that the head is a separate matrix, but the class of the newest transformers ties it to the
        embedding whatever the config says. One matrix is used for both and counted once.

    Why it matters
        That version loads the checkpoint completely. Other versions and programs follow the config and have no head.

    Example
        note[P706] head-tied-by-class: lm_head is not stored; transformers 5.23 ties it
          although tie_word_embeddings = false
          counted  once: 5,136 parameters less than the config says
          help     set "tie_word_embeddings": true, which other versions need

    What to do
        Set `tie_word_embeddings` to true if other versions or programs are to load it.
    """

    code = "P706"
    severity = "note"

    parameters: int
    tie: str
    loader: str

    row_texts = (("counted", "once: {parameters} parameters less than the config says"),)
    remedy_text = 'set "tie_word_embeddings": true, which other versions need'

    def headline(self) -> str:
        name = self.place.name.removesuffix(".weight")
        return f"{name} is not stored; {self.loader} ties it although {self.tie}"


_FORMER = "head.token.former"
"""The role of a tied head under a name that today's loaders leave out."""


class CopyStored(TiedHead, frozen=True, kw_only=True):
    """A tensor is stored although the config ties it to another one.

    What it means
        The config ties the two, but the file contains both. They are counted once.

    Why it matters
        If the two are equal, one of them only takes space. If they are not, loaders build different models:
        transformers 5 keeps the stored tensor; transformers 4 and llama.cpp use the other one in its place. vLLM does
        so if its class has a head; if not, it refuses the tensor, and `loads` says so.

    Example
        note[P702] copy-stored: lm_head.weight is stored although the config ties it to
          the embedding
          stored   [128256, 2048], 262,668,288 elements, counted once
          loaders  transformers 5 keeps it; transformers 4, llama.cpp and most classes
                   of vLLM tie it

    What to do
        Nothing if the two are equal. Headers do not show that: --sample compares samples, --values all values. If they
        differ, the config must not tie them: transformers 4 then keeps the stored head, too.
    """

    code = "P702"
    severity = "note"

    keys: tuple[str, ...] = ()
    """The keys that tie the head in the supported versions of transformers; empty if its class ties it regardless."""

    def headline(self) -> str:
        name = self.place.tensor or self.place.family
        tied = ", and treated as tied" if self.solved else " although the config ties it"
        return f"{name} is stored{tied} to the {label(self.tied_to)}"

    def rows(self) -> Rows:
        size = f"{shape(self.shape)}, {number(self.elements)} elements, counted once"
        rows = [("stored", size)]
        if self.role == _FORMER:
            rows.append(("loaders", "they leave out this former name of the head and tie it"))
        elif self.role.startswith("head"):
            rows.append(
                ("loaders", "transformers 5 keeps it; transformers 4, llama.cpp and most classes of vLLM tie it")
            )
        return rows

    def remedy(self) -> Remedy:
        if not self.keys or self.solved or self.role == _FORMER or not self.role.startswith("head"):
            return NOTHING_TO_DO
        untied = " and ".join(f'"{key}": false' for key in self.keys)
        return Remedy(f"compare the two with --values; if they differ, set {untied}")


class HeadTied(TiedHead, frozen=True, kw_only=True):
    """The head is tied to the embedding and not stored.

    What it means
        The config ties the two: one matrix is used for both and counted once.

    Why it matters
        Nothing is wrong; a formula that counts the head separately gives a higher total.

    Example
        note[P703] head-tied: lm_head is not stored; config ties it to the embedding

    What to do
        Nothing.
    """

    code = "P703"
    severity = "note"

    def headline(self) -> str:
        name = (self.place.tensor or self.place.family or "").removesuffix(".weight")
        ties = "treated as tied" if self.solved else "config ties it"
        return f"{name} is not stored; {ties} to the {label(self.tied_to)}"


class HeadAloneOfTie(TiedHead, frozen=True, kw_only=True, omit_defaults=True):
    """Only the head of a tied pair is stored.

    What it means
        The config ties the head to the embedding, and the shared matrix is stored once, under the name of the
        head. Tools that store shared tensors once may keep either name.

    Why it matters
        transformers 5 ties them whichever is stored. transformers 4 reports the checkpoint as complete but
        leaves the embedding uninitialized; vLLM skips a tied head, and other loaders require the embedding. The code of
        a repository was written for transformers 4 as a rule, and its model then computes with random rows: for types
        that transformers does not have it is an error.

    Example
        note[N569] head-alone-of-tie: lm_head.weight, without the embedding
          loaders  transformers 5 ties it; transformers 4 and vLLM leave the embedding
                   without numbers
          all      load it if lm_head.weight is renamed to model.embed_tokens.weight
          help     rename lm_head.weight to model.embed_tokens.weight

    What to do
        Store the matrix under the name of the embedding.
    """

    code = "N569"
    severity = SeverityIf(lambda finding: finding.own_code, "error", "note", usual="note")

    stored: str
    wanted: str
    own_code: bool = False
    """Only the code of a repository has the model type."""

    def headline(self) -> str:
        return f"{self.stored}, without the {label(self.tied_to)}"

    def rows(self) -> Rows:
        if self.own_code:
            return [
                (
                    "loaders",
                    "the code of the repository builds the model, and transformers 4 leaves its embedding random",
                ),
                ("but", "transformers 5 ties it if tie_word_embeddings is true and the code was written for it"),
            ]
        return [
            ("loaders", "transformers 5 ties it; transformers 4 and vLLM leave the embedding without numbers"),
            ("all", f"load it if {self.stored} is renamed to {self.wanted}"),
        ]

    def remedy(self) -> Remedy:
        if self.own_code:
            return Remedy(f"store the matrix of {self.stored} as {self.wanted} too")
        step = Step(action="rename", old=self.stored, new=self.wanted)
        return Remedy(f"rename {self.stored} to {self.wanted}", (step,))


class TableUnderCopy(ContentFinding, frozen=True, kw_only=True):
    """The shared embedding is stored only under the name of the decoder's copy.

    What it means
        safetensors stores a shared matrix once, and the conversion kept the decoder's name of it. The class in the
        config ties all names, and loads completely.

    Why it matters
        The class of the encoder alone, which image models load as their text encoder, has no tensor of this name: its
        embedding stays random.

    Example
        note[P707] table-under-copy: decoder.embed_tokens.weight, without shared.weight
          loaders  MT5EncoderModel leaves its embedding random
          help     for the encoder alone rename it to shared.weight

    What to do
        Rename the tensor if the encoder is to be loaded alone.
    """

    code = "P707"
    severity = "note"

    stored: str
    wanted: str
    class_name: str

    headline_text = "{stored}, without {wanted}"
    row_texts = (("loaders", "{class_name} leaves its embedding random"),)

    def remedy(self) -> Remedy:
        step = Step(action="rename", old=self.stored, new=self.wanted)
        return Remedy(f"for the encoder alone rename it to {self.wanted}", (step,))


class BuffersStored(ContentFinding, frozen=True, kw_only=True, omit_defaults=True):
    """Buffers are stored.

    What it means
        Rotary frequencies, masks, position ids and running statistics are computed by the model, not trained.

    Why it matters
        They add to the size of the file but not to the parameter count. transformers before 4.31, and code that loads
        a state dict strictly, refuse position ids of another length than the table (`stale`).

    Example
        note[P704] buffers-stored: 2,048 elements in 32 tensors, not counted
          families  model.layers.{layer}.self_attn.rotary_emb.inv_freq

    What to do
        Nothing; remove stale position ids for older loaders.
    """

    code = "P704"
    severity = "note"

    elements: int
    bytes: int
    tensors: int
    families: tuple[str, ...]
    disputed: str | None = None
    disputed_elements: int | None = None
    with_disputed: int | None = None
    stale: tuple[str, int, int] | None = None

    headline_text = "{elements:count element} in {tensors:count tensor}, not counted"

    def rows(self) -> Rows:
        rows = [("families", listed(self.families, 3))]
        if self.disputed is not None:
            counted = f"{number(self.with_disputed)} parameters, if the {label(self.disputed)} is counted"
            rows.append(("or", counted))
        if self.stale is not None:
            name, stored, of_table = self.stale
            rows.append(
                (
                    "stale",
                    f"{name}: {number(stored)} numbers for {number(of_table)} positions; older loaders refuse "
                    "it: remove it",
                )
            )
        return rows


class TotalDisagrees(ContentFinding, frozen=True, kw_only=True):
    """A total in the index is wrong.

    What it means
        The index states a total that differs from the sum over the headers, and no known counting convention
        explains it.

    Why it matters
        Hubs and loaders display and use this number; it may be left over from another version of the weights.

    Example
        warning[P705] total-disagrees: index.total_size
          claimed  16,060,522,240
          true     16,060,522,496
          help     regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "P705"
    severity = "warning"

    source: str
    claimed: int | float | str
    true: int

    headline_text = "{source}"
    row_texts = (("claimed", "{claimed}"), ("true", "{true}"))

    def remedy(self) -> Remedy:
        steps = (Step(action="write", file=self.place.file),) if self.place.file else ()
        return Remedy("regenerate the index from the headers", steps)
