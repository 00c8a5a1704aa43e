"""What the findings on the files of a checkpoint already say about its tensors."""

from __future__ import annotations

from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.weight_sets import shard_number


def lacks_shards(checkpoint: Checkpoint) -> bool:
    """Whether shards are missing, by their numbers, or cannot be read, and no index says what is in them."""
    if not checkpoint.findings:
        return False
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.shards.files import ShardMissing

    closed = [one for one in checkpoint.findings if one.unreadable or isinstance(one, NotACheckpoint)]
    if checkpoint.index is None and any(map(_is_shard, closed)):
        return True
    return any(isinstance(finding, ShardMissing) and finding.tensors is None for finding in checkpoint.findings)


def _is_shard(finding: Finding) -> bool:
    """Whether a finding is on a shard, or on several."""
    return finding.place.file is None or shard_number(finding.place.file) is not None


def weights_emptied(checkpoint: Checkpoint) -> bool:
    """Whether a finding says that the tensors were saved empty."""
    if not checkpoint.findings:
        return False
    from inspector.findings.reading.training import WeightsEmptied

    return any(isinstance(finding, WeightsEmptied) for finding in checkpoint.findings)


def lost_tensors(checkpoint: Checkpoint) -> list[str]:
    """Tensors in files that were not read, or listed in the index and in no header: reported already."""
    names = [name for names in checkpoint.lost.values() for name in names]
    index = checkpoint.index
    if index is not None and checkpoint.findings:
        from inspector.findings.shards.agreement import TensorAbsent

        if any(isinstance(finding, TensorAbsent) for finding in checkpoint.findings):
            names.extend(name for name in index.weight_map if name not in checkpoint.tensors)
    return names
