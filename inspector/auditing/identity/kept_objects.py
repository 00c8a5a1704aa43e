"""Objects in a pickle that the library of the file saves on purpose and reads again.

fairseq (`checkpoint_utils.py`, `load_checkpoint_to_cpu`) builds the model from `args` or `cfg` in the file.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.findings.header.pickle import PickleHoldsObjects
from inspector.findings.header.torch import WeightsInside
from inspector.findings.names.of_library import LibraryByNames

LIBRARY: Final = "fairseq"
OBJECTS: Final = "argparse.Namespace"
BASICSR: Final = "BasicSR (ESRGAN, Real-ESRGAN)"
KEY: Final = "params"
"""The key of BasicSR's files (`load_network` in `models/base_model.py`, and `RealESRGANer` of Real-ESRGAN)."""


def with_key_of_library(audited: Audit) -> Audit:
    """The audit; the note on the names of BasicSR has the key that it looks for, if a file of torch has
    the weights at its top."""
    found = audited.findings
    if audited.checkpoint.kind != "pytorch" or not any(_is_of_basicsr(one) for one in found):
        return audited
    if any(isinstance(one, WeightsInside) for one in found):
        return audited
    return audited.with_findings([replace(one, reads_below=KEY) if _is_of_basicsr(one) else one for one in found])


def with_reader(audited: Audit) -> Audit:
    """The audit; the help on objects in a file of fairseq names the library, which needs them."""
    if not any(isinstance(one, LibraryByNames) and one.library == LIBRARY for one in audited.findings):
        return audited
    found = [
        replace(one, read_by=LIBRARY) if isinstance(one, PickleHoldsObjects) and OBJECTS in one.names else one
        for one in audited.findings
    ]
    return audited if found == list(audited.findings) else audited.with_findings(found)


def _is_of_basicsr(finding: Finding) -> TypeGuard[LibraryByNames]:
    return isinstance(finding, LibraryByNames) and finding.library == BASICSR
