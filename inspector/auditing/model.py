"""Audits the weights of a model: a chain of explainers, each of which explains some families of a draft.

An explainer gets the draft, adds lines to the ledger and findings, and passes on the families that no explainer has
explained yet. What is left at the end is unexplained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.algebra.boxes import Box
from inspector.architectures.defaults import is_component
from inspector.auditing.channels_last import channels_first, is_of_mlx
from inspector.auditing.confirmation import is_confirmed
from inspector.auditing.derived_keys import underived_heads
from inspector.auditing.llava_projector import projector_of_llava
from inspector.auditing.own_code import OWN_CODE, OWN_KEYS, own_code
from inspector.auditing.own_words import in_own_words
from inspector.auditing.part_alone import PART_ALONE, part_alone
from inspector.auditing.reported import (
    entries_in_vain,
    lacks_shards,
    lost_tensors,
    nothing_stored,
    odd_shards,
    weights_emptied,
)
from inspector.auditing.result import ArchitectureName, Audit, Skipped, conclude
from inspector.auditing.totals import check_totals
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families, families_of
from inspector.matcher.reading import Reading
from inspector.matcher.spelling import equal_matches
from inspector.quantization.signs import may_be_packed
from inspector.reconciler import ledger
from inspector.reconciler.added_parts import MOST_OF_PART, OF_PART, added_part
from inspector.reconciler.choose import choose_reading
from inspector.reconciler.config_keys import as_meant, not_understood, with_types
from inspector.reconciler.draft_head import OF_DRAFT, draft_of_three
from inspector.reconciler.dtypes import all_float, dtype_findings, weights_not_float, without_flat, without_scales
from inspector.reconciler.explain import reconciliation_findings
from inspector.reconciler.ledger import Ledger, Line
from inspector.reconciler.reconcile import WRONG_KEYS, Again, Reconciled, reconcile, unknown_lines

if TYPE_CHECKING:
    from inspector.quantization.unpacked import Unpacked
    from inspector.reconciler.claims import Stated, TotalClaim

SIGNS_OF_TRAINING = ("ema", "_extra_state", "flat_param", "exp_avg", "momentum_buffer", "_packed_params")
"""Parts of names that suggest training state."""


class Draft(Struct, frozen=True):
    """An audit in progress.

    config: the claim of the config. stored: all families as they are stored. families: those not explained yet;
    under logical names once unpacked.
    lost: missing tensors that another finding reports; emptied: tensors that a finding reports as empty.
    nameless: why names and shapes cannot be checked, "" where they can. reading, case: the definition and its
    reconciliation, None where no definition fits. unpacked: the result of unpacking quantized modules. deferred: lines
    to append to the ledger at the end.
    """

    checkpoint: Checkpoint
    config: Claim
    stored: Families
    families: Families
    stated: Stated | None = None
    ledger: Ledger = field(default_factory=Ledger)
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    claims: tuple[TotalClaim, ...] = ()
    lost: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    nameless: str = ""
    deferred: tuple[Line, ...] = ()
    reading: Reading | None = None
    case: Reconciled | None = None
    unpacked: Unpacked | None = None

    def with_findings(self, findings: Sequence[Finding]) -> Draft:
        """The draft with more findings."""
        return replace(self, findings=(*self.findings, *findings)) if findings else self

    def open(self, check: str, because: str, *, decisive: bool = True) -> Draft:
        """The draft with a check that was skipped."""
        return replace(self, skipped=(*self.skipped, Skipped(check, because, decisive)))

    def add(self, lines: Sequence[Line]) -> Draft:
        """The draft with more lines in its ledger."""
        if not lines:
            return self
        return replace(self, ledger=ledger.add_up([*self.ledger.lines, *lines], self.ledger.counts.expected_parameters))


Explain = Callable[[Draft], Draft]


def audit_model(
    checkpoint: Checkpoint, stated: Stated | None = None, *, like: str | None = None, stored: Families | None = None
) -> Audit:
    """Audits a loaded checkpoint as one model. stated: a total to compare with.

    like: the model type to use if it has no config. stored: the families of its tensors, if they are known.
    """
    draft = _explained(checkpoint, stated, like, stored)
    return conclude(
        draft.checkpoint,
        draft.ledger,
        draft.findings,
        architecture=_architecture(draft),
        class_name=draft.config.class_name if checkpoint.readable else None,
        claims=draft.claims,
        skipped=draft.skipped,
        case=draft.case,
        unpacked=draft.unpacked,
        stored=draft.stored,
    )


def _explained(checkpoint: Checkpoint, stated: Stated | None, like: str | None, stored: Families | None) -> Draft:
    """Applies every explainer, again where shapes that are stored or settings that are corrected explain more."""
    draft = explain(checkpoint, stated, like, stored)
    if draft.unpacked is None:
        return draft
    from inspector.auditing.corrected_settings import explaining, with_weights_settings
    from inspector.findings.types.undecided import PackingUndecided

    if checkpoint.kept_shapes is None and any(isinstance(one, PackingUndecided) for one in draft.findings):
        from inspector.quantization.kept_shapes import with_kept_shapes

        draft = explain(with_kept_shapes(checkpoint), stated, like)
    for config in with_weights_settings(checkpoint.config, draft.findings):
        again = explain(replace(draft.checkpoint, config=config), stated, like, stored)
        found = explaining(draft.findings, again.findings)
        if found is not None:
            return replace(again, checkpoint=draft.checkpoint, findings=found)
    return draft


def explain(checkpoint: Checkpoint, stated: Stated | None, like: str | None, stored: Families | None = None) -> Draft:
    """Applies every explainer in turn."""
    draft = Draft(checkpoint, claim_of(as_meant(checkpoint), like), {}, {}, stated, findings=checkpoint.findings)
    draft = draft.open("values", _unread_values(checkpoint), decisive=False)
    if not checkpoint.readable:
        return draft
    families = families_of(checkpoint.tensors) if stored is None else stored
    families = channels_first(families) if is_of_mlx(checkpoint) else families
    draft = replace(draft, stored=families, families=families, lost=tuple(lost_tensors(checkpoint)))
    for step in EXPLAINERS:
        draft = step(draft)
    return draft


def training_state(draft: Draft) -> Draft:
    """Explains averages, optimizer state and flat parameters; skipped where no name or empty tensor suggests any."""
    emptied = weights_emptied(draft.checkpoint)
    if not emptied and not any(sign in key for key in draft.families for sign in SIGNS_OF_TRAINING):
        return draft
    from inspector.reconciler.training_state import set_aside

    aside = set_aside(draft.families, emptied=emptied)
    if aside is None:
        return draft
    nameless = aside.nameless
    if aside.lost and draft.config.definition is None:
        nameless = nameless or "the matrices are empty"
    kept = replace(draft, families=aside.kept, emptied=aside.lost, nameless=nameless, deferred=aside.lines)
    return kept.with_findings(aside.findings)


def quantized_modules(draft: Draft) -> Draft:
    """Replaces quantized modules by their logical weights."""
    values, checkpoint = draft.config.settings.values, draft.checkpoint
    dtypes = {part.layout.dtype for family in draft.families.values() for part in family.stored}
    if not may_be_packed(draft.families, dtypes, values):
        return draft
    from inspector.quantization.expected_widths import inputs_by
    from inspector.quantization.read_settings import settings_of
    from inspector.quantization.unpacking import unpack

    settings = settings_of(values, checkpoint.side)
    lost, config = list(draft.lost), draft.config
    unpacked = unpack(draft.families, settings, lost, whole=not checkpoint.partial, widths=lambda: inputs_by(config))
    without = (*draft.lost, *unpacked.names_without_values())
    return replace(draft, families=unpacked.families, unpacked=unpacked, lost=without)


class Judged(Struct, frozen=True):
    """The weights under a definition: the claim and the reading that decide, their reconciliation, the findings."""

    config: Claim
    reading: Reading
    case: Reconciled
    findings: list[Finding]


def definition(draft: Draft) -> Draft:
    """Compares every family with the definition that the config or the names select."""
    checkpoint, config = draft.checkpoint, draft.config
    if draft.nameless:
        return _without_definition(draft).open("names and shapes", draft.nameless)
    if not (checkpoint.tensors or checkpoint.lost) and (checkpoint.set_name or config.definition is not None):
        return _without_definition(draft).with_findings([nothing_stored(checkpoint)])
    if "fc.weight" in draft.families and (head := draft_of_three(draft.families)) is not None:
        return _without_definition(draft).with_findings([head]).open(*OF_DRAFT)
    if len(draft.families) <= MOST_OF_PART and (added := added_part(draft.families)) is not None:
        return _without_definition(draft).with_findings([added]).open(*OF_PART)
    if (part := part_alone(config, draft.families, draft.lost)) is not None:
        return _without_definition(draft).with_findings([part]).open(*PART_ALONE)
    reading, nearest = choose_reading(config, draft.families, draft.lost)
    if config.definition is not None and (reading is None or reading.coverage < 1 or reading.by_names or reading.part):
        from inspector.auditing.multimodal import text_model_alone

        if (alone := text_model_alone(config, checkpoint.config, draft.families, reading)) is not None:
            return _without_definition(draft).with_findings([alone])
    named = None
    if reading is None or reading.definition is not config.definition:
        from inspector.auditing.other_type import of_other_type

        named = of_other_type(config, checkpoint.config, draft.families, draft.lost, reading)
    if named is not None:
        config, reading = named.config, named.reading
    if reading is None:
        return _unknown(draft, nearest)
    judged = _judged(draft, config, reading)
    if judged.case.solved and not is_confirmed(judged.case, judged.findings):
        return _unknown(draft, nearest)
    if (own := own_code(judged.config, judged.case, judged.findings)) is not None:
        return _without_definition(draft).with_findings([own]).open(*OWN_CODE)
    if reading.by_names and reading.writer and config.model_type is not None and config.definition is None:
        draft = draft.open(*OWN_KEYS)
    return _compared(draft.with_findings([] if named is None else [named.finding]), judged)


def _judged(draft: Draft, config: Claim, reading: Reading) -> Judged:
    """The weights under the definition of a reading, or under another one that explains them better."""
    checkpoint = draft.checkpoint
    aside = frozenset[str]() if draft.unpacked is None else draft.unpacked.biases(reading.prefix)
    lost = (*draft.lost, *draft.emptied)
    whole = not (checkpoint.partial or lacks_shards(checkpoint))

    def again(claim: Claim, other: Reading) -> Reconciled:
        return reconcile(claim, other, lost, whole=whole, aside=aside, ties=checkpoint.ties)

    case = again(config, reading)
    judged = list(reconciliation_findings(case, draft.families, again))
    if all(one.severity == "note" for one in judged):
        return Judged(config, reading, case, judged)
    if config.class_name is None and (other := _with_equal_head(draft, config, case, again)) is not None:
        return other
    from inspector.auditing.named_class import decided_by_class
    from inspector.auditing.use import base_in_use, by_use

    judged, used = list(by_use(checkpoint, judged)), base_in_use(checkpoint, judged)
    if used is not None:
        config = claim_of(used.config)
        reading = choose_reading(config, draft.families, draft.lost)[0] or reading
        case = again(config, reading)
        judged = [used.finding, *reconciliation_findings(case, draft.families, again)]
    elif decided := decided_by_class(config, checkpoint.config, draft.families, draft.lost, case, again):
        return Judged(decided.config, decided.case.reading, decided.case, list(decided.judged))
    from inspector.auditing.other_type import with_type_to_state

    judged = list(with_type_to_state(judged, config, checkpoint.config, draft.families, again))
    from inspector.auditing.part_of_model import with_other_parts

    judged, case = with_other_parts(judged, case)
    return Judged(config, reading, case, judged)


def _with_equal_head(draft: Draft, config: Claim, case: Reconciled, again: Again) -> Judged | None:
    """The weights under another head of the same names, where no class is named and that one has differences."""
    reading = case.reading
    if not case.as_configured.differences or case.as_configured.unexpected:
        return None
    for match in equal_matches(reading.scope, reading.families, reading.match):
        other = again(replace(config, head=match.head), replace(reading, match=match))
        if not (other.placement.differences or other.causes):
            findings = list(reconciliation_findings(other, draft.families, again))
            return Judged(config, other.reading, other, findings)
    return None


def _compared(draft: Draft, judged: Judged) -> Draft:
    """The draft with the ledger of a definition, its findings, and what it leaves open."""
    checkpoint, reading, case = draft.checkpoint, judged.reading, judged.case
    known = judged.config.definition is reading.definition and not judged.config.is_params
    file, findings = checkpoint.config, judged.findings
    typed: list[Finding] = []
    if known and file is not None and file.kind == "config":
        if is_component(reading.name):
            from inspector.reconciler.diffusers_values import refused_values

            typed = list(refused_values(file.values, case.plan.scope, findings))
        else:
            findings, typed = with_types(findings, case.plan.scope, file.values, bool(checkpoint.set_name))
    found = tuple(entries_in_vain(draft.findings, checkpoint, case))
    draft = replace(draft, reading=reading, case=case, ledger=case.ledger, findings=found)
    if checkpoint.partial:
        draft = draft.open("completeness", "only one shard was audited")
    worded = in_own_words(findings, checkpoint, reading.prefix, case.plan.scope.settings)
    draft = replace(draft, findings=underived_heads(draft.findings, worded, checkpoint))
    draft = draft.with_findings(list(worded))
    for prefix, why in case.plan.opaque:
        draft = draft.open(f"names and shapes below {prefix}", why)
    if case.given_up:
        draft = draft.open(WRONG_KEYS, "it takes more steps than one audit may take")
    return draft.with_findings([*typed, *not_understood(case.plan.scope)]) if known else draft


def copies(draft: Draft) -> Draft:
    """Counts tensors that are in several files."""
    if not draft.checkpoint.copies:
        return draft
    from inspector.reconciler.copies import with_copies

    return replace(draft, ledger=with_copies(draft.ledger, draft.checkpoint.tensors, draft.checkpoint.copies))


def quantization_helpers(draft: Draft) -> Draft:
    """Explains scales, zero points and indices of quantized modules, and reports problems of the modules."""
    if draft.unpacked is None:
        return draft
    from inspector.auditing.quantization import block_missing, helper_lines, open_questions, packing_findings

    added = draft.add(list(helper_lines(draft.unpacked)))
    mismatched: dict[str, tuple[Box, ...]] = {}
    for one in draft.case.placement.mismatched if draft.case is not None else ():
        key = (draft.reading.prefix if draft.reading is not None else "") + one.block.key
        mismatched[key] = mismatched.get(key, ()) + one.boxes
    solved = draft.case is not None and draft.case.solved
    found = packing_findings(draft.checkpoint, draft.unpacked, added.ledger.lines, mismatched, solved=solved)
    added = added.with_findings(list(found))
    added = added.with_findings(list(block_missing(draft.checkpoint, draft.unpacked, added.ledger.lines)))
    return replace(added, skipped=(*added.skipped, *open_questions(added.findings)))


def deferred_lines(draft: Draft) -> Draft:
    """Adds the lines that were set aside before the names were read."""
    return draft.add(draft.deferred)


def dtypes(draft: Draft) -> Draft:
    """Compares the dtypes with each other, with the config's, and with those that weights can have."""
    quantized = {case.key for case in draft.unpacked.cases} if draft.unpacked is not None else ()
    draft = draft.with_findings(list(weights_not_float(draft.ledger.lines, quantized)))
    draft = draft if draft.lost else draft.with_findings(projector_of_llava(draft.config, draft.families))
    lines = draft.ledger.lines
    draft = replace(draft, findings=tuple(without_flat(without_scales(draft.findings, lines), lines)))
    draft = draft.with_findings(odd_shards(draft.checkpoint, draft.ledger.lines))
    return draft.with_findings(list(dtype_findings(draft.ledger.lines, draft.config.settings.values)))


