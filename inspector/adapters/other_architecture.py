"""The finding on modules that the base certainly does not have: whose names they are, and whether the base joins them.

Types are named only if few have all of these modules: names such as `model.layers.0.self_attn.q_proj` belong to dozens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from inspector.adapters.base import Base
from inspector.adapters.matched import module_of
from inspector.adapters.names import tuner_name
from inspector.architectures.catalog import definition_of, ending, outlines
from inspector.findings.adapters.tools import AdapterModulesUnmatched
from inspector.findings.finding import NAMES_SHOWN
from inspector.matcher.families import Families
from inspector.matcher.spelling import known_keys
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.reconciler.wording import family_name

MOST_TRIED: Final = 16
"""Most types of which all names are compared."""
MOST_NAMED: Final = 6
"""Most types with all of the names, for these to show which ones are meant."""
OF_ATTENTION: Final = ("q_proj", "k_proj", "v_proj")
JOINED: Final = {
    "qkv_proj": OF_ATTENTION, "query_key_value": OF_ATTENTION, "Wqkv": OF_ATTENTION, "W_pack": OF_ATTENTION,
    "gate_up_proj": ("gate_proj", "up_proj"),
}  # fmt: skip
"""Module of a base -> the modules that it joins, as other models have them."""
HEAD: Final = "head.token"
PAIR: Final = ("lora_A.weight", "lora_B.weight")


def unmatched(base: Base, foreign: Sequence[str], families: Families) -> AdapterModulesUnmatched:
    """The finding on modules of an adapter that its base does not have."""
    joined = tuple(_joining(base, foreign))
    renamed, head = _of_head(base, foreign, families)
    return AdapterModulesUnmatched(
        base=base.name,
        names=tuple(family_name(one) for one in foreign[:NAMES_SHOWN]),
        modules=len(foreign),
        of=len({module_of(key) for key in families}),
        joined=joined,
        types=() if joined else named_like(foreign),
        renamed=renamed,
        head=head,
    )


def _of_head(base: Base, foreign: Sequence[str], families: Families) -> tuple[str, str]:
    """(module outside the layers whose pair has the widths of the base's head, the head); ("", "") for none."""
    heads = {one.module: one.shape for one in base.tensors if one.role == HEAD and not one.axes and len(one.shape) == 2}
    of_module: dict[str, dict[str, set[tuple[int, ...]]]] = {}
    for key, family in families.items():
        name = tuner_name(key)
        if name is not None and key.endswith(PAIR):
            of_module.setdefault(name.module, {})[key[-len(PAIR[0]) :]] = set(family.shapes)
    for module in foreign:
        down, up = (of_module.get(module, {}).get(one, set()) for one in PAIR)
        if "#" in module or len(down) != 1 or len(up) != 1:
            continue
        (inside,), (outside,) = down, up
        for head, (rows, width) in heads.items():
            if head not in of_module and inside[1:] == (width,) and outside == (rows, inside[0]):
                return family_name(module), head
    return "", ""


def named_like(modules: Collection[str]) -> tuple[str, ...]:
    """The few model types that have all of these modules; none if there are many, or none."""
    keys = [f"{module}.weight" for module in modules]
    ends = {ending(key) for key in keys}
    near = [name for name, outline in outlines().items() if ends <= outline.endings]
    found = [name for name in near if _has(name, keys)] if len(near) <= MOST_TRIED else []
    return tuple(found) if len(found) <= MOST_NAMED else ()


def _has(name: str, keys: Sequence[str]) -> bool:
    definition = definition_of(name)
    if definition is None:
        return False
    known = known_keys(Scope(definition, Settings({}, known=False), definition_of))
    return all(key in known for key in keys)


def _joining(base: Base, foreign: Sequence[str]) -> Iterator[str]:
    """The names of the base's modules that join all of these, next to which they would be."""
    there = {tensor.module for tensor in base.tensors}
    found: dict[str, None] = {}
    for module in foreign:
        parent, _, leaf = module.rpartition(".")
        joined = next((one for one, parts in JOINED.items() if leaf in parts and f"{parent}.{one}" in there), None)
        if joined is None:
            return
        found[joined] = None
    yield from found
