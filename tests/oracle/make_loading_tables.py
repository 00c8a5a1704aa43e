"""Make `inspector/loading/classes.jsonl`: properties of transformers' classes that determine how names are matched.

Needs torch and transformers, in an environment of each major version (as `make_loads.py`), and for Dinat a module
`natten`, of which no function is called:

    five/bin/python -m tests.oracle.make_loading_tables collect five.json [MODEL_TYPE ...]
    four/bin/python -m tests.oracle.make_loading_tables collect four.json [MODEL_TYPE ...]
    python -m tests.oracle.make_loading_tables merge five.json four.json

`collect` builds each class of `fixtures/oracle` on the meta device, and loads a healthy file of each; with type
arguments only those, and the table keeps the lines of others. `merge` compares the tensors in memory with those of the
definition, under the renamings of the version, and records what the definition does not determine: which optional
tensors the model has, and classes whose tensors the definition does not give. The table is not edited by hand.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.algebra.names import key_of, name_of
from inspector.architectures.catalog import definition_of
from inspector.auditing.declared import TOKEN_IDS
from inspector.loader.layout import Layout, lay_out
from inspector.loading import tables
from inspector.loading.as_written import dialects_of
from inspector.loading.expected import alternatives, plan_of
from inspector.loading.memory import (
    Counted,
    Memory,
    NamesInMemory,
    match,
    memory_namer,
    memory_of,
    newest_namer,
    older_namer,
    written_namer,
)
from inspector.loading.tables import NEWEST, OLDER, ClassRules
from inspector.loading.templates import template
from inspector.loading.ties import first_name
from inspector.matcher.families import Families, families_of
from inspector.matcher.spelling import spellings
from inspector.notation.binding import Plan, bind
from inspector.notation.spelling import Spelling
from tests.judged import oracle_types, records, spec_of
from tests.loads.damage import healthy
from tests.oracle.make_loads import loaded

TABLE = Path(tables.__file__).with_name("classes.jsonl")
KINDS = {
    "WeightRenaming": "rename",
    "PrefixChange": "rename",
    "GroupWeightRename": "group",
    "Inkling2IndexOffsetWeightRename": "offset",
    "WeightConverter": "convert",
}
TIE = "tie_word_embeddings"
SECONDS = 60
SPELLINGS = 24
"""Maximum number of naming schemes of a definition to try."""


def base_records(major: str, types: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """One record without a switch for each class of some types, of this version where it has one."""
    for model_type in types:
        best: dict[str, dict[str, Any]] = {}
        for record in records(model_type):
            if record["variant"] or record.get("config") is None:
                continue
            own = record["writer"].split()[-1].startswith(major)
            if record["class"] not in best or own:
                best[record["class"]] = record
        yield from ((model_type, record) for record in best.values())


def collect(path: str, *named: str) -> None:
    """Write the properties of the classes of the given types, or of all, in this environment's transformers."""
    types = named or tuple(oracle_types())
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    transformers.logging.set_verbosity_error()
    version = transformers.__version__
    auto = importlib.import_module("transformers.models.auto.configuration_auto")
    models = importlib.import_module("transformers.models.auto.modeling_auto")
    recorded = {record["class"] for _, record in base_records(version[0], tuple(oracle_types()))}
    found: dict[str, Any] = {
        "version": ".".join(version.split(".")[:2]),
        "types": sorted(auto.CONFIG_MAPPING_NAMES),
        "bases": {key: name if isinstance(name, str) else name[0] for key, name in models.MODEL_MAPPING_NAMES.items()},
        "classes": sorted(name for name in {*dir(transformers), *recorded} if _is_model(transformers, name)),
        "class_types": {name: one for name in dir(transformers) if (one := _type_of(transformers, name))},
        "inner": sorted(_inner(Path(str(transformers.__file__)).parent / "models")),
        "token_ids": dict(_token_ids(auto)),
        "generating": sorted(name for name in dir(transformers) if _generates(transformers, name)),
        "named": named,
        "rules": {},
    }
    for model_type, record in base_records(version[0], types):
        kind = getattr(transformers, record["class"], None)
        if kind is None or not hasattr(kind, "from_pretrained"):
            continue
        signal.signal(signal.SIGALRM, _late)
        signal.alarm(SECONDS)
        with contextlib.suppress(Exception), tempfile.TemporaryDirectory() as place:
            values, file = {"model_type": model_type, **record["config"]}, Path(place) / "config.json"
            file.write_text(json.dumps(values), encoding="utf-8")
            model, own = _built(kind, place, torch, version[0])
            said = {"type": model_type, **_said(model, version[0])}
            if version[0] == OLDER:
                text = model.config.get_text_config(decoder=True)
                said["tie_of"] = next((key for key, value in vars(model.config).items() if value is text), "")
            said["pairs"] = _pairs(model, own, version[0])
            said["same"] = _pairs_of(_groups(own), own, own) if version[0] == OLDER else []
            if version[0] == OLDER:
                said["draws"] = sorted({key_of(name)[0] for name in _draws(model)})
                said["same"] += [one for one in _filled(model, torch, said["pairs"]) if one not in said["same"]]
            tried: list[list[list[str]]] = []
            for turned in _turned(values, not said["tied"]):
                file.write_text(json.dumps(turned), encoding="utf-8")
                # a class that ties nothing, or a config that refuses the key; some classes ignore the config
                with contextlib.suppress(Exception):
                    tried.append(_pairs(*_built(kind, place, torch, version[0]), version[0]))
                    if bool(tried[-1]) is not said["tied"]:
                        break
            pairs = next((one for one in tried if bool(one) is not said["tied"]), [*tried, []][0])
            said["always"], said["ties"] = (pairs, True) if said["tied"] else ([], bool(pairs))
            found["rules"][record["class"]] = said
        signal.alarm(0)
    found["healthy"] = list(_healthy_loads(transformers, types))
    found["ties"] = list(_tie_loads(transformers, types)) if version[0] == NEWEST else []
    Path(path).write_text(json.dumps(found), encoding="utf-8")


