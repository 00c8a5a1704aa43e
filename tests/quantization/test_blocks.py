"""Configs without their quantization block, and blocks over unquantized weights: errors where the loader fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from inspector import audit
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import FLAT, Audit
from inspector.findings.loading import LoaderFails
from inspector.quantization.scales_block import block_size
from tests.checkpoints import write, write_file
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, codes, diffusers_records, judged, spec_of
from tests.quantization.examples import COPIES, renamed_block, tied_model, without_role, wrapper_left
from tests.quantization.made_by_formula import LLAMA, bitnet, hqq, simple
from tests.quantization.recorded import RECORDED, record, variants
from tests.quantization.stored import Spec, audited, bad, checkpoint, tool, unquantized
from tests.sampling import sampled

KEYS = ("quantization_config", "quantization")
QUANTIZED = [name for name in RECORDED if any(key in record(name)["config"] for key in KEYS)]
PLAIN_READ_AS_PACKED = ("gptq", "awq", "auto-round", "compressed-tensors", "bitsandbytes", "fp8")


def stored(name: str, config: dict[str, Any]) -> Audit:
    """The recorded tensors under a config."""
    return judged({key: (dtype, tuple(shape)) for key, (dtype, shape) in record(name)["tensors"].items()}, config)


def without_block(name: str) -> dict[str, Any]:
    """The recorded config without its block."""
    return {key: value for key, value in record(name)["config"].items() if key not in KEYS}


def _states(made: Any, stated: Any) -> bool:
    """Whether all that a block states is in the one that the tool wrote, which may state more."""
    if isinstance(made, dict):
        return isinstance(stated, dict) and all(_states(one, stated.get(key, one)) for key, one in made.items())
    return bool(made == stated)


@pytest.mark.thinned
@pytest.mark.parametrize("name", QUANTIZED)
def test_a_lost_block_is_an_error_and_adding_it_repairs(name: str) -> None:
    audited = stored(name, without_block(name))
    assert codes(audited) == {"T625"}
    (finding,) = (one for one in audited.findings if one.code == "T625")
    for step in finding.remedy().steps:
        assert step.key[0] in record(name)["config"]
        mended = stored(name, {**without_block(name), step.key[0]: step.new})
        assert (mended.verdict, codes(mended)) == ("clean", set())
        stated = record(name)["config"][step.key[0]]
        mixed = name == "mlx_mixed_3_6"  # states each module, and a default number of bits that no module has
        if stated.get("quant_method") != "auto-round" and not mixed:  # GPTQ's layout, which GPTQ's loaders read
            made = [
                {key: value for key, value in one.items() if key != "desc_act"}
                for one in (step.new, *finding.facts["others"])
            ]
            if stated.get("quant_method") == "modelopt":  # it also lists the embedding, which no loader quantizes
                stated = {**stated, "ignore": [one for one in stated["ignore"] if not one.endswith("embed_tokens")]}
            assert any(_states(one, stated) for one in made)
            indexed = any(key.endswith(".g_idx") for key in record(name)["tensors"])
            assert step.new.get("desc_act") == (indexed if step.new.get("quant_method") == "gptq" else None)


def without_method(name: str, path: Path, block: Any) -> Audit:
    """The audit of a folder with another block."""
    config, spec, _ = checkpoint(name)
    key = next(key for key in KEYS if key in config)
    write(path, spec, {**{key: value for key, value in config.items() if key not in KEYS}, key: block})
    return audit(str(path))


@pytest.mark.parametrize(
    "name", ["gptq_4bit_g128_sym", "ct_w4a16", "hqq_4bit_g64", "quark_fp8", "bnb_nf4", "mlx_mxfp4"]
)
def test_an_empty_block_is_replaced_by_the_lost_one(name: str, tmp_path: Path) -> None:
    assert bad(without_method(name, tmp_path, {})) == ["T625"]


@pytest.mark.parametrize(
    "name",
    ["gptq_4bit_g128_sym", "autoround_4bit_g128_sym", "awq_gemm_4bit_g128", "ct_w4a16", "ct_fp8_dynamic", "quark_fp8",
     "hqq_4bit_g64", "torchao_f8wo", "modelopt_nvfp4"],
)  # fmt: skip
def test_a_block_that_names_no_method_gets_that_of_the_weights(name: str, tmp_path: Path) -> None:
    block = dict(checkpoint(name)[0]["quantization_config"])
    method = block.pop("quant_method")
    result = without_method(name, tmp_path, block)
    of_metadata = ["T670"] * (method == "torchao")  # the file has none
    assert bad(result) == ["C311", *of_metadata], [finding.message for finding in result.findings]
    (finding,) = (one for one in result.findings if one.code == "C311")
    (step,) = finding.remedy().steps
    assert (step.action, step.key) == ("set", ("quantization_config", "quant_method"))
    assert step.new == method


@pytest.mark.parametrize("loader", ["transformers", "transformers@4"])
@pytest.mark.parametrize("name", ["mlx_4bit_g64", "mlx_mxfp4"])
def test_weights_of_mlx_for_transformers(name: str, loader: str, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    write(tmp_path, spec, config)
    result = judged_for(audit(str(tmp_path)), loader)
    (finding,) = (one for one in result.findings if one.severity == "error")
    assert isinstance(finding, LoaderFails) and finding.because.startswith("MLX packed the weights: ")
    assert finding.help.startswith("convert it with mlx_lm.convert --dequantize")


@pytest.mark.parametrize("name", ["mlx_mxfp4", "mlx_3bit_g64", "mlx_4bit_mixtral"])
def test_settings_of_mlx_under_the_key_of_transformers_are_lost(name: str, tmp_path: Path) -> None:
    """mlx-lm reads them under `quantization` alone."""
    config, spec, _ = checkpoint(name)
    write(tmp_path, spec, {key: value for key, value in config.items() if key != "quantization"})
    assert "quantization_config" in config
    result = audit(str(tmp_path))
    (step,) = next(one for one in result.findings if one.code == "T625").remedy().steps
    assert (bad(result), step.key) == (["T625"], ("quantization",))
    assert {"mode": "affine", **step.new} == config["quantization"]


def test_bitsandbytes_needs_no_method_with_its_switches(tmp_path: Path) -> None:
    block = dict(checkpoint("bnb_nf4")[0]["quantization_config"])
    del block["quant_method"]
    assert bad(without_method("bnb_nf4", tmp_path, block)) == []


DENSE = {"tao_int8wo_gpt2"}
"""Variants in which the tool quantized nothing: gpt2 has no linear layers."""


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled([name for name in variants() if name not in DENSE], 5, tool))
def test_a_lost_block_is_the_only_finding_and_changes_no_count(name: str) -> None:
    one = variants()[name]
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in one["tensors"].items()}
    result = judged(spec, unquantized(one["config"]))
    assert bad(result) == ["T625"], [finding.message for finding in result.findings]
    assert one["parameters"] in (None, result.counts.unique_parameters)


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(variants(), 5, tool))
def test_a_variant_without_a_config_is_clean_or_undecided(name: str) -> None:
    one = variants()[name]
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in one["tensors"].items()}
    result = judged(spec, None)
    assert bad(result) == [], [finding.message for finding in result.findings]
    assert result.verdict == "undecided" or one["parameters"] in (None, result.counts.unique_parameters)


@pytest.mark.parametrize("name", ["ct_w8a16_qwen3moe", "mo_nvfp4_fp8_mha_config"])
def test_bits_and_scales_of_layers_are_read_without_a_block(name: str) -> None:
    """The majority of modules decides the bits where widths do not; an embedding needs no scale of its inputs."""
    one = variants()[name]
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in one["tensors"].items()}
    result = judged(spec, unquantized(one["config"]))
    assert (bad(result), result.counts.unique_parameters) == (["T625"], one["parameters"])


def test_rotations_are_not_reported_where_their_block_is_lost() -> None:
    config, spec, _ = checkpoint("ct-rotated")
    assert bad(judged(spec, unquantized(config))) == ["T625"]


@pytest.mark.parametrize("name", ["bnb_nf4", "bnb-nf4-bf16"])
def test_flat_matrices_without_a_config_leave_the_sizes_open(name: str) -> None:
    config, spec, _ = checkpoint(name)
    found = judged(spec, None)
    assert [one.because for one in found.skipped if one.decisive] == [FLAT]
    assert FLAT not in {one.because for one in judged(spec, config).skipped}


@pytest.mark.parametrize("name_of", [lambda name: f"language_model.{name}", lambda name: ""])
def test_entries_of_mlx_that_name_no_module_are_one_finding(name_of: Callable[[str], str]) -> None:
    config, spec, _ = checkpoint("mlx_mixed_3_6")
    for key in ("quantization", "quantization_config"):
        block = config[key]
        config[key] = {name_of(one) if isinstance(entry, dict) else one: entry for one, entry in block.items()}
        config[key].pop("", None)
    (finding,) = judged(spec, config).findings
    (step,) = finding.remedy().steps
    assert (finding.code, step.key) == ("T614", ("quantization",))
    assert codes(judged(spec, {**config, "quantization": step.new})) == set()


@pytest.mark.parametrize(("bits", "code"), [(6, "T614"), (3, "T620")])
def test_entries_of_mlx_that_are_lost_are_given_to_the_modules_that_differ(bits: int, code: str) -> None:
    """The value for all modules stays, as others have it; so does an entry that is stated."""
    config, spec, _ = checkpoint("mlx_mixed_3_6")
    given = {name: entry for name, entry in config["quantization"].items() if isinstance(entry, dict)}
    stated, *lost = (name for name, entry in given.items() if entry["bits"] != bits)
    for key in ("quantization", "quantization_config"):
        kept = {name: entry for name, entry in config[key].items() if name == stated or name not in given}
        config[key] = {**kept, "bits": bits, "group_size": given[lost[0]]["group_size"]}
    (finding,) = judged(spec, config).findings
    steps = finding.remedy().steps
    assert (finding.code, {step.key for step in steps}) == (code, {("quantization", name) for name in lost})
    for step in steps:
        config["quantization"][step.key[1]] = step.new
    assert codes(judged(spec, config)) == set()


@pytest.mark.parametrize(("listed", "expected"), [
    (["vision_tower", "lm_head"], {"T641"}), (["model.vision_tower", "lm_head"], set()), (None, {"T641"}),
])  # fmt: skip
def test_a_plain_tower_that_bitsandbytes_does_not_leave_out(listed: list[str] | None, expected: set[str]) -> None:
    one = variants()["bnb_nf4_gemma3_tower"]
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in one["tensors"].items()}
    for name, (dtype, shape) in [*spec.items()]:
        if name.startswith("vision_tower.") and ".weight." in name:
            del spec[name]
        elif name.startswith("vision_tower.") and dtype == "U8":
            outputs = spec[f"{name.removesuffix('.weight')}.bias"][1][0]
            spec[name] = ("BF16", (outputs, 2 * prod(shape) // outputs))
    block = {**one["config"]["quantization_config"], "llm_int8_skip_modules": listed}
    result = judged(spec, {**one["config"], "quantization_config": block})
    assert codes(result) == expected
    for finding in result.findings:
        assert finding.code != "T641" or {"vision_tower", "model.vision_tower"} <= set(finding.remedy().steps[0].new)


def test_the_output_of_joined_attention_is_left_plain_by_bitsandbytes() -> None:
    one = variants()["bnb_nf4_gemma3_pooled"]
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in one["tensors"].items()}
    assert codes(judged(spec, one["config"])) == set()


@pytest.mark.thinned
@pytest.mark.parametrize("name", QUANTIZED)
def test_with_its_block_there_is_no_finding(name: str) -> None:
    assert codes(stored(name, record(name)["config"])) == set()


@pytest.mark.parametrize("name", [name for name in QUANTIZED if record(name)["original"]])
def test_a_block_over_plain_weights(name: str) -> None:
    config = record(name)["config"]
    audited = judged({key: ("BF16", tuple(shape)) for key, shape in record(name)["original"].items()}, config)
    method = (config.get("quantization_config") or {}).get("quant_method")
    assert codes(audited) == ({"T626"} if method in PLAIN_READ_AS_PACKED else set())
    for finding in audited.findings:
        assert ("loader" in dict(finding.rows())) == (method == "fp8" and finding.code == "T626")
        for step in finding.remedy().steps:
            assert (step.action, step.key) == ("remove", ("quantization_config",))


@pytest.mark.parametrize("name", ["FluxTransformer2DModel", "ChromaTransformer2DModel"])
def test_a_component_of_a_pipeline_names_its_quantization_too(name: str) -> None:
    one = next(one for one in diffusers_records(name) if not one["variant"])
    spec = dict(spec_of(one))
    for key in [key for key in spec if key.endswith(("linear_1.weight", "linear_2.weight"))]:
        rows, columns = spec[key][1]
        spec[key] = ("I8", (rows, columns))
        spec[f"{key}_scale"] = ("F32", (rows,))
    assert codes(judged(spec, {"_class_name": name, **one["config"]})) == {"T625"}


@pytest.mark.parametrize(
    "name", ["FluxTransformer2DModel", "OvisImageTransformer2DModel", "HunyuanVideo15Transformer3DModel"]
)
def test_every_linear_layer_of_a_component_may_be_quantized(name: str) -> None:
    """bitsandbytes replaces each nn.Linear, also those of the modulation by time and text next to a norm."""
    one = next(one for one in diffusers_records(name) if not one["variant"])
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for key, (dtype, shape) in spec_of(one).items():
        if len(shape) != 2 or not key.endswith(".weight"):
            spec[key] = (dtype, shape)
            continue
        elements = shape[0] * shape[1]
        spec[key] = ("U8", (elements // 2, 1))
        spec[f"{key}.absmax"] = ("F32", (-(-elements // 64),))
        spec[f"{key}.quant_map"] = ("F32", (16,))
        spec[f"{key}.quant_state.bitsandbytes__nf4"] = ("U8", (80,))
    block = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
    audited = judged(spec, {"_class_name": name, **one["config"], "quantization_config": block})
    assert (audited.verdict, codes(audited)) == ("clean", set())


@pytest.mark.parametrize(("name", "source"), [
    ("AutoencoderKL", "quanto_qmap.json"), ("AutoencoderKLTemporalDecoder", "quanto_qmap.json"),
    ("FluxTransformer2DModel", "config.json"),
])  # fmt: skip
def test_diffusers_quantizes_only_linear_layers_with_quanto(name: str, source: str) -> None:
    """Convolutions stay random under a block in config.json; optimum-quanto's own file lists them."""
    one = next(one for one in diffusers_records(name) if not one["variant"])
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for key, (dtype, shape) in spec_of(one).items():
        if len(shape) < 2 or not key.endswith(".weight"):
            spec[key] = (dtype, shape)
            continue
        spec[f"{key}._data"], spec[f"{key}._scale"] = ("F8_E4M3", shape), ("F32", (shape[0], *[1] * (len(shape) - 1)))
        spec |= {f"{key.removesuffix('weight')}{end}_scale": ("F32", ()) for end in ("input", "output")}
    audited = judged(spec, {"_class_name": name, **one["config"]})
    assert codes(audited) == {"T625"}
    (help_text,) = (one.help for one in audited.findings if one.code == "T625")
    assert source in help_text


