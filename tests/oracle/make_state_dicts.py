"""Make `fixtures/state_dicts.json.gz`: names in memory of models that transformers 5 saves under other names.

Needs torch and transformers:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0
    five/bin/python -m tests.oracle.make_state_dicts

For each model type of `fixtures/oracle` its class is built on the meta device from the recorded config, and its
`state_dict()` listed, as `save_file(model.state_dict())`, FSDP and accelerate save it. Types with a name that differs
from the saved ones are kept. The file is gzip (mtime 0) of a JSON list of records: model_type, class, config,
num_parameters, tensors (name -> [dtype, shape]).
"""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Iterator
from typing import Any

from tests.judged import FIXTURES
from tests.oracle.tiny import merged

CONSISTENT: dict[str, tuple[str, dict[str, Any]]] = {
    "bark": ("BarkModel", {"fine_acoustics_config": {"output_vocab_size": 103}}),
    "csm": (
        "CsmForConditionalGeneration",
        {
            "vocab_size": 32,
            "depth_decoder_config": {"backbone_hidden_size": 48, "num_codebooks": 32, "vocab_size": 32},
        },
    ),
    "ovis2": ("Ovis2ForConditionalGeneration", {"vocab_size": 109}),
}
"""Types of which a recorded config ties tensors of different shapes: the class, and the sizes that fit each other.

With the recorded sizes transformers 5.23 refuses the state dict of its own model.
"""
STATE_DICTS = FIXTURES / "state_dicts.json.gz"
DTYPES = {"torch.float32": "F32", "torch.int64": "I64", "torch.bool": "BOOL", "torch.float64": "F64"}


def made(model_type: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """The state dict of the recorded class; None where the installed transformers does not build it."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    try:
        kind = getattr(transformers, record["class"])
        config = kind.config_class.from_dict(record["config"])
        with torch.device("meta"):
            model = kind(config)
    except Exception:  # any error of a version of transformers for a config of another one
        return None
    tensors = {name: [DTYPES[str(one.dtype)], list(one.shape)] for name, one in model.state_dict().items()}
    return {
        "model_type": model_type,
        "class": record["class"],
        "config": {**config.to_diff_dict(), "model_type": model_type, "architectures": [record["class"]]},
        "num_parameters": sum(one.numel() for one in model.parameters()),
        "tensors": tensors,
    }


def listed() -> Iterator[dict[str, Any]]:
    """Every type with other names in memory than in its file."""
    for path in sorted((FIXTURES / "oracle").glob("*.json.gz")):
        content = json.loads(gzip.decompress(path.read_bytes()))
        saved = measured(content["model_type"], content["records"])
        record = made(content["model_type"], saved)
        if record is not None and not set(record["tensors"]) <= set(saved["tensors"]):
            yield record


def measured(model_type: str, records: list[dict[str, Any]]) -> dict[str, Any]:
    """The record of a type that is built: the first, or that of the class in `CONSISTENT` with its sizes."""
    if model_type not in CONSISTENT:
        return records[0]
    name, sizes = CONSISTENT[model_type]
    record = next(one for one in records if one["class"] == name and not one["variant"])
    return {**record, "config": merged(record["config"], sizes)}


if __name__ == "__main__":
    text = json.dumps(list(listed()), separators=(",", ":"), default=str)
    STATE_DICTS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
