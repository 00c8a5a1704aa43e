"""Quantized weights that transformers does not read: for another program, with another status, without zero points."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector import audit
from inspector.auditing.quantized.initialised_weights import is_read
from inspector.dialects.libraries import library_of
from tests.checkpoints import genuine, write, write_file
from tests.judged import base_record, judged, spec_of
from tests.quantization.examples import in_folder, stated_inside
from tests.quantization.made_by_formula import LLAMA, gptq, gptq_config, linears, quip, rest
from tests.quantization.stored import Spec, bad, changed, checkpoint, original


@pytest.mark.parametrize(
    ("name", "file", "program"),
    [
        ("exl2", "output.safetensors", "exllamav2"),
        ("exl3", "model.safetensors", "exllamav3"),
        ("quip", "model.safetensors", "quip-sharp"),
        ("modelopt_fp8", "model.safetensors", "vLLM"),
    ],
)
def test_weights_for_another_program_are_a_note(name: str, file: str, program: str) -> None:
    audited = in_folder(name, file)
    note = next(one for one in audited.findings if one.code == "T650")
    assert (audited.verdict, bad(audited)) == ("clean", [])
    assert note.help.startswith(f"load it with {program};")
    assert all(one.outcome in ("random", "refuses", "altered") for one in audited.loads if one.loader == "transformers")


@pytest.mark.parametrize("parts", [("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj")])
def test_modules_that_quip_joins_are_no_error(parts: tuple[str, ...], tmp_path: Path) -> None:
    """The number of parameters of joined modules stays open; a matrix that is lost is an error all the same."""
    spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        path, _, last = module.rpartition(".")
        if last == parts[0]:
            module = f"{path}.{'qkv_proj' if len(parts) == 3 else 'upgate_proj'}"
            outputs = sum(rows for name, rows, _ in linears(LLAMA) if name in {f"{path}.{part}" for part in parts})
        elif last in parts:
            continue
        spec |= {f"{module}.{name}": (dtype, tuple(shape)) for name, (dtype, shape) in quip(outputs, inputs).items()}
    config = {**LLAMA, "quip_params": {"codebook": "E8P12"}}
    audited = audit(str(write(tmp_path, spec, config)))
    assert (audited.verdict, bad(audited)) == ("undecided", [])
    assert any(one.help.startswith("load it with quip-sharp;") for one in audited.findings if one.code == "T650")
    assert all(one.code != "C312" for one in audited.findings)
    lost = {name: entry for name, entry in spec.items() if ".layers.0.self_attn.o_proj." not in name}
    assert bad(judged(lost, config))


@pytest.mark.parametrize("name", ["gptq_4bit_g128_sym", "ct_fp8_dynamic", "bnb_nf4"])
def test_weights_for_transformers_get_no_note_about_another_program(name: str) -> None:
    audited = in_folder(name, "output.safetensors")
    assert bad(audited) == ["S221"]
    assert all(one.code != "T650" for one in audited.findings)


@pytest.mark.parametrize("mark", ["scale_weight", "comfy_quant"])
def test_a_file_of_comfyui_is_a_note(mark: str) -> None:
    """diffusers' from_single_file reads the stored values as weights and ignores the scales."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        spec[f"{module}.weight"] = ("F8_E4M3", (outputs, inputs))
        spec[f"{module}.{'scale_weight' if mark == 'scale_weight' else 'weight_scale'}"] = ("F32", ())
        spec |= {f"{module}.{mark}": ("U8", (26,))} if mark == "comfy_quant" else {}
    audited = judged(spec, None)
    assert bad(audited) == []
    assert [one.help.partition(";")[0] for one in audited.findings if one.code == "T650"] == ["load it with ComfyUI"]


