"""The YAML beside a single file of Stable Diffusion: that of another version is an error, any other is no finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import write_file
from tests.dialects import single_file
from tests.findings.cases import SMALL_UNET
from tests.judged import codes

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "model": ("model.diffusion_model.", {}),
    "ControlNet": ("", {"_class_name": "ControlNetModel", "conditioning_embedding_out_channels": [16, 32]}),
    "ControlNet with its prefix": (
        "control_model.", {"_class_name": "ControlNetModel", "conditioning_embedding_out_channels": [16, 32]}
    ),
}  # fmt: skip
"""What a file holds -> (prefix of its names, its config)."""
LDM = "model:\n  target: ldm.models.diffusion.ddpm.LatentDiffusion\n  params:\n"
STATED = [
    ("sd.yaml", f"{LDM}    context_dim: 1024\n", True), ("sd.yaml", f"{LDM}    context_dim: 768  # text\n", False),
    ("sd.yaml", f"{LDM}    context_dim: [1024, 1024]\n", False), ("sd.yaml", f"{LDM}    use_fp16: true\n", False),
    ("sd.yaml", "context_dim: 1024\n", False), ("other.yaml", f"{LDM}    context_dim: 1024\n", False),
    ("sd.yaml", f"{LDM}    context_dim: 1024\n    context_dim: 768\n", False), ("sd.yaml", "", False),
]  # fmt: skip
"""Name of the YAML, its text, and whether it is that of another model."""


@pytest.mark.thinned
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize(("name", "text", "differs"), STATED)
def test_the_yaml_of_another_version(tmp_path: Path, kind: str, name: str, text: str, differs: bool) -> None:
    prefix, config = NETWORKS[kind]
    spec = single_file.under(prefix, single_file.unet({**SMALL_UNET, **config, "cross_attention_dim": 768}))
    write_file(tmp_path / "sd.safetensors", spec)
    (tmp_path / name).write_text(text)
    for place in (tmp_path, tmp_path / "sd.safetensors"):
        assert codes(audit(str(place))) == ({"N689"} if differs else set())
