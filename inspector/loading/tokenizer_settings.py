"""Settings of a tokenizer that transformers 5 reads and 4.57 refuses.

Measured with transformers 5.23 and 4.57. transformers 5 writes lists of `extra_special_tokens` and the names of general
classes; under a class that it does not know it reads the files with a general one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

FILE: Final = os.path.join(os.path.dirname(__file__), "tokenizer_classes.json")
CLASS: Final = "tokenizer_class"
CODE: Final = "auto_map"
EXTRA: Final = "extra_special_tokens"
ADDITIONAL: Final = "additional_special_tokens"
FAST: Final = "Fast"
GENERAL: Final = "PreTrainedTokenizerFast"
"""The class of any tokenizer.json, under a name that both versions know."""


class RefusedByOlder(NamedTuple):
    """A setting, and why transformers 4.57 refuses it. to_set: the settings with which both versions read it."""

    key: str
    because: str
    to_set: Mapping[str, Any]


def refused_by_older(values: Mapping[str, Any], *, whole: bool) -> Iterator[RefusedByOlder]:
    """The settings of a tokenizer_config.json that 4.57 refuses. whole: whether there is a tokenizer.json."""
    extra, additional = values.get(EXTRA), values.get(ADDITIONAL)
    if isinstance(extra, list):
        stated = additional if isinstance(additional, list) else []
        both = [*stated, *(token for token in extra if token not in stated)]
        to_set = {} if both == stated else {ADDITIONAL: both}
        yield RefusedByOlder(EXTRA, f"{EXTRA} is an object of names and tokens there, no list", to_set)
    if isinstance(additional, dict):
        yield RefusedByOlder(
            ADDITIONAL, f"{ADDITIONAL} is a list of tokens there", {ADDITIONAL: list(additional.values())}
        )
    name, code = values.get(CLASS), values.get(CODE)
    if not isinstance(name, str) or (isinstance(code, dict) and "AutoTokenizer" in code):
        return
    if classes_of_older().isdisjoint((name, name + FAST)):
        known = _meant(name, whole)
        yield RefusedByOlder(CLASS, f"there is no class {name}", {CLASS: known} if known else {})


def misspelled_class(values: Mapping[str, Any]) -> str | None:
    """The class that a tokenizer_config.json means with a name that differs from it in capitals alone.

    Without a tokenizer.json, 5.23 reads the pieces with a general class, which has not the rules of the class and
    splits texts into other tokens; 4.57 refuses the name.
    """
    name, code = values.get(CLASS), values.get(CODE)
    if not isinstance(name, str) or (isinstance(code, dict) and "AutoTokenizer" in code):
        return None
    known = classes_of_older()
    return None if {name, name + FAST} & known else _meant(name, whole=False)


def _meant(name: str, whole: bool) -> str | None:
    """The class that a name means: of the same spelling but for capitals, or the general one of a tokenizer.json."""
    alike = (known for known in sorted(classes_of_older()) if known.lower() == name.lower())
    return next(alike, GENERAL if whole else None)


@cache
def classes_of_older() -> frozenset[str]:
    """The tokenizer classes that transformers 4.57 finds by name (`tests/oracle/make_tokenizer_classes.py`)."""
    with open(FILE, "rb") as file:
        return frozenset(json.loads(file.read()))
