"""Quantized checkpoints on the Hub: counts and verdict equal a local audit's, at full size and in every scheme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.auditing.start import audit
from tests.checkpoints import write
from tests.hub.stand_in import StandIn
from tests.quantization.made_by_formula import Tensors
from tests.quantization.stored import NAMES, checkpoint, tool
from tests.quantization.test_full_size import gpt_oss_20b, qwen3_14b
from tests.sampling import sampled
from tests.sparse_models import make

MAIN_MODEL = 671_026_404_352
"""DeepSeek-V3 without its MTP layer, its copies and its correction biases."""


def same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The audit over the network, after checking that it equals the local audit of the same files."""
    with StandIn() as server:
        server.add("org/packed", folder)
        monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
        remote, local = audit("org/packed"), audit(str(folder))
    assert (remote.counts, remote.verdict) == (local.counts, local.verdict)
    assert [replace(line, block=None) for line in remote.lines] == [replace(line, block=None) for line in local.lines]
    assert [finding.message for finding in remote.findings] == [finding.message for finding in local.findings]
    return remote


@pytest.mark.parametrize(
    ("model", "parameters", "size"),
    [(qwen3_14b, 14_768_307_200, 8_307_783_680), (gpt_oss_20b, 20_914_757_184, 13_761_264_768)],
)
def test_published_models_at_full_size(
    model: Callable[[], tuple[dict[str, Any], Tensors]],
    parameters: int,
    size: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config, tensors = model()
    spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in tensors.items()}
    audited = same(write(tmp_path / "packed", spec, config, shards=3), monkeypatch)
    counts = audited.counts
    assert (counts.unique_parameters, counts.expected_parameters, counts.stored_bytes) == (parameters, parameters, size)
    assert audited.verdict == "clean"


@pytest.mark.complete
def test_deepseek_v3_at_full_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audited = same(make("dsv3", tmp_path / "dsv3"), monkeypatch)
    counts = audited.counts
    assert counts.unique_parameters == counts.expected_parameters == MAIN_MODEL
    assert (counts.extra_components, counts.tied_copies, counts.buffers) == (11_610_067_968, 1_853_358_080, 15_104)
    assert audited.verdict == "clean"


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(NAMES, 3, tool))
def test_every_scheme(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, spec, parameters = checkpoint(name)
    audited = same(write(tmp_path / "packed", spec, config, shards=2), monkeypatch)
    assert audited.counts.unique_parameters == parameters
