"""How another framework writes the modules of a card: a table from roles to its names, applied to any card's slots.

A card names tensors as transformers does. Another framework keeps the roles and changes the rest: names, which
matrices lie in one tensor, which tensor a norm belongs to, how far the vocabulary is padded. All of this is a
table (`inspector.architectures.writers`); what a tensor is and how large stays the card's word.

The key of a table is a role. Two marks tell a role's places apart: `mlp.up{}` is one of many experts, each in a
tensor of its own, `mlp.up[]` all of them in one; `single/mlp.up` is that of a tower; `mlp.up.alone` is that of an
MLP without gate; `@encoder.block.{}.layer_norm` is a row by its path, where roles do not tell. A value is a path in
which `{0}` is the outermost hole and `{1}` the next. `*` stands for the kind of tensor (weight, bias) where it is
not simply the last segment; a path that ends in `=` is the whole name. A tuple has alternatives: either is right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from inspector.algebra.expression import Alternatives, Binary, Guarded, Literal, Node, Word, parse, show
from inspector.notation.definition import PADDED
from inspector.notation.kinds import Kind, Tensor
from inspector.notation.slots import HOLE, Slot

Paths = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """Modules whose outputs lie in one matrix, in this order.

    per: the symbol of the groups that the rows are interleaved by, each group with its share of every part.
    """

    role: str
    parts: tuple[str, ...]
    packs: str
    per: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Writing:
    """The names of one writer.

    names: see the module. signs: keys of which the first group that is wholly there shows the writer. prefixes:
    what it may put before every name. joined: matrices of several modules. split: roles that a card has in one
    matrix and the writer in several. padded: roles whose rows are rounded up beyond the vocabulary. apart: for
    roles whose tensor lies elsewhere in layers of experts, the path there. flat: stacked experts in one matrix, a
    block of rows each; "out" or "in" says which width of the module the rows are. stacks: experts that a card has
    one by one are stacked. by_head: keys and values of one matrix in two tensors with an axis of heads, the first
    turned. squeezed: roles without dims of 1; columns: roles with one more; grouped: roles cut by a symbol.
    turned: roles stored [in, out]. extras: components beyond the model. cards: model types that names alone
    may mean, the likeliest first.
    """

    writer: str
    names: Mapping[str, Paths]
    signs: tuple[tuple[str, ...], ...]
    cards: tuple[str, ...]
    prefixes: tuple[str, ...] = ("",)
    joined: tuple[Joined, ...] = ()
    split: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    padded: frozenset[str] = frozenset()
    apart: Mapping[str, str] = field(default_factory=dict)
    flat: Mapping[str, str] = field(default_factory=dict)
    stacks: bool = False
    by_head: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    squeezed: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    grouped: Mapping[str, str] = field(default_factory=dict)
    extras: frozenset[str] = frozenset()
    turned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A writing as it is met in one checkpoint. prefix: before every name; known: whether there is a config."""

    writing: Writing
    prefix: str = ""
    known: bool = True


_PADDING = 8
"""Every writer pads to a multiple of this, and mostly of 64 or 128."""


def written_slots(slots: Sequence[Slot], written: Written) -> tuple[Slot, ...]:
    """The slots under the writer's names. A slot that the writer has no name for is left out."""
    writing = written.writing
    known = [slot for slot in slots if not slot.scope and (not slot.extra or slot.extra in writing.extras)]
    parts = [piece for slot in known for piece in _split(_stack(slot, writing), writing)]
    for joined in writing.joined:
        parts = list(_joined(parts, joined))
    made: list[Slot] = []
    seen: set[tuple[object, ...]] = set()
    for slot in _named(parts, writing):
        # A config decides between rows of one name, the shape between ways of storing one thing.
        same = (slot.path, slot.choices, slot.holes if slot.extra else (), slot.whens if written.known else ())
        if same not in seen:
            seen.add(same)
            made.append(_padded(slot, written) if written.known else slot)
    return tuple(replace(slot, path=written.prefix + slot.path, row=written.prefix + slot.row) for slot in made)


