"""Configs of every model type with values of the wrong kind: audit and formula complete with bounded work."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from inspector.architectures.catalog import modules
from tests.attacks.test_any_config import NONSENSE, keys_of, reported
from tests.judged import FIXTURES, base_record, spec_of

TYPES = sorted(modules())
CONFUSED = 3
"""Configs of each model type."""
CALLS = 8_000_000
"""Maximum number of calls for an audit and for a formula: 7.5 million take 1.3 s of CPU time without the profiler."""
LONG: tuple[Any, ...] = (
    list(range(30_000)), [2] * 30_000, [10**9] * 2_000, ["full_attention", "x"] * 15_000, "M*-E" * 10_000,
    [[2, 3]] * 9_000, [{"a": 1}] * 9_000, 10**12, "9" * 5_000, {str(at): at for at in range(9_000)},
)  # fmt: skip


def confused(model_type: str, number: int) -> Mapping[str, Any]:
    """A config with about half of its values replaced, or with one replaced by a long value."""
    chance = random.Random(f"{model_type} {number}")
    config = dict(stored(model_type)[1])
    keys = sorted({*config, *keys_of(model_type)} - {"model_type", "architectures", "_class_name"})
    few = chance.sample(keys, min(len(keys), 1 + number))
    for key in keys:
        if key in few:
            config[key] = chance.choice(LONG)
        elif chance.random() < number / CONFUSED:
            config[key] = chance.choice(NONSENSE)
    return config


def stored(model_type: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The tensors and the config of a record of the type; without one, no tensors and its name."""
    if (FIXTURES / "oracle" / f"{model_type}.json.gz").exists():
        record = base_record(model_type)
        return spec_of(record), deepcopy(record["config"])
    return {"a.weight": ("F32", (2, 2))}, {"model_type": model_type, "_class_name": model_type}


def sample(every: int) -> Iterator[str]:
    """Model types, evenly spread."""
    yield from TYPES[::every]


@pytest.mark.parametrize("model_type", [
    pytest.param(name, marks=() if name in set(sample(600)) else pytest.mark.slow) for name in TYPES
])  # fmt: skip
def test_confused_configs(model_type: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.attacks.test_any_config.MOST", CALLS)
    spec, _ = stored(model_type)
    for number in range(CONFUSED):
        config = dict(confused(model_type, number))
        json.dumps(config)
        reported(spec, config, tmp_path / "config.json")
