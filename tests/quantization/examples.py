"""The example on the documentation page of each finding about quantization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import genuine
from tests.dialects import test_mlx_pairs
from tests.judged import judged
from tests.loads.damage import damaged, healthy, write
from tests.quantization.made_by_formula import LLAMA, awq, gptq, linears, rest
from tests.quantization.recorded import record
from tests.quantization.stored import Spec, audited, changed, checkpoint, original

INTEGER_INPUTS = {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True, "symmetric": True}
DOWN = "model.layers.1.mlp.down_proj"


def _scale_of_another_shape() -> Audit:
    return changed("gptq_4bit_g128_sym", put={f"{DOWN}.scales": ("F16", (5, 256))})


def _two_widths() -> Audit:
    return changed("mlx_4bit_g64", put={f"{DOWN}.{name}": ("BF16", (256, 11)) for name in ("scales", "biases")})


def _one_in_eight_bits() -> Audit:
    eight = gptq(8, 128)(256, 768)
    put: Spec = {f"{DOWN}.{suffix}": (dtype, tuple(shape)) for suffix, (dtype, shape) in eight.items()}
    return changed("gptq_4bit_g128_sym", put=put)


def _without_exceptions() -> Audit:
    config, spec, _ = checkpoint("gptq-dynamic")
    del config["quantization_config"]["dynamic"]
    return audited("gptq-dynamic", spec, config)


def _unknown() -> Audit:
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        spec[f"{module}.qweight"] = ("U8", (outputs, inputs // 2))
        spec[f"{module}.scales"] = ("BF16", (outputs, inputs // 16))
        spec[f"{module}.weight_global_scale"] = ("F32", (1,))
    return judged(spec, {**LLAMA, "quantization_config": {"quant_method": "fouroversix"}})


def _undecided() -> Audit:
    _, spec, _ = checkpoint("ct-w3-channel-odd")
    renamed = {name.replace("self_attn", "mixer").replace("mlp", "ffn"): entry for name, entry in spec.items()}
    return judged(renamed, None)


OF_INPUTS = {"input_quantizer._amax": ("F32", ())}
MODELOPT_STATES: dict[str, Callable[[int, int], dict[str, tuple[str, tuple[int, ...]]]]] = {
    "nvfp4": lambda outputs, inputs: {
        "weight": ("U8", (outputs, inputs // 2)), "weight_quantizer._scale": ("F8_E4M3", (outputs, inputs // 16)),
        "weight_quantizer._double_scale": ("F32", ()), **OF_INPUTS,
    },
    "fp8": lambda outputs, inputs: {
        "weight": ("F8_E4M3", (outputs, inputs)), "weight_quantizer._scale": ("F32", ()), **OF_INPUTS,
    },
    "int4": lambda outputs, inputs: {
        "weight": ("U8", (outputs, inputs // 2)), "weight_quantizer._scale": ("BF16", (outputs, inputs // 64)),
        "input_quantizer._pre_quant_scale": ("BF16", (inputs,)),
    },
    "calibrated": lambda outputs, inputs: {
        "weight": ("BF16", (outputs, inputs)), "weight_quantizer._amax": ("F32", (outputs, 1)), **OF_INPUTS,
    },
}  # fmt: skip
"""What ModelOpt keeps in the quantizers of a module before its export."""


def state_of_modelopt(kind: str, block: str | None, only: str = "") -> Audit:
    """A model in ModelOpt's own state. only: a part of the names of the modules; others are exported, in NVFP4."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        made = MODELOPT_STATES[kind](outputs, inputs)
        if only not in module:
            made = {"weight": made["weight"], "weight_scale": made["weight_quantizer._scale"],
                    "weight_scale_2": ("F32", ()), "input_scale": ("F32", ())}  # fmt: skip
        spec |= {f"{module}.{suffix}": one for suffix, one in made.items()}
    stated = {"quant_method": "modelopt", "quant_algo": block, "ignore": ["lm_head"]}
    return judged(spec, {**LLAMA, **({"quantization_config": stated} if block else {})})


WORDS, WIDTH = 320, 256
COPIES: dict[str, Spec] = {
    "quanto": {
        "lm_head.weight._data": ("I8", (WORDS, WIDTH)), "lm_head.weight._scale": ("BF16", (WORDS, 1)),
        "lm_head.input_scale": ("BF16", ()), "lm_head.output_scale": ("BF16", ()),
    },
    "gptq": {
        f"lm_head.{suffix}": (dtype, tuple(shape)) for suffix, (dtype, shape) in gptq(4, 128)(WORDS, WIDTH).items()
    },
}  # fmt: skip
"""A quantized head, as two programs write it."""


