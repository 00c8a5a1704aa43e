"""The finding on a width in a tower's own config, which the joint class does not read."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class TowerProjection(ContentFinding, frozen=True, kw_only=True):
    """The class of one tower with its projection reads another width than the joint class.

    What it means
        The width of the projections stands at the top of the config, where the joint class reads it, and in the config
        of each tower, which the class of the tower alone reads. They differ, or the tower's is absent and has its
        default.

    Why it matters
        The joint class loads all weights. The class of the tower with its projection refuses the stored one: its shape
        is another.

    Example
        note[C337] tower-projection: vision_config.projection_dim is 33, the weights
          have 32
          for   CLIPVisionModelWithProjection, which refuses visual_projection.weight
          help  for CLIPVisionModelWithProjection set "vision_config.projection_dim": 32
                in config.json

    What to do
        Nothing for the joint class. Set the key if the tower is to be used alone.
    """

    code = "C337"
    severity = "note"

    key: str
    stated: int
    stored: int
    tensor: str
    tower: str
    """The class of the tower with its projection."""
    default: bool = False
    """True if the config lacks the key, and the class has this default."""

    headline_text = "{key} is {stated:value}, the weights have {stored:value}"
    row_texts = (
        ("for", "{tower}, which refuses {tensor}"),
        ("because", "the config lacks the key, and this is its default", "default"),
    )
    remedy_text = 'for {tower} set "{key}": {stored:value} in config.json'
