"""Measure more of the table of value rules: settings of single layers, words in parts, accepted nulls.

Needs torch and transformers; run in an environment of each major version (`tests/oracle/make_loads.py` has them). The
results of several runs are added to the table in that of the project:

    five/bin/python -m tests.oracle.make_setting_rules measure layers|parts|nulls|older FILE [PART OF]
    python -m tests.oracle.make_setting_rules merge FILE ...

FILE has a line of JSON for each model type: version, what was measured, type, and rows of [table, key]. A type that has
a line is skipped. Each run replaces the rows of its types in these tables:

    settings     path in the settings of rotary embeddings and a letter of `tests/oracle/value_cases.py` -> model types
                 that refuse a value of this kind there (transformers 5); c stands for an absent key, e for an empty
                 object
    listed       `rope_parameters` -> model types that compute with the settings of the layers in `layer_types` alone;
                 `objects` -> those that take a text in place of other settings; `nulls` -> those that take null
    activations  path of a key in a config within the config -> model types of the outer one of which all classes with a
                 record look its value up among the activations, though the type of the part does not
    beside       key -> model types that refuse it beside the config of a backbone (transformers 4)
    taken        path of a key -> model types, or type/class, with which null is accepted there, though other classes,
                 or models of the type of the part, refuse it

and `older` in `inspector/loading/config_rules.json`: the rules of config classes of transformers 5 that hold in 4.57,
for every config with one changed value against which they are.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

from inspector.algebra.expression import parse, words
from inspector.architectures.catalog import definition_of
from inspector.architectures.config_types import layer_types
from inspector.architectures.defaults import NEWEST, defaults_by
from inspector.architectures.refused_value import looking_up
from inspector.architectures.value_rules import refused_values
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from tests.judged import oracle_types, records
from tests.oracle.make_config_rules import RULES as CONFIG_RULES
from tests.oracle.make_config_rules import _builds
from tests.oracle.make_value_rules import NO_ACTIVATION, NO_TYPE, ROPE_KEYS, RULES, PartProbe, Probe
from tests.oracle.measure_further import Case, cases_of
from tests.oracle.measure_values import Builder, Refusal
from tests.oracle.value_cases import changed, decoded, parts, places

LAYERS, PARTS, NULLS, OF_OLDER = "layers", "parts", "nulls", "older"
TABLES: Mapping[str, tuple[str, ...]] = {
    LAYERS: ("settings", "listed"), PARTS: ("activations",), NULLS: ("taken",), OF_OLDER: ("beside",),
}  # fmt: skip
DEFAULT: Mapping[str, Any] = {"rope_theta": 10000.0, "rope_type": "default"}
OF_KEYS: Mapping[str, float] = {"rope_theta": 10000.0, "partial_rotary_factor": 0.5}
"""Settings that rotary embeddings of any type read, with a value that all accept."""
KINDS: Mapping[str, Any] = {"n": None, "t": "no_such_word", "l": [1.0], "d": {}, "m": -1.0}
OF_LAYER: Mapping[str, Any] = {"n": None, "t": "no_such_word", "l": [1], "e": {}}
BESIDE_BACKBONE: Mapping[str, Any] = {
    "backbone": "resnet18", "backbone_kwargs": {"a": 1}, "use_timm_backbone": True, "use_pretrained_backbone": True,
}  # fmt: skip
"""Other choices of a backbone than its config. Some classes need scipy, without which they are not built."""
Row = list[str]


def of_layers(probe: Probe, _: str) -> Iterator[Row]:
    """The rows of the settings of each layer, or of those for all layers."""
    key, stated = ROPE_KEYS[0], probe.stated
    absent = [name for name, one in stated.items() if one is None and probe.layers]
    for layer in (*probe.layers, *absent) or ("",):
        own = {**DEFAULT, **((stated[layer] or {}) if layer else stated)}
        rest = _listing(probe, layer)

        def builds(settings: Any, layer: str = layer, rest: Mapping[str, Any] = rest) -> bool:
            return probe.builds({**rest, key: {**stated, layer: settings} if layer else settings})

        if not builds(own):
            continue
        for letter, value in OF_LAYER.items() if layer else ():
            if not builds(value) or (value is None and not _initialises(probe, {**rest, key: {**stated, layer: None}})):
                yield ["settings", f"{layer} {letter}"]
        for name, usual in OF_KEYS.items():
            path, usual = f"{layer}.{name}" if layer else name, own.get(name, usual)
            if builds({**own, name: usual}):
                forms = {letter: {**own, name: value} for letter, value in KINDS.items()}
                forms["c"] = {one: value for one, value in own.items() if one != name}
                yield from (["settings", f"{path} {letter}"] for letter, form in forms.items() if not builds(form))
    for name, wrong in ((key, {**DEFAULT, "rope_type": NO_TYPE}), ("objects", NO_TYPE), ("nulls", None)):
        if _is_unread(probe, wrong):
            yield ["listed", name]


def _initialises(probe: Probe, config: Mapping[str, Any]) -> bool:
    """Whether the rotary embeddings of a model get their angles after it is built, as loading does."""
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    kind = getattr(transformers, probe.class_name)
    whole = decoded(probe.whole(config) if isinstance(probe, PartProbe) else config)
    with torch.device("meta"):
        model = kind(kind.config_class.from_dict(whole))
    try:
        with torch.no_grad():
            for module in model.modules():
                if "RotaryEmbedding" in type(module).__name__:
                    model._init_weights(module)
    except KeyError:
        return False
    return True


def _listing(probe: Probe, *layers: str) -> dict[str, Any]:
    """The config without settings, in which the layers are of these types where it lists them."""
    rest = {name: one for name, one in probe.config.items() if name not in ROPE_KEYS}
    listed = rest.get("layer_types")
    missing = [one for one in layers if one in layer_types()]
    if isinstance(listed, list) and missing and not set(missing) <= set(listed):
        rest["layer_types"] = [*missing, *listed[len(missing) :]]
    return rest


def _is_unread(probe: Probe, wrong: Any) -> bool:
    """Whether settings of layers that are not listed may be wrong."""
    layers, listed = [one for one in probe.layers if one in layer_types()], probe.config.get("layer_types")
    if not isinstance(listed, list):
        return False
    rest, found = {name: one for name, one in probe.config.items() if name not in ROPE_KEYS}, list[bool]()
    for layer, other in permutations(layers, 2):
        alone = {**rest, "layer_types": [other] * len(listed)}
        if probe.builds({**alone, ROPE_KEYS[0]: probe.stated}):
            found.append(probe.builds({**alone, ROPE_KEYS[0]: {**probe.stated, layer: wrong}}))
    return bool(found) and all(found)


def of_parts(probe: Probe, model_type: str) -> Iterator[Row]:
    """The rows of the activations of the configs within a config."""
    transformers = importlib.import_module("transformers")
    major = transformers.__version__.partition(".")[0]
    known = frozenset(importlib.import_module("transformers.activations").ACT2FN)
    for path, kind in parts(probe.config):
        part = PartProbe(probe, path)
        for key, value in part.config.items():
            there = (*path, key)
            if isinstance(value, str) and value in known and kind not in looking_up("activations", key, major):
                others = [one for one in _others(probe, model_type, there) if hasattr(transformers, one[0])]
                if part.refuses(key, NO_ACTIVATION) and not any(
                    _builds(name, changed(config, there, NO_ACTIVATION)) for name, config in others
                ):
                    yield ["activations", ".".join(there)]


def _others(probe: Probe, model_type: str, path: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(class, config) of the records of a type that have a key, for each other class one."""
    seen = {probe.class_name}
    for record in records(model_type):
        config = decoded(record["config"] or {})
        inside: Any = config
        for key in path:
            inside = inside.get(key) if isinstance(inside, dict) else None
        if inside is not None and record["class"] not in seen:
            seen.add(record["class"])
            yield record["class"], {**config, "model_type": model_type}


