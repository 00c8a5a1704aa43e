"""Writes the small checkpoints that come with the project, and damaged copies of them.

    python -m tests.make_checkpoints            (writes fixtures/checkpoints)

Needs numpy. The data is zeros because only headers are read, except in the two checkpoints whose values are compared.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from tests.checkpoints import genuine, write, write_file
from tests.comparing.listings import gguf, saved
from tests.comparing.pair_audits import write_gguf
from tests.judged import FIXTURES
from tests.sparse_models import llama
from tests.values.value_files import bfloat16, halves_of_pairs, numbers
from tests.values.value_files import write as write_numbers

CHECKPOINTS = FIXTURES / "checkpoints"

SMALL_LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 384,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-05,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def make() -> None:
    """Delete the folder and write all checkpoints."""
    shutil.rmtree(CHECKPOINTS, ignore_errors=True)
    spec = genuine(SMALL_LLAMA)
    write(CHECKPOINTS / "small-llama", spec, SMALL_LLAMA, shards=2)
    broken(CHECKPOINTS / "my-finetune", spec)
    tied = {**SMALL_LLAMA, "tie_word_embeddings": True}
    write(CHECKPOINTS / "tied-llama", genuine(tied), tied)
    wide = {**SMALL_LLAMA, "vocab_size": 512, "num_key_value_heads": 4}
    write(CHECKPOINTS / "wide-llama", genuine(wide), wide)
    convert(CHECKPOINTS / "llama-q8", CHECKPOINTS / "half-converted")
    adapter(CHECKPOINTS / "my-adapter")
    numbered(CHECKPOINTS / "meta-numbers", CHECKPOINTS / "llama-numbers")


def convert(good: Path, half: Path) -> None:
    """Write the small Llama as llama.cpp converts it, and as a converter that lost a matrix, a layer and tokens."""
    made = gguf(saved(SMALL_LLAMA), "Q8_0")
    for folder in (good, half):
        folder.mkdir(parents=True)
        spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in made["tensors"].items()}
        if folder is half:
            spec = {name: entry for name, entry in spec.items() if not name.startswith(("blk.3.", "blk.1.attn_k"))}
            spec |= dict.fromkeys(("token_embd.weight", "output.weight"), ("Q8_0", (352, 64)))
        write_gguf(folder / "model.gguf", spec, made["values"])


NUMBERED: dict[str, Any] = {
    **SMALL_LLAMA, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "head_dim": 8, "vocab_size": 64,
}  # fmt: skip


def numbered(native: Path, converted: Path) -> None:
    """Write a Llama with values under Meta's names, and its conversion with one damaged value."""
    arrays = numbers(dict(llama(NUMBERED)))
    heads = {"q_proj": NUMBERED["num_attention_heads"], "k_proj": NUMBERED["num_key_value_heads"]}
    names = {"model.": "", "embed_tokens": "tok_embeddings", "lm_head": "output", "self_attn.q_proj": "attention.wq",
             "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv", "self_attn.o_proj": "attention.wo",
             "mlp.gate_proj": "feed_forward.w1", "mlp.down_proj": "feed_forward.w2", "mlp.up_proj": "feed_forward.w3",
             "post_attention_layernorm": "ffn_norm", "input_layernorm": "attention_norm"}  # fmt: skip
    before, after = {}, {}
    for name, array in arrays.items():
        own = name
        for one, other in names.items():
            own = own.replace(one, other)
        before[own] = array
        part = next((part for part in heads if f".{part}." in name), "")
        after[name] = bfloat16(halves_of_pairs(array, heads[part]) if part else array)
    after["model.layers.1.mlp.up_proj.weight"][7, 3] ^= 0x4000  # the highest bit of the exponent
    write_numbers(native, before)
    (native / "model.safetensors").rename(native / "consolidated.safetensors")
    keys = {"dim": "hidden_size", "hidden_dim": "intermediate_size", "n_layers": "num_hidden_layers",
            "n_heads": "num_attention_heads", "n_kv_heads": "num_key_value_heads",
            "vocab_size": "vocab_size"}  # fmt: skip
    params = {own: NUMBERED[key] for own, key in keys.items()}
    (native / "params.json").write_text(json.dumps(params), encoding="utf-8")
    write_numbers(converted, after, NUMBERED)


ADAPTER: dict[str, Any] = {
    "base_model_name_or_path": "org/small-llama",
    "bias": "none",
    "lora_alpha": 16,
    "modules_to_save": None,
    "peft_type": "LORA",
    "r": 8,
    "rank_pattern": {},
    "target_modules": ["q_proj", "v_proj", "down_proj"],
    "task_type": "CAUSAL_LM",
}


def adapter(folder: Path) -> None:
    """Write a LoRA for the small Llama without the B matrix of one pair."""
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for layer in range(SMALL_LLAMA["num_hidden_layers"]):
        for module, inputs, outputs in (
            ("self_attn.q_proj", 64, 64),
            ("self_attn.v_proj", 64, 16),
            ("mlp.down_proj", 160, 64),
        ):
            path = f"base_model.model.model.layers.{layer}.{module}"
            spec[f"{path}.lora_A.weight"] = ("F32", (ADAPTER["r"], inputs))
            spec[f"{path}.lora_B.weight"] = ("F32", (outputs, ADAPTER["r"]))
    del spec["base_model.model.model.layers.2.self_attn.v_proj.lora_B.weight"]
    folder.mkdir()
    write_file(folder / "adapter_model.safetensors", spec)
    (folder / "adapter_config.json").write_text(json.dumps(ADAPTER), encoding="utf-8")


def broken(folder: Path, spec: dict[str, tuple[str, tuple[int, ...]]]) -> None:
    """Write a fine-tune with three faults: a wrong config key, a truncated shard, an unexpected training tensor."""
    write(folder, {**spec, "trainer.step": ("I64", (1,))}, {**SMALL_LLAMA, "num_key_value_heads": 8}, shards=2)
    last = folder / "model-00002-of-00002.safetensors"
    os.truncate(last, last.stat().st_size - 70_000)
    json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    make()
