"""The architecture and the naming scheme of the tensor names."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed, number


class BelowPrefix(ContentFinding, frozen=True, kw_only=True):
    """A prefix of tensor names. inside: not at their beginning. wrapper: what added it, if known.

    tensors: how many have it; without: how many do not.
    """

    prefix: str
    inside: bool
    wrapper: str = msgspec.field(name="from")
    tensors: int
    without: int


class NamesOfAnotherArchitecture(ContentFinding, frozen=True, kw_only=True):
    """The tensor names belong to another architecture than the config's.

    What it means
        The architecture in the config does not define most of the names, and another architecture does.

    Why it matters
        A loader that follows the config finds none of its weights and uses random values.

    Example
        error[N401] names-of-another-architecture: config says gpt2, tensor names are
          llama's
          config  gpt2 (GPT2LMHeadModel)
          names   llama, which defines 100.0% of the families
          help    use the config.json that belongs to these weights

    What to do
        Use the config that belongs to the weights, or the weights that belong to the config: where nothing is stored
        that the config's type does not have, a save may have lost the rest.
    """

    code = "N401"
    name = "names-of-another-architecture"
    of_another_type = True

    claimed: str
    names: str | None
    class_name: str | None = msgspec.field(name="class")
    coverage: float
    differing: tuple[str, ...] = ()
    fewer: bool = False
    component: str | None = None

    def headline(self) -> str:
        names = f"{self.names}'s" if self.names else "of no known architecture"
        return f"config says {self.claimed}, tensor names are {names}"

    def rows(self) -> Rows:
        claimed = f"{self.claimed} ({self.class_name})" if self.class_name else self.claimed
        if not self.names:
            return [("config", claimed)]
        rows = [("config", claimed), ("names", f"{self.names}, which defines {self.coverage:.1%} of the families")]
        return [*rows, (f"not {self.claimed}", listed(self.differing, 2))] if self.differing else rows

    def remedy(self) -> Remedy:
        if self.component is not None:
            return Remedy(f"download the weights of {self.component} again: its config is that of the pipeline")
        words = "use the config.json that belongs to these weights"
        if self.fewer:
            return Remedy(f"{words}; if they are {self.claimed}'s, save them again: what is missing was lost")
        return Remedy(words)


class PrefixOnNames(BelowPrefix, frozen=True, kw_only=True):
    """Unexpected prefix in tensor names.

    What it means
        A wrapper (torch.compile, DataParallel, FSDP, PEFT) was saved instead of the model inside it. Its prefix
        was added to all names, or to those of one submodel.

    Why it matters
        A loader looks up the names without the prefix, finds none, and uses random values.

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

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return PrefixReadPast

    def headline(self) -> str:
        return self.prefix

    def rows(self) -> Rows:
        rows = [("from", self.wrapper or "an unknown wrapper"), ("tensors", number(self.tensors))]
        if self.without:
            rows.append(("without", f"{count(self.without, 'other tensor')} do not have it"))
        return [*rows, ("where", "inside the names")] if self.inside else rows

    def remedy(self) -> Remedy:
        prefixes = self.prefix.split(" and ")
        changes = (f'replace("{one}", "")' if self.inside else f'removeprefix("{one}")' for one in prefixes)
        words = f"save the inner model, or rename: key.{'.'.join(changes)}"
        if self.without and not self.wrapper:
            return Remedy(words)
        if not self.inside:
            return Remedy(words, (Step(action="rename", old=f"{self.prefix}*", new="*"),))
        steps: list[Step] = []
        for one in prefixes:
            steps.append(Step(action="rename", old=f"*.{one}*", new="*.*"))
            steps.append(Step(action="rename", old=f"{one}*", new="*"))
        return Remedy(words, tuple(steps))


class PrefixReadPast(PrefixOnNames, frozen=True, kw_only=True):
    """A prefix on tensor names that the loader of the folder reads past.

    What it means
        All names have the prefix of a wrapping module. The loader that the folder is made for tries names with and
        without the prefix of its base model, and loads every tensor.

    Why it matters
        Older versions and other programs find none of the names.

    Example
        note[N443] prefix-read-past: model.
          from     a wrapping module
          tensors  35
          help     save the inner model, or rename: key.removeprefix("model.")

    What to do
        Nothing for this loader; for others, save the inner model or rename the tensors.
    """

    code = "N443"
    name = "prefix-read-past"
    severity = "note"