def _built(kind: Any, place: str, torch: Any, major: str) -> tuple[Any, dict[str, Any]]:
    """The model of a folder's config with its ties, as `from_pretrained` builds it, and its parameters before them.

    Version 4 gives each module separate parameters, even shared modules: only `tie_weights` ties them.
    """
    config = kind.config_class.from_pretrained(place)
    contexts = kind.get_init_context(False, False) if major == OLDER else [torch.device("meta")]
    with contextlib.ExitStack() as stack:
        for one in contexts:
            stack.enter_context(one)
        model = kind(config)
    own = dict(model.named_parameters(remove_duplicate=False))
    if major == OLDER:
        model.tie_weights()
    return model, own


def _healthy_loads(transformers: Any, types: Collection[str]) -> Iterator[dict[str, Any]]:
    """The loads of the files that each version saves for each class."""
    seen: set[tuple[str, str]] = set()
    for model_type, record in (*base_records(NEWEST, types), *base_records(OLDER, types)):
        known = hasattr(getattr(transformers, record["class"], None), "from_pretrained")
        if known and (record["class"], record["writer"]) not in seen:
            seen.add((record["class"], record["writer"]))
            config = {"model_type": model_type, **record["config"]}
            result = loaded(healthy(spec_of(record), config), record["class"])
            yield {"type": model_type, "class": record["class"], "writer": record["writer"], **result}


def _tie_loads(transformers: Any, types: Collection[str]) -> Iterator[dict[str, Any]]:
    """The loads of files whose config states a tie in a sub-config."""
    for model_type in types:
        for record in records(model_type):
            known = hasattr(getattr(transformers, record["class"], None), "from_pretrained")
            if known and f".{TIE}" in record["variant"] and record.get("config") is not None:
                config = {"model_type": model_type, **record["config"]}
                result = loaded(healthy(spec_of(record), config), record["class"])
                key = {name: record[name] for name in ("class", "writer", "variant")}
                yield {"type": model_type, **key, **result}


def _with_tie(values: Mapping[str, Any], tied: bool) -> dict[str, Any]:
    """A config with the tie turned on or off, in the sub-configs too."""
    inner = {key: _with_tie(value, tied) for key, value in values.items() if _is_config(value)}
    return {**values, **inner, TIE: tied}


def _turned(values: Mapping[str, Any], tied: bool) -> Iterator[dict[str, Any]]:
    """Configs with the tie turned on or off: everywhere, or in one part where another part cannot be tied."""
    yield _with_tie(values, tied)
    yield from ({**values, key: _with_tie(value, tied)} for key, value in values.items() if _is_config(value))


