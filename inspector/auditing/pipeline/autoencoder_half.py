"""Handles the encoder or the decoder of an autoencoder without the other half."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.auditing.result import Audit, verdict_of
from inspector.dialects.autoencoder_half import OTHER, half_of
from inspector.dialects.catalog import is_single_file
from inspector.dialects.single_file import parts_of
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.layout import Layout

if TYPE_CHECKING:
    from inspector.findings.names.autoencoder_half import AutoencoderHalf


def without_other_half(part: Audit) -> tuple[Audit, AutoencoderHalf] | None:
    """The audit of a half, for which the other half is not missing, and the note on it; None if more is missing.

    part: the audit of one half with the config of the whole.
    """
    half, case = half_of(part.checkpoint.tensors), part.case
    if half is None or case is None:
        return None
    other = OTHER[half]
    missing = case.placement.missing
    if case.placement.differences != sum(one.tensors for one in missing):
        return None
    if not missing or not all(one.block.key.startswith(f"{other}.") for one in missing):
        return None
    from inspector.findings.names.autoencoder_half import AutoencoderHalf
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing
    from inspector.findings.single_causes import WeightsIncomplete

    lacking = (part.counts.expected_parameters or 0) - part.counts.parameters
    note = AutoencoderHalf(
        place=Place(), half=half, absent=other, tensors=sum(one.tensors for one in missing), parameters=lacking
    )
    kept = [one for one in part.findings if not isinstance(one, LayersMissing | TensorMissing | WeightsIncomplete)]
    counts = replace(part.counts, expected_parameters=part.counts.parameters)
    whole = replace(part, ledger=replace(part.ledger, counts=counts))
    return replace(whole, findings=tuple(kept), verdict=verdict_of(kept, part.skipped)), note


def compared_with_whole(audited: Audit, base: Audit) -> Audit | None:
    """The audit of a half with what its base's autoencoder has; None for anything else, or a base without one."""
    from inspector.findings.names.autoencoder_half import AutoencoderHalf

    note = next((one for one in audited.findings if isinstance(one, AutoencoderHalf)), None)
    part = audited.components.get("vae")
    if note is None or part is None:
        return None
    whole = _autoencoder(base)
    if not any(name.startswith(f"{note.half}.") for name in whole):
        return None
    own = part.checkpoint.tensors
    differing = [part.checkpoint.names_in_file.get(name, name) for name, one in own.items()
                 if name in whole and whole[name].shape != one.shape]  # fmt: skip
    said = replace(note, base=base.title, other_shapes=tuple(differing[:NAMES_SHOWN]))
    findings: list[Finding] = [said if one is note else one for one in audited.findings]
    return audited.with_findings(findings)


def _autoencoder(base: Audit) -> Mapping[str, Layout]:
    """The tensors of a base's autoencoder under the names of diffusers; none if it has no autoencoder."""
    stored = base.components.get("vae", base).checkpoint.tensors
    if not is_single_file(stored):
        return stored
    found = [one for one in parts_of(stored).components if one.name == "vae"]
    return found[0].tensors if len(found) == 1 else {}
