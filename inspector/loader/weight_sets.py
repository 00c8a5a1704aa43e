"""Groups the files of a place into sets of weights and chooses the one to audit. Pure: names and sizes only.

A set is a single file, or shards numbered `-00001-of-00004` with or without an index. A folder often contains several:
variants (`model.fp16.safetensors`), a `consolidated.safetensors` next to shards, copies in another format, a stale
single file from before a save in shards.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct

from inspector.loader.loaders import DIFFUSERS, LORA_STEM, MLX_ADAPTERS, PEFT, TRANSFORMERS

SAFETENSORS: Final = "safetensors"
PYTORCH: Final = "pytorch"
OTHER_KINDS: Final = (PYTORCH, "gguf", "numpy")
"""Supported formats besides safetensors, in order of preference."""
PROJECTOR: Final = "mmproj"
"""Part of the names of GGUF files with a projector, which belong to a model (`common/download.cpp` of llama.cpp)."""
_FORMATS: Final = {
    "safetensors": SAFETENSORS,
    "bin": "pytorch",
    "pt": "pytorch",
    "pth": "pytorch",
    "torch": "pytorch",
    "th": "pytorch",
    "ckpt": "pytorch",
    "gguf": "gguf",
    "h5": "tensorflow",
    "msgpack": "flax",
    "onnx": "onnx",
    "npz": "numpy",
    "nemo": "nemo",
    "pt2": "torch.export",
    "pte": "executorch",
    "engine": "tensorrt",
    "plan": "tensorrt",
    "mlmodel": "coreml",
    "tflite": "tflite",
}
NO_WEIGHTS: Final = (
    "training_args", "optimizer", "scheduler", "rng_state", "random_states", "scaler", "tokenizer"
)  # fmt: skip
"""Beginnings of the names of pickles without weights."""
_FILE: Final = re.compile(
    r"(?P<stem>.*?)(?:[-_.]?(?P<number>\d{1,6})-of-(?P<count>\d{1,6})(?P<tail>\.[A-Za-z0-9_]{1,20})?)?"
    rf"\.(?P<ending>{'|'.join(_FORMATS)})",
    re.ASCII | re.DOTALL,
)
_RANKED: Final = r"(?P<stem>consolidated)\.[0-9]{2}\.(?P<ending>pth|safetensors)"
_BLOB: Final = r"sha256-[0-9a-f]{64}"
"""The name of a file in Ollama's store, which contains models in GGUF, and short texts."""
_INDEX: Final = r"(?P<stem>.*)\.(?P<ending>safetensors|bin)\.index(?P<variant>\.[A-Za-z0-9_]{1,20})?\.json"
_TENSORFLOW: Final = r".*\.ckpt\.data-[0-9]{5}-of-[0-9]{5}"
"""The values of a checkpoint of TensorFlow 1, next to `.ckpt.index` and `.ckpt.meta`."""
_APPLE_DOUBLE: Final = "._"
"""Prefix of files in which macOS stores attributes that another file system does not support."""
_PICKLES: Final = frozenset({"pkl", "pickle", "joblib", "dill", "dat", "data"})
"""Endings of files that are read as pickles only if the user names them."""
_KNOWN_STEMS: Final = tuple(
    dict.fromkeys(loader.stems[ending] for ending in TRANSFORMERS.stems for loader in (TRANSFORMERS, DIFFUSERS))
)
"""Stems of the files of models, in the order in which they are audited."""
_SINGLE_FIRST: Final = frozenset(TRANSFORMERS.stems.values())
_ADAPTER_STEMS: Final = frozenset({*PEFT.stems.values(), *MLX_ADAPTERS.stems.values()})
"""Stems of adapters. They precede other names if the config of an adapter is present."""
_LAST_STEMS: Final = ("consolidated", *dict.fromkeys(PEFT.stems.values()), "optimizer")


class WeightSet(Struct, frozen=True):
    """Files that form one set of weights.

    name: the index, the single file, or `model-*.safetensors` for shards without an index. stem: the common part of the
    names. kind: the format. numbered: shards by their names.
    """

    name: str
    stem: str
    kind: str
    numbered: bool
    files: tuple[str, ...]
    bytes: int
    index: str | None = None

    @property
    def by_rank(self) -> bool:
        """True if the files are numbered only by the rank that wrote them (consolidated.00.pth), without a total."""
        if self.index is not None or self.stem != "consolidated":
            return False
        return any(re.fullmatch(_RANKED, name) for name in self.files)


_OF_MLC: Final = "params_shard_"
"""The beginning of the names of MLC LLM's shards, which are numbered from 0 without a total."""


class _Growing(Struct):
    """A set under construction."""

    files: list[str] = []
    index: str | None = None


