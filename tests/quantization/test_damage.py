"""Each fault in a quantized checkpoint is one finding about the damaged module and tensor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout, lay_out
from tests.checkpoints import genuine
from tests.judged import judged
from tests.quantization.examples import EXAMPLES
from tests.quantization.made_by_formula import (
    LLAMA,
    Writer,
    awq,
    blocks,
    bnb4,
    bnb8,
    gptq,
    halves,
    hqq,
    linears,
    mlx,
    quark4,
    scaled,
    words,
)
from tests.quantization.recorded import variants
from tests.quantization.stored import (
    LEFTOVERS,
    PACKED,
    Spec,
    audited,
    bad,
    caused,
    changed,
    checkpoint,
    original,
    tool,
)
from tests.sampling import sampled

SCALES = ("scales", "weight_scale", "weight_scale_inv", "SCB", "weight.absmax", "scale", "_weight_scale",
          "weight._scale", "weight_scales", "q_scale", "codebooks", "suh", "centroids.weight")  # fmt: skip
ZEROS = ("qzeros", "weight_zero_point", "biases", "zero", "weight._shift")
VALUES = ("qweight", "weight_packed", "_weight_qdata", "W_q", "weight._data._data", "weight._data", "codes", "indices",
          "q_weight", "trellis", "dense_weights", "B", "dqweight", "weight")  # fmt: skip
VALUES_ALONE = ("weight.compressed", "compressed", *VALUES)
MODULE = "model.layers.1.self_attn.o_proj"


def suffix_of(name: str, wanted: tuple[str, ...], module: str = MODULE) -> str:
    spec = checkpoint(name)[1]
    found = [suffix for suffix in wanted if f"{module}.{suffix}" in spec]
    if not found:
        pytest.skip("the scheme has none")
    return found[0]


@pytest.mark.thinned
@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("kind", ["scale", "zero"])
def test_a_lost_helper_is_one_finding_with_its_module(name: str, kind: str) -> None:
    suffix = suffix_of(name, SCALES if kind == "scale" else ZEROS)
    result = changed(name, drop=f"{MODULE}.{suffix}")
    assert caused(name, result) == ["T610"]
    assert result.findings[0].place.tensor == f"{MODULE}.{suffix}"
    assert result.findings[0].help
    assert result.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.thinned
@pytest.mark.parametrize("name", PACKED)
def test_lost_values_are_one_finding_and_not_a_missing_tensor(name: str) -> None:
    suffix = suffix_of(name, VALUES)
    result = changed(name, drop=f"{MODULE}.{suffix}")
    assert caused(name, result) == ["T612"], [finding.message for finding in result.findings]
    assert [one.place.tensor for one in result.findings if one.code == "T612"] == [f"{MODULE}.{suffix}"]


ALONE = ["mlx_4bit_g64", "mlx_mxfp4", "gptq_4bit_g128_sym", "awq_gemm_4bit_g128", "bnb_nf4", "bnb_int8",
         "ct_fp8_dynamic", "fp8_finegrained", "quanto_int4", "torchao_f8wo", "quark_int4_g128",
         "modelopt_nvfp4", "vptq", "spqr", "exl3", "gptq-qqq", "torchao-tiles"]  # fmt: skip
"""Checkpoints in which no similar module shows how a module is quantized."""


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("module", ["lm_head", "mlp.down_proj"])
def test_lost_values_of_all_modules_of_a_family_are_one_finding(name: str, module: str) -> None:
    config, spec, parameters = checkpoint(name)
    lost = [key for key in spec if any(key.endswith(f"{module}.{suffix}") for suffix in VALUES)]
    if module == "lm_head" and len([key for key in spec if "lm_head." in key]) < 2:
        pytest.skip("it is not quantized")
    result = audited(name, {key: entry for key, entry in spec.items() if key not in lost}, config)
    assert bad(result) == ["T612"] * len(bad(result)), [finding.message for finding in result.findings]
    assert result.counts.expected_parameters == parameters


def test_scales_of_a_weight_that_the_model_does_not_have_are_left_over() -> None:
    put: Spec = {"model.layers.0.mlp.extra_proj.weight_scale": ("BF16", (768, 1))}
    assert bad(changed("ct_fp8_dynamic", put=put)) == ["T617"]


@pytest.mark.parametrize("name", ["mlx_4bit_g64", "mlx_mxfp4"])
def test_values_of_a_head_that_are_transposed_are_one_finding(name: str) -> None:
    dtype, (rows, columns) = checkpoint(name)[1]["lm_head.weight"]
    assert bad(changed(name, put={"lm_head.weight": (dtype, (columns, rows))})) == ["D501"]


@pytest.mark.parametrize(
    ("name", "matrix"),
    [("bnb_nf4_mixtral", "block_sparse_moe.experts.0.w1"), ("fp8_finegrained_mixtral", "block_sparse_moe.gate"),
     ("bnb_int8", "mlp.down_proj")],
)  # fmt: skip
def test_a_plain_matrix_stored_as_integers_is_not_quantized(name: str, matrix: str) -> None:
    """The same matrix of the other layers is not quantized, so this one is not either."""
    config, spec, _ = checkpoint(name)
    weight = f"model.layers.1.{matrix}.weight"
    shape = original(name)[weight] if name == "bnb_int8" else spec[weight][1]
    if name == "bnb_int8":
        config["quantization_config"]["llm_int8_skip_modules"] = ["down_proj", "lm_head"]
        spec = {key: entry for key, entry in spec.items() if "down_proj" not in key}
        spec |= {f"model.layers.{layer}.{matrix}.weight": ("BF16", shape) for layer in range(2)}
    assert bad(audited(name, {**spec, weight: ("I8", shape)}, config)) == ["T603"]


@pytest.mark.parametrize(
    ("name", "suffix", "dtype"),
    [("hqq_4bit_g64", "zero", "I32"), ("bnb_nf4", "weight.quant_state.bitsandbytes__nf4", "I64"),
     ("gptq_4bit_g128_sym", "g_idx", "BOOL"), ("ct-w4-asym", "weight_zero_point", "BOOL"),
     ("mlx_mxfp4", "scales", "F32"), ("ct_nvfp4a16", "weight_scale", "F32"),
     ("modelopt_nvfp4", "weight_scale", "BOOL")],
)  # fmt: skip
def test_a_helper_of_another_dtype_is_one_finding(name: str, suffix: str, dtype: str) -> None:
    key = f"{MODULE}.{suffix}"
    result = changed(name, put={key: (dtype, checkpoint(name)[1][key][1])})
    assert bad(result) == ["T611"], [finding.message for finding in result.findings]


def test_one_transposed_expert_does_not_decide_the_bits_of_all() -> None:
    """Half of its width, and of the width of each other module, is a width of the model too."""
    one = variants()["ct_w4a16_experts"]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}
    key = "model.layers.1.mlp.experts.0.down_proj.weight_packed"
    result = judged({**spec, key: ("I32", spec[key][1][::-1])}, one["config"])
    assert bad(result) == ["D501"], [finding.message for finding in result.findings]


def test_square_values_of_auto_round_that_are_transposed_are_wrong_and_not_its_packing_format() -> None:
    key = "model.layers.1.self_attn.q_proj.qweight"
    dtype, shape = checkpoint("autoround_4bit_g128_sym")[1][key]
    assert bad(changed("autoround_4bit_g128_sym", put={key: (dtype, shape[::-1])})) == ["T620"]


GEMMA = [
    ("gemma_4", "mlp.down_proj.weight_scale", "T610"), ("gemma_4", "mlp.down_proj.weight", "T612"),
    ("gemma_8", "mlp.down_proj.input_activation_scale", "T610"), ("gemma_2_mixed", "self_attn.q_proj.weight", "T612"),
    ("gemma_4_embedding", "embed_tokens.embedding_scale", "T610"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lost", "expected"), GEMMA)
def test_what_gemma_in_integers_lacks_is_one_finding(name: str, lost: str, expected: str) -> None:
    one = variants()[name]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}
    del spec[next(key for key in spec if key.endswith(lost))]
    result = judged(spec, one["config"])
    assert bad(result) == [expected], [finding.message for finding in result.findings]
    assert result.counts.expected_parameters == one["parameters"]


BY_TENSORS = ("mlx", "torchao", "quip")
"""Tools whose loaders determine from the tensors of a module, not from the config, whether it is quantized; and one
whose config has no block that lists modules.
"""


@pytest.mark.thinned
@pytest.mark.parametrize("name", PACKED)
def test_a_module_left_dense_is_reported_unless_declared(name: str) -> None:
    rows = original(name)[f"{MODULE}.weight"]
    result = changed(name, drop=f"{MODULE}.", put={f"{MODULE}.weight": ("BF16", rows)})
    listed = name == "mlx_mixed_3_6"  # with settings for each module
    expected = [] if tool(name) in BY_TENSORS and not listed else ["T616"]
    assert caused(name, result) == expected, [finding.message for finding in result.findings]
    assert result.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.thinned
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
        result = changed(name, put={f"{module}.{suffix}": (dtype, other)})
        assert len(caused(name, result)) == 1, (other, [finding.message for finding in result.findings])
        assert set(caused(name, result)) <= {"T611", "T613", "T620"}
        assert result.counts.unique_parameters == checkpoint(name)[2]


NOT_IN_HEADERS = {
    "spqr": "values and outliers are lists of any length",
    "exl2": "every group has bits of its own, which are values",
    "exl3": "bits differ by module, and sizes are padded to 128",
    "quip": "the packing of the indices depends on codebook and version",
    "vptq": "the length of a vector is no dim of any tensor",
    "ct-sparse": "as many values as are not zero",
    "ct-w3-channel-odd": "one word more is the old packing of the same width",
    "ct-w6-old-channel-odd": "one word less is between the dense and the old packing of the same width",
}
"""Checkpoints whose headers allow other packed values -> why."""


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled([name for name in PACKED if name not in NOT_IN_HEADERS], 5, tool))
@pytest.mark.parametrize("module", ["o_proj", "k_proj"])
def test_packed_values_of_another_shape_are_one_finding(name: str, module: str) -> None:
    """The finding is about the values; the scales, which do not fit them, are right."""
    at = f"model.layers.1.self_attn.{module}"
    suffix = suffix_of(name, VALUES_ALONE, at)
    dtype, shape = checkpoint(name)[1][f"{at}.{suffix}"]
    for axis, dim in enumerate(shape):
        for other in {dim + 1, dim - 1, 2 * dim, dim // 2} - {0}:
            result = changed(name, put={f"{at}.{suffix}": (dtype, (*shape[:axis], other, *shape[axis + 1 :]))})
            found = [finding for finding in result.findings if finding.code in caused(name, result)]
            assert len(found) == 1, (axis, other, [finding.message for finding in result.findings])
            assert found[0].code in {"D501", "T611", "T613", "T614", "T620"}
            assert at in found[0].message


OTHER_WRITERS: list[tuple[str, Writer]] = [
    ("gptq_4bit_g128_sym", gptq(8, 128)),
    ("gptq_4bit_g128_sym", gptq(4, 64)),
    ("gptq_4bit_g128_sym", awq(128)),
    ("awq_gemm_4bit_g128", gptq(4, 128)),
    ("awq_gemm_4bit_g128", awq(64)),
    ("ct_w4a16", words(8, 128)),
    ("ct_w4a16", scaled("F8_E4M3", lambda o, i: ("BF16", [o, 1]))),
    ("mlx_4bit_g64", mlx(8, 64)),
    ("mlx_4bit_g64", mlx(4, 32)),
    ("quark_int4_g128", quark4(64)),
    ("fp8_finegrained", scaled("F8_E4M3", blocks(64), suffix="weight_scale_inv")),
    ("ct_fp8_dynamic", scaled("F8_E4M3", blocks(128))),
    ("bnb_nf4", bnb8),
    ("bnb_nf4", bnb4("fp4", False)),
    ("bnb_nf4", bnb4("nf4", True)),
    ("hqq_4bit_g64", hqq(8, 64, 1)),
    ("modelopt_nvfp4", halves(32, "U8", {})),
]


@pytest.mark.parametrize(("name", "writer"), OTHER_WRITERS)
def test_a_module_packed_differently_is_one_finding(name: str, writer: Writer) -> None:
    written = writer(*original(name)[f"{MODULE}.weight"])
    put: Spec = {f"{MODULE}.{suffix}": (dtype, tuple(shape)) for suffix, (dtype, shape) in written.items()}
    result = changed(name, drop=f"{MODULE}.", put=put)
    unread = f"{MODULE}.weight.absmax" in put  # the quantization state states how the module is quantized
    assert bad(result) == ["T642" if unread else "T620"], [finding.message for finding in result.findings]
    assert any(name.startswith(MODULE) for name in result.findings[0].facts["names"])
    assert result.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize(("name", "longer"), [("bnb_nf4", 0), ("bnb_nf4", 1), ("bnb_nf4_double", 0)])
@pytest.mark.parametrize("modules", ["layers.1.self_attn.o_proj", "layers."])
def test_scales_of_other_blocks_than_in_the_other_modules(name: str, longer: int, modules: str) -> None:
    """transformers 5.23 loads them, and the first forward pass fails. A state with `128` is one byte longer."""
    config, spec, _ = checkpoint(name)
    put: Spec = {}
    for key in [key for key in spec if modules in key and key.endswith("weight.absmax")]:
        dtype, (blocks,) = spec[key]
        put[key] = (dtype, (blocks // 2,))
        nested, state = key.replace("absmax", "nested_absmax"), key.replace("absmax", "quant_state.bitsandbytes__nf4")
        if nested in spec:
            put[nested] = ("F32", (-(-(blocks // 2) // 256),))
        put[state] = ("U8", (spec[state][1][0] + longer,))
    few = modules != "layers."
    assert bad(audited(name, {**spec, **put}, config)) == (["T611"] if few and not longer else [])


@pytest.mark.thinned
@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("dtype", ["BOOL", "I32", "I8"])
def test_values_of_another_dtype_are_one_finding(name: str, dtype: str) -> None:
    suffix = suffix_of(name, VALUES_ALONE)
    stored, shape = checkpoint(name)[1][f"{MODULE}.{suffix}"]
    if stored == dtype:
        pytest.skip("it is their dtype")
    result = changed(name, put={f"{MODULE}.{suffix}": (dtype, shape)})
    assert caused(name, result) in (["T632"], ["T614"]), [finding.message for finding in result.findings]
    assert result.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize("name", ["hqq_3bit_g64", "quanto_int8", "torchao_f8wo", "gptq_4bit_g128_sym"])
def test_values_of_another_dtype_in_all_modules_are_not_taken_for_another_scheme(name: str) -> None:
    config, spec, _ = checkpoint(name)
    suffix = suffix_of(name, VALUES_ALONE)
    put = {key: ("BOOL", entry[1]) for key, entry in spec.items() if key.endswith(f".{suffix}") and "layers" in key}
    assert bad(audited(name, {**spec, **put}, config)) == ["T632"]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("modelopt_nvfp4", "input_scale"), ("gptq_4bit_g128_sym", "g_idx"), ("ct-w4-asym", "weight_zero_point"),
     ("quark_fp8", "input_scale"), ("torchao_int8wo", "_weight_zero_point"), ("fp8-static", "activation_scale")],
)  # fmt: skip
def test_a_helper_that_one_module_of_a_single_layer_lacks(name: str, suffix: str) -> None:
    config, spec, _ = checkpoint(name)
    config["num_hidden_layers"] = 1
    spec = {key: entry for key, entry in spec.items() if ".layers." not in key or ".layers.0." in key}
    lost = next(key for key in spec if key.endswith((f"up_proj.{suffix}", f"q_proj.{suffix}")))
    assert bad(audited(name, spec, config)) == []
    assert bad(audited(name, {key: entry for key, entry in spec.items() if key != lost}, config)) == ["T610"]


def layout_of(entry: tuple[str, tuple[int, ...]]) -> Layout:
    made = lay_out(*entry)
    assert isinstance(made, Layout)
    return made


def part_of(name: str, lost: Callable[[str], bool], *, named: bool = False) -> Audit:
    """The audit of a fixture of which one shard was unreadable, or only one shard was given. named: the latter."""
    config, spec, _ = checkpoint(name)
    tensors = {tensor: layout_of(entry) for tensor, entry in spec.items() if not lost(tensor)}
    unread = tuple(tensor for tensor in spec if lost(tensor))
    read = Config("config.json", config, "config")
    losses = {} if named else {"model-00002-of-00002.safetensors": unread}
    made = Checkpoint("test", "test", read, tensors=tensors, lost=losses, partial=named, readable=True)
    return audit_loaded(made)


@pytest.mark.thinned
@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("named", [False, True])
def test_tensors_of_an_unread_shard_are_not_reported(name: str, named: bool) -> None:
    names = sorted(checkpoint(name)[1])
    unread = set(names[::2])
    result = part_of(name, unread.__contains__, named=named)
    reported = {code for code in bad(result) if code.startswith("T61") or code == "N403"}
    assert reported <= set(LEFTOVERS.get(name, ()))


def test_kv_cache_scales_are_not_parameters() -> None:
    result = EXAMPLES["cache-scales-stored"]()
    assert bad(result) == []
    assert result.counts.unique_parameters == checkpoint("ct_fp8_dynamic")[2]


def test_values_stored_twice_count_once() -> None:
    result = changed("gptq_4bit_g128_sym", put={f"{MODULE}.weight": ("BF16", (256, 256))})
    assert bad(result) == ["T617"]
    assert result.counts.unique_parameters == checkpoint("gptq_4bit_g128_sym")[2]


def test_a_packing_of_another_kind_is_counted_as_stored() -> None:
    result = EXAMPLES["packing-unknown"]()
    assert [finding.code for finding in result.findings] == ["T618"]
    stored = sum(outputs * inputs // 2 for _, outputs, inputs in linears(LLAMA))
    assert result.counts.packed_elements == stored


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("fp8-fused-experts", "gate_up_proj_scale_inv"), ("modelopt-w4a8", "weight_scale_2"), ("hqq_4bit_g64", "shape"),
     ("hqq_4bit_g64", "compute_dtype"), ("hqq_3bit_g64", "unpack_view_dtype"), ("hqq-1", "stores_quant_config"),
     ("vptq-stated", "perm"), ("vptq-stated-outliers", "outlier_indices"), ("vptq-stated-unpacked", "res_indices")],
)  # fmt: skip
def test_a_helper_lost_everywhere_is_missing(name: str, suffix: str) -> None:
    config, spec, parameters = checkpoint(name)
    lost = [tensor for tensor in spec if tensor.endswith(suffix)]
    result = audited(name, {tensor: entry for tensor, entry in spec.items() if tensor not in lost}, config)
    missed = [finding for finding in result.findings if finding.severity != "note"]
    assert {finding.code for finding in missed} == {"T610"}
    assert sum(int(str(finding.facts["modules"])) for finding in missed) == len(lost)
    assert result.counts.unique_parameters == parameters


def test_scales_of_values_with_a_wrong_shape_are_not_reported_too() -> None:
    config = {"architectures": ["OpenELMForCausalLM"], "model_type": "openelm", "vocab_size": 512, "model_dim": 256,
              "num_transformer_layers": 6, "head_dim": 64, "num_query_heads": [4] * 6, "num_kv_heads": [4] * 6,
              "ffn_multipliers": [2.0] * 3 + [4.0] * 3, "ffn_dim_divisor": 128, "normalize_qk_projections": False,
              "share_input_output_layers": True, "ffn_with_glu": True,
              "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}  # fmt: skip
    listing: Spec = {}
    for name, (dtype, shape) in dict(genuine(config)).items():
        quantized = ".attn." in name or ".ffn." in name
        listing[name] = ("F8_E4M3" if quantized else dtype, shape)
        if quantized:
            listing[f"{name}_scale_inv"] = ("F32", tuple(dim // 128 for dim in shape))
    damaged, whole = "transformer.layers.3.ffn.proj_2.weight", "transformer.layers.2.ffn.proj_2.weight"
    listing |= {damaged: listing[whole]}  # as layer 2 has it, which is narrower
    listing |= {f"{name}_scale_inv": ("F32", (3, 7)) for name in (damaged, whole)}
    found = {finding.code: finding for finding in judged(listing, config).findings if finding.severity == "error"}
    assert found.keys() == {"D501", "T611"}
    assert (found["D501"].title, found["T611"].title) == (damaged, f"{whole}_scale_inv")


INTEGER_ZEROS = [name for name in PACKED if any(
    f"{MODULE}.{suffix}" in checkpoint(name)[1] and checkpoint(name)[1][f"{MODULE}.{suffix}"][0] == "I32"
    for suffix in ("qzeros", "weight_zero_point")
)]  # fmt: skip


@pytest.mark.parametrize("name", INTEGER_ZEROS)
def test_packed_zero_points_stored_as_floats_are_an_error(name: str) -> None:
    suffix = suffix_of(name, ("qzeros", "weight_zero_point"))
    result = changed(name, put={f"{MODULE}.{suffix}": ("BF16", checkpoint(name)[1][f"{MODULE}.{suffix}"][1])})
    assert caused(name, result) == ["T611"], [finding.message for finding in result.findings]
    assert result.counts.unique_parameters == checkpoint(name)[2]


@pytest.mark.parametrize(
    ("name", "lost"),
    [("bnb_int8_bert", "SCB"), ("bnb_nf4_deepseek_v3", "weight.absmax"), ("tao_intx4_g32", "_weight_scale")],
)
def test_a_helper_lost_in_all_modules_is_one_finding_wherever_they_are(name: str, lost: str) -> None:
    one = variants()[name]
    spec = {
        key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items() if not key.endswith(f".{lost}")
    }
    assert bad(judged(spec, one["config"])) == ["T610"]


def test_scales_of_groups_with_a_wrong_shape_leave_their_zero_points_right() -> None:
    one = variants()["tao_intx4_g32"]
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in one["tensors"].items()}
    key = next(key for key in spec if key.endswith("._weight_scale"))
    rows, groups = spec[key][1]
    assert bad(judged({**spec, key: (spec[key][0], (rows + 1, groups))}, one["config"])) == ["T611"]


@pytest.mark.parametrize(("layers", "expected"), [((0,), "T620"), ((0, 1), "T614")])
def test_half_of_the_modules_in_another_run_are_wrong_and_not_the_config(
    layers: tuple[int, ...], expected: str
) -> None:
    name = "gptq_4bit_g128_sym"
    put: Spec = {}
    for weight, shape in original(name).items():
        if weight.startswith(tuple(f"model.layers.{layer}." for layer in layers)) and "proj" in weight:
            for suffix, (dtype, dims) in gptq(4, 64)(*shape).items():
                put[f"{weight.removesuffix('weight')}{suffix}"] = (dtype, tuple(dims))
    result = changed(name, put=put)
    assert bad(result) == [expected], [finding.message for finding in result.findings]
