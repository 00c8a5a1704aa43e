"""Roles of tensors in words."""

from __future__ import annotations

LABELS: dict[str, str] = {
    "embed.token": "embedding",
    "embed.shared": "embedding",
    "embed.position": "position embedding",
    "embed.type": "type embedding",
    "embed.patch": "patch embedding",
    "head.token": "head",
    "head.token.bias": "head bias",
    "head.class": "classifier",
    "head.span": "span head",
    "head.next": "next sentence head",
    "head.dense": "head dense",
    "rotary.frequency": "rotary frequencies",
    "router": "router",
    "router.correction": "router correction bias",
    "pooler": "pooler",
}
"""Roles with a special label."""


def label(role: str) -> str:
    """A role in words: 'attention.key' is "attention key"."""
    return LABELS.get(role) or role.replace(".", " ")