def tied_model(model_type: str) -> tuple[Spec, dict[str, Any]]:
    """(the tensors, the config) of a text model whose head is the embedding."""
    sizes = {"hidden_size": WIDTH, "intermediate_size": 384, "num_attention_heads": 4, "num_key_value_heads": 2,
             "num_hidden_layers": 3, "vocab_size": WORDS, "tie_word_embeddings": True}  # fmt: skip
    config = {"model_type": model_type, "architectures": [f"{model_type.capitalize()}ForCausalLM"], **sizes}
    return dict(genuine(config)), config


def renamed_block(name: str = "ct_w4a16") -> Audit:
    """A checkpoint with the settings under the key of the first releases of compressed-tensors."""
    config, spec, _ = checkpoint(name)
    config["compression_config"] = config.pop("quantization_config")
    with TemporaryDirectory() as place:
        return audit(str(write(healthy(spec, config), Path(place) / "model")))


def wrapper_left(name: str = "bnb_nf4", *modules: str) -> Audit:
    """A quantized checkpoint with the names of PEFT's wrapped modules and without an adapter. modules: the wrapped
    ones, empty for all that are quantized.
    """
    config, spec, _ = checkpoint(name)
    packed = modules or tuple(key.partition(".weight.absmax")[0] for key in spec if key.endswith(".weight.absmax"))
    starts = tuple(f"{one}." for one in packed)
    kept = {key: next((one for one in starts if key.startswith(one)), "") for key in spec}
    names = {key: f"{one}base_layer.{key.removeprefix(one)}" if one else key for key, one in kept.items()}
    with TemporaryDirectory() as place:
        return audit(str(write(healthy({names[key]: spec[key] for key in spec}, config), Path(place) / "model")))


def copy_left() -> Audit:
    """A tied model with the quantized head of another save."""
    spec, config = tied_model("llama")
    return judged({**spec, **COPIES["quanto"]}, config)


def _quantized_routers() -> Audit:
    config, spec, _ = checkpoint("gptq-4-moe")
    for router in [name for name in spec if name.endswith(".gate.weight")]:
        for suffix, (dtype, shape) in gptq(4, 128)(*spec.pop(router)[1]).items():
            spec[router.replace("weight", suffix)] = (dtype, tuple(shape))
    return judged(spec, config)


def _leftover_scales() -> Audit:
    put: Spec = {}
    for layer in range(2):
        put[f"model.layers.{layer}.mlp.experts.down_proj_scale_inv"] = ("F32", (6, 6, 4))
    return changed("fp8-block-64-moe", put=put)


def block_unstated(**stated: Any) -> Audit:
    """Fine-grained fp8 whose config does not state the block size, or states another one."""
    config, spec, _ = checkpoint("fp8_finegrained")
    del config["quantization_config"]["weight_block_size"]
    config["quantization_config"].update(stated)
    return audited("fp8_finegrained", spec, config)


def awq_of(inner: int, heads: int, *, layers: int = 80) -> Audit:
    """A full-size model in AWQ's groups of 128; inner: the inputs of its down projections."""
    block = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}
    config = LLAMA | {"hidden_size": 8192, "intermediate_size": inner, "num_attention_heads": heads, "head_dim": 128,
                      "num_key_value_heads": 8, "num_hidden_layers": layers, "vocab_size": 32000}  # fmt: skip
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(config, "F16")}
    for name, outputs, inputs in linears(config):
        for end, (dtype, shape) in awq(128)(outputs, inputs).items():
            spec[f"{name}.{end}"] = (dtype, tuple(shape))
    return judged(spec, config | {"quantization_config": block})


