"""The explainer that chooses a definition and compares the stored families with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import is_component
from inspector.auditing.confirmation import is_confirmed
from inspector.auditing.draft import Draft
from inspector.auditing.gguf.derived_keys import underived_heads
from inspector.auditing.identity.class_of_type import with_stored_head
from inspector.auditing.identity.left_out_by_mlx import modules_left_out, parts_left_out
from inspector.auditing.identity.module_at_root import module_at_root
from inspector.auditing.identity.names_of_mlx import without_module_of_mlx
from inspector.auditing.identity.own_code import OWN_CODE, OWN_KEYS, own_code, with_ties_of_code
from inspector.auditing.identity.part_alone import PART_ALONE, part_alone, part_of_whole
from inspector.auditing.identity.stated_class import is_undefined, with_stated_class
from inspector.auditing.own_words import in_own_words
from inspector.auditing.reported import (
    as_one_save,
    entries_in_vain,
    lacks_shards,
    lists_nothing,
    nothing_stored,
)
from inspector.dialects.llama_cpp import read_beside
from inspector.findings.finding import Finding
from inspector.loader.config_file import Config
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families
from inspector.matcher.reading import Reading
from inspector.matcher.spelling import equal_matches
from inspector.reconciler.added_parts import MOST_OF_PART, OF_PART, added_part
from inspector.reconciler.choose import choose_reading
from inspector.reconciler.config_keys import not_understood, wrong_types
from inspector.reconciler.draft_head import class_of_draft, known_draft
from inspector.reconciler.dtypes import all_float
from inspector.reconciler.explain import reconciliation_findings
from inspector.reconciler.reconcile import WRONG_KEYS, Again, Reconciled, reconcile
from inspector.reconciler.tie_findings import without_tied_head


class Judged(Struct, frozen=True):
    """The weights compared with a definition: the chosen claim and reading, their reconciliation, and the findings."""

    config: Claim
    reading: Reading
    case: Reconciled
    findings: list[Finding]


def _nameless(draft: Draft) -> Draft | None:
    """Handles weights with names and shapes that carry no information, such as flat parameters."""
    if not draft.nameless:
        return None
    return draft.without_definition().open("names and shapes", draft.nameless)


def _nothing(draft: Draft) -> Draft | None:
    """A set of files without any tensor."""
    checkpoint = draft.checkpoint
    if checkpoint.tensors or checkpoint.lost or not (checkpoint.set_name or draft.config.definition is not None):
        return None
    draft = replace(draft, findings=tuple(one for one in draft.findings if not lists_nothing(one)))
    return draft.without_definition().with_findings([nothing_stored(checkpoint)])


def _added_part(draft: Draft) -> Draft | None:
    """Handles modules that a program trains next to a frozen model and saves on their own."""
    few = len(draft.families) <= MOST_OF_PART
    added = added_part(draft.families, draft.config.settings.values) if few else None
    if added is None:
        return None
    if draft.unpacked is not None and not any(draft.unpacked.schemes.values()):
        draft = replace(draft, unpacked=None)  # the block in the config is about the model
    return draft.without_definition().with_findings([added]).open(*OF_PART)


def _part_alone(draft: Draft) -> Draft | None:
    """Handles one part of a model that is saved with its own config and without the other parts."""
    part = part_alone(draft.config, draft.families, draft.lost)
    return None if part is None else draft.without_definition().with_findings([part]).open(*PART_ALONE)


def _module_at_root(draft: Draft) -> Draft | None:
    """Handles weights of a sentence encoder's module in the folder of its model."""
    module = module_at_root(draft.checkpoint)
    return None if module is None else draft.without_definition().with_findings([module])


WHOLE_SETS: Final[tuple[Callable[[Draft], Draft | None], ...]] = (
    _nameless,
    _nothing,
    _added_part,
    _part_alone,
    _module_at_root,
)
"""Checks that recognise the weights as a whole, in this order; each returns the draft with its finding, or None."""


