"""Shards of one variant: diffusers finds their index only with the name of the variant, or under the plain name."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from tests.judged import spec_of
from tests.loads.component_cases import INDEX, WEIGHTS, record_of
from tests.loads.damage import damaged, healthy, write

OF_VARIANT = "diffusion_pytorch_model.safetensors.index.fp16.json"


@pytest.mark.parametrize("name", ["UNet2DConditionModel", "AutoencoderKL", "FluxTransformer2DModel"])
def test_the_index_of_a_variant_is_renamed(name: str, tmp_path: Path) -> None:
    record = record_of(name)
    folder = healthy(spec_of(record), record["config"], WEIGHTS)
    place = write(damaged(folder, [["shards", 2, WEIGHTS]]), tmp_path)
    for shard in place.glob("*-of-*.safetensors"):
        shard.rename(place / shard.name.replace("model-", "model.fp16-"))
    index = (place / INDEX).read_text(encoding="utf-8")
    (place / OF_VARIANT).write_text(index.replace("model-", "model.fp16-"), encoding="utf-8")
    (place / INDEX).unlink()
    (finding,) = (one for one in audit(str(place)).findings if one.severity == "error")
    assert finding.code == "S221"
    assert finding.remedy().words == f'rename {OF_VARIANT} to {INDEX}, or load it with variant="fp16"'
    (step,) = finding.remedy().steps
    (place / str(step.file)).rename(place / str(step.new))
    assert audit(str(place)).verdict == "clean"
