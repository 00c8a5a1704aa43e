"""Reads modules.json of a sentence encoder, with the modules of its routers, and their folders and configs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.loader.config_file import refused_config, unreadable_config
from inspector.loader.sources.source import Refusal
from inspector.loader.strict_json import JsonFault, decode_config
from inspector.loading.sentence_modules import CLASS_ENDINGS, CONFIGS, LOOKUPS, MODELS, TASKS_WITH_HEAD
from inspector.loading.tables import class_ending_with

MODULES: Final = "modules.json"
OF_ENCODER: Final = "config_sentence_transformers.json"
"""The config of the whole encoder, in the folder of modules.json."""
OF_TRANSFORMER: Final = "sentence_bert_config.json"
"""The config of a Transformer module, in the folder of the model."""
SETFIT_HEAD: Final = "model_head.pkl"
"""The head that SetFit's `save_pretrained` writes beside the sentence encoder (`setfit/modeling.py`)."""
OWN_TYPES: Final = ("sentence_transformers.", "pylate.")
"""Beginnings of the types of modules with known code; PyLate uses the modules of sentence-transformers."""
LIMIT: Final = 1 << 20
"""Most bytes that are read of a JSON file."""
DEEPEST: Final = 4
"""Most folders in a module's path: a router inside another router has two."""


class Listed(Struct, frozen=True):
    """A listed module, or a type that is not a class.

    path: its folder, "" for the folder of modules.json. first: a route of a router begins with it.
    """

    path: str
    kind: str
    type_name: str
    first: bool = False


def listed_modules(checkpoint: Checkpoint) -> Sequence[Listed] | Finding:
    """The listed modules, including those of routers, or the finding that they cannot be read."""
    entries = json_of(checkpoint, MODULES)
    if isinstance(entries, Finding):
        return entries
    if not isinstance(entries, list):
        return unreadable_config(MODULES, JsonFault("is not a list of modules", 0))
    return tuple(_with_routes(checkpoint, entries))


def folder_of(checkpoint: Checkpoint, path: str) -> Checkpoint | None:
    """The folder of a module; None if it does not exist. Each part of its path is looked up as a name."""
    folder: Checkpoint | None = checkpoint
    parts = path.split("/") if path else []
    for part in parts[: DEEPEST + 1]:
        folder = load_within(folder, part) if folder is not None and len(parts) <= DEEPEST else None
    return folder


def config_of(folder: Checkpoint | None, kind: str) -> Mapping[str, Any]:
    """The config of a module; empty if it cannot be read."""
    if folder is None:
        return {}
    if kind not in CONFIGS:
        return {} if folder.config is None else folder.config.values
    read = json_of(folder, CONFIGS[kind])
    return read if isinstance(read, dict) else {}


def json_of(folder: Checkpoint, name: str) -> object:
    """The content of a JSON file in a folder, or the finding that it cannot be read."""
    if folder.reach is None:
        return None
    raw = folder.reach().read_whole(name, LIMIT)
    if isinstance(raw, Refusal):
        return refused_config(name, raw)
    content = decode_config(raw)
    if not isinstance(content, JsonFault):
        return content
    return unreadable_config(name, content)


def task_of(checkpoint: Checkpoint) -> str:
    """The task that sentence-transformers states for the model in this folder; "" without one."""
    if checkpoint.reach is None or checkpoint.alone or OF_TRANSFORMER not in checkpoint.siblings:
        return ""
    stated = json_of(checkpoint, OF_TRANSFORMER)
    return str(stated.get("transformer_task", "")) if isinstance(stated, dict) else ""


def class_of_task(checkpoint: Checkpoint) -> str | None:
    """The class with a head that sentence-transformers builds for the task of the model in this folder.

    None without such a task, and for types that have no single class for it.
    """
    ending, config = CLASS_ENDINGS.get(task_of(checkpoint)), checkpoint.config
    if ending is None or config is None or "auto_map" in config.values:
        return None
    model_type = str(config.values.get("model_type"))
    return class_ending_with(model_type, (ending,))


def head_in_use(checkpoint: Checkpoint) -> bool:
    """True if sentence-transformers loads the model in this folder with its head.

    Source: `Transformer` uses the class of the task; an `MLMTransformer` of earlier versions predicts masked words.
    """
    if checkpoint.reach is None or checkpoint.alone:
        return False
    if task_of(checkpoint) in TASKS_WITH_HEAD:
        return True
    listed = listed_modules(checkpoint) if MODULES in checkpoint.siblings else ()
    return not isinstance(listed, Finding) and any(one.kind == "MLMTransformer" and not one.path for one in listed)


def has_table_at_top(checkpoint: Checkpoint) -> bool:
    """True if the weights in this folder are a table of embeddings, which sentence-transformers reads itself."""
    if checkpoint.reach is None or checkpoint.alone or MODULES not in checkpoint.siblings:
        return False
    listed = listed_modules(checkpoint)
    return not isinstance(listed, Finding) and any(not one.path and one.kind in LOOKUPS for one in listed)


def _with_routes(checkpoint: Checkpoint, entries: Sequence[object]) -> Iterator[Listed]:
    for entry in entries:
        path, kind = (entry.get(key) for key in ("path", "type")) if isinstance(entry, dict) else (None, None)
        if not isinstance(path, str) or not isinstance(kind, str):
            continue
        one = Listed("/".join(part for part in path.split("/") if part not in ("", ".")), _kind(kind), kind)
        yield one
        if one.kind == "Router":
            yield from _routes(one, config_of(folder_of(checkpoint, one.path), one.kind))


def _kind(type_name: str) -> str:
    """The class of a model or of a known module; the whole name of any other class, which has its own code."""
    last = type_name.rpartition(".")[2]
    return last if last in MODELS or type_name.startswith(OWN_TYPES) else type_name


def _routes(router: Listed, values: Mapping[str, Any]) -> Iterator[Listed]:
    """The modules of each route; a module in several routes occurs once."""
    types, routes = values.get("types"), values.get("structure")
    if not isinstance(types, dict) or not isinstance(routes, dict):
        return
    seen: set[str] = set()
    for route in routes.values():
        for place, name in enumerate(route if isinstance(route, list) else ()):
            kind = types.get(name) if isinstance(name, str) else None
            if isinstance(kind, str) and name not in seen:
                seen.add(name)
                path = f"{router.path}/{name}" if router.path else name
                yield Listed(path, _kind(kind), kind, first=place == 0)
