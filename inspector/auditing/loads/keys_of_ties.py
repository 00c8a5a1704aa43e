"""Names the keys that tie a head: those of composite models are in another config for each version of transformers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loading.given import Given
from inspector.loading.tables import NEWEST, OLDER, rules_of

TIES: Final = "tie_word_embeddings"


def with_keys_of_ties(findings: Sequence[Finding], given: Callable[[], Given]) -> list[Finding]:
    """The findings, a missing head and a copy of a head with the keys that tie it in both versions, if its class is
    known.
    """
    from inspector.findings.totals import CopyStored, HeadMissing

    if not any(isinstance(one, HeadMissing | CopyStored) for one in findings):
        return list(findings)
    facts = given()
    named = facts.class_name
    known = [] if named is None else [rules_of(named, major) for major in (NEWEST, OLDER)]
    rules = [one for one in known if one is not None]
    if not rules:
        return list(findings)
    keys = tuple(dict.fromkeys(_key_in(facts.values or {}, one.tie_of) for one in rules))
    tying = () if rules[0].untied else keys
    untying = keys if all(one.ties and not one.untied and not one.always for one in rules) else ()
    return [
        replace(one, keys=tying) if isinstance(one, HeadMissing)
        else replace(one, keys=untying) if isinstance(one, CopyStored)
        else one
        for one in findings
    ]  # fmt: skip


def _key_in(values: Mapping[str, Any], tie_of: str) -> str:
    """The key below the config of a part, or at the top of a config that states no such part."""
    part: Any = values
    for name in tie_of.split("."):
        part = part.get(name) if isinstance(part, Mapping) else None
    return f"{tie_of}.{TIES}" if isinstance(part, Mapping) else TIES
