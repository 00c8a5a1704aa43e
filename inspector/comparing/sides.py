"""Creates the pieces of an audit: maps the lines of its ledger to roles, and gives fused matrices their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.algebra.boxes import Box, count
from inspector.algebra.expression import Binary, Node, Word, parse, show, words
from inspector.algebra.span import Span
from inspector.algebra.values import whole
from inspector.notation.binding import Block
from inspector.notation.holes import bases
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, Slot, scope_of
from inspector.notation.spelling import template
from inspector.notation.written import holes_written_out
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import noun_of, nouns_of

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

from inspector.comparing.pieces import Identity, Piece, Side, Term, part_roles


def side_of(audited: Audit) -> Side:
    """The pieces of a checkpoint, or of all components of a pipeline."""
    found: dict[str, list[Piece]] = {}
    expected: dict[Identity, list[str]] = {}
    for component, part in (audited.components or {"": audited}).items():
        cut = _FusedSplitter(part.case, component)
        for line in part.lines:
            found.setdefault(line.kind, []).append(cut.piece(line))
        for identity, family in cut.expected():
            expected.setdefault(identity, []).append(family)

    def of(*kinds: str) -> tuple[Piece, ...]:
        return tuple(piece for kind in kinds for piece in found.get(kind, ()))

    return Side(
        audited,
        of(ledger.PARAMETER, ledger.UNCHECKED),
        of(ledger.EXTRA),
        of(ledger.COPY),
        of(ledger.BUFFER),
        of(ledger.UNEXPLAINED),
        expected,
    )


class _FusedSplitter:
    __slots__ = ("case", "component", "keys")

    def __init__(self, case: Reconciled | None, component: str) -> None:
        self.case, self.component = case, component
        self.keys: dict[str, Block] = {}
        for block in case.corrected.blocks if case is not None else ():
            self.keys.setdefault(block.key, block)

    def piece(self, line: Line) -> Piece:
        block = line.block or (self.keys.get(line.family) if line.kind == ledger.UNEXPLAINED else None)
        if block is None or self.case is None:
            return self._unread(line)
        axes = self._axes(block)
        if axes is None or len(axes) != len(block.axes):
            return self._unread(line, block.slot.role)
        return self._read(line, block, axes)

    def expected(self) -> Iterator[tuple[Identity, str]]:
        """Every parameter that the definition expects; fused matrices also by their parts."""
        if self.case is None:
            return
        for block in self.case.corrected.blocks:
            if not block.slot.tensor.counted:
                continue
            holes = tuple(axis for axis in self._axes(block) or () if isinstance(axis, str))
            scope = scope_of(self.case.corrected.scope, block.slot)
            stack = (_symbol(scope, block.slot.dims[0]),) if _is_stack(block.slot) else ()
            identity = self._identity(block.slot, scope, (*holes, *stack), block.slot.extra)
            yield identity, block.key
            for role in part_roles(block.slot.role, block.slot.kind.packs):
                yield replace(identity, role=role), block.key

    def _unread(self, line: Line, role: str = "") -> Piece:
        axes = tuple(str(position) for position in range(line.family.count("#") - line.family.count("\\#")))
        tensor = "bias" if line.family.endswith(("_bias", ".bias")) else "weight"
        identity = Identity(self.component, (), "", role, tensor, axes, line.family)
        order = tuple(range(len(axes)))
        return Piece(identity, line.boxes, tuple(nouns_of(line.family)), line.layout.shape, (), line, order=order)

    def _axes(self, block: Block) -> tuple[str | int, ...] | None:
        """The meaning of each number in the names of a block: an axis, by the symbol it was cut from, or a fixed
        number.
        """
        assert self.case is not None
        plan = self.case.corrected
        key, axes = template(plan.spelling.spelled(block.slot, plan.scope))
        if key != block.key:  # the key has a hole inside a segment
            return None
        scope = scope_of(plan.scope, block.slot)
        return tuple(_base(scope, axis) if isinstance(axis, str) else axis for axis in axes)

    def _read(self, line: Line, block: Block, axes: tuple[str | int, ...]) -> Piece:
        assert self.case is not None
        slot = block.slot
        scope = scope_of(self.case.corrected.scope, slot)
        places = [position for position, axis in enumerate(axes) if isinstance(axis, str)]
        boxes = tuple(tuple(box[position] for position in places) for box in line.boxes)
        shape, dims = line.layout.shape, slot.dims
        order: list[int | None] = [None] * len(axes)
        for position, place in enumerate(places):
            order[place] = position
        holes = [axis for axis in axes if isinstance(axis, str)]
        nouns = _nouns(slot)
        boxes = self._of_original(line, block, boxes)
        stacked = _is_stack(slot) and len(shape) == len(dims)
        if stacked:
            holes.append(_symbol(scope, dims[0]))
            nouns.append("expert")
            boxes = tuple((*box, Span.range(0, shape[0])) for box in boxes)
            shape, dims = shape[1:], dims[1:]
        elif rows := _blocks(slot, scope, shape):
            stacked = True
            holes.append(_symbol(scope, rows[0]))
            nouns.append("expert")
            boxes = tuple((*box, Span.range(0, rows[1])) for box in boxes)
            shape, dims = (shape[0] // rows[1], *shape[1:]), (_without_factor(dims[0]), *dims[1:])
        transposed = _is_transposed(line, block, dims)
        by_head = _by_head(slot, shape, dims)
        if by_head is not None:
            shape, dims, transposed = by_head
        elif transposed:
            dims = (dims[1], dims[0]) if len(dims) == 2 else dims
            shape = (shape[1], shape[0]) if len(shape) == 2 else shape
        if len(shape) != len(dims):
            dims = ()
        component = line.component if line.kind == ledger.EXTRA else ""
        terms, groups = self._terms(slot, scope, boxes)
        return Piece(
            identity=self._identity(_counting(slot, block, line), scope, tuple(holes), component),
            boxes=boxes,
            nouns=tuple(nouns[: len(holes)]),
            shape=shape,
            dims=dims,
            line=line,
            row=slot.own_row or slot.row,
            transposed=transposed,
            stacked=stacked,
            terms=terms,
            groups=groups,
            part=None,
            order=tuple(order),
        )

    def _of_original(self, line: Line, block: Block, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        """The indices of a tied original if a copy is stored instead: writers differ in which of the two they keep."""
        if block.tie is None or line.kind != ledger.PARAMETER or self.case is None:
            return boxes
        for other in self.case.corrected.blocks:
            if other.slot is block.tie and other.tensors == count(boxes):
                names = self._axes(other)
                if names is not None and sum(isinstance(name, str) for name in names) == len(boxes[0]):
                    return (tuple(span for span, name in zip(other.axes, names, strict=True) if isinstance(name, str)),)
        return boxes

    def _identity(self, slot: Slot, scope: Scope, axes: tuple[str, ...], component: str) -> Identity:
        role, tensor = slot.role, tensor_word(slot.tensor.suffix)
        if role.endswith(".bias"):
            role, tensor = role.removesuffix(".bias"), "bias"
        component = "/".join(filter(None, (self.component, component)))
        return Identity(component, slot.scope, slot.tower, role, tensor, axes)

    def _terms(self, slot: Slot, scope: Scope, boxes: Sequence[Box]) -> tuple[tuple[Term, ...], int | None]:
        """The parts of a fused matrix with the rows that the config, or products from the shapes, determine."""
        packs = slot.kind.packs
        if slot.flow is None or not packs:
            return (), 1
        factor, nodes = _sum(slot.flow[1])
        if len(nodes) != len(packs):
            return (), 1
        written = holes_written_out(slot, scope)
        first = zip(slot.holes, boxes[0], strict=False)
        with scope.at([(hole, span.first) for hole, span in first if hole in written and span]):
            groups = 1 if factor is None else self._number(slot, scope, factor)
            rows = [self._number(slot, scope, node) for node in nodes]
        roles = part_roles(slot.role, packs)
        each = [None if number is None or groups is None else number * groups for number in rows]
        found = zip(packs, roles, each, nodes, strict=True)
        return tuple(Term(pack, role, size, node) for pack, role, size, node in found), groups

    def _number(self, slot: Slot, scope: Scope, node: Node) -> int | None:
        assert self.case is not None
        value = whole(scope.evaluate(node))
        if value is not None:
            return value
        product = "*".join(sorted(".".join(path) for path in words(node)))
        return self.case.products.get((slot.scope, product))


def tensor_word(suffix: str) -> str:
    """The kind of a module's tensor: "weight", "bias", or another suffix."""
    if suffix in ("", ".weight"):
        return "weight"
    return "bias" if suffix in (".bias", "_bias") else suffix.rpartition(".")[2]


