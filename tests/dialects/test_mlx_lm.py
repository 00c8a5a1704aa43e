"""Files that mlx-lm's own classes saved (`tests/oracle/make_mlx_models.py`), plain and quantized."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.auditing.start import audit, audit_loaded
from inspector.loader.set_reading import WeightFile
from tests.adapters.records import Spec, checkpoint
from tests.checkpoints import genuine, write_file

FILE = Path(__file__).parents[2] / "fixtures" / "dialects" / "mlx_lm.json.gz"
SETTINGS = {"group_size": 32, "bits": 4}
FEWEST = 60


@cache
def models() -> dict[str, dict[str, Any]]:
    return {one["config"]["model_type"]: one for one in json.loads(gzip.decompress(FILE.read_bytes()))}


def audited(spec: Spec, config: dict[str, Any]) -> Audit:
    file = WeightFile("model.safetensors", 0, 0, len(spec), 0, {"format": "mlx"}, True)
    return audit_loaded(replace(checkpoint(spec, None, config), files=(file,)))


@pytest.mark.thinned
@pytest.mark.parametrize("way", ["plain", "quantized"])
@pytest.mark.parametrize("model_type", models())
def test_files_of_mlx_lm(model_type: str, way: str) -> None:
    record = models()[model_type]
    config = record["config"] if way == "plain" else {**record["config"], "quantization": SETTINGS}
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in record[way].items()}
    found = audited(spec, config)
    assert found.verdict == "clean"
    assert found.counts.unique_parameters == found.counts.expected_parameters
    lost = next(name for name in spec if ".1." in name and name.endswith(".weight"))
    assert audited({name: entry for name, entry in spec.items() if name != lost}, config).verdict == "findings"


def test_most_models_of_mlx_lm_are_recorded() -> None:
    assert len(models()) >= FEWEST


SPARSE: dict[str, Any] = {
    "model_type": "gemma4_text", "architectures": ["Gemma4ForCausalLM"], "vocab_size": 101, "hidden_size": 64,
    "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"], "hidden_size_per_layer_input": 0,
    "global_head_dim": 64, "num_global_key_value_heads": 1, "attention_k_eq_v": True, "enable_moe_block": True,
    "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32,
}  # fmt: skip
STACKS = "experts.switch_glu"


def as_mlx_stacks(spec: Spec) -> Spec:
    """The experts of Gemma 4 as mlx-lm 0.32 saves them."""
    made: Spec = {}
    for name, (dtype, shape) in spec.items():
        base, _, end = name.partition("experts.")
        if end == "gate_up_proj":
            half = (shape[0], shape[1] // 2, shape[2])
            made |= {f"{base}{STACKS}.{one}_proj.weight": (dtype, half) for one in ("gate", "up")}
        else:
            made[f"{base}{STACKS}.{end}.weight" if end else name] = (dtype, shape)
    return made


def test_stacked_experts_of_gemma_4() -> None:
    spec = as_mlx_stacks(genuine(SPARSE))
    found = audited(spec, SPARSE)
    assert (found.verdict, found.counts.unexplained) == ("clean", 0)
    assert found.counts.unique_parameters == found.counts.expected_parameters
    for end in ("gate_proj", "up_proj", "down_proj"):
        lost = f"model.layers.1.{STACKS}.{end}.weight"
        assert "N403" in {one.code for one in audited({n: e for n, e in spec.items() if n != lost}, SPARSE).findings}


GLOBAL = ("global_head_dim", "num_global_key_value_heads")
OVERRIDDEN = {"per_layer_config": {"02": {"head_dim": 64, "num_key_value_heads": 1}}}


@pytest.mark.parametrize(("changes", "needed"), [
    ({}, ""), (dict.fromkeys(GLOBAL) | OVERRIDDEN, '"global_head_dim": 64 and "num_global_key_value_heads": 1'),
    (OVERRIDDEN, ""), ({**OVERRIDDEN, "num_global_key_value_heads": None}, '"num_global_key_value_heads": 1'),
    ({"per_layer_config": {"2": {"head_dim": 512}}, "global_head_dim": None, "attention_k_eq_v": False}, ""),
])  # fmt: skip
def test_settings_of_single_layers_that_mlx_does_not_read(changes: dict[str, Any], needed: str, tmp_path: Path) -> None:
    """mlx-lm 0.32 takes `global_head_dim` (512 without it) and the number of all layers ("Expected shape ...")."""
    config = {key: value for key, value in {**SPARSE, **changes}.items() if value is not None}
    write_file(tmp_path / "model.safetensors", as_mlx_stacks(genuine(config)), {"format": "mlx"})
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    found = audit(str(tmp_path))
    load = next(one for one in found.loads if one.loader == "mlx")
    assert (load.outcome, needed in load.because) == ("refuses" if needed else "complete", True)
    assert [one.code for one in found.findings if one.severity == "error"] == (["N429"] if needed else [])
