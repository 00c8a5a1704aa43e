"""Compares the names and the number of classes in a config of timm with the weights.

Sources: timm's `models/_hub.py` (`num_classes` beside `pretrained_cfg` counts first) and `models/_builder.py`, whose
`load_pretrained` is strict where the model has as many classes as its config states.
"""

from __future__ import annotations

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
