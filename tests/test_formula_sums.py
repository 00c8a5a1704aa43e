"""Evaluates the printed formulas with the printed symbols: they give the printed totals."""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import inspector
from tests.checkpoints import genuine, write
from tests.judged import base_record, oracle_types
from tests.make_checkpoints import SMALL_LLAMA

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}


class NotArithmetic(Exception):
    """The expression has sums over layers, conditions or list entries, which symbols alone do not evaluate."""


def value_of(node: ast.expr, symbols: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value_of(node.left, symbols), value_of(node.right, symbols))
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(known := symbols.get(ast.unparse(node)), int | float):
        return known
    raise NotArithmetic(ast.unparse(node))


def evaluated(text: str, symbols: Mapping[str, Any]) -> Any:
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval")
    except SyntaxError:
        raise NotArithmetic(text) from None
    return value_of(tree.body, symbols)


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", list(oracle_types()))
def test_the_parts_add_up_and_equal_their_formulas(model_type: str) -> None:
    config = base_record(model_type)["config"]
    shown = inspector.formula(config) if "model_type" in config else None
    if shown is None or shown.total is None:
        pytest.skip("a config without model type, or one that leaves a size open")
    assert sum(part.number or 0 for part in shown.parts.values()) == shown.total
    assert sum(group.number or 0 for group in shown.groups.values()) == shown.total
    values = {symbol.name: symbol.value for symbol in shown.symbols}
    for name, text in shown.formulas.items():
        own = {symbol.removeprefix(f"{name}."): value for symbol, value in values.items() if symbol.startswith(name)}
        try:
            assert evaluated(text, values | own) == shown.parts[name].number, (name, text)
        except NotArithmetic:
            continue


def test_most_formulas_are_arithmetic() -> None:
    """Guards the test above against skipping everything: all formulas of the decoders are arithmetic."""
    for model_type in ("llama", "deepseek_v3", "mixtral", "gpt2", "bert", "llava"):
        shown = inspector.formula(base_record(model_type)["config"])
        values = {symbol.name: symbol.value for symbol in shown.symbols}
        text = shown.formulas.get("") or next(iter(shown.formulas.values()))
        assert evaluated(text, values) == shown.parts.get("", next(iter(shown.parts.values()))).number


def test_a_formula_of_weights_alone_has_no_terms_of_absent_tensors(tmp_path: Path) -> None:
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    stated = inspector.formula(tmp_path)
    (tmp_path / "config.json").unlink()
    solved = inspector.formula(tmp_path)
    assert (solved.formulas, solved.total) == (stated.formulas, stated.total)
    assert {"dh*h", "dh*kv"} < {symbol.name for symbol in solved.symbols}


@pytest.mark.parametrize("word", ["Llama", "LLAMA", "LlamaForCausalLM", "llama"])
def test_types_and_classes_are_understood_in_any_spelling(word: str) -> None:
    assert inspector.formula(word).name == "llama"


@pytest.mark.parametrize(("word", "meant"), [
    ("flux", "FluxTransformer2DModel"), ("stable-diffusion", "UNet2DConditionModel"), ("lama", "llama"),
])  # fmt: skip
def test_unknown_names_get_similar_suggestions(word: str, meant: str) -> None:
    with pytest.raises(inspector.FormulaError, match=meant):
        inspector.formula(word)


def test_a_config_that_cannot_be_read_is_the_reason_and_not_the_architecture(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama"} and more')
    for place in (tmp_path, config):
        with pytest.raises(inspector.FormulaError) as raised:
            inspector.formula(place)
        assert [finding.code for finding in raised.value.findings] == ["R006"]


def test_a_pipeline_names_a_component(tmp_path: Path) -> None:
    index = {"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "UNet2DConditionModel"]}
    (tmp_path / "model_index.json").write_text(json.dumps(index))
    with pytest.raises(inspector.FormulaError, match=f"such as {tmp_path}/unet"):
        inspector.formula(tmp_path)
