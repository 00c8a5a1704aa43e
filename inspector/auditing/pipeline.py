"""A diffusers pipeline: each component audited on its own, the sums, and what is missing.

`model_index.json` names the components: folder -> [library, class]. Classes without weights (tokenizers,
schedulers, processors) are no components here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import msgspec

from inspector.architectures.catalog import modules
from inspector.auditing.model import Audit, audit_checkpoint
from inspector.findings.finding import Finding, Place, merged, ordered
from inspector.findings.names.architecture import NamesOfAnotherArchitecture
from inspector.findings.names.components import (
    ComponentClassDiffers,
    ComponentExtra,
    ComponentMissing,
    PipelineFlattened,
)
from inspector.findings.reading.place import NoWeights
from inspector.findings.totals import BuffersStored
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.formats.latent_diffusion import Component, parts_of
from inspector.loader.layout import Layout
from inspector.loader.sources.source import is_plain_name
from inspector.matcher.families import families_of
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Counts, Ledger, Line

if TYPE_CHECKING:
    from inspector.reconciler.claims import Stated

WITHOUT_WEIGHTS = ("Tokenizer", "TokenizerFast", "Scheduler", "FeatureExtractor", "Processor", "ProcessorFast")
"""Endings of classes that store no weights."""
WORST = ("unreadable", "findings", "clean")

Open = Callable[[str], Checkpoint]
"""Loads the checkpoint in a folder of the source."""


def components_of(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """(folder, class) of each component with weights."""
    for name, entry in values.items():
        if name.startswith("_") or not isinstance(entry, list) or len(entry) != 2:
            continue
        class_name = entry[1]
        if isinstance(class_name, str) and not class_name.endswith(WITHOUT_WEIGHTS):
            yield name, class_name


def audit_pipeline(root: Checkpoint, opened: Open) -> Audit:
    """The audit of a pipeline: its parts' findings, each with the part it is of."""
    assert root.pipeline is not None
    wanted = dict(components_of(root.pipeline.values))
    checkpoints = {name: opened(name) for name in wanted if is_plain_name(name)}
    there = {name: one for name, one in checkpoints.items() if one.readable or one.siblings}
    evidence = _beyond_the_folder(root)
    if not there and root.readable:
        flat = audit_checkpoint(root)
        flattened = PipelineFlattened(
            place=Place(file=root.pipeline.file),
            class_name=root.pipeline.values.get("_class_name"),
            components=tuple(wanted),
        )
        return replace(flat, findings=tuple(ordered((flattened, *flat.findings))), verdict="findings")
    parts = {name: audit_checkpoint(one, like=_stated_class(one, wanted[name])) for name, one in there.items()}
    evidence.extend(_missing([(name, class_name) for name, class_name in wanted.items() if name not in there]))
    evidence.extend(_of_another_class(wanted, parts))
    found = merged(evidence)
    for name, part in parts.items():
        found.extend(one.within(name, _in_folder(name, one.place)) for one in part.findings)
    findings = ordered(found)
    bad = any(one.severity != "note" for one in findings)
    verdicts = {part.verdict for part in parts.values()} | ({"findings"} if bad else {"clean"})
    readable = any(part.checkpoint.readable for part in parts.values())
    verdict = next(one for one in WORST if one in verdicts) if readable else "unreadable"
    return Audit(
        root.source,
        root.title,
        replace(
            root, readable=readable, files=tuple(file for part in parts.values() for file in part.checkpoint.files)
        ),
        None,
        str(root.pipeline.values.get("_class_name") or "") or None,
        Ledger(tuple(line for part in parts.values() for line in part.lines), _summed(parts)),
        findings=tuple(findings),
        skipped=tuple(dict.fromkeys(skip for part in parts.values() for skip in part.skipped)),
        verdict="findings" if verdict == "unreadable" and readable and len(verdicts) > 1 else verdict,
        components=parts,
    )


MOST_NAMED = 8
"""Missing components that are told one by one."""


def _beyond_the_folder(root: Checkpoint) -> list[Finding]:
    """What was found while the pipeline was opened; that its own folder holds no weights is right."""
    return [finding for finding in root.evidence if not isinstance(finding, NoWeights)]


def _in_folder(name: str, place: Place) -> Place:
    """A place in a component, seen from the pipeline."""
    return msgspec.structs.replace(place, file=f"{name}/{place.file or ''}")


