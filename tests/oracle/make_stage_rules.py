"""Make `stages` in `inspector/loading/config_rules.json`: numbers of heads of single stages that must divide the width
of their stage.

Needs torch and transformers; run in an environment of each major version (`tests/oracle/make_loads.py` has them):

    five/bin/python -m tests.oracle.make_stage_rules [TYPE ...]

For each model type with a list of numbers of heads, models are built from the first record with other numbers in each
entry, and the remainder of a width that explains all refusals becomes a rule: major versions, number of stages,
condition, in which {S} is the stage, and the classes with a record for which it does not hold. The rules of other
versions stay.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from tests.judged import oracle_types, records
from tests.oracle.make_config_rules import RULES, _builds, write_rules
from tests.oracle.value_cases import decoded

HEADS = re.compile(r"num(_attention)?_heads(_per_stage)?")
LISTED = ("hidden_sizes", "embed_dim", "embed_dim_per_stage")
SCALED = ("embed_dim", "patch_embeds_hidden_size")
"""Widths of the first stage, which double in each stage."""
NUMBERS = ("num_encoder_blocks", "len(depths)", "len(stages)", "len(blocks_per_stage)")
TRIED = range(1, 14)
Row = tuple[str, str, list[str]]
"""Number of stages, condition, classes without it."""


def widths_of(config: Mapping[str, Any], stages: int) -> Iterator[tuple[str, list[int]]]:
    """(expression of the width of stage {S}, the widths)."""
    for key in LISTED:
        widths = config.get(key)
        if isinstance(widths, list) and len(widths) == stages:
            yield f"{key}[{{S}}]", widths
    for key in SCALED:
        if type(config.get(key)) is int:
            yield f"({key} * (2 ** {{S}}))", [config[key] * 2**stage for stage in range(stages)]


def number_of(config: Mapping[str, Any], stages: int) -> str:
    """The expression of the number of stages; "" if no key has it."""
    for text in NUMBERS:
        value = config.get(text.removeprefix("len(").removesuffix(")"))
        if (len(value) if isinstance(value, list) else value) == stages:
            return text
    return ""


def rules_of(class_name: str, config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(number of stages, condition) of each rule on a list of numbers of heads."""
    for key, heads in config.items():
        if not HEADS.fullmatch(key) or not isinstance(heads, list):
            continue
        refused = [
            {number for number in TRIED if not _builds(class_name, {**config, key: with_entry(heads, stage, number)})}
            for stage in range(len(heads))
        ]
        for width, sizes in widths_of(config, len(heads)):
            if any(refused) and refused == [{number for number in TRIED if size % number} for size in sizes]:
                yield number_of(config, len(heads)), f"(({width} % {key}[{{S}}]) != 0)"
                break


def with_entry(entries: list[Any], index: int, value: Any) -> list[Any]:
    """The list with another value at an index."""
    return [*entries[:index], value, *entries[index + 1 :]]


def measured(model_type: str, transformers: Any) -> list[Row]:
    """The rules of a model type, and the classes with a record for which they do not hold."""
    found: dict[tuple[str, str], set[str]] = {}
    tried: set[str] = set()
    for record in records(model_type):
        config = {**decoded(record["config"] or {}), "model_type": model_type}
        new = record["class"] not in tried and hasattr(transformers, record["class"])
        if new and not record["variant"] and has_heads(config) and _builds(record["class"], config):
            tried.add(record["class"])
            for number, rule in rules_of(record["class"], config):
                found.setdefault((number, rule), set()).add(record["class"])
    return [(number, rule, sorted(tried - holding)) for (number, rule), holding in found.items()]


def has_heads(config: Mapping[str, Any]) -> bool:
    """Whether a config lists numbers of heads."""
    return any(HEADS.fullmatch(key) and isinstance(value, list) for key, value in config.items())


def merged(rows: list[list[Any]], found: list[Row], major: str) -> list[list[Any]]:
    """The rows of the table with what a version does in place of what it did."""
    others = [[row[0].replace(major, ""), *row[1:]] for row in rows]
    for row in map(list, found):
        same = next((one for one in others if one[1:] == row), None)
        if same is None:
            others.append([major, *row])
        else:
            same[0] = "".join(sorted((*same[0], major)))
    return [row for row in others if row[0]]


def main() -> None:
    """Add the rules of the installed version."""
    transformers = importlib.import_module("transformers")
    major = transformers.__version__.partition(".")[0]
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    table: dict[str, dict[str, Any]] = json.loads(RULES.read_text(encoding="utf-8"))
    for model_type in sys.argv[1:] or oracle_types():
        rules = table.get(model_type, {})
        rows = merged(rules.get("stages", []), measured(model_type, transformers), major)
        if rows or "stages" in rules:
            table[model_type] = {**rules, "stages": rows}
            print(model_type, rows, flush=True)
    write_rules(table)


if __name__ == "__main__":
    main()
