"""llama.cpp: names of tensors in GGUF files.

Sources: gguf-py 0.19.0 `constants.py` (TENSOR_NAMES) and `tensor_mapping.py`; llama.cpp's convert_hf_to_gguf.py (which
tensors it stacks, splits, squeezes). A file states its architecture; if that is unknown, the names alone do not
identify the model.
"""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.dialects.language import Dialect, stored
from inspector.loader.config_file import GGUF_WRITER

WRITER: Final = GGUF_WRITER
_B: Final = "blk.{0}."
LLAMA_CPP: Final = Dialect(
    writer=WRITER,
    exporter="from_pretrained(folder, gguf_file=name) of transformers from the GGUF file",
    names={
        "embed.token": "token_embd",
        "embed.shared": "token_embd",
        "embed.position": "position_embd",
        "embed.type": ("token_types", stored("token_types", "flat")),  # one row, after llama-quantize
        "norm.embed": "token_embd_norm",
        "@h.{}.input_layernorm": _B + "attn_norm",
        "@h.{}.ln_mlp": _B + "attn_norm",
        "@h.{}.ln_attn": _B + "attn_norm_2",
        "@encoder.layers.{}.norm1": _B + "attn_output_norm",
        "@encoder.layers.{}.norm2": _B + "layer_output_norm",
        "@encoder.layer.{}.attention.output.LayerNorm": _B + "attn_output_norm",
        "@encoder.layer.{}.output.LayerNorm": _B + "layer_output_norm",
        "@transformer.layer.{}.sa_layer_norm": _B + "attn_output_norm",
        "@transformer.layer.{}.output_layer_norm": _B + "layer_output_norm",
        "@pooler.dense": "pooler.dense",
        "head.dense": "cls",
        "norm.head": "cls.norm",
        "head.class": ("cls.output", stored("cls.output", "flat")),  # one label, after llama-quantize
        "norm.final": "output_norm",
        "@embedding_norm": ("output_norm", "token_embd_norm"),  # the final norm of LFM2
        "@layers.{}.self_attn.rotary_emb.inv_freq": _B + "attn_rot_embd.weight=",
        "@layers.{}.final_layernorm": _B + "layer_output_norm",  # in the layers of Ling 2 that predict further tokens
        "head.token": "output",
        "norm.attention": _B + "attn_norm",
        "norm.block": _B + "attn_norm",
        "norm.attention.post": _B + "post_attention_norm",
        "norm.mlp": _B + "ffn_norm",
        "norm.mlp.alone": (_B + "ffn_norm", _B + "post_attention_norm"),
        "norm.mlp.post": _B + "post_ffw_norm",
        "norm.mlp.dense": _B + "post_ffw_norm_1",
        "norm.mlp.experts": _B + "pre_ffw_norm_2",
        "norm.mlp.experts.post": _B + "post_ffw_norm_2",
        "@blocks.{}.norm_attn_norm.norm_2": _B + "attn_output_norm",
        "attention.qkv": _B + "attn_qkv",
        "attention.query": _B + "attn_q",
        "attention.key": _B + "attn_k",
        "attention.value": _B + "attn_v",
        "attention.output": _B + "attn_output",
        "attention.gate": _B + "attn_gate",
        "attention.sink": _B + "attn_sinks.weight=",
        "norm.query": (_B + "attn_q_norm", _B + "attn_q_a_norm"),
        "norm.key": _B + "attn_k_norm",
        "attention.query.down": _B + "attn_q_a",
        "attention.query.up": _B + "attn_q_b",
        "attention.kv.down": _B + "attn_kv_a_mqa",
        "norm.kv": _B + "attn_kv_a_norm",
        "attention.kv.up": _B + "attn_kv_b",
        "attention.key.up": stored(_B + "attn_k_b", "by head", "transposed"),
        "attention.value.up": stored(_B + "attn_v_b", "by head"),
        "attention.indexer.query": _B + "indexer.attn_q_b",
        "attention.indexer.key": _B + "indexer.attn_k",
        "attention.indexer.weight": _B + "indexer.proj",
        "norm.indexer": _B + "indexer.k_norm",
        "norm.attention.sub": _B + "attn_sub_norm",
        "norm.mlp.sub": _B + "ffn_sub_norm",
        "mlp.gate": _B + "ffn_gate",
        "mlp.up": _B + "ffn_up",
        "mlp.down": _B + "ffn_down",
        "mlp.gate_up": _B + "ffn_up",
        "router": _B + "ffn_gate_inp",
        "router.shared": (_B + "ffn_gate_inp_shexp", stored(_B + "ffn_gate_inp_shexp", "squeezed")),  # if quantized
        "router.scale": _B + "ffn_gate_inp.scale=",
        "router.expert": _B + "ffn_down_exps.scale=",
        "router.correction": (stored(_B + "exp_probs_b.bias=", "squeezed"), stored(_B + "exp_probs_b=", "squeezed")),
        "mlp.gate{}": _B + "ffn_gate.{1}",  # single tensors in files of 2023
        "mlp.up{}": _B + "ffn_up.{1}",
        "mlp.down{}": _B + "ffn_down.{1}",
        "mlp.gate[]": _B + "ffn_gate_exps",
        "mlp.up[]": _B + "ffn_up_exps",
        "mlp.down[]": _B + "ffn_down_exps",
        "mlp.gate_up[]": _B + "ffn_gate_up_exps",
        "mlp.experts.gate_up[]": _B + "ffn_gate_up_exps",
        "mlp.experts.gate[]": _B + "ffn_gate_exps",
        "mlp.experts.up[]": _B + "ffn_up_exps",
        "mlp.experts.down[]": _B + "ffn_down_exps",
        "@blocks.{}.ffn.experts.mlp.w1": stored(_B + "ffn_gate_exps.weight=", "by head"),
        "@blocks.{}.ffn.experts.mlp.v1": stored(_B + "ffn_up_exps.weight=", "by head"),
        "@blocks.{}.ffn.experts.mlp.w2": stored(_B + "ffn_down_exps.weight=", "by head", "transposed"),
        "@encoder.layers.{}.mlp.experts.mlp.w1": stored(_B + "ffn_up_exps.weight=", "by head"),
        "@encoder.layers.{}.mlp.experts.mlp.w2": stored(_B + "ffn_down_exps.weight=", "by head", "transposed"),
        "mlp.shared.gate": _B + "ffn_gate_shexp",
        "mlp.shared.up": _B + "ffn_up_shexp",
        "mlp.shared.down": _B + "ffn_down_shexp",
        "embed.layer": "per_layer_token_embd",
        "embed.layer.project": "per_layer_model_proj",
        "norm.embed.layer": "per_layer_proj_norm",
        "embed.layer.gate": _B + "inp_gate",
        "embed.layer.up": _B + "proj",
        "norm.embed.layer.post": _B + "post_norm",
        "layer.scale": _B + "layer_output_scale.weight=",
        "altup.in": stored("altup_proj", "stacked"),
        "altup.out": stored("altup_unembd_proj", "stacked"),
        "altup.scale": _B + "altup_correct_scale.weight=",
        "altup.correct": _B + "altup_correct_coef",
        "altup.predict": _B + "altup_predict_coef",
        "altup.router": _B + "altup_router",
        "norm.altup": _B + "altup_router_norm",
        "laurel.down": _B + "laurel_l",
        "laurel.up": _B + "laurel_r",
        "norm.laurel": _B + "laurel_post_norm",
        "ssm.in": (_B + "ssm_in", _B + "shortconv.in_proj"),
        "ssm.qkv": _B + "attn_qkv",
        "ssm.gate": _B + "attn_gate",
        "ssm.alpha": _B + "ssm_alpha",
        "ssm.beta_alpha": _B + "ssm_ba",
        "ssm.beta": _B + "ssm_beta",
        "ssm.conv": (stored(_B + "ssm_conv1d", "squeezed"), stored(_B + "shortconv.conv", "squeezed")),
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
                "block.{}.layer.0.SelfAttention.relative_attention_bias": "blk.{0}.attn_rel_b",
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
        "@decoder.block.0.layer.1.EncDecAttention.relative_attention_bias": "dec.blk.0.cross_attn_rel_b",
    },
    signs=(
        ("token_embd.weight", "blk.#.attn_norm.weight"),
        ("token_embd.weight", "blk.#.attn_q.weight"),
        ("token_embd.weight", "blk.#.ssm_in.weight"),
        ("token_embd.weight", "enc.blk.#.attn_norm.weight"),
        ("token_embd.weight", "blk.#.attn_output_norm.weight"),
    ),
    either=("attention.qkv",),
    # the pooler of encoders: their files give hidden states; activations of which the metadata state the numbers; the
    # bias of Nomic's mixtures, which the converter leaves out
    omits=("pooler", "mlp.activation.positive", "mlp.activation.negative", "mlp.experts.bias"),
)
IN_ORDER: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={**LLAMA_CPP.names, "attention.qkv": stored(_B + "attn_qkv", "in order")},
    signs=(("token_embd.weight", "blk.#.attn_qkv.weight"),),
    only=("falcon", "gpt_neox"),
)
BLOOM: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={**LLAMA_CPP.names, "attention.qkv": stored(_B + "attn_qkv", "in order")},
    signs=(("token_embd_norm.weight", "blk.#.attn_qkv.weight"),),
    only=("bloom",),
)
ERNIE_MOE: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "router.correction": (_B + "exp_probs_b.bias=", stored(_B + "exp_probs_b.bias=", "squeezed")),
    },
    signs=(("token_embd.weight", "blk.#.exp_probs_b.bias"),),
    only=("ernie4_5_moe",),
)
MAMBA2: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "norm.mlp.alone": (_B + "ffn_norm", _B + "ffn_norm="),
        "norm.ssm": stored(_B + "ssm_norm", "in groups"),
        "ssm.decay": stored(_B + "ssm_a=", "column"),
        "ssm.skip": stored(_B + "ssm_d=", "column"),
    },
    signs=(("token_embd.weight", "blk.#.ssm_d"),),
    only=("bamba", "mamba2", "falcon_h1", "nemotron_h"),
)
GRANITE_HYBRID: Final = msgspec.structs.replace(
    MAMBA2,
    names={
        **MAMBA2.names,
        **{f"mlp.shared.{one}": (f"{_B}ffn_{one}_shexp", f"{_B}ffn_{one}") for one in ("gate", "up", "down")},
    },
    only=("granitemoehybrid",),
)
KIMI: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        **{f"ssm.{part}": f"{_B}attn_{part[0]}" for part in ("query", "key", "value")},
        **{f"ssm.conv.{part}": (stored(f"{_B}ssm_conv1d_{part[0]}", "of one"), f"{_B}ssm_conv1d_{part[0]}")
           for part in ("query", "key", "value")},
        "ssm.decay": (_B + "ssm_a=", stored(_B + "ssm_a=", "squeezed", "column")),  # as llama-quantize writes it
        "ssm.decay.down": _B + "ssm_f_a",
        "ssm.decay.up": _B + "ssm_f_b",
        "ssm.gate.down": _B + "ssm_g_a",
        "ssm.gate.up": _B + "ssm_g_b",
        "ssm.out": _B + "attn_output",
    },
    signs=(("token_embd.weight", "blk.#.ssm_f_a.weight"),),
    only=("kimi_linear",),
)  # fmt: skip
ARCTIC: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "norm.mlp.alone": _B + "ffn_norm_exps",
        "norm.mlp.dense": _B + "ffn_norm",
        **{f"mlp.dense.{one}": f"{_B}ffn_{one}" for one in ("gate", "up", "down")},
    },
    signs=(("token_embd.weight", "blk.#.ffn_norm_exps.weight"),),
    only=("arctic",),
)
GROK: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "norm.attention.post": _B + "attn_output_norm",
        "norm.mlp.post": (_B + "layer_output_norm", _B + "post_ffw_norm"),
    },
    signs=(("token_embd.weight", "blk.#.attn_output_norm.weight"),),
    only=("grok-1",),
)
PLAMO: Final = msgspec.structs.replace(
    LLAMA_CPP,
    names={
        **LLAMA_CPP.names,
        "norm.attention.post": _B + "post_attention_norm=",
        "norm.mlp.post": _B + "post_ffw_norm=",
        "norm.query=": _B + "attn_q_norm.weight=",
        "norm.key=": _B + "attn_k_norm.weight=",
    },
    signs=(("token_embd.weight", "blk.#.post_attention_norm"),),
    only=("plamo2", "plamo3"),
)
