"""Finds weights that are zero in an untrained model, by the code that initializes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_ZEROS: Final = re.compile(
    r"(?:^|\.)(?:sampling_offsets|attention_weights|gateway\.gate|reg_conf\.layers\.#"
    r"|controlnet_cond_embedding\.conv_out|controlnet_(?:down_blocks|blocks|single_blocks)\.#|controlnet_mid_block"
    r"|controlnet_x_embedder|pos_embed_input\.proj|enc_out_bbox_embed\.#\.layers\.#)\.weight$"
)
"""Modules of any type: deformable attention, the gates of D-FINE and the boxes of LW-DETR's encoder (`_init_weights` of
transformers 5.23), and what a ControlNet adds to a model (`zero_module` of diffusers 0.42)."""
_ZEROS_OF: Final[Mapping[str, re.Pattern[str]]] = {
    "afmoe": re.compile(r"\.router\.gate\.weight$"),
    "xlstm": re.compile(r"\.(?:proj_up_gate|[fio]gate_preact)\.weight$"),
}
"""Model type -> modules that its `_init_weights` in transformers 5.23 sets to zero."""
_MATRIX: Final = re.compile(r"(?:weight|weight_[ih]h_l(?:\d+|#)|kernel|proj)$")
"""Ending of the name of a matrix that is multiplied, for tensors without a definition."""
_STATES: Final = ("embed.", "norm", "router.correction")
_MATRICES: Final = re.compile(r"mlp\.|attention\.(?:query|key|value|output)$")


def begins_as_zeros(family: str, names: tuple[str, ...]) -> bool:
    """True if a weight is zero before training. names: of the definition that it belongs to."""
    own = (_ZEROS_OF[name] for name in names if name in _ZEROS_OF)
    return any(pattern.search(family) for pattern in (_ZEROS, *own))


def is_multiplied(family: str, role: str = "") -> bool:
    """True if a parameter is a weight by its role or name, and not a position, a token, a limit or a factor."""
    return not role.startswith(_STATES) and bool(_MATRICES.match(role) or _MATRIX.search(family))
