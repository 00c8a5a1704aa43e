"""Findings on the keys of a GGUF file that llama.cpp reads with its vocabulary: their types, its kind, its tokens."""

from __future__ import annotations

from inspector.findings.finding import NAMES_SHOWN, ContentFinding, Remedy, Rows
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count


class GgufTypesDiffer(ContentFinding, frozen=True, kw_only=True):
    """A key of a GGUF file has a value of another type than llama.cpp reads.

    What it means
        GGUF stores the type of every value. llama.cpp reads a number of layers, for example, only as uint32: the same
        number as int32 or uint64 is another type.

    Why it matters
        llama.cpp refuses the file: "key has wrong type". The program that wrote it chose the type by itself.

    Example
        error[N700] gguf-types-differ: llama.block_count
          stored     int32
          expected   uint32
          reference  llama.cpp refuses it: key llama.block_count has wrong type
          help       convert the model again with llama.cpp's converter, or write a copy
                     of the file in which this key is uint32

    What to do
        Convert the model again with llama.cpp's converter. A program that writes GGUF files by itself must write the
        expected types; gguf_set_metadata does not change the type of a key.
    """

    code = "N700"

    keys: tuple[str, ...]
    stored: tuple[str, ...]
    expected: tuple[str, ...]

    def headline(self) -> str:
        more = len(self.keys) - NAMES_SHOWN
        return f"{', '.join(self.keys[:NAMES_SHOWN])}{f' and {more} more' if more > 0 else ''}"

    def rows(self) -> Rows:
        return [
            ("stored", _words(self.stored)),
            ("expected", _words(self.expected)),
            ("reference", f"llama.cpp refuses it: key {self.keys[0]} has wrong type"),
        ]

    def remedy(self) -> Remedy:
        what = "this key is" if len(self.keys) == 1 else "these keys are"
        copy = f"write a copy of the file in which {what} {_words(self.expected)}"
        return Remedy(f"convert the model again with llama.cpp's converter, or {copy}")

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"key {self.keys[0]} has wrong type {self.stored[0]} but expected type {self.expected[0]}"


def _words(kinds: tuple[str, ...]) -> str:
    """Types, each once or in the order of their keys."""
    return kinds[0] if len(set(kinds)) == 1 else ", ".join(kinds[:NAMES_SHOWN])


class GgufTokenizerUnknown(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file states a kind of vocabulary that llama.cpp does not know.

    What it means
        `tokenizer.ggml.model` says by which method texts become tokens: `gpt2` for byte pairs, `llama` for
        SentencePiece, `bert` for word pieces, `t5` for unigrams. The build of llama.cpp that was measured has no other
        of this name.

    Why it matters
        llama.cpp refuses the file: "unknown tokenizer". A newer one may know the name; it is an error if only the
        spelling of a known one differs.

    Example
        error[N701] gguf-tokenizer-unknown: tokenizer.ggml.model
          stated     "GPT2"
          reference  not known to llama.cpp of October 2026, in xllamacpp 2026.10.11549
          help       set tokenizer.ggml.model to "gpt2" with a GGUF editor

    What to do
        Set the key to the kind of the same vocabulary, or convert the model again. `tokenizer.ggml.pre` is the key for
        the name of a model's tokenizer.
    """

    code = "N701"
    severity = SeverityIf(lambda finding: finding.meant, "error", "warning", usual="error")
    """An error if the kind is a known one in another spelling, else a warning: a newer llama.cpp may know it."""

    stated: str
    meant: str
    source: str

    headline_text = "tokenizer.ggml.model"

    def rows(self) -> Rows:
        return [("stated", f'"{self.stated}"'), ("reference", f"not known to {self.source}")]

    def remedy(self) -> Remedy:
        if self.meant:
            return Remedy(f'set tokenizer.ggml.model to "{self.meant}" with a GGUF editor')
        return Remedy("convert the model again with llama.cpp's converter, or update llama.cpp")

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"unknown tokenizer: '{self.stated}'" if self.meant else ""


class GgufTokenBeyond(ContentFinding, frozen=True, kw_only=True):
    """The number of a special token in a GGUF file is that of no token.

    What it means
        Tokens are numbered from 0; the number is not below the number of tokens. It is that of another tokenizer, or
        the token was added to the model and not to the vocabulary of the file.

    Why it matters
        llama.cpp loads the file and takes a default in place of it ("bad special token"): another token of the
        vocabulary begins each text, or the one that ends an answer is never recognised. A note for tokens that it
        then does without, such as padding.

    Example
        warning[N702] gguf-token-beyond: tokenizer.ggml.eos_token_id
          stated     107
          tokens     107, numbered from 0
          reference  llama.cpp takes a default in its place: bad special token
          help       set tokenizer.ggml.eos_token_id to the number of the token, or
                     convert the model again with the tokenizer that belongs to it

    What to do
        Correct the number with gguf_set_metadata, or convert the model again.
    """

    code = "N702"
    severity = SeverityIf(lambda finding: finding.of_every_text, "warning", "note", usual="warning")
    """A warning if each text begins or ends with the token, else a note."""

    keys: tuple[str, ...]
    numbers: tuple[int, ...]
    tokens: int
    of_every_text: bool

    def headline(self) -> str:
        return ", ".join(self.keys)

    def rows(self) -> Rows:
        place = "its place" if len(self.keys) == 1 else "their place"
        return [
            ("stated", ", ".join(map(str, self.numbers))),
            ("tokens", f"{self.tokens}, numbered from 0"),
            ("reference", f"llama.cpp takes a default in {place}: bad special token"),
        ]

    def remedy(self) -> Remedy:
        one = len(self.keys) == 1
        what = (
            f"{self.keys[0]} to the number of the token" if one else f"{count(len(self.keys), 'key')} to these tokens"
        )
        return Remedy(f"set {what}, or convert the model again with the tokenizer that belongs to it")


class GgufStartNotAdded(ContentFinding, frozen=True, kw_only=True):
    """llama.cpp does not begin the texts of this encoder with the token that its model was trained with.

    What it means
        XLM-RoBERTa and the embedding models made of it read `<s>` before each text. Their vocabulary is of a kind for
        which llama.cpp adds no such token, unless `tokenizer.ggml.add_bos_token` says so; early converters did not
        write the key.

    Why it matters
        The vectors are others than those of the original model. An encoder that takes the first token for the whole
        text takes the first word in its place.

    Example
        warning[N760] gguf-start-not-added: tokenizer.ggml.add_bos_token is absent
          stated   bos_token_id 0, which llama.cpp does not put before a text of this
                   kind of vocabulary (t5)
          pooling  CLS: the first token, which is then a word of the text
          help     convert the model again with a newer llama.cpp, or write a copy of
                   the file in which this key is true

    What to do
        Convert the model again, or add the key to a copy of the file with gguf_new_metadata or a GGUF editor.
    """

    code = "N760"
    severity = "warning"

    number: int
    pooling: str = ""
    """What llama.cpp calls the pooling, if that reads the first token alone."""

    headline_text = "tokenizer.ggml.add_bos_token is absent"
    remedy_text = (
        "convert the model again with a newer llama.cpp, or write a copy of the file in which this key is true"
    )

    def rows(self) -> Rows:
        absent = "which llama.cpp does not put before a text of this kind of vocabulary (t5)"
        rows: Rows = [("stated", f"bos_token_id {self.number}, {absent}")]
        if self.pooling:
            rows.append(("pooling", f"{self.pooling}: the first token, which is then a word of the text"))
        return rows
