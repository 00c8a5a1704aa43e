"""The rules of the reading stages: every name that the loader speaks has one, and its page is true."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import inspector.loader
from inspector.evidence import Place
from inspector.rules.rule import Rule
from tests.attacks.collection import EXHIBITS
from tests.loader.rule_examples import EXAMPLES

RULES = Path(inspector.loader.__file__).parent.parent / "rules"
MODULES = sorted(path.stem for path in RULES.glob("*.py") if re.match(r"r0|h1|s2", path.stem))


def test_every_rule_has_an_example() -> None:
    assert sorted(EXAMPLES) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_the_page_shows_what_the_tool_prints(module: str) -> None:
    loaded = import_module(f"inspector.rules.{module}")
    rule = loaded.RULE
    assert isinstance(rule, Rule)
    place_facts, facts = EXAMPLES[module]
    place = Place(**place_facts)
    code, _, name = module.partition("_")
    head = f"{rule.severity}[{code.upper()}] {name.replace('_', '-')}: {rule.headline(place, facts)}"
    rows = [*rule.rows(place, facts), ("help", rule.help(place, facts))]
    width = max(len(label) for label, _ in rows)
    printed = [head, *(f"  {label:<{width}}  {text}" for label, text in rows)]
    page = loaded.__doc__ or ""
    assert "\n".join(f"    {line}" for line in printed) in page
    headings = re.findall(r"^\w.*\w$", page, re.MULTILINE)
    assert headings == ["What it means", "Why it matters", "Example", "What to do"]


def test_every_name_in_the_loader_is_a_rule() -> None:
    names = {module.partition("_")[2].replace("_", "-") for module in MODULES}
    spoken: set[str] = set()
    for path in Path(inspector.loader.__file__).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        spoken.update(re.findall(r'(?:Evidence|_tell|_case|_by_file)\(\s*"([a-z-]+)"', text))
    assert spoken <= names
    assert set().union(*(exhibit.rules for exhibit in EXHIBITS)) <= names


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: ascii(exhibit.name))
def test_every_exhibit_can_be_worded(exhibit: object, tmp_path: Path) -> None:
    from inspector.loader.checkpoint import load
    from tests.attacks.collection import Exhibit

    assert isinstance(exhibit, Exhibit)
    made = exhibit.build()
    for name, raw in ({"model.safetensors": made} if isinstance(made, bytes) else made).items():
        if len(raw) > 1_000_000:
            pytest.skip("worded like its smaller brothers")
        (tmp_path / name).write_bytes(raw)
    modules = {module.partition("_")[2].replace("_", "-"): module for module in MODULES}
    for evidence in load(str(tmp_path), weights=exhibit.weights).evidence:
        rule = import_module(f"inspector.rules.{modules[evidence.rule]}").RULE
        words = [rule.headline(evidence.place, evidence.facts), rule.help(evidence.place, evidence.facts)]
        words.extend(part for row in rule.rows(evidence.place, evidence.facts) for part in row)
        assert all(isinstance(word, str) for word in words)
        assert "None" in exhibit.name or not any("None" in word for word in words), words
