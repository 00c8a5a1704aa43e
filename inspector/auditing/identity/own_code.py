"""Handles models with classes in the code of their repository although transformers also has their model type.

`auto_map` names such classes; without it they are in a library on the user's machine. If the names fit, the definition
of the type describes the model; otherwise the modules that the code builds are unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.findings.finding import Finding, Place
from inspector.matcher.claim import Claim
from inspector.reconciler import ledger
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name

OWN_CODE: Final = ("names and shapes", "the model is code of its repository, which builds other modules than its type")
"""The check that is then skipped, and the reason."""
OWN_KEYS: Final = ("the config", "it has the keys of the writer's own program: the sizes are those of the weights")
"""The skipped check if only the names of the weights are known."""
HEADS_IN_NAMES: Final = ("Reward", "Critic", "Value", "SequenceRegression", "Classification")
"""Words in the names of classes that add a head to a base model, for rewards, values or labels."""


def has_own_model(values: Mapping[str, Any]) -> bool:
    """True if `auto_map` names code for a model, and not only for a tokenizer or a config."""
    named = values.get("auto_map")
    return isinstance(named, dict) and any(str(key).startswith("AutoModel") for key in named)


def own_code(config: Claim, case: Reconciled | None, judged: Sequence[Finding]) -> Finding | None:
    """The note that the definition does not describe the model; it replaces the errors found with the definition.

    case: None if no definition fits the names.
    """
    from inspector.loading.tables import without_wrapper

    values = config.settings.values
    if config.definition is None or config.is_params:
        return None
    if not isinstance(values.get("model_type"), str) and not has_own_model(values):
        return None
    if case is not None and case.reading.writer:  # another framework's names
        return None
    defined = config.head is not None and config.class_name in config.head.names
    mapped, foreign = has_own_model(values), is_foreign(without_wrapper(config.class_name)) and not defined
    base = case is not None and not mapped and _has_base(case)
    headless = case is not None and base and foreign and _lacks_head(case, config.class_name or "")
    if case is not None and not headless and all(one.severity == "note" for one in judged):
        return None
    if not (mapped or foreign) or (not mapped and (_is_named(config, judged) or _is_inside(config, judged))):
        return None
    of_authors = _is_of_authors(config)
    others = case is None or _other_names(case, foreign, of_authors) or (mapped and _other_matrices(case, of_authors))
    if not (others or headless):
        return None
    from inspector.findings.names.architecture import CodeOfRepository

    return CodeOfRepository(
        place=Place(key="auto_map" if mapped else "architectures"),
        model_type=config.model_type or "",
        class_name=config.class_name,
        mapped=mapped,
        base=base,
        beside=tuple(family_name(one.key) for one in case.placement.unexpected)[:20]
        if case is not None and base
        else (),
        headless=headless,
    )


def _lacks_head(case: Reconciled, class_name: str) -> bool:
    """True if a class is named after a head and no unexpected tensor may be its matrix."""
    named = any(word in class_name for word in HEADS_IN_NAMES)
    bodies = all(one.block.slot.body for one in case.placement.placed)
    return named and bodies and all(len(one.layout.shape) < 2 for one in case.placement.unexpected)


def _has_base(case: Reconciled) -> bool:
    """True if all tensors of the type's model but its head are stored as the config states, with few unexpected
    families.
    """
    placement = case.as_configured
    if placement.mismatched or any(one.block.slot.body for one in placement.missing):
        return False
    return sum("#" in one.key for one in placement.unexpected) <= 1 or _is_apart(case)


def with_ties_of_code(findings: Sequence[Finding], config: Claim) -> list[Finding]:
    """The findings, in which a head without its table is an error if only the code of a repository has the type."""
    from inspector.loading.tables import is_supported

    stated = config.settings.values.get("model_type")
    if config.is_params or not isinstance(stated, str) or is_supported(stated):
        return list(findings)
    from inspector.findings.totals import HeadAloneOfTie

    return [replace(one, own_code=True) if isinstance(one, HeadAloneOfTie) else one for one in findings]


def _is_apart(case: Reconciled) -> bool:
    """True if no unexpected tensor is inside the modules of the type."""
    own = {block.key.partition(".")[0] for block in case.plan.blocks}
    return all(one.key.partition(".")[0] not in own for one in case.placement.unexpected)


def _is_of_authors(config: Claim) -> bool:
    """True if the definition describes the authors' class: only their code has this model type."""
    from inspector.loading.tables import is_supported

    return config.head is not None and not is_supported(config.model_type or "")


def _is_named(config: Claim, judged: Sequence[Finding]) -> bool:
    """True if all names belong to another type, and only code of a repository has the config's own type.

    Without `auto_map` such code does not exist.
    """
    from inspector.findings.names.architecture import NamesOfAnotherArchitecture
    from inspector.loading.tables import is_supported

    if is_supported(config.model_type or ""):
        return False
    return any(isinstance(one, NamesOfAnotherArchitecture) and one.coverage == 1 for one in judged)


def _is_inside(config: Claim, judged: Sequence[Finding]) -> bool:
    """True if the whole model of the type is below one prefix, next to further parts: an unknown class contains it.

    Loaders remove the prefix of the type's own heads. The unknown class may also have its prefix in the place of
    theirs.
    """
    from inspector.findings.names.components import PartOfLargerModel
    from inspector.findings.names.prefixes import PrefixOnNames

    errors = [one for one in judged if one.severity == "error"]
    if len(errors) == 1 and isinstance(errors[0], PrefixOnNames) and errors[0].root:
        return True
    roots = {head.root for head in config.definition.heads} if config.definition is not None else set()
    return len(errors) == 1 and isinstance(errors[0], PartOfLargerModel) and errors[0].prefix not in roots


def is_foreign(class_name: str | None) -> bool:
    """True if no supported version of transformers has a class."""
    if not class_name:
        return False
    from inspector.loading.tables import NEWEST, OLDER, names_of

    newest, older = names_of(NEWEST), names_of(OLDER)
    return not any(class_name in known for known in (newest.classes, newest.inner, older.classes))


def _other_matrices(case: Reconciled, of_authors: bool) -> bool:
    """True if modules in all layers have matrices of other shapes, which no value of the config gives, and lack their
    biases: a class from a repository builds them.
    """
    bare = {gap.block.key.removesuffix(".bias") for gap in case.placement.missing if gap.block.key.endswith(".bias")}
    reshaped = {one.block.key.removesuffix(".weight") for one in case.placement.mismatched if "#" in one.block.key}
    return not of_authors and bool(bare & reshaped)


def _other_names(case: Reconciled, foreign: bool, of_authors: bool) -> bool:
    """True if the definition lacks stored names in a way that damage does not explain.

    Damage loses, cuts or renames single tensors; a class from a repository has other modules in every layer. A class
    that transformers does not have may also have another head, unless it is one that a known program adds to a model.
    of_authors: the definition describes the class, so that a single family in all layers was renamed.
    """
    from inspector.findings.names.own_readers import reader_of

    unchecked = {line.family for line in case.ledger.lines if line.kind in (ledger.UNCHECKED, ledger.BUFFER)}
    unknown = {one.key for one in case.placement.unexpected if one.key not in unchecked and not reader_of(one.key)}
    absent = {gap.block.key for gap in case.placement.missing if gap.block.key not in case.reading.families}
    if foreign and not of_authors and (unknown or absent):
        return True
    layered = sum("#" in key for key in unknown)
    return layered > 1 or bool(layered and not of_authors and any("#" in key for key in absent))
