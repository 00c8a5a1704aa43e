"""Recognises training state among the weights: averages, optimizer moments, flat parameters, extra state.

It is recognised by names next to those of the weights, removed before the names are matched, and entered in the ledger
under separate kinds.

Sources: `ModelEma` of timm and `LitEma` of latent diffusion (`model_ema.`, where the names have no dots), torch's
optimizers (`exp_avg`, `momentum_buffer`), FSDP's `FLAT_PARAM` and nn.Module's `_extra_state`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, tuples
from inspector.algebra.names import name_of
from inspector.findings.finding import Finding, Place
from inspector.findings.names.leftovers import (
    AverageStored,
    ExtraStateStored,
    FlatParameters,
    LeftoverTensors,
    OptimizerStateStored,
)
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.torch_quantized import MARK, NAMELESS, lines_of, torch_quantized
from inspector.reconciler.wording import names_in, place_name

_AVERAGE: Final = re.compile(r"(?:module\.)?(?:model_ema|ema_model|ema|averaged_model)\.(?:module\.)?")
_AVERAGE_ENDS: Final = ("_ema", ".ema")
_AVERAGES_OWN: Final = frozenset({"decay", "num_updates", "initted", "step", "n_averaged"})
"""Counters that an averaging wrapper stores."""
_MOMENTS: Final = re.compile(r"(?:\.|_)(?:exp_avg|exp_avg_sq|max_exp_avg_sq|momentum_buffer)$")
_OPTIMIZER: Final = re.compile(r"(?:optimizer|optim|optimizer_state)\.(?:state\.)?")
_FLAT: Final = re.compile(r"(?:.*\.)?_?flat_param(?:_\d+)?", re.DOTALL)


class Aside(Struct, frozen=True):
    """The removed tensors. kept: all other families. lost: names of empty tensors that are reported already.

    nameless: why the other tensors cannot be checked by name and shape; "" if they can.
    """

    kept: Families
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    lost: tuple[str, ...] = ()
    nameless: str = ""


def set_aside(stored: Families, *, emptied: Collection[tuple[int, ...]] = ()) -> Aside | None:
    """Separates training state from the weights; None if there is none. emptied: shapes of the empty tensors that are
    reported already.
    """
    if any(MARK in key for key in stored) and (quantized := torch_quantized(stored)) is not None:
        modules, finding = quantized
        kept = {key: family for key, family in stored.items() if key not in modules}
        return Aside(kept, tuple(lines_of(modules)), (finding,), nameless=NAMELESS)
    found: dict[str, tuple[str, Family]] = {}
    bare = _without_dots(stored) if any(key.startswith("model_ema.") for key in stored) else frozenset()
    for key, family in stored.items():
        kind = _kind(key, stored, bare)
        if kind:
            found[key] = kind, family
    found |= _without_twins(stored, found)
    empty = _empty({key: family for key, family in stored.items() if key not in found}, emptied) if emptied else {}
    if not found and not empty:
        return None
    flat = {key for key, (kind, _) in found.items() if kind == "flat"}
    kept = {key: family for key, family in stored.items() if key in flat or key not in found}
    kept = {key: rest for key, family in kept.items() if (rest := _without_empty(family, empty.get(key))) is not None}
    lines = [line for key, (kind, family) in found.items() if key not in flat for line in _lines(family, kind)]
    lines.extend(line for family in empty.values() for line in _lines(family, "empty"))
    lost = [name for key, family in empty.items() for name in _names(key, family.boxes)]
    nameless = "flat parameters have neither" if flat else "" if kept else "every tensor is empty"
    return Aside(kept, tuple(lines), tuple(_findings(found)) if found else (), tuple(lost), nameless)


def _kind(key: str, stored: Families, bare: frozenset[str]) -> str:
    if key.endswith("._extra_state") or key == "_extra_state":
        return "extra"
    if _FLAT.fullmatch(key):
        return "flat"
    rest = _AVERAGE.sub("", key, count=1) if _AVERAGE.match(key) else ""
    if rest and (rest in stored or f"module.{rest}" in stored or f"model.{rest}" in stored):
        return "average"
    if rest and bare and (rest.replace("#", "") in bare or rest in _AVERAGES_OWN):
        return "average"
    if any(key.endswith(end) and key.removesuffix(end) in stored for end in _AVERAGE_ENDS):
        return "average"
    plain = _MOMENTS.sub("", key)
    if plain != key and (plain in stored or _OPTIMIZER.sub("", plain, count=1) in stored):
        return "optimizer"
    return ""


def _without_twins(stored: Families, found: dict[str, tuple[str, Family]]) -> dict[str, tuple[str, Family]]:
    """Averages of missing weights: all below a prefix below which most families are averages, and their counters."""
    under: dict[str, list[str]] = {}
    for key in stored:
        average = _AVERAGE.match(key)
        if average is not None:
            under.setdefault(average[0], []).append(key)
    mostly = {prefix: keys for prefix, keys in under.items() if 2 * sum(key in found for key in keys) > len(keys)}
    below = {prefix.removesuffix("module.") for prefix in mostly}
    counters = [name for prefix in below for own in sorted(_AVERAGES_OWN) if (name := prefix + own) in stored]
    averages = [*(key for keys in mostly.values() for key in keys), *counters]
    return {key: ("average", stored[key]) for key in averages if key not in found}


def _without_dots(stored: Families) -> frozenset[str]:
    """All names as LitEma writes them, without dots, of the model or the submodel that it wraps."""
    found: set[str] = set()
    for key, family in stored.items():
        if key.startswith("model_ema."):
            continue
        for name in _names(key, family.boxes):
            found.update((name.replace(".", ""), name.removeprefix("model.").replace(".", "")))
    return frozenset(found)


def _names(key: str, boxes: Iterable[Box]) -> Iterator[str]:
    return (name_of(key, index) for box in boxes for index in tuples(box))


def _empty(stored: Families, shapes: Collection[tuple[int, ...]]) -> dict[str, Family]:
    """The empty tensors of the families that have any."""
    parts = {
        key: tuple(part for part in family.stored if part.layout.shape in shapes) for key, family in stored.items()
    }
    return {key: Family(key, empty) for key, empty in parts.items() if empty}


def _without_empty(family: Family, empty: Family | None) -> Family | None:
    """The other tensors of a family; None if all are empty."""
    if empty is None:
        return family
    rest = tuple(part for part in family.stored if part not in empty.stored)
    return Family(family.key, rest) if rest else None


_AS: Final = {
    "average": (ledger.EXTRA, "average", "average"),
    "optimizer": (ledger.BUFFER, "optimizer state", ""),
    "extra": (ledger.BUFFER, "extra state", ""),
    "empty": (ledger.UNCHECKED, "emptied", ""),
}
"""Kind of training state -> kind of line, role, component."""


def _lines(family: Family, leftover: str) -> Iterator[Line]:
    kind, role, component = _AS[leftover]
    for part in family.stored:
        counted = part.layout.elements * part.tensors if kind in (ledger.EXTRA, ledger.UNCHECKED) else 0
        yield Line(
            family=family.key,
            role=role,
            kind=kind,
            layout=part.layout,
            boxes=part.boxes,
            tensors=part.tensors,
            elements=part.elements,
            parameters=counted,
            component=component,
            packed=part.packed,
        )


def _findings(found: dict[str, tuple[str, Family]]) -> Iterator[Finding]:
    """One finding for each kind of training state."""
    kinds: dict[str, type[LeftoverTensors]] = {
        "average": AverageStored,
        "optimizer": OptimizerStateStored,
        "extra": ExtraStateStored,
        "flat": FlatParameters,
    }
    for kind, finding in kinds.items():
        families = {key: family for key, (one, family) in found.items() if one == kind}
        if not families:
            continue
        key, first = next(iter(families.items()))
        average = _AVERAGE.match(key)
        yield finding(
            place=Place(family=place_name(key, first.stored[0].boxes)),
            tensors=sum(family.tensors for family in families.values()),
            elements=sum(family.elements for family in families.values()),
            bytes=sum(family.bytes for family in families.values()),
            names=tuple(names_in(key, first.stored[0].boxes, 3)),
            prefix=average[0] if kind == "average" and average else None,
        )
