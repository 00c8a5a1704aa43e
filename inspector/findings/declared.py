"""Findings on classes, code, tokens and modules that JSON files name but the folder or the weights do not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count, first, listed, number, value


class ClassOfAnotherType(ContentFinding, frozen=True, kw_only=True):
    """The config names a class of another model type.

    What it means
        The class in `architectures` belongs to another type than `model_type`, with other modules.

    Why it matters
        AutoModel follows `model_type`; vLLM, pipelines and whoever loads the named class build the other model and
        leave weights random, or fail.

    Example
        warning[C317] class-of-another-type: Qwen2ForCausalLM is a class of qwen2
          config  model_type llama
          help    set "architectures": ["LlamaForCausalLM"] in config.json

    What to do
        Name the class of the model type that the weights belong to.
    """

    code = "C317"
    severity = "warning"

    file: str
    class_name: str = msgspec.field(name="class")
    of: str
    model_type: str
    wanted: str | None

    headline_text = "{class_name} is a class of {of}"
    row_texts = (("config", "model_type {model_type}"),)

    def remedy(self) -> Remedy:
        if self.wanted is None:
            return Remedy(f"name a class of {self.model_type} in {self.file}")
        step = Step(action="set", file=self.file, key=("architectures",), old=[self.class_name], new=[self.wanted])
        return Remedy(f'set "architectures": ["{self.wanted}"] in {self.file}', (step,))


class ModelTypeMisspelled(ContentFinding, frozen=True, kw_only=True):
    """The model type is misspelled.

    What it means
        transformers has no such type, and a type that differs in case, hyphens or underscores, or in one letter where
        that type has the names of all tensors. The definition of that type was used.

    Why it matters
        AutoConfig compares the letters exactly and refuses the folder.

    Example
        error[C325] model-type-misspelled: LLaMA
          known  llama
          help   set "model_type": "llama" in config.json

    What to do
        Write the type as transformers does.
    """

    code = "C325"

    file: str
    model_type: str
    known: str

    headline_text = "{model_type}"
    row_texts = (("known", "{known}"),)

    def remedy(self) -> Remedy:
        step = Step(action="set", file=self.file, key=("model_type",), old=self.model_type, new=self.known)
        return Remedy(f'set "model_type": "{self.known}" in {self.file}', (step,))


class ModelTypeEarlier(ContentFinding, frozen=True, kw_only=True):
    """The model type is the one from the model's original repositories.

    What it means
        transformers supports this model under another model type and with other names for some sizes. With
        these names the config explains the name and the shape of every stored tensor. The config has no
        `auto_map`, which would name the original code.

    Why it matters
        AutoConfig does not know this type and refuses the folder.

    Example
        error[C327] model-type-earlier: RefinedWebModel is falcon in transformers
          help  set "model_type": "falcon", "new_decoder_architecture": false,
                "architectures": ["FalconForCausalLM"], "num_hidden_layers": 32,
                "num_attention_heads": 71 in config.json

    What to do
        Use the model type and the key names of transformers, or download the config.json of the newest
        revision.
    """

    code = "C327"

    file: str
    model_type: str
    known: str
    values: Mapping[str, Any]

    headline_text = "{model_type} is {known} in transformers"

    def remedy(self) -> Remedy:
        steps = [Step(action="set", file=self.file, key=(key,), new=new) for key, new in self.values.items()]
        words = ", ".join(f'"{key}": {value(new)}' for key, new in self.values.items())
        return Remedy(f"set {words} in {self.file}", tuple(steps))


class ClassUnknown(ContentFinding, frozen=True, kw_only=True, omit_defaults=True):
    """The config names a class that transformers does not have.

    What it means
        The class in `architectures` is neither one of transformers nor code of the repository (`auto_map`). torch
        puts FSDP or DDP before the name of a class that it wraps, and a training program may save that name.

    Why it matters
        AutoModel follows `model_type` and does not need the name. Programs that build the named class fail, such as
        vLLM.

    Example
        note[C318] class-unknown: LlamaForCausaLM
          similar  LlamaForCausalLM
          help     set "architectures": ["LlamaForCausalLM"] in config.json, unless
                   another library has LlamaForCausaLM

    What to do
        Nothing, if the class belongs to another library; otherwise correct the name.
    """

    code = "C318"
    severity = SeverityIf(lambda finding: finding.wrapper, "warning", "note", usual="note")

    class_name: str = msgspec.field(name="class")
    similar: str | None
    wrapper: str = ""

    headline_text = "{class_name}"
    row_texts = (
        ("wrapper", "torch puts {wrapper} before the class while it trains", "wrapper"),
        ("similar", "{similar}", "similar"),
    )

    def remedy(self) -> Remedy:
        if self.similar is None:
            return super().remedy()
        step = Step(action="set", file="config.json", key=("architectures",), new=[self.similar])
        words = f'set "architectures": ["{self.similar}"] in config.json'
        return Remedy(words if self.wrapper else f"{words}, unless another library has {self.class_name}", (step,))


class CodeFileMissing(Finding, frozen=True, kw_only=True):
    """The folder lacks code files that its configs name.

    What it means
        `auto_map` in config.json, tokenizer_config.json or the config of a processor names modules of the repository
        that were not copied with the weights, or a module that is here imports one of them (`from .name import`).
        What an absent module imports is not known.

    Why it matters
        transformers needs them to build the model or its tokenizer (trust_remote_code) and fails without them.

    Example
        error[C319] code-file-missing: modeling_mine.py
          named by  AutoModelForCausalLM
          help      fetch modeling_mine.py and the files that it imports from the
                    repository of the model

    What to do
        Copy the files from the original repository. If transformers has the type itself, `auto_map` can be removed.
    """

    code = "C319"

    files: tuple[str, ...]
    named_by: tuple[str, ...]

    headline_text = "{files:listed 4}"
    row_texts = (("named by", "{named_by:listed 6}"),)

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="fetch", file=name) for name in self.files)
        more = "the files that it imports" if len(self.files) == 1 else "the files that they import"
        return Remedy(f"fetch {listed(self.files, 8)} and {more} from the repository of the model", steps)


class CodeFileAbsent(CodeFileMissing, frozen=True, kw_only=True):
    """The config names code files that are not here, and that may not be needed here.

    What it means
        `auto_map` names modules of the repository, or its code imports them. transformers has the model type itself,
        and needs no code for it.

    Why it matters
        Loading with trust_remote_code fails without them.

    Example
        note[C322] code-file-absent: modeling_mine.py
          named by  AutoModelForCausalLM
          help      fetch modeling_mine.py and the files that it imports from the
                    repository of the model

    What to do
        Fetch the files if the model is to be loaded with its own code.
    """

    code = "C322"
    severity = "note"


class CodeElsewhere(Finding, frozen=True, kw_only=True):
    """The code of the model is that of another repository, which the config names.

    What it means
        `auto_map` names classes as REPOSITORY--MODULE.CLASS, and the folder has no copy of these modules. transformers
        has no such type itself.

    Why it matters
        With trust_remote_code=True transformers fetches the code from the Hub or reads its cache: without a network it
        fails, and the newest code of the other repository decides what is built.

    Example
        note[C355] code-elsewhere: the code is in someone/mine
          files     modeling_mine.py
          named by  AutoModel
          help      to use the folder alone copy this file into it, and remove
                    "someone/mine--" from auto_map; otherwise transformers fetches it
                    with trust_remote_code=True

    What to do
        Nothing with a network. To use the folder alone, copy the files, and what they import, and remove the name of
        the repository from `auto_map` in config.json and tokenizer_config.json.
    """

    code = "C355"
    severity = "note"
    advises = True

    repositories: tuple[str, ...]
    files: tuple[str, ...]
    named_by: tuple[str, ...]

    headline_text = "the code is in {repositories:listed 2}"
    row_texts = (("files", "{files:listed 4}"), ("named by", "{named_by:listed 6}"))

    def remedy(self) -> Remedy:
        these = "this file" if len(self.files) == 1 else "these files"
        names = " and ".join(f'"{one}--"' for one in self.repositories)
        return Remedy(
            f"to use the folder alone copy {these} into it, and remove {names} from auto_map; otherwise transformers "
            f"fetches {'it' if len(self.files) == 1 else 'them'} with trust_remote_code=True"
        )


class TokenIds(msgspec.Struct, frozen=True):
    """Token ids of one file beyond the embedding's rows. names: the first keys or tokens. largest: the largest id.

    appended: the file names the tokens, and the vocabulary does not have them, so that they get the next ids.
    """

    file: str
    names: tuple[str, ...]
    tokens: int
    largest: int
    appended: bool = False


class TokensBeyondRows(ContentFinding, frozen=True, kw_only=True):
    """Token ids are at or above the number of embedding rows.

    What it means
        The tokenizer or the config has tokens for which the embedding has no row: the tokenizer is that of another
        model, tokens were added without resizing the embedding, or the embedding was cut. In a model whose code is not
        known here, the table is the one with the usual name and the rows that the config states, if there is one alone.

    Why it matters
        Looking up such a token fails, on a GPU often without a useful message.

    Example
        warning[C320] tokens-beyond-rows: 1 token in config.json
          rows    128256 (model.embed_tokens.weight)
          tokens  config.json: eos_token_id, largest id 128256
          help    set eos_token_id in config.json to the ids that the tokenizer of these
                  weights has

    What to do
        Use the tokenizer of these weights; or resize the embedding (`resize_token_embeddings`) and train the new rows.
    """

    code = "C320"
    severity = "warning"

    embedding: int = msgspec.field(name="rows")
    family: str
    beyond: tuple[TokenIds, ...]

    def headline(self) -> str:
        tokens = count(sum(one.tokens for one in self.beyond), "token")
        return f"{tokens} in {listed([one.file for one in self.beyond], 3)}"

    def rows(self) -> Rows:
        tokens = [
            f"{one.file}: {first(one.names, one.tokens, 3)}, "
            + ("not in the vocabulary; " if one.appended else "")
            + f"largest id {one.largest}"
            for one in self.beyond
        ]
        return [("rows", f"{self.embedding} ({self.family})"), *(("tokens", one) for one in tokens)]

    def remedy(self) -> Remedy:
        largest = max(one.largest for one in self.beyond) + 1
        if all(one.file == "config.json" for one in self.beyond):
            names = listed([name for one in self.beyond for name in one.names], 3)
            return Remedy(f"set {names} in config.json to the ids that the tokenizer of these weights has")
        resize = f"resize the embedding to {number(largest)} rows and train the new ones"
        if all(one.appended for one in self.beyond):
            return Remedy(f"name tokens of the vocabulary in {self.beyond[0].file}, or {resize}")
        return Remedy(f"use the tokenizer that belongs to these weights, or {resize}")
