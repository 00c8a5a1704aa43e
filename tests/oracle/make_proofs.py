"""Make `inspector/architectures/proofs.json`: the number of references for each definition.

    python -m tests.oracle.make_proofs

Model type to {"records": number of checked-in records, "published": number of published sizes}, of every model
type with a definition. A test compares the file with the fixtures.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from inspector.architectures.catalog import modules
from tests.judged import FIXTURES, diffusers_classes, diffusers_records, oracle_types, records

PROOFS = Path(__file__).parents[2] / "inspector" / "architectures" / "proofs.json"
OTHER_NAMES = {"torch_multihead_attention": "multihead_attention"}
"""Records of torch's own module are under the writer's name."""


def proofs() -> dict[str, dict[str, int]]:
    """The numbers in the current fixtures."""
    counted = {OTHER_NAMES.get(name, name): len(records(name)) for name in oracle_types()}
    counted |= {name: len(diffusers_records(name)) for name in diffusers_classes()}
    models = tomllib.loads((FIXTURES / "published.toml").read_text(encoding="utf-8"))["model"]
    published = Counter(str(model["model_type"]) for model in models)
    return {name: {"records": counted.get(name, 0), "published": published.get(name, 0)} for name in sorted(modules())}


def text_of(found: Mapping[str, Mapping[str, int]]) -> str:
    """One line per model type."""
    lines = [f"{json.dumps(name)}: {json.dumps(proof)}" for name, proof in found.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    PROOFS.write_text(text_of(proofs()), encoding="utf-8")
