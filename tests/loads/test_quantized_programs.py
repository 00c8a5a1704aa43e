"""What vLLM and mlx-lm do with quantized checkpoints that transformers reads.

Measured: mlx-lm 0.32.2 on a CPU with listings of the same tools. vLLM's rules are those of its source.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.loading.quantizers import meant_method
from inspector.loading.vllm_plain import is_plain
from tests.checkpoints import genuine
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy as folder_of
from tests.loads.damage import text, write
from tests.quantization.made_by_formula import LLAMA, awq, gptq, linears, rest
from tests.quantization.recorded import RECORDED, record, variants
from tests.quantization.stored import Spec, checkpoint


def stored(place: Path, spec: Spec, config: dict[str, Any], side: dict[str, Any] | None = None) -> Audit:
    """The audit of a folder with this listing and config."""
    folder = folder_of(spec, config)
    for name, content in (side or {}).items():
        text(folder, name, content)
    return audit(str(write(folder, place / "model")))


def of_record(place: Path, name: str) -> Audit:
    """The audit of what a tool wrote."""
    config, spec, _ = checkpoint(name)
    return stored(place, spec, config, record(name)["side"] if name in RECORDED else {})


MLX = [
    ("awq_gemm_4bit_g128", "complete"), ("mlx_4bit_g64", "complete"), ("gptq_4bit_g128_sym", "refuses"),
    ("gptq_3bit_g64", "refuses"), ("ct_w4a16", "refuses"), ("ct_w8a8", "refuses"), ("ct_fp8_dynamic", "refuses"),
    ("ct_nvfp4a16", "refuses"), ("fp8_finegrained", "refuses"), ("awq-4-64", "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "outcome"), MLX)
def test_mlx_reads_few_quantizations_of_others(name: str, outcome: str, tmp_path: Path) -> None:
    (load,) = judged_for(of_record(tmp_path, name), "mlx").loads
    assert load.outcome == outcome


@pytest.mark.parametrize("name", ["mlx_4bit_g64", "mlx_mxfp4", "mlx_4bit_mixtral", "mlx-8-32"])
@pytest.mark.parametrize("both", [True, False])
def test_transformers_does_not_read_the_settings_of_mlx(name: str, both: bool, tmp_path: Path) -> None:
    """Measured with both versions: under `quantization` alone the packed weights have other shapes than the layers."""
    config, spec, _ = checkpoint(name)
    config.pop("quantization_config", None)
    copied = {"quantization_config": config["quantization"]} if both else {}
    result = stored(tmp_path, spec, {**config, **copied})
    found = {f"{one.loader} {one.version}"[:14]: one.outcome for one in result.loads if one.loader != "vllm"}
    assert result.verdict == "clean"
    assert found == {"transformers 5": "refuses", "transformers 4": "refuses", "mlx 0.32": "complete"}


FOUR_BIT = "model.layers.0.self_attn.q_proj.weight"


@pytest.mark.parametrize(("name", "lost", "outcome"), [
    ("ct_w4a16", "", "complete"), ("bnb_nf4", "", "complete"),
    ("bnb_nf4", f"{FOUR_BIT}.", "altered"), ("bnb_nf4", f"{FOUR_BIT}.quant_state.", "refuses"),
    ("bnb_nf4", f"{FOUR_BIT}.absmax", "unknown"),
])  # fmt: skip
def test_what_transformers_5_does_with_quantized_weights(name: str, lost: str, outcome: str, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    kept = {key: one for key, one in spec.items() if not lost or not key.startswith(lost)}
    load = stored(tmp_path, kept, config, record(name)["side"]).loads[0]
    assert (load.version or "")[:1] == "5" and load.outcome == outcome


@pytest.mark.parametrize(("name", "outcome"), [("ct_w4a16", "refuses"), ("ct_fp8_dynamic", "random")])
def test_a_tied_head_that_no_list_leaves_out(name: str, outcome: str, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    block = {**config["quantization_config"], "ignore": []}
    config = {**config, "tie_word_embeddings": True, "quantization_config": block}
    result = stored(tmp_path, {key: one for key, one in spec.items() if key != "lm_head.weight"}, config)
    assert [one.code for one in result.findings if one.severity == "error"] == ["T662"]
    assert result.loads[0].outcome == outcome


@pytest.mark.parametrize(("dequantize", "codes", "outcome"), [(False, ["N429"], "refuses"), (True, [], "complete")])
def test_packed_zero_points_are_read_by_plain_layers_alone(
    dequantize: bool, codes: list[str], outcome: str, tmp_path: Path
) -> None:
    config, spec, _ = checkpoint("ct_w4_channel_asym")
    config = {**config, "quantization_config": {**config["quantization_config"], "dequantize": dequantize}}
    result = stored(tmp_path, spec, config)
    assert [one.code for one in result.findings if one.severity == "error"] == codes
    assert [one.outcome for one in result.loads[:3]] == [outcome, "altered", "complete"]  # vLLM is the third


def _plain(rows: int, columns: int) -> Spec:
    return {"weight": ("BF16", (rows, columns))}


def _int8(rows: int, columns: int) -> Spec:
    return {"weight": ("I8", (rows, columns)), "weight_scale": ("BF16", (rows, 1))}


def _float8(rows: int, columns: int) -> Spec:
    return {"weight": ("F8_E4M3", (rows, columns)), "weight_scale": ("BF16", (rows, 1))}


FLOATS = {"num_bits": 8, "type": "float", "strategy": "channel"}
INTEGERS = {"num_bits": 8, "type": "int", "strategy": "channel"}
OF_EXPERTS = ["re:.*experts.*"]


@pytest.mark.parametrize(("made", "group", "outcome"), [
    (None, None, "complete"), (_plain, None, "refuses"), (_plain, (OF_EXPERTS, FLOATS), "complete"),
    (_int8, (OF_EXPERTS, INTEGERS), "refuses"), (_float8, (OF_EXPERTS, FLOATS), "complete"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["ct_w4a16_qwen3moe", "ct_w8a16_qwen3moe"])
def test_experts_that_are_merged_need_packed_weights_under_a_group_of_integers(
    name: str, made: Any, group: tuple[list[str], dict[str, Any]] | None, outcome: str, tmp_path: Path
) -> None:
    """Measured with transformers 5.23 and compressed-tensors 0.20, also for Mixtral."""
    config, found = copy.deepcopy(variants()[name]["config"]), variants()[name]["tensors"]
    spec: Spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in found.items()}
    block, bits = config["quantization_config"], 8 if "w8" in name else 4
    packed = {key: spec.pop(key)[1] for key in [*spec] if made is not None and ".experts." in key}
    for key, (rows, *words) in packed.items():
        module, _, suffix = key.rpartition(".")
        if suffix == "weight_packed":
            spec |= {f"{module}.{end}": entry for end, entry in made(rows, words[0] * 32 // bits).items()}
    if made is _plain:
        block["ignore"].append("re:.*experts.*")
    if group is not None:
        targets, weights = group
        form = "float-quantized" if weights is FLOATS else "int-quantized"
        block["config_groups"]["group_1"] = {"targets": targets, "weights": weights, "format": form}
    result = stored(tmp_path, spec, config)
    assert [one.code for one in result.findings if one.severity == "error"] == ["N429"] * (outcome == "refuses")
    assert (result.loads[0].loader, result.loads[0].outcome) == ("transformers", outcome)


def test_a_zero_point_of_the_whole_matrix_is_not_packed(tmp_path: Path) -> None:
    config, spec, _ = checkpoint("ct_w4_channel_asym")
    config = copy.deepcopy(config)
    config["quantization_config"]["config_groups"]["group_0"]["weights"]["strategy"] = "tensor"
    single = ("weight_zero_point", "weight_scale")
    spec = {name: (dtype, (1,) if name.endswith(single) else shape) for name, (dtype, shape) in spec.items()}
    result = stored(tmp_path, spec, config)
    assert (result.verdict, result.loads[0].outcome) == ("clean", "complete")


@pytest.mark.parametrize(("name", "suffix", "rows"), [
    ("ct_fp8_dynamic", "weight_scale", True), ("ct_w8a8", "weight_scale", True),
    ("ct_nvfp4a16", "weight_global_scale", False),
])  # fmt: skip
def test_scales_of_compressed_tensors_have_the_dims_that_it_registers(
    name: str, suffix: str, rows: bool, tmp_path: Path
) -> None:
    config, spec, _ = checkpoint(name)
    flat = {key: (dtype, shape[:1] if rows else ()) if key.endswith(suffix) else (dtype, shape)
            for key, (dtype, shape) in spec.items()}  # fmt: skip
    (error,) = (one for one in stored(tmp_path, flat, config).findings if one.severity == "error")
    assert error.code == "T611" and "with the same numbers" in error.remedy().words


@pytest.mark.parametrize(("entries", "written", "codes", "outcome"), [
    (["vision_tower", "multi_modal_projector"], "5.0.0", ["N429"], "random"),
    (["vision_tower", "multi_modal_projector"], "4.57.6", ["N430"], "random"),
    (["model.vision_tower", "model.multi_modal_projector"], "5.0.0", [], "complete"),
    ([], "5.0.0", ["T641"], "unknown"),
])  # fmt: skip
def test_a_tower_is_left_out_by_its_name_in_the_model(
    entries: list[str], written: str, codes: list[str], outcome: str, tmp_path: Path
) -> None:
    found = base_record("llava", "ConditionalGeneration")
    spec = {name: (dtype, tuple(96 if dim == 92 else dim for dim in shape)) for name, (dtype, shape) in
            spec_of(found).items()}  # fmt: skip
    text = {**found["config"]["text_config"], "intermediate_size": 96}
    for name, (_, shape) in [*spec.items()]:
        if name.startswith("language_model.") and name.endswith("_proj.weight"):
            module = name.removesuffix(".weight")
            packed = awq(shape[1])(*spec.pop(name)[1])
            spec |= {f"{module}.{end}": (dtype, tuple(dims)) for end, (dtype, dims) in packed.items()}
    block = {"quant_method": "awq", "bits": 4, "group_size": -1, "version": "gemm", "modules_to_not_convert": entries}
    config = {**found["config"], "text_config": text, "quantization_config": block, "transformers_version": written}
    result = stored(tmp_path, spec, config)
    errors = [one for one in result.findings if one.severity != "note"]
    assert ([one.code for one in errors], result.loads[0].outcome) == (codes, outcome)
    if errors:
        (step,) = errors[0].remedy().steps
        assert {"model.vision_tower", "model.multi_modal_projector"} <= set(step.new)


def test_a_type_that_scales_fp8_itself_is_left_open(tmp_path: Path) -> None:
    record = base_record("ministral3", "CausalLM")
    spec = spec_of(record)
    for name, (_, shape) in [*spec.items()]:
        if name.endswith("_proj.weight"):
            spec[name] = ("F8_E4M3", shape)
            spec[f"{name}_scale_inv"] = ("F32", (-(-shape[0] // 128), -(-shape[1] // 128)))
    block = {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}
    result = stored(tmp_path, spec, {**record["config"], "quantization_config": block})
    assert [one.outcome for one in result.loads if one.loader == "mlx"] in (["unknown"], ["refuses"])


@pytest.mark.parametrize("name", ["modelopt_nvfp4", "modelopt_fp8", "modelopt_mxfp8"])
def test_vllm_reads_modelopt_with_settings_in_either_file(name: str, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    side = record(name)["side"]
    assert judged_for(stored(tmp_path / "a", spec, config, side), "vllm").verdict == "clean"
    del config["quantization_config"]
    assert judged_for(stored(tmp_path / "b", spec, config, side), "vllm").verdict == "clean"


def mixed(other: str, layers: tuple[int, ...], *, plain: bool) -> tuple[Spec, dict[str, Any]]:
    """A Llama in four bits of which a projection has eight bits in some layers, or is plain and in the list."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    dynamic: dict[str, Any] = {}
    for module, outputs, inputs in linears(LLAMA):
        apart = module.endswith(other) and int(module.split(".")[2]) in layers
        if apart:
            dynamic[f"{'-' if plain else '+'}:{module.replace('.', '[.]')}$"] = {} if plain else {"bits": 8}
        if apart and plain:
            spec[f"{module}.weight"] = ("F16", (outputs, inputs))
            continue
        for suffix, (dtype, shape) in gptq(8 if apart else 4, 128)(outputs, inputs).items():
            spec[f"{module}.{suffix}"] = (dtype, tuple(shape))
    block = {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True, "dynamic": dynamic}
    return spec, {**LLAMA, "quantization_config": block}


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(("other", "outcome"), [
    ("up_proj", "refuses"), ("self_attn.k_proj", "refuses"), ("down_proj", "complete"), ("o_proj", "complete"),
])  # fmt: skip
def test_vllm_joins_layers_of_one_quantization_only(other: str, outcome: str, plain: bool, tmp_path: Path) -> None:
    spec, config = mixed(other, (1,), plain=plain)
    result = stored(tmp_path, spec, config)
    assert result.verdict == "clean"
    assert [one.outcome for one in result.loads if one.loader == "vllm"] == [outcome]


