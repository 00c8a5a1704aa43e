"""Listings computed by formulas for formats of which no record is checked in.

Each writer returns the tensors that a tool stores for a linear layer of [out, in]. It uses nothing of the package, so
that the formulas are independent. `test_formulas.py` compares writers with what the tool itself wrote
(`recorded.py`); a writer without such a comparison depends on its author's reading of the tool's source. The models
have widths that 128 divides, odd widths, and experts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Tensors = dict[str, tuple[str, list[int]]]
Writer = Callable[[int, int], Tensors]
"""(outputs, inputs) -> suffix: (dtype, shape)."""

LLAMA: dict[str, Any] = {
    "rms_norm_eps": 1e-6,
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 384, "intermediate_size": 1152,
    "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1536,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip
ODD: dict[str, Any] = {**LLAMA, "hidden_size": 176, "intermediate_size": 328, "num_attention_heads": 4,
                       "num_key_value_heads": 2, "head_dim": 44, "vocab_size": 520}  # fmt: skip
NARROW: dict[str, Any] = {**LLAMA, "hidden_size": 128, "num_attention_heads": 2, "num_key_value_heads": 2}
MIXTRAL: dict[str, Any] = {
    **LLAMA, "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "intermediate_size": 640,
    "num_local_experts": 5, "num_experts_per_tok": 2,
}  # fmt: skip
QWEN_MOE: dict[str, Any] = {
    **LLAMA, "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "moe_intermediate_size": 256,
    "num_experts": 6, "num_experts_per_tok": 2, "decoder_sparse_step": 1, "mlp_only_layers": [],
}  # fmt: skip


def up(one: int, other: int) -> int:
    """Division rounded up."""
    return -(-one // other)


def linears(config: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """(module, outputs, inputs) of every linear inside the layers, routers not among them."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    queries = config["num_attention_heads"] * config["head_dim"]
    keys = config["num_key_value_heads"] * config["head_dim"]
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        yield f"{at}.self_attn.q_proj", queries, hidden
        yield f"{at}.self_attn.k_proj", keys, hidden
        yield f"{at}.self_attn.v_proj", keys, hidden
        yield f"{at}.self_attn.o_proj", hidden, queries
        if config["model_type"] == "mixtral":
            for expert in range(config["num_local_experts"]):
                below = f"{at}.block_sparse_moe.experts.{expert}"
                yield f"{below}.w1", inner, hidden
                yield f"{below}.w3", inner, hidden
                yield f"{below}.w2", hidden, inner
        elif config["model_type"] == "qwen3_moe":
            for expert in range(config["num_experts"]):
                below, width = f"{at}.mlp.experts.{expert}", config["moe_intermediate_size"]
                yield f"{below}.gate_proj", width, hidden
                yield f"{below}.up_proj", width, hidden
                yield f"{below}.down_proj", hidden, width
        else:
            yield f"{at}.mlp.gate_proj", inner, hidden
            yield f"{at}.mlp.up_proj", inner, hidden
            yield f"{at}.mlp.down_proj", hidden, inner


def rest(config: dict[str, Any], dtype: str = "BF16") -> Iterator[tuple[str, str, list[int]]]:
    """All other tensors: embedding, head, norms, routers."""
    hidden, vocabulary = config["hidden_size"], config["vocab_size"]
    yield "model.embed_tokens.weight", dtype, [vocabulary, hidden]
    yield "lm_head.weight", dtype, [vocabulary, hidden]
    yield "model.norm.weight", dtype, [hidden]
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        yield f"{at}.input_layernorm.weight", dtype, [hidden]
        yield f"{at}.post_attention_layernorm.weight", dtype, [hidden]
        if config["model_type"] == "mixtral":
            yield f"{at}.block_sparse_moe.gate.weight", dtype, [config["num_local_experts"], hidden]
        if config["model_type"] == "qwen3_moe":
            yield f"{at}.mlp.gate.weight", dtype, [config["num_experts"], hidden]
            yield f"{at}.self_attn.q_norm.weight", dtype, [config["head_dim"]]
            yield f"{at}.self_attn.k_norm.weight", dtype, [config["head_dim"]]


def count(config: dict[str, Any]) -> int:
    """The parameters of the model before it was packed."""
    total = sum(outputs * inputs for _, outputs, inputs in linears(config))
    for _, _, shape in rest(config):
        elements = 1
        for dim in shape:
            elements *= dim
        total += elements
    return total


