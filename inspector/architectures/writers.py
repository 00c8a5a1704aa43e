"""The tables of other frameworks' names, role by role. Tables only; `inspector.notation.writing` says how they read.

litgpt: `litgpt/scripts/convert_hf_checkpoint.py` (the maps of every family), `litgpt/model.py` (module names, and
`attn.attn`, as it called the joined matrix before 0.5.4). Its joined matrix is [q; k; v]; `padded_vocab_size` rows.
Megatron-Core: `megatron/core/models/gpt/gpt_layer_specs.py` (Transformer Engine keeps a norm inside the linear that
follows it, the local spec beside it), `transformer/moe/experts.py`, `transformer/multi_latent_attention.py`; the
joined matrix is interleaved by query group. Megatron-LM's legacy model, and NeMo before 2: `megatron/legacy/model/
language_model.py`, `transformer.py`. `padded_vocab_size`: `--make-vocab-size-divisible-by` times the ranks.
torchtune: `torchtune/models/convert_weights.py` and the converters of Gemma 2, Phi-3, Qwen2, Qwen3.
Mistral: transformers' convert_mixtral_weights_to_hf.py of 4.46 (all experts of a layer in one matrix, a block of rows
each, w2's blocks turned); vLLM's mistral_large_3.py (latent attention, one tensor an expert).
llama.cpp: gguf-py 0.19.0 `constants.py` (TENSOR_NAMES) and convert_hf_to_gguf.py (which stacks, splits and squeezes);
of its types these are those that `inspector.loader.formats.gguf_names` has no table for.
OpenCLIP: `open_clip/transformer.py` (TextTransformer; torch's own attention, a projection [in, out] without module).
Black Forest Labs: `flux/model.py`, `flux/modules/layers.py`; which row is which: diffusers' `convert_flux_to_diffusers.py`.
Stability AI: `mmditx.py` of sd3.5 (JointBlock, x_block and context_block); diffusers' `loaders/single_file_utils.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from inspector.notation.writing import Joined, Writing

_SPLIT: Final = {
    "attention.qkv": ("attention.query", "attention.key", "attention.value"),
    "mlp.gate_up": ("mlp.gate", "mlp.up"),
}
_DECODERS: Final = (
    "llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "gemma", "gemma2", "gemma3_text", "phi3", "phi", "gpt_neox",
    "falcon", "olmo2", "stablelm", "deepseek_v3", "qwen2_moe",
)  # fmt: skip
_QKV: Final = Joined("attention.qkv", ("attention.query", "attention.key", "attention.value"), "q k v")
_H: Final = "transformer.h.{0}."
LITGPT: Final = Writing(
    "litgpt",
    names={
        "embed.token": "transformer.wte",
        "norm.final": "transformer.ln_f",
        "head.token": "lm_head",
        "norm.attention": _H + "norm_1",
        "norm.mlp": _H + "norm_2",
        "norm.attention.post": _H + "post_attention_norm",
        "norm.mlp.post": _H + "post_mlp_norm",
        "attention.qkv": _H + "attn.qkv",
        "attention.output": _H + "attn.proj",
        "norm.query": (_H + "attn.norm_q", _H + "attn.q_a_norm"),
        "norm.key": _H + "attn.norm_k",
        "attention.query.down": _H + "attn.q_a_proj",
        "attention.query.up": _H + "attn.q_b_proj",
        "attention.kv.down": _H + "attn.kv_a_proj_with_mqa",
        "norm.kv": _H + "attn.kv_a_norm",
        "attention.kv.up": _H + "attn.kv_b_proj",
        "mlp.gate": _H + "mlp.fc_1",
        "mlp.up": _H + "mlp.fc_2",
        "mlp.up.alone": _H + "mlp.fc",
        "mlp.down": _H + "mlp.proj",
        "router": _H + "mlp.gate",
        "router.correction": _H + "mlp.gate.e_score_correction_bias=",
        "mlp.gate{}": _H + "mlp.experts.{1}.fc_1",
        "mlp.up{}": _H + "mlp.experts.{1}.fc_2",
        "mlp.down{}": _H + "mlp.experts.{1}.proj",
        "mlp.shared.gate": _H + "mlp.shared_experts.fc_1",
        "mlp.shared.up": _H + "mlp.shared_experts.fc_2",
        "mlp.shared.down": _H + "mlp.shared_experts.proj",
    },
    signs=(
        ("transformer.h.#.attn.qkv.weight", "transformer.h.#.attn.proj.weight"),
        ("transformer.h.#.attn.kv_a_proj_with_mqa.weight", "transformer.h.#.norm_1.weight"),
    ),
    cards=_DECODERS,
    prefixes=("", "model."),
    joined=(_QKV,),
    split={"mlp.gate_up": _SPLIT["mlp.gate_up"]},
    padded=frozenset({"embed.token", "head.token"}),
)
LITGPT_OLD: Final = replace(
    LITGPT,
    names={**LITGPT.names, "attention.qkv": _H + "attn.attn"},
    signs=(("transformer.h.#.attn.attn.weight", "transformer.h.#.norm_1.weight"),),
    joined=(replace(_QKV, per="kv"),),  # a group's queries, its key and its value: up to litgpt 0.4
)

_M: Final = "decoder.layers.{0}."
_EXPERTS: Final = _M + "mlp.experts."
MEGATRON: Final = Writing(
    "Megatron-Core",
    names={
        "embed.token": "embedding.word_embeddings",
        "embed.position": "embedding.position_embeddings",
        "norm.final": "decoder.final_layernorm",
        "head.token": "output_layer",
        "norm.attention": (_M + "self_attention.linear_qkv.layer_norm_*", _M + "input_layernorm"),
        "norm.mlp": (_M + "mlp.linear_fc1.layer_norm_*", _M + "pre_mlp_layernorm"),
        "norm.attention.post": (_M + "self_attention.linear_proj.post_layernorm", _M + "post_self_attn_layernorm"),
        "norm.mlp.post": (_M + "mlp.linear_fc2.post_layernorm", _M + "post_mlp_layernorm"),
        "attention.qkv": _M + "self_attention.linear_qkv",
        "attention.output": _M + "self_attention.linear_proj",
        "attention.query.alone": _M + "self_attention.linear_q_proj",
        "norm.query": (_M + "self_attention.q_layernorm", _M + "self_attention.linear_q_up_proj.layer_norm_*"),
        "norm.key": _M + "self_attention.k_layernorm",
        "attention.query.down": _M + "self_attention.linear_q_down_proj",
        "attention.query.up": _M + "self_attention.linear_q_up_proj",
        "attention.kv.down": _M + "self_attention.linear_kv_down_proj",
        "norm.kv": (_M + "self_attention.linear_kv_up_proj.layer_norm_*", _M + "self_attention.kv_layernorm"),
        "attention.kv.up": _M + "self_attention.linear_kv_up_proj",
        "mlp.gate_up": _M + "mlp.linear_fc1",
        "mlp.up.alone": _M + "mlp.linear_fc1",
        "mlp.down": _M + "mlp.linear_fc2",
        "router": _M + "mlp.router",
        "router.correction": _M + "mlp.router.expert_bias=",
        "mlp.gate_up{}": (_EXPERTS + "linear_fc1.{1}", _EXPERTS + "local_experts.{1}.linear_fc1"),
        "mlp.down{}": (_EXPERTS + "linear_fc2.{1}", _EXPERTS + "local_experts.{1}.linear_fc2"),
        "mlp.shared.gate_up": _M + "mlp.shared_experts.linear_fc1",
        "mlp.shared.down": _M + "mlp.shared_experts.linear_fc2",
        "router.shared": _M + "mlp.shared_experts.gate_weight=",
    },
    signs=(
        ("decoder.layers.#.self_attention.linear_qkv.weight",),
        ("decoder.layers.#.self_attention.linear_kv_up_proj.weight",),
        ("decoder.layers.#.self_attention.linear_proj.weight", "embedding.word_embeddings.weight"),
    ),
    cards=(*_DECODERS, "gpt2", "deepseek_v2", "gpt_bigcode"),
    prefixes=("", "model.", "module.", "model.module.", "module.module."),
    joined=(
        replace(_QKV, per="kv"),
        Joined("mlp.gate_up", ("mlp.gate", "mlp.up"), "gate up"),
        Joined("mlp.gate_up{}", ("mlp.gate{}", "mlp.up{}"), "gate up"),
        Joined("mlp.shared.gate_up", ("mlp.shared.gate", "mlp.shared.up"), "gate up"),
    ),
    padded=frozenset({"embed.token", "head.token"}),
    apart={"norm.mlp": _M + "pre_mlp_layernorm"},
)

_O: Final = "language_model.encoder.layers.{0}."
MEGATRON_OLD: Final = replace(
    MEGATRON,
    writer="Megatron-LM",
    names={
        "embed.token": "language_model.embedding.word_embeddings",
        "embed.position": "language_model.embedding.position_embeddings",
        "norm.final": "language_model.encoder.final_layernorm",
        "head.token": "language_model.output_layer",
        "norm.attention": _O + "input_layernorm",
        "norm.mlp": _O + "post_attention_layernorm",
        "attention.qkv": _O + "self_attention.query_key_value",
        "attention.output": _O + "self_attention.dense",
        "mlp.gate_up": _O + "mlp.dense_h_to_4h",
        "mlp.up.alone": _O + "mlp.dense_h_to_4h",
        "mlp.down": _O + "mlp.dense_4h_to_h",
    },
    signs=(("language_model.encoder.layers.#.self_attention.query_key_value.weight",),),
    apart={},
)

_T: Final = "layers.{0}."
TORCHTUNE: Final = Writing(
    "torchtune",
    names={
        "embed.token": "tok_embeddings",
        "norm.final": "norm.scale=",
        "head.token": "output",
        "norm.attention": _T + "sa_norm.scale=",
        "norm.mlp": _T + "mlp_norm.scale=",
        "norm.attention.post": _T + "sa_scale.scale=",
        "norm.mlp.post": _T + "mlp_scale.scale=",
        "attention.query": _T + "attn.q_proj",
        "attention.key": _T + "attn.k_proj",
        "attention.value": _T + "attn.v_proj",
        "attention.output": _T + "attn.output_proj",
        "norm.query": _T + "attn.q_norm.scale=",
        "norm.key": _T + "attn.k_norm.scale=",
        "mlp.gate": _T + "mlp.w1",
        "mlp.up": _T + "mlp.w3",
        "mlp.down": _T + "mlp.w2",
    },
    signs=(("layers.#.attn.output_proj.weight", "layers.#.sa_norm.scale"), ("layers.#.sa_norm.scale",)),
    cards=("llama", "qwen2", "qwen3", "gemma2", "gemma", "phi3"),
    prefixes=("", "model.", "decoder."),
    split=_SPLIT,
)

_X: Final = "joint_blocks.{0}.x_block."
_C: Final = "joint_blocks.{0}.context_block."
STABILITY: Final = Writing(
    "Stability AI",
    names={
        "embed.patch": "x_embedder.proj",
        "embed.position": "pos_embed=",
        "embed.text": "context_embedder",
        "embed.time.1": "t_embedder.mlp.0",
        "embed.time.2": "t_embedder.mlp.2",
        "embed.text.1": "y_embedder.mlp.0",
        "embed.text.2": "y_embedder.mlp.2",
        "norm.modulation": _X + "adaLN_modulation.1",
        "norm.modulation.text": _C + "adaLN_modulation.1",
        "attention.qkv": _X + "attn.qkv",
        "attention.output": _X + "attn.proj",
        "second/attention.qkv": _X + "attn2.qkv",
        "second/attention.output": _X + "attn2.proj",
        "cross.qkv": _C + "attn.qkv",
        "cross.output": _C + "attn.proj",
        "norm.query": _X + "attn.ln_q",
        "norm.key": _X + "attn.ln_k",
        "second/norm.query": _X + "attn2.ln_q",
        "second/norm.key": _X + "attn2.ln_k",
        "norm.cross.query": _C + "attn.ln_q",
        "norm.cross.key": _C + "attn.ln_k",
        "mlp.up": _X + "mlp.fc1",
        "mlp.down": _X + "mlp.fc2",
        "text/mlp.up": _C + "mlp.fc1",
        "text/mlp.down": _C + "mlp.fc2",
        "norm.modulation.out": "final_layer.adaLN_modulation.1",
        "head.image": "final_layer.linear",
    },
    signs=(("joint_blocks.#.x_block.attn.qkv.weight", "joint_blocks.#.context_block.attn.qkv.weight"),),
    cards=("SD3Transformer2DModel",),
    prefixes=("", "model.diffusion_model.", "model.", "diffusion_model."),
    joined=(
        _QKV,
        Joined("second/attention.qkv", ("second/attention.query", "second/attention.key", "second/attention.value"), "q k v"),
        Joined("cross.qkv", ("cross.query", "cross.key", "cross.value"), "q k v"),
    ),
)

_D: Final = "double_blocks.{0}."
_S: Final = "single_blocks.{0}."
FLUX: Final = Writing(
    "Black Forest Labs",
    names={
        "embed.patch": "img_in",
        "embed.text": "txt_in",
        "embed.time.1": "time_in.in_layer",
        "embed.time.2": "time_in.out_layer",
        "embed.text.1": "vector_in.in_layer",
        "embed.text.2": "vector_in.out_layer",
        "embed.guidance.1": "guidance_in.in_layer",
        "embed.guidance.2": "guidance_in.out_layer",
        "norm.modulation": _D + "img_mod.lin",
        "norm.modulation.text": _D + "txt_mod.lin",
        "attention.qkv": _D + "img_attn.qkv",
        "attention.output": _D + "img_attn.proj",
        "cross.qkv": _D + "txt_attn.qkv",
        "cross.output": _D + "txt_attn.proj",
        "norm.query": _D + "img_attn.norm.query_norm.scale=",
        "norm.key": _D + "img_attn.norm.key_norm.scale=",
        "norm.cross.query": _D + "txt_attn.norm.query_norm.scale=",
        "norm.cross.key": _D + "txt_attn.norm.key_norm.scale=",
        "mlp.up": _D + "img_mlp.0",
        "mlp.down": _D + "img_mlp.2",
        "text/mlp.up": _D + "txt_mlp.0",
        "text/mlp.down": _D + "txt_mlp.2",
        "single/norm.modulation": _S + "modulation.lin",
        "single/attention.qkv_mlp": _S + "linear1",
        "single/attention.output": _S + "linear2",
        "single/norm.query": _S + "norm.query_norm.scale=",
        "single/norm.key": _S + "norm.key_norm.scale=",
        "norm.modulation.out": "final_layer.adaLN_modulation.1",
        "head.image": "final_layer.linear",
    },
    signs=(("double_blocks.#.img_attn.qkv.weight", "single_blocks.#.linear1.weight"), ("double_blocks.#.img_mod.lin.weight",)),
    cards=("FluxTransformer2DModel",),
    prefixes=("", "model.diffusion_model.", "model.", "diffusion_model."),
    joined=(
        _QKV,
        Joined("cross.qkv", ("cross.query", "cross.key", "cross.value"), "q k v"),
        Joined(
            "single/attention.qkv_mlp",
            ("single/attention.query", "single/attention.key", "single/attention.value", "single/mlp.up"),
            "q k v mlp.up",
        ),
    ),
)

_N: Final = "layers.{0}."
_MISTRAL: Final = {
    "embed.token": "tok_embeddings",
    "norm.final": "norm",
    "head.token": "output",
    "norm.attention": _N + "attention_norm",
    "norm.mlp": _N + "ffn_norm",
    "attention.query": _N + "attention.wq",
    "attention.key": _N + "attention.wk",
    "attention.value": _N + "attention.wv",
    "attention.output": _N + "attention.wo",
}
MIXTRAL: Final = Writing(
    "Mistral",
    names=_MISTRAL
    | {
        "router": _N + "block_sparse_moe.gate",
        "mlp.gate[]": _N + "block_sparse_moe.w1=",
        "mlp.up[]": _N + "block_sparse_moe.w3=",
        "mlp.down[]": _N + "block_sparse_moe.w2=",
    },
    signs=(("layers.#.block_sparse_moe.w1", "layers.#.attention.wq.weight"),),
    cards=("mixtral",),
    flat={"mlp.gate[]": "out", "mlp.up[]": "out", "mlp.down[]": "in"},
)
MISTRAL_LATENT: Final = Writing(
    "Mistral",
    names=_MISTRAL
    | {
        "attention.query.down": _N + "attention.wq_a",
        "norm.query": _N + "attention.q_a_norm",
        "attention.query.up": _N + "attention.wq_b",
        "attention.kv.down": _N + "attention.wkv_a_with_mqa",
        "norm.kv": _N + "attention.kv_a_norm",
        "attention.kv.up": _N + "attention.wkv_b",
        "mlp.gate": _N + "feed_forward.w1",
        "mlp.up": _N + "feed_forward.w3",
        "mlp.down": _N + "feed_forward.w2",
        "router": _N + "gate",
        "mlp.gate{}": _N + "experts.{1}.w1",
        "mlp.up{}": _N + "experts.{1}.w3",
        "mlp.down{}": _N + "experts.{1}.w2",
        "mlp.shared.gate": _N + "shared_experts.w1",
        "mlp.shared.up": _N + "shared_experts.w3",
        "mlp.shared.down": _N + "shared_experts.w2",
    },
    signs=(("layers.#.attention.wkv_a_with_mqa.weight", "layers.#.attention_norm.weight"),),
    cards=("mistral4", "deepseek_v3"),
)

_R: Final = "transformer.resblocks.{0}."
OPENCLIP: Final = Writing(
    "OpenCLIP",
    names={
        "embed.token": "token_embedding",
        "embed.position": "positional_embedding=",
        "norm.final": "ln_final",
        "norm.attention": _R + "ln_1",
        "norm.mlp": _R + "ln_2",
        "attention.qkv": _R + "attn.in_proj_*",
        "attention.output": _R + "attn.out_proj",
        "mlp.up": _R + "mlp.c_fc",
        "mlp.down": _R + "mlp.c_proj",
        "head.project.text": "text_projection=",
    },
    signs=(("transformer.resblocks.#.attn.in_proj_weight", "token_embedding.weight"),),
    cards=("clip_text_model",),
    joined=(_QKV,),
    turned=frozenset({"head.project.text"}),
)

_B: Final = "blk.{0}."
LLAMA_CPP: Final = Writing(
    "llama.cpp",
    names={
        "embed.token": "token_embd",
        "embed.shared": "token_embd",
        "embed.position": "position_embd",
        "embed.type": "token_types",
        "norm.embed": "token_embd_norm",
        "@h.{}.input_layernorm": _B + "attn_norm",
        "@h.{}.ln_mlp": _B + "attn_norm",
        "@h.{}.ln_attn": _B + "attn_norm_2",
        "@encoder.layers.{}.norm1": _B + "attn_output_norm",
        "@encoder.layers.{}.norm2": _B + "layer_output_norm",
        "norm.final": ("output_norm", "token_embd_norm"),
        "head.token": "output",
        "norm.attention": _B + "attn_norm",
        "norm.block": _B + "attn_norm",
        "norm.attention.post": _B + "post_attention_norm",
        "norm.mlp": _B + "ffn_norm",
        "norm.mlp.alone": (_B + "ffn_norm", _B + "post_attention_norm"),
        "norm.mlp.post": _B + "post_ffw_norm",
        "attention.qkv": _B + "attn_qkv",
        "attention.query": _B + "attn_q",
        "attention.key": _B + "attn_k",
        "attention.value": _B + "attn_v",
        "attention.output": _B + "attn_output",
        "attention.sink": _B + "attn_sinks.weight=",
        "norm.query": (_B + "attn_q_norm", _B + "attn_q_a_norm"),
        "norm.key": _B + "attn_k_norm",
        "attention.query.down": _B + "attn_q_a",
        "attention.query.up": _B + "attn_q_b",
        "attention.kv.down": _B + "attn_kv_a_mqa",
        "norm.kv": _B + "attn_kv_a_norm",
        "attention.kv.up": _B + "attn_kv_b",
        "mlp.gate": _B + "ffn_gate",
        "mlp.up": _B + "ffn_up",
        "mlp.down": _B + "ffn_down",
        "mlp.gate_up": _B + "ffn_up",
        "router": _B + "ffn_gate_inp",
        "router.correction": (_B + "exp_probs_b.bias=", _B + "exp_probs_b="),
        "mlp.gate[]": _B + "ffn_gate_exps",
        "mlp.up[]": _B + "ffn_up_exps",
        "mlp.down[]": _B + "ffn_down_exps",
        "mlp.experts.gate[]": _B + "ffn_gate_exps",
        "mlp.experts.up[]": _B + "ffn_up_exps",
        "mlp.experts.down[]": _B + "ffn_down_exps",
        "mlp.shared.gate": _B + "ffn_gate_shexp",
        "mlp.shared.up": _B + "ffn_up_shexp",
        "mlp.shared.down": _B + "ffn_down_shexp",
        "ssm.in": (_B + "ssm_in", _B + "shortconv.in_proj"),
        "ssm.conv": (_B + "ssm_conv1d", _B + "shortconv.conv"),
        "ssm.out": (_B + "ssm_out", _B + "shortconv.out_proj"),
        "ssm.select": _B + "ssm_x",
        "ssm.step": _B + "ssm_dt",
        "ssm.step=": _B + "ssm_dt.bias=",
        "ssm.decay": _B + "ssm_a=",
        "ssm.skip": _B + "ssm_d=",
        "norm.ssm": _B + "ssm_norm",
        "norm.ssm.dt": _B + "ssm_dt_norm",
        "norm.ssm.b": _B + "ssm_b_norm",
        "norm.ssm.c": _B + "ssm_c_norm",
        "mtp:norm.mtp.embed": _B + "nextn.enorm",
        "mtp:norm.mtp.hidden": _B + "nextn.hnorm",
        "mtp:mtp.join": _B + "nextn.eh_proj",
        "mtp:embed.token": _B + "nextn.embed_tokens",
        "mtp:norm.final": _B + "nextn.shared_head_norm",
        "mtp:head.token": _B + "nextn.shared_head_head",
        **{
            f"@{side}.{path}": f"{block}{name}"
            for side, block, mlp in (("encoder", "enc.", 1), ("decoder", "dec.", 2))
            for path, name in {
                "final_layer_norm": "output_norm",
                "block.0.layer.0.SelfAttention.relative_attention_bias": "blk.0.attn_rel_b",
                "block.{}.layer.0.layer_norm": "blk.{0}.attn_norm",
                **{f"block.{{}}.layer.0.SelfAttention.{one}": f"blk.{{0}}.attn_{one}" for one in "qkvo"},
                **{f"block.{{}}.layer.1.EncDecAttention.{one}": f"blk.{{0}}.cross_attn_{one}" for one in "qkvo"},
                f"block.{{}}.layer.{mlp}.layer_norm": "blk.{0}.ffn_norm",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wi": "blk.{0}.ffn_up",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wi_0": "blk.{0}.ffn_gate",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wi_1": "blk.{0}.ffn_up",
                f"block.{{}}.layer.{mlp}.DenseReluDense.wo": "blk.{0}.ffn_down",
            }.items()
        },
        "@decoder.block.{}.layer.1.layer_norm": "dec.blk.{0}.cross_attn_norm",
    },
    signs=(("token_embd.weight", "blk.#.attn_norm.weight"), ("token_embd.weight", "blk.#.attn_q.weight"),
           ("token_embd.weight", "enc.blk.#.attn_norm.weight"), ("token_embd.weight", "blk.#.attn_output_norm.weight")),
    cards=(),  # a file says its architecture; of one that is not known the names say nothing
    split=_SPLIT
    | {
        "mlp.experts.gate_up": ("mlp.experts.gate", "mlp.experts.up"),
        "mlp.shared.gate_up": ("mlp.shared.gate", "mlp.shared.up"),
    },
    stacks=True,
    by_head={"attention.kv.up": (_B + "attn_k_b", _B + "attn_v_b")},
    squeezed=frozenset({"ssm.conv", "router.correction"}),
    columns=frozenset(),
    extras=frozenset({"mtp"}),
)
LLAMA_CPP_MAMBA: Final = replace(LLAMA_CPP, signs=(("blk.#.ssm_x.weight", "token_embd.weight"),))
LLAMA_CPP_MAMBA2: Final = replace(
    LLAMA_CPP,
    names={**LLAMA_CPP.names, "norm.mlp.alone": (_B + "ffn_norm", _B + "ffn_norm=")},
    signs=(("blk.#.ssm_d", "token_embd.weight"),),
    columns=frozenset({"ssm.decay", "ssm.skip"}),
    grouped={"norm.ssm": "g"},
)

WRITINGS: Final[tuple[Writing, ...]] = (
    LITGPT, LITGPT_OLD, MEGATRON, MEGATRON_OLD, TORCHTUNE, STABILITY, FLUX, MIXTRAL, MISTRAL_LATENT, OPENCLIP, LLAMA_CPP_MAMBA,
    LLAMA_CPP_MAMBA2, LLAMA_CPP,
)  # fmt: skip
"""Every table, in the order in which signs are looked for: Mamba 1 is told from 2 by the matrix that 2 lacks."""
