"""Compares the projector of a model saved by LLaVA's code base with the projector that its config describes.

Source: LLaVA, `llava/model/multimodal_projector/builder.py` (a Linear, or `mlpNx_gelu`: N Linears with activations
between them) and `llava/model/builder.py` (a projector without its model is loaded together with the model of
`--model-base`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families

MARK: Final = "mm_hidden_size"
"""A key that only configs of this code base have."""
PREFIX: Final = "model.mm_projector."
INNER: Final[Mapping[str, Sequence[str]]] = {
    "linear": ("",),
    **{f"mlp{depth}x_gelu": tuple(f"{2 * number}." for number in range(depth)) for depth in range(1, 10)},
}
"""Type of projector -> the text between the prefix and `weight` or `bias` in the names of its Linears."""
_PLAIN: Final = re.compile(r"([0-9]+\.)?(weight|bias)")


def projector_of_llava(config: Claim, families: Families) -> list[Finding]:
    """The finding on the projector; none if the config describes no projector of a known type."""
    values = config.settings.values
    kind = values.get("mm_projector_type", "linear")
    if MARK not in values or not isinstance(kind, str) or (expected := _modules(kind)) is None:
        return []
    stored = {name for key in families if key.startswith(PREFIX) for name in _names(key, families)}
    if stored and len(stored) == sum(family.tensors for family in families.values()):
        from inspector.findings.names.llava_projector import LlavaProjectorAlone

        return [LlavaProjectorAlone(tensors=len(stored))]
    if stored == expected or not _is_plain(stored, families) or not (stored or "mm_projector_type" in values):
        return []
    from inspector.findings.names.llava_projector import LlavaProjectorDiffers

    return [
        LlavaProjectorDiffers(
            place=Place(key="mm_projector_type"),
            stated=kind,
            expected=tuple(sorted(expected)),
            stored=tuple(sorted(stored)),
            means=next((one for one in INNER if stored and _modules(one) == stored), None),
        )
    ]


def _is_plain(stored: Collection[str], families: Families) -> bool:
    """True if the stored projector has only the known names, and no tensor of a projector has another
    form or prefix.
    """
    elsewhere = any("mm_projector" in key for key in families if not key.startswith(PREFIX))
    return not elsewhere and all(_PLAIN.fullmatch(name.removeprefix(PREFIX)) for name in stored)


def _modules(kind: str) -> set[str] | None:
    """The tensors of a type of projector; None for an unknown type."""
    inner = INNER.get(kind)
    return None if inner is None else {f"{PREFIX}{module}{part}" for module in inner for part in ("weight", "bias")}


def _names(key: str, families: Families) -> Iterator[str]:
    """The names of a family with the number of a module as its only index."""
    if "#" not in key:
        yield key
    elif key.count("#") == 1:
        yield from (key.replace("#", str(number)) for number in families[key].axis(0))
