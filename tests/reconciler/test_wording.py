"""Wording of indices: layers and experts by number, containers without a plural as in the name."""

from __future__ import annotations

import pytest

from inspector.algebra.span import Span
from inspector.reconciler.wording import family_name, indices_in_words

WORDS = [
    ("model.layers.#.mlp.experts.#.w1", [{0, 1, 2}, {4}], "expert 4 of layers 0-2"),
    ("transformer.h.#.attn", [{1}], "layer 1"),
    ("transformer_blocks.#.ff.net.#", [{0}, {0, 2}], "ff.net.0, 2 of transformer_block 0"),
    ("transformer_blocks.#.ff_context.net.#", [{0, 1}, {2}], "ff_context.net.2 of transformer_blocks 0, 1"),
    ("encoder.block.#.#.mlp", [{0}, {0, 1}], "indices 0, 1 of block 0"),
    ("#.weight", [{3}], "index 3"),
]


@pytest.mark.parametrize(("key", "sets", "words"), WORDS)
def test_indices_in_words(key: str, sets: list[set[int]], words: str) -> None:
    assert indices_in_words(key, [tuple(Span.of(one) for one in sets)]) == words


def test_a_family_is_shown_with_what_its_indices_count() -> None:
    assert family_name("encoder.block.#.#.mlp") == "encoder.block.{block}.{index}.mlp"
