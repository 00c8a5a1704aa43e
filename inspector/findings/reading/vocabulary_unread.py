"""The finding on a vocabulary that the tokenizer of the model's type does not read."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import listed

WRITERS = {
    "sentencepiece.bpe.model": ("XLMRobertaTokenizer", "CamembertTokenizer", "MBartTokenizer"),
    "spiece.model": ("T5Tokenizer", "AlbertTokenizer", "XLNetTokenizer"),
    "tokenizer.model": ("LlamaTokenizer", "GemmaTokenizer"),
    "vocab.txt": ("BertTokenizer",),
    "vocab.json": ("GPT2Tokenizer", "RobertaTokenizer", "Qwen2Tokenizer"),
}
"""File -> classes that write it, the most frequent first."""


class VocabularyUnread(Finding, frozen=True, kw_only=True):
    """The tokenizer of this model type does not read the vocabulary in the folder.

    What it means
        The model type decides the class of the tokenizer where neither tokenizer_config.json nor config.json states
        another. That class looks for a file of its own, such as vocab.txt, which is not here; the vocabulary that is
        here belongs to another class. Models that were distilled or converted with the tokenizer of another type are
        published like this.

    Why it matters
        The weights load. `AutoTokenizer` of transformers 5.23 builds a tokenizer without words for many types, without
        a warning: every text becomes unknown tokens, and sentences get equal embeddings. That of 4.57 refuses.

    Example
        warning[R066] vocabulary-unread: sentencepiece.bpe.model, and the tokenizer of
          bert reads vocab.txt
          loader  AutoTokenizer of transformers 5.23 finds no words or refuses; that of
                  4.57 refuses
          help    set "tokenizer_class": "XLMRobertaTokenizer" in config.json, or the
                  other class that wrote sentencepiece.bpe.model (CamembertTokenizer,
                  MBartTokenizer); if it is not this model's, copy vocab.txt from the
                  base model

    What to do
        Name the class that the vocabulary belongs to, or add the file that the tokenizer of the type reads.
    """

    code = "R066"
    severity = "warning"

    model_type: str
    read: str
    present: tuple[str, ...]

    headline_text = "{present:listed 3}, and the tokenizer of {model_type} reads {read}"

    def rows(self) -> Rows:
        return [
            ("loader", "AutoTokenizer of transformers 5.23 finds no words or refuses; that of 4.57 refuses"),
        ]

    def remedy(self) -> Remedy:
        wrote, *others = WRITERS[self.present[0]]
        more = f", or the other class that wrote {self.present[0]} ({listed(others)})" if others else ""
        copied = f"if it is not this model's, copy {self.read} from the base model"
        return Remedy(f'set "tokenizer_class": "{wrote}" in {self.place.file}{more}; {copied}')


class VocabularyAbsent(Finding, frozen=True, kw_only=True):
    """The folder has a part of a tokenizer, without its vocabulary.

    What it means
        tokenizer_config.json, or another file of the tokenizer, is here. tokenizer.json is not, nor the vocabulary that
        the class of the tokenizer reads in its place: the words, or the merges that belong to them. A download of
        chosen files, or a repository that does not accept large files, leaves it out.

    Why it matters
        The weights load. `AutoTokenizer` of transformers 4.57 refuses the folder; that of 5.23 refuses it too, or
        builds a tokenizer with the special tokens alone, without a warning: every text becomes unknown tokens.

    Example
        warning[R080] vocabulary-absent: no vocab.txt beside tokenizer_config.json
          loader  AutoTokenizer of transformers 5.23 finds no words or refuses; that of
                  4.57 refuses
          help    download vocab.txt, or tokenizer.json in its place; if they are
                  nowhere, save the tokenizer of the base model here:
                  AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)

    What to do
        Add the file, from the original repository or the base model.
    """

    code = "R080"
    severity = "warning"

    read: tuple[str, ...]
    """Files of which one is needed."""
    beside: str

    def headline(self) -> str:
        return f"no {self.read[0]} beside {self.beside}"

    def rows(self) -> Rows:
        return [("loader", "AutoTokenizer of transformers 5.23 finds no words or refuses; that of 4.57 refuses")]

    def remedy(self) -> Remedy:
        saved = "AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)"
        return Remedy(
            f"download {self.read[0]}, or tokenizer.json in its place; if they are nowhere, save the tokenizer of the "
            f"base model here: {saved}",
            (Step(action="fetch", file=self.read[0]),),
        )
