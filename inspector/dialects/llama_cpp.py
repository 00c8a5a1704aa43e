"""What llama.cpp reads in the files of each architecture, measured with the library itself: `llama_cpp.json`.

`names`: the architectures that it knows; `pre_tokenizers`: values of `tokenizer.ggml.pre`; `keys`: those without which
it refuses a file; `needs`: tensors without which it refuses every file; `read`: all families of tensors that it reads,
so that it refuses any other; `spares`: families of which a tensor may be missing; `sizes`: keys without which the
shapes of no file fit. For mmproj files it lists the required tensors outside the layers.
`tests/oracle/make_llama_cpp.py` generates the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Final

from inspector.algebra.names import key_of
from inspector.loader.config_file import Config

SCALES: Final = (".scale", ".input_scale")
"""Endings of the names of a quantized weight's scales, which are read next to any weight."""
Entry = Mapping[str, frozenset[str]]


@cache
def _document() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "llama_cpp.json"), "rb") as file:
        found: dict[str, Any] = json.load(file)
    return found


@cache
def known_architectures() -> frozenset[str]:
    """The architectures that the measured build of llama.cpp knows; it refuses files of all others."""
    return frozenset(_document()["names"].split())


@cache
def pre_tokenizers() -> frozenset[str]:
    """The ways to split texts that the measured build knows."""
    return frozenset(_document()["pre_tokenizers"].split())


def source() -> str:
    """The build of llama.cpp that was measured."""
    return str(_document()["source"])


@cache
def _measured() -> Mapping[str, Entry]:
    found = _document()["architectures"]
    return {name: {part: frozenset(text.split()) for part, text in entry.items()} for name, entry in found.items()}


NEEDED_IN_BLOCKS: Final = ("attn_out.weight", "ffn_down.weight", "ffn_up.weight")
"""Tensors that llama.cpp requires in each block of a vision tower, for all kinds of projectors (measured)."""
WITHOUT_BLOCKS: Final = frozenset({"gemma3nv"})
"""Kinds of projector whose towers lack such blocks."""


def needed_by_projector(kind: object) -> tuple[str, ...]:
    """The tensors outside the layers that an mmproj file with this `clip.projector_type` needs; empty if unknown."""
    found = _document()["projectors"].get(kind) if isinstance(kind, str) else None
    return tuple(found.split()) if found is not None else ()


@cache
def projector_kinds() -> frozenset[str]:
    """The values of `clip.projector_type` that llama.cpp knows."""
    return frozenset(_document()["projector_kinds"].split())


def required_keys(architecture: object) -> frozenset[str]:
    """The keys that a file needs, without the architecture's name; empty if not measured."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry["keys"] if entry is not None else frozenset()


def is_required(key: str) -> bool:
    """True if llama.cpp reports that a key (with its architecture) was not found; otherwise it needs the key for
    shapes.
    """
    architecture, _, own = key.partition(".")
    return own in required_keys(architecture) or architecture == "tokenizer"


def sizes(architecture: object) -> frozenset[str]:
    """Keys without which llama.cpp computes other shapes than the files of an architecture have."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry["sizes"] if entry is not None else frozenset()


def reads(architecture: object, name: str) -> bool | None:
    """True if a tensor of this name is read in any file of an architecture; None if not measured."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    if entry is None or not entry["read"]:
        return None
    family = key_of(name)[0]
    weights = {f"{family.removesuffix(end)}.weight" for end in SCALES if family.endswith(end)}
    return family in entry["read"] or bool(weights & entry["read"])


AFTER: Final = ("dense_2.weight", "dense_2.bias", "dense_3.weight", "dense_3.bias")
"""Tensors of the modules that sentence-transformers applies after a model; its converter writes these as well."""


def read_beside(metadata: Config | None, names: Collection[str]) -> dict[str, str]:
    """Tensors that llama.cpp reads in addition to those of the model -> their component.

    The component is "" for scales, which it reads next to any weight (NVFP4).
    """
    if metadata is None:
        return {}
    architecture = metadata.values.get("general.architecture")
    ends = ((name, end) for name in names for end in SCALES if name.endswith(end))
    scales = (name for name, end in ends if f"{name.removesuffix(end)}.weight" in names)
    after = (name for name in AFTER if name in names and reads(architecture, name))
    return {**dict.fromkeys(scales, ""), **dict.fromkeys(after, "dense")}


def needed(architecture: object) -> frozenset[str]:
    """The families of tensors without which no file of an architecture loads; empty if not measured."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry["needs"] if entry is not None else frozenset()


def spares(architecture: object, name: str) -> bool:
    """True if files of an architecture load without this tensor."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry is not None and key_of(name)[0] in entry["spares"]


def architectures_of(names: Iterable[str]) -> tuple[str, ...]:
    """The architectures whose files may have all these tensors and require no others."""
    families = {key_of(name)[0] for name in names if not name.endswith(SCALES)}
    entries = _measured().items()
    return tuple(name for name, entry in entries if entry["needs"] <= families <= entry["read"])


LAST_MATRIX: Final[Mapping[str, tuple[str, int]]] = {
    "mlp": ("mm.2.weight", 0), "qwen2vl_merger": ("mm.2.weight", 0), "qwen2.5vl_merger": ("mm.2.weight", 0),
    "qwen3vl_merger": ("mm.2.weight", 0), "exaone4_5": ("mm.2.weight", 0), "kimivl": ("mm.2.weight", 0),
    "kimik25": ("mm.2.weight", 0), "lfm2": ("mm.2.weight", 0), "lightonocr": ("mm.2.weight", 0),
    "pixtral": ("mm.2.weight", 0), "janus_pro": ("mm.1.weight", 0), "internvl": ("mm.model.mlp.3.weight", 0),
    "nemotron_v2_vl": ("mm.model.mlp.3.weight", 0), "idefics3": ("mm.model.fc.weight", 0),
    "llama4": ("mm.model.fc.weight", 0), "hunyuanvl": ("mm.model.fc.weight", 0), "step3vl": ("mm.model.fc.weight", 0),
    "cogvlm": ("mm.down.weight", 0), "glm4v": ("mm.down.weight", 0), "minicpmv4_6": ("mm.down.weight", 0),
    "adapter": ("adapter.linear.dense_4h_to_h.weight", 0), "gemma4v": ("mm.input_projection.weight", 0),
    "gemma3": ("mm.input_projection.weight", 1), "gemma3nv": ("mm.input_projection.weight", 1),
    "resampler": ("resampler.proj.weight", 1),
}  # fmt: skip
"""Kind of projector -> the matrix that outputs the vectors for the text model, and its dim with their width, measured
with `clip_n_mmproj_embd` on files in which all sizes differ. Qwen 3 VL repeats these vectors for each further merger,
also in the text model.
"""
BEFORE_NORM: Final = "mm.3.weight"
"""A tensor of LLaVA's projectors with a norm, in which another matrix is the last one."""


def width_of_projector(kind: object, shapes: Mapping[str, tuple[int, ...]]) -> tuple[str, int] | None:
    """The matrix and the width of the vectors that a projector outputs; None if unknown."""
    name, dim = LAST_MATRIX.get(kind, ("", 0)) if isinstance(kind, str) else ("", 0)
    shape = shapes.get(name, ())
    return (name, shape[dim]) if len(shape) == 2 and not (kind == "mlp" and BEFORE_NORM in shapes) else None
