"""The beginnings of names, where a loader looks for others than are stored."""

from __future__ import annotations

from inspector.auditing.result import Audit
from inspector.loading.outcome import NOT_IN_FILE, Load


def prefixes(audited: Audit, load: Load) -> tuple[str, str] | None:
    """The stored and the wanted beginning of the names of the base model, if the loader finds none of them."""
    from inspector.findings.names.architecture import NamesOfBaseModel

    named = next((one for one in audited.findings if isinstance(one, NamesOfBaseModel)), None)
    if named is None or NOT_IN_FILE not in load.because or not (named.stored_prefix and named.prefix):
        return None
    if any(name.startswith(named.prefix) for name in audited.checkpoint.tensors):
        return None
    return named.stored_prefix, named.prefix
