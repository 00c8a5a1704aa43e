"""Finds the type whose own names the weights have, where the config's type lacks some of them or needs more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from msgspec.structs import replace

from inspector.architectures.own_keys import is_rather_of, states_own_keys
from inspector.auditing.identity.fitting_types import fitting_types
from inspector.auditing.identity.part_of_model import are_outside, is_complete
from inspector.auditing.identity.told_apart import told_apart
from inspector.findings.finding import Finding, Place
from inspector.findings.names.architecture import NamesOfAnotherArchitecture
from inspector.findings.names.components import PartOfLargerModel
from inspector.findings.names.prefixes import PrefixOnNames
from inspector.findings.names.tensors import PartUnexpected, TensorMissing, TensorUnexpected
from inspector.findings.shapes import UnexpectedShape
from inspector.findings.single_causes import WeightsIncomplete
from inspector.loader.config_file import Config
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families
from inspector.reconciler.reconcile import Again, Reconciled

CLASS_KEY: Final = "_class_name"
"""The key under which configs of diffusers name their class."""
UNEXPECTED: Final = TensorUnexpected | PartUnexpected | UnexpectedShape
LACKING: Final = TensorMissing | WeightsIncomplete
SHARED: Final = 4
"""First letters that two types of one family share: `llava` and `llava_next`."""

MOST_NAMED: Final = 3
"""Most other types that a finding on missing tensors names."""


def of_type_with_prefix(
    faults: Sequence[Finding], config: Claim, file: Config | None, families: Families, again: Again
) -> Finding | None:
    """The finding on weights of the only type whose own names have the prefix that the config's type lacks.

    If only the prefix is wrong, the class that was saved may also have this model under another name: the finding on
    the prefix then has the type as another explanation.
    """
    prefixed = next((one for one in faults if isinstance(one, PrefixOnNames | PartOfLargerModel)), None)
    if prefixed is None or (isinstance(prefixed, PrefixOnNames) and (prefixed.wrapper or prefixed.inside)):
        return None
    if file is None or file.kind != "config" or config.model_type is None or CLASS_KEY in file.values:
        return None
    fitting = fitting_types(config, file, families, again)
    named = prefixed.prefix.rstrip(".")
    found = [named] if named in fitting else told_apart(list(fitting), file.values)
    if len(found) != 1:
        return None
    stored = fitting[found[0]].class_name
    if len(faults) == 1 and isinstance(prefixed, PrefixOnNames) and prefixed.root:
        return replace(prefixed, other_type=found[0], other_class=stored or "")
    return NamesOfAnotherArchitecture(
        place=Place(key="model_type"), claimed=config.model_type, names=found[0], class_name=config.class_name,
        coverage=1.0, differing=tuple(map(what_differs, faults)), model_type=found[0], stored_class=stored,
    )  # fmt: skip


def of_type_that_fits(
    faults: Sequence[Finding], config: Claim, file: Config | None, families: Families, again: Again, case: Reconciled
) -> Sequence[Finding] | None:
    """The findings on weights that fit the config completely under another type, in place of all others.

    Tensors that the config's type lacks show the other type. Missing ones may have been lost: the finding then says
    both, if none of their kind is stored and the config is not rather of its own type; else the findings remain, with
    the types that lack them. Where the config's type has all of its own tensors and the others are outside of its
    modules, they remain unexpected, with the type that has them.
    """
    if not faults or not all(isinstance(one, UNEXPECTED | LACKING) for one in faults):
        return None
    if file is None or file.kind != "config" or config.model_type is None or CLASS_KEY in file.values:
        return None
    fewer = not any(isinstance(one, UNEXPECTED) for one in faults)
    if fewer and any(gap.is_head for gap in case.as_configured.missing):
        return None
    types = fitting_types(config, file, families, again)
    found, fitting = told_apart(list(types), file.values), list(types)
    if fewer:  # not those under which weights of the config's own type lost these tensors
        types = {name: one for name, one in types.items() if not is_rather_of(config.model_type, name, file.values)}
        found = found if types.keys() >= set(found) else []
        if not found or any(gap.block.key in families for gap in case.as_configured.missing):
            fitting = [one for one in fitting if not states_own_keys(config.model_type, one, file.values)]
            return _with_types(faults, config.model_type, fitting)
    names = found[0] if len(found) == 1 else _nearest(config.model_type, types)
    if names is None:
        return None
    if is_complete(case) and are_outside(case):
        kept = isinstance(faults[0], TensorUnexpected) and len(faults) == 1
        return [replace(faults[0], known_to=names)] if kept else None
    return [NamesOfAnotherArchitecture(
        place=Place(key="model_type"), claimed=config.model_type, names=names, class_name=config.class_name,
        coverage=1.0, differing=tuple(map(what_differs, faults)), fewer=fewer,
        model_type=names if len(found) == 1 else None,
        stored_class=types[names].class_name if len(found) == 1 else None,
    )]  # fmt: skip


def _with_types(faults: Sequence[Finding], claimed: str, types: Sequence[str]) -> list[Finding] | None:
    """The findings on missing tensors, the first with the types that lack them: those of the claimed type's family, if
    there are any. None without such types, and if they are many.
    """
    first, types = faults[0], _of_family(claimed, types) or types
    if not isinstance(first, LACKING) or not 0 < len(types) <= MOST_NAMED:
        return None
    return [replace(first, complete_as=tuple(sorted(types))), *faults[1:]]


def _nearest(claimed: str, types: Collection[str]) -> str | None:
    """The type of the same family as the claimed one, by the beginning of its name; None without one."""
    return min(_of_family(claimed, types), key=len, default=None)


def _of_family(claimed: str, types: Collection[str]) -> list[str]:
    return [name for name in types if name[:SHARED] == claimed[:SHARED]]


def what_differs(finding: Finding) -> str:
    """What a finding says about the weights under the config's own type, in a few words."""
    if isinstance(finding, WeightsIncomplete | NamesOfAnotherArchitecture):
        return finding.headline()
    if isinstance(finding, TensorMissing):
        return f"{finding.headline()} is missing"
    return f"{finding.headline()} {'differs' if isinstance(finding, UnexpectedShape) else 'is unexpected'}"
