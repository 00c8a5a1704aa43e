"""Finds the model type to state if a config describes the weights completely, but not under its own type.

The type, or the whole `text_config` of a multimodal model, is in the wrong place; no size is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import defaults_of
from inspector.architectures.own_keys import is_rather_of
from inspector.auditing.identity.authors_layout import layout_of_authors
from inspector.auditing.identity.fitting_types import MOST_TRIED, fitting, fitting_types, types_named
from inspector.auditing.identity.named_class import Named, of_misspelled_type, of_unknown_type
from inspector.auditing.identity.told_apart import told_apart
from inspector.auditing.identity.type_of_names import CLASS_KEY, of_type_that_fits, of_type_with_prefix, what_differs
from inspector.findings.config import ConfigDisagrees
from inspector.findings.finding import Finding, Place
from inspector.findings.names.architecture import NamesOfAnotherArchitecture
from inspector.findings.names.joined import ProjectionsJoined
from inspector.findings.names.tensors import PartUnexpected, TensorMissing, TensorUnexpected
from inspector.loader.config_file import Config
from inspector.loading.tables import class_ending_with, type_of_class
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families
from inspector.matcher.reading import Reading, read_by_names, read_claimed
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.wording import family_name

NESTED: Final = "text_config"
NO_MODEL: Final = ("quantization_config",)
"""Objects in a config that are not configs of submodels."""
OF_IMAGES: Final = r"(?!(bos|eos|pad|sep|unk|cls|mask|decoder_start)_).*_token_(id|index)"
"""Keys of tokens that represent images, sounds and their beginnings and ends in the text of a multimodal model."""


def with_type_to_state(
    findings: Sequence[Finding],
    config: Claim,
    file: Config | None,
    families: Families,
    again: Again,
    case: Reconciled,
) -> Iterator[Finding]:
    """Adds to the finding on names of another type the type and class under which the config fits, if one exists.

    again: reconciles the weights with another claim. case: the weights under the config's own type.
    """
    faults = [one for one in findings if one.severity != "note"]
    own = layout_of_authors(config, families)
    if faults and own is not None:
        yield from (own, *(one for one in findings if one not in faults))
        return
    beginning = of_type_with_prefix(faults, config, file, families, again)
    if beginning is not None:
        yield from (beginning, *(one for one in findings if one not in faults))
        return
    less = _of_type_without(faults, config, file, families, again, case)
    if less is not None:
        yield from (less, *(one for one in findings if one not in faults))
        return
    fits = of_type_that_fits(faults, config, file, families, again, case)
    if fits is not None:
        yield from (*fits, *(one for one in findings if one not in faults))
        return
    for one in findings:
        yield _typed(one, config, file, families, again) or one


def _typed(
    finding: Finding, config: Claim, file: Config | None, families: Families, again: Again
) -> NamesOfAnotherArchitecture | None:
    """The finding with the type to state; None without such a type."""
    if isinstance(finding, NamesOfAnotherArchitecture):
        names = None if finding.fewer else finding.names
    elif isinstance(finding, ProjectionsJoined):
        names = finding.like
    else:
        names = None
    if names is None or file is None or file.kind != "config":
        return None
    if isinstance(finding, NamesOfAnotherArchitecture) and CLASS_KEY in file.values:
        return _of_diffusers(finding, names, file, families, again)
    if config.model_type is None:
        return None
    if isinstance(finding, ProjectionsJoined) and not _has_keys_of(names, config.model_type, file):
        return None  # a program joined them
    for model_type in types_named(names, file):
        claim = fitting(model_type, config, file, families, again)
        if claim is None:
            continue
        known = read_by_names(families, {}, share=1.0, most=MOST_TRIED, prefixes=False)[0]
        others = (one.name for one in known if one.definition is not definition_of(model_type))
        alike = [other for other in others if fitting(other, config, file, families, again)]
        if told_apart([model_type, *alike], file.values) != [model_type]:
            return None  # types with the same names compute other things with them
        return NamesOfAnotherArchitecture(
            place=replace(finding.place, family=None, key="model_type"),
            claimed=config.model_type,
            names=model_type,
            class_name=config.class_name,
            coverage=1.0,
            differing=_differing(finding),
            model_type=model_type,
            stored_class=claim.class_name,
        )
    return None


def _of_type_without(
    faults: Sequence[Finding],
    config: Claim,
    file: Config | None,
    families: Families,
    again: Again,
    case: Reconciled,
) -> NamesOfAnotherArchitecture | None:
    """The finding on the only type that has all stored tensors and lacks the missing ones, if these are only vectors.

    A missing matrix was lost: another type that lacks it is a coincidence. Not so if the weights have no tensor of the
    part that a config key spreads over the layers, whatever its value.
    """
    without = len(faults) == 1 and _leaves_out_a_part(faults[0])
    missing = [one for one in faults if isinstance(one, TensorMissing) and one.counted and len(one.shape) < 2]
    fewer = [one for one in faults if isinstance(one, NamesOfAnotherArchitecture) and one.fewer]
    if (not without and (not faults or len(missing) + len(fewer) < len(faults))) or any(
        one.role.startswith("head.") for one in missing
    ):
        return None
    if file is None or file.kind != "config" or config.model_type is None or CLASS_KEY in file.values:
        return None
    lacking = frozenset(gap.block.key for gap in case.as_configured.missing)
    own = [one.key for one in case.plan.blocks if not one.slot.scope and one.key in case.reading.families]
    types = fitting_types(config, file, families, again, lacking, own)
    found = told_apart(list(types), file.values)
    if len(found) != 1 or (not without and is_rather_of(config.model_type, found[0], file.values)):
        return None  # no single one, or weights of the config's own type lost these tensors
    return NamesOfAnotherArchitecture(
        place=Place(key="model_type"),
        claimed=config.model_type,
        names=found[0],
        class_name=config.class_name,
        coverage=1.0,
        differing=(
            *(f"{one.headline()} is missing" for one in missing),
            *(name for one in fewer for name in one.differing),
            *(f"{family_name(key)} is missing" for key in (sorted(lacking) if without else ())),
        ),
        fewer=True,
        model_type=found[0],
        stored_class=types[found[0]].class_name,
    )


def _leaves_out_a_part(finding: Finding) -> bool:
    """True if several values of a number explain as much: each only says that no layer has a part."""
    return isinstance(finding, ConfigDisagrees) and sum(rival.key == finding.key for rival in finding.rivals) > 1


def _of_diffusers(
    finding: NamesOfAnotherArchitecture, names: str, file: Config, families: Families, again: Again
) -> NamesOfAnotherArchitecture | None:
    """The finding with the diffusers class for which the config gives the shape of every tensor."""
    claim = claim_of(replace(file, values={**file.values, CLASS_KEY: names}))
    reading = read_claimed(claim, families)
    if reading is None or reading.coverage < 1 or reading.prefix:
        return None
    case = again(claim, reading, solve=False)
    if case.as_configured.differences or case.plan.scope.faults:
        return None
    return replace(finding, class_of_diffusers=names)


def _differing(finding: Finding) -> tuple[str, ...]:
    if isinstance(finding, TensorUnexpected | PartUnexpected):
        return (what_differs(finding),)
    return finding.differing if isinstance(finding, NamesOfAnotherArchitecture) else ()


def _has_keys_of(names: str, claimed: str, file: Config) -> bool:
    """True if a config has keys that one type has and the claimed type lacks."""
    theirs, own = defaults_of(names), defaults_of(claimed)
    return (
        theirs is not None and own is not None and bool((theirs.values.keys() - own.values.keys()) & file.values.keys())
    )


def of_other_type(
    config: Claim, file: Config | None, families: Families, lost: Sequence[str], reading: Reading | None
) -> Named | None:
    """The definition of another type than the config's that has all names: the type of its text model, or of its class.

    reading: how the names were identified; None if they were not.
    """
    found = _of_text_config(config, file, families, lost)
    if found is not None or reading is not None:
        return found
    return of_unknown_type(config, file, families, lost) or of_misspelled_type(config, file, families, lost)


def _text_values(config: Claim, file: Config) -> tuple[dict[str, Any], str, dict[str, Any]] | None:
    """(values of the whole that its text model reads too, type of the text model, config of the text model alone)."""
    nested = file.values.get(NESTED) if file.kind == "config" else None
    if not isinstance(nested, dict) or config.definition is None:
        return None
    model_type = nested.get("model_type")
    if not isinstance(model_type, str) or definition_of(model_type) in (None, config.definition):
        return None
    inner = {key: value for key, value in file.values.items() if not isinstance(value, dict) or key in NO_MODEL}
    theirs, own = defaults_of(config.model_type or ""), defaults_of(model_type)
    beyond = theirs.values.keys() - own.values.keys() if theirs is not None and own is not None else frozenset()
    inner = {key: value for key, value in inner.items() if key not in beyond and not re.fullmatch(OF_IMAGES, key)}
    return inner, model_type, {**inner, **nested}


def with_text_model_kept(findings: Sequence[Finding], case: Reconciled, file: Config) -> list[Finding]:
    """The findings, with the class of the text model if it is all that is stored of a multimodal model."""
    from inspector.findings.single_causes import TextModelKept, WeightsIncomplete

    lost = next((one.families for one in findings if isinstance(one, WeightsIncomplete)), ())
    own = _text_values(case.claim, file) if lost else None
    found = None if own is None else read_claimed(claim_of(replace(file, values=own[2])), case.reading.families)
    named = None if own is None else class_ending_with(own[1], ("ForCausalLM",))
    if found is None or named is None or found.coverage < 1 or not found.prefix:
        return list(findings)
    if any(family.startswith(found.prefix) for family in lost):
        return list(findings)  # the text model is not complete either
    kept = TextModelKept(key=NESTED, class_name=named, prefix=found.prefix)
    return [replace(one, kept=kept) if isinstance(one, WeightsIncomplete) else one for one in findings]


def _of_text_config(config: Claim, file: Config | None, families: Families, lost: Sequence[str]) -> Named | None:
    """The text model of a multimodal model, stored on its own under the config of the multimodal model."""
    own = None if file is None else _text_values(config, file)
    if file is None or own is None or config.definition is None:
        return None
    inner, model_type, values = own
    found = read_claimed(claim_of(replace(file, values=values)), families, lost)
    if found is None or found.coverage < 1 or found.prefix:
        return None
    declared = config.class_name
    suited = declared is not None and type_of_class(declared) == model_type
    named = declared if suited else class_ending_with(model_type, (*found.match.head.names, "ForCausalLM"))
    if named is None:
        return None
    values["architectures"] = [named]
    claim = claim_of(replace(file, values=values))
    read = read_claimed(claim, families, lost)
    if read is None:
        return None
    from inspector.findings.names.text_model import ConfigOfLargerModel

    finding = ConfigOfLargerModel(
        file=file.file,
        claimed=config.model_type or config.definition.names[0],
        of=model_type,
        class_name=named,
        key=NESTED,
        changed={key: value for key, value in values.items() if key not in inner or inner[key] != value},
        removed=tuple(key for key in file.values if key not in values),
    )
    return Named(claim, read, finding)
