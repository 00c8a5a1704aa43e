"""Files next to the audited ones that vLLM and mlx-lm read together with them.

mlx-lm merges every `model*.safetensors` in the order of the folder (`load_model` in `mlx_lm/utils.py` 0.32.2), vLLM
every `*.safetensors` unless an index lists some of them (`filter_duplicate_safetensors_files`), but only the files in
Mistral's format where there are any. Without safetensors it reads every `*.bin` but those of a training
(`filter_files_not_needed_for_inference`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from msgspec.structs import replace

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.other_files import is_consolidated
from inspector.loader.weight_sets import NO_WEIGHTS, PYTORCH
from inspector.loading.outcome import TWICE, UNKNOWN, Load

PATTERNS: Final = {"vllm": "*.safetensors", "mlx": "model*.safetensors"}
"""Program -> the names of the files that it reads."""
PICKLED: Final = ".bin"


def with_merged_files(checkpoint: Checkpoint, loads: tuple[Load, ...]) -> tuple[Load, ...]:
    """The predictions, open where a program also reads files that were not audited, or reads them in place of these:
    tensors of the same name may come from any of them.
    """
    return tuple(_open(one, next(_unaudited(checkpoint, one.loader), "")) for one in loads)


def _unaudited(checkpoint: Checkpoint, loader: str) -> Iterator[str]:
    """Why what a program reads was not audited, for each file."""
    others = [name for other in checkpoint.other_sets for name in other.files]
    if loader == "vllm":
        if any(is_consolidated(file.name) for file in checkpoint.files):
            return
        yield from (
            f"it reads {name} in place of this set; audit it with --weights" for name in filter(is_consolidated, others)
        )
        if checkpoint.kind == PYTORCH:
            bins = (name for name in others if name.endswith(PICKLED) and not name.startswith(NO_WEIGHTS))
            yield from (f"it also reads {name}, which was not audited" for name in bins)
            return
        if checkpoint.index is not None:
            return
    yield from (
        f"it also reads {name}, which was not audited" for name in others if fnmatchcase(name, PATTERNS[loader])
    )


def _open(load: Load, because: str) -> Load:
    if not because or load.outcome == UNKNOWN:
        return load
    return replace(load, outcome=UNKNOWN, because=because, excuse=TWICE, missing=None)
