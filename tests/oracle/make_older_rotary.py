"""Make `inspector/loading/older_rotary.json`: what transformers 4.57 takes for the settings of rotary embeddings.

Needs torch and transformers 4.57: `four/bin/python -m tests.oracle.make_older_rotary`.

Transformers 5 writes these settings into `rope_parameters`, which 4.57 does not read: it takes its own defaults. For
each type the table has these defaults for the keys that 4.57 reads, measured: with another value of the key the
frequencies of a small model differ.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import logging
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TABLE = Path("inspector/loading/older_rotary.json")
RECORDS = Path("fixtures/oracle")
CHANGED: Mapping[str, Any] = {
    "rope_theta": 777.0,
    "rope_local_base_freq": 777.0,
    "partial_rotary_factor": 0.25,
    "rope_scaling": {"rope_type": "linear", "factor": 2.0},
}
"""Another value of each key."""
WITHOUT_DEFAULT: Mapping[str, Any] = {"partial_rotary_factor": 1.0, "rope_scaling": None}
"""What models take for keys that their config class does not have."""


def small_config(model_type: str) -> dict[str, Any] | None:
    """The config of a small model of a type, or of the type of a part of one."""
    for path in (RECORDS / f"{model_type}.json.gz", RECORDS / f"{model_type.removesuffix('_text')}.json.gz"):
        if path.exists():
            records = json.loads(gzip.decompress(path.read_bytes()))["records"]
            config: dict[str, Any] = records[0]["config"]
            inner = config.get("text_config")
            return dict(inner) if path.name.removesuffix(".json.gz") != model_type and inner else dict(config)
    return None


def frequencies(model_type: str, config: Mapping[str, Any]) -> list[list[float]]:
    """The frequencies of all rotary embeddings of a model with random weights."""
    auto = importlib.import_module("transformers.models.auto")
    made = auto.CONFIG_MAPPING[model_type](**{key: value for key, value in config.items() if key != "model_type"})
    model = auto.AutoModel.from_config(made)
    return [buffer.tolist() for name, buffer in model.named_buffers() if name.endswith("inv_freq")]


def reads(model_type: str, config: Mapping[str, Any], key: str) -> bool:
    """True if the frequencies of a model depend on a key."""
    plain = {name: value for name, value in config.items() if name not in {*CHANGED, "rope_parameters"}}
    with contextlib.suppress(Exception):
        usual = frequencies(model_type, plain)
        return bool(usual) and frequencies(model_type, {**plain, key: CHANGED[key]}) != usual
    return False


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    mapping = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    table: dict[str, dict[str, Any]] = {}
    for model_type in sorted(mapping.keys()):
        with contextlib.suppress(Exception):  # some classes need the config of a part
            defaults = mapping[model_type]().to_dict()
            config = small_config(model_type)
            if config is None or "rope_theta" not in defaults:
                continue
            usual = {**WITHOUT_DEFAULT, **defaults}
            read = {key: usual[key] for key in CHANGED if key in usual and reads(model_type, config, key)}
            if "rope_theta" in read:
                table[model_type] = read
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in table.items())
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
