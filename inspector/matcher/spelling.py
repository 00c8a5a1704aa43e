"""Finds how the names of a checkpoint are spelled: the prefix of the head, the dialect, an unexpected prefix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import product

from msgspec import Struct

from inspector.algebra.expression import parse, words
from inspector.notation.definition import Head
from inspector.notation.holes import bases
from inspector.notation.parts import submodels_of
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, Slot, Unrolled, scope_of, unroll
from inspector.notation.spelling import Spelling, template


class Match(Struct, frozen=True):
    """The best match of the names: the head that they support and their spelling.

    covered: stored keys that the definition knows; missing: required keys of that head that are not stored;
    unused: all keys of that head that are not stored.
    """

    head: Head
    spelling: Spelling
    covered: int
    missing: int
    unused: int


def best_match(scope: Scope, keys: Collection[str], claimed: Head | None) -> Match:
    """The head and spelling that cover the most keys; if several do, the claimed head, then the fewest missing keys."""
    return max(_candidates(scope, *_observed(scope, keys)), key=lambda match: _preference(match, claimed))


def equal_matches(scope: Scope, keys: Collection[str], match: Match) -> Iterator[Match]:
    """The other heads that cover as many keys in the same spelling and have as many missing."""
    for other in _candidates(scope, *_observed(scope, keys)):
        same = (other.covered, other.missing, other.spelling) == (match.covered, match.missing, match.spelling)
        if same and other.head is not match.head:
            yield other


def _observed(scope: Scope, keys: Collection[str]) -> tuple[frozenset[str], Mapping[str, int]]:
    """The stored keys as the definition has them, and how many further stored keys each of them represents."""
    inside = _numbered_inside(scope)
    if not inside:
        return frozenset(keys), {}
    counted = Counter(as_template(key, inside) for key in frozenset(keys))
    return frozenset(counted), {key: number - 1 for key, number in counted.items() if number > 1}


_NUMBER_INSIDE = re.compile(r"\{\w+\}|[0-9]+", re.ASCII)
_INSIDE: dict[object, Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]] = {}


def _numbered_inside(scope: Scope) -> Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]:
    """The definition's keys with a hole inside a segment (`expert_{E}`), by the same key with all numbers masked."""
    signature = tuple(unroll(scope, head) for head in scope.definition.heads)
    if signature not in _INSIDE:
        found: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for key in sorted(key for key in known_keys(scope) if "{" in key):
            pattern = "[0-9]{1,6}".join(re.escape(text) for text in HOLE.split(key)[::2])
            found.setdefault(_masked(key), []).append((re.compile(pattern, re.ASCII), key))
        _INSIDE[signature] = {masked: tuple(listed) for masked, listed in found.items()}
    return _INSIDE[signature]


def _masked(key: str) -> str:
    return _NUMBER_INSIDE.sub("0", key)


def as_template(key: str, inside: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]) -> str:
    """The definition's key for a stored key that has numbers inside its segments."""
    for pattern, template_key in inside.get(_masked(key), ()):
        if pattern.fullmatch(key):
            return template_key
    return key


def _preference(match: Match, claimed: Head | None) -> tuple[int, bool, int]:
    return (match.covered, match.head is claimed, -match.missing)


def _candidates(scope: Scope, observed: frozenset[str], more: Mapping[str, int]) -> Iterator[Match]:
    for head in scope.definition.heads:
        unrolled = unroll(scope, head)
        for spelling in spellings(scope, head, unrolled):
            required, optional = _keys(scope, unrolled, spelling)
            covered = len(observed & required) + len(observed & optional)
            unused = len(required) + len(optional) - covered
            covered += sum(number for key, number in more.items() if key in required or key in optional)
            yield Match(head, spelling, covered, len(required - observed), unused)


def spellings(scope: Scope, head: Head, unrolled: Unrolled) -> Iterator[Spelling]:
    """Every combination of the definition's dialects with those of the submodel definitions."""
    inner: dict[tuple[str, ...], int] = {
        slot.scope: len(slot.definition.dialects) for slot in unrolled.slots if slot.scope
    }
    choices: list[list[tuple[tuple[str, ...], int]]] = [
        [(path, number) for number in range(count)] for path, count in inner.items() if count > 1
    ]
    for dialect in range(len(scope.definition.dialects)):
        for chosen in product(*choices):
            yield Spelling(head.root, dialect, dict(chosen))


_KEYS: dict[object, tuple[frozenset[str], frozenset[str]]] = {}


