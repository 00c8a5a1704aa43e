"""The block formats of GGUF: decoded as in llama.cpp, and compared with the values that were quantized."""

from __future__ import annotations

import json
import tracemalloc
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from numpy.typing import NDArray

from inspector.auditing.start import audit
from inspector.auditing.values import with_values
from inspector.comparing.checkpoints import compare
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from inspector.loader.formats.ggml_types import TYPES
from inspector.values.block_scan import scan_blocks
from inspector.values.blocks import FORMATS, decoded_blocks
from inspector.values.decoding import rounded
from inspector.values.quantized import compare_blocks
from inspector.values.stored import Numbers
from tests.checkpoints import genuine
from tests.judged import FIXTURES
from tests.values.examples import llama_to_gguf, model, write_llama_gguf
from tests.values.ggml_blocks import WEIGHTS, rows
from tests.values.value_files import Arrays, numbers, write, write_gguf

QUANTIZERS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "MXFP4")
"""Formats that the package gguf can write and that are used for whole models."""


def test_every_stored_block_format_is_decoded() -> None:
    packed = {one.name for one in TYPES.values() if not one.plain}
    assert packed - FORMATS.keys() == {"Q8_1", "Q8_K", "NVFP4"}


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "Q1_0"])
def test_blocks_are_decoded_bit_for_bit_as_by_gguf(name: str) -> None:
    found = FORMATS[name]
    stored = np.random.default_rng(3).integers(0, 256, (5, 7 * found.kind.itemsize), dtype=np.uint8)
    with np.errstate(all="ignore"):
        wanted = gguf.quants.dequantize(stored, gguf.GGMLQuantizationType[name])
    values = decoded_blocks(stored.view(found.kind), name)
    assert values.dtype == np.float32
    assert np.array_equal(values, wanted, equal_nan=True)


def test_one_bit_is_a_sign() -> None:
    stored = np.frombuffer(np.float16(0.5).tobytes() + bytes([0b101] + [0] * 15), np.uint8)
    values = decoded_blocks(stored.view(FORMATS["Q1_0"].kind), "Q1_0")
    assert values.shape == (128,)
    assert values[:4].tolist() == [0.5, -0.5, 0.5, -0.5]


@cache
def _recorded() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(
        (FIXTURES / "values" / "ggml_blocks.json").read_text(encoding="utf-8")
    )
    return found


def recorded(name: str, which: str) -> Numbers:
    """The blocks that llama.cpp's quantizer made of the rows."""
    stored = np.frombuffer(b64decode(_recorded()[name][which]), FORMATS[name].kind)
    return Numbers(stored.reshape(len(rows()), -1), name)


@pytest.mark.thinned
@pytest.mark.parametrize("which", WEIGHTS)
@pytest.mark.parametrize("name", FORMATS)
def test_blocks_of_llama_cpp_fit_the_original_values(name: str, which: str) -> None:
    source, target = Numbers(rows(), "F32"), recorded(name, which)
    for found in (compare_blocks(source, target), compare_blocks(target, source)):
        assert found.is_proven
        assert 0 < found.share < found.usual
    exchanged = compare_blocks(Numbers(rows()[::-1], "F32"), target)
    assert exchanged.rows == [0, 1]
    assert exchanged.others >= rows().size // 2  # in TQ1_0 few numbers of a group are not zero
    half = rows()
    half[0, :256] = half[1, 256:]
    assert not compare_blocks(Numbers(half, "F32"), target).is_proven


@pytest.mark.thinned
@pytest.mark.parametrize("name", FORMATS)
def test_other_values_do_not_fit(name: str) -> None:
    target = recorded(name, "equal")
    for changed in (-rows(), rows() / 2, rows() + np.float32(0.1), np.roll(rows(), 1, axis=1)):
        assert not compare_blocks(Numbers(changed, "F32"), target).is_proven
    for number in (np.nan, np.inf):
        source = rows()
        source[1, 3] = number
        found = compare_blocks(Numbers(source, "F32"), target)
        assert not (found.is_proven or found.others)


