"""Converts what scripts pass as a source, a config or a claim to the package's own values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.dtype import BITS, TORCH_NAMES
from inspector.loader.layout import Layout, lay_out
from inspector.loading import unknown_loader
from inspector.reconciler.stated_total import Stated, read_claim


class Shaped(Protocol):
    """An array or a tensor: numpy's, torch's or any other with a dtype and a shape."""

    @property
    def dtype(self) -> Any: ...

    @property
    def shape(self) -> Iterable[int]: ...


Tensors = Mapping[str, "Shaped | tuple[str, Iterable[int]]"]
"""Name -> array, tensor, or (dtype, shape) with the dtype as safetensors or torch spell it."""


class RepositoryMetadata(Protocol):
    """huggingface_hub's `SafetensorsRepoMetadata`."""

    @property
    def files_metadata(self) -> Mapping[str, Any]: ...


class HasConfig(Protocol):
    """A config object of transformers or diffusers."""

    def to_dict(self) -> dict[str, Any]: ...


Source = str | os.PathLike[str] | Checkpoint | Tensors | RepositoryMetadata
AnyConfig = str | os.PathLike[str] | Mapping[str, Any] | HasConfig


def claim_of(claim: int | str | None) -> Stated | None:
    """The total to compare with. ValueError if it is not a parameter count."""
    if claim is None:
        return None
    stated = read_claim(str(claim)) if not isinstance(claim, bool) else None
    if stated is None:
        raise ValueError(f"claim {claim!r} is not a parameter count; pass 8030257152 or '8.03B'")
    return stated


def place_of(base: str | os.PathLike[str] | Sequence[str] | None) -> str | Sequence[str] | None:
    """A base, or several, as text."""
    return os.fspath(base) if isinstance(base, os.PathLike) else base


def loader_of(loader: str | None) -> str | None:
    """The loader to judge for. ValueError if it is not a known one."""
    problem = unknown_loader(loader)
    if problem is not None:
        raise ValueError(problem)
    return loader


def config_of(config: AnyConfig | None) -> str | Config | None:
    """The path of a config, or its values. TypeError for anything else."""
    if config is None or isinstance(config, str):
        return config
    if isinstance(config, os.PathLike):
        return os.fspath(config)
    values = config if isinstance(config, Mapping) else getattr(config, "to_dict", lambda: None)()
    if not isinstance(values, Mapping):
        raise TypeError(f"config is a path, a dict or a config object, not {type(config).__name__}")
    return Config("config", dict(values), "config")


def checkpoint_of(source: Checkpoint | Tensors | RepositoryMetadata, config: Config | None) -> Checkpoint:
    """An object in memory as a checkpoint. TypeError if it has no names, dtypes and shapes."""
    if isinstance(source, Checkpoint):
        return source
    files = getattr(source, "files_metadata", None)
    if files is not None:
        tensors = {name: _entry(one) for file in files.values() for name, one in file.tensors.items()}
        file_of = {name: path for path, file in files.items() for name in file.tensors}
        return _checkpoint("repository metadata", tensors, config, file_of)
    if not isinstance(source, Mapping):
        raise TypeError(f"a source is a path, a name, a Checkpoint or tensors by name, not {type(source).__name__}")
    return _checkpoint("state dict", {name: _entry(one) for name, one in source.items()}, config, {})


def _checkpoint(
    title: str, tensors: Mapping[str, tuple[str, tuple[int, ...]]], config: Config | None, file_of: Mapping[str, str]
) -> Checkpoint:
    layouts: dict[tuple[str, tuple[int, ...]], Layout] = {}
    for name, entry in tensors.items():
        if entry not in layouts:
            made = lay_out(*entry)
            if isinstance(made, str):
                raise ValueError(f"tensor '{name}': no tensor has dtype {entry[0]} and shape {list(entry[1])}")
            layouts[entry] = made
    laid_out = {name: layouts[entry] for name, entry in tensors.items()}
    return Checkpoint(title, title, config, tensors=laid_out, file_of=file_of, readable=True)


def _entry(tensor: Any) -> tuple[str, tuple[int, ...]]:
    """(dtype, shape) of an array, a tensor, or a pair of the two."""
    pair = isinstance(tensor, tuple) and len(tensor) == 2
    if not (pair or hasattr(tensor, "shape")):
        raise TypeError(f"a tensor is an array or a pair (dtype, shape), not {type(tensor).__name__}")
    dtype, shape = tensor if pair else (getattr(tensor, "dtype", None), tensor.shape)
    word = str(cast(object, dtype)).rpartition(".")[2]
    known = word if word in BITS else TORCH_NAMES.get(word)
    if known is None:
        raise ValueError(f"'{dtype}' is not a dtype of safetensors")
    return known, tuple(int(dim) for dim in shape)
