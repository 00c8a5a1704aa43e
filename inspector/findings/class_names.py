"""Findings on a class in the config that is not the class of the weights."""

from __future__ import annotations

from typing import ClassVar

from inspector.findings.finding import NOTHING_TO_DO, ContentFinding, Finding, Remedy, RowTexts, Step


class ClassDiffers(ContentFinding, frozen=True, kw_only=True):
    """The weights have the head of another class than the config names.

    What it means
        The head of the class in `architectures` is not stored, and the weights are complete for another class of the
        same model.

    Why it matters
        Loaders build the class that the config names, with a random head, and ignore the stored one.

    Example
        error[N427] class-differs: the weights are LlamaForSequenceClassification's
          config   LlamaForCausalLM
          missing  lm_head.weight
          stored   score.weight
          help     set "architectures": ["LlamaForSequenceClassification"] and
                   "num_labels": 1 in config.json

    What to do
        Name the class of the weights in `architectures`. A class with a new head must be trained before it is used.
    """

    code = "N427"

    declared: str
    stored_class: str | None
    file: str
    missing: tuple[str, ...]
    stored: tuple[str, ...]
    labels: int | None
    stale_labels: bool = False
    """True if the config has names for another number of labels, which count for transformers 4."""
    part: str = ""
    """The part of the declared class that is missing as a whole, such as its decoder; "" if only a head is missing."""
    head_used: bool = False
    """True if the program that the folder is made for builds the head, whatever class the config names."""

    row_texts: ClassVar[RowTexts] = (
        ("config", "{declared}"),
        ("missing", "{missing:listed 3}", "missing"),
        ("stored", "{stored:listed 3}", "stored"),
    )

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return ClassLeavesOutHead

    def headline(self) -> str:
        of = f"{self.stored_class}'s" if self.stored_class else "of another class"
        return f"the weights are {of}"

    def remedy(self) -> Remedy:
        train = f"train the head of {self.declared}, which is random until then"
        if self.part:
            train = f"download the whole checkpoint of {self.declared}: its {self.part} is not stored"
        if self.head_used:
            return Remedy(f"download or save the checkpoint again with its head, or {train}")
        if self.stored_class is None:
            return Remedy(f"name the class of the weights in {self.file}, or {train}")
        steps = [
            Step(
                action="set",
                file=self.file,
                key=("architectures",),
                old=[self.declared],
                new=[self.stored_class],
            )
        ]
        words = f'set "architectures": ["{self.stored_class}"]'
        if self.labels is not None:
            steps.append(Step(action="set", file=self.file, key=("num_labels",), new=self.labels))
            words += f' and "num_labels": {self.labels}'
        if self.labels is not None and self.stale_labels:
            steps += [Step(action="remove", file=self.file, key=(key,)) for key in ("id2label", "label2id")]
            words += ' and remove "id2label" and "label2id"'
        intended = "" if self.stored else f", or {train}"
        return Remedy(f"{words} in {self.file}{intended}", tuple(steps))


class HeadOfAnotherProgram(ClassDiffers, frozen=True, kw_only=True):
    """The head of the class is replaced by one that another program trains.

    What it means
        The weights are those of a reward model or a critic: in place of the head of the class in `architectures` there
        is a matrix of one row, under the name that a training program gives it.

    Why it matters
        Loaders build the class that the config names, with a random head, and ignore the stored one.

    Example
        error[N472] head-of-another-program: the head is that of OpenRLHF
          config   LlamaForCausalLM
          missing  lm_head.weight
          stored   value_head.weight
          help     load it with OpenRLHF's get_llm_for_sequence_regression; for
                   transformers rename value_head.weight to score.weight and set
                   "architectures": ["LlamaForSequenceClassification"] and "num_labels":
                   1 in config.json

    What to do
        Load it with the program that trained it, or give the head the name that transformers has for such a head.
    """

    code = "N472"

    program: str
    reader: str
    renamed: str
    prefix: str = ""
    """The stored prefix of the base model's names, instead of `root`."""
    root: str = ""

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return None

    def headline(self) -> str:
        return f"the head is that of {self.program}"

    def remedy(self) -> Remedy:
        other = super().remedy()
        steps = tuple(Step(action="rename", old=name, new=self.renamed) for name in self.stored)
        begin = ""
        if self.prefix:
            begin = f'begin the others with "{self.root}" instead of "{self.prefix}" '
            steps = (*steps, Step(action="rename", old=f"{self.prefix}*", new=f"{self.root}*"))
        rename = f"for transformers rename {self.stored[0]} to {self.renamed}{',' if begin else ''} {begin}and"
        return Remedy(f"load it with {self.reader}; {rename} {other.words}", (*steps, *other.steps))


class ClassLeavesOutHead(ClassDiffers, frozen=True, kw_only=True):
    """The config names the base class of a model whose head is stored too.

    What it means
        The weights are those of a class with a head; the config names its base. The loader that the folder is made for
        loads every tensor of the base and leaves out the head.

    Why it matters
        The head is not loaded. Parameters are counted for the class of the weights.

    Example
        note[N442] class-leaves-out-head: the weights are BartForConditionalGeneration's
          config  BartModel
          stored  final_logits_bias, model.decoder.embed_positions.weight,
                  model.decoder.layernorm_embedding.bias and 17 more

    What to do
        Nothing; or name the class of the weights in `architectures`, to load the head.
    """

    code = "N442"
    severity = "note"
    row_texts = (("config", "{declared}"), ("stored", "{stored:listed 3}"))

    def remedy(self) -> Remedy:
        return NOTHING_TO_DO


class HeadUntrained(ClassDiffers, frozen=True, kw_only=True):
    """The weights are a base model's, and the config names a class with a head.

    What it means
        Nothing of the head is stored. Encoders are often saved like this: the config keeps the class that they were
        trained with, and what uses them reads the base model.

    Why it matters
        Loaded as the class that the config names, the model has a random head; as the base class it is complete.

    Example
        warning[N431] head-untrained: the weights are DistilBertModel's
          config   DistilBertForMaskedLM
          missing  vocab_transform.weight, vocab_transform.bias, vocab_layer_norm.weight
                   and 2 more
          help     set "architectures": ["DistilBertModel"] in config.json, or train the
                   head of DistilBertForMaskedLM, which is random until then

    What to do
        Name the base class in `architectures`, or train the head.
    """

    code = "N431"
    severity = "warning"

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return None


class BaseModelUsed(ClassDiffers, frozen=True, kw_only=True):
    """The weights are a base model's, and only the base model is used.

    What it means
        The config names a class with a head, but no part of the head is stored. modules.json or a pooling
        config shows that only the base model is used. The base model is complete, and the counts are compared
        with it.

    Why it matters
        It does not matter for this use. Loaded as the class that the config names, the model has a randomly
        initialized head.

    Example
        note[N432] base-model-used: the weights are DistilBertModel's
          config   DistilBertForMaskedLM
          missing  vocab_transform.weight, vocab_transform.bias, vocab_layer_norm.weight
                   and 2 more

    What to do
        Nothing, as long as the base model is used.
    """

    code = "N432"
    severity = "note"

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return None

    def remedy(self) -> Remedy:
        return NOTHING_TO_DO
