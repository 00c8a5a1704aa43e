"""Invalid tensor offsets in a safetensors file."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step
from inspector.findings.refetch import Refetch


class OffsetsHole(Finding, frozen=True, kw_only=True):
    """Some bytes between the tensors belong to no tensor.

    What it means
        Sorted by offset, the tensors must cover the data without gaps; here some bytes are not covered.

    Why it matters
        The format forbids gaps, since data could be hidden there; the reference reader rejects the file.

    Example
        error[H107] offsets-hole: model.safetensors: 64 bytes in 1 gap
          before  lm_head.weight
          help    save the file again with a current version of safetensors

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H107"
    unreadable = True

    holes: int
    bytes: int
    names: tuple[str, ...]

    headline_text = "{place.file}: {bytes} bytes in {holes:count gap}"
    row_texts = (("before", "{names:listed}"),)
    remedy_text = "save the file again with a current version of safetensors"


class OffsetsOverlap(Finding, frozen=True, kw_only=True):
    """Tensors overlap.

    What it means
        A tensor begins before the previous one ends, or an empty tensor is inside another one.

    Why it matters
        The format forbids this; the reference reader rejects the file. Shared weights must be stored once,
        under one name.

    Example
        error[H108] offsets-overlap: model.safetensors: 1 tensor overlapping
          tensors  lm_head.weight
          help     save the file again with a current version of safetensors

    What to do
        Save the file again; `save_model` of safetensors removes shared tensors.
    """

    code = "H108"
    unreadable = True

    tensors: int
    names: tuple[str, ...]

    headline_text = "{place.file}: {tensors:count tensor} overlapping"
    row_texts = (("tensors", "{names:listed}"),)
    remedy_text = "save the file again with a current version of safetensors"


class DataBehindEnd(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The file has extra bytes after the last tensor.

    What it means
        The file is longer than its header states: it ends with bytes that belong to no tensor.

    Why it matters
        The reference reader rejects the file. The extra bytes may be another file (a zip archive, a script).

    Example
        error[H109] data-behind-end: model.safetensors: 100 bytes too many
          declared  213,632 bytes of data
          stored    213,732 bytes of data
          help      download this file again, or cut it after the last tensor

    What to do
        Download the file again; two downloads into the same file can cause this.
    """

    code = "H109"
    unreadable = True

    declared: int
    stored: int
    bytes: int

    headline_text = "{place.file}: {bytes} bytes too many"
    row_texts = (("declared", "{declared} bytes of data"), ("stored", "{stored} bytes of data"))

    def remedy(self) -> Remedy:
        """To download the file again, or to cut it: all tensors are before the extra bytes."""
        again = self.fetch_again()
        step = Step(action="truncate", file=self.place.file)
        return Remedy(f"{again.words}, or cut it after the last tensor", (step,)) if not self.remote else again


class OffsetsAbsolute(Finding, frozen=True, kw_only=True):
    """The offsets count from the start of the file.

    What it means
        The first tensor begins at the header length plus eight: the writer counted offsets from the start of
        the file instead of the end of the header, as the format requires.

    Why it matters
        The reference reader rejects the file.

    Example
        error[H118] offsets-absolute: model.safetensors: 21 tensors
          begin  2,120, must be 0
          help   subtract this number from all offsets

    What to do
        Subtract the header length plus eight from all offsets in the program that wrote the file.
    """

    code = "H118"
    unreadable = True

    begin: int
    tensors: int

    headline_text = "{place.file}: {tensors:count tensor}"
    row_texts = (("begin", "{begin}, must be 0"),)
    remedy_text = "subtract this number from all offsets"