def definition(draft: Draft) -> Draft:
    """Compares every family with the definition that the config or the names select."""
    checkpoint, config = draft.checkpoint, draft.config
    for recognized in WHOLE_SETS:
        if (whole := recognized(draft)) is not None:
            return whole
    config = with_stored_head(_of_draft(config, draft.families))
    reading, nearest = choose_reading(config, draft.families, draft.lost)
    named = None
    if reading is None or reading.definition is not config.definition:
        from inspector.auditing.identity.other_type import of_other_type

        named = of_other_type(config, checkpoint.config, draft.families, draft.lost, reading)
        part = part_of_whole(config, draft.families, checkpoint) if named is None and not draft.lost else None
        if part is not None:
            return draft.without_definition().with_findings([part])
    if config.definition is not None and (reading is None or reading.coverage < 1 or reading.by_names or reading.part):
        from inspector.auditing.identity.multimodal import text_model_alone

        if (alone := text_model_alone(config, checkpoint.config, draft.families, reading)) is not None:
            return draft.without_definition().with_findings([alone])
        if reading is not None and named is None and (cut := _cut(config, draft.families)) is not None:
            return draft.without_definition().with_findings([cut])
    if named is not None:
        config, reading = named.config, named.reading
    if reading is None:
        return _unknown(draft, nearest)
    undefined = is_undefined(draft.config)
    if undefined and reading.coverage < 1:
        return _unknown(draft, nearest)
    judged = _judged(draft, config, reading)
    if judged.case.solved and not (class_of_draft(draft.families) or is_confirmed(judged.case, judged.findings)):
        return _unknown(draft, nearest)
    if undefined and any(one.severity != "note" for one in judged.findings):
        return _unknown(draft, nearest)
    if (own := own_code(judged.config, judged.case, judged.findings)) is not None:
        return draft.without_definition().with_findings([own]).open(*OWN_CODE)
    if reading.by_names and reading.writer and config.model_type is not None and config.definition is None:
        draft = draft.open(*OWN_KEYS)
    return _compared(draft.with_findings([] if named is None else [named.finding]), judged)


def _cut(config: Claim, families: Families) -> Finding | None:
    """The finding on names without their first characters that begin with the rests of several words: the rest of one
    word may be the prefix of a wrapper.
    """
    from inspector.auditing.identity.cut_names import cut_names

    found = cut_names(families, config)
    return found if found is not None and found.odd else None


def _of_draft(config: Claim, families: Families) -> Claim:
    """The claim with the definition of a draft head where the names are those of one, which configs of Llama have."""
    kind = class_of_draft(families)
    if kind is None or (config.definition is not None and kind in config.definition.names):
        return config
    drafts = definition_of(kind)
    head = None if drafts is None else drafts.default_head
    return replace(config, model_type=kind, definition=drafts, head=head)


