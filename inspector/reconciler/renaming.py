"""Finds renamings: missing and unexpected families with similar names, the same indices and the same shapes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.algebra.boxes import Box, count, less
from inspector.algebra.names import name_of
from inspector.algebra.span import Span
from inspector.budget import spend
from inspector.findings.finding import Place
from inspector.notation.expansion import Shape

if TYPE_CHECKING:
    from inspector.findings.names.renamed import TensorRenamed

RENAMED = "the missing and unexpected tensors"
STEPS_A_NAME = 10
STEPS_A_LIKENESS = 50
ALIKE = 0.5
"""Least similarity of the two names of a renaming."""
ATTENTION_PARTS = {
    **dict.fromkeys(("q", "wq", "query", "q_proj", "query_proj", "q_lin", "to_q", "linear_q", "attn_q"), "query"),
    **dict.fromkeys(("k", "wk", "key", "k_proj", "key_proj", "k_lin", "to_k", "linear_k", "attn_k"), "key"),
    **dict.fromkeys(("v", "wv", "value", "v_proj", "value_proj", "v_lin", "to_v", "linear_v", "attn_v"), "value"),
}
"""Name segments that show which of three equally shaped attention matrices a tensor is, however similar the names."""
META_PARTS = {"w1": "gate", "w2": "down", "w3": "up", "gate_proj": "gate", "down_proj": "down", "up_proj": "up"}
"""The same for an MLP with Meta's names, if it has three of them; two of them mean QWen's names."""
FEWEST_CHANGES = 3
"""From this number of changes on, the names are those of another writer."""
MOST_REPLACED = 200
"""Most families that are compared under one replacement of a word."""
MOST_COMPARED = 20_000
"""Most pairs of names that are compared letter by letter; beyond that, only names with the same last segment are."""

NORM_PARTS = {
    ".parametrizations.weight.original0": ".weight_g",
    ".parametrizations.weight.original1": ".weight_v",
}
"""Ends of the names of a matrix under torch's newer weight norm -> those under the older one. Loaders accept both."""

Open = tuple[str, tuple[Box, ...], Shape]
"""Missing or unexpected tensors: their key, their index boxes, the shape of one tensor."""
Pair = tuple[tuple[int, ...], tuple[int, ...]]
"""Positions in the missing and in the unexpected tensors that are the same tensors."""
Change = tuple[str, str, bool]
"""(removed text, inserted text, whether it is at the beginning of the name)."""


@lru_cache(maxsize=2**16)
def likeness(one: str, other: str) -> float:
    """The similarity of two names by their letters, from 0 to 1."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other).ratio()


def change_between(expected: str, stored: str) -> Change:
    """The segments in which two names differ: ("query", "q", False), ("", "module", True).

    A word that differs everywhere counts as one change: "attn.attn" and "self.self" give ("attn", "self").
    """
    one, other = expected.split("."), stored.split(".")
    words = {(a, b) for a, b in zip(one, other, strict=False) if a != b}
    if len(one) == len(other) and len(words) == 1:
        return *words.pop(), one[0] != other[0]
    first, last = _common_ends(one, other)
    return ".".join(one[first : len(one) - last]), ".".join(other[first : len(other) - last]), first == 0


def _common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Number of equal parts at the start of two names, and of equal parts at the end of the rest."""
    most = min(len(one), len(other))
    first = next((at for at in range(most) if one[at] != other[at]), most)
    return first, next((at for at in range(most - first) if one[-1 - at] != other[-1 - at]), most - first)


def common_change(old: str, new: str) -> tuple[str, str]:
    """The change of a word reduced to its differing parts: ("q_proj", "q_projection") gives ("proj", "projection").

    The whole words if one side has no part that differs.
    """
    one, other = old.split("_"), new.split("_")
    first, last = _common_ends(one, other)
    parts = "_".join(one[first : len(one) - last]), "_".join(other[first : len(other) - last])
    return parts if all(parts) else (old, new)


def is_one_replacement(missing: Collection[str], unexpected: Collection[str]) -> bool:
    """True if replacing one part of a word turns all missing keys into the unexpected ones."""
    if not missing or len(missing) != len(unexpected) or len(missing) > MOST_REPLACED:
        return False
    key = min(missing)
    for stored in unexpected:
        old, new, _ = change_between(key, stored)
        if not (old and new) or "." in old + new:
            continue
        old, new = common_change(old, new)
        word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])")
        if {word.sub(lambda _: new, missing_key) for missing_key in missing} == set(unexpected):  # noqa: B023
            return True
    return False


