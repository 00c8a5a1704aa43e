"""Finds a shard with another dtype than the same families have in the other shards.

A model that is designed with several dtypes has them by module; a single file with another dtype is from another save.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from inspector.budget import spend
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.layout import Layout

NUMBER: Final = re.compile(r"(?<=\.)\d+(?=\.)")
FLOATS: Final = ("F32", "F16", "BF16", "F64")
_NAMES_A_STEP: Final = 4


def shards_of_another_dtype(tensors: Mapping[str, Layout], file_of: Mapping[str, str]) -> Iterator[Finding]:
    """The finding, if every shard has one dtype and some families are in shards of two dtypes."""
    spend(len(tensors) // _NAMES_A_STEP, "the dtypes of the shards")
    dtype_of: dict[str, str] = {}
    counted: dict[str, int] = {}
    families: dict[str, set[str]] = {}
    for name, layout in tensors.items():
        file = file_of.get(name, "")
        if layout.dtype not in FLOATS or dtype_of.setdefault(file, layout.dtype) != layout.dtype:
            return
        counted[layout.dtype] = counted.get(layout.dtype, 0) + 1
        families.setdefault(layout.dtype, set()).add(NUMBER.sub("#", name))
    if len(counted) != 2:
        return
    usual, odd = sorted(counted, key=lambda one: (-counted[one], one))
    shared = sorted(families[usual] & families[odd])
    if not shared:
        return
    from inspector.findings.types.dtypes import ShardOfAnotherDtype

    files = tuple(file for file, dtype in dtype_of.items() if dtype == odd)
    yield ShardOfAnotherDtype(
        place=Place(file=files[0]),
        files=files[:NAMES_SHOWN],
        dtype=odd,
        others=usual,
        tensors=counted[odd],
        tensors_of_others=counted[usual],
        family=shared[0].replace("#", "{layer}", 1),
    )
