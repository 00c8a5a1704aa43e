"""Damages the checkpoint of any model type: each kind of damage once, at a place that is drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from inspector.algebra.names import key_of
from inspector.auditing.result import Audit

Spec = dict[str, tuple[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged listing. touched: names or families that a finding must mention. causes: the number of findings."""

    kind: str
    spec: Spec
    touched: tuple[str, ...]
    causes: int = 1


def families_of(spec: Mapping[str, object]) -> dict[str, list[str]]:
    """Names by key."""
    found: dict[str, list[str]] = {}
    for name in spec:
        found.setdefault(key_of(name)[0], []).append(name)
    return found


def required(audited: Audit) -> list[str]:
    """Families of which the definition requires every tensor."""
    needed: dict[str, bool] = {}
    for line in audited.lines:
        slot = None if line.block is None or not line.block.required else line.block.slot
        alone = slot is not None and slot.group is None and not slot.choices and line.kind == "parameter"
        needed[line.family] = needed.get(line.family, True) and alone
    return [family for family, alone in needed.items() if alone]


def misspelt(name: str) -> str:
    """The name with its last module name misspelt."""
    segments = name.split(".")
    place = max((at for at, word in enumerate(segments[:-1]) if not word.isdigit()), default=len(segments) - 1)
    segments[place] += "x"
    return ".".join(segments)


def layers(spec: Spec) -> dict[str, list[list[str]]]:
    """Layers with more than one tensor each: prefix -> the names of each layer in order."""
    found: dict[str, dict[int, list[str]]] = {}
    for name in spec:
        segments = name.split(".")
        at = next((place for place, word in enumerate(segments[:-1]) if word.isdigit()), 0)
        if at and segments[at - 1] in ("layers", "layer", "h", "blocks", "block"):
            found.setdefault(".".join(segments[:at]), {}).setdefault(int(segments[at]), []).append(name)
    return {
        prefix: [numbered[at] for at in sorted(numbered)]
        for prefix, numbered in found.items()
        if len(numbered) > 2 and min(map(len, numbered.values())) > 1
    }


def damages(spec: Spec, keys: list[str], seed: str) -> Iterator[Damage]:
    """Damage of each kind that applies to the checkpoint. keys: families of tensors that may be damaged."""
    draw = Random(seed)
    families = families_of(spec)
    keys = sorted(set(keys) & families.keys())

    def one(key: str) -> str:
        return draw.choice(families[key])

    def without(*lost: str) -> Spec:
        return {name: entry for name, entry in spec.items() if name not in lost}

    dropped = one(draw.choice(keys))
    yield Damage("drop", without(dropped), (dropped,))
    key = draw.choice(keys)
    yield Damage("drop a family", without(*families[key]), (key,))
    old = one(draw.choice(keys))
    renamed = {misspelt(name) if name == old else name: entry for name, entry in spec.items()}
    yield Damage("rename", renamed, (old,))
    several = [key for key in keys if len(families[key]) > 1 and spec[families[key][0]][1]]
    if several:
        wide = one(draw.choice(several))
        dtype, shape = spec[wide]
        axis = draw.randrange(len(shape))
        wider = (dtype, (*shape[:axis], shape[axis] + draw.choice([1, 3]), *shape[axis + 1 :]))
        yield Damage("widen", {**spec, wide: wider}, (wide,))
        key = draw.choice(several)
        again = {misspelt(name) if name in families[key] else name: entry for name, entry in spec.items()}
        yield Damage("rename a family", again, (key,))
    for prefix, numbered in list(layers(spec).items())[:1]:
        lost = numbered[draw.randrange(1, len(numbered) - 1)]
        yield Damage("lose a layer", without(*lost), (prefix,))
    first = sorted(spec)[: len(spec) // 2]
    if len(first) > 2:
        partly = {f"module.{name}" if name in first else name: entry for name, entry in spec.items()}
        yield Damage("prefix on half", partly, ("module.",))
    apart = [key for key in keys if key.rpartition(".")[0] != key_of(dropped)[0].rpartition(".")[0]]
    if apart:
        other = one(draw.choice(apart))
        both = {misspelt(name) if name == other else name: entry for name, entry in without(dropped).items()}
        yield Damage("drop and rename", both, (dropped, other), causes=2)


def reported(audited: Audit, touched: str) -> bool:
    """Whether a finding mentions the name or the prefix, or the last module in it."""
    texts = [f"{one.message} {one.place} {one.facts}" for one in audited.findings if one.severity != "note"]
    words = [word for word in touched.split(".") if word not in ("#", "weight", "bias") and not word.isdigit()]
    return any(touched in text or words[-1] in text for text in texts)


def key_set(config: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The config with one dotted key set."""
    first, _, rest = path.partition(".")
    return {**config, first: key_set(config.get(first) or {}, rest, value) if rest else value}
