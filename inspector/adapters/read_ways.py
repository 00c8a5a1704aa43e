"""Under which names diffusers reads a LoRA of a class: prefix and ends of a name, and whether a scale is stored.

`read_ways.json` has what `load_lora_weights` of diffusers 0.42 did; `tests/oracle/make_read_ways.py` makes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from msgspec import Struct

PREFIXES: Final = (
    "model.diffusion_model.", "diffusion_model.", "base_model.model.", "transformer.", "lora_unet_", "",
)  # fmt: skip
"""What was tried in front of a module's name."""
NOT_TRIED: Final = ("lora_", "lycoris_", "unet.", "text_encoder")
"""Other beginnings of names."""
ENDS: Final[Mapping[str, tuple[str, str]]] = {
    ".lora_A.weight": ("peft", ".lora_B.weight"), ".lora_down.weight": ("kohya", ".lora_up.weight"),
    ".lora.down.weight": ("old", ".lora.up.weight"),
}  # fmt: skip
"""End of the name of a first matrix -> what it is called in the table, and the end of the second one's name."""
ALPHA: Final = ".alpha"
"""End of a scale's name."""
OWN, AUTHORS = "own", "authors"
"""Whose names modules have, in the table."""
READ, PARTLY, REFUSED, NOTHING, OPEN = "read", "partly", "refused", "nothing", "open"


class TriedWay(Struct, frozen=True):
    """What stands around the name of a module. first: the end of its first matrix; scaled: whether alpha is stored."""

    prefix: str
    first: str
    scaled: bool

    def key(self) -> str:
        """As the table has it."""
        return f"{self.prefix} {ENDS[self.first][0]}{'+alpha' if self.scaled else ''}"

    def second(self) -> str:
        """The end of the second matrix."""
        return ENDS[self.first][1]


@cache
def _table() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    with open(os.path.join(os.path.dirname(__file__), "read_ways.json"), "rb") as file:
        table: dict[str, dict[str, dict[str, str]]] = json.loads(file.read())
    return table


def way_of(name: str, scaled: bool) -> TriedWay | None:
    """The way in which the first matrix of a module is named; None if it was not tried."""
    first = next((end for end in ENDS if name.endswith(end)), None)
    prefix = next(one for one in PREFIXES if name.startswith(one))
    if first is None or (not prefix and name.startswith(NOT_TRIED)):
        return None
    return TriedWay(prefix, first, scaled)


def outcome(kind: str, naming: str, way: TriedWay) -> str:
    """What diffusers does with a LoRA of a class in a way. naming: "own" or "authors", whose names the modules have."""
    ways = _table().get(kind, {}).get(naming)
    return OPEN if ways is None else ways.get(way.key(), NOTHING)


def read_way(kind: str, naming: str, way: TriedWay) -> TriedWay | None:
    """Another way with the same names of modules that diffusers reads, of which most stays; None without one."""
    flat = way.prefix.endswith("_")
    others = [TriedWay(prefix, first, way.scaled) for prefix in (way.prefix, *PREFIXES) for first in (way.first, *ENDS)
              if prefix.endswith("_") is flat]  # fmt: skip
    return next((one for one in others if outcome(kind, naming, one) == READ), None)


def renaming(way: TriedWay, other: TriedWay) -> Callable[[str], str]:
    """What gives a tensor that is named in one way the name of the other."""
    ends = {way.first: other.first, way.second(): other.second(), ALPHA: ALPHA}

    def renamed(name: str) -> str:
        end = next(one for one in ends if name.endswith(one))
        return f"{other.prefix}{name.removeprefix(way.prefix).removesuffix(end)}{ends[end]}"

    return renamed
