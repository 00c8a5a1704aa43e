"""Recognises names that are those of the config's architecture after one change of how they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from inspector.algebra.names import name_of
from inspector.architectures.catalog import definition_of
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, rekeyed
from inspector.matcher.reading import read_claimed
from inspector.matcher.spelling import known_keys
from inspector.notation.scope import Scope

if TYPE_CHECKING:
    from inspector.findings.names.renamed import NamesWrittenOtherwise

ENDS: Final = (".weight", ".bias")
_NUMBER: Final = re.compile(r"(?<![^.])[0-9]+(?![^.])")
"""A segment of a key that is a number."""


def written_otherwise(config: Claim, families: Families) -> NamesWrittenOtherwise | None:
    """The finding, if the definition of the config knows every name after one change, and no two become the same."""
    if config.definition is None:
        return None
    lower = _by_lower(Scope(config.definition, config.settings, definition_of))
    for letters, changed in (
        (False, {key: key if key.endswith(ENDS) else f"{key}.weight" for key in families}),
        (True, {key: lower.get(key.lower(), key) for key in families}),
    ):
        new = rekeyed(families, changed.__getitem__)
        if len(new) < len(families) or new.keys() == families.keys():
            continue
        reading = read_claimed(config, new)
        if reading is None or reading.coverage < 1 or reading.prefix or reading.writer:
            continue
        from inspector.findings.names.renamed import NamesWrittenOtherwise

        renamed = {key: other for key, other in changed.items() if key != other}
        first = next(iter(renamed))
        place = tuple(span.first for span in families[first].stored[0].boxes[0])
        return NamesWrittenOtherwise(
            letters=letters,
            stored=name_of(first, place),
            expected=name_of(renamed[first], place),
            tensors=sum(families[key].tensors for key in renamed),
            renames=tuple((key.replace("#", "*"), other.replace("#", "*")) for key, other in renamed.items()),
        )
    return None


def _by_lower(scope: Scope) -> dict[str, str]:
    """Keys of a definition by their lower-case form; all numbers are indices, as in the keys of stored families."""
    keys = (_NUMBER.sub("#", key) for key in known_keys(scope))
    return {key.lower(): key for key in keys}
