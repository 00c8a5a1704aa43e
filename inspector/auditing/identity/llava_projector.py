"""Compares the projector and the vision tower of a model saved by LLaVA's code base with those of its config.

Source: LLaVA, `llava/model/multimodal_projector/builder.py` (a Linear, or `mlpNx_gelu`: N Linears with activations
between them) and `llava/model/builder.py` (a projector without its model is loaded together with the model of
`--model-base`); LLaVA-NeXT, `llava/model/multimodal_encoder/siglip_encoder.py` (a tower among the `mm_tunable_parts` is
built before the weights of the model are read), and `clip_encoder.py` of both: so is one of `unfreeze_mm_vision_tower`.
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
LAYERS: Final = "model.layers."
WITHOUT_TOWER: Final = (
    LAYERS, "model.embed_tokens.", "model.norm.", "lm_head.", PREFIX, "model.vision_resampler.", "model.image_newline",
)  # fmt: skip
"""All names of a text model with a projector and a resampler; a tower has others, whatever it is called."""
TUNED: Final = "mm_tunable_parts"
TOWER: Final = "mm_vision_tower"
"""The tower, as a part that is trained and as the key with its repository."""
UNFROZEN: Final = "unfreeze_mm_vision_tower"
STORED_TOWER: Final = "model.vision_tower."
CLASSES: Final = ("LlavaLlama", "LlavaMistral", "LlavaMpt", "LlavaQwen")
"""Beginnings of the names of this code's classes, which transformers does not have."""
INNER: Final[Mapping[str, Sequence[str]]] = {
    "linear": ("",),
    **{f"mlp{depth}x_gelu": tuple(f"{2 * number}." for number in range(depth)) for depth in range(1, 10)},
}
"""Type of projector -> the text between the prefix and `weight` or `bias` in the names of its Linears."""
FIRST: Final = (f"{PREFIX}weight", f"{PREFIX}#.weight")
"""The families with the first Linear of a projector."""
TOWERS: Final[Mapping[str, int]] = {
    "openai/clip-vit-large-patch14-336": 1024, "openai/clip-vit-large-patch14": 1024,
    "openai/clip-vit-base-patch16": 768, "openai/clip-vit-base-patch32": 768,
    "google/siglip-so400m-patch14-384": 1152, "google/siglip-so400m-patch14-224": 1152,
    "google/siglip2-so400m-patch14-384": 1152, "google/siglip-base-patch16-224": 768,
    "google/siglip-large-patch16-384": 1024, "laion/CLIP-ViT-H-14-laion2B-s32B-b79K": 1280,
    "laion/CLIP-ViT-bigG-14-laion2B-39B-b160k": 1664,
}  # fmt: skip
"""Repository of a vision tower -> the width of its hidden states (their configs)."""
SCALED: Final = ("s2", "mm_vision_s2", "use_s2", "mm_resampler_type")
"""Keys with which the projector takes another width than that of the tower."""
BUILT: Final = frozenset({"llava"})
"""Definitions that do not read the width: that of transformers has it in `vision_config`."""
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


def tower_of_llava(config: Claim, families: Families) -> Iterator[Finding]:
    """The findings on a stated width, and on a named tower, that are not those of the stored projector; none for towers
    that are not known.
    """
    values = config.settings.values
    named, stated = values.get("mm_vision_tower"), values.get(MARK)
    if MARK not in values or any(values.get(key) for key in SCALED):
        return
    kind = values.get("mm_projector_type", "linear")
    shapes = {shape for key in FIRST if key in families for shape in families[key].shapes if len(shape) == 2}
    taken = {shape[1] for shape in shapes if shape[1] != shape[0]} or {shape[1] for shape in shapes}
    if len(taken) != 1 or kind not in INNER:
        return
    (first,) = taken
    width = TOWERS.get(named) if isinstance(named, str) else None
    if first != stated:
        if type(stated) is not int or not (config.definition is None or not BUILT.isdisjoint(config.definition.names)):
            return
        if width in (None, first):
            yield _other_width(stated, first, kind)
            return
    if width is None or first == width:
        return
    from inspector.findings.names.llava_projector import LlavaTowerDiffers

    fitting = tuple(one for one, size in TOWERS.items() if size == first)
    yield LlavaTowerDiffers(
        place=Place(key="mm_vision_tower"), named=str(named), width=width, taken=first, stated=stated, fitting=fitting
    )


def tower_unstored(config: Claim, families: Families) -> Iterator[Finding]:
    """The finding on a trained tower if nothing is stored but a projector and its text model."""
    values = config.settings.values
    parts, named = values.get(TUNED), values.get(TOWER)
    if not isinstance(parts, str) or TOWER not in parts.split(",") or named not in TOWERS:
        return
    others = [key for key in families if not key.startswith(WITHOUT_TOWER)]
    parts_stored = all(any(key.startswith(one) for key in families) for one in (LAYERS, PREFIX))
    if others or not parts_stored:
        return
    from inspector.findings.names.llava_projector import LlavaTowerUnstored

    yield LlavaTowerUnstored(place=Place(key=TUNED), parts=parts, named=str(named))


def tower_unread(config: Claim, families: Families) -> Iterator[Finding]:
    """The note on a stored tower that the config does not call trained: LLaVA's code loads the one that is named."""
    values = config.settings.values
    named, parts = values.get(TOWER), str(values.get(TUNED) or "").split(",")
    if named not in TOWERS or MARK not in values or values.get(UNFROZEN) or TOWER in parts:
        return
    if not str(config.class_name or "").startswith(CLASSES):
        return
    parts_stored = all(any(key.startswith(one) for key in families) for one in (LAYERS, PREFIX))
    stored = sum(family.tensors for key, family in families.items() if key.startswith(STORED_TOWER))
    if stored and parts_stored:
        from inspector.findings.names.llava_projector import LlavaTowerUnread

        yield LlavaTowerUnread(place=Place(key=TOWER), tensors=stored, named=str(named))


def _other_width(stated: int, stored: int, kind: str) -> Finding:
    """The finding on a width in the config with which the first Linear of the projector is built."""
    from inspector.findings.config import ConfigDisagrees

    return ConfigDisagrees(
        place=Place(key=MARK),
        key=MARK,
        stated=stated,
        solved=stored,
        default=False,
        explains=1,
        agreeing=1,
        dissenting=0,
        interval=None,
        element=None,
        families=(f"{PREFIX}{INNER[kind][0]}weight",),
        rivals=(),
        lost=None,
        misshaped=None,
    )


def _is_plain(stored: Collection[str], families: Families) -> bool:
    """True if the stored projector has only the known names, and no tensor of a projector has another
    form or prefix, as in the formats of other programs (`multi_modal_projector`).
    """
    elsewhere = any("projector." in key for key in families if not key.startswith(PREFIX))
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
