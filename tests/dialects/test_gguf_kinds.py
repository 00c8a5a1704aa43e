"""GGUF files other than models: adapters that llama.cpp accepts or refuses, control vectors, importance matrices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.dialects.recorded_gguf import Keys, Written, records, source_of, target_of
from tests.values.value_files import Arrays, write

LLAMA: Keys = [("general.type", "text", "adapter"), ("general.architecture", "text", "llama"),
               ("adapter.type", "text", "lora"), ("adapter.lora.alpha", "f32", 8.0)]  # fmt: skip
Q = "blk.1.attn_q.weight"


def adapter(folder: Path, change: Callable[[Arrays], object], **keys: str | None) -> Path:
    """Write a LoRA of the queries and values of Llama. keys: changed keys, None to remove one."""
    record = records()["llama"]
    arrays: Arrays = {}
    for name, array in target_of(record, source_of(record)).arrays.items():
        if name.endswith(("attn_q.weight", "attn_v.weight")):
            arrays[f"{name}.lora_a"] = np.ones((4, array.shape[1]), np.float32)
            arrays[f"{name}.lora_b"] = np.ones((array.shape[0], 4), np.float32)
    change(arrays)
    own = {key.replace(".", "_"): key for key, _, _ in LLAMA}
    changed = {own[name]: value for name, value in keys.items()}
    stated = [(key, kind, changed.get(key, value)) for key, kind, value in LLAMA]
    return Written([one for one in stated if one[2] is not None], arrays, {}).save(folder / "adapter.gguf")


def with_bases(file: Path, folder: Path) -> list[Audit]:
    """The audits of an adapter: without a base, with one of transformers, and with one in GGUF."""
    record = records()["llama"]
    source = write(folder / "base", source_of(record), record["config"])
    converted = target_of(record, source_of(record)).save(folder / "base.gguf")
    return [audit(str(file)), *(audit(str(file), base=str(one)) for one in (source, converted))]


def errors(audited: Audit) -> list[str]:
    return [one.code for one in audited.findings if one.severity == "error"]


def nothing(arrays: Arrays) -> None:
    """Change nothing."""


def lost(arrays: Arrays) -> None:
    del arrays[f"{Q}.lora_a"]


def of_another_width(arrays: Arrays) -> None:
    arrays[f"{Q}.lora_a"] = np.ones((4, 50), np.float32)


def of_another_layer(arrays: Arrays) -> None:
    for half in ("lora_a", "lora_b"):
        arrays[f"blk.7.attn_q.weight.{half}"] = arrays.pop(f"{Q}.{half}")


def bias(arrays: Arrays) -> None:
    arrays["blk.1.attn_q.bias"] = np.ones(48, np.float32)


FAULTS = [
    (nothing, {}, ([], [], [])),
    (nothing, {"adapter_lora_alpha": None}, ([], [], [])),
    (lost, {}, (["A916"],) * 3),
    (of_another_width, {}, ([], ["A904"], ["A904"])),
    (of_another_layer, {}, ([], ["N514"], ["N514"])),
    (bias, {}, (["N514"],) * 3),
    (nothing, {"general_type": "model"}, (["N514"],) * 3),
    (nothing, {"general_type": None}, (["N514"],) * 3),
    (nothing, {"adapter_type": "loha"}, (["N514"],) * 3),
    (nothing, {"general_architecture": "qwen2"}, ([], [], ["N514"])),
]
"""Change of the tensors and the keys, and the errors without a base, with one of transformers, and with one in GGUF."""


@pytest.mark.parametrize(("change", "keys", "expected"), FAULTS)
def test_an_adapter_is_refused_as_by_llama_cpp(
    change: Callable[[Arrays], object],
    keys: dict[str, str | None],
    expected: tuple[list[str], list[str], list[str]],
    tmp_path: Path,
) -> None:
    file = adapter(tmp_path, change, **keys)
    found = with_bases(file, tmp_path)
    assert tuple(map(errors, found)) == expected
    assert all(one.verdict == ("findings" if errors(one) else "clean") for one in found)


def test_norms_are_left_out_silently(tmp_path: Path) -> None:
    def norm(arrays: Arrays) -> None:
        arrays["blk.1.attn_norm.weight"] = np.ones(48, np.float32)

    found = audit(str(adapter(tmp_path, norm)))
    assert [(one.code, one.severity) for one in found.findings if one.severity != "note"] == [("A918", "warning")]


@pytest.mark.parametrize(("tensor", "shape", "kind", "text"), [
    ("direction.3", (48,), 0, ""), ("direction.0", (48,), 0, "(zero)"), ("vector.3", (48,), 0, "unparsable"),
    ("direction.3", (48,), 1, "(non-F32)"), ("direction.3", (2, 48), 0, "(non-1D)"), ("direction.3", (40,), 0, "match"),
])  # fmt: skip
def test_a_control_vector_is_named(tensor: str, shape: tuple[int, ...], kind: int, text: str, tmp_path: Path) -> None:
    arrays = {"direction.1": np.ones(48, np.float32), tensor: np.ones(shape, np.float16 if kind else np.float32)}
    keys: Keys = [("general.architecture", "text", "controlvector"), ("controlvector.layer_count", "i32", 2)]
    found = audit(str(Written(keys, arrays, {tensor: kind}).save(tmp_path / "vector.gguf")))
    assert [one.code for one in found.findings if one.code != "T601"] == (["N522"] if text else ["N519"])
    assert found.verdict == ("findings" if text else "undecided") and text in str(found.findings[0].rows())


@pytest.mark.parametrize("lost_half", ["", ".in_sum2", ".counts"])
def test_an_importance_matrix_is_named(lost_half: str, tmp_path: Path) -> None:
    names = [f"blk.{layer}.{part}.weight" for layer in range(3) for part in ("attn_q", "attn_k", "ffn_up")]
    arrays = {f"{name}.in_sum2": np.ones((1, 48), np.float32) for name in names}
    arrays |= {f"{name}.counts": np.ones((1, 1), np.float32) for name in names}
    if lost_half:
        del arrays[names[4] + lost_half]
    keys: Keys = [("general.type", "text", "imatrix"), ("imatrix.datasets", "texts", ["text.txt"]),
                  ("imatrix.chunk_count", "u32", 10), ("imatrix.chunk_size", "u32", 512)]  # fmt: skip
    found = audit(str(Written(keys, arrays, {}).save(tmp_path / "imatrix.gguf")))
    assert errors(found) == (["N513"] if lost_half else [])
    assert [one.code for one in found.findings if one.severity == "note"] == ["N512"]
    assert found.verdict == ("findings" if lost_half else "undecided")


@pytest.mark.parametrize(("change", "architecture", "expected"), [
    (nothing, "llama", "complete"), (lost, "llama", "refuses"), (nothing, None, "refuses"),
])  # fmt: skip
def test_what_llama_cpp_does_with_an_adapter(
    change: Callable[[Arrays], object], architecture: str | None, expected: str, tmp_path: Path
) -> None:
    audited = audit(str(adapter(tmp_path, change, general_architecture=architecture)))
    assert {one.outcome for one in audited.loads} == {expected}


@pytest.mark.parametrize(("wide", "mixed"), [((), False), (("blk.1.attn_q.weight",), True), (("output.weight",), True)])
def test_vectors_of_a_gguf_file_are_no_mixture_of_dtypes(wide: tuple[str, ...], mixed: bool, tmp_path: Path) -> None:
    """llama.cpp stores them as F32 next to matrices of any dtype. wide: matrices that are F32 too."""
    record = records()["llama"]
    made = target_of(record, source_of(record))
    half = [name for name, one in made.arrays.items() if one.ndim > 1 and name not in wide]
    arrays = {name: one.astype(np.float16) if name in half else one for name, one in made.arrays.items()}
    found = audit(str(Written(made.keys, arrays, dict.fromkeys(half, 1)).save(tmp_path / "model.gguf")))
    assert ("T601" in {one.code for one in found.findings}) == mixed