def _is_config(value: object) -> bool:
    return isinstance(value, dict) and "model_type" in value


def _pairs(model: Any, own: Mapping[str, Any], major: str) -> list[list[str]]:
    """Keys of the tensors that a model ties, each with that of its original. own: its parameters before that."""
    if major == NEWEST:
        pairs = model.all_tied_weights_keys.items()
        return [list(pair) for pair in sorted({(key_of(copy)[0], key_of(original)[0]) for copy, original in pairs})]
    utilities = importlib.import_module("transformers.modeling_utils")
    tied = dict(model.named_parameters(remove_duplicate=False))
    return _pairs_of(utilities.find_tied_parameters(model), own, tied)


def _filled(model: Any, torch: Any, pairs: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The pairs of tied tensors of which the copy alone fills the original (transformers 4): tied again after loading,
    it is the original that takes the parameter of the copy."""
    for copy, original in pairs:
        if "#" not in f"{copy}{original}" and copy != original:
            module = model.get_submodule(copy.rpartition(".")[0])
            before = module._parameters.get(name := copy.rpartition(".")[2])
            if before is not None:
                module._parameters[name] = torch.nn.Parameter(torch.zeros(before.shape, dtype=before.dtype))
                model.tie_weights()
                if not model.get_parameter(original).is_meta:
                    yield [copy, original]


def _draws(model: Any) -> Iterator[str]:
    """Parameters that a module initialises with numbers of another device, which fails before they are loaded."""
    for name, module in list(model.named_modules()):
        if not _fails(model, module):
            continue
        own = {key: one for key, one in module._parameters.items() if one is not None}
        filled = {key: type(one)(one.new_zeros(one.shape, device="cpu")) for key, one in own.items()}
        for key, one in own.items():
            module._parameters.update(filled | {key: one})
            if _fails(model, module):
                yield f"{name}.{key}"
        module._parameters.update(own)


def _fails(model: Any, module: Any) -> bool:
    """Whether a module cannot be initialised."""
    try:
        model._init_weights(module)
    except RuntimeError as error:
        return "set_data" in str(error)
    except Exception:  # of a part that its own class initialises
        return False
    return False


def _groups(parameters: Mapping[str, Any]) -> list[list[str]]:
    """The names of the parameters that are one: those of a module that is used in several places."""
    groups: dict[int, list[str]] = {}
    for name, one in parameters.items():
        groups.setdefault(id(one), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def _pairs_of(groups: Sequence[Sequence[str]], own: Mapping[str, Any], tied: Mapping[str, Any]) -> list[list[str]]:
    """Keys of the tensors of each group, each with that of its original: the one that has kept its own parameter.

    Their names where not all tensors of a key are tied, but not where they are tied to others of their key: which ones
    depends on the config.
    """
    pairs: list[tuple[str, str]] = []
    for group in map(sorted, groups):
        original = next((name for name in group if own.get(name) is tied.get(name)), group[0])
        pairs.extend((other, original) for other in group if other != original)
    numbers, copies = Counter(key_of(name)[0] for name in own), Counter(key_of(copy)[0] for copy, _ in pairs)
    found: set[tuple[str, str]] = set()
    for copy, original in pairs:
        keys = key_of(copy)[0], key_of(original)[0]
        whole = keys[0] == keys[1] or copies[keys[0]] == numbers[keys[0]]
        found.add(keys if whole else (copy, original))
    return [list(pair) for pair in sorted(found)]


def _late(*_: object) -> None:
    raise TimeoutError


def _is_model(transformers: Any, name: str) -> bool:
    with contextlib.suppress(Exception):
        kind = getattr(transformers, name)
        return hasattr(kind, "base_model_prefix") and hasattr(kind, "from_pretrained")
    return False


def _inner(models: Path) -> Iterator[str]:
    """Names of the model classes in all modules."""
    for path in sorted(models.glob("*/modeling_*.py")):
        for name, bases in re.findall(r"^class (\w+)\(([^)]*)\)", path.read_text(encoding="utf-8"), re.MULTILINE):
            if re.search(r"PreTrainedModel|Model\b|GenerationMixin", bases):
                yield name


def _token_ids(auto: Any) -> Iterator[tuple[str, list[int]]]:
    """The positive token ids in the default config of each model type."""
    for model_type in auto.CONFIG_MAPPING_NAMES:
        with contextlib.suppress(Exception):
            ids = sorted({one for one in _ids_in(auto.CONFIG_MAPPING[model_type]().to_dict()) if one > 0})
            if ids:
                yield model_type, ids


def _ids_in(values: Mapping[Any, Any]) -> Iterator[int]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _ids_in(value)
        elif isinstance(key, str) and key.endswith(TOKEN_IDS):
            yield from (one for one in (value if isinstance(value, list) else [value]) if type(one) is int)


def _type_of(transformers: Any, name: str) -> str:
    with contextlib.suppress(Exception):
        return str(getattr(transformers, name).config_class.model_type)
    return ""


def _generates(transformers: Any, name: str) -> bool:
    with contextlib.suppress(Exception):
        return name != "GenerationMixin" and issubclass(getattr(transformers, name), transformers.GenerationMixin)
    return False


def _texts(patterns: Any) -> list[str]:
    return sorted(getattr(one, "pattern", one) for one in patterns or ())


def _said(model: Any, major: str) -> dict[str, Any]:
    prefix = model.base_model_prefix or ""
    state = sorted(model.state_dict())
    said: dict[str, Any] = {
        "prefix": prefix,
        "within": bool(prefix) and hasattr(model, prefix),
        "missing": _texts(model._keys_to_ignore_on_load_missing),
        "unexpected": _texts(model._keys_to_ignore_on_load_unexpected),
        "state": state,
        "buffers": sorted({name for name, _ in model.named_buffers()} - set(state)),
    }
    if any(name.endswith("rotary_emb.inv_freq") for name, _ in model.named_buffers()):
        said["unexpected"] += [r"rotary_emb\.inv_freq"]  # of every version: the buffer was moved out of the layers
    if major == NEWEST:
        mapping = importlib.import_module("transformers.conversion_mapping").get_model_conversion_mapping(model)
        said["tied"] = bool(model.all_tied_weights_keys)
        said["transforms"] = [_transform(one) for one in mapping]
        ends = {name.rpartition(".")[2] for name, _ in model.named_buffers()}
        said["unexpected"] += [r"(^|\.)position_ids$"] * any(end.endswith("position_ids") for end in ends)
        said["buffers"] = []
        return said
    utilities = importlib.import_module("transformers.modeling_utils")
    said["tied"] = bool(utilities.find_tied_parameters(model))
    names = [one.__name__.lower() for one in type(model).__mro__[:-1]]
    towers = any(allowed in name for name in names for allowed in utilities.VLMS)
    said["mapping"] = (model._checkpoint_conversion_mapping or {}) if towers else {}
    return said


def _transform(one: Any) -> list[Any]:
    kind = KINDS[type(one).__name__]
    base = one.base_model_prefix or ""
    offset = getattr(one, "offset", 0)
    return [kind, one.compiled_sources.pattern, list(one.target_patterns), one.scope_prefix, base, offset]


def merge(newest: str, older: str) -> None:
    """Write the table from the results of both versions."""
    said = {major: json.loads(Path(path).read_bytes()) for major, path in ((NEWEST, newest), (OLDER, older))}
    named = said[NEWEST]["named"]
    types, kept = named or tuple(oracle_types()), _others(said) if named else []
    before = tables._line("transforms")["transforms"] if named else []
    listed = {json.dumps(one): number for number, one in enumerate(before)}
    for one in said[NEWEST]["rules"].values():
        one["transforms"] = [listed.setdefault(json.dumps(entry), len(listed)) for entry in one["transforms"]]
    head = {
        "versions": {major: one["version"] for major, one in said.items()},
        "types": {major: one["types"] for major, one in said.items()},
    }
    names: dict[str, Any] = {"names": {major: one["classes"] for major, one in said.items()}}
    names["bases"] = {major: one["bases"] for major, one in said.items()}
    names["generating"] = said[NEWEST]["generating"]
    names["inner"] = sorted({*said[NEWEST]["inner"]}.difference(*(one["classes"] for one in said.values())))
    names["types"] = {}
    transforms = {"transforms": [json.loads(text) for text in listed]}
    ids: dict[str, set[int]] = {}
    for one in said.values():
        for model_type, found in one["token_ids"].items():
            ids.setdefault(model_type, set()).update(found)
    tokens = {"token_ids": {model_type: sorted(found) for model_type, found in sorted(ids.items())}}
    first = [json.dumps(line, separators=(",", ":")) for line in (head, transforms, names, tokens)]
    TABLE.write_text("\n".join([*first, *kept, ""]), encoding="utf-8")
    for cached in (tables._table, tables.shared, tables.transforms_of, tables._types, tables.names_of):
        cached.cache_clear()
    said_types = said[NEWEST]["class_types"]
    names["types"] = {name: one for name, one in sorted(said_types.items()) if tables.type_of_class(name) != one}
    first[2] = json.dumps(names, separators=(",", ":"))
    firsts = {major: _first_of_each_class(one["healthy"]) for major, one in said.items()}
    altered = {major: dict(_of_healthy(major, loads, said[major]["healthy"])) for major, loads in firsts.items()}
    lines: dict[str, dict[str, Any]] = {}
    for major in (NEWEST, OLDER):
        for model_type, record in base_records(major, types):
            one = said[major]["rules"].get(record["class"])
            if one is not None and definition_of(model_type) is not None:
                before = lines.get(record["class"], {}).get(NEWEST, {})
                ties = [load for load in said[major]["ties"] if load["class"] == record["class"] and "counts" in load]
                one |= {"loads": ties, "unread": _is_unread(record, said[major]["healthy"])}
                entry = _entry(model_type, record, one, major, ClassRules(**_tuples(before)))
                lines.setdefault(record["class"], {})[major] = entry
        for name, entry in altered[major].items():
            lines.setdefault(name, {}).setdefault(major, {"exact": False}).update(entry)
        _drop_wrong(major, lines, firsts[major])
    for major in (NEWEST, OLDER):
        for model_type, record in base_records(major, types):
            _add_reads(model_type, record["class"], major, lines.get(record["class"], {}))
    text = [json.dumps({"class": name, **line}, separators=(",", ":")) for name, line in lines.items()]
    TABLE.write_text("\n".join([*first, *sorted([*kept, *text], key=_class_of), ""]), encoding="utf-8")
    open_ones = sorted(
        (major, name) for name, line in lines.items() for major in line if not line[major].get("exact", 1)
    )
    print(len(lines), "classes,", len(open_ones), "open", *(" ".join(one) for one in open_ones), sep="\n")


def _class_of(line: str) -> str:
    """The class of a line of the table, "" for the lines before those of classes."""
    name: str = json.loads(line).get("class", "")
    return name


def _others(said: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The lines of the table for classes of which nothing was collected."""
    collected = {name for one in said.values() for name in one["rules"]}
    collected.update(load["class"] for one in said.values() for load in one["healthy"])
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if (name := _class_of(line)) and name not in collected]


