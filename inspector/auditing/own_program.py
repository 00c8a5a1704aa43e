"""Folders of weights that are quantized for a program with a loader of its own, and what does not concern it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint

READ_INSIDE = "text_config"
"""The part of which transformers 5 reads the block."""

if TYPE_CHECKING:
    from inspector.quantization.unpacked import Unpacked


def for_own_program(audited: Audit, findings: list[Finding]) -> list[Finding]:
    """The findings with the note on the program; without the one that transformers looks for another file name."""
    unpacked = audited.unpacked
    if unpacked is None or not unpacked.schemes:
        return findings
    from inspector.quantization.missing_block import main_scheme, program_of

    scheme, program = main_scheme(unpacked), program_of(unpacked)
    if scheme is None or program is None or any(one.severity == "error" and not _is_name(one) for one in findings):
        return findings
    from inspector.findings.types.own_program import QuantizedForProgram

    packed = [line.packed for line in audited.lines if line.packed is not None and line.packed.scheme == scheme]
    bits = sorted({one.bits for one in packed})
    note = QuantizedForProgram(
        place=Place(file=audited.checkpoint.set_name),
        scheme=scheme,
        program=program,
        modules=unpacked.schemes[scheme],
        bits=f"{bits[0]:g} bits" if len(bits) == 1 else "",
    )
    return [*(one for one in findings if not _is_name(one)), note]


def stated_inside(unpacked: Unpacked) -> Iterator[Finding]:
    """The note on a block within the config of a part, where transformers does not look for it."""
    from inspector.quantization.missing_block import main_scheme
    from inspector.quantization.read_settings import TEXT_PARTS

    part, scheme = unpacked.settings.source.partition(".")[0], main_scheme(unpacked)
    if scheme is None or part not in TEXT_PARTS or part == READ_INSIDE:
        return
    from inspector.findings.types.own_program import QuantizationStatedInside

    yield QuantizationStatedInside(place=Place(key=unpacked.settings.source), scheme=scheme)


def for_comfyui(checkpoint: Checkpoint, unpacked: Unpacked) -> Iterator[Finding]:
    """The note on a file by itself whose scales only ComfyUI reads; others take the stored values for weights.

    Measured with diffusers 0.42 (`from_single_file`): it casts them, without their scales.
    """
    marked = [one for one in unpacked.helpers if one.key.endswith((".scale_weight", ".comfy_quant"))]
    if not marked or checkpoint.config is not None:
        return
    from inspector.findings.types.own_program import QuantizedForProgram

    scheme = marked[0].scheme
    yield QuantizedForProgram(
        place=Place(file=checkpoint.set_name),
        scheme=scheme,
        program="ComfyUI",
        modules=unpacked.schemes.get(scheme, 0),
        bits="",
    )


def _is_name(finding: Finding) -> bool:
    """Whether a finding is on the name of the only file."""
    from inspector.findings.shards.names import FileNameUnknown

    return isinstance(finding, FileNameUnknown)
