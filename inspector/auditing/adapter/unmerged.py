"""Audits a model with an unmerged adapter: the model under its usual names, and the adapter separately."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.adapters.names import PREFIX, adapter_kind, base_name, is_unmerged, tuner_name
from inspector.adapters.tools import tool_tensors
from inspector.algebra.names import key_of
from inspector.auditing.adapter.image_prompt_training import PROJECTION
from inspector.auditing.files.names import intended
from inspector.auditing.model import audit_model
from inspector.auditing.result import Audit
from inspector.findings.adapters.saved import AdapterNotMerged, AdapterWrapperLeft
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.layout import Layout
from inspector.loader.loaders import DIFFUSERS, PEFT
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

if TYPE_CHECKING:
    from inspector.notation.definition import Architecture
    from inspector.reconciler.stated_total import Stated

PAIRED: Final = frozenset({"lora", "lora, transposed", "loha", "lokr"})
"""Methods of other tools with matrices that no model has."""
PAIRED_PARTS: Final = frozenset({"down", "up", "w1", "w2", "w1_a", "w1_b", "w2_a", "w2_b"})
FIRST: Final = frozenset({"down", "w1", "w1_a"})
INNER: Final = "linear"
"""Name that MLX gives to the wrapped module (mlx-lm `tuner/lora.py`)."""
INSIDE: Final = f".{PREFIX}"
"""The same where PEFT's model wraps a part of the saved model."""
WRAPPED: Final = ".base_layer."
STATE: Final = "quant_state.bitsandbytes__"
DOWN: Final = "lora_A.default"
MOST_TARGETS: Final = 8
SAVED: Final = "modules_to_save"
"""Name that PEFT gives, in its config and in tensor names, to modules that are trained as a whole."""


def audit_unmerged(checkpoint: Checkpoint, stored: Families, config: Claim, stated: Stated | None) -> Audit | None:
    """The audit of the model, with the lines of the adapter added; None without an unmerged adapter."""
    apart = _take_apart(checkpoint, stored, config) or _beside_own(checkpoint, stored, config)
    apart = apart or _without_adapter(checkpoint)
    if apart is None:
        return None
    model, findings, lines = apart
    audited = audit_model(replace(model, adapter=None, findings=(*checkpoint.findings, findings)), stated)
    return replace(_with_lines(audited, lines), checkpoint=checkpoint, stored=stored)  # as loaders find it


def _take_apart(
    checkpoint: Checkpoint, stored: Families, claim: Claim
) -> tuple[Checkpoint, Finding, tuple[Line, ...]] | None:
    """Separates a model saved with PEFT's wrapped layers: the model alone, the findings, and the adapter's lines.

    Some architectures contain such layers themselves; the prefix of PEFT shows that these belong to an adapter.
    """
    if not is_unmerged(stored):
        return None
    within = _wrapped_parts(stored)
    if not within and not any(key.startswith(PREFIX) for key in stored) and _has_such_layers(stored, claim):
        return None
    tensors: dict[str, Layout] = {}
    file_of: dict[str, str] = {}
    lines: list[Line] = []
    for key, family in stored.items():
        if tuner_name(key) is not None or SAVED in key.split("."):
            lines.extend(_lines(family))
    for name, layout in checkpoint.tensors.items():
        if tuner_name(name) is None and SAVED not in name.split("."):
            own = base_name(_without_wrapper(name, within))
            tensors[own] = layout
            if name in checkpoint.file_of:
                file_of[own] = checkpoint.file_of[name]
    alone = replace(checkpoint, tensors=tensors, file_of=file_of, index=None)
    return (
        alone,
        AdapterNotMerged(
            type=adapter_kind(stored) or SAVED,
            modules=_places(stored) or _copied(checkpoint),
            tensors=sum(line.tensors for line in lines),
            elements=sum(line.elements for line in lines),
            base_tensors=len(tensors),
            base_elements=sum(layout.elements for layout in tensors.values()),
            example=_example(checkpoint),
            library=DIFFUSERS.name if DIFFUSERS is intended(checkpoint) else PEFT.name.casefold(),
            trained=_trained(stored),
            parts=within,
            **_lora_of(stored),
        ),
        tuple(lines),
    )


