"""Settings that the config states for single modules and the weights contradict: one finding names every key.

The settings of modules are read together if they mean the same, whatever entries state them. MLX's block, auto-round's
`extra_config` and GPTQ's `dynamic` have an entry for each module, and each wrong one has to be corrected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from inspector.algebra.boxes import minus
from inspector.auditing.quantized.grouped_modules import with_modules
from inspector.findings.finding import Finding, Place
from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.targets import Entry
from inspector.quantization.unpacked import ModuleProblem

Case = tuple[ModuleProblem, PackingConfigDisagrees]


def of_entries(cases: Sequence[Case], settings: QuantizationSettings) -> tuple[list[Finding], list[Case]]:
    """(the findings on settings of single modules, the other cases)."""
    alike: dict[str, list[Case]] = {}
    others: list[Case] = []
    for case, finding in cases:
        left = case.boxes
        for key, members in _by_entry(case, finding, settings):
            left = minus(left, members.boxes)
            same = repr((type(finding), members.scheme, finding.what, finding.config, finding.weights))
            alike.setdefault(same, []).append((members, replace(finding, key=key)))
        if left:
            others.append((replace(case, boxes=left), finding))
    return [_together(found, settings) for found in alike.values()], others


def _by_entry(
    case: ModuleProblem, finding: PackingConfigDisagrees, settings: QuantizationSettings
) -> Iterator[tuple[str, ModuleProblem]]:
    """(key, the module of a case that it decides) of each entry that is for one module and states the key alone."""
    if finding.what == "method" or finding.key == settings.base.key(finding.what):
        return
    module, left = case.key.rpartition(".")[0], case.boxes
    stated = Counter(setting.key(finding.what) for _, setting in settings.special)
    for entry, setting in reversed(settings.entries_for(module)):
        inside = entry.within(module, left)
        left = minus(left, inside)
        key = setting.key(finding.what)
        if inside and stated[key] == 1 and _is_of_one(entry, module):
            yield key, replace(case, boxes=inside)


def _is_of_one(entry: Entry, module: str) -> bool:
    """True if an entry is the whole name of a module."""
    return entry.pattern is None and entry.at_start and len(entry.segments) == module.count(".") + 1


def _together(found: Sequence[Case], settings: QuantizationSettings) -> Finding:
    """The finding on the modules with the same wrong setting, in the order of the config."""
    what = found[0][1].what
    places = {setting.key(what): place for place, (_, setting) in enumerate(settings.special)}
    ordered = sorted(found, key=lambda one: places[one[1].key])
    keys = tuple(finding.key for _, finding in ordered)
    first = replace(ordered[0][1], keys=keys if len(keys) > 1 else ())
    return with_modules(first, Place(key=first.key), [case for case, _ in ordered])