def _keys(scope: Scope, unrolled: Unrolled, spelling: Spelling) -> tuple[frozenset[str], frozenset[str]]:
    """(keys required by rows without switches, all other keys that may be stored)."""
    signature = (unrolled, spelling.root, spelling.dialect, tuple(spelling.submodels.items()))
    if signature not in _KEYS:
        required: set[str] = set()
        optional: set[str] = set()
        for slot in unrolled.slots:
            key = template(spelling.spelled(slot, scope))[0]
            free = slot.optional or slot.whens or slot.tied or slot.choices or slot.group or _is_cut(slot, scope)
            (optional if free else required).add(key)
        _KEYS[signature] = (frozenset(required), frozenset(optional - required))
    return _KEYS[signature]


def _is_cut(slot: Slot, scope: Scope) -> bool:
    """True if a slot applies to only a part of the layers, possibly to none."""
    inner = scope_of(scope, slot)
    return any(bases(inner.definition, hole) for hole in slot.holes)


def masked_keys(scope: Scope) -> frozenset[str]:
    """Every key of a definition, with masked numbers inside segments in which the definition has a hole."""
    return frozenset(_masked(key) if "{" in key else key for key in known_keys(scope))


def masked_like(key: str, known: tuple[str, ...]) -> str:
    """A stored key, below any prefix, as `masked_keys` would have it."""
    masked = _masked(key)
    return masked if masked != key and masked.endswith(known) else key


def known_keys(scope: Scope) -> frozenset[str]:
    """Every key that any head and dialect of a definition has."""
    return frozenset[str]().union(*key_sets(scope))


def key_sets(scope: Scope) -> Iterator[frozenset[str]]:
    """The keys of a definition under each of its heads and dialects."""
    for head in scope.definition.heads:
        unrolled = unroll(scope, head)
        for spelling in spellings(scope, head, unrolled):
            required, optional = _keys(scope, unrolled, spelling)
            yield frozenset(required | optional)


def fewest_required(scope: Scope) -> int:
    """The smallest number of keys of a checkpoint of the definition, over all heads and dialects."""
    return min(
        len(_keys(scope, unrolled, spelling)[0])
        for head in scope.definition.heads
        for unrolled in (unroll(scope, head),)
        for spelling in spellings(scope, head, unrolled)
    )


def keys_of_definition(scope: Scope) -> frozenset[str]:
    """Every config key that a definition can read: the words of its dims, predicates and extents."""
    found = _keys_of_text((*scope.symbols.values(), scope.definition.ties))
    found = found.union(*(_keys_of_rows(unroll(scope, head)) for head in scope.definition.heads))
    for submodel in submodels_of(scope.definition):
        found |= {submodel.config} | _keys_of_text(tuple(submodel.sets.values()))
    return found.union(scope.definition.ignores.split()) - scope.symbols.keys()


@cache
def _keys_of_text(texts: tuple[str, ...]) -> frozenset[str]:
    """The first words of some expressions."""
    return frozenset(path[0] for text in texts for path in words(parse(text)))


@cache
def _keys_of_rows(unrolled: Unrolled) -> frozenset[str]:
    """The first words of the rows that belong to no submodel."""
    own = [slot for slot in unrolled.slots if not slot.scope]
    nodes = [node for slot in own for node in (*slot.dims, *(condition.node for condition in slot.whens))]
    nodes += [slot.ties for slot in own if slot.ties is not None]
    return frozenset(path[0] for node in nodes for path in words(node))


OF_WHOLE_ENCODER = ("0.auto_model.", "0.model.")
"""Prefixes of the model in the state dict of a whole sentence encoder, of sentence-transformers 2 to 5 and of 6; its
other modules have their numbers.
"""
WRAPPERS: Mapping[str, str] = {
    "module.": "torch's DataParallel and DistributedDataParallel",
    "_orig_mod.": "torch.compile",
    "base_model.model.": "PEFT",
    "_fsdp_wrapped_module.": "torch's FSDP",
    "_checkpoint_wrapped_module.": "torch's activation checkpointing",
    "_orig_module.": "the FSDP of PyTorch/XLA",
    "_fpw_module.": "the FSDP of PyTorch/XLA and fairscale",
    "_forward_module.": "Lightning and DeepSpeed",
    "pretrained_model.": "TRL's model with a value head",
    **dict.fromkeys((*OF_WHOLE_ENCODER, "auto_model."), "sentence-transformers"),
    "model.": "a wrapping module",
}
"""Prefixes that wrappers add to every name when their own state dict is saved -> the wrapper."""
