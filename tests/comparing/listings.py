"""Checkpoints as listings, and their conversions by several tools: names and shapes as in each format.

A side is plain data: {"kind", "config", "tensors": {name: [dtype, shape]}}, for GGUF also "values" (key-values)
and for torch "ties". Shapes are torch's; a GGUF file stores them reversed.
Sources: llama.cpp's convert_hf_to_gguf.py and gguf-py's tensor names; transformers' convert_llama_weights_to_hf.py;
mlx-lm's convert; transformers 5's `save_pretrained(save_original_format=False)`; torch.save of a state dict.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.checkpoints import genuine

Side = dict[str, Any]

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 160,
    "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 224,
    "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip
"""All widths differ; rows of 64 and 160 so that blocks of 32 fit."""
TIED = {**LLAMA, "tie_word_embeddings": True}
QWEN2 = {**LLAMA, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "tie_word_embeddings": True}
MIXTRAL = {
    **LLAMA, "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "intermediate_size": 96,
    "num_local_experts": 5, "num_experts_per_tok": 2,
}  # fmt: skip
PHI3 = {**LLAMA, "architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "pad_token_id": 0}
GPT2 = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 48, "n_head": 4, "n_layer": 3,
        "n_positions": 40, "vocab_size": 224}  # fmt: skip
PARAMS = {"dim": 64, "n_layers": 3, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 224, "hidden_dim": 160}


def side(config: dict[str, Any] | None, tensors: dict[str, Any], kind: str = "safetensors", **more: Any) -> Side:
    """One side of a pair."""
    listed = {name: [dtype, list(shape)] for name, (dtype, shape) in tensors.items()}
    return {"kind": kind, "config": config, "tensors": listed, **more}


def saved(config: dict[str, Any], dtype: str = "BF16") -> Side:
    """As transformers saves it."""
    return side(config, genuine(config, dtype))


def renamed(of: Side, table: dict[str, str], config: dict[str, Any] | None) -> Side:
    """The same tensors with these parts of their names replaced, in this order."""
    tensors = {}
    for name, entry in of["tensors"].items():
        for old, new in table.items():
            name = re.sub(old, new, name)
        tensors[name] = entry
    return {**of, "config": config, "tensors": tensors}


META = {
    r"^model\.": "", r"^lm_head": "output", r"^embed_tokens": "tok_embeddings",
    r"\.input_layernorm": ".attention_norm", r"\.post_attention_layernorm": ".ffn_norm",
    r"\.self_attn\.(.)_proj": r".attention.w\1",
    r"\.mlp\.gate_proj": ".feed_forward.w1", r"\.mlp\.up_proj": ".feed_forward.w3",
    r"\.mlp\.down_proj": ".feed_forward.w2",
}  # fmt: skip
GGUF = {
    r"^model\.embed_tokens": "token_embd", r"^model\.norm": "output_norm", r"^lm_head": "output",
    r"^model\.layers": "blk", r"input_layernorm": "attn_norm", r"post_attention_layernorm": "ffn_norm",
    r"self_attn\.o_proj": "attn_output", r"self_attn\.(.)_proj": r"attn_\1", r"mlp\.(gate|up|down)_proj": r"ffn_\1",
    r"block_sparse_moe\.gate": "ffn_gate_inp",
}  # fmt: skip
_EXPERT = re.compile(r"(.*)\.block_sparse_moe\.experts\.(\d+)\.w([123])\.weight")


def stacked(of: Side, name: Callable[[str, str], str]) -> Side:
    """Mixtral's experts in one tensor each; name(layer's prefix, "gate" | "up" | "down")."""
    words = {"1": "gate", "2": "down", "3": "up"}
    tensors: dict[str, Any] = {}
    for stored, (dtype, shape) in of["tensors"].items():
        found = _EXPERT.fullmatch(stored)
        if found is None:
            tensors[stored] = [dtype, shape]
            continue
        key = name(found[1], words[found[3]])
        known = tensors.get(key, [dtype, [0, *shape]])
        tensors[key] = [dtype, [max(known[1][0], int(found[2]) + 1), *shape]]
    return {**of, "tensors": tensors}


def gguf(of: Side, dtype: str = "F16", *, frequencies: bool = False) -> Side:
    """As llama.cpp's converter writes it: 1-D tensors and routers in F32."""
    config = of["config"]
    of = stacked(of, lambda layer, word: f"{layer.replace('model.layers', 'blk')}.ffn_{word}_exps.weight")
    made = renamed(of, GGUF, None)
    tensors = {
        name: ["F32" if len(shape) == 1 or "gate_inp" in name else dtype, shape]
        for name, (_, shape) in made["tensors"].items()
    }
    if frequencies:
        tensors["rope_freqs.weight"] = ["F32", [config["head_dim"] // 2]]
    name = {"mixtral": "llama"}.get(config["model_type"], config["model_type"])
    values = {
        "general.architecture": name,
        f"{name}.block_count": config["num_hidden_layers"],
        f"{name}.context_length": config["max_position_embeddings"],
        f"{name}.embedding_length": config["hidden_size"],
        f"{name}.feed_forward_length": config["intermediate_size"],
        f"{name}.attention.head_count": config["num_attention_heads"],
        f"{name}.attention.head_count_kv": config["num_key_value_heads"],
        f"{name}.vocab_size": config["vocab_size"],
    }
    if "num_local_experts" in config:
        values |= {f"{name}.expert_count": config["num_local_experts"], f"{name}.expert_used_count": 2}
    return {"kind": "gguf", "config": None, "tensors": tensors, "values": values}


def in_memory(of: Side) -> Side:
    """Mixtral as transformers 5 holds it: gate and up in one tensor, all experts stacked."""
    made = stacked(of, lambda layer, word: f"{layer}.mlp.experts.{word}")
    tensors: dict[str, Any] = {}
    for name, (dtype, shape) in made["tensors"].items():
        if name.endswith((".gate", ".down")):
            wide = [shape[0], 2 * shape[1], shape[2]] if name.endswith(".gate") else shape
            tensors[f"{name.rpartition('.')[0]}.{'gate_up' if wide != shape else 'down'}_proj"] = [dtype, wide]
        elif not name.endswith(".up"):
            tensors[name.replace("block_sparse_moe", "mlp")] = [dtype, shape]
    return {**of, "tensors": tensors}


def switched(of: Side) -> Side:
    """Mixtral as MLX stacks it."""
    return stacked(of, lambda layer, word: f"{layer}.block_sparse_moe.switch_mlp.{word}_proj.weight")


def fused(of: Side, config: dict[str, Any]) -> Side:
    """Llama's q, k, v and gate, up in one matrix each, as Phi-3 stores them."""
    tensors: dict[str, Any] = {}
    for name, (dtype, shape) in of["tensors"].items():
        for part, whole in (("q", "qkv"), ("k", "qkv"), ("v", "qkv"), ("gate", "gate_up"), ("up", "gate_up")):
            if f".{part}_proj." in name:
                name = name.replace(f".{part}_proj.", f".{whole}_proj.")
                shape = [tensors.get(name, [dtype, [0]])[1][0] + shape[0], *shape[1:]]
                break
        tensors[name] = [dtype, shape]
    return {**of, "config": config, "tensors": tensors}


def linear_twin(of: Side) -> Side:
    """GPT-2 with every matrix of its layers transposed, and no config."""
    turned = {name: [dtype, shape[::-1] if ".h." in name else shape] for name, (dtype, shape) in of["tensors"].items()}
    return {**of, "config": None, "tensors": turned}


def retyped(of: Side, dtype: str) -> Side:
    """The same side in another dtype."""
    return {**of, "tensors": {name: [dtype, shape] for name, (_, shape) in of["tensors"].items()}}


def state_dict(of: Side) -> Side:
    """torch.save of a tied model's state dict: the head shares the storage of the embedding."""
    tied = {**of["tensors"], "lm_head.weight": of["tensors"]["model.embed_tokens.weight"]}
    ties = [["model.embed_tokens.weight", "lm_head.weight"]]
    return {"kind": "torch", "config": None, "tensors": tied, "ties": ties}


def without_config(of: Side) -> Side:
    """The same side without its config."""
    return {**of, "config": None}


def pairs() -> dict[str, tuple[Side, Side]]:
    """Every pair by name: before and after one conversion."""
    llama, tied, mixtral, qwen2 = saved(LLAMA), saved(TIED), saved(MIXTRAL), saved(QWEN2)
    gpt2 = saved(GPT2, "F32")
    meta = renamed(llama, META, PARAMS) | {"config_name": "params.json"}
    meta["tensors"]["rope.freqs"] = ["F32", [8]]
    return {
        "llama-gguf-f16": (llama, gguf(llama)),
        "llama-gguf-q8": (llama, gguf(llama, "Q8_0")),
        "llama-tied-gguf-q8": (tied, gguf(tied, "Q8_0", frequencies=True)),
        "qwen2-gguf-f16": (qwen2, gguf(qwen2)),
        "mixtral-gguf-f16": (mixtral, gguf(mixtral)),
        "mixtral-in-memory": (mixtral, in_memory(mixtral)),
        "mixtral-mlx": (mixtral, switched(mixtral)),
        "mixtral-mlx-in-memory": (switched(mixtral), in_memory(mixtral)),
        "meta-llama": (meta, llama),
        "llama-fused": (llama, fused(llama, PHI3)),
        "gpt2-linear": (without_config(gpt2), linear_twin(gpt2)),
        "torch-tied": (state_dict(tied), tied),
        "llama-f32-bf16": (retyped(llama, "F32"), llama),
        "llama-mistral-definition": (
            llama,
            {**llama, "config": {**LLAMA, "model_type": "mistral", "architectures": ["MistralForCausalLM"]}},
        ),
    }
