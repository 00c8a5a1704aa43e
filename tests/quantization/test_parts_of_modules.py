"""Each tensor of a quantized module is lost, transposed or replaced: one finding names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.quantization.schemes.gptq import open_module
from inspector.quantization.stated import ModuleSettings
from tests.checkpoints import genuine, write
from tests.judged import base_record, codes, judged, records, spec_of
from tests.quantization.made_by_formula import LLAMA, awq, ct, gptq, halves, integers, simple, words
from tests.quantization.stored import LEFTOVERS, PACKED, Spec, audited, bad, caused, changed, checkpoint, original, tool
from tests.quantization.test_damage import layout_of
from tests.sampling import sampled

MODULE = "model.layers.1.self_attn.o_proj"
OPTIONAL = {("gptq-4-biases", "bias"), ("gptq-dynamic", "g_idx")}
"""Zeros that a tool added to every module, and an index of which one of three modules with equal settings remains."""
VALUES = {"weight", "qweight", "weight_packed", "weight._data", "weight._data._data", "_weight_qdata", "W_q", "codes",
          "B", "codebooks", "indices", "Qidxs", "q_weight", "trellis", "dense_weights", "compressed",
          "weight.compressed"}  # fmt: skip
NOT_IN_HEADERS = {("ct-sparse-24", "shape"), ("vptq", "centroids.weight"), ("vptq", "res_centroids.weight")}
"""Tensors for which headers allow both shapes."""


def suffixes(name: str) -> list[str]:
    """The tensors of one module."""
    return [tensor.removeprefix(f"{MODULE}.") for tensor in checkpoint(name)[1] if tensor.startswith(f"{MODULE}.")]


def errors(name: str, result: Audit) -> list[str]:
    """The codes that a damage adds; at most two findings, and one of them an error."""
    found = caused(name, result)
    assert len(found) <= 2, [finding.message for finding in result.findings]
    assert any(one.severity == "error" and one.code not in LEFTOVERS.get(name, ()) for one in result.findings), found
    return found


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(PACKED, 3, tool))
def test_any_lost_tensor_of_a_module_is_reported(name: str) -> None:
    for suffix in suffixes(name):
        if (name, suffix) not in OPTIONAL:
            assert {"T610", "T612"} & set(errors(name, changed(name, drop=f"{MODULE}.{suffix}"))), suffix


@pytest.mark.parametrize("name", sampled(PACKED, 3, tool))
def test_a_transposed_helper_is_named(name: str) -> None:
    for suffix in suffixes(name):
        dtype, shape = checkpoint(name)[1][f"{MODULE}.{suffix}"]
        if suffix in VALUES or (name, suffix) in NOT_IN_HEADERS or len(shape) < 2 or shape[-1] == shape[-2]:
            continue
        put: Spec = {f"{MODULE}.{suffix}": (dtype, (*shape[:-2], shape[-1], shape[-2]))}
        result = changed(name, put=put)
        assert errors(name, result) == ["T611"], suffix
        assert result.findings[0].place.tensor == f"{MODULE}.{suffix}"


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled([name for name in PACKED if original(name)], 3, tool))
@pytest.mark.parametrize("dtype", ["I64", "I32", "I8", "U8", "BOOL", "C64"])
def test_a_weight_stored_as_integers_is_an_error(name: str, dtype: str) -> None:
    plain = f"{MODULE}.weight"
    put: Spec = {plain: (dtype, original(name)[plain])}
    assert set(errors(name, changed(name, drop=f"{MODULE}.", put=put))) <= {"T603", "T610", "T620"}
    embedding = "model.embed_tokens.weight"
    if checkpoint(name)[1].get(embedding, ("U32",))[0] in ("F16", "BF16", "F32"):
        assert errors(name, changed(name, put={embedding: (dtype, checkpoint(name)[1][embedding][1])})) == ["T603"]


STATIC = {
    "ct-fp8-static": "input_scale", "ct-nvfp4": "input_global_scale", "fbgemm": "input_scale_ub",
    "fp8-static": "activation_scale", "ct-w4a8": "weight_chan_scale",
}  # fmt: skip
"""Schemes, and a factor in addition to the scale of their weights."""


@pytest.mark.parametrize(("name", "suffix"), STATIC.items())
def test_a_factor_that_is_lost_or_an_integer_is_reported(name: str, suffix: str) -> None:
    tensor = f"{MODULE}.{suffix}"
    assert "T610" in errors(name, changed(name, drop=tensor))
    assert errors(name, changed(name, put={tensor: ("I32", checkpoint(name)[1][tensor][1])})) == ["T611"]


def test_scales_that_comfyui_alone_reads() -> None:
    record = base_record("t5", "EncoderModel")
    spec = {name: ("F8_E4M3" if "SelfAttention" in name and name.endswith((".q.weight", ".k.weight")) else "F16", shape)
            for name, (_, shape) in spec_of(record).items()}  # fmt: skip
    scaled = [name for name, (dtype, _) in spec.items() if dtype == "F8_E4M3"]
    spec |= {f"{name.removesuffix('weight')}scale_weight": ("F32", ()) for name in scaled}
    spec["scaled_fp8"] = ("F8_E4M3", (0,))
    alone = judged(spec, None)
    assert (alone.verdict, alone.counts.unexplained) == ("clean", 0)
    found = [one for one in judged(spec, record["config"]).findings if one.severity != "note"]
    assert [one.code for one in found] == ["T625"] and "ComfyUI" in found[0].help
    name = f"{scaled[0].removesuffix('weight')}scale_weight"
    assert codes(judged({**spec, name: ("F32", (3,))}, None)) == {"T611"}
    assert codes(judged({key: entry for key, entry in spec.items() if key != name}, None))


def test_a_cache_scale_of_an_attention_without_such_a_projection() -> None:
    record = records("deepseek_v3")[0]
    spec = {**spec_of(record), **{f"model.layers.{n}.self_attn.k_proj.k_scale": ("F32", ()) for n in range(3)}}
    assert judged(spec, record["config"]).verdict == "clean"
    del spec["model.layers.1.self_attn.k_proj.k_scale"]
    assert [one.code for one in judged(spec, record["config"]).findings if one.severity == "error"] == ["T610"]


def test_modules_of_an_unknown_scheme_are_compared_with_each_other() -> None:
    settings = {"quant_method": "fouroversix", "forward_dtype": "nvfp4"}
    config, made = simple(LLAMA, halves(16, "F8_E4M3", {}), settings)
    spec = {name.replace("weight_scale", "scales"): (dtype, tuple(shape)) for name, (dtype, shape) in made.items()}
    spec = {(f"{name.removesuffix('weight')}qweight" if dtype == "U8" else name): (dtype, shape)
            for name, (dtype, shape) in spec.items()}  # fmt: skip
    assert judged(spec, config).verdict == "undecided"
    del spec[f"{MODULE}.scales"]
    assert [one.code for one in judged(spec, config).findings if one.severity == "error"] == ["T610"]


@pytest.mark.parametrize("scales", ["k_scale", "v_scale"])
def test_a_cache_scale_that_other_layers_have(scales: str) -> None:
    put: Spec = {f"model.layers.{layer}.self_attn.{name}": ("F32", (1,))
                 for layer in range(2) for name in ("k_scale", "v_scale")}  # fmt: skip
    assert caused("ct_fp8_dynamic", changed("ct_fp8_dynamic", put=put)) == []
    put.pop(f"model.layers.1.self_attn.{scales}")
    result = changed("ct_fp8_dynamic", put=put)
    assert caused("ct_fp8_dynamic", result) == ["T610"]
    assert result.findings[0].place.tensor == f"model.layers.1.self_attn.{scales}"


def test_a_lost_cache_scale_of_a_projection_is_one_finding() -> None:
    put: Spec = {
        f"model.layers.{layer}.self_attn.{one}_proj.{one}_scale": ("F32", ()) for layer in range(2) for one in "kv"
    }
    assert caused("modelopt_fp8", changed("modelopt_fp8", put=put)) == []
    put.pop("model.layers.1.self_attn.k_proj.k_scale")
    assert caused("modelopt_fp8", changed("modelopt_fp8", put=put)) == ["T610"]


@pytest.mark.parametrize("name", ["fp8_finegrained", "fp8-block-64-moe"])
def test_scales_of_blocks_under_another_name_are_renamed(name: str) -> None:
    """As Quark writes them; FP8Linear of transformers 5.23 and vLLM's fp8 read `weight_scale_inv`."""
    config, spec, parameters = checkpoint(name)
    assert any(key.endswith("weight_scale_inv") for key in spec)
    renamed = {key.replace("weight_scale_inv", "weight_scale"): entry for key, entry in spec.items()}
    result = audited(name, renamed, config)
    assert caused(name, result) == ["T610"]
    (step,) = next(one for one in result.findings if one.code == "T610").remedy().steps
    assert (step.action, step.old, step.new) == ("rename", "*.weight_scale", "*.weight_scale_inv")
    assert result.counts.unique_parameters == parameters


