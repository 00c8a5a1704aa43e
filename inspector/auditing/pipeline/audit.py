"""Audits a diffusers pipeline: each component separately, the sums, and missing components.

`model_index.json` names the components: folder -> [library, class]. For classes without weights (tokenizers,
schedulers, processors), the existence and content of their files are checked: `inspector.auditing.pipeline.files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from inspector.architectures.catalog import modules
from inspector.auditing.files.usable_config import CONFIG
from inspector.auditing.pipeline.entries import IndexEntries, judge_classes, judge_entries
from inspector.auditing.pipeline.exchanged import exchanged
from inspector.auditing.pipeline.files import STEPS_A_COMPONENT, Open, WithoutWeights, kind_of, unnamed, without_weights
from inspector.auditing.pipeline.modular import is_modular, plain_index, unreadable_entries
from inspector.auditing.pipeline.other_class import unfit_class
from inspector.auditing.pipeline.parts import (
    as_named,
    as_the_pipeline_loads,
    of_another_class,
    of_one_variant,
    of_the_pipeline,
    of_unfit_classes,
    without_class,
)
from inspector.auditing.pipeline.renamed_folders import renamed_folders
from inspector.auditing.pipeline.unlisted import unlisted_encoders
from inspector.auditing.pipeline.widths import of_other_widths
from inspector.auditing.result import FINDINGS, UNREADABLE, Audit, Skipped, verdict_of
from inspector.budget import Exceeded, spend
from inspector.findings.finding import Finding, Place, merged, ordered
from inspector.findings.loading import LoaderFails
from inspector.findings.names.components import ComponentMissing
from inspector.findings.names.pipelines import ComponentClassDiffers
from inspector.findings.reading.no_weights import NoWeights
from inspector.findings.shards.names import FileNameUnknown
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.over_budget import exceeded_findings
from inspector.loading.pipelines import model_classes
from inspector.reconciler.ledger import Counts, Ledger

if TYPE_CHECKING:
    from inspector.reconciler.stated_total import Stated


class AuditPart(Protocol):
    """Audits one loaded checkpoint. like: the model type to use without a config."""

    def __call__(self, checkpoint: Checkpoint, *, like: str | None = None) -> Audit: ...


def components_of(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """(folder, class) of each component with weights."""
    for name, entry in values.items():
        if name.startswith("_") or not isinstance(entry, list) or len(entry) != 2:
            continue
        class_name = entry[1]
        if isinstance(class_name, str) and kind_of(class_name) is None:
            yield name, class_name


def audit_pipeline(root: Checkpoint, opened: Open, audit_part: AuditPart) -> Audit:
    """Audits a pipeline: the findings of its components, each with the component."""
    assert root.pipeline is not None
    alone = _of_one_model(root, root.pipeline, audit_part)
    if alone is not None:
        return alone
    index, elsewhere = plain_index(root, root.pipeline) if is_modular(root.pipeline) else (root.pipeline, None)
    wanted = dict(components_of(index.values))
    entries = _entries(root, index, elsewhere, opened) if wanted else IndexEntries()
    findings = [*_beyond_the_folder(root), *entries.findings]
    used = {name: entry for name, entry in index.values.items() if name not in entries.unused}
    wanted = dict(components_of(used))
    checkpoints, beside, over = _opened(used, wanted, opened)
    findings.extend((*over, *beside.unreadable))
    wanted = {name: class_name for name, class_name in wanted.items() if name in checkpoints}
    there = {name: one for name, one in checkpoints.items() if one is not None and _is_audited(name, one, entries)}
    if not there and root.readable:
        return _flattened(root, index, wanted, audit_part)
    if not wanted and not findings:
        findings.append(_without_components(index.file, elsewhere))
    parts = {name: _audited(one, wanted[name], audit_part) for name, one in there.items()}
    absent = [*((name, class_name) for name, class_name in wanted.items() if name not in there), *beside.lost]
    missing = [one for one in absent if one[0] not in entries.unknown]
    renamed = renamed_folders(root, index.values, missing, opened) if missing else {}
    unfit = unfit_class(index, parts)
    class_name = index.values.get("_class_name") if unfit is None else None
    widths = list(of_other_widths(class_name, parts, [name for name, _ in missing]))
    unlisted = list(unlisted_encoders(index, widths, parts, opened)) if widths else []
    named = {*renamed.values(), *(name for one in unlisted for name in one.components)}
    findings.extend((*_missing(missing, renamed), *unnamed(root, index.values, named)))
    findings.extend(of_another_class(index.values.get("_class_name"), wanted, parts))
    findings.extend(of_unfit_classes(index, wanted, parts))
    findings.extend((*(unlisted or widths), *([] if unfit is None else [unfit])))
    of_parts = _of_named_classes(findings, _of_parts(parts, wanted, class_name, audit_part))
    findings = _together(ordered((*merged(findings), *of_parts)))
    skipped = (*skipped_in(parts), *entries.skipped, *beside.skipped)
    readable = any(part.checkpoint.readable for part in parts.values())
    found_wrong = any(part.verdict in (FINDINGS, UNREADABLE) for part in parts.values())
    verdict = FINDINGS if found_wrong else verdict_of(findings, skipped)
    return Audit(
        root.source,
        root.title,
        replace(
            root, readable=readable, files=tuple(file for part in parts.values() for file in part.checkpoint.files)
        ),
        None,
        str(index.values.get("_class_name") or "") or None,
        Ledger(tuple(line for part in parts.values() for line in part.lines), summed(parts)),
        findings=tuple(findings),
        skipped=skipped,
        verdict=verdict if readable else UNREADABLE,
        components=parts,
    )


def _together(findings: list[Finding]) -> list[Finding]:
    """Merges findings with the same cause in several components."""
    if sum(one.severity == "error" for one in findings) < 2:
        return findings
    from inspector.auditing.pipeline.lost import lost_together

    return lost_together(findings)


def _audited(component: Checkpoint, class_name: str, audit_part: AuditPart) -> Audit:
    """The audit of a component with the class named in the index."""
    part = audit_part(as_named(component, class_name), like=_stated_class(component, class_name))
    return as_the_pipeline_loads(without_class(part, component.config, class_name), class_name)


def _of_one_model(root: Checkpoint, index: Config, audit_part: AuditPart) -> Audit | None:
    """The audit of a model with its config stored as the index of a pipeline, with its class; None for a pipeline."""
    if not root.readable or root.config is not None or str(index.values.get("_class_name")) not in model_classes():
        return None
    named = FileNameUnknown(
        place=Place(file=index.file), loader="diffusers", wanted=CONFIG, single=True, variant=""
    )  # fmt: skip
    model = audit_part(replace(root, config=replace(index, file=CONFIG, kind="config"), pipeline=None))
    return replace(model, findings=tuple(ordered((named, *model.findings))), verdict=FINDINGS, loads=())


def _flattened(root: Checkpoint, index: Config, wanted: Iterable[str], audit_part: AuditPart) -> Audit:
    """The audit of a pipeline with all its files in the root folder."""
    from inspector.findings.names.pipelines import PipelineFlattened

    flat = audit_part(root)
    flattened = PipelineFlattened(
        place=Place(file=index.file), class_name=index.values.get("_class_name"), components=tuple(wanted)
    )
    return replace(flat, findings=tuple(ordered((flattened, *flat.findings))), verdict="findings")


def _of_parts(
    parts: Mapping[str, Audit], wanted: Mapping[str, str], pipeline: object, audit_part: AuditPart
) -> Iterator[Finding]:
    """The findings of the components, merged if they affect several. wanted: component -> class named in the index.

    pipeline: the class of the pipeline.
    """
    swapped = list(exchanged(parts, audit_part)) if any(part.verdict == FINDINGS for part in parts.values()) else []
    yield from swapped
    explained = {name for one in swapped for name in one.components}
    variant = of_one_variant(parts)
    if variant is not None:
        yield variant
    for name in parts.keys() - explained if explained else parts:
        seen = of_the_pipeline(name, wanted[name], parts, pipeline)
        if variant is not None and name in variant.components:
            seen = (one for one in seen if not isinstance(one, FileNameUnknown))
        yield from (one.within(name, _in_folder(name, one.place)) for one in seen)


def _of_named_classes(findings: Iterable[Finding], of_parts: Iterable[Finding]) -> Iterator[Finding]:
    """Removes findings on AutoModel for components to which the index gives another class."""
    differing = {one.component for one in findings if isinstance(one, ComponentClassDiffers)}
    for one in of_parts:
        of = "" if one.from_component is None else one.from_component.name
        if not (isinstance(one, LoaderFails) and of in differing):
            yield one


def _is_audited(name: str, component: Checkpoint, entries: IndexEntries) -> bool:
    """True if a component is audited: a component of an unknown class without weights may need none."""
    return component.readable or bool(component.siblings and name not in entries.unknown)


def _opened(
    entries: Mapping[str, object], wanted: Iterable[str], opened: Open
) -> tuple[dict[str, Checkpoint | None], WithoutWeights, Sequence[Finding]]:
    """(components that could be opened, components without weights, the finding if there are too many components)."""
    checkpoints: dict[str, Checkpoint | None] = {}
    try:
        for name in wanted:
            checkpoints[name] = opened(name)
            spend(STEPS_A_NAME if checkpoints[name] is None else STEPS_A_COMPONENT, "the components of the pipeline")
        return checkpoints, without_weights(entries, opened), ()
    except Exceeded as exceeded:
        return checkpoints, WithoutWeights(), exceeded_findings(exceeded)


def _entries(root: Checkpoint, index: Config, elsewhere: Mapping[str, str] | None, opened: Open) -> IndexEntries:
    """The findings on the entries. elsewhere: components of a modular pipeline that are stored in other
    repositories.
    """
    if elsewhere is None:
        return judge_entries(index, opened, root.siblings)
    because = "it is not in this folder: diffusers takes it from {}"
    skipped = tuple(Skipped(f"{name}: all of it", because.format(place), True) for name, place in elsewhere.items())
    return judge_classes(index, opened, skipped, unreadable_entries(root.pipeline))


def _without_components(file: str, elsewhere: Mapping[str, str] | None) -> Finding:
    from inspector.findings.reading.content import ConfigUnreadable

    if elsewhere:
        places = tuple(dict.fromkeys(elsewhere.values()))
        return NoWeights(
            place=Place(file=file), sets=(), count=0, files=0, complete=True, unfinished=(), folders=(),
            elsewhere=places,
        )  # fmt: skip
    return ConfigUnreadable(
        place=Place(file=file), problem="names no component with weights", detail="", position=None, what=""
    )


STEPS_A_NAME = 20


def _beyond_the_folder(root: Checkpoint) -> list[Finding]:
    """The findings from opening the pipeline, without the finding that the top folder has no weights."""
    return [finding for finding in root.findings if not isinstance(finding, NoWeights)]


def _in_folder(name: str, place: Place) -> Place:
    """A place in a component, relative to the pipeline."""
    return msgspec.structs.replace(place, file=f"{name}/{place.file or ''}")


def _missing(missing: Sequence[tuple[str, str]], renamed: Mapping[str, str]) -> Iterator[Finding]:
    """The findings on missing components. renamed: component -> the folder with its content."""
    for name, class_name in missing:
        if name in renamed or len(missing) == len(renamed) + 1:
            yield ComponentMissing(
                place=Place(file=f"{name}/"), component=name, class_name=class_name, components=(),
                stored_as=renamed.get(name, ""),
            )  # fmt: skip
    names = tuple(name for name, _ in missing if name not in renamed)
    if len(names) > 1:
        yield ComponentMissing(place=Place(file="model_index.json"), component=None, class_name=None, components=names)


def _stated_class(component: Checkpoint, class_name: str) -> str | None:
    """The diffusers class that the pipeline states for a component without a config."""
    return class_name if component.config is None and class_name in modules() else None


def with_claim(audited: Audit, stated: Stated | None) -> Audit:
    """Adds the check of a claimed total to the audit of several components."""
    if stated is None:
        return audited
    from inspector.reconciler.claims import TotalClaim, check_claim

    claim = check_claim(stated, audited.counts, (), None)
    if not claim.agrees:
        total = audited.counts.unique_parameters
        own = {name: part.counts.unique_parameters for name, part in audited.components.items()}
        reported = [(number, f"it counts {name} alone ({number:,})") for name, number in own.items()]
        reported += [(total - number, f"it leaves {name} out ({number:,})") for name, number in own.items()]
        because = next((words for number, words in reported if stated.covers(number)), None)
        if because is not None:
            claim = TotalClaim("claim", stated.value, total, False, because)
    return replace(audited, claims=(*audited.claims, claim))


def skipped_in(parts: Mapping[str, Audit]) -> tuple[Skipped, ...]:
    """The checks that were skipped in all parts; decisive checks with the part that leaves them open."""
    named = (
        replace(skip, check=f"{name}: {skip.check}") if skip.decisive else skip
        for name, part in parts.items()
        for skip in part.skipped
    )
    return tuple(dict.fromkeys(named))


def summed(parts: Mapping[str, Audit]) -> Counts:
    """The sum of all counts; the expected count is unknown if it is unknown for any part."""
    sums: dict[str, int | None] = {}
    for name in Counts.__struct_fields__:
        numbers = [getattr(part.counts, name) for part in parts.values()]
        sums[name] = None if None in numbers or not numbers else sum(numbers)
    return Counts(**{name: number for name, number in sums.items() if number is not None or name.startswith("exp")})  # type: ignore[arg-type]