def test_weights_without_a_config_get_no_config_finding() -> None:
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in record("gptq_4bit_g128_sym")["tensors"].items()}
    assert "T625" not in codes(judged(spec, None))


@pytest.mark.parametrize(
    ("name", "keeps_block", "keeps_file", "expected"),
    [
        ("quanto_int4", True, True, []),  # optimum-quanto reads its file
        ("quanto_int4", True, False, ["T625"]),
        ("modelopt_nvfp4", False, True, []),  # vLLM reads hf_quant_config.json
        ("gptq_4bit_g128_sym", False, True, ["T625"]),  # transformers does not read quantization_config.json
        ("exl2", False, False, []),  # exllamav2 recognizes the tensors
    ],
)
def test_the_loader_that_reads_the_settings_is_the_intended_one(
    name: str, keeps_block: bool, keeps_file: bool, expected: list[str], tmp_path: Path
) -> None:
    config, spec, _ = checkpoint(name)
    write(tmp_path, spec, config if keeps_block else {key: config[key] for key in config if key not in KEYS})
    for file, values in record(name)["side"].items() if keeps_file else ():
        (tmp_path / file).write_text(json.dumps(values), encoding="utf-8")
    found = [finding.code for finding in audit(tmp_path).findings if finding.severity != "note"]
    assert found == expected


