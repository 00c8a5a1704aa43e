"""The `__metadata__` of safetensors files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number


class MetadataKeyDoubled(Finding, frozen=True, kw_only=True):
    """A key of the metadata stands twice.

    What it means
        `__metadata__` holds the same key more than once; readers keep the last text.

    Why it matters
        What the file says of itself depends on the reader.

    Example
        warning[H115] metadata-key-doubled: model.safetensors: 1 key
          keys  format
          help  save the file again with one of the two

    What to do
        Save the file again with one of the two.
    """

    code = "H115"
    name = "metadata-key-doubled"
    severity = "warning"

    keys: tuple[str, ...]
    count: int

    def headline(self) -> str:
        return f"{self.place.file}: {count(self.count, 'key')}"

    def rows(self) -> Rows:
        return [("keys", listed(self.keys))]

    def remedy(self) -> Remedy:
        return Remedy("save the file again with one of the two")


class MetadataMalformed(Finding, frozen=True, kw_only=True):
    """The metadata is no map from texts to texts.

    What it means
        `__metadata__` must be an object whose values are texts (or null as a whole).

    Why it matters
        The reference reader refuses the file.

    Example
        error[H116] metadata-malformed: __metadata__ of model.safetensors holds a number, not a text
          keys  epoch
          help  write the values as texts and save the file again

    What to do
        Write numbers, lists and objects as texts, and save the file again.
    """

    code = "H116"
    name = "metadata-malformed"

    problem: str
    keys: tuple[str, ...]
    count: int

    def headline(self) -> str:
        return f"__metadata__ of {self.place.file} {self.problem}"

    def rows(self) -> Rows:
        return [("keys", listed(self.keys))] if self.keys else []

    def remedy(self) -> Remedy:
        return Remedy("write the values as texts and save the file again")


class FormatAbsent(Finding, frozen=True, kw_only=True):
    """The metadata does not say which framework saved the file.

    What it means
        `__metadata__` has no `format` ("pt", "mlx", "flax", ...). The format does not ask for it; some
        loaders do.

    Why it matters
        Older versions of transformers refuse a file without it.

    Example
        note[H119] format-absent: 1 file of 1 without `format` in the metadata
          help  save with metadata={"format": "pt"} if a loader asks for it

    What to do
        Save with `metadata={"format": "pt"}` where that matters.
    """

    code = "H119"
    name = "format-absent"
    severity = "note"

    files: int
    names: tuple[str, ...]
    of: int

    def headline(self) -> str:
        return f"{count(self.files, 'file')} of {number(self.of)} without `format` in the metadata"

    def remedy(self) -> Remedy:
        return Remedy('save with metadata={"format": "pt"} if a loader asks for it')
