"""Undamaged quantized checkpoints: exact counts with a config and without, and the original shape of every weight."""

from __future__ import annotations

from math import prod

import pytest

from inspector.loader.layout import Layout, lay_out
from inspector.matcher.families import families_of
from inspector.quantization.missing_block import READ_BESIDE
from inspector.quantization.read_settings import settings_of
from inspector.quantization.unpacking import unpack
from tests.judged import judged
from tests.quantization.examples import in_folder
from tests.quantization.recorded import RECORDED, record, variants
from tests.quantization.stored import (
    LEFTOVERS,
    NAMES,
    Spec,
    audited,
    bad,
    checkpoint,
    original,
    tool,
    unquantized,
)
from tests.sampling import sampled

OPEN_ALONE = {
    "torchao-tiles": "no header states how much is padding",
    "hqq_4bit_g64_axis0": "along axis 0 the rows may hold any number of bits",
    "hqq-3-axis0": "along axis 0 the rows may hold any number of bits",
    "vptq-stated-outliers": "the length of a vector is no dim of any tensor",
}
"""Records whose headers alone do not determine the number of parameters -> why; their verdict is undecided."""
NO_CONFIG = [name for name in NAMES if name not in OPEN_ALONE and name != "gptq-4-biases"]
"""Without a config a bias of zeros cannot be distinguished from a real one."""
RENAMED = {"mlx_4bit_mixtral"}
"""Records whose tool stores the weights under other names, stacked."""


def layouts(spec: Spec) -> dict[str, Layout]:
    """Name -> layout."""
    made = {name: lay_out(*entry) for name, entry in spec.items()}
    assert all(isinstance(layout, Layout) for layout in made.values())
    return made  # type: ignore[return-value]


@pytest.mark.parametrize("name", NAMES)
def test_the_count_is_exact_and_nothing_is_unexplained(name: str) -> None:
    _, spec, parameters = checkpoint(name)
    result = audited(name)
    counts = result.counts
    assert bad(result) == LEFTOVERS.get(name, []), [finding.message for finding in result.findings]
    assert counts.unique_parameters == counts.expected_parameters == parameters
    assert counts.unexplained == 0
    plain = sum(line.elements for line in result.lines if line.kind == "parameter" and line.packed is None)
    assert counts.stored_elements == plain + counts.packed_elements + counts.packing_helpers
    assert counts.stored_elements == sum(prod(shape) for _, shape in spec.values())
    assert counts.stored_bytes == sum(layout.bytes for layout in layouts(spec).values())


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(NO_CONFIG, 12, tool))
def test_the_count_is_exact_without_a_config(name: str) -> None:
    _, spec, parameters = checkpoint(name)
    result = judged(spec, None)
    assert result.counts.unique_parameters == parameters
    assert bad(result) == LEFTOVERS.get(name, []), [finding.message for finding in result.findings]


@pytest.mark.parametrize("name", OPEN_ALONE)
def test_what_the_headers_leave_open_is_undecided(name: str) -> None:
    result = judged(checkpoint(name)[1], None)
    assert (result.verdict, bad(result)) == ("undecided", LEFTOVERS.get(name, []))


@pytest.mark.parametrize("name", sampled(NAMES, 5, tool))
def test_the_unquantized_model_has_as_many_parameters(name: str) -> None:
    config, _, parameters = checkpoint(name)
    dense: Spec = {tensor: ("BF16", shape) for tensor, shape in original(name).items()}
    result = judged(dense, unquantized(config))
    assert bad(result) == []
    assert result.counts.unique_parameters == parameters


@pytest.mark.parametrize("name", RECORDED)
def test_unpacking_gives_the_weights_that_were_packed(name: str) -> None:
    """Every weight of the model is found with its shape, or its number of elements if no header has the shape."""
    config, spec, _ = checkpoint(name)
    unpacked = unpack(families_of(layouts(spec)), settings_of(config, record(name)["side"]))
    expected = families_of(layouts({tensor: ("F32", shape) for tensor, shape in original(name).items()}))
    if name in RENAMED:
        assert unpacked.families.keys() != expected.keys()
        return
    assert unpacked.families.keys() == expected.keys()
    for key, family in expected.items():
        for part in unpacked.families[key].stored:
            shapes = {one.layout.shape for one in family.stored}
            if part.packed is None or part.packed.exact:
                assert {part.layout.shape} == shapes
            else:
                assert any(part.packed.admits(shape, part.layout) for shape in shapes)


SIDE = [(name, file) for name in RECORDED for file in record(name)["side"]]