def test_compressed_tensors_reads_no_inverse_scales() -> None:
    """Measured: each `weight_scale` is missing in transformers 5.23 with compressed-tensors 0.20."""
    config, spec, _ = checkpoint("fp8_finegrained")
    weights = {"num_bits": 8, "type": "float", "symmetric": True, "strategy": "block", "block_structure": [128, 128]}
    group = {"targets": ["Linear"], "weights": weights}
    block = {"quant_method": "compressed-tensors", "format": "float-quantized", "ignore": ["lm_head"],
             "config_groups": {"group_0": group}}  # fmt: skip
    result = judged(spec, {**config, "quantization_config": block})
    assert bad(result) == ["T610"]
    (step,) = next(one for one in result.findings if one.code == "T610").remedy().steps
    assert (step.old, step.new) == ("*.weight_scale_inv", "*.weight_scale")
    renamed = {key.replace("weight_scale_inv", "weight_scale"): entry for key, entry in spec.items()}
    assert bad(judged(renamed, {**config, "quantization_config": block})) == []


@pytest.mark.parametrize("stated", [{}, {"weight_block_size": None}, {"weight_block_size": [128, 128]}])
def test_scales_by_row_are_not_read_under_fp8(stated: dict[str, Any]) -> None:
    """Measured: transformers 5.23 reads no `weight_scale` under fp8; vLLM expects one value for the whole matrix."""
    config, spec, _ = checkpoint("fbgemm")
    assert caused("fbgemm", judged(spec, config)) == []
    block = {"quant_method": "fp8", "activation_scheme": "dynamic", **stated}
    assert caused("fbgemm", judged(spec, {**config, "quantization_config": block})) == ["T614"]
    whole = {name: ("F32", ()) if name.endswith("weight_scale") else entry for name, entry in spec.items()}
    if not stated:
        assert caused("fbgemm", judged(whole, {**config, "quantization_config": block})) == []


