"""Checks whether the settings of generation of a Whisper model have the ids that its own arguments need.

Measured with `generate` of `WhisperForConditionalGeneration` in transformers 5.23 and 4.57, with generation_config.json
without each of these keys, and without the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.files.absent_tokenizer import has_tokenizer, is_whole
from inspector.auditing.json_beside import is_listed, object_beside
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import named_class
from inspector.loading.processors import GENERATION

CLASS: Final = "WhisperForConditionalGeneration"
OF_TIMES: Final = ("no_timestamps_token_id",)
OF_LANGUAGES: Final = ("lang_to_id", "task_to_id")
ENGLISH: Final = 51_864
"""Rows of the models for English alone; those of several languages have more."""
THIRD: Final = 51_866
"""Rows of the third large model, with one language more."""
SIZES: Final = {
    (384, 4): "tiny", (512, 6): "base", (768, 12): "small", (1024, 24): "medium", (1280, 32): "large-v2",
}  # fmt: skip
"""(width, layers of the decoder) -> the published model of this size, if it has several languages."""
OF_THIRD: Final = {(1280, 32): "large-v3", (1280, 4): "large-v3-turbo"}


def generation_keys_absent(audited: Audit) -> Iterator[Finding]:
    """The finding on a local folder with a tokenizer, or with the file, whose settings lack ids."""
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if config is None or named_class(config.values) != CLASS or config.values.get("model_type") != "whisper":
        return
    if not checkpoint.folder or checkpoint.adapter is not None or checkpoint.origin is not None:
        return
    rows, here = config.values.get("vocab_size"), GENERATION in checkpoint.siblings
    if type(rows) is not int or rows < ENGLISH or not is_listed(checkpoint):
        return
    stated = object_beside(checkpoint, GENERATION)
    if (here and not stated) or not (has_tokenizer(checkpoint) or is_whole(checkpoint)):
        return
    of_english = rows == ENGLISH or stated.get("is_multilingual") is False
    keys = OF_TIMES if of_english else (*OF_TIMES, *OF_LANGUAGES)
    absent = tuple(key for key in keys if not stated.get(key) and not config.values.get(key))
    if absent:
        from inspector.findings.reading.generation import GenerationKeysAbsent

        of_base = published(config.values.get("d_model"), rows, config.values.get("decoder_layers"))
        yield GenerationKeysAbsent(place=Place(file=GENERATION), here=here, keys=absent, base=of_base)


def published(width: object, rows: int, layers: object) -> str:
    """The published model of this size; "" if there is none."""
    if not isinstance(width, int) or not isinstance(layers, int):
        return ""
    size = (OF_THIRD if rows >= THIRD else SIZES).get((width, layers), "")
    return f"openai/whisper-{size}{'.en' if rows == ENGLISH else ''}" if size else ""
