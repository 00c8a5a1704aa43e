"""Findings on NumPy files."""

from __future__ import annotations

from inspector.findings.finding import Finding


class NumpyMalformed(Finding, frozen=True, kw_only=True):
    """A NumPy array cannot be read as a tensor.

    What it means
        The header of the array is damaged, or its dtype is not numeric: strings, records, Python objects (which
        are pickled, and were not read). Or a member of the archive is not an array, or has the name of another one.

    Why it matters
        Without shape and dtype the array cannot be compared with the model.

    Example
        error[H150] numpy-malformed: weights.npz: it contains pickled Python objects
          arrays  vocab
          help    save the file again: numeric arrays alone, each under one name

    What to do
        Save the file with numeric arrays alone, each under one name.
    """

    code = "H150"
    unreadable = True

    problem: str
    arrays: int
    names: tuple[str, ...]

    headline_text = "{place.file}: {problem}"
    row_texts = (("arrays", "{names:listed}", "names"),)
    remedy_text = "save the file again: numeric arrays alone, each under one name"
