"""Removes findings on config values derived from another GGUF key that has its own finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config

if TYPE_CHECKING:
    from inspector.findings.config import ConfigDisagrees


def corrected(worded: Sequence[Finding], checkpoint: Checkpoint) -> Config | None:
    """The key-values of a GGUF file, corrected with the values in the findings; None without such a finding."""
    stated = checkpoint.metadata
    if stated is None or not stated.of_gguf:
        return None
    right = {one.file_key: one.solved for one in _on_config(worded) if one.file_key in stated.values}
    return replace(stated, values={**stated.values, **{key: value for key, value in right.items() if key}})


def underived(worded: Sequence[Finding], checkpoint: Checkpoint) -> Sequence[Finding]:
    """Removes findings on config keys that become right when the keys of the file are corrected.

    The default width of a head is the width of the model divided by the number of heads: a wrong model width makes both
    wrong.
    """
    right, stated = corrected(worded, checkpoint), checkpoint.metadata
    if right is None or stated is None or right.values == stated.values:
        return worded
    from inspector.dialects.gguf_config import config_of

    config = config_of(right.values, checkpoint.tensors) or {}
    resolved = [one for one in _on_config(worded) if one.file_key not in stated.values and _is_right(one, config)]
    return [one for one in worded if one not in resolved]


def underived_heads(
    findings: Sequence[Finding], worded: Sequence[Finding], checkpoint: Checkpoint
) -> tuple[Finding, ...]:
    """Removes findings on heads and sizes that fit once the keys of the file are corrected."""
    if not findings or checkpoint.metadata is None:
        return tuple(findings)
    from inspector.findings.types.gguf_heads import GgufHeadsDisagree, GgufRotaryWidth, GgufSizeDisagrees

    stated = [one for one in findings if isinstance(one, GgufHeadsDisagree | GgufRotaryWidth | GgufSizeDisagrees)]
    right, config = (corrected(worded, checkpoint), checkpoint.config) if stated else (None, None)
    if right is None or config is None:
        return tuple(findings)
    from inspector.dialects.gguf_heads import head_findings
    from inspector.dialects.gguf_sizes import size_findings

    model_type = config.values.get("model_type")
    left = [check(right, model_type, checkpoint.tensors) for check in (head_findings, size_findings)]
    keys = {one.place.key for some in left for one in some}
    return tuple(one for one in findings if one not in stated or one.place.key in keys)


def _on_config(findings: Sequence[Finding]) -> Iterator[ConfigDisagrees]:
    from inspector.findings.config import ConfigDisagrees

    return (one for one in findings if isinstance(one, ConfigDisagrees))


def _is_right(finding: ConfigDisagrees, config: Mapping[str, object]) -> bool:
    return finding.key in config and config[finding.key] == finding.solved