def of_comfyui(form: str, lost: str = "") -> Spec:
    """A model of ComfyUI's in blocks, with its scales in whole tiles of a tensor core."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        rows, columns = 128 * -(-outputs // 128), 4 * -(-inputs // (64 if form == "nvfp4" else 128))
        values = ("U8", (outputs, inputs // 2)) if form == "nvfp4" else ("F8_E4M3", (outputs, inputs))
        spec[f"{module}.weight"] = values
        spec[f"{module}.weight_scale"] = ("F8_E4M3" if form == "nvfp4" else "U8", (rows, columns))
        spec |= {f"{module}.weight_scale_2": ("F32", ())} if form == "nvfp4" else {}
        spec[f"{module}.comfy_quant"] = ("U8", (19,))
    return {name: entry for name, entry in spec.items() if name != lost}


@pytest.mark.parametrize(("form", "helpers"), [("nvfp4", ["weight_scale", "weight_scale_2"]), ("mxfp8", [])])
def test_blocks_of_comfyui_are_read(form: str, helpers: list[str]) -> None:
    whole = judged(of_comfyui(form), None)
    assert bad(whole) == [] and whole.verdict == "clean"
    assert [one.facts["scheme"] for one in whole.findings if one.code == "T650"] == [form]
    for helper in helpers:
        assert bad(judged(of_comfyui(form, f"model.layers.1.mlp.down_proj.{helper}"), None)) == ["T610"]


@pytest.mark.parametrize("name", ["spiece_model", "tekken_model"])
def test_a_tokenizer_in_a_text_encoder_of_comfyui_is_no_weight(name: str) -> None:
    spec = of_comfyui("mxfp8")
    assert bad(judged({**spec, name: ("U8", (4548,))}, None)) == []
    assert bad(judged({**spec, f"{name}_2": ("U8", (4548,))}, None)) == ["N405"]


def of_ascend(lost: str = "") -> Spec:
    """Llama as ModelSlim writes it for an NPU, without a tensor."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        spec[f"{module}.weight"] = ("I8", (outputs, inputs))
        spec[f"{module}.deq_scale"] = ("F32", (outputs,))
        spec[f"{module}.quant_bias"] = ("I32", (outputs,))
        spec |= {f"{module}.{name}": ("BF16", (1,)) for name in ("input_scale", "input_offset")}
        spec |= {f"{module}.{name}": ("BF16", (outputs, 1)) for name in ("weight_scale", "weight_offset")}
    return {name: entry for name, entry in spec.items() if name != lost}


def test_modelslim_is_read() -> None:
    whole = judged(of_ascend(), LLAMA)
    counts = whole.ledger.counts
    assert bad(whole) == [] and counts.unique_parameters == counts.expected_parameters
    assert "T610" in bad(judged(of_ascend("model.layers.1.mlp.down_proj.deq_scale"), LLAMA))


@pytest.mark.parametrize("status", ["frozen", "initialized", "calibration"])
@pytest.mark.parametrize("name", ["ct_fp8_dynamic", "ct_w4a16", "ct_w8a8"])
def test_a_status_before_compression_is_an_error(name: str, status: str) -> None:
    audited = changed(name, quantization_status=status)
    assert "T651" in bad(audited)
    found = next(one for one in audited.findings if one.code == "T651")
    assert [(step.key, step.new) for step in found.steps] == [
        (("quantization_config", "quantization_status"), "compressed")
    ]
    assert "T651" not in bad(changed(name, quantization_status="compressed"))


def test_values_without_their_zeros_are_an_error() -> None:
    assert "T652" in bad(changed("ct-sparse"))
    assert "T652" not in bad(changed("ct_w4a16"))


@pytest.mark.parametrize(("part", "found"), [("llm_config", True), ("text_config", False), ("", False)])
def test_a_block_within_a_part_is_a_note(part: str, found: bool) -> None:
    assert any(one.code == "T660" for one in stated_inside(part).findings) is found


def test_shared_experts_are_listed_for_auto_round() -> None:
    """auto-round's exceptions are objects by name or pattern, to which the remedy adds entries."""
    config, spec, _ = checkpoint("gptq-4-moe")
    config["quantization_config"] = {"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": True,
                                     "packing_format": "auto_round:auto_gptq"}  # fmt: skip
    plain = [name for name in original("gptq-4-moe") if ".self_attn.o_proj." in name]
    kept = {name: entry for name, entry in spec.items() if ".self_attn.o_proj." not in name}
    kept |= {name: ("BF16", original("gptq-4-moe")[name]) for name in plain}
    found = next(one for one in judged(kept, config).findings if one.code == "T641")
    assert found.help == 'add {".*o_proj": {"bits": 16, "data_type": "float"}} to "extra_config" in quantization_config'


def test_packed_values_without_any_helper_are_incomplete() -> None:
    down = "model.layers.1.mlp.down_proj.weight"
    assert bad(changed("bnb_nf4", f"{down}.")) == ["T610"]


def test_the_version_of_awq_is_that_of_the_tensors() -> None:
    assert bad(changed("awq_gemm_4bit_g128", version="gemv")) == ["T614"]
    assert bad(changed("awq-gemv", version="gemm")) == ["T614"]
    assert bad(changed("awq-gemv")) == []


def test_checkpoints_of_tensorrt_llm_are_named() -> None:
    names = ("transformer.vocab_embedding.weight", "transformer.layers.#.attention.dense.weight")
    assert library_of(names) == "TensorRT-LLM"


