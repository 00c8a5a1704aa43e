"""Markdown reports show names from checkpoints literally, never as markup."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare
from inspector.report.compare_markdown import compare_markdown
from inspector.report.markdown import audit_markdown
from tests.checkpoints import write

CONFIG = {"model_type": "llama", "hidden_size": 8}
NAMES = ("a|b", "`code`", "<script>alert(1)</script>", "[link](https://example.com)", "new\nline", "# title")


@pytest.mark.parametrize("name", NAMES)
def test_names_are_not_markup(name: str, tmp_path: Path) -> None:
    for side, rows in (("source", 4), ("target", 6)):
        (tmp_path / side).mkdir()
        write(tmp_path / side, {name: ("F32", (rows, 8)), "lm_head.weight": ("F32", (4, 8))}, CONFIG)
    source, target = str(tmp_path / "source"), str(tmp_path / "target")
    for text in (audit_markdown(audit(source)), compare_markdown(compare(source, target))):
        outside = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
        assert not re.search(r"(?<!\\)[<\[]|^# title", outside, re.MULTILINE)
        for table, lines in groupby(text.splitlines(), key=lambda line: line.startswith("|")):
            assert not table or len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