def of_older(probe: Probe, model_type: str) -> Iterator[Row]:
    """The rows of what the config class of transformers 4 refuses."""
    for rule in json.loads(CONFIG_RULES.read_text(encoding="utf-8")).get(model_type, {}).get("config", ()):
        against = list(_against(rule, probe.config, model_type))
        if against and not any(map(probe.builds, against)):
            yield [OF_OLDER, rule]


def beside_backbone(model_type: str) -> Iterator[Row]:
    """The rows of other choices of a backbone, by the first record with its config of which the model is built."""
    for record in records(model_type):
        config = {**decoded(record["config"] or {}), "model_type": model_type}
        if isinstance(config.get("backbone_config"), dict) and _builds(record["class"], config):
            refused = (
                key for key, one in BESIDE_BACKBONE.items() if not _builds(record["class"], {**config, key: one})
            )
            yield from (["beside", key] for key in refused)
            return


def _against(rule: str, config: Mapping[str, Any], model_type: str) -> Iterator[dict[str, Any]]:
    """Configs with one other value for which a rule of a config class holds."""
    definition, of_type = definition_of(model_type), defaults_by(NEWEST)
    defaults, aliases = of_type(model_type)
    for key in dict.fromkeys(path[0] for path in words(parse(rule))) if definition is not None else ():
        for value in _others_of(config.get(key)):
            changed_config = {**config, key: value}
            settings = Settings(changed_config, defaults, aliases, of_type=of_type)
            if definition is not None and Scope(definition, settings, definition_of).evaluate(parse(rule)) is True:
                yield changed_config


