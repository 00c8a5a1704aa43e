"""Make diffusers' lines of `inspector/architectures/defaults.jsonl`: the defaults of its model classes.

Needs diffusers, and torch, which it imports; nothing is built:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1
    five/bin/python -m tests.oracle.make_diffusers_defaults

A class of diffusers is its own configuration: keys that config.json omits have the defaults declared by `__init__`, for
example if the file was written before the key existed. Every class with a definition gets a line, under its own name;
the lines from transformers are unchanged (`make_defaults.py`, which does not change these). A parameter without a
default is not in the table: no config may leave it out.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from inspector.architectures.catalog import modules
from tests.oracle.diffusers_classes import class_of
from tests.oracle.make_defaults import DIFFUSERS, PACKAGE, plain

BUILT_AS = {"Transformer2DModel": ("DiTTransformer2DModel", "PixArtTransformer2DModel")}
"""Classes of which `from_pretrained` builds others by the config (`LegacyModelMixin`): they have the defaults that
these share."""


def declared(model_class: Any) -> dict[str, Any]:
    """The parameters of a model class that have a default."""
    parameters = inspect.signature(model_class.__init__).parameters.values()
    return {
        p.name: plain(p.default)
        for p in parameters
        if p.default is not p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }


def line(name: str, model_class: Any) -> str:
    """The line of a class in the table."""
    values = declared(model_class)
    built = [declared(class_of(one)) for one in BUILT_AS.get(name, ())]
    for key, value in built[0].items() if built else ():
        if all(one.get(key, value) == value for one in built):
            values[key] = value
    values = dict(sorted(values.items()))
    content = {"type": name, "writers": DIFFUSERS, "values": values}
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def main() -> None:
    """Replace diffusers' lines."""
    import diffusers  # type: ignore[import-not-found]

    table = PACKAGE / "defaults.jsonl"
    head_line, *others = table.read_text(encoding="utf-8").splitlines()
    head = json.loads(head_line)
    head["made_from"][DIFFUSERS] = f"diffusers {diffusers.__version__}"
    head["base"][DIFFUSERS] = {}
    kept = {json.loads(text)["type"]: text for text in others if json.loads(text)["writers"] != DIFFUSERS}
    classes = {name: found for name in modules() if (found := class_of(name)) is not None}
    made = {name: line(name, model_class) for name, model_class in classes.items()}
    lines = {**kept, **made}
    text = "\n".join([json.dumps(head, separators=(",", ":")), *(lines[name] for name in sorted(lines))])
    table.write_text(text + "\n", encoding="utf-8")
    print(f"{len(made)} classes of diffusers {diffusers.__version__}")


if __name__ == "__main__":
    main()