def renamings(gaps: Sequence[Open], unexpected: Sequence[Open]) -> list[Pair]:
    """The renamings: whole families are paired first, then parts of families, then single tensors by their names.

    Names that are missing at some indices and unexpected at others are not renamed: their indices are wrong.
    """
    if not gaps or not unexpected:
        return []
    found: list[Pair] = []
    both = {gap[0] for gap in gaps} & {extra[0] for extra in unexpected}
    left = tuple({place for place, one in enumerate(side) if one[0] not in both} for side in (gaps, unexpected))
    for naming in (_by_family, _by_part, _by_name):
        spend(STEPS_A_NAME * (len(left[0]) + len(left[1])), RENAMED)
        for pair in _paired(naming(gaps, left[0]), naming(unexpected, left[1])):
            found.append(pair)
            left[0].difference_update(pair[0])
            left[1].difference_update(pair[1])
    found.extend(_inside_lists(gaps, unexpected, left))
    found.extend(_of_renamed_modules(gaps, unexpected, found, left))
    return list(_without_replaced_modules(gaps, unexpected, found))


def _without_replaced_modules(
    gaps: Sequence[Open], unexpected: Sequence[Open], found: Sequence[Pair]
) -> Iterator[Pair]:
    """Without pairs of two modules that have little else in common: one is stored in place of the other, as in hybrids
    of attention and state spaces, where the outputs of both have the same shape.
    """
    members = [Counter(_module(one[0]) for one in side) for side in (gaps, unexpected)]
    modules = [(_module(gaps[pair[0][0]][0]), _module(unexpected[pair[1][0]][0])) for pair in found]
    paired = (Counter[tuple[str, str]](), Counter[tuple[str, str]]())
    for pair, both in zip(found, modules, strict=True):
        for side in (0, 1):
            paired[side][both] += len(pair[side])
    for pair, both in zip(found, modules, strict=True):
        few = all(2 * paired[side][both] < members[side][both[side]] for side in (0, 1))
        if both[0] == both[1] or not few:
            yield pair


def _module(key: str) -> str:
    """The module that contains the one of a tensor."""
    return key.rsplit(".", 2)[0]


def _of_renamed_modules(
    gaps: Sequence[Open], unexpected: Sequence[Open], found: Sequence[Pair], left: Sequence[set[int]]
) -> list[Pair]:
    """Pairs for the other tensors of renamed modules: if `W` has the weight of `classifier`, it has the
    bias as well.
    """
    of_module: dict[str, set[str]] = {}
    gone, called = ({at for pair in found for at in pair[side]} for side in (0, 1))
    for missing, extra in found:
        old, new = gaps[missing[0]][0].rpartition("."), unexpected[extra[0]][0].rpartition(".")
        if old[2] == new[2]:
            of_module.setdefault(old[0], set()).add(new[0])
    others = {unexpected[at]: at for at in left[1] - called}
    pairs: list[Pair] = []
    for at in sorted(left[0] - gone):
        key, boxes, shape = gaps[at]
        module, _, last = key.rpartition(".")
        for stored in of_module.get(module, ()):
            other = others.pop((f"{stored}.{last}", boxes, shape), None)
            if other is not None:
                pairs.append(((at,), (other,)))
                break
    return pairs


def _plain(key: str) -> str:
    """A name with the parts of weight norm named as before torch 2.0."""
    return next((key.removesuffix(new) + old for new, old in NORM_PARTS.items() if key.endswith(new)), key)


def as_stored(expected: str, stored: str) -> str:
    """An expected name, with the part of weight norm named as in the stored name, which loaders read as well."""
    plain = _plain(expected)
    return plain if plain.rpartition(".")[2] == stored.rpartition(".")[2] else expected


