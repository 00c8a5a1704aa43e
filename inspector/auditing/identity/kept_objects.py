"""Objects in a pickle that the library of the file saves on purpose and reads again.

fairseq (`checkpoint_utils.py`, `load_checkpoint_to_cpu`) builds the model from `args` or `cfg` in the file.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.dialects.image_libraries import READS_BELOW
from inspector.findings.header.pickle import PickleHoldsObjects
from inspector.findings.header.torch import WeightsInside
from inspector.findings.names.of_library import LibraryByNames

LIBRARY: Final = "fairseq"
OBJECTS: Final = "argparse.Namespace"


def with_key_of_library(audited: Audit) -> Audit:
    """The audit; the note on a library that looks for the weights below a key has it, if a file of torch has the
    weights at its top.
    """
    found = audited.findings
    if any(isinstance(one, WeightsInside) for one in found):
        return audited
    keyed = [
        replace(one, reads_below=READS_BELOW[one.library])
        if isinstance(one, LibraryByNames) and one.library in READS_BELOW
        else one
        for one in found
    ]
    return audited if keyed == list(found) else audited.with_findings(keyed)


def with_reader(audited: Audit) -> Audit:
    """The audit; the help on objects in a file of fairseq names the library, which needs them."""
    if not any(isinstance(one, LibraryByNames) and one.library == LIBRARY for one in audited.findings):
        return audited
    found = [
        replace(one, read_by=LIBRARY) if isinstance(one, PickleHoldsObjects) and OBJECTS in one.names else one
        for one in audited.findings
    ]
    return audited if found == list(audited.findings) else audited.with_findings(found)
