"""The names that diffusers gives FLUX's modules, for names with underscores for dots.

`load_lora_weights` of diffusers 0.42 reads them after `transformer.`, also with sd-scripts' endings and a scale
(measured), and so does ComfyUI (`model_lora_keys_unet`). After `lora_unet_` neither reads them, and after
`lora_transformer_` diffusers refuses all modules but those of the attention.
"""

from __future__ import annotations

import re
from typing import Final

_OF_BLOCKS: Final = (
    *(f"attn.{one}" for one in ("to_q", "to_k", "to_v", "to_out.0", "add_q_proj", "add_k_proj", "add_v_proj")),
    "attn.to_add_out", "ff.net.0.proj", "ff.net.2", "ff_context.net.0.proj", "ff_context.net.2", "norm.linear",
    "norm1.linear", "norm1_context.linear", "proj_mlp", "proj_out",
)  # fmt: skip
_OUTSIDE: Final = (
    "x_embedder", "context_embedder", "norm_out.linear", "proj_out",
    *(f"time_text_embed.{kind}_embedder.linear_{layer}" for kind in ("timestep", "guidance", "text") for layer in "12"),
)  # fmt: skip
_BLOCK: Final = re.compile(r"((?:single_)?transformer_blocks)_(\d+|#)_(.+)")
_DOTTED_IN_BLOCKS: Final = {name.replace(".", "_"): name for name in _OF_BLOCKS}
_DOTTED_OUTSIDE: Final = {name.replace(".", "_"): name for name in _OUTSIDE}


def dotted_name(module: str) -> str | None:
    """The name of a module of FLUX with dots, for one with underscores; None for a module that FLUX does not have."""
    block = _BLOCK.fullmatch(module)
    if block is None:
        return _DOTTED_OUTSIDE.get(module)
    own = _DOTTED_IN_BLOCKS.get(block[3])
    return None if own is None else f"{block[1]}.{block[2]}.{own}"
