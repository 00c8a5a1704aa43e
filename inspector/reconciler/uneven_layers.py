"""Recognises layers of different widths in which whole blocks may be absent, with a narrower hidden size or not.

CoFi, LLM-Pruner and Torch-Pruning leave such models: the tensors of each layer agree with each other, on sizes that no
config states for all layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from msgspec import Struct, field

from inspector.algebra.boxes import Box, tuples
from inspector.algebra.expression import Word
from inspector.algebra.span import Span
from inspector.algebra.values import whole
from inspector.budget import spend
from inspector.findings.finding import Place
from inspector.findings.pruned import BlocksRemoved, LayerHeads, LayersPruned, LayerWidth
from inspector.notation.binding import Block
from inspector.notation.slots import Slot, scope_of
from inspector.reconciler.place import Gap, Placed, Placement
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, nouns_of

ATTENTION: Final = "attention"
MLP: Final = "mlp"
HIDDEN: Final = "d"
FAMILIES_SHOWN: Final = 5
LEAST_SIZES: Final = 2
"""Least number of different sizes of the same block: one size for all layers may be the config's error."""

Layer = tuple[str, int]
"""The prefix of a list of layers, and the index of one of them."""


class _Sizes(Struct):
    """The sizes of the blocks of all layers.

    stored: (block, layer) -> its stored size. full: block -> the size that the config states. matrices: (block, layer)
    of the blocks with a stored matrix. hidden: the stored hidden sizes of layers. consistent: False if two tensors of a
    layer disagree.
    """

    stored: dict[tuple[str, Layer], int] = field(default_factory=dict)
    shares: dict[tuple[str, Layer, str], Fraction] = field(default_factory=dict)
    full: dict[str, set[int]] = field(default_factory=dict)
    matrices: set[tuple[str, Layer]] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    consistent: bool = True

    def add(self, case: Reconciled, one: Placed, block: str) -> None:
        """Records the sizes of one tensor in each of its layers."""
        stored, layers = one.layout.shape, list(_layers(one.block, one.boxes))
        if len(stored) != len(one.block.shape) or len(one.block.slot.dims) != len(stored):
            self.consistent = False
            return
        if len(stored) > 1:
            self.matrices.update((block, layer) for layer in layers)
        of_hidden = _hidden_axes(one.block.slot)
        for at, (size, expected, node) in enumerate(zip(stored, one.block.shape, one.block.slot.dims, strict=True)):
            if at in of_hidden:
                self.hidden.add(size)
            elif expected:
                self._share(block, layers, repr(node) if block == ATTENTION else "", Fraction(size, expected))
                full = _full_size(case, one.block.slot, block, expected)
                if full is not None:
                    self.full.setdefault(block, set()).add(full)
                    # below `full` the config names removed heads, and the size is that of those which remain
                    own = size if expected < full else full * size // expected
                    self.stored.update(((block, layer), own) for layer in layers)

    def _share(self, block: str, layers: Iterable[Layer], side: str, share: Fraction) -> None:
        for layer in layers:
            self.consistent &= self.shares.setdefault((block, layer, side), share) == share

    def of(self, block: str) -> Mapping[Layer, int]:
        """The stored sizes of a block by layer."""
        return {layer: size for (name, layer), size in self.stored.items() if name == block}


def uneven_layers(case: Reconciled) -> tuple[LayersPruned, Placement] | None:
    """The finding on layers of different sizes, each consistent in itself, and the differences that remain.

    None if one size of each block fits all layers, or if a difference inside of the layers has another cause.
    """
    before = case.as_configured
    sizes = _sizes_of(case)
    if not before.mismatched or sizes is None or len(sizes.hidden) != 1 or not _is_uneven(sizes, before.missing):
        return None
    removed = _removed(before.missing, sizes)
    hidden, stated = next(iter(sizes.hidden)), whole(case.plan.scope.word((HIDDEN,)))
    inside = [one for one in before.mismatched if _block_of(one.block.slot) or _is_of_hidden(one, hidden, stated)]
    if removed is None or hidden > (stated or hidden) or len(inside) < len(before.mismatched):
        return None
    prefixes = {layer[0] for _, layer in sizes.stored}
    if any(extra.key.partition("#")[0] in prefixes for extra in before.unexpected):
        return None
    finding = _finding(case, sizes, removed, inside)
    outside = tuple(gap for gap in before.missing if not _half_of(gap.block.slot))
    fitting = tuple(one for one in before.placed if one.fits)
    return None if finding is None else (finding, Placement(fitting, outside, before.unexpected))


