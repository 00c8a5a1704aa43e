"""Adapters: small tensors that change a base model. Audited alone or together with their base.

Source: what PEFT's `save_pretrained` writes (key prefix `base_model.model.`, `adapter_config.json`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base
from inspector.adapters.beside_base import (
    Matched,
    findings_beside,
    foreign_modules,
    module_of,
    overlap,
    unknown_modules,
)
from inspector.adapters.by_itself import odd_layers, unequal_ranks, unnamed_targets
from inspector.adapters.difference import AdapterDifference, difference_of
from inspector.adapters.expected import Expected, ExpectedAdapter, expected_parameters, plan_alone
from inspector.adapters.method_table import with_rank
from inspector.adapters.names import BASE_LAYER, OWN_PREFIX, PROMPT_TENSORS, adapter_kind, base_name, tuner_name
from inspector.adapters.plan import plan_with
from inspector.adapters.targets import LARGEST_RANK, Boxes, Targets
from inspector.algebra.boxes import count, joined, minus
from inspector.findings.adapters.tools import AdapterModulesUnmatched
from inspector.findings.adapters.whole import (
    Adapter,
    AdapterNamesUnknown,
)
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.matcher.families import Families, Stored
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name


class AdapterReport(Struct, frozen=True):
    """What an adapter adds up to. expected: parameters that its config trains; None where that is not known.

    unchecked: settings that could not be worked out, each in words. difference: from what the config adds to the base;
    None without the base, or where that could not be worked out.
    """

    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    expected: int | None
    unchecked: tuple[str, ...]
    difference: AdapterDifference | None = None


def kind_of(values: Mapping[str, Any], families: Families) -> str:
    """The adapter's method in small letters: by its config, else by its names."""
    kind = values.get("peft_type")
    return kind.lower() if isinstance(kind, str) and kind else adapter_kind(families) or "adapter"


def account(values: Mapping[str, Any], families: Families, base: Base | None, *, whole: bool = True) -> AdapterReport:
    """Compares every tensor of an adapter with its config and, if there is one, its base.

    whole: absent tensors are missing; where a file could not be read their loss is reported already.
    """
    method = kind_of(values, families)
    values = with_rank(method, values)
    alone = base is None or (base.families > 0 and not base.covered)
    unknown = [] if base is None else unknown_modules(families, base)
    foreign = [] if base is None else foreign_modules(unknown, families, base, Targets(values))
    unknown = [one for one in unknown if one not in foreign]
    plan = plan_alone(method, values, families)
    difference = None
    if base is not None and not alone:
        strange = tuple(one for one in plan.expected if one.module in unknown)
        plan = plan_with(base, method, values, families)
        if not (plan.unclear or (unknown and base.composite)):
            difference = difference_of(plan, _matched(plan, families))
        plan = replace(plan, expected=(*plan.expected, *strange))
    matched = _matched(plan, families)
    findings = [_adapter(method, values, families)]
    if base is not None and unknown:
        findings.append(_of_modules(AdapterNamesUnknown, base, unknown, families))
    if base is not None and foreign:
        findings.append(_of_modules(AdapterModulesUnmatched, base, foreign, families))
    known = None if alone else base
    findings.extend(findings_beside(plan, matched, known, whole=whole, named=not unknown))
    if method == "adalora":
        findings.extend(unequal_ranks(families))
    if alone and whole:
        findings.extend(unnamed_targets(values, families))
        findings.extend(odd_layers(values, families))
    unchecked = () if alone else plan.unclear
    if base is not None and unknown:
        unchecked = (*unchecked, f"names that the definition of {base.name} does not have: {family_name(unknown[0])}")
    total = None if alone or unchecked else expected_parameters(plan, families)
    trained = _trained(values)
    lines = tuple(_line(one, alone, trained) for one in matched)
    return AdapterReport(lines, tuple(findings), total, unchecked, difference)


def _matched(plan: ExpectedAdapter, families: Families) -> list[Matched]:
    """Each stored tensor with what a plan expects on its key."""
    expected: dict[str, list[Expected]] = {}
    for one in plan.expected:
        expected.setdefault(one.key, []).append(one)
    return [
        one
        for key, family in families.items()
        for part in family.stored
        for one in _meet(key, part, expected.get(key, ()))
    ]


def _meet(key: str, part: Stored, expected: Sequence[Expected]) -> Iterator[Matched]:
    left: Boxes = part.boxes
    for one in expected:
        hit = joined(matched for box in left for want in one.boxes if (matched := overlap(box, want)) is not None)
        if hit:
            yield Matched(key, part, hit, one)
            left = minus(left, hit)
    if left:
        yield Matched(key, part, left, None)


def _trained(values: Mapping[str, Any]) -> Callable[[Matched], bool]:
    """Whether tensors of the base are the adapter's to count: its config says that they were trained."""
    settings, biases = Targets(values), values.get("bias") not in (None, "none")

    def holds(matched: Matched) -> bool:
        module = base_name(matched.key).rpartition(".")[0]
        return (biases and matched.key.endswith(".bias")) or bool(settings.saved(module, matched.boxes[0]))

    return holds


def _line(matched: Matched, alone: bool, trained: Callable[[Matched], bool]) -> Line:
    expected, tensors, layout = matched.expected, count(matched.boxes), matched.part.layout
    kind, component, role = ledger.PARAMETER, "", "adapter"
    if expected is not None:
        kind, component, role = expected.kind, expected.component, expected.role
    elif matched.key.startswith(f"{OWN_PREFIX}frod_"):
        kind, role = ledger.BUFFER, ledger.PROJECTION
    elif tuner_name(matched.key) is None and matched.key not in PROMPT_TENSORS and not trained(matched):
        copied = alone or f"{BASE_LAYER}." in matched.key
        kind, role = (ledger.EXTRA, "base") if copied else (ledger.UNEXPLAINED, "unexplained")
        component = "base" if copied else ""
    elements = layout.elements * tensors
    counted = elements if kind in (ledger.PARAMETER, ledger.EXTRA) else 0
    return Line(matched.key, role, kind, layout, matched.boxes, tensors=tensors, elements=elements, parameters=counted,
                component=component)  # fmt: skip


def _adapter(method: str, values: Mapping[str, Any], families: Families) -> Finding:
    base, alpha, rank = (values.get(key) for key in ("base_model_name_or_path", "lora_alpha", "r"))
    scale = None
    if isinstance(alpha, int | float) and type(rank) is int and 0 < rank < LARGEST_RANK:
        scale = alpha / (rank**0.5 if values.get("use_rslora") is True else rank)
    return Adapter(
        type=method,
        base=base if isinstance(base, str) and base else None,
        rank=rank,
        tensors=sum(family.tensors for family in families.values()),
        alpha=None if scale is None else alpha,
        scale=scale,
    )


def _of_modules(
    kind: type[AdapterModulesUnmatched | AdapterNamesUnknown], base: Base, modules: Sequence[str], families: Families
) -> Finding:
    """That the base does not have these modules, or that the definition does not have these names."""
    return kind(
        base=base.name,
        names=tuple(family_name(one) for one in modules[:NAMES_SHOWN]),
        modules=len(modules),
        of=len({module_of(key) for key in families}),
    )
