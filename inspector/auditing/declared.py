"""Compares the names and numbers stated in a folder's JSON files with the folder and the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.files.added_tokens import READ, AddedTokens, read_added
from inspector.auditing.files.code_files import code_files
from inspector.auditing.identity.class_of_type import findings_on_class
from inspector.auditing.identity.module_at_root import with_modules_named
from inspector.auditing.json_beside import is_listed
from inspector.auditing.result import CLEAN, UNDECIDED, Audit, Skipped, verdict_of, verdict_with
from inspector.auditing.sentence_listing import (
    MODULES,
    OF_TRANSFORMER,
    SETFIT_HEAD,
)
from inspector.auditing.unlisted_modules import unlisted_modules
from inspector.findings.finding import NAMES_SHOWN, Finding, Place, ordered
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint, load_within
from inspector.loader.config_file import named_class
from inspector.loading.tables import default_token_ids, type_of_class
from inspector.loading.tokenizer_files import ADDED, PLAIN, WHOLE
from inspector.reconciler.ledger import PARAMETER, add_up
from inspector.reconciler.lines import unknown_lines
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.auditing.pipeline.sentence_modules import AuditFolder, ModulesRead
    from inspector.findings.added_tokens import AddedTokensRenumbered
    from inspector.findings.classifier_head import ClassifierHeadMissing
    from inspector.findings.declared import TokenIds
    from inspector.matcher.reading import Reading
    from inspector.reconciler.place import Placed

CONFIG: Final = "config.json"
OF_CTC: Final = "ForCTC"
OF_SETFIT: Final = "config_setfit.json"
"""What SetFit's `save_pretrained` writes beside the sentence encoder and the head (`setfit/modeling.py`)."""
FILES_OF_LIBRARIES: Final = frozenset({"open_clip_config.json", "vocab.json"})
SHORT: Final = f"only the first {READ:,} bytes of this file are read"
TOKEN_IDS: Final = ("_token_id", "_token_index", "_token_ids")
"""Ends of config keys that hold token ids."""


def with_declared(audited: Audit, audit_part: AuditFolder) -> Audit:
    """Adds findings on files, classes and tokens that are named in the JSON files but do not exist. audit_part: audits
    further models of the folder.
    """
    if not audited.checkpoint.readable:
        return audited
    if audited.case is None and audited.checkpoint.kind != "safetensors":
        from inspector.auditing.identity.kept_objects import with_reader

        audited = with_reader(audited)
    added = _added(audited.checkpoint)
    if added is not None and not added.complete:
        after = f" after the first {len(added.ids):,}" if added.ids else ""
        unread = Skipped(f"ids of added tokens in {added.file}{after}", SHORT)
        audited = replace(audited, skipped=(*audited.skipped, unread))
    if any(one.severity == "error" for one in audited.findings):
        from inspector.auditing.lost_rows import with_lost_rows

        checkpoint = audited.checkpoint
        found = with_lost_rows(
            audited.findings,
            lambda rows: _of_tokenizer(checkpoint, added, rows),
            lambda rows: _words_beyond(checkpoint, added, rows),
            ctc=audited.case is not None and str(audited.case.claim.class_name).endswith(OF_CTC),
        )
        audited = replace(audited, findings=found)
    of_encoder: list[Finding] = []
    if MODULES in audited.checkpoint.siblings:
        from inspector.auditing.pipeline.sentence_files import of_encoder_files
        from inspector.auditing.pipeline.sentence_modules import sentence_modules
        from inspector.auditing.pipeline.setfit_head import head_of_another_width

        modules = sentence_modules(audited.checkpoint, audited, audit_part)
        audited = with_modules(audited, modules)
        of_encoder += [
            *of_encoder_files(audited.checkpoint), *head_of_another_width(audited.checkpoint, modules.width),
        ]  # fmt: skip
    if OF_TRANSFORMER in audited.checkpoint.siblings:
        from inspector.auditing.pipeline.sentence_loads import head_of_task

        of_encoder += head_of_task(audited)
    findings = [*of_encoder, *findings_on_class(audited), *code_files(audited), *_of_tokens(audited, added)]
    findings += [*unlisted_modules(audited.checkpoint), *_headless(audited.checkpoint), *_of_library(audited)]
    if not findings:
        return audited
    return audited.with_findings([*_without_its_names(audited.findings, findings), *findings])