def parts_of(gate: int, up: int) -> Audit:
    """Llama in compressed-tensors with these bits of the gate and the up projection."""
    config, spec, _ = checkpoint("ct_w4a16")
    block = config["quantization_config"]
    group = block["config_groups"]["group_0"]
    for number, (part, bits) in enumerate((("gate_proj", gate), ("up_proj", up)), 1):
        own = {**group, "targets": [f"re:.*{part}$"], "weights": {**group["weights"], "num_bits": bits}}
        block["config_groups"][f"group_{number}"] = own
        for name in [one for one in spec if one.endswith(f"{part}.weight_packed")]:
            dtype, (rows, words) = spec[name]
            spec[name] = (dtype, (rows, words * bits // 4))
    group["targets"] = [r"re:.*(q|k|v|o|down)_proj$"]
    return audited("ct_w4a16", spec, config)


def turned(name: str, *modules: str) -> Audit:
    """A checkpoint in which the packed values of some modules are transposed."""
    config, spec, _ = checkpoint(name)
    for tensor in [one for one in spec if one.endswith(tuple(f"{module}.weight" for module in modules))]:
        spec[tensor] = (spec[tensor][0], spec[tensor][1][::-1])
    return audited(name, spec, config)


def _cache_scales() -> Audit:
    put: Spec = {}
    for layer in range(2):
        for name in ("k_scale", "v_scale"):
            put[f"model.layers.{layer}.self_attn.{name}"] = ("BF16", (1,))
    return changed("ct_fp8_dynamic", put=put)


def without_role(name: str, module: str, **settings: Any) -> Audit:
    """A checkpoint in which one module of every layer is not quantized."""
    config, spec, _ = checkpoint(name)
    config["quantization_config"].update(settings)
    plain: Spec = {f"{found}.weight": ("BF16", shape) for found, shape in _linears(name) if found.endswith(module)}
    kept = {tensor: entry for tensor, entry in spec.items() if f".{module}." not in tensor}
    return audited(name, {**kept, **plain}, config)


def without_index(name: str, **settings: Any) -> Audit:
    """A checkpoint of GPTQ without the group of each input."""
    config, spec, _ = checkpoint(name)
    config["quantization_config"].update(settings)
    return audited(name, {tensor: entry for tensor, entry in spec.items() if not tensor.endswith(".g_idx")}, config)


def tied(name: str, ignored: list[str]) -> Audit:
    """A checkpoint with a tied head. ignored: the config's list of modules that are not quantized."""
    config, spec, _ = checkpoint(name)
    config["quantization_config"]["ignore"] = ignored
    headless = {tensor: entry for tensor, entry in spec.items() if not tensor.startswith("lm_head.")}
    return audited(name, headless, {**config, "tie_word_embeddings": True})


def _linears(name: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(tensor.removesuffix(".weight"), shape) for tensor, shape in original(name).items()]


def first_layout(put: Spec | None = None, **settings: Any) -> Audit:
    """Llama in the first layout of GPTQ. settings: those of the quantization block, none without any."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, dtype, shape in rest(LLAMA)}
    for module, outputs, inputs in linears(LLAMA):
        spec[f"{module}.qweight"] = ("I32", (inputs // 8, outputs))
        spec |= {f"{module}.{helper}": ("F16", (outputs, 1)) for helper in ("scales", "zeros")}
        spec[f"{module}.bias"] = ("F16", (outputs,))
    block = {"quantization_config": {"quant_method": "gptq", **settings}} if settings else {}
    return judged({**spec, **(put or {})}, {**LLAMA, **block})


def without_format(name: str, **group: Any) -> Audit:
    """A compressed checkpoint whose group states no format. group: other settings of the group."""
    config, spec, _ = checkpoint(name)
    block = config["quantization_config"]
    block["quantization_status"] = "compressed"
    for each in block["config_groups"].values():
        each.pop("format", None)
        each.update(group)
    return audited(name, spec, config)


def in_folder(name: str, file: str = "model.safetensors", damages: Sequence[list[Any]] = ()) -> Audit:
    """A quantized checkpoint in a folder, under a file name and with damages."""
    config, spec, _ = checkpoint(name)
    with TemporaryDirectory() as place:
        return audit(str(write(damaged(healthy(spec, config, file), damages), Path(place) / "model")))


def stated_inside(part: str) -> Audit:
    """A quantized checkpoint whose block is in the config of a part. part: its key, empty for the top level."""
    found = record("awq_gemm_4bit_g128")
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in found["tensors"].items()}
    config = dict(found["config"])
    block = config.pop("quantization_config")
    inside = {"quantization_config": block}
    return judged(spec, {**config, **({part: inside} if part else inside)})


def not_found_by_vllm() -> Audit:
    """A quantized checkpoint in a folder with its block in the config of a part, for vLLM."""
    found = record("awq_gemm_4bit_g128")
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in found["tensors"].items()}
    config = dict(found["config"])
    config["llm_config"] = {"quantization_config": config.pop("quantization_config")}
    with TemporaryDirectory() as place:
        return judged_for(audit(str(write(healthy(spec, config), Path(place) / "model"))), "vllm")


EXAMPLES: dict[str, Callable[[], Audit]] = {
    "joined-apart": lambda: parts_of(4, 8),
    "packed-transposed": lambda: turned("modelopt_nvfp4", "_proj"),
    "packing-helper-missing": lambda: changed("gptq_4bit_g128_sym", f"{DOWN}.scales"),
    "packing-helper-differs": _scale_of_another_shape,
    "packed-values-retyped": lambda: changed("gptq_4bit_g128_sym", put={f"{DOWN}.qweight": ("I8", (96, 256))}),
    "packed-values-missing": lambda: changed("gptq_4bit_g128_sym", f"{DOWN}.qweight"),
    "packed-widths-disagree": _two_widths,
    "packing-config-disagrees": lambda: changed("gptq_4bit_g128_sym", group_size=64),
    "packing-config-unread": lambda: changed("bnb_nf4", bnb_4bit_quant_type="fp4"),
    "skipped-but-packed": lambda: changed("awq_gemm_4bit_g128", modules_to_not_convert=[DOWN]),
    "skip-entry-unread": lambda: changed("bnb_nf4", llm_int8_skip_modules=["mlp", "lm_head"]),
    "module-not-packed": lambda: changed("gptq_4bit_g128_sym", f"{DOWN}.", {f"{DOWN}.weight": ("BF16", (256, 768))}),
    "layers-not-packed": lambda: without_role("ct_fp8_dynamic", "down_proj"),
    "tied-head-not-excluded": lambda: tied("ct_w4a16", []),
    "packing-helper-orphaned": _leftover_scales,
    "expert-scales-stacked": lambda: changed("fp8_finegrained_mixtral"),
    "packing-unknown": _unknown,
    "packing-undecided": _undecided,
    "packed-otherwise": _one_in_eight_bits,
    "exceptions-lost": _without_exceptions,
    "quantized-where-plain-expected": _quantized_routers,
    "bias-from-packing": lambda: changed("gptq-4-biases"),
    "group-index-absent": lambda: without_index("gptq_4bit_g128_sym"),
    "cache-scales-stored": _cache_scales,
    "nothing-packed": lambda: changed("mlx-nothing"),
    "not-packed": lambda: judged(
        {name: ("BF16", tuple(shape)) for name, shape in record("gptq_4bit_g128_sym")["original"].items()},
        record("gptq_4bit_g128_sym")["config"],
    ),
    "quantization-block-missing": lambda: judged(
        {name: (dtype, tuple(shape)) for name, (dtype, shape) in record("gptq_4bit_g128_sym")["tensors"].items()},
        {key: value for key, value in record("gptq_4bit_g128_sym")["config"].items() if key != "quantization_config"},
    ),
    "quantized-copy-left": copy_left,
    "quantization-block-renamed": renamed_block,
    "packing-format-unstated": lambda: without_format("ct_w4a16", input_activations=INTEGER_INPUTS),
    "compressed-status": lambda: changed("ct_fp8_dynamic", quantization_status="frozen"),
    "sparse-compression": lambda: changed("ct-sparse"),
    "quantized-for-program": lambda: in_folder("exl3"),
    "quantization-stated-inside": lambda: stated_inside("llm_config"),
    "quantization-not-found": not_found_by_vllm,
    "block-size-unstated": block_unstated,
    "mlx-pair-disagrees": lambda: test_mlx_pairs.stated(test_mlx_pairs.LLAMA, (4, 64), (8, 32)),
    "groups-cut": lambda: awq_of(29568, 64),
    "tensor-entries-missing": lambda: in_folder("torchao_int8wo"),
    "packing-obsolete": lambda: first_layout(bits=4, group_size=-1),
    "state-of-modelopt": lambda: state_of_modelopt("nvfp4", "NVFP4"),
    "calibration-of-modelopt": lambda: state_of_modelopt("calibrated", None),
    "packing-entry-unclear": lambda: changed("ct_w4a16", ignore=["lm_head", "re:.*(?<!mlp.)gate"]),
}
