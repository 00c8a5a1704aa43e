"""The file has the name of a checkpoint and is something else.

What it means
    The first bytes belong to another format, or to a text: a git-lfs pointer, a web page or an error
    message that a download stored in place of the weights.

Why it matters
    Most readers call such a file a header that is too large, which says nothing of the cause.

Example
    error[R005] not-a-checkpoint: model.safetensors is a git-lfs pointer, not the weights
      stored  134 bytes
      help    run `git lfs install` and `git lfs pull` in the folder

What to do
    What helps depends on what the file is; the finding says it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number

WORDS = {
    "git-lfs-pointer": "a git-lfs pointer, not the weights",
    "html": "a web page",
    "refusal": "an error message of a server",
    "json-error": "an error message of a server, in JSON",
    "json": "a JSON text",
    "text": "a text",
    "empty": "empty",
    "zeros": "filled with zeros",
    "zip": "a zip archive, as PyTorch saves since 1.6",
    "pickle": "a pickle, as PyTorch saved before 1.6",
    "gguf": "a GGUF file",
    "ggml": "a GGML file",
    "gzip": "compressed with gzip",
    "zstandard": "compressed with zstandard",
    "xz": "compressed with xz",
    "bzip2": "compressed with bzip2",
    "7z": "a 7z archive",
    "rar": "a rar archive",
    "tar": "a tar archive",
    "onnx": "an ONNX model",
    "hdf5": "an HDF5 file, as Keras saves",
    "numpy": "a NumPy array",
    "program": "a program",
    "script": "a script",
    "pdf": "a PDF",
    "picture": "a picture",
}
_UNPACK = "unpack it and audit what is inside"
_RENAME = "give it the ending of its format, or convert it to safetensors"
REMEDIES = {
    "git-lfs-pointer": "run `git lfs install` and `git lfs pull` in the folder",
    "refusal": "log in or accept the terms of the repository, then fetch the file again",
    "json-error": "log in or accept the terms of the repository, then fetch the file again",
    "zip": _RENAME,
    "pickle": _RENAME,
    "gguf": _RENAME,
    "ggml": _RENAME,
    "onnx": _RENAME,
    "hdf5": _RENAME,
    "numpy": _RENAME,
    "gzip": _UNPACK,
    "zstandard": _UNPACK,
    "xz": _UNPACK,
    "bzip2": _UNPACK,
    "7z": _UNPACK,
    "rar": _UNPACK,
    "tar": _UNPACK,
    "json": "point at the folder, or at the .safetensors file itself",
}


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} is {WORDS.get(facts['what'], 'of an unknown format')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("stored", f"{number(facts['bytes'])} bytes")] if facts.get("bytes") is not None else []


def _help(place: Place, facts: Facts) -> str:
    return REMEDIES.get(facts["what"], fetch_again(place, facts))


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
