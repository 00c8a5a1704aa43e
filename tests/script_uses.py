"""Thirty typical uses of the package in a script, each written as a user would write it.

`tests/test_api.py` runs them on this package, `tests/test_packaging.py` with the wheel and in front of mypy.

    python script_uses.py FIXTURES    # the folder of checkpoints, without the repository
"""

from __future__ import annotations

import json
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np

import inspector
from inspector import (
    Audit,
    Comparison,
    Finding,
    FindingsError,
    Formula,
    FormulaError,
    audit,
    compare,
    explain,
    formula,
    load,
)

Use = TypeVar("Use", bound=Callable[[Path], object])
USES: list[Callable[[Path], object]] = []


def use(written: Use) -> Use:
    """Registers a use; it is called with the folder of checkpoints."""
    USES.append(written)
    return written


def config_of(folder: Path) -> dict[str, object]:
    """A config as a dict."""
    found: dict[str, object] = json.loads((folder / "small-llama" / "config.json").read_text(encoding="utf-8"))
    return found


def shapes_of(folder: Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The tensors of a model in memory: name -> dtype and shape."""
    return {name: (layout.dtype, layout.shape) for name, layout in load(folder / "small-llama").tensors.items()}


@use
def is_it_clean(folder: Path) -> None:
    assert audit(folder / "small-llama").verdict == "clean"


@use
def fail_the_job(folder: Path) -> None:
    try:
        audit(folder / "my-finetune").raise_for_findings()
    except FindingsError as error:
        assert all(one.severity == "error" for one in error.findings)
    else:
        raise AssertionError("nothing was raised")


@use
def require_a_proof(folder: Path) -> None:
    audit(folder / "small-llama").raise_for_findings(require="clean")


@use
def count_parameters(folder: Path) -> int:
    counts = audit(folder / "small-llama").counts
    assert counts.unique_parameters == counts.expected_parameters
    return counts.unique_parameters


@use
def findings_by_severity(folder: Path) -> Counter[str]:
    found = Counter(finding.severity for finding in audit(folder / "my-finetune"))
    assert found["error"] > 0
    return found


@use
def number_of_findings(folder: Path) -> None:
    assert len(audit(folder / "my-finetune")) > 0 and len(audit(folder / "small-llama")) == 0


@use
def first_error(folder: Path) -> Finding | None:
    found = next((one for one in audit(folder / "my-finetune") if one.severity == "error"), None)
    assert found is not None and found.code and found.message and found.place.file
    return found


@use
def names_that_are_missing(folder: Path) -> list[str]:
    return [*audit(folder / "my-finetune").missing]


@use
def names_that_are_unexpected(folder: Path) -> list[str]:
    return [*audit(folder / "my-finetune").unexpected]


@use
def names_of_another_shape(folder: Path) -> list[str]:
    return [*audit(folder / "my-finetune").mismatched]


@use
def rows_for_a_table(folder: Path) -> list[dict[str, object]]:
    rows = [dict(row) for row in audit(folder / "small-llama").records()]
    assert sum(int(str(row["parameters"])) for row in rows) == count_parameters(folder)
    return rows


@use
def largest_family(folder: Path) -> str:
    line = max(audit(folder / "small-llama").lines, key=lambda line: line.parameters)
    return f"{line.family}: {line.role}"


@use
def parameters_by_role(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in audit(folder / "small-llama").lines:
        found[line.role] = found.get(line.role, 0) + line.parameters
    return found


@use
def save_the_json(folder: Path) -> str:
    return json.dumps(audit(folder / "small-llama").to_dict())


@use
def print_the_report(folder: Path) -> str:
    text = str(audit(folder / "small-llama"))
    assert "clean" in text
    return text


@use
def send_between_processes(folder: Path) -> None:
    result = audit(folder / "small-llama")
    again: Audit = pickle.loads(pickle.dumps(result))
    assert again.to_dict() == result.to_dict()


@use
def check_before_saving(folder: Path) -> None:
    assert audit(shapes_of(folder), config=config_of(folder)).verdict == "clean"


@use
def check_arrays(folder: Path) -> None:
    arrays = {name: np.zeros(shape, np.float16) for name, (_, shape) in shapes_of(folder).items()}
    assert audit(arrays, config=config_of(folder)).counts.stored_bytes == 2 * count_parameters(folder)


@use
def another_config(folder: Path) -> None:
    wrong = {**config_of(folder), "num_hidden_layers": 3}
    assert audit(folder / "small-llama", config=wrong).verdict == "findings"


@use
def a_stated_total(folder: Path) -> None:
    model = folder / "small-llama"
    wrong, right = audit(model, claim="1.5B").claims[-1], audit(model, claim=count_parameters(folder)).claims[-1]
    assert (wrong.agrees, right.agrees, wrong.because != "") == (False, True, True)


@use
def read_values_too(folder: Path) -> None:
    assert audit(folder / "small-llama", values=True).verdict in ("clean", "findings")


@use
def headers_only(folder: Path) -> None:
    checkpoint = load(folder / "small-llama")
    assert checkpoint.tensors and all(layout.bytes > 0 for layout in checkpoint.tensors.values())


@use
def audit_what_is_loaded(folder: Path) -> None:
    checkpoint = load(folder / "small-llama")
    assert audit(checkpoint).counts == audit(folder / "small-llama").counts


@use
def validate_a_conversion(folder: Path) -> Comparison:
    compared = compare(folder / "small-llama", folder / "small-llama")
    assert compared.to_dict() and len(compared) == 0
    return compared


@use
def compare_with_memory(folder: Path) -> None:
    compared = compare(folder / "small-llama", audit(shapes_of(folder), config=config_of(folder)))
    compared.raise_for_findings()


@use
def formula_of_a_config(folder: Path) -> Formula:
    found = formula(config_of(folder))
    assert found.to_dict() and str(found)
    return found


@use
def unknown_types(folder: Path) -> None:
    try:
        formula({"model_type": "no-such-type"})
    except FormulaError as error:
        assert "no-such-type" in str(error)
    else:
        raise AssertionError("nothing was raised")


@use
def what_a_finding_means(folder: Path) -> str:
    finding = next(iter(audit(folder / "my-finetune")))
    text = explain(finding.code)
    assert finding.code in text
    return text


@use
def several_checkpoints(folder: Path) -> list[tuple[str, str]]:
    def verdicts() -> Iterator[tuple[str, str]]:
        for name in ("small-llama", "my-finetune"):
            result = audit(folder / name)
            yield name, result.verdict

    found = [*verdicts()]
    assert dict(found)["small-llama"] == "clean"
    return found


@use
def in_a_notebook(folder: Path) -> None:
    assert "<" in audit(folder / "small-llama")._repr_html_()


if __name__ == "__main__":
    for each in USES:
        each(Path(sys.argv[1]))
    print(len(USES), "uses,", inspector.__file__)
