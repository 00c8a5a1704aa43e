"""The findings on the tokenizer in the folder of a model: absent, damaged, or of a newer version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.reading.content import CONFIG_FORMATS, KEPT_LINKS
from inspector.findings.words import listed, value

CLASS = "tokenizer_class"
EXTRA = "extra_special_tokens"
CUT = ("is truncated", "ends inside a string")
"""Faults of the text of a file that was not received whole."""


class TokenizerAbsent(Finding, frozen=True, kw_only=True):
    """The folder of a model that reads tokens has no file of a tokenizer.

    What it means
        The folder has the part of a processor that reads images or sound, files of a training or a repository, and no
        tokenizer.json, vocab.json or the like (R065 where only chosen files may be here). A training saves both only
        if it was given the whole processor, and not the feature extractor alone. Or
        it is a sentence encoder with modules.json and without a tokenizer, whose model alone was saved again; or a
        speech model with a CTC head, whose labels are the words of its tokenizer; or a language model, such as a merged
        one, of which `model.save_pretrained` saved the weights alone.

    Why it matters
        The weights load. transformers 4.57 raises a TypeError for the tokenizer; 5.23 builds one with a single token
        without a warning (for most encoders one with the special tokens alone, so that all texts are the same).
        Converters, such as that of faster-whisper, and servers refuse the folder.

    Example
        warning[R060] tokenizer-absent: no tokenizer beside preprocessor_config.json
          loader  transformers 5.23 builds a tokenizer with 1 token; 4.57 refuses
          help    copy the files of the tokenizer from the model that was fine-tuned, or
                  save it here:
                  AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)

    What to do
        Copy the tokenizer of the base model, or save it into the folder.
    """

    code = "R060"
    severity = "warning"

    of_encoder: bool = False
    """True for a sentence encoder, which has no processor."""
    refused: bool = False
    """True for a speech model that writes text: both versions refuse it."""
    of_text: bool = False
    """True for a language model, which has no processor either."""

    def headline(self) -> str:
        return "no tokenizer in this folder" if self.of_text else f"no tokenizer beside {self.place.file}"

    def rows(self) -> Rows:
        if self.refused:
            return [("loader", "AutoTokenizer and AutoProcessor of transformers 5.23 and 4.57 refuse")]
        built = "without words, or refuses" if self.of_encoder or self.of_text else "with 1 token"
        return [("loader", f"transformers 5.23 builds a tokenizer {built}; 4.57 refuses")]

    remedy_text = (
        "copy the files of the tokenizer from the model that was fine-tuned, or save it here: "
        "AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)"
    )


class TokenizerDamaged(Finding, frozen=True, kw_only=True):
    """A file of the tokenizer cannot be read.

    What it means
        The file is a git-lfs pointer or a web page that was saved in its place, is empty or is not valid JSON. The
        weights are read without it, so a download may have fetched them alone: tokenizer.json of a large vocabulary is
        kept in git-lfs, too.

    Why it matters
        The weights load, but the tokenizer does not: `AutoTokenizer`, pipelines, servers and converters raise an
        error that does not name the file, such as a JSONDecodeError.

    Example
        error[R061] tokenizer-damaged: tokenizer.json is a git-lfs pointer
          loader  AutoTokenizer of transformers 5.23 and 4.57 does not read it
          help    run `git lfs install` and `git lfs pull` in the folder

    What to do
        Download the file again.
    """

    code = "R061"

    what: str
    problem: str
    files: tuple[str, ...]

    def headline(self) -> str:
        what = CONFIG_FORMATS.get(self.what, self.what)
        return f"{self.place.file} {f'is {what}' if what else self.problem}"

    def rows(self) -> Rows:
        also = [("also", listed(self.files[1:], 3))] if len(self.files) > 1 else []
        return [*also, ("loader", "AutoTokenizer of transformers 5.23 and 4.57 does not read it")]

    def remedy(self) -> Remedy:
        if self.what == "git-lfs-pointer":
            return Remedy("run `git lfs install` and `git lfs pull` in the folder")
        steps = tuple(Step(action="fetch", file=file) for file in self.files)
        words = f"download {'these files' if len(self.files) > 1 else 'this file'} again"
        if self.what == "link-text":
            return Remedy(f"{words}, or {KEPT_LINKS}", steps)
        return Remedy(words if self.what or self.problem in CUT else "repair the file, or download it again", steps)


class TokenizerUnnamed(Finding, frozen=True, kw_only=True):
    """Nothing says which class reads the tokenizer.

    What it means
        The folder has files of a vocabulary, no tokenizer_config.json and no tokenizer.json. transformers does not have
        the model type, so that it knows no class of tokenizers for it, and the code in `auto_map` names none.

    Why it matters
        The weights load. `AutoTokenizer` of 4.57 raises "Unrecognized configuration class", that of 5.23 "Couldn't
        instantiate the backend tokenizer".

    Example
        warning[R064] tokenizer-unnamed: no tokenizer_config.json for vocab.json
          loader  AutoTokenizer of transformers 5.23 and 4.57 finds no class for aquila
          help    download tokenizer_config.json

    What to do
        Download tokenizer_config.json, which names the class.
    """

    code = "R064"
    severity = "warning"

    files: tuple[str, ...]
    model_type: str

    headline_text = "no {place.file} for {files:listed 3}"
    row_texts = (("loader", "AutoTokenizer of transformers 5.23 and 4.57 finds no class for {model_type}"),)

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        return Remedy(f"download {file}", (Step(action="fetch", file=file),))


class TokenizerReadByNewer(Finding, frozen=True, kw_only=True):
    """The tokenizer has settings that transformers 4.57 refuses.

    What it means
        transformers 5 writes `extra_special_tokens` as a list and general names of classes, and reads the files with a
        general class under a name that it does not know. transformers 4.57 refuses each of these.

    Why it matters
        The weights load in both versions. `AutoTokenizer` of 4.57 raises "'list' object has no attribute 'keys'", or
        that the tokenizer class does not exist, and so do vLLM and other programs with this version.

    Example
        note[C350] tokenizer-read-by-newer: tokenizer_config.json: extra_special_tokens,
          tokenizer_class
          refused  by AutoTokenizer of transformers 4.57: extra_special_tokens is an
                   object of names and tokens there, no list; there is no class
                   TokenizersBackend
          help     for transformers 4, set "additional_special_tokens": ["<a>"] and
                   "tokenizer_class": "PreTrainedTokenizerFast", and remove
                   "extra_special_tokens" in tokenizer_config.json

    What to do
        Nothing for transformers 5. For programs with transformers 4, set the values, which both versions read.
    """

    code = "C350"
    severity = "note"
    advises = True

    keys: tuple[str, ...]
    because: tuple[str, ...]
    to_set: Mapping[str, Any]
    unsolved: tuple[str, ...]
    """The keys without a value that is known to be right: a list is to be removed, a class to be named."""

    def headline(self) -> str:
        return f"{self.place.file}: {', '.join(self.keys)}"

    def rows(self) -> Rows:
        return [("refused", f"by AutoTokenizer of transformers 4.57: {'; '.join(self.because)}")]

    def remedy(self) -> Remedy:
        stated = " and ".join(f'"{key}": {value(one)}' for key, one in self.to_set.items())
        words = [f"set {stated}"] if stated else []
        if EXTRA in self.keys:
            words.append(f'remove "{EXTRA}"')
        if CLASS in self.unsolved:
            words.append("name the class that the tokenizer was saved with")
        return Remedy(f"for transformers 4, {', and '.join(words)} in {self.place.file}")

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        """A warning if the audit is for this version."""
        return TokenizerRefusedByOlder(**self.stated_fields()) if loader.startswith("transformers 4") else self


class TokenizerRefusedByOlder(TokenizerReadByNewer, frozen=True, kw_only=True):
    """The tokenizer has settings that transformers 4.57 refuses, for which the checkpoint is judged.

    What it means
        `--for transformers@4` asks whether this version reads the folder. transformers 5 saved the tokenizer, with a
        list of `extra_special_tokens`, or a general class.

    Why it matters
        The weights load. `AutoTokenizer` of 4.57 raises "'list' object has no attribute 'keys'", or that the tokenizer
        class does not exist.

    Example
        warning[C352] tokenizer-refused-by-older: tokenizer_config.json:
          extra_special_tokens, tokenizer_class
          refused  by AutoTokenizer of transformers 4.57: extra_special_tokens is an
                   object of names and tokens there, no list; there is no class
                   TokenizersBackend
          help     for transformers 4, set "additional_special_tokens": ["<a>"] and
                   "tokenizer_class": "PreTrainedTokenizerFast", and remove
                   "extra_special_tokens" in tokenizer_config.json

    What to do
        Set the values, which both versions read.
    """

    code = "C352"
    severity = "warning"
