"""GGUF files with queries, keys and values in one matrix, which llama.cpp reads of most architectures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare
from inspector.dialects.llama_cpp import reads
from tests.dialects.recorded_gguf import Written, records, source_of, target_of
from tests.sampling import sampled
from tests.values.value_files import write

PARTS = ("attn_q", "attn_k", "attn_v")
JOINED = "attn_qkv"


def joined(model_type: str) -> Written | None:
    """The recorded file with joined projections; None where its architecture does not read them, or it has none."""
    record = records()[model_type]
    written = target_of(record, source_of(record))
    architecture = next(value for key, _, value in written.keys if key == "general.architecture")
    if not reads(architecture, f"blk.0.{JOINED}.weight") or written.kinds:
        return None
    made, arrays = dict(written.arrays), written.arrays
    for name in arrays:
        if f".{PARTS[0]}." not in name or name.count(".") != 3:
            continue
        names = [name.replace(PARTS[0], part) for part in PARTS]
        if not all(one in arrays for one in names) or len({arrays[one].shape[1:] for one in names}) > 1:
            return None
        made[name.replace(PARTS[0], JOINED)] = np.concatenate([made.pop(one) for one in names])
    return None if made.keys() == arrays.keys() else Written(written.keys, made, written.kinds)


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", sampled(sorted(records()), 6))
def test_joined_projections_are_read(model_type: str, tmp_path: Path) -> None:
    written = joined(model_type)
    if written is None:
        return
    record = records()[model_type]
    apart = audit(str(target_of(record, source_of(record)).save(tmp_path / "apart.gguf")))
    together = audit(str(written.save(tmp_path / "joined.gguf")))
    assert [one.code for one in together.findings] == [one.code for one in apart.findings]
    assert together.counts.unique_parameters == apart.counts.unique_parameters


def test_a_lost_joined_matrix_is_missing(tmp_path: Path) -> None:
    written = joined("phi")
    assert written is not None
    del written.arrays[f"blk.1.{JOINED}.weight"]
    found = audit(str(written.save(tmp_path / "phi.gguf"))).findings
    assert [(one.code, one.place.tensor) for one in found if one.severity == "error"] == [
        ("N403", f"blk.1.{JOINED}.weight")
    ]


@pytest.mark.parametrize("model_type", ["qwen2", "llama", "gemma2"])
def test_joined_projections_that_llama_cpp_does_not_read_are_one_finding(model_type: str, tmp_path: Path) -> None:
    """To leave the matrices out, as for tensors that belong to no architecture, would lose the projections."""
    record = records()[model_type]
    written = target_of(record, source_of(record))
    for name in [name for name in written.arrays if ".ffn_gate." in name]:
        parts = [written.arrays.pop(name.replace("ffn_gate", part)) for part in ("ffn_gate", "ffn_up")]
        written.arrays[name.replace("ffn_gate", "ffn_gate_up")] = np.concatenate(parts)
    found = audit(str(written.save(tmp_path / "model.gguf"))).findings
    assert [one.code for one in found if one.severity != "note"] == ["N441"]


@pytest.mark.parametrize("name", ["mixtral", "qwen3_moe", "olmoe"])
@pytest.mark.parametrize("part", ["gate", "down"])
def test_a_tensor_of_experts_that_lacks_one_is_one_finding(name: str, part: str, tmp_path: Path) -> None:
    record = records()[name]
    source = source_of(record)
    file = target_of(record, source)
    short = f"blk.0.ffn_{part}_exps.weight"
    file.arrays[short] = file.arrays[short][:-1]
    write(tmp_path / "source", source, record["config"])
    reported = compare(str(tmp_path / "source"), str(file.save(tmp_path / "target.gguf")))
    (finding,) = (one for one in reported.findings if one.severity == "error")
    assert (finding.code, finding.facts["tensors"]) == ("V803", 1)
    assert ("target", f"{short} lacks them") in finding.rows()
