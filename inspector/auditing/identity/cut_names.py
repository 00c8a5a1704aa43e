"""Recognises names of a known model without their first characters.

A program that removes the prefix of a wrapper by its length, without looking, cuts names that do not have it:
`name[len("_forward_module."):]` makes `der.layers.0.fc1.weight` of `model.decoder.layers.0.fc1.weight`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from inspector.architectures.catalog import definition_of, likely_definitions
from inspector.matcher.claim import NO_CONFIG, Claim
from inspector.matcher.families import Families
from inspector.matcher.spelling import key_sets
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings

if TYPE_CHECKING:
    from inspector.findings.names.cut import NamesCut

FEWEST: Final = 8
"""Fewest families: the ends of a few names may be those of several models."""
MOST_FAMILIES: Final = 400
MOST_TRIED: Final = 40
"""Most definitions that are tried."""
KNOWN: Final = 0.75
"""Least share of names whose ends a definition must know: short names lose theirs."""
LONGEST: Final = 24
"""Most characters that are tried."""


def cut_names(families: Families, claim: Claim = NO_CONFIG) -> NamesCut | None:
    """The finding on names that are all those of one definition without the same number of first characters.

    claim: of the config, whose definition is the only one that is tried if it has one.
    """
    if not FEWEST <= len(families) <= MOST_FAMILIES:
        return None
    own = [] if claim.definition is None else [(claim.model_type or claim.definition.names[0], claim.definition)]
    tried = [
        (name, list(key_sets(Scope(definition, Settings({}, known=False), definition_of))))
        for name, definition in own or likely_definitions(families, KNOWN, MOST_TRIED)
    ]
    if any(families.keys() <= whole for _, sets in tried for whole in sets):
        return None  # whole names, of a model that something else contradicts
    for name, sets in tried:
        for length in range(1, LONGEST + 1):
            found = [lost for whole in sets if (lost := _lost(families, whole, length))]
            if found:
                return _finding(name, families, max(found, key=_possible))
    return None


def _lost(families: Families, whole: frozenset[str], length: int) -> dict[str, list[str]]:
    """Key -> all that may be cut off it, if each is a key of the definition without as many characters; else empty.

    The end of a prefix is no cut: names without it are those of a part of the model.
    """
    rest: dict[str, list[str]] = {}
    for key in sorted(whole):
        if len(key) > length and "#" not in key[:length]:
            rest.setdefault(key[length:], []).append(key[:length])
    if not all(key in rest for key in families):
        return {}
    lost = {key: rest[key] for key in families}
    return {} if all(text.endswith(".") for texts in lost.values() for text in texts) else lost


def _possible(lost: dict[str, list[str]]) -> int:
    """The number of names that the stored ones may have been: of the whole model, if they may be of a part, too."""
    return sum(map(len, lost.values()))


def _finding(name: str, families: Families, lost: dict[str, list[str]]) -> NamesCut:
    from inspector.findings.names.cut import NamesCut, OddName

    usual = Counter(text for texts in lost.values() for text in texts).most_common(1)[0][0]
    odd = tuple(OddName(key, texts[0] + key) for key, texts in lost.items() if usual not in texts)
    return NamesCut(
        model_type=name,
        characters=len(usual),
        usual=usual,
        odd=odd,
        equal=sum(families[key].tensors for key, texts in lost.items() if len(texts) > 1),
        tensors=sum(family.tensors for family in families.values()),
    )
