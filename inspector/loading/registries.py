"""Predicts what vLLM, mlx-lm, llama.cpp and ollama do, by their lists of supported models and documented rules.

`registries.json` contains the lists with their sources; lists of converters contain classes of transformers. A model
that is not in a list is unknown, never unsupported: lists grow, and some of these programs have a general fallback. The
names of llama.cpp's tensors are TENSOR_NAMES in the file that lists its architectures, with `#` for a number.

Rules: vLLM reads every `*.safetensors` that the index names, or all without an index, else `*.bin`
(`model_executor/model_loader/default_loader.py`), and raises if a weight of its model is not initialised. mlx-lm reads
`model*.safetensors` and loads strictly (`mlx_lm/utils.py`, `load_model`). llama.cpp fails if a tensor of its
architecture is missing or has another shape (`llama_model_loader::create_tensor`, `check_tensor_dims`). ollama runs
GGUF files with the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from inspector.algebra.names import key_of
from inspector.dialects.llama_cpp import known_architectures, source
from inspector.findings.finding import NO_QUANTIZER, NOT_INITIALISED
from inspector.loading.lists import lists_of
from inspector.loading.outcome import ALTERED, COMPLETE, RANDOM, REFUSES, UNKNOWN, Load
from inspector.loading.quantizers import unlisted_by

_TOWERS = ("v.", "a.", "mm.", "resampler.")
_PROJECTOR = "clip"
_SUFFIXES = ("weight", "bias", "scale", "input_scale")


def documented(loader: str, outcome: str, because: str = "", files: tuple[str, ...] = ()) -> Load:
    """A result by documented rules; the loader reports no counts."""
    version = lists_of(loader)["version"]
    return Load(loader=loader, version=version, outcome=outcome, because=because, files=files, source="documented")


def knows(loader: str, name: str | None) -> bool:
    """True if the list of a loader contains a class, a model type or an architecture."""
    return name in (known_architectures() if loader == "llama.cpp" else lists_of(loader)["names"])


def left_out_by_mlx(model_type: str | None) -> frozenset[str]:
    """The modules at the top of a model that mlx-lm's class for the type does not have: it runs the text model."""
    return frozenset(lists_of("mlx")["left_out"].get(model_type, "").split())


@cache
def _tensor_names() -> frozenset[str]:
    return frozenset(lists_of("llama.cpp")["tensors"].split())


def names_tensor(name: str, architecture: object) -> bool:
    """True if llama.cpp has a tensor with this name in any architecture. Tensors of towers are only in projectors."""
    key = key_of(name)[0]
    stem, _, suffix = key.rpartition(".")
    if key.startswith(_TOWERS) and architecture != _PROJECTOR:
        return False
    return key in _tensor_names() or (suffix in _SUFFIXES and stem in _tensor_names())


def of_safetensors(
    class_name: str | None,
    model_type: str | None,
    newest: Load,
    built: Load,
    index: str,
    values: Mapping[str, Any],
    *,
    of_vllm: bool = False,
) -> tuple[Load, ...]:
    """What vLLM and mlx-lm do with a folder that transformers reads.

    newest: what transformers does. built: what it would do without settings that only MLX reads. index: an index next
    to the audited files; vLLM reads only the files that it lists (`filter_duplicate_safetensors_files`). values: of the
    config. of_vllm: the weights are complete, in a quantization that vLLM reads and transformers does not.
    """
    files = tuple(name for name in built.files if name.endswith(".safetensors"))
    read = documented("vllm", COMPLETE) if of_vllm else newest
    vllm = _strict("vllm", class_name, read, newest.files or files)
    if index and vllm.outcome != UNKNOWN:
        vllm = documented("vllm", UNKNOWN, f"it reads the files that {index} lists, which were not audited")
    mlx = _strict("mlx", model_type, built, tuple(n for n in files if fnmatchcase(n, "model*")))
    return _by_method(vllm, values), _by_method(mlx, values)


def _by_method(load: Load, values: Mapping[str, Any]) -> Load:
    """What a program does; unknown if its list of quantization methods does not contain the config's method."""
    unlisted = unlisted_by(load.loader, values) if load.outcome == COMPLETE else None
    if unlisted is None or (load.loader == "mlx" and "quantization" in values):
        return load
    return documented(load.loader, UNKNOWN, f"its list of quantization methods does not name {unlisted}")