def covers(slots: Sequence[Slot], writing: Writing) -> bool:
    """Whether the writer has names for all that a card needs whatever its switches say."""
    named = {id(slot) for slot in slots if not slot.scope and _has_name(slot, writing, slots)}
    chosen: dict[int, bool] = {}
    for slot in slots:
        if slot.extra or slot.optional or slot.tied or slot.group or not slot.tensor.counted:
            continue
        known = id(slot) in named
        if slot.choices:
            number = slot.choices[0][0]
            chosen[number] = chosen.get(number, False) or known
        elif not known and not slot.whens:
            return False
    return all(chosen.values())


def _has_name(slot: Slot, writing: Writing, slots: Sequence[Slot]) -> bool:
    parts = {part for joined in writing.joined for part in joined.parts}
    return all(
        _key(piece) in parts or _paths(piece, writing, {_key(_stack(one, writing)) for one in slots}) is not None
        for piece in _split(_stack(slot, writing), writing)
    )


def _split(slot: Slot, writing: Writing) -> Iterator[Slot]:
    """A slot of several modules as one slot each, where the writer keeps them apart."""
    if _key(slot) in writing.names:
        yield slot
    else:
        yield from _apart(slot, writing) or [slot]


def _apart(slot: Slot, writing: Writing) -> list[Slot]:
    """The modules of a slot of several, none where the writer does not know them."""
    roles = writing.split.get(slot.role, ())
    terms = _terms(slot.flow[1]) if slot.flow is not None else []
    if not roles or len(terms) != len(roles) or slot.flow is None:
        return []
    at = slot.dims.index(slot.flow[1])
    return [
        replace(
            slot,
            role=role,
            dims=tuple(term if place == at else dim for place, dim in enumerate(slot.dims)),
            flow=(slot.flow[0], term),
            kind=replace(slot.kind, packs=()),
        )
        for role, term in zip(roles, terms, strict=True)
    ]


def _terms(node: Node) -> list[Node]:
    """The terms of a sum, in order; of a sum times a number each times that number."""
    if isinstance(node, Binary) and node.operator == "+":
        return [*_terms(node.left), *_terms(node.right)]
    if isinstance(node, Binary) and node.operator == "*":
        for factor, inner in ((node.left, node.right), (node.right, node.left)):
            if isinstance(inner, Binary) and inner.operator == "+":
                return [Binary("*", factor, term) for term in _terms(inner)]
    return [node]


def _key(slot: Slot) -> str:
    """What a table calls a slot: its role, its tower before it, and a mark for experts behind it."""
    stacked = slot.flow is not None and len(slot.kind.tensors[0].dims) == 3
    mark = "[]" if stacked else "{}" if len(slot.holes) > 1 else ""
    return f"{slot.tower}/{slot.role}{mark}" if slot.tower else f"{slot.role}{mark}"


_PARTNERS = {"mlp.up": "mlp.gate", "attention.query": "attention.key", "norm.mlp": "norm.attention.post"}
"""A role that has another name where its partner is not there: the key is then `role.alone`."""


def _paths(slot: Slot, writing: Writing, keys: Collection[str]) -> Paths | None:
    key = _key(slot)
    named = writing.names.get(f"@{HOLE.sub('{}', slot.row)}")
    if named is not None:
        return named
    partner = _PARTNERS.get(key)
    if partner is not None and partner not in keys and f"{key}.alone" in writing.names:
        key = f"{key}.alone"
    bare = writing.names.get(f"{key}=") if not slot.tensor.suffix else None
    if slot.extra:
        return writing.names.get(f"{slot.extra}:{key}", writing.names.get(key))
    return writing.names.get(key) if bare is None else bare


