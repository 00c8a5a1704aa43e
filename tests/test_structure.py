"""Structure of the package: layers and imports, tables that agree with the files, a page for every finding."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Set
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from inspector.architectures.catalog import all_definitions, scan
from inspector.findings.finding import SEVERITIES
from inspector.findings.registry import all_findings, page
from inspector.matcher.outlines import outlines
from inspector.notation.formula import counted
from inspector.notation.roles import SUBJECTS
from tests.checkpoints import plan_of

PACKAGE = Path(__file__).parent.parent / "inspector"
LAYERS = (
    "budget",
    "findings algebra",
    "loader notation",
    "architectures",
    "dialects",
    "matcher",
    "quantization",
    "reconciler",
    "loading",
    "adapters values",
    "auditing",
    "comparing formulas mending",
    "report",
    "cli inputs results",
    "api",
    "__main__ __init__",
)
"""Packages and modules from the bottom to the top. A package imports only from layers below its own."""
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer.split()}
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

PACKAGES = {module for module, path in FILES.items() if path.name == "__init__.py"}


@cache
def tree(path: Path) -> ast.Module:
    """A file of the package, parsed once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """Modules of the package that a module imports: at its top, inside functions and for type checking alike."""
    found: set[str] = set()
    for node in ast.walk(tree(FILES[module])):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name and name not in FILES:
                name = name.rpartition(".")[0]
            if name and name not in (module, "inspector"):
                found.add(name)
    return frozenset(found)


def package_of(module: str) -> str:
    """The package, or the module at the top, that a module belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


def test_every_package_has_a_layer() -> None:
    assert {package_of(module) for module in FILES} == RANK.keys()


def test_imports_go_downwards() -> None:
    upwards = [
        f"{module} imports {other}"
        for module in FILES
        for other in imports(module)
        if package_of(other) != package_of(module) and RANK[package_of(other)] >= RANK[package_of(module)]
    ]
    assert not upwards


def test_no_import_cycle() -> None:
    ordered({module: imports(module) for module in FILES})


MIXED = {"inspector.architectures", "inspector.loader", "inspector.reconciler"}
"""Packages whose subpackages and modules import each other both ways; no single module does."""


@pytest.mark.parametrize("package", sorted(PACKAGES - MIXED))
def test_no_cycle_between_the_parts_of_a_package(package: str) -> None:
    """Modules and packages directly below a package, each with all that it contains."""
    depth = package.count(".") + 2
    below: dict[str, set[str]] = {}
    for module in FILES:
        if module.startswith(f"{package}."):
            part = ".".join(module.split(".")[:depth])
            others = {".".join(one.split(".")[:depth]) for one in imports(module) if one.startswith(f"{package}.")}
            below.setdefault(part, set()).update(others - {part})
    ordered(below)


def test_every_package_has_a_docstring() -> None:
    assert not [package for package in PACKAGES if not ast.get_docstring(tree(FILES[package]))]


def ordered(graph: Mapping[str, Set[str]]) -> None:
    """Fail if the graph has a cycle."""
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_the_loader_mentions_no_model() -> None:
    types = set(json.loads((PACKAGE / "architectures" / "catalog.json").read_text(encoding="utf-8")))
    for path in sorted((PACKAGE / "loader").rglob("*.py")):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in types, (path, node.lineno, node.value)


TAKES_USER_TEXT = {
    "inspector.loader.checkpoint.load": "api auditing.start auditing.adapter.base_read formulas",
    "inspector.loader.configs.config_at": "api auditing.adapter.base_read formulas loader.checkpoint",
    "inspector.loader.sources.opening.open_source": "loader.checkpoint",
    "inspector.loader.sources.opening.understood": "",
    "inspector.loader.sources.address.address_of": "loader.sources.opening",
    "inspector.loader.sources.remote_files.open_remote": "loader.sources.opening",
    "inspector.loader.sources.folder.locate": "loader.checkpoint loader.configs",
}
"""Functions that parse a text as a path, a repository or an address, and the modules that pass user input to them.

