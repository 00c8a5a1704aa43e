"""Computes the size of a download of a repository: needed files, and second copies of the weights. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from inspector.loader.sources.address import MAIN, Address
from inspector.loader.sources.local_reading import WINDOWS

_FORMATS: Final = (
    ("safetensors", (".safetensors",)),
    ("pytorch", (".bin", ".pt", ".pth", ".torch", ".th", ".ckpt")),
    ("gguf", (".gguf", ".ggml")),
    ("onnx", (".onnx", ".onnx_data", ".onnx.data")),
    ("tensorflow", (".h5", ".tflite", ".pb")),
    ("flax", (".msgpack",)),
    ("rust", (".ot",)),
    ("openvino", (".xml",)),
    ("coreml", (".mlmodel", ".mlpackage")),
    ("numpy", (".npz",)),
    ("nemo", (".nemo",)),
)
_FOLDERS: Final = {"onnx": "onnx", "openvino": "openvino", "coreml": "coreml", "original": "original", "metal": "metal"}
_SMALL_BIN: Final = re.compile(
    r"(?:training_args|optimizer|scheduler|rng_state|random_states|scaler)[^/]*\.(?:bin|pt|pth)", re.ASCII
)
_TRAINING: Final = re.compile(
    r"checkpoint-\d+/|(?:optimizer|scheduler|rng_state|random_states|scaler)[^/]*\.(?:bin|pt|pth)\Z", re.ASCII
)
"""Folders of intermediate saves, and what only resuming a training reads."""
_SHARD: Final = re.compile(
    r"(.*?)([-_.]?)\d{1,6}-of-(\d{1,6})((?:\.[A-Za-z0-9_]+)?\.[A-Za-z0-9]+)", re.ASCII | re.DOTALL
)
_INDEX: Final = re.compile(r"\.(safetensors|bin)\.index(\.[A-Za-z0-9_]+)?\.json\Z", re.ASCII)
_PLAIN: Final = re.compile(r"[\w./@:\\-]+" if WINDOWS else r"[\w./@-]+", re.ASCII)


class Copies(Struct, frozen=True):
    """Files that loading the audited weights does not need. kind: format, or "other weights"."""

    kind: str
    files: int
    bytes: int
    example: str


class Download(Struct, frozen=True):
    """needed, copies: bytes. total: of a plain download. command: fetches only the needed files."""

    needed: int
    needed_files: int
    total: int
    total_files: int
    copies: tuple[Copies, ...]
    command: str


def download_of(sizes: Mapping[str, int], audited: Iterable[str], address: Address, commit: str) -> Download:
    """sizes: path in the repository -> bytes. audited: paths of the weights that were audited.

    Needed are these, and all files without weights in the folder that was asked for: configs, tokenizers, code.
    """
    wanted = set(audited)
    folder = address.inside.rpartition("/")[0] if address.inside in wanted else address.inside
    inside = f"{folder}/" if folder else ""
    copies: dict[str, list[str]] = {}
    needed = []
    for path in sizes:
        kind = None if path in wanted else _left_out(path, wanted, inside)
        if kind is None:
            needed.append(path)
        else:
            copies.setdefault(kind, []).append(path)
    reported = tuple(
        Copies(kind, len(paths), sum(sizes[path] for path in paths), max(paths, key=lambda path: sizes[path]))
        for kind, paths in sorted(copies.items())
    )
    total = sum(sizes.values())
    patterns = _patterns(needed, [path for paths in copies.values() for path in paths]) if copies else []
    return Download(
        sum(sizes[path] for path in needed),
        len(needed),
        total,
        len(sizes),
        tuple(sorted(reported, key=lambda one: -one.bytes)),
        _command(address, commit, patterns),
    )


def _left_out(path: str, audited: set[str], inside: str) -> str | None:
    """The kind of a file that loading does not need. inside: prefix of the folder that was asked for."""
    if not path.startswith(inside):
        return "other folders"
    of_training = _TRAINING.match(path.removeprefix(inside))
    if of_training is not None and not any(one.startswith(inside + of_training[0]) for one in audited):
        return "training state"
    return second_copy(path, audited)


def second_copy(path: str, audited: set[str]) -> str | None:
    """The kind of second copy that a file is; None for other files."""
    name = path.rpartition("/")[2].lower()
    folder = path.partition("/")[0].lower() if "/" in path else ""
    if not audited or _SMALL_BIN.fullmatch(name):
        return None
    if folder in _FOLDERS and not any(one.startswith(f"{path.partition('/')[0]}/") for one in audited):
        return _FOLDERS[folder]
    index = _INDEX.search(name)
    if index is not None:
        stem = path[: len(path) - len(index[0])]
        own = index[1] == "safetensors" and any(one.startswith(f"{stem}{index[2] or ''}-") for one in audited)
        return None if own else "pytorch" if index[1] == "bin" else "other weights"
    for kind, endings in _FORMATS:
        if name.endswith(endings):
            if kind != "safetensors":
                return kind
            here = any(one.rpartition("/")[0] == path.rpartition("/")[0] for one in audited)
            return "other weights" if here else None  # each component of a pipeline has a separate folder
    return None


def _patterns(needed: list[str], left_out: list[str]) -> list[str]:
    """The fewest patterns that match exactly the needed files."""
    import fnmatch

    def clean(pattern: str) -> bool:
        return not any(fnmatch.fnmatchcase(path, pattern) for path in left_out)

    patterns: dict[str, None] = {}
    for path in needed:
        if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
            continue
        shard = _SHARD.fullmatch(path)
        name = path.rpartition("/")[2]
        ending = "*." + name.rpartition(".")[2] if "." in name[1:] else ""
        options = [f"{shard[1]}{shard[2]}*-of-{shard[3]}{shard[4]}"] if shard is not None else []
        if ending and not name.endswith((".safetensors", ".bin")):
            options.append(ending)
        patterns[next((one for one in options if clean(one)), path)] = None
    return list(patterns)


def _command(address: Address, commit: str, patterns: list[str]) -> str:
    words = ["hf", "download", address.repository]
    if address.repo_type != "model":
        words += ["--repo-type", address.repo_type]
    if address.revision not in (None, MAIN):
        words += ["--revision", commit]
    for pattern in patterns:
        words += ["--include", pattern]
    return " ".join(quoted(word) for word in words)


def quoted(word: str) -> str:
    """Quotes a word for the shell, on Windows for cmd and PowerShell, if it has patterns or blanks."""
    import shlex

    if _PLAIN.fullmatch(word):
        return word
    if WINDOWS:
        at_end = len(word) - len(word.rstrip("\\"))  # a backslash before a quote would escape it
        return '"' + word.replace('"', '\\"') + "\\" * at_end + '"'
    return shlex.quote(word)
