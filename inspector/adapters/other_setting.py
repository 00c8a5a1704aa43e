"""Finds a number in the config of an adapter that differs from the number with which its tensors were made.

The shapes of blocks and factors follow from the widths of the base and one key. If exactly one other value of this key
gives the stored shape of every tensor, the key is wrong, and not the base or a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Any, Final

from inspector.adapters.absent import absent_of
from inspector.adapters.expected import ExpectedAdapter
from inspector.adapters.matched import Matched
from inspector.algebra.boxes import count
from inspector.findings.adapters.tensors import AdapterSetting
from inspector.findings.adapters.whole import AdapterSettingDiffers
from inspector.findings.finding import Place

KEYS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "lokr": (("decompose_factor", ""),),
    "oft": (("oft_block_size", "r"), ("r", "oft_block_size")),
    "boft": (("boft_block_size", "boft_block_num"), ("boft_block_num", "boft_block_size")),
    "gralora": (("gralora_k", ""),),
}
"""Method -> (key that determines shapes, the other key, which is 0 if the first is set)."""
FEWEST: Final = 2
"""Fewest tensors with another shape for which the key may be wrong; a single one is a wrong tensor."""
Plan = Callable[[Mapping[str, Any]], tuple[ExpectedAdapter, Sequence[Matched]]]
"""The plan for a config, and the stored tensors with their expectations."""


def other_setting(
    method: str, values: Mapping[str, Any], matched: Sequence[Matched], plan: Plan
) -> AdapterSettingDiffers | None:
    """The finding if exactly one other value of a key explains the shapes of all tensors; None otherwise."""
    keys = [(key, zero) for key, zero in KEYS.get(method, ()) if values.get(key)]
    differing = [one for one in matched if one.misfits]
    if not keys or sum(count(one.boxes) for one in differing) < FEWEST:
        return None
    key, zero = keys[0]
    others = (value for value in _candidates(matched) if value != values[key])
    rest = {zero: 0} if zero else {}
    found = [value for value in others if _fits(*plan({**values, key: value, **rest}))]
    if len(found) != 1:
        return None
    return AdapterSettingDiffers(
        place=Place(file="adapter_config.json", key=key),
        settings=(AdapterSetting(key, values[key], found[0]),),
        tensors=len({(one.key, one.boxes) for one in differing}),
    )


def _candidates(matched: Sequence[Matched]) -> list[int]:
    """Values suggested by dims of stored tensors: the dims, and the sizes of blocks with this many generators."""
    dims = {dim for one in matched for dim in one.shape if dim > 1}
    return sorted({*dims, *(size for dim in dims for size in _generated(dim)), -1})


def _generated(number: int) -> Iterator[int]:
    """The size of a skew-symmetric matrix with this many free entries."""
    size = (1 + isqrt(1 + 8 * number)) // 2
    if size * (size - 1) == 2 * number:
        yield size


def _fits(plan: ExpectedAdapter, matched: Sequence[Matched]) -> bool:
    """True if every tensor is expected with its shape, and none is absent."""
    if plan.unclear or any(one.misfits or one.expected is None or not one.expected.checked for one in matched):
        return False
    return not list(absent_of(plan, matched))
