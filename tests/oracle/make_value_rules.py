"""Make `inspector/architectures/value_rules.json`: config values that affect no shape and that transformers refuses.

Needs torch and transformers; run in an environment of each major version (`tests/oracle/make_loads.py` has them):

    five/bin/python -m tests.oracle.make_value_rules [MODEL_TYPE ...]
    four/bin/python -m tests.oracle.make_value_rules [MODEL_TYPE ...]
    five/bin/python -m tests.oracle.make_value_rules rotary
    four/bin/python -m tests.oracle.make_value_rules newer

`rotary` replaces only the settings of rotary embeddings: those of configs within others, and of types without them.
`newer` adds the names that only transformers 5 has for a key to `replaced`, for all types.

The model of the first record of each type is built on the meta device from its config with another value: settings
of rotary embeddings without one of their keys or of a type that does not exist, an activation that does not exist or
is null, a negative number of heads. Each run replaces the part of its version, or of this the given types:

    rope         key -> [types of rotary embeddings and the keys that each needs, "-" where the config class refuses
                 it with all of them, and "*" where types that do not exist are accepted; model types]
    activations  key -> model types that look up its value among the activations
    nulls        key -> model types that refuse null in its place
    theta        key -> model types that refuse null and a text as the base of the angles: `rope_parameters` for the one
                 within, `rope_theta` for the one in the config itself
    texts        key -> model types that take a text for a number in the settings of rotary embeddings
    untyped      key -> model types that take settings of rotary embeddings without a type (transformers 4)
    empty        key -> model types that refuse an empty object in its place
    unread       key -> model types that take what is no object in its place (transformers 4)
    odd          key -> model types that refuse an odd number that is rotated as a whole
    even         key -> model types that refuse an odd number in a list of even ones
    layers       type of layers -> model types that refuse settings of rotary embeddings without it, where they have it
    flat         key -> model types that refuse the same settings for all layers
    head_dim     type of rotary embeddings -> model types that refuse it with a null head_dim, and accept either alone
    heads        key -> model types that refuse a negative number
    unpruned     `pruned_heads` -> model types whose code removes no heads (transformers 4, which calls it for others)
    replaced     switch, `id2label`, or the name that transformers 5 has for another key -> model types whose config
                 class sets it by itself, or does not read it (transformers 4)
    parts        key of the config of a part -> model types that refuse a model type in it that does not exist
    typed        key of the config of a part -> model types that refuse it without a model type
    null_types   key of the config of a part -> model types that refuse null as its model type (transformers 4)
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import json
import re
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.backbone_stages import NAMES
from inspector.architectures.config_types import LETTERS, types_of
from inspector.architectures.defaults import defaults_of, known_types
from inspector.architectures.value_rules import PRUNED
from tests.judged import base_record, judged, oracle_types, spec_of
from tests.oracle.make_config_rules import _builds
from tests.oracle.value_cases import changed, parts

RULES = Path(__file__).parents[2] / "inspector" / "architectures" / "value_rules.json"
ROTARY: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "linear": {"factor": 2.0},
    "dynamic": {"factor": 2.0},
    "yarn": {"factor": 2.0, "original_max_position_embeddings": 64},
    "llama3": {
        "factor": 2.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
    },
    "longrope": {
        "short_factor": [1.0], "long_factor": [1.0], "factor": 2.0, "original_max_position_embeddings": 64,
    },
    "proportional": {"partial_rotary_factor": 0.5},
    "su": {"short_factor": [1.0], "long_factor": [1.0], "original_max_position_embeddings": 64},
    "mrope": {"mrope_section": [1, 1, 2]},
}  # fmt: skip
"""Types of rotary embeddings with all keys that any version needs, apart from the base."""
NUMBERS = ("linear", "dynamic", "yarn", "llama3")
"""Types whose keys are single numbers: a config class that refuses one of these accepts it with no other keys."""
NEVER, ANY = "-", "*"
HEADS = re.compile(r".*(heads?|head_dim)")
NO_TYPE, NO_ACTIVATION = "no_such_type", "no_such_activation"
UNPROBED = frozenset(
    {"model_type", "architectures", "transformers_version", "dtype", "torch_dtype", "rope_theta", NAMES}
)
"""Keys that name the model, its writer or its dtype, and those that `theta` and other rules have."""
HEAD_DIM, ODD, TYPE = "head_dim", 31, "model_type"
TIE, LABELS, LABELS_NUMBER = "tie_word_embeddings", "id2label", "num_labels"
ROPE_KEYS = ("rope_parameters", "rope_scaling")


def another(value: Any) -> Any:
    """The next number, or a list without its first entry; None for other values."""
    return value + 1 if type(value) is int else value[1:] if isinstance(value, list) and len(value) > 1 else None


class Probe:
    """The configs of one model type, and whether a model is built from them."""

    def __init__(self, model_type: str) -> None:
        record = base_record(model_type)
        self.class_name = record["class"]
        self.config = {**(record["config"] or {}), "model_type": model_type}
        self.stated = self.config.get(ROPE_KEYS[0]) or self.rotary_of_class() or {}
        self.layers = [name for name, one in self.stated.items() if isinstance(one, dict)]

    def rotary_of_class(self) -> Mapping[str, Any] | None:
        """The settings of rotary embeddings that the config class derives from the record (older ones have others)."""
        mapping = importlib.import_module("transformers").models.auto.configuration_auto.CONFIG_MAPPING
        with contextlib.suppress(Exception):  # the config class refuses the record or is absent
            made = mapping[self.config["model_type"]].from_dict(copy.deepcopy(self.config))
            found: Mapping[str, Any] | None = getattr(made, ROPE_KEYS[0], None)
            return found
        return None

    def builds(self, config: Mapping[str, Any]) -> bool:
        """Whether a model is built from another config."""
        return _builds(self.class_name, config)

    def by_layer(self, key: str, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Settings of rotary embeddings as in the config: one per layer type, or one for all."""
        by_type = self.layers and key == ROPE_KEYS[0]
        return dict.fromkeys(self.layers, settings) if by_type else settings

    def refuses(self, key: str, value: Any) -> bool:
        """Whether no model is built with another value of a key."""
        rest = {name: one for name, one in self.config.items() if key not in ROPE_KEYS or name not in ROPE_KEYS}
        return not self.builds({**rest, key: value})

    def rotary(self, key: str) -> Mapping[str, str] | None:
        """Type -> the keys that it needs, of the types that are accepted; None where any type is."""
        base = {"rope_theta": 10000.0} if key == ROPE_KEYS[0] else {}
        if not self.refuses(key, self.by_layer(key, {**base, "rope_type": NO_TYPE, "factor": 2.0})):
            return self.checked(key)
        found: dict[str, str] = {}
        for kind, needed in ROTARY.items():
            whole = {**base, "rope_type": kind, **needed}
            if not self.refuses(key, self.by_layer(key, whole)):
                without = ({name: one for name, one in whole.items() if name != left} for left in needed)
                refused = [
                    left for left, rest in zip(needed, without, strict=True)
                    if self.refuses(key, self.by_layer(key, rest))
                ]  # fmt: skip
                found[kind] = " ".join(refused)
            elif kind in NUMBERS and self.config_refuses(key, self.by_layer(key, whole)):
                found[kind] = NEVER
        return found

    def checked(self, key: str) -> Mapping[str, str] | None:
        """Type -> the keys that the config class requires, for a model that does not read them; None if there are none.

        Only transformers 5 checks them in any config.
        """
        base = {"rope_theta": 10000.0} if key == ROPE_KEYS[0] else {}
        found: dict[str, str] = {}
        for kind, needed in ROTARY.items():
            whole = {**base, "rope_type": kind, **needed}
            without = {left: {name: one for name, one in whole.items() if name != left} for left in needed}
            refused = [left for left, rest in without.items() if self.config_refuses(key, rest)]
            if refused:
                found[kind] = NEVER if self.config_refuses(key, whole) else " ".join(refused)
        return {**found, ANY: ""} if found else None

    def untyped(self, key: str) -> Iterator[str]:
        """The key of settings of which the type may be absent."""
        kinds = (ROTARY[kind] for kind in ("linear", "llama3"))
        if key == ROPE_KEYS[0] or self.rotary(key) is None:
            return
        if not all(self.refuses(key, needed) for needed in kinds):
            yield key

    def replaced(self) -> Iterator[str]:
        """Switches, numbers, lists, and the names of labels, that the config class sets itself.

        Ties belong to the model class. A number or a list counts where the definition computes it like the class.
        """
        mapping = importlib.import_module("transformers").models.auto.configuration_auto.CONFIG_MAPPING
        kind = mapping[self.config["model_type"]]
        for key, value in self.config.items():
            if isinstance(value, bool) and key != TIE:
                with contextlib.suppress(Exception):  # of a config class that refuses it
                    if getattr(kind.from_dict(copy.deepcopy({**self.config, key: not value})), key, None) is value:
                        yield key
        for key, value in self.config.items():
            other = another(value)
            if other is not None and key != LABELS_NUMBER and self._is_set(kind, key, other) and self._is_computed(key):
                yield key
        parts = any(isinstance(one, dict) and "model_type" in one for one in self.config.values())
        labels = {LABELS: {"0": "a", "1": "b", "2": "c"}}
        if not parts and kind.from_dict(copy.deepcopy({**self.config, **labels})).num_labels != len(labels[LABELS]):
            yield LABELS
        yield from newer_names(self.config["model_type"], kind)

    def _is_set(self, kind: Any, key: str, value: Any) -> bool:
        """Whether a config class replaces a value."""
        with contextlib.suppress(Exception):  # of a config class that refuses it
            return bool(getattr(kind.from_dict(copy.deepcopy({**self.config, key: value})), key, None) != value)
        return False

    def _is_computed(self, key: str) -> bool:
        """Whether the tensors of the record are those of the config without a key, and not those with another one."""
        named = {**self.config, "architectures": [self.class_name]}
        rest, other = {name: one for name, one in named.items() if name != key}, {**named, key: another(named[key])}
        spec = spec_of(base_record(self.config["model_type"]))
        return [judged(spec, one).verdict == "clean" for one in (rest, other)] == [True, False]

    def theta(self) -> Iterator[str]:
        """The keys below which a base of the angles that is null or a text is refused, and a number is not."""
        bare = {name: one for name, one in self.config.items() if name not in (*ROPE_KEYS, "rope_theta")}
        for key in (ROPE_KEYS[0], "rope_theta"):
            places = [
                {key: one if key == "rope_theta" else self.by_layer(key, {"rope_type": "default", "rope_theta": one})}
                for one in (10000.0, None, "10000.0")
            ]
            built = [self.builds({**bare, **place}) for place in places]
            if built == [True, False, False]:
                yield key

    def takes_text(self, key: str, rule: Mapping[str, str]) -> bool:
        """Whether a text is accepted as the factor of every type that needs one."""
        base = {"rope_theta": 10000.0} if key == ROPE_KEYS[0] else {}
        kinds = [kind for kind in NUMBERS if "factor" in rule.get(kind, "").split()]
        texts = ({**base, "rope_type": kind, **ROTARY[kind], "factor": "2.0"} for kind in kinds)
        return bool(kinds) and not any(self.refuses(key, self.by_layer(key, one)) for one in texts)

    def empty(self) -> Iterator[str]:
        """Keys of settings that must not be empty."""
        for key in ROPE_KEYS:
            if self.refuses(key, {}) and not self.refuses(key, self.config.get(key)):
                yield key

    def unread(self, key: str) -> Iterator[str]:
        """The key of settings of which only an object is read."""
        if self.rotary(key) is not None and not self.refuses(key, NO_TYPE):
            yield key

    def odd(self) -> Iterator[str]:
        """The width of a head, where the config class refuses an odd one that is rotated as a whole."""
        if self.config_refuses(HEAD_DIM, ODD) and not self.config_refuses(HEAD_DIM, ODD + 1):
            yield HEAD_DIM

    def even(self) -> Iterator[str]:
        """Keys of lists of even numbers, each of which must not be odd."""
        for key, value in self.config.items():
            if isinstance(value, list) and value and all(type(one) is int and one % 2 == 0 for one in value):
                lists = {more: [[*value[:-1], value[-1] + more], [value[0] + more, *value[1:]]] for more in (1, 2)}
                refused = {more: [self.refuses(key, one) for one in listed] for more, listed in lists.items()}
                if all(refused[1]) and not any(refused[2]):
                    yield key

    def settings_of_layers(self) -> Iterator[str]:
        """Types of layers of which the settings must not be absent, where each layer type has its own."""
        for layer in self.layers:
            if self.refuses(ROPE_KEYS[0], {name: one for name, one in self.stated.items() if name != layer}):
                yield layer

    def flat(self) -> Iterator[str]:
        """The key of settings that may not be the same for all layers, where each layer type has its own."""
        if self.layers and self.refuses(ROPE_KEYS[0], {"rope_theta": 10000.0, "rope_type": "default"}):
            yield ROPE_KEYS[0]

    def whole(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """The config of the model in which the probed config is."""
        return config

    def config_refuses(self, key: str, value: Any) -> bool:
        """Whether already the config class refuses a value."""
        auto = importlib.import_module("transformers").AutoConfig
        rest = {name: one for name, one in self.config.items() if name not in ROPE_KEYS}
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "config.json").write_text(json.dumps(self.whole({**rest, key: value})), encoding="utf-8")
            try:
                auto.from_pretrained(place)
            except Exception:
                return True
        return False

    def activations(self, known: frozenset[str]) -> Iterator[str]:
        """The keys of which the value is looked up among the activations."""
        defaults: dict[str, Any] = {}
        with contextlib.suppress(Exception):  # some cannot be built without the configs of their parts
            auto = importlib.import_module("transformers").AutoConfig
            defaults = auto.for_model(self.config["model_type"]).to_dict()
        for key, value in {**defaults, **self.config}.items():
            if isinstance(value, str) and value in known and self.refuses(key, NO_ACTIVATION):
                yield key

    def nulls(self) -> Iterator[tuple[str, str, bool]]:
        """(model type of the config or of one within it, key, whether null is refused in its place)."""
        for key, value in self.config.items():
            if value is not None and key not in UNPROBED:
                yield self.config["model_type"], key, self.refuses(key, None)
            for inner, own in value.items() if isinstance(value, dict) and value.get("model_type") else ():
                if own is not None and inner not in UNPROBED:
                    yield value["model_type"], inner, self.refuses(key, {**value, inner: None})

    def without_head_dim(self, key: str) -> Iterator[str]:
        """The types of rotary embeddings that compute with `head_dim`."""
        base = {"rope_theta": 10000.0} if key == ROPE_KEYS[0] else {}
        bare = {name: one for name, one in self.config.items() if name not in ROPE_KEYS}
        if not _builds(self.class_name, {**bare, "head_dim": None}):
            return
        for kind, needed in ROTARY.items():
            whole = {**bare, key: self.by_layer(key, {**base, "rope_type": kind, **needed})}
            with_null = {**whole, "head_dim": None}
            if _builds(self.class_name, whole) and not _builds(self.class_name, with_null):
                yield kind

    def parts(self) -> Iterator[str]:
        """Keys of configs of parts whose class follows from the model type that they state."""
        for key, value in self.config.items():
            if isinstance(value, dict) and TYPE in value and self.refuses(key, {**value, TYPE: NO_TYPE}):
                yield key
        yield from self.unchosen({TYPE: NO_TYPE})

    def unchosen(self, value: Mapping[str, Any]) -> Iterator[str]:
        """Keys of configs of parts that the record lacks, and that refuse a value."""
        types = types_of(str(self.config[TYPE]))
        for key, kind in types.inner.items() if types is not None else ():
            if not kind and not isinstance(self.config.get(key), dict) and self.refuses(key, value):
                yield key

    def typed(self) -> Iterator[str]:
        """Keys of configs of parts that must state their model type."""
        for key, value in self.config.items():
            untyped = {name: one for name, one in value.items() if name != TYPE} if isinstance(value, dict) else {}
            if isinstance(value, dict) and TYPE in value and self.refuses(key, untyped):
                yield key
        yield from self.unchosen({})

    def null_types(self) -> Iterator[str]:
        """Keys of configs of parts whose model type must not be null."""
        for key, value in self.config.items():
            if isinstance(value, dict) and TYPE in value and self.refuses(key, {**value, TYPE: None}):
                yield key

    def unpruned(self, major: str) -> Iterator[str]:
        """The key of heads to remove, where the code of the class has nothing that removes them."""
        module = inspect.getmodule(getattr(importlib.import_module("transformers"), self.class_name))
        if major == "4" and module is not None and "_prune_heads" not in inspect.getsource(module):
            yield PRUNED

    def heads(self) -> Iterator[str]:
        """Keys of a number of heads that must not be negative."""
        for key, value in self.config.items():
            if HEADS.fullmatch(key) and type(value) is int and value and self.refuses(key, -value):
                yield key


