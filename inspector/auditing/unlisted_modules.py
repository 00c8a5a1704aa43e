"""Models for sentence-transformers without modules.json, the list of the modules after the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.model_card import CARD, Card, card_of
from inspector.auditing.result import Audit
from inspector.auditing.sentence_listing import MODULES, OF_ENCODER, OF_TRANSFORMER
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint, load_within
from inspector.loader.config_file import named_class
from inspector.loading.sentence_modules import new_pooling

if TYPE_CHECKING:
    from inspector.findings.sentence_modules import ModulesUnlisted

POOLING: Final = "1_Pooling"
"""The folder of the pooling behind a model, as sentence-transformers names it."""
LIBRARY: Final = "sentence-transformers"
TASKS: Final = frozenset({"sentence-similarity", "feature-extraction"})
"""Tasks on model cards of encoders that are a model with a pooling."""
OTHER_KINDS: Final = frozenset({
    "cross-encoder", "reranker", "text-ranking", "sparse-encoder", "splade", "sparse", "asymmetric", "multi-vector",
    "colbert", "pylate", "late-interaction", "static-embeddings", "model2vec", "mlx",
})  # fmt: skip
"""Tasks and tags on cards of encoders of other kinds, which need no pooling, and of weights for another program."""
OF_LABELS: Final = "ForSequenceClassification"
"""End of the name of the class that a CrossEncoder loads, which needs no modules.json."""
OF_CROSS_ENCODER: Final = "sentence_transformers"
"""The key of config.json under which CrossEncoder states its settings."""


def unlisted_modules(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on a sentence encoder without the list of its modules, by its other files and its model card."""
    known = len(checkpoint.siblings) < SIBLINGS_KEPT and not checkpoint.alone
    if not known or MODULES in checkpoint.siblings:
        return
    named = OF_ENCODER if OF_ENCODER in checkpoint.siblings else ""
    if not named and OF_TRANSFORMER in checkpoint.siblings and load_within(checkpoint, POOLING) is not None:
        named = OF_TRANSFORMER  # earlier versions write no config of the whole encoder
    if named:
        yield _unlisted(checkpoint, named)
    elif OF_TRANSFORMER not in checkpoint.siblings:
        yield from _by_card(checkpoint, card_of(checkpoint))


def unlisted_for_library(audited: Audit, scorer: str, at_random: int) -> Audit:
    """The audit for sentence-transformers of a folder of transformers, to which it adds a pooling, or of a classifier
    for CrossEncoder.

    scorer, at_random: the class that CrossEncoder builds, and how many of its tensors are not stored; "" and 0 for a
    classifier.
    """
    from inspector.findings.sentence_modules import ForCrossEncoder, ModulesUnlisted, PoolingByDefault

    checkpoint = audited.checkpoint
    if any(isinstance(one, ModulesUnlisted) for one in audited.findings):
        return audited
    if not _is_cross_encoder(checkpoint):
        others = [one for one in audited.findings if not isinstance(one, PoolingByDefault)]
        return audited.with_findings([*others, replace(_unlisted(checkpoint), scorer=scorer, at_random=at_random)])
    class_name = None if checkpoint.config is None else named_class(checkpoint.config.values)
    if class_name is None:
        return audited
    return audited.with_findings([
        *audited.findings, ForCrossEncoder(class_name=class_name, pooling=_pooling(checkpoint))
    ])  # fmt: skip


def _by_card(checkpoint: Checkpoint, card: Card) -> Iterator[Finding]:
    words = {card.task, *card.tags}
    key = "library_name" if card.library == LIBRARY else "tags" if LIBRARY in card.tags else ""
    if not key or card.library not in ("", LIBRARY) or words & OTHER_KINDS or _is_cross_encoder(checkpoint):
        return
    if words & TASKS and checkpoint.adapter is None:
        yield _unlisted(checkpoint, CARD, key)
    elif key == "library_name":
        from inspector.findings.sentence_modules import PoolingByDefault

        yield PoolingByDefault(place=Place(file=CARD), pooling=_pooling(checkpoint))


def _unlisted(checkpoint: Checkpoint, named: str = "", key: str = "") -> ModulesUnlisted:
    from inspector.findings.sentence_modules import ModulesUnlisted

    return ModulesUnlisted(place=Place(file=named), key=key, pooling=_pooling(checkpoint))


def _is_cross_encoder(checkpoint: Checkpoint) -> bool:
    config = checkpoint.config
    if config is None:
        return False
    return OF_CROSS_ENCODER in config.values or str(named_class(config.values)).endswith(OF_LABELS)


def _pooling(checkpoint: Checkpoint) -> str:
    return "" if checkpoint.config is None or checkpoint.adapter is not None else new_pooling(checkpoint.config.values)