def _counting(slot: Slot, block: Block, line: Line) -> Slot:
    """The slot that a line counts for: a stored copy counts for its original."""
    return block.tie if block.tie is not None and line.kind == ledger.PARAMETER else slot


def _is_stack(slot: Slot) -> bool:
    return bool(slot.kind.each) and len(slot.dims) > 1 and len(slot.dims) == len(slot.tensor.dims)


def _blocks(slot: Slot, scope: Scope, shape: tuple[int, ...]) -> tuple[Node, int] | None:
    """(symbol, number) of modules stacked along the rows of one matrix."""
    node = slot.dims[0] if slot.dims else None
    if not slot.kind.each or len(slot.dims) + 1 != len(slot.tensor.dims) or len(shape) != len(slot.dims):
        return None
    if not isinstance(node, Binary) or node.operator != "*":
        return None
    number = whole(scope.evaluate(node.left))
    return (node.left, number) if number and shape[0] % number == 0 else None


def _without_factor(node: Node) -> Node:
    return node.right if isinstance(node, Binary) else node


def _is_transposed(line: Line, block: Block, dims: Sequence[Node]) -> bool:
    """True if a matrix is stored inputs first. Quantizers transpose such matrices before they pack them."""
    flow = block.slot.flow
    if flow is None or len(dims) != 2 or tuple(dims) == flow[::-1]:
        return flow is not None and len(dims) == 2 and flow[0] == flow[1] and block.slot.kind.name == "linear_io"
    shape = block.shape
    transposed = (*shape[:-2], *reversed(shape[-2:]))
    packed = line.packed is not None and not line.packed.scheme.startswith("gguf ")
    return tuple(dims) == flow and not (packed and transposed == line.layout.shape)


