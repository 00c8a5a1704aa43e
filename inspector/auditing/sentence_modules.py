"""The modules with weights that modules.json of a sentence encoder lists behind the model.

Source: sentence-transformers 5, `models/Dense.py`: config.json with in_features and out_features, `linear.weight` in
model.safetensors or pytorch_model.bin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.loader.config_file import refused_config, unreadable_config
from inspector.loader.sources.source import Refusal
from inspector.loader.strict_json import JsonFault, decode_config

MODULES: Final = "modules.json"
WIDTHS: Final = ("hidden_size", "d_model", "dim")
"""Keys of the width of the hidden states."""
LIMIT: Final = 1 << 20
"""Most bytes of modules.json that are read."""


def sentence_modules(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The findings on dense layers that are absent, lack files, or have other widths than stated."""
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None:
        return
    width: int | None = None
    values = {} if checkpoint.config is None else checkpoint.config.values
    hidden = next((size for key in WIDTHS if (size := _number(values, key)) is not None), None)
    listed = _listed(checkpoint)
    if isinstance(listed, Finding):
        yield listed
        return
    for path, kind in listed:
        part = load_within(checkpoint, path)
        values = {} if part is None or part.config is None else part.config.values
        if kind not in ("Pooling", "Dense"):
            continue
        problem = "the folder is absent" if part is None else ""
        if kind == "Pooling":
            problem = problem or _of_pooling(part, values, hidden)
            width = _number(values, "word_embedding_dimension")
        elif part is not None:
            problem = _problem(part, values, width)
        if problem:
            from inspector.findings.declared import ModuleMissing

            yield ModuleMissing(place=Place(file=MODULES), folder=path, problem=problem)
        if kind == "Dense":
            width = _number(values, "out_features")


def model_below(checkpoint: Checkpoint) -> Checkpoint | None:
    """The model of a sentence encoder whose files are in the folder of its first module (`0_Transformer`)."""
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None or checkpoint.readable:
        return None
    listed = _listed(checkpoint)
    if isinstance(listed, Finding):
        return None
    below = next((path for path, kind in listed if kind == "Transformer"), None)
    part = None if below is None else load_within(checkpoint, below)
    return part if part is not None and part.readable else None


def _of_pooling(part: Checkpoint | None, values: Mapping[str, Any], hidden: int | None) -> str:
    """What is wrong with a pooling; "" where it takes the hidden states. hidden: their width."""
    if part is None or part.config is None:
        return "it has no config.json"
    width = _number(values, "word_embedding_dimension")
    if width is not None and hidden is not None and width != hidden:
        return f"word_embedding_dimension is {width}, the model gives {hidden}"
    return ""


def _listed(checkpoint: Checkpoint) -> list[tuple[str, str]] | Finding:
    """(folder, the last part of the type) of each listed module with a folder of its own, or why there are none."""
    assert checkpoint.reach is not None
    raw = checkpoint.reach().read_whole(MODULES, LIMIT)
    if isinstance(raw, Refusal):
        return refused_config(MODULES, raw)
    entries = decode_config(raw)
    if isinstance(entries, JsonFault):
        return unreadable_config(MODULES, entries.reason, entries.position)
    if not isinstance(entries, list):
        return unreadable_config(MODULES, "is not a list of modules", 0)
    found: list[tuple[str, str]] = []
    for entry in entries:
        path, kind = (entry.get(key) for key in ("path", "type")) if isinstance(entry, dict) else (None, None)
        if isinstance(path, str) and path and isinstance(kind, str):
            found.append((path, kind.rpartition(".")[2]))
    return found


def _problem(part: Checkpoint, values: Mapping[str, Any], width: int | None) -> str:
    """What is wrong with a dense layer; "" where it loads and fits. width: of its input, None where not known."""
    if part.config is None:
        return "it has no config.json"
    if not part.readable:
        return "it has no weights that can be read"
    inputs, outputs = _number(values, "in_features"), _number(values, "out_features")
    weight = part.tensors.get("linear.weight")
    if weight is None:
        return "linear.weight is missing"
    if inputs is None or outputs is None:
        return "its config.json lacks in_features or out_features"
    if weight.shape != (outputs, inputs):
        return f"linear.weight is {list(weight.shape)}, its config.json states [{outputs}, {inputs}]"
    if width is not None and inputs % width:  # pooling modes are concatenated
        return f"in_features is {inputs}, the module before gives {width}"
    return ""


def _number(values: Mapping[str, Any], key: str) -> int | None:
    found = values.get(key)
    return found if type(found) is int and found > 0 else None