@pytest.mark.parametrize(("model_type", "suffix", "layer", "outcome"), [
    ("t5", "ForConditionalGeneration", "SelfAttention.q", "refuses"),
    ("gpt_bigcode", "ForCausalLM", "c_proj", "refuses"),
    ("siglip", "Model", "q_proj", "refuses"), ("gpt_bigcode", "ForCausalLM", "c_attn", "complete"),
    ("llama", "ForCausalLM", "q_proj", "complete"), ("nanochat", "ForCausalLM", "o_proj", "refuses"),
    ("nanochat", "ForCausalLM", "q_proj", "complete"), ("mamba2", "ForCausalLM", "out_proj", "refuses"),
    ("falcon_mamba", "ForCausalLM", "dt_proj", "refuses"), ("mpnet", "ForMaskedLM", "attn.q", "complete"),
    ("gemma3", "ForConditionalGeneration", "encoder.layers.0.self_attn.q_proj", "refuses"),
    ("paligemma", "ForConditionalGeneration", "fc1", "refuses"),
    ("wav2vec2", "ForCTC", "feature_projection.projection", "refuses"),
    ("wav2vec2", "ForCTC", "attention.q_proj", "complete"),
])  # fmt: skip
def test_packed_layers_that_are_initialized_by_their_weight(
    model_type: str, suffix: str, layer: str, outcome: str, tmp_path: Path
) -> None:
    one = base_record(model_type, suffix)
    spec = spec_of(one)
    for name, (_, shape) in list(spec.items()):
        if name.endswith(f"{layer}.weight"):
            del spec[name]
            spec |= {f"{name}_packed": ("I32", (shape[0], -(-shape[1] // 8))), f"{name}_shape": ("I64", (2,)),
                     f"{name}_scale": ("F32", (shape[0], 1))}  # fmt: skip
    weights = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "channel"}
    group = {"targets": [f"re:.*{layer}$"], "format": "pack-quantized", "weights": weights}
    block = {"quant_method": "compressed-tensors", "format": "pack-quantized", "quantization_status": "compressed",
             "config_groups": {"group_0": group}, "ignore": []}  # fmt: skip
    config = {**one["config"], "architectures": [one["class"]], "quantization_config": block}
    write(tmp_path, spec, config)
    loads = audit(tmp_path).loads
    assert [one.outcome for one in loads if one.loader == "transformers" and str(one.version)[0] == "5"] == [outcome]


@pytest.mark.parametrize(
    ("tower", "found"), [("siglip_vision_model", True), ("clip_vision_model", False), (None, None)]
)
@pytest.mark.parametrize(("model_type", "usual"), [("llava", False), ("llava_onevision", True), ("aya_vision", True)])
def test_layers_of_a_tower_are_initialized_as_the_tower_does(
    model_type: str, usual: bool, tower: str | None, found: bool | None
) -> None:
    """Measured for LLaVA-OneVision and Aya Vision with transformers 5.24."""
    inner = {} if tower is None else {"vision_config": {"model_type": tower}}
    values = {"model_type": model_type, **inner}
    for prefix in ("model.", ""):
        name = f"{prefix}vision_tower.encoder.layers.#.self_attn.q_proj"
        assert is_read(name, values) is (usual if found is None else found)
        assert not is_read(f"{prefix}language_model.layers.#.self_attn.q_proj", values)


@pytest.mark.parametrize(("scheme", "model_type", "outcome"), [
    ("int", "gemma3", "refuses"), ("float", "gemma3", "random"), ("int", "mistral3", "random"),
    ("float", "mistral3", "random"),
])  # fmt: skip
def test_a_tower_that_is_built_quantized_fails_as_its_class_initializes_it(
    scheme: str, model_type: str, outcome: str, tmp_path: Path
) -> None:
    """Measured: transformers 5.24 with compressed-tensors 0.19, W8A16 and FP8 of llm-compressor 0.14. FP8 layers have
    a weight; the tower of Mistral 3, Pixtral, does not read it.
    """
    one = base_record(model_type, "ForConditionalGeneration")
    packed = scheme == "int"
    weights = {"num_bits": 8, "type": scheme, "symmetric": True, "strategy": "channel"}
    group = {"targets": ["Linear"], "format": "pack-quantized" if packed else "float-quantized", "weights": weights}
    spec: Spec = {}
    towers = set()
    for name, (dtype, shape) in spec_of(one).items():
        quantized = "language_model." in name and name.endswith("_proj.weight")
        if not quantized and len(shape) == 2 and name.endswith(".weight") and "embed" not in name:
            towers.add(name.removesuffix(".weight"))
        spec[name] = ("F8_E4M3", shape) if quantized else (dtype, shape)
        if quantized:
            spec[f"{name}_scale"] = ("BF16", (shape[0], 1))
        if quantized and packed:
            del spec[name]
            spec |= {f"{name}_packed": ("I32", (shape[0], -(-shape[1] // 4))), f"{name}_shape": ("I64", (2,))}
    block = {"quant_method": "compressed-tensors", "format": group["format"], "quantization_status": "compressed",
             "config_groups": {"group_0": group}, "ignore": ["lm_head", *sorted(towers)]}  # fmt: skip
    config = {**one["config"], "transformers_version": "5.24.0", "quantization_config": block}
    result = audit(write(tmp_path, spec, config))
    assert [load.outcome for load in result.loads if str(load.version).startswith("5")] == [outcome]
    (finding,) = (one for one in result.findings if one.severity == "error")
    assert finding.remedy().words.startswith('add "re:.*')


@pytest.mark.parametrize(("layer", "linear", "other"), [
    ("model.layers.#.self_attn.o_proj", True, True), ("model.layers.#.self_attn.q_proj", False, False),
])  # fmt: skip
def test_layers_of_gptq_that_a_module_around_them_initializes(layer: str, linear: bool, other: bool) -> None:
    """Measured for NanoChat with transformers 5.24, compressed-tensors 0.19 and GPTQModel 7.7."""
    for values in ({"model_type": "nanochat"}, {"model_type": "qwen3"}):
        known = values["model_type"] == "nanochat"
        assert (is_read(layer, values), is_read(layer, values, "others")) == (linear and known, other and known)
    mlp = "model.layers.#.mlp_block.gate_proj"
    found = {kind: is_read(mlp, {"model_type": "recurrent_gemma"}, kind) for kind in ("layers", "others")}
    assert found == {"layers": True, "others": False}


@pytest.mark.parametrize(("model_type", "refused"), [("nanochat", True), ("qwen3", False), ("olmo2", False)])
def test_files_of_gptq_with_such_layers_are_refused(model_type: str, refused: bool, tmp_path: Path) -> None:
    one = base_record(model_type, "ForCausalLM")
    config = {**one["config"], "architectures": [one["class"]], "intermediate_size": 96}
    spec: Spec = dict(genuine(config))
    for name, (_, shape) in list(spec.items()):
        if ".layers." in name and len(shape) == 2:
            del spec[name]
            parts = gptq(4, -1)(*shape).items()
            spec |= {f"{name.removesuffix('weight')}{key}": (dtype, tuple(dims)) for key, (dtype, dims) in parts}
    write(tmp_path, spec, {**config, "quantization_config": gptq_config(4, -1)})
    newest = next(one for one in audit(tmp_path).loads if str(one.version).startswith("5"))
    assert (newest.outcome == "refuses") is refused


def test_models_within_models_within_models_are_read() -> None:
    """ColPali is built from PaliGemma, which is built from SigLIP."""
    tower = "vision_tower.encoder.layers.#.mlp.fc1"
    assert is_read(f"vlm.{tower}", {"model_type": "colpali", "vlm_config": {"model_type": "paligemma"}})
    assert not is_read("vlm.language_model.layers.#.mlp.up_proj", {"model_type": "colpali"})


@pytest.mark.parametrize("values", ["I8", "F8_E4M3"])
def test_a_single_file_of_quanto_is_a_note(values: str) -> None:
    """Other programs find no weight under its names: diffusers' from_single_file raises a KeyError."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        spec[f"{module}.weight._data"] = (values, (outputs, inputs))
        spec[f"{module}.weight._scale"] = ("F32", (outputs, 1))
        spec |= {f"{module}.{side}_scale": ("F32", ()) for side in ("input", "output")}
    audited = judged(spec, None)
    assert bad(audited) == []
    notes = [one.help.partition(";")[0] for one in audited.findings if one.code == "T650"]
    assert notes == ["load it with optimum-quanto"]


NF4_OF_FLUX: Spec = {
    f"double_blocks.{block}.{name}.weight{end}": (dtype, shape)
    for block in range(2)
    for name in ("img_mod.lin", "img_attn.qkv")
    for end, dtype, shape in (("", "U8", (6144, 1)), (".absmax", "F32", (192,)), (".quant_map", "F32", (16,)),
                              (".quant_state.bitsandbytes__nf4", "U8", (82,)))
}  # fmt: skip
NF4_OF_LLAMA: Spec = {
    name.replace("double_blocks", "model.layers").replace("img_mod.lin", "mlp.gate_proj"): entry
    for name, entry in NF4_OF_FLUX.items()
}


@pytest.mark.parametrize(("spec", "expected"), [(NF4_OF_FLUX, 1), (NF4_OF_LLAMA, 0)])
@pytest.mark.parametrize("prefix", ["", "model.diffusion_model."])
def test_a_diffusion_model_in_nf4_names_the_program(spec: Spec, expected: int, prefix: str, tmp_path: Path) -> None:
    write_file(tmp_path / "model-nf4.safetensors", {prefix + name: entry for name, entry in spec.items()})
    notes = [one for one in audit(str(tmp_path / "model-nf4.safetensors")).findings if one.code == "T650"]
    assert len(notes) == expected and all("Forge" in str(one.facts["program"]) for one in notes)
