"""Make `inspector/architectures/refused_kinds.jsonl`: kinds of config values with which transformers builds no model.

Reads what `tests/oracle/measure_values.py` and `tests/oracle/confirm_values.py` wrote, and needs no other library; of
types and versions that are not in the folder the table keeps what it has:

    python -m tests.oracle.make_refused_kinds FOLDER

The first line has the pairs of a path and letters of kinds, and the lists of words, to which the others refer by
number. The line of a model type has the versions that were measured, and for each version, where the older one differs:

    config   what is refused while the config is read
    model    what no class of the type is built with
    classes  class -> what this one is not built with
    parts    path of a config within the config -> its type, where the classes build a model of it; behind a path the
             class, where not all do
    words    path -> the words that are known there; behind a path the class that they are for, where it is for one
    lengths  path and p or q -> the keys that must be as long, or the length that the list always has
    undecided  kinds of which only some values are refused, or only by some classes

FOLDER/MAJOR/TYPE.further.json and TYPE.odd.json have rows like those of `confirm_values.py` that are added to what the
table has.
Kinds that the config of a record has are excluded. A path below a part is listed only where the type of the part
has no records. The letters are those of `tests/oracle/value_cases.py`, where m stands for m and o, h for h and u, g
for f in a list, and a for a number in place of a text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.architectures.config_types import types_of
from inspector.architectures.nested_lists import entries_of, inner_lists
from inspector.architectures.refused_kinds import kinds_of
from inspector.loading.tables import has_type, names_of
from tests.judged import base_record, oracle_types, records
from tests.oracle.value_cases import UNDECIDED, decoded, places
from tests.oracle.value_cases import Path as Place

TABLE = Path(__file__).parents[2] / "inspector" / "architectures" / "refused_kinds.jsonl"
RULES = json.loads((TABLE.parent / "value_rules.json").read_text(encoding="utf-8"))
MAJORS = ("5", "4")
STAGES = frozenset({"out_features", "out_indices", "stage_names"})
"""Keys of backbones, whose lists depend on the depth of the model."""
OF_STAGES = frozenset("triyg")
REPEATED = "attention_types[][]"
"""Lists of layer types of GPT-Neo, each with a number of repetitions: only the product has to fit."""
BY_LIST = "wxpq"
"""Kinds of which only values not listed, or of another length than related lists, are refused."""
TYPES = tuple(oracle_types())
CONFIRMED, FURTHER = ".confirmed.json", (".further.json", ".odd.json")
PAIRS = ("config", "model", UNDECIDED)
"""Parts of an entry that are lists of pairs."""
BUILDING = ("Model", "Backbone", "Encoder", "Decoder")
"""Ends of the names of classes that build the model of a type without a head."""
Scope = tuple[str, tuple[str, ...] | None]
"""("config" or "model", classes; None for all classes of the type)."""


def both(one: Scope | None, other: Scope | None) -> Scope | None:
    """Where two kinds are refused together."""
    if one is None or other is None:
        return None
    classes = [set(scope[1]) for scope in (one, other) if scope[1] is not None]
    common = tuple(sorted(set.intersection(*classes))) if classes else None
    return ("model" if "model" in (one[0], other[0]) else "config", common) if common != () else None


def letters_of(value: Any, stated: Mapping[str, Scope]) -> dict[str, Scope]:
    """The letters of the table for those that were measured at a place with a value."""
    found = dict(stated)
    for one, other in (("m", "o"), ("h", "u")):
        joined = both(found.pop(one, None), found.pop(other, None))
        if joined is not None:
            found[one] = joined
    for letter in "bd" if value is not None else "bdelt":
        found.pop(letter, None)
    for old, new, kind in (("f", "g", list), ("z", "a", str)):
        if isinstance(value, kind) and old in found:
            found[new] = found.pop(old)
    return found


class Measured:
    """What was measured of one model type. types: those that were measured by themselves."""

    def __init__(self, model_type: str, rows: list[list[Any]], types: Collection[str]) -> None:
        self.model_type, self.types = model_type, types
        configs = [decoded(one["config"]) for one in records(model_type) if not one["variant"] and one["config"]]
        self.values = {path: value for config in reversed(configs) for path, value in places(config, known=types)}
        raw: dict[Place, dict[str, Scope]] = {}
        self.words: dict[tuple[Place, tuple[str, ...] | None], list[str]] = {}
        self.lengths: dict[tuple[Place, str], list[str]] = {}
        for path, letters, stage, classes, words, beside in rows:
            place, named = tuple(path), None if classes is None else tuple(classes)
            if place not in self.values:
                continue
            for letter in letters:
                if letter in "pq" and (not beside or named is not None or path[-1] == REPEATED):
                    continue
                if letter in BY_LIST and path[-1].endswith("layer_types"):  # the rules of `config_types` have them
                    continue
                if path[-1] in STAGES and letter not in OF_STAGES:
                    continue
                if letter == "w" and words is None:
                    continue
                raw.setdefault(place, {})[letter] = (stage, named)
                if letter in "pq":
                    self.lengths[place, letter] = beside
                elif letter in "wx" and words:
                    self.words[place, named] = words
        self.letters = {place: letters_of(self.values[place], stated) for place, stated in raw.items()}
        for config in (decoded(one["config"]) for one in records(model_type) if one["config"]):
            for place, value in places(config, known=types):
                for letter in set(kinds_of(value)) - set(BY_LIST) if place in self.letters else ():
                    self.letters[place].pop(letter, None)

    def parts(self) -> dict[str, str]:
        """Path -> type of the configs within the config that were measured with it."""
        configs = {".".join(place): value for place, value in self.values.items() if isinstance(value, dict)}
        types = {path: value.get("model_type") or self._declared(path) for path, value in configs.items()}
        return {path: kind for path, kind in types.items() if kind and kind not in self.types}

    def _declared(self, path: str) -> str:
        """The type that the classes of transformers 5 have for a config within the config, "" where they have none."""
        kind = self.model_type
        for key in path.split("."):
            types = types_of(kind)
            kind = "" if types is None else types.inner.get(key, "")
        return kind


class Numbers:
    """Texts that several lines share, and their numbers."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def of(self, text: str) -> int:
        """The number of a text."""
        return self.texts.setdefault(text, len(self.texts))