def test_vllm_takes_layers_that_differ_as_a_whole(tmp_path: Path) -> None:
    spec, config = mixed("_proj", (1,), plain=False)
    assert [one.outcome for one in stored(tmp_path, spec, config).loads if one.loader == "vllm"] == ["complete"]


BLOCKS: dict[str, dict[str, Any]] = {
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm", "zero_point": True},
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": True},
}
SPARSE: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 96, "moe_intermediate_size": 32, "num_hidden_layers": 2, "head_dim": 16,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 101, "num_experts": 4, "num_local_experts": 4,
    "num_experts_per_tok": 2, "tie_word_embeddings": False,
}  # fmt: skip
MADE = {"awq": awq(32), "gptq": gptq(4, 32)}
OF_CLASS = {"qwen3_moe": "Qwen3MoeForCausalLM", "mixtral": "MixtralForCausalLM", "olmoe": "OlmoeForCausalLM"}


@pytest.mark.parametrize("model_type", OF_CLASS)
@pytest.mark.parametrize(("method", "key"), [("awq", "modules_to_not_convert"), ("gptq", "dynamic")])
def test_vllm_quantizes_experts_that_no_entry_excludes(model_type: str, method: str, key: str, tmp_path: Path) -> None:
    """Its module of experts has no parameter for plain weights; with the entry of the remedy they are plain."""
    config = {"model_type": model_type, "architectures": [OF_CLASS[model_type]], **SPARSE}
    spec: Spec = {}
    for name, (_, shape) in genuine(config).items():
        packed = name.endswith("_proj.weight") and ".experts." not in name
        made = MADE[method](*shape) if packed else {"weight": ("F16", shape)}
        module = name.removesuffix(".weight")
        spec |= {f"{module}.{suffix}": (kind, tuple(dims)) for suffix, (kind, dims) in made.items()}
    refused = stored(tmp_path / "a", spec, {**config, "quantization_config": BLOCKS[method]})
    (vllm,) = (one for one in refused.loads if one.loader == "vllm")
    assert (vllm.outcome, vllm.setting and vllm.setting[0]) == ("refuses", key)
    (finding,) = (one for one in judged_for(refused, "vllm").findings if one.severity == "error")
    (step,) = finding.remedy().steps
    whole = stored(tmp_path / "b", spec, {**config, "quantization_config": {**BLOCKS[method], key: step.new}})
    assert [one.outcome for one in whole.loads if one.loader == "vllm"] == ["complete"]


