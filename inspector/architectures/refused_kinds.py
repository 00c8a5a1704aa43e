"""Kinds of config values with which transformers cannot build a model: negative numbers, texts, lists and the like.

`refused_kinds.jsonl` has what transformers 5.23 and 4.57 refused when the classes of each model type were built from
configs with one changed value, apart from what the types of the config classes say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from msgspec import UNSET, Struct

from inspector.architectures.config_types import FLOAT, layer_types, types_of
from inspector.architectures.defaults import NEWEST, OLDER, class_defaults
from inspector.architectures.nested_lists import WITHIN, entries_of, inner_lists
from inspector.architectures.refused_kinds_table import KindRules, rules_of_kinds
from inspector.architectures.refused_value import digits_in
from inspector.architectures.unread_keys import is_read_in_part, unread_keys

MOST_NAMED: Final = 12
"""Most words that a reason lists."""
MOST_KEYS: Final = 64
"""Most keys of an object that are read: maps of words and labels have more."""
DEEPEST: Final = 4
"""Most configs within each other that are read."""
_OTHER_LENGTH: Final = re.compile(r"[+-]\d+$")
_NO_NUMBERS: Final = frozenset("xys")
"""Where lists with words, nulls and lists are refused, a list with objects is as well: it is computed with."""
_COMPUTED_WITH: Final = frozenset("xykvgi")
"""Kinds of entries of which one is refused in a list whose entries are read."""
OTHER_THAN_OBJECT: Final = frozenset("elt")
"""Where a text and lists are refused in place of a config, numbers, true and false are as well."""
_ENTRIES: Final = "kvxygisj"
"""Kinds of lists by their entries."""
OF_DRAWING: Final = ("init", "time_step")
"""Starts of the names of keys with which weights are drawn. Of these transformers 4 reads those of the outermost config
for some modules of its parts, and those of the parts for others."""

NO_TEXT: Final = "0"
"""Letter of an empty text that is accepted in some classes, though other texts are refused."""
_BY_LIST: Final = "wxpq"
"""Kinds of which only unknown words and other lengths are refused."""


class KindOfValue(Struct, frozen=True):
    """A value of a kind that is refused. path: of its key. wanted: what it should be.

    meant: the value that it states in another form; unset where it states none. follows: path of the key that decides
    how long a list should be.
    """

    path: tuple[str, ...]
    wanted: str
    meant: Any = UNSET
    follows: tuple[str, ...] = ()


class ConfigPlace(Struct, frozen=True):
    """A config within the config that is read. path: of this one. kinds: the types of the configs above it, from the
    outermost one to its own. class_name: of the outermost one."""

    class_name: str
    path: tuple[str, ...]
    kinds: tuple[str, ...]
    major: str

    @property
    def kind(self) -> str:
        return self.kinds[-1]

    def above(self, depth: int) -> ConfigPlace:
        """The config that has this many others above it."""
        return ConfigPlace(self.class_name if not depth else "", self.path[:depth], self.kinds[: depth + 1], self.major)


def kinds_refused(values: Mapping[str, Any], major: str) -> Iterator[KindOfValue]:
    """The values of refused kinds in a config and in those within it; none where code of the repository reads it."""
    model_type, classes = values.get("model_type"), values.get("architectures")
    if not isinstance(model_type, str) or "auto_map" in values:
        return
    for place, inner in within(values, outermost(model_type, classes, major)):
        unread = unread_keys(values) if not place.path else frozenset()
        yield from (one for one in _lacking(place, inner) if one.path[0] not in unread)
        following: dict[tuple[str, ...], tuple[str, ...]] = {}
        for key, value in inner.items():
            if key in unread:
                continue
            named_values = chain([(key, value)], _inside(place, key, value))
            refused = (_refused(place, inner, name, one) for name, one in named_values)
            found = next((one for one in refused if one is not None), None)
            if found is None or not is_read_in_part(values, found.path, major):
                continue
            if following.get(found.follows) != found.path:  # two lists that should be as long
                following[found.path] = found.follows
                yield found


def is_drawn_with(place: ConfigPlace, key: str) -> bool:
    """Whether weights of a part are drawn with a key of its own config in some classes only."""
    return bool(place.path) and place.major == OLDER and key.startswith(OF_DRAWING)


def undecided_at(place: ConfigPlace, key: str) -> str:
    """The letters of the kinds at a key of which only some values are refused."""
    own = rules_of_kinds(place.kind, place.major)
    if not place.path:
        return own.undecided.get(key, "")
    found = own.undecided.get(key, "") if is_built(place) else ""
    if is_drawn_with(place, key) or not _is_confirmed(place):
        letters = own.model.get(key, "")
        found += "".join(one for one in letters if one not in _BY_LIST) + ("e" if "l" in letters else "")
    return found + "".join(rules.undecided.get(dotted, "") for rules, dotted, _ in above_of(place, key))


def _is_confirmed(place: ConfigPlace) -> bool:
    """Whether it was measured in which classes a config within the config is that of a model; always for version 5."""
    outer, path = place.above(0), ".".join(place.path)
    listed = rules_of_kinds(outer.kind, place.major).parts
    known = any(one.partition(" ")[0] == path and kind == place.kind for one, kind in listed.items())
    return place.major != OLDER or len(place.path) > 1 or known


def outermost(model_type: str, classes: Any, major: str) -> ConfigPlace:
    """The place of a whole config."""
    named = classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else ""
    return ConfigPlace(named, (), (model_type,), major)


def _inside(place: ConfigPlace, key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(name, value) of the lists within a value, of their entries, and of the keys of an object that is no config."""
    for name, _, one in inner_lists(key, value):
        yield name, one
        yield from entries_of(name, one)
    if isinstance(value, dict) and len(value) <= MOST_KEYS and _kind_within(place, key, value) is None:
        for inner, one in value.items():
            yield f"{key}.{inner}", one
            yield from _inside(place, f"{key}.{inner}", one)