def of_like_modules(gaps: Sequence[Open], unexpected: Sequence[Open], found: Sequence[Pair]) -> Iterator[Pair]:
    """Further pairs of modules without similar names: exactly one missing and one stored module are alike.

    The modules are outside the layers or the only ones of a list, and their tensors have the same last names and
    shapes, including a matrix, that no other module of either side has: `pre_classifier` stored as `hidden`. A single
    vector is no evidence, nor is a name of another part.
    """
    both = {gap[0] for gap in gaps} & {extra[0] for extra in unexpected}
    sides: list[dict[frozenset[tuple[str, Shape]], list[dict[str, int]]]] = []
    for side, opens in enumerate((gaps, unexpected)):
        taken = {at for pair in found for at in pair[side]}
        modules: dict[str, dict[str, int]] = {}
        for at, (key, _, _) in enumerate(opens):
            module, _, last = _plain(key).rpartition(".")
            modules.setdefault(module, {})[last] = at
        by_form: dict[frozenset[tuple[str, Shape]], list[dict[str, int]]] = {}
        for module, members in modules.items():
            if taken.isdisjoint(members.values()) and module and not both.intersection(_keys(opens, members)):
                by_form.setdefault(frozenset((last, opens[at][2]) for last, at in members.items()), []).append(members)
        sides.append(by_form)
    for form, missing in sides[0].items():
        stored = sides[1].get(form, [])
        if len(missing) != 1 or len(stored) != 1 or not any(len(shape) > 1 for _, shape in form):
            continue
        places = [*missing[0].values()], [*stored[0].values()]
        single = all(count(side[at][1]) == 1 for side, of in zip((gaps, unexpected), places, strict=True) for at in of)
        keys = [*_keys(gaps, missing[0]), *_keys(unexpected, stored[0])]
        if single and not any(attention_part(key) for key in keys):
            yield from (((missing[0][last],), (stored[0][last],)) for last in sorted(missing[0]))


def _keys(opens: Sequence[Open], members: Mapping[str, int]) -> list[str]:
    return [opens[at][0] for at in members.values()]


def _inside_lists(gaps: Sequence[Open], unexpected: Sequence[Open], left: Sequence[set[int]]) -> Iterator[Pair]:
    """Single tensors with an additional index, as for a module in a list or a Sequential: `lm_head.0.weight`.

    Only if no other missing or unexpected tensor has the same name apart from indices.
    """
    by_words: dict[str, tuple[list[int], list[int]]] = {}
    for side, opens in enumerate((gaps, unexpected)):
        for place in left[side]:
            words = ".".join(part for part in opens[place][0].split(".") if part != "#" and not part.isdigit())
            by_words.setdefault(words, ([], []))[side].append(place)
    for missing, extra in by_words.values():
        if len(missing) != 1 or len(extra) != 1:
            continue
        (key, boxes, shape), (stored, others, other_shape) = gaps[missing[0]], unexpected[extra[0]]
        single = count(boxes) == 1 and count(others) == 1
        if single and shape == other_shape and len(stored.split(".")) == len(key.split(".")) + 1:
            yield (missing[0],), (extra[0],)


_Named = tuple[str, tuple[tuple[tuple[Box, ...], Shape], ...], tuple[int, ...]]
"""A name, its index boxes with their shapes, and its positions in the input."""


def _by_family(opens: Sequence[Open], left: set[int]) -> Iterator[_Named]:
    families: dict[str, list[int]] = {}
    for place in sorted(left):
        families.setdefault(opens[place][0], []).append(place)
    for key, places in families.items():
        yield key, tuple(opens[place][1:] for place in places), tuple(places)


def _by_part(opens: Sequence[Open], left: set[int]) -> Iterator[_Named]:
    for place in sorted(left):
        key, boxes, shape = opens[place]
        yield key, ((boxes, shape),), (place,)


def _by_name(opens: Sequence[Open], left: set[int]) -> Iterator[_Named]:
    """Single tensors by their full names: an index in one name may be part of a word in the other."""
    for place in sorted(left):
        key, boxes, shape = opens[place]
        if count(boxes) == 1:
            name = _plain(name_of(key, tuple(span.first for span in boxes[0])))
            numbers = tuple(Span.of([int(digits)]) for digits in re.findall("[0-9]{1,6}", name))
            yield name, (((numbers,), shape),), (place,)


