"""Audits an adapter, alone or with its base."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.adapters.base import Base, base_tensors
from inspector.adapters.changed_modules import modules_of
from inspector.adapters.difference import AdapterDifference
from inspector.adapters.explain import AdapterReport, account, kind_of
from inspector.adapters.methods import PEFT_TYPES
from inspector.adapters.misdotted import misdotted
from inspector.adapters.names import (
    OWN_PREFIX,
    adapter_kind,
    loaded_name,
    renames_of,
    saved_name,
    tuner_name,
)
from inspector.adapters.one_encoder import of_one_encoder
from inspector.adapters.peft_configs import defaults_of, renames
from inspector.adapters.read_by_class import unread_by_class, with_class_of_base
from inspector.adapters.tool_base import compare
from inspector.adapters.tool_findings import tool_findings
from inspector.adapters.tool_modules import account_tool, kind_of_tool
from inspector.adapters.tools import ToolTensor, is_tool_adapter
from inspector.algebra.names import NAMES
from inspector.auditing.adapter.attached_towers import is_of_llava, seen_by_peft, tower_unloaded
from inspector.auditing.adapter.base import (
    modules_of_base,
    not_refused,
    of_no_component,
    of_other_images,
    refused_by_llama_cpp,
)
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.adapter.below import adapters_below
from inspector.auditing.adapter.config_beside import config_beside, quantization_beside
from inspector.auditing.adapter.foreign_file import without_foreign_file
from inspector.auditing.adapter.mlx import compare_whole, findings_of_mlx, of_whole_layers
from inspector.auditing.adapter.names import (
    LookedFor,
    joined_renames,
    looked_for,
    of_language_alone,
    tool_names,
    with_flat_names,
)
from inspector.auditing.adapter.of_class import with_class
from inspector.auditing.adapter.of_config import base_unnamed, with_head
from inspector.auditing.adapter.recognized import of_peft
from inspector.auditing.adapter.shown_settings import shown_settings
from inspector.auditing.adapter.target_pattern import with_targets
from inspector.auditing.adapter.text_programs import with_program
from inspector.auditing.adapter.trained_beside import trained_module_absent
from inspector.auditing.adapter.training_copy import empty_adapter
from inspector.auditing.files.names import intended
from inspector.auditing.loads.accepted_values import without_ranks
from inspector.auditing.loads.adapters import loads_of_adapter
from inspector.auditing.loads.after_loading import after_loading, left_open
from inspector.auditing.loads.one_loader import for_its_loader
from inspector.auditing.reported import weights_emptied
from inspector.auditing.result import CLEAN, ArchitectureName, Audit, Skipped, conclude
from inspector.auditing.totals import check_totals
from inspector.budget import spend
from inspector.findings.absent_config import ConfigMissing
from inspector.findings.adapters.config_of_model import AdapterConfigOfModel
from inspector.findings.adapters.empty import AdapterEmpty
from inspector.findings.adapters.saved import AdapterAsWeights
from inspector.findings.adapters.tools import AdapterTypeUnknown
from inspector.findings.adapters.whole import AdapterBaseDiffers, AdapterBaseUnread
from inspector.findings.adapters.wrapped import AdapterNamesWrapped
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.shards.names import FileNameUnknown
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config, named_class
from inspector.loader.loaders import PEFT, TRANSFORMERS, Loader
from inspector.loading.outcome import UNKNOWN
from inspector.matcher.claim import claim_of
from inspector.matcher.families import Families, Family, families_of
from inspector.reconciler import ledger
from inspector.reconciler.dtypes import adapter_not_float
from inspector.reconciler.wording import names_in

if TYPE_CHECKING:
    from inspector.reconciler.stated_total import Stated

UNREAD_VALUES: Final = Skipped("values", "headers only: no tensor data was read")
OF_GENERATION: Final = frozenset({"_from_model_config", "do_sample", "max_new_tokens", "temperature", "top_p"})
"""Keys of generation_config.json that no config of an adapter has."""


def audit_adapter(
    checkpoint: Checkpoint, claim: Stated | None = None, base: BaseRead | None = None, stored: Families | None = None
) -> Audit:
    """Audits an adapter: its counts, and with the base also its shapes and targets."""
    families = families_of(checkpoint.tensors) if stored is None else stored
    spend(sum(key.count(".") for key in families), NAMES)  # its names are taken apart several times
    families = families if of_peft(checkpoint) else with_flat_names(families)
    found = tool_names(checkpoint, families, of_peft(checkpoint))
    if is_tool_adapter(found, families):
        return _audit_of_tool(checkpoint, families, found, claim, base)
    values = checkpoint.adapter.values if checkpoint.adapter is not None else {}
    config = {} if base is None else base.values
    renaming = renames(values, config.get("model_type"))
    stored_as = families
    found_as = looked_for(
        families, kind_of(values, families), values, lambda one: None if base is None else _base(base, one, values)
    )
    families, laid = found_as.families, found_as.base
    findings = [*_of_files(checkpoint), *_unusable(checkpoint, stored_as, found_as.named, renaming)]
    findings.extend((*trained_module_absent(checkpoint), *(base_unnamed(checkpoint) if base is None else ())))
    findings.extend((*config_beside(checkpoint), *quantization_beside(checkpoint, base), *_of_numbers(found_as)))
    findings.extend((*_emptied(checkpoint), *tower_unloaded(checkpoint, families, config)))
    skipped = [UNREAD_VALUES]
    if base is None:
        skipped.append(Skipped("shapes", "the base, which determines them, was not read"))
    elif base.audited is None:
        skipped.append(base.unread())
    elif laid is None:
        skipped.append(Skipped("shapes", "unsupported architecture of the base"))
        if (unmatched := of_no_component(base.source, base.audited, families, values)) is not None:
            findings.append(unmatched)
    whole = bool(families) and not (checkpoint.lost or checkpoint.partial)
    report = account(values, families, laid, whole=whole)
    if found_as.moved is not None:  # PEFT goes by the numbers that are stored
        report = replace(report, difference=account(values, found_as.stored, laid, whole=whole).difference)
    if report.difference is not None and _adds_nothing(report.difference):
        findings = [one for one in findings if not isinstance(one, AdapterEmpty)]
    of_report = _with_given_base(report.findings, values.get("base_model_name_or_path"))
    findings = of_language_alone(joined_renames(_of_own_config([*findings, *of_report])), values)
    findings = without_foreign_file(checkpoint, with_targets(findings, values, families), stored_as, values)
    findings = [*with_head(findings, values, laid, families)]
    if base is not None and base.audited is None:
        findings.append(AdapterBaseUnread(source=base.source, because=base.because))
    name = ArchitectureName(kind_of(values, families), None, "certain" if checkpoint.adapter is not None else "likely")
    audited = _concluded(checkpoint, report, findings, name, skipped, claim, base)
    if checkpoint.adapter is not None and not of_peft(checkpoint):
        return audited
    loads = loads_of_adapter(checkpoint, stored_as, found_as.named, report, audited.findings, name.name, config)
    of_config = without_ranks(loads[0], audited.findings) if loads else audited.findings
    audited = after_loading(replace(audited, loads=loads, findings=tuple(of_config)))
    audited = with_class(audited, laid, families, named_class(config))
    unknown = laid is not None and audited.verdict == CLEAN and any(one.outcome == UNKNOWN for one in loads)
    return left_open(audited, loads[0]) if unknown else audited


def _of_files(checkpoint: Checkpoint) -> Iterator[Finding]:
    """Yields the findings on the files; the partitions of a training run count as training state if the adapter is
    saved as a whole.
    """
    if not (checkpoint.findings and checkpoint.tensors):
        return iter(checkpoint.findings)
    from inspector.findings.reading.training import PartitionedSave

    return (one.beside_weights() if isinstance(one, PartitionedSave) else one for one in checkpoint.findings)


def _emptied(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on tensors that were saved empty under ZeRO-3: no tensor of an adapter has the shape [0], as a tensor
    of a whole model may.
    """
    empty = [name for name, layout in checkpoint.tensors.items() if layout.shape == (0,)]
    if empty and not weights_emptied(checkpoint):
        from inspector.findings.reading.training import WeightsEmptied

        yield WeightsEmptied(tensors=len(empty), of=len(checkpoint.tensors), names=tuple(empty[:NAMES_SHOWN]))


