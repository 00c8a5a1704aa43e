"""Audits an adapter, alone or with its base."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base, base_tensors
from inspector.adapters.explain import account, kind_of
from inspector.adapters.names import adapter_kind, is_adapter
from inspector.auditing.model import audit_model
from inspector.auditing.result import ArchitectureName, Audit, Skipped, conclude
from inspector.auditing.totals import check_totals
from inspector.dialects.reading import with_stated_config
from inspector.findings.adapters.whole import AdapterBaseUnread, AdapterBesideWeights
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint, load, load_repository
from inspector.loader.configs import config_at
from inspector.matcher.claim import claim_of
from inspector.matcher.families import Families, families_of
from inspector.reconciler import ledger

if TYPE_CHECKING:
    from inspector.loader.sources.traffic import Progress
    from inspector.reconciler.claims import Stated

ADAPTER_FILES: Final = ("adapter_model.safetensors", "adapter_model.bin", "adapters.safetensors")


class BaseRead(Struct, frozen=True):
    """The requested base. audited: None where no base could be audited; because: the reason, in words."""

    source: str
    audited: Audit | None
    because: str = ""


def holds_adapter(checkpoint: Checkpoint, stored: Families) -> bool:
    """Whether the weights belong to an adapter, by their names; its config may be absent."""
    return is_adapter(stored) and (checkpoint.adapter is not None or adapter_kind(stored) is not None)


def audit_adapter(
    checkpoint: Checkpoint, claim: Stated | None = None, base: BaseRead | None = None, stored: Families | None = None
) -> Audit:
    """Audits an adapter: its counts, and with the base also its shapes and targets."""
    families = families_of(checkpoint.tensors) if stored is None else stored
    values = checkpoint.adapter.values if checkpoint.adapter is not None else {}
    findings = list(checkpoint.findings)
    skipped = [Skipped("values", "headers only: no tensor data was read")]
    laid = None if base is None else _base(base, families, values)
    if base is None:
        skipped.append(Skipped("shapes", "the base, which determines them, was not read"))
    elif base.audited is None:
        skipped.append(Skipped("shapes", "the base could not be read"))
    elif laid is None:
        skipped.append(Skipped("shapes", "unsupported architecture of the base"))
    found = account(values, families, laid, whole=not (checkpoint.lost or checkpoint.partial))
    findings.extend(found.findings)
    if base is not None and base.audited is None:
        findings.append(AdapterBaseUnread(source=base.source, because=base.because))
    skipped.extend(Skipped("a part of the adapter", why, decisive=True) for why in found.unchecked)
    accounts = ledger.add_up(found.lines, found.expected)
    totals = check_totals(checkpoint, accounts, None, claim)
    name = ArchitectureName(kind_of(values, families), None, "certain" if checkpoint.adapter is not None else "likely")
    audited = conclude(
        checkpoint,
        accounts,
        findings,
        architecture=name,
        claims=totals.claims,
        skipped=(*skipped, *totals.skipped),
        alone=found.expected is None,
    )
    return replace(audited, base=None if base is None else base.audited)


def _base(base: BaseRead, families: Families, values: Mapping[str, object]) -> Base | None:
    if base.audited is None:
        return None
    claim = claim_of(base.audited.checkpoint.config)
    return base_tensors(base.source, claim, base.audited.case, families, values)


# --- reading the base ---


def read_base(source: str, *, cached: bool = False, progress: Progress | None = None) -> BaseRead:
    """Reads the base that the user names: its weights, or a config alone, which also determines the shapes."""
    from inspector.loader.sources.address import shown

    if source.endswith(".json") and not source.endswith(".index.json") and os.path.isfile(source):
        config = config_at(source)[0]
        if config is None:
            return BaseRead(source, None, "the config cannot be read")
        return _audited_base(Checkpoint(source, os.path.basename(source), config, address=source), source)
    return _audited_base(load(source, cached=cached, progress=progress), shown(source))


def _audited_base(checkpoint: Checkpoint, named: str) -> BaseRead:
    checkpoint = with_stated_config(checkpoint)
    audited = audit_model(checkpoint)
    if checkpoint.adapter is not None and audited.architecture is not None and audited.case is None:
        return BaseRead(named, None, "it is an adapter too")
    if not checkpoint.readable and claim_of(checkpoint.config).definition is None:
        errors = [one for one in audited.findings if one.severity == "error"]
        because = f"{errors[0].name}: {errors[0].message}" if errors else "no weights and no config found"
        return BaseRead(named, None, because)
    return BaseRead(named, audited)


def base_from_folder(checkpoint: Checkpoint) -> BaseRead | None:
    """The base by its config in the adapter's folder, which determines the shapes; None without a definition."""
    config = checkpoint.config
    if config is None or config.kind != "config" or claim_of(config).definition is None:
        return None
    return BaseRead(config.file, audit_model(Checkpoint(config.file, config.file, config, address=config.file)))


def read_named_base(checkpoint: Checkpoint, progress: Progress | None = None) -> BaseRead:
    """Reads the base that the adapter's config names, if it is a repository of the Hub.

    A config may not name a local path or an address outside the Hub.
    """
    from inspector.loader.sources.address import InvalidAddress, repository_named

    values = checkpoint.adapter.values if checkpoint.adapter is not None else {}
    name, revision = values.get("base_model_name_or_path"), values.get("revision")
    if not isinstance(name, str) or not name:
        return BaseRead("the base", None, "adapter_config.json does not name one")
    found = repository_named(name, revision if isinstance(revision, str) and revision else None)
    if isinstance(found, InvalidAddress):
        return BaseRead(name, None, "adapter_config.json does not name a Hub repository")
    return _audited_base(load_repository(found, cached=checkpoint.cached, progress=progress), name)


def adapter_config_with_model(checkpoint: Checkpoint) -> Finding | None:
    """The finding on an adapter config that is stored with the weights of a model."""
    if checkpoint.adapter is None:
        return None
    base = checkpoint.adapter.values.get("base_model_name_or_path")
    there = next((name for name in ADAPTER_FILES if name in checkpoint.siblings), None)
    return AdapterBesideWeights(
        place=Place(file=checkpoint.adapter.file),
        base=base if isinstance(base, str) and base else None,
        adapter_file=there,
    )
