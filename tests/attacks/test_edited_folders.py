"""Folders of each kind of checkpoint in which values of JSON files were replaced or removed at random: every audit ends
with a report, within a bounded number of calls, and `clean` stays exact.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.report.json_v1 import audit_json, dumped
from inspector.report.markdown import audit_markdown
from inspector.report.text import audit_text
from tests.adapters.records import records
from tests.attacks.test_any_config import NONSENSE
from tests.checkpoints import write, write_file
from tests.judged import base_record, spec_of
from tests.loads.damage import damaged, healthy
from tests.loads.damage import write as write_folder
from tests.quantization.stored import checkpoint as quantized
from tests.steps import at_most
from tests.test_pipelines import PARTS, pipeline
from tests.test_sentence_modules import FOLDERS as MODULES
from tests.test_sentence_modules import folder as sentence_encoder

Value = Any
CALLS = 12_000_000
"""Maximum number of calls for an audit with its reports: a pipeline with a wrong config takes 9 million."""
MOST_EDITS = 3
"""Values that are changed in one file."""
VALUES: tuple[Any, ...] = (*NONSENSE, "1" * 400, ["a", "b"], [[1]], [{}], {"model_type": "llama"}, [10**9] * 3, "../x")


def _shards(place: Path) -> None:
    record = base_record("qwen2")
    config = {"model_type": "qwen2", **record["config"], "architectures": [record["class"]]}
    write_folder(damaged(healthy(spec_of(record), config), [["shards", 3]]), place)
    (place / "generation_config.json").write_text('{"eos_token_id": [1, 2], "temperature": 0.6}', encoding="utf-8")
    (place / "tokenizer_config.json").write_text(
        '{"added_tokens_decoder": {"3": {"content": "</s>"}}}', encoding="utf-8"
    )


def _adapter(place: Path) -> None:
    record = next(one for one in records().values() if one["adapter"].get("peft_type") == "LORA")
    spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in record["tensors"].items()}
    place.mkdir()
    write_file(place / "adapter_model.safetensors", spec)
    (place / "adapter_config.json").write_text(json.dumps(record["adapter"]), encoding="utf-8")


def _adapter_with_model(place: Path) -> None:
    _adapter(place)
    record = base_record("bert")
    config = {"model_type": "bert", **record["config"], "architectures": [record["class"]]}
    write_folder(healthy(spec_of(record), config), place)


def _pipeline(place: Path) -> None:
    pipeline(place, PARTS)


def _sentence(place: Path) -> None:
    sentence_encoder(place, MODULES["dense with residual"])


def _quantized(place: Path) -> None:
    config, spec, _ = quantized("awq_gemm_4bit_g128")
    write(place, spec, config)


FOLDERS: dict[str, Callable[[Path], None]] = {
    "shards": _shards, "adapter": _adapter, "adapter with model": _adapter_with_model, "pipeline": _pipeline,
    "sentence encoder": _sentence, "quantized": _quantized,
}  # fmt: skip


def _places(value: Value, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of the values of a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:4]) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def _edited(document: Value, chance: random.Random) -> Value:
    """A document with a few values replaced or removed."""
    for _ in range(chance.randint(1, MOST_EDITS)):
        places = list(_places(document))
        if not places:
            return chance.choice(VALUES)
        *path, last = chance.choice(places)
        inside = document
        for key in path:
            inside = inside[key]
        if isinstance(inside, dict) and chance.random() < 0.2:
            del inside[last]
        else:
            inside[last] = json.loads(json.dumps(chance.choice(VALUES)))
    return document


def _reported(folder: Path) -> Audit:
    with at_most(CALLS):
        found = audit(str(folder))
        assert "\x1b" not in audit_text(found)
        json.loads(dumped(audit_json(found)))
        audit_markdown(found)
    return found


@pytest.mark.thinned
@pytest.mark.parametrize("number", [
    pytest.param(one, marks=() if one < 4 else pytest.mark.slow) for one in range(300)
])  # fmt: skip
@pytest.mark.parametrize("kind", FOLDERS)
def test_edited_folder(kind: str, number: int, tmp_path: Path) -> None:
    place = tmp_path / "model"
    FOLDERS[kind](place)
    chance = random.Random(f"{kind} {number}")
    file = chance.choice(sorted(place.rglob("*.json")))
    file.write_text(json.dumps(_edited(json.loads(file.read_text(encoding="utf-8")), chance)), encoding="utf-8")
    found = _reported(place)
    if found.verdict == "clean":
        assert found.counts.expected_parameters in (None, found.counts.unique_parameters)
        assert not any(one.severity == "error" for one in found.findings)
