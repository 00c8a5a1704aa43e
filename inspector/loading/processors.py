"""The parts of the processor of each model type, and the files in which `AutoProcessor` finds their settings.

Measured with transformers 5.23 and 4.57 on folders with config.json and a tokenizer. Both find an image processor or a
feature extractor in preprocessor_config.json, an empty one too, and in processor_config.json under the part's name;
4.57 builds it with its defaults if processor_config.json does not have it, and 5.23 refuses. Beside
preprocessor_config.json both build a video processor without a file of its own.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, Final

TABLE: Final = os.path.join(os.path.dirname(__file__), "processors.json")
OF_PART: Final = "preprocessor_config.json"
OF_ALL: Final = "processor_config.json"
PROCESSORS: Final = (OF_PART, OF_ALL)
"""Files that transformers saves with the part of a processor that reads images or sound."""
GENERATION: Final = "generation_config.json"
"""The settings of `generate`, which `save_pretrained` of a model writes."""
AUTO: Final = {"image_processor": "AutoImageProcessor", "feature_extractor": "AutoFeatureExtractor"}
"""Part of a processor -> the class that loads it alone."""
TOKENIZER: Final = "tokenizer"
BY_TEMPLATE: Final = frozenset({
    "audioflamingo3", "canary", "fun_asr_nano", "glmasr", "moss_transcribe_diarize", "pocket_tts", "qwen3_asr",
    "vibevoice_asr",
})  # fmt: skip
"""Types whose processor of transformers 5.23 prepares every request with its chat template, and has none by default."""
TEMPLATE: Final = "chat_template"
TEMPLATES: Final = ("chat_template.jinja", "chat_template.json", "additional_chat_templates")
"""Files, and a folder, from which `AutoProcessor` takes it; else from the key of this name in processor_config.json."""
OF_SPEECH: Final = frozenset({
    "hubert", "parakeet_ctc", "sew", "sew-d", "unispeech", "unispeech-sat", "wav2vec2", "wav2vec2-bert",
    "wav2vec2-conformer", "wavlm",
})  # fmt: skip
"""Types of speech models for which both versions refuse a folder without a vocabulary: other tokenizers are built
empty, by 5.23 at least."""


@cache
def parts_of(model_type: str) -> tuple[str, ...]:
    """The parts of a type's processor, of which an absent one is refused (`tests/oracle/make_processors.py`)."""
    with open(TABLE, "rb") as file:
        table: dict[str, str] = json.loads(file.read())
    return tuple(table.get(model_type, "").split())


def without_settings(model_type: str, of_all: dict[str, Any] | None) -> tuple[str, ...]:
    """The parts that read images or sound and whose settings are absent, in a folder without preprocessor_config.json.

    of_all: processor_config.json, None without one. Empty for types whose processor has no tokenizer.
    """
    parts = parts_of(model_type)
    if TOKENIZER not in parts:
        return ()
    return tuple(one for one in parts if one in AUTO and one not in (of_all or {}))
