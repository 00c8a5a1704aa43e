"""Findings on the archive of a PyTorch file: a zip with a pickle and storages."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy
from inspector.findings.refetch import fetch_file


class ArchiveMalformed(Finding, frozen=True, kw_only=True):
    """A zip archive of weights cannot be read.

    What it means
        PyTorch and NumPy write zip archives with a directory at the end of the file. The directory is missing
        or inconsistent, or a required member is missing.

    Why it matters
        A truncated download loses the directory first, and with it every tensor.

    Example
        error[H143] archive-malformed: pytorch_model.bin: the archive has no end record:
          it is truncated or not a zip file
          stored  4,000,000,000 bytes
          help    download this file again

    What to do
        Download the file again.
    """

    code = "H143"
    unreadable = True

    problem: str
    cut: bool
    stored: int

    headline_text = "{place.file}: {problem}"
    row_texts = (("stored", "{stored} bytes"),)

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class ArchiveRoots(Finding, frozen=True, kw_only=True):
    """An archive of PyTorch has members outside of its folder.

    What it means
        All members of such an archive are in one folder, that of the first member. This archive has
        others. The state dict in the folder was audited; what the pickles outside of it would call is checked too.

    Why it matters
        torch rejects the file. Programs that look for any `data.pkl` may read another model than was audited here.

    Example
        error[H151] archive-roots: pytorch_model.bin: 1 member outside of archive/
          outside  other/data.pkl
          help     save the model again

    What to do
        Do not use the file; save the model again.
    """

    code = "H151"
    unreadable = True

    root: str
    others: tuple[str, ...]
    count: int

    headline_text = "{place.file}: {count:count member} outside of {root:or a folder}"
    row_texts = (("outside", "{others:listed 3}"),)
    remedy_text = "save the model again"


class ArchiveRefused(Finding, frozen=True, kw_only=True):
    """A PyTorch file does not have the structure that torch expects.

    What it means
        `torch.save` stores the version of the format, the byte order, and every storage with exactly the
        bytes that its tensors describe. In this file the version is missing or unknown, the byte order is
        neither `little` nor `big`, a storage has more bytes than described, or a file in the older format has
        dtypes that only the archive format supports.

    Why it matters
        torch rejects the file.

    Example
        error[H153] archive-refused: pytorch_model.bin: archive/version is missing
          help  save the model again

    What to do
        Save the model again with `torch.save`, or better as safetensors.
    """

    code = "H153"
    unreadable = True

    problems: tuple[str, ...]
    count: int

    headline_text = "{place.file}: {problems:listed 3}"
    remedy_text = "save the model again"
