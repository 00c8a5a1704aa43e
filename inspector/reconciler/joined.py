"""Recognises projections that are stored as one matrix although the definition has several, and the reverse."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from inspector.algebra.boxes import Box
from inspector.findings.finding import Place
from inspector.findings.names.joined import ExpertsApart, JointProjection, ProjectionsJoined
from inspector.findings.words import shape
from inspector.reconciler.place import Gap, Placement, Unexpected
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renaming import attention_part, is_one_replacement
from inspector.reconciler.wording import family_name

TOGETHER = (("query", "key", "value"), ("key", "value"), ("gate", "up"), ("query.down", "kv.down"))
"""Last words of the roles of projections with the same input, which programs join along their outputs."""
JOINT = {"qkv": 3, "kv": 2, "gate_up": 2}
"""Last word of the role of a joint projection -> its number of parts."""
KEY_AND_VALUE = re.compile(r"kv|key_?value|k_v", re.IGNORECASE)
"""In the name of a joint matrix of keys and values alone; another matrix of their size has other outputs."""
BARE_BIASES = ("q_bias", "k_bias", "v_bias")
"""Biases next to a joint projection without one, in DeBERTa, BEiT and EVA (`in_proj` or `qkv`, and `q_bias`)."""
MLP_PARTS = frozenset(("gate", "gate_proj", "up", "up_proj", "w1", "w3"))


class _Match(Struct, frozen=True):
    """A joint matrix and its parts, each on one side of the comparison."""

    gaps: tuple[Gap, ...]
    extras: tuple[Unexpected, ...]


def projections_joined(case: Reconciled) -> tuple[ProjectionsJoined, Placement] | None:
    """The finding, and the differences that it does not explain; None if no matrix is the sum of others."""
    placement = case.as_configured
    if not placement.missing or not placement.unexpected:
        return None
    if is_one_replacement({one.block.key for one in placement.missing}, {one.key for one in placement.unexpected}):
        return None  # equal sizes are a coincidence: all are renamed alike
    joined, separate = list(_stored_joined(placement)), list(_stored_apart(placement))
    found = joined or separate or list(_experts_apart(placement))
    if not found:
        return None
    kind = ProjectionsJoined if joined or separate else ExpertsApart
    roles: dict[str, int] = {}
    for gap in (gap for match in found for gap in match.gaps):
        role = gap.block.slot.role
        roles[role] = roles.get(role, 0) + gap.tensors * (gap.block.elements or 0)
    gaps = {id(gap) for match in found for gap in match.gaps}
    extras = {id(extra) for match in found for extra in match.extras}
    finding = kind(
        place=Place(family=family_name(found[0].extras[0].key)),
        joined=bool(joined),
        joints=tuple(_joint(match, bool(joined)) for match in found),
        tensors=sum(extra.tensors for match in found for extra in match.extras),
        parameters=sum(roles.values()),
        roles=roles,
    )
    missing = tuple(gap for gap in placement.missing if id(gap) not in gaps)
    unexpected = tuple(extra for extra in placement.unexpected if id(extra) not in extras)
    return finding, Placement(placement.placed, missing, unexpected)


def _joint(match: _Match, joined: bool) -> JointProjection:
    expected = tuple(f"{family_name(gap.block.key)} {shape(gap.block.shape)}" for gap in match.gaps)
    stored = tuple(f"{family_name(extra.key)} {shape(extra.layout.shape)}" for extra in match.extras)
    if joined:
        return JointProjection(whole=", ".join(stored), parts=expected)
    return JointProjection(whole=expected[0], parts=stored)


_Place = tuple[str, tuple[Box, ...], int]
"""Segments up to the last number, index sets and number of dims of a projection."""
_Areas = dict[_Place, dict[tuple[str, str], dict[str, Gap]]]
"""Missing projections by place, by module and area of the role, and by the last word or words of the role."""


def _stored_joined(placement: Placement) -> Iterator[_Match]:
    """Unexpected matrices that are together as large as several missing ones, each with its bias."""
    areas: _Areas = {}
    for gap in placement.missing:
        place = (_layer(gap.block.key), gap.boxes, len(gap.block.shape))
        words = gap.block.slot.role.split(".")
        for kept in (1, 2):
            area, part = ".".join(words[:-kept]), ".".join(words[-kept:])
            areas.setdefault(place, {}).setdefault((_module(gap.block.key), area), {}).setdefault(part, gap)
    biases = {(gap.block.key, gap.boxes): gap for gap in placement.missing}
    vectors = {(extra.key, extra.boxes): extra for extra in placement.unexpected if len(extra.layout.shape) == 1}
    taken: set[int] = set()
    for extra in placement.unexpected:
        gaps = () if len(extra.layout.shape) == 1 else _parts_of(extra, areas, taken)
        if not gaps:
            continue
        yield _Match(gaps, (extra,))
        taken.update(map(id, gaps))
        known = [biases.get((_bias_of(gap.block.key), gap.boxes)) for gap in gaps]
        own = tuple(bias for bias in known if bias is not None)
        bias = vectors.get((_bias_of(extra.key), extra.boxes))
        outputs = {sum(one.block.shape[0] or 0 for one in own), *extra.layout.shape}
        # the bias of a part without a bias may be zeros
        if bias is not None and own and bias.layout.shape[0] in outputs:
            yield _Match(own, (bias,))
        elif bias is None and own and (bare := tuple(_bare_biases(extra, own, vectors))):
            yield _Match(own, bare)


def _bare_biases(
    extra: Unexpected, own: Sequence[Gap], vectors: dict[tuple[str, tuple[Box, ...]], Unexpected]
) -> Iterator[Unexpected]:
    """The biases of the parts of a joint matrix without bias, stored next to it; that of the keys is usually absent."""
    shapes = {gap.block.shape for gap in own}
    for name in BARE_BIASES:
        vector = vectors.get((f"{_module(extra.key)}.{name}", extra.boxes))
        if vector is not None and vector.layout.shape in shapes:
            yield vector


def _parts_of(extra: Unexpected, areas: _Areas, taken: Collection[int]) -> tuple[Gap, ...]:
    """The missing matrices that a joint matrix consists of, preferably in the same module."""
    found: list[tuple[Gap, ...]] = []
    for area in areas.get((_layer(extra.key), extra.boxes, len(extra.layout.shape)), {}).values():
        for parts in TOGETHER:
            if parts == TOGETHER[1] and KEY_AND_VALUE.search(extra.key) is None:
                continue
            gaps = tuple(area[part] for part in parts if part in area and id(area[part]) not in taken)
            if len(gaps) == len(parts) and _is_sum(extra.layout.shape, [gap.block.shape for gap in gaps]):
                found.append(gaps)
    return min(found, key=lambda gaps: _module(gaps[0].block.key) != _module(extra.key), default=())


def _bias_of(key: str) -> str:
    return f"{key.removesuffix('.weight')}.bias"


def _module(key: str) -> str:
    """The module that contains the projection of a tensor."""
    return key.rsplit(".", 2)[0]


def _stored_apart(placement: Placement) -> Iterator[_Match]:
    """Missing matrices that are as large as several unexpected matrices together."""
    for gap in placement.missing:
        wanted = tuple(dim for dim in gap.block.shape if dim is not None)
        if len(wanted) == len(gap.block.shape) and (parts := _parts_apart(gap, wanted, placement.unexpected)):
            yield _Match((gap,), parts)


def _parts_apart(gap: Gap, wanted: Sequence[int], unexpected: Sequence[Unexpected]) -> tuple[Unexpected, ...]:
    """The unexpected matrices that a missing one consists of; two or more in its module if its parts have no names."""
    slot = gap.block.slot
    named = JOINT.get(slot.role.removesuffix(".bias").rpartition(".")[2])
    alike = [
        extra
        for extra in unexpected
        if extra.boxes == gap.boxes
        and _layer(extra.key) == _layer(gap.block.key)
        and (_is_part(extra.key, named) if named else _module(extra.key) == _module(gap.block.key))
    ]
    for number in (named,) if named else range(2, len(slot.kind.packs) + 1):
        for parts in combinations(alike, number) if len(alike) <= 2 * number else ():
            if _is_sum(wanted, [part.layout.shape for part in parts]):
                return parts
    return ()


def _experts_apart(placement: Placement) -> Iterator[_Match]:
    """Missing matrices of all experts of a layer, if each expert is stored separately, whole or in two parts.

    Their biases are included. The matrix of all experts may be transposed.
    """
    taken: set[int] = set()
    for gap in sorted(placement.missing, key=lambda one: -len(one.block.shape)):
        wanted = tuple(dim for dim in gap.block.shape if dim is not None)
        if len(wanted) != len(gap.block.shape) or not (len(wanted) == 3 or (len(wanted) == 2 and taken)):
            continue
        each = [
            extra
            for extra in placement.unexpected
            if id(extra) not in taken
            and _layer(gap.block.key) == _layer(_layer(extra.key)[:-1])
            and _is_for_each(extra, gap, wanted[0])
        ]
        number = JOINT.get(gap.block.slot.role.removesuffix(".bias").rpartition(".")[2], 1)
        parts = _parts_for_each(each, wanted[1:], number) if len(each) <= 2 * len(JOINT) else ()
        if parts:
            taken.update(map(id, parts))
            yield _Match((gap,), parts)


def _parts_for_each(each: Sequence[Unexpected], wanted: Sequence[int], number: int) -> tuple[Unexpected, ...]:
    """The tensors of an expert that are together as large as its part of a tensor of all experts."""
    for turned in (False, True):
        for parts in combinations(each, number):
            shapes = [part.layout.shape[::-1] if turned else part.layout.shape for part in parts]
            if _is_sum(wanted, shapes) and _are_halves(parts):
                return parts
    return ()


def _is_for_each(extra: Unexpected, gap: Gap, experts: int) -> bool:
    """True if a tensor exists for each expert of each layer of a missing tensor."""
    if any(len(box) != len(whole) + 1 or box[:-1] != whole for box in extra.boxes for whole in gap.boxes):
        return False
    return {box[-1].size for box in extra.boxes} == {experts} and len(extra.boxes) == len(gap.boxes) == 1


def _are_halves(parts: Sequence[Unexpected]) -> bool:
    return len(parts) == 1 or all(not MLP_PARTS.isdisjoint(part.key.split(".")) for part in parts)


def _is_part(key: str, number: int) -> bool:
    return attention_part(key) is not None or (number == 2 and not MLP_PARTS.isdisjoint(key.split(".")))


def _layer(key: str) -> str:
    """The segments of a key up to the last number."""
    return key.rpartition("#")[0]


def _is_sum(whole: Sequence[int], parts: Sequence[Sequence[int | None]]) -> bool:
    """True if matrices together are as large as another one along one axis; for stacked experts also
    the middle axis.
    """
    if any(len(part) != len(whole) or None in part for part in parts):
        return False
    for axis in range(len(whole) if len(whole) < 4 else 1):
        same = all(part[:axis] == whole[:axis] and part[axis + 1 :] == whole[axis + 1 :] for part in parts)
        if same and sum(part[axis] or 0 for part in parts) == whole[axis]:
            return True
    return False
