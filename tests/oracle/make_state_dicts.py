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

CONTRADICTORY = frozenset({"bark"})
"""Types of which the recorded config ties tensors of different shapes, so that no model in memory has its shapes."""
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
        if content["model_type"] in CONTRADICTORY:
            continue
        record = made(content["model_type"], content["records"][0])
        if record is not None and not set(record["tensors"]) <= set(content["records"][0]["tensors"]):
            yield record


if __name__ == "__main__":
    text = json.dumps(list(listed()), separators=(",", ":"), default=str)
    STATE_DICTS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
