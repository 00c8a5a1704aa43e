"""Wounds for the checkpoint of any model type: where they are inflicted is drawn, what they do is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from inspector.algebra.names import key_of
from inspector.auditing.result import Audit

Spec = dict[str, tuple[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Wound:
    """A listing that was healthy. touched: names or families that a finding must tell. causes: how many findings."""

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
    """Families that a healthy checkpoint cannot be without, none of their tensors."""
    needed: dict[str, bool] = {}
    for line in audited.lines:
        slot = None if line.block is None or not line.block.required else line.block.slot
        alone = slot is not None and slot.group is None and not slot.choices and line.kind == "parameter"
        needed[line.family] = needed.get(line.family, True) and alone
    return [family for family, alone in needed.items() if alone]


def called_otherwise(name: str) -> str:
    """A name with its last word misspelt."""
    segments = name.split(".")
    place = max((at for at, word in enumerate(segments[:-1]) if not word.isdigit()), default=len(segments) - 1)
    segments[place] += "x"
    return ".".join(segments)


def layers(spec: Spec) -> dict[str, list[list[str]]]:
    """Numbered parts with more than one tensor each, below a prefix: their names in order."""
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


def wounds(spec: Spec, keys: list[str], seed: str) -> Iterator[Wound]:
    """One wound of each kind that the checkpoint can have."""
    draw = Random(seed)
    families = families_of(spec)
    keys = sorted(set(keys) & families.keys())

    def one(key: str) -> str:
        return draw.choice(families[key])

    def without(*gone: str) -> Spec:
        return {name: entry for name, entry in spec.items() if name not in gone}

    dropped = one(draw.choice(keys))
    yield Wound("drop", without(dropped), (dropped,))
    key = draw.choice(keys)
    yield Wound("drop a family", without(*families[key]), (key,))
    old = one(draw.choice(keys))
    renamed = {called_otherwise(name) if name == old else name: entry for name, entry in spec.items()}
    yield Wound("rename", renamed, (old,))
    several = [key for key in keys if len(families[key]) > 1 and spec[families[key][0]][1]]
    if several:
        wide = one(draw.choice(several))
        dtype, shape = spec[wide]
        axis = draw.randrange(len(shape))
        wider = (dtype, (*shape[:axis], shape[axis] + draw.choice([1, 3]), *shape[axis + 1 :]))
        yield Wound("widen", {**spec, wide: wider}, (wide,))
        key = draw.choice(several)
        again = {called_otherwise(name) if name in families[key] else name: entry for name, entry in spec.items()}
        yield Wound("rename a family", again, (key,))
    for prefix, numbered in list(layers(spec).items())[:1]:
        lost = numbered[draw.randrange(1, len(numbered) - 1)]
        yield Wound("lose a layer", without(*lost), (prefix,))
    first = sorted(spec)[: len(spec) // 2]
    if len(first) > 2:
        partly = {f"module.{name}" if name in first else name: entry for name, entry in spec.items()}
        yield Wound("prefix on half", partly, ("module.",))
    apart = [key for key in keys if key.rpartition(".")[0] != key_of(dropped)[0].rpartition(".")[0]]
    if apart:
        other = one(draw.choice(apart))
        both = {called_otherwise(name) if name == other else name: entry for name, entry in without(dropped).items()}
        yield Wound("drop and rename", both, (dropped, other), causes=2)


def reported(audited: Audit, touched: str) -> bool:
    """Whether a finding tells a name or a prefix, or else the module that it names."""
    texts = [f"{one.message} {one.place} {one.facts}" for one in audited.findings if one.severity != "note"]
    words = [word for word in touched.split(".") if word not in ("#", "weight", "bias") and not word.isdigit()]
    return any(touched in text or words[-1] in text for text in texts)


def key_set(config: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The config with one dotted key set."""
    first, _, rest = path.partition(".")
    return {**config, first: key_set(config.get(first) or {}, rest, value) if rest else value}
