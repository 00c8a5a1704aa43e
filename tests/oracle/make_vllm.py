"""Write what vLLM's lists contain to `inspector/loading/registries.json`: its classes, and those that it has no more.

    python -m tests.oracle.make_vllm FOLDER

FOLDER has the package `vllm` of a release, for example the unpacked wheel. Its source is read and not run.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

REGISTRIES = Path(__file__).parents[2] / "inspector" / "loading" / "registries.json"
REGISTRY, METHODS = "model_executor/models/registry.py", "model_executor/layers/quantization/__init__.py"
LISTS = (
    "_TEXT_GENERATION_MODELS", "_EMBEDDING_MODELS", "_LATE_INTERACTION_MODELS", "_REWARD_MODELS",
    "_TOKEN_CLASSIFICATION_MODELS", "_SEQUENCE_CLASSIFICATION_MODELS", "_MULTIMODAL_MODELS",
    "_SPECULATIVE_DECODING_MODELS", "_TRANSFORMERS_SUPPORTED_MODELS",
)  # fmt: skip
"""The lists of classes; that of the general fallback to transformers is left out."""


def values_of(source: str) -> dict[str, ast.expr]:
    """The value assigned to each name at the top of a module."""
    found = {}
    for one in ast.parse(source).body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            found[one.targets[0].id] = one.value
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.value is not None:
            found[one.target.id] = one.value
    return found


def texts(node: ast.expr) -> dict[str, str]:
    """The entries of a dict whose keys and values are texts; "" for any other value."""
    assert isinstance(node, ast.Dict), "the list is no dict: read the new source and correct this script"
    return {
        key.value: value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def lists(package: Path) -> Mapping[str, Any]:
    """The entry of vLLM in the registries."""
    version = re.search(r"version = '(\d+\.\d+)", (package / "_version.py").read_text())
    assert version is not None, "no version in _version.py"
    found = values_of((package / REGISTRY).read_text())
    methods = values_of((package / METHODS).read_text())["QuantizationMethods"]
    names = {name for one in LISTS for name in texts(found[one])}
    return {
        "source": f"vLLM {version[1]}, vllm/{REGISTRY}",
        "version": version[1],
        "names": " ".join(sorted(names)),
        "removed": texts(found["_PREVIOUSLY_SUPPORTED_MODELS"]),
        "plugins": texts(found["_OOT_SUPPORTED_MODELS"]),
        "methods": " ".join(sorted(one.value for one in ast.walk(methods)
                                   if isinstance(one, ast.Constant) and isinstance(one.value, str))),
    }  # fmt: skip


def main(folder: str) -> None:
    """Write the entry."""
    registries = json.loads(REGISTRIES.read_text())
    registries["vllm"] = lists(Path(folder) / "vllm")
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in registries.items())
    REGISTRIES.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main(sys.argv[1])
