"""The house itself: floors, tables that agree with the files, pages for every rule."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.architectures.catalog import all_cards, scan
from inspector.matcher.endings import card_endings, least_keys
from inspector.notation.formula import counted
from inspector.notation.roles import SUBJECTS
from inspector.rules.registry import SEVERITIES, files, page, rule_of
from tests.checkpoints import plan_of

PACKAGE = Path(__file__).parent.parent / "inspector"
FLOORS: dict[str, int] = {
    "evidence": 0, "algebra": 0, "notation": 1, "loader": 1, "architectures": 2, "packing": 2, "dialects": 2,
    "matcher": 3, "reconciler": 4, "conversion": 5, "rules": 5, "values": 6,
    "auditing": 7, "comparing": 7, "charting": 7, "pipelines": 7, "adapting": 7, "downloads": 7, "valuing": 7,
    "report": 8, "verbs": 9, "cli": 10, "__main__": 11, "__init__": 11,
}  # fmt: skip
"""Lower rooms are imported by higher ones. Those of the floor of auditing import it and not one another."""
ALLOWED = {("comparing", "auditing"), ("charting", "auditing"), ("pipelines", "auditing"), ("adapting", "auditing"),
           ("valuing", "auditing"), ("valuing", "comparing")}  # fmt: skip


def imports(path: Path) -> Iterator[str]:
    """Rooms of the package that a file imports when it is loaded; type checking aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("inspector."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("inspector."))


def room(path: Path) -> str:
    """The room a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path: Path) -> None:
    own = room(path)
    for other in imports(path):
        if other != own and (own, other) not in ALLOWED:
            assert FLOORS[other] < FLOORS[own], f"{own} imports {other}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "loader").rglob("*.py")), ids=lambda path: path.stem)
def test_the_loader_knows_no_model(path: Path) -> None:
    """No model type of the catalogue in a text, and no import of what knows models, in a function either."""
    types = set(json.loads((PACKAGE / "architectures" / "catalog.json").read_text(encoding="utf-8")))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value not in types, (path, node.lineno, node.value)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("inspector."):
            assert node.module.split(".")[1] in {"loader", "evidence", "algebra"}, (path, node.lineno, node.module)


def test_nothing_heavy_is_imported_at_module_level() -> None:
    heavy = re.compile(r"^(?:import|from) +(?:numpy|huggingface_hub|rich|torch|transformers|safetensors|fsspec)\b")
    for path in PACKAGE.rglob("*.py"):
        if room(path) == "values":  # numbers are its business; it is imported when they are asked for
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not heavy.match(line), (path, line)


def test_a_plain_audit_imports_nothing_heavy() -> None:
    code = (
        "import sys; from inspector.auditing.model import audit; from inspector.report.text import audit_text; "
        "audit_text(audit('fixtures/checkpoints/small-llama')); "
        "print([m for m in ('numpy','huggingface_hub','rich','safetensors','ssl') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_code_of_a_checkpoint_can_run() -> None:
    forbidden = {"eval", "exec", "compile", "__import__"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in forbidden, (path, node.lineno)
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                assert not {"pickle", "subprocess", "marshal"} & {name.split(".")[0] for name in names}, path


def test_the_catalog_is_what_the_files_hold() -> None:
    for name, made in (("catalog", scan()), ("endings", card_endings()), ("least_keys", least_keys())):
        table = json.loads((PACKAGE / "architectures" / f"{name}.json").read_text(encoding="utf-8"))
        assert table == made, "run python -m inspector.matcher.endings"


def test_cards_have_known_subjects() -> None:
    rare = {
        "rotary", "altup", "laurel", "layer", "mtp", "scale", "bound", "duration", "flow", "range", "slope", "time",
        "code", "mask", "resample", "vocoder",
    }  # fmt: skip
    strange = set()
    for name, card in all_cards():
        for slot in counted(plan_of({"model_type": name})):
            subject = slot.role.split(".")[0]
            if subject not in SUBJECTS and subject not in rare:
                strange.add((name, slot.role))
        assert card.dialects[0] == {}, f"{name}: the first dialect is the canonical one"
    assert not strange


@pytest.mark.parametrize("name", files())
def test_every_rule_has_a_page_and_words(name: str) -> None:
    code, rule = rule_of(name)
    assert rule.severity in SEVERITIES
    found = page(code)
    assert found is not None
    for title in ("What it means", "Why it matters", "Example", "What to do"):
        assert f"\n{title}\n" in found[3], (code, title)
    assert f"{rule.severity}[{code}] {name}" in found[3]


def test_codes_are_used_once() -> None:
    codes = [code for code, _ in files().values()]
    assert len(set(codes)) == len(codes)


def test_no_room_without_a_purpose_in_its_name() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert path.stem not in {"utils", "util", "helpers", "helper", "common", "misc"}