def totals(draft: Draft) -> Draft:
    """Checks the totals of the index and of the user."""
    checked = check_totals(draft.checkpoint, draft.ledger, draft.case, draft.stated)
    skipped = (*draft.skipped, *checked.skipped)
    return replace(draft, claims=checked.claims, skipped=skipped).with_findings(checked.findings)


EXPLAINERS: tuple[Explain, ...] = (
    training_state,
    quantized_modules,
    definition,
    copies,
    quantization_helpers,
    deferred_lines,
    dtypes,
    totals,
)
"""The explainers, in the order in which they are applied."""


def _unread_values(checkpoint: Checkpoint) -> str:
    if not checkpoint.readable or not checkpoint.kept_shapes:
        return "headers only: no tensor data was read"
    return f"headers only, and the shapes stored in {checkpoint.kept_shapes:,} small tensors"


def _without_definition(draft: Draft) -> Draft:
    return replace(draft, ledger=ledger.add_up(unknown_lines(draft.families), None))


def _unknown(draft: Draft, nearest: tuple[str, float] | None) -> Draft:
    """No definition fits the names: only layers are compared with each other."""
    from inspector.auditing.projector import is_projector, needed_findings, projector_findings
    from inspector.auditing.unknown_type import unknown_architecture
    from inspector.reconciler.siblings import odd_siblings

    if not draft.families:
        return _without_definition(draft).open("names and shapes", "no tensor can be read")
    if (own := own_code(draft.config, None, ())) is not None:
        return _without_definition(draft).with_findings([own]).open(*OWN_CODE)
    draft = _without_definition(draft).with_findings(unknown_architecture(draft.config, draft.families, nearest))
    stated = draft.checkpoint.metadata
    if stated is not None and is_projector(stated.values):
        found = (*projector_findings(draft.families, stated.values), *needed_findings(draft.families, stated.values))
        draft = draft.with_findings(list(found))
        draft = draft.with_findings(list(all_float(draft.ledger.lines)))
    else:
        draft = draft.with_findings(list(odd_siblings(draft.families)))
    return draft.open("names and shapes", "unsupported architecture: layers were only compared with each other")


def _architecture(draft: Draft) -> ArchitectureName | None:
    reading, config = draft.reading, draft.config
    if reading is None:
        return None
    certain = config.definition is reading.definition and not reading.by_names
    name = reading.definition.names[0] if certain and config.is_params else reading.name
    return ArchitectureName(name, config.model_type, "certain" if certain else "likely")
