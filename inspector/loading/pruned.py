"""The tensors of a file whose attention lacks the heads that transformers 4 removes from the model before it loads it.

Source: transformers 4.57, `PreTrainedModel.prune_heads`, `pytorch_utils.prune_linear_layer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.algebra.boxes import tuples, within
from inspector.matcher.families import Families, Family, Stored
from inspector.notation.binding import Block, Plan
from inspector.notation.expansion import Shape

ROLES: Final = frozenset({"attention.query", "attention.key", "attention.value", "attention.qkv", "attention.output"})
"""Roles of the matrices that lose rows or columns, and of their biases."""
HEADS: Final = ("num_attention_heads", "n_head", "n_heads")
"""Keys of the number of heads."""


def with_all_heads(families: Families, plan: Plan, pruned: Mapping[str, Any]) -> Families | None:
    """The tensors with the shapes that they had before heads were removed. pruned: layer -> its removed heads.

    None where another shape than these differs, or no attention of a layer lacks its heads: which ones the class prunes
    is then not known, or the plan already has them pruned.
    """
    stated = (plan.scope.settings.read((key,))[0] for key in HEADS)
    heads = next((one for one in stated if type(one) is int), None)
    if heads is None or not all(isinstance(one, list) for one in pruned.values()):
        return None
    removed = {int(layer): len(set(numbers)) for layer, numbers in pruned.items() if numbers}
    found, lacking = dict(families), dict[tuple[str, int], set[bool]]()
    for block in plan.blocks:
        family = families.get(block.key)
        if family is None or block.slot.role not in ROLES or len(block.axes) != 1:
            continue
        parts: list[Stored] = []
        for part in family.stored:
            whole = part.layout.shape == tuple(block.shape)
            for layer in (index[0] for box in within(part.boxes, block.axes) for index in tuples(box)):
                if not (whole or _lacks(part.layout.shape, block.shape, removed.get(layer, 0), heads)):
                    return None
                if _has_heads(block):
                    lacking.setdefault((block.key.partition("#")[0], layer), set()).add(not whole)
            shape = tuple(size or 0 for size in block.shape)
            parts.append(part if whole else replace(part, layout=replace(part.layout, shape=shape)))
        found[block.key] = Family(family.key, tuple(parts))
    decided = all(len(states) == 1 for (_, layer), states in lacking.items() if layer in removed)
    short = {layer for (_, layer), states in lacking.items() if any(states)}
    return found if decided and removed.keys() <= short else None


def _has_heads(block: Block) -> bool:
    """True if a tensor has a part for each head: the bias of the output has none."""
    return len(block.shape) > 1 or block.slot.role != "attention.output"


def _lacks(stored: tuple[int, ...], shape: Shape, removed: int, heads: int) -> bool:
    """True if one side is shorter by the removed heads, and the others are as expected."""
    if len(stored) != len(shape) or not removed:
        return False
    apart = [(size, wanted) for size, wanted in zip(stored, shape, strict=True) if size != wanted]
    return len(apart) == 1 and apart[0][1] is not None and apart[0][0] * heads == apart[0][1] * (heads - removed)
