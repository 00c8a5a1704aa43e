"""Regular expressions from configs: matched as by `re`, in bounded time, or refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.algebra.patterns import is_plain, pattern_of
from tests.steps import at_most

ATOMS = st.sampled_from(
    [*"ab01q_", r"\.", ".", r"\d", r"\D", "[ab0]", "[^a]", "[0-9]", r"\w", r"\W", r"\s", r"\b", "^", "$", "()"]
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{1,2}", "{2}", "{0,3}", "{2,}"])
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, repeats).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(st.sampled_from(["(?=", "(?!"]), inner).map(lambda pair: f"{pair[0]}{pair[1]})"),
    )


@pytest.mark.complete
@settings(max_examples=400, deadline=None)
@given(st.recursive(ATOMS, grown, max_leaves=8), st.lists(st.text("ab01._q", max_size=7), min_size=1, max_size=6))
def test_it_agrees_with_re(text: str, names: list[str]) -> None:
    try:
        truth = re.compile(text)
    except re.error:
        return
    pattern = pattern_of(text)
    assert pattern is not None
    for name in names:
        assert pattern.fullmatch(name) == bool(truth.fullmatch(name)), (text, name)


GENUINE = {
    r".*\.layers\.(0|2)\..*(q|k)_proj": False,
    r"model\.layers\.\d+\.self_attn\.(q|v)_proj": True,
    r"(?:.*?(?:language|text).*?(?:self_attn|mlp).*?(?:q_proj).*?)|(?:\bmodel\.layers\.[\d]{1,}\.mlp\.up_proj)": True,
    r"^(?!.*patch_embed).*(?:proj|fc1)$": False,
    r"^(model\.language_model(?=\.).*\.(o_proj|k_proj))$": True,
}  # fmt: skip
NAMES = [
    f"{stem}.{layer}.{module}"
    for stem in ("model.layers", "model.language_model.layers", "visual.blocks")
    for layer in (0, 7, 12, 101)
    for module in ("self_attn.q_proj", "self_attn.o_proj", "mlp.up_proj", "mlp.fc1", "patch_embed.proj")
]


@pytest.mark.parametrize("text", GENUINE)
def test_genuine_expressions(text: str) -> None:
    pattern = pattern_of(text)
    assert pattern is not None
    assert pattern.blind is GENUINE[text]
    assert [pattern.fullmatch(name) for name in NAMES] == [bool(re.fullmatch(text, name)) for name in NAMES]


HOSTILE = [
    "(a+)+b", "(.*)*x", "((a*)*)*b", "(?:(?:.*)*.*)*z", "(a{1,1000}){1,1000}b", "(?=(.*)*y)(.*)*x", "(a|aa)+$b",
    "(?:a?){900}a{900}", "((((((((a*)*)*)*)*)*)*)*)*b", "(?=(?=(?=(?=.*).*).*).*)x", "a{1000000}", "(?:a{1000}){1000}",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_expressions_do_not_hang(text: str) -> None:
    with at_most(2_000_000):
        pattern = pattern_of(text)
        if pattern is not None:
            for length in (10, 100, 1_000):
                assert pattern.fullmatch("a" * length) in (True, False, None)
            assert pattern.fullmatch("a" * 100_000) is None


@pytest.mark.parametrize(
    "text",
    ["(", "[", "(?P<n>a)(?P=n)", "(?<=a)b", "(?i)a", "(?s:.)", "a*+", "(?>a)", "*", r"\Ba", "a" * 5_000, "(" * 3_000],
)
def test_unsupported_expressions_give_no_pattern(text: str) -> None:
    assert pattern_of(text) is None


def test_plain_texts() -> None:
    assert is_plain("layers.0.self_attn.q_proj")
    assert not is_plain(r"layers\.0")
    assert not is_plain("q_proj|v_proj")