@pytest.mark.parametrize("channel", [False, True])
def test_half_of_a_fused_matrix_is_a_width_of_the_model(channel: bool) -> None:
    """The inputs of Phi-3's down_proj are half of the rows of gate_up_proj and the dim of no other tensor."""
    record = base_record("phi3", "CausalLM")
    sizes = {"hidden_size": 256, "intermediate_size": 768, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = {**record["config"], **sizes, "pad_token_id": 0}
    widths = {"qkv_proj": (512, 256), "o_proj": (256, 256), "gate_up_proj": (1536, 256), "down_proj": (256, 768)}
    spec: Spec = {}
    for name, (_, shape) in spec_of(record).items():
        module = name.split(".")[-2]
        if module in widths:
            made = words(8, -1) if channel else words(4, 128)
            spec |= {
                name.replace("weight", suffix): (kind, tuple(dims))
                for suffix, (kind, dims) in made(*widths[module]).items()
            }
        else:
            spec[name] = ("BF16", (shape[0], 256) if len(shape) > 1 else (256,))
    block = ct(integers(8, None) if channel else integers(4, 128), "pack-quantized")
    audited = judged(spec, {**config, "quantization_config": block})
    assert (audited.verdict, audited.counts.unexplained) == ("clean", 0), [*audited.findings]
    plain = [one.code for one in judged(spec, config).findings if one.severity == "error"]
    assert plain == ["T625"]


OTHER_METHODS = [
    ("bnb_int8", "gptq"), ("bnb_nf4", "awq"), ("ct_w4a16", "gptq"), ("hqq_4bit_g64", "bitsandbytes"),
    ("torchao_int8wo", "quanto"), ("quark_int4_g128", "awq"), ("modelopt_int4_awq", "awq"), ("ct_w8a8", "bitsandbytes"),
    ("vptq-stated-outliers", "quanto"), ("gptq-marlin", "compressed-tensors"), ("awq-marlin", "gptq"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "method"), OTHER_METHODS)
def test_a_method_whose_loader_reads_other_tensors(name: str, method: str) -> None:
    result = changed(name, quant_method=method)
    assert caused(name, result) == ["T614"]
    (finding,) = (one for one in result.findings if one.code == "T614")
    for step in finding.remedy().steps:
        config = {**checkpoint(name)[0], step.key[0]: step.new}
        assert caused(name, audited(name, None, config)) == []


def test_a_quantized_head_is_accepted_where_the_config_states_it() -> None:
    config, spec, _ = checkpoint("gptq_4bit_g128_sym")
    _, shape = spec.pop("lm_head.weight", ("F16", spec["model.embed_tokens.weight"][1]))
    for suffix, (kind, dims) in gptq(4, 128)(*shape).items():
        spec[f"lm_head.{suffix}"] = (kind, tuple(dims))
    config["tie_word_embeddings"] = False
    stated = config["quantization_config"]
    blocks = [{**stated, "lm_head": head} for head in (False, True)]
    found = [caused("gptq_4bit_g128_sym", judged(spec, {**config, "quantization_config": block})) for block in blocks]
    assert found == [["T630"], []]


def test_a_list_of_plain_modules_does_not_quantize_the_head_of_awq() -> None:
    config, spec, _ = checkpoint("awq_gemm_4bit_g128")
    rows, inputs = spec.pop("lm_head.weight", ("F16", spec["model.embed_tokens.weight"][1]))[1]
    config = {**config, "tie_word_embeddings": False}
    for listed in (None, ["other"], ["lm_head"]):
        block = {**config["quantization_config"], "modules_to_not_convert": listed}
        packed: Spec = {f"lm_head.{suffix}": (kind, tuple(dims))
                        for suffix, (kind, dims) in awq(128)(rows, inputs).items()}  # fmt: skip
        assert bad(judged({**spec, **packed}, {**config, "quantization_config": block})) == ["T630"]


@pytest.mark.parametrize(
    ("model_type", "matrix", "function"),
    [("gpt_neox", "dense_h_to_4h", "act"), ("starcoder2", "c_fc", "act"), ("bloom", "dense_h_to_4h", "gelu_impl")],
)
def test_awq_scales_an_activation_function(model_type: str, matrix: str, function: str) -> None:
    """`replace_quantization_scales` of transformers and vLLM's ScaledActivation read them."""
    record = base_record(model_type, "ForCausalLM")
    spec: Spec = {}
    for name, (kind, shape) in spec_of(record).items():
        module = name.removesuffix(".weight")
        if not any(part.isdecimal() for part in name.split(".")) or len(shape) != 2:
            spec[name] = (kind, shape)
            continue
        spec |= {f"{module}.{suffix}": (dtype, tuple(dims)) for suffix, (dtype, dims) in awq(shape[1])(*shape).items()}
        if module.endswith(f".{matrix}"):
            spec[f"{module.removesuffix(matrix)}{function}.scales"] = ("F16", shape[:1])
    block = {"quant_method": "awq", "bits": 4, "group_size": -1, "version": "gemm", "zero_point": True}
    config = {**record["config"], "quantization_config": block}
    whole = judged(spec, config)
    assert not [one.code for one in whole.findings if one.code in ("T610", "T617")]
    lost = next(name for name in spec if name.endswith(f"{function}.scales"))
    spec.pop(lost)
    assert [one.code for one in judged(spec, config).findings if one.code in ("T610", "T617")] == ["T610"]


NEOX = {"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 96}  # fmt: skip


@pytest.mark.parametrize(("scales", "expected"), [(True, []), (False, ["N429"])])
def test_awq_without_any_scale_of_its_activation_functions(scales: bool, expected: list[str], tmp_path: Path) -> None:
    """Measured with transformers 5.23 and GPTQModel: the scales are missing and stay uninitialised."""
    spec: Spec = {}
    for name, (kind, shape) in genuine(NEOX).items():
        module = name.removesuffix(".weight")
        if ".layers." not in name or len(shape) != 2:
            spec[name] = (kind, shape)
            continue
        spec |= {f"{module}.{suffix}": (dtype, tuple(dims)) for suffix, (dtype, dims) in awq(64)(*shape).items()}
        if scales and module.endswith(".dense_h_to_4h"):
            spec[f"{module.removesuffix('dense_h_to_4h')}act.scales"] = ("F16", shape[:1])
    block = {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "gemm", "zero_point": True}
    found = audit(str(write(tmp_path, spec, {**NEOX, "quantization_config": block})))
    assert [one.code for one in found.findings if one.severity == "error"] == expected
    assert found.loads[0].outcome == ("complete" if scales else "random")


@pytest.mark.parametrize("outputs", [4, 8, 16, 24])
def test_zero_points_that_several_widths_fill_do_not_decide_alone(outputs: int) -> None:
    zeros, scales = ("I32", (2, -(-outputs // 8))), ("F16", (2, outputs))
    stored = {"qweight": ("I32", (32, outputs)), "qzeros": zeros, "scales": scales}
    tensors = {suffix: layout_of(entry) for suffix, entry in stored.items()}
    for setting in (ModuleSettings("gptq", bits=4), ModuleSettings(dims=frozenset({256})), ModuleSettings()):
        opened = open_module(tensors, setting)
        assert opened.packed is not None
        assert (opened.packed.bits, opened.layout.shape, opened.faults) == (4, (outputs, 256), ())


INDEXED = [
    name for name in PACKED if "channel" not in name and any(key.endswith(".g_idx") for key in checkpoint(name)[1])
]
"""Checkpoints whose scales also show the number of inputs."""


@pytest.mark.parametrize("more", [1, 3])
@pytest.mark.parametrize("name", INDEXED)
def test_packed_values_of_other_heights_are_one_finding(name: str, more: int) -> None:
    config, spec, _ = checkpoint(name)
    high = [key for key in spec if key.endswith(".qweight")]
    put: Spec = {}
    for number, key in enumerate(high):
        dtype, (rows, outputs) = spec[key]
        put[key] = (dtype, (rows + more + number % 3, outputs))
    result = audited(name, {**spec, **put}, config)
    assert bad(result) == ["T613"]
    assert "use all tensors of the module from one quantization run" in result.findings[0].help
