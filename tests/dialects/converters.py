"""Conversions of names and shapes from transformers to other frameworks.

Each follows the public converter named in its docstring, independently of the inspector's tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from tests.checkpoints import Shape, Spec

Renames = Iterable[tuple[str, str]]


def renamed(spec: Spec, renames: Renames) -> Spec:
    """Rename each name by the first pattern that matches all of it. KeyError if none does."""
    result: Spec = {}
    for name, entry in spec.items():
        for pattern, replacement in renames:
            new, count = re.subn(rf"^(?:{pattern})$", replacement, name)
            if count:
                result[new] = entry
                break
        else:
            raise KeyError(name)
    return result


def joined(spec: Spec, parts: tuple[str, ...], whole: str) -> Spec:
    """Concatenate by rows the tensors whose names differ only in the words of `parts`, in place of the first."""
    pattern = re.compile("(?P<before>.*)" + re.escape(f"\0{parts[0]}") + r"(?P<after>\..*)?")
    result: Spec = {}
    skipped: set[str] = set()
    for name, entry in spec.items():
        marked = name.replace(parts[0], f"\0{parts[0]}", 1)
        found = pattern.fullmatch(marked)
        if found is None:
            result[name] = entry
            continue
        names = [name.replace(parts[0], part, 1) for part in parts]
        if not all(one in spec for one in names):
            result[name] = entry
            continue
        skipped.update(names)
        rows = sum(spec[one][1][0] for one in names)
        result[name.replace(parts[0], whole, 1)] = (entry[0], (rows, *entry[1][1:]))
    return {name: entry for name, entry in result.items() if name not in skipped}


def chunked(spec: Spec, whole: str, parts: Mapping[str, Callable[[Shape], int]]) -> Spec:
    """Split tensors by rows into named parts."""
    result: Spec = {}
    for name, (dtype, shape) in spec.items():
        if whole not in name:
            result[name] = (dtype, shape)
            continue
        for part, rows in parts.items():
            result[name.replace(whole, part)] = (dtype, (rows(shape), *shape[1:]))
    return result


def padded(spec: Spec, names: Iterable[str], multiple: int) -> Spec:
    """Round the rows of the vocabulary up to a multiple."""
    result = dict(spec)
    for name in names:
        if name in result:
            dtype, (rows, *rest) = result[name]
            result[name] = (dtype, (-(-rows // multiple) * multiple, *rest))
    return result


QKV = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
HALF: Mapping[str, Callable[[Shape], int]] = {
    "mlp.gate_proj": lambda shape: shape[0] // 2,
    "mlp.up_proj": lambda shape: shape[0] // 2,
}

THIRDS: Mapping[str, Callable[[Shape], int]] = {  # for models where all query heads together are as wide as the model
    "self_attn.q_proj": lambda shape: shape[1],
    "self_attn.k_proj": lambda shape: (shape[0] - shape[1]) // 2,
    "self_attn.v_proj": lambda shape: (shape[0] - shape[1]) // 2,
}


def litgpt(spec: Spec, multiple: int = 64, *, old: bool = False) -> Spec:
    """litgpt/scripts/convert_hf_checkpoint.py: the head is always stored; rows are padded to `padding_multiple`."""
    spec = dict(spec)
    sandwich = any("pre_feedforward" in name for name in spec)
    if "model.embed_tokens.weight" in spec:
        spec.setdefault("lm_head.weight", spec["model.embed_tokens.weight"])
    spec = joined(chunked(spec, "mlp.gate_up_proj", HALF), QKV, "attn.qkv")
    layer = r"(?:model|gpt_neox|transformer)\.(?:layers|h)\.(\d+)\."
    to = r"transformer.h.\1."
    second, post = ("norm_2", "post_attention_norm") if sandwich else ("norm_2", "norm_2")
    result = renamed(spec, [
        (r"(?:model\.embed_tokens|gpt_neox\.embed_in|transformer\.word_embeddings)\.weight", "transformer.wte.weight"),
        (r"(?:model\.norm|[a-z_]+\.final_layer_?norm|transformer\.ln_f)(\..*)", r"transformer.ln_f\1"),
        (r"(?:lm_head|embed_out)(\..*)", r"lm_head\1"),
        (layer + r"(?:input_layernorm|ln_attn)(\..*)", to + r"norm_1\2"),
        (layer + r"post_attention_layernorm(\..*)", to + post + r"\2"),
        (layer + r"(?:pre_feedforward_layernorm|ln_mlp)(\..*)", to + second + r"\2"),
        (layer + r"post_feedforward_layernorm(\..*)", to + r"post_mlp_norm\2"),
        (layer + r"(?:attn\.qkv|self_attn\.qkv_proj|(?:self_)?attention\.query_key_value)(\..*)",
         to + ("attn.attn" if old else "attn.qkv") + r"\2"),
        (layer + r"(?:self_attn\.(?:o_proj|dense)|(?:self_)?attention\.dense)(\..*)", to + r"attn.proj\2"),
        (layer + r"self_attn\.([qk])_norm(\..*)", to + r"attn.norm_\2\3"),
        (layer + r"(?:mlp|block_sparse_moe)\.gate(\..*)", to + r"mlp.gate\2"),
        (layer + r"(?:mlp|block_sparse_moe)\.experts\.(\d+)\.(?:w1|gate_proj)(\..*)", to + r"mlp.experts.\2.fc_1\3"),
        (layer + r"(?:mlp|block_sparse_moe)\.experts\.(\d+)\.(?:w3|up_proj)(\..*)", to + r"mlp.experts.\2.fc_2\3"),
        (layer + r"(?:mlp|block_sparse_moe)\.experts\.(\d+)\.(?:w2|down_proj)(\..*)", to + r"mlp.experts.\2.proj\3"),
        (layer + r"mlp\.gate_proj(\..*)", to + r"mlp.fc_1\2"),
        (layer + r"mlp\.up_proj(\..*)", to + r"mlp.fc_2\2"),
        (layer + r"mlp\.down_proj(\..*)", to + r"mlp.proj\2"),
        (layer + r"mlp\.(?:fc1|dense_h_to_4h)(\..*)", to + r"mlp.fc\2"),
        (layer + r"mlp\.(?:fc2|dense_4h_to_h)(\..*)", to + r"mlp.proj\2"),
    ])  # fmt: skip
    return padded(result, ("transformer.wte.weight", "lm_head.weight", "lm_head.bias"), multiple)


def megatron(spec: Spec, multiple: int = 128, *, local: bool = False, prefix: str = "") -> Spec:
    """Megatron-Bridge's `param_mapping`; Transformer Engine's layer spec or the local one."""
    spec = joined(joined(spec, QKV, "self_attention.linear_qkv"), ("gate_proj", "up_proj"), "linear_fc1")
    spec = joined(spec, ("w1", "w3"), "linear_fc1")
    sparse = {found[1] for name in spec if (found := re.search(r"layers\.(\d+)\..*experts\.0\.", name))}
    layer = r"(?:model\.)?(?:layers|h)\.(\d+)\."
    to = r"decoder.layers.\1."
    expert = r"local_experts.\2.linear_fc{}.\3" if local else r"linear_fc{}.\3\2"
    norm = {
        True: (r"input_layernorm.\2", r"pre_mlp_layernorm.\2"),
        False: (r"self_attention.linear_qkv.layer_norm_\2", r"mlp.linear_fc1.layer_norm_\2"),
    }[local]
    latent = any("kv_a_proj" in name for name in spec)
    first = r"input_layernorm.\2" if latent else norm[0]
    sparse_layer = layer.replace(r"\d+", "|".join(sorted(sparse)) or "-")
    result = renamed(spec, [
        (r"model\.embed_tokens\.weight", "embedding.word_embeddings.weight"),
        (r"model\.norm\.(.*)", r"decoder.final_layernorm.\1"),
        (r"lm_head\.weight", "output_layer.weight"),
        (layer + r"input_layernorm\.(.*)", to + first),
        (sparse_layer + r"post_attention_layernorm\.(.*)", to + r"pre_mlp_layernorm.\2"),
        (layer + r"post_attention_layernorm\.(.*)", to + norm[1]),
        (layer + r"self_attention\.linear_qkv\.(.*)", to + r"self_attention.linear_qkv.\2"),
        (layer + r"self_attn\.o_proj\.(.*)", to + r"self_attention.linear_proj.\2"),
        (layer + r"self_attn\.([qk])_norm\.(.*)", to + r"self_attention.\2_layernorm.\3"),
        (layer + r"self_attn\.q_proj\.(.*)", to + r"self_attention.linear_q_proj.\2"),
        (layer + r"self_attn\.q_a_proj\.(.*)", to + r"self_attention.linear_q_down_proj.\2"),
        (layer + r"self_attn\.q_b_proj\.(.*)", to + r"self_attention.linear_q_up_proj.\2"),
        (layer + r"self_attn\.q_a_layernorm\.(.*)", to + r"self_attention.linear_q_up_proj.layer_norm_\2"),
        (layer + r"self_attn\.kv_a_proj_with_mqa\.(.*)", to + r"self_attention.linear_kv_down_proj.\2"),
        (layer + r"self_attn\.kv_b_proj\.(.*)", to + r"self_attention.linear_kv_up_proj.\2"),
        (layer + r"self_attn\.kv_a_layernorm\.(.*)", to + r"self_attention.linear_kv_up_proj.layer_norm_\2"),
        (layer + r"mlp\.linear_fc1\.(.*)", to + r"mlp.linear_fc1.\2"),
        (layer + r"mlp\.down_proj\.(.*)", to + r"mlp.linear_fc2.\2"),
        (layer + r"(?:mlp|block_sparse_moe)\.gate\.e_score_correction_bias", to + r"mlp.router.expert_bias"),
        (layer + r"(?:mlp|block_sparse_moe)\.gate\.(.*)", to + r"mlp.router.\2"),
        (layer + r"(?:mlp|block_sparse_moe)\.experts\.(\d+)\.linear_fc1\.(.*)", to + "mlp.experts." + expert.format(1)),
        (layer + r"\w+\.experts\.(\d+)\.(?:w2|down_proj)\.(.*)", to + "mlp.experts." + expert.format(2)),
        (layer + r"mlp\.shared_experts?\.linear_fc1\.(.*)", to + r"mlp.shared_experts.linear_fc1.\2"),
        (layer + r"mlp\.shared_experts?\.down_proj\.(.*)", to + r"mlp.shared_experts.linear_fc2.\2"),
        (layer + r"mlp\.shared_expert_gate\.weight", to + r"mlp.shared_experts.gate_weight"),
    ])  # fmt: skip
    result = padded(result, ("embedding.word_embeddings.weight", "output_layer.weight"), multiple)
    result |= {
        name.rpartition(".")[0] + "._extra_state": ("U8", (5,))
        for name in list(result)
        if name.endswith("linear_proj.weight")
    }
    return {prefix + name: entry for name, entry in result.items()}


def megatron_old(spec: Spec, prefix: str = "model.") -> Spec:
    """Megatron-LM's legacy model, as NeMo before version 2 saves it (convert_llama_hf_to_nemo.py)."""
    spec = joined(joined(spec, QKV, "self_attention.query_key_value"), ("gate_proj", "up_proj"), "dense_h_to_4h")
    layer, to = r"model\.layers\.(\d+)\.", r"language_model.encoder.layers.\1."
    result = renamed(spec, [
        (r"model\.embed_tokens\.weight", "language_model.embedding.word_embeddings.weight"),
        (r"model\.norm\.weight", "language_model.encoder.final_layernorm.weight"),
        (r"lm_head\.weight", "language_model.output_layer.weight"),
        (layer + r"(input_layernorm|post_attention_layernorm)\.(.*)", to + r"\2.\3"),
        (layer + r"self_attention\.query_key_value\.(.*)", to + r"self_attention.query_key_value.\2"),
        (layer + r"self_attn\.o_proj\.(.*)", to + r"self_attention.dense.\2"),
        (layer + r"mlp\.dense_h_to_4h\.(.*)", to + r"mlp.dense_h_to_4h.\2"),
        (layer + r"mlp\.down_proj\.(.*)", to + r"mlp.dense_4h_to_h.\2"),
    ])  # fmt: skip
    return {prefix + name: entry for name, entry in result.items()}