def _missing(missing: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    if len(missing) > MOST_NAMED:
        names = [name for name, _ in missing]
        yield ComponentMissing(
            place=Place(file="model_index.json"), component=None, class_name=None, components=tuple(names)
        )
        return
    for name, class_name in missing:
        yield ComponentMissing(place=Place(file=f"{name}/"), component=name, class_name=class_name, components=())


def _stated_class(component: Checkpoint, class_name: str) -> str | None:
    """The class of diffusers that the pipeline states for a component without a config of its own."""
    return class_name if component.config is None and class_name in modules() else None


def _of_another_class(wanted: Mapping[str, str], parts: Mapping[str, Audit]) -> Iterator[Finding]:
    """Components whose own config names another class of diffusers than the pipeline does."""
    for name, part in parts.items():
        config = part.checkpoint.config
        own = None if config is None else config.values.get("_class_name")
        told = any(isinstance(finding, NamesOfAnotherArchitecture) for finding in part.findings)
        if isinstance(own, str) and own != wanted[name] and not told and {own, wanted[name]} <= modules().keys():
            yield ComponentClassDiffers(place=Place(file=f"{name}/"), component=name, index=wanted[name], config=own)


def with_claim(audited: Audit, stated: Stated | None) -> Audit:
    """The audit of several components with what is to be said of a claimed total."""
    if stated is None:
        return audited
    from inspector.reconciler.claims import Claim, check_claim

    claim = check_claim(stated, audited.counts, (), None)
    if not claim.agrees:
        total = audited.counts.unique_parameters
        own = {name: part.counts.unique_parameters for name, part in audited.components.items()}
        told = [(number, f"it counts {name} alone ({number:,})") for name, number in own.items()]
        told += [(total - number, f"it leaves {name} out ({number:,})") for name, number in own.items()]
        because = next((words for number, words in told if stated.covers(number)), None)
        if because is not None:
            claim = Claim("claim", stated.value, total, False, because)
    return replace(audited, claims=(*audited.claims, claim))


def audit_single_file(root: Checkpoint) -> Audit:
    """The audit of Stable Diffusion in one file: each component under its card's names, and the sums."""
    found = parts_of(root.tensors)
    parts: dict[str, Audit] = {}
    evidence = list(root.evidence)
    findings: list[Finding] = []
    for component in found.components:
        name = component.name if component.name not in parts else component.prefix.rstrip(".")
        config = None if component.config is None else Config(root.set_name, component.config, "config")
        part = audit_checkpoint(replace(_component(root, name, component.tensors), config=config))
        parts[name] = part
        findings.extend(_within(one, name, component) for one in part.findings)
    if found.others:
        parts["other"] = audit_checkpoint(_component(root, "other", found.others))
        findings.extend(parts["other"].findings)
    own = [*_lines(found.schedule, ledger.BUFFER, "schedule"), *_lines(found.ema, ledger.EXTRA, "model_ema")]
    own.extend(_lines(found.scales, ledger.EXTRA, "logit_scale"))
    if found.schedule:
        evidence.append(
            BuffersStored(
                place=Place(tensor=next(iter(found.schedule))),
                elements=_elements(found.schedule),
                bytes=_bytes(found.schedule),
                tensors=len(found.schedule),
                families=tuple(found.schedule)[:20],
            )
        )
    for beside, tensors in (("model_ema", found.ema), ("logit_scale", found.scales)):
        if tensors:
            evidence.append(
                ComponentExtra(
                    place=Place(tensor=next(iter(tensors))),
                    component=beside,
                    parameters=_elements(tensors),
                    bytes=_bytes(tensors),
                    tensors=len(tensors),
                    families=tuple(tensors)[:20],
                    class_name=None,
                )
            )
    findings = ordered([*merged(evidence), *findings])
    bad = any(one.severity != "note" for one in findings)
    lines = (*(line for part in parts.values() for line in part.lines), *own)
    counts = ledger.add_up(lines, _summed(parts).expected_parameters).counts
    return Audit(
        root.source,
        root.title,
        root,
        None,
        None,
        Ledger(lines, counts),
        findings=tuple(findings),
        skipped=tuple(dict.fromkeys(skip for part in parts.values() for skip in part.skipped)),
        verdict="findings" if bad else "clean",
        components=parts,
    )


def _component(root: Checkpoint, name: str, tensors: dict[str, Layout]) -> Checkpoint:
    """A component as a checkpoint of its own, of which nothing is told that the file's reading told."""
    return Checkpoint(
        root.source,
        name,
        tensors=tensors,
        file_of=dict.fromkeys(tensors, root.set_name),
        set_name=root.set_name,
        readable=True,
        partial=root.partial,
    )


def _within(finding: Finding, name: str, component: Component) -> Finding:
    """A component's finding with the names that its tensors have in the file."""
    place = finding.place
    stored = None if place.tensor is None else component.stored(place.tensor)
    return finding.within(name, msgspec.structs.replace(place, tensor=stored))


def _lines(tensors: Mapping[str, Layout], kind: str, component: str) -> Iterator[Line]:
    for family in families_of(tensors).values():
        for part in family.stored:
            counted = part.elements if kind == ledger.EXTRA else 0
            yield Line(
                family.key, component, kind, part.layout, part.boxes, part.tensors, part.elements, counted,
                component if kind == ledger.EXTRA else "",
            )  # fmt: skip


def _elements(tensors: Mapping[str, Layout]) -> int:
    return sum(layout.elements for layout in tensors.values())


def _bytes(tensors: Mapping[str, Layout]) -> int:
    return sum(layout.bytes for layout in tensors.values())


def _summed(parts: Mapping[str, Audit]) -> Counts:
    """Every count added up; the expected one is unknown where any part's is."""
    sums: dict[str, int | None] = {}
    for entry in fields(Counts):
        numbers = [getattr(part.counts, entry.name) for part in parts.values()]
        sums[entry.name] = None if None in numbers or not numbers else sum(numbers)
    return Counts(**{name: number for name, number in sums.items() if number is not None or name.startswith("exp")})  # type: ignore[arg-type]
