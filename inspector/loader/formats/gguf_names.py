"""llama.cpp's names of tensors beside the names of the cards: tables, one for each architecture of its converter.

Left stands what llama.cpp calls a module (below `blk.N.` or at the top), right what transformers calls it.
Stacked experts keep their stack: they get the names under which MLX stacks them, which the cards know too.
Sources: gguf-py 0.19.0 `constants.py` (TENSOR_NAMES) and `tensor_mapping.py`, llama.cpp's convert_hf_to_gguf.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from inspector.loader.layout import Layout


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one architecture.

    model_type, class_name: of transformers. ends: modules at the top. layer: modules below `blk.N.`, here below
    `layers`. bare: modules whose parameter has no suffix of its own. turned: modules that the converter
    transposes ([in, out] in transformers).
    """

    model_type: str
    class_name: str
    ends: Mapping[str, str]
    layer: Mapping[str, str]
    layers: str = "model.layers."
    bare: frozenset[str] = frozenset()
    turned: frozenset[str] = field(default_factory=frozenset)


ENDS: Final = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
PRE_NORMS: Final = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
ATTENTION: Final = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
}
QK_NORM: Final = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
SWIGLU: Final = {"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
STACKED: Final = {
    "ffn_gate_inp": "mlp.gate",
    "ffn_gate_exps": "mlp.switch_mlp.gate_proj",
    "ffn_up_exps": "mlp.switch_mlp.up_proj",
    "ffn_down_exps": "mlp.switch_mlp.down_proj",
}
BLOCK_SPARSE: Final = {
    "ffn_gate_inp": "block_sparse_moe.gate",
    "ffn_gate_exps": "block_sparse_moe.switch_mlp.gate_proj",
    "ffn_up_exps": "block_sparse_moe.switch_mlp.up_proj",
    "ffn_down_exps": "block_sparse_moe.switch_mlp.down_proj",
    "ffn_gate.#": "block_sparse_moe.experts.#.w1",  # one by one in files of 2023
    "ffn_up.#": "block_sparse_moe.experts.#.w3",
    "ffn_down.#": "block_sparse_moe.experts.#.w2",
}
SANDWICH: Final = {
    "attn_norm": "input_layernorm",
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
POST_NORMS: Final = {"post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm"}
SHARED_ONE: Final = {
    "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
    "ffn_up_shexp": "mlp.shared_expert.up_proj",
    "ffn_down_shexp": "mlp.shared_expert.down_proj",
}
LLAMA: Final = PRE_NORMS | ATTENTION | SWIGLU
FUSED: Final = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_qkv": "self_attention.query_key_value",
    "attn_output": "self_attention.dense",
    "ffn_up": "mlp.dense_h_to_4h",
    "ffn_down": "mlp.dense_4h_to_h",
}
GPT2: Final = {
    "attn_norm": "ln_1",
    "attn_qkv": "attn.c_attn",
    "attn_output": "attn.c_proj",
    "ffn_norm": "ln_2",
    "ffn_up": "mlp.c_fc",
    "ffn_down": "mlp.c_proj",
}
GPT2_ENDS: Final = {
    "token_embd": "transformer.wte",
    "position_embd": "transformer.wpe",
    "output_norm": "transformer.ln_f",
    "output": "lm_head",
}
FALCON_ENDS: Final = {
    "token_embd": "transformer.word_embeddings",
    "token_embd_norm": "transformer.word_embeddings_layernorm",
    "output_norm": "transformer.ln_f",
    "output": "lm_head",
}
BERT_ENDS: Final = {
    "token_embd": "embeddings.word_embeddings",
    "position_embd": "embeddings.position_embeddings",
    "token_types": "embeddings.token_type_embeddings",
    "token_embd_norm": "embeddings.LayerNorm",
}
BERT: Final = {
    "attn_q": "attention.self.query",
    "attn_k": "attention.self.key",
    "attn_v": "attention.self.value",
    "attn_output": "attention.output.dense",
    "attn_output_norm": "attention.output.LayerNorm",
    "ffn_up": "intermediate.dense",
    "ffn_down": "output.dense",
    "layer_output_norm": "output.LayerNorm",
}


def _causal(model_type: str, stem: str, layer: Mapping[str, str], ends: Mapping[str, str] = ENDS) -> Names:
    return Names(model_type, f"{stem}ForCausalLM", ends, layer)


TABLES: Final[Mapping[str, Names]] = {
    "llama": _causal("llama", "Llama", LLAMA),
    "llama-embed": Names("llama", "LlamaModel", ENDS, LLAMA),
    "mixtral": _causal("mixtral", "Mixtral", PRE_NORMS | ATTENTION | BLOCK_SPARSE),
    "mistral3": _causal("mistral", "Mistral", LLAMA),
    "smollm3": _causal("smollm3", "SmolLM3", LLAMA),
    "qwen2": _causal("qwen2", "Qwen2", LLAMA),
    "qwen2vl": _causal("qwen2_vl_text", "Qwen2VLText", LLAMA),
    "qwen3": _causal("qwen3", "Qwen3", LLAMA | QK_NORM),
    "qwen2moe": _causal("qwen2_moe", "Qwen2Moe", LLAMA | STACKED | SHARED_ONE),
    "qwen3moe": _causal("qwen3_moe", "Qwen3Moe", LLAMA | STACKED | QK_NORM),
    "gemma": _causal("gemma", "Gemma", LLAMA),
    "gemma2": _causal("gemma2", "Gemma2", LLAMA | SANDWICH),
    "gemma3": _causal("gemma3_text", "Gemma3", LLAMA | SANDWICH | QK_NORM),
    "phi2": _causal(
        "phi",
        "Phi",
        {
            **ATTENTION,
            "attn_norm": "input_layernorm",
            "attn_output": "self_attn.dense",
            "ffn_up": "mlp.fc1",
            "ffn_down": "mlp.fc2",
        },
        ENDS | {"output_norm": "model.final_layernorm"},
    ),
    "phi3": _causal(
        "phi3",
        "Phi3",
        LLAMA | {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"},
    ),
    "phimoe": _causal("phimoe", "PhiMoE", PRE_NORMS | ATTENTION | BLOCK_SPARSE),
    "bloom": Names("bloom", "BloomForCausalLM", FALCON_ENDS, FUSED, "transformer.h."),
    "gpt2": Names(
        "gpt2",
        "GPT2LMHeadModel",
        GPT2_ENDS,
        GPT2,
        "transformer.h.",
        turned=frozenset({"attn_qkv", "attn_output", "ffn_up", "ffn_down"}),
    ),
    "starcoder": Names("gpt_bigcode", "GPTBigCodeForCausalLM", GPT2_ENDS, GPT2, "transformer.h."),
    "gptneox": Names(
        "gpt_neox",
        "GPTNeoXForCausalLM",
        {"token_embd": "gpt_neox.embed_in", "output_norm": "gpt_neox.final_layer_norm", "output": "embed_out"},
        FUSED | {"attn_qkv": "attention.query_key_value", "attn_output": "attention.dense"},
        "gpt_neox.layers.",
    ),
    "mpt": Names(
        "mpt",
        "MptForCausalLM",
        {"token_embd": "transformer.wte", "output_norm": "transformer.norm_f", "output": "lm_head"},
        {
            "attn_norm": "norm_1",
            "attn_qkv": "attn.Wqkv",
            "attn_output": "attn.out_proj",
            "ffn_norm": "norm_2",
            "ffn_up": "ffn.up_proj",
            "ffn_down": "ffn.down_proj",
        },
        "transformer.blocks.",
    ),
    "starcoder2": _causal("starcoder2", "Starcoder2", LLAMA | {"ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"}),
    "stablelm": _causal("stablelm", "StableLm", LLAMA),
    "olmo": _causal("olmo", "Olmo", LLAMA),
    "olmo2": _causal("olmo2", "Olmo2", ATTENTION | SWIGLU | QK_NORM | POST_NORMS),
    "olmoe": _causal("olmoe", "Olmoe", LLAMA | STACKED | QK_NORM),
    "command-r": _causal("cohere", "Cohere", LLAMA | QK_NORM),
    "cohere2": _causal("cohere2", "Cohere2", LLAMA),
    "granite": _causal("granite", "Granite", LLAMA),
    "seed_oss": _causal("seed_oss", "SeedOss", LLAMA | {"post_attention_norm": "post_attention_layernorm"}),
    "xverse": _causal("xverse", "Xverse", LLAMA),
    "orion": _causal("orion", "Orion", LLAMA),
    "bert": Names("bert", "BertModel", BERT_ENDS, BERT, "encoder.layer."),
}
"""llama.cpp's architecture -> the names. "mixtral" is called "llama" in files."""

BUFFERS: Final = {
    "rope_freqs": "model.rotary_emb.inv_freq",
    "rope_factors_long": "model.rotary_emb.long_factor",
    "rope_factors_short": "model.rotary_emb.short_factor",
    "attn_rot_embd": "self_attn.rotary_emb.inv_freq",
}
"""Tables for the positions that the converter works out from the config: no parameters."""

_BLOCK: Final = re.compile(r"blk\.(\d{1,6})\.([a-z_0-9]{1,40})(?:\.(\d{1,6}))?(\.weight|\.bias|)", re.ASCII)
_END: Final = re.compile(r"([a-z_]{1,40})(\.weight|\.bias|)", re.ASCII)


def canonical_name(names: Names, stored: str) -> str | None:
    """transformers' name of a tensor of a GGUF file; None for one that the architecture has no name for."""
    found = _BLOCK.fullmatch(stored)
    if found is not None:
        layer, module, expert, suffix = found.groups()
        if expert is not None:
            path = names.layer.get(f"{module}.#", "").replace("#", expert)
        elif module in BUFFERS:
            return f"{names.layers}{int(layer)}.{BUFFERS[module]}"
        else:
            path = names.layer.get(module, "")
        if not path:
            return None
        suffix = "" if path.endswith("_bias") else suffix
        return f"{names.layers}{int(layer)}.{path}{suffix}"
    found = _END.fullmatch(stored)
    if found is None:
        return None
    if found[1] in BUFFERS:
        return BUFFERS[found[1]]
    path = names.ends.get(found[1], "")
    return f"{path}{found[2]}" if path else None


def is_buffer(stored: str) -> bool:
    """Whether a tensor of a GGUF file is a table of the positions and no parameter."""
    found = _BLOCK.fullmatch(stored)
    module = found[2] if found is not None else stored.partition(".")[0]
    return module in BUFFERS


def positions_renamed(tensors: Mapping[str, Layout]) -> tuple[dict[str, Layout], dict[str, str]]:
    """(tensors with the tables of the positions under names that say so, new name -> name in the file)."""
    made: dict[str, Layout] = {}
    origin: dict[str, str] = {}
    for stored, layout in tensors.items():
        name = f"{stored.removesuffix('.weight')}.rotary_emb.inv_freq" if is_buffer(stored) else stored
        made[name] = layout
        if name != stored:
            origin[name] = stored
    return made, origin


def turned_names(architecture: str, stored_as: Mapping[str, str]) -> frozenset[str]:
    """Of the tensors under new names those that lie transposed in the file of an architecture."""
    names = TABLES.get(architecture)
    if names is None or not names.turned:
        return frozenset()
    return frozenset(name for name, stored in stored_as.items() if _is_turned(names, stored))


def _is_turned(names: Names, stored: str) -> bool:
    found = _BLOCK.fullmatch(stored)
    return found is not None and found[2] in names.turned and found[4] == ".weight"


def renamed(names: Names, tensors: Mapping[str, Layout]) -> tuple[dict[str, Layout], dict[str, str]]:
    """(tensors under transformers' names and dims, new name -> name in the file). The unknown keep their names.

    Two that would fall on one name keep both of theirs: nothing is lost.
    """
    made: dict[str, Layout] = {}
    origin: dict[str, str] = {}
    turned: dict[int, Layout] = {}
    for stored, layout in tensors.items():
        name = canonical_name(names, stored)
        if name is None or name in made or (name != stored and name in tensors):
            made[stored] = layout
            continue
        if _is_turned(names, stored) and len(layout.shape) == 2:
            layout = turned.setdefault(
                id(layout), Layout(layout.dtype, layout.shape[::-1], layout.elements, layout.bytes)
            )
        made[name] = layout
        origin[name] = stored
    return made, origin
