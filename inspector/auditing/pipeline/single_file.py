"""Audits Stable Diffusion in a single file: each component with its definition, and the sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from inspector.auditing.pipeline.audit import AuditPart, skipped_in, summed
from inspector.auditing.pipeline.beside_yaml import other_settings
from inspector.auditing.pipeline.encoder_names import unread_encoders
from inspector.auditing.pipeline.encoder_rows import other_rows
from inspector.auditing.pipeline.encoder_widths import other_widths
from inspector.auditing.pipeline.left_names import left_names
from inspector.auditing.pipeline.misplaced_encoder import misplaced_encoders
from inspector.auditing.pipeline.network_blocks import lost_blocks
from inspector.auditing.result import Audit, verdict_of
from inspector.dialects import t2i_adapter
from inspector.dialects.autoencoder_half import config_of_half, half_of
from inspector.dialects.catalog import is_lone
from inspector.dialects.lone_signs import T2I_ADAPTER
from inspector.dialects.single_file import (
    DIFFERENCE,
    NO_LAST_SIGNAL,
    PREDICTS_V,
    PROJECTED,
    PROJECTION,
    ComponentTensors,
    SingleFile,
    parts_of,
)
from inspector.findings.finding import Finding, Place, merged, ordered
from inspector.findings.names.components import ComponentExtra
from inspector.findings.totals import BuffersStored
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout
from inspector.matcher.families import families_of
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Ledger, Line

if TYPE_CHECKING:
    from inspector.findings.names.single_file import SingleFileParts
    from inspector.findings.names.tensors import TensorMissing


VAE: Final = "vae"
DIFFUSION: Final = ("unet", "transformer")
MARKS: Final = (DIFFERENCE, PREDICTS_V, NO_LAST_SIGNAL)
"""Tensors whose names alone are read; their findings are others than that on tables."""
LAST: Final = "decoder.conv_out"
"""The last convolution of an autoencoder's decoder."""
CONVOLUTION: Final = 4
"""Fewest dims of a convolution's weight."""
NEEDED: Final = (("vae", "vae"), ("text encoder", "text_encoder"))
"""(component that the pipelines of these networks also have, beginning of the names of such components)."""
OF_CHECKPOINTS: Final = (("first_stage_model.",), ("cond_stage_model.", "conditioner."))
"""Beginnings of the names of an autoencoder and of text encoders that only files of a whole model have."""


def audit_single_file(root: Checkpoint, audit_part: AuditPart) -> Audit:
    """Audits Stable Diffusion in a single file: each component under the names of its definition, and the sums."""
    found = parts_of(root.tensors)
    parts: dict[str, Audit] = {}
    own_findings = list(root.findings)
    findings: list[Finding] = []
    lost: list[TensorMissing] = []
    for component in found.components:
        name = component.name if component.name not in parts else component.prefix.rstrip(".")
        part = audit_part(_component(root, name, component.tensors, component.names))
        part, of_half = _as_half(part, component)
        own_findings.extend(of_half)
        parts[name] = part
        if not (root.lost or root.partial or any(one.severity == "error" for one in part.findings)):
            own_findings.extend(lost_blocks(component))
        findings.extend(_within(one, name, component) for one in part.findings if _is_of_file(one, component))
        lost.extend(_lost_projection(component))
        own_findings.extend(_channels(component))
        own_findings.extend(_library(root, component) if part.case is None else ())
    if found.others:
        parts["other"] = audit_part(_component(root, "other", found.others, {}))
        findings.extend(parts["other"].findings)
    own = [*_lines(found.schedule, ledger.BUFFER, "schedule"), *_lines(found.ema, ledger.EXTRA, "model_ema")]
    own.extend(_lines(found.scales, ledger.EXTRA, "logit_scale"))
    own.extend(_lines(found.tokenizers, ledger.BUFFER, "tokenizer"))
    own.extend(_lines(found.copies, ledger.EXTRA, "copy"))
    own_findings.extend((*_beside(found), *_copies(found)))
    known = any(part.case is not None for name, part in parts.items() if name in DIFFUSION)
    if not (root.lost or root.partial):
        own_findings.extend(_partial(list(parts)) if known else _without_network(list(parts), found))
        own_findings.extend(other_widths(found.components))
        own_findings.extend(_in_folder(root, parts))
    own_findings.extend((*misplaced_encoders(root.tensors), *left_names(root.tensors), *_unread(found)))
    own_findings.extend((*other_settings(root), *other_rows(found.components), *unread_encoders(found.components)))
    findings = ordered([*merged(own_findings), *lost, *findings])
    skipped = skipped_in(parts)
    lines = (*(line for part in parts.values() for line in part.lines), *own)
    expected = summed(parts).expected_parameters
    expected = None if expected is None else expected + sum(one.parameters for one in lost)
    counts = ledger.add_up(lines, expected).counts
    return Audit(
        root.source,
        root.title,
        root,
        None,
        None,
        Ledger(lines, counts),
        findings=tuple(findings),
        skipped=skipped,
        verdict=verdict_of(findings, skipped),
        components=parts,
    )


