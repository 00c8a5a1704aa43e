"""Names as keys and indices, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.algebra.boxes import leading
from inspector.algebra.names import columns, key_of, name_of
from inspector.loader.layout import Layout, lay_out
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
def test_grouping_is_the_same_as_looking_at_every_name(names: list[str]) -> None:
    found = {}
    for column in columns(names):
        for name, indices in zip(column.names, column.values(), strict=True):
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
