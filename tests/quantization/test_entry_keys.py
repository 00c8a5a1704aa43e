"""Settings of single modules that the weights contradict: one finding for all entries with the same wrong value."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.cli.verbs import mend
from tests.judged import judged
from tests.loads.damage import healthy, write
from tests.quantization.made_by_formula import mlx
from tests.quantization.stored import Spec, checkpoint
from tests.quantization.test_other_models import wide

MODELS = ("llama", "qwen2", "mamba2")
SIZES = {"group_size": 64, "bits": 4}


def modules_of(spec: Spec, end: str = "") -> list[str]:
    return [name.removesuffix(".scales") for name in spec if name.endswith(f"{end}.scales")]


def of_entries(model: str, modules: list[str], **changed: object) -> tuple[dict[str, Any], Spec]:
    """A model of MLX with 4 bits whose block states other settings for some modules, as mlx-lm writes it: twice."""
    config, spec = wide(model, mlx(4, 64))
    block = {**SIZES, **{name: {**SIZES, **changed} for name in modules}}
    return {**config, "quantization": block, "quantization_config": copy.deepcopy(block)}, spec


def errors(result: Audit) -> list[str]:
    return [one.code for one in result.findings if one.severity == "error"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("wrong", [{"bits": 8}, {"bits": 2}, {"group_size": 32}])
def test_all_wrong_entries_are_one_finding_with_the_keys_of_both_copies(model: str, wrong: dict[str, Any]) -> None:
    modules = modules_of(wide(model, mlx(4, 64))[1])[:5]
    config, spec = of_entries(model, modules, **wrong)
    result = judged(spec, config)
    found = [one for one in result.findings if one.code == "T614"]
    assert errors(result) == ["T614"] * len(found)
    assert len(found) <= len(wrong)
    for one in found:
        what = one.facts["what"]
        assert one.facts["keys"] == [f"quantization.{name}.{what}" for name in modules]
        remedy = one.remedy()
        assert remedy is not None
        blocks = ("quantization", "quantization_config")
        assert [step.key for step in remedy.steps] == [(block, name, what) for block in blocks for name in modules]
        assert f"of these {len(modules)} modules in quantization and quantization_config" in remedy.words


@pytest.mark.parametrize("model", MODELS)
def test_mend_writes_every_entry(model: str, tmp_path: Path) -> None:
    modules = modules_of(wide(model, mlx(4, 64))[1])[1:4]
    config, spec = of_entries(model, modules, bits=8)
    folder = write(healthy(spec, config), tmp_path / "model")
    assert errors(audit(str(folder))) == ["T614"]
    mend(str(folder), into=str(tmp_path / "mended"))
    written = json.loads((tmp_path / "mended" / "config.json").read_text(encoding="utf-8"))
    for block in ("quantization", "quantization_config"):
        assert all(written[block][name]["bits"] == 4 for name in modules)
    assert errors(audit(str(tmp_path / "mended"))) == []


@pytest.mark.parametrize("model", MODELS)
def test_entries_that_say_what_the_weights_have_are_no_finding(model: str) -> None:
    config, spec = of_entries(model, modules_of(wide(model, mlx(4, 64))[1]))
    assert errors(judged(spec, config)) == []


@pytest.mark.parametrize("model", MODELS)
def test_a_right_entry_with_the_same_settings_does_not_hide_a_wrong_one(model: str) -> None:
    config, spec = of_entries(model, modules_of(wide(model, mlx(4, 64))[1])[:3], bits=8)
    right, *wrong = [name for name in config["quantization"] if name not in SIZES]
    rows, words = spec[f"{right}.weight"][1]
    spec[f"{right}.weight"] = ("U32", (rows, 2 * words))
    result = judged(spec, config)
    assert errors(result) == ["T614"]
    (found,) = (one for one in result.findings if one.code == "T614")
    assert found.facts["keys"] == [f"quantization.{name}.bits" for name in wrong]


def test_the_wrong_entries_of_auto_round_and_gptq_are_set() -> None:
    for name, key in (("gptq-dynamic", "dynamic"), ("auto-round-mixed", "extra_config")):
        config, spec, _ = checkpoint(name)
        entries = config["quantization_config"][key]
        stated = {text: entry for text, entry in entries.items() if entry.get("bits", 16) < 16}
        for entry in stated.values():
            entry["bits"] = 2
        found = [one for one in judged(spec, config).findings if one.severity == "error"]
        assert {one.code for one in found} == {"T614"}, (name, found)
        steps = [step.key for one in found for step in one.remedy().steps]
        assert set(steps) == {("quantization_config", key, text, "bits") for text in stated}, (name, entries)