def _lacking(place: ConfigPlace, values: Mapping[str, Any]) -> Iterator[KindOfValue]:
    """The absent keys that objects within a config need, and those of which the default is the null that is refused."""
    defaults, aliases = class_defaults(place.kind, place.major)
    for name, letters in _letters_at(place).items():
        *outer, key = name.split(".")
        holder: Any = values
        for one in outer:
            holder = holder.get(one) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or not holder or not {key, aliases.get(key, key)}.isdisjoint(holder):
            continue
        null = not outer and key in defaults and defaults[key] is None
        if "c" in letters or ("n" in letters and null):
            yield KindOfValue((*place.path, *outer, key), "a value, which the model needs")


def _letters_at(place: ConfigPlace) -> Mapping[str, str]:
    """Name -> letters of what is refused in a config."""
    own = rules_of_kinds(place.kind, place.major)
    listed = [(own.config, "")]
    if not place.path or is_built(place):
        listed.append((own.model, ""))
    if not place.path:
        listed.append((own.classes.get(place.class_name, {}), ""))
    for rules, dotted, name in above_of(place, ""):
        listed.extend((one, dotted) for one in (rules.config, rules.model, rules.classes.get(name, {})))
    found: dict[str, str] = {}
    for letters, start in listed:
        for path, more in letters.items():
            if path.startswith(start):
                name = path[len(start) :]
                found[name] = found.get(name, "") + more
    return found


def _refused(place: ConfigPlace, values: Mapping[str, Any], name: str, value: Any) -> KindOfValue | None:
    """What is wrong with a value of a key, or of a list within it; None where no rule refuses it.

    Where lists with entries and empty objects are refused, an empty list is as well.
    """
    is_usual = isinstance(value, str) and value == usual_at(place, name)
    kinds = "" if is_usual or (value == "" and NO_TEXT in undecided_at(place, name)) else kinds_of(value)
    letters = refused_at(place, name) if kinds else ""
    if set(letters) >= OTHER_THAN_OBJECT and value is not None and is_config(place, name):
        is_right = isinstance(value, dict) and (bool(value) or "o" not in letters)
        wanted = "an object with its keys" if value == {} else "an object"
        return None if is_right else KindOfValue((*place.path, name), wanted)
    if set(letters) >= _NO_NUMBERS:
        letters += "j"
    if is_partly_nested(place, name, value):
        letters = letters.replace("s", "")
    if value == [] and "l" in letters and ("d" in letters or _needs_no_object(place, name)):
        return KindOfValue((*place.path, name), _wanted("l", letters))
    if _COMPUTED_WITH.isdisjoint(letters) and "q" in letters:
        letters = letters.replace("s", "")  # the list in a list was refused for its length
    known = [one for one in kinds if one in letters]
    return next((one for one in (_refusal(place, values, name, value, one, letters) for one in known) if one), None)


def is_partly_nested(place: ConfigPlace, key: str, value: Any) -> bool:
    """Whether only some entries of a list are lists: measured was a list with a list as its only entry. The types of
    fields exclude both.
    """
    nested = sum(isinstance(one, list) for one in value) if isinstance(value, list) else 0
    return 0 < nested < len(value) and "s" not in rules_of_kinds(place.kind, place.major).config.get(key, "")