def _of_library(audited: Audit) -> Iterator[Finding]:
    """The findings on files that prepare the inputs, and on those of a library with its own loader that do not belong
    to the weights.
    """
    checkpoint = audited.checkpoint
    if checkpoint.folder and checkpoint.siblings.keys() - {CONFIG}:
        from inspector.auditing.files.preparation import of_preparation

        yield from of_preparation(audited)
    written = checkpoint.config is not None and bool(checkpoint.config.writer)
    words = audited.case is None and PLAIN in checkpoint.siblings
    if FILES_OF_LIBRARIES.isdisjoint(checkpoint.siblings) and not written and not words:
        return
    from inspector.auditing.files.ctc_labels import ctc_labels

    yield from ctc_labels(audited)
    from inspector.auditing.identity.library_files import of_library_files

    yield from of_library_files(audited)


def _headless(checkpoint: Checkpoint) -> Iterator[ClassifierHeadMissing]:
    """The finding on a classifier of SetFit without its head."""
    known = len(checkpoint.siblings) < SIBLINGS_KEPT and not checkpoint.alone
    if known and OF_SETFIT in checkpoint.siblings and SETFIT_HEAD not in checkpoint.siblings:
        from inspector.findings.classifier_head import ClassifierHeadMissing

        yield ClassifierHeadMissing(place=Place(file=OF_SETFIT))


def with_modules(audited: Audit, modules: ModulesRead) -> Audit:
    """The audit with the modules of a sentence encoder behind the model."""
    audited = _of_module(audited, modules.explained) if modules.of_module else audited
    findings = ordered((*with_modules_named(audited.findings, audited.checkpoint), *modules.findings))
    verdict = verdict_with(audited.verdict, modules.findings)
    open_check = verdict == CLEAN and any(one.decisive for one in modules.skipped)
    return replace(audited, findings=tuple(findings), skipped=(*audited.skipped, *modules.skipped),
                   verdict=UNDECIDED if open_check else verdict)  # fmt: skip


def _of_module(audited: Audit, complete: bool) -> Audit:
    """The audit of weights that belong to a module and not to a model, even if their names fit a model.

    complete: names and shapes are the ones that the module's config states.
    """
    if audited.stored is None:
        return audited
    lines = [replace(line, kind=PARAMETER) for line in unknown_lines(audited.stored)]
    ledger = add_up(lines, None)
    ledger = add_up(lines, ledger.counts.unique_parameters) if complete else ledger
    skipped = tuple(one for one in audited.skipped if not (one.decisive and complete))
    findings = tuple(one for one in audited.findings if _is_of_file(one) or one in audited.checkpoint.findings)
    verdict = verdict_of(findings, skipped)
    return replace(audited, architecture=None, case=None, causes=(), skipped=skipped, findings=findings, ledger=ledger,
                   verdict=verdict)  # fmt: skip


def _is_of_file(finding: Finding) -> bool:
    """True if a finding is about a file that any model has, independent of its weights."""
    from inspector.findings.absent_config import ConfigMissing

    place = finding.place
    return not (place.tensor or place.family or place.key or isinstance(finding, ConfigMissing))


# --- the class ---


def _without_its_names(found: Sequence[Finding], declared: Sequence[Finding]) -> Sequence[Finding]:
    """Removes findings that compare the names with a class if the class belongs to another model type."""
    from inspector.findings.declared import ClassOfAnotherType
    from inspector.findings.names.architecture import NamesOfBaseModel

    if not any(isinstance(one, ClassOfAnotherType) for one in declared):
        return found
    return [one for one in found if not isinstance(one, NamesOfBaseModel)]


# --- tokens ---

TABLES: Final = ("embed.token", "embed.shared")
"""Roles of tables with a row for each token."""
SECOND: Final = {"qformer_tokenizer": "qformer"}
"""Folder of a further tokenizer -> the part of the model that reads its tokens: `InstructBlipProcessor`."""
MASK: Final = "<mask>"
"""A token without a row in releases of BART that were trained to generate: its id is that of the next row."""


