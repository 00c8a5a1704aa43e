"""The finding on a vocabulary that was resized in only some of the tensors."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import listed, number


class VocabularyResizedInPart(ContentFinding, frozen=True, kw_only=True):
    """The vocabulary was resized in some tensors and not in others.

    What it means
        The token embedding, the head and the head's bias have one row for each token. Some of them have another number
        of rows than the config, the others have the configured one: tokens were added or cut off in one tensor alone,
        or the tensors come from two checkpoints. No value of the config fits both. Fewer rows were lost, or were never
        added: headers do not show which.

    Why it matters
        Loaders refuse the tensors of the other size.

    Example
        error[C324] vocabulary-resized-in-part: 128,264 rows, vocab_size is 128,256
          more       model.embed_tokens.weight
          as stated  lm_head.weight
          help       cut the last 8 rows off model.embed_tokens.weight if lm_head.weight
                     was resized without it; if they are in use, set "vocab_size":
                     128264 and give lm_head.weight as many rows
                     (resize_token_embeddings(128264) does both before a save)

    What to do
        Resize all of them: load the model with the old vocabulary, call `resize_token_embeddings` and save it again.
        If the tensor of the other size was forgotten when the rest was resized, cut its last rows off.
        Rows that only pad the vocabulary may be cut off. A head that is tied to the embedding follows it: a cut one
        is removed. `copies`: whether only tensors have the other number that the config ties to a whole one.
        `joined`: how many tables of how many rows follow each other in a table that is a whole multiple of the
        vocabulary, as when each rank of a parallel run wrote its own: do not cut the rows of new tokens from it.
    """

    code = "C324"

    key: str
    configured: int
    stored_rows: int
    resized: tuple[str, ...]
    kept: tuple[str, ...]
    tied: bool
    copies: bool = False
    added: bool = False
    """True if only the numbers added to the scores differ: they are zeros, unless they were set."""
    beyond: int = 0
    """Rows that the class has in the resized tensors beyond those of the tokens."""
    kept_beyond: int = 0
    """The same in the others."""
    decoder: bool = False
    """True if the head and the decoder's copy of the embedding have fewer rows, and the shared table is whole."""
    replaced: bool = False
    """True if only the head has fewer rows, less than half: it may be another one, with classes of its own."""
    joined: tuple[int, int] | None = None

    def headline(self) -> str:
        which = f"{listed(self.resized, 1)}: " if self.stored_rows < self.configured else ""
        more = f", and the class has {number(self.beyond)} more" if self.beyond else ""
        return f"{which}{number(self.stored_rows)} rows, {self.key} is {number(self.configured - self.beyond)}{more}"

    def rows(self) -> Rows:
        if self.stored_rows < self.configured:
            return [("fewer", listed(self.resized, 4)), ("whole", listed(self.kept, 4))]
        rows = [("more", listed(self.resized, 4)), ("as stated", listed(self.kept, 4))]
        if self.joined is not None:
            copies, each = self.joined
            rows.append(
                ("because", f"{copies} x {number(each)}: as if each of {copies} ranks had added its whole table")
            )
        return rows

    def _both(self) -> str:
        """The words for what resizing requires."""
        tie = "; the head is tied and follows the embedding" if self.tied else ""
        both = f"(resize_token_embeddings({self.stored_rows}) does both before a save){tie}"
        if self.kept_beyond:
            rows = number(self.stored_rows + self.kept_beyond)
            return f'set "{self.key}": {self.stored_rows} and give {listed(self.kept, 2)} {rows} rows'
        return f'set "{self.key}": {self.stored_rows} and give {listed(self.kept, 2)} as many rows {both}'

    def remedy(self) -> Remedy:
        changed = abs(self.stored_rows - self.configured)
        which = listed(self.resized, 2)
        if self.added:
            does = f"cut {which} to" if self.stored_rows > self.configured else f"extend {which} to"
            return Remedy(
                f"remove {which} if it is all zeros, with which the class begins; else {does} the numbers of the "
                f"{number(self.configured)} tokens"
            )
        if self.copies and self.stored_rows < self.configured:
            tied = f"the head is tied and follows {listed(self.kept, 2)}, which is whole"
            own = (
                f"a head that was trained with {number(self.stored_rows)} rows of its own needs the code that built it"
            )
            return Remedy(f"remove {which}: {tied}; {own}")
        if self.beyond:
            return self._with_rows_beyond(changed, which)
        if not self.stored_rows:
            return Remedy(f"restore the {number(changed)} lost rows of {which}")
        if self.stored_rows < self.configured:
            return self._with_fewer_rows(changed, which)
        if self.joined is not None:
            return self._of_joined(*self.joined, which)
        cut = f"cut the last {number(changed)} rows off {which}"
        return Remedy(f"{cut} if {listed(self.kept, 2)} was resized without it; if they are in use, {self._both()}")

    def _of_joined(self, copies: int, each: int, which: str) -> Remedy:
        equal = f"if its {copies} parts of {number(each)} rows are equal"
        if each == self.configured:
            return Remedy(f"keep the first {number(each)} rows of {which} {equal}; else save again from one rank")
        return Remedy(
            f"save it again, with the tables resized before they are gathered: {which} has no rows of the tokens after "
            f"the first {number(each)}; or resize to the {number(each)} rows of the model before, {equal}, without the "
            "new tokens"
        )

    def _with_fewer_rows(self, changed: int, which: str) -> Remedy:
        restore = f"restore the {number(changed)} rows that {which} lacks"
        if self.decoder:
            own = f"no config key states a vocabulary of the decoder's own, here of {number(self.stored_rows)} tokens"
            return Remedy(f"{own}: load it with the code that replaced its table and head; where none was, {restore}")
        if self.replaced:
            own = f"a head with {number(self.stored_rows)} rows of its own needs the code that built it, as no config"
            return Remedy(f"{own} key states them; where none did, {restore}")
        added = f"where tokens were added to {listed(self.kept, 2)} alone, it never had them: add and train them"
        return Remedy(f"{restore}; {added}; or {self._both()}, which cuts tokens off")

    def _with_rows_beyond(self, changed: int, which: str) -> Remedy:
        """Without the rows beyond those of the tokens no vocabulary fits."""
        if self.stored_rows > self.configured:
            return Remedy(f"cut off the last {number(changed)} rows of {which}")
        cut = ": resize_token_embeddings cuts them off" if changed == self.beyond else ""
        return Remedy(f"restore the {number(changed)} rows that {which} lacks from the model before the resize{cut}")
