"""Make `fixtures/known`: the config and the header of a well-known model, for the README and its test.

python tests/oracle/make_known.py        # needs torch and transformers 5.23.0; allocates no weights

The hyperparameters are those of `fixtures/published.toml`, whose count was published. The header is what the library
saves: names in the order of the model, tied tensors once, BF16. `tests.checkpoints.with_data` appends the data that
it describes, as a hole.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures"
KNOWN = {"llama-3.2-1b": "Llama-3.2-1B"}
BYTES_OF_BF16 = 2


def main() -> None:
    """Write a folder for each model."""
    entries = {one["name"]: one for one in tomllib.loads((FIXTURES / "published.toml").read_text("utf-8"))["model"]}
    for name, folder in KNOWN.items():
        entry = entries[name]
        model = _built(entry["class"], json.loads(entry["config"]))
        target = FIXTURES / "known" / folder
        target.mkdir(parents=True, exist_ok=True)
        config = json.loads(model.config.to_json_string(use_diff=True)) | {"dtype": "bfloat16"}
        (target / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        (target / "model.safetensors.header").write_bytes(_header(model))


def _built(class_name: str, config: dict[str, Any]) -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch  # type: ignore[import-not-found]
    import transformers  # type: ignore[import-not-found]

    made = transformers.AutoConfig.for_model(**config)
    with torch.device("meta"):
        model = getattr(transformers, class_name)(made)
    model.tie_weights()
    return model


def _header(model: Any) -> bytes:
    """The length and the JSON of the header, padded to a multiple of eight bytes as the format's writer does."""
    tensors: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    tied = set(model.all_tied_weights_keys)
    end = 0
    for name, tensor in model.state_dict().items():
        if name not in tied:
            start, end = end, end + tensor.numel() * BYTES_OF_BF16
            tensors[name] = {"dtype": "BF16", "shape": list(tensor.shape), "data_offsets": [start, end]}
    text = json.dumps(tensors, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


if __name__ == "__main__":
    main()
