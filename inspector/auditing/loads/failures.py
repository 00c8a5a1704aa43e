"""Adds findings on failures of the intended loader, and adapts other findings to these failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.auditing.identity.class_of_part import (
    class_of_part_named,
    loads_all,
    with_class_of_part,
    with_known_classes,
)
from inspector.auditing.identity.class_of_type import classes_with_head
from inspector.auditing.identity.own_program import for_own_program
from inspector.auditing.loads.accepted_values import is_apart
from inspector.auditing.loads.failure import are_confirmed, failure
from inspector.auditing.loads.prefixes import prefix_of_both
from inspector.auditing.loads.quantized import is_by_quantization
from inspector.auditing.loads.surplus import with_names_that_decide, with_other_name
from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loading.given import LABELS, NAMES_OF_LABELS, Given
from inspector.loading.outcome import ALTERED, BY_CLASS, COMPLETE, RANDOM, REFUSES, UNKNOWN, UNSUPPORTED, Load
from inspector.loading.tables import NEWEST, OLDER, names_of
from inspector.loading.transformers import loads

if TYPE_CHECKING:
    from inspector.findings.loading import LoaderFails, WriterRefuses


def with_failures(audited: Audit, findings: list[Finding], given: Callable[[], Given]) -> list[Finding]:
    """Adds a finding if the intended loader fails and no other finding explains this. given: facts about the
    checkpoint, computed if needed.

    If the loader finds none of the class's tensors and would load all tensors with another class that fits these names,
    the class is the cause; so it is if the class of one part would load all tensors.
    """
    newest = next(one for one in audited.loads if one.intended)
    findings = for_own_program(audited, findings)
    if newest.loader == "transformers" and audited.checkpoint.config is not None:
        known = given()
        findings = with_names_that_decide(findings, newest, given)
        if not all(one.severity == "note" for one in findings):
            from inspector.auditing.identity.ignored_parts import with_ignored

            findings = with_ignored(findings, known)
            if audited.case is not None:
                from inspector.auditing.identity.other_type import with_text_model_kept

                findings = with_text_model_kept(findings, audited.case, audited.checkpoint.config)
        findings = with_known_classes(with_class_of_part(findings, newest, known), known.model_type)
        named = class_of_part_named(findings, known)
        if named is not None:
            return [*findings, named]
    found = [with_other_name(_with_class(one, audited, given), given) for one in failures(audited, findings, given)]
    if not found or not _leaves_random(found[0]):
        return [*findings, *found]
    from inspector.findings.names.architecture import NamesOfBaseModel

    named = next((one for one in findings if isinstance(one, NamesOfBaseModel)), None)
    stored = tuple(audited.checkpoint.tensors)
    if (
        named is None
        or named.class_name is None
        or newest.unexpected != len(stored)
        or loads(replace(given(), class_name=named.names), NEWEST).outcome != COMPLETE
    ):
        return [*findings, *found]
    from inspector.findings.class_names import ClassDiffers

    differs = ClassDiffers(
        place=Place(key="architectures"),
        declared=named.class_name,
        stored_class=named.names,
        file="config.json",
        missing=(),
        stored=stored[:NAMES_SHOWN],
        labels=None,
    )
    kept = [one for one in findings if one is not named]
    return with_known_classes([*kept, differs], given().model_type)


def _with_class(
    finding: LoaderFails | WriterRefuses, audited: Audit, given: Callable[[], Given]
) -> LoaderFails | WriterRefuses:
    """The finding, with the class under which transformers loads everything, if the config names no class that it has:
    AutoModel then builds the base class.
    """
    from inspector.findings.loading import LoaderFails, NewestLoaderFails

    if type(finding) not in (LoaderFails, NewestLoaderFails) or finding.loader != "transformers":
        return finding
    known = given()
    if known.model_type is None or known.class_name in names_of(NEWEST).classes:
        return finding
    for name in classes_with_head(audited, known.model_type):
        if loads_all(replace(known, class_name=name, case=None)):
            return replace(finding, class_name=name, loads="")
    return finding


def _leaves_random(finding: LoaderFails | WriterRefuses) -> bool:
    """True if a finding says that transformers leaves tensors random."""
    from inspector.findings.loading import LoaderFails

    return isinstance(finding, LoaderFails) and finding.outcome == RANDOM and finding.loader == "transformers"


def failures(
    audited: Audit, findings: Sequence[Finding], given: Callable[[], Given]
) -> Iterator[LoaderFails | WriterRefuses]:
    """The finding on a failure of the intended loader that no other error explains."""
    other_writer = audited.case is not None and audited.case.reading.writer
    found = audited.loads
    newest = next(one for one in found if one.intended)
    said = other_writer or _is_said(audited) or _is_of_other(audited)
    if said or (any(one.severity == "error" for one in findings) and not is_apart(audited, newest, findings)):
        return
    older = next((one for one in found if one.loader == "transformers" and str(one.version).startswith(OLDER)), newest)
    values = audited.checkpoint.config.values if audited.checkpoint.config is not None else {}
    written = str(values.get("transformers_version") or "").partition(".")[0]
    if newest.outcome == COMPLETE:
        refused = list(_of_writer(findings, newest, older)) if written == OLDER else []
        yield from refused or _of_older(audited, findings, (newest, older), given)
    elif newest.outcome in (RANDOM, REFUSES, ALTERED, UNSUPPORTED):
        yield from _of_newest(audited, findings, (newest, older), written=written == OLDER)


def _of_newest(
    audited: Audit, findings: Sequence[Finding], versions: tuple[Load, Load], *, written: bool
) -> Iterator[LoaderFails]:
    """The finding on a failure of the newest version, milder if an older one loads the checkpoint. written: the older
    one wrote it.
    """
    newest, older = versions
    wrote = written and (older.outcome in (COMPLETE, UNKNOWN) or older.excuse == BY_CLASS)
    loaded = older is not newest and (wrote or (newest.outcome == UNSUPPORTED and older.outcome == COMPLETE))
    from inspector.findings.loading import LoaderFails, NewestLoaderFails

    if newest.outcome == UNSUPPORTED and older.outcome == REFUSES and is_by_quantization(audited, older):
        yield failure(audited, older, LoaderFails)
    if newest.excuse or (newest.outcome == UNSUPPORTED and not loaded):
        return
    from inspector.findings.names.architecture import CodeOfRepository

    kind = NewestLoaderFails if loaded else LoaderFails
    other = loaded or (older.outcome == COMPLETE and are_confirmed(audited, newest))
    found_wrong = failure(audited, newest, kind, f"{older.loader} {older.version}" if other else "")
    own = next((one.class_name for one in findings if isinstance(one, CodeOfRepository)), None)
    of_names = newest.outcome in (RANDOM, REFUSES) and not found_wrong.keys
    yield replace(found_wrong, code_of=own) if own and of_names else found_wrong


def _of_older(
    audited: Audit, findings: Sequence[Finding], versions: tuple[Load, Load], given: Callable[[], Given]
) -> Iterator[LoaderFails]:
    """The note on a failure of only an older version, unless another finding is on the names that cause it."""
    newest, older = versions
    if older.outcome not in (RANDOM, REFUSES, ALTERED) or older.excuse:
        return
    from inspector.findings.loading import OlderLoaderFails
    from inspector.findings.names.architecture import NamesOfBaseModel

    said = {one.place.key for one in findings if one.severity != "note"}
    if any(isinstance(one, NamesOfBaseModel) for one in findings) or not said.isdisjoint(older.keys):
        return
    if _is_of_tie(findings, older):
        return
    found = failure(audited, older, OlderLoaderFails, f"{newest.loader} {newest.version or ''}".rstrip())
    known = given()
    if (labels := _labels_apart(known, older)) is not None:
        yield replace(found, labels=labels)
        return
    prefix = prefix_of_both(known, older)
    yield replace(found, prefixes=("", prefix)) if prefix else found


def _labels_apart(known: Given, older: Load) -> tuple[int, int] | None:
    """`num_labels` and the number of names in `id2label`, if the older version refuses the weights because of these."""
    values = known.values or {}
    stated, names = values.get(LABELS), values.get(NAMES_OF_LABELS)
    if older.outcome != REFUSES or type(stated) is not int or not isinstance(names, dict) or stated == len(names):
        return None
    unnamed = {key: value for key, value in values.items() if key != NAMES_OF_LABELS}
    right = loads(replace(known, values=unnamed, case=None), OLDER).outcome == COMPLETE
    return (stated, len(names)) if right else None


def _is_of_tie(findings: Sequence[Finding], load: Load) -> bool:
    """True if a loader fails only because a head is stored without the embedding, which another finding says."""
    from inspector.findings.totals import HeadAloneOfTie

    alone = (one for one in findings if isinstance(one, HeadAloneOfTie))
    return any(load.emptied == (one.stored, one.wanted) for one in alone)


def _of_writer(findings: Sequence[Finding], newest: Load, older: Load) -> Iterator[WriterRefuses]:
    """The finding on a config that the transformers version which wrote it refuses and the newest version accepts,
    unless another finding says so.
    """
    said = {one.place.key for one in findings if one.severity != "note"}
    if older.outcome != REFUSES or not older.keys or not said.isdisjoint(older.keys):
        return
    from inspector.findings.loading import WriterRefuses

    yield WriterRefuses(
        place=Place(key=older.keys[0]),
        loader=older.loader,
        version=older.version,
        because=older.because,
        loads=f"{newest.loader} {newest.version or ''}".rstrip(),
        keys=older.keys,
    )


def _is_of_other(audited: Audit) -> bool:
    """True if the weights are quantized for a program that has its own loader."""
    if audited.unpacked is None or not audited.unpacked.schemes:
        return False
    from inspector.quantization.missing_block import own_loader

    return own_loader(audited.unpacked, audited.checkpoint.set_name) is not None


def _is_said(audited: Audit) -> bool:
    """True if a warning already says that the declared head is random, the class belongs to another type, a value is
    refused, an adapter is added, or the weights are a draft head or a part of a model.
    """
    if not audited.findings:
        return False
    from inspector.findings.adapters.saved import AdapterBesideWeights
    from inspector.findings.class_names import HeadUntrained
    from inspector.findings.config import ConfigRefused
    from inspector.findings.declared import ClassOfAnotherType
    from inspector.findings.names.added_part import AddedPartAlone
    from inspector.findings.names.components import DraftHead
    from inspector.findings.names.part_alone import PartAlone

    of_class = HeadUntrained | ConfigRefused | ClassOfAnotherType
    said = of_class | AdapterBesideWeights | DraftHead | PartAlone | AddedPartAlone
    return any(isinstance(one, said) for one in audited.findings)