def group(sizes: Mapping[str, int], first: Collection[str] = ()) -> tuple[WeightSet, ...]:
    """The sets of weights among the files of a place, the one to audit first, other formats last.

    first: stems of the files that the program of the config looks for. An index without any of its shards gives an
    empty set.
    """
    growing: dict[tuple[str, str, bool], _Growing] = {}
    for name in sizes:
        if name.startswith(_APPLE_DOUBLE):
            continue
        found = _parts_of(name)
        if found is None:
            if ".ckpt." in name and re.fullmatch(_TENSORFLOW, name, re.ASCII | re.DOTALL):
                growing[("tensorflow", name, False)] = _Growing([name])
            index = re.fullmatch(_INDEX, name, re.ASCII | re.DOTALL) if ".index" in name else None
            if index is not None:
                stem = index["stem"] + (index["variant"] or "")
                one = growing.setdefault((_FORMATS[index["ending"]], stem, True), _Growing())
                one.index = name if one.index is None else min(name, one.index)
            continue
        kind = _FORMATS[found["ending"]]
        if kind == "pytorch" and f"{name.rpartition('.')[0]}.xml" in sizes:
            kind = "openvino"  # the .xml file contains the graph
        if kind == "pytorch" and name.startswith(_OF_MLC):
            growing.setdefault(("mlc", _OF_MLC, True), _Growing()).files.append(name)
            continue
        if kind != SAFETENSORS and name.startswith(NO_WEIGHTS):
            continue
        groups = found.groupdict()
        numbered = "number" not in groups or groups["number"] is not None
        stem = found["stem"] + (groups.get("tail") or "")
        one = growing.setdefault((kind, stem, numbered), _Growing())
        one.files.append(name)
    made: list[WeightSet] = []
    for (kind, stem, numbered), one in growing.items():
        ending = one.files[0].rsplit(".", 1)[1] if one.files else kind
        if numbered:
            names = [one.index or f"{stem}{'' if kind == 'mlc' else '-'}*.{ending}"]
            files = [tuple(sorted(one.files))]
        else:  # one stem with two suffixes (model.pt, model.bin) means two single files
            names, files = one.files, [(name,) for name in one.files]
        for name, members in zip(names, files, strict=True):
            total = sum(sizes[member] for member in members)
            made.append(WeightSet(name, stem, kind, numbered, members, total, one.index))
    of_adapter = PEFT.config in sizes
    return tuple(sorted(made, key=lambda one: _rank(one, of_adapter, first)))


def choose(sets: Iterable[WeightSet], wanted: str, sizes: Mapping[str, int]) -> WeightSet | None:
    """The set that `wanted` names: a file, an index, a set, its stem, or a variant such as "fp16"."""
    sets = tuple(sets)
    for one in sets:
        if wanted in (one.name, one.index) or (not one.numbered and wanted in one.files):
            return one
    if wanted in sizes and not wanted.endswith(".json"):
        ending = wanted.rpartition(".")[2]
        kind = "pytorch" if ending in _PICKLES else _FORMATS.get(ending, "unknown")
        kind = "gguf" if re.fullmatch(_BLOB, wanted) else kind
        return WeightSet(wanted, wanted, kind, False, (wanted,), sizes[wanted])
    for one in sets:
        if wanted in (one.stem, f"{one.stem}.{one.kind}"):
            return one
    return next((one for one in sets if one.stem.endswith(f".{wanted}")), None)


def without_tar(name: str) -> str:
    """The name without the ending of `model_best.pth.tar`, a file of `torch.save` and no archive of tar."""
    return name.removesuffix(".tar") if name.endswith(".pth.tar") else name


def _parts_of(name: str) -> re.Match[str] | None:
    """The parts of the name of a weight file."""
    name = without_tar(name)
    if name.startswith("consolidated."):
        ranked = re.fullmatch(_RANKED, name)
        if ranked is not None:
            return ranked
    return None if len(name) > 255 else _FILE.fullmatch(name)


def format_of(name: str) -> str:
    """The supported format of a file by its ending; "" of any other."""
    kind = _FORMATS.get(without_tar(name).rpartition(".")[2], "")
    return kind if kind in (SAFETENSORS, *OTHER_KINDS) else ""


def counterpart(one: WeightSet, sets: Iterable[WeightSet]) -> WeightSet | None:
    """The shards with an index next to a single file of the same stem, or the single file next to these shards."""
    for other in sets:
        if (other.kind, other.stem) != (one.kind, one.stem) or other.numbered == one.numbered:
            continue
        if other.index or one.numbered:
            return other
    return None


def shard_number(name: str) -> tuple[int, int] | None:
    """(3, 4) for `model-00003-of-00004.safetensors`."""
    found = None if len(name) > 255 else _FILE.fullmatch(name)
    return (int(found["number"]), int(found["count"])) if found and found["number"] else None


def numbered_like(name: str, number: int) -> str:
    """The name of the shard with another number in the same set."""
    found = _FILE.fullmatch(name)
    if found is None or found["number"] is None:
        return name
    low, high = found.span("number")
    return f"{name[:low]}{number:0{high - low}d}{name[high:]}"


def _rank(one: WeightSet, of_adapter: bool, first: Collection[str]) -> tuple[int, int, int, int, int, str]:
    """The sort key of a set. of_adapter: the place has the config of an adapter. first: as in `group`."""
    stem, _, variant = one.stem.partition(".")
    known = stem if stem in _KNOWN_STEMS else one.stem
    if known in _KNOWN_STEMS:
        place = _KNOWN_STEMS.index(known) - len(_KNOWN_STEMS) * (known in first)
    else:
        variant = ""
        place = 20 + _LAST_STEMS.index(one.stem) if one.stem in _LAST_STEMS else 10
        if one.stem == LORA_STEM or (of_adapter and one.stem in _ADAPTER_STEMS):
            place = 5
        if one.kind == "gguf" and PROJECTOR in one.stem.casefold():
            place = 15
    single = 0 if known in _SINGLE_FIRST else 2
    shards = single if not one.numbered else 1 if one.index else 3
    return (one.kind != SAFETENSORS, place, bool(variant), shards, -one.bytes, one.name)
