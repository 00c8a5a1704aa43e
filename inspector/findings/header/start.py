"""A header of safetensors that cannot be read as a whole, and its limits."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import Refetch, fetch_file
from inspector.findings.words import number


class HeaderTruncated(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The file ends inside its header.

    What it means
        The first eight bytes announce the length of the header; the file is shorter than that, or shorter
        than eight bytes.

    Why it matters
        No tensor of the file can be found.

    Example
        error[H101] header-truncated: model.safetensors
          declared  9,560 bytes to the end of the header
          stored    4,096 bytes
          help      fetch this file again

    What to do
        Fetch the file again; the download broke off at its very start.
    """

    code = "H101"
    name = "header-truncated"

    declared: int | None
    stored: int | None

    def rows(self) -> Rows:
        stored = ("stored", f"{number(self.stored)} bytes")
        if self.declared is None:
            return [stored]
        return [("declared", f"{number(self.declared)} bytes to the end of the header"), stored]


class HeaderLength(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The header cannot have the length that the file announces.

    What it means
        The first eight bytes, a little-endian integer, are zero, exceed the file, or exceed the limit of
        100,000,000 bytes that the reference reader sets too. Nothing is read or reserved by such a number.

    Why it matters
        The file is no safetensors file, or its start is damaged.

    Example
        error[H102] header-length: model.safetensors announces a header of 9,223,372,036,854,775,807 bytes
          stored  4,096 bytes in the whole file
          limit   100,000,000 bytes
          help    fetch this file again

    What to do
        Fetch the file again, or save it again with a current version of safetensors.
    """

    code = "H102"
    name = "header-length"

    announced: int
    stored: int | None
    limit: int
    big_endian: int | None = None

    def headline(self) -> str:
        return f"{self.place.file} announces a header of {number(self.announced)} bytes"

    def rows(self) -> Rows:
        rows = [("stored", f"{number(self.stored)} bytes in the whole file"), ("limit", f"{number(self.limit)} bytes")]
        if self.big_endian:
            rows.append(("big-endian", f"{number(self.big_endian)} bytes: the writer had the byte order wrong"))
        return rows

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class HeaderNotJson(Finding, frozen=True, kw_only=True):
    """The header is no JSON that all readers take.

    What it means
        The header is not UTF-8, not one complete JSON object, nested beyond 128 levels, padded with
        something else than blanks, or uses what Python alone accepts: NaN, lone surrogates.

    Why it matters
        The reference reader refuses the file.

    Example
        error[H103] header-not-json: header of model.safetensors is padded with NUL
          at    character 2,104 of 2,112
          help  save the file again with a current version of safetensors, or fetch it again

    What to do
        Save the file again with a current version of safetensors, or fetch it again if it was damaged on
        the way.
    """

    code = "H103"
    name = "header-not-json"

    problem: str
    position: int | None
    bytes: int

    def headline(self) -> str:
        return f"header of {self.place.file} {self.problem}"

    def rows(self) -> Rows:
        return (
            [("at", f"character {number(self.position)} of {number(self.bytes)}")] if self.position is not None else []
        )

    def remedy(self) -> Remedy:
        return Remedy("save the file again with a current version of safetensors, or fetch it again")


class HeaderStartsBlank(Finding, frozen=True, kw_only=True):
    """The header begins with blanks.

    What it means
        The format says that a header begins with `{`. The reference reader accepts leading blanks all the
        same, other readers do not.

    Why it matters
        The file loads with some programs only.

    Example
        warning[H113] header-starts-blank: model.safetensors
          before  8 blank bytes before the first brace
          help    save the file again if another reader refuses it

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H113"
    name = "header-starts-blank"
    severity = "warning"

    bytes: int

    def rows(self) -> Rows:
        return [("before", f"{number(self.bytes)} blank bytes before the first brace")]

    def remedy(self) -> Remedy:
        return Remedy("save the file again if another reader refuses it")


class HeaderLarge(Finding, frozen=True, kw_only=True):
    """The header is larger than the Hub reads.

    What it means
        The header has more than 25,000,000 bytes. Files load, up to 100,000,000 bytes; the Hub shows
        nothing of them.

    Why it matters
        No size, no tensor list and no parameter count appear on the page of the model.

    Example
        warning[H117] header-large: model.safetensors: 30,000,000 bytes of header
          limit  25,000,000 bytes on the Hub
          help   save in more shards

    What to do
        Save in more shards.
    """

    code = "H117"
    name = "header-large"
    severity = "warning"

    bytes: int
    limit: int

    def headline(self) -> str:
        return f"{self.place.file}: {number(self.bytes)} bytes of header"

    def rows(self) -> Rows:
        return [("limit", f"{number(self.limit)} bytes on the Hub")]

    def remedy(self) -> Remedy:
        return Remedy("save in more shards")


class TooManyTensors(Finding, frozen=True, kw_only=True):
    """The header names more tensors than the tool looks at.

    What it means
        No known checkpoint comes near 2,000,000 tensors in one file.

    Why it matters
        The limit bounds the memory that a file can make the audit use.

    Example
        error[H120] too-many-tensors: model.safetensors: 2,500,000 tensors
          limit  2,000,000 tensors
          help   save in more shards

    What to do
        Stack the experts of a layer into one tensor, or save in more shards.
    """

    code = "H120"
    name = "too-many-tensors"

    tensors: int
    limit: int

    def headline(self) -> str:
        return f"{self.place.file}: {number(self.tensors)} tensors"

    def rows(self) -> Rows:
        return [("limit", f"{number(self.limit)} tensors")]

    def remedy(self) -> Remedy:
        return Remedy("save in more shards")