def torchtune(spec: Spec) -> Spec:
    """torchtune/models/convert_weights.py and the converters of Gemma 2 and Phi-3."""
    sandwich = any("pre_feedforward" in name for name in spec)
    spec = chunked(chunked(spec, "mlp.gate_up_proj", HALF), "self_attn.qkv_proj", THIRDS)
    layer, to = r"model\.layers\.(\d+)\.", r"layers.\1."
    return renamed(spec, [
        (r"model\.embed_tokens\.weight", "tok_embeddings.weight"),
        (r"model\.norm\.weight", "norm.scale"),
        (r"lm_head\.weight", "output.weight"),
        (layer + r"input_layernorm\.weight", to + "sa_norm.scale"),
        (layer + r"post_attention_layernorm\.weight", to + ("sa_scale.scale" if sandwich else "mlp_norm.scale")),
        (layer + r"pre_feedforward_layernorm\.weight", to + "mlp_norm.scale"),
        (layer + r"post_feedforward_layernorm\.weight", to + "mlp_scale.scale"),
        (layer + r"self_attn\.([qkv])_proj\.(.*)", to + r"attn.\2_proj.\3"),
        (layer + r"self_attn\.([qk])_norm\.weight", to + r"attn.\2_norm.scale"),
        (layer + r"self_attn\.o_proj\.(.*)", to + r"attn.output_proj.\2"),
        (layer + r"mlp\.gate_proj\.(.*)", to + r"mlp.w1.\2"),
        (layer + r"mlp\.up_proj\.(.*)", to + r"mlp.w3.\2"),
        (layer + r"mlp\.down_proj\.(.*)", to + r"mlp.w2.\2"),
    ])  # fmt: skip


