"""The finding on added tokens that get other ids than the file states."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import count, number

MOST_STEPS = 200


class AddedTokensRenumbered(ContentFinding, frozen=True, kw_only=True):
    """added_tokens.json leaves an id out, and loaders give the tokens after it smaller ids.

    What it means
        transformers appends the added tokens to the vocabulary in the order of their ids, each with the next number.
        An id that no token of the file has is not kept free. A token was removed from the file, or two tokenizers
        were joined.

    Why it matters
        The tokens behind the gap select the rows before theirs. The slow classes of transformers 4 keep the ids of the
        file, and very old ones refuse it ("Non-consecutive added token").

    Example
        warning[C354] added-tokens-renumbered: added_tokens.json has no id 98
          loaded  2 tokens have other ids: <b> is 99 in the file, 98 loaded
          rows    100
          help    write the ids as they are loaded into added_tokens.json: the embedding
                  has rows for these alone

    What to do
        Write the ids that the model was trained with: those that were loaded, or, with a token for each absent id,
        those of the file.
    """

    code = "C354"
    severity = "warning"

    absent: tuple[int, ...]
    """The first ids that no token has."""
    token: str
    stated: int
    loaded: int
    moved: Mapping[str, int]
    """Token -> its id once loaded."""
    before: Mapping[str, int]
    """The same tokens -> their ids in the file."""
    embedding: int = msgspec.field(name="rows")

    def headline(self) -> str:
        absent = ", ".join(map(str, self.absent[:3]))
        return f"{self.place.file} has no id {absent}{' and others' if len(self.absent) > 3 else ''}"

    def rows(self) -> Rows:
        have = "has another id" if len(self.moved) == 1 else "have other ids"
        which = f"{self.token} is {self.stated} in the file, {self.loaded} loaded"
        return [("loaded", f"{count(len(self.moved), 'token')} {have}: {which}"), ("rows", str(self.embedding))]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        write = f"write the ids as they are loaded into {file}"
        if max(self.before.values()) < self.embedding:
            return Remedy(
                f"if the model was trained with the ids of the file, add a token for each absent id to {file}, such as "
                f'"<unused_{self.absent[0]}>": {self.absent[0]}; else {write}'
            )
        if max(self.moved.values()) >= self.embedding:
            needed = number(max(self.moved.values()) + 1)
            return Remedy(f"{write}, and resize the embedding to {needed} rows, if the tokenizer is that of the model")
        steps = tuple(
            Step(action="set", file=file, key=(token,), old=self.before[token], new=new)
            for token, new in self.moved.items()
        )
        words = f"{write}: the embedding has rows for these alone"
        return Remedy(words, steps if len(steps) <= MOST_STEPS else ())
