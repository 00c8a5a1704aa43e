"""Compares the names, the number of classes and the positions in a config of timm with the weights.

Sources: timm's `models/_hub.py` (`num_classes` beside `pretrained_cfg` counts first), `models/_builder.py`, whose
`load_pretrained` is strict where the model has as many classes as its config states, and `layers/pos_embed.py`, whose
`resample_abs_pos_embed` takes the patches of a table of another length for a square.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.dialects.timm import MARK
from inspector.findings.config import ConfigDisagrees
from inspector.findings.finding import Finding, Place
from inspector.matcher.families import Families

CLASSIFIERS: Final = ("head.fc", "classifier", "head", "fc")
"""Names of the classifier where the config does not state it."""
EMBEDDINGS: Final = re.compile(r"(?:[a-z0-9_]+\.)?embeddings\.(?:patch_embed|class_embedding|cls_token|position_emb)")
"""The patches and positions of a vision transformer in transformers or in its authors' code for it."""
TOKENS: Final = ("cls_token", "reg_token", "dist_token")
"""Tokens before the patches: the first has a row of the table alone, or all have, or none."""
PATCHES: Final = re.compile(r"(?:^|\.)(?:patch_embed|stem|conv_stem|timm_model)(?:\.|_)")
"""Names that timm's models have, and the prefix of transformers' wrapper of them."""


def other_classes(values: Mapping[str, Any], families: Families) -> Iterator[ConfigDisagrees]:
    """The finding on a number of classes that is not that of the stored classifier."""
    pretrained = values.get(MARK)
    inner: Mapping[str, Any] = pretrained if isinstance(pretrained, Mapping) else {}
    key = "num_classes" if "num_classes" in values else f"{MARK}.num_classes"
    stated = values.get("num_classes", inner.get("num_classes"))
    named = inner.get("classifier")
    names = named if isinstance(named, list) else [named] if isinstance(named, str) else CLASSIFIERS
    stored = [
        one for name in names for kind in ("weight", "bias") if (one := families.get(f"{name}.{kind}")) is not None
    ]
    rows = {shape[0] for family in stored for shape in family.shapes if shape}
    is_matrix = any(len(family.usual.shape) > 1 for family in stored)
    if type(stated) is not int or not is_matrix or len(rows) != 1 or stated in rows:
        return
    yield ConfigDisagrees(
        place=Place(key=key),
        key=key,
        stated=stated,
        solved=rows.pop(),
        default=False,
        explains=len(stored),
        agreeing=len(stored),
        dissenting=0,
        interval=None,
        element=None,
        families=tuple(family.key for family in stored),
        rivals=(),
        lost=None,
        misshaped=None,
    )


def names_of_transformers(values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """The finding on weights with the names of transformers under a config of timm, which has no module `embeddings`
    and loads strictly (measured with timm 1.0.31).
    """
    example = min((key for key in families if EMBEDDINGS.match(key)), default=None)
    stated = values.get("architecture")
    if example is None or not isinstance(stated, str) or any(PATCHES.search(key) for key in families):
        return
    from inspector.findings.names.of_library import TimmNamesDiffer

    yield TimmNamesDiffer(place=Place(family=example), architecture=stated, example=example)


def other_positions(values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """The finding on a table of positions that fits no image: without the rows of the tokens before the patches,
    neither a square nor the patches of a stated size are left (measured with timm 1.0.31).
    """
    table, kernel = families.get("pos_embed"), families.get("patch_embed.proj.weight")
    stated = values.get("architecture")
    if table is None or kernel is None or "blocks.#.attn.qkv.weight" not in families or not isinstance(stated, str):
        return
    shape, patch = table.usual.shape, kernel.usual.shape
    if len(shape) != 3 or len(patch) != 4 or shape[0] != 1 or shape[2] != patch[0] or 0 in patch:
        return
    held = {name: _length(families, name, shape[2]) for name in TOKENS if name in families}
    grids = set(_grids(values, patch[2:]))
    counts = {0, held.get(TOKENS[0], 0), sum(held.values())}
    if any(left in grids or math.isqrt(left) ** 2 == left for left in (shape[1] - one for one in counts) if left > 0):
        return
    from inspector.findings.names.of_library import TimmPositionsDiffer

    yield TimmPositionsDiffer(
        place=Place(family="pos_embed"),
        architecture=stated,
        positions=shape[1],
        tokens=tuple(held),
        patches=max(shape[1] - sum(held.values()), 0),
    )


def _length(families: Families, name: str, width: int) -> int:
    """The number of tokens in a table of tokens before the patches."""
    shape = families[name].usual.shape
    return shape[1] if len(shape) == 3 and shape[2] == width else 0


def _grids(values: Mapping[str, Any], patch: tuple[int, ...]) -> Iterator[int]:
    """Patches of an image of the sizes that a config states, which need not be a square."""
    pretrained, built = values.get(MARK), values.get("model_args")
    size = pretrained.get("input_size") if isinstance(pretrained, Mapping) else None
    sides = built.get("img_size") if isinstance(built, Mapping) else None
    for one in (size[-2:] if isinstance(size, list) else None, sides):
        if isinstance(one, list) and len(one) == 2 and all(type(side) is int for side in one):
            yield (one[0] // patch[0]) * (one[1] // patch[1])
