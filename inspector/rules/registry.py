"""Rules by name and code, found by their file names; only those that fire are imported."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import inspector.rules
from inspector.evidence import Evidence, Place
from inspector.rules.rule import Rule

SEVERITIES = ("error", "warning", "note")
"""Worst first."""
_FILE = re.compile(r"([a-z])(\d{3})_([a-z_0-9]+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the tool has to say. `rows` and `help` are the lines below the headline."""

    code: str
    name: str
    severity: str
    confidence: str
    headline: str
    place: Place
    facts: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[tuple[str, str], ...] = ()
    help: str = ""

    @property
    def message(self) -> str:
        """The headline and its rows in one line."""
        return "; ".join([self.headline, *(f"{label} {text}" for label, text in self.rows)])


@cache
def files() -> Mapping[str, tuple[str, str]]:
    """Kebab name -> (code, module), in order of the codes."""
    found = {}
    for module in sorted(pkgutil.iter_modules(inspector.rules.__path__), key=lambda one: one.name):
        match = _FILE.fullmatch(module.name)
        if match:
            found[match[3].replace("_", "-")] = (f"{match[1].upper()}{match[2]}", module.name)
    return found


def rule_of(name: str) -> tuple[str, Rule]:
    """(code, rule) of a kebab name. KeyError where no file has it: a stage and the rules disagree."""
    code, module = files()[name]
    rule = import_module(f"inspector.rules.{module}").RULE
    assert isinstance(rule, Rule)
    return code, rule


def page(code_or_name: str) -> tuple[str, str, str, str] | None:
    """(code, name, severity, documentation) of a rule; None where there is none."""
    wanted = code_or_name.strip().upper()
    for name, (code, module) in files().items():
        if wanted in (code, name.upper()):
            loaded = import_module(f"inspector.rules.{module}")
            return code, name, loaded.RULE.severity, (loaded.__doc__ or "").strip()
    return None


def worded(evidence: Iterable[Evidence]) -> list[Finding]:
    """Evidence as findings, the worst first, otherwise in the order it was found, equal ones once."""
    findings: dict[str, Finding] = {}
    for one in evidence:
        code, rule = rule_of(one.rule)
        finding = Finding(
            code,
            one.rule,
            rule.severity,
            one.confidence,
            rule.headline(one.place, one.facts),
            one.place,
            one.facts,
            tuple(rule.rows(one.place, one.facts)),
            rule.help(one.place, one.facts),
        )
        findings.setdefault(json.dumps([code, finding.message, finding.place.file], default=str), finding)
    return sorted(findings.values(), key=lambda finding: SEVERITIES.index(finding.severity))
