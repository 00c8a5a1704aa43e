"""Keys with values that cannot be a size are reported, unless no shape depends on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.formulas import formula
from inspector.report.json_v1 import audit_json, dumped, formula_json
from tests.checkpoints import genuine, write
from tests.judged import judged
from tests.sparse_models import TINY

SIZES = ("hidden_size", "vocab_size", "intermediate_size", "num_hidden_layers")
NO_SIZE = (float("nan"), float("inf"), 64.5, "64", -3)


def impossible(config: dict[str, Any]) -> list[str | None]:
    spec = genuine(TINY)
    return [found.place.key for found in judged(spec, config).findings if found.name == "config-impossible"]


@pytest.mark.parametrize("value", NO_SIZE, ids=str)
@pytest.mark.parametrize("key", SIZES)
def test_an_impossible_size_is_reported_with_its_key(key: str, value: object) -> None:
    if (key, value) == ("num_hidden_layers", -3):
        return  # no layers at all: reported as a contradicting config
    assert key in impossible({**TINY, key: value})


def test_the_same_value_of_another_key_is_accepted() -> None:
    strange = {"time_step_limit": [0.0, float("inf")], "rope_theta": float("nan"), "initializer_range": "0.02"}
    assert impossible({**TINY, **strange}) == []


def test_an_integer_written_as_a_float_is_a_size() -> None:
    assert impossible({**TINY, "hidden_size": float(TINY["hidden_size"])}) == []


@pytest.mark.parametrize("digits", [41, 4000, 5000])
def test_a_number_of_thousands_of_digits_is_not_a_size(digits: int, tmp_path: Path) -> None:
    text = json.dumps(TINY).replace(f'"hidden_size": {TINY["hidden_size"]}', f'"hidden_size": {"9" * digits}')
    folder = write(tmp_path / "checkpoint", genuine(TINY))
    (folder / "config.json").write_text(text, encoding="utf-8")
    audited = audit(str(folder))
    assert [found.place.key for found in audited.findings] == ["hidden_size"]
    dumped(audit_json(audited))
    dumped(formula_json(formula(str(folder / "config.json"))))


@pytest.mark.parametrize("model_type", ["llama", "mistral", "granite"])
def test_the_key_that_makes_a_remainder_irrelevant(model_type: str) -> None:
    """5 heads of 32 at a hidden size of 64: without head_dim the class would compute 64/5."""
    config = {**TINY, "model_type": model_type, "architectures": [f"{model_type.title()}ForCausalLM"],
              "num_attention_heads": 5, "num_key_value_heads": 5, "head_dim": 32}  # fmt: skip
    spec = genuine(config)
    del config["head_dim"]
    (found,) = (one for one in judged(spec, config).findings if one.code == "C311")
    (step,) = found.remedy().steps
    assert (step.action, step.key, step.new) == ("set", ("head_dim",), 32)
    assert not {one.code for one in judged(spec, {**config, "head_dim": 32}).findings} & {"C310", "C311"}
    (found,) = (one for one in judged(genuine({**config, "num_attention_heads": 4, "num_key_value_heads": 4}), config)
                .findings if one.severity == "error")  # fmt: skip
    assert all(step.key != ("head_dim",) for step in found.remedy().steps)
