"""Adapts findings to names of another program that the intended loader does not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from inspector.auditing.loads.quantized import has_packed
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.outcome import RANDOM, REFUSES, Load
from inspector.loading.tables import NEWEST, names_of

UNQUANTIZED: Final = "it reads no quantized weights: take those before the quantization"
"""What is said of the converter of a program whose weights are quantized."""


def is_of_writer(finding: Finding) -> bool:
    """True if a finding says that the names are those of a known program."""
    from inspector.findings.names.architecture import NamesInDialect

    return isinstance(finding, NamesInDialect) and bool(finding.writer)


def is_of_other_program(audited: Audit) -> bool:
    """True if a folder without config.json belongs to another program, by that program's config or by the names of its
    files.
    """
    config, case = audited.checkpoint.config, audited.case
    if config is None:
        return case is not None and not names_of(NEWEST).bases.keys().isdisjoint(case.reading.definition.names)
    return config.kind != "config" and any(is_of_writer(one) for one in audited.findings)


def of_no_loader(findings: Sequence[Finding]) -> list[Finding]:
    """Findings for a program that is not judged: names that another loader does not read become a note again."""
    from inspector.findings.names.architecture import NamesInDialect, NamesOfAnotherProgram

    return [
        NamesInDialect(place=one.place, writer=one.writer, example=one.example, renames=one.renames)
        if isinstance(one, NamesOfAnotherProgram)
        else one
        for one in findings
    ]


def of_another_program(audited: Audit, finding: Finding, load: Load, name: str) -> Finding:
    """Turns the finding on names of another program into an error if the intended loader does not read them.

    A folder that also has the config and a file name of that program is meant for both programs.
    """
    from inspector.findings.names.architecture import NamesInDialect, NamesOfAnotherProgram

    config = audited.checkpoint.config
    if config is None or not isinstance(finding, NamesInDialect) or not finding.writer:
        return finding
    if load.outcome not in (RANDOM, REFUSES):
        return finding
    from inspector.auditing.own_layout import finds
    from inspector.dialects.catalog import dialects_by

    known = dialects_by(finding.writer)
    if not known or any(finds(one, audited.checkpoint) for one in known):
        return finding
    exporter = converter_of_towers(audited.checkpoint) or next((one.exporter for one in known), "")
    if exporter and has_packed(audited):
        exporter = f"{exporter} ({UNQUANTIZED})"
    apart = tuple(
        (part.rstrip("."), str(config.values[key]))
        for part, key in next((one.elsewhere for one in known), {}).items()
        if key in config.values and _is_absent(audited, part)
    )
    stated = finding.stated_fields() | {"exporter": exporter, "because": f"{name}: {load.because}", "apart": apart}
    return NamesOfAnotherProgram(**stated)


def _is_absent(audited: Audit, part: str) -> bool:
    """True if no tensor of a part of the model is stored. part: the beginning of its family keys."""
    return audited.case is not None and not any(key.startswith(part) for key in audited.case.reading.families)


def converter_of_towers(checkpoint: Checkpoint) -> str:
    """The converter for the whole model, if towers under Mistral's names are stored next to a text model; else ""."""
    from inspector.dialects.mistral import TOWERS

    found = (converter for prefix, converter in TOWERS.items() if any(map(_beginning(prefix), checkpoint.tensors)))
    return next((f"{converter} in the repository of transformers" for converter in found), "")


def _beginning(prefix: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(prefix)


def _is_of_tower(finding: Finding) -> bool:
    """True if a finding is only on tensors of such a tower, either as unexpected or as renamed tensors of the text
    model.
    """
    from inspector.dialects.mistral import TOWERS
    from inspector.findings.names.renamed import TensorRenamed
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    if isinstance(finding, TensorRenamed):
        return finding.stored.startswith(tuple(TOWERS))
    names = finding.names if isinstance(finding, PartUnexpected | TensorUnexpected) else ()
    return bool(names) and all(name.startswith(tuple(TOWERS)) for name in names)


def without_unread_names(findings: list[Finding]) -> list[Finding]:
    """Removes findings that follow from names of another program.

    These are on the name of a file with tensors that the loader would not read under any name, on sizes that a class
    assumes for parts missing from the program's config, and on parts that the program loads from elsewhere.
    """
    from inspector.findings.names.architecture import NamesOfAnotherProgram
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.shards.names import FileNameUnknown
    from inspector.findings.single_causes import ConfigOfAnotherSize

    named = next((one for one in findings if isinstance(one, NamesOfAnotherProgram)), None)
    if named is None:
        return findings
    apart = {f"all of {part}" for part, _ in named.apart}
    return [
        one
        for one in findings
        if not (isinstance(one, FileNameUnknown) and one.writer)
        and not (isinstance(one, ConfigOfAnotherSize) and one.absent)
        and not (isinstance(one, LayersMissing) and one.what in apart)
        and not _is_of_tower(one)
    ]
