"""Findings on the components of pipelines without weights."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import value


class SettingRefused(ContentFinding, frozen=True, kw_only=True):
    """A scheduler, a tokenizer or an image processor has a setting that its class refuses.

    What it means
        The class that model_index.json or the file names knows no such value of this key, cannot compute with it, or
        does not take it together with another setting. An image processor takes a size as a number, a list or an
        object.

    Why it matters
        diffusers refuses the pipeline, or loads it and the first call of the pipeline fails. Without a pipeline,
        `AutoTokenizer` refuses the tokenizer of a model, whose weights load.

    Example
        error[C326] setting-refused: scheduler: beta_schedule
          class    PNDMScheduler: it cannot be built
          because  "linearr" is none of linear, scaled_linear, squaredcos_cap_v2
          help     set "beta_schedule": "linear" in scheduler/scheduler_config.json

    What to do
        Use the file of the original repository, or a value that the class knows.
    """

    code = "C326"

    component: str
    class_name: str = msgspec.field(name="class")
    key: str
    stated: Any = msgspec.field(name="config")
    because: str
    built: bool
    """True if the constructor refuses the value; else its first call does."""
    meant: Any = msgspec.UNSET

    headline_text = "{component}: {key}"

    def rows(self) -> Rows:
        fails = "it cannot be built" if self.built else "it is built, and its first call fails"
        return [("class", f"{self.class_name}: {fails}"), ("because", self.because)]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        if self.meant is msgspec.UNSET:
            return Remedy(f'correct "{self.key}" in {file}, or download the file again')
        step = Step(action="set", file=file, key=(self.key,), old=self.stated, new=self.meant)
        return Remedy(f'set "{self.key}": {value(self.meant)} in {file}', (step,))


class TokenizerClassMisspelled(ContentFinding, frozen=True, kw_only=True):
    """The class of the tokenizer is spelled with other capitals.

    What it means
        No version of transformers has a class of this name: early conversions of LLaMA wrote `LLaMATokenizer`. There is
        no tokenizer.json that would say how to split texts.

    Why it matters
        transformers 5 reads the pieces with a general class, which splits texts into other tokens than those that the
        model was trained with, without a message. transformers 4.57 raises "Tokenizer class ... does not exist".

    Example
        error[C351] tokenizer-class-misspelled: tokenizer_class: LLaMATokenizer
          loaders  transformers 5.23 splits texts into other tokens, 4.57 refuses it
          help     set "tokenizer_class": "LlamaTokenizer" in tokenizer_config.json

    What to do
        Correct the name.
    """

    code = "C351"

    stated: str = msgspec.field(name="config")
    meant: str

    headline_text = "tokenizer_class: {stated}"
    row_texts = (("loaders", "transformers 5.23 splits texts into other tokens, 4.57 refuses it"),)

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        step = Step(action="set", file=file, key=("tokenizer_class",), old=self.stated, new=self.meant)
        return Remedy(f'set "tokenizer_class": {value(self.meant)} in {file}', (step,))


class TokenizerUnread(ContentFinding, frozen=True, kw_only=True):
    """The tokenizer class named by a pipeline cannot read the tokenizer in its folder.

    What it means
        The files are those of another tokenizer than the class in model_index.json: a class whose vocabulary has scores
        does not read one without, and a class without a vocabulary of its own needs tokenizer.json, or the name of the
        tokenizer in tokenizer_config.json.

    Why it matters
        diffusers refuses the pipeline.

    Example
        error[N573] tokenizer-unread: tokenizer (T5Tokenizer)
          because  it reads words with scores, and tokenizer.json has words with numbers
          help     set "tokenizer": ["transformers", "CLIPTokenizer"] in
                   model_index.json

    What to do
        Name the class with which the tokenizer was saved, or download its folder again.
    """

    code = "N573"

    component: str
    class_name: str = msgspec.field(name="class")
    because: str
    saved_class: str | None
    """The class in tokenizer_config.json."""

    headline_text = "{component} ({class_name})"
    row_texts = (("because", "{because}"),)

    def remedy(self) -> Remedy:
        if self.saved_class is None:
            return Remedy(f'name the class of this tokenizer at "{self.component}", or download the folder again')
        old, new = (["transformers", name] for name in (self.class_name, self.saved_class))
        step = Step(action="set", file=str(self.place.file), key=(self.component,), old=old, new=new)
        return Remedy(f'set "{self.component}": {value(new)} in {self.place.file}', (step,))