def _wrapped_parts(stored: Families) -> tuple[str, ...]:
    """The parts of the model, such as `language_model`, that models of PEFT wrap; empty if one wraps the whole."""
    changed = [key for key in stored if tuner_name(key) is not None]
    found = {key.partition(INSIDE)[0] if INSIDE in key else "" for key in changed if not key.startswith(PREFIX)}
    return () if len(found) == 0 or "" in found or any("#" in one for one in found) else tuple(sorted(found))


def _without_wrapper(name: str, within: tuple[str, ...]) -> str:
    """The name of a tensor without PEFT's model around a part of the model."""
    part, _, rest = name.partition(INSIDE)
    return f"{part}.{rest}" if rest and part in within else name


def _lora_of(stored: Families) -> dict[str, Any]:
    """The settings of a LoRA that its tensors show, if all modules have one rank."""
    down = {key: family for key, family in stored.items() if f".{DOWN}." in key and key.endswith(".weight")}
    ranks = {shape[0] for family in down.values() for shape in family.shapes}
    targets = tuple(sorted({key.partition(f".{DOWN}.")[0].rpartition(".")[2] for key in down}))
    copied = tuple(sorted({key.partition(f".{SAVED}.")[0].rpartition(".")[2] for key in stored if f".{SAVED}." in key}))
    if len(ranks) != 1 or len(targets) > MOST_TARGETS or "#" in targets or "#" in copied:
        return {}
    inside = not any(key.startswith(PREFIX) for key in down)
    return {"rank": ranks.pop(), "targets": targets, "inside": inside, "copied": copied}


def _trained(stored: Families) -> str:
    """The part of names that marks the trained copies of whole modules, if no other module was changed."""
    marks = {key[key.index(f".{SAVED}.") :].split(".")[2] for key in stored if f".{SAVED}." in key}
    changed = adapter_kind(stored) is not None or any(".base_layer." in key or key.startswith(PREFIX) for key in stored)
    return "" if changed or len(marks) != 1 else f".{SAVED}.{marks.pop()}."


def _lines(family: Family) -> Iterator[Line]:
    for part in family.stored:
        yield Line(family.key, "adapter", ledger.EXTRA, part.layout, part.boxes, tensors=part.tensors,
                   elements=part.elements, parameters=part.layout.elements * part.tensors,
                   component="adapter")  # fmt: skip


def _beside_own(
    checkpoint: Checkpoint, stored: Families, claim: Claim
) -> tuple[Checkpoint, Finding, tuple[Line, ...]] | None:
    """Separates a model from the matrices of another tool's adapter that are stored among its weights.

    MLX also wraps the weights, under `linear`.
    """
    if checkpoint.metadata is not None:
        return None  # llama.cpp refuses such names, which another finding says
    if any(key.startswith(PROJECTION) for key in stored):
        return None  # an IP-Adapter for faces has such matrices
    found = {key: one for key, one in tool_tensors(stored).items() if one.method in PAIRED and one.part in PAIRED_PARTS}
    modules = {key: key[: key.index(one.module) + len(one.module)] for key, one in found.items() if one.module in key}
    if not found or 2 * len(found) > len(stored) or (claim.definition is None and claim.model_type is not None):
        return None
    if claim.definition is not None and not _own_keys(claim.definition, claim).isdisjoint(found):
        return None
    wrapped = {f"{module}.{INNER}." for key, module in modules.items() if found[key].writer == "MLX"}
    lines = tuple(line for key in found for line in _lines(stored[key]))
    tensors: dict[str, Layout] = {}
    file_of: dict[str, str] = {}
    for name, layout in checkpoint.tensors.items():
        key = key_of(name)[0] if name not in stored else name
        if key in found:
            continue
        own = name.replace(f".{INNER}.", ".") if key.startswith(tuple(wrapped)) else name
        tensors[own] = layout
        if name in checkpoint.file_of:
            file_of[own] = checkpoint.file_of[name]
    first = next(iter(found))
    elements = sum(line.elements for line in lines)
    not_merged = AdapterNotMerged(
        type=found[first].method.partition(",")[0],
        modules=sum(stored[key].tensors for key, one in found.items() if one.part in FIRST),
        tensors=sum(line.tensors for line in lines),
        elements=elements,
        base_tensors=len(tensors),
        base_elements=sum(layout.elements for layout in tensors.values()),
        example=names_in(first, stored[first].boxes, 1)[0],
        library="mlx" if found[first].writer == "MLX" else "",
    )
    return replace(checkpoint, tensors=tensors, file_of=file_of, index=None), not_merged, lines


