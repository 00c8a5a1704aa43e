"""Adds what to do with an adapter whose names are those of another class of the base than its config declares."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.adapters.base import WITHOUT_HEAD, Base
from inspector.adapters.names import PREFIX
from inspector.auditing.result import Audit
from inspector.findings.finding import ordered
from inspector.loading.outcome import BY_CLASS, COMPLETE, RANDOM
from inspector.loading.peft import OTHER_CLASS
from inspector.matcher.families import Families
from inspector.notation.parts import head_for


def with_class(audited: Audit, base: Base | None, families: Families, declared: str | None) -> Audit:
    """The audit with a note if PEFT loads nothing around the declared class, and everything around another one.

    declared: the class in the config of the base.
    """
    own = audited.loads[0] if audited.loads else None
    if base is not None and own is not None and own.outcome == COMPLETE:
        return _without_head(audited, base, families, declared)
    if base is None or base.claim is None or own is None or (own.outcome, own.excuse) != (RANDOM, BY_CLASS):
        return audited
    head, name = base.claim.head, base.claim.class_name
    if head is None or name is None or not own.because.startswith(OTHER_CLASS):
        return audited
    if any(one.severity != "note" for one in audited.findings):
        return audited  # the adapter states the class with the head: its names are wrong
    from inspector.findings.adapters.of_class import AdapterOfAnotherClass

    below = bool(head.root) and not any(key.startswith(PREFIX + head.root) for key in families)
    note = AdapterOfAnotherClass(
        tensors=len(audited.checkpoint.tensors), class_name=name, stored=min(audited.checkpoint.tensors),
        root=head.root, below=below,
    )  # fmt: skip
    return replace(audited, findings=tuple(ordered([*audited.findings, note])))


def _without_head(audited: Audit, base: Base, families: Families, declared: str | None) -> Audit:
    """The audit with the note if the adapter asks for a base without its head, and the base declares one with it: other
    programs build that class.
    """
    adapter, claim = audited.checkpoint.adapter, base.claim
    if adapter is None or adapter.values.get("task_type") != WITHOUT_HEAD or claim is None or declared is None:
        return audited
    head = None if claim.definition is None or declared == claim.class_name else head_for(claim.definition, declared)
    if head is None or not head.root or any(key.startswith(PREFIX + head.root) for key in families):
        return audited
    from inspector.findings.adapters.of_class import AdapterOfAnotherClass

    names = audited.checkpoint.tensors
    note = AdapterOfAnotherClass(tensors=len(names), class_name=declared, stored=min(names), root=head.root, below=True)
    return replace(audited, findings=tuple(ordered([*audited.findings, note])))