@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("ct_fp8_dynamic", {"quant_method": "fp8", "weight_block_size": [128, 128]}),
        ("modelopt_nvfp4", {"quant_method": "mxfp4"}),
        ("quark_mxfp4", {"quant_method": "mxfp4"}),
        ("mlx-8-32", {"quant_method": "gptq", "bits": 4, "group_size": 128}),
        ("sinq_4bit_g64", {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm"}),
    ],
)
def test_a_block_of_another_method_is_one_finding(name: str, block: dict[str, Any]) -> None:
    config, spec, _ = checkpoint(name)
    assert bad(audited(name, spec, {**unquantized(config), "quantization_config": block})) == ["T614"]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"group_size": 64, "bits": 4}, []),
        ({"group_size": None, "bits": 4}, []),
        ({"bits": 4}, ["T625"]),
        ({"bits": 4, "mode": "affine"}, ["T625"]),
        ({"group_size": 64}, ["T625"]),
        ({}, ["T625"]),
    ],
)
@pytest.mark.parametrize("name", ["mlx_4bit_g64", "mlx_4bit_mixtral"])
def test_mlx_takes_both_sizes_from_its_block(name: str, stated: dict[str, Any], expected: list[str]) -> None:
    """Measured with mlx-lm 0.32: a KeyError without a key, null is read from the shapes."""
    config, spec, _ = checkpoint(name)
    found = audited(name, spec, {**unquantized(config), "quantization": stated})
    assert bad(found) == expected
    if expected:
        (step,) = found.findings[0].remedy().steps
        assert step.new == {"group_size": 64, "bits": 4}


