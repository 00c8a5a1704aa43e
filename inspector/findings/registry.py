"""All findings by code and name. Imports every stage: for `inspector explain`, schemas and tests, but
not for audits.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module

import inspector.findings
from inspector.findings.finding import Finding


def all_findings() -> Mapping[str, type[Finding]]:
    """Name in kebab case -> class, in the order of the codes."""
    for module in pkgutil.walk_packages(inspector.findings.__path__, f"{inspector.findings.__name__}."):
        import_module(module.name)
    return {finding.name: finding for finding in sorted(_below(Finding), key=lambda one: one.code)}


def finding_type(code_or_name: str) -> type[Finding] | None:
    """The class of a code or name, ignoring case; None if there is none."""
    wanted = code_or_name.strip().upper()
    return next((one for one in all_findings().values() if wanted in (one.code, one.name.upper())), None)


def page(finding: type[Finding]) -> str:
    """The documentation page of a finding."""
    import inspect

    return inspect.cleandoc(finding.__doc__ or "")


def _below(base: type[Finding]) -> Iterator[type[Finding]]:
    """All finding classes below a class. Classes without a code only share fields or words."""
    for one in base.__subclasses__():
        if one.code:
            yield one
        yield from _below(one)
