"""The pipeline on one screen: load, match, reconcile, judge, word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from inspector.algebra.names import key_of
from inspector.architectures.defaults import is_component
from inspector.dialects.catalog import is_single_file, may_know
from inspector.dialects.reading import with_stated_config
from inspector.evidence import Evidence, Fact, Place
from inspector.loader.checkpoint import Checkpoint, load, load_within
from inspector.matcher.claim import NO_CONFIG, claim_of
from inspector.matcher.claim import Claim as ConfigClaim
from inspector.matcher.families import Families, families_of
from inspector.matcher.reading import Reading, read_by_names, read_claimed, shown
from inspector.matcher.showing import unseen_lists
from inspector.quantization.signs import may_be_packed
from inspector.reconciler import ledger
from inspector.reconciler.config_keys import not_understood
from inspector.reconciler.dtypes import dtype_evidence
from inspector.reconciler.explain import judge
from inspector.reconciler.ledger import Counts, Ledger, Line
from inspector.reconciler.reconcile import Reconciled, reconcile, unknown_lines
from inspector.rules.registry import Finding, rule_of, worded

if TYPE_CHECKING:
    from inspector.auditing.values import Values
    from inspector.loader.sources.traffic import Progress
    from inspector.quantization.unpacking import Unpacked
    from inspector.reconciler.claims import Claim, Stated
    from inspector.reconciler.experts import Experts
    from inspector.reconciler.training_state import Aside


@dataclass(frozen=True, slots=True)
class ArchitectureName:
    """Whose names these are. confidence: certain where the config and the names agree, else likely."""

    name: str
    model_type: str | None
    confidence: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A check that was not made, and why."""

    check: str
    because: str


