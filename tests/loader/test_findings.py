"""Findings of the reading stages: each has an example on its page, and hostile files give complete messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.findings.registry import all_findings, page
from inspector.loader.checkpoint import load
from inspector.loader.signature import recognise
from tests.attacks.collection import INPUTS, HostileInput
from tests.findings.make_pages import example, made
from tests.loader.rule_examples import EXAMPLES

NAMES = [name for name, finding in all_findings().items() if re.match("R0|H1|S2", finding.code)]


def test_every_finding_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_the_tool_prints(name: str) -> None:
    finding = made(name)
    assert example(finding) in page(type(finding)), "run python -m tests.findings.make_pages"


def test_every_hostile_input_has_known_findings() -> None:
    assert set().union(*(hostile.rules for hostile in INPUTS)) <= set(NAMES)


@pytest.mark.thinned
@pytest.mark.parametrize("hostile", INPUTS, ids=lambda hostile: ascii(hostile.name))
def test_every_hostile_input_has_complete_messages(hostile: HostileInput, tmp_path: Path) -> None:
    stored = hostile.build()
    for name, raw in ({"model.safetensors": stored} if isinstance(stored, bytes) else stored).items():
        if len(raw) > 1_000_000:
            pytest.skip("worded like its smaller brothers")
        (tmp_path / name).write_bytes(raw)
    for finding in load(str(tmp_path), weights=hostile.weights).findings:
        words = [finding.title, finding.help, *(part for row in finding.lines for part in row)]
        assert all(isinstance(word, str) for word in words)
        assert "None" in hostile.name or not any("None" in word for word in words), words


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"algg\x01\0\0\0" + bytes(16), "ggla"), (b"tjgg\x03\0\0\0" + bytes(16), "ggjt"),
        (b"tjgg\x01\0\0\0" + bytes(16), "ggml"), (b"\x02\0\0\0\x13\0\0\0blk.0.attn_q.weight", "imatrix"),
        (b"\x02\0\0\0\x13\0\0\0model.norm.weight.0", "unknown"),
        (b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code></Error>', "xml-error"),
        (b'<?xml version="1.0" encoding="UTF-8"?><html></html>', "html"),
    ],
)  # fmt: skip
def test_other_files_are_named(first: bytes, kind: str) -> None:
    assert recognise(first, 5_000) == kind
