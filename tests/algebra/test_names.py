"""Splits tensor names into family keys and indices, and rebuilds the names from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.algebra.boxes import leading
from inspector.algebra.names import at, columns, key_of, name_of
from inspector.loader.layout import Layout, lay_out
from inspector.loader.listed_tensors import ListedTensors
from inspector.matcher.families import families_of

CASES = [
    ("model.layers.17.mlp.up_proj.weight", "model.layers.#.mlp.up_proj.weight", (17,)),
    ("7.x.0", "#.x.#", (7, 0)),
    ("experts.w1.weight", "experts.w1.weight", ()),
    ("layer.007.x", "layer.007.x", ()),
    ("layer.1_0.x", "layer.1_0.x", ()),
    ("layer.².x", "layer.².x", ()),
    ("layer.٣.x", "layer.٣.x", ()),
    ("layer.1234567.x", "layer.1234567.x", ()),
    ("layer.999999.x", "layer.#.x", (999999,)),
    ("a.#.b", "a.\\#.b", ()),
    ("", "", ()),
    ("0", "#", (0,)),
]


@pytest.mark.parametrize(("name", "key", "indices"), CASES)
def test_keys(name: str, key: str, indices: tuple[int, ...]) -> None:
    assert key_of(name) == (key, indices)
    assert name_of(key, indices) == name


SEGMENTS = st.sampled_from(["layers", "w1", "w2", "0", "1", "10", "12", "007", "x#", "#", "²", "1_0", "a\nb", ""])


@given(st.lists(st.lists(SEGMENTS, min_size=1, max_size=4).map(".".join), unique=True, min_size=1, max_size=40))
def test_grouping_equals_splitting_every_name(names: list[str]) -> None:
    found = {}
    for column in columns(names):
        members = at(names, column.positions)
        for name, indices in zip(members, column.values(members), strict=True):
            found[name] = (column.key, indices)
    assert found == {name: key_of(name) for name in names}


@given(st.sets(st.tuples(st.integers(0, 20), st.integers(0, 120)), min_size=1), st.data())
def test_families_hold_every_tensor_once(indices: set[tuple[int, int]], data: st.DataObject) -> None:
    layouts = [lay_out("F32", (2,)), lay_out("F32", (3,))]
    tensors: dict[str, Layout] = {}
    for layer, expert in sorted(indices):
        chosen = data.draw(st.sampled_from(layouts))
        assert isinstance(chosen, Layout)
        tensors[f"l.{layer}.e.{expert}.w"] = chosen
    (family,) = families_of(tensors).values()
    assert family.tensors == len(indices)
    for part in family.stored:
        assert leading(part.boxes, 2) == {key_of(name)[1] for name, layout in tensors.items() if layout is part.layout}


@given(st.data())
def test_boxes_and_distinct_names_are_reported_correctly(data: st.DataObject) -> None:
    layers = data.draw(st.lists(st.integers(0, 12), min_size=1, max_size=4, unique=True))
    experts = data.draw(st.lists(st.integers(8, 11), min_size=1, max_size=4, unique=True))
    listed = [f"l.{layer}.e.{expert}.w" for layer in layers for expert in experts]
    if data.draw(st.booleans()):
        listed = sorted(listed)
    for _ in range(data.draw(st.integers(0, 2))):  # a name lost, replaced by another one, or added
        place = data.draw(st.integers(0, len(listed) - 1))
        listed[place : place + data.draw(st.integers(0, 1))] = data.draw(st.lists(st.sampled_from(listed), max_size=1))
        listed = listed or ["w"]
    tensors = ListedTensors(listed, [])
    assert tensors.distinct() == (len(set(listed)) == len(listed))
    for column in tensors.columns:
        members = at(listed, column.positions)
        assert not column.distinct or len(set(members)) == len(members)
        if column.box is not None and len(set(members)) == len(members):
            assert leading([column.box], 2) == {key_of(name)[1] for name in members}


def test_names_of_a_regular_model_are_distinct_without_comparing_each() -> None:
    names = sorted(f"layers.{layer}.experts.{expert}.w{part}.weight"
                   for layer in range(40) for expert in range(120) for part in (1, 2, 3))  # fmt: skip
    assert all(column.distinct and column.box is not None for column in columns(names))
