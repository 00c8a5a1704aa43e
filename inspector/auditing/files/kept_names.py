"""Weights that stay unread under any file name, so that renaming the file does not help.

A file whose quantization or names no loader of the folder reads would load under the expected name, with the tensors
that the loader does not recognise left random.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.findings.finding import Finding


def without_rename(findings: Sequence[Finding]) -> list[Finding]:
    """Removes the finding on the name of the only file if another one says that its content must be replaced."""
    if all(one.severity == "note" for one in findings):
        return list(findings)
    from inspector.findings.names.architecture import NamesOfAnotherProgram
    from inspector.findings.names.of_library import NamesOfLibrary
    from inspector.findings.shards.names import FileNameUnknown
    from inspector.findings.types.obsolete import PackingObsolete

    unread = NamesOfLibrary | NamesOfAnotherProgram | PackingObsolete
    if not any(isinstance(one, unread) for one in findings):
        return list(findings)
    return [one for one in findings if not (isinstance(one, FileNameUnknown) and one.single)]