def gptq(
    bits: int, group: int, *, order: bool = True, bias: bool = False, dtype: str = "F16", word: int = 32
) -> Writer:
    def write(outputs: int, inputs: int) -> Tensors:
        groups = 1 if group < 0 else up(inputs, group)
        found: Tensors = {
            "qweight": (f"I{word}", [inputs * bits // word, outputs]),
            "qzeros": (f"I{word}", [groups, outputs * bits // word]),
            "scales": (dtype, [groups, outputs]),
        }
        if order:
            found["g_idx"] = ("I32", [inputs])
        if bias:
            found["bias"] = ("F16", [outputs])
        return found

    return write


def awq(group: int) -> Writer:
    return lambda outputs, inputs: {
        "qweight": ("I32", [inputs, outputs // 8]),
        "qzeros": ("I32", [inputs // group, outputs // 8]),
        "scales": ("F16", [inputs // group, outputs]),
    }


def gemv(group: int) -> Writer:
    step = 1 if group >= 128 else 2 if group == 64 else 4

    def write(outputs: int, inputs: int) -> Tensors:
        words = up(up(up(inputs, group), 8), step) * step
        return {"qweight": ("I32", [outputs, inputs // 8]), "qzeros": ("I32", [outputs, words]),
                "scales": ("F16", [outputs, 8 * words])}  # fmt: skip

    return write


def gemv_fast(group: int) -> Writer:
    step = 1 if group >= 128 else 2 if group == 64 else 4

    def write(outputs: int, inputs: int) -> Tensors:
        rows = 8 * up(up(up(inputs, group), 8), step) * step
        return {"qweight": ("I16", [outputs // 4, inputs]), "qzeros": ("F16", [rows, outputs]),
                "scales": ("F16", [rows, outputs])}  # fmt: skip

    return write


def llm_awq(group: int) -> Writer:
    """As `WQLinear` of llm-awq has them: the layout of gemv_fast, with zero points under a name of their own."""

    def write(outputs: int, inputs: int) -> Tensors:
        stored = gemv_fast(group)(outputs, inputs)
        return {"scaled_zeros" if name == "qzeros" else name: entry for name, entry in stored.items()}

    return write


def words(bits: int, group: int, *, zeros: bool = False, old: bool = False) -> Writer:
    """compressed-tensors' pack-quantized; old: whole values in a word."""

    def write(outputs: int, inputs: int) -> Tensors:
        groups = 1 if group < 0 else up(inputs, group)
        width = up(inputs, 32 // bits) if old else up(inputs * bits, 32)
        found: Tensors = {
            "weight_packed": ("I32", [outputs, width]),
            "weight_scale": ("BF16", [outputs, groups]),
            "weight_shape": ("I64", [2]),
        }
        if zeros:
            found["weight_zero_point"] = ("I32", [up(outputs * bits, 32), groups])
        return found

    return write


def ct_halves(group: int, scale: str, more: Tensors) -> Writer:
    return lambda outputs, inputs: {
        "weight_packed": ("U8", [outputs, inputs // 2]),
        "weight_scale": (scale, [outputs, up(inputs, group)]),
        **more,
    }


def scaled(dtype: str, scale: Callable[[int, int], tuple[str, list[int]]], more: Tensors | None = None,
           suffix: str = "weight_scale") -> Writer:  # fmt: skip
    return lambda outputs, inputs: {
        "weight": (dtype, [outputs, inputs]), suffix: scale(outputs, inputs), **(more or {})
    }  # fmt: skip


def blocks(size: int, dtype: str = "F32") -> Callable[[int, int], tuple[str, list[int]]]:
    return lambda outputs, inputs: (dtype, [up(outputs, size), up(inputs, size)])


def halves(group: int, scale: str, more: Tensors) -> Writer:
    return lambda outputs, inputs: {
        "weight": ("U8", [outputs, inputs // 2]), "weight_scale": (scale, [outputs, up(inputs, group)]), **more
    }  # fmt: skip


def int4_awq(eight: bool) -> Writer:
    def write(outputs: int, inputs: int) -> Tensors:
        found: Tensors = {"weight": ("U8", [outputs // 2, inputs]), "weight_scale": ("F32", [outputs, inputs // 128])}
        if eight:
            found |= {"weight_scale_2": ("F32", []), "input_scale": ("F32", [])}
        return {**found, "pre_quant_scale": ("BF16", [inputs])}

    return write


def bnb4(kind: str, nested: bool, storage: str = "U8") -> Writer:
    def write(outputs: int, inputs: int) -> Tensors:
        elements = outputs * inputs
        packed = up(elements, 2) // (2 if storage == "BF16" else 1)
        number = up(elements, 64)
        found: Tensors = {
            "weight": (storage, [packed, 1]),
            "weight.absmax": ("U8" if nested else "F32", [number]),
            "weight.quant_map": ("F32", [16]),
            f"weight.quant_state.bitsandbytes__{kind}": ("U8", [170 if nested else 80]),
        }
        if nested:
            found |= {"weight.nested_absmax": ("F32", [up(number, 256)]), "weight.nested_quant_map": ("F32", [256])}
        return found

    return write


def bnb8(outputs: int, inputs: int) -> Tensors:
    return {"weight": ("I8", [outputs, inputs]), "SCB": ("F32", [outputs]), "weight_format": ("U8", [])}


def mlx(bits: int, group: int, mode: str = "affine") -> Writer:
    def write(outputs: int, inputs: int) -> Tensors:
        found: Tensors = {"weight": ("U32", [outputs, inputs * bits // 32])}
        if mode == "affine":
            scale = [outputs, inputs // group]
            return {**found, "scales": ("BF16", scale), "biases": ("BF16", scale)}
        return {**found, "scales": ("U8", [outputs, inputs // group])}

    return write


HQQ_SETTINGS: Tensors = {
    "axis": ("I32", []), "channel_wise": ("U8", []), "compute_dtype": ("U8", [13]), "encoded_state_dict": ("U8", []),
    "group_size": ("I32", []), "nbits": ("I32", []), "offload_meta": ("U8", []), "optimize": ("U8", []),
    "packing": ("U8", [7]), "quant_scale": ("U8", []), "quant_zero": ("U8", []), "round_zero": ("U8", []),
    "shape": ("I64", [2]), "stores_quant_config": ("U8", []), "unpack_view_dtype": ("U8", [11]),
    "view_as_float": ("U8", []),
}  # fmt: skip


def hqq(bits: int, group: int, axis: int) -> Writer:
    each = {8: 1, 4: 2, 3: 10, 2: 4, 1: 8}[bits]
    dtype = "I32" if bits == 3 else "U8"

    def write(outputs: int, inputs: int) -> Tensors:
        groups = outputs * inputs // group
        if axis == 1:
            values, scale = [up(groups, each), group], [groups, 1]
        else:
            values, scale = [up(group, each), groups], [1, groups]
        return {"W_q": (dtype, values), "scale": ("F32", scale), "zero": ("F32", scale), **HQQ_SETTINGS}

    return write


def torchao(dtype: str, zero: bool, scale: str = "F32") -> Writer:
    def write(outputs: int, inputs: int) -> Tensors:
        found: Tensors = {"_weight_qdata": (dtype, [outputs, inputs]), "_weight_scale": (scale, [outputs, 1])}
        return {**found, "_weight_zero_point": ("I8", [outputs, 1])} if zero else found

    return write


def sinq(bits: int, size: int) -> Writer:
    """SINQ: values packed as HQQ packs them; the scales of 32 groups share a scale."""

    def write(outputs: int, inputs: int) -> Tensors:
        groups = outputs * inputs // size
        rows = up(groups, 10) if bits == 3 else groups * bits // 8
        found: Tensors = {"W_q": ("I32" if bits == 3 else "U8", [rows, size]),
                                   "meta.scale.x": ("U8", [32, groups // 32]), "meta.zero.x": ("U8", [groups, 1]),
                                   "meta.scale2": ("F16", [1, inputs])}  # fmt: skip
        found |= {f"meta.scale.{name}": ("F16", [1, groups // 32]) for name in "ms"}
        return found | {f"meta.zero.{name}": ("F16", [1, 1]) for name in "ms"}

    return write


def quanto(bits: int) -> Writer:
    def write(outputs: int, inputs: int) -> Tensors:
        calibration: Tensors = {"input_scale": ("BF16", []), "output_scale": ("BF16", [])}
        if bits == 8:
            return {"weight._data": ("I8", [outputs, inputs]), "weight._scale": ("BF16", [outputs, 1]), **calibration}
        groups = outputs * inputs // 128
        return {
            "weight._data._data": ("U8", [groups * bits // 8, 128]),
            "weight._scale": ("BF16", [groups, 1]),
            "weight._shift": ("BF16", [groups, 1]),
            **calibration,
        }

    return write


def eetq(outputs: int, inputs: int) -> Tensors:
    return {"weight": ("I8", [inputs, outputs]), "weight_scales": ("F16", [outputs])}


def bitnet(outputs: int, inputs: int) -> Tensors:
    return {"weight": ("U8", [up(outputs, 4), inputs]), "weight_scale": ("BF16", [1])}


def aqlm(number: int, bits: int, out_group: int, in_group: int) -> Writer:
    return lambda outputs, inputs: {
        "codes": ("I8" if bits == 8 else "I16", [outputs // out_group, inputs // in_group, number]),
        "codebooks": ("F16", [number, 2**bits, out_group, in_group]),
        "scales": ("F16", [outputs // out_group, 1, 1, 1]),
    }


def vptq(length: int, first: int, second: int) -> Writer:
    index = (first * second).bit_length() - 1

    def write(outputs: int, inputs: int) -> Tensors:
        return {
            "indices": ("I32", [1, up(outputs, length), up(inputs * index, 32)]),
            "centroids.weight": ("F16", [1, first * length]),
            "res_centroids.weight": ("F16", [1, second * length]),
            "perm": ("I16", [inputs]),
            "weight_scale": ("F16", [inputs]),
            "weight_bias": ("F16", [inputs]),
        }

    return write


def spqr(outputs: int, inputs: int) -> Tensors:
    return {
        "dense_weights": ("I64", [up(outputs, 16) * up(inputs, 16) * 16]),
        "row_offsets": ("I32", [outputs + 1]),
        "col_vals": ("I32", [77]),
        "in_perm": ("I16", [0]),
    }


def higgs(bits: int) -> Writer:
    return lambda outputs, inputs: {
        "weight": ("I16", [outputs * bits // 16, inputs]), "scales": ("BF16", [outputs, up(inputs, 256)]),
        "tables": ("BF16", [2**bits]), "tables2": ("BF16", [2**bits, 2**bits, 2]),
    }  # fmt: skip


def exl2(outputs: int, inputs: int) -> Tensors:
    groups = up(inputs, 128)
    padded = up(outputs, 32) * 32
    return {
        "q_weight": ("I32", [up(inputs * 5, 32), padded]),
        "q_scale": ("I32", [groups, padded // 8]),
        "q_scale_max": ("F16", [groups]),
        "q_groups": ("I16", [2 * groups]),
        "q_invperm": ("I32", [inputs]),
    }


def exl3(bits: int) -> Writer:
    return lambda outputs, inputs: {
        "trellis": ("I16", [inputs // 16, outputs // 16, 16 * bits]), "suh": ("F16", [inputs]),
        "svh": ("F16", [outputs]),
    }  # fmt: skip


def quip(outputs: int, inputs: int) -> Tensors:
    """Two bits, in words of four indices."""
    return {
        "Qidxs": ("I64", [outputs, inputs // 32]), "SU": ("F16", [inputs]), "SV": ("F16", [outputs]),
        "Wscale": ("F32", []), "codebook_id": ("I64", []),
    }  # fmt: skip


def quark4(group: int) -> Writer:
    return lambda outputs, inputs: {
        "weight": ("I32", [inputs, outputs // 8]), "weight_scale": ("BF16", [inputs // group, outputs]),
        "weight_zero_point": ("I32", [inputs // group, outputs // 8]),
    }  # fmt: skip


def bitmask(outputs: int, inputs: int) -> Tensors:
    """Half of the values, stored under the full name of the parameter."""
    return {
        "weight.compressed": ("BF16", [outputs * inputs // 2 + 7]), "weight.bitmask": ("U8", [outputs, up(inputs, 8)]),
        "weight.shape": ("I64", [2]), "weight.row_offsets": ("I64", [outputs]),
    }  # fmt: skip


def two_of_four(outputs: int, inputs: int) -> Tensors:
    """Stored under the name of the module."""
    return {"compressed": ("BF16", [outputs, inputs // 2]), "bitmask": ("U8", [outputs, inputs // 8]),
            "shape": ("I64", [2, 1])}  # fmt: skip


def ct(weights: dict[str, Any], form: str, **more: Any) -> dict[str, Any]:
    group = {"targets": ["Linear"], "weights": weights, "format": form, **more}
    return {"quant_method": "compressed-tensors", "format": form, "ignore": ["lm_head", "re:.*block_sparse_moe.gate$"],
            "config_groups": {"group_0": group}}  # fmt: skip


def integers(bits: int, group: int | None, symmetric: bool = True, strategy: str | None = None) -> dict[str, Any]:
    strategy = strategy or ("group" if group else "channel")
    return {"num_bits": bits, "type": "int", "strategy": strategy, "group_size": group, "symmetric": symmetric}


def floats(bits: int, strategy: str, group: int | None = None, block: list[int] | None = None) -> dict[str, Any]:
    return {"num_bits": bits, "type": "float", "strategy": strategy, "group_size": group, "block_structure": block,
            "symmetric": True}  # fmt: skip


def quark(dtype: str, group: int | None, scheme: str) -> dict[str, Any]:
    weight = {"dtype": dtype, "group_size": group, "qscheme": scheme, "symmetric": True}
    return {"quant_method": "quark", "exclude": ["lm_head"], "global_quant_config": {"weight": weight}}


def modelopt(algorithm: str, **more: Any) -> dict[str, Any]:
    return {"quant_method": "modelopt", "quant_algo": algorithm, "ignore": ["lm_head", "model.embed_tokens"], **more}


def bnb(**settings: Any) -> dict[str, Any]:
    return {"quant_method": "bitsandbytes", "llm_int8_skip_modules": None, **settings}


def gptq_config(bits: int, group: int, **more: Any) -> dict[str, Any]:
    return {"quant_method": "gptq", "bits": bits, "group_size": group, "sym": True, "desc_act": False, **more}


SCALAR: tuple[str, list[int]] = ("F32", [])
Simple = tuple[dict[str, Any], Writer, dict[str, Any]]
"""(model, writer of the linears, quantization settings)."""

SIMPLE: dict[str, Simple] = {
    "gptq-8-64-act": (LLAMA, gptq(8, 64), gptq_config(8, 64, desc_act=True)),
    "gptq-2-128-bf16": (LLAMA, gptq(2, 128, dtype="BF16"), gptq_config(2, 128, checkpoint_format="gptq_v2")),
    "gptq-4-channel": (LLAMA, gptq(4, -1), gptq_config(4, -1)),
    "gptq-4-biases": (LLAMA, gptq(4, 128, bias=True), gptq_config(4, 128)),
    "gptq-4-moe": (MIXTRAL, gptq(4, 128), gptq_config(4, 128)),
    "gptq-8-bytes": (LLAMA, gptq(8, 128, word=8), gptq_config(8, 128, pack_dtype="int8")),
    "auto-round-awq": (
        QWEN_MOE, awq(128),
        {"quant_method": "auto-round", "bits": 4, "group_size": 128, "packing_format": "auto_round:auto_awq"},
    ),
    "awq-4-64": (MIXTRAL, awq(64), {"quant_method": "awq", "bits": 4, "group_size": 64, "zero_point": True,
                                    "version": "gemm", "modules_to_not_convert": ["gate"]}),
    "awq-gemv": (LLAMA, gemv(64), {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "gemv"}),
    "awq-gemv-narrow": (NARROW, gemv(64), {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "gemv"}),
    "awq-fast": (LLAMA, gemv_fast(128), {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemv_fast"}),
    "awq-llm": (LLAMA, llm_awq(128), {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemv_fast"}),
    "ct-w4-asym": (MIXTRAL, words(4, 128, zeros=True), ct(integers(4, 128, False), "pack-quantized")),
    "ct-w8-channel": (LLAMA, words(8, -1), ct(integers(8, None), "pack-quantized")),
    "ct-w3-old": (LLAMA, words(3, 128, old=True), ct(integers(3, 128), "pack-quantized")),
    "ct-w5": (LLAMA, words(5, 64), ct(integers(5, 64), "pack-quantized")),
    "ct-w6-old-channel-odd": (ODD, words(6, -1, old=True), ct(integers(6, None), "pack-quantized")),
    "ct-w3-channel-odd": (ODD, words(3, -1), ct(integers(3, None), "pack-quantized")),
    "ct-w4-channel-odd": (ODD, words(4, -1), ct(integers(4, None), "pack-quantized")),
    "ct-fp8-static": (
        LLAMA, scaled("F8_E4M3", lambda o, i: ("BF16", [1]), {"input_scale": ("BF16", [1])}),
        ct(floats(8, "tensor"), "float-quantized"),
    ),
    "fp8-static": (
        LLAMA,
        scaled("F8_E4M3", lambda o, i: ("BF16", []), {"activation_scale": ("BF16", [])}, suffix="weight_scale_inv"),
        {"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": None,
         "modules_to_not_convert": ["lm_head"]},
    ),
    "ct-w4a8": (
        LLAMA,
        lambda o, i: {**words(4, 128)(o, i), "weight_scale": ("F8_E4M3", [o, i // 128]),
                      "weight_chan_scale": ("F32", [o, 1])},
        ct(integers(4, 128), "pack-quantized"),
    ),
    "ct-fp8-block-odd": (
        ODD, scaled("F8_E4M3", blocks(128, "BF16")), ct(floats(8, "block", block=[128, 128]), "float-quantized"),
    ),
    "ct-nvfp4": (
        LLAMA,
        ct_halves(16, "F8_E4M3", {"weight_global_scale": ("F32", [1]), "input_global_scale": ("F32", [1])}),
        ct(floats(4, "tensor_group", 16), "nvfp4-pack-quantized"),
    ),
    "ct-mxfp4": (QWEN_MOE, ct_halves(32, "U8", {}), {
        **ct(floats(4, "group", 32), "mxfp4-pack-quantized"), "ignore": ["lm_head", "re:.*mlp.gate$"]}),
    "ct-mxfp8": (
        LLAMA, scaled("F8_E4M3", lambda o, i: ("U8", [o, up(i, 32)])), ct(floats(8, "group", 32), "mxfp8-quantized"),
    ),
    "ct-sparse": (LLAMA, bitmask, {"quant_method": "compressed-tensors",
                                   "sparsity_config": {"format": "sparse-bitmask"}}),
    "ct-sparse-24": (LLAMA, two_of_four, {"quant_method": "compressed-tensors",
                                          "sparsity_config": {"format": "sparse-24-bitmask"}}),
    "fp8-block-64-moe": (QWEN_MOE, scaled("F8_E4M3", blocks(64, "BF16"), suffix="weight_scale_inv"),
                         {"quant_method": "fp8", "weight_block_size": [64, 64], "modules_to_not_convert": ["lm_head"]}),
    "fbgemm": (LLAMA, scaled("F8_E4M3", lambda o, i: ("F32", [o, 1]), {"input_scale_ub": ("F32", [1])}),
               {"quant_method": "fbgemm_fp8", "modules_to_not_convert": ["lm_head"]}),
    "modelopt-fp8-pb": (
        LLAMA, scaled("F8_E4M3", lambda o, i: ("F32", [up(o, 128), 1, up(i, 128), 1])), modelopt("FP8_PB_WO"),
    ),
    "modelopt-mxfp4": (LLAMA, halves(32, "U8", {}), modelopt("MXFP4", group_size=32)),
    "modelopt-w4a8": (LLAMA, int4_awq(True), modelopt("W4A8_AWQ", group_size=128)),
    "modelopt-int8": (
        LLAMA, lambda o, i: {"weight": ("I8", [o, i]), "weight_scale": ("F32", [o]), "input_scale": SCALAR,
                             "pre_quant_scale": ("BF16", [i])},
        modelopt("W8A8_SQ_PER_CHANNEL"),
    ),
    "quark-int8": (
        LLAMA, lambda o, i: {"weight": ("I8", [o, i]), "weight_scale": ("BF16", [o]), "weight_zero_point": ("I8", [o])},
        quark("int8", None, "per_channel"),
    ),
    "bnb-fp4-double-odd": (ODD, bnb4("fp4", True), bnb(load_in_4bit=True, bnb_4bit_quant_type="fp4",
                                                       bnb_4bit_use_double_quant=True)),
    "bnb-nf4-bf16": (LLAMA, bnb4("nf4", False, "BF16"), bnb(load_in_4bit=True, bnb_4bit_quant_type="nf4",
                                                            bnb_4bit_quant_storage="bfloat16")),
    "hqq-3-axis0": (LLAMA, hqq(3, 64, 0), {"quant_method": "hqq", "skip_modules": ["lm_head"],
                    "quant_config": {"weight_quant_params": {"nbits": 3, "group_size": 64, "axis": 0}}}),
    "hqq-1": (LLAMA, hqq(1, 32, 1), {"quant_method": "hqq", "skip_modules": ["lm_head"],
              "quant_config": {"weight_quant_params": {"nbits": 1, "group_size": 32, "axis": 1}}}),
    "eetq": (LLAMA, eetq, {"quant_method": "eetq", "modules_to_not_convert": ["lm_head"]}),
    "bitnet-odd": ({**LLAMA, "intermediate_size": 1150}, bitnet, {"quant_method": "bitnet"}),
    "aqlm-2x8": (LLAMA, aqlm(2, 8, 1, 8), {"quant_method": "aqlm", "nbits_per_codebook": 8, "num_codebooks": 2}),
    "aqlm-1x16": (LLAMA, aqlm(1, 16, 1, 16), {"quant_method": "aqlm", "in_group_size": 16,
                  "linear_weights_not_to_quantize": ["lm_head"]}),
    "vptq": (LLAMA, vptq(8, 65536, 256), {"quant_method": "vptq"}),
    "spqr": (LLAMA, spqr, {"quant_method": "spqr", "bits": 3, "beta1": 16, "beta2": 16}),
    "higgs-3": (LLAMA, higgs(3), {"quant_method": "higgs", "bits": 3, "group_size": 256}),
    "exl2": (LLAMA, exl2, {"quant_method": "exl2", "bits": 5.0}),
    "exl3": (LLAMA, exl3(3), {"quant_method": "exl3", "bits": 3.0, "head_bits": 6}),
    "quip": (LLAMA, quip, {}),
}  # fmt: skip


def simple(config: dict[str, Any], writer: Writer, settings: dict[str, Any]) -> tuple[dict[str, Any], Tensors]:
    """A checkpoint in which every linear inside the layers is packed in the same way."""
    tensors: Tensors = {name: (dtype, shape) for name, dtype, shape in rest(config)}
    for module, outputs, inputs in linears(config):
        for suffix, entry in writer(outputs, inputs).items():
            tensors[f"{module}.{suffix}"] = entry
    return ({**config, "quantization_config": settings} if settings else config), tensors


def mixed(config: dict[str, Any], of: Callable[[str], Writer | None], settings: dict[str, Any], key: str) -> Any:
    """A checkpoint in which each linear is packed in a different way, or not at all."""
    tensors: Tensors = {name: (dtype, shape) for name, dtype, shape in rest(config)}
    for module, outputs, inputs in linears(config):
        writer = of(module)
        written = writer(outputs, inputs) if writer is not None else {"weight": ("BF16", [outputs, inputs])}
        for suffix, entry in written.items():
            tensors[f"{module}.{suffix}"] = entry
    return {**config, key: settings}, tensors


def stacked(config: dict[str, Any], bits: int, group: int) -> tuple[dict[str, Any], Tensors]:
    """MLX: experts stacked as `switch_mlp`, embeddings, head and router packed too."""
    write = mlx(bits, group)
    tensors: Tensors = {}

    def packed(module: str, outputs: int, inputs: int, lead: tuple[int, ...] = ()) -> None:
        for suffix, (dtype, shape) in write(outputs, inputs).items():
            tensors[f"{module}.{suffix}"] = (dtype, [*lead, *shape])

    for name, dtype, shape in rest(config):
        if len(shape) == 2:
            packed(name.removesuffix(".weight"), shape[0], shape[1])
        else:
            tensors[name] = (dtype, shape)
    names = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}
    for module, outputs, inputs in linears(config):
        head, mark, tail = module.partition(".experts.")
        if not mark:
            packed(module, outputs, inputs)
        elif tail.startswith("0."):
            experts = config.get("num_local_experts") or config["num_experts"]
            last = tail.split(".")[1]
            packed(f"{head}.switch_mlp.{names.get(last, last)}", outputs, inputs, (experts,))
    settings = {"bits": bits, "group_size": group, "mode": "affine"}
    return {**config, "quantization": settings, "quantization_config": settings}, tensors


def embedded(config: dict[str, Any], writer: Writer, settings: dict[str, Any]) -> tuple[dict[str, Any], Tensors]:
    """MLX: embeddings and head are packed like the linears."""
    filled, tensors = simple(config, writer, {})
    for module in ("model.embed_tokens", "lm_head"):
        del tensors[f"{module}.weight"]
        for suffix, entry in writer(config["vocab_size"], config["hidden_size"]).items():
            tensors[f"{module}.{suffix}"] = entry
    return {**filled, "quantization": settings}, tensors


def by_layer(module: str) -> int:
    return int(module.split(".")[2])


def fused_fp8() -> tuple[dict[str, Any], Tensors]:
    """transformers 5: fused experts in fp8; scales have the parameter's name with a suffix."""
    config = QWEN_MOE
    experts, width, hidden = config["num_experts"], config["moe_intermediate_size"], config["hidden_size"]
    write = scaled("F8_E4M3", blocks(128), suffix="weight_scale_inv")
    tensors: Tensors = {name: (dtype, shape) for name, dtype, shape in rest(config)}
    for module, outputs, inputs in linears(config):
        if ".experts." not in module:
            for suffix, entry in write(outputs, inputs).items():
                tensors[f"{module}.{suffix}"] = entry
    for layer in range(config["num_hidden_layers"]):
        for name, outputs, inputs in (("gate_up_proj", 2 * width, hidden), ("down_proj", hidden, width)):
            at = f"model.layers.{layer}.mlp.experts.{name}"
            tensors[at] = ("F8_E4M3", [experts, outputs, inputs])
            tensors[f"{at}_scale_inv"] = ("F32", [experts, up(outputs, 128), up(inputs, 128)])
    return {**config, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}, tensors


def checkpoints() -> Iterator[tuple[str, dict[str, Any], Tensors, int]]:
    """(name, config, tensors, parameters of the model) of every fixture."""
    settings: dict[str, Any]
    for name, (config, writer, settings) in SIMPLE.items():
        yield name, *simple(config, writer, settings), count(config)
    for bits, group in ((2, 64), (5, 32), (6, 128), (8, 32)):
        settings = {"bits": bits, "group_size": group}
        yield f"mlx-{bits}-{group}", *embedded(LLAMA, mlx(bits, group), settings), count(LLAMA)
    settings = {"bits": 8, "group_size": 32, "mode": "mxfp8"}
    yield "mlx-mxfp8", *embedded(LLAMA, mlx(8, 32, "mxfp8"), settings), count(LLAMA)
    yield "mlx-4-qwen-moe", *stacked(QWEN_MOE, 4, 64), count(QWEN_MOE)
    sixes = {module: {"bits": 6, "group_size": 64} for module, _, _ in linears(LLAMA) if "v_proj" in module}
    dense = {module: False for module, _, _ in linears(LLAMA) if module.endswith("layers.0.mlp.down_proj")}
    yield (
        "mlx-mixed",
        *mixed(
            LLAMA,
            lambda module: None if module in dense else mlx(6, 64) if module in sixes else mlx(3, 64),
            {"bits": 3, "group_size": 64, **sixes, **dense},
            "quantization",
        ),
        count(LLAMA),
    )
    yield "mlx-nothing", {**ODD, "quantization": {"bits": 4, "group_size": 64}}, simple_dense(ODD), count(ODD)
    rules = {r"+:.*layers\.1\..*": {"bits": 8, "group_size": 64}, r"-:.*layers\.2\.mlp\.down_proj.*": {}}
    yield (
        "gptq-dynamic",
        *mixed(
            LLAMA,
            lambda module: None if module.endswith("2.mlp.down_proj") else gptq(8, 64) if by_layer(module) == 1
            else gptq(4, 128),
            gptq_config(4, 128, dynamic=rules),
            "quantization_config",
        ),
        count(LLAMA),
    )  # fmt: skip
    extra = {module: {"bits": 8} for module, _, _ in linears(LLAMA) if by_layer(module) == 0}
    extra |= {"model.layers.2.self_attn.q_proj": {"bits": 16}}
    yield (
        "auto-round-mixed",
        *mixed(
            LLAMA,
            lambda module: None if extra.get(module) == {"bits": 16}
            else gptq(8 if module in extra else 4, 128, order=False),
            {"quant_method": "auto-round", "bits": 4, "group_size": 128, "extra_config": extra,
             "packing_format": "auto_round:auto_gptq"},
            "quantization_config",
        ),
        count(LLAMA),
    )  # fmt: skip
    groups = {
        "group_0": {"targets": ["re:.*self_attn.*"], "weights": floats(8, "channel"), "format": "float-quantized"},
        "group_1": {"targets": ["re:.*mlp.*"], "weights": integers(4, 128), "format": "pack-quantized"},
    }
    yield (
        "ct-mixed-precision",
        *mixed(
            LLAMA,
            lambda module: words(4, 128) if ".mlp." in module else scaled("F8_E4M3", lambda o, i: ("BF16", [o, 1])),
            {"quant_method": "compressed-tensors", "format": "mixed-precision", "config_groups": groups,
             "ignore": ["lm_head"]},
            "quantization_config",
        ),
        count(LLAMA),
    )  # fmt: skip
    yield "fp8-fused-experts", *fused_fp8(), count(QWEN_MOE)


def simple_dense(config: dict[str, Any]) -> Tensors:
    tensors: Tensors = {name: (dtype, shape) for name, dtype, shape in rest(config)}
    for module, outputs, inputs in linears(config):
        tensors[f"{module}.weight"] = ("BF16", [outputs, inputs])
    return tensors
