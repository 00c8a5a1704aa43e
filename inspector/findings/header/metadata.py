"""Findings on the `__metadata__` of safetensors files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class MetadataKeyDoubled(Finding, frozen=True, kw_only=True):
    """Duplicate key in `__metadata__`.

    What it means
        `__metadata__` contains the same key more than once; readers use the last value.

    Why it matters
        Which value is used depends on the reader.

    Example
        warning[H115] metadata-key-doubled: model.safetensors: 1 key
          keys  format
          help  save the file again without the duplicate

    What to do
        Save the file again without the duplicate.
    """

    code = "H115"
    severity = "warning"

    keys: tuple[str, ...]
    count: int

    headline_text = "{place.file}: {count:count key}"
    row_texts = (("keys", "{keys:listed}"),)
    remedy_text = "save the file again without the duplicate"


class MetadataMalformed(Finding, frozen=True, kw_only=True):
    """`__metadata__` must map strings to strings.

    What it means
        `__metadata__` must be an object with string values (or null as a whole).

    Why it matters
        The reference reader rejects the file.

    Example
        error[H116] metadata-malformed: __metadata__ of model.safetensors holds a
          number, not a string
          keys  epoch
          help  convert the values to strings and save again

    What to do
        Convert numbers, lists and objects to strings, and save the file again.
    """

    code = "H116"
    unreadable = True

    problem: str
    keys: tuple[str, ...]
    count: int

    headline_text = "__metadata__ of {place.file} {problem}"
    row_texts = (("keys", "{keys:listed}", "keys"),)
    remedy_text = "convert the values to strings and save again"


class FormatAbsent(Finding, frozen=True, kw_only=True):
    """`__metadata__` does not state the framework.

    What it means
        `__metadata__` has no `format` ("pt", "mlx", "flax", ...). It is optional, but some loaders require it.

    Why it matters
        Older versions of transformers reject a file without it.

    Example
        note[H119] format-absent: 1 file of 1 without `format` in the metadata
          help  save with metadata={"format": "pt"} if a loader requires it

    What to do
        Save with `metadata={"format": "pt"}` if your loader requires it.
    """

    code = "H119"
    severity = "note"
    mended = True

    files: int
    names: tuple[str, ...]
    of: int

    headline_text = "{files:count file} of {of} without `format` in the metadata"

    def remedy(self) -> Remedy:
        step = Step(action="set", key=("__metadata__", "format"), new="pt")
        return Remedy('save with metadata={"format": "pt"} if a loader requires it', (step,))