def _of_tokens(audited: Audit, added: AddedTokens | None) -> Iterator[Finding]:
    """The finding on token ids at or above the number of embedding rows."""
    case, checkpoint = audited.case, audited.checkpoint
    if case is None and checkpoint.adapter is None:
        yield from _of_named_table(audited, added)
    if case is None or case.causes or case.solved or checkpoint.adapter is not None:
        return
    if any(one.of_another_type for one in audited.findings):
        return  # the default ids of the right type are not known to be another's
    tables = [one for one in case.placement.placed if one.block.slot.role in TABLES and one.fits]
    if not tables:
        return
    largest = max(tables, key=lambda one: one.layout.shape[0] if one.layout.shape else 0)
    yield from _of_second_tokenizer(checkpoint, case.reading, tables)
    rows = largest.layout.shape[0]
    if (found := _of_gap(checkpoint, added, rows)) is not None and added is not None:
        added = AddedTokens(added.file, {**added.ids, **found.moved}, complete=True)
        yield found
    from inspector.auditing.files.appended_tokens import appended_tokens

    file, words = appended_tokens(checkpoint, rows)
    appended = None if _is_mask_alone(words, rows) else _token_ids(file, words, appended=True)
    of_tokenizer = list(filter(None, _of_tokenizer(checkpoint, added, rows)))
    beyond = [*filter(None, _stated_ids(audited, rows)), *of_tokenizer]
    if appended is not None and not of_tokenizer:
        beyond.append(appended)
    if beyond:
        from inspector.findings.declared import TokensBeyondRows

        yield TokensBeyondRows(
            place=Place(file=beyond[0].file),
            embedding=rows,
            family=family_name(case.reading.prefix.removeprefix("*") + largest.block.key),
            beyond=tuple(beyond),
        )


def _of_named_table(audited: Audit, added: AddedTokens | None) -> Iterator[Finding]:
    """The finding on tokens of the tokenizer of a model without a definition here."""
    from inspector.auditing.files.named_table import looked_up, named_table

    table = named_table(audited)
    if table is None:
        return
    beyond = tuple(filter(None, _of_tokenizer(audited.checkpoint, added, table.rows, looked_up)))
    if beyond:
        from inspector.findings.declared import TokensBeyondRows

        yield TokensBeyondRows(place=Place(file=beyond[0].file), embedding=table.rows, family=table.key, beyond=beyond)


def _of_gap(checkpoint: Checkpoint, added: AddedTokens | None, rows: int) -> AddedTokensRenumbered | None:
    """The finding on added tokens to which a loader gives other ids than the file."""
    if added is None or added.file != ADDED or not checkpoint.folder:
        return None
    from inspector.auditing.files.added_gap import renumbered

    loaded = renumbered(checkpoint, added)
    moved = {token: number for token, number in loaded.items() if added.ids[token] != number}
    if not moved:
        return None
    from inspector.findings.added_tokens import AddedTokensRenumbered

    ids, token = set(added.ids.values()), next(iter(moved))
    absent = (one for one in range(min(loaded.values()), max(ids)) if one not in ids)
    return AddedTokensRenumbered(
        place=Place(file=added.file), absent=tuple(islice(absent, NAMES_SHOWN)), token=token, stated=added.ids[token],
        loaded=moved[token], moved=moved, before={one: added.ids[one] for one in moved}, embedding=rows,
    )  # fmt: skip


def _of_second_tokenizer(checkpoint: Checkpoint, reading: Reading, tables: Sequence[Placed]) -> Iterator[Finding]:
    """The finding on added tokens of the tokenizer that a processor has for one part of the model."""
    for folder, scope in SECOND.items():
        table = next((one for one in tables if one.block.slot.scope[:1] == (scope,)), None)
        part = load_within(checkpoint, folder) if table is not None and checkpoint.folder else None
        added = None if part is None else read_added(part)
        if table is None or added is None:
            continue
        rows, file = table.layout.shape[0], f"{folder}/{added.file}"
        beyond = _token_ids(file, {token: number for token, number in added.ids.items() if number >= rows})
        if beyond is not None:
            from inspector.findings.declared import TokensBeyondRows

            family = family_name(reading.prefix.removeprefix("*") + table.block.key)
            yield TokensBeyondRows(place=Place(file=file), embedding=rows, family=family, beyond=(beyond,))


