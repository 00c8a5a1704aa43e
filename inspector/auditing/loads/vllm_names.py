"""Compares the list of unquantized modules of compressed-tensors with the names that vLLM gives to these modules.

vLLM renames the entries of the list as it renames tensors (`apply_vllm_mapper` in `compressed_tensors.py` of 0.33), and
leaves patterns as they are. It compares both with its own names.
"""

from __future__ import annotations

from inspector.algebra.boxes import minus
from inspector.auditing.loads.quantized import OTHER_NAMES
from inspector.auditing.quantized.plain_modules import BY_PATTERN, PATTERN, among_packed, covered
from inspector.auditing.quantized.unfound_entries import found_by_newest_only
from inspector.auditing.result import Audit
from inspector.loading.vllm_modules import PREFIXES, given_name


def not_listed_for_vllm(audited: Audit) -> str:
    """Why it is open whether vLLM builds plain modules quantized; "" if it finds each of them in the list."""
    if audited.unpacked is None or audited.unpacked.settings.base.method != BY_PATTERN:
        return ""
    prefixes = PREFIXES.get(audited.class_name or "")
    if prefixes is None:
        return OTHER_NAMES if found_by_newest_only(audited) else ""
    stated = [entry.text for entry in audited.unpacked.settings.ignored]
    entries = [entry if entry.startswith(PATTERN) else given_name(entry, prefixes) for entry in stated]
    for line, _ in among_packed(audited.lines, everywhere=True):
        module = given_name(line.family.removesuffix(".weight"), prefixes)
        if minus(line.boxes, covered(entries, module, line.boxes)):
            return f"it names {module} otherwise than the list of unquantized modules, and may build it quantized"
    return ""
