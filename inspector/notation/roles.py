"""What a tensor is for: the one vocabulary of roles, with the words people see and the group of the chart.

A role is `subject.part`. What is not listed gets its label from the role itself and its group from the
subject, so that a rare role needs no line here.
"""

from __future__ import annotations

from inspector.findings.role_words import LABELS, label

__all__ = ["DISPUTED", "GROUPS", "LABELS", "SUBJECTS", "group", "label"]

GROUPS = (
    "embedding", "attention", "feed-forward", "state space", "convolution", "projector", "norms", "head", "other",
)  # fmt: skip
"""In the order of charts and tables."""

SUBJECTS: dict[str, tuple[str, str]] = {
    "embed": ("embedding", "turns tokens, positions, patches or frames into vectors"),
    "attention": ("attention", "attention of a sequence to itself"),
    "cross": ("attention", "attention to another sequence"),
    "mlp": ("feed-forward", "the feed-forward network of a layer"),
    "router": ("feed-forward", "chooses experts"),
    "expert": ("feed-forward", "what experts share: gates, projections in and out of them"),
    "ssm": ("state space", "a state space or linear recurrence"),
    "resnet": ("convolution", "a residual block of convolutions"),
    "conv": ("convolution", "a convolution outside a residual block"),
    "neck": ("convolution", "joins the widths of a backbone's stages"),
    "wavenet": ("convolution", "gated dilated convolutions"),
    "lstm": ("state space", "a recurrent layer"),
    "norm": ("norms", "layer norms, RMS norms, batch norms"),
    "bridge": ("projector", "from one part of a joined model to another"),
    "merger": ("projector", "joins patches before the text model"),
    "merge": ("projector", "joins patches between stages"),
    "project": ("projector", "from one width to another"),
    "adapter": ("projector", "small layers put into a finished model"),
    "bottleneck": ("projector", "narrows and widens a layer"),
    "quantizer": ("projector", "turns vectors into codes"),
    "fusion": ("projector", "joins two streams"),
    "pool": ("head", "makes one vector of many"),
    "head": ("head", "what a task class adds at the end"),
    "pooler": ("head", "makes one vector of a sequence"),
}
"""First word of a role -> (group, definition)."""

DISPUTED = frozenset({"router.correction"})
"""Roles that transformers keeps as buffers and the authors' code as parameters: both counts are told."""


def group(role: str) -> str:
    """The group of a role in charts."""
    return SUBJECTS.get(role.split(".", 1)[0], ("other", ""))[0]
