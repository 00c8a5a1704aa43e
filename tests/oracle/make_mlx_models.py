"""Make `fixtures/dialects/mlx_lm.json.gz`: the tensors that mlx-lm's classes save, for tiny models.

Needs an environment with `mlx-lm[cpu]` and msgspec:

    mlx/bin/python -m tests.oracle.make_mlx_models

A record has the type, the config, the modules that the class leaves out, and name -> [dtype, shape] as the class saves
them, unquantized and with 4 bits. The weights that the class reads are those of the oracle's records or, for types of
which mlx-lm needs other keys, those of the definition; only models that `load_weights` reads strictly are recorded.
"""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.architectures.defaults import class_defaults
from tests.checkpoints import genuine
from tests.judged import oracle_types, records, spec_of
from tests.oracle.make_mlx_parts import WHOLE, accepted

FILE = Path(__file__).parents[2] / "fixtures" / "dialects" / "mlx_lm.json.gz"
GROUP, BITS = 32, 4
DECODER: dict[str, Any] = {
    "vocab_size": 101, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 1e4, "max_position_embeddings": 128,
    "tie_word_embeddings": False,
}  # fmt: skip
EXPERTS = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
LATENT = {
    "n_routed_experts": 4, "n_shared_experts": 1, "first_k_dense_replace": 1, "q_lora_rank": 12, "kv_lora_rank": 10,
    "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "v_head_dim": 8, "n_group": 1, "topk_group": 1,
    "routed_scaling_factor": 1.0, "attention_bias": False,
}  # fmt: skip
ROTARY = {"original_max_position_embeddings": 128, "type": "longrope",
          "short_factor": [1.0] * 8, "long_factor": [1.0] * 8}  # fmt: skip
