"""The tensors that a class of transformers has in memory, and which of them a file fills.

Sources: transformers 5.23 `core_model_loading.py` and `PreTrainedModel._finalize_model_loading`; transformers 4.57
`PreTrainedModel._load_pretrained_model` and `_find_missing_and_unexpected_keys`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from inspector.algebra.boxes import Box, count, minus, within
from inspector.algebra.names import key_of
from inspector.algebra.span import Span
from inspector.loader.dtype import BELOW_BYTE
from inspector.loader.layout import Layout
from inspector.loading.combining import one_sided, partial, splits, stacked
from inspector.loading.initialising import undrawn
from inspector.loading.integers import INTEGERS, counts, is_of_integers
from inspector.loading.renaming import Renamed, Transform, older_name, renamed
from inspector.loading.tables import NEWEST, ClassRules, numbered, transforms_of
from inspector.loading.templates import Order, joined_with, projected, sample, samples, template
from inspector.loading.ties import IndexSets, Tie, emptied, first_name, overwritten, settings_of_tie, with_ties
from inspector.matcher.families import Families, Family, Stored
from inspector.notation.binding import Block, Plan, fits
from inspector.notation.expansion import Shape
from inspector.notation.kinds import COUNTER

Numbered = frozenset[tuple[str, int]]
"""(segment, index after it) of names with a special renaming: ("proj", 0) for `proj.0`."""

Named = tuple[Renamed, int, str, tuple[Box, ...]]
"""(the renamed name, the number of the name in memory, a sample of it, the index sets in the file)."""


class NamesInMemory(Struct, frozen=True):
    """The names that a loader gives to the tensors of a file.

    name: name in the file -> names in memory. numbered: indices that affect the name.
    """

    name: Callable[[str], Renamed]
    numbered: Numbered = frozenset()

    def of_family(self, key: str, boxes: Sequence[Box]) -> Iterator[Named]:
        """The names in memory of a family, with their index sets."""
        if not self.numbered or "#" not in key:
            found = self.name(sample(key))
            yield from ((found, number, text, tuple(boxes)) for number, text in enumerate(found.names))
            return
        for box in boxes:
            for name, part in samples(key, box, self.numbered):
                found = self.name(name)
                yield from ((found, number, text, (part,)) for number, text in enumerate(found.names))


ABSENT: Final = Layout("absent", (), 0, 0)
"""The layout of a tensor that an index lists and no file contains."""


class Memory(Struct, eq=False):
    """The tensors of a model in memory.

    boxes: key -> index sets. shapes: key -> (index set, shape), for tensors of the file that are used unchanged. parts:
    (key, number of the source) -> index sets of the tensors of the file that are combined, the order of their indices,
    and their shape. same: ties of tensors whose module is the same object in both positions. buffers: keys of buffers.
    optional: keys that a file may leave out by the definition.
    """

    boxes: IndexSets = field(default_factory=dict)
    shapes: dict[str, list[tuple[Box, Shape]]] = field(default_factory=dict)
    parts: dict[tuple[str, int], list[tuple[Box, Order, Shape]]] = field(default_factory=dict)
    ties: list[Tie] = field(default_factory=list)
    same: list[Tie] = field(default_factory=list)
    buffers: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)

    def has(self, name: str) -> bool:
        """True if any tensor has the key of a sampled name."""
        return template(name)[0] in self.boxes

    def holds(self, name: str) -> bool:
        """True if a tensor with this name is in memory."""
        key, place = key_of(name)
        return bool(within(self.boxes.get(key, ()), tuple(Span.of([index]) for index in place)))


class Counted(Struct):
    """The result of filling the memory from a file: missing, unexpected and mismatched names.

    loaded: number of keys with any stored tensor. required: number of missing tensors that no file may leave out.
    partial: tensors in memory that are combined from too few tensors. integer: a weight that is stored as integers.
    unfilled: a tensor that is listed and in no file. twice: a tensor in memory that the file has under two names, or
    both whole and in parts. overwritten: a copy of a tied tensor and its original, if both are stored. emptied: a
    stored copy of a tied tensor and its original, if the original is not stored. counter: a buffer of integers that is
    stored as floats. undrawn: a missing tensor and a stored one with which transformers 4 computes to initialise it.
    below_byte: a tensor and its dtype of less than a byte. single: number of scalars that the file has with one dim.
    """

    loaded: int = 0
    missing: int = 0
    required: int = 0
    unexpected: int = 0
    mismatched: int = 0
    single: int = 0
    partial: tuple[str, ...] = ()
    first_missing: str = ""
    first_mismatched: str = ""
    integer: str = ""
    counter: str = ""
    unfilled: str = ""
    twice: str = ""
    overwritten: tuple[str, str] | None = None
    emptied: tuple[str, str] | None = None
    undrawn: tuple[str, str] | None = None
    below_byte: tuple[str, str] | None = None


_OF_TEXT_MODEL: Final = "text_config.tie_word_embeddings"


def memory_of(plan: Plan, rules: ClassRules, name: NamesInMemory) -> Memory:
    """The tensors in memory of the class of a plan. The plan is spelled as its library writes it."""
    off = rules.ties and settings_of_tie(plan.scope.settings, rules.tie_of).read(("tie_word_embeddings",))[0] is False
    made = Memory()
    places: dict[int, tuple[str, tuple[Box, ...]]] = {}
    tied: list[tuple[str, tuple[Box, ...], Block]] = []
    copies: set[str] = set()
    for block in plan.blocks:
        slot = block.slot
        if slot.extra or block.key in rules.lacks or not (slot.built or block.key in rules.stored or counts(slot)):
            continue
        for found, number, text, (axes,) in name.of_family(block.key, (block.axes,)):
            key, order = template(text)
            boxes = projected((axes,), order)
            made.boxes[key] = joined_with(made.boxes.get(key, ()), boxes)
            if not slot.tensor.counted:
                made.buffers.add(key)
            if slot.usual or (not block.required and not slot.tied and not slot.role.startswith("head.token")):
                made.optional.add(key)
            if found.converter is None:
                made.shapes.setdefault(key, []).append((boxes[0], block.shape))
            elif not number:
                made.parts.setdefault((key, found.source), []).append((axes, order, block.shape))
            known = places.get(id(slot), (key, ()))
            places[id(slot)] = (key, joined_with(known[1], boxes) if known[0] == key else boxes)
            if slot.tied:
                copies.add(key)
            if block.tie is not None and not rules.untied:
                tied.append((key, boxes, block))
    for key, boxes, block in tied:
        if id(block.tie) in places and block.tie is not None:
            original, originals = places[id(block.tie)]
            if off and not (joins_ties(plan) or _within_submodel(plan, block, key, original)):
                continue
            aligned = block.tie.holes == block.slot.holes and _aligned(boxes, originals)
            made.ties.append(Tie(key, boxes, original, originals, aligned))
    made.ties.extend(_tied(made, (*rules.always, *(() if off else rules.also))))
    made.ties.extend(one for one in _tied(made, rules.same) if off and one.key in copies & {one.original})
    made.same.extend(_tied(made, rules.same))
    return made


def _within_submodel(plan: Plan, block: Block, key: str, original: str) -> bool:
    """True if both tensors of a tie are in one module with a config of its own, which alone decides on the tie."""
    root = plan.head.root if key.startswith(plan.head.root) else ""
    module = root + key.removeprefix(root).partition(".")[0]
    same = block.tie is not None and block.slot.scope == block.tie.scope != ()
    return same and original.startswith(f"{module}.")


def joins_ties(plan: Plan) -> bool:
    """True if a tie that the outer config or the text config states is enough, whatever the other one states, or if
    only the text config decides.

    The config class of such a model takes the tie of its text model over (transformers 5.23,
    `configuration_llava.py`), as the definition of the model says for this version. In others the text model is a class
    of its own (`modeling_kosmos2_5.py`).
    """
    version, ties = plan.scope.settings.read(("transformers_version",))[0], plan.scope.definition.ties
    return (" or " in ties and str(version).startswith(NEWEST)) or ties == f"{_OF_TEXT_MODEL} | true"


def _tied(memory: Memory, pairs: Sequence[tuple[str, str]]) -> Iterator[Tie]:
    """The ties of pairs of keys or names in memory. All tensors of a key that is tied to itself are one."""
    for copy, original in pairs:
        (key, one), (original_key, other) = _boxes_of(memory, copy), _boxes_of(memory, original)
        if one and other:
            yield Tie(key, one, original_key, other, copy != original and _aligned(one, other))


def _boxes_of(memory: Memory, name: str) -> tuple[str, tuple[Box, ...]]:
    """The key of a name or a key, and its index sets in memory."""
    key, place = (name, ()) if "#" in name else key_of(name)
    boxes = memory.boxes.get(key, ())
    return key, within(boxes, tuple(Span.of([index]) for index in place)) if place else boxes


def _aligned(one: Sequence[Box], other: Sequence[Box]) -> bool:
    return len(one[0]) == len(other[0])


def newest_namer(rules: ClassRules, memory: Memory, families: Families) -> NamesInMemory:
    """The names that transformers 5 gives to the tensors of a file. The families decide which renamings apply."""
    transforms = transforms_of(rules.transforms)
    begun: set[int] = set()
    for one in transforms:
        if one.kind == "group" and any(_guards(one.matched(sample(key))) for key in families):
            begun.add(id(one))
    return NamesInMemory(
        lambda name: renamed(name, transforms, rules.prefix, memory.has, begun), numbered(rules.transforms)
    )


def memory_namer(rules: ClassRules) -> NamesInMemory:
    """The names in memory of transformers 5 for the names that the library writes."""
    transforms, own = transforms_of(rules.transforms), f"{rules.prefix}."

    def held(name: str) -> bool:  # a class without a module of this prefix has no names that begin with it
        return not (rules.within or name.startswith(own)) or template(name)[0] in rules.kept

    return NamesInMemory(lambda name: renamed(name, transforms, rules.prefix, held), numbered(rules.transforms))


def _guards(matched: tuple[str, str, re.Match[str]] | None) -> bool:
    return matched is not None and matched[2].groupdict().get("g0") is not None


def match(memory: Memory, families: Families, rules: ClassRules, name: NamesInMemory) -> Counted:
    """Fills the tensors in memory from the families of a file, by the names that a loader gives them."""
    loaded: IndexSets = {}
    combined: IndexSets = {}
    unexpected: IndexSets = {}
    stored: dict[tuple[str, int], int] = {}
    apart: dict[tuple[str, Transform], dict[int, tuple[Box, ...]]] = {}
    result = Counted()
    for family, part, (found, number, text, own) in _named(families, name):
        key, order = template(text)
        boxes = projected(own, order)
        beyond = minus(boxes, memory.boxes.get(key, ()))
        inside = minus(boxes, beyond)
        if beyond:
            unexpected[key] = joined_with(unexpected.get(key, ()), beyond)
        if not inside:
            continue
        if _overlap(loaded.get(key, ()), inside) and (found.converter is None or key not in combined):
            result.twice = result.twice or first_name(key, inside)
        loaded[key] = joined_with(loaded.get(key, ()), inside)
        if found.converter is not None:
            combined[key] = joined_with(combined.get(key, ()), inside)
            if (key, found.source) not in memory.parts:
                sides = apart.setdefault((key, found.converter), {})
                sides[found.source] = joined_with(sides.get(found.source, ()), inside)
        if part.layout is not ABSENT:
            _note_dtype(memory, key, part.layout.dtype, first_name(family.key, own), result)
        if part.layout is ABSENT:
            result.unfilled = result.unfilled or first_name(key, inside)
        elif found.converter is None:
            _compare(memory.shapes.get(key, ()), key, inside, part.layout.shape, result)
            for whole, shape in stacked(memory.parts, key) if key not in memory.shapes else ():
                _compare([(box, shape) for box in whole], key, inside, part.layout.shape, result)
        elif not number:
            place = key, found.source
            stated = [part.layout.shape]
            if key == family.key:  # a converter that keeps the name transposes matrices that are stored transposed
                stated.append((*stated[0][:-2], *reversed(stated[0][-2:])))
            fitting = any(fits(shape, one) for *_, shape in memory.parts.get(place, ()) for one in stated)
            stored[place] = stored.get(place, 0) + (count(_within_memory(memory, place, own)) if fitting else 0)
            if (
                place not in memory.parts
                and len(found.names) > 1
                and not splits(memory.shapes, found.names, inside, stated[0])
            ):
                result.mismatched += count(inside)
                result.first_mismatched = result.first_mismatched or first_name(family.key, own)
    result.partial = (*partial(memory.parts, combined, stored), *one_sided(apart))
    result.loaded = len(loaded)
    result.overwritten = overwritten(memory.ties, loaded)
    result.emptied = emptied(memory.ties, memory.same, loaded)
    _count_missing(memory, loaded, rules, result)
    result.unexpected = sum(
        count(_uncounted(key, boxes, memory))
        for key, boxes in unexpected.items()
        if not _ignored(key.removeprefix(LEFT_OUT), boxes, rules.unexpected, rules.buffers)
    )
    return result


def _note_dtype(memory: Memory, key: str, dtype: str, stored: str, result: Counted) -> None:
    """Notes a dtype that a loader may refuse or round. stored: the name of the first tensor in the file."""
    if dtype in INTEGERS and key not in memory.buffers:
        result.integer = result.integer or stored
    if dtype not in INTEGERS and is_of_integers(key, memory.buffers):
        result.counter = result.counter or stored
    if dtype in BELOW_BYTE:
        result.below_byte = result.below_byte or (stored, dtype)


def _uncounted(key: str, boxes: Sequence[Box], memory: Memory) -> Sequence[Box]:
    """The indices that are no counter of a batch norm in memory, which has one wherever it has a running mean, and no
    buffer in memory under a name that transformers 4 leaves out.
    """
    if key.startswith(LEFT_OUT) and (bare := key.removeprefix(LEFT_OUT)) in memory.buffers:
        return minus(boxes, memory.boxes.get(bare, ()))
    stem = key.removesuffix(COUNTER)
    return boxes if stem == key else minus(boxes, memory.boxes.get(f"{stem}running_mean", ()))


def _overlap(boxes: Sequence[Box], others: Sequence[Box]) -> bool:
    return any(within(boxes, other) for other in others) if boxes else False


def _named(families: Families, name: NamesInMemory) -> Iterator[tuple[Family, Stored, Named]]:
    """Each part of each family with each of its names in memory."""
    for family in families.values():
        for part in family.stored:
            yield from ((family, part, one) for one in name.of_family(family.key, part.boxes))


def _compare(
    expected: Sequence[tuple[Box, Shape]], key: str, boxes: Sequence[Box], shape: tuple[int, ...], result: Counted
) -> None:
    for box, wanted in expected:
        if not fits(wanted, shape):
            different = within(boxes, box)
            result.mismatched += count(different)
            result.single += count(different) if not wanted and shape == (1,) else 0
            if different and not result.first_mismatched:
                result.first_mismatched = first_name(key, different)


def _within_memory(memory: Memory, place: tuple[str, int], boxes: Sequence[Box]) -> list[Box]:
    """The tensors of a file that any tensor in memory is made of; layers that the model does not have are excluded.

    Each counts once, also where several families are parts of one tensor in memory (shards of an embedding).
    """
    made: tuple[Box, ...] = ()
    for axes, *_ in memory.parts.get(place, ()):
        made = joined_with(made, (axes,))
    return [part for axes in made for part in within(boxes, axes)]


def _count_missing(memory: Memory, loaded: IndexSets, rules: ClassRules, result: Counted) -> None:
    there = with_ties(memory.ties, loaded)
    for key, boxes in memory.boxes.items():
        absent = minus(boxes, there.get(key, ()))
        if absent and not _ignored(key, absent, rules.missing):
            result.missing += count(absent)
            result.required += 0 if key in memory.optional else count(absent)
            result.first_missing = result.first_missing or first_name(key, absent)
        result.undrawn = result.undrawn or undrawn(key, absent, rules.draws, loaded)


def _ignored(key: str, boxes: Sequence[Box], patterns: Sequence[str], buffers: Sequence[str] = ()) -> bool:
    if key in buffers:
        return True
    return bool(patterns) and re.search("|".join(f"({one})" for one in patterns), first_name(key, boxes)) is not None


def older_namer(rules: ClassRules, memory: Memory, families: Families) -> NamesInMemory | str:
    """The names that transformers 4.57 gives to the tensors of a file, or the reason why it refuses them.

    A tensor that it ignores gets the empty name.
    """
    prefix = rules.prefix
    inside = f"{prefix}."
    expected = rules.within and any(key.startswith(inside) for key in memory.boxes)  # a backbone may be in its place
    stored = bool(prefix) and any(key.startswith(prefix) for key in families)
    add, remove = not stored and expected, stored and not expected
    if add:
        base = {key.removeprefix(inside) for key in memory.boxes if key.startswith(inside)}
        own = {key for key in memory.boxes if not key.startswith(inside)}
        for key in families:
            new = template(older_name(sample(key), rules.mapping))[0]
            if new in own and new not in base:
                return "the state dictionary is corrupted"

    def name(text: str) -> Renamed:
        new = older_name(text, rules.mapping)
        if add:
            return Renamed((inside + new,))
        if remove and new.startswith(inside):
            return Renamed((new.removeprefix(inside),))
        return Renamed((f"{LEFT_OUT}{text}" if remove else new,))

    return NamesInMemory(name)


LEFT_OUT = "left out."
"""Prefix of a name that transformers 4 does not load and reports as unexpected; no module has it."""


def written_namer(rules: ClassRules, newest: ClassRules | None) -> NamesInMemory:
    """The names in memory of transformers 4.57 for the names of a definition."""
    if rules.newer and newest is not None:
        return memory_namer(newest)
    return NamesInMemory(lambda name: Renamed((older_name(name, rules.mapping),)))
