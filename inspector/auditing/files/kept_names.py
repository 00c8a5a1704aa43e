"""Weights that stay unread under any file name, so that renaming the file does not help.

A file whose quantization or names no loader of the folder reads would load under the expected name, with the tensors
that the loader does not recognise left random. A config of another library's model names another loader than that of
the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.findings.finding import Finding
from inspector.loader.loaders import DIFFUSERS, TRANSFORMERS
from inspector.loading.tables import is_supported

if TYPE_CHECKING:
    from inspector.findings.names.architecture import NamesOfAnotherArchitecture


def without_rename(findings: Sequence[Finding]) -> list[Finding]:
    """Removes the finding on the name of the only file if another one says that its content must be replaced."""
    if all(one.severity == "note" for one in findings):
        return list(findings)
    from inspector.findings.names.architecture import NamesOfAnotherArchitecture, NamesOfAnotherProgram
    from inspector.findings.names.of_library import NamesOfLibrary
    from inspector.findings.shards.names import FileNameUnknown
    from inspector.findings.types.obsolete import PackingObsolete

    if any(isinstance(one, NamesOfAnotherArchitecture) and _is_named_well(one, findings) for one in findings):
        return [one for one in findings if not isinstance(one, FileNameUnknown)]
    unread = NamesOfLibrary | NamesOfAnotherProgram | PackingObsolete
    if not any(isinstance(one, unread) for one in findings):
        return list(findings)
    return [one for one in findings if not (isinstance(one, FileNameUnknown) and one.single)]


def _is_named_well(finding: NamesOfAnotherArchitecture, findings: Sequence[Finding]) -> bool:
    """True if the library of the architecture whose names are stored finds the file under its name."""
    from inspector.findings.shards.names import FileNameUnknown
    from inspector.loading.diffusers import is_class

    own = DIFFUSERS if is_class(finding.names or "") else TRANSFORMERS if is_supported(finding.names or "") else None
    files = [one.place.file or "" for one in findings if isinstance(one, FileNameUnknown)]
    return own is not None and all(own.finds(file) for file in files)