def stated_by(case: Measured) -> dict[str, Any]:
    """The entry of a type and a version in the table, with texts instead of numbers."""
    listed: dict[str, list[str]] = {"config": [], "model": []}
    classes: dict[str, list[str]] = {}
    for place, stated in sorted(case.letters.items()):
        groups: dict[Scope, str] = {}
        for letter, scope in sorted(stated.items()):
            groups[scope] = groups.get(scope, "") + letter
        for (stage, named), letters in groups.items():
            pair = f"{'.'.join(place)} {letters}"
            for one in (listed[stage],) if named is None else [classes.setdefault(name, []) for name in named]:
                one.append(pair)
    known: dict[str, str] = {}
    for (place, named), texts in sorted(case.words.items(), key=str):
        path = ".".join(place)
        known.update({f"{path} {name}": " ".join(texts) for name in named} if named else {path: " ".join(texts)})
    lengths = {f"{'.'.join(place)} {letter}": " ".join(beside) for (place, letter), beside in case.lengths.items()}
    return {**listed, "classes": classes, "words": known, "lengths": lengths}


def as_texts(stated: Mapping[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a line for a version, with texts instead of numbers."""

    def pairs(numbers: Sequence[int]) -> list[str]:
        return [head["pairs"][number] for number in numbers]

    return {
        **stated,
        **{key: pairs(stated.get(key, ())) for key in PAIRS},
        "classes": {name: pairs(numbers) for name, numbers in stated.get("classes", {}).items()},
        "words": {path: head["words"][number] for path, number in stated.get("words", {}).items()},
    }


def as_numbers(stated: Mapping[str, Any], pairs: Numbers, words: Numbers) -> dict[str, Any]:
    """The part of a line for a version."""
    found = {
        **stated,
        **{key: [pairs.of(text) for text in stated.get(key, ())] for key in PAIRS},
        "classes": {
            name: [pairs.of(text) for text in dict.fromkeys(texts)] for name, texts in stated["classes"].items()
        },
        "words": {path: words.of(text) for path, text in stated["words"].items()},
    }
    return {key: part for key, part in found.items() if part}


def without_known(stated: Mapping[str, Any], model_type: str, major: str) -> dict[str, Any]:
    """A part without the words that `config_types.jsonl` has, and the activations of `value_rules.json`."""
    parts = stated.get("parts", {})

    def is_known(path: str) -> bool:
        outer, _, key = path.partition(" ")[0].rpartition(".")
        kind = parts.get(outer, "") if outer else model_type
        types = types_of(kind)
        declared = major == MAJORS[0] and types is not None and key in types.words
        return declared or kind in RULES[major]["activations"].get(key, "").split()

    def kept(texts: Sequence[str]) -> list[str]:
        split = (text.split() for text in texts)
        left = ((path, letters.replace("w", "") if is_known(path) else letters) for path, letters in split)
        return [f"{path} {letters}" for path, letters in left if letters]

    return {
        **stated,
        **{key: kept(stated[key]) for key in ("config", "model")},
        "classes": {name: left for name, texts in stated["classes"].items() if (left := kept(texts))},
        "words": {path: texts for path, texts in stated["words"].items() if not is_known(path)},
    }


def stored() -> dict[tuple[str, str], dict[str, Any]]:
    """(type, version) -> entry of the table."""
    head, *lines = map(json.loads, TABLE.read_text(encoding="utf-8").splitlines())
    return {
        (line["type"], major): as_texts(line.get(major, line.get(MAJORS[0], {})), head)
        for line in lines
        for major in line["versions"]
    }


def with_classes(major: str) -> frozenset[str]:
    """The types that are measured by themselves: those of which a version exports a class with a record."""
    names = names_of(major).classes
    types = (one for one in TYPES if has_type(one, major))
    return frozenset(one for one in types if any(record["class"] in names for record in records(one)))


def measured_in(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """(type, version) -> measurements."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for major in MAJORS:
        types = with_classes(major)
        for model_type in TYPES:
            path = folder / major / f"{model_type}{CONFIRMED}"
            if path.exists() and base_record(model_type)["config"]:
                case = Measured(model_type, json.loads(path.read_text(encoding="utf-8")), types)
                found[model_type, major] = {**stated_by(case), "parts": case.parts()}
    return found


def with_built(stated: Mapping[str, Any], built: Mapping[str, str], types: Collection[str]) -> dict[str, Any]:
    """The entry of a type and a version, with its parts replaced by those that `confirm_parts.py` found.

    types: those that were measured by themselves.
    """
    kept = {path: kind for path, kind in stated.get("parts", {}).items() if kind not in types}
    return {**stated, "parts": {**kept, **built}}


def with_further(model_type: str, stated: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The entry of a type and a version, with measurements of further places of its configs."""
    found = {**stated, "model": [*stated["model"]], "classes": dict(stated["classes"])}
    found[UNDECIDED] = list(stated.get(UNDECIDED, ()))
    found["lengths"], found["words"] = lengths, known_words = dict(stated.get("lengths", {})), dict(stated["words"])
    held: dict[Place, set[str]] = {}
    for config in (decoded(one["config"]) for one in records(model_type) if one["config"]):
        for place, value in places(config):
            for one, kept in named_values(place, value):
                held.setdefault(one, set()).update(kinds_of(kept), "b" * (kept is True), "0" * (kept == ""))
    known = {one.partition(" ")[0]: one.partition(" ")[2] for key in ("config", "model") for one in stated[key]}
    for place, letters, stage, classes, words, beside in json.loads(path.read_text(encoding="utf-8")):
        dotted = ".".join(place)
        if beside and lengths.setdefault(f"{dotted} {letters}", " ".join(beside)) != " ".join(beside):
            continue  # another length for another class
        new = (one for one in letters if one in BY_LIST or one not in held.get(tuple(place), ()))
        left = "".join(one for one in new if one not in known.get(dotted, ""))
        if stage == UNDECIDED:
            found[UNDECIDED].extend([f"{dotted} {left}"] if left else [])
            continue
        if left and classes is None:
            found["model"].append(f"{dotted} {left}")
        if left and words:
            known_words |= {f"{dotted} {name}" if name else dotted: " ".join(words) for name in classes or ("",)}
        for name in (classes or ()) if left else ():
            found["classes"][name] = [*found["classes"].get(name, ()), f"{dotted} {left}"]
    return found


def of_all_classes(model_type: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a type and a version, with the refusals of its only class with a record applied to all classes.

    Such a class builds the model of the type, which every other class contains.
    """
    names = {one["class"] for one in records(model_type) if one["config"]}
    alone = next(iter(names)) if len(names) == 1 else ""
    if not alone.endswith(BUILDING) or alone not in stated["classes"]:
        return dict(stated)
    letters: dict[str, str] = {}
    for text in (*stated["model"], *stated["classes"][alone]):
        path, more = text.split()
        letters[path] = letters.get(path, "") + more
    classes = {name: texts for name, texts in stated["classes"].items() if name != alone}
    words = {path.removesuffix(f" {alone}"): text for path, text in stated["words"].items()}
    model = [f"{path} {''.join(dict.fromkeys(more))}" for path, more in letters.items()]
    return {**stated, "model": model, "classes": classes, "words": words}


def named_values(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    """(place, value) of a place, of the lists within its list and of their entries."""
    yield place, value
    for name, _, one in inner_lists(place[-1], value):
        yield (*place[:-1], name), one
        yield from (((*place[:-1], entry), kept) for entry, kept in entries_of(name, one))


def main() -> None:
    """Write the table."""
    pairs, words = Numbers(), Numbers()
    lines: dict[str, dict[str, Any]] = {}
    folder = Path(sys.argv[1])
    new = {**stored(), **measured_in(folder)}
    for major in MAJORS:
        types = with_classes(major)
        for listed in sorted((folder / major).glob("parts-*.json")):
            for model_type, built in json.loads(listed.read_text(encoding="utf-8")).items():
                if (model_type, major) in new:
                    new[model_type, major] = with_built(new[model_type, major], built, types)
    for model_type, major in tuple(new):
        for path in (folder / major / f"{model_type}{ending}" for ending in FURTHER):
            if path.exists():
                new[model_type, major] = with_further(model_type, new[model_type, major], path)
        new[model_type, major] = of_all_classes(model_type, new[model_type, major])
    for (model_type, major), stated in sorted(new.items(), key=lambda one: (one[0][0], -int(one[0][1]))):
        line = lines.setdefault(model_type, {"versions": ""})
        line["versions"] += major
        part = as_numbers(without_known(stated, model_type, major), pairs, words)
        if part != line.get(MAJORS[0]):
            line[major] = part
    texts: list[dict[str, Any]] = [{"pairs": list(pairs.texts), "words": list(words.texts)}]
    texts.extend({"type": name, **line} for name, line in sorted(lines.items()))
    rows = [json.dumps(one, separators=(",", ":")) for one in texts]
    TABLE.write_text("\n".join([*rows, ""]), encoding="utf-8")
    print(len(new), "of", len(lines), "types", len(pairs.texts), "pairs", TABLE.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
