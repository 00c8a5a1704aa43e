"""Recognises weights of a base model that are used without the head that the config names.

Source: sentence-transformers loads `AutoModel`, the base class, for any class named in the config.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from inspector.auditing.sentence_listing import head_in_use
from inspector.findings.class_names import BaseModelUsed, ClassDiffers, HeadUntrained
from inspector.findings.finding import Finding, Place
from inspector.findings.totals import HeadMissing
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config, named_class
from inspector.loading.tables import generating

POOLING: Final = ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json")
"""Files that show that the hidden states of the base model are used."""


class Used(Struct, frozen=True):
    """The base model is used without a head. config: with its class. finding: the note that says so."""

    config: Config
    finding: BaseModelUsed


def base_in_use(checkpoint: Checkpoint, findings: Sequence[Finding]) -> Used | None:
    """The base model that is used, if its weights have no problem except that the head is not stored."""
    wrong = [one for one in findings if one.severity != "note"]
    if checkpoint.config is None or len(wrong) != 1 or not any(name in checkpoint.siblings for name in POOLING):
        return None
    found = _base_of(wrong[0], checkpoint.config)
    if found is None or head_in_use(checkpoint):
        return None
    values = {**checkpoint.config.values, "architectures": [found.stored_class]}
    return Used(replace(checkpoint.config, values=values), found)


def by_use(checkpoint: Checkpoint, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yields the findings, with a warning if a trainable head is not stored, unless the base model is used without a
    head.
    """
    for one in findings:
        if not isinstance(one, ClassDiffers) or not _is_base(one):
            yield one
        elif head_in_use(checkpoint):
            yield replace(one, head_used=True)
        else:
            yield one if one.declared in generating() else HeadUntrained(**asdict(one))


def _base_of(finding: Finding, config: Config) -> BaseModelUsed | None:
    if isinstance(finding, ClassDiffers):
        return BaseModelUsed(**asdict(finding)) if _is_base(finding) else None
    declared = named_class(config.values) or ""
    stem = re.sub(r"For[A-Z]\w*$|LMHeadModel$", "", declared)
    if not isinstance(finding, HeadMissing) or stem in ("", declared):
        return None
    return BaseModelUsed(
        place=Place(key="architectures"),
        declared=declared,
        stored_class=f"{stem}Model",
        file=config.file,
        missing=(str(finding.place.tensor or finding.place.family),),
        stored=(),
        labels=None,
    )


def _is_base(finding: ClassDiffers) -> bool:
    """True if the weights are complete for a base class, which may have its own pooler."""
    named = finding.stored_class or ""
    return named.endswith("Model") and not named.endswith(("LMHeadModel", "HeadsModel", "EncoderModel"))