def _judged(draft: Draft, config: Claim, reading: Reading) -> Judged:
    """Compares the weights with the definition of a reading, or with another definition that explains them better."""
    checkpoint = draft.checkpoint
    aside = frozenset[str]() if draft.unpacked is None else draft.unpacked.biases(reading.prefix)
    beside = read_beside(checkpoint.metadata, draft.families)
    lost = (*draft.lost, *draft.emptied)
    whole = not (checkpoint.partial or lacks_shards(checkpoint))

    def again(
        claim: Claim, reading: Reading, *, solve: bool = True, without: frozenset[str] = frozenset()
    ) -> Reconciled:
        return reconcile(
            claim, reading, lost, whole=whole, aside=aside, beside=beside, ties=checkpoint.ties, solve=solve,
            without=without,
        )  # fmt: skip

    case = again(config, reading)
    notes: list[Finding] = []
    if whole and (modules := modules_left_out(checkpoint, case, lost)):
        notes.extend(parts_left_out(case, modules))
        case = again(config, reading, without=modules)
    if case.placement.missing and _holds_other_names(case, draft.emptied):
        whole = False  # the names do not show which parts the empty tensors had
        case = again(config, reading)
    judged = with_ties_of_code([*notes, *reconciliation_findings(case, draft.families, again)], config)
    if all(one.severity == "note" for one in judged):
        return Judged(config, reading, case, judged)
    if config.head is None and (other := _with_equal_head(draft, config, case, again)) is not None:
        return other
    from inspector.auditing.identity.named_class import decided_by_class
    from inspector.auditing.identity.use import base_in_use, by_use

    judged, used = list(by_use(checkpoint, judged)), base_in_use(checkpoint, judged)
    if used is not None:
        config = claim_of(used.config)
        reading = choose_reading(config, draft.families, draft.lost)[0] or reading
        case = again(config, reading)
        judged = [used.finding, *reconciliation_findings(case, draft.families, again)]
    elif decided := decided_by_class(config, checkpoint.config, draft.families, draft.lost, case, again):
        return Judged(decided.config, decided.case.reading, decided.case, list(decided.judged))
    from inspector.auditing.identity.other_type import with_type_to_state

    judged = list(with_type_to_state(judged, config, checkpoint.config, draft.families, again, case))
    from inspector.auditing.identity.nested_type import with_nested_type

    judged = with_nested_type(judged, config, checkpoint.config, case, draft.families, again)
    from inspector.auditing.identity.renamed_part import with_renamed_part

    judged = with_renamed_part(judged, config, checkpoint.config, case, draft.families, again)
    from inspector.auditing.identity.part_of_model import with_other_parts

    judged, case = with_other_parts(judged, case)
    return _of_base(draft, Judged(config, reading, case, judged), again)


def _of_base(draft: Draft, judged: Judged, again: Again) -> Judged:
    """The comparison with the base model, if the config states no class and only a head has differences."""
    if not any(one.severity == "error" for one in judged.findings):
        return judged
    from inspector.auditing.identity.undeclared_class import base_of_undeclared, of_heads_alone

    base = base_of_undeclared(judged.config, judged.case, draft.families, again)
    if base is None:
        return judged
    from inspector.findings.names.renamed import TensorRenamed

    found = list(reconciliation_findings(base.case, draft.families, again))
    if all(one.severity == "note" or isinstance(one, TensorRenamed) for one in found):
        return Judged(judged.config, base.case.reading, base.case, found)
    return replace(judged, findings=list(of_heads_alone(judged.findings))) if base.is_complete else judged


def _holds_other_names(case: Reconciled, emptied: Sequence[str]) -> bool:
    """True if an empty tensor has a name that the definition does not expect, as those of joined matrices."""
    expected, prefix = {block.key for block in case.plan.blocks}, case.reading.prefix
    return any(key_of(name.removeprefix(prefix))[0] not in expected for name in emptied)


