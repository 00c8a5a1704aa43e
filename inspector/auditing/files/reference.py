"""Checks the files of an audit with safetensors, the reference reader.

By default it opens damaged files and files from which values are read, and on request all files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from inspector.auditing.result import Audit, Reference, ReferenceFile, Skipped
from inspector.budget import Exceeded
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.header.reference import CLEARER, STRICTER, ReferenceDisagrees
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.header import parse_header, unopened
from inspector.loader.header_record import Header
from inspector.loader.reference import ReferenceAnswer, ReferenceReader
from inspector.loader.sources.folder import FolderSource
from inspector.loader.sources.source import Opening

ENDING = ".safetensors"
LARGEST = 4_000_000
"""Largest header, in bytes, that is read a second time without a request: more than any published file has."""


class Checked(msgspec.Struct, frozen=True):
    """A file that both readers read. header: the header as inspector reads it at the same time."""

    component: str
    name: str
    header: Header
    answer: ReferenceAnswer

    @property
    def words(self) -> str:
        """The answer in words, with the reason if the reader opens a damaged file."""
        known = [why for kind, why in STRICTER.items() if any(type(one) is kind for one in self.header.findings)]
        reason = f": {known[0]}" if known and not self.answer.refusal else ""
        return self.answer.words + reason

    def is_about(self, finding: Finding) -> bool:
        """True if a finding is about the header of this file."""
        within = finding.from_component
        place, component = (finding.place, "") if within is None else (within.place, within.name)
        made = any(type(one) is type(finding) for one in self.header.findings)
        return made and (component, place.file) == (self.component, self.name)

    def disagreement(self) -> Finding | None:
        """The finding that the two readers disagree beyond known differences."""
        refused = [one for one in self.header.findings if not isinstance(one, CLEARER)]
        stricter = all(type(one) in STRICTER for one in refused)
        differing: list[str] = []
        if self.answer.refusal:
            if refused:
                return None
        elif refused:
            if stricter:
                return None
        else:
            ours = {name: (one.dtype, one.shape) for name, one in self.header.tensors.items()}
            theirs = self.answer.tensors
            differing = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
            if not differing:
                return None
        return ReferenceDisagrees(
            place=Place(file=self.name),
            reader=self.answer.reader,
            theirs=self.answer.words.removeprefix(self.answer.reader).strip(),
            ours=f"reports {', '.join(one.name for one in refused)}" if refused else "accepts it",
            tensors=len(differing),
            names=tuple(differing[:NAMES_SHOWN]),
        )


def with_reference(audited: Audit, *, every: bool = False, requested: bool = False) -> Audit:
    """The audit with the answers of safetensors on damaged local files, or on all local files.

    requested: the user asked for it, so that files which cannot be opened are listed as not checked.
    """
    parts = {name: part for name, part in audited.components.items() if part.checkpoint.reach is not None}
    parts = parts or {"": audited}
    checked: list[Checked] = []
    with ReferenceReader() as reader, suppress(Exceeded):  # what it was asked until then stays
        for name, part in parts.items():
            checked.extend(_checked(name, part.checkpoint, reader, every))
    base = None if audited.base is None else with_reference(audited.base, every=every)
    if not checked:
        because = reader.absent or "no local safetensors file was read"
        skipped = (*audited.skipped, Skipped("the reference reader", because)) if requested else audited.skipped
        return replace(audited, skipped=skipped, base=base)
    components = {
        name: _judged(part, [replace(one, component="") for one in checked if one.component == name])
        for name, part in audited.components.items()
    }
    return replace(_judged(audited, checked, every), components=components, base=base)


def _checked(component: str, checkpoint: Checkpoint, reader: ReferenceReader, every: bool) -> Iterator[Checked]:
    source = checkpoint.reach() if checkpoint.reach is not None and checkpoint.traffic is None else None
    if not isinstance(source, FolderSource):
        return
    names = [*checkpoint.damaged, *(file.name for file in checkpoint.files if every)]
    for name, opening in source.read_headers(name for name in dict.fromkeys(names) if name.endswith(ENDING)):
        if isinstance(opening, Opening) and (every or len(opening.header or b"") <= LARGEST):
            answer = reader.ask(os.path.join(source.folder, name))
            if answer is None:
                return
            yield Checked(component, name, _header(name, opening), answer)


def _header(name: str, opening: Opening) -> Header:
    if opening.header is None:
        return unopened(opening.first, opening.size, name)
    behind = None if opening.size is None else opening.size - 8 - len(opening.header)
    return parse_header(opening.header, behind, name, first=opening.first)


def _judged(audited: Audit, checked: Sequence[Checked], shown: bool = False) -> Audit:
    """The audit with the answers on its files, and findings on disagreements."""
    if not checked:
        return audited
    findings = list(audited.findings)
    for one in checked:
        at = next((at for at, finding in enumerate(findings) if one.is_about(finding)), None)
        if at is not None:
            findings[at] = replace(findings[at], reference=one.words)
    for one in checked:
        found = one.disagreement()
        if found is not None:
            findings.append(found if not one.component else found.within(one.component, _seen_from_above(one)))
    files = tuple(
        ReferenceFile(f"{one.component}/{one.name}" if one.component else one.name, not one.answer.refusal, one.words)
        for one in checked
    )
    return audited.with_findings(findings, reference=Reference(checked[0].answer.reader, files, shown))


def _seen_from_above(one: Checked) -> Place:
    return Place(file=f"{one.component}/{one.name}")
