"""Quantized mixtures of experts in the layouts that their publishers use, built from recorded models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import write
from tests.judged import base_record, judged, spec_of
from tests.quantization.stored import Spec

Tensors = Iterator[tuple[str, tuple[str, tuple[int, ...]]]]
Writer = Callable[[str, tuple[int, ...]], Tensors]


def up(number: int, size: int) -> int:
    """The quotient, rounded up."""
    return -(-number // size)


def in_blocks(name: str, shape: tuple[int, ...]) -> Tensors:
    """DeepSeek V3, V3.1, V3.2 and Kimi K2: fp8 with a scale for each block of 128."""
    yield name, ("F8_E4M3", shape)
    yield f"{name}_scale_inv", ("F32", (up(shape[0], 128), up(shape[1], 128)))


def in_words(name: str, shape: tuple[int, ...]) -> Tensors:
    """Kimi K2 Thinking: compressed-tensors, four bits in groups of 32."""
    module = name.removesuffix("weight")
    yield f"{module}weight_packed", ("I32", (shape[0], up(shape[1], 8)))
    yield f"{module}weight_scale", ("BF16", (shape[0], up(shape[1], 32)))
    yield f"{module}weight_shape", ("I32", (2,))


def along_inputs(name: str, shape: tuple[int, ...]) -> Tensors:
    """NVIDIA's Llama 4 in NVFP4: stacked experts [E, in, out], packed along the inputs."""
    experts, inputs, outputs = shape
    yield name, ("U8", (experts, up(inputs, 2), outputs))
    yield f"{name}_weight_scale", ("F8_E4M3", (experts, up(inputs, 16), outputs))
    yield from ((f"{name}_{one}", ("F32", ())) for one in ("weight_scale_2", "input_scale"))


def apart(name: str, shape: tuple[int, ...]) -> Tensors:
    """Meta's Llama 4 Maverick in fp8: compressed-tensors, one matrix per expert."""
    experts, inputs, outputs = shape
    at, _, last = name.rpartition(".")
    parts = ("gate_proj", "up_proj") if last == "gate_up_proj" else (last,)
    for expert in range(experts):
        for part in parts:
            rows = outputs // len(parts)
            yield f"{at}.{expert}.{part}.weight", ("F8_E4M3", (rows, inputs))
            yield f"{at}.{expert}.{part}.weight_scale", ("BF16", (rows, 1))


def in_halves(name: str, shape: tuple[int, ...]) -> Tensors:
    """DeepSeek R1 and GLM in W4AFP8: experts of 4-bit integers in groups of 128 inputs, fp8 in blocks for the rest."""
    if ".experts." not in name:
        yield from in_blocks(name, shape)
        return
    yield name, ("I8", (shape[0], up(shape[1], 2)))
    yield f"{name}_scale_inv", ("BF16", (shape[0], up(shape[1], 128)))
    yield f"{name.removesuffix('weight')}input_scale", ("BF16", (1,))


def ternary(name: str, shape: tuple[int, ...]) -> Tensors:
    """Microsoft's BitNet: four ternary values in a byte, along the outputs."""
    yield name, ("U8", (up(shape[0], 4), shape[1]))
    yield f"{name}_scale", ("BF16", (1,))


def in_compute_order(name: str, shape: tuple[int, ...]) -> Tensors:
    """NVFP4 of gpt-oss: stacked experts in the order of the computation, [E, out, in]."""
    experts, inputs, outputs = shape
    yield name, ("U8", (experts, outputs, up(inputs, 2)))
    yield f"{name}_weight_scale", ("F8_E4M3", (experts, outputs, up(inputs, 16)))
    yield from ((f"{name}_{one}", ("F32", (experts,))) for one in ("weight_scale_2", "input_scale"))


