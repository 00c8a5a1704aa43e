"""Make `inspector/loading/pipelines.json`: what the pipelines of diffusers need, and the names of its model classes.

Needs torch, transformers and diffusers; fetches nothing:

    five/bin/python -m tests.oracle.make_pipelines
"""

from __future__ import annotations

import contextlib
import importlib
import json
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "inspector" / "loading" / "pipelines.json"


def main() -> None:
    """Writes the components without which each pipeline cannot be built."""
    diffusers: Any = importlib.import_module("diffusers")
    pipelines: dict[str, str] = {}
    models: list[str] = []
    for name in dir(diffusers):
        with contextlib.suppress(Exception):
            kind = getattr(diffusers, name)
            if issubclass(kind, diffusers.DiffusionPipeline):
                needed, _ = kind._get_signature_keys(kind)
                pipelines[name] = " ".join(sorted(set(needed) - {"self", *kind._optional_components}))
            elif issubclass(kind, diffusers.ModelMixin):
                models.append(name)
    table = {"version": diffusers.__version__, "models": " ".join(models), "pipelines": pipelines}
    TABLE.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
