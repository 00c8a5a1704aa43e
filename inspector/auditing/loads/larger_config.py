"""Completes the remedy for the config of a larger model: names that the class of its text model does not have."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.loads.prefixes import renames
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loading.tables import NEWEST
from inspector.loading.transformers import loads


def with_names_of_class(audited: Audit, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, one on such a config with the names to change, if the class would miss all tensors under them."""
    from inspector.findings.names.text_model import ConfigOfLargerModel

    config = audited.checkpoint.config
    found = next((one for one in findings if isinstance(one, ConfigOfLargerModel)), None)
    if found is None or config is None:
        return list(findings)
    kept = {key: value for key, value in config.values.items() if key not in found.removed}
    load = loads(given_of(audited, {**kept, **found.changed}), NEWEST)
    named = renames(audited, load)
    return [replace(one, renames=named) if one is found and named else one for one in findings]
