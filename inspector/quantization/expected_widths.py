"""The widths that follow from a config, which decide between possible readings of packed weights."""

from __future__ import annotations

from inspector.architectures.catalog import definition_of
from inspector.matcher.claim import Claim
from inspector.notation.binding import bind
from inspector.notation.scope import Scope
from inspector.notation.spelling import Spelling


def inputs_by(config: Claim) -> frozenset[int]:
    """The input widths of all matrices of the class, or of the usual one; empty without a definition."""
    if config.definition is None:
        return frozenset()
    head = config.head or config.definition.default_head
    scope = Scope(config.definition, config.settings, definition_of)
    plan = bind(scope, head, Spelling(head.root))
    return frozenset(dim for block in plan.blocks if len(block.shape) > 1 and (dim := block.shape[-1]) is not None)
