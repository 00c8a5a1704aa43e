"""Unpacking handles arbitrary tensors of a module and loses none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.loader.dtype import BITS
from inspector.loader.layout import Layout, lay_out
from inspector.matcher.families import families_of
from inspector.quantization.catalog import BY_VALUES, FOREIGN, HELPERS, STRANGE
from inspector.quantization.read_settings import settings_of
from inspector.quantization.unpacking import unpack
from inspector.report.text import audit_text
from tests.judged import judged

SUFFIXES = sorted({*BY_VALUES, *HELPERS, *STRANGE, *FOREIGN, "bias", "weight"})
METHODS = ["gptq", "awq", "auto-round", "fp8", "fbgemm_fp8", "compressed-tensors", "bitsandbytes", "modelopt", "quark",
           "hqq", "torchao", "vptq", "mxfp4", "eetq", "bitnet", "aqlm", "spqr", "exl2", "exl3", "quanto", "higgs", "x",
           None, 7]  # fmt: skip
SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, 4, 8, 16, 31, 32, 64, 128, 1 << 40]), max_size=4).map(tuple)
DTYPES = st.sampled_from(sorted(dtype for dtype, bits in BITS.items() if bits >= 8))
MODULES = st.sampled_from(["layers.0.a", "layers.1.a", "layers.2.a", "layers.0.b", "a", ""])
SPECS = st.dictionaries(
    st.tuples(MODULES, st.sampled_from(SUFFIXES)).map(lambda two: f"{two[0]}.{two[1]}".lstrip(".")),
    st.tuples(DTYPES, SHAPES),
    max_size=14,
)
GLUED = st.dictionaries(
    st.sampled_from(["e.x", "e.x_scale", "e.x_scale_inv", "e.x_blocks", "e.x_scales", "e.x_scale_2", "e.x.absmax",
                     "e.x_bias", "e.x.quant_map"]),
    st.tuples(DTYPES, SHAPES),
)  # fmt: skip
LEAF = st.one_of(st.none(), st.booleans(), st.integers(-2, 300), st.floats(), st.sampled_from(
    ["fp4", "nf4", "int4", "group", "channel", "FP8", "NVFP4", "re:.*a", "layers.*", "gemv", "", "(("]))  # fmt: skip
KEYS = st.sampled_from(
    ["bits", "group_size", "weight_block_size", "version", "config_groups", "weights", "num_bits", "ignore", "targets",
     "dynamic", "extra_config", "modules_to_not_convert", "quant_algo", "kv_cache_scheme", "quant_config",
     "weight_quant_params", "nbits", "global_quant_config", "weight", "dtype", "config_for_layers", "in_features",
     "load_in_4bit", "llm_int8_skip_modules", "quant_type", "default", "_data", "weight_dtype", "mode", "group_0",
     "strategy", "format", "layers.0.a", "-:.*a", "quantized_layers", "layer_quant_config"])  # fmt: skip
VALUES = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))
CONFIGS = st.tuples(st.sampled_from(METHODS), st.dictionaries(KEYS, VALUES, max_size=6)).map(
    lambda two: {**two[1], "quant_method": two[0]}
)


def layouts(spec: dict[str, tuple[str, tuple[int, ...]]]) -> dict[str, Layout]:
    made = {name: lay_out(*entry) for name, entry in spec.items()}
    return {name: layout for name, layout in made.items() if isinstance(layout, Layout)}


@pytest.mark.complete
@settings(max_examples=150, deadline=None)
@given(SPECS, GLUED, CONFIGS, st.sampled_from(["quantization_config", "quantization", "compression_config"]))
def test_no_tensor_is_lost(
    spec: dict[str, tuple[str, tuple[int, ...]]],
    glued: dict[str, tuple[str, tuple[int, ...]]],
    config: dict[str, Any],
    key: str,
) -> None:
    tensors = layouts({**spec, **glued})
    unpacked = unpack(families_of(tensors), settings_of({key: config}))
    kept = sum(family.tensors for family in unpacked.families.values())
    assert kept + sum(helper.tensors for helper in unpacked.helpers) == len(tensors)
    size = sum(family.bytes for family in unpacked.families.values())
    size += sum(helper.layout.bytes * helper.tensors for helper in unpacked.helpers)
    assert size == sum(layout.bytes for layout in tensors.values())


@settings(max_examples=60, deadline=None)
@given(SPECS, GLUED, CONFIGS)
def test_every_finding_has_a_message(
    spec: dict[str, tuple[str, tuple[int, ...]]],
    glued: dict[str, tuple[str, tuple[int, ...]]],
    config: dict[str, Any],
) -> None:
    kept = {name: entry for name, entry in {**spec, **glued}.items() if isinstance(lay_out(*entry), Layout)}
    audited = judged(kept, {"model_type": "something", "quantization_config": config})
    counts = audited.counts
    plain = sum(line.elements for line in audited.lines if line.kind == "parameter" and line.packed is None)
    assert counts.stored_elements == plain + counts.packed_elements + counts.packing_helpers + counts.buffers
    assert audit_text(audited)


def test_a_weight_without_dims_is_unpacked() -> None:
    """An 8-bit matrix under `e.x` with scales of both names; without dims there is no block to divide."""
    spec: dict[str, tuple[str, tuple[int, ...]]] = {"e.x": ("BOOL", ()), "e.x_scale": ("BF16", ())}
    audited = judged({**spec, "e.x_scales": ("F8_E4M3", (1, 1))},
                     {"model_type": "something", "quantization_config": {"quant_method": "auto-round"}})  # fmt: skip
    assert audited.verdict == "findings"
    assert audit_text(audited)
