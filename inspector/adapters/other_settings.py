"""Finds the value of adapter_config.json that the tensors require, if this one value explains all errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.expected import PROMPTS
from inspector.adapters.matched import module_of
from inspector.adapters.names import PROMPT, adapter_kind, tuner_name
from inspector.adapters.other_shapes import suggested
from inspector.algebra.boxes import count
from inspector.algebra.names import axes_of
from inspector.findings.adapters.tensors import (
    AdapterHalfMissing,
    AdapterModuleUnexpected,
    AdapterRankDiffers,
    AdapterSetting,
    AdapterShapeDiffers,
    AdapterTargetMissing,
)
from inspector.findings.adapters.whole import AdapterBaseDiffers, AdapterSettingDiffers
from inspector.findings.finding import Finding, Place
from inspector.matcher.families import Families

Values = Mapping[str, Any]
Findings = Sequence[Finding]
FEWEST: Final = 2
"""Fewest tensors with which a suggested value may be the cause; a single one is a wrong or a lost tensor."""
BANK: Final = "base_model.vblora_vector_bank"
"""The only tensor whose shape shows the length of VB-LoRA's vectors."""
OF_PLAN: Final = (
    AdapterShapeDiffers, AdapterBaseDiffers, AdapterRankDiffers, AdapterModuleUnexpected, AdapterTargetMissing,
    AdapterHalfMissing,
)  # fmt: skip
"""Findings that follow from the tensors that the config asks for."""
FACTORS: Final = (-1, 1, 2, 4, 8, 16, 32, 64)
"""Values of LoKr's `decompose_factor` that are tried."""
MOST_LAYERS: Final = 1_000


def corrected(findings: Findings, values: Values, families: Families, again: Callable[[Values], Findings]) -> Findings:
    """Replaces the errors by one finding if another value of a single setting removes all of them.

    again: the findings under other values. Modules without tensors may be lost: a value is then an alternative.
    """
    wrong = [one for one in findings if one.severity != "note"]
    if not wrong or not values:
        return findings
    if all(isinstance(one, OF_PLAN) for one in wrong) and not all(isinstance(one, AdapterRankDiffers) for one in wrong):
        several = sum(getattr(one, "tensors", 1) for one in wrong) >= FEWEST or BANK in families
        changes = (_changes(values, **one) for one in (suggested(values, families) if several else ()))
        tried = (*_sizes(values, families), *_methods(values, families), *filter(None, changes))
        fitting = next((one for one in tried if _fits(one, values, again)), None)  # two that fit build the same
        if fitting is not None:
            return [*(one for one in findings if one.severity == "note"), _differs(fitting, families)]
    if all(isinstance(one, AdapterTargetMissing) for one in wrong):
        chosen = next((one for one in _choices(values, families) if _fits(one, values, again)), None)
        if chosen is not None:
            return [_or_set(one, chosen) for one in findings]
    return findings


def _fits(settings: Sequence[AdapterSetting], values: Values, again: Callable[[Values], Findings]) -> bool:
    other = {**values, **{one.key: one.new for one in settings}}
    return all(one.severity == "note" for one in again(other))


def _differs(settings: Sequence[AdapterSetting], families: Families) -> Finding:
    return AdapterSettingDiffers(
        place=Place(file="adapter_config.json", key=settings[0].key),
        settings=tuple(settings),
        tensors=sum(family.tensors for key, family in families.items() if key == PROMPT or tuner_name(key) is not None),
    )


def _or_set(finding: Finding, settings: Sequence[AdapterSetting]) -> Finding:
    return replace(finding, settings=tuple(settings)) if isinstance(finding, AdapterTargetMissing) else finding


def _sizes(values: Values, families: Families) -> Iterator[tuple[AdapterSetting, ...]]:
    """Sizes from the stored tensors: OFT stores n(n - 1)/2 numbers for a block of size n, a prompt one row for each
    token.
    """
    method = str(values.get("peft_type")).lower()
    if method == "oft":
        columns = {part.layout.shape[-1] for key, family in families.items() if key.endswith(".oft_R.weight")
                   for part in family.stored if part.layout.shape}  # fmt: skip
        sizes = {(1 + isqrt(1 + 8 * one)) // 2 for one in columns}
        for size in sizes if len(sizes) == 1 else ():
            yield _changes(values, oft_block_size=size, r=0)
    if method == "lokr":
        for factor in FACTORS:
            if factor != values.get("decompose_factor"):
                yield _changes(values, decompose_factor=factor)
    if method in PROMPTS and PROMPT in families and "num_virtual_tokens" in values:
        rows = {part.layout.shape[0] for part in families[PROMPT].stored if part.layout.shape}
        parts = values.get("num_transformer_submodules")
        for row in rows:
            yield _changes(values, num_virtual_tokens=row)
            if type(parts) is int and parts > 1 and row % parts == 0:
                yield _changes(values, num_virtual_tokens=row // parts)


def _methods(values: Values, families: Families) -> Iterator[tuple[AdapterSetting, ...]]:
    """The method shown by the names, for LoRA with the rank of its matrices."""
    method = adapter_kind(key for key in families if tuner_name(key) is not None)
    if method != "lora" or str(values.get("peft_type")).lower() == method:
        return
    ranks = {part.layout.shape[0] for key, family in families.items() if key.endswith(".lora_A.weight")
             for part in family.stored if part.layout.shape}  # fmt: skip
    chosen = _stored_modules(families)
    if len(ranks) == 1 and chosen:
        yield _changes(values, peft_type="LORA", r=ranks.pop(), target_modules=chosen)


def _choices(values: Values, families: Families) -> Iterator[tuple[AdapterSetting, ...]]:
    """The layers and the modules with stored tensors."""
    layers = _stored_layers(families)
    if layers and values.get("layers_to_transform") is None:
        yield _changes(values, layers_to_transform=layers)
    modules = _stored_modules(families)
    if modules and not isinstance(values.get("target_modules"), str):
        yield _changes(values, target_modules=modules)


def _changes(values: Values, **new: Any) -> tuple[AdapterSetting, ...]:
    return tuple(AdapterSetting(key, values.get(key), value) for key, value in new.items() if values.get(key) != value)


def _stored_modules(families: Families) -> list[str]:
    """The last names of the modules with stored tensors."""
    tuned = (module_of(key) for key in families if tuner_name(key) is not None)
    return sorted({module.rpartition(".")[2] for module in tuned if module})


def _stored_layers(families: Families) -> list[int]:
    """The layers with stored tensors, if they are the same for all modules."""
    found = set()
    for key, family in families.items():
        if tuner_name(key) is None:
            continue
        if axes_of(module_of(key)) != 1 or count(family.boxes) > MOST_LAYERS:
            return []
        found.add(tuple(sorted(index for box in family.boxes for index in box[0])))
    return list(found.pop()) if len(found) == 1 else []
