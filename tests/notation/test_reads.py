"""Keys that a row reads at run time are among the keys that its expressions name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inspector.algebra.expression import Node, Word, children, parse
from inspector.architectures.catalog import definition_of, modules
from inspector.loader.config_file import Config
from inspector.matcher.claim import claim_of
from inspector.notation.binding import bind
from inspector.notation.parts import submodels_of
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of
from inspector.notation.spelling import Spelling
from inspector.notation.trace import LENGTH, Leaf
from tests.judged import base_record, oracle_types

TYPES = [name for name in oracle_types() if name in modules()][::9]


def keys_named(outer: Scope | None, scope: Scope, nodes: list[Node], sets: dict[str, str]) -> Iterator[Leaf]:
    """Every key in some expressions, resolved through symbols, submodels and values set by an outer model."""
    seen: set[tuple[str, ...]] = set()
    while nodes:
        node = nodes.pop()
        if isinstance(node, Word) and node.path not in seen:
            seen.add(node.path)
            first, *rest = node.path
            if rest and first in scope.submodels:
                inner = {one.name: dict(one.sets) for one in submodels_of(scope.definition)}[first]
                yield from keys_named(scope, scope.submodels[first], [Word(tuple(rest))], inner)
            elif not rest and first in scope.symbols:
                nodes.append(parse(scope.symbols[first]))
            else:
                yield (*scope.prefix, *node.path)
                if first in sets and outer is not None:
                    yield from keys_named(None, outer, [parse(sets[first])], {})
        nodes.extend(children(node))


def keys_of_slot(scope: Scope, slot: Slot) -> set[Leaf]:
    """The keys that the dims, extents, conditions and ties of a slot name."""
    outer, below, sets = None, scope, dict[str, str]()  # type: Scope | None, Scope, dict[str, str]
    for name in slot.scope:
        sets = next((dict(one.sets) for one in submodels_of(below.definition) if one.name == name), {})
        outer, below = below, below.submodels[name]
    inner = scope_of(scope, slot)
    ties = slot.ties if slot.ties is not None else parse(slot.definition.ties)
    found = set(keys_named(outer, inner, [*slot.dims, *(Word((hole,)) for hole in slot.holes), ties], sets))
    for condition in slot.whens:
        below = scope
        for name in condition.scope:
            below = below.submodels[name]
        found |= set(keys_named(None, below, [condition.node], {}))
    return found


@pytest.mark.parametrize("model_type", TYPES)
def test_reads_are_within_the_keys_that_the_expressions_name(model_type: str) -> None:
    record = base_record(model_type)
    values: dict[str, Any] = {"architectures": [record["class"]], "model_type": model_type, **record["config"]}
    claim = claim_of(Config("config.json", values, "config"))
    assert claim.definition is not None
    scope = Scope(claim.definition, claim.settings, definition_of)
    plan = bind(
        scope, claim.head or claim.definition.heads[0], Spelling((claim.head or claim.definition.heads[0]).root)
    )
    own = {id(row.slot): row for row in plan.rows}
    for row in own.values():
        named = keys_of_slot(scope, row.slot)
        if row.slot.tied and (target := plan.binder.ties.named(row.slot)) is not None:
            named |= keys_of_slot(scope, target)
        for leaf in row.reads:
            path = tuple(step for step in leaf if step != LENGTH)
            assert any(path[: len(key)] == key for key in named), (row.slot.path, leaf)


def test_a_changed_leaf_affects_only_rows_that_read_it() -> None:
    record = base_record("llama", "CausalLM")
    claim = claim_of(Config("config.json", dict(record["config"]), "config"))
    assert claim.definition is not None
    scope = Scope(claim.definition, claim.settings, definition_of)
    before = {name: scope.word((name,)) for name in ("d", "kv", "h", "ff")}
    scope.trace.start(("num_key_value_heads",), 5)
    assert scope.word(("kv",)) == 5
    assert {name: scope.word((name,)) for name in ("d", "h", "ff")} == {k: v for k, v in before.items() if k != "kv"}
    scope.trace.stop()
    assert {name: scope.word((name,)) for name in before} == before


def test_a_leaf_may_be_in_a_list_of_objects() -> None:
    record = base_record("zoedepth")
    claim = claim_of(Config("config.json", dict(record["config"]), "config"))
    assert claim.definition is not None
    leaf: Leaf = ("bin_configurations", 0, "n_bins")
    scope = Scope(claim.definition, claim.settings, definition_of)
    other = scope.with_value(leaf, 7)
    assert other.leaf(leaf)[0] == 7 != scope.leaf(leaf)[0]
    assert scope.with_value(("bin_configurations", 9, "n_bins"), 7).leaf(leaf) == scope.leaf(leaf)
