"""Make `fixtures/published_configs.json.gz`: unmodified configs of published models.

They have old keys, nulls, omitted defaults and keys of the authors' code, unlike the sparse configs of
`published.toml`. Needs torch and transformers 5.23:

    five/bin/python tests/oracle/make_published_configs.py CONFIGS.json

CONFIGS.json: name -> [published count or null, config]. The count is that of transformers on torch's meta device; where
it has no class for the config, or counts another model than the published one, the entry states the published count.
"""

from __future__ import annotations

import gzip
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "fixtures" / "published_configs.json.gz"
RENAMED = {"T5WithLMHeadModel": "T5ForConditionalGeneration"}


def built(config: dict[str, Any]) -> int | None:
    """The parameters of the class that transformers builds from a config, None where it has none."""
    torch, transformers = import_module("torch"), import_module("transformers")
    if config["model_type"] not in transformers.CONFIG_MAPPING:
        return None
    read = transformers.CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    classes = config.get("architectures")
    name = classes[0] if classes else transformers.MODEL_MAPPING[type(read)].__name__
    kind = getattr(transformers, RENAMED.get(name, name), None)
    if kind is None:
        return None
    try:
        with torch.device("meta"):
            model = kind(read)
    except ImportError:
        return None
    return sum(int(parameter.numel()) for parameter in model.parameters())


def main(source: str) -> None:
    """Count every config and add it to the fixture, in place of one with the same name."""
    entries = {entry["name"]: entry for entry in json.loads(gzip.decompress(TARGET.read_bytes()))}
    for name, (published, config) in json.loads(Path(source).read_text()).items():
        counted = built(config)
        parameters = published or counted
        agrees = "" if counted == published or counted is None else f"; transformers 5.23 builds {counted}"
        origin = f"the published count{agrees}" if published else "transformers 5.23 on torch's meta device"
        entries[name] = {"name": name, "parameters": parameters, "source": origin, "config": config}
    TARGET.write_bytes(gzip.compress(json.dumps(list(entries.values()), separators=(",", ":")).encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