@pytest.mark.parametrize(("name", "file"), SIDE)
def test_a_settings_file_agrees_with_the_config(name: str, file: str) -> None:
    """Tools write their settings twice; transformers reads only config.json, although the other file has the block."""
    config, spec, parameters = checkpoint(name)
    plain, side = unquantized(config), {file: record(name)["side"][file]}
    result = judged(spec, plain, side=side)
    assert bad(result) == ([] if file in READ_BESIDE else ["T625"]), [finding.message for finding in result.findings]
    for finding in result.findings if bad(result) else ():
        for step in finding.remedy().steps:
            assert bad(judged(spec, {**plain, step.key[0]: step.new})) == []
    assert result.counts.unique_parameters == parameters
    alone, from_file = settings_of(config).base, settings_of(plain, side).base
    if alone.method is not None:
        assert (alone.method, alone.bits) == (from_file.method, from_file.bits)
        assert alone.group_size in (None, from_file.group_size)


STACKED = "model.layers.1.block_sparse_moe.experts"


def test_stacked_scales_of_single_experts_are_a_note() -> None:
    """transformers 5.23 saves Mixtral in this form and loads it completely."""
    result = audited("fp8_finegrained_mixtral")
    (finding,) = result.findings
    assert (finding.code, finding.facts["modules"], finding.facts["serves"]) == ("T648", 4, 24)
    assert result.verdict == "clean"


def test_other_loaders_do_not_read_them() -> None:
    """transformers 4.57 ignores them without a missing key: its layers keep their initial scales."""
    audited = in_folder("fp8_finegrained_mixtral")
    found = {(one.loader, str(one.version)[:1]): (one.outcome, one.unexpected) for one in audited.loads}
    assert found["transformers", "5"] == ("complete", 0)
    assert found["transformers", "4"] == ("altered", 4)
    assert found["vllm", "0"] == ("unknown", None)


@pytest.mark.parametrize(
    ("lost", "modules"),
    [(f"{STACKED}.down_proj_scale_inv", 1), (f"{STACKED}.gate_up_proj_scale_inv", 1), (f"{STACKED}.", 12),
     ("down_proj_scale_inv", 2)],
)  # fmt: skip
def test_a_lost_stacked_scale_is_one_error(lost: str, modules: int) -> None:
    """transformers 5.23 reports it as missing."""
    config, spec, parameters = checkpoint("fp8_finegrained_mixtral")
    left = {name: entry for name, entry in spec.items() if not (lost in name and name.endswith("_proj_scale_inv"))}
    result = audited("fp8_finegrained_mixtral", left, config)
    errors = [one for one in result.findings if one.severity == "error"]
    assert [(one.code, one.facts["modules"]) for one in errors] == [("T610", modules)]
    assert result.counts.unique_parameters == parameters


@pytest.mark.parametrize("part", ["down_proj_scale_inv", "gate_up_proj_scale_inv"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_a_stacked_scale_of_another_shape_or_dtype_is_one_error(part: str, axis: int | None) -> None:
    config, spec, parameters = checkpoint("fp8_finegrained_mixtral")
    dtype, shape = spec[f"{STACKED}.{part}"]
    other = ("I32", shape) if axis is None else (dtype, tuple(dim + (at == axis) for at, dim in enumerate(shape)))
    result = audited("fp8_finegrained_mixtral", {**spec, f"{STACKED}.{part}": other}, config)
    assert [one.code for one in result.findings if one.severity == "error"] == ["T611"]
    assert result.counts.unique_parameters == parameters


@pytest.mark.parametrize(
    ("name", "part"),
    [("bnb_nf4", "weight.quant_map"), ("bnb_nf4_double", "weight.nested_quant_map"),
     ("bnb_nf4_double", "weight.nested_absmax"), ("sinq_4bit_g64", "meta.scale2"), ("sinq_4bit_g64", "meta.zero.m"),
     ("sinq_4bit_g64", "meta.scale.x"), ("quanto_int4", "weight._shift"), ("quanto_int4", "weight._scale")],
)  # fmt: skip
def test_a_part_of_another_dtype_is_one_error(name: str, part: str) -> None:
    config, spec, _ = checkpoint(name)
    key = next(one for one in spec if one.endswith(f".{part}"))
    result = audited(name, {**spec, key: ("I32", spec[key][1])}, config)
    assert [one.code for one in result.findings if one.severity == "error"] == ["T611"]


def test_names_of_other_writers_are_read() -> None:
    config, spec, parameters = checkpoint("ct-w4-asym")
    names = {".w1.": ".gate_proj.", ".w2.": ".down_proj.", ".w3.": ".up_proj."}
    renamed = {}
    for tensor, entry in spec.items():
        for old, new in names.items():
            tensor = tensor.replace(old, new)
        renamed[tensor] = entry
    result = judged(renamed, config)
    assert bad(result) == []
    assert result.counts.unique_parameters == parameters


@pytest.mark.parametrize("name", sampled(variants(), 3, tool))
def test_variants_of_each_tool_are_clean(name: str) -> None:
    one = variants()[name]
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in one["tensors"].items()}
    result = judged(spec, one["config"], side=one["side"])
    assert (result.verdict, bad(result)) == ("clean", []), [finding.message for finding in result.findings]
    if one["parameters"] is not None:
        assert result.counts.unique_parameters == one["parameters"]
