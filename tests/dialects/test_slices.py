"""Meta's files with a slice of every matrix each: counted as one model; a file that does not fit is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inspector
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, elements, genuine, write_file
from tests.dialects.converters import meta
from tests.judged import codes

TINY = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 48, "intermediate_size": 96,
        "num_attention_heads": 12, "num_key_value_heads": 4, "num_hidden_layers": 3, "vocab_size": 80}  # fmt: skip
PARAMS = {"dim": 48, "n_layers": 3, "n_heads": 12, "n_kv_heads": 4, "vocab_size": 80, "multiple_of": 8,
          "ffn_dim_multiplier": 0.75, "norm_eps": 1e-5}  # fmt: skip


def folder(where: Path, parts: list[Spec], params: dict[str, Any] | None = None) -> Path:
    """A folder as Meta publishes one."""
    where.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        write_file(where / f"consolidated.{number:02d}.safetensors", part)
    if params is not None:
        (where / "params.json").write_text(json.dumps(params), encoding="utf-8")
    return where


def checked(audited: Audit, parts: list[Spec], count: int) -> None:
    """Check for a clean verdict, the exact count, and sums that add up."""
    assert codes(audited) == set(), [one.title for one in audited.findings]
    counts = audited.counts
    assert counts.unique_parameters == counts.expected_parameters == count
    stored = sum(elements(part) for part in parts)
    assert counts.stored_elements == stored == counts.parameters + counts.buffers
    assert counts.parameters == counts.unique_parameters + counts.tied_copies
    assert counts.stored_bytes == 2 * stored
    assert "S218" in {one.code for one in audited.findings}


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("params", [PARAMS, None])
def test_slices_are_one_model(count: int, old: bool, params: dict[str, Any] | None, tmp_path: Path) -> None:
    spec = genuine(TINY)
    parts = meta(spec, count, old=old)
    audited = audit(str(folder(tmp_path, parts, params)))
    checked(audited, parts, elements(spec))
    opened = inspector.load(tmp_path)
    assert opened.tensors == audited.checkpoint.tensors
    assert inspector.audit(opened).counts == audited.counts


FULL: dict[str, tuple[int, bool, int, dict[str, Any], dict[str, Any]]] = {
    "Llama-2-13b": (2, True, 13_015_864_320,
        {"hidden_size": 5120, "intermediate_size": 13824, "num_attention_heads": 40, "num_key_value_heads": 40,
         "num_hidden_layers": 40, "vocab_size": 32000},
        {"dim": 5120, "multiple_of": 256, "n_heads": 40, "n_layers": 40, "norm_eps": 1e-05, "vocab_size": -1}),
    "Meta-Llama-3-70B": (8, False, 70_553_706_496,
        {"hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64, "num_key_value_heads": 8,
         "num_hidden_layers": 80, "vocab_size": 128256},
        {"dim": 8192, "ffn_dim_multiplier": 1.3, "multiple_of": 4096, "n_heads": 64, "n_kv_heads": 8, "n_layers": 80,
         "norm_eps": 1e-05, "vocab_size": 128256, "rope_theta": 500000.0}),
}  # fmt: skip
"""Files, whether the token table is split along its width, published count, transformers' config, params.json."""


@pytest.mark.parametrize("name", FULL)
def test_full_size(name: str, tmp_path: Path) -> None:
    count, old, total, config, params = FULL[name]
    parts = meta(genuine(TINY | config), count, old=old, rotary=64)
    checked(audit(str(folder(tmp_path, parts, params))), parts, total)


@pytest.mark.parametrize("absent", [0, 1, 3])
@pytest.mark.parametrize("params", [PARAMS, None])
def test_an_absent_file_is_named(absent: int, params: dict[str, Any] | None, tmp_path: Path) -> None:
    where = folder(tmp_path, meta(genuine(TINY), 4), params)
    (where / f"consolidated.{absent:02d}.safetensors").unlink()
    audited = audit(str(where))
    reported = [one for one in audited.findings if one.severity == "error"]
    assert [(one.code, one.place.file) for one in reported] == [("S201", f"consolidated.{absent:02d}.safetensors")]
    if params is not None:
        assert audited.counts.expected_parameters == elements(genuine(TINY))


def test_a_single_slice_is_not_a_model(tmp_path: Path) -> None:
    audited = audit(str(folder(tmp_path, meta(genuine(TINY), 4)[:1], PARAMS)))
    reported = [one for one in audited.findings if one.severity == "error"]
    assert [one.code for one in reported] == ["S201"] and reported[0].facts["files"] == 3


@pytest.mark.parametrize("count", [2, 4])
def test_a_slice_of_another_width_names_its_file(count: int, tmp_path: Path) -> None:
    for number, name in enumerate(("layers.1.attention.wq.weight", "layers.2.feed_forward.w2.weight", "output.weight")):
        parts = meta(genuine(TINY), count)
        dtype, (rows, columns) = parts[1][name]
        parts[1][name] = (dtype, (rows + 3, columns))
        audited = audit(str(folder(tmp_path / f"{number}", parts, PARAMS)))
        reported = [one for one in audited.findings if one.severity == "error"]
        assert [(one.code, one.place.file) for one in reported] == [("S217", "consolidated.01.safetensors")]
        assert reported[0].facts["names"] == [name]
        assert audited.counts.expected_parameters == elements(genuine(TINY))


def test_an_absent_slice_names_its_file(tmp_path: Path) -> None:
    parts = meta(genuine(TINY), 4)
    del parts[2]["layers.1.attention.wo.weight"]
    audited = audit(str(folder(tmp_path, parts, PARAMS)))
    reported = [one for one in audited.findings if one.severity == "error"]
    assert [(one.code, one.place.file) for one in reported] == [("S217", "consolidated.02.safetensors")]
    assert reported[0].facts["stored"] is None


def test_a_tensor_that_no_file_has_is_missing(tmp_path: Path) -> None:
    parts = meta(genuine(TINY), 2)
    for part in parts:
        del part["layers.1.attention.wk.weight"]
    audited = audit(str(folder(tmp_path, parts, PARAMS)))
    assert codes(audited) == {"N403"}


def test_files_with_different_tensors_are_shards(tmp_path: Path) -> None:
    whole = meta(genuine(TINY), 1)[0]
    names = list(whole)
    parts = [{name: whole[name] for name in names[:15]}, {name: whole[name] for name in names[15:]}]
    audited = audit(str(folder(tmp_path, parts, PARAMS)))
    assert codes(audited) == set()
    assert audited.counts.unique_parameters == elements(genuine(TINY))


def test_meta_files_are_converted_for_transformers(tmp_path: Path) -> None:
    found = audit(str(folder(tmp_path / "meta", meta(genuine(TINY), 1), PARAMS)))
    assert found.verdict == "clean"
    (failed,) = (one for one in judged_for(found, "transformers").findings if one.severity == "error")
    assert failed.remedy().words.startswith("convert it with convert_llama_weights_to_hf.py")
