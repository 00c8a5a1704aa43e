"""A few safetensors of an unfinished conversion beside whole PyTorch files."""

from __future__ import annotations

import pytest

from inspector.loader.stray_shards import without_strays
from inspector.loader.weight_sets import group


def shards(stem: str, ending: str, numbers: range | tuple[int, ...], of: int = 4) -> list[str]:
    return [f"{stem}-{number:05d}-of-{of:05d}.{ending}" for number in numbers]


WHOLE = [*shards("pytorch_model", "bin", range(1, 5)), "pytorch_model.bin.index.json"]
OF_DIFFUSERS = "diffusion_pytorch_model"


@pytest.mark.parametrize(("names", "audited"), [
    ([*WHOLE, *shards("model", "safetensors", (2, 3))], "pytorch_model.bin.index.json"),
    (["pytorch_model.bin", *shards("model", "safetensors", (1,))], "pytorch_model.bin"),
    ([f"{OF_DIFFUSERS}.bin", *shards(OF_DIFFUSERS, "safetensors", (1,))], f"{OF_DIFFUSERS}.bin"),
    ([*WHOLE, *shards("model", "safetensors", range(1, 5))], None),
    ([*WHOLE, *shards("model", "safetensors", (2, 3)), "model.safetensors.index.json"], None),
    ([*WHOLE[1:], *shards("model", "safetensors", (2, 3))], None),
    ([*WHOLE, *shards("other", "safetensors", (2, 3))], None),
    (shards("model", "safetensors", (2, 3)), None),
])  # fmt: skip
def test_the_whole_files_are_audited(names: list[str], audited: str | None) -> None:
    sizes = dict.fromkeys(names, 1000)
    sets, found = without_strays(group(sizes), sizes)
    assert (None if found is None else found.facts["audited"]) == audited
    assert audited is None or sets[-1].kind == "safetensors"
