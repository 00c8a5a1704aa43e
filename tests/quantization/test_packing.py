"""Packed checkpoints: exact counts with a config and without, and what is broken in them told once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.findings.registry import page
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout, lay_out
from tests.findings.schemas import assert_valid
from tests.judged import codes, judged
from tests.quantization.examples import EXAMPLES
from tests.quantization.make_fixtures import (
    Tensors,
    Writer,
    awq,
    blocks,
    bnb4,
    bnb8,
    checkpoints,
    gptq,
    halves,
    hqq,
    linears,
    mlx,
    quark4,
    rest,
    scaled,
    words,
)
from tests.quantization.stored import NAMES, Spec, bad, changed, checkpoint

SCALES = ("scales", "weight_scale", "weight_scale_inv", "SCB", "weight.absmax", "scale", "_weight_scale",
          "weight._scale", "weight_scales", "q_scale", "codebooks", "suh", "centroids.weight")  # fmt: skip
ZEROS = ("qzeros", "weight_zero_point", "biases", "zero", "weight._shift")
VALUES = ("qweight", "weight_packed", "_weight_qdata", "W_q", "weight._data._data", "weight._data", "codes", "indices",
          "q_weight", "trellis", "dense_weights", "weight")  # fmt: skip
MODULE = "model.layers.1.self_attn.o_proj"
PACKED = [name for name in NAMES if name != "mlx-nothing"]
NO_CONFIG = [name for name in NAMES if name != "gptq-4-biases"]
"""A bias of zeros cannot be told from a true one without a config."""


def suffix_of(name: str, wanted: tuple[str, ...], module: str = MODULE) -> str:
    spec = checkpoint(name)[1]
    found = [suffix for suffix in wanted if f"{module}.{suffix}" in spec]
    if not found:
        pytest.skip("the scheme has none")
    return found[0]


def test_the_fixtures_are_what_the_script_makes() -> None:
    made = {name: (config, tensors, parameters) for name, config, tensors, parameters in checkpoints()}
    assert sorted(made) == NAMES
    for name, (config, tensors, parameters) in made.items():
        spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in tensors.items()}
        assert checkpoint(name) == (config, spec, parameters)


@pytest.mark.parametrize("name", NAMES)
def test_the_count_is_exact_and_nothing_is_unexplained(name: str) -> None:
    config, spec, parameters = checkpoint(name)
    audited = judged(spec, config)
    counts = audited.counts
    assert bad(audited) == [], [finding.message for finding in audited.findings]
    assert counts.unique_parameters == counts.expected_parameters == parameters
    assert counts.unexplained == 0
    plain = sum(line.elements for line in audited.lines if line.kind == "parameter" and line.packed is None)
    assert counts.stored_elements == plain + counts.packed_elements + counts.packing_helpers
    assert counts.stored_bytes == sum(layout_of(entry).bytes for entry in spec.values())


@pytest.mark.parametrize("name", NO_CONFIG)
def test_the_count_is_exact_without_a_config(name: str) -> None:
    _, spec, parameters = checkpoint(name)
    audited = judged(spec, None)
    assert audited.counts.unique_parameters == parameters
    assert bad(audited) == [], [finding.message for finding in audited.findings]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("kind", ["scale", "zero"])
def test_a_lost_helper_is_one_finding_with_its_module(name: str, kind: str) -> None:
    suffix = suffix_of(name, SCALES if kind == "scale" else ZEROS)
    audited = changed(name, drop=f"{MODULE}.{suffix}")
    assert bad(audited) == ["T610"]
    assert audited.findings[0].place.tensor == f"{MODULE}.{suffix}"
    assert audited.findings[0].help
    assert audited.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize("name", PACKED)
def test_lost_values_are_one_finding_and_no_missing_tensor(name: str) -> None:
    suffix = suffix_of(name, VALUES)
    audited = judged({tensor: entry for tensor, entry in checkpoint(name)[1].items()
                      if tensor != f"{MODULE}.{suffix}"}, checkpoint(name)[0])  # fmt: skip
    assert bad(audited) == ["T612"], [finding.message for finding in audited.findings]
    assert audited.findings[0].place.tensor == f"{MODULE}.{suffix}"


@pytest.mark.parametrize("name", [name for name in PACKED if not name.startswith(("quanto-8", "quanto-4"))])
def test_a_module_left_dense_is_reported_unless_declared(name: str) -> None:
    config, _, parameters = checkpoint(name)
    rows = config["hidden_size"], config["num_attention_heads"] * config["head_dim"]
    audited = changed(name, drop=f"{MODULE}.", put={f"{MODULE}.weight": ("BF16", rows)})
    assert bad(audited) == ["T616"], [finding.message for finding in audited.findings]
    assert audited.counts.unique_parameters == parameters


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("step", [1, -1])
def test_a_helper_of_another_shape_is_one_finding(name: str, step: int) -> None:
    module = "model.layers.1.self_attn.k_proj"
    suffix = suffix_of(name, SCALES, module)
    dtype, shape = checkpoint(name)[1][f"{module}.{suffix}"]
    for axis in range(len(shape)):
        other = (*shape[:axis], shape[axis] + step, *shape[axis + 1 :])
        if other[axis] <= 0 or (name == "vptq" and suffix == "centroids.weight"):
            continue
        audited = changed(name, put={f"{module}.{suffix}": (dtype, other)})
        assert len(bad(audited)) == 1, (other, [finding.message for finding in audited.findings])
        assert set(bad(audited)) <= {"T611", "T613", "T620"}
        assert audited.counts.unique_parameters == checkpoint(name)[2]


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("gptq-4-128", {"bits": 8}), ("gptq-4-128", {"group_size": 64}), ("gptq-4-128", {"quant_method": "awq"}),
    ("gptq-3-32", {"bits": 4}), ("gptq-2-128-bf16", {"bits": 4}), ("gptq-4-channel", {"group_size": 128}),
    ("gptq-4-moe", {"group_size": 64}), ("auto-round-4", {"bits": 8}), ("auto-round-awq", {"group_size": 64}),
    ("auto-round-mixed", {"group_size": 64}), ("gptq-dynamic", {"quant_method": "awq"}),
    ("awq-4-128", {"group_size": 64}), ("awq-4-128", {"quant_method": "gptq"}), ("awq-4-64", {"bits": 8}),
    ("awq-gemv", {"group_size": 128}), ("awq-fast", {"bits": 8}), ("fp8-block", {"weight_block_size": [64, 64]}),
    ("fp8-block-64-moe", {"weight_block_size": [128, 128]}), ("modelopt-nvfp4", {"group_size": 32}),
    ("modelopt-int4", {"group_size": 64}), ("modelopt-fp8", {"quant_algo": "NVFP4"}),
    ("bnb-nf4", {"bnb_4bit_quant_type": "fp4"}), ("bnb-nf4", {"bnb_4bit_use_double_quant": True}),
    ("bnb-nf4", {"load_in_4bit": False, "load_in_8bit": True}), ("higgs-3", {"bits": 4}), ("spqr", {"bits": 4}),
    ("mlx-4-64", {"bits": 8}), ("mlx-4-64", {"group_size": 128}), ("mlx-3-64", {"bits": 4}),
    ("mlx-8-32", {"bits": 4}), ("mlx-6-128", {"group_size": 64}), ("mlx-4-qwen-moe", {"bits": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings"), WRONG, ids=lambda value: str(value))
def test_a_wrong_setting_is_one_finding(name: str, settings: dict[str, Any]) -> None:
    audited = changed(name, **settings)
    assert bad(audited) == ["T614"], [finding.message for finding in audited.findings]
    assert audited.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize("what", ["num_bits", "group_size", "strategy"])
@pytest.mark.parametrize("name", [name for name in NAMES if re.match("ct-(?!mixed|sparse)", name)])
def test_a_wrong_setting_of_a_group_is_one_finding(name: str, what: str) -> None:
    config, spec, parameters = checkpoint(name)
    weights = config["quantization_config"]["config_groups"]["group_0"]["weights"]
    change = {4: 8, 8: 4, 3: 4, 5: 4, 6: 4, 128: 64, 64: 128, 32: 64, 16: 32, "channel": "tensor", "tensor": "channel",
              "block": "channel"}  # fmt: skip
    if weights[what] not in change or (name, what) == ("ct-w4-channel-odd", "num_bits"):
        pytest.skip("not stated, or half the width is a width of the model too and the definition decides")
    weights[what] = change[weights[what]]
    audited = judged(spec, config)
    assert bad(audited) == ["T614"], [finding.message for finding in audited.findings]
    assert audited.counts.unique_parameters == parameters


OTHERWISE: list[tuple[str, Writer]] = [
    ("gptq-4-128", gptq(8, 128)), ("gptq-4-128", gptq(4, 64)), ("gptq-4-128", awq(128)), ("awq-4-128", gptq(4, 128)),
    ("awq-4-128", awq(64)), ("ct-w4", words(8, 128)), ("ct-w4", scaled("F8_E4M3", lambda o, i: ("BF16", [o, 1]))),
    ("mlx-4-64", mlx(8, 64)), ("mlx-4-64", mlx(4, 32)), ("quark-int4", quark4(64)),
    ("fp8-block", scaled("F8_E4M3", blocks(64), suffix="weight_scale_inv")),
    ("ct-fp8", scaled("F8_E4M3", blocks(128))), ("bnb-nf4", bnb8), ("bnb-nf4", bnb4("fp4", False)),
    ("bnb-nf4", bnb4("nf4", True)), ("hqq-4", hqq(8, 64, 1)), ("modelopt-nvfp4", halves(32, "U8", {})),
]  # fmt: skip


@pytest.mark.parametrize(("name", "writer"), OTHERWISE)
def test_a_module_packed_otherwise_is_one_finding(name: str, writer: Writer) -> None:
    put: Spec = {f"{MODULE}.{suffix}": (dtype, tuple(shape)) for suffix, (dtype, shape) in writer(384, 384).items()}
    audited = changed(name, drop=f"{MODULE}.", put=put)
    assert bad(audited) == ["T620"], [finding.message for finding in audited.findings]
    assert MODULE in (audited.findings[0].place.tensor or "")
    assert audited.counts.unique_parameters == checkpoint(name)[2]


SKIPS = [("gptq-4-128", "modules_to_not_convert"), ("awq-4-128", "modules_to_not_convert"), ("ct-w4", "ignore"),
         ("fp8-block", "modules_to_not_convert"), ("bnb-nf4", "llm_int8_skip_modules"), ("modelopt-nvfp4", "ignore"),
         ("hqq-4", "skip_modules"), ("quark-int4", "exclude")]  # fmt: skip


@pytest.mark.parametrize(("name", "key"), SKIPS)
def test_a_module_listed_as_left_alone_is_reported_where_it_is_packed(name: str, key: str) -> None:
    config, spec, _ = checkpoint(name)
    config["quantization_config"][key] = ["lm_head", MODULE]
    assert bad(judged(spec, config)) == ["T615"]
    rows = config["hidden_size"], config["num_attention_heads"] * config["head_dim"]
    spec = {tensor: entry for tensor, entry in spec.items() if not tensor.startswith(f"{MODULE}.")}
    assert bad(judged({**spec, f"{MODULE}.weight": ("BF16", rows)}, config)) == []


def layout_of(entry: tuple[str, tuple[int, ...]]) -> Layout:
    made = lay_out(*entry)
    assert isinstance(made, Layout)
    return made


def part_of(name: str, lost: Callable[[str], bool], *, named: bool = False) -> Audit:
    """The audit of a fixture of which one shard could not be read, or was named alone."""
    config, spec, _ = checkpoint(name)
    tensors = {tensor: layout_of(entry) for tensor, entry in spec.items() if not lost(tensor)}
    gone = tuple(tensor for tensor in spec if lost(tensor))
    read = Config("config.json", config, "config")
    losses = {} if named else {"model-00002-of-00002.safetensors": gone}
    made = Checkpoint("test", "test", read, tensors=tensors, lost=losses, partial=named, readable=True)
    return audit_loaded(made)


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("named", [False, True])
def test_nobody_is_accused_for_a_shard_that_was_not_read(name: str, named: bool) -> None:
    names = sorted(checkpoint(name)[1])
    gone = set(names[::2])
    audited = part_of(name, gone.__contains__, named=named)
    assert [code for code in bad(audited) if code.startswith("T61") or code == "N403"] == []


def test_kv_cache_scales_are_no_parameters() -> None:
    audited = EXAMPLES["cache-scales-stored"]()
    assert bad(audited) == []
    assert audited.counts.unique_parameters == checkpoint("ct-fp8")[2]


def test_names_of_other_writers_are_read() -> None:
    config, spec, parameters = checkpoint("ct-w4-asym")
    names = {".w1.": ".gate_proj.", ".w2.": ".down_proj.", ".w3.": ".up_proj."}
    renamed = {}
    for tensor, entry in spec.items():
        for old, new in names.items():
            tensor = tensor.replace(old, new)
        renamed[tensor] = entry
    audited = judged(renamed, config)
    assert bad(audited) == []
    assert audited.counts.unique_parameters == parameters


def test_values_stored_twice_count_once() -> None:
    audited = changed("gptq-4-128", put={f"{MODULE}.weight": ("BF16", (384, 384))})
    assert bad(audited) == ["T617"]
    assert audited.counts.unique_parameters == checkpoint("gptq-4-128")[2]


def test_a_packing_of_another_kind_is_counted_as_stored() -> None:
    audited = EXAMPLES["packing-unknown"]()
    assert [finding.code for finding in audited.findings] == ["T618"]
    config, _, _ = checkpoint("gptq-4-128")
    stored = sum(outputs * inputs // 2 for _, outputs, inputs in linears(config))
    assert audited.counts.packed_elements == stored


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_page_shows_what_the_tool_prints(name: str) -> None:
    findings = EXAMPLES[name]().findings
    finding = next(finding for finding in findings if finding.name == name)
    assert_valid(*findings)
    rows = [*finding.lines, *([("help", finding.help)] if finding.help else [])]
    width = max(len(label) for label, _ in rows)
    head = f"{finding.severity}[{finding.code}] {finding.name}: {finding.title}"
    printed = [head, *(f"  {label:<{width}}  {text}" for label, text in rows)]
    assert "\n".join(f"    {line}" for line in printed) in page(type(finding))


def qwen3_14b() -> tuple[dict[str, Any], Tensors]:
    """Qwen3-14B as MLX writes it in 4 bits, at full size."""
    config: dict[str, Any] = {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 17408,
        "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
        "vocab_size": 151936, "tie_word_embeddings": False, "quantization": {"group_size": 64, "bits": 4},
    }  # fmt: skip
    write = mlx(4, 64)
    tensors: Tensors = {}
    modules = [*linears(config), ("model.embed_tokens", 151936, 5120), ("lm_head", 151936, 5120)]
    for module, outputs, inputs in modules:
        for suffix, entry in write(outputs, inputs).items():
            tensors[f"{module}.{suffix}"] = entry
    for name, dtype, shape in rest(config):
        if len(shape) == 1:
            tensors[name] = (dtype, shape)
    for layer in range(40):
        for letter in "qk":
            tensors[f"model.layers.{layer}.self_attn.{letter}_norm.weight"] = ("BF16", [128])
    return config, tensors


def gpt_oss_20b() -> tuple[dict[str, Any], Tensors]:
    """gpt-oss-20b with its experts in MXFP4, at full size."""
    config: dict[str, Any] = {
        "architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
        "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
        "vocab_size": 201088, "num_local_experts": 32, "tie_word_embeddings": False, "attention_bias": True,
        "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": [
            "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]},
    }  # fmt: skip
    tensors: Tensors = {name: (dtype, shape) for name, dtype, shape in rest(config)}
    for layer in range(24):
        at = f"model.layers.{layer}"
        for letter, outputs, inputs in (("q", 4096, 2880), ("k", 512, 2880), ("v", 512, 2880), ("o", 2880, 4096)):
            tensors[f"{at}.self_attn.{letter}_proj.weight"] = ("BF16", [outputs, inputs])
            tensors[f"{at}.self_attn.{letter}_proj.bias"] = ("BF16", [outputs])
        tensors[f"{at}.self_attn.sinks"] = ("BF16", [64])
        tensors[f"{at}.mlp.router.weight"] = ("BF16", [32, 2880])
        tensors[f"{at}.mlp.router.bias"] = ("BF16", [32])
        for name, rows in (("gate_up_proj", 5760), ("down_proj", 2880)):
            tensors[f"{at}.mlp.experts.{name}_blocks"] = ("U8", [32, rows, 90, 16])
            tensors[f"{at}.mlp.experts.{name}_scales"] = ("U8", [32, rows, 90])
            tensors[f"{at}.mlp.experts.{name}_bias"] = ("BF16", [32, rows])
    return config, tensors


FULL = [(qwen3_14b, 14_768_307_200, 8_307_783_680), (gpt_oss_20b, 20_914_757_184, 13_761_264_768)]


@pytest.mark.parametrize(("make", "parameters", "size"), FULL)
def test_published_models_at_full_size(
    make: Callable[[], tuple[dict[str, Any], Tensors]], parameters: int, size: int
) -> None:
    config, tensors = make()
    spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}
    audited = judged(spec, config)
    assert audited.verdict == "clean"
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == parameters
    assert audited.counts.stored_bytes == size


def test_half_an_expert_lost_in_mxfp4() -> None:
    config, tensors = gpt_oss_20b()
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}
    del spec["model.layers.7.mlp.experts.down_proj_scales"]
    audited = judged(spec, config)
    assert bad(audited) == ["T610"]
    assert audited.findings[0].place.tensor == "model.layers.7.mlp.experts.down_proj_scales"
    assert audited.counts.unique_parameters == 20_914_757_184


WORDS = {"ct-w4": 4, "ct-w4-asym": 4, "ct-w4-channel-odd": 4, "ct-w8-channel": 8, "ct-w3-channel-odd": 3,
         "ct-w3-old": 3, "ct-w5": 5, "ct-w6-old-channel-odd": 6}  # fmt: skip


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("name", WORDS)
def test_wrong_bits_are_one_finding_even_where_widths_allow_them_by_chance(name: str, bits: int) -> None:
    config, _, parameters = checkpoint(name)
    groups = config["quantization_config"]["config_groups"]
    for group in groups.values():
        group["weights"]["num_bits"] = bits
    audited = changed(name, config_groups=groups)
    assert audited.counts.unique_parameters == parameters
    reported = [(finding.code, finding.facts["weights"]) for finding in audited.findings]
    assert reported == ([] if bits == WORDS[name] else [("T614", WORDS[name])])


FIXED_INPUTS = [
    ("ct-fp8-static", "input_scale", {"input_activations": {"dynamic": False}}),
    ("ct-nvfp4", "input_global_scale", {"input_activations": {"dynamic": "local"}}),
]


@pytest.mark.parametrize(("name", "helper", "stated"), FIXED_INPUTS)
def test_scales_of_inputs_that_the_config_calls_fixed_are_missed(
    name: str, helper: str, stated: dict[str, Any]
) -> None:
    config, spec, _ = checkpoint(name)
    groups = config["quantization_config"]["config_groups"]
    without = {tensor: entry for tensor, entry in spec.items() if not tensor.endswith(helper)}
    assert not judged(without, config).findings  # nothing says that they are stored
    for group in groups.values():
        group.update(stated)
    assert not judged(spec, config).findings
    (missed,) = judged(without, config).findings
    assert (missed.code, missed.facts["helper"], missed.facts["modules"]) == ("T610", helper, len(spec) - len(without))


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("fp8-fused-experts", "gate_up_proj_scale_inv"), ("modelopt-w4a8", "weight_scale_2"), ("hqq-4", "shape")],
)
def test_a_helper_lost_everywhere_is_missed(name: str, suffix: str) -> None:
    config, spec, parameters = checkpoint(name)
    lost = [tensor for tensor in spec if tensor.endswith(suffix)]
    audited = judged({tensor: entry for tensor, entry in spec.items() if tensor not in lost}, config)
    assert codes(audited) == {"T610"}
    assert sum(int(str(finding.facts["modules"])) for finding in audited.findings) == len(lost)
    assert audited.counts.unique_parameters == parameters