def test_vllm_refuses_experts_stored_plain_under_a_block_for_mxfp4(tmp_path: Path) -> None:
    config = copy.deepcopy(base_record("gpt_oss")["config"])
    config["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}
    audited = stored(tmp_path, spec_of(base_record("gpt_oss")), config)
    assert [one.outcome for one in audited.loads if one.loader == "transformers"] == ["complete", "refuses"]  # measured
    result = judged_for(audited, "vllm")
    (finding,) = (one for one in result.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (step.action, step.key) == ("remove", ("quantization_config",))


@pytest.mark.parametrize(("block", "outcomes"), [
    ({"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}, ["complete", "refuses"]),
    (None, ["complete", "complete"]),
])  # fmt: skip
def test_transformers_4_refuses_experts_stored_plain_under_a_block_for_mxfp4(
    block: dict[str, Any] | None, outcomes: list[str], tmp_path: Path
) -> None:
    config = copy.deepcopy(base_record("gpt_oss")["config"]) | ({} if block is None else {"quantization_config": block})
    result = stored(tmp_path, spec_of(base_record("gpt_oss")), config)
    assert [load.outcome for load in result.loads if load.loader == "transformers"] == outcomes
    assert [one.code for one in result.findings] == ([] if block is None else ["T623", "N590"])
    assert block is None or result.findings[0].help == "remove quantization_config from config.json"


@pytest.mark.parametrize(("key", "stated", "outcomes", "steps"), [
    ("version", "GEMM", ["complete", "complete"], []), ("version", "exllama", ["refuses", "complete"], ["gemm"]),
    ("version", "gemv-fast", ["refuses", "refuses"], ["gemm"]), ("version", 4, ["refuses", "refuses"], ["gemm"]),
    ("version", None, ["complete", "refuses"], []), ("backend", "auto", ["complete", "refuses"], []),
    ("backend", "cuda", ["refuses", "refuses"], ["autoawq"]),
])  # fmt: skip
def test_versions_and_backends_of_awq_that_transformers_knows(
    key: str, stated: Any, outcomes: list[str], steps: list[str], tmp_path: Path
) -> None:
    config, spec, _ = checkpoint("awq_gemm_4bit_g128")
    block = {**config["quantization_config"], key: stated}
    result = stored(tmp_path, spec, {**config, "quantization_config": block})
    assert [load.outcome for load in result.loads if load.loader == "transformers"] == outcomes
    errors = [one for one in result.findings if one.severity == "error"]
    assert [step.new for one in errors for step in one.remedy().steps] == steps


@pytest.mark.parametrize(("name", "method", "meant"), [
    ("awq_gemm_4bit_g128", "AWQ", "awq"), ("awq_gemm_4bit_g128", "auto-awq", "awq"),
    ("awq_gemm_4bit_g128", "awq_marlin", None), ("awq_gemm_4bit_g128", "mine", None),
    ("awq_gemm_4bit_g128", "awq", None),
])  # fmt: skip
def test_a_method_under_another_spelling(name: str, method: str, meant: str | None, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    block = {**config["quantization_config"], "quant_method": method}
    result = stored(tmp_path / "a", spec, {**config, "quantization_config": block})
    (newest,) = (one for one in result.loads if (one.loader, one.version) == ("transformers", "5.23"))
    assert newest.outcome == ("complete" if method == "awq" else "random")
    assert newest.setting == (None if meant is None else ("quant_method", meant))
    errors = [one for one in result.findings if one.severity == "error"]
    assert [step.new for one in errors for step in one.remedy().steps] == ([] if meant is None else [meant])


@pytest.mark.parametrize(("method", "meant"), [
    ("GPTQ", "gptq"), ("auto-gptq", "gptq"), ("gptqmodel", "gptq"), ("compressed_tensors", "compressed-tensors"),
    ("bits-and-bytes", "bitsandbytes"), ("bnb", "bitsandbytes"), ("auto_round", "auto-round"), ("FP8", "fp8"),
    ("gptq_marlin", None), ("mlx", None), ("exl2", None),
])  # fmt: skip
def test_the_method_that_a_spelling_means(method: str, meant: str | None) -> None:
    assert meant_method(method, "5") == meant


@pytest.mark.parametrize(("name", "refused"), [
    ("bnb_nf4", "nf4, with tensors in U8"), ("bnb_int8", "llm-int8, with tensors in I8"),
    ("gptq_4bit_g128_sym", "gptq, with tensors in I32"), ("ct_fp8_dynamic", "fp8, with tensors in F8_E4M3"),
    ("fp8_finegrained", ""), ("ct_fp8_block", ""),
])  # fmt: skip
def test_ollama_converts_floats_and_blocks_of_fp8(name: str, refused: str, tmp_path: Path) -> None:
    """Source: `convert/reader_safetensors.go` of ollama at fb30760996."""
    errors = [one for one in judged_for(of_record(tmp_path, name), "ollama").findings if one.severity == "error"]
    assert [one.facts["quantization"] for one in errors] == [refused] * bool(refused)


@pytest.mark.parametrize(("name", "expected"), [
    ("awq_gemm_4bit_g128", {"transformers": "complete", "vllm": "complete", "mlx": "complete"}),
    ("awq-marlin", {"transformers": "refuses", "vllm": "refuses", "mlx": "refuses"}),
    ("awq-gemv", {"transformers": "complete", "vllm": "refuses", "mlx": "refuses"}),
    ("awq-fast", {"transformers": "complete", "vllm": "refuses", "mlx": "refuses"}),
])  # fmt: skip
def test_the_layouts_of_awq(name: str, expected: dict[str, str], tmp_path: Path) -> None:
    """Measured: mlx-lm 0.32.2, and `AwqConfig` of transformers 5.23."""
    loads = [one for one in of_record(tmp_path, name).loads if not str(one.version).startswith("4")]
    assert {one.loader: one.outcome for one in loads} == expected


@pytest.mark.parametrize(("metadata", "expected"), [
    ({"format": "pt"}, ["T670"]), ({}, ["T670"]), (None, ["T670"]), ({"tensor_names": '["lm_head.weight"]'}, []),
    ({"model.norm.weight": '{"_type": "Tensor"}'}, []),
])  # fmt: skip
def test_weights_of_torchao_need_the_metadata_of_their_file(
    metadata: dict[str, str] | None, expected: list[str], tmp_path: Path
) -> None:
    """Measured: transformers 5.23 with torchao 0.18."""
    config, spec, _ = checkpoint("torchao_int8wo")
    folder = folder_of(spec, config)
    folder.weights["model.safetensors"].metadata = metadata
    result = audit(str(write(folder, tmp_path / "model")))
    assert [one.code for one in result.findings if one.severity == "error"] == expected
    assert {one.outcome for one in result.loads if str(one.version).startswith("5")} == (
        {"refuses"} if expected else {"complete"}
    )


@pytest.mark.parametrize(("lost", "outcome"), [
    ("", "complete"), ("exclude_modules", "refuses"), ("group_size", "refuses"), ("kv_cache_quant_algo", "refuses"),
    ("producer", "refuses"),
])  # fmt: skip
def test_vllm_needs_some_keys_of_the_file_of_modelopt(lost: str, outcome: str, tmp_path: Path) -> None:
    config, spec, _ = checkpoint("modelopt_nvfp4")
    del config["quantization_config"]
    settings = {"quant_algo": "NVFP4", "kv_cache_quant_algo": None, "group_size": 16, "exclude_modules": ["lm_head"]}
    side = {"producer": {"name": "modelopt"}, "quantization": settings}
    (side if lost in side else settings).pop(lost, None)
    (load,) = judged_for(stored(tmp_path, spec, config, {"hf_quant_config.json": side}), "vllm").loads
    assert load.outcome == outcome


TOWER = "vision_tower.vision_model.encoder.layers"


@pytest.mark.parametrize(("model_type", "module", "refused"), [
    ("gemma3", "mlp.fc1", True), ("paligemma", "mlp.fc2", True), ("llava_onevision", "mlp.fc1", True),
    ("gemma3", "self_attn.out_proj", False), ("llava", "mlp.fc1", False), ("gemma3", "o_proj", False),
    ("llava_onevision", "multi_modal_projector.linear_1", True),
    ("llava", "multi_modal_projector.linear_1", False), ("mistral3", "merging_layer", True),
    ("mistral3", "multi_modal_projector.linear_1", False),
])  # fmt: skip
def test_modules_that_vllm_builds_plain(model_type: str, module: str, refused: bool, tmp_path: Path) -> None:
    """SigLIP's layers of sizes that are no multiples of 64, and projectors of plain linear layers."""
    one = base_record(model_type, "ForConditionalGeneration")
    spec: Spec = {}
    for name, (dtype, shape) in spec_of(one).items():
        if name.endswith(f"{module}.weight"):
            spec |= {f"{name.removesuffix('weight')}{key}": kind for key, kind in _float8(*shape).items()}
        else:
            spec[name] = ("BF16" if dtype == "F32" else dtype, shape)
    group = {"targets": [f"re:.*{module}$"], "weights": FLOATS}
    block = {"quant_method": "compressed-tensors", "format": "float-quantized", "config_groups": {"group_0": group}}
    config = {**one["config"], "architectures": [one["class"]], "quantization_config": block}
    result = judged_for(stored(tmp_path, spec, config), "vllm")
    assert [load.outcome == "refuses" for load in result.loads] == [refused]
    said = [found.help for found in result.findings if found.severity == "error"]
    assert [f"{module} unquantized, with the weight of the original" in words for words in said] == [True] * refused


@pytest.mark.parametrize(("method", "sizes", "plain"), [
    ("fp8", (1152, 4304), True), ("awq", (1152, 4304), True), ("torchao", (1152, 4304), False),
    ("bitsandbytes", (1152, 4304), False), ("fp8", (768, 3072), False), ("fp8", (1000, 3072), True),
])  # fmt: skip
def test_the_sizes_of_siglip_for_vllm(method: str, sizes: tuple[int, int], plain: bool) -> None:
    vision = {"model_type": "siglip_vision_model", "hidden_size": sizes[0], "intermediate_size": sizes[1]}
    found = is_plain("Gemma3ForConditionalGeneration", {"vision_config": vision}, method, f"{TOWER}.0.mlp.fc1")
    assert found == plain