def test_a_step_of_one_value_shows_in_q8_0() -> None:
    target = recorded("Q8_0", "equal")
    stored = np.array(target.raw).view(np.uint8).reshape(2, -1)
    stored[1, 34 + 2 + 5] ^= 2
    found = compare_blocks(Numbers(rows(), "F32"), Numbers(stored.view(FORMATS["Q8_0"].kind), "Q8_0"))
    assert (found.rows, found.difference().place) == ([1], (1, 37))


@pytest.mark.parametrize(("through", "scale"), [("", 1.0), ("F16", 3.0), ("BF16", 1.0), ("BF16", 1.6)])
def test_numbers_that_were_rounded_before_q8_0_are_the_same(through: str, scale: float) -> None:
    """A converter may write BF16 or F16 that llama-quantize then quantizes."""
    source = np.random.default_rng(0).normal(size=(40_000, 64)).astype(np.float32) * np.float32(scale)
    bits = source.view(np.uint32)
    rounded = ((bits + ((bits >> 16) & 1) + 0x7FFF) & 0xFFFF0000).view(np.float32)
    values = {"": source, "F16": source.astype(np.float16).astype(np.float32), "BF16": rounded}[through]
    stored = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q8_0).view(FORMATS["Q8_0"].kind)
    assert compare_blocks(Numbers(source, "F32"), Numbers(stored, "Q8_0")).is_proven
    halves = (rounded.view(np.uint32) >> 16).astype(np.uint16)
    assert compare_blocks(Numbers(halves, "BF16"), Numbers(stored, "Q8_0")).is_proven or through != "BF16"