def _with_equal_head(draft: Draft, config: Claim, case: Reconciled, again: Again) -> Judged | None:
    """Compares the weights with another head that has the same names, if the config names no known class and the first
    head has differences.
    """
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
    """The draft with the ledger of a definition, its findings and its open questions."""
    checkpoint, reading, case = draft.checkpoint, judged.reading, judged.case
    known = judged.config.definition is reading.definition and not judged.config.is_params
    file, findings = checkpoint.config, without_module_of_mlx(judged.findings, checkpoint, case.ledger.lines)
    typed: list[Finding] = []
    if known and file is not None and file.kind == "config":
        loaded = bool(checkpoint.set_name) and not file.of_gguf  # whose keys are only some of a config's
        if is_component(reading.name):
            from inspector.reconciler.diffusers_values import with_refused_values

            findings, typed = with_refused_values(file.values, case.plan.scope, findings)
        elif findings:
            from inspector.reconciler.refused_once import with_types

            findings, typed = with_types(findings, case.plan.scope, file.values, loaded)
        else:
            typed = list(wrong_types(case.plan.scope, file.values, (), loaded))
    found = tuple(entries_in_vain(draft.findings, checkpoint, case))
    draft = replace(draft, reading=reading, case=case, ledger=case.ledger, findings=found)
    if checkpoint.partial:
        draft = draft.open("completeness", "only one shard was audited")
        findings = without_tied_head(findings)
    worded = in_own_words(findings, checkpoint, reading.prefix, case.plan.scope.settings)
    worded = [one if known else with_stated_class(one, file) for one in worded]
    if (drafts := known_draft(case)) is not None:
        draft = draft.with_findings([drafts])
    if file is not None and file.kind == "config" and case.causes:
        from inspector.auditing.derived_values import with_source_keys
        from inspector.auditing.unshaped_keys import with_unshaped_keys

        worded = with_source_keys(with_unshaped_keys(worded, file.values, case.corrected), file.values)
    if worded:
        from inspector.auditing.files.odd_shard import of_one_shard

        stated, worded = of_one_shard(draft.findings, worded, checkpoint)
        draft = replace(draft, findings=tuple(stated))
    draft = replace(draft, findings=underived_heads(draft.findings, worded, checkpoint))
    draft = as_one_save(draft.with_findings(list(worded)))
    for prefix, why in case.plan.opaque:
        draft = draft.open(f"names and shapes below {prefix}", why)
    if case.given_up:
        draft = draft.open(WRONG_KEYS, "it takes more steps than one audit may take")
    if known and (file is None or not file.of_gguf):  # those of a GGUF file are others
        typed += not_understood(case.plan.scope)
        from inspector.auditing.identity.tower_projection import tower_projections

        typed += tower_projections(case, judged.config.class_name)
        from inspector.auditing.identity.class_alone import class_alone, type_without_code

        typed += class_alone(judged.config.model_type, judged.config.class_name)
        if checkpoint.set_name and file is not None and file.kind == "config" and not is_component(reading.name):
            typed += type_without_code(judged.config.model_type, file.values)
        from inspector.auditing.identity.base_alone import base_alone

        typed += base_alone(case, judged.config.model_type, checkpoint.siblings)
    return _with_own_modules(draft.with_findings(typed), file, case) if known else draft


def _with_own_modules(draft: Draft, file: Config | None, case: Reconciled) -> Draft:
    """The draft with one finding on modules and keys of a class of the authors' own."""
    if file is None or not case.as_configured.unexpected:
        return draft
    from inspector.auditing.identity.own_modules import with_own_modules

    return replace(draft, findings=tuple(with_own_modules(draft.findings, file, case)))


NO_CONFIG: Final = "there is no config, and no definition fits without one"


def _unknown(draft: Draft, nearest: tuple[str, float] | None) -> Draft:
    """No definition fits the names: only layers are compared with each other."""
    from inspector.auditing.gguf.projector import faults_of_projector, is_projector, projector_notes
    from inspector.auditing.identity.unknown_type import unknown_architecture
    from inspector.reconciler.siblings import odd_siblings

    if not draft.families:
        return draft.without_definition().open("names and shapes", "no tensor can be read")
    if (own := own_code(draft.config, None, ())) is not None:
        return draft.without_definition().with_findings([own]).open(*OWN_CODE)
    draft = draft.without_definition().with_findings(unknown_architecture(draft.config, draft.families, nearest))
    stated = draft.checkpoint.metadata
    if stated is not None and is_projector(stated.values):
        found = tuple(faults_of_projector(draft.families, stated.values, draft.checkpoint.set_name))
        notes = projector_notes(draft.checkpoint.tensors, stated.values, draft.checkpoint.set_name)
        draft = draft.with_findings([*notes, *found])
        draft = draft.with_findings(list(all_float(draft.ledger.lines)))
    else:
        draft = draft.with_findings(list(odd_siblings(draft.families)))
    unknown = "unsupported architecture" if draft.checkpoint.config is not None else NO_CONFIG
    return draft.open("names and shapes", f"{unknown}: layers were only compared with each other")