def _by_head(
    slot: Slot, shape: tuple[int, ...], dims: Sequence[Node]
) -> tuple[tuple[int, ...], tuple[Node, ...], bool] | None:
    """(shape and dims of the whole matrix [heads * width, in], True if each head is stored inputs first).

    None unless the matrix is stored head by head: [heads, width, in] or [heads, in, width].
    """
    if len(slot.tensor.dims) != 2 or len(dims) != 3 or len(shape) != 3:
        return None
    source, target = slot.flow or (parse(slot.tensor.dims[1]), parse(slot.tensor.dims[0]))
    if not isinstance(target, Binary) or target.operator != "*" or target.left != dims[0]:
        return None
    if (target.right, source) == (dims[1], dims[2]):
        return (shape[0] * shape[1], shape[2]), (target, source), False
    if (source, target.right) == (dims[1], dims[2]):
        return (shape[0] * shape[2], shape[1]), (target, source), True
    return None


def _base(scope: Scope, hole: str) -> str:
    chain = [name for name in bases(scope.definition, hole) if name in scope.symbols]
    return chain[-1] if chain else hole


def _symbol(scope: Scope, node: Node) -> str:
    return _base(scope, node.path[-1]) if isinstance(node, Word) else show(node)


def _nouns(slot: Slot) -> list[str]:
    """What each hole in the path of a slot counts, by the segment before it."""
    segments = slot.path.split(".")
    return [noun_of(segments[at - 1]) if at else "index" for at, one in enumerate(segments) if HOLE.fullmatch(one)]


def _sum(node: Node) -> tuple[Node | None, list[Node]]:
    """(factor, terms) of `a + b + c` or `n*(a + b)`; an inner bracket stays one term."""
    factor = None
    if isinstance(node, Binary) and node.operator == "*" and isinstance(node.right, Binary):
        factor, node = node.left, node.right
    found: list[Node] = []
    while isinstance(node, Binary) and node.operator == "+":
        found.append(node.right)
        node = node.left
    return factor, [node, *reversed(found)]
