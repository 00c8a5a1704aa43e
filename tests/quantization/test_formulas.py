"""Compares each formula with a listing that the tool, or its layer class, made."""

from __future__ import annotations

import pytest

from tests.quantization import made_by_formula as formula
from tests.quantization.made_by_formula import Tensors, Writer
from tests.quantization.recorded import RECORDED, layers, record

F32_SCALARS = {"weight_scale_2": formula.SCALAR}
FP8_ROWS = formula.scaled("F8_E4M3", lambda o, i: ("BF16", [o, 1]))

CHECKPOINTS: dict[str, Writer] = {
    "autoround_4bit_g128_sym": formula.gptq(4, 128, order=False),
    "autoround_fp8_block": formula.scaled("F8_E4M3", formula.blocks(128, "BF16"), suffix="weight_scale_inv"),
    "autoround_mxfp4": formula.ct_halves(32, "U8", {}),
    "awq_gemm_4bit_g128": formula.awq(128),
    "bnb_int8": formula.bnb8,
    "bnb_nf4": formula.bnb4("nf4", nested=False),
    "bnb_nf4_double": formula.bnb4("nf4", nested=True),
    "bnb_nf4_odd": formula.bnb4("nf4", nested=True),
    "ct_fp8_block": formula.scaled("F8_E4M3", formula.blocks(128, "BF16")),
    "ct_fp8_dynamic": FP8_ROWS,
    "ct_mxfp4a16": formula.ct_halves(32, "U8", {}),
    "ct_nvfp4a16": formula.ct_halves(16, "F8_E4M3", {"weight_global_scale": ("F32", [1])}),
    "ct_w3a16": formula.words(3, 128),
    "ct_w4_channel_asym": formula.words(4, -1, zeros=True),
    "ct_w4a16": formula.words(4, 128),
    "ct_w8a8": formula.scaled("I8", lambda o, i: ("BF16", [o, 1])),
    "fp8_finegrained": formula.scaled("F8_E4M3", formula.blocks(128), suffix="weight_scale_inv"),
    "gptq_3bit_g64": formula.gptq(3, 64),
    "gptq_4bit_g128_sym": formula.gptq(4, 128),
    "gptq_4bit_odd": formula.gptq(4, 8),
    "hqq_3bit_g64": formula.hqq(3, 64, 1),
    "hqq_4bit_g64": formula.hqq(4, 64, 1),
    "hqq_4bit_g64_axis0": formula.hqq(4, 64, 0),
    "mlx_3bit_g64": formula.mlx(3, 64),
    "mlx_4bit_g64": formula.mlx(4, 64),
    "mlx_mxfp4": formula.mlx(4, 32, "mxfp4"),
    "mlx_nvfp4": formula.mlx(4, 16, "nvfp4"),
    "modelopt_fp8": formula.scaled("F8_E4M3", lambda o, i: formula.SCALAR, {"input_scale": formula.SCALAR}),
    "modelopt_int4_awq": formula.int4_awq(eight=False),
    "modelopt_mxfp8": formula.scaled("F8_E4M3", lambda o, i: ("U8", [o, i // 32])),
    "modelopt_nvfp4": formula.halves(16, "F8_E4M3", {**F32_SCALARS, "input_scale": formula.SCALAR}),
    "quanto_float8": formula.quanto(8),
    "quanto_int2": formula.quanto(2),
    "quanto_int4": formula.quanto(4),
    "quanto_int8": formula.quanto(8),
    "quark_fp8": formula.scaled("F8_E4M3", lambda o, i: ("BF16", []), {"input_scale": ("BF16", [])}),
    "quark_int4_g128": formula.quark4(128),
    "quark_mxfp4": formula.halves(32, "U8", {}),
    **{f"sinq_{bits}bit_g64": formula.sinq(bits, 64) for bits in (3, 4, 8)},
    "torchao_f8wo": formula.torchao("F8_E4M3", zero=False),
    "torchao_int8wo": formula.torchao("I8", zero=True),
    "torchao_intx_int4": formula.torchao("I8", zero=True, scale="BF16"),
}
LAYERS: dict[str, Writer] = {
    "aqlm_1x16": formula.aqlm(1, 16, 1, 8),
    "aqlm_2x8": formula.aqlm(2, 8, 1, 8),
    "awq_gemv_fast_g128": formula.gemv_fast(128),
    "awq_gemv_fast_g64": formula.gemv_fast(64),
    "awq_gemv_g128": formula.gemv(128),
    "awq_gemv_g64": formula.gemv(64),
    "bitnet_bitlinear": formula.bitnet,
    **{f"ct_0.9.4_pack_{bits}bit": formula.words(bits, -1, old=True) for bits in (2, 3, 4, 5, 6, 8)},
    "ct_0.9.4_sparse_24": formula.two_of_four,
    "ct_0.9.4_sparse_bitmask": formula.bitmask,
    "eetq_linear": formula.eetq,
    "fbgemm_linear": formula.scaled("F8_E4M3", lambda o, i: ("F32", [o, 1])),
    "higgs_2bit": formula.higgs(2),
    "higgs_3bit": formula.higgs(3),
    "higgs_4bit": formula.higgs(4),
    "vptq_v8_k65536_256": formula.vptq(8, 65536, 256),
}
DIFFERENT = {
    "bnb_nf4_mixtral": "as bnb_nf4, on a mixture of experts",
    "fp8_finegrained_mixtral": "as fp8_finegrained, on a mixture of experts",
    "mlx_4bit_mixtral": "as mlx_4bit_g64, with stacked experts",
    "mlx_mixed_3_6": "as mlx_3bit_g64, with other bits in some modules",
    "mlx_bf16": "not quantized",
    "bitnet_autobitlinear": "not packed: a scale in addition to the weight",
}
"""Records without their own writer -> why."""
VALUES_OF_ANY_DTYPE = {"quanto_float8": "weight._data", "ct_0.9.4_sparse_24": "compressed",
                       "ct_0.9.4_sparse_bitmask": "weight.compressed"}  # fmt: skip
"""Values that keep the dtype of the tool's input, which is not the formula's."""
FOLDED = "pre_quant_scale"
"""Stored where ModelOpt could not fold it into the norm before the module."""
STATE = "weight.quant_state.bitsandbytes__nf4"
"""JSON in bytes, as long as its text."""


def shapes(tensors: Tensors, name: str) -> Tensors:
    """A listing without sizes that depend on the data: the length of a text, the number of nonzero values."""
    found: Tensors = {}
    for suffix, (dtype, shape) in tensors.items():
        if suffix == STATE:
            shape = []
        if suffix == VALUES_OF_ANY_DTYPE.get(name):
            dtype = "any"
            shape = shape if len(shape) > 1 else []
        found[suffix] = (dtype, list(shape))
    return found


def test_every_record_is_compared() -> None:
    assert {*CHECKPOINTS, *LAYERS, *DIFFERENT} == {*RECORDED, *layers()}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_writer_stores_what_the_tool_stored(name: str) -> None:
    found = record(name)
    modules: dict[str, Tensors] = {}
    for tensor, (dtype, shape) in found["tensors"].items():
        module = next((m for m in found["original"] if tensor.startswith(m.removesuffix("weight"))), None)
        assert module is not None, tensor
        modules.setdefault(module, {})[tensor.removeprefix(module.removesuffix("weight"))] = (dtype, shape)
    packed = {module: tensors for module, tensors in modules.items() if set(tensors) != {"weight"}}
    assert packed
    for module, tensors in packed.items():
        outputs, inputs = found["original"][module]
        written = CHECKPOINTS[name](outputs, inputs)
        if FOLDED not in tensors:
            written.pop(FOLDED, None)
        assert shapes(tensors, name) == shapes(written, name), module


@pytest.mark.parametrize("name", LAYERS)
def test_a_writer_stores_what_the_layer_holds(name: str) -> None:
    found = layers()[name]
    written = shapes(LAYERS[name](*found["weight"]), name)
    stored = shapes({suffix: (dtype, shape) for suffix, (dtype, shape) in found["tensors"].items()}, name)
    if found["class"].startswith("functions"):  # they return only the values, without the scales
        written = {suffix: entry for suffix, entry in written.items() if suffix in stored}
    assert written == stored
