"""Checked-in listings that quantization tools wrote (`fixtures/quantization`).

`recorded/NAME.json.gz` is a gzipped (mtime 0) JSON object for a checkpoint that a tool wrote:

    tool, versions  the call, and the installed versions
    notes           deviations from a default run; "" if there are none
    config          config.json as the tool wrote it, or the model's own where the tool writes none
    side            other JSON files of the checkpoint: file name -> content
    parameters      of the model before it was quantized: each tied weight once, no buffers
    original        its tensors: name -> shape
    tensors         what the tool stored: name -> [dtype, shape]

`layers.json` has single layers of tools that quantize only on a GPU: the tool's own layer class was created on the CPU
and its state dict listed. Nothing in these files is computed by this project. `import_records.py` copies them from a
folder of such runs, and `recorders/` has the scripts that make them.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "fixtures" / "quantization"
RECORDS = FOLDER / "recorded"
LAYERS = FOLDER / "layers.json"
VARIANTS = FOLDER / "variants.json.gz"
RECORDED = sorted(path.name.removesuffix(".json.gz") for path in RECORDS.glob("*.json.gz"))
DTYPES = {
    "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "float32": "F32", "float16": "F16",
    "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "bool": "BOOL",
}  # fmt: skip
"""dtype of torch -> dtype of safetensors."""


@cache
def record(name: str) -> dict[str, Any]:
    """A record; do not modify the result."""
    found: dict[str, Any] = json.loads(gzip.decompress((RECORDS / f"{name}.json.gz").read_bytes()))
    return found


def write_record(name: str, content: dict[str, Any]) -> None:
    """Write a record; equal content gives identical bytes."""
    RECORDS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, separators=(",", ":"), sort_keys=True)
    (RECORDS / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


@cache
def layers() -> dict[str, Any]:
    """The single layers: name -> `{"class": ..., "weight": [outputs, inputs], "tensors": {suffix: [dtype, shape]}}`."""
    found: dict[str, Any] = json.loads(LAYERS.read_text(encoding="utf-8"))
    return found


@cache
def variants() -> dict[str, Any]:
    """Checkpoints of other bits, group sizes and models, as collected by `recorders/collect.py`; do not modify."""
    found: dict[str, Any] = json.loads(gzip.decompress(VARIANTS.read_bytes()))
    return found


def write_variants(content: dict[str, Any]) -> None:
    """Write the variants; equal content gives identical bytes."""
    text = json.dumps(content, separators=(",", ":"), sort_keys=True)
    VARIANTS.write_bytes(gzip.compress(text.encode(), mtime=0))
