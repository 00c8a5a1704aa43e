"""The ledger lines of placed, unexpected and unknown tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from inspector.algebra.boxes import count, less, minus
from inspector.loader.layout import Layout
from inspector.matcher.families import Families
from inspector.notation.binding import Block, Plan
from inspector.reconciler import ledger
from inspector.reconciler.buffers import is_general_buffer
from inspector.reconciler.ledger import Line
from inspector.reconciler.place import Placed, Placement, Unexpected, copies_in


def aside_lines(
    placement: Placement, families: Families, aside: frozenset[str], beside: Mapping[str, str]
) -> Iterator[Line]:
    """Lines of tensors that are not placed: extra components, scales and biases of a quantization."""
    for key in sorted(aside & families.keys()):
        for part in families[key].stored:
            left = part.boxes
            for one in placement.placed:
                if one.block.key == key:
                    for box in one.boxes:
                        left = less(left, box)
            if left:
                component = beside.get(key, "")
                role = component or ("scale" if key in beside else "packing bias")
                kind = ledger.EXTRA if component else ledger.HELPER
                yield _line(Unexpected(key, part.layout, left, count(left)), key, role, kind, component)


def lines_of(plan: Plan, placement: Placement, beyond: frozenset[int]) -> Iterator[Line]:
    """Lines of the placed tensors in the order of the definition, then of all others. beyond: slots of other heads."""
    order = {id(block): position for position, block in enumerate(plan.blocks)}
    copies = copies_in(placement.placed)
    for one in sorted(placement.placed, key=lambda placed: order.get(id(placed.block), len(order))):
        slot = one.block.slot
        kind, component = ledger.PARAMETER, ""
        if not slot.tensor.counted:
            kind, component = ledger.BUFFER, slot.extra
        elif id(slot) in beyond:
            kind, component = ledger.EXTRA, slot.role
        elif id(one) in copies:
            copied = copies[id(one)]
            yield _line(replace(one, boxes=copied, tensors=count(copied)), one.block.key, slot.role, ledger.COPY, "")
            own = minus(one.boxes, copied)
            if not own:
                continue
            one = replace(one, boxes=own, tensors=count(own))
        elif slot.extra:
            kind, component = ledger.EXTRA, slot.extra
        yield _line(one, one.block.key, slot.role, kind, component)
    for extra in placement.unexpected:
        yield _extra_line(plan, extra)


def _extra_line(plan: Plan, extra: Unexpected) -> Line:
    if is_general_buffer(extra.key, extra.layout.shape):
        return _line(extra, extra.key, "buffer", ledger.BUFFER, "")
    for prefix, _ in plan.opaque:
        if extra.key.startswith(prefix):
            return _line(extra, extra.key, "not checked", ledger.UNCHECKED, "")
    return _line(extra, extra.key, "unexplained", ledger.UNEXPLAINED, "")


def _line(one: Placed | Unexpected, family: str, role: str, kind: str, component: str) -> Line:
    storage = one.layout if one.packed is None else one.packed.storage
    layout = one.layout
    if one.packed is not None and one.packed.known and not one.packed.exact and isinstance(one, Placed) and one.fits:
        layout = _decided(one, one.block)
    parameters = layout.elements * one.tensors if kind not in (ledger.BUFFER, ledger.HELPER, ledger.UNEXPLAINED) else 0
    formula = "" if isinstance(one, Unexpected) else one.block.slot.kind.chart
    return Line(
        family=family,
        role=role,
        kind=kind,
        layout=layout,
        boxes=one.boxes,
        tensors=one.tensors,
        elements=storage.elements * one.tensors,
        parameters=parameters,
        component=component,
        formula=formula,
        packed=one.packed,
        block=None if isinstance(one, Unexpected) else one.block,
    )


def _decided(one: Placed, block: Block) -> Layout:
    """The definition's layout for a quantized tensor of a shape that the header does not determine."""
    shape = tuple(dim for dim in block.shape if dim is not None)
    if block.elements is None or len(shape) < len(block.shape):
        return one.layout
    return replace(one.layout, shape=shape, elements=block.elements)


def unknown_lines(families: Families) -> Iterator[Line]:
    """The lines of a checkpoint without a definition: all tensors count as parameters, except general buffers."""
    for family in families.values():
        for part in family.stored:
            buffer = is_general_buffer(family.key, part.layout.shape)
            yield _line(
                Unexpected(family.key, part.layout, part.boxes, part.tensors, part.packed),
                family.key,
                "buffer" if buffer else "unknown",
                ledger.BUFFER if buffer else ledger.PARAMETER,
                "",
            )
