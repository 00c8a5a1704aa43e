"""A diffusers pipeline: each component audited on its own, the sums, and what is missing.

`model_index.json` names the components: folder -> [library, class]. Classes without weights (tokenizers,
schedulers, processors) are no components here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from inspector.architectures.catalog import modules
from inspector.auditing.model import Audit, audit_checkpoint
from inspector.dialects.ldm_config import config_of
from inspector.dialects.single_file import Component, parts_of
from inspector.evidence import Evidence, Fact, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout
from inspector.loader.sources.source import is_plain_name
from inspector.matcher.families import families_of
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Counts, Ledger, Line
from inspector.rules.registry import SEVERITIES, Finding, worded

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
    evidence = [one for one in root.evidence if one.rule != "no-weights"]
    if not there and root.readable:
        flat = audit_checkpoint(root)
        facts = {"class": root.pipeline.values.get("_class_name"), "components": list(wanted)}
        told = worded([Evidence("pipeline-flattened", Place(file=root.pipeline.file), facts)])
        findings = sorted((*told, *flat.findings), key=lambda one: SEVERITIES.index(one.severity))
        return replace(flat, findings=tuple(findings), verdict="findings")
    parts = {name: audit_checkpoint(one, like=_stated_class(one, wanted[name])) for name, one in there.items()}
    evidence.extend(_missing([(name, class_name) for name, class_name in wanted.items() if name not in there]))
    evidence.extend(_of_another_class(wanted, parts))
    findings = worded(evidence)
    for name, part in parts.items():
        findings.extend(
            replace(
                one, place=replace(one.place, file=f"{name}/{one.place.file or ''}"), headline=f"{name}: {one.headline}"
            )
            for one in part.findings
        )
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
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


def _missing(missing: Sequence[tuple[str, str]]) -> Iterator[Evidence]:
    if len(missing) > MOST_NAMED:
        names = [name for name, _ in missing]
        facts: dict[str, Fact] = {"component": None, "class": None, "components": names}
        yield Evidence("component-missing", Place(file="model_index.json"), facts)
        return
    for name, class_name in missing:
        facts = {"component": name, "class": class_name, "components": []}
        yield Evidence("component-missing", Place(file=f"{name}/"), facts)


def _stated_class(component: Checkpoint, class_name: str) -> str | None:
    """The class of diffusers that the pipeline states for a component without a config of its own."""
    return class_name if component.config is None and class_name in modules() else None


def _of_another_class(wanted: Mapping[str, str], parts: Mapping[str, Audit]) -> Iterator[Evidence]:
    """Components whose own config names another class of diffusers than the pipeline does."""
    for name, part in parts.items():
        config = part.checkpoint.config
        own = None if config is None else config.values.get("_class_name")
        told = any(finding.name == "names-of-another-architecture" for finding in part.findings)
        if isinstance(own, str) and own != wanted[name] and not told and {own, wanted[name]} <= modules().keys():
            yield Evidence(
                "component-class-differs",
                Place(file=f"{name}/"),
                {"component": name, "index": wanted[name], "config": own},
            )


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
        values = config_of(component.tensors)
        config = None if values is None else Config(root.set_name, values, "config")
        part = audit_checkpoint(replace(_component(root, name, component.tensors), config=config))
        parts[name] = part
        findings.extend(_within(one, name, component) for one in part.findings)
    if found.others:
        parts["other"] = audit_checkpoint(_component(root, "other", found.others))
        findings.extend(parts["other"].findings)
    own = [*_lines(found.schedule, ledger.BUFFER, "schedule"), *_lines(found.ema, ledger.EXTRA, "model_ema")]
    own.extend(_lines(found.scales, ledger.EXTRA, "logit_scale"))
    if found.schedule:
        evidence.append(_told("buffers-stored", found.schedule, {"elements": _elements(found.schedule)}))
    for beside, tensors in (("model_ema", found.ema), ("logit_scale", found.scales)):
        if tensors:
            facts: dict[str, Fact] = {"component": beside, "parameters": _elements(tensors), "class": None}
            evidence.append(_told("component-extra", tensors, facts))
    findings = sorted([*worded(evidence), *findings], key=lambda one: SEVERITIES.index(one.severity))
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
    return replace(finding, place=replace(place, tensor=stored), headline=f"{name}: {finding.headline}")


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


def _told(rule: str, tensors: Mapping[str, Layout], facts: dict[str, Fact]) -> Evidence:
    """What lies beside the components, with its first names."""
    more: dict[str, Fact] = {
        "tensors": len(tensors),
        "bytes": sum(layout.bytes for layout in tensors.values()),
        "families": [*tensors][:20],
    }
    return Evidence(rule, Place(tensor=next(iter(tensors))), {**facts, **more})


def _summed(parts: Mapping[str, Audit]) -> Counts:
    """Every count added up; the expected one is unknown where any part's is."""
    sums: dict[str, int | None] = {}
    for entry in fields(Counts):
        numbers = [getattr(part.counts, entry.name) for part in parts.values()]
        sums[entry.name] = None if None in numbers or not numbers else sum(numbers)
    return Counts(**{name: number for name, number in sums.items() if number is not None or name.startswith("exp")})  # type: ignore[arg-type]
