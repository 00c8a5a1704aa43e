"""A setting that contradicts the weights is one finding about the setting; the count does not change."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from inspector.auditing.result import Audit
from tests.checkpoints import write
from tests.judged import judged
from tests.quantization.examples import INTEGER_INPUTS, block_unstated, tied, without_format, without_role
from tests.quantization.made_by_formula import (
    LLAMA,
    QWEN_MOE,
    blocks,
    embedded,
    gptq,
    gptq_config,
    mixed,
    mlx,
    quark,
    scaled,
    up,
)
from tests.quantization.recorded import RECORDED, variants
from tests.quantization.stored import CONFIG_KEYS, NAMES, audited, bad, caused, changed, checkpoint, original
from tests.sampling import sampled

MODULE = "model.layers.1.self_attn.o_proj"

WRONG: list[tuple[str, dict[str, Any]]] = [
    ("gptq_4bit_g128_sym", {"bits": 8}),
    ("gptq_4bit_g128_sym", {"group_size": 64}),
    ("gptq_4bit_g128_sym", {"quant_method": "awq"}),
    ("gptq_3bit_g64", {"bits": 4}),
    ("gptq-2-128-bf16", {"bits": 4}),
    ("gptq-4-channel", {"group_size": 128}),
    ("gptq-4-moe", {"group_size": 64}),
    ("autoround_4bit_g128_sym", {"bits": 8}),
    ("auto-round-awq", {"group_size": 64}),
    ("auto-round-mixed", {"group_size": 64}),
    ("gptq-dynamic", {"quant_method": "awq"}),
    ("awq_gemm_4bit_g128", {"group_size": 64}),
    ("awq_gemm_4bit_g128", {"quant_method": "gptq"}),
    ("awq-4-64", {"bits": 8}),
    ("awq-gemv", {"group_size": 128}),
    ("awq-fast", {"bits": 8}),
    ("fp8_finegrained", {"weight_block_size": [64, 64]}),
    ("fp8-block-64-moe", {"weight_block_size": [128, 128]}),
    ("modelopt_nvfp4", {"group_size": 32}),
    ("modelopt_int4_awq", {"group_size": 64}),
    ("modelopt_fp8", {"quant_algo": "NVFP4"}),
    ("bnb_nf4", {"bnb_4bit_quant_type": "fp4"}),
    ("bnb_nf4", {"bnb_4bit_use_double_quant": True}),
    ("bnb_nf4", {"load_in_4bit": False, "load_in_8bit": True}),
    ("higgs-3", {"bits": 4}),
    ("aqlm-2x8", {"num_codebooks": 1}),
    ("aqlm-1x16", {"in_group_size": 32}),
    ("aqlm-1x16", {"out_group_size": 2}),
    ("spqr", {"bits": 4}),
    ("mlx_4bit_g64", {"bits": 8}),
    ("mlx_4bit_g64", {"group_size": 128}),
    ("mlx_3bit_g64", {"bits": 4}),
    ("mlx-8-32", {"bits": 4}),
    ("mlx-6-128", {"group_size": 64}),
    ("mlx-4-qwen-moe", {"bits": 3}),
]


@pytest.mark.parametrize(("name", "settings"), WRONG, ids=lambda value: str(value))
def test_a_wrong_setting_is_one_finding(name: str, settings: dict[str, Any]) -> None:
    result = changed(name, **settings)
    unread = name == "bnb_nf4" and all(key.startswith("bnb_4bit") for key in settings)
    assert bad(result) == ["T642" if unread else "T614"], [finding.message for finding in result.findings]
    assert result.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize(("name", "absent", "wanted"), [
    ("gptq_3bit_g64", {"group_size"}, {"group_size": 64}), ("gptq_4bit_g128_sym", {"bits"}, {"bits": 4}),
    ("gptq_3bit_g64", {"bits", "group_size"}, {"bits": 3, "group_size": 64}), ("awq-4-64", {"group_size"},
    {"group_size": 64}), ("gptq_4bit_g128_sym", {"group_size"}, {}), ("awq_gemm_4bit_g128", {"bits", "group_size"}, {}),
    ("gptq-dynamic", {"group_size"}, {}),
])  # fmt: skip
def test_an_absent_setting_has_the_default_of_the_loader(name: str, absent: set[str], wanted: dict[str, int]) -> None:
    """`GPTQConfig` raises TypeError without bits, and assumes groups of 128, as `AwqConfig` does."""
    config, spec, _ = checkpoint(name)
    block = {key: one for key, one in config["quantization_config"].items() if key not in absent}
    result = judged(spec, {**config, "quantization_config": block})
    found = [one for one in result.findings if one.code == "T614"]
    steps = [step for one in found for step in one.remedy().steps]
    assert {step.key[-1]: step.new for step in steps} == wanted and len(found) == len(wanted)
    assert [one.code for one in result.findings if one.code == "T614" and not one.facts["absent"]] == []


def test_groups_are_found_where_the_widths_allow_other_bits_too() -> None:
    """4 bits in groups of 32 are as wide as 2 bits in groups of 64, and twice the inputs are a width of the model."""
    config = {**LLAMA, "hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4, "vocab_size": 512}
    stated, tensors = embedded(config, mlx(4, 32), {"bits": 4, "group_size": 64})
    result = judged({name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}, stated)
    assert bad(result) == ["T614"]
    (step,) = next(one for one in result.findings if one.code == "T614").remedy().steps
    assert (step.key, step.new) == (("quantization", "group_size"), 32)


def test_the_remedy_sets_both_copies_of_a_block() -> None:
    (finding,) = (one for one in changed("mlx_4bit_g64", bits=8).findings if one.code == "T614")
    assert [step.key for step in finding.remedy().steps] == [("quantization", "bits"), ("quantization_config", "bits")]
    assert "quantization.bits and quantization_config.bits to 4" in finding.remedy().words


@pytest.mark.parametrize(
    ("stated", "expected"), [({}, ["T611"]), ({"dynamic": False}, ["T611"]), ({"dynamic": True}, [])]
)
def test_scales_of_inputs_are_static_unless_the_block_states_otherwise(stated: Any, expected: list[str]) -> None:
    config, spec, _ = checkpoint("ct-fp8-static")
    group = config["quantization_config"]["config_groups"]["group_0"]
    group["input_activations"] = {"num_bits": 8, "type": "float", "strategy": "tensor", **stated}
    name = next(name for name in spec if name.endswith("input_scale"))
    assert bad(audited("ct-fp8-static", {**spec, name: ("F32", (2,))}, config)) == expected


@pytest.mark.parametrize("what", ["num_bits", "group_size", "strategy"])
@pytest.mark.parametrize("name", [name for name in NAMES if re.match("ct[-_](?!mixed|sparse)", name)])
def test_a_wrong_setting_of_a_group_is_one_finding(name: str, what: str) -> None:
    config, spec, parameters = checkpoint(name)
    weights = config["quantization_config"]["config_groups"]["group_0"]["weights"]
    change = {4: 8, 8: 4, 3: 4, 5: 4, 6: 4, 128: 64, 64: 128, 32: 64, 16: 32, "channel": "tensor", "tensor": "channel",
              "block": "channel"}  # fmt: skip
    if weights[what] not in change or (name, what) == ("ct-w4-channel-odd", "num_bits"):
        pytest.skip("not stated, or half the width is a width of the model too and the definition decides")
    right, weights[what] = weights[what], change[weights[what]]
    result = audited(name, spec, config)
    assert bad(result) == ["T614"], [finding.message for finding in result.findings]
    (step,) = next(one for one in result.findings if one.code == "T614").remedy().steps
    assert (step.file, step.key[-1], step.new) == ("config.json", what, right)
    assert result.counts.unique_parameters == parameters


@pytest.mark.thinned
@pytest.mark.parametrize("own", [None, "pack-quantized", "int-quantized", "float-quantized", "naive-quantized"])
@pytest.mark.parametrize("name", [name for name in NAMES if re.match(r"ct[-_](w\d|fp8|int8|w8a8)", name)])
def test_the_format_of_a_group_determines_the_tensors_that_are_read(name: str, own: str | None) -> None:
    """The format of the whole block is not read; all formats except the packed one have the same tensors."""
    config, spec, _ = checkpoint(name)
    block = config["quantization_config"]
    for group in block["config_groups"].values():
        group |= {} if own is None else {"format": own}
    packed = any(one.endswith("weight_packed") for one in spec)
    result = audited(name, spec, config)
    if own is None or packed is (own == "pack-quantized"):
        assert bad(result) == []
        return
    assert bad(result) == ["T614"], [finding.message for finding in result.findings]
    (step,) = next(one for one in result.findings if one.code == "T614").remedy().steps
    assert step.key[-1] == "format"
    assert (step.new == "pack-quantized") is packed


@pytest.mark.parametrize("inputs", [None, INTEGER_INPUTS, {**INTEGER_INPUTS, "type": "float"}])
@pytest.mark.parametrize("name", [name for name in NAMES if re.match(r"ct[-_](w\d|fp8_dynamic|int8|w8a8)", name)])
def test_the_format_that_a_loader_infers_is_compared_with_the_tensors(name: str, inputs: Any) -> None:
    """Recorded: transformers 5.23 with compressed-tensors 0.20. Floats are read under any inferred format."""
    result = without_format(name, input_activations=inputs)
    spec = checkpoint(name)[1]
    packed = any(one.endswith("weight_packed") for one in spec)
    integers = packed or any(one.endswith("_proj.weight") and spec[one][0] == "I8" for one in spec)
    fails = integers and packed is (inputs is not None)
    assert bad(result) == (["T647"] if fails else []), [finding.message for finding in result.findings]
    if fails:
        (step,) = next(one for one in result.findings if one.code == "T647").remedy().steps
        assert (step.key[-1], step.new) == ("format", "pack-quantized" if packed else "int-quantized")


def test_the_step_of_an_unstated_format_is_the_path_in_the_file_that_states_the_group() -> None:
    config, spec, _ = checkpoint("ct_w4a16")
    block = config["quantization_config"]
    (group,) = block["config_groups"].values()
    group.pop("format", None)
    block["config_groups"] = {"group.of.all": {**group, "input_activations": INTEGER_INPUTS}}
    (finding,) = (one for one in audited("ct_w4a16", spec, config).findings if one.code == "T647")
    (step,) = finding.remedy().steps
    assert (step.file, step.key) == (
        "config.json",
        ("quantization_config", "config_groups", "group.of.all", "format"),
    )


SETTINGS = {"bits", "num_bits", "nbits", "group_size"}
NOT_DECISIVE = re.compile(
    r"extra_config\.lm_head|act_bits|act_group_size|input_activations|input_tensors"  # not of quantized weights
    r"|^mlx_mixed_3_6: quantization\.(bits|group_size)$"  # every module has its own entry
    r"|^modelopt_(fp8|nvfp4): .*num_bits"  # quant_algo states it too, and loaders read that
    r"|^hqq_4bit_g64_axis0: .*group_size"  # other bits in other groups have these shapes too
)
"""Settings for which another value contradicts no shape."""


def settings_in(block: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], int]]:
    """(path, value) of every number of bits and group size in a block of settings."""
    if not isinstance(block, dict):
        return [(path, block)] if path[-1] in SETTINGS and isinstance(block, int) and block > 0 else []
    return [found for key, value in block.items() for found in settings_in(value, (*path, key))]


@pytest.mark.thinned
@pytest.mark.parametrize("name", RECORDED)
def test_every_wrong_number_in_the_settings_of_a_record_is_one_finding(name: str) -> None:
    config, spec, parameters = checkpoint(name)
    block = "quantization" if "quantization" in config else "quantization_config"
    for path, value in settings_in(config.get(block, {})):
        if NOT_DECISIVE.search(f"{name}: {'.'.join((block, *path))}"):
            continue
        for other in {2, 3, 4, 8} - {value} if "bits" in path[-1] else {2 * value, value // 2}:
            wrong = copy.deepcopy(config)
            for key in [key for key in CONFIG_KEYS if key in config]:
                inner = wrong[key]
                for step in path[:-1]:
                    inner = inner[step]
                inner[path[-1]] = other
            result = audited(name, spec, wrong)
            assert caused(name, result) == ["T614"], (path, other, [finding.message for finding in result.findings])
            assert result.counts.unique_parameters == parameters
            steps = [step for finding in result.findings if finding.code == "T614" for step in finding.remedy().steps]
            assert all((step.old, step.new) == (other, value) for step in steps if step.key[1:] == path), steps


OTHER_METHODS = [
    ("ct_fp8_block", "fp8", "compressed-tensors"), ("ct_fp8_dynamic", "modelopt", "compressed-tensors"),
    ("ct_mxfp4a16", "quark", "compressed-tensors"), ("ct_nvfp4a16", "mxfp4", "compressed-tensors"),
    ("quark_fp8", "compressed-tensors", "quark"), ("quark_mxfp4", "mxfp4", "quark"),
    ("modelopt_mxfp8", "fp8", "modelopt"), ("modelopt_nvfp4", "quark", "modelopt"),
    ("fp8_finegrained", "modelopt", "fp8"), ("autoround_mxfp4", "compressed-tensors", "auto-round"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "stated", "written"), OTHER_METHODS)
def test_a_method_that_reads_none_of_the_keys_of_its_block_is_wrong(name: str, stated: str, written: str) -> None:
    config, spec, _ = checkpoint(name)
    config["quantization_config"]["quant_method"] = stated
    result = audited(name, spec, config)
    wrong = [one for one in result.findings if one.code == "T614" and "quant_method" in one.message]
    assert [one.facts["weights"] for one in wrong] == [written], result.findings


SKIPS = [
    ("gptq_4bit_g128_sym", "modules_to_not_convert"),
    ("awq_gemm_4bit_g128", "modules_to_not_convert"),
    ("ct_w4a16", "ignore"),
    ("fp8_finegrained", "modules_to_not_convert"),
    ("bnb_nf4", "llm_int8_skip_modules"),
    ("modelopt_nvfp4", "ignore"),
    ("hqq_4bit_g64", "skip_modules"),
    ("quark_int4_g128", "exclude"),
]


@pytest.mark.parametrize(("name", "key"), SKIPS)
def test_a_quantized_module_in_the_list_of_exclusions_is_reported(name: str, key: str) -> None:
    config, spec, _ = checkpoint(name)
    config["quantization_config"][key] = ["lm_head", MODULE]
    assert bad(audited(name, spec, config)) == ["T615"]
    rows = original(name)[f"{MODULE}.weight"]
    spec = {tensor: entry for tensor, entry in spec.items() if not tensor.startswith(f"{MODULE}.")}
    assert bad(audited(name, {**spec, f"{MODULE}.weight": ("BF16", rows)}, config)) == []


@pytest.mark.parametrize(
    ("entry", "expected"),
    [("mlp", "T653"), ("layers.1", "T653"), ("model.layers.1.mlp", "T615"), ("o_proj", "T615")],
)
def test_transformers_5_finds_an_entry_only_at_the_ends_of_a_name(entry: str, expected: str) -> None:
    """Measured: 5.23 with bitsandbytes 0.50."""
    result = changed("bnb_nf4", llm_int8_skip_modules=["lm_head", entry])
    assert [one.code for one in result.findings if one.code in ("T615", "T653")] == [expected]
    assert bad(result) == ([expected] if expected == "T615" else [])


@pytest.mark.parametrize("name", ["bnb_nf4_gemma3_tower", "bnb_nf4_llava_tower"])
def test_a_tower_that_its_list_names_without_model_is_quantized_by_transformers_5(name: str) -> None:
    one = variants()[name]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}
    result = judged(spec, one["config"])
    assert (result.verdict, result.counts.unique_parameters) == ("clean", one["parameters"])
    assert {one.code for one in result.findings} >= {"T653"}


@pytest.mark.parametrize(("name", "model", "outcomes"), [
    ("vision_tower.{}", "model.vision_tower.{}", ["refuses", "complete"]),
    ("re:.*vision_tower.*", "", ["complete"]),
    ("re:vision_tower.*", "re:model.vision_tower.*", ["refuses", "complete"]),
])  # fmt: skip
def test_compressed_tensors_finds_an_entry_only_by_the_name_in_the_model(
    name: str, model: str, outcomes: list[str], tmp_path: Path
) -> None:
    """Measured: transformers 5.24 with compressed-tensors 0.19, on files that llm-compressor 0.14 wrote. SigLIP reads
    the weight of the packed layers that it builds, to initialize it.
    """
    one = variants()["ct_nvfp4a16_gemma3"]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}
    block = one["config"]["quantization_config"]
    tower = [entry.removeprefix("vision_tower.") for entry in block["ignore"] if entry != "lm_head"]
    added = [
        [entry.format(module) for module in tower] if "{}" in entry else [entry] for entry in (name, model) if entry
    ]
    for number, outcome in enumerate(outcomes):
        ignore = ["lm_head", *(entry for part in added[: number + 1] for entry in part)]
        config = {**one["config"], "quantization_config": {**block, "ignore": ignore}}
        result = audit(str(write(tmp_path / str(number), spec, config)))
        found = {
            str(load.version).partition(".")[0]: load.outcome for load in result.loads if load.loader == "transformers"
        }
        assert found == {"5": outcome, "4": "complete" if outcome == "complete" else "unknown"}
        assert bad(result) == ([] if outcome == "complete" else ["N429"])


LISTS = [
    ("bnb_nf4", "llm_int8_skip_modules", ["lm_head"], "q_proj"),
    ("bnb_int8", "llm_int8_skip_modules", ["lm_head"], "q_proj"),
    ("awq_gemm_4bit_g128", "modules_to_not_convert", ["lm_head"], "q_proj"),
    ("ct_fp8_dynamic", "ignore", ["lm_head"], "re:.*q_proj"),
    ("fp8_finegrained", "modules_to_not_convert", ["lm_head"], "model.layers.{}.self_attn.q_proj"),
]
BLOCKS = [["self_attn.k_proj", "self_attn.v_proj", "self_attn.q_proj"], ["self_attn.o_proj"]]


def test_gptq_quantizes_only_the_modules_of_its_list() -> None:
    """GPTQ in optimum replaces only layers whose names end with an entry."""

    def result(attention: bool, mlp: bool, listed: list[Any] | None) -> list[str]:
        packed = gptq(4, 128)
        settings = gptq_config(4, 128, modules_in_block_to_quantize=listed)
        own = {"self_attn": attention, "mlp": mlp}
        config, tensors = mixed(
            LLAMA, lambda module: packed if own[module.split(".")[3]] else None, settings, "quantization_config"
        )
        return bad(judged({key: (kind, tuple(shape)) for key, (kind, shape) in tensors.items()}, config))

    assert result(True, False, BLOCKS) == []
    assert result(True, True, None) == result(True, True, []) == []
    assert result(True, True, BLOCKS) == ["T615"]
    assert result(True, False, None) == ["T641"]


@pytest.mark.parametrize("name", ["ct_w4a16", "ct_fp8_dynamic", "ct_w8a8"])
def test_a_tied_head_must_be_listed_although_it_is_not_stored(name: str) -> None:
    """The loader quantizes it like every other linear layer and finds none of its tensors."""
    result = tied(name, ["re:.*gate$"])
    assert bad(result) == ["T662"]
    (step,) = next(one for one in result.findings if one.code == "T662").remedy().steps
    assert (step.key, step.new) == (("quantization_config", "ignore"), ["re:.*gate$", "lm_head"])
    assert bad(tied(name, step.new)) == bad(tied(name, ["re:.*head"])) == []


def test_blocks_that_only_transformers_assumes_are_a_note() -> None:
    for stated, expected in (({}, ["T661"]), ({"weight_block_size": [128, 128]}, [])):
        result = block_unstated(**stated)
        assert (result.verdict, [one.code for one in result.findings if one.code == "T661"]) == ("clean", expected)


def test_gptq_excludes_whole_blocks_by_a_pattern() -> None:
    """vLLM looks for `qkv_proj`, so that a pattern with the names of the file would not be found."""

    def result(**more: Any) -> Audit:
        config, tensors = mixed(
            LLAMA, lambda module: None if "self_attn" in module else gptq(4, 128),
            gptq_config(4, 128, **more), "quantization_config",
        )  # fmt: skip
        return judged({key: (kind, tuple(shape)) for key, (kind, shape) in tensors.items()}, config)

    found = result()
    assert bad(found) == ["T641"]
    (step,) = found.findings[0].remedy().steps
    assert (step.key, step.new) == (("quantization_config", "dynamic"), {r"-:.*\.self_attn\..*": {}})
    assert bad(result(dynamic=step.new)) == []


def test_quark_lists_modules_by_their_whole_names() -> None:
    def result(excluded: list[str]) -> Audit:
        writer = scaled("I8", lambda outputs, inputs: ("BF16", [outputs]))
        config, tensors = mixed(
            LLAMA, lambda module: None if module.endswith("o_proj") else writer,
            {**quark("int8", None, "per_channel"), "exclude": excluded}, "quantization_config",
        )  # fmt: skip
        return judged({key: (kind, tuple(shape)) for key, (kind, shape) in tensors.items()}, config)

    found = result(["lm_head"])
    assert bad(found) == ["T641"]
    (step,) = found.findings[0].remedy().steps
    assert step.new == ["lm_head", *(f"model.layers.{layer}.self_attn.o_proj" for layer in range(3))]
    assert bad(result(step.new)) == []


@pytest.mark.parametrize(("name", "key", "head", "entry"), LISTS)
def test_a_module_that_is_plain_in_every_layer_must_be_listed(name: str, key: str, head: list[str], entry: str) -> None:
    result = without_role(name, "q_proj", **{key: head})
    assert bad(result) == ["T641"]
    (step,) = result.findings[0].remedy().steps
    entries = [entry.format(layer) for layer in range(2)] if "{}" in entry else [entry]  # vLLM compares whole names
    assert (step.key, step.new) == (("quantization_config", key), [*head, *entries])
    assert bad(without_role(name, "q_proj", **{key: step.new})) == []


@pytest.mark.parametrize(("name", "key", "head", "entry"), LISTS)
def test_modules_that_are_plain_in_one_layer_are_one_finding_with_the_list(
    name: str, key: str, head: list[str], entry: str
) -> None:
    config, spec, _ = checkpoint(name)
    config["quantization_config"][key] = head
    plain = ["model.layers.0.self_attn.q_proj", "model.layers.1.mlp.down_proj"]
    spec = {tensor: found for tensor, found in spec.items() if not tensor.startswith(tuple(f"{one}." for one in plain))}
    spec |= {f"{one}.weight": ("BF16", original(name)[f"{one}.weight"]) for one in plain}
    result = audited(name, spec, config)
    assert bad(result) == ["T616"]
    (step,) = result.findings[0].remedy().steps
    assert (step.key, sorted(step.new)) == (("quantization_config", key), sorted([*head, *plain]))
    config["quantization_config"][key] = step.new
    assert bad(audited(name, spec, config)) == []


@pytest.mark.parametrize("name", ["ct_w4_channel_asym", "ct-w4-asym"])
def test_zero_points_under_a_symmetric_setting_are_one_finding(name: str) -> None:
    config, spec, _ = checkpoint(name)
    for group in config["quantization_config"]["config_groups"].values():
        group["weights"]["symmetric"] = True
    result = audited(name, spec, config)
    assert bad(result) == ["T614"]
    finding = next(one for one in result.findings if one.code == "T614")
    assert "symmetric to false" in finding.help
    assert bad(audited(name)) == []


WORDS = {
    "ct_w4a16": 4,
    "ct_w3a16": 3,
    "ct_w4_channel_asym": 4,
    "ct-w4-asym": 4,
    "ct-w4-channel-odd": 4,
    "ct-w8-channel": 8,
    "ct-w3-channel-odd": 3,
    "ct-w3-old": 3,
    "ct-w5": 5,
    "ct-w6-old-channel-odd": 6,
}


@pytest.mark.thinned
@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("name", WORDS)
def test_wrong_bits_are_one_finding_even_where_widths_allow_them_by_chance(name: str, bits: int) -> None:
    config, _, parameters = checkpoint(name)
    groups = config["quantization_config"]["config_groups"]
    for group in groups.values():
        group["weights"]["num_bits"] = bits
    result = changed(name, config_groups=groups)
    assert result.counts.unique_parameters == parameters
    reported = [(finding.code, finding.facts["weights"]) for finding in result.findings]
    assert reported == ([] if bits == WORDS[name] else [("T614", WORDS[name])])


FIXED_INPUTS = [
    ("ct-fp8-static", "input_scale", {"input_activations": {"dynamic": False}}),
    ("ct-nvfp4", "input_global_scale", {"input_activations": {"dynamic": "local"}}),
]


@pytest.mark.parametrize(("name", "helper", "stated"), FIXED_INPUTS)
def test_lost_scales_of_inputs_that_the_config_calls_static_are_missing(
    name: str, helper: str, stated: dict[str, Any]
) -> None:
    config, spec, _ = checkpoint(name)
    groups = config["quantization_config"]["config_groups"]
    without = {tensor: entry for tensor, entry in spec.items() if not tensor.endswith(helper)}
    assert not audited(name, without, config).findings  # nothing states that they are stored
    for group in groups.values():
        group.update(stated)
    assert not audited(name, spec, config).findings
    (missed,) = audited(name, without, config).findings
    assert (missed.code, missed.facts["helper"], missed.facts["modules"]) == ("T610", helper, len(spec) - len(without))


COMPUTED = [
    ("ct-fp8-static", "input_scale", ("config_groups", "group_0", "input_activations", "dynamic"), True),
    ("quark_fp8", "input_scale", ("global_quant_config", "input_tensors", "is_dynamic"), True),
    ("fp8-static", "activation_scale", ("activation_scheme",), "dynamic"),
]
"""Checkpoint, its scales of inputs, and the key with which loaders compute them."""


@pytest.mark.parametrize(("name", "helper", "path", "value"), COMPUTED)
def test_scales_of_inputs_that_no_module_has_are_computed(
    name: str, helper: str, path: tuple[str, ...], value: object
) -> None:
    """Measured: transformers 5.23 with compressed-tensors 0.20 and Quark 0.13."""
    config, spec, _ = checkpoint(name)
    if name == "ct-fp8-static":
        config["quantization_config"]["config_groups"]["group_0"]["input_activations"] = {
            "num_bits": 8,
            "type": "float",
        }
    without = {tensor: entry for tensor, entry in spec.items() if not tensor.endswith(helper)}
    (missed,) = audited(name, without, config).findings
    (step,) = missed.remedy().steps
    assert (missed.code, step.key, step.new) == ("T610", ("quantization_config", *path), value)
    inner = config["quantization_config"]
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert bad(audited(name, without, config)) == []
    one = next(tensor for tensor in spec if tensor.endswith(helper))
    inner[path[-1]] = False if value is True else "static"
    kept = {tensor: entry for tensor, entry in spec.items() if tensor != one}
    (lost,) = (finding for finding in audited(name, kept, config).findings if finding.severity == "error")
    assert not lost.remedy().steps  # the others have theirs


GPTQ_BLOCK = {"quant_method": "gptq", "bits": 4, "group_size": 128}
CASCADES = [
    ("mlx4_phi3", ("quantization", "bits"), 8),
    ("mlx_3_128", ("quantization", "group_size"), 64),
    ("ct_w4a16_qwen3moe", ("quantization_config", "config_groups", "group_0", "weights", "num_bits"), 8),
    ("ct_w2a16", ("quantization_config",), GPTQ_BLOCK),
    ("tao_intx2_g64", ("quantization_config",), GPTQ_BLOCK),
    ("bnb_int8_head", ("quantization_config",), GPTQ_BLOCK),
]
"""Record, key, wrong value: with it, the values unpack to weights of other shapes."""


@pytest.mark.parametrize(("name", "path", "value"), CASCADES)
def test_consequences_of_a_wrong_setting_are_not_reported(name: str, path: tuple[str, ...], value: object) -> None:
    record = variants()[name]
    config = copy.deepcopy(record["config"])
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in record["tensors"].items()}
    for block in ("quantization", "quantization_config"):
        inner = config
        for key in (block, *path[1:-1]) if len(path) > 1 else ():
            inner = inner.get(key, {})
        if path[-1] in inner:
            inner[path[-1]] = value
    result = judged(spec, config)
    assert [one.code for one in result.findings if one.severity != "note"] == ["T614"]
    assert result.counts.unique_parameters == record["parameters"]


MODELOPT = [name for name in variants() if name.startswith("mo_")]
ALGORITHMS = ("FP8", "NVFP4", "MXFP8", "MXFP4", "W4A16_AWQ", "W8A8_SQ_PER_CHANNEL", "FP8_PB_WO", None)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", sampled(MODELOPT, 4))
def test_another_algorithm_of_modelopt_is_one_finding_with_the_right_one(name: str, algorithm: str | None) -> None:
    """vLLM builds each module by it, and refuses a block without one."""
    one = variants()[name]
    config, spec = (
        copy.deepcopy(one["config"]),
        {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()},
    )
    block = config["quantization_config"]
    right = block["quant_algo"]
    if algorithm is None:
        del block["quant_algo"]
    else:
        block["quant_algo"] = algorithm
    result = judged(spec, config)
    assert result.counts.unique_parameters == one["parameters"]
    found = [one for one in result.findings if one.severity != "note"]
    same = {right.upper(), *(("W8A16", "W8A8_SQ_PER_CHANNEL") if right.startswith("W8") else ())}
    if algorithm in same or {algorithm, right} == {"NVFP4", "W4A16_NVFP4"}:
        assert found == []
        return
    assert len(found) == 1, [finding.message for finding in found]
    if (right, algorithm) != ("MIXED_PRECISION", "NVFP4"):  # then one scale is missing
        (step,) = found[0].remedy().steps
        assert (found[0].code, step.key, step.new) == ("T614", ("quantization_config", "quant_algo"), right.upper())


BY_BLOCK = {
    "four dims": scaled("F8_E4M3", lambda o, i: ("F32", [up(o, 128), 1, up(i, 128), 1])),
    "two dims": scaled("F8_E4M3", blocks(128)),
    "inverse": scaled("F8_E4M3", blocks(128), suffix="weight_scale_inv"),
}


@pytest.mark.parametrize(
    ("linear", "experts", "is_mixed", "code"),
    [
        ("four dims", "four dims", False, None),
        ("four dims", "four dims", True, None),
        ("four dims", "inverse", True, None),  # vLLM builds mixed experts as those of fp8
        ("two dims", "two dims", False, "T611"),
        ("two dims", "inverse", True, "T611"),
        ("inverse", "inverse", False, "T614"),
        ("inverse", "inverse", True, "T610"),
    ],
)
@pytest.mark.parametrize("model", [LLAMA, QWEN_MOE], ids=["llama", "qwen2_moe"])
def test_block_scales_of_modelopt_have_four_dims(
    model: dict[str, Any], linear: str, experts: str, is_mixed: bool, code: str | None
) -> None:
    """vLLM 0.33 registers `weight_scale` as [rows, 1, inputs, 1] (`KFp8Block128`)."""
    plain = frozenset({"lm_head", *(f"model.layers.{layer}.mlp.gate" for layer in range(3))})
    algorithm, layers = "FP8_PB_WO", dict[str, Any]()

    def writer(module: str) -> Any:
        if module in plain:
            return None
        layers[module] = {"quant_algo": algorithm, "group_size": 128}
        return BY_BLOCK[experts if ".experts." in module else linear]

    block: dict[str, Any] = {"quant_method": "modelopt", "quant_algo": algorithm, "ignore": sorted(plain)}
    config, tensors = mixed(model, writer, block, "quantization_config")
    if is_mixed:
        block |= {"quant_algo": "MIXED_PRECISION", "quantized_layers": layers}
    result = judged({name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}, config)
    assert bad(result) == ([] if code is None else [code])
    if code == "T614":
        (step,) = result.findings[0].remedy().steps
        assert step.new.items() >= {"quant_method": "fp8", "activation_scheme": "dynamic"}.items()
    elif code is not None:
        assert "in the shape that its loader registers, such as [" in result.findings[0].remedy().words


@pytest.mark.parametrize(("key", "value"), [("num_bits", 2), ("type", "int")])
@pytest.mark.parametrize("name", ["modelopt_fp8", "modelopt_nvfp4"])
def test_settings_that_no_loader_of_modelopt_reads_are_a_warning(name: str, key: str, value: object) -> None:
    config, spec, _ = checkpoint(name)
    group = config["quantization_config"]["config_groups"]["group_0"]["weights"]
    right, group[key] = group[key], value
    result = audited(name, spec, config)
    assert bad(result) == ["T642"]
    (step,) = next(one for one in result.findings if one.code == "T642").remedy().steps
    assert (step.key[-1], step.new) == (key, right)


def test_a_module_that_mixed_precision_does_not_name_is_built_plain() -> None:
    one = variants()["mo_nvfp4_fp8_mha_config"]
    config, spec = (
        copy.deepcopy(one["config"]),
        {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()},
    )
    del config["quantization_config"]["quantized_layers"]["model.layers.0.mlp.down_proj"]
    assert bad(judged(spec, config)) == ["T615"]


def without(block: dict[str, Any], *path: str) -> None:
    """The block without the entry at a path."""
    for key in path[:-1]:
        block = block[key]
    del block[path[-1]]


@pytest.mark.parametrize("path", [("config_groups",), ("config_groups", "group_0", "targets")])
@pytest.mark.parametrize("name", ["ct_w8a16_qwen3moe", "ct_w2a16", "ct_int8", "ct_w4a16_opt", "ct_fp8_block"])
def test_modules_in_no_group_are_one_finding(name: str, path: tuple[str, ...]) -> None:
    one = variants()[name]
    config = copy.deepcopy(one["config"])
    without(config["quantization_config"], *path)
    result = judged({key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}, config)
    assert (bad(result), result.counts.unique_parameters) == (["T615"], one["parameters"])


@pytest.mark.parametrize(
    ("name", "codes"), [("ct_w8a16_qwen3moe", []), ("ct_w8a16_opt", []), ("ct_w4a16_opt", ["T614"])]
)
def test_a_group_that_states_no_bits_has_eight(name: str, codes: list[str]) -> None:
    """The default of compressed-tensors."""
    one = variants()[name]
    config = copy.deepcopy(one["config"])
    without(config["quantization_config"], "config_groups", "group_0", "weights", "num_bits")
    result = judged({key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}, config)
    assert (bad(result), result.counts.unique_parameters) == (codes, one["parameters"])


@pytest.mark.parametrize("name", ["ct_w4a16_opt", "ct_w4a16_qwen3moe"])
def test_one_group_is_read_like_several(name: str) -> None:
    one = variants()[name]
    config = copy.deepcopy(one["config"])
    config["quantization_config"]["config_groups"]["group_0"]["weights"]["group_size"] = 64
    result = judged({key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}, config)
    assert bad(result) == ["T614"]
    (finding,) = (one for one in result.findings if one.code == "T614")
    assert finding.facts["weights"] == 128


@pytest.mark.parametrize("name", ["ct_fp8_dynamic", "ct_w4a16", "ct_w8a8", "ct-w4-asym", "ct_w4a16_qwen3moe"])
def test_a_plain_head_must_be_ignored_by_the_method_that_leaves_out_nothing(name: str) -> None:
    """Measured: transformers 5.23 with compressed-tensors 0.20 lacks lm_head.weight_scale and returns NaN."""
    if name in NAMES:
        config, spec, _ = checkpoint(name)
    else:
        one = variants()[name]
        config, spec = (
            copy.deepcopy(one["config"]),
            {key: (kind, tuple(shape)) for key, (kind, shape) in one["tensors"].items()},
        )
    config["quantization_config"]["ignore"] = []
    result = judged(spec, config)
    assert bad(result) == ["T641"]
    (step,) = next(one for one in result.findings if one.code == "T641").remedy().steps
    assert step.new == ["re:.*lm_head"]
    config["quantization_config"]["ignore"] = step.new
    assert bad(judged(spec, config)) == []


@pytest.mark.parametrize(("name", "key"), [("bnb_nf4", "load_in_4bit"), ("bnb_int8", "load_in_8bit")])
@pytest.mark.parametrize("absent", [True, False])
def test_a_block_of_bitsandbytes_without_an_enabled_switch(name: str, key: str, absent: bool) -> None:
    """Measured with transformers 5.23: it refuses 4 bits, and leaves the scales of 8 bits unread."""
    config, spec, _ = checkpoint(name)
    block = config["quantization_config"]
    for other in [other for other in block if "load_in" in other]:
        if absent:
            del block[other]
        else:
            block[other] = False
    result = audited(name, spec, config)
    assert bad(result) == ["T614"]
    (step,) = next(one for one in result.findings if one.code == "T614").remedy().steps
    assert (step.key, step.new) == (("quantization_config", key), True)


def wide_nvfp4() -> tuple[dict[str, Any], dict[str, Any]]:
    """ModelOpt's NVFP4 for inputs of 8 bits, as version 0.47 writes it: groups of 32 with scales in 8 bits."""
    one = variants()["mo_nvfp4_default_cfg"]
    config, spec = copy.deepcopy(one["config"]), {}
    for key, (dtype, shape) in one["tensors"].items():
        spec[key] = (dtype, (shape[0], shape[1] // 2) if key.endswith(".weight_scale") else tuple(shape))
    block = config["quantization_config"]
    del block["config_groups"]
    return {**config, "quantization_config": {**block, "quant_algo": "W4A8_NVFP4_FP8"}}, spec


@pytest.mark.parametrize(("algorithm", "codes"), [("W4A8_NVFP4_FP8", []), ("NVFP4", ["T614"]), ("MXFP4", ["T614"])])
def test_nvfp4_for_inputs_of_eight_bits(algorithm: str, codes: list[str]) -> None:
    config, spec = wide_nvfp4()
    config["quantization_config"]["quant_algo"] = algorithm
    assert bad(judged(spec, config)) == codes


@pytest.mark.parametrize("suffix", ["input_scale", "weight_scale", "weight_scale_2"])
def test_a_lost_scale_of_nvfp4_for_inputs_of_eight_bits_is_missing(suffix: str) -> None:
    config, spec = wide_nvfp4()
    lost = next(key for key in spec if key.endswith(f".{suffix}"))
    assert bad(judged({key: entry for key, entry in spec.items() if key != lost}, config)) == ["T610"]


def test_a_scale_of_a_wrong_shape_is_one_finding_where_no_other_layer_has_the_module() -> None:
    one = variants()["mo_nvfp4_default_cfg"]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items() if ".layers.1." not in key}
    key = next(key for key in spec if key.endswith(".weight_scale"))
    spec[key] = (spec[key][0], (spec[key][1][0] + 1, spec[key][1][1]))
    assert bad(judged(spec, {**one["config"], "num_hidden_layers": 1})) == ["T611"]


STRATEGIES = [
    ("ct_w4a16", "tensor", 128, {"strategy": "group"}), ("ct_w4a16", "channel", 128, {"strategy": "group"}),
    ("ct_w4a16", "group", None, {"group_size": 128}),
    ("ct_w4a16", "channel", None, {"strategy": "group", "group_size": 128}),
    ("ct_w8a8", "channel", 128, {"group_size": -1}), ("ct_w8a8", "group", None, {"strategy": "channel"}),
    ("ct_fp8_dynamic", "channel", 128, {"group_size": -1}), ("ct_fp8_dynamic", "channel", -1, {}),
    ("ct-fp8-static", "tensor", 128, {"group_size": -1}), ("ct-fp8-static", "group", None, {"strategy": "tensor"}),
    ("ct_nvfp4a16", "tensor", 16, {"strategy": "tensor_group"}), ("ct_w8a8", "channel", None, {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "strategy", "size", "right"), STRATEGIES)
def test_strategy_and_group_size_must_agree(name: str, strategy: str, size: int | None, right: dict[str, Any]) -> None:
    """compressed-tensors refuses a group size without groups, and groups without a size, whatever is stored."""
    config, spec, _ = checkpoint(name)
    (group,) = config["quantization_config"]["config_groups"].values()
    group["weights"] |= {"strategy": strategy, "group_size": size}
    wrong = [one for one in audited(name, spec, config).findings if one.severity == "error"]
    assert {one.facts["what"]: one.facts["weights"] for one in wrong} == right
    group["weights"] |= right
    assert bad(audited(name, spec, config)) == []


def test_modules_in_a_list_that_are_quantized_in_another_way_are_one_finding() -> None:
    """Attention in the fp8 of the source, excluded from a quantization to MXFP4, with the scales' usual name."""
    config, spec, parameters = checkpoint("quark_mxfp4")
    attention = [name for name in original("quark_mxfp4") if "self_attn" in name]
    config["quantization_config"]["exclude"] = ["lm_head", *(name.removesuffix(".weight") for name in attention)]
    for name in attention:
        rows, columns = original("quark_mxfp4")[name]
        spec[name] = ("F8_E4M3", (rows, columns))
        spec[f"{name}_scale"] = ("F32", (-(-rows // 128), -(-columns // 128)))
    result = audited("quark_mxfp4", spec, config)
    (finding,) = (one for one in result.findings if one.severity == "error")
    assert (finding.code, finding.remedy().words) == (
        "T615", "store these modules unquantized, or quantize the model again"
    )  # fmt: skip
    assert result.counts.unique_parameters == parameters


def test_lost_exceptions_of_gptq_are_one_finding() -> None:
    config, spec, parameters = checkpoint("gptq-dynamic")
    del config["quantization_config"]["dynamic"]
    result = audited("gptq-dynamic", spec, config)
    (finding,) = (one for one in result.findings if one.severity != "note")
    assert (finding.code, result.counts.unique_parameters) == ("T663", parameters)
    (step,) = finding.remedy().steps
    config["quantization_config"]["dynamic"] = step.new
    assert bad(audited("gptq-dynamic", spec, config)) == []
