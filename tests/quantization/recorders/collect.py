"""Collects checkpoints that tools saved into one file of variants: other bits, group sizes and models.

    python -m tests.quantization.recorders.collect FOLDER

FOLDER has a folder for each checkpoint as the tool wrote it, and `base_NAME` for each unquantized model.
The first word of the name is the tool (bnb, tao: torchao, quanto, ct: llmcompressor, ar: auto-round, mo: ModelOpt,
mlx, gemma: the layers of `integrations/gemma_quant.py` of transformers 5.23, saved with `save_file`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.quantization.import_records import SIDE_FILES, content
from tests.quantization.recorded import write_variants
from tests.quantization.recorders.models import headers

OWN = ("quantization_config", "quantization", "transformers_version", "architectures", "dtype", "torch_dtype",
       "tie_word_embeddings", "auto_map", "use_cache")  # fmt: skip
"""Keys in which the config of a quantized model may differ from that of its base."""


BUFFERS = ("e_score_correction_bias",)
"""Suffixes of saved buffers, which are not parameters."""


def base_of(config: dict[str, Any], bases: dict[str, dict[str, Any]], tied: bool | None) -> str | None:
    """The unquantized model: the one with the same sizes."""

    def alike(base: dict[str, Any]) -> bool:
        shared = (base.keys() & config.keys()) - set(OWN)
        return base.get("tie_word_embeddings") == tied and all(base[key] == config[key] for key in shared)

    return next((name for name, base in bases.items() if alike(base)), None)


def parameters_of(folder: Path) -> int:
    """The number of elements of all parameters of a model; ties are saved once."""
    total = 0
    for name, (_, shape) in headers(folder).items():
        if name.endswith(BUFFERS):
            continue
        elements = 1
        for dim in shape:
            elements *= dim
        total += elements
    return total


def main(folder: Path) -> None:
    """Write a record for each folder with a config and tensors."""
    bases = {path.name: content(path / "config.json") for path in sorted(folder.glob("base_*"))}
    found: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        if path.name in bases or not (path / "config.json").exists() or not headers(path):
            continue
        config = content(path / "config.json")
        base = base_of(config, bases, config.get("tie_word_embeddings"))
        found[path.name] = {
            "config": config,
            "side": {name: content(path / name) for name in SIDE_FILES if (path / name).exists()},
            "parameters": parameters_of(folder / base) if base is not None else None,
            "tensors": headers(path),
        }
    write_variants(found)
    print(json.dumps({name: one["parameters"] for name, one in found.items() if one["parameters"] is None}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
