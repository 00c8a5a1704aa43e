"""The tiny models that the tools quantize, and records of what they saved. Needs torch and transformers.

All widths differ, so that no wrong formula agrees by chance; `ODD` has widths that 32 does not divide.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.quantization.import_records import SIDE_FILES
from tests.quantization.recorded import write_record

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1024,
    "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip
ODD: dict[str, Any] = {**LLAMA, "hidden_size": 96, "intermediate_size": 200, "head_dim": 24}
MIXTRAL: dict[str, Any] = {
    "model_type": "mixtral", "hidden_size": 256, "intermediate_size": 384, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 1024, "num_local_experts": 4,
    "num_experts_per_tok": 2, "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip


def save_model(folder: Path, config: Mapping[str, Any]) -> Path:
    """A random model of this config, saved in bfloat16."""
    torch = import_module("torch")
    transformers = import_module("transformers")

    settings = dict(config)
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(
        transformers.AutoConfig.for_model(settings.pop("model_type"), **settings)
    )
    model.to(torch.bfloat16).save_pretrained(folder)
    return folder


def headers(folder: Path) -> dict[str, list[Any]]:
    """Name -> [dtype, shape] of every tensor in the safetensors files of a folder."""
    found: dict[str, list[Any]] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        header.pop("__metadata__", None)
        found |= {name: [entry["dtype"], entry["shape"]] for name, entry in header.items()}
    return found


def write(
    name: str, before: Path, after: Path, tool: str, packages: Iterable[str], notes: str = "", without: str = "\0"
) -> None:
    """The record of a run. before, after: the folders of the model and of what the tool saved.

    without: the suffix of the names of buffers that are left out, as stated in `notes`.
    """
    original = {tensor: shape for tensor, (_, shape) in headers(before).items()}
    config = after if (after / "config.json").exists() else before
    parameters = 0
    for shape in original.values():
        elements = 1
        for dim in shape:
            elements *= dim
        parameters += elements
    content = {
        "tool": tool,
        "versions": ", ".join(f"{package} {version(package)}" for package in packages),
        "notes": notes,
        "config": json.loads((config / "config.json").read_text(encoding="utf-8")),
        "side": {file: json.loads((after / file).read_text(encoding="utf-8"))
                 for file in SIDE_FILES if (after / file).exists()},
        "parameters": parameters,
        "original": original,
        "tensors": {tensor: entry for tensor, entry in headers(after).items() if not tensor.endswith(without)},
    }  # fmt: skip
    write_record(name, content)
