"""The tensors that llama.cpp needs of a kind of projector for images, named by it one after the other.

A file with the keys of a tower of one block and no tensors is loaded; llama.cpp names a tensor that it does not find,
which is added, until the file loads. Kinds that ask for further keys, or abort, are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.dialects.recorded_gguf import Keys
from tests.oracle.llama_cpp import ProjectorLibrary
from tests.readers.made import Gguf

KINDS: Final = (
    "adapter", "cogvlm", "gemma3", "gemma3nv", "gemma4v", "idefics3", "internvl", "kimik25", "kimivl", "ldp", "ldpv2",
    "lfm2", "lightonocr", "minicpmv4_6", "nemotron_v2_vl", "pixtral", "resampler", "step3vl",
)  # fmt: skip
"""Kinds for images (clip-impl.h, PROJECTOR_TYPE_NAMES) of which fixtures/gguf.json.gz has no file."""
BLOCK: Final = "v.blk.0."
MOST: Final = 60
_ABSENT: Final = re.compile(r"unable to find tensor (\S+)")
_VISION: Final = "clip.vision."


def keys_of(kind: str) -> Keys:
    """The keys of a file with a tower of one block."""
    sizes = {"image_size": 56, "patch_size": 14, "embedding_length": 64, "feed_forward_length": 128, "block_count": 1,
             "attention.head_count": 4, "projection_dim": 96, "projector.scale_factor": 2, "spatial_merge_size": 2,
             "n_wa_pattern": 8}  # fmt: skip
    return [
        ("general.architecture", "text", "clip"),
        ("clip.has_vision_encoder", "bool", True),
        ("clip.projector_type", "text", kind),
        ("clip.use_gelu", "bool", True),
        (f"{_VISION}attention.layer_norm_epsilon", "f32", 1e-5),
        (f"{_VISION}image_mean", "[f32]", [0.5, 0.5, 0.5]),
        (f"{_VISION}image_std", "[f32]", [0.5, 0.5, 0.5]),
        *((_VISION + name, "u32", value) for name, value in sizes.items()),
    ]


def needed(library: ProjectorLibrary, place: Path) -> Iterator[tuple[str, set[str]]]:
    """Each kind with the tensors that it needs."""
    for kind in KINDS:
        found: dict[str, tuple[int, ...]] = {}
        for _ in range(MOST):
            shapes = found or {"unread": (4,)}
            listed = [(name, dims, 0, 4 * math.prod(dims)) for name, dims in shapes.items()]
            place.write_bytes(Gguf().file(listed, keys_of(kind)))
            said = library.refusal(place)
            if not said:
                yield kind, set(found)
                break
            absent = _ABSENT.search(said)
            if absent is None:
                raise ValueError(f"{kind}: {said}")
            found[absent[1]] = (14, 14, 3, 64) if "patch_embd" in absent[1] else (64, 64)
