"""Recognises weights that vLLM saved as the state of its ranks: joined projections, and a slice of every matrix in each
file.

Source: `ShardedStateLoader` of vLLM (`model_executor/model_loader/sharded_state_loader.py`), which writes and reads
`model-rank-{rank}-part-{part}.safetensors`; examples/offline_inference/save_sharded_state.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import Audit, Skipped, verdict_of
from inspector.findings.finding import ContentFinding, Finding, Place
from inspector.loader.checkpoint import Checkpoint

FILE: Final = re.compile(r"model-rank-(\d{1,6})-part-\d{1,6}\.safetensors", re.ASCII)
TABLE: Final = "model.embed_tokens.weight"
"""A tensor with rows that are divided among the ranks."""
OPEN: Final = Skipped("names and shapes", "the files are slices of ranks, as vLLM holds them", decisive=True)


def with_sharded_state(audited: Audit) -> Audit:
    """Replaces the findings on a state of vLLM's ranks by one that names its form and the absent ranks.

    For a whole model under such a name, only the name is wrong; if the table of tokens shows no more than one rank, the
    shapes may show the ranks.
    """
    checkpoint = audited.checkpoint
    if FILE.fullmatch(checkpoint.set_name) is None:
        return audited
    from inspector.findings.shards.names import FileNameUnknown, ModelWeightsAbsent
    from inspector.findings.shards.sharded_state import RanksMissing, ShardedState
    from inspector.findings.single_causes import OneRankOfSeveral

    ranks = _ranks(checkpoint)
    of = _number_of_ranks(checkpoint)
    wrong = [one for one in audited.findings if isinstance(one, ContentFinding) and one.severity == "error"]
    if not wrong or (of in (None, 1) and any(isinstance(one, OneRankOfSeveral) for one in wrong)):
        return audited
    kind = RanksMissing if of is not None and set(range(of)) - ranks else ShardedState
    own = kind(place=Place(file=checkpoint.set_name), ranks=tuple(sorted(ranks)), of=of or 0)
    replaced = ContentFinding | FileNameUnknown | ModelWeightsAbsent
    kept: list[Finding] = [one for one in audited.findings if not isinstance(one, replaced)]
    skipped = (*audited.skipped, OPEN)
    audited = replace(audited, skipped=skipped, verdict=verdict_of([*kept, own], skipped), loads=())
    return audited.with_findings([*kept, own])


def _ranks(checkpoint: Checkpoint) -> set[int]:
    """The ranks that have a file."""
    names: Iterable[str] = (
        *(file.name for file in checkpoint.files),
        *(file for one in checkpoint.other_sets for file in (one.name, *one.files)),
        *checkpoint.siblings,
    )
    return {int(found[1]) for name in names if (found := FILE.fullmatch(name)) is not None}


def _number_of_ranks(checkpoint: Checkpoint) -> int | None:
    """The number of ranks that share the table of tokens, if its stored rows divide the vocabulary in the config."""
    table, config = checkpoint.tensors.get(TABLE), checkpoint.config
    rows = table.shape[0] if table is not None and table.shape else 0
    vocabulary = None if config is None else config.values.get("vocab_size")
    if type(vocabulary) is not int or not rows or vocabulary % rows or vocabulary <= 0:
        return None
    return vocabulary // rows
