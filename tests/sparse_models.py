"""Sparse full-size checkpoints: published hyperparameters, real headers, holes in place of the data.

python -m tests.sparse_models FOLDER [tiny llama8b llama405b dsv3 dsv3-by-name flat200k]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.checkpoints import Shape, Spec, data_bytes, split, write, write_file

LLAMA8B: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500000.0,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
LLAMA405B = {
    **LLAMA8B,
    "hidden_size": 16384,
    "intermediate_size": 53248,
    "num_hidden_layers": 126,
    "num_attention_heads": 128,
    "max_position_embeddings": 131072,
}
DSV3: dict[str, Any] = {
    "architectures": ["DeepseekV3ForCausalLM"],
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_nextn_predict_layers": 1,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "moe_layer_freq": 1,
    "n_group": 8,
    "topk_group": 4,
    "topk_method": "noaux_tc",
    "scoring_func": "sigmoid",
    "norm_topk_prob": True,
    "routed_scaling_factor": 2.5,
    "vocab_size": 129280,
    "max_position_embeddings": 163840,
    "rms_norm_eps": 1e-6,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "quantization_config": {
        "activation_scheme": "dynamic",
        "fmt": "e4m3",
        "quant_method": "fp8",
        "weight_block_size": [128, 128],
    },
}
TINY = {
    **LLAMA8B,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 256,
}
_Row = tuple[str, tuple[str, Shape]]


def llama(config: dict[str, Any]) -> Iterator[_Row]:
    """Names, dtypes and shapes in the order in which transformers saves them."""
    width, inner, words = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    keys = width // config["num_attention_heads"] * config["num_key_value_heads"]
    yield "model.embed_tokens.weight", ("BF16", (words, width))
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        yield at + "input_layernorm.weight", ("BF16", (width,))
        yield at + "mlp.down_proj.weight", ("BF16", (width, inner))
        yield at + "mlp.gate_proj.weight", ("BF16", (inner, width))
        yield at + "mlp.up_proj.weight", ("BF16", (inner, width))
        yield at + "post_attention_layernorm.weight", ("BF16", (width,))
        yield at + "self_attn.k_proj.weight", ("BF16", (keys, width))
        yield at + "self_attn.o_proj.weight", ("BF16", (width, width))
        yield at + "self_attn.q_proj.weight", ("BF16", (width, width))
        yield at + "self_attn.v_proj.weight", ("BF16", (keys, width))
    yield "model.norm.weight", ("BF16", (width,))
    yield "lm_head.weight", ("BF16", (words, width))


def _fp8(name: str, out: int, into: int) -> Iterator[_Row]:
    yield name + ".weight", ("F8_E4M3", (out, into))
    yield name + ".weight_scale_inv", ("F32", (-(-out // 128), -(-into // 128)))


def _swiglu(at: str, width: int, inner: int) -> Iterator[_Row]:
    yield from _fp8(at + "gate_proj", inner, width)
    yield from _fp8(at + "up_proj", inner, width)
    yield from _fp8(at + "down_proj", width, inner)


def _latent_attention(at: str, config: dict[str, Any]) -> Iterator[_Row]:
    width, heads, low, kv = (
        config[key] for key in ("hidden_size", "num_attention_heads", "q_lora_rank", "kv_lora_rank")
    )
    plain, turned, value = (config[key] for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    yield from _fp8(at + "q_a_proj", low, width)
    yield at + "q_a_layernorm.weight", ("BF16", (low,))
    yield from _fp8(at + "q_b_proj", heads * (plain + turned), low)
    yield from _fp8(at + "kv_a_proj_with_mqa", kv + turned, width)
    yield at + "kv_a_layernorm.weight", ("BF16", (kv,))
    yield from _fp8(at + "kv_b_proj", heads * (plain + value), kv)
    yield from _fp8(at + "o_proj", width, heads * value)


def deepseek_v3(config: dict[str, Any]) -> Iterator[_Row]:
    """Blockwise fp8 with scales, and the MTP layer after the last one."""
    width, words, experts = config["hidden_size"], config["vocab_size"], config["n_routed_experts"]
    last = config["num_hidden_layers"]
    yield "model.embed_tokens.weight", ("BF16", (words, width))
    for layer in range(last + config["num_nextn_predict_layers"]):
        at = f"model.layers.{layer}."
        if layer >= last:
            yield at + "embed_tokens.weight", ("BF16", (words, width))
            yield at + "enorm.weight", ("BF16", (width,))
            yield at + "hnorm.weight", ("BF16", (width,))
            yield at + "eh_proj.weight", ("BF16", (width, 2 * width))
        yield from _latent_attention(at + "self_attn.", config)
        if layer < config["first_k_dense_replace"]:
            yield from _swiglu(at + "mlp.", width, config["intermediate_size"])
        else:
            inner = config["moe_intermediate_size"]
            yield at + "mlp.gate.weight", ("BF16", (experts, width))
            yield at + "mlp.gate.e_score_correction_bias", ("F32", (experts,))
            yield from _swiglu(at + "mlp.shared_experts.", width, inner * config["n_shared_experts"])
            for expert in range(experts):
                yield from _swiglu(f"{at}mlp.experts.{expert}.", width, inner)
        yield at + "input_layernorm.weight", ("BF16", (width,))
        yield at + "post_attention_layernorm.weight", ("BF16", (width,))
        if layer >= last:
            yield at + "shared_head.norm.weight", ("BF16", (width,))
            yield at + "shared_head.head.weight", ("BF16", (words, width))
    yield "model.norm.weight", ("BF16", (width,))
    yield "lm_head.weight", ("BF16", (words, width))


def flat(config: dict[str, Any]) -> Iterator[_Row]:
    """200,000 tensors that no architecture has."""
    for layer in range(config["num_hidden_layers"]):
        for block in range(1000):
            yield f"model.layers.{layer}.blocks.{block}.proj.weight", ("F32", (16, 16))


MODELS: dict[str, tuple[dict[str, Any], Callable[[dict[str, Any]], Iterator[_Row]], int]] = {
    "tiny": (TINY, llama, 1),
    "llama8b": (LLAMA8B, llama, 4),
    "llama405b": (LLAMA405B, llama, 191),
    "dsv3": (DSV3, deepseek_v3, 163),
    "flat200k": ({**TINY, "num_hidden_layers": 200}, flat, 1),
}
"""Name -> config, spec, shards."""
BY_NAME = "-by-name"
"""Suffix of models whose index is sorted by name, and whose headers are in the order of the safetensors library."""


def make(name: str, folder: Path) -> Path:
    """Write the checkpoint of this name into its own folder."""
    config, rows, shards = MODELS[name.removesuffix(BY_NAME)]
    spec = dict(rows(config))
    write(folder, spec, config, shards=shards)
    if name.endswith(BY_NAME):
        index = folder / "model.safetensors.index.json"
        content = json.loads(index.read_text(encoding="utf-8"))
        content["weight_map"] = dict(sorted(content["weight_map"].items()))
        index.write_text(json.dumps(content, indent=2), encoding="utf-8")
        make_shards(folder, spec, shards, _as_saved)
    return folder


def _as_saved(part: Spec) -> Spec:
    """Tensors of wide dtypes first, then by name, as safetensors orders them."""
    return dict(sorted(part.items(), key=lambda row: (-data_bytes(row[1][0], (1,)), row[0])))


def make_shards(folder: Path, spec: Spec, shards: int, ordered: Callable[[Spec], Spec] = dict) -> list[Path]:
    """Only the shards, without index and config."""
    paths = []
    for number, part in enumerate(split(spec, shards), 1):
        paths.append(folder / f"model-{number:05d}-of-{shards:05d}.safetensors")
        write_file(paths[-1], ordered(part))
    return paths


def header_bytes(folder: Path) -> int:
    """Bytes of all headers of a folder, length prefixes included."""
    total = 0
    for path in folder.glob("*.safetensors"):
        with path.open("rb") as file:
            total += 8 + int.from_bytes(file.read(8), "little")
    return total


def main(arguments: list[str]) -> None:
    """Makes the checkpoints named, or all."""
    for name in arguments[1:] or MODELS:
        folder = make(name, Path(arguments[0]) / name)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        print(f"{name}: {config['model_type']}, {header_bytes(folder):,} bytes of headers")


if __name__ == "__main__":
    main(sys.argv[1:])
