"""Bytes of a safetensors file that its tensors do not tile."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import Refetch
from inspector.findings.words import count, listed, number


class OffsetsHole(Finding, frozen=True, kw_only=True):
    """Between the tensors lie bytes that belong to none.

    What it means
        Sorted by their offsets the tensors must tile the data from its first byte on; here some bytes are
        covered by no tensor.

    Why it matters
        The format forbids it, since anything can be hidden there; the reference reader refuses the file.

    Example
        error[H107] offsets-hole: model.safetensors: 64 bytes in 1 hole
          before  lm_head.weight
          help    save the file again with a current version of safetensors

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H107"
    name = "offsets-hole"

    holes: int
    bytes: int
    names: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.file}: {number(self.bytes)} bytes in {count(self.holes, 'hole')}"

    def rows(self) -> Rows:
        return [("before", listed(self.names))]

    def remedy(self) -> Remedy:
        return Remedy("save the file again with a current version of safetensors")


class OffsetsOverlap(Finding, frozen=True, kw_only=True):
    """Tensors share bytes.

    What it means
        The offsets of a tensor begin before those of another one end, or an empty tensor lies inside
        another.

    Why it matters
        The format forbids it; the reference reader refuses the file. Shared weights are to be stored once,
        under one name.

    Example
        error[H108] offsets-overlap: model.safetensors: 1 tensor overlapping
          tensors  lm_head.weight
          help     save the file again with a current version of safetensors

    What to do
        Save the file again; `save_model` of safetensors leaves out shared tensors.
    """

    code = "H108"
    name = "offsets-overlap"

    tensors: int
    names: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.file}: {count(self.tensors, 'tensor')} overlapping"

    def rows(self) -> Rows:
        return [("tensors", listed(self.names))]

    def remedy(self) -> Remedy:
        return Remedy("save the file again with a current version of safetensors")


class DataBehindEnd(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """Behind the last tensor the file goes on.

    What it means
        The file is longer than its header says: bytes follow that belong to no tensor.

    Why it matters
        The reference reader refuses the file. What follows may be another file (a zip, a script) that a
        program finds there.

    Example
        error[H109] data-behind-end: model.safetensors: 100 bytes too many
          declared  213,632 bytes of data
          stored    213,732 bytes of data
          help      fetch this file again

    What to do
        Fetch the file again; two downloads into the same file leave such a rest.
    """

    code = "H109"
    name = "data-behind-end"

    declared: int
    stored: int
    bytes: int

    def headline(self) -> str:
        return f"{self.place.file}: {number(self.bytes)} bytes too many"

    def rows(self) -> Rows:
        return [
            ("declared", f"{number(self.declared)} bytes of data"),
            ("stored", f"{number(self.stored)} bytes of data"),
        ]


class OffsetsAbsolute(Finding, frozen=True, kw_only=True):
    """The offsets count from the start of the file.

    What it means
        The first tensor begins at the length of the header plus eight, and the rest follows without hole:
        the writer counted from the start of the file and not, as the format says, from the end of the
        header.

    Why it matters
        The reference reader refuses the file.

    Example
        error[H118] offsets-absolute: model.safetensors: 21 tensors
          begin  2,120, where 0 is right
          help   subtract this number from all offsets

    What to do
        Have the writer subtract the length of the header plus eight from all offsets.
    """

    code = "H118"
    name = "offsets-absolute"

    begin: int
    tensors: int

    def headline(self) -> str:
        return f"{self.place.file}: {count(self.tensors, 'tensor')}"

    def rows(self) -> Rows:
        return [("begin", f"{number(self.begin)}, where 0 is right")]

    def remedy(self) -> Remedy:
        return Remedy("subtract this number from all offsets")