def group(bits: int, kind: str, strategy: str, size: int | None = None) -> dict[str, Any]:
    """A group of compressed-tensors."""
    weights = {"num_bits": bits, "type": kind, "strategy": strategy, "group_size": size, "symmetric": True}
    return {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": None}}


FP8 = {"quant_method": "fp8", "activation_scheme": "dynamic", "fmt": "e4m3", "scale_fmt": "ue8m0",
       "weight_block_size": [128, 128]}  # fmt: skip
INT4 = {
    "quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": group(4, "int", "group", 32),
    "ignore": ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"],
}  # fmt: skip
CHANNEL = {
    "quant_method": "compressed-tensors", "format": "float-quantized", "config_groups": group(8, "float", "channel"),
    "ignore": ["re:.*lm_head", "re:.*self_attn", "re:.*router", "re:.*vision_model", "re:.*multi_modal_projector",
               "re:.*shared_expert", "re:.*feed_forward.gate_proj", "re:.*feed_forward.up_proj",
               "re:.*feed_forward.down_proj"],
}  # fmt: skip
NVFP4 = {
    "quant_method": "modelopt",
    "quant_algo": "NVFP4",
    "ignore": ["lm_head", "*self_attn*", "*router*", "*vision*"],
}
W4AFP8 = {"quant_method": "w4afp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
BITNET = {"quant_method": "bitnet", "linear_class": "autobitlinear", "quantization_mode": "offline"}
PLAIN = ("embed", "lm_head", "norm", "mlp.gate.", "weights_proj", "eh_proj", "shared_head")
STACKS = ("experts.gate_up_proj", "experts.down_proj")
LAYOUTS: Mapping[str, tuple[str, Writer, dict[str, Any], Callable[[str], bool]]] = {
    "DeepSeek V3.1": ("deepseek_v3", in_blocks, FP8, lambda name: not any(one in name for one in PLAIN)),
    "DeepSeek V3.2": ("deepseek_v32", in_blocks, FP8, lambda name: not any(one in name for one in PLAIN)),
    "Kimi K2 Thinking": ("deepseek_v3", in_words, INT4, lambda name: ".experts." in name),
    "Llama 4 Maverick": ("llama4", apart, CHANNEL, lambda name: ".experts." in name),
    "Llama 4 in NVFP4": ("llama4", along_inputs, NVFP4, lambda name: ".experts." in name),
    "gpt-oss in NVFP4": ("gpt_oss", in_compute_order, NVFP4, lambda name: name.endswith(STACKS)),
    "DeepSeek R1 in W4AFP8": ("deepseek_v3", in_halves, W4AFP8, lambda name: not any(one in name for one in PLAIN)),
    "GLM 4.5 in W4AFP8": ("glm4_moe", in_halves, W4AFP8, lambda name: not any(one in name for one in PLAIN)),
    "BitNet": ("bitnet", ternary, BITNET, lambda name: name.endswith("_proj.weight")),
}  # fmt: skip
"""Name -> model type, function that quantizes a weight, the block, and the quantized weights."""


OPEN = ("Kimi K2 Thinking",)
"""Layouts whose few inputs allow another number of bits if no block states it."""


def published(name: str) -> tuple[Spec, dict[str, Any], int]:
    """Tensors, config and the number of parameters of a layout."""
    model_type, writer, block, chosen = LAYOUTS[name]
    record = base_record(model_type, "CausalLM") if model_type != "llama4" else base_record(model_type, "Generation")
    spec: Spec = {}
    for key, (_, shape) in spec_of(record).items():
        matrix = len(shape) > 1 and chosen(key)
        spec.update(dict(writer(key, shape)) if matrix else {key: ("BF16", shape)})
    counted = judged(spec_of(record), record["config"]).counts.unique_parameters
    return spec, {**record["config"], "quantization_config": block}, counted


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_published_layout_is_exact(name: str) -> None:
    spec, config, parameters = published(name)
    audited = judged(spec, config)
    assert (audited.verdict, audited.counts.unexplained) == ("clean", 0), [*audited.findings]
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == parameters


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_damage_is_an_error(name: str) -> None:
    spec, config, _ = published(name)
    module = [key for key in spec if ("scale" in key or "packed" in key or spec[key][0] in ("F8_E4M3", "U8"))
              and ".1." in key][:4]  # fmt: skip
    plain = {key: value for key, value in config.items() if key != "quantization_config"}
    damages = [({other: entry for other, entry in spec.items() if other != key}, config) for key in module]
    damages += [({**spec, key: ("BOOL", spec[key][1])}, config) for key in module[:1]]
    damages += [(spec, plain)] if name not in OPEN else []
    for tensors, stated in damages:
        found = [one for one in judged(tensors, stated).findings if one.severity != "note"]
        assert 1 <= len(found) <= 2 and any(one.severity == "error" for one in found), found


def test_experts_apart_without_quantization_are_not_loaded(tmp_path: Path) -> None:
    """transformers builds separate experts only for compressed-tensors and bitsandbytes."""
    spec, config, _ = published("Llama 4 Maverick")
    plain = {key: ("BF16", shape) for key, (_, shape) in spec.items() if not key.endswith("_scale")}
    folder = write(tmp_path, plain, {key: one for key, one in config.items() if key != "quantization_config"})
    assert [one.code for one in audit(str(folder)).findings if one.severity == "error"] == ["N429"]


@pytest.mark.parametrize(("stated", "expected"), [(None, {"T610"}), ("static", {"T610"}), ("dynamic", set())])
@pytest.mark.parametrize("name", ["DeepSeek R1 in W4AFP8", "GLM 4.5 in W4AFP8"])
def test_experts_in_w4afp8_need_a_scale_of_their_inputs(name: str, stated: str | None, expected: set[str]) -> None:
    """Unless the config says that it is computed while the model runs."""
    spec, config, _ = published(name)
    without = {key: one for key, one in spec.items() if not key.endswith("input_scale")}
    block = {**config["quantization_config"], **({"moe_activation_scheme": stated} if stated else {})}
    found = judged(without, {**config, "quantization_config": block})
    assert {one.code for one in found.findings if one.severity != "note"} == expected
