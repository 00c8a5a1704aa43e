"""Findings on invalid entries and totals of an index."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy
from inspector.findings.reading.content import KeysDoubled
from inspector.findings.shards.index import write_index

_FORMATS = {
    "git-lfs-pointer": "a git-lfs pointer",
    "html": "a web page",
    "refusal": "an HTTP error message",
    "json-error": "an HTTP error message",
    "xml-error": "an HTTP error message",
    "zeros": "filled with zeros",
}


class IndexKeyDoubled(KeysDoubled, frozen=True, kw_only=True):
    """Duplicate key in the index.

    What it means
        An object in the index contains a key more than once; most readers use the last value.

    Why it matters
        Two readers may look for a tensor in different files.

    Example
        warning[S213] index-key-doubled: model.safetensors.index.json has 1 duplicate
          key
          keys  lm_head.weight
          help  regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S213"

    def remedy(self) -> Remedy:
        return write_index(self.place.file)


class IndexEntryMalformed(Finding, frozen=True, kw_only=True):
    """The index does not give a file name for a tensor.

    What it means
        A value of the `weight_map` is not a string.

    Why it matters
        Loaders fail. The tensors are treated as not listed.

    Example
        error[S214] index-entry-malformed: model.safetensors.index.json: 1 tensor
          tensors  lm_head.weight
          help     regenerate the index from the headers

    What to do
        Regenerate the index from the headers.
    """

    code = "S214"

    names: tuple[str, ...]
    tensors: int

    headline_text = "{place.file}: {tensors:count tensor}"
    row_texts = (("tensors", "{names:listed}"),)

    def remedy(self) -> Remedy:
        return write_index(self.place.file)


class IndexTotalType(Finding, frozen=True, kw_only=True):
    """A total in the index is not an integer.

    What it means
        `total_size` (bytes) and `total_parameters` are counts; the index contains a float, a string or another
        type, even if the value is right.

    Why it matters
        Readers with typed fields reject the index or show nothing.

    Example
        warning[S215] index-total-type: total_size is a float, not an integer
          value  13731385408.0
          index  model.safetensors.index.json
          help   write total_size as an integer

    What to do
        Write the total as an integer.
    """

    code = "S215"
    severity = "warning"

    key: str
    value: str
    type: str
    wanted: str

    headline_text = "{key} is {type}, not {wanted}"
    row_texts = (("value", "{value}"), ("index", "{place.file}"))
    remedy_text = "write {key} as {wanted}"