def _others_of(value: Any) -> list[Any]:
    """Other numbers, the other switch, and lists of another length."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, list) and value:
        return [value[:-1], [*value, value[-1]]]
    return [value + 1, value * 2 + 1, max(value - 1, 0), 0] if type(value) is int else []


def of_nulls(builder: Builder, model_type: str) -> Iterator[Row]:
    """The rows of the nulls that are accepted."""
    cases = cases_of(builder, model_type)
    taking: dict[str, list[str]] = {}
    asked: dict[str, int] = {}
    for case in cases:
        for path, value in places(case.config):
            config = changed(case.config, path, None)
            if value is not None and _is_refused(config, path, builder.major):
                dotted = ".".join(path)
                asked[dotted] = asked.get(dotted, 0) + 1
                if _is_built(case, config):
                    taking.setdefault(dotted, []).append(case.name)
    for dotted, names in taking.items():
        every = len(names) == asked[dotted]
        yield from ([["taken", dotted, ""]] if every else [["taken", dotted, name] for name in names])


def _is_refused(config: Mapping[str, Any], path: tuple[str, ...], major: str) -> bool:
    """Whether a null is refused by the table of nulls."""
    return path in [
        one.path for one in refused_values(config, major, every=True) if one.wanted.startswith("a value, which")
    ]


def _is_built(case: Case, config: Mapping[str, Any]) -> bool:
    try:
        case.builder.shapes(case.kind, case.builder.config(case.kind, config))
    except Refusal:
        return False
    return True


def measure(what: str, path: Path, part: int, number: int) -> None:
    """Writes the rows of the types that have none in the file."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    builder = Builder()
    builder.torch.set_num_threads(1)
    builder.transformers.logging.set_verbosity_error()
    written = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    done = {json.loads(line)[2] for line in written}
    with path.open("a", encoding="utf-8") as file:
        for model_type in [one for one in oracle_types() if one in builder.types][part::number]:
            if model_type in done:
                continue
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                rows = [*_rows(what, builder, model_type)]
            file.write(f"{json.dumps([builder.major, what, model_type, rows])}\n")
            file.flush()


def _rows(what: str, builder: Builder, model_type: str) -> Iterator[Row]:
    """The rows of a type: of the settings also those of the types of its parts, behind their name."""
    if what == NULLS:
        yield from of_nulls(builder, model_type)
        return
    if what == OF_OLDER:
        yield from beside_backbone(model_type)
    probe = Probe(model_type)
    if not probe.builds(probe.config):
        return
    if what in (PARTS, OF_OLDER):
        yield from of_parts(probe, model_type) if what == PARTS else of_older(probe, model_type)
        return
    yield from of_layers(probe, model_type)
    for path, kind in parts(probe.config):
        if kind not in builder.types:
            yield from ([*row, kind] for row in of_layers(PartProbe(probe, path), kind))


def merge(paths: list[Path]) -> None:
    """Adds the rows of files to the table."""
    stored, rules = (json.loads(one.read_text(encoding="utf-8")) for one in (RULES, CONFIG_RULES))
    lines = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    for major, what, model_type, rows in lines:
        types = {model_type, *(row[2] for row in rows if what == LAYERS and len(row) > 2)}
        for table in TABLES[what]:
            for key, names in stored[major].setdefault(table, {}).items():
                if table != "activations" or "." in key:
                    kept = (one for one in names.split() if one.partition("/")[0] not in types)
                    stored[major][table][key] = " ".join(kept)
        if what == OF_OLDER and model_type in rules:
            rules[model_type][OF_OLDER] = [key for table, key in rows if table == OF_OLDER]
        for table, key, *more in [row for row in rows if row[0] != OF_OLDER]:
            named = (
                more[0] if more and what == LAYERS else f"{model_type}/{more[0]}" if more and more[0] else model_type
            )
            names = stored[major][table].get(key, "").split()
            stored[major][table][key] = " ".join(sorted({*names, named}))
    written = [table for listed in TABLES.values() for table in listed]
    for major, tables in stored.items():
        left = {name: {key: names for key, names in tables.get(name, {}).items() if names} for name in written}
        stored[major] = {**tables, **left}
    RULES.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    kinds = {name: {key: one for key, one in listed.items() if one} for name, listed in rules.items()}
    texts = [f"{json.dumps(name)}: {json.dumps(listed)}" for name, listed in sorted(kinds.items())]
    CONFIG_RULES.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "merge":
        merge([Path(one) for one in sys.argv[2:]])
    else:
        measure(sys.argv[2], Path(sys.argv[3]), *map(int, sys.argv[4:6] or (0, 1)))
