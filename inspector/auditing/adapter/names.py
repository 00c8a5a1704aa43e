"""Finds the names that PEFT looks for, if the stored names of an adapter differ from them slightly, as
the base shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base
from inspector.adapters.expected import PROMPTS
from inspector.adapters.inner_targets import with_inner_targets
from inspector.adapters.misnamed import MOST_BEFORE, Renumbered, misnamed, namer_of, renumbered, with_numbers
from inspector.adapters.misspelled import read_name
from inspector.adapters.names import OWN_PREFIX, PREFIX, saved_namer, tuner_name
from inspector.adapters.plan import plan_with
from inspector.adapters.tools import ToolTensor, tool_tensors
from inspector.algebra.names import axes_of
from inspector.auditing.adapter.mlx import of_whole_layers, whole_weights
from inspector.findings.adapters.tensors import AdapterTargetMissing
from inspector.findings.adapters.wrapped import AdapterNamesWrapped
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import PEFT, TRANSFORMERS
from inspector.matcher.families import Families, by_index, rekeyed

OF_LANGUAGE: Final = f"{PREFIX}model."
"""Beginning of the names of a language model with a head under PEFT."""
LANGUAGE: Final = "language_model."
"""Name that transformers gives the language model inside a model for images or sound."""
Renames = tuple[tuple[str, str], ...]
"""(pattern of old names, pattern of new names) pairs."""
BaseOf = Callable[[Families], Base | None]
"""Reads the base as an adapter with the given names implies."""


class LookedFor(Struct, frozen=True):
    """The families of an adapter under the names that PEFT looks for.

    named: name in the file -> name that PEFT looks for. stored: the families with the stored layer numbers. base: the
    base as these names imply it. moved: how the layer numbers are wrong, if they are.
    """

    named: Callable[[str], str]
    families: Families
    stored: Families
    base: Base | None = None
    moved: Renumbered | None = None


def looked_for(families: Families, method: str, values: Mapping[str, Any], base_of: BaseOf) -> LookedFor:
    """Determines the names that PEFT looks for by comparison with the base. families: as in the file."""
    named = saved_namer(families)
    own = rekeyed(families, named)
    base = base_of(own)
    if base is None or method in PROMPTS or not values:
        return LookedFor(named, own, own, base)
    if base.families and not base.covered:
        for inner in _without_leading(own):
            there = rekeyed(own, namer_of(inner))
            other = base_of(there)
            if other is not None and other.covered == other.families:
                named, own, base = namer_of(inner, named), there, other
                break
    values = with_inner_targets(values, own, base)
    plan = plan_with(base, method, values, own)
    names = misnamed(own, base, plan)
    if names:
        named, own = namer_of(names, named), rekeyed(own, namer_of(names))
        base = base_of(own) or base
        plan = plan_with(base, method, values, own)
    moved = renumbered(own, base, plan)
    return LookedFor(named, own if moved is None else with_numbers(own, moved), own, base, moved)


def with_flat_names(families: Families) -> Families:
    """The families; numbers of a module's name that the file divides by dots, and programs by underscores, are part of
    the key, as in the names of the module's other tensors.
    """
    flattened = [key for key in families if "#" in key and axes_of(read_name(key)) < axes_of(key)]
    return by_index(families, flattened) if flattened else families


def tool_names(checkpoint: Checkpoint, families: Families, of_peft: bool) -> Mapping[str, ToolTensor]:
    """The meaning of each tensor name for tools other than PEFT; empty for an adapter of PEFT.

    ComfyUI reads a file with PEFT's names under any file name. PEFT is the only reader of adapters for language models,
    and needs its config and file name. of_peft: the config is PEFT's.
    """
    if of_peft:
        return {}
    if of_whole_layers(checkpoint):
        return whole_weights(families)
    if not any(key.startswith(OWN_PREFIX) for key in families):
        return tool_tensors(families)
    name, of_language = checkpoint.set_name, any(key.startswith(OF_LANGUAGE) for key in families)
    if (PEFT.finds(name) or TRANSFORMERS.finds(name) or of_language) and not checkpoint.alone:
        return {}
    found = tool_tensors(families)
    return found if len(found) == len(families) else {}


def _without_leading(families: Families) -> Iterator[dict[str, str]]:
    """Key -> key without the first segments of the module path, if all modules begin with the same segments."""
    modules = [key.removeprefix(PREFIX).split(".") for key in families if tuner_name(key) is not None]
    for number in range(1, MOST_BEFORE + 1):
        if len({tuple(one[:number]) for one in modules}) != 1 or min(map(len, modules)) <= number + 1:
            return
        yield {
            key: PREFIX + ".".join(key.removeprefix(PREFIX).split(".")[number:])
            for key in families
            if key.startswith(PREFIX) and key.removeprefix(PREFIX).split(".")[:number] == modules[0][:number]
        }


def joined_renames(findings: Sequence[Finding]) -> list[Finding]:
    """Returns at most one finding for two causes on the same names: if the second renaming continues the first, both
    are merged into one.
    """
    made: list[Finding] = []
    for one in findings:
        if isinstance(one, AdapterNamesWrapped):
            before = next((other for other in made if _goes_on(other, one)), None)
            if isinstance(before, AdapterNamesWrapped):
                both = replace(before, wanted=one.wanted, renames=_both(before.renames, one.renames))
                made[made.index(before)] = both
                continue
        made.append(one)
    return made


def of_language_alone(findings: Sequence[Finding], values: Mapping[str, Any]) -> list[Finding]:
    """Combines the findings if all names are those of a language model without the other parts of its multimodal model:
    these parts were never trained.

    values: the adapter's config.
    """
    renamed = next((one for one in findings if isinstance(one, AdapterNamesWrapped) and one.tensors == one.of), None)
    if renamed is None or LANGUAGE in renamed.stored or LANGUAGE not in renamed.wanted:
        return list(findings)
    before = renamed.wanted.partition(LANGUAGE)[0].removeprefix(PREFIX)
    beside: dict[str, None] = {}
    kept: list[Finding] = []
    for one in findings:
        name = str(one.place.tensor or one.place.family)
        if not isinstance(one, AdapterTargetMissing) or name.startswith(before + LANGUAGE):
            kept.append(one)
        else:
            start = before if name.startswith(before) else ""
            beside[start + name.removeprefix(start).partition(".")[0]] = None
    if not beside or values.get("exclude_modules"):
        return list(findings)
    excluded = "|".join(f"{re.escape(part)}\\..*" for part in beside)
    return [replace(one, excluded=excluded) if one is renamed else one for one in kept]


def _goes_on(before: Finding, one: AdapterNamesWrapped) -> bool:
    return isinstance(before, AdapterNamesWrapped) and (before.wanted, before.tensors) == (one.stored, one.tensors)


def _both(first: Renames, second: Renames) -> Renames:
    """The patterns of two renamings applied in turn; () if they do not fit together."""
    if len(first) != 1 or len(second) != 1:
        return ()
    ((old, between),), ((wanted, new),) = first, second
    starts = [text.removesuffix("*") for text in (between, wanted)]
    if "*" in "".join(starts) or not starts[0].startswith(starts[1]):
        return ()
    return ((old, f"{new.removesuffix('*')}{starts[0].removeprefix(starts[1])}*"),)