def meta(spec: Spec, parts: int, *, old: bool = False, rotary: int = 2) -> list[Spec]:
    """Meta's names, split for `parts` GPUs as fairscale's layers are; old: token table as before Llama 3."""
    layer, to = r"model\.layers\.(\d+)\.", r"layers.\1."
    whole = renamed(spec, [
        (r"model\.embed_tokens\.weight", "tok_embeddings.weight"),
        (r"model\.norm\.weight", "norm.weight"),
        (r"lm_head\.weight", "output.weight"),
        (layer + r"input_layernorm\.weight", to + "attention_norm.weight"),
        (layer + r"post_attention_layernorm\.weight", to + "ffn_norm.weight"),
        (layer + r"self_attn\.([qkvo])_proj\.weight", to + r"attention.w\2.weight"),
        (layer + r"mlp\.gate_proj\.weight", to + "feed_forward.w1.weight"),
        (layer + r"mlp\.up_proj\.weight", to + "feed_forward.w3.weight"),
        (layer + r"mlp\.down_proj\.weight", to + "feed_forward.w2.weight"),
    ])  # fmt: skip
    whole["rope.freqs"] = ("BF16", (rotary,))
    cut: Spec = {}
    for name, (dtype, shape) in whole.items():
        second = name.endswith(("wo.weight", "w2.weight")) or (old and name.startswith("tok_"))
        if len(shape) == 1:
            cut[name] = (dtype, shape)
        else:
            cut[name] = (dtype, (shape[0], shape[1] // parts) if second else (shape[0] // parts, shape[1]))
    return [dict(cut) for _ in range(parts)]


def tencentpretrain(spec: Spec) -> Spec:
    """The names of TencentPretrain's decoder with gated layers."""
    layer, to = r"model\.layers\.(\d+)\.", r"encoder.transformer.\1."
    return renamed(spec, [
        (r"model\.embed_tokens\.weight", "embedding.word.embedding.weight"),
        (r"model\.norm\.weight", "encoder.layer_norm.weight"),
        (r"lm_head\.weight", "target.lm.output_layer.weight"),
        (layer + r"input_layernorm\.weight", to + "layer_norm_1.weight"),
        (layer + r"post_attention_layernorm\.weight", to + "layer_norm_2.weight"),
        (layer + r"self_attn\.q_proj\.weight", to + "self_attn.linear_layers.0.weight"),
        (layer + r"self_attn\.k_proj\.weight", to + "self_attn.linear_layers.1.weight"),
        (layer + r"self_attn\.v_proj\.weight", to + "self_attn.linear_layers.2.weight"),
        (layer + r"self_attn\.o_proj\.weight", to + "self_attn.final_linear.weight"),
        (layer + r"mlp\.gate_proj\.weight", to + "feed_forward.linear_gate.weight"),
        (layer + r"mlp\.up_proj\.weight", to + "feed_forward.linear_1.weight"),
        (layer + r"mlp\.down_proj\.weight", to + "feed_forward.linear_2.weight"),
    ])  # fmt: skip


def early_llama(spec: Spec) -> Spec:
    """The names of Llama in the first revisions of its pull request to transformers."""
    layer, to = r"model\.layers\.(\d+)\.", r"model.decoder.layers.\1."
    return renamed(spec, [
        (r"model\.(embed_tokens|norm)\.weight", r"model.decoder.\1.weight"),
        (r"lm_head\.weight", "lm_head.weight"),
        (layer + r"input_layernorm\.weight", to + "attention_norm.weight"),
        (layer + r"post_attention_layernorm\.weight", to + "ffn_norm.weight"),
        (layer + r"self_attn\.([qkvo])_proj\.weight", to + r"self_attn.\2_proj.weight"),
        (layer + r"mlp\.gate_proj\.weight", to + "feed_forward.w1.weight"),
        (layer + r"mlp\.up_proj\.weight", to + "feed_forward.w3.weight"),
        (layer + r"mlp\.down_proj\.weight", to + "feed_forward.w2.weight"),
    ])  # fmt: skip


def mistral(spec: Spec, *, stacked: bool = False) -> Spec:
    """Mistral's own names: one tensor per expert, or one matrix per layer (convert_mixtral of 4.46)."""
    layer, to = r"model\.layers\.(\d+)\.", r"layers.\1."
    latent = any("kv_a_proj" in name for name in spec)
    experts = to + ("" if latent else "block_sparse_moe." if stacked else "feed_forward.")
    result = renamed(spec, [
        (r"model\.embed_tokens\.weight", "tok_embeddings.weight"),
        (r"model\.norm\.weight", "norm.weight"),
        (r"lm_head\.weight", "output.weight"),
        (layer + r"input_layernorm\.weight", to + "attention_norm.weight"),
        (layer + r"post_attention_layernorm\.weight", to + "ffn_norm.weight"),
        (layer + r"self_attn\.([qkvo])_proj\.weight", to + r"attention.w\2.weight"),
        (layer + r"self_attn\.q_([ab])_proj\.weight", to + r"attention.wq_\2.weight"),
        (layer + r"self_attn\.(q|kv)_a_layernorm\.weight", to + r"attention.\2_a_norm.weight"),
        (layer + r"self_attn\.kv_a_proj_with_mqa\.weight", to + "attention.wkv_a_with_mqa.weight"),
        (layer + r"self_attn\.kv_b_proj\.weight", to + "attention.wkv_b.weight"),
        *[(layer + rf"mlp\.{one}_proj\.weight", to + f"feed_forward.w{number}.weight")
          for one, number in (("gate", 1), ("down", 2), ("up", 3))],
        *[(layer + rf"mlp\.shared_experts\.{one}_proj\.weight", to + f"shared_experts.w{number}.weight")
          for one, number in (("gate", 1), ("down", 2), ("up", 3))],
        *[(layer + rf"\w+\.experts\.(\d+)\.(?:{one}_proj|w{number})\.weight", experts + rf"experts.\2.w{number}.weight")
          for one, number in (("gate", 1), ("down", 2), ("up", 3))],
        (layer + r"\w+\.gate\.weight", experts + "gate.weight"),
    ])  # fmt: skip
    if not stacked:
        return result
    rows: dict[str, list[Shape]] = {}
    for name in list(result):
        found = re.fullmatch(r"(.*)\.experts\.\d+\.(w\d)\.weight", name)
        if found:
            shape = result.pop(name)[1]
            rows.setdefault(f"{found[1]}.{found[2]}", []).append(shape[::-1] if found[2] == "w2" else shape)
    return result | {name: ("BF16", (sum(shape[0] for shape in shapes), shapes[0][1])) for name, shapes in rows.items()}


def sd3(spec: Spec, prefix: str = "") -> Spec:
    """The inverse of diffusers' `convert_sd3_transformer_checkpoint_to_diffusers`."""
    ends = {"pos_embed.proj": "x_embedder.proj", "proj_out": "final_layer.linear",
            "norm_out.linear": "final_layer.adaLN_modulation.1", "context_embedder": "context_embedder"}  # fmt: skip
    for own, name in (("timestep_embedder", "t_embedder"), ("text_embedder", "y_embedder")):
        for number in (1, 2):
            ends[f"time_text_embed.{own}.linear_{number}"] = f"{name}.mlp.{2 * number - 2}"
    inner = {"norm1.linear": "x_block.adaLN_modulation.1", "norm1_context.linear": "context_block.adaLN_modulation.1",
             "attn.to_out.0": "x_block.attn.proj", "attn.to_add_out": "context_block.attn.proj",
             "attn2.to_out.0": "x_block.attn2.proj",
             "attn.norm_q": "x_block.attn.ln_q", "attn.norm_k": "x_block.attn.ln_k",
             "attn.norm_added_q": "context_block.attn.ln_q", "attn.norm_added_k": "context_block.attn.ln_k",
             "attn2.norm_q": "x_block.attn2.ln_q", "attn2.norm_k": "x_block.attn2.ln_k",
             "ff.net.0.proj": "x_block.mlp.fc1", "ff.net.2": "x_block.mlp.fc2",
             "ff_context.net.0.proj": "context_block.mlp.fc1", "ff_context.net.2": "context_block.mlp.fc2"}  # fmt: skip
    threes = {
        "attn.to_q": "x_block.attn.qkv",
        "attn2.to_q": "x_block.attn2.qkv",
        "attn.add_q_proj": "context_block.attn.qkv",
    }
    result: Spec = {}
    for name, (dtype, shape) in spec.items():
        stem, _, what = name.rpartition(".")
        if name == "pos_embed.pos_embed":
            result[f"{prefix}pos_embed"] = (dtype, shape)
        elif stem in ends:
            result[f"{prefix}{ends[stem]}.{what}"] = (dtype, shape)
        else:
            _, layer, module = stem.split(".", 2)
            if module in threes:
                result[f"{prefix}joint_blocks.{layer}.{threes[module]}.{what}"] = (dtype, (3 * shape[0], *shape[1:]))
            elif module in inner:
                result[f"{prefix}joint_blocks.{layer}.{inner[module]}.{what}"] = (dtype, shape)
    return result


def flux(spec: Spec, prefix: str = "") -> Spec:
    """The inverse of diffusers' `convert_flux_transformer_checkpoint_to_diffusers`."""
    block, single = r"transformer_blocks\.(\d+)\.", r"single_transformer_blocks\.(\d+)\."
    spec = joined(spec, ("attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj"), "attn.added")
    inner = re.compile(rf"^{single}(?:attn\.to_([qkv])|proj_(mlp))\.")
    spec = {inner.sub(r"single_transformer_blocks.\1.in_\2\3.", name): entry for name, entry in spec.items()}
    spec = joined(spec, ("in_q", "in_k", "in_v", "in_mlp"), "linear1")
    spec = joined(spec, ("attn.to_q", "attn.to_k", "attn.to_v"), "attn.qkv")
    result = renamed(spec, [
        (r"x_embedder\.(.*)", r"img_in.\1"),
        (r"context_embedder\.(.*)", r"txt_in.\1"),
        *[(rf"time_text_embed\.{one}_embedder\.linear_{n}\.(.*)", rf"{to}_in.{side}_layer.\1")
          for one, to in (("timestep", "time"), ("text", "vector"), ("guidance", "guidance"))
          for n, side in ((1, "in"), (2, "out"))],
        (block + r"norm1\.linear\.(.*)", r"double_blocks.\1.img_mod.lin.\2"),
        (block + r"norm1_context\.linear\.(.*)", r"double_blocks.\1.txt_mod.lin.\2"),
        (block + r"attn\.qkv\.(.*)", r"double_blocks.\1.img_attn.qkv.\2"),
        (block + r"attn\.added\.(.*)", r"double_blocks.\1.txt_attn.qkv.\2"),
        (block + r"attn\.to_out\.0\.(.*)", r"double_blocks.\1.img_attn.proj.\2"),
        (block + r"attn\.to_add_out\.(.*)", r"double_blocks.\1.txt_attn.proj.\2"),
        (block + r"attn\.norm_q\.weight", r"double_blocks.\1.img_attn.norm.query_norm.scale"),
        (block + r"attn\.norm_k\.weight", r"double_blocks.\1.img_attn.norm.key_norm.scale"),
        (block + r"attn\.norm_added_q\.weight", r"double_blocks.\1.txt_attn.norm.query_norm.scale"),
        (block + r"attn\.norm_added_k\.weight", r"double_blocks.\1.txt_attn.norm.key_norm.scale"),
        (block + r"ff\.net\.0\.proj\.(.*)", r"double_blocks.\1.img_mlp.0.\2"),
        (block + r"ff\.net\.2\.(.*)", r"double_blocks.\1.img_mlp.2.\2"),
        (block + r"ff_context\.net\.0\.proj\.(.*)", r"double_blocks.\1.txt_mlp.0.\2"),
        (block + r"ff_context\.net\.2\.(.*)", r"double_blocks.\1.txt_mlp.2.\2"),
        (single + r"norm\.linear\.(.*)", r"single_blocks.\1.modulation.lin.\2"),
        (single + r"linear1\.(.*)", r"single_blocks.\1.linear1.\2"),
        (single + r"proj_out\.(.*)", r"single_blocks.\1.linear2.\2"),
        (single + r"attn\.norm_q\.weight", r"single_blocks.\1.norm.query_norm.scale"),
        (single + r"attn\.norm_k\.weight", r"single_blocks.\1.norm.key_norm.scale"),
        (r"norm_out\.linear\.(.*)", r"final_layer.adaLN_modulation.1.\1"),
        (r"proj_out\.(.*)", r"final_layer.linear.\1"),
    ])  # fmt: skip
    return {prefix + name: entry for name, entry in result.items()}


def wan(spec: Spec, prefix: str = "") -> Spec:
    """The inverse of diffusers' `convert_wan_to_diffusers.py`."""
    block = r"((?:vace_)?blocks\.\d+)\."
    attentions = [
        (block + rf"{own}\.{part}\.(.*)", rf"\1.{theirs}.{letter}.\2")
        for own, theirs in (("attn1", "self_attn"), ("attn2", "cross_attn"))
        for part, letter in (("to_q", "q"), ("to_k", "k"), ("to_v", "v"), (r"to_out\.0", "o"), ("norm_q", "norm_q"),
                             ("norm_k", "norm_k"), ("add_k_proj", "k_img"), ("add_v_proj", "v_img"),
                             ("norm_added_k", "norm_k_img"))
    ]  # fmt: skip
    result = renamed(spec, [
        *attentions,
        *[(rf"condition_embedder\.{one}_embedder\.linear_{number}\.(.*)", rf"{one}_embedding.{2 * number - 2}.\1")
          for one in ("time", "text") for number in (1, 2)],
        (r"condition_embedder\.time_proj\.(.*)", r"time_projection.1.\1"),
        *[(rf"condition_embedder\.image_embedder\.{own}\.(.*)", rf"img_emb.proj.{number}.\1")
          for own, number in (("norm1", 0), (r"ff\.net\.0\.proj", 1), (r"ff\.net\.2", 3), ("norm2", 4))],
        (r"condition_embedder\.image_embedder\.pos_embed", "img_emb.emb_pos"),
        (block + r"norm2\.(.*)", r"\1.norm3.\2"),
        (block + r"ffn\.net\.0\.proj\.(.*)", r"\1.ffn.0.\2"),
        (block + r"ffn\.net\.2\.(.*)", r"\1.ffn.2.\2"),
        (block + r"scale_shift_table", r"\1.modulation"),
        (block + r"proj_in\.(.*)", r"\1.before_proj.\2"),
        (block + r"proj_out\.(.*)", r"\1.after_proj.\2"),
        (r"scale_shift_table", "head.modulation"),
        (r"proj_out\.(.*)", r"head.head.\1"),
        (r"(patch_embedding|vace_patch_embedding)\.(.*)", r"\1.\2"),
    ])  # fmt: skip
    return {prefix + name: entry for name, entry in result.items()}


def whisper(spec: Spec) -> Spec:
    """The inverse of transformers' `convert_openai_to_hf.py`."""
    side, layer, to = r"model\.(encoder|decoder)\.", r"model\.(encoder|decoder)\.layers\.(\d+)\.", r"\1.blocks.\2."
    parts = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "out"}
    return renamed(spec, [
        (side + r"(conv\d\..*)", r"\1.\2"),
        (side + r"embed_positions\.weight", r"\1.positional_embedding"),
        (side + r"embed_tokens\.weight", r"\1.token_embedding.weight"),
        (r"model\.encoder\.layer_norm\.(.*)", r"encoder.ln_post.\1"),
        (r"model\.decoder\.layer_norm\.(.*)", r"decoder.ln.\1"),
        *[(layer + rf"self_attn\.{own}\.(.*)", to + rf"attn.{name}.\3") for own, name in parts.items()],
        *[(layer + rf"encoder_attn\.{own}\.(.*)", to + rf"cross_attn.{name}.\3") for own, name in parts.items()],
        (layer + r"self_attn_layer_norm\.(.*)", to + r"attn_ln.\3"),
        (layer + r"encoder_attn_layer_norm\.(.*)", to + r"cross_attn_ln.\3"),
        (layer + r"final_layer_norm\.(.*)", to + r"mlp_ln.\3"),
        (layer + r"fc1\.(.*)", to + r"mlp.0.\3"),
        (layer + r"fc2\.(.*)", to + r"mlp.2.\3"),
    ])  # fmt: skip


def verl(spec: Spec) -> Spec:
    """The merger of July 2025: `mlp.experts.7.gate_proj.weight` is `mlp.experts.gate_proj.weight7`."""
    return {
        re.sub(r"\.experts\.(\d+)\.(\w+)\.weight$", r".experts.\2.weight\1", name): entry
        for name, entry in spec.items()
    }


OLMO_CORE = [
    (r"^model\.embed_tokens", "embeddings"),
    (r"^model\.norm", "lm_head.norm"),
    (r"^lm_head\.weight", "lm_head.w_out.weight"),
    (r"^model\.layers", "blocks"),
    (r"self_attn\.([qkv])_proj", r"attention.w_\1"),
    ("self_attn.o_proj", "attention.w_out"),
    ("self_attn", "attention"),
    ("mlp.gate_proj", "feed_forward.w1"),
    ("mlp.down_proj", "feed_forward.w2"),
    ("mlp.up_proj", "feed_forward.w3"),
]


def olmo_core(spec: Spec) -> Spec:
    """`olmo_core/nn/hf/key_mapping.py`; the norms of OLMo 2 follow the modules before which those of Llama are."""
    after = any("post_feedforward_layernorm" in name for name in spec)
    first, second = "post_attention_layernorm", "post_feedforward_layernorm"
    norms = [(first, "attention_norm"), (second, "feed_forward_norm")]
    if not after:
        norms = [("input_layernorm", "attention_norm"), (first, "feed_forward_norm")]
    result: Spec = {}
    for name, entry in spec.items():
        for old, new in (*OLMO_CORE, *norms):
            name = re.sub(old, new, name)
        result[name] = entry
    return result