def _stated_ids(audited: Audit, rows: int) -> Iterator[TokenIds | None]:
    """Token ids stated in the config or in a GGUF file."""
    yield _of_config(audited, rows)
    metadata = audited.checkpoint.metadata
    tokens = None if metadata is None else metadata.values.get("tokenizer.ggml.tokens")
    amount = len(tokens) if isinstance(tokens, list | tuple) else getattr(tokens, "count", 0)
    if metadata is not None and type(amount) is int and amount > rows:
        from inspector.findings.declared import TokenIds

        yield TokenIds(metadata.file, ("tokenizer.ggml.tokens",), amount - rows, amount - 1)


def _of_config(audited: Audit, rows: int) -> TokenIds | None:
    """Token ids in the config that differ from the defaults of its type, which say nothing about the tokenizer."""
    config = audited.checkpoint.config
    if config is None or config.kind != "config" or audited.case is None:
        return None
    model_type = config.values.get("model_type") or type_of_class(named_class(config.values) or "")
    usual = default_token_ids(model_type) if isinstance(model_type, str) else frozenset()
    found: dict[str, int] = {}
    for prefix, values in (("", config.values), ("text_config.", config.values.get("text_config"))):
        for key, value in values.items() if isinstance(values, dict) else ():
            if not key.endswith(TOKEN_IDS):
                continue
            ids = value if isinstance(value, list) else [value]
            beyond = [one for one in ids if type(one) is int and one >= rows and one not in usual]
            if beyond:
                found[prefix + key] = max(beyond)
    return _token_ids(config.file, found)


def _is_mask_alone(beyond: Mapping[str, int], rows: int) -> bool:
    """True if the only token without a row is the mask, with the id of the next row, as BART has it."""
    return beyond == {MASK: rows}


def _of_tokenizer(
    checkpoint: Checkpoint, added: AddedTokens | None, rows: int, counted: Callable[[str], bool] = lambda token: True
) -> Iterator[TokenIds | None]:
    """Ids of the tokens that were added to the tokenizer, and of those of its vocabulary. counted: of which tokens."""
    file = WHOLE if added is None else added.file
    ids = {} if added is None else added.ids
    extra = {token: number for token, number in ids.items() if number >= rows and counted(token)}
    named, words = _words_beyond(checkpoint, added, rows)
    words = {token: number for token, number in words.items() if counted(token)}
    if _is_mask_alone({**extra, **words}, rows):
        return
    if file == named:
        extra, words = {**extra, **words}, {}
    yield _token_ids(file, extra)
    yield _token_ids(named, words)


def _words_beyond(checkpoint: Checkpoint, added: AddedTokens | None, rows: int) -> tuple[str, Mapping[str, int]]:
    """(the vocabulary of a local folder, its words with ids at or above the number of rows without the added ones)."""
    if not checkpoint.folder or not is_listed(checkpoint):
        return WHOLE, {}
    from inspector.auditing.vocabulary import words_beyond

    name, found = words_beyond(checkpoint, rows)
    ids = {} if added is None else added.ids
    return name, {token: number for token, number in found.items() if token not in ids}


def _added(checkpoint: Checkpoint) -> AddedTokens | None:
    """The added tokens of a local folder, in which files can be read without requests."""
    return read_added(checkpoint) if checkpoint.folder and is_listed(checkpoint) else None


def _token_ids(file: str, found: Mapping[str, int], *, appended: bool = False) -> TokenIds | None:
    if not found:
        return None
    from inspector.findings.declared import TokenIds

    names: Sequence[str] = sorted(found, key=lambda name: found[name])
    return TokenIds(file, tuple(names[:NAMES_SHOWN]), len(found), max(found.values()), appended)
