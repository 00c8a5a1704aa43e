"""Target expressions of an adapter that fit its stored names but not the names of the base.

PEFT compares an expression in `target_modules` with the whole name of each module (`re.fullmatch`) and refuses an
adapter whose expression fits none, whatever its tensors are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.names import PREFIX, tuner_name
from inspector.findings.adapters.wrapped import AdapterNamesWrapped
from inspector.findings.finding import Finding

KEY: Final = "target_modules"
MOST_MODULES: Final = 40
"""Most modules of a layer that an expression lists."""
HOLE: Final = "#"


def with_targets(findings: Sequence[Finding], values: Mapping[str, Any], families: Iterable[str]) -> list[Finding]:
    """The findings; one on names has an expression for the new names if the stated one does not fit them.

    values: the adapter's config. families: of the stored names.
    """
    stated = values.get(KEY)
    if not isinstance(stated, str):
        return list(findings)
    return [_with_target(one, stated, families) if isinstance(one, AdapterNamesWrapped) else one for one in findings]


def _with_target(finding: AdapterNamesWrapped, stated: str, families: Iterable[str]) -> AdapterNamesWrapped:
    before, after = _beginnings(finding)
    if finding.tensors < finding.of or finding.excluded or not before:
        return finding
    modules = dict.fromkeys(name.module for key in families if (name := tuner_name(key)) is not None)
    moved = [after + one.removeprefix(before) for one in modules if one.startswith(before)]
    if not moved or len(moved) < len(modules) or len(moved) > MOST_MODULES:
        return finding
    try:
        fits = [re.fullmatch(stated, one.replace(HOLE, "0")) is not None for one in moved]
    except re.error:
        return finding
    if any(fits):
        return finding
    return replace(finding, targets=_expression(moved))


def _expression(modules: Sequence[str]) -> str:
    """An expression that fits exactly some families of modules."""
    segments = zip(*(one.split(".")[:-1] for one in modules), strict=False)
    start = "".join(f"{same[0]}." for same in takewhile(lambda alike: len(set(alike)) == 1, segments))
    ends = "|".join(_escaped(one.removeprefix(start)) for one in modules)
    return f"{_escaped(start)}({ends})"


def _escaped(names: str) -> str:
    return re.escape(names).replace(re.escape(HOLE), "\\d+")


def _beginnings(finding: AdapterNamesWrapped) -> tuple[str, str]:
    """The beginnings of the modules before and after a renaming of all names; ("", "") for any other renaming."""
    if len(finding.renames) != 1:
        return "", ""
    old, new = finding.renames[0]
    if not (old.startswith(PREFIX) and new.startswith(PREFIX) and old.endswith(".*") and new.endswith(".*")):
        return "", ""
    return old.removeprefix(PREFIX).removesuffix("*"), new.removeprefix(PREFIX).removesuffix("*")
