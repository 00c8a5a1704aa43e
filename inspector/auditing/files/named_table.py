"""The table of tokens of a model without a definition here, by its name and the number of rows that the config states.

A model with code of its repository may keep further rows elsewhere (`additional_embedding` of Idefics), and may replace
the tokens of images and sounds before it looks them up, so that their ids need no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from inspector.auditing.json_beside import is_listed, object_beside
from inspector.auditing.result import Audit
from inspector.loading.tokenizer_files import SETTINGS
from inspector.loading.tokenizer_settings import CODE
from inspector.matcher.families import Families, Family

_TABLE: Final = re.compile(r"(^|\.)(embed_tokens|wte|word_embeddings|tok_embeddings|embed_in)\.weight$")
"""Names that models of transformers give to the table of tokens."""
_LIKE_TABLE: Final = re.compile(r"emb", re.IGNORECASE)
_OF_OTHER_INPUT: Final = re.compile(r"pos|type|patch|time|rope|rotary|norm", re.IGNORECASE)
"""Parts of the names of tables that are looked up with other numbers than ids of tokens."""
_REPLACED: Final = re.compile(
    r"image|img|im_|video|audio|speech|sound|vision|visual|patch|pixel|frame|mask", re.IGNORECASE
)
"""Parts of the names of tokens that may stand for another input."""
_SIZES: Final = ("vocab_size", "padded_vocab_size")
_FLOATS: Final = ("F32", "F16", "BF16")


class NamedTable(NamedTuple):
    """The name of a table of tokens, and the number of its rows."""

    key: str
    rows: int


def named_table(audited: Audit) -> NamedTable | None:
    """The only table of tokens of a model; None if it is not certain that every token has its row there."""
    checkpoint, stored = audited.checkpoint, audited.stored
    config = checkpoint.config
    if (
        stored is None
        or config is None
        or config.kind != "config"
        or not checkpoint.folder
        or not is_listed(checkpoint)
    ):
        return None
    if CODE in object_beside(checkpoint, SETTINGS):
        return None  # its code may give other ids
    named = [family for key, family in stored.items() if _TABLE.search(key)]
    shapes = {shape for family in named for shape in family.shapes}
    if len(shapes) != 1 or not all(one.usual.dtype in _FLOATS for one in named):
        return None
    shape = shapes.pop()
    if len(shape) != 2 or shape[0] not in set(_sizes(config.values)):
        return None
    if any(one.shapes != {shape} for one in _like_tables(stored)):
        return None
    return NamedTable(named[0].key, shape[0])


def looked_up(token: str) -> bool:
    """True for a token that stands for no image or sound by its name."""
    return not _REPLACED.search(token)


def _sizes(values: Mapping[str, Any]) -> Iterator[int]:
    """The sizes of vocabularies in the config and its parts."""
    for part in (values, *(one for one in values.values() if isinstance(one, dict))):
        yield from (part[key] for key in _SIZES if type(part.get(key)) is int)


def _like_tables(stored: Families) -> Iterator[Family]:
    """The matrices whose names are those of tables."""
    for key, family in stored.items():
        other = _OF_OTHER_INPUT.search(".".join(key.split(".")[-3:]))
        if _LIKE_TABLE.search(key) and not other and any(len(shape) == 2 for shape in family.shapes):
            yield family