class PartProbe(Probe):
    """A config within that of a model type."""

    def __init__(self, outer: Probe, path: tuple[str, ...]) -> None:
        self.outer, self.path = outer, path
        self.class_name = outer.class_name
        self.config = outer.config
        for key in path:
            self.config = self.config[key]
        self.stated = self.config.get(ROPE_KEYS[0]) or self.rotary_of_class() or {}
        self.layers = [name for name, one in self.stated.items() if isinstance(one, dict)]

    def builds(self, config: Mapping[str, Any]) -> bool:
        """Whether a model is built with another config of the part."""
        return self.outer.builds(self.whole(config))

    def whole(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """The config of the model with another one of the part."""
        return changed(self.outer.config, self.path, config)


@contextlib.contextmanager
def without_initialization() -> Iterator[None]:
    """Build models as loading does, without drawing weights, which is the only use of keys such as a deviation."""
    model = importlib.import_module("transformers").PreTrainedModel
    drawn = model.init_weights
    model.init_weights = lambda self, *arguments, **named: None
    try:
        yield
    finally:
        model.init_weights = drawn


def refused_nulls(probes: Iterable[Probe], typed: bool) -> dict[str, str]:
    """Key -> the model types that refuse null, in every config with a part of the type.

    typed: without those whose config class declares that the key is not null, which `config_types.jsonl` has.
    """
    found: dict[tuple[str, str], bool] = {}
    with without_initialization():
        for probe in probes:
            for model_type, key, refused in probe.nulls():
                found[model_type, key] = found.get((model_type, key), True) and refused
    nulls: dict[str, list[str]] = {}
    for (model_type, key), refused in sorted(found.items()):
        if refused and not (typed and _is_declared(model_type, key)):
            nulls.setdefault(key, []).append(model_type)
    return {key: " ".join(names) for key, names in sorted(nulls.items())}


def _is_declared(model_type: str, key: str) -> bool:
    types = types_of(model_type)
    accepted = "" if types is None else types.fields.get(key, "")
    return bool(accepted) and LETTERS[type(None)] not in accepted


Groups = list[tuple[Mapping[str, str], list[str]]]
BY_KEY = (
    "activations",
    "empty",
    "unread",
    "flat",
    "layers",
    "odd",
    "even",
    "theta",
    "texts",
    "head_dim",
    "parts",
    "typed",
    "null_types",
    "heads",
    "unpruned",
    "untyped",
    "replaced",
)
"""Tables of key -> model types."""


class Rules:
    """The tables of a version. kept: those of other types."""

    def __init__(self, table: Mapping[str, Any], types: Collection[str]) -> None:
        def others(names: str) -> list[str]:
            return [name for name in names.split() if name not in types]

        self.rope: dict[str, Groups] = {
            key: [(one, left) for one, names in table.get("rope", {}).get(key, ()) if (left := others(names))]
            for key in ROPE_KEYS
        }
        self.by_key = {
            name: {key: others(names) for key, names in table.get(name, {}).items()} for name in (*BY_KEY, "nulls")
        }

    def add(self, name: str, key: str, model_type: str) -> None:
        """Add a model type to a table."""
        self.by_key[name].setdefault(key, []).append(model_type)

    def add_rotary(self, key: str, found: Mapping[str, str], model_type: str) -> None:
        """Add a model type to those that accept the same types of rotary embeddings."""
        alike = next((names for one, names in self.rope[key] if one == found), None)
        if alike is None:
            self.rope[key].append((found, [model_type]))
        else:
            alike.append(model_type)

    def written(self) -> dict[str, Any]:
        """The tables as they are stored."""
        rope = {key: [[one, " ".join(sorted(names))] for one, names in groups] for key, groups in self.rope.items()}
        by_key = {
            name: {key: " ".join(sorted(names)) for key, names in sorted(listed.items()) if names}
            for name, listed in self.by_key.items()
        }
        return {"rope": rope, **by_key}


def add_settings(rules: Rules, probe: Probe, model_type: str) -> None:
    """Add the values that a model type refuses in the settings of rotary embeddings."""
    for key in ROPE_KEYS:
        found = probe.rotary(key)
        if found is not None:
            if ANY not in found and probe.takes_text(key, found):
                rules.add("texts", key, model_type)
            rules.add_rotary(key, found, model_type)
    for name, keys in (
        ("theta", probe.theta()),
        ("empty", probe.empty()),
        ("layers", probe.settings_of_layers()),
        ("flat", probe.flat()),
        ("odd", probe.odd()),
    ):
        for key in keys:
            rules.add(name, key, model_type)


def add_type(rules: Rules, probe: Probe, model_type: str, major: str, known: frozenset[str]) -> None:
    """Add the values that a model type refuses, apart from null."""
    add_settings(rules, probe, model_type)
    for name, keys in (
        ("activations", probe.activations(known)),
        ("head_dim", probe.without_head_dim(ROPE_KEYS[major == "4"])),
        ("heads", probe.heads()),
        ("unpruned", probe.unpruned(major)),
        ("untyped", probe.untyped(ROPE_KEYS[major == "4"])),
        ("unread", probe.unread(ROPE_KEYS[1]) if major == "4" else ()),
        ("replaced", probe.replaced() if major == "4" else ()),
        ("parts", probe.parts()),
        ("typed", probe.typed()),
        ("null_types", probe.null_types() if major == "4" else ()),
        ("even", probe.even()),
    ):
        for key in keys:
            rules.add(name, key, model_type)


def newer_names(model_type: str, kind: Any) -> Iterator[str]:
    """The names that versions have for one key and that a config class does not read."""
    known = defaults_of(model_type)
    read = {*inspect.signature(kind.__init__).parameters, *kind.attribute_map, *kind.attribute_map.values()}
    for pair in known.aliases.items() if known is not None else ():
        if not read.isdisjoint(pair):
            yield from (name for name in pair if name not in read and not _takes(kind, name, pair))


def _takes(kind: Any, name: str, pair: Collection[str]) -> bool:
    """Whether a config class takes a key under this name, though it is no parameter of it."""
    with contextlib.suppress(Exception):  # of a class that refuses the number
        made = kind.from_dict({name: ODD})
        return any(getattr(made, one, None) == ODD for one in pair if one != name)
    return False


def with_newer_names(table: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a version with the names of keys that its config classes do not read."""
    replaced = {key: set(names.split()) for key, names in table["replaced"].items()}
    for name in known_types():
        with contextlib.suppress(KeyError):  # a type that this version does not have
            for key in newer_names(name, types[name]):
                replaced.setdefault(key, set()).add(name)
    return {**table, "replaced": {key: " ".join(sorted(names)) for key, names in sorted(replaced.items())}}


def rotary_only(table: Mapping[str, Any], types: Collection[str]) -> dict[str, Any]:
    """The tables of a version with the settings of rotary embeddings measured for configs within configs, and for
    types that take any; what may be empty is measured for all."""
    named = [name for name in oracle_types() if name in types]
    ruled = {key: " ".join(names for _, names in table["rope"][key]).split() for key in ROPE_KEYS}
    probes: dict[str, Probe] = {}
    alone: set[str] = set()  # types that have their own model
    inner: dict[str, Probe] = {}
    empty: dict[str, list[str]] = {}
    odd: list[str] = []
    for name in named:
        outer = Probe(name)
        if not outer.builds(outer.config):
            continue
        alone.add(name)
        if all(name not in ruled[key] for key in ROPE_KEYS):
            probes[name] = outer
        else:
            for key in outer.empty():
                empty.setdefault(key, []).append(name)
            odd.extend(name for _ in outer.odd())
        for path, kind in parts(outer.config):
            inner.setdefault(kind, PartProbe(outer, path))
        print(name, flush=True)
    probes |= {kind: probe for kind, probe in inner.items() if kind not in alone}
    rules = Rules(table, list(probes))
    rules.by_key |= {"empty": empty, "odd": {HEAD_DIM: odd}}
    for kind, probe in probes.items():
        add_settings(rules, probe, kind)
        print(kind, flush=True)
    written = rules.written()
    return {**table, **{key: written[key] for key in ("rope", "texts", "theta", "empty", "layers", "flat", "odd")}}


def main() -> None:
    """Write the part of the version that is installed, of the given types or of all."""
    transformers = importlib.import_module("transformers")
    major = transformers.__version__.partition(".")[0]
    known = frozenset(importlib.import_module("transformers.activations").ACT2FN)
    types = transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES
    table = json.loads(RULES.read_text(encoding="utf-8")) if RULES.exists() else {}
    if sys.argv[1:] == ["rotary"]:
        table[major] = rotary_only(table[major], types)
        RULES.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    if sys.argv[1:] == ["newer"]:
        table[major] = with_newer_names(table[major], transformers.models.auto.configuration_auto.CONFIG_MAPPING)
        RULES.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    named = sys.argv[1:] or list(oracle_types())
    rules = Rules(table.get(major, {}), named)
    probes: list[Probe] = []
    for model_type in named:
        probe = Probe(model_type)
        if model_type in types and _builds(probe.class_name, probe.config):
            add_type(rules, probe, model_type, major, known)
            probes.append(probe)
            print(model_type, flush=True)
    for key, names in refused_nulls(probes, major == "5").items():
        for name in names.split():
            if name not in rules.by_key["nulls"].get(key, ()):
                rules.add("nulls", key, name)
    table[major] = {**table.get(major, {}), **rules.written()}  # other scripts measure further parts
    RULES.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(major, {name: len(listed) for name, listed in rules.by_key.items()})


if __name__ == "__main__":
    main()
