"""The findings on settings of generation with which it does not end, or ends too early."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import listed, value


class GenerationNotEnded(Finding, frozen=True, kw_only=True):
    """Generation does not end with the token that ends a turn of the chat, or the text.

    What it means
        The chat template ends each turn with the tokenizer's `eos_token`, and `eos_token_id` is the id of other tokens,
        which the template does not write: the tokenizer was changed for the training, and generation_config.json is
        still that of the base model. Or `eos_token_id` is the id of the tokenizer's `bos_token` or `unk_token`, as in
        early conversions of LLaMA. Or it is beyond the vocabulary.

    Why it matters
        The model loads. `generate` goes on after the end of the answer until `max_new_tokens`, and writes further turns
        of the chat. It reads generation_config.json, and config.json only without that file; servers that add the
        tokenizer's `eos_token` stop.

    Example
        warning[R082] generation-not-ended: eos_token_id in generation_config.json
          stated  2 (</s>)
          turns   end with <|im_end|>, 321, by the chat template
          help    set "eos_token_id": [321, 2] in generation_config.json

    What to do
        State the id of the token that ends a turn, beside the others.
    """

    code = "R082"
    severity = "warning"

    stated: tuple[int, ...]
    names: tuple[str, ...] = ()
    """The tokens with the stated ids."""
    token: str = ""
    wanted: int = 0
    roles: tuple[str, ...] = ()
    """What the tokens with the stated ids are for the tokenizer, if the chat template is no evidence."""
    embedding: int = 0
    """The size of the vocabulary, if all stated ids are beyond it."""

    headline_text = "{place.key} in {place.file}"

    def rows(self) -> Rows:
        if self.embedding:
            ids = listed([str(one) for one in self.stated], 4)
            return [("stated", ids), ("because", f"the vocabulary has {self.embedding:,} ids, from 0")]
        named = [f"{one} ({name})" for one, name in zip(self.stated, self.names, strict=False)]
        if self.roles:
            return [
                ("stated", listed(named, 4)),
                ("tokenizer", f"this is its {listed(list(dict.fromkeys(self.roles)), 2)}; "
                 f"its eos_token is {self.token}, {self.wanted}"),
            ]  # fmt: skip
        return [
            ("stated", listed(named, 4)),
            ("turns", f"end with {self.token}, {self.wanted}, by the chat template"),
        ]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        if self.embedding:
            return Remedy(f"set eos_token_id in {file} to the id of the tokenizer's eos_token")
        ids = self.wanted if self.roles else [self.wanted, *self.stated]
        step = Step(action="set", file=file, key=("eos_token_id",), new=ids)
        return Remedy(f'set "eos_token_id": {value(ids)} in {file}', (step,))


class GenerationEndsAtWord(Finding, frozen=True, kw_only=True):
    """Generation ends at a word of the vocabulary, and not at the tokenizer's token that ends a text.

    What it means
        `eos_token_id` is the id of a word or a part of one, by the complete list of special tokens in tokenizer.json.
        It is often that of another tokenizer, or of the config that a conversion started from. A few models end at a
        line break on purpose, as BLIP-2 with OPT does.

    Why it matters
        The model loads. `generate` stops at the first such word, and goes on after the token that ends the text.

    Example
        note[R084] generation-ends-at-word: eos_token_id in config.json
          stated     2, which is no special token of tokenizer.json
          tokenizer  its eos_token is <|endoftext|>, 319
          help       unless the model ends its texts with this word, set "eos_token_id":
                     319 in config.json

    What to do
        State the id of the tokenizer's `eos_token`, unless the model was trained to end with this word.
    """

    code = "R084"
    severity = "note"

    stated: tuple[int, ...]
    token: str
    wanted: int

    headline_text = "{place.key} in {place.file}"
    remedy_text = 'unless the model ends its texts with this word, set "eos_token_id": {wanted} in {place.file}'

    def rows(self) -> Rows:
        ids, are = [str(one) for one in self.stated], "is" if len(self.stated) == 1 else "are"
        return [
            ("stated", f"{listed(ids, 4)}, which {are} no special token of tokenizer.json"),
            ("tokenizer", f"its eos_token is {self.token}, {self.wanted}"),
        ]


class TurnsEndElsewhere(Finding, frozen=True, kw_only=True):
    """The chat template ends each turn with a token at which generation goes on.

    What it means
        The template writes this token behind the content of each message, and `eos_token_id` has other ids, among them
        that of the tokenizer's `eos_token`. This is right for base models that only carry the template of their chat
        model, as Qwen2.5 does. A model that was trained for chat needs the id.

    Why it matters
        The model loads. If it was trained with this template, `generate` goes on after its answer until
        `max_new_tokens`, and writes further turns of the chat.

    Example
        note[R094] turns-end-elsewhere: eos_token_id in generation_config.json
          stated  301 (<|end_of_text|>)
          turns   end with <|eot_id|>, 309, by the chat template
          help    if the model was trained with this template, set "eos_token_id": [309,
                  301] in generation_config.json

    What to do
        If the model was trained with this template, state the id beside the others. Leave base models as they are.
    """

    code = "R094"
    severity = "note"

    stated: tuple[int, ...]
    names: tuple[str, ...]
    """The tokens with the stated ids."""
    wanted: tuple[tuple[int, str], ...]
    """(id, token) of those with which the template ends a turn."""

    headline_text = "{place.key} in {place.file}"

    def rows(self) -> Rows:
        named = [f"{one} ({name})" for one, name in zip(self.stated, self.names, strict=True)]
        ends = [f"{token}, {number}" for number, token in self.wanted]
        return [("stated", listed(named, 4)), ("turns", f"end with {' or '.join(ends)}, by the chat template")]

    def remedy(self) -> Remedy:
        ids = [*(number for number, _ in self.wanted), *self.stated]
        return Remedy(
            f'if the model was trained with this template, set "eos_token_id": {value(ids)} in {self.place.file}'
        )
