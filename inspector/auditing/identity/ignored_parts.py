"""Finds unexpected tensors that the class in the config ignores on purpose, by the lists in the classes of
transformers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.given import Given
from inspector.loading.tables import NEWEST, rules_of

if TYPE_CHECKING:
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected


def with_ignored(findings: Sequence[Finding], given: Given) -> list[Finding]:
    """Replaces findings on tensors by a note if the class silently ignores all of these tensors."""
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    rules = None if given.class_name is None else rules_of(given.class_name, NEWEST)
    if rules is None or not rules.unexpected:
        return list(findings)
    ignored = re.compile("|".join(f"(?:{one})" for one in rules.unexpected))
    return [
        _as_note(one, given)
        if isinstance(one, PartUnexpected | TensorUnexpected) and _all_match(one, given.checkpoint, ignored)
        else one
        for one in findings
    ]


def _name(finding: PartUnexpected | TensorUnexpected) -> str:
    """The family or the only tensor of a finding: "mtp.{mtp}.*"."""
    return str(finding.place.family or finding.place.tensor)


def _all_match(finding: PartUnexpected | TensorUnexpected, checkpoint: Checkpoint, ignored: re.Pattern[str]) -> bool:
    """True if a pattern matches every tensor of a finding on unexpected tensors."""
    own = re.compile(_pattern(_name(finding)))
    names = [name for name in checkpoint.tensors if own.fullmatch(name)]
    return len(names) == finding.tensors and all(ignored.search(name) for name in names)


def _pattern(family: str) -> str:
    """A family as a regular expression for its names: {mtp} in "mtp.{mtp}.*" becomes a number."""
    words = re.escape(family.removesuffix("*"))
    return re.sub(r"\\\{\w+\\\}", r"\\d+", words) + (".*" if family.endswith("*") else "")


def _as_note(finding: PartUnexpected | TensorUnexpected, given: Given) -> Finding:
    from inspector.findings.names.ignored_part import PartIgnored

    return PartIgnored(
        place=Place(file=given.checkpoint.set_name),
        class_name=str(given.class_name),
        tensors=finding.tensors,
        elements=finding.elements,
        bytes=finding.bytes,
        part=_name(finding),
    )
