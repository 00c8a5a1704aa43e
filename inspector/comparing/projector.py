"""Compares a composite model with llama.cpp's two files: the text model, and the towers with their
projector (mmproj).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.result import Audit, Skipped, verdict_with
from inspector.comparing.result import Comparison, RoleDifference, TargetCounts
from inspector.comparing.shapes import Shape, fit
from inspector.dialects.gguf import WRITER
from inspector.dialects.gguf_projector import ARCHITECTURE, is_outside_text, projector_names, without_first_row
from inspector.findings.conversion.projector import NotAProjector, ProjectorIncomplete, ProjectorMismatched
from inspector.findings.conversion.relation import LeftOut
from inspector.findings.finding import NAMES_SHOWN, Finding, ordered
from inspector.findings.names.tensors import TensorMissing
from inspector.findings.shapes import ShapeDiffers


class Outside(Struct, frozen=True):
    """A tensor of the source that a projector file contains. parts: its names there, in order. rows: first rows left
    out.
    """

    name: str
    parts: tuple[str, ...]
    rows: int = 0


class Projected(Struct):
    """How the tensors outside the text model are stored in the projector file.

    missing: with their expected names. unknown: tensors whose name in the file is not known. added: tensors of the file
    that correspond to no tensor of the source.
    """

    carried: list[Outside] = []
    missing: list[Outside] = []
    mismatched: list[Outside] = []
    unknown: list[str] = []
    added: list[str] = []


def is_projector(audited: Audit) -> bool:
    """True if a file is llama.cpp's file of towers and a projector."""
    stated = audited.checkpoint.metadata
    return stated is not None and stated.values.get("general.architecture") == ARCHITECTURE


def in_order(one: Audit, other: Audit) -> tuple[Audit, Audit]:
    """The text model and the projector, given two targets in either order."""
    return (other, one) if is_projector(one) and not is_projector(other) else (one, other)


def with_projector(compared: Comparison, projector: Audit) -> Comparison:
    """The comparison with a second target, in which the source's towers and projector are searched for."""
    if projector.verdict == "unreadable":
        return replace(compared, findings=(*compared.findings, *projector.findings), verdict="unreadable")
    if not is_projector(projector):
        stated = projector.checkpoint.metadata
        config = projector.checkpoint.config
        kind = None if config is None else config.values.get("model_type")
        kind = kind if stated is None else stated.values.get("general.architecture")
        wrong = NotAProjector(file=projector.title, architecture=kind if isinstance(kind, str) else None)
        findings = ordered([*compared.findings, wrong])
        return replace(compared, findings=tuple(findings), verdict=verdict_with(compared.verdict, findings))
    if compared.relation != "conversion":
        return compared
    found = projected(compared.source, projector)
    before, after = compared.source.checkpoint.tensors, projector.checkpoint.tensors
    cut = [one for one in found.carried if one.rows]
    carried = sum(after[part].elements for one in found.carried for part in one.parts)
    dropped = sum(before[one.name].elements for one in (*found.missing, *found.mismatched))
    invented = sum(after[part].elements for one in found.mismatched for part in one.parts)
    text = TargetCounts(
        compared.target.source,
        *compared.parameters,
        compared.carried or 0,
        compared.dropped or 0,
        compared.invented or 0,
    )
    other = TargetCounts(projector.source, carried + dropped, carried + invented, carried, dropped, invented)
    kept = _without_towers(compared.findings, found, compared.source)
    findings = ordered([*kept, *_findings(found, compared.source, projector), *_rows_left_out(cut, compared.source)])
    verdict = "findings" if dropped + invented and compared.verdict == "clean" else compared.verdict
    return replace(
        compared,
        targets=(text, other),
        roles=(*compared.roles, _role(other)),
        projector=projector,
        parameters=(text.source + other.source, text.target + other.target),
        carried=text.carried + carried,
        dropped=text.dropped + dropped,
        invented=text.invented + invented,
        findings=tuple(findings),
        verdict=verdict_with(verdict, findings),
        skipped=(*compared.skipped, *_skipped(found)),
    )


def _role(target: TargetCounts) -> RoleDifference:
    """The row of the towers and the projector in the table of roles."""
    return RoleDifference(
        role="towers, projector",
        source=target.source,
        target=target.target,
        because="",
        carried=target.carried,
        dropped=target.dropped,
        invented=target.invented,
        how=() if target.dropped or target.invented else ("same",),
    )


