"""Findings on tensors that are stored under other names than the architecture's."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed, number, shape


class TensorRenamed(ContentFinding, frozen=True, kw_only=True):
    """A required tensor is stored under another name.

    What it means
        A tensor is missing, and an unexpected one is stored at the same place with the same shape. Names
        explained by one change (a replaced word, an added prefix) are one finding.

    Why it matters
        Loaders look up the expected name and do not find it.

    Example
        error[N407] tensor-renamed: model.layers.{layer}.self_attn.q_proj.weight
          (likely)
          stored as  model.layers.{layer}.self_attn.query.weight
          shape      [4096, 4096], 32 tensors
          help       rename each to model.layers.{layer}.self_attn.q_proj.weight

    What to do
        Rename the tensors.
    """

    code = "N407"

    stored: str
    expected: str
    tensors: int
    shape: tuple[int | None, ...]
    role: str
    families: tuple[str, ...]
    old: str = msgspec.field(name="from")
    new: str = msgspec.field(name="to")
    begins: bool
    renames: tuple[tuple[str, str], ...] = ()
    changes: tuple[str, ...] = ()
    """The changes of names in words, if there are several."""

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return TensorRenamedByLoader

    def headline(self) -> str:
        return self.expected if len(self.families) == 1 else f"{len(self.families):,} families"

    def rows(self) -> Rows:
        families = self.families
        if len(families) == 1:
            return [
                ("stored as", self.stored),
                ("shape", f"{shape(self.shape)}, {count(self.tensors, 'tensor')}"),
            ]
        return [
            ("change", self.change()) if not self.changes else ("changes", listed(self.changes, 4)),
            ("tensors", number(self.tensors)),
            ("first", f"{self.expected}, stored as {self.stored}"),
            ("families", listed(families, 3)),
        ]

    def change(self) -> str:
        """The change of names in words."""
        if self.old and self.new:
            return f"{self.new} instead of {self.old}"
        if self._is_number():
            return f'the part "{self.new or self.old}" is {"added" if self.new else "missing"} {self._where()}'
        if self._is_end():
            return f"names end {'with' if self.new else 'without'} .{self.new or self.old}"
        return f"{self.new}. is added {self._where()}" if self.new else f"{self.old}. is missing {self._where()}"

    def _is_number(self) -> bool:
        """True if one number is added or missing, which is a part of other numbers too."""
        return (self.new or self.old).isdecimal() and not (self.old and self.new)

    def _is_end(self) -> bool:
        """True if one part is added or missing at the end of every name."""
        if bool(self.old) == bool(self.new) or not self.renames:
            return False
        return all(f"{stored}.{self.old}" == expected or f"{expected}.{self.new}" == stored
                   for stored, expected in self.renames)  # fmt: skip

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="rename", old=stored, new=expected) for stored, expected in self.renames)
        return Remedy(f"rename {self._as_expected()}", steps)

    def _as_expected(self) -> str:
        if len(self.families) == 1:
            return f"{'it' if self.tensors == 1 else 'each'} to {self.expected}"
        if self.changes:
            return "them as the architecture has them: undo each of these changes"
        if self.old and self.new:
            return f'them: "{self.old}" in place of "{self.new}"'
        if self._is_number():
            return f'them {"without" if self.new else "with"} the part "{self.new or self.old}", like the first'
        if self._is_end():
            return f'them {"without" if self.new else "with"} ".{self.new or self.old}" at the end'
        return f'them without "{self.new}."' if self.new else f'them with "{self.old}." {self._where()}'

    def _where(self) -> str:
        return "at the start of names" if self.begins else "inside names"


class TensorRenamedByLoader(TensorRenamed, frozen=True, kw_only=True):
    """A required tensor is stored under another name, which the loader of the folder renames.

    What it means
        A tensor is stored under another name than the architecture's. The loader that the folder is made for tries
        names with and without the prefix of its base model, and loads it.

    Why it matters
        Older versions and other programs look up the expected name and do not find it.

    Example
        note[N451] tensor-renamed-by-loader: lm_head.weight (likely)
          stored as  model.lm_head.weight
          shape      [107, 48], 1 tensor
          help       rename it to lm_head.weight

    What to do
        Nothing for this loader; for others, rename the tensors.
    """

    code = "N451"
    severity = "note"


class NamesWrittenOtherwise(ContentFinding, frozen=True, kw_only=True):
    """All names differ from those of the architecture in one way of writing them.

    What it means
        No stored name is one of the architecture, but all of them are after one change: they are written in capital
        letters, or end without `.weight`, as in a dictionary of arrays or after a conversion that wrote names of its
        own. `letters`: whether the case of letters differs.

    Why it matters
        Loaders look up the expected names, find none of them, and leave the model randomly initialized.

    Example
        error[N620] names-written-otherwise: the names end without .weight
          first    model.embed_tokens.weight, stored as model.embed_tokens
          tensors  291
          help     rename them with ".weight" at the end

    What to do
        Rename the tensors.
    """

    code = "N620"

    letters: bool
    stored: str
    expected: str
    tensors: int
    renames: tuple[tuple[str, str], ...]

    row_texts = (("first", "{expected}, stored as {stored}"), ("tensors", "{tensors}"))

    def headline(self) -> str:
        if not self.letters:
            return "the names end without .weight"
        capitals = all(stored == stored.upper() for stored, _ in self.renames)
        return f"the names {'are in' if capitals else 'differ in their'} capital letters"

    def remedy(self) -> Remedy:
        steps = tuple(Step(action="rename", old=stored, new=expected) for stored, expected in self.renames)
        if not self.letters:
            return Remedy('rename them with ".weight" at the end', steps)
        parts = (part for _, expected in self.renames for part in expected.split(".") if part != part.lower())
        kept = list(dict.fromkeys(parts))
        return Remedy(f"rename them in lower-case letters{f', except in {listed(kept, 4)}' if kept else ''}", steps)
