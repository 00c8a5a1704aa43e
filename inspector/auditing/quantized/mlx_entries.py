"""Entries of modules in the block of MLX that the tensors show and the block lacks.

mlx-lm and mlx-vlm quantize a module as its entry says, and any other module as the block says (`class_predicate` in
`load_model` of mlx-lm 0.32): where modules differ, no value for all of them is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.auditing.quantized.lost_block import modules_of
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.findings.types.packed import PackedOtherwise
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.quantization.missing_block import mixed_block
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.reconciler.ledger import Line

OF_MLX: Final = "mlx"
KINDS: Final = (PackingConfigDisagrees, PackedOtherwise)


def with_entries(findings: list[Finding], lines: Sequence[Line], settings: QuantizationSettings) -> list[Finding]:
    """Merges findings on MLX's block into one with the entries of modules as its remedy, if modules differ."""
    base = settings.base
    of_mlx = [one for one in findings if isinstance(one, KINDS) and one.scheme.startswith(OF_MLX)]
    of_mlx = [one for one in of_mlx if _keys(one) <= _of_all(base)]
    whole = [one for one in of_mlx if isinstance(one, PackingConfigDisagrees)]
    apart = [one for one in of_mlx if isinstance(one, PackedOtherwise)]
    several = len({(one.key, repr(one.weights)) for one in whole}) > len({one.key for one in whole})
    if not several and not apart and not any(one.agreeing for one in whole):
        return findings
    block = mixed_block([(line.packed, modules_of(line)) for line in lines if line.packed is not None], _stated(base))
    if block is None:
        return findings
    kept = [one for one in findings if one not in of_mlx]
    if not whole:
        return [_apart(apart, _entries_of(block, settings)), *kept]
    same = [one for one in whole if one.key == whole[0].key]
    values = [one.weights for one in same]
    stated = _stated(base) == {key: block[key] for key in _stated(base)}
    disagrees = replace(
        whole[0],
        weights=values if len(values) > 1 else values[0],
        block=block,
        exceptions=_entries_of(block, settings) if stated else {},
        modules=sum(one.modules for one in same),
        names=tuple(name for one in same for name in one.names)[:NAMES_SHOWN],
    )
    return [disagrees, *kept]


def _keys(finding: Finding) -> set[str]:
    """The keys of the config that a finding contradicts."""
    if isinstance(finding, PackedOtherwise):
        return {setting.key for setting in finding.settings}
    return {finding.key} if isinstance(finding, PackingConfigDisagrees) else set()


def _of_all(base: ModuleSettings) -> set[str]:
    """The keys of the settings for all modules."""
    return {base.key("bits"), base.key("group_size"), base.key("variant")}


def _stated(base: ModuleSettings) -> dict[str, Any]:
    """What the block states for all modules."""
    return {"mode": base.variant or "affine", "group_size": base.group_size, "bits": base.bits}


def _entries_of(block: dict[str, Any], settings: QuantizationSettings) -> dict[str, dict[str, Any]]:
    """The entries that the config does not have."""
    stated = {entry.text for entry, _ in settings.special}
    return {name: entry for name, entry in block.items() if isinstance(entry, dict) and name not in stated}


def _apart(findings: Sequence[PackedOtherwise], entries: dict[str, dict[str, Any]]) -> PackedOtherwise:
    """One finding on all modules that need an entry."""
    settings = tuple(setting for one in findings for setting in one.settings)
    families = tuple(dict.fromkeys(family for one in findings for family in one.families))
    return replace(
        findings[0],
        settings=settings,
        families=families,
        modules=sum(one.modules for one in findings),
        names=tuple(name for one in findings for name in one.names)[:NAMES_SHOWN],
        where=findings[0].where if len(findings) == 1 else "",
        agreeing=min(one.agreeing for one in findings),
        source=settings[0].key.partition(".")[0],
        exceptions=entries,
    )
