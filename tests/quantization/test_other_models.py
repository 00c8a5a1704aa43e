"""What quantization tools write for models other than decoders of text, and what loaders do with it.

Measured on checkpoints that bitsandbytes 0.50, torchao 0.18, llm-compressor 0.14 and mlx-lm 0.32 wrote of these types,
loaded with transformers 5.24.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import genuine
from tests.judged import base_record, codes, judged, spec_of
from tests.loads.damage import healthy, write
from tests.quantization.made_by_formula import (
    Tensors,
    awq,
    bnb,
    bnb4,
    bnb8,
    ct,
    floats,
    gptq,
    gptq_config,
    integers,
    mlx,
    scaled,
    torchao,
    words,
)
from tests.quantization.recorded import variants
from tests.quantization.stored import Spec, checkpoint


def stored(place: Path, spec: Spec, config: dict[str, Any]) -> Audit:
    """The audit of a folder with this listing and config."""
    return audit(str(write(healthy(spec, config), place / "model")))


Writer = Callable[[int, int], Tensors]


def quantized(model: str, kind: str, writer: Writer, *plain: str) -> tuple[dict[str, Any], Spec]:
    """The config and the listing of a recorded model with every matrix inside its layers, and its head, quantized.

    plain: parts of the names of matrices that are not quantized.
    """
    found = base_record(model, kind)
    spec: Spec = {}
    for name, (_, shape) in spec_of(found).items():
        stem, _, suffix = name.rpartition(".")
        inside = ".layers." in name or "head" in name
        if suffix != "weight" or len(shape) != 2 or not inside or any(part in name for part in plain):
            spec[name] = ("BF16", shape)
            continue
        spec |= {f"{stem}.{key}": (dtype, tuple(dims)) for key, (dtype, dims) in writer(*shape).items()}
    return dict(found["config"]), spec


@pytest.mark.parametrize(("model", "kind", "expected"), [
    ("wav2vec2", "ForCTC", set()), ("hubert", "ForCTC", set()), ("wavlm", "ForCTC", set()),
    ("llama", "ForCausalLM", {"T630"}), ("qwen2", "ForCausalLM", {"T630"}),
])  # fmt: skip
def test_a_head_without_an_embedding_of_tokens_is_quantized_like_any_layer(
    model: str, kind: str, expected: set[str]
) -> None:
    block = bnb(load_in_4bit=True, bnb_4bit_quant_type="nf4")
    config, spec = quantized(model, kind, bnb4("nf4", False), "conv", "embed")
    assert codes(judged(spec, {**config, "quantization_config": block})) == expected


EIGHT: dict[str, Any] = ct(floats(8, "channel"), "float-quantized")


@pytest.mark.parametrize(("ignored", "expected", "older"), [
    (["lm_head"], set(), "unknown"), (["embed_out"], set(), None), (["re:.*embed_out", "lm_head"], set(), "complete"),
    ([], {"T641"}, None),
])  # fmt: skip
def test_a_head_is_excluded_by_its_name_in_the_model(
    ignored: list[str], expected: set[str], older: str | None, tmp_path: Path
) -> None:
    writer = scaled("F8_E4M3", lambda rows, _: ("BF16", [rows, 1]))
    config, spec = quantized("gpt_neox", "ForCausalLM", writer, "embed_out")
    result = stored(tmp_path, spec, {**config, "quantization_config": {**EIGHT, "ignore": ignored}})
    assert codes(result) - {"N429"} == expected
    assert older is None or result.loads[1].outcome == older


@pytest.mark.parametrize(("model", "bits", "group"), [("mamba2", 4, 32), ("llama", 8, 32), ("qwen2", 4, 32)])
def test_a_lost_block_of_mlx_has_the_one_reading_that_fits_all_widths(model: str, bits: int, group: int) -> None:
    """Half the bits with groups of twice the size fit a matrix too if the model has inputs of twice the width."""
    config, spec = wide(model, mlx(bits, group))
    result = judged(spec, config)
    (only,) = [one for one in result.findings if one.severity == "error"]
    assert only.code == "T625" and only.block == {"group_size": group, "bits": bits}  # type: ignore[attr-defined]


def wide(model: str, writer: Writer) -> tuple[dict[str, Any], Spec]:
    """A model with an inner width of twice its hidden size, and all its matrices quantized."""
    sizes: dict[str, Any] = {"hidden_size": 256, "num_hidden_layers": 2, "vocab_size": 1024}
    if model == "mamba2":
        sizes |= {"num_heads": 8, "head_dim": 64, "state_size": 32, "n_groups": 1, "expand": 2}
    else:
        sizes |= {"intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64}
    kind = {"mamba2": "Mamba2", "llama": "Llama", "qwen2": "Qwen2"}[model]
    config = {"model_type": model, "architectures": [f"{kind}ForCausalLM"], "tie_word_embeddings": False, **sizes}
    spec: Spec = {}
    for name, (dtype, shape) in genuine(config).items():
        if len(shape) != 2:
            spec[name] = (dtype, shape)
            continue
        stem = name.removesuffix(".weight")
        spec |= {f"{stem}.{key}": (kind, tuple(dims)) for key, (kind, dims) in writer(*shape).items()}
    return config, spec


@pytest.mark.parametrize(("model", "top"), [
    ("bart", "final_logits_bias"), ("siglip", "logit_scale"), ("clip", "logit_scale"), ("bart", ""),
])  # fmt: skip
def test_torchao_reads_no_weight_if_its_list_has_a_name_without_a_module(model: str, top: str, tmp_path: Path) -> None:
    result = of_torchao(model, top, tmp_path)
    failed = [one for one in result.findings if one.severity == "error"]
    assert [one.code for one in failed] == ["N429"] * bool(top)
    assert result.loads[0].outcome == ("refuses" if top else "complete")
    listing = "tensor_names in the metadata of each file that lists it"
    assert not top or failed[0].remedy().words == f"remove {top} from {listing}"


def of_torchao(model: str, top: str, place: Path) -> Audit:
    """A folder with weights of torchao. top: a name in its list without a module."""
    kind = "ForConditionalGeneration" if model == "bart" else "Model"
    config, spec = quantized(model, kind, torchao("I8", False), "embed", "head")
    block = {"_type": "Int8WeightOnlyConfig", "_version": 2, "_data": {}}
    config["quantization_config"] = {"quant_method": "torchao", "quant_type": {"default": block}}
    names = sorted({name.replace("._weight_qdata", ".weight") for name in spec if "._weight_scale" not in name})
    folder = healthy(spec, config)
    listed = [name for name in names if "." in name] + [top] * bool(top)
    folder.weights["model.safetensors"].metadata = {"format": "pt", "tensor_names": json.dumps(listed)}
    return audit(str(write(folder, place / "model")))


@pytest.mark.parametrize(("rows", "expected"), [(0, set()), (128, {"N429"}), (64, {"N429"})])
def test_experts_with_a_scale_for_each_block_are_not_merged(rows: int, expected: set[str], tmp_path: Path) -> None:
    record = variants()["ct_fp8_dynamic_qwen3moe"]
    config: dict[str, Any] = dict(record["config"])
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in record["tensors"].items()}
    if rows:
        block = json.loads(json.dumps(config["quantization_config"]))
        for group in block["config_groups"].values():
            group["weights"] |= {"strategy": "block", "block_structure": [rows, rows]}
        config["quantization_config"] = block
        for name, (_, shape) in list(spec.items()):
            if f"{name}_scale" in spec:
                spec[f"{name}_scale"] = ("BF16", tuple(-(-dim // rows) for dim in shape))
    result = stored(tmp_path, spec, config)
    assert codes(result) == expected
    assert result.loads[0].outcome == ("refuses" if rows else "complete")


@pytest.mark.parametrize(("model", "writer", "expected", "outcome"), [
    ("falcon", bnb4("nf4", False), {"N429"}, "refuses"), ("falcon", bnb8, {"N429"}, "altered"),
    ("falcon", None, set(), "complete"), ("gpt_neox", bnb8, set(), "complete"), ("gpt_neox", None, {"T626"}, None),
])  # fmt: skip
def test_bitsandbytes_leaves_linear_layers_of_another_class_plain(
    model: str, writer: Writer | None, expected: set[str], outcome: str | None, tmp_path: Path
) -> None:
    block = bnb(load_in_8bit=True) if writer is bnb8 else bnb(load_in_4bit=True, bnb_4bit_quant_type="nf4")
    found = base_record(model, "ForCausalLM")
    spec: Spec = {name: ("BF16", shape) for name, (_, shape) in spec_of(found).items()}
    for name, (_, shape) in list(spec.items()):
        if writer is not None and len(shape) == 2 and (".h." in name or ".layers." in name):
            stem = name.removesuffix(".weight")
            spec |= {f"{stem}.{key}": (dtype, tuple(dims)) for key, (dtype, dims) in writer(*shape).items()}
    result = stored(tmp_path, spec, {**found["config"], "transformers_version": "5.23.0", "quantization_config": block})
    assert codes(result) == expected
    assert outcome is None or result.loads[0].outcome == outcome


def packed(writer: Writer, stem: str, shape: tuple[int, ...]) -> Spec:
    """The tensors of one quantized matrix."""
    return {f"{stem}.{key}": (dtype, tuple(dims)) for key, (dtype, dims) in writer(*shape).items()}


NF4 = (bnb4("nf4", False), bnb(load_in_4bit=True, bnb_4bit_quant_type="nf4"))
AWQ = (awq(64), {"quant_method": "awq", "bits": 4, "group_size": 64, "zero_point": True, "version": "gemm"})


@pytest.mark.parametrize(("model", "sizes", "outcome"), [
    ("mixtral", {"num_local_experts": 4}, "random"),
    ("qwen3_moe", {"num_experts": 4, "moe_intermediate_size": 128, "decoder_sparse_step": 1}, "random"),
    ("olmoe", {"num_experts": 4, "intermediate_size": 128}, "random"), ("llama", {}, "complete"),
])  # fmt: skip
@pytest.mark.parametrize(("writer", "block"), [AWQ, NF4, (gptq(4, 64), gptq_config(4, 64))])
def test_version_5_does_not_merge_quantized_experts(
    model: str, sizes: dict[str, Any], outcome: str, writer: Writer, block: dict[str, Any], tmp_path: Path
) -> None:
    kind = {"mixtral": "Mixtral", "qwen3_moe": "Qwen3Moe", "olmoe": "Olmoe", "llama": "Llama"}[model]
    config: dict[str, Any] = {
        "model_type": model, "architectures": [f"{kind}ForCausalLM"], "tie_word_embeddings": False, "hidden_size": 256,
        "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 64, "vocab_size": 1024, "num_experts_per_tok": 2, **sizes,
    }  # fmt: skip
    spec: Spec = {}
    for name, (dtype, shape) in genuine(config).items():
        stem = name.removesuffix(".weight")
        packed = len(shape) == 2 and ".layers." in name and ".gate." not in name
        stored_as = writer(*shape) if packed else {"weight": (dtype, list(shape))}
        spec |= {f"{stem}.{key}": (kind_of, tuple(dims)) for key, (kind_of, dims) in stored_as.items()}
    result = stored(tmp_path, spec, {**config, "transformers_version": "5.23.0", "quantization_config": block})
    assert codes(result) == ({"N429"} if outcome == "random" else set())
    assert all(
        one.remedy().words.startswith("load it with another program") for one in result.findings if one.of_loader
    )
    assert result.loads[0].outcome == ("refuses" if outcome == "random" and "load_in_4bit" in block else outcome)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(("writer", "block", "outcome"), [
    (*NF4, "refuses"), (bnb8, bnb(load_in_8bit=True), "refuses"),
    (scaled("F8_E4M3", lambda outputs, _: ("BF16", [outputs, 1])), EIGHT, "random"),
])  # fmt: skip
def test_quantized_experts_of_llama_4_are_built_one_by_one(
    writer: Writer, block: dict[str, Any], outcome: str, together: bool, tmp_path: Path
) -> None:
    """Measured: files of transformers with stacked experts, and files of llm-compressor, which has single ones."""
    found = base_record("llama4_text", "ForCausalLM")
    spec: Spec = {}
    for name, (_, shape) in spec_of(found).items():
        stem, experts, matrix = name.removesuffix(".weight").partition(".experts.")
        if experts and not together:
            halves = ("gate_proj", "up_proj") if matrix == "gate_up_proj" else ("down_proj",)
            for expert in range(shape[0]):
                for half in halves:
                    dims = (shape[2] // len(halves), shape[1])
                    spec |= packed(writer, f"{stem}.experts.{expert}.{half}", dims)
        elif len(shape) == 2 and ".layers." in name and ".router" not in name:
            spec |= packed(writer, stem, shape)
        else:
            spec[name] = ("BF16", shape)
    block = {**block, "ignore": ["lm_head", "re:.*router"]} if "ignore" in block else block
    config = {**found["config"], "transformers_version": "5.23.0", "quantization_config": block}
    result = stored(tmp_path, spec, config)
    assert codes(result) == ({"N429"} if together else set())
    assert result.loads[0].outcome == (outcome if together else "complete")


@pytest.mark.parametrize(("name", "four", "eight", "step"), [
    ("bnb_nf4", False, True, {"load_in_4bit": True, "load_in_8bit": False}),
    ("bnb_nf4", True, True, {"load_in_8bit": False}),
    ("bnb_int8", True, False, {"load_in_8bit": True, "load_in_4bit": False}), ("bnb_nf4", True, False, {}),
    ("bnb_int8", True, True, {"load_in_8bit": True, "load_in_4bit": False}), ("bnb_int8", False, True, {}),
])  # fmt: skip
def test_the_switches_of_bitsandbytes_are_set_together(
    name: str, four: bool, eight: bool, step: dict[str, bool], tmp_path: Path
) -> None:
    config, spec, _ = checkpoint(name)
    block = {**config["quantization_config"], "load_in_4bit": four, "load_in_8bit": eight}
    result = stored(tmp_path, spec, {**config, "quantization_config": block})
    failed = [one for one in result.findings if one.severity == "error"]
    assert len(failed) == bool(step)
    assert {one.key[-1]: one.new for found in failed for one in found.remedy().steps} == step


@pytest.mark.parametrize(("name", "key", "value", "new"), [
    ("bnb_nf4", "llm_int8_skip_modules", "null", None), ("bnb_int8", "llm_int8_threshold", 6, 6.0),
])  # fmt: skip
def test_a_value_that_the_class_of_the_block_refuses(
    name: str, key: str, value: object, new: object, tmp_path: Path
) -> None:
    config, spec, _ = checkpoint(name)
    block = {**config["quantization_config"], key: value}
    result = stored(tmp_path, spec, {**config, "quantization_config": block})
    (found,) = (one for one in result.findings if one.severity == "error")
    assert [(one.key[-1], one.new) for one in found.remedy().steps] == [(key, new)]
    assert {one.outcome for one in result.loads if one.loader == "transformers"} == {"refuses"}


@pytest.mark.parametrize("model", ["llama", "bert", "t5"])
def test_integers_that_a_loader_takes_for_weights_say_so(model: str, tmp_path: Path) -> None:
    found = base_record(model)
    spec: Spec = {name: ("F32", shape) for name, (_, shape) in spec_of(found).items()}
    name = next(name for name, (_, shape) in spec.items() if len(shape) == 2)
    result = stored(tmp_path, {**spec, name: ("I8", spec[name][1])}, found["config"])
    (only,) = [one for one in result.findings if one.severity == "error"]
    assert only.code == "T603" and result.loads[0].outcome == "complete"
    assert ("loads", "transformers 5.23 takes these numbers for weights, without an error") in only.rows()


@pytest.mark.parametrize(
    ("model", "head"), [("llava", "language_model.lm_head"), ("mistral3", "language_model.lm_head")]
)
def test_the_list_for_version_5_has_the_head_too(model: str, head: str, tmp_path: Path) -> None:
    writer = scaled("F8_E4M3", lambda rows, _: ("BF16", [rows, 1]))
    config, spec = quantized(model, "ForConditionalGeneration", writer, "vision", "projector", "head")
    ignored = ["re:vision_tower.*", "re:multi_modal_projector.*", head]
    block = {**EIGHT, "ignore": ignored}
    result = stored(tmp_path, spec, {**config, "quantization_config": block})
    lists = [one.remedy().steps[0].new for one in result.findings if one.of_loader and one.remedy().steps]
    assert len(lists) == 1 and lists[0][: len(ignored) + 1] == [*ignored, "re:.*lm_head$"]


@pytest.mark.parametrize(("model", "router", "expected"), [
    ("qwen2_moe", "shared_expert_gate", {"T641"}), ("afmoe", "router.gate", {"T641"}),
    ("hunyuan_v1_moe", "gate.wg", {"T641"}), ("qwen3_moe", "mlp.gate", set()),
])  # fmt: skip
def test_a_router_that_is_a_linear_layer_is_quantized_like_any_layer(
    model: str, router: str, expected: set[str], tmp_path: Path
) -> None:
    writer = scaled("F8_E4M3", lambda rows, _: ("BF16", [rows, 1]))
    plain = (".gate.weight", "shared_expert_gate", "gate.wg", "router.gate", "head")
    config, spec = quantized(model, "ForCausalLM", writer, *plain)
    ignored = [
        "lm_head",
        *(f"re:.*{end}$" for end in ("shared_expert_gate", "gate.wg", "router.gate") if end != router),
    ]
    for entries, codes_found in ((ignored, expected), ([*ignored, f"re:.*{router}$"], set())):
        block = {**EIGHT, "ignore": entries}
        assert codes(judged(spec, {**config, "quantization_config": block})) - {"N429"} == codes_found
    config, spec = quantized(model, "ForCausalLM", writer, *(one for one in plain if one not in f".{router}.weight"))
    result = stored(tmp_path, spec, {**config, "quantization_config": {**EIGHT, "ignore": ignored}})
    assert codes(result) - {"N429"} == (set() if expected else {"T630"})
    if expected:
        (finding,) = (one for one in judged_for(result, "vllm").findings if one.code == "N429")
        assert finding.remedy().words.endswith("and list it among the unquantized modules")
        assert f"{router} unquantized, with the weight of the original model" in finding.remedy().words


@pytest.mark.parametrize(("model", "tower", "before", "outcome"), [
    ("qwen2_5_vl", "visual", "re:.*", "complete"), ("llava", "vision_tower", "re:.*", "complete"),
    ("qwen2_5_vl", "visual", "", "complete"), ("llava", "vision_tower", "", "complete"),
    ("qwen2_5_vl", "visual", "model.", "complete"),  # names of transformers 5
    ("qwen2_5_vl", "visual", "re:model[.]", "unknown"), ("llava", "vision_tower", "re:model[.]", "unknown"),
])  # fmt: skip
def test_vllm_renames_whole_names_of_a_list_and_no_pattern(
    model: str, tower: str, before: str, outcome: str, tmp_path: Path
) -> None:
    writer = scaled("F8_E4M3", lambda rows, _: ("BF16", [rows, 1]))
    plain = ("visual", "vision_tower", "multi_modal_projector", "head")
    config, spec = quantized(model, "ForConditionalGeneration", writer, *plain)
    names = [name.removesuffix(".weight") for name in spec if name.startswith(tower) and name.endswith(".weight")]
    entries = [f"{before}{tower}.*"] if before.startswith("re:") else [f"{before}{name}" for name in names]
    block = {**EIGHT, "ignore": ["lm_head", "re:.*lm_head", "re:.*multi_modal_projector.*", *entries]}
    result = stored(tmp_path, spec, {**config, "quantization_config": block})
    assert [one.outcome for one in result.loads if one.loader == "vllm"] == [outcome]


@pytest.mark.parametrize(("group", "mode", "module"), [
    (32, "mxfp4", "lm_head"), (16, "nvfp4", "model.layers.0.mlp.up_proj"),
    (32, "mxfp4", "model.layers.1.mlp.down_proj"),
])  # fmt: skip
def test_the_entry_of_a_module_without_a_mode_is_affine_in_mlx(group: int, mode: str, module: str) -> None:
    """mlx-lm takes the mode of modules without an entry from their tensors; with one it misses `biases`."""

    def writer(outputs: int, inputs: int) -> dict[str, Any]:
        return {"weight": ("U32", [outputs, inputs // 8]), "scales": ("U8", [outputs, inputs // group])}

    config, spec = wide("llama", writer)
    sizes = {"group_size": group, "bits": 4}
    for block, expected in (
        ({**sizes, "mode": mode}, set()), (sizes, set()), ({**sizes, "mode": mode, module: sizes}, {"T614"}),
        ({**sizes, "mode": mode, module: {**sizes, "mode": mode}}, set()),
    ):  # fmt: skip
        found = judged(spec, {**config, "quantization": block})
        assert {one.code for one in found.findings if one.severity == "error"} == expected, block


CONVOLUTIONS = {
    "kimi_linear": ("ForCausalLM", ".experts."), "glm5_next": ("Generation", ".experts."),
    "olmo_hybrid": ("ForCausalLM", ".mlp."),
}  # fmt: skip
"""Model type -> the class and the part of its names that is quantized."""


@pytest.mark.parametrize(("bits", "refused"), [(4, True), (8, False)])
@pytest.mark.parametrize("model_type", CONVOLUTIONS)
def test_joined_convolutions_next_to_packed_modules(model_type: str, bits: int, refused: bool, tmp_path: Path) -> None:
    """Measured with transformers 5.23 and compressed-tensors 0.20 for Kimi Linear and OLMo Hybrid: refused unless the
    group has fp8.
    """
    suffix_of_class, packed = CONVOLUTIONS[model_type]
    record = base_record(model_type, suffix_of_class)
    spec: Spec = {}
    for name, (_, shape) in spec_of(record).items():
        if packed not in name:
            spec[name] = ("BF16", shape)
            continue
        module = name.removesuffix("weight")
        if bits == 4:
            writer = words(4, -1)
            spec |= {f"{module}{suffix}": (kind, tuple(dims)) for suffix, (kind, dims) in writer(*shape).items()}
        else:
            spec |= {name: ("F8_E4M3", shape), f"{module}weight_scale": ("BF16", (shape[0], 1))}
    weights = integers(4, None, strategy="channel") if bits == 4 else floats(8, "channel")
    block = ct(weights, "pack-quantized" if bits == 4 else "float-quantized")
    dense = ["re:.*(mlp|block_sparse_moe).(gate|up|down)_proj"] if packed == ".experts." else []
    rest = ["re:.*_attn.*", "re:.*shared_expert.*", "re:.*gate$", "re:.*eh_proj.*", "re:.*visual.*"]
    block["ignore"] = ["lm_head", *rest, *dense]
    result = stored(tmp_path, spec, {**record["config"], "quantization_config": block})
    failed = [one for one in result.findings if one.code == "N429"]
    assert bool(failed) == refused, [*result.findings]
    assert not failed or "q_conv1d" in failed[0].because  # type: ignore[attr-defined]