def _named(slots: Sequence[Slot], writing: Writing) -> Iterator[Slot]:
    """The slots that have a name, under it; one for each alternative."""
    keys = {_key(slot) for slot in slots}
    sparse = {slot.holes[0] for slot in slots if slot.role == "router" and slot.holes}
    dense = {slot.holes[0] for slot in slots if _key(slot) == "mlp.down" and slot.holes}
    numbers: dict[Paths, int] = {}
    sides = _sides([(slot, _paths(slot, writing, keys) is not None) for slot in slots])
    for slot in slots:
        found = _paths(slot, writing, keys)
        if found is None or any(sides[number] != side for number, side in slot.choices):
            continue
        own = _reshaped(replace(slot, choices=(), group=None, optional=slot.optional or bool(slot.extra)), writing)
        apart = writing.apart.get(slot.role)
        if apart is not None and slot.holes and sparse:
            alike = slot.holes[0] in sparse
            for hole in [slot.holes[0]] if alike else sorted(sparse):
                yield _respelled(_at(own, hole), apart)
            if alike or not dense:
                continue
            own = _at(own, min(dense))
        ways = [[_respelled(own, path)] for path in ((found,) if isinstance(found, str) else found)]
        others = [_respelled(piece, path) for piece, path in _others(slot, writing)]
        if others:
            ways.append(others)
        if len(ways) == 1:
            yield from ways[0]
            continue
        number = numbers.setdefault(found, len(numbers) + 1)  # a weight and its bias are stored the same way
        for side, way in enumerate(ways):
            yield from (replace(one, choices=((number, side),)) for one in way)


def _sides(slots: Sequence[tuple[Slot, bool]]) -> dict[int, int]:
    """Which side of each `either` of a card the writer knows: the one of which it names more roles, else the first."""
    roles: dict[tuple[int, int], set[str]] = {}
    for slot, known in slots:
        for choice in slot.choices:
            roles.setdefault(choice, set()).update([slot.role] if known else [])
    none: set[str] = set()
    return {number: int(len(roles.get((number, 1), none)) > len(roles.get((number, 0), none))) for number, _ in roles}


def _others(slot: Slot, writing: Writing) -> list[tuple[Slot, str]]:
    """The slots of the same modules stored apart, beside their matrix: with paths of their own."""
    own = replace(slot, choices=(), group=None, optional=slot.optional or bool(slot.extra))
    if slot.role in writing.by_head and slot.flow is not None and len(slot.dims) == 2:
        heads = slot.flow[1]
        if isinstance(heads, Binary) and heads.operator == "*" and isinstance(heads.right, Binary):
            own = replace(own, kind=replace(own.kind, packs=()))
            key = replace(own, role="attention.key.up", dims=(heads.left, slot.flow[0], heads.right.left))
            value = replace(own, role="attention.value.up", dims=(heads.left, heads.right.right, slot.flow[0]))
            return list(zip((key, value), writing.by_head[slot.role], strict=True))
    pieces = [(replace(one, choices=(), group=None), writing.names.get(_key(one))) for one in _apart(slot, writing)]
    return [(piece, path) for piece, path in pieces if isinstance(path, str)]


def _stack(slot: Slot, writing: Writing) -> Slot:
    """One of many experts as all of them in one tensor, where the writer stacks them."""
    if not writing.stacks or len(slot.holes) < 2 or slot.flow is None or not _key(slot).endswith("{}"):
        return slot
    holes = slot.holes
    expert: Node = Word((holes[-1],))
    tensors = tuple(replace(one, dims=(holes[-1], *one.dims)) for one in slot.kind.tensors)
    kind = replace(slot.kind, tensors=tensors)
    return replace(slot, dims=(expert, *slot.dims), kind=kind, holes=holes[:-1])


def _reshaped(slot: Slot, writing: Writing) -> Slot:
    """A slot with the shape that the writer gives it."""
    if slot.role in writing.squeezed:
        slot = replace(slot, dims=tuple(dim for dim in slot.dims if not (isinstance(dim, Literal) and dim.value == 1)))
    if len(slot.dims) == 1 and slot.role in writing.columns:
        slot = replace(slot, dims=(*slot.dims, Literal(1)))
    if len(slot.dims) == 1 and slot.role in writing.grouped and writing.grouped[slot.role] in slot.card.dims:
        groups = Word((writing.grouped[slot.role],))
        slot = replace(slot, dims=(groups, Binary("/", slot.dims[0], groups)))
    if slot.role in writing.turned and len(slot.dims) == 2:
        slot = replace(slot, dims=slot.dims[::-1])
    return _flattened(slot, writing)


def _flattened(slot: Slot, writing: Writing) -> Slot:
    """Stacked experts as one matrix: their rows one below the other."""
    rows = writing.flat.get(_key(slot))
    if rows is None or slot.flow is None or len(slot.dims) != 3:
        return slot
    source, target = slot.flow
    inner, outer = (target, source) if rows == "out" else (source, target)
    return replace(slot, dims=(Binary("*", slot.dims[0], inner), outer))


