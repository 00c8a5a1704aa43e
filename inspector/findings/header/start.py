"""Safetensors headers that are invalid as a whole or exceed a limit."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import Refetch, fetch_file
from inspector.findings.words import number


class HeaderTruncated(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The file ends inside its header.

    What it means
        The first eight bytes state the header length; the file is shorter than that, or shorter than eight
        bytes.

    Why it matters
        No tensor of the file can be read.

    Example
        error[H101] header-truncated: model.safetensors
          declared  9,560 bytes to the end of the header
          stored    4,096 bytes
          help      download this file again

    What to do
        Download the file again.
    """

    code = "H101"
    unreadable = True

    declared: int | None
    stored: int | None

    def rows(self) -> Rows:
        stored = ("stored", f"{number(self.stored)} bytes")
        if self.declared is None:
            return [stored]
        return [("declared", f"{number(self.declared)} bytes to the end of the header"), stored]


class HeaderLength(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The stated header length is impossible.

    What it means
        The first eight bytes, a little-endian integer, are zero, exceed the file size, or exceed 100,000,000
        bytes, which is also the limit of the reference reader. No memory is allocated from this number.

    Why it matters
        The file is not a safetensors file, its start is damaged, or it holds too many tensors: safetensors writes a
        longer header than it reads.

    Example
        error[H102] header-length: model.safetensors states a header of
          9,223,372,036,854,775,807 bytes
          stored  4,096 bytes in the whole file
          limit   100,000,000 bytes
          help    download this file again

    What to do
        Download the file again, or save it again with a current version of safetensors. If a header of this length is
        there, save the tensors in several files, or several of them in one.
    """

    code = "H102"
    unreadable = True

    announced: int
    stored: int | None
    limit: int
    big_endian: int | None = None
    there: bool = False
    """True if the file has room for a header of this length and begins as one."""

    headline_text = "{place.file} states a header of {announced} bytes"
    row_texts = (
        ("stored", "{stored} bytes in the whole file"),
        ("limit", "{limit} bytes"),
        ("big-endian", "{big_endian} bytes: written in the wrong byte order", "big_endian"),
    )

    def remedy(self) -> Remedy:
        if self.there:
            return Remedy("save the tensors in several files, so that each header is shorter than the limit")
        return fetch_file(self.place)


class HeaderNotJson(Finding, frozen=True, kw_only=True):
    """The header is not valid JSON.

    What it means
        The header is not UTF-8, is not one complete JSON object, is nested deeper than 128 levels, is padded
        with something other than blanks, or uses what only Python accepts: NaN, lone surrogates. Zeros in place of
        text are a hole: a download or a save reserved the space and did not write it.

    Why it matters
        The reference reader rejects the file.

    Example
        error[H103] header-not-json: header of model.safetensors is padded with NUL
          at    character 2,104 of 2,112
          help  save the file again with a current version of safetensors, or download
                it again

    What to do
        Save the file again with a current version of safetensors, or download it again if it was damaged in
        transfer. Of a file with a hole, the other bytes may be lost as well: download it again.
    """

    code = "H103"
    unreadable = True

    problem: str
    position: int | None
    bytes: int
    hole: bool = False
    lists_none: bool = False
    """True if an early version of safetensors wrote it of no tensors."""

    headline_text = "header of {place.file} {problem}"

    def remedy(self) -> Remedy:
        if self.lists_none:
            return Remedy(
                "save the model or the adapter again with its weights: an empty state dict was saved, and another copy "
                "of this file has no tensors either"
            )
        if self.hole:
            return fetch_file(self.place, "download this file again: a part of it was never written")
        return Remedy("save the file again with a current version of safetensors, or download it again")

    def rows(self) -> Rows:
        at = f"character {number(self.position or 0)} of {number(self.bytes)}"
        rows = [("at", at)] if self.position is not None else []
        return [*rows, ("lists", "no tensors")] if self.lists_none else rows


class HeaderStartsBlank(Finding, frozen=True, kw_only=True):
    """The header begins with whitespace.

    What it means
        The format requires the header to begin with `{`. The reference reader accepts leading blanks, other
        readers do not.

    Why it matters
        Only some programs can load the file.

    Example
        warning[H113] header-starts-blank: model.safetensors
          before  8 blank bytes before the first brace
          help    save the file again if a reader rejects it

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H113"
    severity = "warning"

    bytes: int

    row_texts = (("before", "{bytes} blank bytes before the first brace"),)
    remedy_text = "save the file again if a reader rejects it"


class HeaderLarge(Finding, frozen=True, kw_only=True):
    """The header is larger than the Hub accepts.

    What it means
        The header exceeds 25,000,000 bytes. Files can be loaded up to 100,000,000 bytes, but the Hub shows no
        information about them.

    Why it matters
        The model's page shows no size, no tensor list and no parameter count.

    Example
        warning[H117] header-large: model.safetensors: 30,000,000 bytes of header
          limit  25,000,000 bytes on the Hub
          help   save in more shards

    What to do
        Save the model in more shards.
    """

    code = "H117"
    severity = "warning"

    bytes: int
    limit: int

    headline_text = "{place.file}: {bytes} bytes of header"
    row_texts = (("limit", "{limit} bytes on the Hub"),)
    remedy_text = "save in more shards"


class TooManyTensors(Finding, frozen=True, kw_only=True):
    """The header lists more tensors than inspector reads.

    What it means
        No known checkpoint comes near 2,000,000 tensors in one file.

    Why it matters
        The limit bounds the memory that a malicious file can use.

    Example
        error[H120] too-many-tensors: model.safetensors: 2,500,000 tensors
          limit  2,000,000 tensors
          help   save in more shards

    What to do
        Stack the experts of a layer into one tensor, or save in more shards.
    """

    code = "H120"
    unreadable = True

    tensors: int
    limit: int

    headline_text = "{place.file}: {tensors} tensors"
    row_texts = (("limit", "{limit} tensors"),)
    remedy_text = "save in more shards"