def is_config(place: ConfigPlace, key: str) -> bool:
    """Whether a key has a config within the config, by the types of its class or its name."""
    types = types_of(place.kind)
    return key.endswith("_config") or (types is not None and key in types.inner)


def _needs_no_object(place: ConfigPlace, name: str) -> bool:
    """Whether the type of a field excludes objects."""
    types = types_of(place.kind)
    accepted = types.fields.get(name, "") if types is not None and place.major == NEWEST else ""
    return bool(accepted) and "o" not in accepted


def usual_at(place: ConfigPlace, key: str) -> Any:
    """The default of a key, which may be a word in the place of a number, such as `"auto"`."""
    return class_defaults(place.kind, place.major)[0].get(key)


def within(values: Mapping[str, Any], place: ConfigPlace) -> Iterator[tuple[ConfigPlace, Mapping[str, Any]]]:
    """A config and those within it."""
    yield place, values
    for key, inner in values.items():
        if isinstance(inner, dict) and len(place.path) < DEEPEST:
            kind = _kind_within(place, key, inner)
            if kind is not None:
                below = ConfigPlace(place.class_name, (*place.path, key), (*place.kinds, kind), place.major)
                yield from within(inner, below)


def _kind_within(place: ConfigPlace, key: str, inner: Mapping[str, Any]) -> str | None:
    """The type of a config within a config, None for an object that is no config."""
    types = types_of(place.kind)
    kind = (types.inner.get(key, "") if types is not None else "") or inner.get("model_type")
    return kind if isinstance(kind, str) else None


def refused_at(place: ConfigPlace, key: str) -> str:
    """The letters of the kinds that are refused at a key."""
    own = rules_of_kinds(place.kind, place.major)
    if not place.path:
        return own.all_of(key, place.class_name)
    is_read = is_built(place) and not is_drawn_with(place, key)
    found = own.config.get(key, "") + (own.model.get(key, "") if is_read else "")
    return found + "".join(rules.all_of(dotted, name) for rules, dotted, name in above_of(place, key))


def above_of(place: ConfigPlace, key: str) -> Iterator[tuple[KindRules, str, str]]:
    """(rules, path of the key, class) of the configs above one which build a model of it, the outermost first."""
    for depth, kind in enumerate(place.kinds[:-1]):
        outer, rules = place.above(depth), rules_of_kinds(kind, place.major)
        path = ".".join(place.path[depth:])
        if rules.part(path, outer.class_name) == place.kind and (not depth or is_built(outer)):
            yield rules, f"{path}.{key}", outer.class_name


def is_built(place: ConfigPlace) -> bool:
    """Whether the class builds a model of a config within the config."""
    return next(above_of(place, ""), None) is not None


def kinds_of(value: Any) -> str:
    """The letters of the kinds of a value."""
    if value is None or isinstance(value, str | dict):
        return "n" if value is None else "wt" if isinstance(value, str) else "d" if value else "do"
    if isinstance(value, list):
        entries = {letter for one in value for letter in _entry(one)}
        return "e" if not value else "l" + "".join(one for one in _ENTRIES if one in entries) + "pq"
    if isinstance(value, bool):  # in the place of a list or a text it is what a number is; false is 0
        return "ra" if value else "raz"
    sign = "m" if value < 0 else "z" if value == 0 else "h" if value > 1 else ""
    return sign + "r" + "a" + ("f" if isinstance(value, float) else "")


def _entry(value: Any) -> str:
    """The letters of an entry of a list; true and false are what 1 and 0 are."""
    if value is None or isinstance(value, str):
        return "y" if value is None else "x"
    if not isinstance(value, int | float):
        return "s" if isinstance(value, list) else "" if value.keys() == {FLOAT} else "j"
    return ("k" if value < 0 else "v" if value == 0 else "") + ("g" if isinstance(value, float) else "i")


def _refusal(
    place: ConfigPlace, values: Mapping[str, Any], name: str, value: Any, letter: str, letters: str
) -> KindOfValue | None:
    """What is wrong with a value of a refused kind; None where it is a known word or as long as it should be."""
    key, _, position = name.partition(WITHIN)
    path = (*place.path, *key.split("."))
    if letter in "wx":
        known = words_at(place, name)
        odd = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
        if not known or set(odd) <= set(known):
            return KindOfValue(path, _wanted(letter, letters)) if letter == "x" and not known and odd else None
        return KindOfValue(path, f"one of {', '.join(known)}" if len(known) <= MOST_NAMED else "a word that it knows")
    if letter in "pq":
        return _of_length(place, values, name, len(value), letter)
    if key == name:
        return KindOfValue(path, _wanted(letter, letters), _meant(value, letter, letters))
    index = position.rpartition(".")[2]
    return KindOfValue(path, f"a list of lists, in which entry {index} is {_wanted(letter, letters)}")