def _adds_nothing(difference: AdapterDifference) -> bool:
    """True if the config chooses modules for which the method saves nothing, as OSF does for those of GPT-2."""
    return difference.tuned and not difference.absent


def _audit_of_tool(
    checkpoint: Checkpoint,
    families: Families,
    found: Mapping[str, ToolTensor],
    claim: Stated | None,
    base: BaseRead | None,
) -> Audit:
    """Audits an adapter of another tool than PEFT, which has no config that states its targets."""
    report = account_tool(families, found, whole=not (checkpoint.lost or checkpoint.partial))
    skipped = [UNREAD_VALUES]
    findings = [*_of_files(checkpoint), *not_refused(checkpoint, report.findings)]
    name = ArchitectureName(kind_of_tool(found), None, "likely")
    if (of_program := with_program(findings, families, base)) is not None:
        skipped.append(Skipped("shapes", "the program that wrote the adapter has names of its own for the modules"))
        return for_its_loader(_concluded(checkpoint, report, of_program, name, skipped, claim, base))
    changed = modules_of(families, found)
    read = base.audited if base is not None else None
    laid = None if base is None or read is None else modules_of_base(base.source, read, families, found)
    findings.extend(findings_of_mlx(checkpoint, found, changed, laid))
    if base is None:
        skipped.append(Skipped("shapes", "the base, which determines them, was not read"))
    elif base.audited is None:
        skipped.append(base.unread())
        findings.append(AdapterBaseUnread(source=base.source, because=base.because))
    elif laid is None:
        skipped.append(Skipped("shapes", "unsupported architecture of the base"))
    else:
        whole = of_whole_layers(checkpoint)
        compared = compare_whole(families, base.audited, laid) if whole else compare(changed, laid)
        findings.extend(fitting := [*tool_findings(compared, laid, report.findings)])
        findings.extend(() if fitting else misdotted(changed, laid, families))
        findings.extend(filter(None, (of_other_images(families, read, laid),)))
        findings.extend(() if fitting else of_one_encoder(changed, laid, tuple(checkpoint.siblings)))
        findings = findings if fitting else with_class_of_base(findings, unread_by_class(changed, families, laid))
        findings.extend(refused := refused_by_llama_cpp(checkpoint, read, laid, compared.unchecked))
        if compared.unchecked and not refused:
            these = f"{len(compared.unchecked):,} modules of the adapter, such as {compared.unchecked[0]}"
            skipped.append(Skipped(these, "the base does not show them under such names", decisive=True))
    return for_its_loader(_concluded(checkpoint, report, findings, name, skipped, claim, base))


