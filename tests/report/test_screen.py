"""Reports on screens of 60 to 200 columns, with and without colours."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.api import audit, compare, formula
from inspector.cli.terminal import screen_of
from inspector.report.compare_text import compare_text
from inspector.report.formula_text import formula_text
from inspector.report.screen import PLAIN, Screen
from inspector.report.tables import role_rows, submodel_rows
from inspector.report.text import audit_text
from tests.findings.library_cases import with_files
from tests.judged import FIXTURES, base_record, judged, spec_of

CHECKPOINTS = FIXTURES / "checkpoints"
WIDTHS = (60, 80, 120, 200)
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def reports(screen: Screen) -> dict[str, str]:
    """A report of each kind, of clean and of damaged checkpoints."""
    found = {folder.name: audit_text(audit(folder), screen=screen) for folder in sorted(CHECKPOINTS.iterdir())}
    for pair in (("small-llama", "half-converted"), ("small-llama", "wide-llama"), ("small-llama", "my-finetune")):
        found["-".join(pair)] = compare_text(compare(*(CHECKPOINTS / one for one in pair)), screen=screen)
    for name in ("llama", "deepseek_v3", "qwen2_5_omni"):
        found[name] = formula_text(formula(name), screen)
    record = base_record("llava")
    return found | {"llava": audit_text(judged(spec_of(record), record["config"]), screen=screen)}


@pytest.mark.parametrize("width", WIDTHS)
def test_lines_fit_but_for_words_that_do_not(width: int) -> None:
    for name, text in reports(Screen(width)).items():
        for line in text.splitlines():
            assert len(line) <= width or is_one_word(line, width), (name, line)


def is_one_word(line: str, width: int) -> bool:
    """Whether a long line has a name that is too long for the space next to its label."""
    return any(len(word) > width - 34 for word in line.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_never_broken(width: int) -> None:
    for folder in ("my-finetune", "my-adapter"):
        found = audit(CHECKPOINTS / folder)
        text = audit_text(found, screen=Screen(width))
        for finding in found:
            names = [finding.place.tensor, *(word for _, row in finding.lines for word in row.split() if "." in word)]
            assert all(name in text for name in names if name and finding.severity != "note"), (folder, width)


def test_the_first_screen_has_the_verdict_the_counts_and_the_worst_finding() -> None:
    first = audit_text(audit(CHECKPOINTS / "my-finetune")).splitlines()[:24]
    assert any(line.startswith("findings:") for line in first)
    assert any(line.split()[:2] == ["parameters", "213,568"] for line in first)
    (at,) = [number for number, line in enumerate(first) if line.startswith("error[")][:1]
    assert any(line.strip().startswith("help") for line in first[at:])


def test_colours_change_only_the_colour() -> None:
    plain, painted = reports(PLAIN), reports(Screen(colour=True))
    assert any(ESCAPES.search(text) for text in painted.values())
    assert {name: ESCAPES.sub("", text) for name, text in painted.items()} == plain


@pytest.mark.parametrize(
    ("color", "environment", "shown"),
    [
        (None, {}, False),
        (None, {"FORCE_COLOR": "1"}, True),
        (None, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
    ],
)
def test_settings_for_colours(
    color: str | None, environment: dict[str, str], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert screen_of(color, None).colour is shown
    assert screen_of(color, "report.txt").colour is (color == "always")


@pytest.mark.parametrize(
    ("columns", "width"), [("40", 60), ("100", 100), ("1000", 200), ("none", 80), ("0", 80), ("", 80)]
)
def test_the_width_follows_the_terminal(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        monkeypatch.setattr("sys.stdout", nowhere)
        assert screen_of(None, None).width == width


@pytest.mark.parametrize(
    ("model_type", "names"),
    [
        ("llava", {"vision", "projector", "text"}),
        ("qwen2_vl", {"vision", "text"}),
        ("t5gemma", {"encoder", "decoder"}),
        ("llama", {""}),
    ],
)
def test_joined_models_are_tabulated_by_submodel(model_type: str, names: set[str]) -> None:
    record = base_record(model_type)
    audited = judged(spec_of(record), record["config"])
    parts = submodel_rows(audited.lines)
    assert {part.name for part in parts} == names
    assert sum(part.total for part in parts) == sum(row.total for row in role_rows(audited.lines))


@pytest.mark.parametrize(
    ("model_type", "role", "is_alike"),
    [
        ("llama", "attention query", True),
        ("mixtral", "mlp up", True),  # the experts of a layer together
        ("deepseek_v3", "attention output", True),
        ("swin", "attention query", False),  # stages of different widths
        ("qwen2_vl", "merger up", False),  # numbered, but no layers
    ],
)
def test_only_layers_of_one_kind_have_a_number_per_layer(model_type: str, role: str, is_alike: bool) -> None:
    record = base_record(model_type)
    audited = judged(spec_of(record), record["config"])
    rows = [row for part in submodel_rows(audited.lines) for row in part.rows if row.role == role]
    assert rows
    assert any(row.per_layer is not None for row in rows) is is_alike


def test_a_report_in_a_file_has_no_columns_of_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert screen_of(None, str(tmp_path / "report.txt")) == PLAIN


@pytest.mark.parametrize(("files", "advised"), [
    ({"generation_config.json": {}}, True), ({"tokenizer.json": {}, "trainer_state.json": {}}, False),
])  # fmt: skip
def test_a_note_on_what_a_program_refuses_has_its_help(files: dict[str, Any], advised: bool) -> None:
    record = base_record("llama", "CausalLM")
    audited = with_files(spec_of(record), {"config.json": {"model_type": "llama", **record["config"]}, **files})
    (note,) = audited.findings
    assert audited.verdict == "clean" and note.severity == "note" and note.help
    assert (note.help[:30] in audit_text(audited)) is advised
