"""Make `inspector/architectures/diffusers_values.json`: config values with which classes of diffusers cannot be built.

Needs torch and diffusers; no weights are made:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 diffusers==0.42.1
    five/bin/python -m tests.oracle.make_diffusers_values

Each class with records is built on the meta device with one value of its config changed. What is refused counts where
several records of the class refuse it, so that it does not depend on other keys. For each class:

    null, zero, negative, float, text, single   keys that may not be null, 0, below 0, a float or the text of a number,
                                                one value in the place of a list
    words   key -> the words that the class knows, where it refuses one that it does not know; those that other keys
            decide on are among them
    items   the same for the entries of lists
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import json
import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from inspector.architectures.diffusers_values import CONDITIONS
from tests.judged import diffusers_classes, diffusers_records

TABLE = Path(__file__).parents[2] / "inspector" / "architectures" / "diffusers_values.json"
OTHERS = 3
"""How many more records of a class must refuse a value."""
NO_WORD = "no_such_word"
SHARED = (
    "activations", "attention", "embeddings", "normalization", "downsampling", "resnet", "upsampling",
    "autoencoders.vae", "unets.unet_1d_blocks", "unets.unet_2d_blocks", "unets.unet_3d_blocks",
    "unets.unet_motion_model",
)  # fmt: skip
"""Modules of `diffusers.models` whose words are tried for every class."""
LONGEST = 40
OLD_PREFIX = "UNetRes"
"""What the names of blocks may begin with, as old configs have it."""


class Probe:
    """A class, the configs of its records and its own defaults."""

    def __init__(self, name: str) -> None:
        self.kind = getattr(importlib.import_module("diffusers"), name)
        listed = [one["config"] for one in diffusers_records(name) if self.error(one["config"]) == ""]
        self.base: Mapping[str, Any] = listed[0]
        step = max(1, (len(listed) - 1) // OTHERS)
        self.others: Sequence[Mapping[str, Any]] = listed[1::step][:OTHERS]
        parameters = inspect.signature(self.kind.__init__).parameters.values()
        named = {one.name: one.default for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD}
        named.pop("self")
        self.values = {key: self.base.get(key, default) for key, default in named.items()}
        self.texts = {one.name for one in parameters if "str" in str(one.annotation)}
        self.all = listed

    def error(self, config: Mapping[str, Any]) -> str:
        """What the class says of a config; "" where it is built."""
        torch = importlib.import_module("torch")
        quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        try:
            with torch.device("meta"), quiet[0], quiet[1]:
                self.kind.from_config(dict(config))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def refuses(self, key: str, value: Any) -> bool:
        """Whether all records refuse a value."""
        return all(self.error({**one, key: value}) for one in (self.base, *self.others))

    def kinds(self) -> Iterator[tuple[str, str]]:
        """(kind of value, key) of what is refused."""
        for key, value in self.values.items():
            if value is not inspect.Parameter.empty and self.refuses(key, None):
                yield "null", key
            if type(value) is int and value > 0:
                changed = {"zero": 0, "negative": -value, "float": float(value), "text": str(value)}
                yield from ((kind, key) for kind, new in changed.items() if self.refuses(key, new))
            elif isinstance(value, list | tuple) and value and self.refuses(key, value[0]):
                yield "single", key

    def words(self) -> Iterator[tuple[str, str, list[str]]]:
        """("words" or "items", key, the words that it knows)."""
        for key, value in self.values.items():
            if isinstance(value, str) or (value is None and key in self.texts):
                known = self.known(key, lambda word: word)
                if known:
                    yield "words", key, known
            elif isinstance(value, list | tuple) and value and isinstance(value[0], str):
                known = self.known(key, lambda word, rest=tuple(value[1:]): [word, *rest])
                if known:
                    yield "items", key, known

    def known(self, key: str, changed: Any) -> list[str]:
        """The words of which the class does not say what it says of one that does not exist; none where any will do."""
        if not self.refuses(key, changed(NO_WORD)):
            return []
        for config in (self.base, *(one for one in self.all if isinstance(one.get(key), str))):
            said = self.error({**config, key: changed(NO_WORD)}).casefold()
            found = [
                word
                for word in candidates(self.kind.__module__)
                if self.error({**config, key: changed(word)}).casefold() != said.replace(NO_WORD, word.casefold())
            ]
            if found:
                return found
        return []


@cache
def candidates(module: str, shared: Sequence[str] = SHARED) -> tuple[str, ...]:
    """The texts in a module and in the parts that all classes share."""
    names = [module, *(f"diffusers.models.{one}" for one in shared)]
    found: set[str] = set()
    for name in names:
        with contextlib.suppress(ImportError):
            tree = ast.parse(Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8"))
            texts = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant))
            classes = (one.name for one in ast.walk(tree) if isinstance(one, ast.ClassDef))
            found.update(one for one in (*texts, *classes) if isinstance(one, str))
    found.update([f"{OLD_PREFIX}{one}" for one in found if "Block" in one])
    return tuple(sorted(one for one in found if len(one) <= LONGEST and re.fullmatch(r"[A-Za-z][\w.+-]*", one)))


def main() -> None:
    """Writes the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    table: dict[str, dict[str, Any]] = {}
    for name in diffusers_classes():
        probe, entry = Probe(name), dict[str, Any]()
        for kind, key in probe.kinds():
            if not any(CONDITIONS[kind].applies(one[key]) for one in probe.all if key in one):
                entry.setdefault(kind, []).append(key)
        for kind, key, known in probe.words():
            recorded = {one[key] for one in probe.all if isinstance(one.get(key), str)}
            entry.setdefault(kind, {})[key] = " ".join(sorted({*known, *recorded}))
        table[name] = {kind: " ".join(found) if isinstance(found, list) else found for kind, found in entry.items()}
        print(name, {kind: len(found) for kind, found in entry.items()}, flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in table.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
