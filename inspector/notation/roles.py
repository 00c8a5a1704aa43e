"""Roles of tensors: the closed table of roles, with their descriptions and their groups in charts.

A role is `subject.part`; its group is that of the subject. `roles.txt` in this folder lists every role with what it
means, one per line. A test checks that definitions and dialects use no other role.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from inspector.findings.role_words import LABELS, label

__all__ = ["DISPUTED", "GROUPS", "LABELS", "SUBJECTS", "group", "label", "meanings"]

GROUPS = (
    "embedding", "attention", "feed-forward", "state space", "convolution", "projector", "norms", "head", "other",
)  # fmt: skip
"""The groups in the order of charts and tables."""

SUBJECTS: dict[str, tuple[str, str]] = {
    "embed": ("embedding", "turns tokens, positions, patches or frames into vectors"),
    "attention": ("attention", "attention of a sequence to itself"),
    "cross": ("attention", "attention to another sequence"),
    "mlp": ("feed-forward", "the feed-forward network of a layer"),
    "router": ("feed-forward", "the router: chooses experts"),
    "filter": ("other", "a fixed filter of a signal"),
    "expert": ("feed-forward", "what experts share: gates, projections in and out of them"),
    "ssm": ("state space", "a state space or linear recurrence"),
    "resnet": ("convolution", "a residual block of convolutions"),
    "conv": ("convolution", "a convolution outside a residual block"),
    "neck": ("convolution", "joins the widths of a backbone's stages"),
    "wavenet": ("convolution", "gated dilated convolutions"),
    "lstm": ("state space", "a recurrent layer"),
    "gru": ("state space", "a recurrent layer of gates without a cell"),
    "norm": ("norms", "layer norms, RMS norms, batch norms"),
    "bridge": ("projector", "from one submodel to another"),
    "merger": ("projector", "merges patches before the text model"),
    "merge": ("projector", "merges patches between stages"),
    "project": ("projector", "from one width to another"),
    "adapter": ("projector", "small layers added to a pretrained model"),
    "bottleneck": ("projector", "narrows and widens a layer"),
    "quantizer": ("projector", "turns vectors into codes"),
    "fusion": ("projector", "combines two streams"),
    "pool": ("head", "combines many vectors into one"),
    "head": ("head", "the output layers that a task class adds"),
    "pooler": ("head", "combines a sequence into one vector"),
    "altup": ("other", "alternating updates of several streams (Gemma 3n)"),
    "bound": ("other", "the range to which a linear layer is clipped"),
    "duration": ("other", "predicts the duration of each unit of speech"),
    "flow": ("other", "a normalizing flow"),
    "hyper": ("other", "hyper-connections: weigh several residual streams"),
    "integer": ("other", "an integer copy of a weight (I-BERT)"),
    "laurel": ("other", "a learned residual connection (Gemma 3n)"),
    "layer": ("other", "acts on a whole layer"),
    "mtp": ("other", "layers that predict further tokens"),
    "range": ("other", "a recorded range of activations (I-BERT)"),
    "rotary": ("other", "stored values of a rotary embedding"),
    "scale": ("other", "a scale outside the parts above"),
    "slope": ("other", "learned slopes of an activation"),
    "time": ("other", "conditions a layer on the time step"),
}
"""First word of a role -> (group, definition)."""

DISPUTED = frozenset({"router.correction"})
"""Roles that transformers keeps as buffers and the authors' code as parameters: both counts are reported."""


@cache
def meanings() -> Mapping[str, str]:
    """Every role and its meaning."""
    with open(os.path.join(os.path.dirname(__file__), "roles.txt"), encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(": ", 1) for line in file)


def group(role: str) -> str:
    """The group of a role in charts."""
    return SUBJECTS.get(role.split(".", 1)[0], ("other", ""))[0]