Other modules open names from files by `Source.inside` or `load_within`, which look a name up in a listing; the
repository of an adapter's base goes through `repository_named`, which accepts neither paths nor addresses.
"""


def test_only_user_input_is_parsed_as_a_source() -> None:
    for module, path in FILES.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    allowed = TAKES_USER_TEXT.get(f"{node.module}.{alias.name}")
                    if allowed is not None:
                        assert module.removeprefix("inspector.") in allowed.split(), (module, alias.name)


READ_VALUES = (
    "arrays.py", "computed.py", "projector_values.py", "quantized.py", "rearranged.py", "swapped.py", "values.py",
)  # fmt: skip
"""Modules outside of the package `values` that read values; they are imported only when values are requested."""


def test_findings_import_nothing_else_of_the_package() -> None:
    allowed = re.compile(r"inspector\.(findings|algebra)\b")
    for path in (PACKAGE / "findings").rglob("*.py"):
        for node in ast.walk(tree(path)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            assert all(allowed.match(name) for name in names if name.startswith("inspector.")), (path, names)


def test_an_audit_imports_the_findings_it_makes() -> None:
    code = (
        "import sys; from inspector.auditing.start import audit; audit('fixtures/checkpoints/small-llama'); "
        "print(sorted(m for m in sys.modules if m.startswith('inspector.findings.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['inspector.findings.finding', 'inspector.findings.role_words']"


def test_nothing_heavy_is_imported_at_module_level() -> None:
    heavy = re.compile(r"^(?:import|from) +(?:numpy|huggingface_hub|rich|torch|transformers|safetensors|fsspec)\b")
    for path in PACKAGE.rglob("*.py"):
        if package_of(f"inspector.{path.parent.name}.{path.stem}") == "values" or path.name in READ_VALUES:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not heavy.match(line), (path, line)


def test_a_plain_audit_imports_nothing_heavy() -> None:
    code = (
        "import sys; from inspector.cli.verbs import audit; audit('fixtures/checkpoints/small-llama'); "
        "heavy = ('numpy', 'huggingface_hub', 'httpx', 'httpx2', 'rich', 'safetensors', 'ssl', 'subprocess'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_network_is_left_to_the_client_of_the_hub_and_to_fsspec() -> None:
    own = re.compile(r"^\s*(?:import|from) +(?:socket|ssl|http|urllib\.request|asyncio)\b", re.MULTILINE)
    for path in PACKAGE.rglob("*.py"):
        assert not own.search(path.read_text(encoding="utf-8")), path


STARTS_A_PROCESS = PACKAGE / "loader" / "reference.py"
"""The only module that may start a process: the reference reader, which runs safetensors in a separate Python."""


def test_no_code_of_a_checkpoint_can_run() -> None:
    forbidden = {"eval", "exec", "compile", "__import__"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in forbidden, (path, node.lineno)
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", "") or ""]
                forbidden_here = {"pickle", "marshal"} | ({"subprocess"} if path != STARTS_A_PROCESS else set())
                assert not forbidden_here & {name.split(".")[0] for name in names}, path


def test_the_process_of_the_reference_reader_imports_nothing_else() -> None:
    for node in ast.walk(ast.parse((PACKAGE / "loader" / "reference_child.py").read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert set(names) <= {"__future__", "json", "sys", "types", "typing", "safetensors"}


def test_the_catalog_agrees_with_the_files() -> None:
    made: dict[str, dict[str, object]] = {
        "catalog": {**scan()},
        "outlines": {name: list(outline) for name, outline in outlines().items()},
    }
    for name, table in made.items():
        text = (PACKAGE / "architectures" / f"{name}.json").read_text(encoding="utf-8")
        assert json.loads(text) == table, "run python -m inspector.matcher.outlines"
        assert len(text.splitlines()) == len(table) + 2, "one line for each name"


@pytest.mark.complete
def test_definitions_have_known_subjects() -> None:
    strange = set()
    for name, definition in all_definitions():
        for slot in counted(plan_of({"model_type": name})):
            subject = slot.role.split(".")[0]
            if subject not in SUBJECTS:
                strange.add((name, slot.role))
        assert definition.dialects[0] == {}, f"{name}: the first dialect is the canonical one"
    assert not strange


def test_every_finding_has_a_page_and_words() -> None:
    for name, finding in all_findings().items():
        text = page(finding)
        assert finding.severity in SEVERITIES, name
        headings = [line for line in text.splitlines()[1:] if line and not line.startswith(" ")]
        assert headings == ["What it means", "Why it matters", "Example", "What to do"], name
        assert f"{finding.severity}[{finding.code}] {name}" in text
        assert finding.__name__ == "".join(word.capitalize() for word in name.split("-"))


def test_codes_are_used_once() -> None:
    codes = [finding.code for finding in all_findings().values()]
    stated = [line for path in PACKAGE.glob("findings/**/*.py") for line in path.read_text().splitlines()]
    assert len(set(codes)) == len(codes) == sum(line.startswith('    code = "') for line in stated)


def _holds_code(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == "code" for one in ast.walk(node))


def test_properties_of_a_finding_are_attributes_of_its_class() -> None:
    stages = {finding.code[0] for finding in all_findings().values()}
    codes = re.compile(rf"[{''.join(sorted(stages))}]\d{{3}}")
    for module, path in FILES.items():
        if package_of(module) == "findings":
            continue
        for node in ast.walk(tree(path)):
            where = (module, getattr(node, "lineno", 0))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not codes.fullmatch(node.value), where
            if isinstance(node, ast.Compare):
                assert not any(map(_holds_code, (node.left, *node.comparators))), where
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("startswith", "endswith") or not _holds_code(node.func.value), where
            if isinstance(node, ast.Subscript):
                assert not (isinstance(node.value, ast.Attribute) and node.value.attr == "code"), where


@pytest.mark.complete
def test_no_class_name_is_used_twice() -> None:
    public = {"Audit", "Comparison", "Formula"}
    where: dict[str, list[str]] = {}
    for module, path in FILES.items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not (module == "inspector.results" and node.name in public):
                where.setdefault(node.name, []).append(module)
    assert not {name: modules for name, modules in where.items() if len(modules) > 1}


def test_no_module_has_a_generic_name() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert path.stem not in {"utils", "util", "helpers", "helper", "common", "misc"}
