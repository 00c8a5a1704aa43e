"""Writes fixtures/dialects/converted.json: inputs and outputs of real converters for tiny models, headers only.

python -m tests.dialects.make_fixtures FOLDER

FOLDER has one folder per conversion that was run (litgpt's `copy_weights_hf_llama`, diffusers'
`convert_flux_transformer_checkpoint_to_diffusers`, transformers' `convert_llama_weights_to_hf.py`), with the
listings before and after it: before.json, after.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).parent.parent.parent / "fixtures" / "dialects" / "converted.json"
SIDES = {"litgpt_llama": "after", "diffusers_flux": "before", "meta_llama_1shard_to_hf": "before"}
"""Conversion -> the side with the names of the other framework."""


def listing(found: Any) -> dict[str, list[Any]]:
    """Name -> [dtype, shape] from a listing in any of the forms of the records."""
    tensors = found["tensors"]
    if isinstance(tensors, dict) and all(name.endswith((".pth", ".safetensors")) for name in tensors):
        tensors = next(iter(tensors.values()))
    made: dict[str, list[Any]] = {}
    for name, entry in tensors.items():
        dtype = entry["dtype"] if isinstance(entry, dict) else "bfloat16"
        shape = entry["shape"] if isinstance(entry, dict) else entry
        made[name] = ["F32" if dtype.endswith("float32") else "BF16", shape]
    return made


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    made = {name: listing(json.loads((folder / name / f"{side}.json").read_text())) for name, side in SIDES.items()}
    FIXTURE.write_text(json.dumps(made) + "\n", encoding="utf-8")
