"""Charts of definitions: printed formulas, and the blocks that a definition gives."""

from __future__ import annotations

from itertools import islice

import pytest

from inspector.architectures.catalog import all_definitions, definition_of, modules
from inspector.architectures.defaults import defaults_of
from inspector.notation.binding import bind
from inspector.notation.formula import formulas
from inspector.notation.parts import head_for
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.spelling import Spelling, respelled
from tests.judged import base_record
from tests.steps import at_most

FORMULAS = {
    "llama": "2*V*d + d + L*(2*d*dh*h + 2*d*dh*kv + 3*d*ff + 2*d)",
    "deepseek_v3": "2*V*d + d + L*(d*dv*h + dn*h*q + dn*h*r + dr*h*q + dv*h*r + d*dr + d*q + d*r + 2*d + q + r)"
    " + D*(3*d*ff) + M*(3*S*d*fe + E*d + E*(3*d*fe))",
    "t5": "V*d + 2*buckets*h + 2*d + L*(4*d*dh*h + 2*d*ff + 2*d) + Ld*(8*d*dh*h + 2*d*ff + 3*d)",
    "bert": "T*d + V*d + d^2 + d*y + V + 5*d + L*(4*d^2 + 2*d*ff + 9*d + ff)",
    "whisper": "S*d + T*d + V*d + 3*d^2 + 3*d*n + 6*d + Le*(4*d^2 + 2*d*fe + 8*d + fe)"
    " + Ld*(8*d^2 + 2*d*fd + 13*d + fd)",
}


def chart(model_type: str, suffix: str) -> dict[str, str]:
    """The formulas of a definition under its class defaults."""
    definition = definition_of(model_type)
    assert definition is not None
    defaults = defaults_of(model_type)
    assert defaults is not None
    head = head_for(definition, suffix)
    assert head is not None
    scope = Scope(definition, Settings({}, defaults.values, defaults.aliases), definition_of)
    return formulas(bind(scope, head, Spelling(head.root)))


@pytest.mark.parametrize("model_type", FORMULAS)
def test_the_formula_is_written_in_the_usual_form(model_type: str) -> None:
    suffix = {"t5": "ForConditionalGeneration", "bert": "ForMaskedLM", "whisper": "ForConditionalGeneration"}
    assert chart(model_type, suffix.get(model_type, "ForCausalLM"))[""] == FORMULAS[model_type]


def test_llama_has_one_block_per_kind_of_tensor_at_any_depth() -> None:
    definition = definition_of("llama")
    assert definition is not None
    record = base_record("llama", "CausalLM")
    head = head_for(definition, record["class"])
    assert head is not None
    for layers in (3, 10**9):
        scope = Scope(definition, Settings({**record["config"], "num_hidden_layers": layers}), definition_of)
        plan = bind(scope, head, Spelling(head.root))
        assert len([block for block in plan.blocks if block.required]) == 12


def test_binding_is_quick() -> None:
    definition = definition_of("llama")
    assert definition is not None
    config = base_record("llama", "CausalLM")["config"]
    head = head_for(definition, "LlamaForCausalLM")
    assert head is not None
    bind(Scope(definition, Settings(config), definition_of), head, Spelling(head.root))
    with at_most(4_000):
        bind(Scope(definition, Settings(config), definition_of), head, Spelling(head.root))


@pytest.mark.complete
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_blocks_on_one_key_are_disjoint(every: int) -> None:
    for name, definition in islice(all_definitions(), 0, None, every):
        if name not in modules():
            continue
        defaults = defaults_of(name)
        settings = Settings({}, defaults.values if defaults else {}, defaults.aliases if defaults else {})
        for head in definition.heads:
            plan = bind(Scope(definition, settings, definition_of), head, Spelling(head.root))
            seen: dict[str, list[tuple[object, ...]]] = {}
            for block in plan.blocks:
                for axes in seen.setdefault(block.key, []):
                    overlap = all(bool(a & b) for a, b in zip(axes, block.axes, strict=True))  # type: ignore[operator]
                    assert not overlap, (name, head.names, block.key)
                seen[block.key].append(block.axes)


def test_dialects_replace_the_longest_prefix_first() -> None:
    dialect = {"a.": "x.", "a.b.": "y.", "*.old": ".new"}
    assert respelled("a.b.old.c", dialect) == "y.old.c".replace(".old", ".new")
    assert respelled("a.c.old", dialect) == "x.c.new"
    assert respelled("c", dialect) == "c"
