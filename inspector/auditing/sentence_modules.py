"""The modules that modules.json of a sentence encoder lists behind the model: their configs, weights and widths.

What each stores: `inspector.loading.sentence_modules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.loads import given_of
from inspector.auditing.result import Audit, Skipped
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint, load_within
from inspector.loader.config_file import refused_config, unreadable_config
from inspector.loader.loaders import TRANSFORMERS
from inspector.loader.sources.source import Refusal
from inspector.loader.strict_json import JsonFault, decode_config
from inspector.loading.outcome import REFUSES
from inspector.loading.sentence_modules import (
    CONFIGS,
    EMPTY,
    LOOKUPS,
    MODELS,
    TOKENS,
    is_known,
    key_before,
    number,
    tensors_of,
    width_before,
    width_behind,
)
from inspector.loading.tables import NEWEST, names_of
from inspector.loading.transformers import loads

if TYPE_CHECKING:
    from inspector.findings.declared import ModuleMissing

MODULES: Final = "modules.json"
OWN_TYPES: Final = ("sentence_transformers.", "pylate.")
"""Beginnings of the types of modules with known code; PyLate has those of sentence-transformers."""
WIDTHS: Final = ("hidden_size", "d_model", "dim")
"""Keys of the width of the hidden states."""
LIMIT: Final = 1 << 20
"""Most bytes of a JSON file that are read."""


class Listed(Struct, frozen=True):
    """A listed module with a folder of its own, or of a type that is not a class.

    first: whether a route of a router begins with it.
    """

    path: str
    kind: str
    type_name: str
    first: bool = False


class ModulesRead(Struct, frozen=True):
    """What is wrong with the modules, and what of them was not checked."""

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def sentence_modules(checkpoint: Checkpoint) -> ModulesRead:
    """Modules that are absent, lack files, or have other tensors or widths than stated."""
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None:
        return ModulesRead()
    listed = _listed(checkpoint)
    if isinstance(listed, Finding):
        return ModulesRead((listed,))
    findings: list[Finding] = []
    skipped: list[Skipped] = []
    hidden = None if checkpoint.config is None else number(checkpoint.config.values, *WIDTHS)
    tokens = sentence = hidden
    audited = not checkpoint.readable
    for place, one in enumerate(listed):
        if "." not in one.type_name:
            findings.append(_without_class(one))
            audited, tokens, sentence = False, None, None
            continue
        if one.first:
            tokens = sentence = None
        if one.kind in MODELS:
            skipped.extend(() if audited else (_unread(one),))
            audited, tokens, sentence = False, None, None
            continue
        part = load_within(checkpoint, one.path)
        values = _config(part, one.kind)
        width = tokens if one.kind in TOKENS or values.get("module_input_name") == "token_embeddings" else sentence
        width = tokens if one.kind == "Pooling" else width
        problem = _problem(one.kind, part, values)
        if problem:
            from inspector.findings.declared import ModuleMissing

            findings.append(ModuleMissing(place=Place(file=MODULES), folder=one.path, problem=problem))
        elif width is not None and width_before(one.kind, values) not in (None, width):
            finding, values = _of_another_width(checkpoint, listed[place:], values, width)
            findings.append(finding)
        elif part is not None and part.readable and not (is_known(one.kind) or one.kind in {*EMPTY, *LOOKUPS}):
            skipped.append(_unread(one))
        if values.get("module_output_name", values.get("module_input_name")) == "token_embeddings":
            tokens = width_behind(one.kind, values, tokens)
            continue
        sentence = width_behind(one.kind, values, sentence)
        tokens = sentence if one.kind in TOKENS else tokens
    return ModulesRead(tuple(findings), tuple(skipped))


def model_below(checkpoint: Checkpoint) -> Checkpoint | None:
    """The model of a sentence encoder whose files are in the folder of a module (`0_Transformer`).

    Where no module is a model, such as with static embeddings or a bag of words, the first that has weights. A model
    whose weights are lost is the one that lacks them.
    """
    if MODULES not in checkpoint.siblings or checkpoint.alone or checkpoint.reach is None or checkpoint.readable:
        return None
    listed = _listed(checkpoint)
    if isinstance(listed, Finding):
        return None
    models = [one.path for one in listed if one.kind in MODELS]
    if models:
        model = load_within(checkpoint, models[0])
        return model if model is not None and (model.readable or model.config is not None) else None
    parts = (load_within(checkpoint, one.path) for one in listed)
    return next((part for part in parts if part is not None and part.readable), None)


def with_model_below(audited: Audit, place: str) -> Audit:
    """The audit of the model of a sentence encoder, with what loaders do with the folder around it.

    sentence-transformers opens the folder of the module, with the base class; transformers finds no config.json.
    place: the folder of the module.
    """
    config = audited.checkpoint.config
    own = next((one for one in audited.loads if one.loader == TRANSFORMERS.name and one.intended), None)
    if own is None or config is None:
        return audited
    base = names_of(NEWEST).bases.get(str(config.values.get("model_type")))
    used = own if base is None else loads(replace(given_of(audited, config.values), class_name=base), NEWEST)
    refused = [
        replace(one, outcome=REFUSES, intended=False, because=f"{TRANSFORMERS.config} and the weights are in {place}",
                missing=None, unexpected=None, mismatched=None, files=(), excuse="", keys=(), source="documented")
        for one in audited.loads if one.loader == TRANSFORMERS.name
    ]  # fmt: skip
    used = replace(used, loader="sentence-transformers", version=None, intended=True)
    return replace(audited, loads=(*refused, used))


def _without_class(one: Listed) -> ModuleMissing:
    """The finding on a type without a module before its class, which `import_from_string` cannot import."""
    from inspector.findings.declared import ModuleMissing

    return ModuleMissing(
        place=Place(file=MODULES),
        folder=one.path or MODULES,
        problem=f'its type "{one.type_name}" names no class of a package',
        type_name=one.type_name,
    )


def _unread(one: Listed) -> Skipped:
    return Skipped(f"the weights of {one.path}", f"a further module, of kind {one.kind}", decisive=True)


def _problem(kind: str, part: Checkpoint | None, values: Mapping[str, Any]) -> str:
    """What is wrong with a module by itself; "" where it loads."""
    if kind in LOOKUPS:
        return _without_table(kind, part)
    if kind not in ("Pooling", "Router") and not is_known(kind):
        return ""
    if part is None:
        return "the folder is absent" if kind != "Pooling" else "it has no config.json"
    if not values:
        return f"it has no {CONFIGS.get(kind, 'config.json')}"
    return _tensors_differ(kind, part, values) if is_known(kind) else ""


def _of_another_width(
    checkpoint: Checkpoint, rest: Sequence[Listed], values: Mapping[str, Any], width: int
) -> tuple[Finding, Mapping[str, Any]]:
    """The finding on a module that takes another width than the one before gives, and its config as it should be.

    rest: the module and those behind it. A pooling has no weights: its config is wrong, unless the next module agrees
    with it.
    """
    from inspector.findings.declared import ModuleMissing

    one, stated, key = rest[0], width_before(rest[0].kind, values), str(key_before(rest[0].kind, values))
    right = {**values, key: width}
    behind = (width_before(other.kind, _config(load_within(checkpoint, other.path), other.kind)) for other in rest[1:])
    needed = next((found for found in behind if found is not None), None)
    correct = one.kind == "Pooling" and needed in (None, width_behind(one.kind, right, width))
    finding = ModuleMissing(
        place=Place(file=MODULES),
        folder=one.path,
        problem=f"its config.json states a width of {stated}, the module before gives {width}",
        stated=stated,
        given=width,
        key=key if correct else None,
    )
    return finding, right if correct else values


def _without_table(kind: str, part: Checkpoint | None) -> str:
    if part is None or not part.readable:
        return "it has no weights that can be read"
    tables = [part.tensors[name] for name in LOOKUPS[kind] if name in part.tensors]
    if not tables:
        return f"{LOOKUPS[kind][0]} is missing"
    return "" if len(tables[0].shape) == 2 else f"its table is {list(tables[0].shape)}, not of two dims"


def _tensors_differ(kind: str, part: Checkpoint, values: Mapping[str, Any]) -> str:
    if not part.readable:
        return "it has no weights that can be read"
    expected = tensors_of(kind, values)
    if expected is None:
        return f"its {CONFIGS.get(kind, 'config.json')} does not state its sizes"
    for name, shape in expected.items():
        stored = part.tensors.get(name)
        if stored is None:
            return f"{name} is missing"
        if stored.shape != shape:
            return f"{name} is {list(stored.shape)}, its config states {list(shape)}"
    other = next((name for name in part.tensors if name not in expected), None)
    return "" if other is None else f"{other} is unexpected"


# --- modules.json ---


def _config(part: Checkpoint | None, kind: str) -> Mapping[str, Any]:
    """The config of a module; empty where it cannot be read."""
    if part is None:
        return {}
    if kind not in CONFIGS:
        return {} if part.config is None else part.config.values
    read = _json(part, CONFIGS[kind])
    return read if isinstance(read, dict) else {}


def _json(place: Checkpoint, name: str) -> object:
    """The content of a JSON file in a folder, or the finding that it cannot be read."""
    if place.reach is None:
        return None
    raw = place.reach().read_whole(name, LIMIT)
    if isinstance(raw, Refusal):
        return refused_config(name, raw)
    content = decode_config(raw)
    if not isinstance(content, JsonFault):
        return content
    return unreadable_config(name, content.reason, content.position, encoding=content.encoding)


def _listed(checkpoint: Checkpoint) -> Sequence[Listed] | Finding:
    """Each listed module with a folder of its own, with those of a router, or why there are none."""
    entries = _json(checkpoint, MODULES)
    if isinstance(entries, Finding):
        return entries
    if not isinstance(entries, list):
        return unreadable_config(MODULES, "is not a list of modules", 0)
    return tuple(_with_routes(checkpoint, entries))


def _with_routes(checkpoint: Checkpoint, entries: Sequence[object]) -> Iterator[Listed]:
    for entry in entries:
        path, kind = (entry.get(key) for key in ("path", "type")) if isinstance(entry, dict) else (None, None)
        if not isinstance(path, str) or not isinstance(kind, str):
            continue
        one = Listed(path, _kind(kind), kind)
        if "." not in kind:
            yield one
        elif one.kind == "Router":
            yield from _routes(one, _config(load_within(checkpoint, path) if path else checkpoint, one.kind))
        elif path:
            yield one


def _kind(type_name: str) -> str:
    """The class of a model or of a known module; the whole name of any other, which has its own code."""
    last = type_name.rpartition(".")[2]
    return last if last in MODELS or type_name.startswith(OWN_TYPES) else type_name


def _routes(router: Listed, values: Mapping[str, Any]) -> Iterator[Listed]:
    """The modules of each route; a module of several routes once."""
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
