"""What other programs than PEFT do with an adapter in a folder: mlx-lm without its config, vLLM by the config."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import write_file
from tests.judged import codes

MLX = {"fine_tune_type": "lora", "num_layers": 2, "lora_parameters": {"rank": 4, "scale": 20.0, "dropout": 0.0}}


def of_mlx(place: Path, config: dict[str, Any] | None) -> None:
    """An adapter as mlx-lm saves it."""
    pairs = {"a": (32, 4), "b": (4, 64)}
    name = "model.layers.{}.self_attn.q_proj.lora_{}"
    write_file(
        place / "adapters.safetensors",
        {name.format(layer, side): ("F32", shape) for layer in range(2) for side, shape in pairs.items()},
    )
    if config is not None:
        (place / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")


def test_mlx_lm_asks_for_a_config(tmp_path: Path) -> None:
    of_mlx(tmp_path, None)
    audited = audit(str(tmp_path))
    assert (codes(audited), audited.loads) == ({"C313"}, ())
    (finding,) = (one for one in audited.findings if one.code == "C313")
    assert "mlx-lm" in finding.message
    of_mlx(tmp_path, MLX)
    assert codes(audit(str(tmp_path))) == set()


@pytest.mark.parametrize(
    ("values", "refused"),
    [({}, False), ({"modules_to_save": ["lm_head"]}, True), ({"use_dora": True}, True), ({"use_rslora": True}, False)],
)
def test_vllm_refuses_by_the_config(values: dict[str, Any], refused: bool, tmp_path: Path) -> None:
    name = "base_model.model.model.layers.{}.self_attn.q_proj.lora_{}.weight"
    pairs = {"A": (4, 32), "B": (64, 4)}
    write_file(
        tmp_path / "adapter_model.safetensors",
        {name.format(layer, side): ("F32", shape) for layer in range(2) for side, shape in pairs.items()},
    )
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], **values}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    found = [one.outcome for one in audit(str(tmp_path)).loads if one.loader == "vllm"]
    assert found == (["refuses"] if refused else [])
