"""Gives the tensors of an architecture definition the names and layouts of a dialect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from inspector.algebra.expression import Binary, Node, parse, show
from inspector.dialects.forms import FORMS, all_in_one, terms_of_sum
from inspector.dialects.language import JOINED, PARTNERS, Dialect, Names
from inspector.notation.kinds import Kind, Tensor
from inspector.notation.slots import HOLE, Slot
from inspector.notation.spelling import respelled as respelled_name


def respelled(slots: Sequence[Slot], dialect: Dialect, prefix: str, known: bool) -> tuple[Slot, ...]:
    """The slots of a definition as a dialect names and stores them. Slots without a name in the dialect are left out.

    prefix: before every name. known: a config decides between rows of one name and gives the vocabulary.
    """
    own = [slot for slot in slots if not slot.scope and (not slot.extra or slot.extra in dialect.extras)]
    parts = [piece for slot in own for piece in _as_stored(slot, dialect)]
    for role in _joins(dialect):
        parts = list(_joined(parts, role, dialect))
    made: list[Slot] = []
    seen: set[tuple[object, ...]] = set()
    for slot in _named(parts, dialect, known):
        same = (
            slot.path,
            slot.choices,
            slot.holes if slot.extra else (),
            slot.whens if known or dialect.replaces else (),
        )
        if same not in seen:
            seen.add(same)
            made.append(replace(slot, path=prefix + slot.path, row=prefix + slot.row))
    return tuple(made)


def covers(slots: Sequence[Slot], dialect: Dialect) -> bool:
    """True if the dialect names everything that a definition requires, whatever its switches."""
    keys = {_key(piece) for slot in slots for piece in _as_stored(slot, dialect)}
    chosen: dict[int, bool] = {}
    for slot in slots:
        if slot.extra or slot.optional or slot.tied or slot.group or not slot.tensor.counted:
            continue
        if _may_lack(slot, dialect):
            continue
        known = not slot.scope and _has_name(slot, dialect, keys)
        if slot.choices:
            number = slot.choices[0][0]
            chosen[number] = chosen.get(number, False) or known
        elif not known and not slot.whens:
            return False
    return all(chosen.values())


def _has_name(slot: Slot, dialect: Dialect, keys: Collection[str]) -> bool:
    parts = {part for role in _joins(dialect) for part in _parts(role)}
    return all(_key(piece) in parts or _find(piece, dialect, keys) is not None for piece in _as_stored(slot, dialect))


def _key(slot: Slot) -> str:
    """The key of a slot in a dialect: its tower, its role, and a mark for experts."""
    stacked = slot.flow is not None and len(slot.kind.tensors[0].dims) == 3
    mark = "[]" if stacked else "{}" if len(slot.holes) > 1 else ""
    return f"{slot.tower}/{slot.role}{mark}" if slot.tower else f"{slot.role}{mark}"


def _role(key: str) -> tuple[str, str, str]:
    """(tower with its slash, role, mark) of a key."""
    tower, slash, rest = key.rpartition("/")
    role = rest.rstrip("[]{}")
    return tower + slash, role, rest[len(role) :]


def _parts(key: str) -> list[str]:
    """The keys of the modules that a joint role replaces."""
    tower, role, mark = _role(key)
    return [f"{tower}{part}{mark}" for part in JOINED.get(role, ())]


@cache
def _joins(dialect: Dialect) -> tuple[str, ...]:
    """The keys of joint roles that the dialect names without naming any of their parts."""
    return tuple(key for key in dialect.names if (parts := _parts(key)) and dialect.names.keys().isdisjoint(parts))


def _find(slot: Slot, dialect: Dialect, keys: Collection[str]) -> Names | None:
    """The entry for a slot. keys: the keys of all slots, which show whether its partner is present."""
    names = dialect.names
    by_path = names.get(f"@{HOLE.sub('{}', slot.row)}")
    if by_path is not None:
        return by_path
    by_role = _find_by_role(slot, dialect, keys)
    return f"{respelled_name(slot.path, dialect.replaces)}=" if by_role is None and dialect.replaces else by_role


def _find_by_role(slot: Slot, dialect: Dialect, keys: Collection[str]) -> Names | None:
    """The entry for the role of a slot."""
    names, key = dialect.names, _key(slot)
    partner = PARTNERS.get(key)
    if partner is not None and partner not in keys and f"{key}.alone" in names:
        key = f"{key}.alone"
    if slot.extra:
        return names.get(f"{slot.extra}:{key}", names.get(key))
    bare = names.get(f"{key}=") if not slot.tensor.suffix else None
    return names.get(key) if bare is None else bare


# Which modules form one tensor: joint matrices, split matrices, stacked experts.


def _as_stored(slot: Slot, dialect: Dialect) -> list[Slot]:
    """The tensors that the dialect has for a slot: the slot itself, its parts, or all experts in one."""
    slot = _stacked(slot, dialect)
    if _key(slot) in dialect.names:
        return [slot]
    parts = _apart(slot)
    whole = dialect.replaces and not any(_key(part) in dialect.names for part in parts)
    return [slot] if whole or not parts else parts


def _stacked(slot: Slot, dialect: Dialect) -> Slot:
    """One of many experts as the stack of all, if the dialect names only the stack."""
    key = _key(slot)
    if not key.endswith("{}") or key in dialect.names:
        return slot
    stack = _stack(slot)
    return slot if stack is None or _key(stack) not in dialect.names else stack


def _stack(slot: Slot) -> Slot | None:
    """One of many experts as all experts in one tensor; None for any other slot."""
    return all_in_one(slot) if len(slot.holes) > 1 and slot.flow is not None else None


def _apart(slot: Slot) -> list[Slot]:
    """The modules of a joint matrix as one slot each; empty if it contains only one module."""
    roles = JOINED.get(slot.role, {})
    terms = terms_of_sum(slot.flow[1]) if slot.flow is not None else []
    if not roles or len(terms) != len(roles) or slot.flow is None:
        return []
    axis = slot.dims.index(slot.flow[1])
    source, kind = slot.flow[0], replace(slot.kind, packs=())
    dims = [(*slot.dims[:axis], term, *slot.dims[axis + 1 :]) for term in terms]
    return [
        replace(slot, role=role, kind=kind, flow=(source, term), dims=own)
        for role, term, own in zip(roles, terms, dims, strict=True)
    ]


def _joined(slots: Sequence[Slot], key: str, dialect: Dialect) -> Iterator[Slot]:
    """The slots with the parts of one matrix joined at the position of the first part. Incomplete
    groups stay separate.
    """
    parts = _parts(key)
    groups: dict[tuple[object, ...], dict[str, Slot]] = {}
    for slot in slots:
        if _key(slot) in parts:
            groups.setdefault(_alike(slot), {}).setdefault(_key(slot), slot)
    for slot in slots:
        group = groups.get(_alike(slot), {}) if _key(slot) in parts else {}
        if len(group) < len(parts):
            yield slot
        elif slot is group[parts[0]]:
            yield _sum(_role(key)[1], [group[part] for part in parts], dialect)


def _alike(slot: Slot) -> tuple[object, ...]:
    return slot.tensor.suffix, slot.holes, slot.choices


def _sum(role: str, slots: Sequence[Slot], dialect: Dialect) -> Slot:
    """One joint matrix for several: the outputs add up, the input is the same."""
    first = slots[0]
    outputs = [slot.flow[1] if slot.flow is not None else slot.dims[0] for slot in slots]
    total = _interleaved().get(tuple(outputs)) if role in dialect.interleaved else None
    if total is None:
        total = outputs[0]
        for node in outputs[1:]:
            total = Binary("+", total, node)
    source = first.flow[0] if first.flow is not None else first.dims[-1]
    tensors = (Tensor(".weight", (show(total), show(source))), Tensor(".bias", (show(total),)))
    packs = tuple(JOINED[role].values())
    kind = Kind("linear", f"{show(source)} -> {show(total)}", tensors, packs, (show(source), show(total)))
    tensor = next(one for one in tensors if one.suffix == first.tensor.suffix)
    dims = (total,) if tensor.suffix == ".bias" else (total, source)
    return replace(first, role=role, kind=kind, tensor=tensor, dims=dims, flow=(source, total))


@cache
def _interleaved() -> Mapping[tuple[Node, ...], Node]:
    """The outputs of grouped query attention -> the same outputs, interleaved by group."""
    return {(parse("h*dh"), parse("kv*dh"), parse("kv*dh")): parse("kv*(h/kv*dh + dh + dh)")}


# Names.


def _named(slots: Sequence[Slot], dialect: Dialect, known: bool) -> Iterator[Slot]:
    """The named slots under their names; one for each alternative, between which the stored names decide."""
    keys = {_key(slot) for slot in slots}
    routed = {slot.holes[0] for slot in slots if slot.role == "router" and slot.holes}
    dense = {slot.holes[0] for slot in slots if _key(slot) == "mlp.down" and slot.holes}
    numbers: dict[Names, int] = {}
    wholes = _wholes(slots, dialect)
    sides = _sides((slot, _find(slot, dialect, keys) is not None) for slot in slots)
    for slot in slots:
        found = _find(slot, dialect, keys)
        if found is None or any(sides.get(number, side) != side for number, side in slot.choices):
            continue
        open_choices = tuple((-number, side) for number, side in slot.choices if number not in sides)
        free = slot.group is not None and not slot.usual
        optional = slot.optional or free or bool(slot.extra) or _may_lack(slot, dialect)
        own = replace(slot, choices=open_choices, group=None, optional=optional)
        for_routed = dialect.names.get(f"{slot.role}.routed") if slot.holes and routed else None
        if for_routed is not None:
            alike = own.holes[0] in routed
            for hole in [own.holes[0]] if alike else sorted(routed):
                yield from _under(_within(own, hole), for_routed, known)
            if alike or not dense:
                continue
            own = _within(own, min(dense))
        whole = wholes.get((_key(slot), *_alike(slot)))
        if whole is not None:
            number = numbers.setdefault(dialect.names[whole[0]], len(numbers) + 1)
            apart, joint = ((*open_choices, (number, side)) for side in (0, 1))
            own = replace(own, choices=apart)
            if whole[1] is not None:
                joined = replace(whole[1], choices=joint, group=None, optional=optional)
                yield from _under(joined, dialect.names[whole[0]], known)
        ways = [list(_under(own, name, known)) for name in (found if isinstance(found, tuple) else (found,))]
        ways.extend(_otherwise(own, dialect, known))
        if len(ways) == 1:
            yield from ways[0]
            continue
        number = numbers.setdefault(found, len(numbers) + 1)  # a weight and its bias are stored in the same way
        for side, way in enumerate(ways):
            yield from (replace(one, choices=(*own.choices, (number, side))) for one in way)


def _may_lack(slot: Slot, dialect: Dialect) -> bool:
    """True if the writer may leave out a tensor, by its role or its path."""
    return slot.role in dialect.omits or f"@{slot.row}" in dialect.omits


_Whole = tuple[str, Slot | None]
"""The key of a joint role, and for the first of its parts the joint matrix."""


def _wholes(slots: Sequence[Slot], dialect: Dialect) -> dict[tuple[object, ...], _Whole]:
    """Modules that the dialect may also store as one matrix, by key and position."""
    found: dict[tuple[object, ...], _Whole] = {}
    for key in dialect.either:
        parts = _parts(key)
        groups: dict[tuple[object, ...], dict[str, Slot]] = {}
        for slot in slots:
            if _key(slot) in parts:
                groups.setdefault(_alike(slot), {}).setdefault(_key(slot), slot)
        for place, group in groups.items():
            if len(group) == len(parts):
                whole = _sum(_role(key)[1], [group[part] for part in parts], dialect)
                found.update({(part, *place): (key, whole if part == parts[0] else None) for part in parts})
    return found


def _sides(slots: Iterable[tuple[Slot, bool]]) -> dict[int, int]:
    """For each `either` of a definition, the side of which the dialect names more roles; if equal, the first.

    Left out if it names every role of both sides: the stored names then decide.
    """
    roles: dict[tuple[int, int], list[set[str]]] = {}
    for slot, known in slots:
        for choice in slot.choices:
            roles.setdefault(choice, [set(), set()])[known].add(slot.role)
    none: list[set[str]] = [set(), set()]
    found: dict[int, int] = {}
    for number in {number for number, _ in roles}:
        (unnamed, first), (also_unnamed, second) = (roles.get((number, side), none) for side in (0, 1))
        if unnamed or also_unnamed or not (first and second):
            found[number] = int(len(second) > len(first))
    return found


def _otherwise(slot: Slot, dialect: Dialect, known: bool) -> Iterator[list[Slot]]:
    """The other ways in which the dialect may store a named slot: its parts separately, its experts stacked."""
    pieces = [(piece, dialect.names.get(_key(piece))) for piece in _apart(slot)]
    if pieces and all(name is not None for _, name in pieces):
        yield [one for piece, name in pieces if name is not None for one in _under(piece, name, known)]
    stack = _stack(slot) if _key(slot).endswith("{}") else None
    name = None if stack is None else dialect.names.get(_key(stack))
    if stack is not None and name is not None:
        yield list(_under(stack, name, known))


def _within(slot: Slot, hole: str) -> Slot:
    """A slot of all layers, restricted to the layers of another hole."""
    own = slot.holes[0]
    path, row = (text.replace("{" + own + "}", "{" + hole + "}") for text in (slot.path, slot.row))
    return replace(slot, path=path, row=row, holes=(hole, *slot.holes[1:]))


def _under(slot: Slot, name: Names, known: bool) -> Iterator[Slot]:
    """A slot under a name, in the layout that belongs to the name."""
    if isinstance(name, tuple):
        for alternative in name:
            yield from _under(slot, alternative, known)
        return
    path, forms = (name, ()) if isinstance(name, str) else (name.path, name.forms)
    for form in forms:
        if known or form != "padded":
            slot = FORMS[form](slot)
    yield _renamed(slot, path)


def _renamed(slot: Slot, path: str) -> Slot:
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
    if kind.name == "linear_io":  # only transformers and its derivatives store [in, out]
        kind = replace(kind, name="linear")
        dims = dims if what == "bias" or len(dims) < 2 else (*dims[:-2], dims[-1], dims[-2])
    holes = tuple(HOLE.findall(full))
    own = slot.own_row or slot.row
    return replace(
        slot, path=full, row=row, own_row=own, kind=kind, dims=dims, holes=holes, body=False, inner_path=full
    )


# Layouts.
