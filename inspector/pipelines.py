"""A diffusers pipeline: each component audited on its own, the sums, and what is missing.

`model_index.json` names the components: folder -> [library, class]. Classes without weights (tokenizers,
schedulers, processors) are no components here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace

from inspector.auditing import Audit, audit_checkpoint
from inspector.evidence import Evidence, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.source import is_plain_name
from inspector.reconciler.ledger import Counts, Ledger
from inspector.rules.registry import SEVERITIES, worded

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
    parts = {name: audit_checkpoint(one) for name, one in there.items()}
    evidence.extend(
        Evidence("component-missing", Place(file=f"{name}/"), {"component": name, "class": class_name})
        for name, class_name in wanted.items()
        if name not in there
    )
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


def _summed(parts: Mapping[str, Audit]) -> Counts:
    """Every count added up; the expected one is unknown where any part's is."""
    sums: dict[str, int | None] = {}
    for entry in fields(Counts):
        numbers = [getattr(part.counts, entry.name) for part in parts.values()]
        sums[entry.name] = None if None in numbers or not numbers else sum(numbers)
    return Counts(**{name: number for name, number in sums.items() if number is not None or name.startswith("exp")})  # type: ignore[arg-type]
