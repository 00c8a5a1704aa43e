"""An mmproj file without its text model: complete files are undecided, and tensors lost from a block are errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit, audit_loaded
from inspector.dialects.gguf_projector_kinds import REQUIRED
from inspector.dialects.llama_cpp import needed_by_projector
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout, lay_out
from tests.dialects.recorded_gguf import records, source_of, target_of

pytestmark = pytest.mark.thinned

BLOCK = {
    **{f"attn_{one}.{end}": shape for one in ("q", "k", "v", "out")
       for end, shape in (("weight", (72, 72)), ("bias", (72,)))},
    "ln1.weight": (72,), "ffn_up.weight": (288, 72), "ffn_down.weight": (72, 288),
}  # fmt: skip
SHAPES: dict[str, tuple[int, ...]] = {
    **{f"{tower}.blk.{number}.{name}": shape for tower in "va" for number in range(3) for name, shape in BLOCK.items()},
    "v.patch_embd.weight": (72, 3, 8, 8), "v.position_embd.weight": (49, 72),
    **{f"mm.{number}.{end}": shape for number in (0, 2) for end, shape in (("weight", (72, 72)), ("bias", (72,)))},
}  # fmt: skip
KEYS = {**dict.fromkeys((f"clip.{key}" for key in REQUIRED["qwen2vl_merger"]), 1), "clip.vision.embedding_length": 72,
        "general.architecture": "clip", "clip.projector_type": "a new kind", "clip.vision.block_count": 3,
        "clip.audio.block_count": 3}  # fmt: skip


def errors(dtypes: dict[str, str], lost: str = "", kind: str = "") -> list[tuple[str, str | None]]:
    """Code and tensor of each error. lost: a tensor or suffix to leave out; kind: of the projector."""
    tensors: dict[str, Layout] = {}
    for name, shape in SHAPES.items():
        made = lay_out(dtypes.get(name, "F16"), shape)
        assert isinstance(made, Layout)
        if name != lost and not (lost.startswith(".") and name.endswith(lost)):
            tensors[name] = made
    stated = Config("mmproj.gguf", {**KEYS, **({"clip.projector_type": kind} if kind else {})}, "gguf")
    audited = audit_loaded(Checkpoint("test", "test", None, tensors=tensors, readable=True, metadata=stated))
    assert audited.counts.stored_elements
    return [(one.code, one.place.tensor) for one in audited.findings if one.severity == "error"]


def test_a_complete_file_has_no_errors() -> None:
    assert errors({}) == []


@pytest.mark.parametrize(
    "name", ["v.blk.0.attn_q.weight", "a.blk.2.ffn_up.weight", "v.blk.1.ln1.weight", "mm.0.weight"]
)
def test_a_lost_tensor_is_named(name: str) -> None:
    assert errors({}, name) == [("N403", name)]


@pytest.mark.parametrize("name", ["v.blk.1.attn_q.weight", "mm.2.bias", "v.position_embd.weight"])
def test_weights_stored_as_integers_are_an_error(name: str) -> None:
    assert [code for code, _ in errors({name: "I32"})] == ["T603"]


@pytest.mark.parametrize("name", [".attn_out.weight", ".ffn_up.weight", ".ffn_down.weight"])
def test_tensors_lost_from_every_block_are_named_where_the_kind_is_known(name: str) -> None:
    assert [code for code, _ in errors({}, name, "qwen2vl_merger")] == ["N403"]
    assert errors({}, name, "of a later version") == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [("gemma3", "mm.soft_emb_norm.weight"), ("pixtral", "v.token_embd.img_break"), ("idefics3", "mm.model.fc.weight")],
)
def test_lost_tensors_outside_the_blocks_are_named(kind: str, name: str) -> None:
    assert ("N403", name) in errors({}, kind=kind)


def needed(name: str) -> list[str]:
    """The tensors without which llama.cpp does not load the mmproj file of a model."""
    kind = next(value for key, _, value in records()[name]["projector_keys"] if key == "clip.projector_type")
    return [tensor for tensor in needed_by_projector(kind) if tensor in records()[name]["projector"]]


@pytest.mark.parametrize("name", [name for name in sorted(records()) if "projector" in records()[name]])
def test_required_tensors_are_missing_without_the_text_model_too(name: str, tmp_path: Path) -> None:
    record = records()[name]
    file = target_of(record, source_of(record), "projector")
    whole = dict(file.arrays)
    assert needed(name)
    for lost in needed(name):
        file.arrays = {key: array for key, array in whole.items() if key != lost}
        found = [one for one in audit(str(file.save(tmp_path / "mmproj.gguf"))).findings if one.severity != "note"]
        assert [(one.code, one.place.tensor) for one in found] == [("N403", lost)]


@pytest.mark.parametrize(("kind", "known"), [("qwen2vl_merger", True), ("mlp", True), ("locateanything", False)])
def test_a_kind_that_llama_cpp_does_not_know_is_reported(kind: str, known: bool, tmp_path: Path) -> None:
    record = next(one for one in records().values() if "projector" in one)
    file = target_of(record, source_of(record), "projector")
    file.keys = [(key, of, kind if key == "clip.projector_type" else value) for key, of, value in file.keys]
    (note,) = (one for one in audit(str(file.save(tmp_path / "mmproj.gguf"))).findings if one.code == "N567")
    assert bool(note.facts["unknown_to"]) is not known


@pytest.mark.parametrize("model_type", ["qwen2_5_vl", "glm4v", "audioflamingo3"])
@pytest.mark.parametrize("damage", ["", "width", "shape", "tensor"])
def test_a_damaged_projector_is_found_alone_and_next_to_its_model(model_type: str, damage: str, tmp_path: Path) -> None:
    record = records()[model_type]
    source = source_of(record)
    written = target_of(record, source, "projector")
    key = next(name for name, _, _ in written.keys if name.endswith(".embedding_length"))
    up = next(name for name in written.arrays if name.endswith(".blk.1.ffn_up.weight"))
    if damage == "width":
        written.keys = [(name, kind, 2 * value if name == key else value) for name, kind, value in written.keys]
    elif damage == "shape":
        written.arrays[up] = written.arrays[up][:-4]
    elif damage == "tensor":
        del written.arrays[up]
    alone = audit(str(written.save(tmp_path / "mmproj-model.gguf")))
    target_of(record, source).save(tmp_path / "model.gguf")
    expected = {"": [], "width": ["N516"], "shape": ["D501"], "tensor": ["N403"]}[damage]
    for audited in (alone, audit(str(tmp_path))):
        found = [one for one in audited.findings if one.severity != "note" and one.code != "N565"]
        assert [one.code for one in found] == expected
    assert all(one.place.file == "mmproj-model.gguf" for one in found)


@pytest.mark.parametrize(("model_type", "kind", "shown"), [
    ("qwen2_5_vl", "qwen2vl_merger", "qwen2.5vl_merger"), ("qwen2_vl", "qwen2.5vl_merger", "qwen2vl_merger"),
    ("qwen3_vl", "qwen2.5vl_merger", "qwen3vl_merger"), ("exaone4_5", "qwen3vl_merger", ""),
    ("qwen2_vl", "exaone4_5", ""), ("qwen2_5_vl", "exaone4_5", None), ("qwen3_vl", "qwen2vl_merger", None),
    ("qwen2_5_vl", "a newer kind", None),
])  # fmt: skip
def test_blocks_of_another_kind(model_type: str, kind: str, shown: str | None, tmp_path: Path) -> None:
    """clip.cpp loads them, with the norm of the stated kind; kinds with the same sort of blocks are not told apart."""
    record = records()[model_type]
    file = target_of(record, source_of(record), "projector")
    file.keys = [(key, of, kind if key == "clip.projector_type" else value) for key, of, value in file.keys]
    found = [one for one in audit(str(file.save(tmp_path / "mmproj.gguf"))).findings if one.code == "N720"]
    assert [one.facts["shown"] for one in found] == ([] if shown is None else [shown])


@pytest.mark.parametrize("name", [name for name in sorted(records()) if "projector" in records()[name]])
def test_recorded_projectors_have_the_blocks_of_their_kind(name: str, tmp_path: Path) -> None:
    record = records()[name]
    file = target_of(record, source_of(record), "projector").save(tmp_path / "mmproj.gguf")
    assert not {one.code for one in audit(str(file)).findings} & {"N720", "N510"}


@pytest.mark.parametrize("name", [name for name in sorted(records()) if "projector" in records()[name]])
def test_keys_without_which_a_projector_is_refused(name: str, tmp_path: Path) -> None:
    record = records()[name]
    file = target_of(record, source_of(record), "projector")
    whole = list(file.keys)
    kind = next(value for key, _, value in whole if key == "clip.projector_type")
    required = [f"clip.{key}" for key in REQUIRED[kind]]
    assert {key for key, _, _ in whole} >= set(required)
    for lost in required:
        file.keys = [one for one in whole if one[0] != lost]
        found = [one for one in audit(str(file.save(tmp_path / "mmproj.gguf"))).findings if one.code == "N510"]
        assert [one.facts["keys"] for one in found] == [[lost]]