LISTS_OF = ["bnb_nf4", "bnb_int8", "awq_gemm_4bit_g128", "fp8_finegrained", "ct_w4a16", "ct_fp8_block", "ct_w8a8"]


@pytest.mark.parametrize("name", LISTS_OF)
def test_the_block_lists_the_modules_that_are_not_quantized(name: str) -> None:
    module = "model.layers.1.mlp.down_proj"
    config, spec, _ = checkpoint(name)
    shape = tuple(record(name)["original"][f"{module}.weight"])
    spec = {tensor: entry for tensor, entry in spec.items() if not tensor.startswith(f"{module}.")}
    spec[f"{module}.weight"] = ("BF16", shape)
    plain = unquantized(config)
    (finding,) = (one for one in judged(spec, plain).findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert any(module in value for value in step.new.values() if isinstance(value, list))
    assert codes(judged(spec, {**plain, step.key[0]: step.new})) == set()


@pytest.mark.parametrize("name", LISTS_OF)
def test_the_block_lists_a_module_that_is_plain_in_every_layer(name: str) -> None:
    plain = without_role(name, "q_proj")
    config = unquantized(plain.checkpoint.config.values) if plain.checkpoint.config else {}
    spec = {tensor: (layout.dtype, layout.shape) for tensor, layout in plain.checkpoint.tensors.items()}
    (finding,) = (one for one in judged(spec, config).findings if one.severity == "error")
    (step,) = finding.remedy().steps
    listed = [value for key, value in step.new.items() if isinstance(value, list) and key != "weight_block_size"]
    ways = {"ct": ["re:.*q_proj"], "fp8": [*(f"model.layers.{layer}.self_attn.q_proj" for layer in range(2)), "q_proj"]}
    assert listed == [["lm_head", *ways.get(name.partition("_")[0], ["q_proj"])]]
    assert codes(judged(spec, {**config, step.key[0]: step.new})) == set()


@pytest.mark.parametrize(("name", "older"), [("fp8_finegrained", "altered"), ("ct_w8a8", "refuses")])
def test_without_a_block_quantized_values_are_loaded_as_weights(name: str, older: str, tmp_path: Path) -> None:
    """Measured: no missing keys, and the scales are unexpected keys; 4.57 refuses integers."""
    _, spec, _ = checkpoint(name)
    write(tmp_path, spec, without_block(name))
    found = {str(one.version).partition(".")[0]: one.outcome for one in audit(str(tmp_path)).loads
             if one.loader == "transformers"}  # fmt: skip
    assert found == {"5": "altered", "4": older}


@pytest.mark.parametrize(("name", "expected"), [
    ("ct-fp8-static", {"strategy": "tensor", "dynamic": False}), ("ct_f8tensor", {"strategy": "tensor"}),
    ("ct_w3asym", {"symmetric": False, "group_size": 128}), ("fp8-block-64-moe", {"weight_block_size": [64, 64]}),
    ("mo_fp8_default_cfg", {"quant_method": "quark", "qscheme": "per_tensor"}),
    ("fbgemm", {"quant_method": "fbgemm_fp8"}),
    ("ct-mixed-precision", None), ("quark_fp8", {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}),
    ("quark_mxfp4", {"dtype": "fp4", "group_size": 32}), ("mo_mxfp4_default_cfg", {"quant_method": "quark"}),
    ("mo_int8_weight_only_cfg", {"quant_algo": "W8A16"}), ("quark_int4_g128", None), ("quark-int8", {"dtype": "int8"}),
    ("mo_nvfp4_qwen2", {"quant_method": "modelopt", "quant_algo": "NVFP4"}),
    ("modelopt_int4_awq", {"quant_algo": "W4A16_AWQ", "group_size": 128}),
    ("mo_w4a16_nvfp4_cfg", {"quant_algo": "W4A16_NVFP4"}),
    ("mo_int8_smoothquant_cfg", {"quant_algo": "W8A8_SQ_PER_CHANNEL"}),
    ("mo_w4a8_awq_beta_cfg", {"quant_algo": "W4A8_AWQ"}), ("ct-nvfp4", {"dynamic": "local"}), ("higgs-3", None),
    ("ct_w4chan", {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "channel"}),
    ("ct_w4a16_asym", {"dequantize": True}), ("fp8-static", {"activation_scheme": "static", "weight_block_size": None}),
    ("awq-gemv", {"version": "gemv"}), ("awq-fast", {"version": "gemv_fast"}), ("eetq", {"quant_method": "eetq"}),
    ("aqlm-1x16", {"in_group_size": 16, "out_group_size": 1, "num_codebooks": 1, "nbits_per_codebook": 16}),
    ("aqlm-2x8", {"linear_weights_not_to_quantize": ["lm_head", "lm_head.weight"]}), ("bitnet-odd", None),
    ("hqq_4bit_g64", {"nbits": 4, "channel_wise": True, "group_size": 64}),
    ("hqq_4bit_g64_axis0", {"nbits": 4, "group_size": 64, "axis": 0}),
    ("hqq-3-axis0", {"nbits": 3, "group_size": 64, "axis": 0}),
    ("fpquant-nv", {"forward_dtype": "nvfp4"}), ("fpquant-mx", None), ("quark-fp6", None),
    ("vptq-stated-unpacked", None),
    ("mo_nvfp4_qwen3moe", {"ignore": ["lm_head", "model.layers.0.mlp.gate", "model.layers.1.mlp.gate"]}),
    ("autoround_mxfp4", {"format": "mxfp4-pack-quantized"}), ("ct_nvfp4a16_opt", {"strategy": "tensor_group"}),
    ("modelopt_mxfp8", {"format": "mxfp8-quantized"}), ("ct_w4a16_qwen3moe", {"group_size": 128}),
    ("bnb_fp4", {"bnb_4bit_quant_type": "fp4"}),
    ("mo_fp8_2d_blockwise_weight_only_cfg", {"quant_algo": "FP8_PB_WO"}),
])  # fmt: skip
def test_the_block_states_what_the_scales_determine(name: str, expected: dict[str, Any] | None) -> None:
    """ModelOpt and Quark both store scales without an axis, and the loader of Quark reads both."""
    one = variants().get(name)
    config, spec = (one["config"], one["tensors"]) if one is not None else checkpoint(name)[:2]
    result = judged({key: (dtype, tuple(shape)) for key, (dtype, shape) in spec.items()}, unquantized(config))
    (finding,) = (one for one in result.findings if one.code == "T625")
    assert [step.key for step in finding.remedy().steps] == ([] if expected is None else [("quantization_config",)])
    written = json.dumps(finding.facts["block"])
    assert all(f"{json.dumps({key: value})[1:-1]}" in written for key, value in (expected or {}).items())


DYNAMIC: dict[str, Any] = {"num_bits": 8, "symmetric": True, "dynamic": True}


@pytest.mark.parametrize("dtype", ["I8", "F8_E4M3"])
@pytest.mark.parametrize("model_type", ["llama", "qwen2"])
def test_inputs_of_unpacked_weights_are_those_of_llm_compressor(model_type: str, dtype: str) -> None:
    """compressed-tensors has no format of unpacked weights alone; vLLM has no scheme for integers without inputs.

    Measured: transformers 5.23 with compressed-tensors 0.20 loads each of these completely.
    """
    record = base_record(model_type, "CausalLM")
    kind = "int" if dtype == "I8" else "float"
    for scales, inputs, static in (
        (lambda rows, columns: (rows, 1), {**DYNAMIC, "type": kind, "strategy": "token"}, False),
        (lambda rows, columns: (1,), {"num_bits": 8, "type": kind, "strategy": "tensor", "dynamic": False,
                                      "symmetric": True}, True),
    ):  # fmt: skip
        spec: Spec = {}
        for name, (stored, shape) in spec_of(record).items():
            packed = name.endswith("_proj.weight")
            spec[name] = (dtype if packed else stored, shape)
            if packed:
                spec[f"{name}_scale"] = ("BF16", scales(*shape))
                spec |= {f"{name.removesuffix('weight')}input_scale": ("BF16", (1,))} if static else {}
        (finding,) = (one for one in judged(spec, record["config"]).findings if one.code == "T625")
        assert finding.facts["block"]["config_groups"]["group_0"]["input_activations"] == inputs
        assert ("no tensor shows input_activations" in finding.help) != static
        assert ("without it if the weights alone" in finding.help) == (kind == "float" and not static)


@pytest.mark.parametrize(("name", "keys"), [
    ("fpquant-mx", {"forward_method": ["abs_max", "quest"]}),
    ("bitnet", {"linear_class": ["bitlinear", "autobitlinear"]}),
    ("quark-fp6", {"dtype": ["fp6_e3m2", "fp6_e2m3"]}),
])  # fmt: skip
def test_blocks_that_read_the_tensors_in_several_ways_are_all_stated(name: str, keys: dict[str, list[str]]) -> None:
    config, spec = (*simple(LLAMA, bitnet, {"quant_method": "bitnet"}),) if name == "bitnet" else checkpoint(name)[:2]
    result = judged({key: (dtype, tuple(shape)) for key, (dtype, shape) in spec.items()}, unquantized(config))
    (finding,) = (one for one in result.findings if one.code == "T625")
    remedy = finding.remedy()
    assert (finding.facts["block"], remedy.choice, remedy.steps) == (None, True, ())
    ((key, values),) = keys.items()
    assert all(f'"{key}": "{value}"' in remedy.words for value in values)


@pytest.mark.parametrize(("name", "absent"), [
    ("higgs-3", "tune_metadata or hadamard_size"), ("quark-int4-rows", "pack_method"),
])  # fmt: skip
def test_keys_that_no_header_shows_are_named(name: str, absent: str) -> None:
    config, spec, _ = checkpoint(name)
    (finding,) = (one for one in judged(spec, unquantized(config)).findings if one.code == "T625")
    assert absent in finding.remedy().words
    assert not finding.remedy().steps


@pytest.mark.parametrize("name", ["vptq", "vptq-stated", "vptq-stated-outliers", "spqr", "spqr-stated"])
def test_the_block_has_the_sizes_of_every_module(name: str) -> None:
    config, spec, _ = checkpoint(name)
    (finding,) = (one for one in judged(spec, unquantized(config)).findings if one.code == "T625")
    (step,) = finding.remedy().steps
    assert codes(judged(spec, {**config, step.key[0]: step.new})) == set()
    stated = config[step.key[0]]
    for key in ("config_for_layers", "shapes"):
        assert key not in stated or stated[key] == step.new[key]


@pytest.mark.parametrize(("name", "code"), [("hqq_4bit_g64", "N430"), ("vptq-stated", "N430"), ("spqr-stated", "N430"),
                                            ("aqlm-2x8", "N429"), ("eetq", None), ("quark-int8", None)])  # fmt: skip
def test_a_method_that_version_5_does_not_load(name: str, code: str | None, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    write(tmp_path, spec, config)
    assert bad(audit(tmp_path)) == ([] if code is None else [code])


@pytest.mark.parametrize(("listed", "older"), [(["lm_head", "lm_head.weight"], "complete"), (["lm_head"], "random")])
def test_the_list_of_aqlm_names_modules_and_weights(listed: list[str], older: str, tmp_path: Path) -> None:
    """Measured: 5.24 finds "lm_head" and not "lm_head.weight"; the source of 4.57 compares the name of the weight."""
    config, spec, _ = checkpoint("aqlm-2x8")
    config["quantization_config"]["linear_weights_not_to_quantize"] = listed
    write(tmp_path, spec, config)
    outcomes = {str(one.version)[0]: one.outcome for one in audit(tmp_path).loads if one.loader == "transformers"}
    assert outcomes == {"5": "complete", "4": older}


@pytest.mark.parametrize(("scales", "expected"), [
    ([((256, 640), (2, 5))], (128, 128)), ([((256, 640), (4, 5))], (64, 128)), ([((96, 200), (1, 2))], None),
    ([((96, 200), (1, 2)), ((640, 256), (5, 2))], (128, 128)), ([((256, 640), (3, 5))], None), ([], None),
    ([((4, 256, 640), (4, 2, 5))], None),
])  # fmt: skip
def test_the_block_of_scales_is_named_where_only_one_fits(scales: Any, expected: tuple[int, int] | None) -> None:
    assert block_size(scales) == expected


INT8 = {"_type": "Int8Tensor", "_data": {"act_quant_kwargs": None, "block_size": [1, 256]}}
ROWS = {"act_quant_kwargs": {"_type": "QuantizeTensorToInt8Kwargs"}, "block_size": [1, 256]}
INTX = {
    "_type": "IntxUnpackedToInt8Tensor",
    "_data": {
        "target_dtype": {"_type": "torch.dtype", "_data": "int4"},
        "block_size": [1, 64],
        "activation_quantization": None,
    },
}


@pytest.mark.parametrize(("name", "entry", "kind"), [
    ("torchao_int8wo", INT8, "Int8WeightOnlyConfig"), ("torchao_intx_int4", INTX, "IntxWeightOnlyConfig"),
    ("torchao_int8wo", {**INT8, "_data": ROWS}, "Int8DynamicActivationInt8WeightConfig"),
    ("torchao_int8wo", {**INT8, "_type": "OtherTensor"}, None), ("torchao_int8wo", [], None),
])  # fmt: skip
def test_the_block_of_torchao_is_that_of_its_metadata(name: str, entry: Any, kind: str | None, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    kept = unquantized(config)
    metadata = {key.replace("._weight_qdata", ".weight"): json.dumps(entry) for key in spec if key.endswith("_qdata")}
    write(tmp_path, spec, kept)
    write_file(tmp_path / "model.safetensors", spec, {**metadata, "format": "pt", "norm.weight": '{"_type": "Tensor"}'})
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity == "error")
    block = finding.facts["block"]
    assert (block and block["quant_type"]["default"]["_type"]) == kind
    if block:
        (tmp_path / "config.json").write_text(json.dumps({**kept, "quantization_config": block}), encoding="utf-8")
        assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize("name", ["quanto_int8", "quanto_int4", "quanto_float8"])
def test_the_map_that_a_program_keeps_of_quanto_is_read(name: str, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    (entries,) = record(name)["side"].values()
    write(tmp_path, spec, config)
    (tmp_path / "quantization_map.json").write_text(json.dumps(entries), encoding="utf-8")
    assert [one.code for one in audit(str(tmp_path)).findings if one.severity != "note"] == []


@pytest.mark.parametrize("name", ["bnb_int8_head", "mlx_mlp8", "mlx_4_head"])
def test_the_block_of_two_quantizations_repairs(name: str) -> None:
    if name not in variants():
        pytest.skip("not recorded")
    one = variants()[name]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}
    plain = unquantized(one["config"])
    (finding,) = (one for one in judged(spec, plain).findings if one.code == "T625")
    (step,) = finding.remedy().steps
    assert bad(judged(spec, {**plain, step.key[0]: step.new})) == []


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("name", ["mo_fp8_deepseek_v3", "mo_fp8_qwen3moe", "mo_fp8_default_cfg"])
def test_packed_words_without_a_block_have_the_bits_that_fit_the_model(name: str, bits: int) -> None:
    one = variants()[name]
    spec: dict[str, tuple[str, tuple[int, ...]]] = {}
    for key, (dtype, shape) in one["tensors"].items():
        module, _, suffix = key.rpartition(".")
        if dtype == "F8_E4M3":
            rows, columns = shape
            spec[f"{module}.weight_packed"] = ("I32", (rows, columns * bits // 32))
            spec[f"{module}.weight_scale"] = ("BF16", (rows, -(-columns // 128)))
            spec[f"{module}.weight_shape"] = ("I64", (2,))
        elif not suffix.endswith("_scale"):
            spec[key] = (dtype, tuple(shape))
    result = judged(spec, unquantized(one["config"]))
    assert (bad(result), result.counts.unique_parameters) == (["T625"], one["parameters"])


@pytest.mark.parametrize(("model_type", "plain", "listed"), [
    ("qwen2_moe", (".mlp.gate", ".shared_expert_gate"), ["lm_head", "mlp.gate", "shared_expert_gate"]),
    ("qwen3_moe", (".mlp.gate", ".k_proj"), ["k_proj", "lm_head", "mlp.gate"]),
    ("olmo2", (".gate_proj",), ["gate_proj", "lm_head"]),
])  # fmt: skip
def test_no_entry_of_hqq_is_part_of_the_name_of_a_quantized_module(
    model_type: str, plain: tuple[str, ...], listed: list[str]
) -> None:
    """Measured with transformers 4.57 and hqq 0.2.8: it fails on plain modules that the list does not name, and takes
    each entry for all names that contain it.
    """
    spec, config = by_hqq(model_type, plain)
    (finding,) = (found for found in judged(spec, config).findings if found.code == "T625")
    (step,) = finding.remedy().steps
    assert sorted(step.new["skip_modules"]) == listed


@pytest.mark.parametrize(("model_type", "plain"), [
    ("qwen2_moe", (".mlp.gate", ".shared_expert_gate")), ("olmo2", (".gate_proj",)), ("phi", ()),
])  # fmt: skip
def test_the_list_of_hqq_separates_plain_from_quantized_modules(
    model_type: str, plain: tuple[str, ...], tmp_path: Path
) -> None:
    """Measured with transformers 4.57 and hqq 0.2.8, also that it loads with the list of each remedy."""
    spec, config = by_hqq(model_type, plain)
    (finding,) = (found for found in judged(spec, config).findings if found.code == "T625")
    block = finding.remedy().steps[0].new
    wanted = block["skip_modules"]
    for at, stated in enumerate((wanted, ["head", *wanted[1:]], [], wanted[1:], None, [*wanted, "k_proj.W"])):
        write(tmp_path / str(at), spec, {**config, "quantization_config": {**block, "skip_modules": stated}})
        audited = audit(tmp_path / str(at))
        healthy = at in (0, 1, 5)
        assert bad(audited) == (["N430"] if healthy else ["N429"]), stated
        steps = [step.new for one in audited.findings for step in one.steps]
        assert steps == ([] if healthy else [wanted])
        older = next(one for one in audited.loads if str(one.version).startswith("4"))
        assert older.outcome == ("complete" if healthy else "refuses")


@pytest.mark.parametrize(("axis", "suffix", "bits"), [(1, ".q_proj", 8), (0, ".o_proj", 2), (1, ".gate_proj", 3)])
def test_the_block_of_hqq_has_the_widths_of_each_name(axis: int, suffix: str, bits: int) -> None:
    """Measured with a file of hqq with three widths, along the inputs."""
    spec, config = by_hqq("olmo2", (), axis, {suffix: bits})
    (finding,) = (found for found in judged(spec, config).findings if found.code == "T625")
    stated = finding.remedy().steps[0].new["quant_config"]
    assert len(stated) == 7
    for name, entry in stated.items():
        weights = entry["weight_quant_params"]
        assert weights["nbits"] == (bits if f".{name}".endswith(suffix) else 4)
        assert (weights["group_size"], weights["axis"]) == (8, axis)


@pytest.mark.parametrize("model_type", ["llama", "qwen2"])
@pytest.mark.parametrize(("name", "codes"), [
    ("qmodel.pt", set()), ("pytorch_model.bin", {"T625"}), ("weights.pt", {"T625", "S221"})
])  # fmt: skip
def test_the_own_file_of_hqq_needs_no_block(model_type: str, name: str, codes: set[str], tmp_path: Path) -> None:
    """`AutoHQQHFModel.from_quantized` of hqq 0.2.8 loads it by this name (measured)."""
    spec, config = by_hqq(model_type, ())
    one = base_record(model_type, "ForCausalLM")
    values = {**config, "model_type": model_type, "architectures": [one["class"]]}
    (tmp_path / "config.json").write_text(json.dumps(values), encoding="utf-8")
    (tmp_path / name).write_bytes(torch_file(spec, []))
    findings = audit(str(tmp_path)).findings
    assert {one.code for one in findings if one.severity != "note"} == codes
    assert ("T650" in {one.code for one in findings}) is (not codes)


def by_hqq(
    model_type: str, plain: tuple[str, ...], axis: int = 1, widths: Mapping[str, int] = MappingProxyType({})
) -> tuple[Spec, dict[str, Any]]:
    """A recorded model whose layers HQQ quantized in groups of 8, without a block. widths: end of a name -> its bits,
    which are 4 for others.
    """
    one = base_record(model_type, "ForCausalLM")
    spec = spec_of(one)
    for name, (_, shape) in list(spec.items()):
        module = name.removesuffix(".weight")
        if ".layers." in name and len(shape) == 2 and not module.endswith(plain):
            del spec[name]
            bits = next((bits for end, bits in widths.items() if module.endswith(end)), 4)
            parts = hqq(bits, 8, axis)(*shape)
            spec |= {f"{module}.{suffix}": (dtype, tuple(dims)) for suffix, (dtype, dims) in parts.items()}
    return spec, one["config"]


@pytest.mark.parametrize(("model_type", "suffix", "listed"), [
    ("modernbert", "ForMaskedLM", None), ("bert", "ForMaskedLM", None), ("distilbert", "ForSequenceClassification", []),
])  # fmt: skip
def test_a_layer_inside_a_head_leaves_the_default_list(model_type: str, suffix: str, listed: list[str] | None) -> None:
    """Measured for ModernBERT with transformers 5.24: an empty list also replaces the decoder, which then fails."""
    one = base_record(model_type, suffix)
    spec = spec_of(one)
    for name, (_, shape) in list(spec.items()):
        if len(shape) == 2 and name.endswith(".weight") and "embed" not in name:
            spec |= {name: ("I8", shape), f"{name.removesuffix('weight')}SCB": ("F32", shape[:1])}
    (finding,) = (found for found in judged(spec, one["config"]).findings if found.code == "T625")
    (step,) = finding.remedy().steps
    assert step.new.get("llm_int8_skip_modules") == listed


@pytest.mark.parametrize("model_type", ["llama", "gpt_oss", "mixtral"])
@pytest.mark.parametrize(("more", "code"), [({}, "C311"), ({"mode": "affine"}, "T626")])
def test_a_block_without_a_method_over_plain_weights_is_to_be_removed(
    model_type: str, more: dict[str, str], code: str, tmp_path: Path
) -> None:
    """MLX leaves its settings behind where a model was dequantized: transformers and mlx-lm ask for the method."""
    one = base_record(model_type, "ForCausalLM")
    block = {"group_size": 32, "bits": 4, **more}
    audited = audit(str(write(tmp_path, spec_of(one), {**one["config"], "quantization_config": block})))
    (found,) = [one for one in audited.findings if one.severity == "error"]
    steps = [(step.action, step.key) for step in found.remedy().steps]
    assert (found.code, steps) == (code, [("remove", ("quantization_config",))])


def test_a_block_without_a_method_over_packed_weights_is_not_removed() -> None:
    name = next(one for one in QUANTIZED if "gptq" in str(record(one)["config"].get("quantization_config")))
    config = record(name)["config"]
    block = {key: value for key, value in config["quantization_config"].items() if key != "quant_method"}
    assert "T626" not in codes(stored(name, {**config, "quantization_config": block}))


@pytest.mark.parametrize("scheme", ["quanto", "gptq"])
@pytest.mark.parametrize("model_type", ["gemma", "llama", "qwen2"])
def test_a_quantized_copy_of_a_tied_head_is_left_over(model_type: str, scheme: str) -> None:
    """Measured with transformers 5.23 and 4.57: unexpected keys, and the head is the embedding."""
    spec, config = tied_model(model_type)
    left = judged({**spec, **COPIES[scheme]}, config)
    assert codes(left) == {"T668"}
    (found,) = (one for one in left.findings if one.code == "T668")
    assert set(found.facts["names"]) == COPIES[scheme].keys()
    assert left.counts.unique_parameters == judged(spec, config).counts.unique_parameters
    assert codes(judged({**spec, **COPIES[scheme]}, {**config, "tie_word_embeddings": False})) == {"T625"}


@pytest.mark.parametrize("name", ["ct_w4a16", "ct_fp8_dynamic", "ct_w8a8"])
def test_the_old_key_of_compressed_tensors_is_renamed(name: str) -> None:
    """Measured with transformers 5.23 and 4.57: they build plain matrices, and find none of their weights."""
    audited = renamed_block(name)
    assert bad(audited) == ["T669"]
    assert [one.outcome for one in audited.loads if one.loader == "vllm"] == ["complete"]
    assert bad(judged_for(audited, "vllm")) == []
    added, removed = next(one for one in audited.findings if one.code == "T669").remedy().steps
    assert (added.key, removed.key) == (("quantization_config",), ("compression_config",))
    assert added.new == checkpoint(name)[0]["quantization_config"]


@pytest.mark.parametrize(("name", "modules", "wanted"), [
    ("bnb_nf4", (), ["A990"]), ("bnb_nf4", ("model.layers.0.self_attn.q_proj",), ["A990"]),
    ("bnb_nf4_double", (), ["A990"]), ("gptq_4bit_g128_sym", ("model.layers.0.self_attn.q_proj",), ["N407"]),
])  # fmt: skip
def test_names_of_a_wrapper_around_quantized_modules(name: str, modules: tuple[str, ...], wanted: list[str]) -> None:
    audited = wrapper_left(name, *modules)
    assert bad(audited) == wanted
    if wanted == ["A990"]:
        steps = next(one for one in audited.findings if one.code == "A990").remedy().steps
        spec = checkpoint(name)[1]
        assert {step.new for step in steps} <= spec.keys() and all(step.file == "model.safetensors" for step in steps)
        assert audited.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize(("name", "plain", "wanted"), [
    ("fp8_finegrained", True, ["T626"]), ("ct_fp8_dynamic", True, ["T626"]), ("ct_fp8_dynamic", False, ["S206"]),
])  # fmt: skip
def test_an_index_that_still_lists_the_scales(name: str, plain: bool, wanted: list[str], tmp_path: Path) -> None:
    """As after a cast to 16 bits with the index of the original; of weights that are quantized the scales are lost."""
    config, spec, _ = checkpoint(name)
    stored_as = {key: entry for key, entry in spec.items() if "_scale" not in key}
    if plain:
        stored_as = {key: ("BF16", shape) for key, (_, shape) in stored_as.items()}
    folder = write(tmp_path, stored_as, config, shards=2)
    file = folder / "model.safetensors.index.json"
    index = json.loads(file.read_text(encoding="utf-8"))
    first = next(iter(index["weight_map"].values()))
    index["weight_map"] |= {key: first for key in spec if "_scale" in key}
    file.write_text(json.dumps(index), encoding="utf-8")
    audited = audit(str(folder))
    assert [code for code in bad(audited) if code in ("S206", "T626")] == wanted
    assert ("S228" in {one.code for one in audited.findings}) == plain
