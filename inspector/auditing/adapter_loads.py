"""What PEFT does with an audited adapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from inspector.adapters.expected import PROMPTS
from inspector.adapters.names import PROMPT_TENSORS, loaded_name, saved_name, tuner_name
from inspector.findings.adapters.tools import AdapterTypeUnknown
from inspector.findings.finding import Finding
from inspector.loader.loaders import PEFT
from inspector.loading.peft import AgainstBase, of_adapter

if TYPE_CHECKING:
    from inspector.adapters.explain import AdapterReport
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loading.outcome import Load
    from inspector.matcher.families import Families

PROJECTIONS: Final = ("base_model.vera_A", "base_model.vera_B")


def loads_of_adapter(
    checkpoint: Checkpoint, stored: Families, report: AdapterReport, findings: Sequence[Finding], method: str
) -> tuple[Load, ...]:
    """What PEFT does; nothing for a file that was named by itself. stored: under the names of the file."""
    if not checkpoint.set_name or checkpoint.alone:
        return ()
    files = tuple(file.name for file in checkpoint.files)
    values = {} if checkpoint.adapter is None else checkpoint.adapter.values
    problem = _problem(checkpoint, findings) or _without_projection(stored, values, method)
    return (of_adapter(files, problem, None if problem else _against_base(stored, report, values, method)),)


def _problem(checkpoint: Checkpoint, findings: Sequence[Finding]) -> str:
    if not PEFT.finds(checkpoint.set_name):
        return f"no file is named {' or '.join(PEFT.files)}"
    if checkpoint.adapter is None:
        return f"there is no {PEFT.config}"
    if any(isinstance(one, AdapterTypeUnknown) for one in findings):
        return f"{PEFT.config} names no peft_type that it knows"
    return next((one.unread for one in findings if one.closes_file), "")


def _without_projection(stored: Families, values: Mapping[str, Any], method: str) -> str:
    """VeRA's random projections, which its config says are saved: PEFT raises without both."""
    absent = [name for name in PROJECTIONS if name not in stored]
    return f"{absent[0]} is missing" if method == "vera" and values.get("save_projection", True) and absent else ""


def _against_base(
    stored: Families, report: AdapterReport, values: Mapping[str, Any], method: str
) -> AgainstBase | None:
    """The differences by the names that PEFT takes: a tensor under another one is unexpected, and its place random.

    None where the base was not read, or the defaults of its type decide what is changed.
    """
    found, prompt = report.difference, method in PROMPTS
    if found is None or not (prompt or found.tuned or values.get("target_modules")):
        return None
    renamed = {
        saved_name(key): family.tensors
        for key, family in stored.items()
        if loaded_name(key) != saved_name(key) and saved_name(key) not in found.strange
    }
    absent = {**dict(found.absent), **renamed}
    if values.get("bias", "none") != "none":  # a bias of the base is trained in place, and kept where it is missing
        absent = {name: tensors for name, tensors in absent.items() if tuner_name(name) or not name.endswith(".bias")}
    return AgainstBase(
        missing=sum(absent.values()),
        unexpected=found.unexpected + sum(renamed.values()) + prompt,  # the prompt is loaded on its own
        mismatched=found.mismatched,
        first_missing=next(iter(absent), ""),
        first_mismatched=found.first_mismatched,
        whole=next(filter(_is_whole, absent), ""),
        tuned=found.tuned or prompt,
    )


def _is_whole(name: str) -> bool:
    """Whether a tensor replaces weights of the base, or is a prompt, of which PEFT takes nothing else."""
    return name in PROMPT_TENSORS or tuner_name(name) is None or "trainable_tokens" in name