def projected(source: Audit, projector: Audit) -> Projected:
    """The tensors of a source that a projector file contains, found by their names."""
    found = Projected()
    config = source.checkpoint.config
    values = {} if config is None else config.values
    after = projector.checkpoint.tensors
    used: set[str] = set()
    for name, layout in source.checkpoint.tensors.items():
        if not is_outside_text(name):
            continue
        ways = [[_stored(part, after) for part in parts] for parts in projector_names(name, values)]
        there = next((way for way in ways if all(part in after for part in way)), None)
        if not ways:
            found.unknown.append(name)
            continue
        rows = int(there is not None and without_first_row(name))
        outside = Outside(name, tuple(there or ways[0]), rows)
        if there is None:
            found.missing.append(outside)
            continue
        used.update(there)
        shape = (layout.shape[0] - rows, *layout.shape[1:]) if rows else layout.shape
        fits = _fits(shape, [after[part].shape for part in there])
        (found.carried if fits else found.mismatched).append(outside)
    found.added = [name for name in after if name not in used]
    return found


def _stored(part: str, tensors: Container[str]) -> str:
    """The name in the file: llama.cpp adds `.weight` to some bare parameters."""
    return f"{part}.weight" if part not in tensors and f"{part}.weight" in tensors else part


def _fits(source: Shape, parts: Sequence[Shape]) -> bool:
    """True if a tensor has one of these shapes, or consists of these parts."""
    if len(parts) == 1:
        return fit(source, parts[0]).whole
    return prod(source) == sum(map(prod, parts)) and len({part[1:] for part in parts}) == 1


def _rows_left_out(cut: Sequence[Outside], source: Audit) -> Iterator[Finding]:
    """The note on first rows that the file does not contain."""
    if cut:
        layouts = [source.checkpoint.tensors[one.name] for one in cut]
        rows = sum(layout.elements // layout.shape[0] for layout in layouts)
        yield LeftOut(roles=("position embedding",), tensors=len(cut), parameters=rows, towers=(), writer=WRITER)


def _without_towers(findings: Sequence[Finding], found: Projected, source: Audit) -> Iterator[Finding]:
    """The findings. The note on tensors that the text file leaves out omits those in the projector file."""
    names = [one.name for one in (*found.carried, *found.missing, *found.mismatched)]
    judged, elements = len(names), sum(source.checkpoint.tensors[name].elements for name in names)
    for one in findings:
        if not isinstance(one, LeftOut) or not one.towers:
            yield one
        elif one.tensors > judged:
            yield replace(one, towers=(), tensors=one.tensors - judged, parameters=one.parameters - elements)


def _findings(found: Projected, source: Audit, projector: Audit) -> Iterator[Finding]:
    before, after = source.checkpoint.tensors, projector.checkpoint.tensors
    if found.missing:
        yield ProjectorIncomplete(
            tensors=len(found.missing),
            of=len(found.missing) + len(found.mismatched) + len(found.carried),
            names=tuple(one.parts[0] for one in found.missing[:NAMES_SHOWN]),
            source_names=tuple(one.name for one in found.missing[:NAMES_SHOWN]),
            parameters=sum(before[one.name].elements for one in found.missing),
            file=projector.title,
        )
    if found.mismatched:
        first = found.mismatched[0]
        yield ProjectorMismatched(
            tensors=len(found.mismatched),
            names=tuple(one.parts[0] for one in found.mismatched[:NAMES_SHOWN]),
            source_names=tuple(one.name for one in found.mismatched[:NAMES_SHOWN]),
            stored=after[first.parts[0]].shape,
            expected=before[first.name].shape,
            file=projector.title,
        )
    missing, mismatched = ({one.parts[0] for one in some} for some in (found.missing, found.mismatched))
    for one in projector.findings:
        absent = isinstance(one, TensorMissing) and missing.issuperset(one.names)
        misshapen = isinstance(one, ShapeDiffers) and mismatched.issuperset(one.names)
        if one.severity == "error" and not (absent or misshapen):
            yield one


def _skipped(found: Projected) -> Iterator[Skipped]:
    if found.unknown:
        count = f"{len(found.unknown):,} tensors" if len(found.unknown) > 1 else found.unknown[0]
        yield Skipped(f"{count} of towers", "their names in mmproj files are not known")
    if found.added:
        count = f"{len(found.added):,} tensors" if len(found.added) > 1 else found.added[0]
        yield Skipped(f"{count} of the mmproj file", "the names that they have in the source are not known")
