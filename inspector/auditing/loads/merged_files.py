"""Files next to the audited ones that vLLM and mlx-lm read together with them.

mlx-lm merges every `model*.safetensors` in the order of the folder (`load_model` in `mlx_lm/utils.py` 0.32.2), vLLM
every `*.safetensors` unless an index lists some of them (`filter_duplicate_safetensors_files`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from msgspec.structs import replace

from inspector.loader.checkpoint import Checkpoint
from inspector.loading.outcome import TWICE, UNKNOWN, Load

PATTERNS: Final = {"vllm": "*.safetensors", "mlx": "model*.safetensors"}
"""Program -> the names of the files that it reads."""


def with_merged_files(checkpoint: Checkpoint, loads: tuple[Load, ...]) -> tuple[Load, ...]:
    """The predictions, open where a program also reads files that were not audited: tensors of the same name may come
    from any of them.
    """
    return tuple(_with_files(one, next(_also_read(checkpoint, one), "")) for one in loads)


def _also_read(checkpoint: Checkpoint, load: Load) -> Iterator[str]:
    if load.loader == "vllm" and checkpoint.index is not None:
        return
    for other in checkpoint.other_sets:
        yield from (name for name in other.files if fnmatchcase(name, PATTERNS[load.loader]))


def _with_files(load: Load, name: str) -> Load:
    if not name or load.outcome == UNKNOWN:
        return load
    because = f"it also reads {name}, which was not audited"
    return replace(load, outcome=UNKNOWN, because=because, excuse=TWICE, missing=None)