def _with_given_base(findings: Iterable[Finding], named: object) -> Iterator[Finding]:
    """Yields the findings, and marks a finding on another base as `given` if that base is the one named in the
    adapter's config.
    """
    for one in findings:
        if isinstance(one, AdapterBaseDiffers) and isinstance(named, str) and named:
            given = one.source in (named, f"hf://{named}") or os.path.realpath(one.source) == os.path.realpath(named)
            one = replace(one, given=given)
        yield one


def _concluded(
    checkpoint: Checkpoint,
    report: AdapterReport,
    findings: Sequence[Finding],
    name: ArchitectureName,
    skipped: Sequence[Skipped],
    claim: Stated | None,
    base: BaseRead | None,
) -> Audit:
    unchecked = (Skipped("a part of the adapter", why, decisive=True) for why in report.unchecked)
    expected = report.expected if checkpoint.adapter is not None else report.expected or None  # without targets
    accounts = ledger.add_up(report.lines, expected)
    around = (*_as_weights(checkpoint, accounts, name.name), *adapters_below(checkpoint))
    findings = [*around, *findings, *adapter_not_float(report.lines)]
    totals = check_totals(checkpoint, accounts, None, claim)
    audited = conclude(
        checkpoint,
        accounts,
        findings,
        architecture=name,
        claims=totals.claims,
        skipped=(*skipped, *unchecked, *totals.skipped),
        alone=expected is None,
    )
    return replace(audited, base=None if base is None else base.audited)


def _unusable(
    checkpoint: Checkpoint, families: Families, named: Callable[[str], str], renaming: bool
) -> Iterator[Finding]:
    """The reasons for which PEFT does not load the folder, or not all of it: file names, type, or tensor names."""
    config, name = checkpoint.adapter, checkpoint.set_name
    if config is not None and of_peft(checkpoint):
        stated = config.values.get("peft_type")
        if not isinstance(stated, str) or stated not in PEFT_TYPES:
            kind = adapter_kind(map(saved_name, families))
            shown = kind if kind is not None and kind.upper() in PEFT_TYPES else None
            yield _type_unknown(config, None if stated is None else str(stated)[:80], shown)
        if not families:
            yield empty_adapter(checkpoint)
        wrapped = {key: family for key, family in families.items() if loaded_name(key, renaming) != named(key)}
        if wrapped:
            first = _first_name(next(iter(wrapped.values())))
            yield AdapterNamesWrapped(
                tensors=sum(family.tensors for family in wrapped.values()),
                of=sum(
                    family.tensors for key, family in families.items() if key in wrapped or tuner_name(key) is not None
                ),
                stored=first,
                wanted=named(first),
                renames=renames_of(wrapped, named, families),
            )
    if checkpoint.alone or not name or not checkpoint.readable:
        return
    if _loader_of_model(checkpoint) is not None:
        return
    lacking = config is None and (PEFT.finds(name) or _of_model_name(name, families))
    if lacking and PEFT.config not in checkpoint.siblings:
        other = checkpoint.config
        similar = other.file if other is not None and "peft_type" in other.values else _copy_of_config(checkpoint)
        settings = {} if similar is not None else shown_settings(families)
        yield ConfigMissing(place=Place(file=PEFT.config), loader=PEFT.name, similar=similar, shown=settings)
    beside = any(PEFT.finds(one.name) for one in checkpoint.other_sets)
    renamed = not PEFT.finds(name) and not beside and (lacking or of_peft(checkpoint))
    if renamed and name.endswith((".safetensors", ".bin")):
        wanted = PEFT.single(name.rpartition(".")[2])
        yield FileNameUnknown(place=Place(file=name), loader=PEFT.name, wanted=wanted, single=True, variant="")


