"""Ids that Whisper's arguments of generation need, in generation_config.json."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.files.speech_generation import published
from tests.findings.library_cases import whisper_of_settings

WHOLE: dict[str, Any] = {
    "is_multilingual": True, "no_timestamps_token_id": 50363, "lang_to_id": {"<|de|>": 50261},
    "task_to_id": {"transcribe": 50359},
}  # fmt: skip
OF_CONFIG: dict[str, Any] = {"_from_model_config": True, "max_length": 448}
TOKENIZER: dict[str, object] = {"tokenizer.json": {}, "preprocessor_config.json": {}}
ALL = ("no_timestamps_token_id", "lang_to_id", "task_to_id")


def without(*keys: str) -> dict[str, Any]:
    """The settings without some of the keys."""
    return {key: value for key, value in WHOLE.items() if key not in keys}


@pytest.mark.parametrize(("settings", "rows", "files", "keys"), [
    (WHOLE, 51_865, {}, ()),
    (OF_CONFIG, 51_865, TOKENIZER, ALL),
    (OF_CONFIG, 51_865, {"README.md": {}}, ALL),
    (OF_CONFIG, 51_865, {"preprocessor_config.json": {}}, ()),
    (without("no_timestamps_token_id"), 51_866, TOKENIZER, ("no_timestamps_token_id",)),
    (without("lang_to_id", "task_to_id"), 51_870, TOKENIZER, ("lang_to_id", "task_to_id")),
    (OF_CONFIG, 51_864, TOKENIZER, ("no_timestamps_token_id",)),
    ({"no_timestamps_token_id": 50362}, 51_864, {}, ()),
    ({"no_timestamps_token_id": 50362, "is_multilingual": False}, 51_865, {}, ()),
    (OF_CONFIG, 107, {}, ()),
    (None, 51_865, TOKENIZER, ALL),
    (None, 51_865, {}, ()),
])  # fmt: skip
def test_ids_of_generation(
    settings: dict[str, Any] | None, rows: int, files: dict[str, object], keys: tuple[str, ...]
) -> None:
    found = [one for one in whisper_of_settings(settings, rows, **files).findings if one.code == "C353"]
    assert [tuple(one.facts["keys"]) for one in found] == ([keys] if keys else [])


@pytest.mark.parametrize(("width", "rows", "layers", "model"), [
    (384, 51_865, 4, "openai/whisper-tiny"),
    (768, 51_864, 12, "openai/whisper-small.en"),
    (1280, 51_865, 32, "openai/whisper-large-v2"),
    (1280, 51_866, 32, "openai/whisper-large-v3"),
    (1280, 51_866, 4, "openai/whisper-large-v3-turbo"),
    (1280, 51_866, 2, ""),
    (None, 51_865, 4, ""),
])  # fmt: skip
def test_the_published_model_of_a_size(width: object, rows: int, layers: object, model: str) -> None:
    assert published(width, rows, layers) == model
