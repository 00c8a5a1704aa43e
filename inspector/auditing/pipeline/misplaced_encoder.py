"""Finds text encoders in a file of ComfyUI under the prefix of another kind of text encoder.

ComfyUI (`comfy/supported_models.py`) and stable-diffusion.cpp look for each encoder's own names below its prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.layout import Layout

START: Final = "text_encoders."
T5, CLIP_L, CLIP_G = (f"{START}{name}." for name in ("t5xxl", "clip_l", "clip_g"))
OF_CLIP: Final = ".encoder.layers."
OF_T5: Final = ".encoder.block."
TABLE: Final = "embeddings.token_embedding.weight"
WIDTH_OF_G: Final = 1280
"""Width of OpenCLIP's bigG, called clip_g; the width of clip_l is 768."""


def misplaced_encoders(tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on each prefix below which another kind of encoder is stored."""
    below = {prefix: [name for name in tensors if name.startswith(prefix)] for prefix in (T5, CLIP_L, CLIP_G)}
    for prefix, names in below.items():
        kind, other = ("CLIP", OF_CLIP) if prefix == T5 else ("T5", OF_T5)
        own = OF_T5 if prefix == T5 else OF_CLIP
        if not any(other in name for name in names) or any(own in name for name in names):
            continue
        from inspector.findings.names.single_file_prefixes import TextEncoderMisplaced

        wanted = T5 if kind == "T5" else _of_clip(names, tensors)
        yield TextEncoderMisplaced(
            place=Place(tensor=names[0]), prefix=prefix, kind=kind, tensors=len(names),
            wanted="" if below[wanted] else wanted,
        )  # fmt: skip


def _of_clip(names: list[str], tensors: Mapping[str, Layout]) -> str:
    """The prefix for a text encoder of CLIP with this width."""
    table = next((tensors[name].shape for name in names if name.endswith(TABLE)), ())
    return CLIP_G if table[-1:] == (WIDTH_OF_G,) else CLIP_L
