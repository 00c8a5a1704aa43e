"""Exceptions of GPTQ for single modules (`dynamic`) that the tensors show and the settings lack.

Source: GPTQModel, `QuantizeConfig.dynamic`: a pattern after "+:" gives its modules other settings, and the modules of a
pattern after "-:" are not quantized. vLLM's `gptq` reads the same key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.findings.finding import Finding, Place
from inspector.findings.types.packed import PackedOtherwise
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.findings.types.unpacked import ExceptionsLost, ModuleNotPacked
from inspector.quantization.missing_block import MOST_LISTED
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.reconciler.wording import names_in

METHOD: Final = "gptq"
STATED: Final = frozenset({"bits", "group_size"})
"""Settings that an exception may state."""
MOST: Final = 40
"""Most exceptions in a remedy."""


def with_exceptions(findings: Sequence[Finding], unpacked: Unpacked) -> list[Finding]:
    """Gives the findings exceptions as their remedy; several findings are merged into one cause if the config states no
    exceptions.
    """
    settings = unpacked.settings
    apart = [one for one in findings if isinstance(one, PackedOtherwise)]
    plain = [one for one in findings if isinstance(one, ModuleNotPacked)]
    if settings.base.method != METHOD or settings.special or settings.ignored or not (apart or plain):
        return list(findings)
    what = {setting.key.rpartition(".")[2] for one in apart for setting in one.settings}
    entries = {**_stated(apart, unpacked.cases), **_excluded(unpacked.cases)}
    if not what <= STATED or not 0 < len(entries) <= MOST:
        return list(findings)
    if len(apart) + len(plain) == 1:
        stated = {"source": settings.source, "exceptions": entries}
        return [replace(one, **stated) if one in apart or one in plain else one for one in findings]
    whole = ExceptionsLost(
        place=Place(key=settings.source),
        source=settings.source,
        scheme=METHOD,
        entries=entries,
        otherwise=sum(one.modules for one in apart),
        plain=sum(one.modules for one in plain),
        names=tuple(name for one in (*apart, *plain) for name in one.names),
        modules=len(entries),
    )
    return [*(one for one in findings if one not in apart and one not in plain), whole]


def _stated(apart: Sequence[PackedOtherwise], cases: Sequence[ModuleProblem]) -> dict[str, dict[str, Any]]:
    """The exceptions for modules that have other settings."""
    odd = {(setting.key, repr(setting.weights)) for one in apart for setting in one.settings}
    found: dict[str, dict[str, Any]] = {}
    for case in cases:
        one = case.finding
        if isinstance(one, PackingConfigDisagrees) and (one.key, repr(one.weights)) in odd:
            for module in _modules(case):
                found.setdefault(f"+:{module}", {})[one.what] = one.weights
    return found


def _excluded(cases: Sequence[ModuleProblem]) -> dict[str, dict[str, Any]]:
    """The exceptions for modules that are not quantized."""
    return {f"-:{module}": {} for case in cases if isinstance(case.finding, ModuleNotPacked)
            for module in _modules(case)}  # fmt: skip


def _modules(case: ModuleProblem) -> list[str]:
    """The patterns of the modules of a case."""
    return [f"{re.escape(name.rpartition('.')[0])}$" for name in names_in(case.key, case.boxes, MOST_LISTED)]
