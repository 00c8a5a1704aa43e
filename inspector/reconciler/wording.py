"""Describes places of tensors in words: 'expert 5 of layers 3-9' for the indices of a key."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from inspector.algebra.boxes import Box, count
from inspector.algebra.names import name_of
from inspector.algebra.span import Span
from inspector.findings.finding import Place

_NOUNS = {
    "h": "layer", "blk": "layer", "layer": "layer", "layers": "layer", "block": "block", "blocks": "block",
    "#": "index",
}  # fmt: skip
_PLURALS = {"index": "indices"}


def noun_of(segment: str) -> str:
    """The noun for a numbered segment: 'layers' -> layer, 'queries' -> query, 'h' and 'blk' -> layer."""
    if segment in _NOUNS:
        return _NOUNS[segment]
    if segment.endswith("ies"):
        return f"{segment[:-3]}y"
    return segment.removesuffix("s") or segment


def indices_in_words(key: str, boxes: Sequence[Box], most: int = 3) -> str:
    """The boxes of a key in words, innermost index first; '' for a key without indices."""
    return boxes_in_words(_axes_of(key), boxes, most)


def boxes_in_words(nouns: Sequence[str], boxes: Sequence[Box], most: int = 3) -> str:
    """Index boxes in words, with the nouns of their axes; '' if there are none."""
    if not nouns:
        return ""
    written = ["of ".join(f"{part} " for part in reversed(_box(nouns, box))).strip() for box in boxes[:most]]
    return "; ".join(written) + (f" and {len(boxes) - most:,} more groups" if len(boxes) > most else "")


def nouns_of(key: str) -> list[str]:
    """What each `#` of a key counts: 'layer', 'expert'."""
    segments = key.split(".")
    return [
        noun_of(segments[position - 1]) if position else "index"
        for position, segment in enumerate(segments)
        if segment == "#"
    ]


def _axes_of(key: str) -> list[str]:
    """What each `#` of a key counts; the path before it if that is not a plural: 'transformer_block', 'ff.net.'.

    Several containers of one layer may have the same last segment.
    """
    words: list[str] = []
    segments, begin = key.split("."), 0
    for position, segment in enumerate(segments):
        if segment != "#":
            continue
        before = segments[position - 1] if position else "index"
        counts = begin == position or before in _NOUNS or before.endswith("s")
        words.append(noun_of(before) if counts else "".join(f"{one}." for one in segments[begin:position]))
        begin = position + 1
    return words


def _box(nouns: Sequence[str], box: Box) -> list[str]:
    return [_indexed(noun, span) for noun, span in zip(nouns, box, strict=False)]


def _indexed(noun: str, span: Span) -> str:
    if noun.endswith("."):
        return f"{noun}{span.words()}"
    return f"{noun if span.size == 1 else _PLURALS.get(noun, noun + 's')} {span.words()}"


def family_name(key: str) -> str:
    """A key for display: 'model.layers.{layer}.mlp.up_proj.weight'."""
    nouns = iter(nouns_of(key))
    return ".".join("{" + next(nouns) + "}" if segment == "#" else segment for segment in key.split("."))


def place_name(key: str, boxes: Sequence[Box]) -> str:
    """The name of a single tensor, else the name of the family."""
    only = boxes[0] if len(boxes) == 1 and all(span.size == 1 for span in boxes[0]) else None
    if only is None:
        return family_name(key)
    return name_of(key, tuple(span.first for span in only))


def names_in(key: str, boxes: Sequence[Box], most: int = 20) -> list[str]:
    """The first names in some boxes."""
    indices = (index for box in boxes for index in product(*(islice(span, most) for span in box)))
    return [name_of(key, index) for index in islice(indices, most)]


def place_of(key: str, boxes: Sequence[Box]) -> Place:
    """The place of some tensors of a key: the name of a single tensor, else family and indices."""
    name = place_name(key, boxes)
    single = count(boxes) == 1
    return Place(
        tensor=name if single else None,
        family=family_name(key),
        indices=indices_in_words(key, boxes) or None,
    )
