"""Files that the asked loader never opens, and image models in GGUF files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from tests.comparing.pair_audits import torch_file
from tests.dialects.test_gguf_for_others import wan
from tests.findings.cases import gguf_of
from tests.judged import base_record, spec_of


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "phi3"])
@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors"])
def test_mlx_opens_safetensors_alone(model_type: str, name: str, tmp_path: Path) -> None:
    one = base_record(model_type, "ForCausalLM")
    (tmp_path / "config.json").write_text(json.dumps({**one["config"], "architectures": [one["class"]]}))
    (tmp_path / "pytorch_model.bin").write_bytes(torch_file(spec_of(one), []))
    if name == "model.safetensors":
        (tmp_path / name).write_bytes(b"")
    found = judged_for(audit(str(tmp_path / "config.json").removesuffix("/config.json")), "mlx").findings
    refused = [one for one in found if "no file is named model*.safetensors" in dict(one.rows()).get("because", "")]
    assert [one.help for one in refused] == (
        ["save it in safetensors for mlx: save_pretrained of transformers writes model.safetensors"]
        if name == "pytorch_model.bin" else []
    )  # fmt: skip


@pytest.mark.parametrize(("architecture", "refuses"), [
    ("flux", True), ("qwen_image", True), ("llama", False), ("a-newer-text-model", False),
])  # fmt: skip
def test_llama_cpp_refuses_image_models(architecture: str, refuses: bool, tmp_path: Path) -> None:
    path = gguf_of("llama", architecture=architecture).save(tmp_path / "model.gguf")
    found = judged_for(audit(str(path)), "llama.cpp").findings
    assert any("image or video model" in dict(one.rows()).get("because", "") for one in found) is refuses


def test_a_video_model_is_for_comfyui(tmp_path: Path) -> None:
    path = wan().save(tmp_path / "wan.gguf")
    assert all(one.severity != "error" for one in audit(str(path)).findings)
    (error,) = (one for one in judged_for(audit(str(path)), "llama.cpp").findings if one.code == "N429")
    assert error.help == "use ComfyUI with the nodes of ComfyUI-GGUF"