def _at(slot: Slot, hole: str) -> Slot:
    """A slot of all layers cut to those of another hole."""
    own = slot.holes[0]
    path, row = (text.replace("{" + own + "}", "{" + hole + "}") for text in (slot.path, slot.row))
    return replace(slot, path=path, row=row, holes=(hole, *slot.holes[1:]))


def _respelled(slot: Slot, path: str) -> Slot:
    """A slot under the writer's path."""
    for position, hole in enumerate(slot.holes):
        path = path.replace("{" + str(position) + "}", "{" + hole + "}")
    what = slot.tensor.suffix.lstrip("._") or ("weight" if slot.flow is not None else "")
    if path.endswith("="):
        full = row = path[:-1]
    elif "*" in path:
        full, row = path.replace("*", what), path.partition("*")[0].rstrip("._")
    else:
        full, row = f"{path}.{what}" if what else path, path
    dims, kind = slot.dims, slot.kind
    if kind.name == "linear_io":
        kind = replace(kind, name="linear")  # such writers store [out, in]
        dims = dims if what == "bias" or len(dims) < 2 else (*dims[:-2], dims[-1], dims[-2])
    holes = tuple(HOLE.findall(full))
    return replace(slot, path=full, row=row, kind=kind, dims=dims, holes=holes, body=False, inner_path=full)


def _joined(slots: Sequence[Slot], joined: Joined) -> Iterator[Slot]:
    """The slots with those of one matrix joined, at the place of the first; incomplete ones stay apart."""
    groups: dict[tuple[object, ...], dict[str, Slot]] = {}
    for slot in slots:
        if _key(slot) in joined.parts:
            groups.setdefault(_kin(slot), {}).setdefault(_key(slot), slot)
    for slot in slots:
        group = groups.get(_kin(slot), {}) if _key(slot) in joined.parts else {}
        if len(group) < len(joined.parts):
            yield slot
        elif slot is group[joined.parts[0]]:
            yield _sum(joined, [group[key] for key in joined.parts])


def _kin(slot: Slot) -> tuple[object, ...]:
    return slot.tensor.suffix, slot.holes, slot.choices


def _sum(joined: Joined, slots: Sequence[Slot]) -> Slot:
    """One matrix of several: the outputs add up, the input is the same."""
    first = slots[0]
    outputs = [slot.flow[1] if slot.flow is not None else slot.dims[0] for slot in slots]
    total = _grouped().get(tuple(outputs)) if joined.per else None
    if total is None:
        total = outputs[0]
        for node in outputs[1:]:
            total = Binary("+", total, node)
    source = first.flow[0] if first.flow is not None else first.dims[-1]
    tensors = (Tensor(".weight", (show(total), show(source))), Tensor(".bias", (show(total),)))
    arrow = f"{show(source)} -> {show(total)}"
    kind = Kind("linear", arrow, tensors, tuple(joined.packs.split()), (show(source), show(total)))
    tensor = next(one for one in tensors if one.suffix == first.tensor.suffix)
    dims = (total,) if tensor.suffix == ".bias" else (total, source)
    role = joined.role.partition("/")[2] or joined.role
    return replace(first, role=role.rstrip("{}"), kind=kind, tensor=tensor, dims=dims, flow=(source, total))


@cache
def _grouped() -> Mapping[tuple[Node, ...], Node]:
    """The outputs of grouped query attention, and the same interleaved by group."""
    return {
        (parse("h*dh"), parse("kv*dh"), parse("kv*dh")): parse("kv*(h/kv*dh + dh + dh)"),
    }


def _padded(slot: Slot, written: Written) -> Slot:
    """A slot of the vocabulary with rows that may be rounded up: solved from the shape, never below the config's."""
    if slot.role not in written.writing.padded or not slot.dims:
        return slot
    rows = slot.dims[0]
    stored = Word((PADDED,))
    whole = parse(f"{PADDED} % {_PADDING} == 0")
    more = Binary(">", stored, rows)
    dim = Alternatives((Guarded(stored, Binary("and", whole, more)), rows))
    return replace(slot, dims=(dim, *slot.dims[1:]))
