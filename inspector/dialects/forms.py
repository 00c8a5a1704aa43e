"""Forms in which a program stores a tensor: transposed, flat, squeezed, with padded rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from inspector.algebra.expression import Alternatives, Binary, Guarded, Literal, Node, Word, parse
from inspector.notation.definition import PADDED
from inspector.notation.slots import Slot

PADDED_TO = 8
"""Every writer that pads a vocabulary pads it to a multiple of this, usually of 64 or 128."""


def all_in_one(slot: Slot) -> Slot:
    """The slot with the matrices of all its last indices in one tensor."""
    outer, expert = slot.holes[:-1], slot.holes[-1]
    tensors = tuple(replace(tensor, dims=(expert, *tensor.dims)) for tensor in slot.kind.tensors)
    dims: tuple[Node, ...] = (Word((expert,)), *slot.dims)
    tensor = replace(slot.tensor, dims=(expert, *slot.tensor.dims))
    return replace(slot, dims=dims, kind=replace(slot.kind, tensors=tensors, each=expert), tensor=tensor, holes=outer)


def terms_of_sum(node: Node) -> list[Node]:
    """The terms of a sum, in order; if a number multiplies the sum, each term times this number."""
    if isinstance(node, Binary) and node.operator == "+":
        return [*terms_of_sum(node.left), *terms_of_sum(node.right)]
    if isinstance(node, Binary) and node.operator == "*":
        for factor, inner in ((node.left, node.right), (node.right, node.left)):
            if isinstance(inner, Binary) and inner.operator == "+":
                return [Binary("*", factor, term) for term in terms_of_sum(inner)]
    return [node]


def _transposed(slot: Slot) -> Slot:
    return replace(slot, dims=(*slot.dims[:-2], *slot.dims[:-3:-1]))


def _squeezed(slot: Slot) -> Slot:
    return replace(slot, dims=tuple(dim for dim in slot.dims if not (isinstance(dim, Literal) and dim.value == 1)))


def _of_one(slot: Slot) -> Slot:
    return replace(slot, dims=(Literal(1), *slot.dims))


def _column(slot: Slot) -> Slot:
    return replace(slot, dims=(*slot.dims, Literal(1))) if len(slot.dims) == 1 else slot


def _in_groups(slot: Slot) -> Slot:
    if len(slot.dims) != 1 or "g" not in slot.definition.dims:
        return slot
    groups = Word(("g",))
    return replace(slot, dims=(groups, Binary("/", slot.dims[0], groups)))


def _flat(slot: Slot) -> Slot:
    total = slot.dims[0]
    for dim in slot.dims[1:]:
        total = Binary("*", total, dim)
    return replace(slot, dims=(total,))


def _by_head(slot: Slot) -> Slot:
    rows = slot.dims[0]
    if len(slot.dims) != 2 or not isinstance(rows, Binary) or rows.operator != "*":
        return slot
    return replace(slot, dims=(rows.left, rows.right, slot.dims[1]))


def _in_order(slot: Slot) -> Slot:
    terms = terms_of_sum(slot.flow[1]) if slot.flow is not None else []
    if len(terms) < 2 or slot.flow is None or slot.flow[1] not in slot.dims:
        return slot
    total = terms[0]
    for term in terms[1:]:
        total = Binary("+", total, term)
    dims = tuple(total if dim == slot.flow[1] else dim for dim in slot.dims)
    return replace(slot, dims=dims, flow=(slot.flow[0], total))


def _rows_of_outputs(slot: Slot) -> Slot:
    return _in_one_matrix(slot, 1)


def _rows_of_inputs(slot: Slot) -> Slot:
    return _in_one_matrix(slot, 0)


def _in_one_matrix(slot: Slot, rows: int) -> Slot:
    if slot.flow is None or len(slot.dims) != 3:
        return slot
    return replace(slot, dims=(Binary("*", slot.dims[0], slot.flow[rows]), slot.flow[1 - rows]))


def _padded(slot: Slot) -> Slot:
    if not slot.dims:
        return slot
    rows, stored = slot.dims[0], Word((PADDED,))
    whole = parse(f"{PADDED} % {PADDED_TO} == 0")
    more = Binary("and", whole, Binary(">", stored, rows))
    return replace(slot, dims=(Alternatives((Guarded(stored, more), rows)), *slot.dims[1:]))


FORMS: Mapping[str, Callable[[Slot], Slot]] = {
    "stacked": all_in_one,
    "transposed": _transposed,
    "squeezed": _squeezed,
    "of one": _of_one,
    "column": _column,
    "in groups": _in_groups,
    "flat": _flat,
    "by head": _by_head,
    "in order": _in_order,
    "rows of outputs": _rows_of_outputs,
    "rows of inputs": _rows_of_inputs,
    "padded": _padded,
}
"""Form -> the change of a slot's shape, compared with the definition.

stacked: the matrices of all last indices are one tensor. transposed: the last two dims are exchanged. squeezed: dims of
1 are left out. of one: a dim of 1 precedes the others. column: a vector becomes a matrix with one column. in groups: a
vector becomes a matrix with a row for each of the definition's groups `g`. flat: all dims are merged into one. by head:
[heads * width, in] becomes [heads, width, in]. in order: the parts of a fused matrix are consecutive, whatever groups
the definition has. rows of outputs, rows of inputs: stacked experts [E, out, in] are one matrix [E * out, in] or [E *
in, out]. padded: the rows are rounded up beyond the vocabulary, never below the config's number.
"""