class NamesOfBaseModel(ContentFinding, frozen=True, kw_only=True):
    """The names are those of the base model without a head.

    What it means
        The names do not have the prefix that the class adds before the base model. Libraries add and remove it
        on loading.

    Why it matters
        Nothing is wrong; tools that compare names literally may report a mismatch.

    Example
        note[N408] names-of-base-model: the class is LlamaForCausalLM, the names are
          those of LlamaModel
          prefix  "model." is missing

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
        return f"the class is {self.class_name}, the names are those of {self.names}"

    def rows(self) -> Rows:
        if self.prefix:
            return [("prefix", f'"{self.prefix}" is missing')]
        return [("prefix", f'"{self.stored_prefix}" is added')]


class NamesInDialect(ContentFinding, frozen=True, kw_only=True):
    """The names follow another program's or release's naming scheme.

    What it means
        The names are not those of the newest transformers but of another release or program. The naming scheme
        is known.

    Why it matters
        Nothing is wrong; a loader must support this naming scheme. It is not reported where the loader that the folder
        is made for does.

    Example
        note[N409] names-in-dialect: names of an older or different naming scheme
          such as  embeddings.word_embeddings.weight

    What to do
        Nothing, or convert the checkpoint for loaders that do not support it.
    """

    code = "N409"
    name = "names-in-dialect"
    severity = "note"

    writer: str
    example: str

    def headline(self) -> str:
        return f"names as written by {self.writer}" if self.writer else "names of an older or different naming scheme"

    def rows(self) -> Rows:
        return [("such as", self.example)]

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return None if outcome == "complete" and not self.writer else self


class ArchitectureUnknown(ContentFinding, frozen=True, kw_only=True):
    """Unsupported architecture.

    What it means
        Inspector has no architecture definition for the config's model type, and none that matches the names.

    Why it matters
        Names and shapes were not compared with a formula; layers were only compared with each other.

    Example
        note[N412] architecture-unknown: my_own_net

    What to do
        Compare the total with one from another source: --claim.
    """

    code = "N412"
    name = "architecture-unknown"
    severity = "note"

    model_type: str | None
    nearest: str | None
    coverage: float
    code_in_repository: bool = msgspec.field(name="code")

    def headline(self) -> str:
        return self.model_type or "no config, and no known architecture has these names"

    def rows(self) -> Rows:
        return [("nearest", f"{self.nearest} has {self.coverage:.0%} of the families")] if self.nearest else []


class CodeOfRepository(ContentFinding, frozen=True, kw_only=True):
    """The model's class is code of its repository, and the names are not those of its model type.

    What it means
        config.json states a model type that transformers has, and a class that is not its own: `auto_map` names code of
        the repository, or the class is in no library that is known here. The definition of the type does not have the
        stored names.

    Why it matters
        Loaders run that code, where the user allows it, and it builds another model. Names and shapes were not compared
        with a formula; every stored tensor is counted.

    Example
        note[N447] code-of-repository: JinaBertForMaskedLM
          type  bert, whose names these are not
          code  named by auto_map
          help  compare the total with a published one: --claim

    What to do
        Compare the total with one from another source: --claim.
    """

    code = "N447"
    name = "code-of-repository"
    severity = "note"

    model_type: str
    class_name: str | None = msgspec.field(name="class")
    mapped: bool

    def headline(self) -> str:
        return self.class_name or self.model_type

    def rows(self) -> Rows:
        rows = [("type", f"{self.model_type}, whose names these are not")]
        return [*rows, ("code", "named by auto_map")] if self.mapped else rows

    def remedy(self) -> Remedy:
        return Remedy("compare the total with a published one: --claim")


class ArchitectureFromNames(ContentFinding, frozen=True, kw_only=True):
    """The architecture was identified by the tensor names.

    What it means
        No config names the architecture. It was identified by the names, and the sizes were solved from the
        shapes.

    Why it matters
        What the names do not show (a tied head, which of several architectures with equal names) is unknown.

    Example
        note[N414] architecture-from-names: llama (likely)
          also  qwen2, helium, cwm, ernie4_5 and 17 more have the same names

    What to do
        Pass the config: --config FILE.
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
            [("also", f"{listed(self.twins, 4)} {'has' if len(self.twins) == 1 else 'have'} the same names")]
            if self.twins
            else []
        )


class NamesBelowPrefix(BelowPrefix, frozen=True, kw_only=True):
    """The checkpoint is part of a larger model.

    What it means
        All names begin with the same prefix, like those of a module inside a model.

    Why it matters
        Nothing is wrong; the prefix is ignored.

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


class VocabularyOnly(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file without tensors.

    What it means
        The file has metadata and no tensors. llama.cpp's converter writes such files with --vocab-only: they hold a
        tokenizer.

    Why it matters
        There is nothing to count or to check, and no model to load.

    Example
        note[N440] vocabulary-only: ggml-vocab-llama.gguf

    What to do
        Nothing, if a tokenizer was wanted; otherwise download the file with the weights.
    """

    code = "N440"
    name = "vocabulary-only"
    severity = "note"