def _as_half(part: Audit, component: ComponentTensors) -> tuple[Audit, Sequence[Finding]]:
    """The audit of a component, as that of a half if it is the encoder or the decoder of an autoencoder alone."""
    if component.name != VAE or component.prefix or half_of(component.tensors) is None:
        return part, ()
    from inspector.auditing.pipeline.autoencoder_half import without_other_half

    found = without_other_half(part)
    return (part, ()) if found is None else (found[0], (found[1],))


def _beside(found: SingleFile) -> Iterator[Finding]:
    """The notes on the noise schedule, the averaged copy and the scales that are stored next to the components."""
    if DIFFERENCE in found.schedule:
        from inspector.findings.names.single_file import ControlNetDifferences

        yield ControlNetDifferences(place=Place(tensor=DIFFERENCE), mark=DIFFERENCE)
    if PREDICTS_V in found.schedule:
        from inspector.findings.names.noise_marks import NoiseMarked

        marks = tuple(name for name in (PREDICTS_V, NO_LAST_SIGNAL) if name in found.schedule)
        yield NoiseMarked(place=Place(tensor=PREDICTS_V), marks=marks, rescaled=NO_LAST_SIGNAL in marks)
    if tables := {name: one for name, one in (*found.schedule.items(), *found.tokenizers.items()) if name not in MARKS}:
        yield BuffersStored(
            place=Place(tensor=next(iter(tables))),
            elements=_elements(tables),
            bytes=_bytes(tables),
            tensors=len(tables),
            families=tuple(tables)[:20],
        )
    for component, tensors in (("model_ema", found.ema), ("logit_scale", found.scales)):
        if tensors:
            yield ComponentExtra(
                place=Place(tensor=next(iter(tensors))),
                component=component,
                parameters=_elements(tensors),
                bytes=_bytes(tensors),
                tensors=len(tensors),
                families=tuple(tensors)[:20],
                class_name=None,
            )


def _in_folder(root: Checkpoint, names: Iterable[str]) -> Iterator[Finding]:
    """The note on a folder that has a network in a single file, and is no pipeline."""
    if not root.alone and root.config is None and root.pipeline is None and any(name in DIFFUSION for name in names):
        from inspector.findings.names.whole_in_folder import SingleFileInFolder

        yield SingleFileInFolder(place=Place(file=root.set_name), file=root.set_name)


def _copies(found: SingleFile) -> Iterator[Finding]:
    """The note on a matrix that is stored a second time."""
    if found.copies:
        from inspector.findings.names.whole_in_folder import ProjectionStoredTwice

        others = tuple(found.copies)
        prefix = next(one.prefix for one in found.components if others[0].startswith(one.prefix))
        first = f"{prefix}{PROJECTION}"
        yield ProjectionStoredTwice(place=Place(tensor=others[0]), first=first, others=others)


def _unread(found: SingleFile) -> Iterator[Finding]:
    """The findings on prefixes of components that programs do not read."""
    for one in found.unread:
        from inspector.findings.names.single_file_prefixes import (
            ComponentPrefixIncomplete,
            ComponentPrefixRepeated,
            ComponentPrefixUnread,
        )

        component = next(part for part in found.components if part.prefix == one.prefix)
        kind: type[ComponentPrefixUnread] = ComponentPrefixRepeated if one.repeated else ComponentPrefixUnread
        kind = ComponentPrefixIncomplete if one.completed else kind
        yield kind(
            place=Place(tensor=next(iter(component.names.values()))),
            component=component.name,
            prefix=one.prefix,
            wanted=one.wanted,
            tensors=len(component.tensors),
        )


