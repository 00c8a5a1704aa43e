"""The values that PEFT accepts for a key of an adapter's config that it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from inspector.loading.peft import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.auditing.result import Audit
    from inspector.findings.finding import Finding
    from inspector.loading.outcome import Load

RANKS: Final = frozenset({"r", "rank_pattern"})
"""Keys of the ranks of an adapter's matrices."""


def is_apart(audited: Audit, load: Load, findings: Sequence[Finding]) -> bool:
    """True if PEFT refuses keys of an adapter's config that no other finding corrects."""
    adapter = audited.checkpoint.adapter
    if load.loader != NAME or adapter is None or adapter.values.keys().isdisjoint(load.keys):
        return False
    corrected = {key for one in findings for step in one.remedy().steps for key in step.key}
    return corrected.isdisjoint(load.keys)


def without_ranks(load: Load, findings: Sequence[Finding]) -> list[Finding]:
    """The findings without those on ranks if PEFT refuses the keys that state them."""
    from inspector.findings.adapters.tensors import AdapterRankDiffers

    of_ranks = load.loader == NAME and not RANKS.isdisjoint(load.keys)
    return [one for one in findings if not (of_ranks and isinstance(one, AdapterRankDiffers))]


def accepted_by_peft(audited: Audit, load: Load) -> dict[str, Any]:
    """Fields of the finding on a refusal: the file of the keys, and the value that the only key means or has by
    default. Empty for other loaders.
    """
    adapter = audited.checkpoint.adapter
    if load.loader != NAME or adapter is None or not load.keys:
        return {}
    from inspector.adapters.config_repairs import repair_of

    repair = repair_of(adapter.values, {})
    if repair is None or repair.keys != load.keys:
        of_base = adapter.values.keys().isdisjoint(load.keys)
        return {"file": "the config.json of the base" if of_base else adapter.file}
    return {"file": adapter.file, "meant": repair.meant, "default": repair.default}