def _paired(gaps: Iterator[_Named], unexpected: Iterator[_Named]) -> Iterator[Pair]:
    """Pairs by similarity, the most similar first; each name is used once."""
    by_sizes: dict[object, list[_Named]] = {}
    for extra in unexpected:
        by_sizes.setdefault(_sizes(extra), []).append(extra)
    missing = [(gap, same) for gap in gaps if (same := by_sizes.get(_sizes(gap)))]
    of_meta = any("w3" in extra[0].split(".") for same in by_sizes.values() for extra in same)
    many = sum(len(same) for _, same in missing) > MOST_COMPARED
    alike: list[tuple[float, int, int, _Named, _Named]] = []
    for number, (gap, same) in enumerate(missing):
        for other, extra in enumerate(same):
            likeness = _alike(gap[0], extra[0], many, META_PARTS if of_meta else {})
            if likeness >= ALIKE and _same_places(gap, extra):
                alike.append((-likeness, number, other, gap, extra))
    gone: set[tuple[int, ...]] = set()
    called: set[tuple[int, ...]] = set()
    for *_, gap, extra in sorted(alike, key=lambda pair: pair[:3]):
        if gap[2] not in gone and extra[2] not in called:
            gone.add(gap[2])
            called.add(extra[2])
            yield gap[2], extra[2]


def _alike(expected: str, stored: str, many: bool, others: Mapping[str, str]) -> float:
    if expected.endswith(f".{stored}") or stored.endswith(f".{expected}"):
        return 1.0  # a prefix was added or removed
    parts = [attention_part(name) or _part(name, others) for name in (expected, stored)]
    if None not in parts and parts[0] != parts[1]:
        return 0.0
    if many and expected.rpartition(".")[2] != stored.rpartition(".")[2]:
        return 0.0
    spend(STEPS_A_LIKENESS, RENAMED)
    alike = likeness(expected, stored)
    return alike if parts[0] is None or parts[0] != parts[1] else (1 + alike) / 2


def attention_part(name: str) -> str | None:
    """query, key or value, by the last segment that shows it; None if no segment does."""
    return next((part for word in reversed(name.split(".")) if (part := ATTENTION_PARTS.get(word))), None)


def _part(name: str, parts: Mapping[str, str]) -> str | None:
    return next((part for word in reversed(name.split(".")) if (part := parts.get(word))), None)


def _sizes(named: _Named) -> frozenset[tuple[Shape, int]]:
    sizes: Counter[Shape] = Counter()
    for boxes, shape in named[1]:
        sizes[shape] += count(boxes)
    return frozenset(sizes.items())


def _same_places(gap: _Named, extra: _Named) -> bool:
    """True if the same indices have the same shapes on both sides. Their numbers are already known to be equal."""
    if gap[1] == extra[1]:
        return True
    for boxes, shape in gap[1]:
        left = boxes
        for other in _boxes(extra, lambda one, shape=shape: one == shape):  # type: ignore[misc]
            if left and len(other) != len(left[0]):
                return False
            left = less(left, other)
        if left:
            return False
    return True


def _boxes(named: _Named, wanted: Callable[[Shape], bool]) -> Iterator[Box]:
    for boxes, shape in named[1]:
        if wanted(shape):
            yield from boxes


def of_one_writer(renamed: Sequence[TensorRenamed]) -> Sequence[TensorRenamed]:
    """The findings, joined into one if they are many."""
    if len(renamed) < FEWEST_CHANGES:
        return renamed
    most, pairs = max(renamed, key=lambda one: one.tensors), [one.renames for one in renamed]
    whole = replace(
        most, place=Place(), tensors=sum(one.tensors for one in renamed), begins=False,
        families=tuple(dict.fromkeys(name for one in renamed for name in one.families)),
        renames=tuple(pair for some in pairs for pair in some) if all(pairs) else (),
        changes=tuple(dict.fromkeys(one.change() for one in renamed)),
    )  # fmt: skip
    return [whole]


def of_one_module(renamed: Sequence[TensorRenamed]) -> Iterator[TensorRenamed]:
    """The findings, joined if they change the name of one module, or the same part of a word."""
    modules: dict[tuple[str, str], list[TensorRenamed]] = {}
    for one in renamed:
        old, new = one.old.rpartition(".")[0], one.new.rpartition(".")[0]
        if one.old and one.new and "." not in one.old + one.new:
            old, new = common_change(one.old, one.new)
        modules.setdefault((old, new) if old and new else (one.expected, one.stored), []).append(one)
    for (old, new), members in modules.items():
        if len(members) == 1:
            yield members[0]
            continue
        yield replace(
            members[0], place=Place(), old=old, new=new,
            tensors=sum(one.tensors for one in members),
            families=tuple(dict.fromkeys(name for one in members for name in one.families)),
            renames=tuple(pair for one in members for pair in one.renames),
        )  # fmt: skip
