"""Base models of types that generate text, saved without their head."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from inspector.auditing.sentence_listing import MODULES, OF_ENCODER
from inspector.findings.finding import Finding
from inspector.loading.tables import NEWEST, class_ending_with, names_of
from inspector.notation.binding import bind
from inspector.notation.spelling import Spelling
from inspector.reconciler.reconcile import Reconciled

GENERATES: Final = "ForCausalLM"
OTHERWISE: Final = ("ForMaskedLM", "ForConditionalGeneration")
"""Heads of types that are rarely saved to generate text with this head."""


def base_alone(case: Reconciled, model_type: str | None, siblings: Collection[str]) -> Iterator[Finding]:
    """The note on a base model whose type has a head for text that is not tied, if nothing shows another use."""
    class_name = case.claim.class_name
    if class_name is None or names_of(NEWEST).bases.get(model_type or "") != class_name:
        return
    heads = case.reading.definition.heads
    named = {name for head in heads for name in head.names}
    generating = next((head for head in heads if GENERATES in head.names), None)
    if generating is None or not named.isdisjoint(OTHERWISE) or not {MODULES, OF_ENCODER}.isdisjoint(siblings):
        return
    whole = class_ending_with(model_type or "", (GENERATES, *generating.names))
    plan = bind(case.plan.scope, generating, Spelling(generating.root), lambda key: [])
    lacking = [one for one in plan.blocks if one.slot.role == "head.token" and one.tie is None and one.required]
    if whole is None or len(lacking) != 1 or lacking[0].elements is None:
        return
    from inspector.findings.base_alone import BaseAlone

    yield BaseAlone(class_name=class_name, head=lacking[0].key, of=whole, parameters=lacking[0].elements)