CONVERTERS = {"llama.cpp": "llama.cpp converter", "ollama": "ollama"}
"""Programs that run only GGUF files -> the list of classes that their converter reads from safetensors."""


def converter_of(loader: str, class_name: str | None) -> tuple[str, bool] | None:
    """(the list of the converter of a program that runs only GGUF files, True if it contains a class);
    None for others.
    """
    listed = CONVERTERS.get(loader)
    return None if listed is None else (lists_of(listed)["source"], knows(listed, class_name))


def _unlisted(loader: str, name: str | None) -> str:
    """Why it is open what a program does with a model that its list does not contain."""
    listed = lists_of(loader)
    if (last := listed.get("removed", {}).get(name)) is not None:
        return f"it has no class for the model since {last}, the last release that did"
    if (plugin := listed.get("plugins", {}).get(name)) is not None:
        return f"it reads the model with a plugin only: {plugin}"
    if loader == "vllm" and (generating := _generating(name)):
        return (
            f'it builds {generating} for embeddings; to generate it needs this class in "architectures", and its names'
        )
    return f"its list ({listed['source']}) does not name the model"


def _generating(name: str | None) -> str:
    """The class for generation in vLLM's list that it builds for a base model (`_normalize_arch` of its registry)."""
    stem = (name or "").removesuffix("Model")
    classes = (f"{stem}{ending}" for ending in ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel"))
    return next((one for one in classes if stem and stem != name and knows("vllm", one)), "")


def _strict(loader: str, name: str | None, newest: Load, files: tuple[str, ...]) -> Load:
    """The result of a loader that builds the same tensors and accepts no missing tensor."""
    if not knows(loader, name):
        return documented(loader, UNKNOWN, _unlisted(loader, name))
    if newest.because.startswith(NO_QUANTIZER):
        return documented(loader, UNKNOWN, "whether it reads the quantization was not recorded", files)
    if newest.outcome == REFUSES and newest.because:
        return documented(loader, UNKNOWN, newest.because, files)
    if not files and newest.outcome == UNKNOWN:
        return documented(loader, UNKNOWN, "which tensors its own class for the model has was not recorded")
    if not files:
        return documented(loader, UNKNOWN, "whether it finds the files is not known")
    if newest.outcome == RANDOM:
        return documented(loader, REFUSES, f"{NOT_INITIALISED}: {newest.because}", files)
    if newest.outcome == COMPLETE and not newest.unexpected and newest.because:
        return documented(loader, UNKNOWN, f"transformers: {newest.because}", files)
    if newest.outcome == COMPLETE and not newest.unexpected:
        return documented(loader, COMPLETE, "", files)
    return documented(loader, UNKNOWN, newest.because or "it may refuse tensors that it does not expect", files)


def of_gguf(
    architecture: str | None,
    files: tuple[str, ...],
    missing: str,
    wrong: str,
    surplus: str = "",
    spared: str = "",
) -> tuple[Load, ...]:
    """What llama.cpp and ollama do with GGUF files.

    missing, wrong, surplus: a tensor that is missing, has another shape, or does not belong to the architecture:
    llama.cpp compares the number of tensors in the file with that of its model
    (`llama_model_loader::done_getting_tensors`). spared: a missing tensor that it does not need.
    """
    known = knows("llama.cpp", architecture)
    if not known:
        does = f"does not know the architecture {architecture}" if architecture else "finds no architecture in it"
        because = (
            "it takes the file with --mmproj, together with a model"
            if architecture == _PROJECTOR
            else f"{source()}, {does}"
        )
        return tuple(documented(loader, UNKNOWN, because, files) for loader in ("llama.cpp", "ollama"))
    outcome, because = COMPLETE, ""
    if missing or wrong:
        outcome = REFUSES
        because = f"missing tensor {missing}" if missing else f"{wrong} has a wrong shape"
    elif surplus:
        outcome, because = REFUSES, f"wrong number of tensors: its model has no {surplus}"
    elif spared:
        outcome, because = ALTERED, f"it computes without {spared}"
    return tuple(documented(loader, outcome, because, files) for loader in ("llama.cpp", "ollama"))
