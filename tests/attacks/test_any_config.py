"""Arbitrary values in configs: audit, reports and formula complete within a bounded number of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inspector.architectures.catalog import definition_of
from inspector.auditing.start import audit
from inspector.formulas import FormulaError, formula
from inspector.matcher.spelling import keys_of_definition
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.report.formula_text import formula_text
from inspector.report.json_v1 import audit_json, dumped, formula_json
from inspector.report.markdown import audit_markdown
from inspector.report.text import audit_text
from tests.adapters.records import records as adapter_records
from tests.adapters.records import spec_of as adapter_spec
from tests.checkpoints import genuine, write_file
from tests.judged import base_record, judged, spec_of
from tests.steps import at_most

MOST = 4_000_000
"""Maximum number of calls for an audit of a small listing with its reports, and for its formula."""
POPULAR = (
    "llama", "mistral", "mixtral", "qwen2", "qwen3_moe", "gemma2", "gemma3n_text", "deepseek_v3", "gpt2", "bert", "t5",
    "falcon", "gpt_neox", "mamba", "jamba", "nemotron_h", "whisper", "clip", "vit", "gpt_oss",
)  # fmt: skip
DEEP: list[Any] = []
for _ in range(60):
    DEEP = [DEEP]
NONSENSE: tuple[Any, ...] = (
    float("nan"), float("inf"), 10**30, -1, 0, 1.5, 1e308, True, "7", "\x1b[31m\n{}", "", [], {}, [None], [1, [2, {}]],
    {"a": 1}, DEEP, ["full_attention"] * 3, [10**12] * 2, 2**63, None, "M*-E", {"layer": None},
)  # fmt: skip
GENERAL = ("quantization_config", "quantization", "architectures", "transformers_version", "torch_dtype", "text_config")
METHODS = (
    "gptq", "awq", "fp8", "bitsandbytes", "compressed-tensors", "hqq", "aqlm", "modelopt", "quark", "mxfp4", "eetq",
    "quanto", "torchao", "vptq", "spqr", "higgs", "exl2", "exl3", "bitnet", "auto-round",
)  # fmt: skip
SETTINGS: tuple[dict[str, Any], ...] = (
    {"bits": [4], "group_size": [128], "weight_block_size": [0, "x"], "config_groups": {"g": [1]}, "ignore": [[1]],
     "modules_to_not_convert": {"a": 1}, "dynamic": [1], "extra_config": [2], "quant_type": [3], "quant_algo": [1]},
    {"bits": 10**30, "group_size": 0, "weight_block_size": [10**20, 10**20], "ignore": 7, "targets": 7, "nbits": None,
     "config_groups": {"g": {"weights": {"num_bits": "x", "group_size": [1]}, "targets": [1]}}, "format": [1]},
    {"bits": -1, "group_size": -5, "quant_config": 3, "global_quant_config": 9, "layer_quant_config": [1]},
)  # fmt: skip


def reported(spec: Any, config: dict[str, Any], path: Path) -> None:
    """All output for a listing and a config, with a limit on the work."""
    with at_most(MOST):
        audited = judged(spec, config)
        assert "\x1b" not in audit_text(audited)
        json.loads(dumped(audit_json(audited)))
        audit_markdown(audited)
    path.write_text(json.dumps(config), encoding="utf-8")
    with at_most(MOST), suppress(FormulaError):
        shown = formula(str(path))
        assert "\x1b" not in formula_text(shown)
        dumped(formula_json(shown))


def keys_of(model_type: str) -> Iterator[str]:
    definition = definition_of(model_type)
    assert definition is not None
    yield from sorted(keys_of_definition(Scope(definition, Settings({}, known=False), definition_of)))
    yield from GENERAL


@pytest.mark.thinned
@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model_type", POPULAR)
def test_every_key_that_a_definition_reads(model_type: str, every: int, tmp_path: Path) -> None:
    record = base_record(model_type)
    spec = spec_of(record)
    for place, key in list(enumerate(keys_of(model_type)))[POPULAR.index(model_type) % every :: every]:
        value = NONSENSE[(place + POPULAR.index(model_type)) % len(NONSENSE)]
        reported(spec, {**record["config"], key: value}, tmp_path / "config.json")


@pytest.mark.thinned
@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: repr(value)[:20])
def test_every_key_of_a_definition_at_once(value: object, tmp_path: Path) -> None:
    record = base_record("llama")
    config = {**record["config"], **dict.fromkeys(keys_of("llama"), value)}
    reported(spec_of(record), config, tmp_path / "config.json")


@pytest.mark.thinned
@pytest.mark.parametrize("method", METHODS)
def test_settings_of_a_quantizer(method: str, tmp_path: Path) -> None:
    record = base_record("llama")
    for settings in SETTINGS:
        packed = {**record["config"], "quantization_config": {"quant_method": method, **settings}}
        reported(spec_of(record), packed, tmp_path / "config.json")


SCATTERED = {f"l.{at * 7919 % 10**6}.{at * 31 % 1000}.w": ("F32", (1,)) for at in range(10_000)}
NAMES: dict[str, dict[str, Any]] = {
    "scattered indices": SCATTERED,
    "half a million dots": {"." * 500_000: ("F32", (1,))},
    "a megabyte": {"n" * 1_000_000: ("F32", (2,))},
    "signs of templates": dict.fromkeys(("#", "{}", "{L}.{E}", "model.layers.#.x", "a.{layer}.b"), ("F32", (2,))),
    "line breaks and escapes": dict.fromkeys(("a\nb.weight", "\x1b[2J\x1b[31m.weight", "\u202egpj"), ("F32", (2,))),
    "nothing": dict.fromkeys(("", ".", "..", " "), ("F32", (1,))),
    "long numbers": {f"model.layers.{10**digits}.x": ("F32", (2,)) for digits in range(40)},
    "numbers alone": {".".join(map(str, range(3000))): ("F32", (1,))},
}


@pytest.mark.thinned
@pytest.mark.parametrize("with_model", [True, False], ids=["with a model", "alone"])
@pytest.mark.parametrize("name", NAMES)
def test_names_that_no_tool_writes(name: str, with_model: bool, tmp_path: Path) -> None:
    config = base_record("llama")["config"] if with_model else {}
    spec = {**(genuine(config) if with_model else {}), **NAMES[name]}
    reported(spec, config, tmp_path / "config.json")


def test_the_base_of_an_adapter_may_state_any_number_of_layers(tmp_path: Path) -> None:
    record = adapter_records()["gpt2.adaption"]
    write_file(tmp_path / "adapter_model.safetensors", adapter_spec("gpt2.adaption"))
    (tmp_path / "adapter_config.json").write_text(json.dumps(record["adapter"]), encoding="utf-8")
    base = tmp_path / "base.json"
    base.write_text(json.dumps({**record["base"], "n_layer": 10**9}), encoding="utf-8")
    audited = audit(str(tmp_path), base=str(base))
    assert (audited.verdict, [one.code for one in audited.findings]) == ("undecided", ["A901", "A912"])
