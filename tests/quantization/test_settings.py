"""Quantization settings from all places where tools write them, as the settings of a module."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.algebra.boxes import count
from inspector.algebra.span import Span
from inspector.quantization.read_settings import settings_of
from tests.judged import codes, judged
from tests.quantization.examples import in_folder
from tests.quantization.made_by_formula import LLAMA, Writer, simple
from tests.quantization.stored import checkpoint

KEY = "model.layers.#.mlp.down_proj"
LAYERS = ((Span.range(0, 8),),)


def settings_for(config: dict[str, Any], side: dict[str, Any] | None = None, key: str = KEY) -> list[tuple[Any, int]]:
    """(settings, number of layers) of a family."""
    return [(what, count(boxes)) for what, boxes in settings_of(config, side).for_family(key, LAYERS)]


@pytest.mark.parametrize(
    ("config", "side", "method", "bits", "size"),
    [
        ({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}, {}, "gptq", 4, 128),
        ({}, {"quantize_config.json": {"bits": 8, "group_size": -1, "desc_act": True}}, "gptq", 8, -1),
        ({}, {"quant_config.json": {"w_bit": 4, "q_group_size": 64, "zero_point": True}}, "awq", 4, 64),
        ({}, {"hf_quant_config.json": {"quantization": {"quant_algo": "NVFP4", "group_size": 16}}}, "modelopt", 4, 16),
        ({"quantization": {"bits": 6, "group_size": 32}}, {}, "mlx", 6, 32),
        ({"quantization": {"bits": 4, "mode": "mxfp4"}}, {}, "mlx", 4, 32),
        ({"text_config": {"quantization_config": {"quant_method": "awq", "bits": 4}}}, {}, "awq", 4, None),
        ({"quantization_config": {"quant_method": "gptq", "bits": "4", "group_size": "128"}}, {}, "gptq", 4, 128),
        ({"quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8"}}, {}, "modelopt", 8, None),
    ],
)
def test_settings_in_each_place(
    config: dict[str, Any], side: dict[str, Any], method: str, bits: int, size: int | None
) -> None:
    [(what, layers)] = settings_for(config, side)
    assert (what.method, what.bits, what.group_size, layers) == (method, bits, size, 8)


def test_no_settings_give_no_method() -> None:
    settings = settings_of(LLAMA)
    assert not settings.known
    assert settings.for_family(KEY, LAYERS)[0][0].method is None


def test_the_config_takes_precedence_over_side_files() -> None:
    side = {"quantize_config.json": {"bits": 8, "group_size": 64}}
    [(what, _)] = settings_for({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}, side)
    assert what.bits == 4


def test_gptq_dynamic() -> None:
    dynamic = {r"+:.*layers\.3\..*": {"bits": 8}, r"-:.*layers\.[56]\.mlp.*": {}}
    found = settings_for(
        {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": dynamic}}
    )
    assert sorted((what.bits, what.skipped is not None, layers) for what, layers in found) == [
        (4, False, 5), (4, True, 2), (8, False, 1),
    ]  # fmt: skip
    eight = next(what for what, _ in found if what.bits == 8)
    assert eight.key("bits") == r"quantization_config.dynamic.+:.*layers\.3\..*.bits"
    assert eight.key("group_size") == "quantization_config.group_size"


def test_mlx_entries() -> None:
    entries: dict[str, Any] = {
        "bits": 4, "group_size": 64, "model.layers.2.mlp.down_proj": {"bits": 8, "group_size": 32},
        "model.layers.4.mlp.down_proj": False, "lm_head": {"bits": 6},
    }  # fmt: skip
    found = settings_for({"quantization": entries, "quantization_config": entries})
    assert sorted((what.bits, what.group_size, what.skipped is not None, layers) for what, layers in found) == [
        (4, 64, False, 6), (4, 64, True, 1), (8, 32, False, 1),
    ]  # fmt: skip


def test_quantos_file_has_an_entry_for_each_module() -> None:
    entries = {"model.layers.2.mlp.down_proj": {"weights": "qint4", "activations": "none"},
               "model.layers.3.mlp.down_proj": {"weights": "qfloat8_e4m3fn", "activations": "qint8"}}  # fmt: skip
    found = settings_for({}, {"quanto_qmap.json": entries})
    assert sorted((what.bits or 0, what.activations or "", what.skipped, layers) for what, layers in found) == [
        (0, "", "", 6), (4, "", None, 1), (8, "input_scale", None, 1),
    ]  # fmt: skip


def test_groups_of_compressed_tensors() -> None:
    config, _, _ = checkpoint("ct-mixed-precision")
    [(mlp, _)] = settings_for(config)
    [(attention, _)] = settings_for(config, key="model.layers.#.self_attn.q_proj")
    assert (mlp.bits, mlp.group_size, mlp.variant) == (4, 128, "pack-quantized")
    assert (attention.bits, attention.strategy, attention.variant) == (8, "channel", "float-quantized")
    assert mlp.key("bits") == "quantization_config.config_groups.group_1.weights.num_bits"


def test_symmetry_determines_whether_zero_points_are_stored() -> None:
    config, _, _ = checkpoint("ct-w4-asym")
    assert settings_for(config)[0][0].zeros is True
    config, _, _ = checkpoint("ct_w4a16")
    assert settings_for(config)[0][0].zeros is False


def test_entries_that_cannot_be_read_are_reported() -> None:
    config = {"quantization_config": {"quant_method": "compressed-tensors", "ignore": ["re:(?<!a)b", "lm_head"]}}
    settings = settings_of(config)
    assert settings.unclear == ("re:(?<!a)b",)
    assert not settings.whole


ANYTHING: list[Any] = [
    None, 7, "gptq", [], {}, {"quant_method": 3}, {"quant_method": "gptq", "bits": {}},
    {"quant_method": "gptq", "dynamic": [1]}, {"quant_method": "awq", "version": 2},
    {"quant_method": "compressed-tensors", "config_groups": {"a": {"targets": 3}}},
]  # fmt: skip


@pytest.mark.parametrize("value", ANYTHING)
@pytest.mark.parametrize("key", ["quantization_config", "quantization", "compression_config"])
def test_any_value_is_read(key: str, value: object) -> None:
    settings_of({key: value}).for_family(KEY, LAYERS)


UNKNOWN: list[Writer] = [
    lambda o, i: {"weight": ("I32", [o, i // 8]), "weight_scale": ("BF16", [o, i // 64]), "table": ("U8", [3])},
    lambda o, i: {"weight": ("U8", [o, i // 3]), "weight_scale": ("BF16", [o, i // 64])},
    lambda o, i: {"packed": ("U8", [o, i // 2]), "table": ("F16", [16])},
    lambda o, i: {"qweight": ("I32", [i, o // 8]), "scales": ("F16", [i // 128, o]), "angles": ("F16", [8, i])},
]


@pytest.mark.parametrize("writer", UNKNOWN)
def test_an_unknown_method_leaves_its_modules_unchecked(writer: Writer) -> None:
    config, tensors = simple(LLAMA, writer, {"quant_method": "of-a-new-tool", "bits": 4})
    audited = judged({name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}, config)
    assert (audited.verdict, codes(audited)) == ("undecided", set())
    assert audited.counts.unexplained == 0
    plain = {name: entry for name, entry in tensors.items() if "layers.1.input_layernorm" not in name}
    lacking = judged({name: (dtype, tuple(shape)) for name, (dtype, shape) in plain.items()}, config)
    assert codes(lacking) == {"N403"}


@pytest.mark.parametrize(
    ("name", "vllm", "mlx"),
    [("gptq_4bit_g128_sym", "complete", "refuses"), ("hqq_4bit_g64", "unknown", "unknown"),
     ("bnb_nf4", "unknown", "unknown"), ("eetq", "unknown", "unknown"), ("mlx_4bit_g64", "unknown", "complete")],
)  # fmt: skip
def test_programs_read_the_methods_in_their_lists(name: str, vllm: str, mlx: str) -> None:
    found = {one.loader: one.outcome for one in in_folder(name).loads}
    assert (found["vllm"], found["mlx"]) == (vllm, mlx)
