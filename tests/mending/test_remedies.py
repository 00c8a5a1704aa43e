"""Applies the remedies for many damages of many types: the result is clean, and no byte of a tensor has changed.

CI runs a sample; `python -m pytest -m slow tests/mending/test_remedies.py` runs all. `test_with_transformers.py` checks
that transformers loads the results.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.cli.verbs import mend
from tests.judged import base_record, spec_of
from tests.loads.damage import damaged, healthy, write
from tests.mending.damages import digests
from tests.mending.test_with_transformers import (
    LAYERS,
    SIZES,
    TYPES,
    Change,
    another_class,
    another_type,
    files,
    keys,
    names,
    shards,
    valued,
)
from tests.oracle.make_loads import fill

MORE = {
    "phi": "CausalLM", "stablelm": "CausalLM", "electra": "MaskedLM", "distilbert": "MaskedLM",
    "deit": "Classification", "qwen2_moe": "CausalLM",
}  # fmt: skip
EVERY = TYPES | MORE
SAMPLE = 37
"""Every so many cases run in CI."""
MINIMUM = 200
"""Minimum number of repaired cases."""
SHARE = 0.93
"""Minimum share of repaired cases; the others are left to the user, such as a size that several keys explain."""


def of_types(config: dict[str, object]) -> Iterator[tuple[str, Change]]:
    """Damages: values of a type that the config class refuses, and quantization settings without quantized weights."""
    for key in (*LAYERS, *SIZES):
        value = config.get(key)
        if type(value) is int:
            yield f"{key} as a float", valued(key, float(value))
            yield f"{key} as a text", valued(key, str(value))
            break
    yield "use_cache", valued("use_cache", None)
    yield "settings of nothing", valued("quantization_config", {})
    yield "dtype", valued("dtype", "fp16")


def cases() -> Iterator[tuple[str, str, Change]]:
    """Model type (with the suffix "-shards" for a sharded one), name of the damage, and the damage."""
    for model_type, suffix in EVERY.items():
        record = base_record(model_type, suffix)
        config = record["config"]
        whole = [*keys(config), *of_types(config), *names(list(record["tensors"])), *files()]
        for name, change in (*whole, *another_class(record["class"]), *another_type(model_type)):
            yield model_type, name, change
        for name, change in shards():
            yield f"{model_type}-shards", name, change


def made(source: str, place: Path) -> Path:
    """Write an undamaged folder."""
    model_type = source.removesuffix("-shards")
    record = base_record(model_type, EVERY[model_type])
    folder = healthy(spec_of(record), {**record["config"], "architectures": [record["class"]]})
    if source.endswith("-shards"):
        damaged(folder, [["shards", 3]])
    return write(folder, place, fill)


@pytest.mark.parametrize("every", [SAMPLE, pytest.param(1, marks=pytest.mark.slow)])
def test_the_remedies_repair(every: int, tmp_path: Path) -> None:
    sample = list(cases())[::every]
    left: list[str] = []
    for source, name, change in sample:
        folder = made(source, tmp_path / "damaged")
        before = Counter(digests(folder).values())
        change(folder)
        outcome = mend(str(folder), write=True, format="json")
        rest = json.loads(outcome.text)
        if outcome.code:
            left.append(f"{source}: {name}: {[one['finding'] for one in rest['left']] or rest['failure']}")
        else:
            found = audit(str(folder))
            assert found.verdict == "clean", (source, name, [one.code for one in found.findings])
            assert Counter(digests(folder).values()) == before, (source, name)
        shutil.rmtree(folder)
    print("\n".join(left))
    assert len(left) <= (1 - SHARE) * len(sample) + int(every > 1), "\n".join(left)
    assert len(sample) - len(left) >= MINIMUM // every
