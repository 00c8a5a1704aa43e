"""Zeros in rows, norms and unwritten ranges, zeros that are valid, and properties derived from bit patterns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.auditing.samples import with_samples
from inspector.auditing.start import audit
from inspector.auditing.untrained import begins_as_zeros, is_multiplied
from inspector.auditing.values import with_values
from inspector.loader.formats.ggml_types import TYPES
from inspector.values import chunks
from inspector.values.abnormal import MATRIX, OTHER, VOCABULARY, is_block
from inspector.values.bits import HalfProof, are_finite
from inspector.values.decoding import decoded
from inspector.values.difference import difference
from inspector.values.scan import ZeroRows, scan
from inspector.values.stored import Numbers, StoredArray
from tests.checkpoints import genuine
from tests.dialects.recorded_gguf import Keys, Written, records, source_of, target_of
from tests.dialects.test_single_file import MODELS, whole
from tests.hub.conftest import Environment
from tests.hub.stand_in import StandIn
from tests.sparse_models import TINY
from tests.values.examples import DOWN, EMBEDDING, KEY, NORM, model
from tests.values.value_files import Arrays, numbers, spec_of, write


def reported(folder: Path, change: Callable[[Arrays], Any], config: dict[str, Any] = TINY) -> dict[str, str]:
    """Findings on values, with their severities."""
    arrays = numbers(spec_of(genuine(config)))
    change(arrays)
    found = with_values(audit(str(write(folder, arrays, config)))).findings
    return {one.name: one.severity for one in found if one.code.startswith("V")}


def zero(name: str, rows: Any = slice(None)) -> Callable[[Arrays], None]:
    """Set rows of a tensor to zero."""

    def change(arrays: Arrays) -> None:
        arrays[name][rows] = 0

    return change


def columns(name: str, *some: int) -> Callable[[Arrays], None]:
    """Set columns of a tensor to zero."""

    def change(arrays: Arrays) -> None:
        arrays[name][:, list(some)] = 0

    return change


def zero_first_row(arrays: Arrays) -> None:
    """An embedding with a padding token, and a matrix with one constant column."""
    arrays[EMBEDDING][0] = 0
    arrays[DOWN][1:, 5:20] = 0


GEMMA = {**TINY, "model_type": "gemma", "architectures": ["GemmaForCausalLM"], "head_dim": 16,
         "tie_word_embeddings": True}  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize(
    ("change", "config", "expected"),
    [
        (zero(DOWN, slice(20, 31)), TINY, {"rows-zero": "warning"}),
        (zero(DOWN, [3, 17, 40]), TINY, {"rows-unused": "note"}),
        (zero(DOWN, [3]), TINY, {}),
        (zero(EMBEDDING, [0]), TINY, {}),
        (zero(EMBEDDING, slice(200, 256)), TINY, {"rows-unused": "note"}),
        (zero(EMBEDDING, slice(100, 256)), TINY, {"rows-zero": "warning"}),
        (zero(EMBEDDING, slice(250, 258)), {**TINY, "vocab_size": 258}, {"rows-zero": "warning"}),
        (columns(DOWN, 4, 5, 6), TINY, {"columns-zero": "warning"}),
        (columns(DOWN, *range(100)), TINY, {"columns-zero": "warning"}),
        (columns(DOWN, *range(90, TINY["intermediate_size"])), TINY, {"columns-zero": "warning"}),
        (columns(DOWN, 7), TINY, {"columns-unused": "note"}),
        (columns(DOWN, 7, 90), TINY, {"columns-unused": "note"}),
        (columns(EMBEDDING, 2, 3), TINY, {"columns-zero": "warning"}),
        (zero_first_row, TINY, {}),
        (zero(NORM), TINY, {"norm-zero": "error"}),
        (zero(NORM), GEMMA, {}),
        (zero(NORM, slice(0, 3)), TINY, {}),
    ],
)
def test_rows_and_norms(tmp_path: Path, change: Any, config: dict[str, Any], expected: dict[str, str]) -> None:
    assert reported(tmp_path, change, config) == expected


@pytest.mark.parametrize(("rows", "use", "block"), [
    (ZeroRows(50304, 47, 50257, 50303), VOCABULARY, False), (ZeroRows(50304, 128, 50176, 50303), VOCABULARY, True),
    (ZeroRows(131072, 900, 20, 131000), VOCABULARY, False), (ZeroRows(48, 28, 0, 27), OTHER, True),
    (ZeroRows(48, 6, 3, 8), MATRIX, True), (ZeroRows(48, 6, 3, 9), MATRIX, False),
    (ZeroRows(48, 6, 3, 8), OTHER, False),
])  # fmt: skip
def test_rows_of_zeros_that_count_as_missing_data(rows: ZeroRows, use: str, block: bool) -> None:
    assert is_block(rows, use) is block


@pytest.mark.parametrize(("share", "ends"), [(0.2, True), (0.5, True), (0.9, True), (0.2, False), (0.5, False)])
def test_a_range_that_was_never_written(tmp_path: Path, share: float, ends: bool) -> None:
    path = write(tmp_path, model(), TINY) / "model.safetensors"
    raw = path.read_bytes()
    begin = int(len(raw) * share)
    end = len(raw) if ends else begin + 30_000
    path.write_bytes(raw[:begin] + bytes(min(end, len(raw)) - begin) + raw[end:])
    audited = with_values(audit(str(tmp_path)))
    (finding,) = [one for one in audited.findings if one.code.startswith("V")]
    assert (finding.name, finding.severity, finding.place.file) == ("data-unwritten", "error", "model.safetensors")
    assert begin <= finding.facts["begin"] + 3 and abs(finding.facts["begin"] - begin) < 4
    assert abs(finding.facts["end"] - min(end, len(raw))) < 4


def test_zeros_that_a_tool_stores_are_not_a_range_that_was_never_written(tmp_path: Path) -> None:
    def change(arrays: Arrays) -> None:
        for name in [KEY, KEY.replace("k_proj", "v_proj"), DOWN]:
            arrays[name][:] = 0

    assert reported(tmp_path, change) == {"values-constant": "warning"}


def test_a_file_of_stable_diffusion_is_read(tmp_path: Path) -> None:
    parts = {name: part for name, part in MODELS["tiny"]()[0].items() if name != "unet"}
    arrays = numbers({name: ("F32", shape) for name, (_, shape) in whole(parts).items()})
    name = "first_stage_model.decoder.mid.attn_1.q.weight"
    arrays[name].flat[5] = np.inf
    write(tmp_path, arrays)
    audited = with_values(audit(str(tmp_path / "model.safetensors")))
    assert audited.values is not None and audited.values.tensors == len(arrays) and not audited.values.unread
    errors = {one.name: one for one in audited.findings if one.severity == "error"}
    assert errors.keys() == {"single-file-without-network", "values-not-finite"}
    assert errors["values-not-finite"].facts["names"] == [name]


def test_samples_count_each_value_once(tmp_path: Path) -> None:
    config = {**TINY, "tie_word_embeddings": True, "vocab_size": 103, "hidden_size": 10, "head_dim": 2}
    arrays = numbers(spec_of(genuine(config)))
    arrays["lm_head.weight"] = arrays[EMBEDDING].copy()
    arrays["lm_head.weight"].flat[500] += 1
    sampled = with_samples(audit(str(write(tmp_path, arrays, config))))
    (found,) = [finding for finding in sampled.findings if finding.name == "copy-differs-in-samples"]
    assert (found.facts["differing"], found.facts["elements"]) == (1, 1030)


@pytest.mark.parametrize(("change", "outcome"), [(1, "altered"), (0, "unknown")])
def test_samples_decide_what_a_tie_of_transformers_4_overwrites(tmp_path: Path, change: int, outcome: str) -> None:
    config = {**TINY, "tie_word_embeddings": True}
    arrays = numbers(spec_of(genuine(config)))
    arrays["lm_head.weight"] = arrays[EMBEDDING].copy()
    arrays["lm_head.weight"].flat[0] += change
    audited = audit(str(write(tmp_path, arrays, config)))
    for read in (with_samples, with_values):
        assert [one.outcome for one in read(audited).loads if str(one.version).startswith("4")] == [outcome]


def test_samples_of_a_repository_are_ranges(tmp_path: Path) -> None:
    config = {**TINY, "tie_word_embeddings": True, "vocab_size": 4096, "hidden_size": 64}
    arrays = numbers(spec_of(genuine(config)))
    arrays["lm_head.weight"] = arrays[EMBEDDING].copy()
    for change, name in ((0, "copy-equal-in-samples"), (1, "copy-differs-in-samples")):
        arrays["lm_head.weight"][-1, -1] += change
        folder = write(tmp_path / name, arrays, config)
        with StandIn() as hub, Environment() as environment:
            hub.add("org/model", folder)
            environment.setenv("HF_ENDPOINT", hub.endpoint)
            environment.setenv("HF_HOME", str(tmp_path / "home"))
            audited = audit("org/model")
            before = len(hub.requests("model.safetensors"))
            assert name in {finding.name for finding in with_samples(audited).findings}
            ranges = [seen.headers["range"] for seen in hub.requests("model.safetensors")[before:]]
            ends = [one.removeprefix("bytes=").split("-") for one in ranges]
            header, *samples = (int(end) - int(begin) + 1 for begin, end in ends)
            assert header < 100_000 and samples == [4096] * 6  # three of each of two tensors


@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32", "F8_E4M3", "F8_E5M2"])
def test_bits_show_what_is_not_finite(dtype: str) -> None:
    kinds = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
    size = np.dtype(kinds.get(dtype, "u1")).itemsize
    patterns = np.arange(1 << 8 * min(size, 2), dtype=np.uint64) << np.uint64(16 if size == 4 else 0)
    raw = patterns.astype(f"<u{size}").view(kinds.get(dtype, "u1"))
    for part in np.array_split(raw, 64):
        assert are_finite(part, dtype) == bool(np.isfinite(decoded(part, dtype)).all())


def test_values_that_are_equal_by_their_bits_are_equal() -> None:
    brain = np.arange(1 << 16, dtype=np.uint16)
    values = decoded(brain, "BF16")
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    for other in (half, np.roll(half, 1), -half, half.view(np.uint16) ^ np.uint16(1)):
        other = other.view(np.float16)
        unproven = HalfProof().unproven(brain, other)
        proven = np.setdiff1d(np.arange(brain.size), unproven)
        assert (values[proven] == other[proven].astype(np.float32)).all()
    exact = np.abs(values) >= 2.0**-14
    assert not np.intersect1d(HalfProof().unproven(brain, half), np.flatnonzero(exact & (np.abs(values) < 2))).size


def test_views_are_read_in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.arange(6 * 5 * 8, dtype=np.float32).reshape(6, 5, 8)
    raw, reads = array.tobytes(), list[int]()

    def read(offset: int, length: int) -> bytes:
        reads.append(length)
        return raw[offset : offset + length]

    monkeypatch.setattr(chunks, "CHUNK", 64)
    stored = StoredArray(read, array.dtype, 0, array.shape)
    views: tuple[Callable[[Any], Any], ...] = (
        lambda one: one,
        lambda one: one.swapaxes(1, 2),
        lambda one: one[2].swapaxes(0, 1),
        lambda one: one[:, 1:3],
        lambda one: one[3].reshape(5, 4, 2).swapaxes(1, 2),
        lambda one: one.swapaxes(0, 1)[1:, 2:5],
    )
    for view in views:
        assert difference(Numbers(view(stored), "F32"), Numbers(view(array), "F32")).equal
    assert max(reads) <= 4 * 64
    changed = array.copy()
    changed[2, 4, 7] = -1
    place = difference(Numbers(stored[2].swapaxes(0, 1), "F32"), Numbers(changed[2].T, "F32")).place
    assert place == (7, 4)


def test_rows_longer_than_a_part_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK", 40)
    array = np.ones((4, 25), np.float32)
    array[1:3] = 0
    array[3, :24] = 0
    found = scan(Numbers(array, "F32"))
    assert found.rows is not None
    assert (found.rows.zero, found.rows.first, found.rows.last, found.trailing, found.leading) == (2, 1, 2, 0, 0)


def _as_sines(arrays: Arrays) -> None:
    """The first half of a row is zero, as the sines of position 0 are."""
    arrays[EMBEDDING][0, : arrays[EMBEDDING].shape[1] // 2] = 0


ODD = {**TINY, "vocab_size": 259}
VIT = {"model_type": "vit", "architectures": ["ViTModel"], "hidden_size": 32, "intermediate_size": 64,
       "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 16, "patch_size": 8}  # fmt: skip


def _unused_tokens(arrays: Arrays) -> None:
    """Tokens and positions as in a model that was not trained."""
    for name in arrays:
        if "token" in name or "position" in name or name.endswith(".bias"):
            arrays[name][:] = 0


@pytest.mark.parametrize(("change", "config", "expected"), [
    (_as_sines, TINY, {}), (_unused_tokens, VIT, {}), (zero(EMBEDDING, [1]), ODD, {}),
    (zero(EMBEDDING, [1, 77]), ODD, {"rows-unused": "note"}),
    (zero(EMBEDDING, [76, 77]), ODD, {"rows-zero": "warning"}),
])  # fmt: skip
def test_zeros_of_untrained_and_padded_models_are_accepted(
    tmp_path: Path, change: Callable[[Arrays], None], config: dict[str, Any], expected: dict[str, str]
) -> None:
    assert reported(tmp_path, change, config) == expected


@pytest.mark.parametrize(("name", "value", "expected"), [
    ("input_max", np.inf, set()), ("output_min", -np.inf, set()), ("input_max", -np.inf, {"values-not-finite"}),
    ("output_min", np.nan, {"values-not-finite"}), ("bias", np.inf, {"values-not-finite"}),
])  # fmt: skip
def test_a_limit_may_be_infinite(tmp_path: Path, name: str, value: float, expected: set[str]) -> None:
    """Gemma 4 stores limits of inputs and outputs, which are infinite until they are set."""
    arrays = {f"layers.0.linear.{name}": np.array(value, np.float32), "layers.0.linear.weight": numbers(
        {"weight": ("F32", (8, 8))})["weight"]}  # fmt: skip
    found = with_values(audit(str(write(tmp_path, arrays) / "model.safetensors"))).findings
    assert {one.name for one in found if one.code.startswith("V")} == expected


@pytest.mark.parametrize(("mask", "expected"), [
    (np.triu(np.full((6, 6), -np.inf), 1), set()), (np.array(-np.inf), set()),
    (np.triu(np.full((6, 6), np.inf), 1), {"values-not-finite"}), (np.full((2, 2), np.nan), {"values-not-finite"}),
    (np.array([[1.0, -np.inf], [0.0, 0.0]]), {"values-not-finite"}),
])  # fmt: skip
def test_a_mask_may_be_infinite(tmp_path: Path, mask: Any, expected: set[str]) -> None:
    arrays = {"layers.0.attn.masked_bias": mask.astype(np.float32), "layers.0.attn.weight": numbers(
        {"weight": ("F32", (8, 8))})["weight"]}  # fmt: skip
    found = with_values(audit(str(write(tmp_path, arrays) / "model.safetensors"))).findings
    assert {one.name for one in found if one.code.startswith("V")} == expected


def test_the_first_value_that_is_not_finite_is_located(tmp_path: Path) -> None:
    arrays = numbers(spec_of(genuine(TINY)))
    arrays[DOWN][3, 5] = np.inf
    arrays[DOWN][4, 5] = np.nan
    path = write(tmp_path, arrays, TINY) / "model.safetensors"
    (finding,) = (one for one in with_values(audit(str(tmp_path))).findings if one.code == "V825")
    begin = finding.facts["byte"]
    assert np.frombuffer(path.read_bytes()[begin : begin + 4], "<f4").tolist() == [np.inf]


def test_values_that_are_not_finite_in_a_copy_are_one_finding(tmp_path: Path) -> None:
    config = {**TINY, "tie_word_embeddings": True}
    arrays = model()
    arrays["lm_head.weight"] = arrays[EMBEDDING].copy()
    arrays["lm_head.weight"][2, 0] = np.nan
    found = with_values(audit(str(write(tmp_path, arrays, config)))).findings
    assert [one.name for one in found if one.severity == "error"] == ["values-not-finite"]
    arrays["lm_head.weight"][3, 0] += 1
    found = with_values(audit(str(write(tmp_path, arrays, config)))).findings
    assert {one.name for one in found if one.severity == "error"} == {"values-not-finite", "copies-differ"}


@pytest.mark.parametrize("experts", [[2], [2, 7]])
@pytest.mark.parametrize("matrix", ["ffn_up_exps", "ffn_down_exps"])
def test_the_matrices_of_experts_of_zeros_are_one_finding(tmp_path: Path, matrix: str, experts: list[int]) -> None:
    file = target_of(records()["mixtral"], source_of(records()["mixtral"]))
    file.arrays[f"blk.1.{matrix}.weight"][experts] = 0
    found = with_values(audit(str(file.save(tmp_path / "model.gguf")))).findings
    assert [one.name for one in found if one.code.startswith("V")] == ["rows-zero"]


def test_norms_of_gguf_files_have_the_1_added(tmp_path: Path) -> None:
    file = target_of(records()["gemma2"], source_of(records()["gemma2"]))
    file.arrays["blk.1.attn_norm.weight"][:] = 0
    found = with_values(audit(str(file.save(tmp_path / "model.gguf")))).findings
    assert [one.name for one in found if one.severity == "error"] == ["norm-zero"]


def test_a_range_that_ends_with_a_tensor_was_not_written_where_norms_are_in_it(tmp_path: Path) -> None:
    arrays = numbers(spec_of(genuine(TINY)))
    for name in list(arrays)[: len(arrays) // 2]:
        arrays[name][:] = 0
    assert any("norm" in name for name in list(arrays)[: len(arrays) // 2])
    found = with_values(audit(str(write(tmp_path, arrays, TINY)))).findings
    assert [one.name for one in found if one.code.startswith("V")] == ["data-unwritten"]


def test_a_file_without_any_data_is_one_finding(tmp_path: Path) -> None:
    arrays = numbers(spec_of(genuine(TINY)))
    parts: list[Arrays] = [{name: array for name, array in arrays.items() if ("layers.1" in name) is later}
                           for later in (False, True)]  # fmt: skip
    index = {}
    for number, part in enumerate(parts, 1):
        path = tmp_path / f"model-{number:05d}-of-00002.safetensors"
        (write(tmp_path, part, TINY) / "model.safetensors").rename(path)
        index.update(dict.fromkeys(part, path.name))
    raw = path.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    path.write_bytes(raw[:begin] + bytes(len(raw) - begin))
    text = {"metadata": {"total_size": sum(array.nbytes for array in arrays.values())}, "weight_map": index}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(text))
    (finding,) = [one for one in with_values(audit(str(tmp_path))).findings if one.severity != "note"]
    assert (finding.name, finding.facts["tensors"], finding.place.file) == ("data-unwritten", len(parts[1]), path.name)


@pytest.mark.parametrize("kind", [0, 2, 8, 34, 35])
@pytest.mark.parametrize("rows", [0, 5])
def test_blocks_that_were_never_written_are_one_finding(tmp_path: Path, kind: int, rows: int) -> None:
    """F32, Q4_0, Q8_0, TQ1_0 and TQ2_0, where a row is one block. rows: complete ones of the first lost tensor."""
    spec = {f"blk.{n}.ffn_up.weight": ("F32", (16, 256)) for n in range(4)}
    arrays = numbers({**spec, "output_norm.weight": ("F32", (256,))})
    keys: Keys = [("general.architecture", "text", "unheard-of")]
    path = Written(keys, arrays, dict.fromkeys(spec, kind)).save(tmp_path / "model.gguf")
    found = [one for one in with_values(audit(str(path))).findings if one.code.startswith("V")]
    assert not found
    raw = path.read_bytes()
    row = 256 // TYPES[kind].elements * TYPES[kind].bytes
    lost = len(raw) - (32 * row + 4 * 256) + rows * row + row // 2
    path.write_bytes(raw[: lost - 1] + b"\x01" + bytes(len(raw) - lost))
    (finding,) = [one for one in with_values(audit(str(path))).findings if one.code.startswith("V")]
    assert (finding.name, finding.facts["begin"], finding.facts["end"]) == ("data-unwritten", lost, len(raw))


@pytest.mark.parametrize(("family", "role", "names", "zeros", "multiplied"), [
    ("decoder.layers.#.encoder_attn.sampling_offsets.weight", "attention.offsets", ("rt_detr",), True, True),
    ("model.layers.#.mlp.router.gate.weight", "router", ("afmoe",), True, True),
    ("model.layers.#.mlp.router.gate.weight", "router", ("mixtral",), False, True),
    ("transformer.enc_out_bbox_embed.#.layers.#.weight", "unknown", (), True, True),
    ("controlnet_down_blocks.#.weight", "controlnet.down", ("ControlNetModel",), True, True),
    ("transformer.blocks.#.ffn.experts.mlp.w1", "mlp.gate", ("dbrx",), False, True),
    ("lstm.weight_ih_l0", "lstm.input", ("lstm",), False, True),
    ("model.layers.#.self_attn.k_norm.weight", "norm.key", ("cohere",), False, False),
    ("embeddings.cls_token", "embed.class", ("vit",), False, False),
    ("encoder.layers.#.layer_scale", "", (), False, False),
])  # fmt: skip
def test_which_tensors_may_be_zero_before_training(
    family: str, role: str, names: tuple[str, ...], zeros: bool, multiplied: bool
) -> None:
    assert (begins_as_zeros(family, names), is_multiplied(family, role)) == (zeros, multiplied)
