"""Text encoders of OpenCLIP under the names of transformers, in single files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoints import genuine
from tests.dialects import single_file
from tests.dialects.test_single_file import _text, _unet, audited, whole


@pytest.mark.parametrize(("prefix", "width", "reads", "tensors"), [
    ("cond_stage_model.transformer.", 1024, 1024, 36), ("conditioner.embedders.0.transformer.", 1280, 1280, 36),
    ("cond_stage_model.transformer.", 768, 768, None), ("conditioner.embedders.0.transformer.", 768, 2048, None),
    ("cond_stage_model.model.", 1024, 1024, None), ("conditioner.embedders.0.model.", 1280, 1280, None),
])  # fmt: skip
def test_names_that_comfyui_reads_for_the_model(
    prefix: str, width: int, reads: int, tensors: int | None, tmp_path: Path
) -> None:
    text = _text(width, 2, 32)
    own = (
        genuine(text, "F16")
        if prefix.endswith("transformer.")
        else single_file.openclip(text | {"projection_dim": width})
    )
    unet = single_file.unet(_unet([32, 64], [True, False], reads, use_linear_projection=True))
    parts = {"unet": ("model.diffusion_model.", unet), "text_encoder": (prefix, own)}
    found = [one for one in audited(tmp_path, whole(parts)).findings if one.code == "R086"]
    assert [one.facts["tensors"] for one in found] == ([] if tensors is None else [tensors])
    assert all(("diffusers" in one.remedy().words) is prefix.startswith("cond_") for one in found)
