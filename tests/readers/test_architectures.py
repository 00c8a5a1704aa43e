"""A model of each architecture, written as llama.cpp's converter writes it, audits clean and to the last parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.loader.formats.gguf_config import BY_TYPE, KEYS
from inspector.loader.formats.gguf_names import TABLES
from tests.checkpoints import genuine
from tests.readers.made import Gguf

DECODER = {"hidden_size": 48, "intermediate_size": 80, "num_attention_heads": 6, "num_key_value_heads": 2,
           "num_hidden_layers": 3, "vocab_size": 70, "max_position_embeddings": 33}  # fmt: skip
GPT2 = {"n_embd": 48, "n_inner": 80, "n_head": 6, "n_layer": 3, "vocab_size": 70, "n_positions": 33}
PLAIN = {key: value for key, value in DECODER.items() if key != "num_key_value_heads"}
CONFIGS: dict[str, dict[str, Any]] = {
    "llama": DECODER | {"head_dim": 10},
    "qwen2": DECODER,
    "qwen3": DECODER | {"head_dim": 10},
    "gemma": DECODER | {"head_dim": 10},
    "gemma2": DECODER | {"head_dim": 10},
    "gemma3": DECODER | {"head_dim": 10},
    "phi2": DECODER,
    "phi3": DECODER,
    "gptneox": PLAIN,
    "bloom": {"hidden_size": 48, "n_head": 6, "n_layer": 3, "vocab_size": 70},
    "mpt": {"d_model": 48, "n_heads": 6, "n_layers": 3, "vocab_size": 70},
    "gpt2": GPT2,
    "starcoder2": DECODER | {"use_bias": True},
    "stablelm": DECODER,
    "olmo": DECODER,
    "olmo2": DECODER,
    "command-r": DECODER,
    "cohere2": DECODER,
    "granite": DECODER,
    "mixtral": DECODER | {"num_local_experts": 4},
    "qwen3moe": DECODER | {"head_dim": 10, "num_experts": 4, "moe_intermediate_size": 24},
    "qwen2moe": DECODER | {"num_experts": 4, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 56},
    "olmoe": DECODER | {"num_experts": 4},
    "phimoe": DECODER | {"num_local_experts": 4},
    "smollm3": DECODER,
    "seed_oss": DECODER | {"head_dim": 10},
    "starcoder": GPT2 | {"multi_query": False},
    "xverse": DECODER,
    "orion": DECODER,
    "mistral3": DECODER,
    "qwen2vl": DECODER,
    "bert": PLAIN | {"type_vocab_size": 2},
}
EXPERT = re.compile(r"(.*)\.experts\.(\d+)\.(\w+)(\.weight)")
STACK = {"w1": "gate_proj", "w3": "up_proj", "w2": "down_proj"}


def converted(architecture: str, values: dict[str, Any]) -> bytes:
    """The GGUF of a model with this config, in F32."""
    names = TABLES[architecture]
    config = {"architectures": [names.class_name], "model_type": names.model_type, **values}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (_, shape) in genuine(config, "F32").items():
        found = EXPERT.fullmatch(name)
        if found is not None:
            stacked = f"{found[1]}.switch_mlp.{STACK.get(found[3], found[3])}{found[4]}"
            shapes[stacked] = (shapes.get(stacked, (0,))[0] + 1, *shape)
        elif not name.startswith("pooler."):
            shapes[name] = tuple(shape)
    back = {path: module for module, path in (*names.ends.items(), *names.layer.items())}
    tensors: list[tuple[str, Sequence[int], int, int]] = []
    for name, shape in shapes.items():
        stem, _, suffix = name.rpartition(".")
        inside = stem.removeprefix(names.layers)
        layer, _, path = inside.partition(".")
        module = back[path] if inside != stem else back[stem]
        stored = f"blk.{layer}.{module}.{suffix}" if inside != stem else f"{module}.{suffix}"
        dims = shape if module in names.turned and suffix == "weight" else shape[::-1]
        tensors.append((stored, dims, 0, 4 * math.prod(shape)))
    prefix = "llama" if architecture == "mixtral" else architecture
    words = {**KEYS, **BY_TYPE.get(names.model_type, {})}
    pairs = [(f"{prefix}.{key}", "u32", values[word]) for key, word in words.items() if word in values]
    return Gguf().file(tensors, [("general.architecture", "text", prefix), *pairs])


@pytest.mark.parametrize("architecture", CONFIGS)
def test_a_converted_model_is_clean(architecture: str, tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(converted(architecture, CONFIGS[architecture]))
    found = audit(str(tmp_path))
    told = [(one.code, one.message) for one in found.findings if one.severity != "note"]
    if architecture == "bert":
        told = [one for one in told if "pooler" not in one[1]]
    else:
        assert found.counts.unique_parameters == found.counts.expected_parameters
    assert told == []
    assert found.architecture is not None
    assert found.architecture.model_type == TABLES[architecture].model_type
