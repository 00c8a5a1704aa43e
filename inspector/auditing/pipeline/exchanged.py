"""Finds components of a pipeline with exchanged weight files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.result import CLEAN, FINDINGS, Audit
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.claim import claim_of
from inspector.matcher.families import families_of
from inspector.matcher.reading import read_claimed

if TYPE_CHECKING:
    from inspector.findings.names.pipelines import ComponentsExchanged

MOST_PAIRS: Final = 6
"""Most pairs of components that are tried."""


def exchanged(parts: Mapping[str, Audit], audit_part: Callable[[Checkpoint], Audit]) -> Iterator[ComponentsExchanged]:
    """Yields a finding for each pair of components that has problems and is clean with exchanged weight files."""
    tried = 0
    for first, second in combinations(parts, 2):
        one, other = parts[first], parts[second]
        if FINDINGS not in (one.verdict, other.verdict) or not (_single(one) and _single(other)):
            continue
        if not (_may_be_of(one, other) and _may_be_of(other, one)) or tried == MOST_PAIRS:
            continue
        tried += 1
        swapped = (_with_weights(one, other.checkpoint), _with_weights(other, one.checkpoint))
        if all(audit_part(checkpoint).verdict == CLEAN for checkpoint in swapped):
            from inspector.findings.names.pipelines import ComponentsExchanged

            files = (one.checkpoint.set_name, other.checkpoint.set_name)
            yield ComponentsExchanged(components=(first, second), files=files)


def _single(part: Audit) -> bool:
    """True if a component has a config and one readable file of weights."""
    checkpoint = part.checkpoint
    config = checkpoint.config
    whole = not (checkpoint.index or checkpoint.damaged) and len(checkpoint.files) == 1
    return checkpoint.readable and whole and config is not None and config.kind == "config"


def _may_be_of(one: Audit, other: Audit) -> bool:
    """True if the file of one component could belong to another: it has its format, enough numbers and its names."""
    ending = one.checkpoint.set_name.rpartition(".")[2]
    expected = other.counts.expected_parameters or 0
    by_config = expected != other.counts.unique_parameters  # else it may be what the names say
    too_few = by_config and expected > one.counts.stored_elements
    return other.checkpoint.set_name.endswith(f".{ending}") and not too_few and _has_names_of(one, other)


def _has_names_of(one: Audit, other: Audit) -> bool:
    """True if the definition of the other component may know the names of the weights of one."""
    config = other.checkpoint.config
    claimed = None if config is None else read_claimed(claim_of(config), families_of(one.checkpoint.tensors))
    return claimed is None or claimed.fits


def _with_weights(part: Audit, other: Checkpoint) -> Checkpoint:
    """A component with the weights of another one, under its own file name."""
    own = part.checkpoint
    name = own.set_name
    return replace(
        own,
        tensors=other.tensors,
        file_of=dict.fromkeys(other.file_of, name),
        files=tuple(replace(file, name=name) for file in other.files),
        findings=(),
    )