def _sizes_of(case: Reconciled) -> _Sizes | None:
    """The sizes of all layers; None if two tensors of one layer disagree."""
    sizes = _Sizes()
    for one in case.as_configured.placed:
        spend(1 + one.tensors // 32, "the sizes of the layers")
        if (block := _block_of(one.block.slot)) and one.block.axes and one.packed is None:
            sizes.add(case, one, block)
        if not sizes.consistent:
            return None
    return sizes


def _is_uneven(sizes: _Sizes, missing: Iterable[Gap]) -> bool:
    """True if layers of one list have different sizes of the same block, none above the config's.

    A block of which the config says that all its heads were removed has the size 0.
    """
    found: dict[tuple[str, str], set[int]] = {}
    for gap in missing:
        if 0 in gap.block.shape and (half := _half_of(gap.block.slot)):
            found.setdefault((half, gap.block.key.partition("#")[0]), set()).add(0)
    for (block, (prefix, _)), size in sizes.stored.items():
        found.setdefault((block, prefix), set()).add(size)
    most = {block: max(full) for block, full in sizes.full.items() if len(full) == 1}
    if most.keys() != sizes.full.keys() or any(size > most[block] for (block, _), size in sizes.stored.items()):
        return False
    for (block, layer, _), share in sizes.shares.items():
        if block == ATTENTION and share != 1 and sizes.stored.get((block, layer)) == most.get(block):
            return False  # the number of key and value heads alone is another
    return any(len(values) >= LEAST_SIZES for values in found.values())


def _removed(missing: Iterable[Gap], sizes: _Sizes) -> dict[str, list[Layer]] | None:
    """Block -> the layers that lack it wholly; None if a layer lacks a part of a block."""
    removed: dict[str, set[Layer]] = {}
    for gap in missing:
        if half := _half_of(gap.block.slot):
            removed.setdefault(half, set()).update(_layers(gap.block, gap.boxes))
    if any((block, layer) in sizes.matrices for block, layers in removed.items() for layer in layers):
        return None
    return {block: sorted(layers) for block, layers in removed.items()}


def _finding(
    case: Reconciled, sizes: _Sizes, removed: Mapping[str, list[Layer]], inside: list[Placed]
) -> LayersPruned | None:
    width = _head_width(case)
    attention, mlp = ({layer: size for layer, size in sizes.of(one).items() if size < max(sizes.full[one])}
                      if one in sizes.full else {} for one in (ATTENTION, MLP))  # fmt: skip
    by_heads = width is not None and all(size % width == 0 for size in attention.values())
    hidden, stated = next(iter(sizes.hidden)), whole(case.plan.scope.word((HIDDEN,)))
    changed = {*attention, *mlp, *(layer for layers in removed.values() for layer in layers)}
    if len(changed) < LEAST_SIZES or (attention and not by_heads):
        return None
    layered = sorted(inside, key=lambda one: not _block_of(one.block.slot))
    families = tuple(dict.fromkeys(family_name(one.block.key) for one in layered))
    return LayersPruned(
        place=Place(indices=_in_words(changed)),
        hidden=stated if hidden != stated else None,
        stored_hidden=hidden if hidden != stated else None,
        heads=max(sizes.full[ATTENTION]) // (width or 1) if attention else None,
        stored_heads=tuple(LayerHeads(layers, size // (width or 1)) for layers, size in _by_size(attention)),
        width=max(sizes.full[MLP]) if mlp else None,
        stored_widths=tuple(LayerWidth(layers, size) for layers, size in _by_size(mlp)),
        removed=tuple(BlocksRemoved(block, _in_words(layers)) for block, layers in sorted(removed.items())),
        families=families[:FAMILIES_SHOWN],
        tensors=sum(one.tensors for one in inside),
    )


def _by_size(layers: Mapping[Layer, int]) -> Iterator[tuple[str, int]]:
    """(the layers in words, their size), in the order of the layers."""
    sizes: dict[int, list[Layer]] = {}
    for layer, size in sorted(layers.items()):
        sizes.setdefault(size, []).append(layer)
    return ((_in_words(where), size) for size, where in sizes.items())


def _in_words(layers: Iterable[Layer]) -> str:
    """Layers in words; the list is named where there are several."""
    lists: dict[str, list[int]] = {}
    for prefix, index in sorted(layers):
        lists.setdefault(prefix, []).append(index)
    words = []
    for prefix, indices in lists.items():
        noun, span = next(iter(nouns_of(prefix + "#")), "layer"), Span.of(indices)
        words.append(f"{noun if span.size == 1 else noun + 's'} {span.words()}")
    return ", ".join(dict.fromkeys(words))


def _block_of(slot: Slot) -> str:
    """The block whose width a tensor shows, "" for norms and for all else."""
    first = slot.role.partition(".")[0]
    return first if first in (ATTENTION, MLP) and slot.holes and slot.tensor.counted else ""


def _hidden_axes(slot: Slot) -> list[int]:
    """The axes of a tensor that have the hidden size, and not that of all heads with the same expression."""
    axes = [at for at, node in enumerate(slot.dims) if node == Word((HIDDEN,))]
    if not slot.role.startswith(ATTENTION + ".") or len(axes) < len(slot.dims) or len(axes) > 2:
        return axes
    output = slot.role.startswith(ATTENTION + ".output")
    if len(axes) == 1:
        return axes if output else []
    return [1 if output == (slot.kind.name == "linear_io") else 0]


def _half_of(slot: Slot) -> str:
    """The block with which a tensor is removed, its norm included."""
    first, _, rest = slot.role.partition(".")
    name = rest.partition(".")[0] if first == "norm" else first
    return name if name in (ATTENTION, MLP) and slot.holes else ""


def _full_size(case: Reconciled, slot: Slot, block: str, expected: int) -> int | None:
    """The configured size of a block, before heads that the config names are removed; None for key and value."""
    if block == MLP:
        return whole(scope_of(case.plan.scope, slot).word(("ff",)))
    side = slot.role.removeprefix(ATTENTION + ".").partition(".")[0]
    heads, width = (whole(scope_of(case.plan.scope, slot).word((one,))) for one in ("h", "dh"))
    hidden = whole(scope_of(case.plan.scope, slot).word((HIDDEN,)))
    if side not in ("query", "output") or not heads or not hidden:
        return None
    return heads * (width or hidden // heads)


def _head_width(case: Reconciled) -> int | None:
    heads, width, hidden = (whole(case.plan.scope.word((one,))) for one in ("h", "dh", HIDDEN))
    return width or (hidden // heads if hidden and heads else None)


def _is_of_hidden(one: Placed, hidden: int, stated: int | None) -> bool:
    """True if a tensor differs only by the narrower hidden size."""
    stored, shape = one.layout.shape, one.block.shape
    sides = zip(stored, shape, strict=True) if len(stored) == len(shape) else ()
    return len(stored) == len(shape) and all(
        size == wanted or (wanted == stated and size == hidden) for size, wanted in sides
    )


def _layers(block: Block, boxes: Iterable[Box]) -> Iterator[Layer]:
    """The layers of the tensors in some boxes, by the first index of their names."""
    prefix = block.key.partition("#")[0]
    for box in boxes:
        for index in {one[0] for one in tuples(box) if one}:
            yield prefix, index