@dataclass(frozen=True, slots=True)
class CauseLine:
    """A finding that is a cause, and the families whose differences it explains."""

    code: str
    key: str
    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """What is to be said of a checkpoint. Prints itself as the report that people read.

    verdict: "clean" (no error, no warning), "findings", or "unreadable" (no header could be read).
    components: the parts of a pipeline by folder; the counts are then their sums. base: an adapter's, where it was
    read; its verdict is its own. values: what the numbers showed, where they were read.
    """

    source: str
    title: str
    checkpoint: Checkpoint
    architecture: ArchitectureName | None
    class_name: str | None
    ledger: Ledger
    claims: tuple[Claim, ...] = ()
    findings: tuple[Finding, ...] = ()
    causes: tuple[CauseLine, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    verdict: str = "clean"
    case: Reconciled | None = field(default=None, repr=False)
    unpacked: Unpacked | None = field(default=None, repr=False)
    components: Mapping[str, Audit] = field(default_factory=dict)
    values: Values | None = field(default=None, repr=False)
    base: Audit | None = field(default=None, repr=False)

    @property
    def counts(self) -> Counts:
        """What the ledger adds up to."""
        return self.ledger.counts

    @property
    def experts(self) -> Experts | None:
        """The experts of a mixture, and what of the model one token uses; None where there are none."""
        from inspector.reconciler.experts import experts_of

        config = self.checkpoint.config
        return None if self.case is None or config is None else experts_of(self.ledger, config.values)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The ledger's lines."""
        return self.ledger.lines

    def __str__(self) -> str:
        from inspector.report.text import audit_text

        return audit_text(self)


def audit(
    source: str,
    *,
    weights: str | None = None,
    config: str | None = None,
    claim: Stated | None = None,
    base: str | None = None,
    with_base: bool = False,
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    cached: bool = False,
    progress: Progress | None = None,
) -> Audit:
    """Audits the checkpoint at a path, in a repository of the Hub (`org/name`), or at another address.

    weights chooses among several sets of weights. config is a config file to use instead of the one there.
    claim is a total to compare with (`inspector.reconciler.claims.read_claim` makes one of "8.03B").
    base is an adapter's base, as a source of its own or a config alone; with_base reads the repository that the
    adapter's config names. revision, subfolder and repo_type are a repository's; cached reads the Hub's local
    cache alone; progress is called while headers arrive. Bad content is never raised: it is in the findings.
    """
    loaded = load(
        source,
        weights=weights,
        config=config,
        revision=revision,
        subfolder=subfolder,
        repo_type=repo_type,
        cached=cached,
        progress=progress,
    )
    checkpoint = with_stated_config(loaded)
    if checkpoint.pipeline is not None and weights is None:
        from inspector.auditing.pipeline import audit_pipeline, with_claim

        return with_claim(audit_pipeline(checkpoint, lambda folder: load_within(checkpoint, folder)), claim)
    if base is not None or with_base:
        return _with_base(checkpoint, claim, base, progress)
    if is_single_file(checkpoint.tensors) and claim_of(checkpoint.config).card is None:
        from inspector.auditing.pipeline import audit_single_file, with_claim

        return with_claim(audit_single_file(checkpoint), claim)
    return audit_checkpoint(checkpoint, claim)


def _with_base(checkpoint: Checkpoint, claim: Stated | None, base: str | None, progress: Progress | None) -> Audit:
    """The audit of an adapter beside its base; of anything else, and that it is no adapter."""
    from inspector.auditing.adapter import audit_adapter, holds_adapter, read_base, read_named_base

    if not checkpoint.readable or not holds_adapter(checkpoint, families_of(checkpoint.tensors)):
        audited = audit_checkpoint(checkpoint, claim)
        skipped = Skipped("the base", "these weights are no adapter")
        return replace(audited, skipped=(*audited.skipped, skipped)) if checkpoint.readable else audited
    cached = checkpoint.cached
    read = read_named_base(checkpoint, progress) if base is None else read_base(base, cached=cached, progress=progress)
    return audit_adapter(checkpoint, claim, read)


def audit_checkpoint(checkpoint: Checkpoint, claim: Stated | None = None, *, like: str | None = None) -> Audit:
    """Audits what was loaded. like: the model type whose card is to read it, where it has no config."""
    checkpoint = with_stated_config(checkpoint)
    evidence = list(checkpoint.evidence)
    skipped = [Skipped("values", _unread_values(checkpoint))]
    if not checkpoint.readable:
        return concluded(checkpoint, None, None, Ledger(), (), evidence, skipped, None)
    config = claim_of(checkpoint.config, like)
    stored: Families = families_of(checkpoint.tensors)
    if checkpoint.adapter is not None or any(sign in key for key in stored for sign in SIGNS_OF_ADAPTERS):
        from inspector.auditing.adapter import (
            audit_adapter,
            base_beside,
            beside_weights,
            holds_adapter,
            unmerged,
            with_adapter,
        )

        if holds_adapter(checkpoint, stored):
            return audit_adapter(checkpoint, claim, base_beside(checkpoint), stored)
        worn = unmerged(checkpoint, stored, config)
        if worn is not None:
            alone = replace(worn[0], adapter=None, evidence=(*checkpoint.evidence, worn[1]))
            return with_adapter(audit_checkpoint(alone, claim), worn[2])
        if (beside := beside_weights(checkpoint)) is not None:
            evidence.append(beside)
    left = _set_aside(checkpoint, stored)
    if left is not None:
        stored = left.kept
        evidence.extend(left.evidence)
    families, unpacked, lost = _unpacked(checkpoint, config, stored)
    nameless = "" if left is None else left.nameless
    reading, nearest = (None, None) if nameless else _reading(config, families, lost)
    if left is not None:
        lost.extend(left.lost)
    case: Reconciled | None = None
    judged: list[Evidence] = []
    if reading is not None:
        aside = frozenset[str]() if unpacked is None else unpacked.biases(reading.prefix)
        case = reconcile(config, reading, lost, whole=not checkpoint.partial, aside=aside, ties=checkpoint.ties)
        judged = list(judge(case))
        if case.solved and _guessed(reading, case, judged):
            reading = case = None  # what the shapes alone do not solve is not known, and accuses nobody
    if reading is None or case is None:
        accounts = ledger.add_up(unknown_lines(families), None)
        if nameless:
            skipped.append(Skipped("names and shapes", nameless))
        else:
            evidence.extend(_unknown(config, families, nearest))
            skipped.append(Skipped("names and shapes", "no card reads this architecture: siblings were compared"))
    else:
        if checkpoint.partial:
            skipped.append(Skipped("completeness", "one shard was named by itself"))
        accounts = case.ledger
        evidence.extend(judged)
        skipped.extend(Skipped(f"names and shapes below {prefix}", why) for prefix, why in case.plan.opaque)
        if config.card is reading.card and not config.settings.native:
            evidence.extend(not_understood(case.plan.scope))
    if checkpoint.copies:
        from inspector.reconciler.copies import with_copies

        accounts = with_copies(accounts, checkpoint.tensors, checkpoint.copies)
        case = replace(case, ledger=accounts) if case is not None else None
    if unpacked is not None:
        from inspector.auditing.quantization import packing_evidence, undecided, with_helpers

        accounts = with_helpers(accounts, unpacked)
        case = replace(case, ledger=accounts) if case is not None else None
        if checkpoint.kept_shapes is None and undecided(accounts.lines):
            from inspector.quantization.kept_shapes import with_kept_shapes

            return audit_checkpoint(with_kept_shapes(checkpoint), claim)
        evidence.extend(packing_evidence(unpacked, accounts.lines))
    if left is not None and left.lines:
        accounts = ledger.add_up([*accounts.lines, *left.lines], accounts.counts.expected_parameters)
        case = replace(case, ledger=accounts) if case is not None else None
    evidence.extend(dtype_evidence(accounts.lines, config.settings.values))
    claims = stated_claims(checkpoint, accounts, case, skipped, claim)
    evidence.extend(one for one in _totals(checkpoint, claims))
    audited = concluded(checkpoint, _named(config, reading), config, accounts, claims, evidence, skipped, case)
    return audited if unpacked is None else replace(audited, unpacked=unpacked)


def _unread_values(checkpoint: Checkpoint) -> str:
    if not checkpoint.kept_shapes:
        return "headers only: no tensor data was read"
    return f"headers only, and the shapes that {checkpoint.kept_shapes:,} small tensors keep of packed ones"


def _set_aside(checkpoint: Checkpoint, stored: Families) -> Aside | None:
    """What training left among the weights; looked for only where a name or an empty tensor shows it."""
    emptied = any(one.rule == "weights-emptied" for one in checkpoint.evidence)
    if not emptied and not any(sign in key for key in stored for sign in SIGNS_OF_TRAINING):
        return None
    from inspector.reconciler.training_state import set_aside

    return set_aside(stored, emptied=emptied)


SIGNS_OF_TRAINING = ("ema", "_extra_state", "flat_param", "exp_avg", "momentum_buffer")
"""Parts of names that make it worth looking whether training left something."""
SIGNS_OF_ADAPTERS = (".lora_", ".base_layer.", "base_model.model.")
"""Parts of names that make it worth looking whether PEFT was at work."""
MOST_GUESSED = 3
"""Errors beyond this number, where names alone chose the card, say that the card is not the right one."""


def _guessed(reading: Reading, case: Reconciled, judged: Sequence[Evidence]) -> bool:
    """Whether what differs is likelier a size that names and shapes do not show than something wrong."""
    if len(judged) > MOST_GUESSED and _errors(judged) > MOST_GUESSED:
        return True
    return bool(case.placement.differences) and is_component(reading.name) and unseen_lists(reading.card)


def _errors(evidence: Sequence[Evidence]) -> int:
    return sum(rule_of(one.rule)[1].severity == "error" for one in evidence)


def _unpacked(
    checkpoint: Checkpoint, config: ConfigClaim, stored: Families
) -> tuple[Families, Unpacked | None, list[str]]:
    """(the families under logical names, what unpacking showed, tensors whose absence is told already)."""
    lost = _lost(checkpoint)
    dtypes = {part.layout.dtype for family in stored.values() for part in family.stored}
    if not may_be_packed(stored, dtypes, config.settings.values):
        return stored, None, lost
    from inspector.quantization.settings import settings_of
    from inspector.quantization.unpacking import unpack

    unpacked = unpack(stored, settings_of(config.settings.values, checkpoint.side), lost, whole=not checkpoint.partial)
    return unpacked.families, unpacked, [*lost, *unpacked.gone_names()]


def _reading(
    config: ConfigClaim, families: Families, lost: Sequence[str]
) -> tuple[Reading | None, tuple[str, float] | None]:
    """The names under the claimed card where it fits; by themselves where there is no claim, or a false one."""
    if config.writer or may_know(families) or may_know(key_of(name)[0] for name in lost):
        from inspector.matcher.dialect_reading import read_in_dialect

        in_dialect = read_in_dialect(config, families, lost)
        if in_dialect:
            return _by_shapes(in_dialect), None
    claimed = read_claimed(config, families, lost)
    if claimed is not None and claimed.fits:
        return claimed, None
    if claimed is None and config is not NO_CONFIG and config.model_type is not None:
        return None, read_by_names(families, {})[1]
    values = config.settings.values if claimed is None else {}
    supported, nearest = read_by_names(families, values)
    return _by_shapes(supported), nearest


def _misfit(case: Reconciled) -> tuple[int, bool]:
    """(tensors that speak against the card, whether its sum is unknown). Layers that are lost speak against none."""
    stored = case.reading.families
    placement = case.placement
    against = sum(one.tensors for one in placement.misfits) + sum(one.tensors for one in placement.strays)
    against += sum(gap.tensors for gap in placement.gaps if gap.block.key not in stored)
    unchecked = sum(line.tensors for line in case.ledger.lines if line.kind == ledger.UNCHECKED)
    return against - unchecked, case.ledger.counts.expected_parameters is None


def _by_shapes(readings: Sequence[Reading]) -> Reading | None:
    """Of readings that fit the names equally well, the one that fits the shapes best; its equals are twins."""
    if len(readings) < 2 and not any(map(_has_class, readings)):
        return readings[0] if readings else None
    tried = [_beside_shapes(reading) for reading in readings]
    least = min(misfit for _, misfit in tried)
    fitting = [reading for reading, misfit in tried if misfit == least]
    return replace(fitting[0], twins=tuple(reading.name for reading in fitting[1:]))


def _beside_shapes(reading: Reading) -> tuple[Reading, tuple[int, bool]]:
    """(a reading, how badly it fits); of diffusers' classes by their classes' switches where nothing differs then.

    Where anything does, the switch may be what is otherwise.
    """
    misfit = _misfit(reconcile(NO_CONFIG, reading, ()))
    if not misfit[0] or not _has_class(reading):
        return reading, misfit
    other = shown(reading, always=True)
    again = _misfit(reconcile(NO_CONFIG, other, ()))
    return (other, again) if not again[0] else (reading, misfit)


def _has_class(reading: Reading) -> bool:
    """Whether a reading without a config is of a class of diffusers, whose switches have defaults."""
    return not reading.scope.settings.known and is_component(reading.name)


def _lost(checkpoint: Checkpoint) -> list[str]:
    """Tensors whose absence is told already: in files not read, or promised by the index and in no header."""
    names = [name for names in checkpoint.lost.values() for name in names]
    index = checkpoint.index
    if index is not None and any(one.rule == "tensor-absent" for one in checkpoint.evidence):
        names.extend(name for name in index.weight_map if name not in checkpoint.tensors)
    return names


def _unknown(config: ConfigClaim, families: Families, nearest: tuple[str, float] | None) -> Iterator[Evidence]:
    if config.card is not None and config.model_type is not None:
        facts: dict[str, Fact] = {"claimed": config.model_type, "class": config.class_name}
        yield Evidence(
            "names-of-another-architecture", Place(key="model_type"), {**facts, "names": None, "coverage": 0.0}
        )
    elif config.class_name or config.model_type:
        name, coverage = nearest or (None, 0.0)
        yield Evidence(
            "architecture-unknown",
            Place(key="model_type"),
            {
                "model_type": config.model_type or config.class_name,
                "nearest": name if coverage >= 0.2 else None,
                "coverage": round(coverage, 3),
                "code": bool(config.settings.values.get("auto_map")),
            },
        )
    from inspector.reconciler.siblings import odd_siblings

    yield from odd_siblings(families)


def stated_claims(
    checkpoint: Checkpoint,
    accounts: Ledger,
    case: Reconciled | None,
    skipped: list[Skipped],
    claim: Stated | None,
) -> list[Claim]:
    """The totals of the index and what a person claims, each beside the counts."""
    return list(_claims(checkpoint, accounts, case, skipped, claim))


def _claims(
    checkpoint: Checkpoint,
    accounts: Ledger,
    case: Reconciled | None,
    skipped: list[Skipped],
    claim: Stated | None,
) -> Iterator[Claim]:
    """The totals of the index, and what a person claims."""
    index = checkpoint.index
    if index is None and claim is None:
        return
    from inspector.reconciler.claims import check_claim, index_claims

    if index is not None and (checkpoint.lost or checkpoint.partial):
        skipped.append(Skipped("totals of the index", "not all shards of the index were read"))
    elif index is not None:
        files = [file.bytes for file in checkpoint.files]
        yield from index_claims(index.metadata, accounts.counts, accounts.lines, case, files)
    if claim is not None:
        yield check_claim(claim, accounts.counts, accounts.lines, case)


def _totals(checkpoint: Checkpoint, claims: Sequence[Claim]) -> Iterator[Evidence]:
    if checkpoint.index is not None and claims:
        from inspector.reconciler.claims import unexplained_totals

        yield from unexplained_totals(claims, checkpoint.index.file)


def _named(config: ConfigClaim, reading: Reading | None) -> ArchitectureName | None:
    if reading is None:
        return None
    certain = config.card is reading.card and not reading.by_names
    name = reading.name if not certain else reading.card.names[0] if config.settings.native else reading.name
    return ArchitectureName(name, config.model_type, "certain" if certain else "likely")


def concluded(
    checkpoint: Checkpoint,
    architecture: ArchitectureName | None,
    config: ConfigClaim | None,
    accounts: Ledger,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    skipped: Sequence[Skipped],
    case: Reconciled | None,
) -> Audit:
    """The audit as it stands once everything is said."""
    findings = worded(evidence)
    bad = any(finding.severity in ("error", "warning") for finding in findings)
    causes = tuple(
        CauseLine(finding.code, finding.place.key or "", tuple(finding.facts["families"]))
        for finding in findings
        if finding.name == "config-disagrees"
    )
    return Audit(
        checkpoint.source,
        checkpoint.title,
        checkpoint,
        architecture,
        config.class_name if config is not None else None,
        accounts,
        tuple(claims),
        tuple(findings),
        causes,
        tuple(skipped),
        "unreadable" if not checkpoint.readable else "findings" if bad else "clean",
        case,
    )
