"""Which architecture the names are of, and how they are spelled."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number


class BelowPrefix(Finding, frozen=True, kw_only=True):
    """A prefix of the names. inside: not at their beginning. wrapper: what puts it there, if known.

    tensors: how many have it; without: how many have not.
    """

    prefix: str
    inside: bool
    wrapper: str = msgspec.field(name="from")
    tensors: int
    without: int


class NamesOfAnotherArchitecture(Finding, frozen=True, kw_only=True):
    """The names belong to another architecture than the config claims.

    What it means
        Most names are unknown to the architecture that the config names, and another architecture has
        them.

    Why it matters
        A loader that follows the config finds none of its weights and runs with random numbers.

    Example
        error[N401] names-of-another-architecture: the config claims gpt2, the names are
          llama's
          config  gpt2 (GPT2LMHeadModel)
          names   llama, 100.0% of the families known
          help    use the config.json that belongs to these weights

    What to do
        Use the config that belongs to the weights, or the weights that belong to the config.
    """

    code = "N401"
    name = "names-of-another-architecture"

    claimed: str
    names: str | None
    class_name: str | None = msgspec.field(name="class")
    coverage: float

    def headline(self) -> str:
        names = f"{self.names}'s" if self.names else "of no known architecture"
        return f"the config claims {self.claimed}, the names are {names}"

    def rows(self) -> Rows:
        claimed = f"{self.claimed} ({self.class_name})" if self.class_name else self.claimed
        if not self.names:
            return [("config", claimed)]
        return [("config", claimed), ("names", f"{self.names}, {self.coverage:.1%} of the families known")]

    def remedy(self) -> Remedy:
        return Remedy("use the config.json that belongs to these weights")


class PrefixOnNames(BelowPrefix, frozen=True, kw_only=True):
    """Names begin with a prefix that no loader expects.

    What it means
        A wrapper (torch.compile, DataParallel, FSDP, PEFT) was saved instead of the model inside, so that
        its prefix is before every name, or before those of one part of the model.

    Why it matters
        A loader looks the names up without the prefix, finds none, and runs with random numbers.

    Example
        error[N402] prefix-on-names: _orig_mod.
          from     torch.compile
          tensors  291
          help     save the inner model, or rename: key.removeprefix("_orig_mod.")

    What to do
        Save the inner model (`model._orig_mod`, `model.module`, `merge_and_unload()`), or rename the
        tensors.
    """

    code = "N402"
    name = "prefix-on-names"

    def headline(self) -> str:
        return self.prefix

    def rows(self) -> Rows:
        rows = [("from", self.wrapper or "an unknown wrapper"), ("tensors", number(self.tensors))]
        if self.without:
            rows.append(("without", f"{count(self.without, 'other tensor')} without this prefix"))
        return [*rows, ("where", "inside the names")] if self.inside else rows

    def remedy(self) -> Remedy:
        change = "replace" if self.inside else "removeprefix"
        argument = f'("{self.prefix}", "")' if self.inside else f'("{self.prefix}")'
        return Remedy(f"save the inner model, or rename: key.{change}{argument}")


class NamesOfBaseModel(Finding, frozen=True, kw_only=True):
    """The names are the base model's, the class is one with a head.

    What it means
        The names have not the prefix that the class puts before the body. The libraries add and remove it
        on loading.

    Why it matters
        Nothing is wrong; tools that compare names letter by letter may not know it.

    Example
        note[N408] names-of-base-model: the class is LlamaForCausalLM, the names are
          llamaModel's
          prefix  "model." is not there

    What to do
        Nothing.
    """

    code = "N408"
    name = "names-of-base-model"
    severity = "note"

    class_name: str | None = msgspec.field(name="class")
    names: str
    prefix: str
    stored_prefix: str

    def headline(self) -> str:
        return f"the class is {self.class_name}, the names are {self.names}'s"

    def rows(self) -> Rows:
        if self.prefix:
            return [("prefix", f'"{self.prefix}" is not there')]
        return [("prefix", f'"{self.stored_prefix}" is before the body')]


class NamesInDialect(Finding, frozen=True, kw_only=True):
    """The names are spelled as another writer spells them.

    What it means
        The names are not those that the newest transformers writes, but those of another release or
        program, which are known.

    Why it matters
        Nothing is wrong; a loader must know this spelling.

    Example
        note[N409] names-in-dialect: names in an older or other spelling
          such as  embeddings.word_embeddings.weight

    What to do
        Nothing, or convert the checkpoint for loaders that do not know the spelling.
    """

    code = "N409"
    name = "names-in-dialect"
    severity = "note"

    writer: str
    example: str

    def headline(self) -> str:
        return f"names as {self.writer} writes them" if self.writer else "names in an older or other spelling"

    def rows(self) -> Rows:
        return [("such as", self.example)]


class ArchitectureUnknown(Finding, frozen=True, kw_only=True):
    """No definition reads this architecture.

    What it means
        Neither the config's model type nor the names belong to an architecture that the tool has a definition
        for.

    Why it matters
        Names and shapes were not compared with a formula; layers were compared with each other.

    Example
        note[N412] architecture-unknown: my_own_net

    What to do
        Compare the count with one from another source: --claim.
    """

    code = "N412"
    name = "architecture-unknown"
    severity = "note"

    model_type: str | None
    nearest: str | None
    coverage: float
    code_in_repository: bool = msgspec.field(name="code")

    def headline(self) -> str:
        return self.model_type or "no config, and no architecture has these names"

    def rows(self) -> Rows:
        return [("nearest", f"{self.nearest} has {self.coverage:.0%} of the families")] if self.nearest else []


class ArchitectureFromNames(Finding, frozen=True, kw_only=True):
    """The architecture follows from the names alone.

    What it means
        There is no config that names it. The names decide, and the symbols are solved from the shapes.

    Why it matters
        What the names do not show (a tied head, which of two twins) is not known.

    Example
        note[N414] architecture-from-names: llama (likely)
          twins  qwen2, helium, cwm, ernie4_5 and 17 more have the same names

    What to do
        Give the config: --config FILE.
    """

    code = "N414"
    name = "architecture-from-names"
    severity = "note"

    architecture: str
    twins: tuple[str, ...]
    head: str

    def headline(self) -> str:
        return self.architecture

    def rows(self) -> Rows:
        return (
            [("twins", f"{listed(self.twins, 4)} {'has' if len(self.twins) == 1 else 'have'} the same names")]
            if self.twins
            else []
        )


class NamesBelowPrefix(BelowPrefix, frozen=True, kw_only=True):
    """The whole checkpoint is a part of something larger.

    What it means
        Every name begins with the same prefix, as a module has inside a model.

    Why it matters
        Nothing is wrong; the names are read without it.

    Example
        note[N415] names-below-prefix: encoder.attention.
          tensors  2

    What to do
        Nothing.
    """

    code = "N415"
    name = "names-below-prefix"
    severity = "note"

    def headline(self) -> str:
        return self.prefix

    def rows(self) -> Rows:
        return [("tensors", number(self.tensors))]
