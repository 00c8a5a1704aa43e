"""Joins the findings on one shard of another model: its shapes, and what the index says of its tensors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.findings.finding import Finding, Place
from inspector.findings.shards.sizes import SizeOfShard
from inspector.loader.checkpoint import Checkpoint

if TYPE_CHECKING:
    from inspector.findings.shapes import ShapeDiffers
    from inspector.findings.shards.agreement import ShardOfAnotherSave

KEY_OF_SYMBOL: Final = re.compile(r"(?:(\w+) = )?([\w.]+) = (\d+)")
"""The reason for the value of a dim that is a key of the config: `d = hidden_size = 2048`, or without a symbol."""


def of_one_shard(
    stated: Sequence[Finding], findings: Sequence[Finding], checkpoint: Checkpoint
) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """The findings on the files and those on the contents, with one finding for a shard of another model.

    It replaces the findings on shapes that are wrong in one shard only, if tensors of the same families in the other
    shards fit, and those on entries of the index that this shard contradicts.
    """
    from inspector.findings.shapes import ShapeDiffers

    alike = [one for one in findings if isinstance(one, ShapeDiffers) and one.in_shards]
    if (other := _of_another_save(stated)) is not None:
        findings = [one for one in findings if not _is_unexpected_in(one, other, checkpoint)]
    if not alike or {len(one.files) for one in alike} != {1} or len({one.files for one in alike}) != 1:
        return stated, findings
    alike.sort(key=lambda one: not one.others)
    (file,) = alike[0].files
    sizes = _sizes(alike)
    if (known := _on_contents(stated, file, checkpoint)) is not None:
        joined = replace(known, sizes=sizes)
        rest = [one for one in stated if not _is_on_contents(one, file)]
        return [*rest, joined], [
            one for one in findings if one not in alike and not _is_unexpected_in(one, file, checkpoint)
        ]
    if len(alike) < 2 or not alike[0].others:
        return stated, findings
    whole = _whole(alike, sizes)
    return stated, [whole if one is alike[0] else one for one in findings if one is alike[0] or one not in alike]


def _whole(alike: Sequence[ShapeDiffers], sizes: tuple[SizeOfShard, ...]) -> ShapeDiffers:
    """One finding on all wrong shapes of a shard."""
    first, *others = alike
    also = tuple(str(name) for one in others for name in (one.place.tensor or one.place.family, *one.also))
    return replace(
        first, also=(*first.also, *also), tensors=sum(one.tensors for one in alike),
        names=tuple(name for one in alike for name in one.names), sizes=sizes,
    )  # fmt: skip


def _sizes(alike: Sequence[ShapeDiffers]) -> tuple[SizeOfShard, ...]:
    """The keys of the config that are one dim each, and for which all these shapes show the same other value."""
    found: dict[str, set[tuple[int, int]]] = {}
    for one in alike:
        reasons = [match for text in one.because if (match := KEY_OF_SYMBOL.fullmatch(text))]
        keys = {match[1] or match[2]: match[2] for match in reasons}
        for dim, expected, stored in zip(one.dims, one.expected, one.stored, strict=False):
            if dim in keys and expected is not None:
                found.setdefault(keys[dim], set()).add((expected, stored))
    single = {key: next(iter(pairs)) for key, pairs in found.items() if len(pairs) == 1}
    return tuple(SizeOfShard(key, config, shard) for key, (config, shard) in single.items() if config != shard)


def _is_on_contents(finding: Finding, file: str) -> bool:
    """True for a finding on tensors of the shard that the index lists elsewhere, nowhere, or that it lacks."""
    from inspector.findings.shards.agreement import TensorAbsent, TensorContradicted, TensorDoubled, TensorUnlisted

    kinds = TensorAbsent | TensorContradicted | TensorDoubled | TensorUnlisted
    return isinstance(finding, kinds) and finding.place.file == file


def _on_contents(stated: Sequence[Finding], file: str, checkpoint: Checkpoint) -> ShardOfAnotherSave | None:
    """One finding for all of these; None if there is no index, or nothing contradicts it."""
    from inspector.findings.shards.agreement import (
        ShardOfAnotherSave,
        TensorAbsent,
        TensorContradicted,
        TensorDoubled,
        TensorsOfFile,
    )

    index = checkpoint.index
    found = [one for one in stated if _is_on_contents(one, file) and isinstance(one, TensorsOfFile)]
    if index is None or not found:
        return None
    absent = [one for one in found if isinstance(one, TensorAbsent)]
    known = next((one for one in absent if isinstance(one, ShardOfAnotherSave)), None)
    repeated = sum(one.tensors for one in found if isinstance(one, TensorContradicted | TensorDoubled))
    return ShardOfAnotherSave(
        place=Place(file=file), tensors=sum(one.tensors for one in absent), index=index.file,
        names=tuple(name for one in absent for name in one.names),
        repeated=repeated + (known.repeated if known is not None else 0),
        unlisted=sum(of == file and name not in index.weight_map for name, of in checkpoint.file_of.items()),
    )  # fmt: skip


def _of_another_save(stated: Sequence[Finding]) -> str | None:
    """The shard that the loader found to be of another save."""
    from inspector.findings.shards.agreement import ShardOfAnotherSave

    return next((one.place.file for one in stated if isinstance(one, ShardOfAnotherSave)), None)


def _is_unexpected_in(finding: Finding, file: str, checkpoint: Checkpoint) -> bool:
    """True for unexpected tensors that are in this shard only."""
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    names = getattr(finding, "names", ())
    unexpected = isinstance(finding, PartUnexpected | TensorUnexpected) and bool(names)
    return unexpected and all(checkpoint.file_of.get(name) == file for name in names)
