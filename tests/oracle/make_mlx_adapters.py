"""Add adapters that mlx-lm trains to `fixtures/adapters/tool_bases.json.gz`: embeddings, heads, stacked experts, DoRA.

Needs an environment with `mlx-lm[cpu]` and msgspec:

    mlx/bin/python -m tests.oracle.make_mlx_adapters
"""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.oracle.make_tool_bases import FILE

DECODER = {
    "vocab_size": 101, "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 1e4, "max_position_embeddings": 128, "head_dim": 8,
    "tie_word_embeddings": False,
}  # fmt: skip
EXPERTS = {"num_experts": 6, "num_local_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 20}
LATENT = {
    "n_routed_experts": 6, "n_shared_experts": 1, "first_k_dense_replace": 1, "q_lora_rank": 12, "kv_lora_rank": 10,
    "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "v_head_dim": 8, "n_group": 1, "topk_group": 1,
    "topk_method": "noaux_tc", "scoring_func": "sigmoid", "norm_topk_prob": True, "routed_scaling_factor": 1.0,
    "moe_layer_freq": 1, "attention_bias": False,
}  # fmt: skip
WINDOWS = {
    "tie_word_embeddings": True, "sliding_window_pattern": 2, "sliding_window": 8, "query_pre_attn_scalar": 8,
    "rope_global_base_freq": 1e4, "rope_local_base_freq": 1e4, "rope_traditional": False,
}  # fmt: skip
TOKENS = ("model.embed_tokens", "self_attn.q_proj")
SWITCH = ("self_attn.q_proj", "mlp.gate", *(f"mlp.switch_mlp.{one}_proj" for one in ("gate", "up", "down")))
BLOCK_SPARSE = tuple(one.replace("mlp.", "block_sparse_moe.", 1) for one in SWITCH)
MODELS: Mapping[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "llama": ("LlamaForCausalLM", {}, (*TOKENS, "lm_head", "mlp.down_proj")),
    "qwen2": ("Qwen2ForCausalLM", {}, TOKENS),
    "gemma3_text": ("Gemma3ForCausalLM", WINDOWS, TOKENS),
    "mixtral": ("MixtralForCausalLM", EXPERTS, BLOCK_SPARSE),
    "phimoe": ("PhimoeForCausalLM", {**EXPERTS, "original_max_position_embeddings": 128, "rope_scaling": None},
               BLOCK_SPARSE),
    "qwen3_moe": ("Qwen3MoeForCausalLM", {**EXPERTS, "decoder_sparse_step": 1, "mlp_only_layers": [],
                                          "norm_topk_prob": True}, SWITCH),
    "qwen2_moe": ("Qwen2MoeForCausalLM", {**EXPERTS, "shared_expert_intermediate_size": 24},
                  (*SWITCH, "mlp.shared_expert.up_proj")),
    "olmoe": ("OlmoeForCausalLM", EXPERTS, SWITCH),
    "deepseek_v3": ("DeepseekV3ForCausalLM", {**EXPERTS, **LATENT}, (*SWITCH[2:], "self_attn.q_b_proj")),
    "gpt_oss": ("GptOssForCausalLM", {**EXPERTS, "sliding_window": 8, "layer_types": ["sliding_attention"] * 2
                                      + ["full_attention"]},
                ("self_attn.q_proj", "mlp.experts.gate_proj", "mlp.experts.down_proj")),
}  # fmt: skip
"""mlx-lm's model -> class of transformers, keys of its config in addition to `DECODER`, and the trained modules."""


def trained(name: str, *, dora: bool) -> dict[str, Any]:
    """The tensors of an adapter on the last two layers and the modules outside of layers: name -> [dtype, shape]."""
    kind = importlib.import_module(f"mlx_lm.models.{name}")
    _, more, keys = MODELS[name]
    model = kind.Model(kind.ModelArgs.from_dict({**DECODER, **more, "model_type": name}))
    model.freeze()
    settings = {"rank": 4, "scale": 20.0, "dropout": 0.0, "keys": list(keys)}
    importlib.import_module("mlx_lm.tuner.utils").linear_to_lora_layers(model, 2, settings, use_dora=dora)
    found = importlib.import_module("mlx.utils").tree_flatten(model.trainable_parameters())
    return {key: ["F32", list(array.shape)] for key, array in found}


def records() -> Iterator[dict[str, Any]]:
    """Every model with low ranks, and those without experts with DoRA."""
    for name, (class_name, more, _) in MODELS.items():
        base = {**DECODER, **more, "model_type": name, "architectures": [class_name]}
        yield {"name": f"mlx-lm {name}", "base": base, "tensors": trained(name, dora=False)}
        if EXPERTS.keys().isdisjoint(more):
            yield {"name": f"mlx-lm dora {name}", "base": base, "tensors": trained(name, dora=True)}


if __name__ == "__main__":
    kept = [one for one in json.loads(gzip.decompress(FILE.read_bytes())) if not one["name"].startswith("mlx-lm ")]
    made = [*kept, *records()]
    FILE.write_bytes(gzip.compress(json.dumps(made, separators=(",", ":")).encode(), 9, mtime=0))
