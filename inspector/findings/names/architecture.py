"""Findings on the architecture and the naming scheme of the tensor names."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, RowTexts, Step
from inspector.findings.names.own_readers import reader_of
from inspector.findings.words import listed


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
        Where the config gives every shape under the other type, state that type and its class. Otherwise use the config
        that belongs to the weights, or the weights that belong to the config: where nothing is stored
        that the config's type does not have, a save may have lost the rest.
    """

    code = "N401"
    of_another_type = True

    claimed: str
    names: str | None
    class_name: str | None = msgspec.field(name="class")
    coverage: float
    differing: tuple[str, ...] = ()
    fewer: bool = False
    component: str | None = None
    model_type: str | None = None
    stored_class: str | None = None
    class_of_diffusers: str | None = None
    submodel: str | None = None
    own_code: bool = False
    """True if no class of transformers has the type of the names, which only its own code builds."""

    def headline(self) -> str:
        names = f"{self.names}'s" if self.names else "of no known architecture"
        config = f"{self.submodel} of the config" if self.submodel else "config"
        return f"{config} says {self.claimed}, tensor names are {names}"

    def rows(self) -> Rows:
        claimed = f"{self.claimed} ({self.class_name})" if self.class_name else self.claimed
        if not self.names:
            return [("config", claimed)]
        rows = [("config", claimed), ("names", f"{self.names}, which defines {self.coverage:.1%} of the families")]
        return [*rows, (f"not {self.claimed}", listed(self.differing, 2))] if self.differing else rows

    def remedy(self) -> Remedy:
        if self.component is not None:
            return Remedy(f"download the weights of {self.component} again: its config is that of the pipeline")
        if self.model_type is not None:
            return self._other_type(self.model_type)
        if self.class_of_diffusers is not None:
            name = self.class_of_diffusers
            step = Step(action="set", file="config.json", key=("_class_name",), old=self.claimed, new=name)
            return Remedy(f'set "_class_name": "{name}" in config.json: its sizes are those of the weights', (step,))
        words = "use the config.json that belongs to these weights"
        if self.fewer:
            return Remedy(f"{words}; if they are {self.claimed}'s, download or save them again: tensors are missing")
        if self.names is None:
            return Remedy(f"{words}, or convert them with the tools of the program that wrote them")
        if self.own_code:
            converted = f"or for transformers take weights that were converted to {self.claimed}"
            return Remedy(f"{words} and the code of their repository, {converted}")
        return Remedy(words)

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """None if the loader finds every tensor of the class under names that no definition has."""
        return None if outcome == "complete" and self.names is None else self

    def _other_type(self, model_type: str) -> Remedy:
        """The remedy to state the type under which the config gives every shape of the weights."""
        words = f'set "model_type": "{model_type}"'
        key = ("model_type",) if self.submodel is None else (self.submodel, "model_type")
        steps = [Step(action="set", file="config.json", key=key, old=self.claimed, new=model_type)]
        if self.submodel is not None:
            place = f"{self.submodel} of config.json"
            return Remedy(f"{words} in {place}: its sizes are those of the weights", tuple(steps))
        if self.stored_class is not None:
            words = f'{words} and "architectures": ["{self.stored_class}"]'
            steps.append(Step(action="set", file="config.json", key=("architectures",), new=[self.stored_class]))
        if self.fewer:
            lost = f"or, if the weights are {self.claimed}'s, download or save them again: tensors are missing"
            return Remedy(f"{words} in config.json, whose sizes are those of the weights; {lost}", choice=True)
        return Remedy(f"{words} in config.json: its sizes are those of the weights", tuple(steps))


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
    severity = "note"

    class_name: str | None = msgspec.field(name="class")
    names: str
    prefix: str
    stored_prefix: str

    headline_text = "the class is {class_name}, the names are those of {names}"

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
          such as  embeddings.LayerNorm.gamma

    What to do
        Nothing, or convert the checkpoint for loaders that do not support it.
    """

    code = "N409"
    severity = "note"

    writer: str
    example: str
    renames: tuple[tuple[str, str], ...] = ()

    row_texts: ClassVar[RowTexts] = (("such as", "{example}"),)

    def headline(self) -> str:
        return f"names as written by {self.writer}" if self.writer else "names of an older or different naming scheme"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return None if outcome == "complete" and not self.writer else self


class NamesOfAnotherProgram(NamesInDialect, frozen=True, kw_only=True):
    """The names are another program's, and the loader that the config is for does not read them.

    What it means
        The folder has the config of one library, and weights under the names of another program. The loader looks
        up the names of its own library, finds none of them, and leaves the model randomly initialized, or refuses it.

    Why it matters
        The model runs without an error and answers nonsense. Renaming alone may not be enough: some programs keep
        the rows of query and key in another order, or several matrices in one.

    Example
        error[N470] names-of-another-program: names as written by torchtune
          such as  tok_embeddings.weight
          because  transformers 5.23: 39 of its tensors are not in the file, such as
                   model.embed_tokens.weight
          help     convert it with the FullModelHFCheckpointer of torchtune, or fetch
                   the weights under the names of this library; if only the names were
                   changed, change them back

    What to do
        Convert the weights with the tool that the report names. Where only the names differ, the report has the steps
        that change them.
    """

    code = "N470"
    severity = "error"

    exporter: str
    because: str
    apart: tuple[tuple[str, str], ...] = ()

    row_texts = (("such as", "{example}"), ("because", "{because}", "because"))

    def rows(self) -> Rows:
        texts = [f"{part}: that program loads it from {origin}" for part, origin in self.apart]
        return [*super().rows(), *(("not stored", text) for text in texts)]

    def remedy(self) -> Remedy:
        if self.apart:
            return Remedy(f"convert it with {self.exporter}, which adds what is not stored")
        if self.renames:
            steps = tuple(Step(action="rename", old=stored, new=expected) for stored, expected in self.renames)
            way = f", or convert it with {self.exporter}" if self.exporter else ""
            old, new = self.renames[0]
            return Remedy(f"rename the tensors as the class has them, such as {old} to {new}{way}", steps)
        way = f"convert it with {self.exporter}, or " if self.exporter else ""
        words = f"{way}fetch the weights under the names of this library"
        return Remedy(f"{words}; if only the names were changed, change them back")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """The reason of a loader that fails; not an error if its behaviour on these names is unknown."""
        if outcome in ("random", "refuses"):
            return msgspec.structs.replace(self, because=f"{loader}: {because}")
        return NamesInDialect(**{name: getattr(self, name) for name in NamesInDialect.__struct_fields__})


OF_TIMM = "timm_wrapper"
"""The model type that transformers gives to a config of timm."""


class ArchitectureUnknown(ContentFinding, frozen=True, kw_only=True):
    """Unsupported architecture.

    What it means
        Inspector has no architecture definition for the config's model type, and none that matches the names.

    Why it matters
        Names and shapes were not compared with a formula; layers were only compared with each other.

    Example
        note[N412] architecture-unknown: my_own_net
          help  load it with the code, or a newer version of transformers, that has the
                type my_own_net

    What to do
        Compare the total with one from another source: --claim. Where the type is of a known program, load the weights
        with it, or convert them with the tool that the report names. A type that no supported version of transformers
        has is one of other code, or of a newer version.
    """

    code = "N412"
    severity = "note"

    model_type: str | None
    nearest: str | None
    coverage: float
    code_in_repository: bool = msgspec.field(name="code")
    writer: str = ""
    exporter: str = ""
    library: str = ""
    unsupported: bool = False
    prefix: str = ""
    """What every name begins with, if wrappers of a model add it in training."""

    headline_text = "{model_type:or no config, and no known architecture has these names}"

    def rows(self) -> Rows:
        if self.library and not self.writer:
            return [("names", f"those of {self.library}")]
        rows = [("nearest", f"{self.nearest} has {self.coverage:.0%} of the families")] if self.nearest else []
        if self.prefix:
            rows.append(
                ("prefix", f'every name begins with "{self.prefix}", as torch\'s data parallel wrappers save it')
            )
        if not self.writer:
            return rows
        return [("names", f"as written by {self.writer}; {self.exporter} converts them"), *rows]

    def remedy(self) -> Remedy:
        if self.model_type == OF_TIMM:
            return Remedy(
                "load it with timm, or with AutoModel or AutoModelForImageClassification of transformers, which wrap "
                "timm; other classes, such as ViTForImageClassification, have other names"
            )
        if self.prefix and self.code_in_repository:
            return Remedy(
                f'strip "{self.prefix}" from every name, unless the class in the code has a module of this name'
            )
        if not self.unsupported or self.writer:
            return super().remedy()
        if self.library:
            return Remedy(f"load it with {self.library}")
        return Remedy(f"load it with the code, or a newer version of transformers, that has the type {self.model_type}")


class CodeOfRepository(ContentFinding, frozen=True, kw_only=True):
    """The model's class is code of its repository, and the names are not those of its model type.

    What it means
        config.json states a model type that transformers has, and a class that is not its own: `auto_map` names code of
        the repository, or the class is in no library that is known here. The definition of the type does not have the
        stored names, or not all of them: the class may add modules to the whole base model of the type. A class for
        rewards, values or labels without any such module was saved without its head.

    Why it matters
        Loaders run that code, where the user allows it, and it builds another model. Names and shapes were not compared
        with a formula; every stored tensor is counted.

    Example
        note[N447] code-of-repository: JinaBertForMaskedLM
          type  bert, whose names these are not
          code  named by auto_map
          help  load it with the code of JinaBertForMaskedLM; compare the total with a
                published one: --claim

    What to do
        Load the weights with the code that they were trained with: the class of the library leaves out what it does not
        have. Compare the total with one from another source: --claim.
    """

    code = "N447"
    severity = "note"

    model_type: str
    class_name: str | None = msgspec.field(name="class")
    mapped: bool
    base: bool = False
    beside: tuple[str, ...] = ()
    headless: bool = False
    """The class is named after a head, and no matrix is stored but those of the base model."""

    def headline(self) -> str:
        return self.class_name or self.model_type

    def rows(self) -> Rows:
        type_of = f"{self.model_type}, whose base model is complete" if self.base else ""
        rows = [("type", type_of or f"{self.model_type}, whose names these are not")]
        if self.base and self.beside:
            read = next((f" (read by {reader})" for one in self.beside if (reader := reader_of(one))), "")
            rows.append(("also", listed(self.beside, 3) + read))
        if self.headless:
            rows.append(("head", "no matrix is stored but those of the base model"))
        return [*rows, ("code", "named by auto_map")] if self.mapped else rows

    def remedy(self) -> Remedy:
        total = "compare the total with a published one: --claim"
        if self.headless:
            words = f"save the weights again with the head of {self.class_name}"
            return Remedy(f"{words}, under ZeRO-3 gathered: its code leaves a head that is not stored random")
        if self.base and self.class_name and not self.mapped:
            return Remedy(f"load it with the code of {self.class_name}; AutoModel loads the base model alone")
        return Remedy(f"load it with the code of {self.class_name}; {total}" if self.class_name else total)


class ArchitectureFromNames(ContentFinding, frozen=True, kw_only=True):
    """The architecture was identified by the tensor names.

    What it means
        No config names the architecture. It was identified by the names, and the sizes were solved from the
        shapes.

    Why it matters
        What the names do not show (a tied head, which of several architectures with equal names) is unknown.

    Example
        note[N414] architecture-from-names: llama (likely)
          also  helium, PanguEmbedded, cwm, ernie4_5 and 27 more have the same names

    What to do
        Pass the config: --config FILE.
    """

    code = "N414"
    severity = "note"

    architecture: str
    twins: tuple[str, ...]
    head: str
    stated: str = ""

    headline_text = "{architecture}"

    def rows(self) -> Rows:
        have = "has" if len(self.twins) == 1 else "have"
        also = [("also", f"{listed(self.twins, 4)} {have} the same names")] if self.twins else []
        stated = f"_class_name {self.stated}, which is no class of diffusers"
        return [*([("config", stated)] if self.stated else []), *also]

    def remedy(self) -> Remedy:
        if not self.stated:
            return super().remedy()
        takes = f'{self.architecture} ("_class_name": "{self.architecture}" in config.json) takes the tensors'
        return Remedy(f"load it with the code that has {self.stated}; {takes}, and does nothing else of it")
