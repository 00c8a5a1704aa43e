"""The pattern matcher agrees with Python's `re` on the patterns that it supports, and is never slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.algebra.boxes import Box, count
from inspector.algebra.span import Span
from inspector.budget import Budget, Exceeded, one_budget
from inspector.quantization.patterns import compile_pattern, glob_pattern
from inspector.quantization.read_settings import settings_of
from inspector.quantization.targets import exact, listed, regex
from tests.steps import at_most

PATTERNS = [
    r".*model\.layers\.0\.mlp\.down_proj.*", r".*lm_head", r".*mlp.gate$", r"model\.layers\.(1|2|1[0-9])\.x",
    r"a{2,3}b?c+", r"(ab|cd)*e", r"[^.]+\.w", "^x$", r"\d+\.\w+", "a|b|", "(a?){3}b", "x*?y", "(?:ab){0,2}c", "(a*)*b",
]  # fmt: skip
NAMES = ["model.layers.0.mlp.down_proj", "lm_head", "m.mlp.gate", "m.mlp.gate_proj", "model.layers.15.x", "aac", "aab",
         "ababcde", "abe", "foo.w", "x", "xx", "12.ab", "", "y", "c", "ababc", "abababc"]  # fmt: skip
LAYERS: tuple[Box, ...] = ((Span.range(0, 12), Span.range(0, 4)),)
KEY = "model.layers.#.mlp.experts.#.up_proj"


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", NAMES)
def test_it_agrees_with_re(pattern: str, name: str) -> None:
    compiled = compile_pattern(pattern)
    assert compiled is not None
    assert compiled.matches(name) == bool(re.match(pattern, name))
    assert compiled.found_in(name) == bool(re.search(pattern, name))


@given(st.text("ab.(|)*+?^$", max_size=9), st.text("ab", max_size=6))
def test_it_agrees_with_re_on_any_pattern(pattern: str, name: str) -> None:
    compiled = compile_pattern(pattern)
    if compiled is None:
        return
    try:
        theirs = re.compile(pattern)
    except re.error:
        return
    assert compiled.matches(name) == bool(theirs.match(name))
    assert compiled.found_in(name) == bool(theirs.search(name))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_required_words_are_in_every_match(pattern: str) -> None:
    compiled = compile_pattern(pattern)
    assert compiled is not None
    for name in NAMES:
        assert not compiled.found_in(name) or all(word in name for word in compiled.words)


@given(st.text("ab.(|)*+?", max_size=9), st.text("ab", max_size=6))
def test_required_words_are_in_every_match_of_any_pattern(pattern: str, name: str) -> None:
    compiled = compile_pattern(pattern)
    if compiled is not None and compiled.found_in(name):
        assert all(word in name for word in compiled.words)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_compiled_or_rejected(pattern: str, name: str) -> None:
    compiled = compile_pattern(pattern)
    assert compiled is None or compiled.matches(name) in (True, False)


def test_a_hostile_pattern_is_fast() -> None:
    for pattern in ("(a*)*b", "(a|aa)+$", "(.*)(.*)(.*)(.*)(.*)x", "(a{0,99}){0,99}b", "(" * 400):
        with at_most(40_000):
            compiled = compile_pattern(pattern)
            assert compiled is None or not compiled.matches("a" * 400 + "!")


def test_a_hostile_config_is_fast() -> None:
    hostile = [f"re:(({letter}?.*[0-9]?){{0,20}}x{number})*$" for number in range(300) for letter in "am"]
    settings = settings_of({"quantization_config": {"quant_method": "compressed-tensors", "ignore": hostile}})
    with at_most(1_000_000), pytest.raises(Exceeded), one_budget(Budget(steps=10_000)):
        for number in range(20):
            settings.for_family(
                f"model.layers.#.mlp{number}.experts.#.up_proj", ((Span.range(0, 60), Span.range(0, 40)),)
            )


def test_globs() -> None:
    pattern = glob_pattern("model.layers.*.self_attn*")
    assert pattern is not None
    assert pattern.matches("model.layers.3.self_attn.q_proj")
    assert not pattern.matches("model.layers.3.mlp.up_proj")


@pytest.mark.parametrize(
    ("entry", "modules"),
    [
        (exact("model.layers.3.mlp.experts.1.up_proj"), 1),
        (exact("layers.3.mlp.experts.1.up_proj"), 0),
        (listed("up_proj"), 48),
        (listed("model.layers.3"), 4),
        (listed("layers.3.mlp"), 4),
        (listed("gate"), 0),
        (listed("up"), 0),
        (listed("re:.*up_proj"), 48),
        (listed("model.layers.1*.mlp*"), 12),
        (regex(r".*layers\.1\..*"), 4),
        (regex(r"model\.layers\.(2|11)\.mlp.*"), 8),
        (regex(r".*experts\.[02]\.up_proj"), 24),
        (listed("re:lm_head"), 0),
    ],
)
def test_entries_name_indices_of_families(entry: object, modules: int) -> None:
    assert count(entry.within(KEY, LAYERS)) == modules  # type: ignore[attr-defined]
