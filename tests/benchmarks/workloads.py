"""Full-size sparse checkpoints with published hyperparameters, for benchmarks and tests of scale."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.checkpoints import Spec, genuine, write

LLAMA_8B: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "attention_bias": False, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip
LLAMA_405B = {**LLAMA_8B, "hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126,
              "num_attention_heads": 128}  # fmt: skip
TINY = {**LLAMA_8B, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": 256}  # fmt: skip
DEEPSEEK_V3: dict[str, Any] = {
    "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "hidden_size": 7168,
    "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_hidden_layers": 61,
    "num_nextn_predict_layers": 1, "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
    "n_group": 8, "topk_group": 4, "vocab_size": 129280, "attention_bias": False, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
                            "weight_block_size": [128, 128]},
}  # fmt: skip
BLOCK = 128
"""Rows and columns that share a scale in DeepSeek's fp8."""


def deepseek_spec() -> Spec:
    """DeepSeek-V3 as it is published: fp8 blocks with their scales, the MTP layer, its two copies."""
    config = DEEPSEEK_V3
    layers = config["num_hidden_layers"]
    plain = genuine(config)
    mtp = {
        name.replace(f"layers.{layers - 1}.", f"layers.{layers}."): entry
        for name, entry in plain.items()
        if f"layers.{layers - 1}." in name
    }
    hidden, vocabulary = config["hidden_size"], config["vocab_size"]
    below = f"model.layers.{layers}"
    mtp |= {
        f"{below}.embed_tokens.weight": ("BF16", (vocabulary, hidden)),
        f"{below}.enorm.weight": ("BF16", (hidden,)),
        f"{below}.hnorm.weight": ("BF16", (hidden,)),
        f"{below}.eh_proj.weight": ("BF16", (hidden, 2 * hidden)),
        f"{below}.shared_head.norm.weight": ("BF16", (hidden,)),
        f"{below}.shared_head.head.weight": ("BF16", (vocabulary, hidden)),
    }
    return _in_blocks({**plain, **mtp})


def _in_blocks(spec: Spec) -> Spec:
    packed: Spec = {}
    for name, (dtype, shape) in spec.items():
        if name.endswith("e_score_correction_bias"):
            packed[name] = ("F32", shape)
        elif name.endswith("_proj.weight") and "eh_proj" not in name or "kv_a_proj_with_mqa" in name:
            rows, columns = shape
            packed[name] = ("F8_E4M3", shape)
            packed[f"{name}_scale_inv"] = ("F32", (-(-rows // BLOCK), -(-columns // BLOCK)))
        else:
            packed[name] = (dtype, shape)
    return packed


def flat_spec() -> Spec:
    """200,000 tensors in one file."""
    return {
        f"model.layers.{layer}.blocks.{block}.proj.weight": ("F32", (16, 16))
        for layer in range(200)
        for block in range(1000)
    }


WORKLOADS: Mapping[str, Callable[[Path], Path]] = {
    "tiny": lambda folder: write(folder, genuine(TINY), TINY),
    "llama8b": lambda folder: write(folder, genuine(LLAMA_8B), LLAMA_8B, shards=4),
    "llama405b": lambda folder: write(folder, genuine(LLAMA_405B), LLAMA_405B, shards=191),
    "dsv3": lambda folder: write(folder, deepseek_spec(), DEEPSEEK_V3, shards=163),
    "flat200k": lambda folder: write(folder, flat_spec(), {**TINY, "num_hidden_layers": 200}),
}


if __name__ == "__main__":
    WORKLOADS[sys.argv[1]](Path(sys.argv[2]))