KDA = {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "head_dim": 16, "num_heads": 4, "short_conv_kernel_size": 4}
MAMBA = {"mamba_d_conv": 4, "mamba_d_state": 8, "mamba_expand": 2, "mamba_proj_bias": False, "mamba_conv_bias": True}
CONFIGS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "mixtral": ("MixtralForCausalLM", EXPERTS),
    "gpt2": ("GPT2LMHeadModel", {"n_ctx": 64, "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 64,
                                 "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True}),
    "gpt_neox": ("GPTNeoXForCausalLM", {"intermediate_size": 256, "layer_norm_eps": 1e-5, "rotary_emb_base": 10000,
                                        "rotary_pct": 0.25, "use_parallel_residual": True}),
    "jamba": ("JambaForCausalLM", {**MAMBA, **EXPERTS, "mamba_dt_rank": 8, "attn_layer_offset": 1,
                                   "attn_layer_period": 2, "expert_layer_offset": 1, "expert_layer_period": 2}),
    "minimax_m2": ("MiniMaxM2ForCausalLM", {**EXPERTS, "shared_intermediate_size": 0, "rotary_dim": 8, "head_dim": 16,
                                            "scoring_func": "sigmoid", "use_qk_norm": True}),
    "phimoe": ("PhimoeForCausalLM", {**EXPERTS, "original_max_position_embeddings": 128, "attention_bias": True,
                                     "lm_head_bias": True,
                                     "rope_scaling": {**ROTARY, "long_mscale": 1.0, "short_mscale": 1.0}}),
    "exaone4": ("Exaone4ForCausalLM", {"sliding_window": 8, "sliding_window_pattern": "LLLG", "head_dim": 16,
                                       "rope_scaling": None}),
    "helium": ("HeliumForCausalLM", {"head_dim": 16, "attention_bias": False, "mlp_bias": False}),
    "kimi_linear": ("KimiLinearForCausalLM", {
        **LATENT, **EXPERTS, "q_lora_rank": None, "linear_attn_config": KDA, "num_experts_per_token": 2,
        "num_shared_experts": 1, "moe_router_activation_func": "sigmoid", "moe_renormalize": True,
        "num_expert_group": 1, "mla_use_nope": True, "model_max_length": 128, "head_dim": 16, "moe_layer_freq": 1,
        "pad_token_id": 0,
    }),
    "granitemoehybrid": ("GraniteMoeHybridForCausalLM", {
        **MAMBA, **EXPERTS, "layer_types": ["mamba", "attention"] * 2, "embedding_multiplier": 1.0,
        "attention_multiplier": 1.0, "logits_scaling": 1.0, "residual_multiplier": 1.0, "shared_intermediate_size": 48,
        "mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 1, "attention_bias": False, "mlp_bias": False,
        "position_embedding_type": "nope",
    }),
    "longcat_flash": ("LongcatFlashForCausalLM", {
        **LATENT, "attention_method": "MLA", "zero_expert_type": "identity", "ffn_hidden_size": 96, "num_layers": 2,
        "expert_ffn_hidden_size": 32, "moe_topk": 2, "zero_expert_num": 2, "mla_scale_q_lora": True,
        "mla_scale_kv_lora": True, "norm_topk_prob": False, "router_bias": False,
    }),
    "afmoe": ("AfmoeForCausalLM", {
        **EXPERTS, "num_dense_layers": 1, "num_shared_experts": 1, "sliding_window": 8, "n_group": 1, "topk_group": 1,
        "layer_types": ["sliding_attention", "full_attention"] * 2, "route_norm": True, "route_scale": 1.0,
        "global_attn_every_n_layers": 2, "mup_enabled": True, "score_func": "sigmoid", "head_dim": 16,
    }),
    "internlm2": ("InternLM2ForCausalLM", {"bias": False}),
    "minicpm": ("MiniCPMForCausalLM", {"dim_model_base": 32, "scale_depth": 1.4, "scale_emb": 1.0}),
}  # fmt: skip
"""Type -> class and config, in addition to `DECODER`, where the oracle's config lacks keys that mlx-lm needs."""


PUBLISHED = {"gpt2": ("transformer.", ""), "kimi_linear": (".0.block_sparse_moe.", ".0.mlp.")}
"""Type -> a part of the definition's names, and what the published weights have in its place."""


def full(model_type: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """A config with the defaults of its class, which mlx-lm does not have."""
    found = {**class_defaults(model_type)[0], **config}
    found.setdefault("tie_word_embeddings", False)
    if {"num_attention_heads", "hidden_size"} <= found.keys():
        found["head_dim"] = found.get("head_dim") or found["hidden_size"] // found["num_attention_heads"]
    for key, value in config.items():
        if isinstance(value, dict) and isinstance(value.get("model_type"), str):
            found[key] = full(value["model_type"], value)
    return found


def saved(config: Mapping[str, Any], given: Mapping[str, Any], shapes: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tensors that mlx-lm saves, plain and quantized; None if it cannot read the weights.

    given: the config for mlx-lm. shapes: name -> shape of the weights.
    """
    core, layers = importlib.import_module("mlx.core"), importlib.import_module("mlx.nn")
    flat = importlib.import_module("mlx.utils").tree_flatten
    try:
        kind, arguments = importlib.import_module("mlx_lm.utils")._get_classes(dict(given))
        model = kind(arguments.from_dict(json.loads(json.dumps(given))))
        weights = {name: core.zeros(shape) for name, shape in shapes.items()}
        model.load_weights(list(model.sanitize(weights).items() if hasattr(model, "sanitize") else weights.items()))
    except (Exception, SystemExit):  # no such type, other keys, or other weights
        return None

    def tensors() -> dict[str, Any]:
        kinds = {core.float32: "F32", core.uint32: "U32"}
        return {name: [kinds[array.dtype], list(array.shape)] for name, array in flat(model.parameters())}

    plain = tensors()
    layers.quantize(model, GROUP, BITS, class_predicate=lambda _, layer: _is_divisible(layer))
    return {"config": dict(config), "plain": plain, "quantized": tensors()}


def _is_divisible(layer: Any) -> bool:
    return hasattr(layer, "to_quantized") and hasattr(layer, "weight") and layer.weight.shape[-1] % GROUP == 0


def models() -> Iterator[dict[str, Any]]:
    """The records."""
    for model_type, (class_name, keys) in CONFIGS.items():
        config = {**DECODER, **keys, "model_type": model_type, "architectures": [class_name]}
        change = PUBLISHED.get(model_type, ("", ""))
        shapes = {name.replace(*change): shape for name, (_, shape) in genuine(config).items()}
        if (found := saved(config, config, shapes)) is None:
            print(f"mlx-lm does not read {model_type}")
            continue
        yield found
    for model_type in oracle_types():
        own = (
            one for one in records(model_type) if one["config"] and not one["variant"] and WHOLE.search(one["class"])
        )
        record = next(own, None)
        if record is None or model_type in CONFIGS:
            continue
        config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
        shapes = {name: shape for name, (_, shape) in spec_of(record).items()}
        if (found := saved(config, full(model_type, accepted(config)), shapes)) is not None:
            yield found


if __name__ == "__main__":
    made = list(models())
    FILE.write_bytes(gzip.compress(json.dumps(made, separators=(",", ":")).encode(), mtime=0))
    print(len(made), FILE.stat().st_size, *(one["config"]["model_type"] for one in made))
