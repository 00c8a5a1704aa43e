"""Adapters: small tensors that change a base model. Audited alone or together with their base.

Source: what PEFT's `save_pretrained` writes (key prefix `base_model.model.`, `adapter_config.json`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base
from inspector.adapters.by_itself import odd_layers, unequal_ranks, unnamed_targets
from inspector.adapters.difference import AdapterDifference, difference_of, matched_with
from inspector.adapters.expected import PROMPTS, ExpectedAdapter, expected_parameters, plan_alone, prompts
from inspector.adapters.ignored import ignored
from inspector.adapters.matched import Matched, module_of
from inspector.adapters.merged_linear import merged_linear
from inspector.adapters.method_table import with_rank
from inspector.adapters.misspelled import taken_out
from inspector.adapters.moved_names import is_of_own_code, named_elsewhere, names_of_files, older, unreached_families
from inspector.adapters.names import (
    BASE_LAYER,
    OWN_PREFIX,
    PREFIX,
    PROMPT_TENSORS,
    adapter_kind,
    base_name,
    tuner_name,
)
from inspector.adapters.other_architecture import unmatched
from inspector.adapters.other_setting import other_setting
from inspector.adapters.peft_configs import as_read, with_modules_of_task
from inspector.adapters.plan import plan_with
from inspector.adapters.prefixes import PREFIXES, built_prefix, other_heads
from inspector.adapters.replication import replicated
from inspector.adapters.saved_buffers import buffers_alone
from inspector.adapters.scale import scaled_by_zero
from inspector.adapters.sharing import with_copies
from inspector.adapters.stacked_experts import stacked_experts
from inspector.adapters.targets import LARGEST_RANK, Targets
from inspector.adapters.token_tables import WORDS
from inspector.adapters.unknown_modules import is_of_another, modules_not_of
from inspector.adapters.untargeted import of_whole_model, untargeted, untargeted_alone
from inspector.adapters.with_base import findings_with_base, of_labels
from inspector.algebra.boxes import count
from inspector.findings.adapters.heads import AdapterHeadsDiffer, AdapterHeadsDivided
from inspector.findings.adapters.misspelled import AdapterExpertsStacked
from inspector.findings.adapters.tensors import AdapterRankDiffers
from inspector.findings.adapters.tools import AdapterHoldsBase
from inspector.findings.adapters.whole import Adapter, AdapterBaseDiffers, AdapterNamesUnknown, AdapterSettingDiffers
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.matcher.families import Families
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name


class AdapterReport(Struct, frozen=True):
    """The result of comparing an adapter. expected: parameters that its config trains; None if unknown.

    unchecked: settings that could not be evaluated, each in words. difference: from the tensors that the config adds to
    the base; None without the base, or if they could not be computed. values: the config as PEFT reads it. unreached:
    families under names of the base's files, which PEFT does not find in memory.
    """

    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    expected: int | None
    unchecked: tuple[str, ...]
    difference: AdapterDifference | None = None
    values: Mapping[str, Any] = {}
    unreached: frozenset[str] = frozenset()


def kind_of(values: Mapping[str, Any], families: Families) -> str:
    """The adapter's method in lower case: from its config, or else from its names."""
    kind = values.get("peft_type")
    return kind.lower() if isinstance(kind, str) and kind else adapter_kind(families) or "adapter"


def account(values: Mapping[str, Any], families: Families, base: Base | None, *, whole: bool = True) -> AdapterReport:
    """Compares every tensor of an adapter with its config and, if there is one, its base.

    whole: absent tensors are reported as missing; if a file could not be read, their loss is reported elsewhere.
    """
    report = _account(values, families, base, whole=whole)
    settled = all(one.severity == "note" for one in report.findings)
    if base is None or not whole or settled or any(isinstance(one, AdapterSettingDiffers) for one in report.findings):
        return report
    from inspector.adapters.other_settings import corrected

    def again(other: Mapping[str, Any]) -> Sequence[Finding]:
        found = _account(other, families, base)
        return found.findings if set(found.unchecked) <= set(report.unchecked) else report.findings

    return replace(report, findings=tuple(corrected(report.findings, values, families, again)))


def _in_place_of_all(method: str, values: Mapping[str, Any], families: Families) -> Finding | None:
    """The finding on a file that is no adapter of this method as a whole, in place of one for each tensor."""
    taken = taken_out(method, families) or of_whole_model(method, values, families)
    return taken or merged_linear(families) or stacked_experts(families)


