"""Differences between the answers of safetensors, the reference reader, and those of inspector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.findings.finding import Finding, Rows
from inspector.findings.header.entries import EntryMalformed, FieldUnknown, KeyDoubled, ShapeOverflows
from inspector.findings.header.metadata import MetadataKeyDoubled
from inspector.findings.header.start import HeaderLarge, HeaderStartsBlank, TooManyTensors
from inspector.findings.words import count, listed

STRICTER: Final[Mapping[type[Finding], str]] = {
    KeyDoubled: "it keeps the last of two tensors of one name",
    EntryMalformed: "it takes an entry as a list, and a dtype as {'U8': null}: a quirk of its parser",
    ShapeOverflows: "it multiplies the dims in another order where one is 0",
    TooManyTensors: "it has no limit for the number of tensors",
}
"""Deliberate differences: errors of inspector in files that the reference reader may open, with the reason."""
CLEARER: Final = (HeaderStartsBlank, FieldUnknown, MetadataKeyDoubled, HeaderLarge)
"""Warnings of inspector on files that the reference reader opens."""


class ReferenceDisagrees(Finding, frozen=True, kw_only=True):
    """safetensors and inspector disagree about a file.

    What it means
        safetensors, the reference reader of the format, was asked too. It refuses a file that inspector accepts,
        opens one that inspector rejects, finds other tensors in it, or does not survive it. Known and deliberate
        differences are not reported here.

    Why it matters
        Other programs may load another model than the one that was checked, or none.

    Example
        error[H122] reference-disagrees: model.safetensors
          safetensors 0.4.3  refuses it: unknown variant `F4`
          inspector          accepts it
          help               update safetensors; if they still disagree, do not use the
                             file

    What to do
        Update safetensors and audit the file again. If they still disagree, do not use the file, and report it to
        the authors of inspector.
    """

    code = "H122"
    unreadable = True

    reader: str
    theirs: str
    ours: str
    tensors: int
    names: tuple[str, ...]

    remedy_text = "update safetensors; if they still disagree, do not use the file"

    def rows(self) -> Rows:
        rows = [(self.reader, self.theirs), ("inspector", self.ours)]
        return [*rows, ("differing", f"{count(self.tensors, 'tensor')}: {listed(self.names)}")] if self.names else rows
