"""One side of a comparison holds a part of the model only.

Fields: `stored` is the number of tensors of that side; `tensors` and `parameters` are what it lacks, and `parts` the
same in words, one for each group of tensors.
"""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed


class SideInPart(Finding, frozen=True, kw_only=True):
    """One side stores only a part of the other.

    What it means
        Everything that this side stores is on the other side too, and several parts of the model are on the other side
        only. One shard, or one of several files, compares like this.

    Why it matters
        The comparison says nothing about the conversion of the parts that were not read.

    Example
        error[V866] side-in-part: the source stores a part of the model, 9 tensors
          lacks    282 tensors, 7,812,149,248 parameters
          such as  layers 1-31, embedding, norm final and 1 more
          help     compare all files of the source; if it has no others, find out what
                   the converter filled the rest with

    What to do
        Compare the complete checkpoints. If the source has no other files, find out what the converter filled the rest
        with; if the target has none, repeat the conversion.
    """

    code = "V866"

    side: str
    stored: int
    tensors: int
    parameters: int
    parts: tuple[str, ...]

    headline_text = "the {side} stores a part of the model, {stored:count tensor}"

    def rows(self) -> Rows:
        lacks = f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"
        return [("lacks", lacks), ("such as", listed(self.parts, 3))]

    def remedy(self) -> Remedy:
        rest = "find out what the converter filled the rest with" if self.side == "source" else "repeat the conversion"
        return Remedy(f"compare all files of the {self.side}; if it has no others, {rest}")
