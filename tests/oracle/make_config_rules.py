"""Make `inspector/loading/config_rules.json`: configs that transformers refuses, as expressions of config keys; and
`fixtures/loads/configs.json.gz`: whether it refuses configs with one changed key.

Needs torch and transformers 5:

    five/bin/python -m tests.oracle.make_config_rules

Reads the source of `validate_architecture` of every config class: each `if ... raise` whose condition is made of config
keys, numbers and arithmetic becomes an expression that must not hold. Other conditions are left out.
"""

from __future__ import annotations

import ast
import contextlib
import gzip
import importlib
import inspect
import json
import re
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.judged import base_record, oracle_types

RULES = Path(__file__).parents[2] / "inspector" / "loading" / "config_rules.json"
RECORDS = Path(__file__).parents[2] / "fixtures" / "loads" / "configs.json.gz"
OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Mult: "*", ast.Mod: "%", ast.FloorDiv: "//", ast.Add: "+", ast.Sub: "-", ast.Eq: "==", ast.NotEq: "!=",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.And: "and", ast.Or: "or",
}  # fmt: skip


class Untranslated(Exception):
    """A condition with anything but keys, numbers and arithmetic."""


def text_of(node: ast.expr, known: Mapping[str, str]) -> str:
    """An expression over config keys. known: local names and their expressions."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=key):
            return key
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Constant(value=value) if value is None or type(value) in (int, bool):
            return json.dumps(value)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            return f"({text_of(left, known)} {OPERATORS[type(operator)]} {text_of(right, known)})"
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as operator], comparators=[right]):
            word = "==" if isinstance(operator, ast.Is) else "!="
            return f"({text_of(left, known)} {word} {text_of(right, known)})"
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in OPERATORS:
            return f"({text_of(left, known)} {OPERATORS[type(operator)]} {text_of(right, known)})"
        case ast.BoolOp(op=operator, values=values):
            return "(" + f" {OPERATORS[type(operator)]} ".join(truth_of(one, known) for one in values) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(not {truth_of(operand, known)})"
    raise Untranslated


def truth_of(node: ast.expr, known: Mapping[str, str]) -> str:
    """A condition: a remainder alone means that it is not zero."""
    text = text_of(node, known)
    return f"({text} != 0)" if isinstance(node, ast.BinOp) else text


def refused(body: Sequence[ast.stmt], known: dict[str, str], outer: tuple[str, ...] = ()) -> Iterator[str]:
    """The condition of each exception that a body raises."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known.pop(name, None)
                with contextlib.suppress(Untranslated):
                    known[name] = text_of(value, known)
            case ast.If(test=test, body=inner):
                with contextlib.suppress(Untranslated):
                    yield from refused(inner, dict(known), (*outer, truth_of(test, known)))
            case ast.Raise() if outer:
                yield " and ".join(outer)


def rules_of(kind: Any) -> Iterator[str]:
    """The rules of a config class."""
    method = getattr(kind, "validate_architecture", None)
    if method is None:
        return
    tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
    if isinstance(tree, ast.FunctionDef):
        yield from refused(tree.body, {})


def changed(rules: Mapping[str, Sequence[str]]) -> Iterator[list[Any]]:
    """[model type, key, value] of configs that differ from a recorded one in a key that a rule reads."""
    for model_type in oracle_types():
        config = base_record(model_type).get("config") or {}
        text = " ".join(rules.get(model_type, ()))
        for key, value in config.items():
            if type(value) is int and re.search(rf"\b{key}\b", text):
                yield from ([model_type, key, other] for other in (value + 1, 2 * value))


def record(rules: Mapping[str, Sequence[str]]) -> None:
    """Writes whether the config class refuses each changed config."""
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    found: list[list[Any]] = []
    for model_type, key, value in changed(rules):
        config = {**base_record(model_type)["config"], "model_type": model_type, key: value}
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "config.json").write_text(json.dumps(config), encoding="utf-8")
            refuses = False
            try:
                auto.CONFIG_MAPPING[model_type].from_pretrained(place)
            except Exception:
                refuses = True
        found.append([model_type, key, value, refuses])
    raw = json.dumps(found, separators=(",", ":")).encode()
    RECORDS.write_bytes(gzip.compress(raw, 9, mtime=0))
    print(len(found), "configs,", sum(one[3] for one in found), "refused")


def main() -> None:
    """Writes the rules of every model type."""
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    found: dict[str, list[str]] = {}
    for model_type in auto.CONFIG_MAPPING_NAMES:
        with contextlib.suppress(Exception):
            rules = list(rules_of(auto.CONFIG_MAPPING[model_type]))
            if rules:
                found[model_type] = rules
    lines = [f"{json.dumps(name)}: {json.dumps(rules)}" for name, rules in sorted(found.items())]
    RULES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(len(found), "types")
    record(found)


if __name__ == "__main__":
    main()