def _account(values: Mapping[str, Any], families: Families, base: Base | None, *, whole: bool = True) -> AdapterReport:
    method, stated = kind_of(values, families), values
    values = with_rank(method, values if base is None else as_read(values, base.name))
    alone = base is None or (base.families > 0 and not base.covered)
    unknown, foreign = ([], []) if base is None else modules_not_of(base, families, Targets(values))
    plan = plan_alone(method, values, families)
    plan = replace(plan, expected=(*plan.expected, *buffers_alone(families)))
    plan = with_copies(plan, method, values, families)
    difference = None
    planned = None if base is None or (alone and base.composite) else plan_with(base, method, values, families)
    elsewhere = [] if base is None or alone else list(named_elsewhere(base, method, values, families))
    unreached = {} if base is None or alone or elsewhere else unreached_families(base, stated, families)
    hidden = base is not None and bool(elsewhere or unreached) and is_of_own_code(base)
    moved = older(base, elsewhere) if base is not None and hidden else ""
    if hidden:
        elsewhere, unreached = [], {}
    if base is not None and planned is not None:
        if not (hidden or (elsewhere and not base.declared) or (unknown and base.composite)):
            difference = _difference(base, method, values, families, planned)
        if not alone:
            strange = tuple(one for one in plan.expected if one.module in unknown)
            plan = replace(planned, expected=(*planned.expected, *strange))
    matched = matched_with(plan, families)
    instead = _in_place_of_all(method, values, families)
    without_place = () if difference is None or instead or elsewhere or unreached else difference.ignored
    dropped = None if base is None else ignored(without_place, base, stated.get("task_type"))
    strays = frozenset(one.key for one in without_place if dropped is not None)
    another = is_of_another(foreign, families)  # that its other modules are missing or ignored follows from it
    unknown = [one for one in unknown if one not in set(map(module_of, strays))]
    findings = [_adapter(method, stated, families), *([] if dropped is None or another else [dropped])]
    if base is not None and unknown:
        findings.append(_of_modules(base, unknown, families))
    if base is not None and foreign and not isinstance(instead, AdapterExpertsStacked):
        findings.append(unmatched(base, foreign, families))
    findings.extend(elsewhere)
    if base is not None and not alone and method in PREFIXES:
        findings.extend(_of_heads(values, base))
    findings.extend(names_of_files(unreached, families))
    if instead is not None:
        findings.append(instead)
    else:
        known = None if alone else base
        planned_with = None if known is None else partial(_planned, known, method, families)
        setting = None if planned_with is None else other_setting(method, values, matched, planned_with)
        placed = [one for one in matched if one.key not in strays]
        others = _of_tensors(plan, placed, known, method, values, families, whole=whole, named=not (unknown or another))
        findings.extend(others if setting is None else [setting])
    unchecked = () if alone else plan.unclear
    if base is not None:
        unchecked = (*unchecked, *_unchecked(base, unknown, moved, hidden=hidden))
    total = None if alone or unchecked else expected_parameters(plan, families)
    trained = _trained(with_modules_of_task(values))
    matched = [replace(one, expected=None) if one.key in strays else one for one in matched]
    of_base = frozenset[str]() if base is None else frozenset(PREFIX + tensor.key for tensor in base.tensors)
    lines = tuple(_line(one, one.key not in strays and (alone or one.key in of_base), trained) for one in matched)
    findings.extend(scaled_by_zero(method, values, matched))
    findings[0] = _with_stored_rank(findings)
    findings.extend(_held(matched))
    findings.extend(of_labels(matched))
    return AdapterReport(lines, tuple(findings), total, unchecked, difference, values, frozenset(unreached))


def _of_heads(values: Mapping[str, Any], base: Base) -> Iterator[Finding]:
    """The finding on a prefix whose number of heads is another than the base's."""
    heads = other_heads(values, base)
    if heads is not None:
        stated, own, fails = heads
        yield (AdapterHeadsDiffer if fails else AdapterHeadsDivided)(stated=stated, of_base=own)


def _unchecked(base: Base, unknown: Sequence[str], moved: str, *, hidden: bool) -> Iterator[str]:
    """What a base leaves unchecked. unknown: modules that its definition does not have. moved: what the names are, if
    they are those of an older release. hidden: its code decides.
    """
    if unknown:
        yield f"names that the definition of {base.name} does not have: {family_name(unknown[0])}"
    if hidden:
        class_name = base.claim.class_name if base.claim is not None else None
        yield f"the names in memory of {class_name}, which is code of the base's repository{moved}"


def _planned(
    base: Base, method: str, families: Families, values: Mapping[str, Any]
) -> tuple[ExpectedAdapter, Sequence[Matched]]:
    """(the plan that a config gives for a base, the stored tensors with their expectations)."""
    plan = plan_with(base, method, values, families)
    return plan, matched_with(plan, families)


