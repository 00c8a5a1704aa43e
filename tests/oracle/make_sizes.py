"""Writes `inspector/architectures/published.json`: model type -> parameters -> names, from the published models.

python -m tests.oracle.make_sizes
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

HERE = Path(__file__).parent.parent.parent
TARGET = HERE / "inspector" / "architectures" / "published.json"


def sizes() -> dict[str, dict[str, list[str]]]:
    """The table of the models in `fixtures/published.toml`."""
    found: dict[str, dict[str, list[str]]] = {}
    for model in tomllib.loads((HERE / "fixtures" / "published.toml").read_text(encoding="utf-8"))["model"]:
        by_total = found.setdefault(model["model_type"], {})
        by_total.setdefault(str(model["parameters"]), []).append(model["name"])
    return found


def written(table: dict[str, dict[str, list[str]]]) -> str:
    """The text of the file: one line per model type."""
    lines = (f"{json.dumps(name)}: {json.dumps(by_total)}" for name, by_total in sorted(table.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    TARGET.write_text(written(sizes()), encoding="utf-8")
