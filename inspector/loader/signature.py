"""Recognises files by their first bytes, in particular files that are not checkpoints despite their name."""

from __future__ import annotations

import re
from typing import Final

SNIFF_BYTES: Final = 512
"""Number of first bytes that are checked; the last signature, of tar, is at 257."""

REPLACED: Final = "\ufffd".encode()
"""The character that a text decoder inserts for bytes that it cannot decode, in UTF-8."""
OF_TEXT: Final = 8
"""Number of replaced bytes that prove that the file was binary, if it has no zero byte."""
REENCODED: Final = "reencoded"

_MARKS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"version https://git-lfs", "git-lfs-pointer"),
    (b"# xet version ", "xet-pointer"),
    (b"!<symlink>\xff\xfe", "link-text"),
    (b"GGUF", "gguf"),
    (b"ggml", "ggml"),
    (b"lmgg", "ggml"),
    (b"tjgg\x03\0\0\0", "ggjt"),
    (b"tjgg", "ggml"),
    (b"fmgg", "ggml"),
    (b"algg", "ggla"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"\x93NUMPY", "numpy"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"#!", "script"),
    (b"%PDF", "pdf"),
    (b"\x89PNG", "picture"),
)
OF_GGML: Final = frozenset({"ggml", "ggjt", "ggla"})
"""Formats of ggml before GGUF: any, the last of llama.cpp, which its converter for such files reads, and its LoRA."""
_HTML: Final = (b"<!doctype html", b"<html", b"<head", b"<!--", b"<?xml", b"<body")
_STORE_ERROR: Final = b"<Error><Code>"
"""What S3 and stores like it answer to an address that has expired or does not exist."""
_REFUSED: Final = (
    b"invalid username or password",
    b"invalid credentials",
    b"entry not found",
    b"repository not found",
    b"access to model",
    b"access denied",
    b"unauthorized",
    b"not found",
    b"too many requests",
)
_SAFETENSORS: Final = re.compile(rb'.{4}\0{4}\{\s*"', re.DOTALL)
"""The length of a header below 4 GB, and the beginning of its JSON."""
_CTRANSLATE2: Final = re.compile(rb"[\x01-\x1f]\0\0\0[\x05-\x40]\0[A-Za-z0-9]{1,60}Spec\0")
"""The version of the format, the length of a name, the name of a specification (`ModelSpec._serialize`)."""
_IMATRIX: Final = re.compile(rb".{2}\0\0[\x08-\x7f]\0\0\0(?:blk\.\d{1,4}\.|output\.|token_embd\.)", re.DOTALL)
"""Entries, the length of a name, the name of a tensor (`save_imatrix_legacy` of llama.cpp's imatrix.cpp)."""
_LINK_TEXT: Final = re.compile(rb"(?:\.\.?[/\\])+[!-~]+\n?")
"""A relative path and nothing else: what git (core.symlinks=false) and some archivers write instead of a link."""
_PATTERNS: Final = (
    (re.compile(rb"\x08[\x01-\x0c]\x12.{0,20}(?:pytorch|onnx|tf2onnx|keras|skl)", re.DOTALL), "onnx"),
    (_CTRANSLATE2, "ctranslate2"),
    (_IMATRIX, "imatrix"),
)
_OF_TORCH: Final = (b"data.pkl", b"data/", b"code/", b"constants", b"version", b"byteorder", b".format_version")
_TEXT: Final = frozenset(b"\t\n\r\f" + bytes(range(32, 127)))


def _is_of_torch(first: bytes) -> bool:
    """True if the first member of a zip archive is one that torch writes: torch puts all members into one folder."""
    name = first[30 : 30 + int.from_bytes(first[26:28], "little")]
    _, slash, inner = name.partition(b"/")
    return bool(slash) and inner.startswith(_OF_TORCH)


def is_reencoded(first: bytes) -> bool:
    """True if a binary file was read as text and written again: bytes that are not UTF-8 became U+FFFD.

    first: the first bytes; the last ones may be part of a character.
    """
    if first.count(REPLACED) < (1 if b"\0" in first else OF_TEXT):
        return False
    try:
        first.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(first) - 3
    return True


def recognise(first: bytes, size: int | None) -> str:
    """The kind of a file of `size` bytes by its first bytes; "unknown" if no signature matches."""
    if size == 0 or not first:
        return "empty"
    for mark, what in _MARKS:
        if first.startswith(mark):
            return "archive" if what == "zip" and not _is_of_torch(first) else what
    if not first.strip(b"\0"):
        return "zeros"
    if first[257:262] == b"ustar":
        return "tar"
    if first.lstrip().lower().startswith(_HTML):
        return "xml-error" if _STORE_ERROR in first else "html"
    start = first.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:120].lower().startswith(_REFUSED) or (
        start[:1] != b"{" and size is not None and size < 500 and any(w in first.lower() for w in _REFUSED)
    ):
        return "refusal"
    if start[:1] == b"{" and re.match(rb'\{\s*"(?:error|message|detail|statusCode)"', start):
        return "json-error"
    if start[:1] in (b"{", b"["):
        return "json"
    if _SAFETENSORS.match(first):
        return "safetensors"
    if first[:1] == b"\x80" and first[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "pickle"
    for pattern, what in _PATTERNS:
        if pattern.match(first):
            return what
    return _text_kind(first, size)


def _text_kind(first: bytes, size: int | None) -> str:
    """The kind of a file that may be plain text; "unknown" if it is not."""
    if not all(byte in _TEXT for byte in first):
        return "unknown"
    return "link-text" if size is not None and _LINK_TEXT.fullmatch(first) else "text"