def _without_adapter(checkpoint: Checkpoint) -> tuple[Checkpoint, Finding, tuple[Line, ...]] | None:
    """A model of bitsandbytes under the names that it has inside an adapter, whose matrices are not stored.

    Its packed weights have no shape of their own, which the names of the modules give.
    """
    names = [name for name in checkpoint.tensors if WRAPPED in name]
    if not any(f"{WRAPPED}weight.{STATE}" in name for name in names):
        return None
    tensors = {name.replace(WRAPPED, "."): layout for name, layout in checkpoint.tensors.items()}
    if len(tensors) < len(checkpoint.tensors):
        return None
    file_of = {name.replace(WRAPPED, "."): file for name, file in checkpoint.file_of.items()}
    renames = tuple((checkpoint.file_of.get(name, ""), name, name.replace(WRAPPED, ".")) for name in names)
    finding = AdapterWrapperLeft(tensors=len(names), example=names[0], renames=renames)
    return replace(checkpoint, tensors=tensors, file_of=file_of, index=None), finding, ()


def _has_such_layers(stored: Families, claim: Claim) -> bool:
    """True if the definition itself contains such layers (Phi-4-multimodal), or if the type has no definition."""
    if claim.definition is None:
        return claim.model_type is not None
    own = _own_keys(claim.definition, claim)
    return any(key in own and tuner_name(key) is not None for key in stored)


def _own_keys(definition: Architecture, claim: Claim) -> frozenset[str]:
    """The families that a definition knows."""
    from inspector.architectures.catalog import definition_of
    from inspector.matcher.spelling import known_keys
    from inspector.notation.scope import Scope

    return known_keys(Scope(definition, claim.settings, definition_of))


def _places(stored: Families) -> int:
    """The number of modules that an adapter wraps."""
    tensors: dict[str, int] = {}
    for key, family in stored.items():
        found = tuner_name(key)
        if found is not None and found.module:
            tensors[found.module] = max(tensors.get(found.module, 0), family.tensors)
    return sum(tensors.values())


def _copied(checkpoint: Checkpoint) -> int:
    """The number of modules that are stored as a trained copy."""
    return len({name.rpartition(".")[0] for name in checkpoint.tensors if f".{SAVED}." in name})


def _example(checkpoint: Checkpoint) -> str:
    """A tensor of the adapter, or else a tensor that it wraps."""
    names = checkpoint.tensors
    own = next((name for name in names if ".lora_" in name or f".{SAVED}." in name), None)
    return own or next((name for name in names if ".base_layer." in name), next(iter(names), ""))


def _with_lines(audited: Audit, lines: tuple[Line, ...]) -> Audit:
    accounts = ledger.add_up([*audited.lines, *lines], audited.counts.expected_parameters)
    case = None if audited.case is None else replace(audited.case, ledger=accounts)
    return replace(audited, ledger=accounts, case=case)