def words_at(place: ConfigPlace, key: str) -> Sequence[str]:
    """The words that are known at a key: to its class, to all of an outer type, or to those of its own type."""
    own = rules_of_kinds(place.kind, place.major)
    above = [] if place.path else [(own, key, place.class_name)]
    above.extend(above_of(place, key))
    listed = (rules.words.get(f"{dotted} {name}") or rules.words.get(dotted) for rules, dotted, name in above)
    known = next((one for one in listed if one), None) or own.words.get(key, ())
    kinds = layer_types()  # with the earlier names of layers, which transformers renames before it looks them up
    return known if kinds.isdisjoint(known) else (*known, *kinds.difference(known))


def _of_length(
    place: ConfigPlace, values: Mapping[str, Any], name: str, length: int, letter: str
) -> KindOfValue | None:
    """A list that is shorter or longer than those beside it, which must all be of one length."""
    own, (*outer, key) = rules_of_kinds(place.kind, place.major), name.partition(WITHIN)[0].split(".")
    listed = (rules.lengths.get(f"{dotted} {letter}") for rules, dotted, _ in above_of(place, name))
    beside = next((one for one in listed if one), None) or own.lengths.get(f"{name} {letter}")
    if beside is None:
        return None
    stated, path = {**class_defaults(place.kind, place.major)[0], **values}, (*place.path, *outer, key)
    for one in outer:
        stated = stated[one]
    lengths = {_length_by(one, stated) for one in beside}
    wanted = lengths.pop()
    if lengths or not wanted or not (length < wanted if letter == "p" else length > wanted):
        return None
    if beside[0].isdigit():
        return KindOfValue(path, f"a list of {'lists of ' if WITHIN in name else ''}{wanted} entries")
    follows = (*path[:-1], _OTHER_LENGTH.sub("", beside[0])) if len(beside) == 1 else ()
    others = " and ".join(one.removesuffix(WITHIN) for one in beside)
    return KindOfValue(path, f"as long as {others}: {wanted}", follows=follows)


def _length_by(stated: str, values: Mapping[str, Any]) -> int | None:
    """The length that a number, a key, a list ("ratios[]") or what is added to its length ("ratios+1") gives a list."""
    if stated.isdigit():
        return int(stated)
    added, value = _OTHER_LENGTH.search(stated), values.get(_OTHER_LENGTH.sub("", stated.removesuffix(WITHIN)))
    length = None if stated.endswith(WITHIN) and not isinstance(value, list) else _length(value)
    return length if added is None or length is None else length + int(added[0])


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, list) else value if type(value) is int else None


def _wanted(letter: str, letters: str) -> str:
    """What a value of a refused kind should be."""
    numbers = "from 0 to 1" if "m" in letters and "h" in letters else "above 0" if "z" in letters else "from 0 on"
    if letter in "mhz" and not (letter == "z" and "m" not in letters):
        return f"a number {'up to 1' if letter == 'h' and 'm' not in letters else numbers}"
    return {
        "n": "a value, which the model needs", "z": "a number other than 0", "e": "a list with entries",
        "r": "a list", "l": "a single value", "f": "an integer", "a": "a text", "d": "a single value",
        "t": "a list" if is_of_list(letters) else "a number" if set(letters) & set("mzf") else "of the "
        "type that its class reads",
        "k": "a list of numbers from 0 on", "v": "a list of numbers above 0", "x": "a list of numbers",
        "y": "a list without null", "s": "a list without lists", "g": "a list of integers", "i": "a list of floats",
        "j": "a list without objects", "o": "an object with its keys",
    }[letter]  # fmt: skip


def is_of_list(letters: str) -> bool:
    """Whether the letters are those of a key that holds a list."""
    return not set(letters).isdisjoint(f"{_ENTRIES}r")


def _meant(value: Any, letter: str, letters: str) -> Any:
    """The value that one of a refused kind states, in another form."""
    if letter == "m":
        return -value if type(value) is int else UNSET
    if letter == "l" and len(value) == 1 and type(value[0]) in (int, float):
        return value[0]
    if letter == "f" and float(value).is_integer():
        return int(value)
    if letter == "t" and not is_of_list(letters):
        return digits_in(value)
    if letter not in "gi" or any(type(one) not in (int, float) for one in value):
        return UNSET
    if letter == "g":
        return [int(one) for one in value] if all(float(one).is_integer() for one in value) else UNSET
    return [float(one) for one in value]
