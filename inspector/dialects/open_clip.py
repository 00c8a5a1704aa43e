"""OpenCLIP: the text model.

Source: `open_clip/transformer.py` (TextTransformer; torch's own attention, a projection [in, out] without module).
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect, stored

_R: Final = "transformer.resblocks.{0}."
OPENCLIP: Final = Dialect(
    writer="OpenCLIP",
    exporter="convert_clip_original_pytorch_to_hf.py in the repository of transformers",
    own_configs=("open_clip_config.json",),
    names={
        "embed.token": "token_embedding",
        "embed.position": "positional_embedding=",
        "norm.final": "ln_final",
        "norm.attention": _R + "ln_1",
        "norm.mlp": _R + "ln_2",
        "attention.qkv": _R + "attn.in_proj_*",
        "attention.output": _R + "attn.out_proj",
        "mlp.up": _R + "mlp.c_fc",
        "mlp.down": _R + "mlp.c_proj",
        "head.project.text": stored("text_projection=", "transposed"),
    },
    signs=(("transformer.resblocks.#.attn.in_proj_weight", "token_embedding.weight"),),
    types=("clip_text_model",),
)
