"""What llama.cpp reads of the files of an architecture, as measured with the library itself: `llama_cpp.json`.

`names`: the architectures that it knows; `pre_tokenizers`: values of `tokenizer.ggml.pre`; `keys`: those without which
it refuses a file; `needs`: tensors without which it refuses every file; `read`: all families of tensors that it reads,
of which any other is one too many; `spares`: those of which one may be missing; `sizes`: keys without which the shapes
of no file fit. Of mmproj files it has the tensors around the layers without which they do not load.
`tests/oracle/make_llama_cpp.py` makes the file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from inspector.algebra.names import key_of
from inspector.loader.config_file import Config

SCALES: Final = (".scale", ".input_scale")
"""Ends of names of quantized weights' scales, which are read beside any weight."""
Entry = Mapping[str, frozenset[str]]


@cache
def _document() -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_bytes())
    return found


@cache
def known_architectures() -> frozenset[str]:
    """The architectures that the measured build of llama.cpp knows: it refuses files of any other."""
    return frozenset(_document()["names"].split())


@cache
def pre_tokenizers() -> frozenset[str]:
    """The ways to split texts that the measured build knows."""
    return frozenset(_document()["pre_tokenizers"].split())


def source() -> str:
    """Which build of llama.cpp was measured."""
    return str(_document()["source"])


@cache
def _measured() -> Mapping[str, Entry]:
    found = _document()["architectures"]
    return {name: {part: frozenset(text.split()) for part, text in entry.items()} for name, entry in found.items()}


NEEDED_IN_BLOCKS: Final = ("attn_out.weight", "ffn_down.weight", "ffn_up.weight")
"""Tensors that llama.cpp needs of each block of a tower for images, whatever the kind of projector (measured)."""
WITHOUT_BLOCKS: Final = frozenset({"gemma3nv"})
"""Kinds of projector whose towers have no such blocks."""


def needed_by_projector(kind: object) -> tuple[str, ...]:
    """The tensors around the layers that an mmproj file with this `clip.projector_type` needs; none if not known."""
    found = _document()["projectors"].get(kind) if isinstance(kind, str) else None
    return tuple(found.split()) if found is not None else ()


@cache
def projector_kinds() -> frozenset[str]:
    """The values of `clip.projector_type` that it knows."""
    return frozenset(_document()["projector_kinds"].split())


def required_keys(architecture: object) -> frozenset[str]:
    """The keys that a file needs, without the architecture's name in front; none where it was not measured."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry["keys"] if entry is not None else frozenset()


def is_required(key: str) -> bool:
    """True if llama.cpp says that a key, with its architecture in front, was not found; else it needs it for shapes."""
    architecture, _, own = key.partition(".")
    return own in required_keys(architecture) or architecture == "tokenizer"


def sizes(architecture: object) -> frozenset[str]:
    """Keys without which llama.cpp computes shapes that the files of an architecture do not have."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry["sizes"] if entry is not None else frozenset()


def reads(architecture: object, name: str) -> bool | None:
    """True if a tensor of this name is read in some file of an architecture; None where it was not measured."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    if entry is None or not entry["read"]:
        return None
    family = key_of(name)[0]
    weights = {f"{family.removesuffix(end)}.weight" for end in SCALES if family.endswith(end)}
    return family in entry["read"] or bool(weights & entry["read"])


AFTER: Final = ("dense_2.weight", "dense_2.bias", "dense_3.weight", "dense_3.bias")
"""Tensors of the modules that sentence-transformers applies after a model, which its converter writes as well."""


def read_beside(metadata: Config | None, names: Collection[str]) -> dict[str, str]:
    """The tensors beside those of the model that llama.cpp reads -> the component that they are.

    "" for the scales of a weight, which it reads of any (NVFP4).
    """
    if metadata is None:
        return {}
    architecture = metadata.values.get("general.architecture")
    ends = ((name, end) for name in names for end in SCALES if name.endswith(end))
    scales = (name for name, end in ends if f"{name.removesuffix(end)}.weight" in names)
    after = (name for name in AFTER if name in names and reads(architecture, name))
    return {**dict.fromkeys(scales, ""), **dict.fromkeys(after, "dense")}


def needed(architecture: object) -> frozenset[str]:
    """The families of tensors without which no file of an architecture loads; none where it was not measured."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry["needs"] if entry is not None else frozenset()


def spares(architecture: object, name: str) -> bool:
    """True if files of an architecture load where this tensor is missing."""
    entry = _measured().get(architecture) if isinstance(architecture, str) else None
    return entry is not None and key_of(name)[0] in entry["spares"]


def architectures_of(names: Iterable[str]) -> tuple[str, ...]:
    """The architectures of which files may have all these tensors and lack none that every file has."""
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
"""Kind of projector -> the matrix that gives the vectors for the text model, and the dim with their width, as measured
with `clip_n_mmproj_embd` on files in which all sizes differ. Qwen 3 VL's are repeated for each further merger, in the
text model too."""
BEFORE_NORM: Final = "mm.3.weight"
"""A tensor of LLaVA's projectors with a norm, whose last matrix is another."""


def width_of_projector(kind: object, shapes: Mapping[str, tuple[int, ...]]) -> tuple[str, int] | None:
    """The matrix and the width of the vectors that a projector gives; None where it is not known."""
    name, dim = LAST_MATRIX.get(kind, ("", 0)) if isinstance(kind, str) else ("", 0)
    shape = shapes.get(name, ())
    return (name, shape[dim]) if len(shape) == 2 and not (kind == "mlp" and BEFORE_NORM in shapes) else None