def _type_unknown(config: Config, stated: str | None, shown: str | None) -> Finding:
    """The finding on an adapter without a stated type, in a file that may also hold a whole model."""
    model, place = config.values.get("model_type"), Place(file=config.file, key="peft_type")
    if isinstance(model, str) and stated is None and "architectures" in config.values:
        return AdapterConfigOfModel(place=place, stated=stated, shown=shown, of=model)
    if stated is None and config.values.keys().isdisjoint(defaults_of({"peft_type": (shown or "lora").upper()})):
        of = "" if OF_GENERATION.isdisjoint(config.values) else "text generation"
        return AdapterConfigOfModel(place=place, stated=stated, shown=shown, of=of)
    return AdapterTypeUnknown(place=place, stated=stated, shown=shown)


def _of_own_config(findings: list[Finding]) -> list[Finding]:
    """The findings without those on settings, if the config has none of an adapter: all of them are to be restored."""
    if not any(isinstance(one, AdapterConfigOfModel) for one in findings):
        return findings
    from inspector.findings.adapters.whole import AdapterSettingDiffers

    return [one for one in findings if not isinstance(one, AdapterSettingDiffers)]


def _of_numbers(found: LookedFor) -> Iterator[Finding]:
    """The finding on layers that are numbered differently from the layers of the base."""
    if found.moved is not None:
        moved = found.moved
        yield AdapterNamesWrapped(tensors=moved.beyond, of=moved.of, stored=moved.stored, wanted=moved.wanted)


def _copy_of_config(checkpoint: Checkpoint) -> str | None:
    """The only file with the name of a copy of adapter_config.json that names a method of PEFT."""
    from inspector.auditing.files.copied_config import copied_configs

    named = [one.file for one in copied_configs(checkpoint, PEFT.config) if one.values.get("peft_type") in PEFT_TYPES]
    return named[0] if len(named) == 1 else None


def _loader_of_model(checkpoint: Checkpoint) -> Loader | None:
    """The loader that reads the file of an adapter as the weights of the model in config.json; None without such a
    loader.
    """
    if checkpoint.adapter is not None or checkpoint.alone or not checkpoint.readable:
        return None
    loader = intended(checkpoint)
    return loader if loader is not None and loader.finds(checkpoint.set_name) else None


def _as_weights(checkpoint: Checkpoint, accounts: ledger.Ledger, kind: str) -> Iterator[Finding]:
    """The finding on an adapter stored under the name of a model's weights."""
    loader = _loader_of_model(checkpoint)
    if loader is not None:
        place = Place(file=checkpoint.set_name)
        stored = accounts.counts
        yield AdapterAsWeights(
            place=place, type=kind, loader=loader.name, tensors=stored.tensors, elements=stored.stored_elements
        )


def _of_model_name(name: str, families: Families) -> bool:
    """True if a file has the name of a model's weights and holds what PEFT saved."""
    return TRANSFORMERS.finds(name) and any(key.startswith(OWN_PREFIX) for key in families)


def _first_name(family: Family) -> str:
    return names_in(family.key, family.stored[0].boxes, 1)[0]


def _base(base: BaseRead, families: Families, values: Mapping[str, object]) -> Base | None:
    if base.audited is None:
        return None
    config = base.audited.checkpoint.config
    if config is not None and is_of_llava(config.values):
        read = seen_by_peft(config, families)
        return None if read is None else base_tensors(base.source, claim_of(read), None, families, values)
    return base_tensors(base.source, claim_of(config), base.audited.case, families, values)
