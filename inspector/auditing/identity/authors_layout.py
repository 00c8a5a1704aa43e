"""Recognises the layout of a model's authors under a config for the class of transformers.

Sources: `convert_internvl_weights_to_hf.py` and `convert_ovis2_weights_to_hf.py` of transformers. Both split the joint
matrices of queries, keys and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from inspector.findings.finding import Place
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families
from inspector.reconciler.wording import family_name

if TYPE_CHECKING:
    from inspector.findings.names.authors_layout import LayoutOfAuthors


class OwnLayout(NamedTuple):
    """The authors' layout of a model type: families that only it has together, and what converts it."""

    authors: str
    signs: tuple[str, ...]
    ending: str
    script: str


LAYOUTS: Final[Mapping[str, OwnLayout]] = {
    "internvl": OwnLayout(
        "InternVL",
        ("vision_model.encoder.layers.#.attn.qkv.weight", "vision_model.encoder.layers.#.ls1", "mlp1.#.weight"),
        "-HF", "convert_internvl_weights_to_hf.py",
    ),
    "ovis2": OwnLayout(
        "Ovis2", ("visual_tokenizer.backbone.trunk.blocks.#.attn.qkv.weight", "vte.weight", "llm.model.norm.weight"),
        "-hf", "convert_ovis2_weights_to_hf.py",
    ),
}  # fmt: skip
"""Model type of transformers -> the layout of its authors."""


def layout_of_authors(config: Claim, families: Families) -> LayoutOfAuthors | None:
    """The finding; None for a type of the authors, which has these names, or for other names."""
    layout = LAYOUTS.get(config.model_type or "")
    if layout is None or not all(sign in families for sign in layout.signs):
        return None
    from inspector.findings.names.authors_layout import LayoutOfAuthors

    return LayoutOfAuthors(
        place=Place(key="model_type"),
        authors=layout.authors,
        class_name=config.class_name,
        such_as=family_name(layout.signs[0]),
        ending=layout.ending,
        script=layout.script,
    )
