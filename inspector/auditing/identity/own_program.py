"""Handles folders with weights that are quantized for a program with its own loader, and removes findings that do not
concern it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import QUANTIZATION_KEYS
from inspector.reconciler.ledger import Line

READ_INSIDE: Final = "text_config"
"""The sub-config in which transformers 5 reads the block."""
BLOCK: Final = QUANTIZATION_KEYS[0]
SIZE: Final = "weight_block_size"
FP8: Final = "fp8"
NF4: Final = "nf4"
FORGE: Final = "Stable Diffusion web UI Forge (bitsandbytes)"
JOINING: Final = frozenset({"quip"})
"""Schemes of programs that join the modules of one input before they quantize them."""
ASSUMED: Final = 128
"""The rows and columns of a block that are assumed if the config states none."""

if TYPE_CHECKING:
    from inspector.quantization.unpacked import Unpacked


def for_own_program(audited: Audit, findings: list[Finding]) -> list[Finding]:
    """Adds the note on the program and removes the finding that transformers looks for another file name."""
    unpacked = audited.unpacked
    if unpacked is None or not unpacked.schemes:
        return findings
    from inspector.quantization.missing_block import main_scheme, program_of

    scheme, program = main_scheme(unpacked), program_of(unpacked, audited.checkpoint.set_name)
    if scheme is None or program is None:
        return findings
    left = [one for one in findings if not _is_name(one) and not (scheme in JOINING and _is_joint(one))]
    if any(one.severity == "error" for one in left):
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
    return [*left, note]


def stated_inside(unpacked: Unpacked, list_key: str, plain: Sequence[str]) -> Iterator[Finding]:
    """The note on a quantization block in the config of a part, which transformers does not read.

    list_key, plain: the key and the entries of the list of plain modules that a block for the whole model needs.
    """
    from inspector.quantization.missing_block import main_scheme
    from inspector.quantization.read_settings import TEXT_PARTS

    part, scheme = unpacked.settings.source.partition(".")[0], main_scheme(unpacked)
    if scheme is None or part not in TEXT_PARTS or part == READ_INSIDE:
        return
    from inspector.findings.types.own_program import QuantizationStatedInside

    place, needed = Place(key=unpacked.settings.source), bool(plain) and not unpacked.settings.ignored
    yield QuantizationStatedInside(
        place=place, scheme=scheme, list_key=list_key if needed else "", entries=tuple(plain) if needed else ()
    )


def block_size_unstated(checkpoint: Checkpoint, unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Finding]:
    """The note on blocks of a size that only transformers assumes (`FineGrainedFP8Config`; vLLM's `Fp8Config` does
    not).
    """
    block = checkpoint.config.values.get(BLOCK) if checkpoint.config is not None else None
    if not isinstance(block, dict) or block.get("quant_method") != FP8 or SIZE in block:
        return
    shapes = {line.family: line.layout.shape for line in lines if line.packed is not None}
    scales = [one for one in unpacked.helpers if one.key.endswith(".weight_scale_inv")]
    if not scales or any(one.layout.shape != _blocks(shapes.get(one.of, ())) for one in scales):
        return
    from inspector.findings.types.own_program import BlockSizeUnstated

    yield BlockSizeUnstated(place=Place(key=f"{BLOCK}.{SIZE}"), modules=sum(one.tensors for one in scales))


def _blocks(shape: Sequence[int]) -> tuple[int, ...]:
    """The numbers of blocks of the assumed size along each axis of a matrix."""
    return tuple(-(-size // ASSUMED) for size in shape) if len(shape) == 2 else ()


def for_one_program(checkpoint: Checkpoint, unpacked: Unpacked) -> Iterator[Finding]:
    """The note on a single file in a form that only ComfyUI, optimum-quanto or Forge reads.

    Other programs read ComfyUI's stored values as weights; measured with diffusers 0.42 (`from_single_file`): it casts
    them, without their scales. They find no weight under quanto's names: `from_single_file` raises a KeyError. Forge
    (`backend/operations.py`, `ForgeOperationsBNB4bits`) and ComfyUI's node for NF4 read bitsandbytes' 4 bits in the
    file of a diffusion model; diffusers divides the packed matrices as if they were weights.
    """
    from inspector.dialects.catalog import is_network
    from inspector.quantization.missing_block import QUANTO, main_scheme

    marked = [one for one in unpacked.helpers if one.key.endswith((".scale_weight", ".comfy_quant"))]
    main = main_scheme(unpacked)
    of_forge = main == NF4 and is_network(checkpoint.tensors)
    if checkpoint.config is not None or not (marked or main in QUANTO or of_forge):
        return
    from inspector.findings.types.own_program import QuantizedForProgram

    scheme = marked[0].scheme if marked else main or ""
    yield QuantizedForProgram(
        place=Place(file=checkpoint.set_name),
        scheme=scheme,
        program="ComfyUI" if marked else FORGE if of_forge else "optimum-quanto",
        modules=unpacked.schemes.get(scheme, 0),
        bits="",
    )


def _is_name(finding: Finding) -> bool:
    """True if a finding is on the name of the only file."""
    from inspector.findings.shards.names import FileNameUnknown

    return isinstance(finding, FileNameUnknown)


def _is_joint(finding: Finding) -> bool:
    """True if a finding is on joined modules, which no other finding concerns."""
    from inspector.findings.names.joined import ProjectionsJoined

    return isinstance(finding, ProjectionsJoined) and finding.joined


def joining_program(findings: Sequence[Finding]) -> str:
    """The program that joins modules before it quantizes them, if a note names it; empty otherwise."""
    from inspector.findings.types.own_program import QuantizedForProgram

    notes = (one for one in findings if isinstance(one, QuantizedForProgram) and one.scheme in JOINING)
    return next((one.program for one in notes), "")
