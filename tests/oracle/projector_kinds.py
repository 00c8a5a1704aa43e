"""Finds the tensors that llama.cpp requires for each kind of image projector.

A file with the keys of a tower of one block and no tensors is loaded; llama.cpp reports a missing tensor, which is
added, until the file loads. Kinds that require further keys, or abort, are skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.dialects.recorded_gguf import Keys
from tests.oracle.llama_cpp import ProjectorLibrary
from tests.readers.file_builders import Gguf

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


NEAR: Final = 3000
"""Bytes to search around known kinds in the library."""
UNKNOWN: Final = "unknown projector type"
_WORD: Final = re.compile(rb"(?<=\0)[a-z][a-z0-9._-]{1,30}(?=\0)")
SHORTEST: Final = 3
ELSEWHERE: Final = ("mlp",)
"""Kinds that are not stored as separate strings: they are the end of strings far from the others."""


def known(library: ProjectorLibrary, path: Path, place: Path) -> list[str]:
    """The kinds that the library knows: strings near known ones, and their ends, that it does not refuse."""
    raw = path.read_bytes()
    found = [one.start() for kind in ("qwen2vl_merger", "ldpv2") for one in re.finditer(rb"\0" + kind.encode(), raw)]
    words = {one.decode() for one in _WORD.findall(raw, min(found) - NEAR, max(found) + NEAR)}
    tried = {word[number:] for word in words for number in range(len(word) - SHORTEST + 1)}.union(ELSEWHERE)

    def is_known(kind: str) -> bool:
        place.write_bytes(Gguf().file([("unread", (4,), 0, 16)], keys_of(kind)))
        return UNKNOWN not in library.refusal(place)

    return sorted(kind for kind in tried if is_known(kind))


def needed(library: ProjectorLibrary, place: Path) -> Iterator[tuple[str, set[str]]]:
    """Each kind with the tensors that it needs."""
    for kind in KINDS:
        found: dict[str, tuple[int, ...]] = {}
        for _ in range(MOST):
            shapes = found or {"unread": (4,)}
            listed = [(name, dims, 0, 4 * math.prod(dims)) for name, dims in shapes.items()]
            place.write_bytes(Gguf().file(listed, keys_of(kind)))
            refusal = library.refusal(place)
            if not refusal:
                yield kind, set(found)
                break
            absent = _ABSENT.search(refusal)
            if absent is None:
                raise ValueError(f"{kind}: {refusal}")
            found[absent[1]] = (14, 14, 3, 64) if "patch_embd" in absent[1] else (64, 64)