def _is_unread(record: Mapping[str, Any], loads: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a version refuses the shapes of a file that it saved itself: its config lacks what it was built from."""
    return any(
        (one["class"], one["writer"]) == (record["class"], record["writer"]) and "size mismatch" in one.get("error", "")
        for one in loads
    )


def _first_of_each_class(loads: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The load of one file of each class: that of the newest version that saves it."""
    return list({one["class"]: one for one in reversed(loads)}.values())


def _rounded_to(load: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """The dtype in which a tensor keeps its numbers that another dtype loses: that of the file of another version."""
    names = {one["writer"] for one in others if one["class"] == load["class"] and one["outcome"] == "complete"}
    stored = {
        one["writer"]: spec_of(one).get(load["altered"], ("",))[0]
        for one in records(load["type"])
        if one["class"] == load["class"] and not one["variant"]
    }
    kept = {stored.get(name, "") for name in names} - {stored.get(load["writer"], "")}
    return next(iter(kept), "")


def _of_healthy(
    major: str, loads: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Loads of undamaged files by a version: values that it changes, and configs of a newer version that it refuses.

    others: the loads of the files of every version.
    """
    for one in loads:
        if one["outcome"] == "altered":
            rounded = _rounded_to(one, others)
            yield one["class"], {"altered": one["altered"], **({"rounds": rounded} if rounded else {})}
        elif one["outcome"] == "random" and not one["counts"][0]:
            yield one["class"], {"unfilled": True}
        elif needed := re.search(r"not appear to have a file named (\S+?)\. ", one.get("error", "")):
            yield one["class"], {"needs": needed[1]}
        elif one["outcome"] == "refuses" and major == OLDER and not one["error"].startswith("ImportError"):
            yield one["class"], {"refuses": (one["error"].partition(": ")[2] or one["error"])[:80]}


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _entry(
    model_type: str, record: Mapping[str, Any], said: Mapping[str, Any], major: str, newest: ClassRules
) -> dict[str, Any]:
    """The line of a class in a version, without default entries."""
    made = {
        key: said[key]
        for key in ("prefix", "within", "missing", "unexpected", "mapping", "transforms", "tie_of", "same", "draws")
        if said.get(key)
    }
    made["always"] = [pair for pair in said["always"] if pair[0] != pair[1]]
    made["buffers"] = sorted({key_of(name)[0] for name in said["buffers"]})
    state = {key_of(name)[0] for name in said["state"]}
    ways = [False] if major == NEWEST else [False, True]
    config = {"model_type": model_type, **record["config"]}
    made["by_version"] = _differs_by_version(config, record["class"], model_type)
    pairs = said["pairs"] if said["tied"] else []
    also = [pair for pair in pairs if pair[0] != pair[1] and pair not in made["always"]]
    best: tuple[dict[str, Any], Plan, NamesInMemory] | None = None
    for more, newer, dialect, by_file in itertools.product(
        [[], also] if also else [[]], ways, range(SPELLINGS), (False, True)
    ):
        plan = plan_of(config, record["class"], model_type, major, dialect)
        sides = "" if plan is None or not by_file else _sides(plan, record)
        if by_file and not sides.strip("0"):
            continue
        tried = {**made, "sides": sides, "also": more, "newer": newer, "dialect": dialect}
        rules = ClassRules(**_tuples(tried))
        plan = plan_of(config, record["class"], model_type, major, dialect, sides)
        if plan is None or plan.opaque or (dialect and plan.spelling == Spelling(plan.head.root)):
            continue
        tried["kept"] = _kept(plan, memory_namer(rules), state) if major == NEWEST else []
        if best is not None and len(tried["kept"]) >= len(best[0]["kept"]):
            continue
        rules = ClassRules(**_tuples(tried))
        name = memory_namer(rules) if major == NEWEST else written_namer(rules, newest)
        stored, lacks = _optional(plan, name, said["state"]), _lacking(plan, name, state)
        rules = ClassRules(**_tuples({**tried, "stored": stored, "lacks": lacks}))
        memory = memory_of(plan, rules, name)
        if set(memory.boxes) == state and _agrees(memory, rules, record, major, said["unread"]):
            stored += _of_switches(model_type, record["class"], major, dialect, sides, plan)
            best = {**tried, "stored": stored, "lacks": lacks}, plan, name
            if not tried["kept"]:
                break
    if best is None:
        made["exact"] = False
    else:
        made, plan, name = best
        made["untied"], made["ties"] = not said["ties"], said["ties"] or said["tied"]
        _set_tie_of(made, plan, name, record, major, said["loads"])
        made["sides"] = made["sides"] or _sides_of_switches(model_type, record["class"], major, made["dialect"])
    return {key: value for key, value in made.items() if value or key == "exact"}


def _add_reads(model_type: str, name: str, major: str, line: dict[str, Any]) -> None:
    """Record the dialects in which a version completely loads a file of a class, for each of its records."""
    entry = line.get(major)
    if entry is None or not entry.get("exact", True) or any(entry.get(key) for key in ("stored", "lacks", "sides")):
        return
    rules, newest = (ClassRules(**_tuples(line.get(one, {}))) for one in (major, NEWEST))
    configs = [one["config"] for one in records(model_type) if one["class"] == name and one.get("config") is not None]
    kept: dict[str, bool] = {}
    for config in configs:
        plan = plan_of({"model_type": model_type, **config}, name, model_type, major, rules.dialect)
        known = [] if plan is None else itertools.islice(spellings(plan.scope, plan.head, plan.unrolled), SPELLINGS)
        for spelling in known:
            assert plan is not None
            text = dialects_of(plan, spelling)
            if kept.get(text, True) and (text != "0" or rules.dialect or rules.newer):
                kept[text] = _reads(plan, spelling, rules, newest, major)
    if any(kept.values()):
        entry["reads"] = sorted(text for text, read in kept.items() if read)


def _reads(plan: Plan, spelling: Spelling, rules: ClassRules, newest: ClassRules, major: str) -> bool:
    """Whether a version loads a file completely that has the names of a spelling."""
    layouts: dict[str, Layout] = {}
    for block in bind(plan.scope, plan.head, spelling).blocks:
        layout = None if None in block.shape else lay_out("F32", tuple(dim or 0 for dim in block.shape))
        if not block.slot.built or block.slot.extra or block.tie is not None:
            continue
        if not isinstance(layout, Layout):
            return False
        layouts.update((name_of(block.key, at), layout) for at in itertools.product(*block.axes))
    first = memory_namer(rules) if major == NEWEST else written_namer(rules, newest)
    memory, families = memory_of(plan, rules, first), families_of(layouts)
    name = newest_namer(rules, memory, families) if major == NEWEST else older_namer(rules, memory, families)
    if isinstance(name, str):
        return False
    found = match(memory, families, rules, name)
    return not (found.missing or found.unexpected or found.mismatched or found.partial or found.overwritten)


def _set_tie_of(
    made: dict[str, Any],
    plan: Plan,
    name: NamesInMemory,
    record: Mapping[str, Any],
    major: str,
    loads: Sequence[Mapping[str, Any]],
) -> None:
    """Find the sub-config that determines ties in version 5: each submodel that ties has its own.

    loads: of files whose sub-configs state a tie.
    """
    parts = (key for key, value in record["config"].items() if isinstance(value, dict) and "model_type" in value)
    for key in ("", *parts):
        rules = ClassRules(**_tuples({**made, "tie_of": key}))
        fits = major == OLDER or _agrees(memory_of(plan, rules, name), rules, record, major)
        if fits and all(_ties_as_recorded(load, rules, major) for load in loads):
            made |= {"tie_of": key} if major == NEWEST else {}
            return


def _ties_as_recorded(load: Mapping[str, Any], rules: ClassRules, major: str) -> bool:
    """Whether the predicted number of missing tensors is the recorded one, for a file whose sub-configs state a tie."""
    own = ("class", "writer", "variant")
    record = next(one for one in records(load["type"]) if all(one[key] == load[key] for key in own))
    config = {"model_type": load["type"], **record["config"]}
    plan = plan_of(config, load["class"], load["type"], major, rules.dialect, rules.sides)
    found = None if plan is None else _matched(plan, rules, ClassRules(), record, major)
    return found is None or found.missing == load["counts"][0]


def _drop_wrong(major: str, lines: Mapping[str, dict[str, Any]], loads: Sequence[Mapping[str, Any]]) -> None:
    """Mark classes as unknown whose predicted counts for an undamaged file differ from the record."""
    for one in loads:
        entry = lines.get(one["class"], {}).get(major)
        if "counts" not in one or entry is None or not entry.get("exact", True):
            continue
        record = next(
            record
            for record in records(one["type"])
            if (record["class"], record["writer"], record["variant"]) == (one["class"], one["writer"], "")
        )
        rules = ClassRules(**_tuples(entry))
        config = {"model_type": one["type"], **record["config"]}
        plan = plan_of(config, one["class"], one["type"], major, rules.dialect, rules.sides)
        newest = ClassRules(**_tuples(lines[one["class"]].get(NEWEST, {})))
        found = None if plan is None else _matched(plan, rules, newest, record, major)
        if found is None or [found.missing, found.unexpected] != one["counts"][:2]:
            entry["exact"] = False
        elif found.emptied:  # only for this file
            entry.pop("unfilled", None)


def _matched(
    plan: Plan, rules: ClassRules, newest: ClassRules, record: Mapping[str, Any], major: str
) -> Counted | None:
    first = memory_namer(rules) if major == NEWEST else written_namer(rules, newest)
    memory, families = memory_of(plan, rules, first), _families(record)
    name = newest_namer(rules, memory, families) if major == NEWEST else older_namer(rules, memory, families)
    return None if isinstance(name, str) else match(memory, families, rules, name)


def _families(record: Mapping[str, Any]) -> Families:
    layouts = {name: lay_out(dtype, shape) for name, (dtype, shape) in spec_of(record).items()}
    return families_of({name: layout for name, layout in layouts.items() if isinstance(layout, Layout)})


def _differs_by_version(config: Mapping[str, Any], class_name: str, model_type: str) -> bool:
    """Whether the versions build other tensors of a class from one config, apart from their defaults."""
    sides = []
    for version in ("4.0", "5.0"):
        plan = plan_of(config, class_name, model_type, NEWEST, written=version)
        sides.append(plan and [(block.key, block.axes, block.shape, block.tie is None) for block in plan.blocks])
    return sides[0] != sides[1]


def _agrees(memory: Memory, rules: ClassRules, record: Mapping[str, Any], major: str, unread: bool = False) -> bool:
    """Whether the file that this version saves leaves nothing missing or of another shape, as it does in fact.

    unread: whether this version refuses its own file for its shapes.
    """
    if not record["writer"].split()[-1].startswith(major):
        return True
    families = _families(record)
    newest = major == NEWEST
    name = newest_namer(rules, memory, families) if newest else older_namer(rules, memory, families)
    if isinstance(name, str):
        return False
    found = match(memory, families, rules, name)
    return not (found.missing or found.partial or (found.mismatched and not unread))


def _sides(plan: Plan, record: Mapping[str, Any]) -> str:
    """Which alternatives the file of a record stores, as in `ClassRules`."""
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for name, (_, shape) in spec_of(record).items():
        shapes.setdefault(key_of(name)[0], set()).add(shape)
    found = bind(plan.scope, plan.head, plan.spelling, stored=lambda key: shapes.get(key, ()))
    sides = found.binder.choose(found.unrolled.slots)
    return "".join(str(sides[number]) for number in sorted(sides))


def _sides_of_switches(model_type: str, name: str, major: str, dialect: int) -> str:
    """The alternatives that a version saves with other switches, if another version saves others; "" if none does."""
    found: dict[str, set[str]] = {}
    for record in records(model_type):
        if record["class"] == name and record["variant"] and record.get("config") is not None:
            plan = plan_of({"model_type": model_type, **record["config"]}, name, model_type, NEWEST, dialect)
            if plan is not None and alternatives(plan.scope, plan.head):
                version = record["writer"].split()[-1].partition(".")[0]
                found.setdefault(version, set()).add(_sides(plan, record))
    of_version = {version: max(sides) for version, sides in found.items()}
    return of_version.get(major, "") if len(set(of_version.values())) > 1 else ""


def _kept(plan: Plan, name: NamesInMemory, state: set[str]) -> list[str]:
    """Keys of rows that are tensors of the model, and would be others that it does not have after their renaming."""
    renamed = (
        (block.key, template(text)[0])
        for block in plan.blocks
        for found, _, text, _ in name.of_family(block.key, (block.axes,))
        if block.key in state and found.converter is None
    )
    return sorted({key for key, text in renamed if text not in state})


def _optional(plan: Plan, name: NamesInMemory, state: Sequence[str]) -> list[str]:
    """Keys of optional rows that the model has."""
    names = frozenset(state)
    found = {
        block.key
        for block in plan.blocks
        if not block.slot.built
        and not block.slot.extra
        and names.issuperset(name.name(first_name(block.key, (block.axes,))).names)
    }
    return sorted(found)


def _of_switches(model_type: str, name: str, major: str, dialect: int, sides: str, usual: Plan) -> list[str]:
    """Keys of optional rows that only other switches give the model, and that each file with these switches has."""
    known, had = {block.key for block in usual.blocks}, dict[str, bool]()
    for record in records(model_type):
        own = record["class"] == name and record["writer"].split()[-1].startswith(major)
        if not own or not record["variant"] or record.get("config") is None:
            continue
        plan = plan_of({"model_type": model_type, **record["config"]}, name, model_type, major, dialect, sides)
        stored = {key_of(one)[0] for one in record["tensors"]}
        for block in () if plan is None else plan.blocks:
            if block.key not in known and not block.slot.built and not block.slot.extra and block.tie is None:
                had[block.key] = had.get(block.key, True) and block.key in stored
    return sorted(key for key, always in had.items() if always)


def _lacking(plan: Plan, name: NamesInMemory, state: set[str]) -> list[str]:
    """Keys of required rows that the model does not have."""
    required = [block for block in plan.blocks if block.slot.built and not block.slot.extra]
    had = {
        block.key
        for block in required
        for _, _, text, _ in name.of_family(block.key, (block.axes,))
        if template(text)[0] in state
    }
    return sorted({block.key for block in required} - had)


if __name__ == "__main__":
    if sys.argv[1] == "collect":
        collect(*sys.argv[2:])
    else:
        merge(*sys.argv[2:])
