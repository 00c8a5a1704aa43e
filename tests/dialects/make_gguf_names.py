"""Writes the names that gguf-py's table gives to each tensor of the tiny models. Needs the gguf package.

python -m tests.dialects.make_gguf_names
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

from tests.checkpoints import genuine
from tests.dialects.gguf_models import ARCHITECTURES, MODELS, config_of

FIXTURE = Path(__file__).parent.parent.parent / "fixtures" / "dialects" / "gguf_names.json"


def names_of(name: str) -> dict[str, str | None]:
    """transformers' name, experts by their stack -> llama.cpp's; None where its table has none."""
    gguf = import_module("gguf")
    known = {text: number for number, text in gguf.MODEL_ARCH_NAMES.items()}
    table = gguf.get_tensor_name_map(known[ARCHITECTURES.get(name, name)], 8)
    found: dict[str, str | None] = {}
    for tensor in genuine(config_of(name)):
        stacked = re.sub(r"experts\.\d+\.", "experts.", tensor)
        found[stacked] = table.get_name(
            stacked.removeprefix("transformer.") if name in ("chatglm", "bloom") else stacked,
            try_suffixes=(".weight", ".bias"),
        )
    return found


if __name__ == "__main__":
    FIXTURE.parent.mkdir(exist_ok=True)
    made = {name: names_of(name) for name in MODELS}
    FIXTURE.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")