def _difference(
    base: Base, method: str, values: Mapping[str, Any], families: Families, planned: ExpectedAdapter
) -> AdapterDifference | None:
    """The differences from the tensors that the config adds to the base in memory; None if they are unclear.

    planned: the plan for the base under the names in its files.
    """
    held, prefix = base, PREFIX
    tensors = base.declared or base.tensors
    if base.declared or any(one.stacked for one in tensors):
        whole = planned.unchangeable  # as a module of experts is that is named itself
        held = replace(base, tensors=tuple(one for one in tensors if not one.stacked))
        planned = plan_with(held, method, values, families)
        if not base.declared:
            planned = replace(planned, unchangeable=planned.unchangeable or whole)
    if planned.unclear:
        return None
    if method in PROMPTS:  # PEFT builds the prompt by its own config, whatever the base's widths
        rest = (one for one in planned.expected if one.key not in PROMPT_TENSORS)
        built = built_prefix(values, base) if method in PREFIXES else None
        if built is not None and built.elements is None:
            return None
        prefix, planned = OWN_PREFIX, replace(planned, expected=(*prompts(method, values, None, built), *rest))
    found = difference_of(planned, matched_with(planned, families), replicated(held, values), prefix)
    known = found.tuned or method in PROMPTS or not base.renamed
    return found if known else None


def _of_tensors(
    plan: ExpectedAdapter,
    matched: Sequence[Matched],
    base: Base | None,
    method: str,
    values: Mapping[str, Any],
    families: Families,
    *,
    whole: bool,
    named: bool,
) -> Iterator[Finding]:
    found = list(findings_with_base(plan, matched, base, whole=whole, named=named))
    yield from found
    fits = not any(isinstance(one, AdapterBaseDiffers) for one in found)
    if base is not None and values and fits and not plan.unclear:
        yield from untargeted(matched, base, method, values, families)
    if method == "adalora" and not any(isinstance(one, AdapterRankDiffers) for one in found):
        yield from unequal_ranks(families)
    if base is None:
        left_out = list(untargeted_alone(matched, method, values, families))
        yield from left_out
        if whole and not left_out:
            yield from unnamed_targets(values, families)
            yield from odd_layers(values, families)


def _held(matched: Sequence[Matched]) -> Iterator[Finding]:
    """The note on weights of the base other than tables and heads, which PEFT saves if they were resized."""
    held = [one for one in matched if one.expected is not None and one.wanted.component == "base"]
    held = [one for one in held if one.wanted.role not in WORDS]
    if held:
        tensors = [count(one.boxes) for one in held]
        elements = sum(number * one.part.layout.elements for number, one in zip(tensors, held, strict=True))
        yield AdapterHoldsBase(tensors=sum(tensors), elements=elements, such_as=family_name(base_name(held[0].key)))


def _trained(values: Mapping[str, Any]) -> Callable[[Matched], bool]:
    """A function that is true for tensors of the base that the adapter trains, according to its config."""
    settings, biases = Targets(values), values.get("bias") not in (None, "none")

    def holds(matched: Matched) -> bool:
        module = base_name(matched.key).rpartition(".")[0]
        return (biases and matched.key.endswith(".bias")) or bool(settings.saved(module, matched.boxes[0]))

    return holds


def _line(matched: Matched, copies: bool, trained: Callable[[Matched], bool]) -> Line:
    expected, tensors, layout = matched.expected, count(matched.boxes), matched.part.layout
    kind, component, role = ledger.PARAMETER, "", "adapter"
    if expected is not None:
        kind, component, role = expected.kind, expected.component, expected.role
    elif matched.key.startswith(f"{OWN_PREFIX}frod_"):
        kind, role = ledger.BUFFER, ledger.PROJECTION
    elif tuner_name(matched.key) is None and matched.key not in PROMPT_TENSORS and not trained(matched):
        copied = copies or f"{BASE_LAYER}." in matched.key
        kind, role = (ledger.EXTRA, "base") if copied else (ledger.UNEXPLAINED, "unexplained")
        component = "base" if copied else ""
    elements = layout.elements * tensors
    counted = elements if kind in (ledger.PARAMETER, ledger.EXTRA, ledger.COPY) else 0
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


def _with_stored_rank(findings: Sequence[Finding]) -> Finding:
    """The note on an adapter, with the rank of its weights if the config states another rank for all of them."""
    first = findings[0]
    ranks = {one.stored for one in findings if isinstance(one, AdapterRankDiffers) and one.key}
    if not isinstance(first, Adapter) or len(ranks) != 1:
        return first
    return replace(first, rank=ranks.pop(), alpha=None, scale=None)


def _of_modules(base: Base, modules: Sequence[str], families: Families) -> Finding:
    """The finding that the definition of the base does not have these names."""
    return AdapterNamesUnknown(
        base=base.name,
        names=tuple(family_name(one) for one in modules[:NAMES_SHOWN]),
        modules=len(modules),
        of=len({module_of(key) for key in families}),
    )