@pytest.mark.parametrize("dtype", ["F32", "F16", "BF16"])
def test_the_next_step_of_one_value_shows_in_q8_0(dtype: str) -> None:
    """0.6 to 0.9 steps from the source, as no route of a healthy file leads there."""
    source = np.array(rounded(np.random.default_rng(1).normal(size=(64, 64)).astype(np.float32), "BF16"))
    stored = np.array(gguf.quants.quantize(source, gguf.GGMLQuantizationType.Q8_0))
    blocks = stored.reshape(-1, 34)
    scales = np.ascontiguousarray(blocks[:, :2]).view(np.float16).astype(np.float32)
    places = source.reshape(-1, 32) / scales - blocks[:, 2:].view(np.int8)
    block, at = (int(one[0]) for one in np.nonzero((places > 0.1) & (places < 0.4)))
    blocks[block, 2 + at] += 1
    plain = {"F32": source, "F16": source.astype(np.float16), "BF16": (source.view(np.uint32) >> 16).astype(np.uint16)}
    found = compare_blocks(Numbers(plain[dtype], dtype), Numbers(stored.view(FORMATS["Q8_0"].kind), "Q8_0"))
    assert found.rows == [block // 2]


@pytest.mark.parametrize("number", [1e5, 4e6])
def test_numbers_beyond_float16_do_not_pass_through_it(number: float) -> None:
    source = rows()
    source[0, 0] = number
    stored = np.array(gguf.quants.quantize(source, gguf.GGMLQuantizationType.Q8_0))
    stored[0, 2 + 9] ^= 64
    assert compare_blocks(Numbers(source, "F32"), Numbers(stored.view(FORMATS["Q8_0"].kind), "Q8_0")).rows == [0]


def test_numbers_too_small_for_a_scale_in_float16_do_not_differ() -> None:
    source = rows() * np.float32(1e-6)
    with np.errstate(all="ignore"):
        stored = gguf.quants.quantize(source, gguf.GGMLQuantizationType.Q8_0)
    assert not compare_blocks(Numbers(source, "F32"), Numbers(stored.view(FORMATS["Q8_0"].kind), "Q8_0")).others


# --- whole files ---

Change = Callable[[Arrays], Any]


def _nothing(arrays: Arrays) -> None:
    """Change nothing."""


def _two_rows(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"][[3, 9]] = arrays["blk.1.ffn_up.weight"][[9, 3]]


def _all_rows(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"] = np.roll(arrays["blk.1.ffn_up.weight"], 1, axis=0)


def _columns(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"] = np.roll(arrays["blk.1.ffn_up.weight"], 1, axis=1)


def _doubled(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"] = arrays["blk.1.ffn_up.weight"] * np.float32(2)


def of(compared: Comparison) -> dict[str, Any]:
    """The findings except notes."""
    return {one.name: one.facts for one in compared.findings if one.severity != "note"}


@pytest.mark.thinned
@pytest.mark.parametrize("name", QUANTIZERS)
def test_a_quantized_file_is_clean_in_both_directions(name: str) -> None:
    for backwards in (False, True):
        compared = llama_to_gguf(_nothing, name, backwards=backwards)
        assert (compared.verdict, of(compared)) == ("clean", {})
        assert compared.values is not None and not compared.values.unread
        assert compared.values.elements == compared.carried
        assert {what: compared.values.count(what) for what in ("quantized", "reordered", "equal", "different")} == {
            "quantized": 12, "reordered": 4, "equal": 5, "different": 0,
        }  # fmt: skip
        (note,) = [one for one in compared.findings if one.name == "values-quantized"]
        assert (note.facts["tensors"], note.facts["formats"]) == (16, [name])


@pytest.mark.parametrize("name", QUANTIZERS)
def test_rows_of_queries_and_keys_need_the_order_of_llama_cpp(name: str) -> None:
    found = of(llama_to_gguf(_nothing, name, pairs=False))
    assert set(found) == {"not-converted"}
    assert found["not-converted"]["tensors"] == 4


@pytest.mark.thinned
@pytest.mark.parametrize("name", QUANTIZERS)
@pytest.mark.parametrize(
    ("change", "relation", "exchanged"),
    [
        (_two_rows, "rows exchanged", [3, 9]), (_all_rows, "rows exchanged", []), (_columns, "", []),
        (_doubled, "scaled", []),
    ],
)  # fmt: skip
def test_a_damaged_matrix_is_named(name: str, change: Change, relation: str, exchanged: list[int]) -> None:
    found = of(llama_to_gguf(change, name))
    assert set(found) == {"values-differ"}
    facts = found["values-differ"]
    assert (facts["tensor"], facts["rows_exchanged"]) == ("blk.1.ffn_up.weight", exchanged)
    assert facts["relation"] == ("" if name == "Q8_0" and relation == "scaled" else relation)


def _exchange(one: str, other: str) -> Change:
    """Exchange the values of two tensors."""

    def changed(arrays: Arrays) -> None:
        arrays[one], arrays[other] = arrays[other].copy(), arrays[one].copy()

    return changed


SWAPPED = [("blk.0.ffn_up.weight", "blk.0.ffn_gate.weight"), ("blk.0.attn_q.weight", "blk.1.attn_q.weight"),
           ("blk.0.attn_k.weight", "blk.1.attn_v.weight")]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("name", QUANTIZERS)
@pytest.mark.parametrize("names", SWAPPED)
def test_tensors_that_were_exchanged_are_one_finding(names: tuple[str, str], name: str) -> None:
    found = of(llama_to_gguf(_exchange(*names), name))
    assert set(found) == {"values-differ"}
    facts = found["values-differ"]
    assert sorted(facts["names"]) == sorted(names)
    assert len(facts["holds"]) == 2


def _not_a_number(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"][3, 5] = np.nan


def _zeros(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"][:] = 0


def _half_of_zeros(arrays: Arrays) -> None:
    arrays["blk.1.ffn_up.weight"][10:90] = 0


@pytest.mark.thinned
@pytest.mark.parametrize("name", ["Q8_0", "Q4_0", "Q5_1"])
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_nothing, set()), (_not_a_number, {"values-not-finite"}), (_zeros, {"values-constant"}),
        (_half_of_zeros, {"rows-zero"}),
    ],
)  # fmt: skip
def test_scales_of_a_file_alone_are_read(tmp_path: Path, name: str, change: Change, expected: set[str]) -> None:
    write_llama_gguf(tmp_path / "model.gguf", model(), "llama", True, name, change)
    audited = with_values(audit(str(tmp_path / "model.gguf")))
    found = [one for one in audited.findings if one.code.startswith("V8")]
    assert {one.name for one in found} == expected
    assert all(one.facts["names"] == ["blk.1.ffn_up.weight"] for one in found)
    assert audited.values is not None
    assert not audited.values.unread and audited.values.elements == audited.counts.parameters


@pytest.mark.parametrize("name", FORMATS)
def test_scans_of_blocks_are_those_of_their_numbers(name: str) -> None:
    stored = np.random.default_rng(5).integers(0, 256, (64, 4 * FORMATS[name].kind.itemsize), dtype=np.uint8)
    stored[7] = 0
    blocks = stored.view(FORMATS[name].kind)
    values, found = decoded_blocks(blocks, name), scan_blocks(Numbers(blocks, name))
    assert (found.nan, found.infinite) == (np.isnan(values).sum(), np.isinf(values).sum())
    assert found.rows is not None and (found.rows.zero, found.rows.first) == (1, 7)
    assert found.elements == values.size and found.constant is None


MOE = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "intermediate_size": 32,
       "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 1, "vocab_size": 33,
       "num_local_experts": 3}  # fmt: skip


def _as_gguf(arrays: Arrays, order: list[int]) -> Arrays:
    """The experts of a layer as llama.cpp stacks them."""
    parts = {"ffn_gate_exps": "w1", "ffn_down_exps": "w2", "ffn_up_exps": "w3"}
    names = "model.layers.0.block_sparse_moe.experts.{}.{}.weight"
    return {
        f"blk.0.{name}.weight": np.stack([arrays[names.format(one, part)] for one in order])
        for name, part in parts.items()
    }


@pytest.mark.parametrize(("order", "differing"), [([0, 1, 2], 0), ([1, 0, 2], 6)])
def test_stacked_experts_are_compared_one_by_one(tmp_path: Path, order: list[int], differing: int) -> None:
    arrays = numbers(genuine(MOE))
    one = write(tmp_path / "before", arrays, MOE)
    keys: dict[str, int | str] = {"general.architecture": "llama", "llama.block_count": 1, "llama.expert_count": 3,
                                  "llama.embedding_length": 64, "llama.attention.head_count": 4,
                                  "llama.attention.head_count_kv": 2, "llama.expert_used_count": 2}  # fmt: skip
    plain = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    written = _as_gguf(arrays, order)
    for name, other in plain.items():
        written[f"{other}.weight"] = arrays[f"{name}.weight"]
    write_gguf(tmp_path / "model.gguf", keys, written, "Q8_0")
    values = compared_with_values(compare(str(one), str(tmp_path / "model.gguf"))).values
    assert values is not None
    experts = [one for one in values.verdicts if "_exps" in one.target]
    assert len(experts) == 9
    assert sum(one.what == "different" for one in experts) == differing
    assert sum(one.what == "quantized" for one in experts) == 9 - differing


def test_long_matrices_are_read_in_parts() -> None:
    source = np.zeros((1 << 13, 1 << 11), np.float16)
    stored: NDArray[Any] = np.zeros((1 << 13, 1 << 6), FORMATS["Q8_0"].kind)
    tracemalloc.start()
    found = compare_blocks(Numbers(source, "F16"), Numbers(stored, "Q8_0"))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.is_proven and found.elements == source.size
    assert most < 20e6
