"""Unrolls a definition: one slot for each tensor of each row, with renames applied and prefixes joined.

Unrolling depends on the definition, the head and the chosen submodels, never on numbers, so it is done once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.expression import Hole, Literal, Node, Not, Word, parse, substitute
from inspector.notation.definition import Architecture, Either, Group, Head, Opaque, Part, Row, Submodel
from inspector.notation.kinds import Kind, Tensor
from inspector.notation.scope import Scope

HOLE = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*)\}")
_INDEX = re.compile(r"\{\w+\}|0|[1-9][0-9]{0,5}", re.ASCII)


class Condition(Struct, frozen=True):
    """A predicate, and the path of the submodel that gives its words their values."""

    scope: tuple[str, ...]
    node: Node


class Slot(Struct, frozen=True, eq=False):
    """One tensor of one row.

    path: the template of its name, below the root if `body`. row: the path without the suffix of the tensor. whens:
    predicates that must all hold. choices: (number of the `either`, side) pairs it depends on. group: the
    all-or-nothing group (number, count of leading holes that identify it); usual: the group is counted unless it is
    absent. scope: the path of its submodel. tied: "role:…" or "path:…"; ties: the predicate, None for the predicate of
    the definition. submodel: the submodel prefixes. own_row: `row` as the definition has it, where a dialect renames
    it.
    """

    path: str
    row: str
    role: str
    kind: Kind
    tensor: Tensor
    dims: tuple[Node, ...]
    flow: tuple[Node, Node] | None
    whens: tuple[Condition, ...]
    holes: tuple[str, ...]
    optional: bool
    group: tuple[int, int] | None
    usual: bool
    tied: str
    ties: Node | None
    extra: str
    tower: str
    choices: tuple[tuple[int, int], ...]
    scope: tuple[str, ...]
    definition: Architecture
    body: bool
    inner_path: str  # below the last submodel; the dialects of the submodel's definition apply to it
    own_row: str = ""

    @property
    def built(self) -> bool:
        """True if the class builds the tensor whatever is stored, so that the formula counts it."""
        return not self.optional and (self.group is None or self.usual)


class OpaqueSlot(Struct, frozen=True):
    """A prefix below which no tensor is checked as long as all of `whens` hold."""

    path: str
    because: str
    body: bool
    whens: tuple[Condition, ...] = ()


class _Context(Struct, frozen=True):
    """The properties of a slot that its enclosing blocks determine."""

    prefix: str = ""
    renames: Mapping[str, Node] | None = None
    whens: tuple[Condition, ...] = ()
    group: tuple[int, int] | None = None
    usual: bool = False
    tied: str = ""
    extra: str = ""
    tower: str = ""
    choices: tuple[tuple[int, int], ...] = ()
    scope: tuple[str, ...] = ()
    body: bool = True
    submodel_prefix: str = ""


class _Unroller:
    __slots__ = ("definition", "eithers", "groups", "opaque", "scope", "slots")

    def __init__(self) -> None:
        self.slots: list[Slot] = []
        self.opaque: list[OpaqueSlot] = []
        self.eithers = 0
        self.groups = 0

    def row(self, row: Row, context: _Context, scope: Scope) -> None:
        match row:
            case Part():
                self.part(row, context, scope)
            case Group():
                inner = self.group(row, context)
                for part in row.rows:
                    self.row(part, inner, scope)
            case Either():
                self.eithers += 1
                number = self.eithers
                for side, part in enumerate((row.first, row.second)):
                    self.row(part, replace(context, choices=(*context.choices, (number, side))), scope)
            case Submodel():
                self.submodel(row, context, scope)
            case Opaque():
                whens = (*context.whens, *_predicates(row.when, context.renames or {}, context.scope))
                self.opaque.append(OpaqueSlot(context.prefix + row.prefix, row.because, context.body, whens))

    def group(self, row: Group, context: _Context) -> _Context:
        prefix = context.prefix + renamed_path(row.prefix, context.renames) + ("." if row.prefix else "")
        outer = context.renames or {}
        own = {name: rename(text, outer) for name, text in row.renames.items()}
        group = context.group
        if row.optional:
            self.groups += 1
            group = (self.groups, sum(1 for segment in prefix.split(".") if _INDEX.fullmatch(segment)))
        tied = context.tied and context.tied + renamed_path(row.prefix, context.renames) + ("." if row.prefix else "")
        if row.tied:
            tied = context.prefix + renamed_path(row.tied, context.renames) + "."
        return replace(
            context,
            prefix=prefix,
            renames={**outer, **own},
            whens=(*context.whens, *_predicates(row.when, outer, context.scope)),
            group=group,
            usual=row.usual if row.optional else context.usual,
            tied=tied,
            extra=row.extra or context.extra,
            tower=row.tower or context.tower,
        )

    def submodel(self, row: Submodel, context: _Context, scope: Scope) -> None:
        below = scope.submodels.get(row.name)
        at = context.prefix + row.at
        whens = (*context.whens, *_predicates(row.when, context.renames or {}, context.scope))
        if below is None:
            self.opaque.append(OpaqueSlot(at, f"no definition for the {row.name} part", context.body, whens))
            return
        definition = below.definition
        fitting = (one for name in row.head.split() for one in definition.heads if name in one.names)
        entry = next(fitting, definition.heads[0])
        inner = replace(
            context,
            prefix=at + entry.root,
            renames=None,
            whens=whens,
            scope=(*context.scope, row.name),
            tower=row.name,
            submodel_prefix=at,
        )
        self.row(definition.parts, inner, below)
        for part in entry.rows:
            self.row(part, replace(inner, prefix=at), below)

    def part(self, row: Part, context: _Context, scope: Scope) -> None:
        renames = context.renames or {}
        path = context.prefix + renamed_path(row.path, renames)
        ties = None if row.ties is None else parse(row.ties if isinstance(row.ties, str) else str(row.ties).lower())
        for position, tensor in enumerate(row.kind.tensors):
            full = path + tensor.suffix
            tied = ""
            if context.tied:
                tied = f"path:{context.tied}{renamed_path(row.path, renames)}{tensor.suffix}"
            elif row.tied and position == 0:
                tied = f"path:{row.tied}{tensor.suffix}" if "{" in row.tied else f"role:{row.tied}"
            self.slots.append(
                Slot(
                    path=full,
                    row=path,
                    role=row.role,
                    kind=row.kind,
                    tensor=tensor,
                    dims=tuple(rename(dim, renames) for dim in tensor.dims),
                    flow=_flow(row.kind, renames),
                    whens=(
                        *context.whens,
                        *_predicates(row.when, renames, context.scope),
                        *_predicates(tensor.when, renames, context.scope),
                    ),
                    holes=tuple(HOLE.findall(full)),
                    optional=row.optional or tensor.optional,
                    group=context.group,
                    usual=context.usual,
                    tied=tied,
                    ties=ties,
                    extra=context.extra,
                    tower=context.tower,
                    choices=context.choices,
                    scope=context.scope,
                    definition=scope.definition,
                    body=context.body,
                    inner_path=full[len(context.submodel_prefix) :],
                )
            )


class Unrolled(Struct, frozen=True, eq=False):
    """All slots of a definition under one head."""

    slots: tuple[Slot, ...]
    opaque: tuple[OpaqueSlot, ...]
    head: Head


def unroll(scope: Scope, head: Head) -> Unrolled:
    """The slots of a scope's definition under a head; paths of body rows are relative to the head's root.

    A row of the head belongs to the body if its path begins with the root, or if the root is empty.
    """
    signature = (scope.definition, id(head), _signature(scope))
    if signature not in _UNROLLED:
        _UNROLLED[signature] = _unroll(scope, head)
    return _UNROLLED[signature]


_UNROLLED: dict[object, Unrolled] = {}


def _signature(scope: Scope) -> tuple[object, ...]:
    return tuple((name, below.definition, _signature(below)) for name, below in scope.submodels.items())


def _unroll(scope: Scope, head: Head) -> Unrolled:
    unroller = _Unroller()
    unroller.row(scope.definition.parts, _Context(), scope)
    for part in head.rows:
        unroller.row(part, _Context(body=False), scope)
    slots = tuple(_into_body(slot, head.root) for slot in unroller.slots if not _never(slot.whens))
    if scope.definition.respell is not None:
        return Unrolled(scope.definition.respell(slots), (), head)
    return Unrolled(slots, tuple(unroller.opaque), head)


def _into_body(slot: Slot, root: str) -> Slot:
    if slot.body or not slot.path.startswith(root):
        return slot
    cut = len(root)
    tied = slot.tied
    if tied.startswith(f"path:{root}"):
        tied = f"path:{tied[5 + cut :]}"
    return replace(slot, path=slot.path[cut:], row=slot.row[cut:], body=True, tied=tied)


@cache
def _parsed(text: str) -> Node:
    return parse(text)


def rename(text: str, renames: Mapping[str, Node]) -> Node:
    """A dim or predicate of a block with the renames of its enclosing groups."""
    node = _parsed(text)
    return substitute(node, renames) if renames else node


def renamed_path(path: str, renames: Mapping[str, Node] | None) -> str:
    """A path with its holes renamed."""
    if not renames or "{" not in path:
        return path

    def replaced(match: re.Match[str]) -> str:
        node = renames.get(match.group(1))
        if node is None:
            return match.group()
        if isinstance(node, (Word, Hole)):
            return "{" + (node.name if isinstance(node, Hole) else ".".join(node.path)) + "}"
        raise ValueError(f"hole {match.group()} of '{path}' can only be renamed to another symbol")

    return HOLE.sub(replaced, path)


def _flow(kind: Kind, renames: Mapping[str, Node]) -> tuple[Node, Node] | None:
    return None if kind.flow is None else (rename(kind.flow[0], renames), rename(kind.flow[1], renames))


def _predicates(text: str, renames: Mapping[str, Node], scope: tuple[str, ...]) -> Iterator[Condition]:
    """The condition of a row, unless it always holds: such a row is expected without a config too."""
    if text:
        node = rename(text, renames)
        if _constant(node) is not True:
            yield Condition(scope, node)


def _constant(node: Node) -> bool | None:
    """The value of a condition that is the same for every config; None for any other."""
    if isinstance(node, Not):
        inner = _constant(node.operand)
        return None if inner is None else not inner
    return node.value if isinstance(node, Literal) and isinstance(node.value, bool) else None


def _never(whens: tuple[Condition, ...]) -> bool:
    """True if a condition holds for no config, as of the convolution of a block that always has a linear layer."""
    return any(_constant(one.node) is False for one in whens)


def scope_of(scope: Scope, slot: Slot) -> Scope:
    """The scope in which the words of a slot are read."""
    return scope.below(slot.scope)