def lone_network(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The note on a transformer under the prefix of a whole pipeline in a single file without other components."""
    if checkpoint.config is None and not (checkpoint.lost or checkpoint.partial) and is_lone(checkpoint.tensors):
        from inspector.auditing.pipeline.image_programs import whole_folder

        yield from (msgspec.structs.replace(one, folder=whole_folder(checkpoint)) for one in _partial(["transformer"]))


def _partial(names: Sequence[str]) -> Iterator[SingleFileParts]:
    """The note on a file that has a diffusion network without other components of its pipeline."""
    absent = [what for what, start in NEEDED if not _has(names, start)]
    if absent and any(name in DIFFUSION for name in names):
        from inspector.findings.names.single_file import SingleFileParts, SingleFileWithoutVae

        kind = SingleFileWithoutVae if absent == ["vae"] else SingleFileParts
        yield kind(present=tuple(name for name in names if name != "other"), absent=tuple(absent))


def _without_network(names: Sequence[str], found: SingleFile) -> Iterator[Finding]:
    """The finding on a file with the other components of a pipeline, but no network that removes noise."""
    if found.others or any(name in DIFFUSION for name in names) or not all(_has(names, start) for _, start in NEEDED):
        return
    if not all(any(one.prefix.startswith(start) for one in found.components) for start in OF_CHECKPOINTS):
        return  # a bundle of another program
    from inspector.findings.names.single_file import SingleFileWithoutNetwork

    yield SingleFileWithoutNetwork(present=tuple(names), averages=len(found.ema))


def _has(names: Sequence[str], start: str) -> bool:
    return any(name.startswith(start) for name in names)


def _lost_projection(component: ComponentTensors) -> Iterator[TensorMissing]:
    """The finding on SDXL's second text encoder if it lacks the text projection, which diffusers builds.

    Source: diffusers `loaders/single_file_utils.py`, `create_diffusers_clip_model_from_ldm`.
    """
    norm = component.tensors.get("ln_final.weight")
    if component.prefix not in PROJECTED or norm is None or "text_projection" in component.tensors:
        return
    from inspector.findings.names.tensors import TensorMissing

    name = f"{component.prefix}text_projection"
    width = norm.shape[0]
    yield TensorMissing(
        place=Place(tensor=name),
        names=(name,),
        families=(name,),
        tensors=1,
        parameters=width * width,
        shape=(width, width),
        role="head.project.text",
        expected_tensors=1,
        counted=True,
    )


def _library(root: Checkpoint, component: ComponentTensors) -> Iterator[Finding]:
    """The finding on the library whose names a lone component without a definition has, as they are in the file."""
    if component.prefix:
        return
    from inspector.auditing.identity.unknown_type import by_names
    from inspector.findings.names.of_library import PartsByNames

    yield from (one for one in by_names(families_of(root.tensors)) if not isinstance(one, PartsByNames))


def _channels(component: ComponentTensors) -> Iterator[Finding]:
    """The note on an autoencoder with a decoder that gives another number of channels than the encoder reads.

    Measured with diffusers 0.42 (`AutoencoderKLWan.from_single_file`): a ValueError about the shape of the last
    convolution. Decoders with a variance for each channel (`2 * channels`) are those of other kinds of models.
    """
    reads, gives = (component.tensors.get(f"{name}.weight") for name in ("encoder.conv_in", LAST))
    if reads is None or gives is None or min(len(reads.shape), len(gives.shape)) < CONVOLUTION:
        return
    read, given = reads.shape[1], gives.shape[0]
    if component.name != "vae" or not read or given in (read, 2 * read):
        return
    from inspector.findings.names.single_file import DecoderChannelsDiffer

    place = Place(tensor=component.stored(f"{LAST}.weight"))
    yield DecoderChannelsDiffer(place=place, read=read, given=given, shape=gives.shape)


def _component(root: Checkpoint, name: str, tensors: dict[str, Layout], names: Mapping[str, str]) -> Checkpoint:
    """A component as a separate checkpoint, without the findings that are reported for the file."""
    shown = t2i_adapter.config_of(tensors) if name == T2I_ADAPTER else None
    shown = config_of_half(tensors) if name == VAE else shown
    return Checkpoint(
        root.source,
        name,
        None if shown is None else Config(root.set_name, shown, "config"),
        tensors=tensors,
        file_of={own: root.file_of.get(names.get(own, own), root.set_name) for own in tensors},
        cut=tuple(own for own in tensors if names.get(own, own) in root.cut) if root.cut else (),
        names_in_file=names,
        set_name=root.set_name,
        kind=root.kind,
        readable=True,
        partial=root.partial,
        alone=True,
    )


def _is_of_file(finding: Finding, component: ComponentTensors) -> bool:
    """False for findings by names on a component with new names: the file does not have these names."""
    from inspector.findings.names.of_library import LibraryByNames, LibraryReadsOthers, PartsByNames

    renamed = any(stored != f"{component.prefix}{own}" for own, stored in component.names.items())
    return not (renamed and isinstance(finding, LibraryByNames | LibraryReadsOthers | PartsByNames))


def _within(finding: Finding, name: str, component: ComponentTensors) -> Finding:
    """A finding of a component, with tensor names as in the file."""
    from inspector.findings.names.renamed import TensorRenamed

    place = finding.place
    stored = None if place.tensor is None else component.stored(place.tensor)
    if isinstance(finding, TensorRenamed) and finding.tensors == 1:
        expected = component.stored(finding.expected)
        pair = (component.stored(finding.stored), expected)
        finding = msgspec.structs.replace(finding, stored=pair[0], expected=expected, renames=(pair,))
    return finding.within(name, msgspec.structs.replace(place, tensor=stored))


def _lines(tensors: Mapping[str, Layout], kind: str, component: str) -> Iterator[Line]:
    for family in families_of(tensors).values():
        for part in family.stored:
            counted = part.elements if kind == ledger.EXTRA else 0
            yield Line(
                family=family.key,
                role=component,
                kind=kind,
                layout=part.layout,
                boxes=part.boxes,
                tensors=part.tensors,
                elements=part.elements,
                parameters=counted,
                component=component if kind == ledger.EXTRA else "",
            )


def _elements(tensors: Mapping[str, Layout]) -> int:
    return sum(layout.elements for layout in tensors.values())


def _bytes(tensors: Mapping[str, Layout]) -> int:
    return sum(layout.bytes for layout in tensors.values())
